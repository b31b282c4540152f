/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open files that rows of fs tell of, whatever the order of segments: how each of them was seen
 * last. One that is opened and closed within a segment is forgotten, so that there are no more of
 * them than were open at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/pool.h"
#include "row/parse.h"

struct report_open_file {
	struct report_open_file *next; /* in its slot, or of those that are free */
	uint64_t key;
	uint64_t opened_ns, used_ns, closed_ns; /* 0: not seen */
	uint64_t pid;                           /* that opened it, or used it last */
	char command[16];                       /* with a NUL */
	char *path;                             /* its last name */
	uint32_t path_len;
	uint32_t segment; /* of its first row */
	bool whole;       /* that is its opening */
};

struct report_open {
	struct report_open_file **slots;
	uint64_t n_slots, n;
	uint64_t n_left_out; /* rows of files for which there was no room */
	struct report_open_file *last, *free;
	uint32_t segment; /* that is being read */
	struct pool pool;
};

/* A row of fs. False without memory. */
bool report_open_row(struct report_open *open, const struct field *fields);
/* What other knows, too. */
bool report_open_join(struct report_open *open, const struct report_open *other);
/* Whether it is at the end of all rows; *since_ns: when it was opened, 0: before the first row, or not known. */
bool report_open_is(const struct report_open_file *file, uint64_t *since_ns);
/* Known by the number of its description, rather than by process and descriptor. */
bool report_open_is_described(const struct report_open_file *file);
void report_open_free(struct report_open *open);
