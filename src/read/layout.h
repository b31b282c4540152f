/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which columns of a file are wanted, where its header row has them, and a row
 * of it as their fields. Columns are found by name: those that nobody wants are
 * passed over, and those that the file lacks are not known in any row.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/split.h"
#include "read/words.h"
#include "row/parse.h"
#include "row/schema.h"

enum { LAYOUT_MAX_COLUMNS = 64, LAYOUT_WHY_SIZE = 160 };

struct read_column {
	const char *name;
	enum parse_kind kind;
	/*
	 * Of a text that is one of a list: its place there is the field's number,
	 * the length of the list when it is another. Ended by NULL; NULL: none.
	 */
	const char *const *words;
};

/*
 * Columns and their numbers, by one list: LIST(COLUMN) has COLUMN(number, name, kind) for each, and behind the kind
 * of a text that is one of a list .words = it.
 */
#define READ_COLUMN_NUMBER(number, ...) number,
#define READ_COLUMN_ROW(number, text, type, ...)                                                   \
	[number] = { .name = text, .kind = PARSE_##type, __VA_ARGS__ },
#define READ_COLUMNS(columns, n, LIST)                                                             \
	enum { LIST(READ_COLUMN_NUMBER) n };                                                       \
	static const struct read_column columns[n] = { LIST(READ_COLUMN_ROW) }

struct layout {
	const struct read_column *columns;
	unsigned n_columns;
	unsigned n_fields;              /* of each row of the file */
	int16_t at[LAYOUT_MAX_COLUMNS]; /* field of each column; -1: the file has none */
	int path_status;                /* field of that name; -1: there is none */
	struct parse_clock clock;
	struct words words[LAYOUT_MAX_COLUMNS];
	char why[LAYOUT_WHY_SIZE];
};

/* All columns of a stream, or, with names (ended by NULL), those: returns how many. */
unsigned layout_columns(enum stream_id stream, const char *const *names,
			struct read_column columns[LAYOUT_MAX_COLUMNS]);

/*
 * From a header row without its line end; columns stay the caller's. False, and why, when it
 * cannot be one. The header's text is not needed afterwards.
 */
bool layout_make(struct layout *layout, const struct read_column *columns, unsigned n_columns,
		 const char *header, size_t len, const struct split *split);

/*
 * The fields of a split row in the order of the columns. Texts point into the
 * row, or into scratch (as long as the row) when they were quoted or escaped.
 * False, and why, when the row is not what it must be.
 */
bool layout_row(struct layout *layout, const char *row, const struct split *split, char *scratch,
		struct field *fields);

/*
 * Whether the file has no such column, rather than no value in this row. A value that is
 * empty points at the comma or line end behind it, a missing column at an empty string.
 */
static inline bool layout_lacks(const struct field *field)
{
	return !field->len && !field->text[0];
}
