/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer's file, which is there as a whole or not at all. */
#ifndef IOT_OUTPUT_FILE_H
#define IOT_OUTPUT_FILE_H

#include <limits.h>
#include <stdio.h>

struct output_file {
	FILE *out;
	const char *name; /* the caller's */
	char part
		[PATH_MAX]; /* its name until then; empty: pipes, terminals and devices have none */
};

/* name NULL: standard output. Returns 0 or -errno, reported. */
int output_file_open(struct output_file *file, const char *name);
/* err: what went wrong while it was written, reported: then nothing is left. Returns err, or -errno, reported. */
int output_file_close(struct output_file *file, int err);

#endif
