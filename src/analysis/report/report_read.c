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

/* FACTORS: powers of two, for one row of so many that --budget left */
enum { MAX_SOURCES = 16, MAX_THREADS = 16, FACTORS = 24 };

struct job {
	const struct report *report;
	const struct row_filter *filter;
	struct read_query queries[MAX_SOURCES];
	const struct report_source *sources[MAX_SOURCES]; /* by query */
	unsigned n_queries;
	struct report_tally *tallies[MAX_THREADS][FACTORS]; /* NULL: no such row yet */
	bool no_memory;
};

/* ---- rows ---- */

/*
 * The power of two that a row counts as: one of the two around its weight, so that it is its weight on
 * average. By its time, which is as good as chance, and the same each time that the trace is read.
 */
static unsigned power_of(uint64_t weight, uint64_t ns)
{
	unsigned power = 63u - (unsigned)__builtin_clzll(weight | THINNING_ONE);
	uint64_t above = weight & ((1ull << power) - 1),
		 chance = (ns * 0x9e3779b97f4a7c15ull) >> 32;

	power += chance << power >> 32 < above;
	power -= 10; /* THINNING_ONE */
	return power < FACTORS ? power : FACTORS - 1;
}

/* Rows that stand for as many others are counted together, and for these when all are in. */
static struct report_tally *tally_of(struct job *job, unsigned thread, enum stream_id stream,
				     uint64_t ns)
{
	uint64_t weight = thinning_weight(&job->report->thinning, stream, ns);
	struct report_tally **at = &job->tallies[thread][power_of(weight, ns)];

	if (*at)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (*at)
		(*at)->joins_names = job->report->on[STREAM_cache];
	return *at;
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct job *job = arg;
	const struct report_source *source = job->sources[task->query - job->queries];
	uint64_t ns = f[REPORT_MONO].u;
	struct report_stream *stream;
	struct report_tally *tally;

	if (!report_chooses(job->report, job->filter, source->stream, f))
		return;
	tally = tally_of(job, task->thread, source->stream, ns);
	if (!tally) {
		__atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
		return;
	}
	stream = &tally->streams[source->stream];
	if (source->has_path &&
	    !row_filter_has_path(job->filter, f[REPORT_PATH].text, f[REPORT_PATH].len)) {
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
	struct report_tally *tally = tally_of(job, task->thread, task->query->stream, 0);

	if (tally)
		rows_seen_segment(&tally->streams[task->query->stream].seen, task, file);
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

static void join_tallies(struct report *r, struct job *job)
{
	for (unsigned i = 0; i < MAX_THREADS * FACTORS; i++) {
		struct report_tally *tally = job->tallies[i / FACTORS][i % FACTORS];

		if (!tally)
			continue;
		report_tally_scale(tally, i % FACTORS);
		report_tally_join(&r->tally, tally);
		report_tally_free(tally);
		free(tally);
	}
	r->tally.no_memory = r->tally.no_memory || job->no_memory;
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

	log_status("%s: reading", r->session.dir);
	err = read_parallel(&read, &totals);
	log_status("%s", "");
	join_tallies(r, job);
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
	err = row_filter_begin(filter, &r->wall, &r->from_ns, &r->to_ns);
	if (!err)
		err = check_rows(r);
	if (!err)
		err = thinning_read(&r->thinning, &r->session);
	if (!err) {
		choose_streams(r, job);
		err = read_rows(r, job);
	}
	if (!err)
		err = read_why(r, filter);
	free(job);
	r->has_files = !err && r->on[STREAM_fs];
	if (r->has_files)
		err = read_files(r, filter, &options);
	if (r->has_files && !err) {
		r->gaps[STREAM_fs].estimated = r->files.gaps.estimated;
		r->gaps[STREAM_fs].error_known = r->files.gaps.error_known;
		r->gaps[STREAM_fs].share_error = r->files.gaps.share_error;
		r->gaps[STREAM_fs].bytes_error = r->files.gaps.bytes_error;
	}
	return err;
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
	thinning_free(&r->thinning);
	read_session_close(&r->session);
}
