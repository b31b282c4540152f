/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a whole file of rows amounts to: which of its rows are good, their
 * times, and how bad the worst of the rest is. Knows no manifest, prints nothing.
 */
#include "read/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
	const struct scan_options *options;
	struct scan *scan;
	struct rows_file file;
	int time; /* column; -1: the file has none */
	int mono;
	uint64_t high_ns;
};

static const struct read_column times[] = {
	{ .name = "timestamp", .kind = PARSE_TIME },
	{ .name = "mono_ns", .kind = PARSE_UINT },
};

__attribute__((format(printf, 3, 4))) static void trouble(struct scan *scan, enum scan_trouble kind,
							  const char *fmt, ...)
{
	va_list ap;

	/* the first of the worst: what follows damage is often only its consequence */
	if (kind <= scan->trouble)
		return;
	scan->trouble = kind;
	va_start(ap, fmt);
	vsnprintf(scan->why, sizeof(scan->why), fmt, ap);
	va_end(ap);
}

/* ---- rows ---- */

static void note_timestamp(struct scan *scan, const char *text)
{
	/* in this form the order of texts is that of times */
	if (!scan->rows || memcmp(text, scan->first, SCAN_TIME_SIZE - 1) < 0)
		memcpy(scan->first, text, SCAN_TIME_SIZE - 1);
	if (!scan->rows || memcmp(text, scan->last, SCAN_TIME_SIZE - 1) > 0)
		memcpy(scan->last, text, SCAN_TIME_SIZE - 1);
}

static void note_mono(struct scanner *s, uint64_t mono_ns)
{
	struct scan *scan = s->scan;

	if (!scan->rows || mono_ns < scan->first_ns)
		scan->first_ns = mono_ns;
	if (!scan->rows || mono_ns > scan->last_ns)
		scan->last_ns = mono_ns;
	if (mono_ns < s->high_ns)
		scan->disorder++;
	else
		s->high_ns = mono_ns;
}

static void take_row(struct scanner *s)
{
	const struct field *fields = s->file.fields;
	const struct field *when = s->time < 0 ? NULL : &fields[s->time];
	const struct field *mono = s->mono < 0 ? NULL : &fields[s->mono];

	if (when && when->len != SCAN_TIME_SIZE - 1) {
		trouble(s->scan, SCAN_DAMAGED,
			"row %" PRIu64 ": invalid timestamp (microseconds expected)", s->file.n);
		return;
	}
	/* JSON has no larger ones */
	if (mono && (!mono->known || mono->u > INT64_MAX)) {
		trouble(s->scan, SCAN_DAMAGED, "row %" PRIu64 ": invalid mono_ns", s->file.n);
		return;
	}
	if (when)
		note_timestamp(s->scan, when->text);
	if (mono)
		note_mono(s, mono->u);
	s->scan->rows++;
	if (s->scan->trouble == SCAN_OK)
		s->scan->good_bytes = s->file.text_end;
	if (s->options->row)
		s->options->row(s->options->arg, fields);
}

static int find_column(const struct rows_file *file, const char *name)
{
	for (unsigned i = 0; i < file->n_columns; i++)
		if (!strcmp(file->columns[i].name, name))
			return rows_file_has(file, i) ? (int)i : -1;
	return -1;
}

static void take_header(struct scanner *s)
{
	const char *header = s->options->header;
	size_t len = s->file.len;

	s->time = find_column(&s->file, "timestamp");
	s->mono = find_column(&s->file, "mono_ns");
	/* its line end is compared as well */
	if (header && (strlen(header) != len + 1 || memcmp(s->file.row, header, len + 1)))
		trouble(s->scan, SCAN_DAMAGED, "header row does not match the stream");
	else
		s->scan->good_bytes = s->file.text_end;
}

/* ---- the file ---- */

/* For the checksum of what cannot be read as rows. */
static int read_rest(struct source *source)
{
	char piece[4096];
	ssize_t n;

	do {
		n = source_read(source, piece, sizeof(piece));
	} while (n > 0);
	return (int)n;
}

static int scan_rows(struct scanner *s)
{
	int result = rows_file_header(&s->file);

	if (result == ROWS_ROW)
		take_header(s);
	while (result == ROWS_ROW && (result = rows_file_next(&s->file)) > 0) {
		if (result == ROWS_ROW)
			take_row(s);
		else
			trouble(s->scan, SCAN_DAMAGED, "%s", s->file.why);
		result = ROWS_ROW;
	}
	if (result < 0)
		return result;
	if (s->file.state == ROWS_CUT)
		trouble(s->scan, SCAN_CUT, "%s", s->file.why);
	else if (s->file.state == ROWS_DAMAGED)
		trouble(s->scan, SCAN_DAMAGED, "%s", s->file.why);
	return read_rest(&s->file.source);
}

int scan_file(int fd, const struct scan_options *options, struct scan *scan)
{
	struct scanner *s = calloc(1, sizeof(*s));
	struct sha256 *sum = sha256_new();
	bool all = options->columns != NULL;
	int err = s && sum ? 0 : -ENOMEM, sum_err;

	memset(scan, 0, sizeof(*scan));
	if (!err) {
		s->options = options;
		s->scan = scan;
		s->high_ns = options->high_ns;
		err = rows_file_open(&s->file, fd, options->packing, all ? options->columns : times,
				     all ? options->n_columns : 2, sum);
	}
	if (!err) {
		err = scan_rows(s);
		scan->bytes = s->file.source.bytes;
		scan->csv_bytes = s->file.text_bytes;
		rows_file_close(&s->file);
	}
	free(s);
	sum_err = sha256_final(sum, scan->sha256);
	return err ? err : sum_err;
}
