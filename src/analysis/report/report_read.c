/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the reading of a directory for a report: a tally for each thread, and one in the end. */
#include "analysis/report/report_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_batches.h"
#include "analysis/report/report_choice.h"
#include "analysis/report/report_columns.h"
#include "analysis/report/report_pages.h"
#include "analysis/report/report_fields.h"
#include "analysis/report/report_find_files.h"
#include "analysis/report/report_rows.h"
#include "analysis/why/why_read.h"
#include "base/log.h"
#include "read/read_parallel.h"

enum { MAX_SOURCES = 16, MAX_THREADS = 16 };

struct job {
	const struct report *report;
	const struct row_filter *filter;
	struct read_query queries[MAX_SOURCES];
	const struct report_source *sources[MAX_SOURCES]; /* by query */
	unsigned n_queries;
	struct report_tally tallies[MAX_THREADS];
};

/* ---- rows ---- */

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct job *job = arg;
	const struct report_source *source = job->sources[task->query - job->queries];
	struct report_tally *tally = &job->tallies[task->thread];
	struct report_stream *stream = &tally->streams[source->stream];
	uint64_t ns = f[REPORT_MONO].u;

	if (!report_chooses(job->report, job->filter, source->stream, f))
		return;
	if (!row_filter_has_path(job->filter, f[REPORT_PATH].text, f[REPORT_PATH].len)) {
		/* it may have another name when all rows are in */
		if (source->stream == STREAM_cache)
			report_cached_file(tally, f);
		return;
	}
	rows_seen_row(&stream->seen, ns);
	tally->open.segment = task->index;
	source->take(tally, source, f, report_over(tally, source->stream, ns));
}

static void end_segment(void *arg, const struct read_task *task, const struct rows_file *file)
{
	struct job *job = arg;

	rows_seen_segment(&job->tallies[task->thread].streams[task->query->stream].seen, task,
			  file);
}

/* ---- what the trace lacks ---- */

static void note_stream(struct report *r, const struct read_query *query)
{
	const struct rows_seen *seen = &r->tally.streams[query->stream].seen;

	r->gaps[query->stream] = rows_seen_gaps(seen, &r->session, r->host, query,
						report_column_meanings);
	if (seen->rows && (!r->rows || seen->first_ns < r->first_ns))
		r->first_ns = seen->first_ns;
	if (seen->last_ns > r->last_ns)
		r->last_ns = seen->last_ns;
	r->rows += seen->rows;
}

/* ---- the directory ---- */

static void choose_streams(struct report *r, struct job *job)
{
	for (unsigned i = 0; i < report_n_sources; i++) {
		const struct report_source *source = &report_sources[i];

		r->on[source->stream] = r->session.streams[source->stream].on &&
					(source->has_path || !job->filter->path);
		if (!r->on[source->stream])
			continue;
		job->sources[job->n_queries] = source;
		job->queries[job->n_queries++] =
			(struct read_query){ source->stream, source->columns, source->n_columns };
	}
}

static int read_rows(struct report *r, struct job *job)
{
	unsigned n = read_threads();
	struct read_parallel read = {
		.session = &r->session,
		.queries = job->queries,
		.n_queries = job->n_queries,
		.n_threads = n < MAX_THREADS ? n : MAX_THREADS,
		.arg = job,
		.row = take_row,
		.end = end_segment,
	};
	struct read_totals totals;
	int err;

	for (unsigned i = 0; i < MAX_THREADS; i++)
		job->tallies[i].joins_names = r->on[STREAM_cache];
	log_status("%s: reading", r->session.dir);
	err = read_parallel(&read, &totals);
	log_status("%s", "");
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		report_tally_join(&r->tally, &job->tallies[i]);
		report_tally_free(&job->tallies[i]);
	}
	report_join_pages(r, job->filter);
	for (unsigned i = 0; i < job->n_queries; i++)
		note_stream(r, &job->queries[i]);
	r->unreadable = totals.unreadable;
	if (!err && r->tally.no_memory)
		err = -ENOMEM;
	if (err)
		log_error("%s: %s", r->session.dir, strerror(-err));
	return err;
}

static int check_rows(const struct report *r)
{
	if (!json_array_size(json_object_get(r->session.manifest, "not_kept")))
		return 0;
	log_error("%s: its rows were not kept (--no-rows); what is known is in %s/summary/",
		  r->session.dir, r->session.dir);
	return -ENOENT;
}

/* What there is to say of its segments was said when they were read before. */
static int read_files(struct report *r, const struct row_filter *filter,
		      const struct files_options *options)
{
	enum log_level level = log_get_level();
	int err;

	if (level == LOG_NORMAL)
		log_set_level(LOG_QUIET);
	err = files_reading_open(&r->files, r->session.dir, filter, options);
	log_set_level(level);
	if (!err && level == LOG_NORMAL)
		files_batches_say(&r->files);
	return err;
}

/* In the order of time, which needs a reading of its own; gaps are those of the others. */
static int read_why(struct report *r, const struct row_filter *filter)
{
	enum log_level level = log_get_level();
	struct why_reading reading = { .host = "" };
	int err;

	if (!r->on[STREAM_fs] || !r->on[STREAM_sched])
		return 0;
	r->why.top = REPORT_MOST_SLOWEST;
	if (level == LOG_NORMAL)
		log_set_level(LOG_QUIET);
	err = why_reading_open(&reading, r->session.dir, filter, r->memory / 3, &r->why);
	read_session_close(&reading.session);
	log_set_level(level);
	if (!err)
		why_sort(&r->why);
	return err;
}

int report_open(struct report *r, const char *dir, const struct row_filter *filter)
{
	const struct files_options options = {
		.split = FILES_TOGETHER, /* tables of directories take as much */
		.memory = r->memory / 3
	};
	struct job *job = calloc(1, sizeof(*job));
	int err = job ? read_session_open(&r->session, dir) : -ENOMEM;

	if (err) {
		free(job);
		return err;
	}
	job->report = r;
	job->filter = filter;
	read_session_host(&r->session, r->host);
	wall_make(&r->wall, &r->session);
	err = row_filter_times(filter, &r->wall, &r->from_ns, &r->to_ns);
	if (!err)
		err = check_rows(r);
	if (!err) {
		choose_streams(r, job);
		err = read_rows(r, job);
	}
	if (!err)
		err = read_why(r, filter);
	free(job);
	r->has_files = !err && r->on[STREAM_fs];
	return r->has_files ? read_files(r, filter, &options) : err;
}

void report_close(struct report *r)
{
	files_runs_close(&r->by_name);
	if (r->has_files)
		files_reading_close(&r->files);
	r->has_files = false;
	report_free_files(r);
	why_free(&r->why);
	report_tally_free(&r->tally);
	read_session_close(&r->session);
}
