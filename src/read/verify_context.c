/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the messages of verify, and the reading of one file for it. */
#include "read/verify_context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "read/members.h"
#include "read/segments.h"
#include "row/columns.h"
#include "row/schema.h"

enum { HEADER_SIZE = 4096 };

/* ---- messages ---- */

static void print_error(const struct verify *v, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	log_error("%s/%s", v->dir, text);
}

void verify_damage(struct verify *v, const char *fmt, ...)
{
	va_list ap;

	v->n_damages++;
	va_start(ap, fmt);
	print_error(v, fmt, ap);
	va_end(ap);
}

void verify_unfinished(struct verify *v, const char *fmt, ...)
{
	va_list ap;

	v->n_unfinished++;
	va_start(ap, fmt);
	print_error(v, fmt, ap);
	va_end(ap);
}

void verify_print(const struct verify *v, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (log_get_level() == LOG_QUIET)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	plain_printf(stdout, "%s: %s", v->dir, text);
	putchar('\n');
}

/* ---- what is there ---- */

json_t *verify_stream(const struct verify *v, const char *name)
{
	return member_named(json_object_get(v->manifest, "streams"), name);
}

uint64_t verify_omitted(const struct verify *v, int stream)
{
	return columns_omitted((enum stream_id)stream,
			       json_object_get(verify_stream(v, streams[stream].name), "columns"));
}

bool verify_has_segments(const struct verify *v)
{
	bool found = false;

	for (int i = 0; i < N_STREAMS && !found; i++) {
		unsigned n;
		struct segment_file *files = segment_files(v->dir_fd, i, &n);

		for (unsigned at = 0; at < n; at++)
			found = found || files[at].kind != SEGMENT_OTHER;
		free(files);
	}
	return found;
}

json_t *verify_read_json(const struct verify *v, const char *name, json_error_t *error, int *err)
{
	int fd = openat(v->dir_fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*err = fd < 0 ? -errno : 0;
	return fd < 0 ? NULL : members_of_file(fd, error);
}

/* ---- one file ---- */

struct count_lost {
	json_t *lost;
	int stream, reason, count; /* columns */
};

static int find_column(const struct read_column *columns, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(columns[i].name, name))
			return (int)i;
	return 0;
}

/* Of all files of stream lost: their sums are held against the manifest's in the end. */
static void add_lost(void *arg, const struct field *fields)
{
	const struct count_lost *to = arg;
	const struct field *stream = &fields[to->stream], *reason = &fields[to->reason];
	char key[256];
	uint64_t before;

	snprintf(key, sizeof(key), "%.*s %.*s", (int)stream->len, stream->text, (int)reason->len,
		 reason->text);
	member_number(to->lost, key, &before);
	json_object_set_new(to->lost, key,
			    json_integer((json_int_t)(before + fields[to->count].u)));
}

int verify_scan_as(const struct verify *v, const char *file, int stream, uint64_t high_ns,
		   struct scan *scan)
{
	struct scan_options options = { .packing = packing_of(file), .high_ns = high_ns };
	struct read_column columns[LAYOUT_MAX_COLUMNS];
	struct count_lost lost = { .lost = v->lost };
	char header[HEADER_SIZE];
	int fd = segment_open(v->dir_fd, file);
	int err;

	if (fd < 0)
		return fd;
	if (stream >= 0) {
		schema_header((enum stream_id)stream, verify_omitted(v, stream), header,
			      sizeof(header));
		options.header = header;
		options.n_columns = layout_columns((enum stream_id)stream, NULL, columns);
		options.columns = columns;
	}
	if (stream == STREAM_lost) {
		lost.stream = find_column(columns, options.n_columns, "stream");
		lost.reason = find_column(columns, options.n_columns, "reason");
		lost.count = find_column(columns, options.n_columns, "count");
		options.row = add_lost;
		options.arg = &lost;
	}
	err = scan_file(fd, &options, scan);
	close(fd);
	return err;
}

int verify_scan(const struct verify *v, const char *file, uint64_t high_ns, struct scan *scan)
{
	return verify_scan_as(v, file, segment_stream(file), high_ns, scan);
}

void verify_count(struct verify *v, const struct scan *scan)
{
	v->n_segments++;
	v->n_rows += scan->rows;
	v->n_bytes += scan->bytes;
}
