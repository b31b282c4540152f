/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines, from one option table per command that also prints --help.
 */
#ifndef IOT_OPTIONS_H
#define IOT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "row/anon.h"
#include "row/schema.h"
#include "session/recording.h"
#include "snapshot/snap.h"
#include "write/write.h"

/* Returns 0, or an exit status plus one: 1 help was shown, 3 wrong usage (reported). */
int options_record(struct recording_options *options, int argc, char **argv);

struct doctor_command {
	struct host_options host;
	const char *collect;
	bool json;
	bool self_test;
};
int options_doctor(struct doctor_command *options, int argc, char **argv);

struct build_command {
	struct host_options host;
	const char *out;
	bool streams[N_STREAMS];
	bool streams_named;
	bool drops;
};
int options_build(struct build_command *options, int argc, char **argv);

struct snapshot_command {
	bool kinds[N_SNAP_KINDS];
	struct snap_options snapshots;
	struct write_options write;
	struct anon_options anon;
	const char *root; /* of a saved host, for the system; "": this one */
	char dir[4096];
};
int options_snapshot(struct snapshot_command *options, int argc, char **argv);

/* "100M", "1G", "4096": bytes (suffixes are powers of 1024). False when it is no size. */
bool options_size(const char *text, uint64_t *bytes);

/* "fs,ds" or "!exec": sets the streams; false (reported) for an unknown one. */
bool options_streams(const char *text, bool streams[N_STREAMS]);

#endif
