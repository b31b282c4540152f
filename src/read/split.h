/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of CSV into its fields. A row is a line: the writer escapes line ends
 * in texts, so that damage never reaches past the line it is in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	SPLIT_MAX_FIELDS = 256,
	SPLIT_PAD = 64, /* bytes behind the text that may be read, whatever they are */
};

struct split {
	uint32_t n; /* fields; more than SPLIT_MAX_FIELDS are only counted */
	/* offset behind each of them; a block of text more than fits is stored before it is seen */
	uint32_t end[SPLIT_MAX_FIELDS + SPLIT_PAD];
	const char *why; /* what is wrong with the row; NULL: nothing */
};

/*
 * The row at text, of at most left bytes. Returns its length without the line
 * end, or -1 when left has no line end.
 */
long split_row(const char *text, size_t left, struct split *split);

static inline uint32_t split_start(const struct split *split, unsigned field)
{
	return field ? split->end[field - 1] + 1 : 0;
}
