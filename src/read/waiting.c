/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the comparison of rows that waited with the segments of their stream. Rows leave their order
 * by time: those before the last row that was written are written or were given up, those after it
 * are not, and those of the same time are looked for. (A row that came too late for its place is
 * older, and never waited.)
 */
#include "read/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/search.h"
#include "read/segments.h"
#include "row/schema.h"

/* The last rows of a stream may have come late, all of them; so many do not. */
enum { LOOK_BACK_ROWS = 65536 };

/* ---- the files ---- */

static int read_text(const struct verify *v, const char *path, char *text, size_t len)
{
	int fd = segment_open(v->dir_fd, path);
	size_t at = 0;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	while (at < len && (n = read(fd, text + at, len - at)) > 0)
		at += (size_t)n;
	n = n < 0 ? -errno : at < len ? -EIO : 0;
	close(fd);
	return (int)n;
}

/*
 * Each line but the first is a row with mono_ns as its last value: the scan has seen them, unless
 * someone changed the file since. There is room for n.
 */
static void add_rows(struct waiting *w, size_t n, const char *text, size_t len)
{
	const char *at = memchr(text, '\n', len), *end = text + len, *lf, *comma;

	for (; at && n && (lf = memchr(at + 1, '\n', (size_t)(end - at - 1))); at = lf, n--) {
		comma = memrchr(at, ',', (size_t)(lf - at));
		if (!comma)
			return;
		w->rows[w->n] = (struct waiting_row){
			.mono_ns = strtoull(comma + 1, NULL, 10),
			.number = (unsigned)w->n,
			.text = at + 1,
			.len = (size_t)(lf - at),
		};
		w->n++;
	}
}

static int read_rows(const struct verify *v, const char *path, const struct scan *scan,
		     unsigned which, struct waiting *w)
{
	struct waiting_row *more = realloc(w->rows, (w->n + scan->rows) * sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	w->rows = more;
	w->text[which] = malloc(scan->good_bytes);
	if (!w->text[which])
		return -ENOMEM;
	err = read_text(v, path, w->text[which], scan->good_bytes);
	if (!err)
		add_rows(w, scan->rows, w->text[which], scan->good_bytes);
	return err;
}

static void read_file(struct verify *v, int stream, unsigned which, struct waiting *w)
{
	char path[SPOOL_PATH_SIZE];
	struct scan scan;
	struct stat st;
	int err;

	spool_path((enum stream_id)stream, which, path);
	err = below_stat(v->dir_fd, path, &st);
	if (err == -ENOENT)
		return;
	if (!err && st.st_size > SPOOL_FILE_MAX)
		err = -EFBIG;
	if (!err)
		err = verify_scan(v, path, 0, &scan);
	if (!err && scan.trouble == SCAN_DAMAGED) {
		verify_damage(v, "%s: left as it is: %s", path, scan.why);
		return;
	}
	if (!err && scan.rows)
		err = read_rows(v, path, &scan, which, w);
	if (err) {
		verify_damage(v, "%s: left as it is: %s", path, segment_why(err));
		return;
	}
	w->readable[which] = true;
	w->n_readable++;
}

static int by_time(const void *a, const void *b)
{
	const struct waiting_row *x = a, *y = b;

	if (x->mono_ns != y->mono_ns)
		return x->mono_ns < y->mono_ns ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* ---- the segments ---- */

static bool is_before(const void *waiting, uint64_t i, uint64_t mono_ns)
{
	return ((const struct waiting *)waiting)->rows[i].mono_ns < mono_ns;
}

/* The first row of this time, or of a later one. */
static size_t first_of(const struct waiting *w, uint64_t mono_ns)
{
	return search_first(w, 0, w->n, is_before, mono_ns);
}

/* A row of a segment is one of those that waited, of several alike. */
static void mark_written(struct waiting *w, uint64_t mono_ns, const char *text, size_t len)
{
	for (size_t i = first_of(w, mono_ns); i < w->n && w->rows[i].mono_ns == mono_ns; i++) {
		struct waiting_row *row = &w->rows[i];

		if (!row->is_written && row->len == len + 1 && !memcmp(row->text, text, len)) {
			row->is_written = true;
			return;
		}
	}
}

/* *until: the latest time of any row. Returns 0 or -errno. */
static int look_into(const struct verify *v, const char *path, struct waiting *w, uint64_t *until,
		     uint64_t *n_rows)
{
	static const struct read_column column = { .name = "mono_ns", .kind = PARSE_UINT };
	struct rows_file file;
	int fd = segment_open(v->dir_fd, path), result;

	if (fd < 0)
		return fd;
	result = rows_file_open(&file, fd, packing_of(path), &column, 1, NULL);
	while (!result && (result = rows_file_next(&file)) > 0) {
		uint64_t mono_ns = file.fields[0].u;

		if (result == ROWS_ROW && file.fields[0].known && mono_ns >= *until) {
			*until = mono_ns;
			mark_written(w, mono_ns, file.row, file.len);
		}
		result = 0;
	}
	*n_rows += file.n;
	rows_file_close(&file);
	close(fd);
	return result;
}

static int compare(const struct verify *v, int stream, struct waiting *w, uint64_t *until)
{
	uint64_t n_rows = 0;
	unsigned i;
	struct segment_file *files = segment_files(v->dir_fd, stream, &i);
	int err = 0;

	/* from the newest on: the last row that was written is in one of these */
	while (!err && n_rows < LOOK_BACK_ROWS && i-- > 0)
		if (files[i].kind == SEGMENT_CLOSED || files[i].kind == SEGMENT_PART)
			err = look_into(v, files[i].path, w, until, &n_rows);
	free(files);
	return err;
}

static void keep_missing(struct waiting *w, uint64_t until)
{
	size_t n = 0;

	for (size_t i = first_of(w, until); i < w->n; i++)
		if (w->rows[i].mono_ns > until || !w->rows[i].is_written)
			w->rows[n++] = w->rows[i];
	w->n = n;
}

void waiting_read(struct verify *v, int stream, struct waiting *w)
{
	uint64_t until = 0;
	int err;

	memset(w, 0, sizeof(*w));
	for (unsigned i = 0; i < SPOOL_FILES; i++)
		read_file(v, stream, i, w);
	if (!w->n)
		return;
	qsort(w->rows, w->n, sizeof(*w->rows), by_time);
	err = compare(v, stream, w, &until);
	if (!err) {
		keep_missing(w, until);
		return;
	}
	verify_damage(v, "%s: cannot tell which rows waited: %s", streams[stream].name,
		      segment_why(err));
	waiting_free(w);
}

void waiting_free(struct waiting *w)
{
	free(w->rows);
	for (unsigned i = 0; i < SPOOL_FILES; i++)
		free(w->text[i]);
	memset(w, 0, sizeof(*w));
}
