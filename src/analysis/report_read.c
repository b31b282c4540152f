/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the reading of a directory for a report: a tally for each thread, and one in the end. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report_rows.h"
#include "base/log.h"
#include "plan/filter.h"
#include "read/read_parallel.h"

enum { MAX_SOURCES = 16, MAX_THREADS = 16 };

struct job {
	const struct report *report;
	const struct files_filter *filter;
	struct read_wish wishes[MAX_SOURCES];
	const struct report_source *sources[MAX_SOURCES]; /* by wish */
	unsigned n_wishes;
	struct report_tally tallies[MAX_THREADS];
};

/* ---- rows ---- */

static bool is_listed(const struct files_filter *filter, const struct field *f)
{
	const struct field *command = &f[REPORT_COMMAND];
	bool found = !filter->n_pids;

	for (unsigned i = 0; i < filter->n_pids && !found; i++)
		found = f[REPORT_PID].known && filter->pids[i] == f[REPORT_PID].u;
	if (!found || !filter->n_commands)
		return found;
	for (unsigned i = 0; i < filter->n_commands; i++)
		if (strlen(filter->commands[i]) == command->len &&
		    !memcmp(filter->commands[i], command->text, command->len))
			return true;
	return false;
}

static bool has_path(const struct files_filter *filter, const struct field *f)
{
	char path[4096 * 2];

	if (!filter->path)
		return true;
	if (f[REPORT_PATH].len >= sizeof(path))
		return false;
	memcpy(path, f[REPORT_PATH].text, f[REPORT_PATH].len);
	path[f[REPORT_PATH].len] = '\0';
	return filter_glob(filter->path, path);
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct job *job = arg;
	const struct report_source *source = job->sources[task->wish - job->wishes];
	struct report_tally *tally = &job->tallies[task->thread];
	struct report_stream *stream = &tally->streams[source->stream];
	uint64_t ns = f[REPORT_MONO].u;

	if (!f[REPORT_MONO].known || ns < job->report->from_ns || ns >= job->report->to_ns ||
	    !is_listed(job->filter, f) || !has_path(job->filter, f))
		return;
	if (!stream->rows || ns < stream->first_ns)
		stream->first_ns = ns;
	if (ns > stream->last_ns)
		stream->last_ns = ns;
	stream->rows++;
	source->take(tally, source, f, report_over(tally, source->stream, ns));
}

static void end_segment(void *arg, const struct read_task *task, const struct rows_file *file)
{
	struct job *job = arg;
	const struct read_wish *wish = task->wish;
	struct report_stream *stream = &job->tallies[task->thread].streams[wish->stream];

	stream->damaged += file->n_bad;
	stream->read += file->n - file->n_bad;
	stream->unreadable += file->state == ROWS_DAMAGED;
	for (unsigned i = 0; i < wish->n_columns && file->n; i++)
		if (wish->columns[i].name[0] && !rows_file_has(file, i))
			stream->columns |= 1ull << i;
}

/* ---- what the trace lacks ---- */

static void note_stream(struct report *r, const struct report_source *source)
{
	const struct report_stream *stream = &r->tally.streams[source->stream];
	struct lacks *lacks = &r->lacks[source->stream];

	*lacks =
		(struct lacks){ .session = &r->session, .host = r->host, .stream = source->stream };
	lacks->totals.rows = stream->read;
	lacks->totals.bad_rows = stream->damaged;
	lacks->totals.unreadable = stream->unreadable;
	lacks->chosen = stream->rows;
	lacks->first_ns = stream->first_ns;
	lacks->last_ns = stream->last_ns;
	for (unsigned i = 0; i < source->n_columns; i++) {
		const char *name = source->columns[i].name;

		if (!(stream->columns & 1ull << i))
			continue;
		lacks->columns[lacks->n_columns] = name;
		lacks->meaning[lacks->n_columns++] = report_column_meaning(name);
	}
	if (stream->rows && (!r->rows || stream->first_ns < r->first_ns))
		r->first_ns = stream->first_ns;
	if (stream->last_ns > r->last_ns)
		r->last_ns = stream->last_ns;
	r->rows += stream->rows;
}

/* ---- the directory ---- */

static void set_host(struct report *r)
{
	const struct read_session *s = &r->session;

	if (s->host && s->machine_id)
		snprintf(r->host, sizeof(r->host), "%.64s %.64s", s->host, s->machine_id);
	else
		snprintf(r->host, sizeof(r->host), "%.150s", s->host ? s->host : s->dir);
}

static int set_time(const struct wall *wall, const char *option, const char *text, uint64_t *ns)
{
	const char *why;

	if (!text || wall_parse(wall, text, ns, &why))
		return 0;
	log_error("%s: --%s %s: %s", wall->session->dir, option, text, why);
	return -EINVAL;
}

static void choose_streams(struct report *r, struct job *job)
{
	for (unsigned i = 0; i < report_n_sources; i++) {
		const struct report_source *source = &report_sources[i];

		r->on[source->stream] = r->session.streams[source->stream].on &&
					(source->has_path || !job->filter->path);
		if (!r->on[source->stream])
			continue;
		job->sources[job->n_wishes] = source;
		job->wishes[job->n_wishes++] = (struct read_wish){ source->stream, source->columns,
								   source->n_columns };
	}
}

static int read_rows(struct report *r, struct job *job)
{
	unsigned n = read_threads();
	struct read_parallel read = {
		.session = &r->session,
		.wishes = job->wishes,
		.n_wishes = job->n_wishes,
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
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		report_tally_join(&r->tally, &job->tallies[i]);
		report_tally_free(&job->tallies[i]);
	}
	for (unsigned i = 0; i < job->n_wishes; i++)
		note_stream(r, job->sources[i]);
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
static int read_files(struct report *r, const struct files_filter *filter,
		      const struct files_options *options)
{
	enum log_level level = log_get_level();
	int err;

	if (level == LOG_NORMAL)
		log_set_level(LOG_QUIET);
	err = files_reading_open(&r->files, r->session.dir, filter, options);
	log_set_level(level);
	return err;
}

int report_open(struct report *r, const char *dir, const struct files_filter *filter)
{
	const struct files_options options = { .split = FILES_TOGETHER };
	struct job *job = calloc(1, sizeof(*job));
	int err = job ? read_session_open(&r->session, dir) : -ENOMEM;

	if (err) {
		free(job);
		return err;
	}
	job->report = r;
	job->filter = filter;
	r->to_ns = UINT64_MAX;
	set_host(r);
	wall_make(&r->wall, &r->session);
	err = set_time(&r->wall, "from", filter->from, &r->from_ns);
	if (!err)
		err = set_time(&r->wall, "to", filter->to, &r->to_ns);
	if (!err)
		err = check_rows(r);
	if (!err) {
		choose_streams(r, job);
		err = read_rows(r, job);
	}
	free(job);
	r->has_files = !err && r->on[STREAM_fs];
	return r->has_files ? read_files(r, filter, &options) : err;
}

void report_close(struct report *r)
{
	if (r->has_files)
		files_reading_close(&r->files);
	r->has_files = false;
	report_tally_free(&r->tally);
	read_session_close(&r->session);
}
