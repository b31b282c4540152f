/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the reading of rows as strictly as they are written: the number of
 * fields, quotes where they may be, no control byte, the time in front and
 * mono_ns behind. Knows no stream and no manifest, and prints nothing.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 128 * 1024, LINE_MAX_BYTES = 64 * 1024 * 1024, ANY_GZIP = 15 + 16 };

struct scanner {
	const struct scan_options *options;
	struct scan *scan;
	char *line; /* text that is not yet a whole line */
	size_t used;
	size_t size;
	uint64_t line_number; /* of lines that are whole */
	unsigned n_columns;
	bool has_time;
	bool has_mono;
	uint64_t high_ns;
	bool ended; /* of the compression */
};

__attribute__((format(printf, 3, 4))) static void trouble(struct scan *scan, enum scan_trouble kind,
							  const char *fmt, ...)
{
	va_list ap;

	if (kind <= scan->trouble)
		return;
	scan->trouble = kind;
	va_start(ap, fmt);
	vsnprintf(scan->why, sizeof(scan->why), fmt, ap);
	va_end(ap);
}

/* ---- a row ---- */

/* What is wrong with the quotes and bytes of a row, or NULL; *n_fields counts. */
static const char *fields_of(const char *row, size_t len, unsigned *n_fields)
{
	bool quoted = false, begins = true;

	*n_fields = 1;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = row[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return "a control byte";
		if (c == '"' && quoted && i + 1 < len && row[i + 1] == '"') {
			i++;
		} else if (c == '"' && quoted) {
			quoted = false;
			if (i + 1 < len && row[i + 1] != ',')
				return "text behind a quoted field";
		} else if (c == '"' && begins) {
			quoted = true;
		} else if (c == '"') {
			return "a quote inside a field that is not quoted";
		} else if (c == ',' && !quoted) {
			++*n_fields;
			begins = true;
			continue;
		}
		begins = false;
	}
	return quoted ? "a quoted field without an end" : NULL;
}

/* "YYYY-MM-DD HH:MM:SS.ffffff," */
static bool is_time(const char *row, size_t len)
{
	static const char form[SCAN_TIME_SIZE] = "0000-00-00 00:00:00.000000";

	if (len < SCAN_TIME_SIZE || row[SCAN_TIME_SIZE - 1] != ',')
		return false;
	for (int i = 0; i < SCAN_TIME_SIZE - 1; i++)
		if (form[i] == '0' ? row[i] < '0' || row[i] > '9' : row[i] != form[i])
			return false;
	return true;
}

/* The last field as a number; at most 19 digits, so that it cannot overflow. */
static bool last_number(const char *row, size_t len, uint64_t *value)
{
	size_t at = len;

	*value = 0;
	while (at && row[at - 1] != ',')
		at--;
	if (at == len || len - at > 19)
		return false;
	for (; at < len; at++) {
		if (row[at] < '0' || row[at] > '9')
			return false;
		*value = *value * 10 + (uint64_t)(row[at] - '0');
	}
	return true;
}

static void note_times(struct scanner *s, const char *row, uint64_t mono_ns)
{
	struct scan *scan = s->scan;

	/* in this form the order of texts is that of times */
	if (s->has_time && (!scan->rows || memcmp(row, scan->first, SCAN_TIME_SIZE - 1) < 0))
		memcpy(scan->first, row, SCAN_TIME_SIZE - 1);
	if (s->has_time && (!scan->rows || memcmp(row, scan->last, SCAN_TIME_SIZE - 1) > 0))
		memcpy(scan->last, row, SCAN_TIME_SIZE - 1);
	if (!s->has_mono)
		return;
	if (!scan->rows || mono_ns < scan->first_ns)
		scan->first_ns = mono_ns;
	if (!scan->rows || mono_ns > scan->last_ns)
		scan->last_ns = mono_ns;
	if (mono_ns < s->high_ns)
		scan->disorder++;
	else
		s->high_ns = mono_ns;
}

static const char *row_trouble(struct scanner *s, const char *row, size_t len, uint64_t *mono_ns)
{
	static char text[64];
	unsigned n;
	const char *why = fields_of(row, len, &n);

	if (why)
		return why;
	if (n != s->n_columns) {
		snprintf(text, sizeof(text), "%u fields instead of %u", n, s->n_columns);
		return text;
	}
	if (s->has_time && !is_time(row, len))
		return "its timestamp is none";
	if (s->has_mono && !last_number(row, len, mono_ns))
		return "its mono_ns is no number";
	return NULL;
}

static void take_row(struct scanner *s, const char *row, size_t len)
{
	uint64_t mono_ns = 0;
	const char *why = row_trouble(s, row, len, &mono_ns);

	if (why) {
		trouble(s->scan, SCAN_DAMAGED, "row %llu: %s",
			(unsigned long long)s->line_number - 1, why);
		return;
	}
	note_times(s, row, mono_ns);
	s->scan->rows++;
	if (s->options->row)
		s->options->row(s->options->arg, row, len);
}

/* ---- lines ---- */

