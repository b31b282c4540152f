/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer files`: its command line, and the way from directories to a table. */
#include "analysis/files/files_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_batches.h"
#include "analysis/files/files_draw.h"
#include "analysis/files/files_followed.h"
#include "analysis/files/files_read.h"
#include "analysis/files/files_sort.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"

struct files_arguments {
	struct reader reader;
	struct files_view view;
	struct files_options model;
	enum files_by by;
	unsigned depth;
	bool all, histograms, errors, host_paths, names;
	const char *draw;                    /* pattern of paths */
	const struct files_follow **follows; /* of each reading */
	struct files_source *sources;
	const struct read_session **sessions;
	struct files_answer answer;
	struct files_runs runs;
};

/* ---- options ---- */

#define TO(kind, member) OPTION_TO(kind, struct files_arguments, member)
#define AT(parser, member) .parse = parser, .target = offsetof(struct files_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	READER_FORMAT_ROWS,
	{ .name = "histograms", .common = true, .section = OPTIONS_MAIN, TO(flag, histograms),
	  .help = "sizes, runs, sync gaps and latencies as histograms" },
	{ .name = "errors", .common = true, .section = OPTIONS_MAIN, TO(flag, errors),
	  .help = "failed calls by system call and error",
	  .more = "For every path, whether it was ever opened or not." },
	{ .name = "hist", .argument = "GLOB", .common = true, .section = OPTIONS_MAIN, TO(text, draw),
	  .help = "draw the histograms of these files" },
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN, AT(option_word, by), .words = files_by_names,
	  .help = "add up by dir, ext, comm, pid, container ...",
	  .more = "dir, ext, comm, pid, container, mntns, device, host, identity. By `identity`, a file is followed through renames, and through "
		  "replacement by a new file that gets its name. By `dir`, every directory above a file includes it. Default: `file`, one row for each. "
		  "`file,comm`, `file,pid` and `file,container` have a row for each file and program, process or container that used it." },
	{ .name = "names", .section = OPTIONS_MAIN, TO(flag, names),
	  .help = "all names of the files that were renamed",
	  .more = "A row for each name of each file, as `--by identity` has them, and since when the file had it (empty: before "
		  "its first rename)." },
	{ .name = "depth", .argument = "N", .section = OPTIONS_MAIN, TO(depth, depth),
	  .help = "with --by dir: levels below / (0: all)" },
	{ .name = "interval", .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  AT(option_interval, model.interval_ns),
	  .help = "one row per interval (e.g. 1s), with its start",
	  .more = "In the order of time, and all of them, unless `--sort` or `--top` say otherwise. A call belongs to the interval in which it was entered, a run to that of its last call." },
	{ .name = "sort", .argument = "COLUMN", .common = true, .section = OPTIONS_MAIN,
	  TO(text, view.sort),
	  .help = "sort by this column of --csv (bytes)",
	  .more = "`time`: the first interval first. Numbers from the highest, names from the lowest. `bytes`: read and written together." },
	READER_TOP_ROW("rows (20 as text, else all; 0: all)"),
	{ .name = "wall", .section = OPTIONS_MAIN, TO(flag, view.wall),
	  .help = "times as local time, not CLOCK_MONOTONIC" },
	READER_OUTPUT_ROW,
	READER_PROCESS_ROWS,
	READER_PATH_ROW("these files", ""),
	READER_TIME_ROWS("calls entered"),
	READER_MEMORY_ROW,
	{ .name = "all", .common = true, .section = OPTIONS_ROWS, TO(flag, all),
	  .help = "also directories, files without a name or never used" },
	{ .name = "host-paths", .section = OPTIONS_ROWS, TO(flag, host_paths),
	  .help = "beside a container's path, where it is on the host",
	  .more = "Column `host_path`: below the upper directory of the container's overlay, where what it writes is, or below the directory "
		  "that is mounted there. Empty for files of the host. A file of the image that was never written to is in a lower directory." },
	READER_LAST_ROWS,
};
/* clang-format on */

const struct command command_files = {
	.name = "files",
	.summary =
		"shows how each file was used: calls, bytes, latencies, syncs, sequential access",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer files ~/trace --by dir --depth 2",
	.next = "iotracer files DIR --hist PATH, or --errors; iotracer amp DIR",
	.options = rows,
	.run = files_command,
};

static int complete(struct reader *reader)
{
	struct files_arguments *o = (struct files_arguments *)reader;
	const bool exact = reader->format != TABLE_TEXT;

	if (o->histograms + o->errors + o->names + (o->draw != NULL) > 1)
		return reader_refuse(
			"--histograms, --errors, --names and --hist exclude each other");
	if (o->names && o->by != FILES_BY_FILE && o->by != FILES_BY_IDENTITY)
		return reader_refuse("--names goes with --by identity alone");
	if (o->draw && exact)
		return reader_refuse(
			"--hist draws for people: use --histograms with --csv and --json");
	o->view.format = reader->format;
	o->view.table = o->histograms ? FILES_HISTOGRAMS : o->errors ? FILES_ERRORS : FILES_SUMS;
	o->view.interval_ns = o->model.interval_ns;
	o->view.hosts = reader->n_dirs > 1;
	o->view.top = reader->has_top                            ? reader->top :
		      exact || o->errors || o->model.interval_ns ? 0 :
								   READER_TOP;
	o->model.split = files_by_split(o->by);
	if (o->names)
		o->by = FILES_BY_IDENTITY;
	o->model.identity = o->by == FILES_BY_IDENTITY;
	if (o->model.split == FILES_BY_CONTAINER)
		reader_wants_containers(reader);
	/* sums of directories take as much as the files */
	o->model.memory = reader->memory / (o->by == FILES_BY_DIR ? 2 : 1);
	if (o->errors && !exact && !o->view.sort)
		o->view.sort = "errors";
	/* a series of numbers is read in its order */
	if (o->model.interval_ns && !o->view.sort)
		o->view.sort = "time";
	if (o->draw && reader->filter.path)
		return reader_refuse("--hist and --path exclude each other");
	if (o->draw)
		reader->filter.path = o->draw;
	o->answer = (struct files_answer){ .by = o->by };
	if (o->view.sort && !files_print_sorts_by(&o->answer, &o->view, o->view.sort)) {
		log_error("--sort: unknown column '%s'; `iotracer files DIR --csv` has them all",
			  o->view.sort);
		return OPTIONS_WRONG;
	}
	o->answer.depth = o->depth;
	o->answer.all = o->all;
	o->answer.failures = o->errors;
	o->answer.plain = !o->histograms && !o->draw;
	o->runs.column = o->view.sort;
	o->runs.top = o->view.top;
	return OPTIONS_OK;
}

/* ---- the answer ---- */

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	return files_reading_open(reading, dir, &reader->filter,
				  &((struct files_arguments *)reader)->model);
}

/* What the tables of a summary do not have cannot be added up. */
static bool tables_suffice(const struct files_arguments *o)
{
	const struct files_reading *readings = o->reader.readings;

	for (unsigned i = 0; i < o->reader.n; i++) {
		const char *dir = readings[i].session.dir;

		if (!readings[i].gaps.not_kept)
			continue;
		if (o->by != FILES_BY_FILE)
			log_error(
				"%s: its rows were not kept (--no-rows): --by file alone is known",
				dir);
		else if (!files_hosts_differ(o->sources, o->reader.n))
			log_error(
				"%s: its rows were not kept (--no-rows): cannot be added to another "
				"trace of its host; ask for one at a time",
				dir);
		else
			continue;
		return false;
	}
	return true;
}

static int make_answer(struct reader *reader)
{
	struct files_arguments *o = (struct files_arguments *)reader;
	struct files_reading *r = reader->readings;
	int err = -ENOMEM;

	o->sources = calloc(reader->n, sizeof(*o->sources));
	o->sessions = calloc(reader->n, sizeof(*o->sessions));
	for (unsigned i = 0; o->sources && o->sessions && i < reader->n; i++) {
		o->sources[i] = (struct files_source){ r[i].host, r[i].models, r[i].n_models };
		o->sessions[i] = &r[i].session;
	}
	if (o->model.identity) {
		o->follows = calloc(reader->n, sizeof(*o->follows));
		if (!o->follows)
			return -ENOMEM;
		for (unsigned i = 0; i < reader->n; i++)
			o->follows[i] = r[i].follow;
		o->view.follows = o->follows;
	}
	if (o->host_paths)
		o->view.host_paths = calloc(reader->n, sizeof(*o->view.host_paths));
	if (o->host_paths && !o->view.host_paths)
		return -ENOMEM;
	for (unsigned i = 0; o->view.host_paths && i < reader->n; i++)
		host_paths_read(&o->view.host_paths[i], &r[i].session);
	if (o->sources && o->sessions && !tables_suffice(o))
		return -EINVAL;
	if (o->sources && o->sessions)
		err = files_batches_answer(&o->answer, &o->runs, o->sources, r, reader->n);
	if (err)
		log_error("%s", strerror(-err));
	return err;
}

static void print_head(const struct reader *reader, FILE *out)
{
	/* "file" of --by, in the plural */
	static const char *const titles[] = {
		[FILES_SUMS] = "files", [FILES_HISTOGRAMS] = "histograms", [FILES_ERRORS] = "errors"
	};
	const struct files_arguments *o = (const struct files_arguments *)reader;

	fprintf(out, "\"by\": \"%s\",\n  \"%s\": ", files_by_names[o->by],
		o->names ? "names" : titles[o->view.table]);
}

static int print_names(const struct files_arguments *o, FILE *out)
{
	const struct files_reading *r = o->reader.readings;
	const char **hosts = calloc(o->reader.n, sizeof(*hosts));
	int err;

	if (!hosts)
		return -ENOMEM;
	for (unsigned i = 0; i < o->reader.n; i++)
		hosts[i] = r[i].host;
	err = files_follow_print(o->follows, o->view.hosts ? hosts : NULL, o->reader.n,
				 &o->reader.filter, o->reader.format, out);
	free(hosts);
	return err;
}

static int print(struct reader *reader, FILE *out)
{
	struct files_arguments *o = (struct files_arguments *)reader;
	int err;

	if (o->names)
		return print_names(o, out);
	if (!o->runs.n)
		return o->draw ? files_draw(out, &o->answer, &o->view) :
				 files_print(out, &o->answer, &o->view, o->sessions, reader->n);
	err = o->draw ? files_draw_each(out, files_runs_next, &o->runs) :
			files_print_walls(out, &o->answer, &o->view, o->sessions, reader->n,
					  files_runs_next, &o->runs);
	return err ? err : o->runs.err;
}

static void end(struct reader *reader)
{
	struct files_arguments *o = (struct files_arguments *)reader;

	files_answer_free(&o->answer);
	files_runs_close(&o->runs);
	free(o->follows);
	free(o->view.host_paths);
	free(o->sources);
	free(o->sessions);
}

/* Of faults only what went wrong: the answer is about calls. */
static void print_gaps(const struct reader *reader, const void *reading, FILE *out,
		       const char *prefix)
{
	const struct files_reading *r = reading;
	const struct gaps *faults = &r->faults_gaps;

	(void)reader;
	gaps_print(out, prefix, &r->gaps, true);
	if (faults->session && (read_session_lost(faults->session, STREAM_pagefault) ||
				faults->totals.bad_rows || faults->n_columns))
		gaps_print(out, prefix, faults, false);
}

static json_t *gaps(const struct reader *reader, const void *reading)
{
	const struct files_reading *r = reading;
	json_t *json = gaps_json(&r->gaps);

	(void)reader;
	if (json && r->faults_gaps.session)
		json_object_set_new(json, "pagefault", gaps_json(&r->faults_gaps));
	return json;
}

static void close_trace(void *reading)
{
	files_reading_close(reading);
}

static const struct reader_command files = {
	.command = &command_files,
	.reading_size = sizeof(struct files_reading),
	.complete = complete,
	.open = open_trace,
	.finish = make_answer,
	.gaps_at = offsetof(struct files_reading, gaps),
	.print_gaps = print_gaps,
	.gaps = gaps,
	.print_head = print_head,
	.print = print,
	.end = end,
	.close = close_trace,
};

int files_command(int argc, char **argv)
{
	struct files_arguments o = { .by = FILES_BY_FILE };

	return reader_run(&files, &o.reader, argc, argv);
}
