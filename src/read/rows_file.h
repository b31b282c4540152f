/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of rows, closed or still open, plain or compressed, read once: row by
 * row as the fields that are wanted. What cannot be read is reported with the number
 * of its row (the first below the header is 1), and never guessed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/layout.h"
#include "read/source.h"

enum {
	ROWS_FILE_ROW_MAX = 1024 * 1024, /* bytes; the writer's longest are a tenth */
	ROWS_FILE_PIECE = 256 * 1024,    /* bytes that are read at once */
	ROWS_FILE_BUFFER = ROWS_FILE_ROW_MAX + ROWS_FILE_PIECE + SPLIT_PAD,
};

enum rows_result {
	ROWS_END,
	ROWS_ROW, /* its fields are there */
	ROWS_BAD, /* a row, or the header, that is not what it must be; why says it */
};

enum rows_state {
	ROWS_GOING,
	ROWS_WHOLE,
	ROWS_CUT,     /* only the end is missing: of the last row, or of the compressed bytes */
	ROWS_DAMAGED, /* nothing behind this point can be read */
};

struct rows_file {
	struct source source;
	struct layout layout;
	struct split split;
	struct field fields[LAYOUT_MAX_COLUMNS]; /* of the row, in the order of the columns */
	const char *row;                         /* its text, and its length */
	size_t len;
	uint64_t n; /* its number */
	uint64_t n_bad;
	uint64_t text_end; /* of the text, behind the last row that was looked at */
	uint64_t text_bytes;
	enum rows_state state;
	char why[LAYOUT_WHY_SIZE + 32]; /* "row 12: …"; of a cut file as well */

	const struct read_column *columns;
	unsigned n_columns;
	bool has_header;
	bool skipping; /* the rest of a row that is too long */
	char *buf;
	size_t start;
	size_t end;
	char *scratch;
};

/*
 * columns stay the caller's, and so does fd. sum: of the file's bytes, or NULL.
 * Returns 0 or -ENOMEM. The zeroed file is closed, and may be closed again.
 */
int rows_file_open(struct rows_file *file, int fd, enum packing packing,
		   const struct read_column *columns, unsigned n_columns, struct sha256 *sum);
void rows_file_close(struct rows_file *file);

/*
 * The next row; returns enum rows_result, or -errno when the file cannot be
 * read. Its header is read by the first call, or before it by rows_file_header,
 * which leaves its text in row.
 */
int rows_file_header(struct rows_file *file);
int rows_file_next(struct rows_file *file);

/*
 * Instead of rows_file_next, for who splits the text elsewhere: whole lines, at *start in
 * *buf, which is exchanged for the file's own (ROWS_FILE_BUFFER bytes). Returns ROWS_ROW,
 * with *n_long rows before them that were too long, ROWS_END, or -errno; rows_file_end, which
 * is given the number of all rows, then judges the end. *len may be 0 where only rows that
 * were too long are counted.
 */
int rows_file_lines(struct rows_file *file, char **buf, size_t *start, size_t *len,
		    uint64_t *n_long);
void rows_file_end(struct rows_file *file, uint64_t n_rows);

/* Whether the file has the column, once its header was read. */
static inline bool rows_file_has(const struct rows_file *file, unsigned column)
{
	return file->layout.at[column] >= 0;
}
