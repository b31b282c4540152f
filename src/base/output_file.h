/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer's file, which is there as a whole or not at all. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct output_file {
	FILE *out;
	const char *name; /* the caller's */
	bool open_to_all; /* facts of a machine: neither paths nor commands are in it */
	int dir_fd;       /* -1: it has no other name meanwhile */
	/* in that directory: its last name, and the one until then */
	char last[NAME_MAX + 1];
	char part[NAME_MAX + 1];
};

/*
 * name NULL: standard output. Returns 0 or -errno, reported. Close it in any case that
 * returned 0; name must stay until then.
 */
int output_file_open(struct output_file *file, const char *name);
/*
 * The same for images, saved hosts and metrics, which are of use as a regular file alone, and which everybody
 * may read: pipes, terminals and devices are refused.
 */
int output_file_open_regular(struct output_file *file, const char *name);
/* Whether that would refuse what is there now: 0 or -EINVAL, reported. */
int output_file_check_regular(const char *name);
/*
 * Of one that others read while it grows: a descriptor or -errno, reported. It has its own
 * name from the start, so what is there is replaced at once.
 */
int output_file_grow(const char *name);
/* The symbolic link of another user who is not root, which leads where that user likes. */
bool output_file_foreign_link(const char *name);
/*
 * err: what went wrong while it was written, reported: then nothing is left. Returns err, or
 * -errno, reported.
 */
int output_file_close(struct output_file *file, int err);
