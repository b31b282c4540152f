/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables in which a column and its value are one line: a function makes a row of an item, cell by cell, with the
 * same names for every item.
 */
#pragma once

#include "analysis/common/table.h"

struct cells {
	struct table table;
	FILE *out;
	enum table_format format;
	struct table_column columns[TABLE_MAX_COLUMNS];
	struct table_value values[TABLE_MAX_COLUMNS];
	unsigned n;
	bool begun;  /* the columns are known */
	bool header; /* the next row is of no item: only its columns count */
	char text[1024];
	size_t used; /* by texts of the next row */
};

/* out NULL: for values that cells_find() takes, and no table */
void cells_begin(struct cells *cells, FILE *out, enum table_format format);
void cell(struct cells *cells, const char *name, enum table_type type, struct table_value value);
/* Room for a text, until the row is complete. */
char *cells_room(struct cells *cells, size_t size);
/* The row is complete. */
void cells_row(struct cells *cells);
/* Whether there was no row: that of an item which is all zero then makes the header. */
bool cells_none(struct cells *cells);
/* Of the next row; NULL: it has no such column. */
const struct table_value *cells_find(const struct cells *cells, const char *name);
/* As table_end(); without a row or a header, nothing is printed. */
int cells_end(struct cells *cells);
