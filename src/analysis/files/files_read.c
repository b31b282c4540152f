/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the reading of a directory into models: each has its part of the files,
 * by their hash, and gets their rows in order, whatever the number of threads.
 */
#include "analysis/files/files_weight.h"
#include "analysis/files/files_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/files/files_batches.h"
#include "analysis/files/files_faults.h"
#include "analysis/files/files_followed.h"
#include "analysis/files/files_names.h"
#include "analysis/files/files_rows.h"
#include "analysis/files/files_tables.h"
#include "analysis/common/wall.h"
#include "base/clock.h"
#include "base/log.h"
#include "read/members.h"
#include "read/read_ordered.h"

/* What one model has been fed. */
struct fed {
	struct rows_seen seen;
	char pad[64]; /* a cache line for each */
};

struct job {
	struct files_reading *reading;
	const struct row_filter *filter;
	uint64_t from_ns, to_ns;
	struct fed fed[READ_MAX_SHARDS];
	uint64_t began_ns, shown_ns, all_bytes;
	uint64_t page_size;
	bool faults; /* they were recorded */
};

/* ---- rows ---- */

static bool is_chosen(const struct job *job, const struct files_row *row)
{
	const struct row_thread thread = {
		.pid_known = true,
		.pid = row->pid,
		.command = row->command.text,
		.len = row->command.len,
		.mono_ns = row->mono_ns,
	};

	return row->mono_ns >= job->from_ns && row->mono_ns < job->to_ns &&
	       row_filter_has_thread(job->filter, &thread) &&
	       row_filter_has_path(job->filter, row->path.text, row->path.len) &&
	       (row->op == FILES_FAULT ||
		row_filter_has_call(job->filter, row->op, row->effects, row->result));
}

static struct files_text container_of(const struct row_filter *filter, const struct files_row *row)
{
	const char *name = process_containers_find(filter->in, row->pid, row->mono_ns);

	return (struct files_text){ name, (uint32_t)strlen(name) };
}

static void follow_row(const struct job *job, struct files_row *row)
{
	files_follow_row(job->reading->follow, row);
	row->hash = files_row_hash(row);
}

static void add_row(const struct job *job, struct read_piece *piece, const struct files_row *row)
{
	struct files_row *item = read_ordered_add(piece,
						  files_shard(row->hash, job->reading->n_models));

	if (!item)
		return;
	*item = *row;
	if (job->reading->models[0].options.split == FILES_BY_CONTAINER)
		item->container = container_of(job->filter, row);
}

static void take_row(void *arg, struct read_piece *piece, const struct field *fields)
{
	const struct job *job = arg;
	struct files_row rows[FILES_MAX_ROWS];
	unsigned n = files_rows(fields, rows);

	for (unsigned i = 0; i < n; i++) {
		if (job->reading->follow)
			follow_row(job, &rows[i]);
		if (!is_chosen(job, &rows[i]))
			continue;
		rows[i].stands = thinning_weight(&job->reading->thinning, STREAM_fs,
						 rows[i].mono_ns);
		rows[i].faults = job->faults;
		add_row(job, piece, &rows[i]);
	}
}

static void take_fault(void *arg, struct read_piece *piece, const struct field *fields)
{
	const struct job *job = arg;
	struct files_row row;
	uint64_t weight;

	if (!files_fault_row(fields, job->page_size, &row))
		return;
	if (job->reading->follow)
		follow_row(job, &row);
	if (!is_chosen(job, &row))
		return;
	weight = thinning_weight(&job->reading->thinning, STREAM_pagefault, row.mono_ns);
	if (weight)
		row.size = row.size * weight / THINNING_ONE;
	add_row(job, piece, &row);
}

static void feed_row(void *arg, unsigned shard, const void *item)
{
	struct job *job = arg;
	struct fed *fed = &job->fed[shard];
	const struct files_row *row = item;

	if (row->op != FILES_FAULT)
		rows_seen_row(&fed->seen, row->mono_ns);
	fed->seen.rows -= row->second;
	files_batches_feed(job->reading, shard, row);
}

/* ---- progress ---- */

static void show_progress(void *arg, uint64_t rows, uint64_t bytes)
{
	struct job *job = arg;
	uint64_t now = mono_ns();
	double seconds = (double)(now - job->began_ns) / (double)NS_PER_S;

	if (now - job->shown_ns < NS_PER_S / 5)
		return;
	job->shown_ns = now;
	log_status("%s: %.1f of %.1f MB, %.0f rows/s, %.0f s left", job->reading->session.dir,
		   (double)bytes / 1e6, (double)job->all_bytes / 1e6, (double)rows / seconds,
		   bytes && bytes < job->all_bytes ?
			   seconds * (double)(job->all_bytes - bytes) / (double)bytes :
			   0.0);
}

/* ---- the directory ---- */

static int read_stream(struct job *job, const struct read_query *query,
		       void (*row)(void *arg, struct read_piece *piece, const struct field *fields),
		       struct rows_seen *seen)
{
	struct files_reading *r = job->reading;
	const struct read_stream *stream = &r->session.streams[query->stream];
	struct read_ordered read = {
		.session = &r->session,
		.query = query,
		.n_threads = r->n_models,
		.n_shards = r->n_models,
		.item_size = sizeof(struct files_row),
		.arg = job,
		.row = row,
		.item = feed_row,
		.progress = show_progress,
	};
	int err;

	job->all_bytes = 0;
	for (unsigned i = 0; i < stream->n_segments; i++)
		job->all_bytes += stream->segments[i].bytes;
	job->began_ns = job->shown_ns = mono_ns();
	err = read_ordered(&read, &seen->totals, &seen->columns);
	log_status("%s", "");
	return err;
}

