/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the jobs go, and what fio is to lay out for them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fio_plan {
	const char *out;  /* absolute, and so is the next: of plain characters alone */
	const char *into; /* the scratch directory */
	int out_fd;
	/* files begin in the page cache, as those of a program that runs for long */
	bool warm;
	/* jobs do not keep the pauses of the trace */
	bool no_wait;
	/* of profile.fio: so many jobs for each, and so many times the calls and bytes of each */
	unsigned jobs, scale;
	/* FIO_FORMAT or FIO_FORMAT_OLD */
	unsigned format;
};

/* What the jobs of layout.fio make: bytes that they write, holes are not counted. */
struct fio_laid {
	uint64_t files, bytes;
};
