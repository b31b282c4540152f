/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who wrote to a file last, and how many did since its pages went to the disk: the kernel's own
 * threads write them there, long after. A bounded table: where there is no place the file goes
 * whose last write is the longest ago.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct writers;

struct writer {
	uint32_t pid;
	char comm[16];
	unsigned
		count; /* processes since the last write-back, this one among them; 4 may be more */
};

enum { WRITERS_COUNTED = 4 };

/* files: how many are kept, rounded up to a power of two; NULL without memory */
struct writers *writers_open(unsigned files);
void writers_close(struct writers *writers);

/* The process wrote to the file. */
void writers_note(struct writers *writers, uint64_t ino, uint32_t dev, uint32_t pid,
		  const char comm[16]);

/* Whose data its dirty pages are; false when nobody's is known. */
bool writers_find(const struct writers *writers, uint64_t ino, uint32_t dev, struct writer *writer);

/* Pages of it go to the disk: counting starts again with the next one to write. */
void writers_written(struct writers *writers, uint64_t ino, uint32_t dev);