static void take_header(struct scanner *s, const char *line, size_t len)
{
	static const char mono[] = ",mono_ns";
	const char *header = s->options->header;

	fields_of(line, len, &s->n_columns);
	s->has_time = len > 10 && !memcmp(line, "timestamp,", 10);
	s->has_mono = len > 8 && !memcmp(line + len - 8, mono, 8);
	/* its line end is compared as well */
	if (header && (strlen(header) != len + 1 || memcmp(line, header, len + 1)))
		trouble(s->scan, SCAN_DAMAGED, "its header row is not that of the stream");
}

static void take_line(struct scanner *s, const char *line, size_t len)
{
	s->line_number++;
	if (s->line_number == 1)
		take_header(s, line, len);
	else
		take_row(s, line, len);
	if (s->scan->trouble == SCAN_OK)
		s->scan->good_bytes += len + 1;
}

/* Room for a piece behind what waits. */
static int make_room(struct scanner *s)
{
	size_t size = s->size;
	char *line;

	while (size - s->used < PIECE)
		size = size ? size * 2 : 2 * PIECE;
	if (size == s->size)
		return 0;
	if (size > LINE_MAX_BYTES)
		return -EMSGSIZE;
	line = realloc(s->line, size);
	if (!line)
		return -ENOMEM;
	s->line = line;
	s->size = size;
	return 0;
}

static void take_lines(struct scanner *s)
{
	char *at = s->line, *end = s->line + s->used, *lf;

	while ((lf = memchr(at, '\n', (size_t)(end - at)))) {
		take_line(s, at, (size_t)(lf - at));
		at = lf + 1;
	}
	s->used = (size_t)(end - at);
	memmove(s->line, at, s->used);
}

/* ---- the file ---- */

/* At most a piece. A line without an end is damage, not a reason to take all memory. */
static int take_text(struct scanner *s, const void *text, size_t len)
{
	int err = make_room(s);

	s->scan->csv_bytes += len;
	if (err == -EMSGSIZE) {
		trouble(s->scan, SCAN_DAMAGED, "a row without an end");
		s->used = 0;
		err = make_room(s);
	}
	if (err)
		return err;
	memcpy(s->line + s->used, text, len);
	s->used += len;
	take_lines(s);
	return 0;
}

static int inflate_piece(struct scanner *s, z_stream *z, unsigned char *out)
{
	int err = 0, result = Z_OK;

	while (!err && !s->ended && s->scan->trouble != SCAN_DAMAGED) {
		z->next_out = out;
		z->avail_out = PIECE;
		result = inflate(z, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return -ENOMEM;
		err = take_text(s, out, PIECE - z->avail_out);
		s->ended = result == Z_STREAM_END;
		if (result == Z_BUF_ERROR || (result == Z_OK && z->avail_out))
			return err; /* wants more */
		if (result != Z_OK && result != Z_STREAM_END)
			trouble(s->scan, SCAN_DAMAGED,
				"its compressed bytes are damaged after row %llu",
				(unsigned long long)s->scan->rows);
	}
	if (s->ended && z->avail_in)
		trouble(s->scan, SCAN_DAMAGED, "more bytes behind the compressed ones");
	return err;
}

static ssize_t read_piece(int fd, void *buf, uint64_t at)
{
	ssize_t n;

	do {
		n = pread(fd, buf, PIECE, (off_t)at);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int scan_all(struct scanner *s, int fd, z_stream *z, struct sha256 *sum)
{
	unsigned char *in = malloc(2 * PIECE), *out = in + PIECE;
	ssize_t n = 0;
	int err = in ? 0 : -ENOMEM;

	while (!err && (n = read_piece(fd, in, s->scan->bytes)) > 0) {
		s->scan->bytes += (uint64_t)n;
		sha256_update(sum, in, (size_t)n);
		if (z) {
			z->next_in = in;
			z->avail_in = (uInt)n;
			err = inflate_piece(s, z, out);
		} else {
			err = take_text(s, in, (size_t)n);
		}
	}
	free(in);
	return err ? err : (int)n;
}

/* What is there when there is no more. */
static void judge_end(struct scanner *s)
{
	if (s->options->compressed && !s->ended)
		trouble(s->scan, SCAN_CUT, "its compressed bytes end in the middle, after row %llu",
			(unsigned long long)s->scan->rows);
	if (s->used)
		trouble(s->scan, SCAN_CUT, "its last row is not whole (%zu bytes behind row %llu)",
			s->used, (unsigned long long)s->scan->rows);
	if (!s->line_number)
		trouble(s->scan, SCAN_CUT, "not even its header row is there");
}

int scan_file(int fd, const struct scan_options *options, struct scan *scan)
{
	struct scanner s = { .options = options, .scan = scan, .high_ns = options->high_ns };
	struct sha256 *sum = sha256_new();
	z_stream z = { 0 };
	bool inflating = false;
	int err = sum ? 0 : -ENOMEM, sum_err;

	memset(scan, 0, sizeof(*scan));
	if (!err && options->compressed) {
		inflating = inflateInit2(&z, ANY_GZIP) == Z_OK;
		err = inflating ? 0 : -ENOMEM;
	}
	if (!err)
		err = scan_all(&s, fd, inflating ? &z : NULL, sum);
	if (!err)
		judge_end(&s);
	if (inflating)
		inflateEnd(&z);
	sum_err = sha256_final(sum, scan->sha256);
	free(s.line);
	return err ? err : sum_err;
}
