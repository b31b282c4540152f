/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a killed recording that waited for their order (write/spool.h), and which of them no
 * segment has.
 */
#pragma once

#include "read/verify_context.h"
#include "write/spool.h"

struct waiting_row {
	uint64_t mono_ns;
	unsigned number; /* in the order in which they were read */
	const char *text;
	size_t len; /* its LF included */
	bool is_written;
};

struct waiting {
	struct waiting_row *rows; /* that no segment has, by time */
	size_t n;
	char *text[SPOOL_FILES];
	bool readable[SPOOL_FILES]; /* the file is there, and what it must be */
	unsigned n_readable;
};

/* What cannot be read is reported, as is why the rest is unknown: then no file is readable. */
void waiting_read(struct verify *v, int stream, struct waiting *waiting);
void waiting_free(struct waiting *waiting);
