/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the buffer that a file goes through, and what counts as a row: a line
 * that ends. Memory is the same for every file, however long its rows are.
 */
#include "read/rows_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rows_file_open(struct rows_file *file, int fd, enum packing packing,
		   const struct read_column *columns, unsigned n_columns, struct sha256 *sum)
{
	int err;

	memset(file, 0, sizeof(*file));
	file->columns = columns;
	file->n_columns = n_columns;
	err = source_open(&file->source, fd, packing, sum);
	file->buf = err ? NULL : malloc(ROWS_FILE_BUFFER);
	file->scratch = file->buf ? malloc(ROWS_FILE_ROW_MAX) : NULL;
	if (file->scratch)
		return 0;
	rows_file_close(file);
	return -ENOMEM;
}

void rows_file_close(struct rows_file *file)
{
	source_close(&file->source);
	free(file->buf);
	free(file->scratch);
	file->buf = file->scratch = NULL;
}

__attribute__((format(printf, 2, 3))) static void set_why(struct rows_file *file, const char *fmt,
							  ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file->why, sizeof(file->why), fmt, ap);
	va_end(ap);
}

/* ---- text ---- */

/* More text behind what waits. Returns how much, 0 at the end, or -errno. */
static ssize_t more(struct rows_file *file)
{
	size_t left = file->end - file->start;
	ssize_t n;

	memmove(file->buf, file->buf + file->start, left);
	file->start = 0;
	file->end = left;
	n = source_read(&file->source, file->buf + left, ROWS_FILE_PIECE);
	if (n > 0) {
		file->end += (size_t)n;
		file->text_bytes += (uint64_t)n;
		/* what is behind may be looked at: never what is left of other text */
		memset(file->buf + file->end, 0, SPLIT_PAD);
	}
	return n;
}

/* The next line's length into *len; false at the end of the text, or with *err. */
static bool next_line(struct rows_file *file, size_t *len, int *err)
{
	for (;;) {
		size_t left = file->end - file->start;
		long n = split_row(file->buf + file->start, left, &file->split);
		ssize_t got;

		if (n >= 0) {
			*len = (size_t)n;
			return true;
		}
		if (left >= ROWS_FILE_ROW_MAX) {
			file->skipping = true;
			file->text_end += left;
			file->start = file->end;
		}
		got = more(file);
		if (got <= 0) {
			*err = (int)got;
			return false;
		}
	}
}

/* ---- the end ---- */

static int end_of_text(struct rows_file *file)
{
	unsigned long long n = file->has_header ? file->n : 0;
	size_t left = file->end - file->start;

	file->state = ROWS_CUT;
	switch (file->source.state) {
	case SOURCE_CUT:
		set_why(file, "compressed data truncated after row %llu", n);
		return ROWS_END;
	case SOURCE_DAMAGED:
		file->state = ROWS_DAMAGED;
		set_why(file, "compressed data corrupt after row %llu", n);
		return ROWS_END;
	case SOURCE_MORE:
		file->state = ROWS_DAMAGED;
		set_why(file, "trailing data after the compressed stream");
		return ROWS_END;
	default:
		break;
	}
	if (left || file->skipping)
		set_why(file, "last row incomplete (%zu bytes after row %llu)", left, n);
	else if (!file->has_header)
		set_why(file, "no header row");
	else
		file->state = ROWS_WHOLE;
	return ROWS_END;
}

/* ---- rows ---- */

/* A line, of which row and len are told. Returns ROWS_ROW, ROWS_END or -errno. */
static int take_line(struct rows_file *file)
{
	int err = 0;

	if (!next_line(file, &file->len, &err))
		return err ? err : end_of_text(file);
	file->row = file->buf + file->start;
	file->start += file->len + 1;
	file->text_end += file->len + 1;
	return ROWS_ROW;
}

/* The rest of a row that is too long: false while its end is not there. */
static bool end_skipping(struct rows_file *file, uint64_t *n_long)
{
	char *from = file->buf + file->start;
	char *lf = memchr(from, '\n', file->end - file->start);

	file->start = lf ? (size_t)(lf + 1 - file->buf) : file->end;
	file->skipping = !lf;
	*n_long += lf != NULL;
	return lf != NULL;
}

/* Gives the text up to the last line end away, and keeps the rest in the other buffer. */
static bool give_lines(struct rows_file *file, char **buf, size_t *start, size_t *len)
{
	size_t left = file->end - file->start;
	char *from = file->buf + file->start, *lf = left ? memrchr(from, '\n', left) : NULL;
	char *given = file->buf;

	if (!lf)
		return false;
	*start = file->start;
	*len = (size_t)(lf + 1 - from);
	left -= *len;
	memcpy(*buf, lf + 1, left);
	memset(*buf + left, 0, SPLIT_PAD);
	file->buf = *buf;
	file->start = 0;
	file->end = left;
	file->text_end += *len;
	*buf = given;
	return true;
}

int rows_file_lines(struct rows_file *file, char **buf, size_t *start, size_t *len,
		    uint64_t *n_long)
{
	bool ended = false;

	*n_long = *len = 0;
	for (;;) {
		size_t left = file->end - file->start;
		ssize_t got;

		if (file->skipping && left && end_skipping(file, n_long))
			continue;
		if (!file->skipping && (ended || left >= ROWS_FILE_PIECE) &&
		    give_lines(file, buf, start, len))
			return ROWS_ROW;
		if (!file->skipping && left >= ROWS_FILE_ROW_MAX)
			file->skipping = true;
		if (file->skipping)
			file->start = file->end;
		if (ended)
			return *n_long ? ROWS_ROW : ROWS_END;
		got = more(file);
		if (got < 0)
			return (int)got;
		ended = !got;
	}
}

void rows_file_end(struct rows_file *file, uint64_t n_rows)
{
	file->n = n_rows;
	end_of_text(file);
}

int rows_file_header(struct rows_file *file)
{
	int result = take_line(file);

	if (result != ROWS_ROW)
		return result;
	file->has_header = true;
	if (file->skipping)
		file->len = 0; /* there is no such header */
	if (layout_make(&file->layout, file->columns, file->n_columns, file->row, file->len,
			&file->split))
		return ROWS_ROW;
	file->state = ROWS_DAMAGED;
	set_why(file, "%s", file->layout.why);
	return ROWS_BAD;
}

int rows_file_next(struct rows_file *file)
{
	int result = file->has_header ? ROWS_ROW : rows_file_header(file);

	if (file->state != ROWS_GOING)
		return result == ROWS_BAD ? ROWS_BAD : ROWS_END;
	if (result == ROWS_ROW)
		result = take_line(file);
	if (result != ROWS_ROW)
		return result;
	file->n++;
	if (file->skipping || file->len > ROWS_FILE_ROW_MAX) {
		file->skipping = false;
		set_why(file, "row %llu: longer than %d bytes", (unsigned long long)file->n,
			ROWS_FILE_ROW_MAX);
	} else if (layout_row(&file->layout, file->row, &file->split, file->scratch,
			      file->fields)) {
		return ROWS_ROW;
	} else {
		set_why(file, "row %llu: %s", (unsigned long long)file->n, file->layout.why);
	}
	file->n_bad++;
	return ROWS_BAD;
}
