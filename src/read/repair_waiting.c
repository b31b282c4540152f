/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the segment that is made of rows that waited. It has its name when it is whole, and only then
 * the rows go from where they were: a repair that is killed can be done again.
 */
#include "read/repair_waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"
#include "base/log.h"
#include "read/members.h"
#include "read/waiting.h"

static void keep_later(struct segment_name *last, const struct segment_name *name)
{
	if (name->number > last->number)
		last->number = name->number;
	if (strcmp(name->when, last->when) > 0)
		memcpy(last->when, name->when, sizeof(last->when));
}

/* The highest number and the latest time of any segment that the stream has had. */
static void find_last(const struct verify *v, int stream, struct segment_name *last)
{
	unsigned n;
	struct segment_file *files = segment_files(v->dir_fd, stream, &n);
	struct segment_name name;
	uint64_t evicted;
	const char *file;
	json_t *unused;

	memset(last, 0, sizeof(*last));
	while (n-- > 0)
		keep_later(last, &files[n].name);
	free(files);
	json_object_foreach(v->listed, file, unused)
	{
		if (segment_stream(file) == stream && segment_name_parse(file, &name))
			keep_later(last, &name);
	}
	member_number(verify_stream(v, streams[stream].name), "evicted_segments", &evicted);
	last->number = evicted > last->number ? evicted : last->number;
}

/* Named by the time of its first row, but not before the others: who reads them by name has them in order. */
static void make_file(const struct verify *v, int stream, const struct waiting_row *first,
		      struct segment_file *file)
{
	const char *t = first->text; /* "2026-11-20 23:59:59.123456": a scan has seen it */
	char name[SEGMENT_NAME_MAX], when[sizeof(file->name.when)];
	struct segment_name last;

	find_last(v, stream, &last);
	snprintf(when, sizeof(when), "%.4s%.2s%.2s_%.2s%.2s%.2s_%.3s", t, t + 5, t + 8, t + 11,
		 t + 14, t + 17, t + 20);
	snprintf(name, sizeof(name), "%s_%s_%04llu.csv", streams[stream].name,
		 strcmp(when, last.when) > 0 ? when : last.when,
		 (unsigned long long)last.number + 1);
	segment_file_of(file, stream, name);
}

static int write_rows(int fd, enum stream_id stream, uint64_t omitted, const struct waiting *w)
{
	size_t len = schema_header(stream, omitted, NULL, 0), at;
	char *text;
	int err;

	for (size_t i = 0; i < w->n; i++)
		len += w->rows[i].len;
	text = malloc(len + 1);
	if (!text)
		return -ENOMEM;
	at = schema_header(stream, omitted, text, len + 1);
	for (size_t i = 0; i < w->n; at += w->rows[i++].len)
		memcpy(text + at, w->rows[i].text, w->rows[i].len);
	err = file_write_all(fd, text, len, NULL);
	if (!err && fdatasync(fd))
		err = -errno;
	free(text);
	return err;
}

static int make_segment(const struct verify *v, const struct waiting *w,
			const struct segment_file *file, struct scan *scan)
{
	char part[SPOOL_PATH_SIZE];
	int fd, err;

	/*
	 * the number after those of the tracer's files: verify knows what it is, readers pass
	 * it over
	 */
	spool_path((enum stream_id)file->stream, SPOOL_FILES, part);
	fd = below_create(v->dir_fd, part, O_WRONLY);
	if (fd < 0)
		return fd;
	err = write_rows(fd, (enum stream_id)file->stream, verify_omitted(v, file->stream), w);
	close(fd);
	if (!err)
		/* what was written is read back, since the waiting files go afterwards */
		err = verify_scan(v, part, 0, scan);
	if (!err && (scan->trouble != SCAN_OK || scan->rows != w->n))
		err = -EIO;
	if (!err && repair_exists(v, file->path))
		err = -EEXIST;
	if (!err)
		err = below_rename(v->dir_fd, part, file->path);
	if (err)
		below_unlink(v->dir_fd, part);
	else
		file_sync_dir(v->dir_fd, streams[file->stream].name);
	return err;
}

static bool publish(struct repair *r, int stream, const struct waiting *w)
{
	struct segment_file file;
	struct scan scan;
	int err;

	make_file(r->v, stream, &w->rows[0], &file);
	err = make_segment(r->v, w, &file, &scan);
	if (err) {
		verify_damage(r->v, "%s: cannot write its %zu rows that waited: %s", file.path,
			      w->n, strerror(-err));
		return false;
	}
	log_note("%s/%s: made of %zu rows that waited for their order", r->v->dir, file.path, w->n);
	repair_enter(r, &file, file.path, &scan);
	r->n_waiting += w->n;
	return true;
}

static void remove_files(struct repair *r, int stream, const struct waiting *w)
{
	char path[SPOOL_PATH_SIZE];

	for (unsigned i = 0; i <= SPOOL_FILES; i++) {
		spool_path((enum stream_id)stream, i, path);
		/* a file that cannot be read stays: somebody may still get rows out of it */
		if (i == SPOOL_FILES || w->readable[i])
			below_unlink(r->v->dir_fd, path);
	}
}

void repair_waiting(struct repair *r, int stream)
{
	struct waiting waiting;

	if (stream >= N_EVENT_STREAMS)
		return;
	waiting_read(r->v, stream, &waiting);
	if (!waiting.n || publish(r, stream, &waiting))
		remove_files(r, stream, &waiting);
	waiting_free(&waiting);
}
