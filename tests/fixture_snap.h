/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot without its thread: a directory to write into, and what was told. */
#ifndef IO_TESTS_FIXTURE_SNAP_H
#define IO_TESTS_FIXTURE_SNAP_H

#include "snap.h"

enum { SNAP_TOLD_MAX = 64 };

struct snap_told {
	unsigned n_segments;
	struct manifest_segment segments[SNAP_TOLD_MAX];
	unsigned n_names;
	char last_name[4096];
	unsigned n_done;
	struct snap_done done;
	int64_t go_on_for;   /* questions answered with yes; negative: all */
};

/* Session directory dir/out (made if need be); told is zeroed and go_on_for set to -1. */
void snap_job_open(struct snap_job *job, struct snap_told *told, const char *dir);
void snap_job_close(struct snap_job *job);

#endif