/* Sums of faults do not depend on what calls did before: they come behind all of them. */
static int read_faults(struct job *job)
{
	struct read_column columns[LAYOUT_MAX_COLUMNS];
	struct read_query query = { .stream = STREAM_pagefault, .columns = columns };
	struct rows_seen seen = { .rows = 0 };
	int err;

	if (!job->faults)
		return 0;
	query.n_columns = files_fault_columns(columns);
	err = read_stream(job, &query, take_fault, &seen);
	job->reading->faults_gaps = rows_seen_gaps(&seen, &job->reading->session,
						   job->reading->host, &query,
						   files_fault_meanings);
	return err;
}

static int read_rows(struct files_reading *r, struct job *job)
{
	struct read_column columns[LAYOUT_MAX_COLUMNS];
	struct read_query query = { .stream = STREAM_fs, .columns = columns };
	struct rows_seen seen = { .rows = 0 };
	int err;

	job->page_size = read_session_page_size(&r->session);
	job->faults = r->session.streams[STREAM_pagefault].on;
	query.n_columns = files_columns(columns);
	err = read_stream(job, &query, take_row, &seen);
	for (unsigned i = 0; i < r->n_models; i++)
		rows_seen_join(&seen, &job->fed[i].seen);
	r->gaps = rows_seen_gaps(&seen, &r->session, r->host, &query, files_column_meanings);
	err = err ? err : read_faults(job);
	if (err)
		log_error("%s: %s", r->session.dir, strerror(-err));
	return err ? err : files_batches_end(r);
}

static int make_models(struct files_reading *r, const struct files_options *options)
{
	r->n_models = read_threads();
	if (r->n_models > READ_MAX_SHARDS)
		r->n_models = READ_MAX_SHARDS;
	r->models = calloc(r->n_models, sizeof(*r->models));
	for (unsigned i = 0; r->models && i < r->n_models; i++)
		r->models[i].options = *options;
	return r->models ? files_batches_open(r, options) : -ENOMEM;
}

/* ---- without rows ---- */

static uint64_t count_not_kept(struct files_reading *r)
{
	const json_t *item, *list = json_object_get(r->session.manifest, "not_kept");
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *name = member_text(item, "stream");

		if (name && !strcmp(name, streams[STREAM_fs].name))
			member_number(item, "rows", &r->gaps.not_kept);
	}
	return r->gaps.not_kept;
}

static int read_tables(struct files_reading *r, const struct row_filter *filter,
		       const struct files_options *options)
{
	const char *why = files_tables_refuse(filter, options);
	struct files_tables tables = { .n_bad = 0 };
	int err;

	if (why) {
		log_error("%s: its rows were not kept (--no-rows): %s", r->session.dir, why);
		return -EINVAL;
	}
	r->n_models = 1;
	err = files_tables_read(&tables, r->models, r->session.dir, filter);
	r->gaps.chosen = r->gaps.not_kept;
	r->gaps.first_ns = tables.first_ns;
	r->gaps.last_ns = tables.last_ns;
	r->gaps.totals.bad_rows = tables.n_bad;
	return err;
}

/* What sums over files may differ from those of all, when some stand for others. */
static void estimate(struct files_reading *r)
{
	struct files_estimate e = { .calls = 0 };

	r->gaps.estimated = thinning_is_on(&r->session);
	r->gaps.error_known = r->gaps.estimated && !r->n_levels;
	for (unsigned m = 0; m < r->n_models && r->gaps.error_known; m++)
		for (uint64_t i = 0; i < r->models[m].n_slots; i++) {
			const struct files_file *file = r->models[m].slots[i];

			for (const struct files_use *use = file ? file->uses : NULL; use;
			     use = use->next)
				files_estimate_add(&e, &use->cell);
		}
	r->gaps.share_error = files_estimate_share(&e);
	r->gaps.bytes_error = files_estimate_bytes(&e);
}

int files_reading_open(struct files_reading *r, const char *dir, const struct row_filter *filter,
		       const struct files_options *options)
{
	struct job job = { .reading = r, .filter = filter };
	struct wall wall;
	int err;

	memset(r, 0, sizeof(*r));
	err = read_session_open(&r->session, dir);
	if (err)
		return err;
	read_session_host(&r->session, r->host);
	r->gaps = (struct gaps){ .session = &r->session, .host = r->host, .stream = STREAM_fs };
	wall_make(&wall, &r->session);
	err = row_filter_begin(filter, &wall, &job.from_ns, &job.to_ns);
	if (!err && !r->session.streams[STREAM_fs].on) {
		log_error("%s: fs was not recorded there; record with -e fs", dir);
		err = -ENOENT;
	}
	if (!err)
		err = thinning_read(&r->thinning, &r->session);
	if (!err && options->identity)
		err = files_follow_open(&r->follow, &r->session);
	if (!err)
		err = make_models(r, options);
	if (err)
		return err;
	err = count_not_kept(r) ? read_tables(r, filter, options) : read_rows(r, &job);
	if (!err)
		estimate(r);
	return err;
}

void files_reading_close(struct files_reading *r)
{
	files_batches_close(r);
	files_follow_close(r->follow);
	r->follow = NULL;
	for (unsigned i = 0; r->models && i < r->n_models; i++)
		files_free(&r->models[i]);
	free(r->models);
	r->models = NULL;
	thinning_free(&r->thinning);
	read_session_close(&r->session);
}
