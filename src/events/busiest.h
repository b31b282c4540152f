/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files most bytes were read from and written to, for the closing lines: no allocation, no
 * system call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/path.h"

struct busiest;

struct busy_file {
	const struct path *path; /* as long as the table lives */
	uint64_t read, written;  /* bytes */
	uint64_t more;           /* at most that many more or less: others shared its place */
};

/* NULL without memory. */
struct busiest *busiest_open(void);
void busiest_close(struct busiest *busiest);
void busiest_add(struct busiest *busiest, struct path *path, uint32_t mntns, bool write,
		 uint64_t bytes);
/* The first ones, by bytes, of at most max: returns how many. */
unsigned busiest_first(const struct busiest *busiest, struct busy_file *files, unsigned max);
