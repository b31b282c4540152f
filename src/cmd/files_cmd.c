/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer files`: its command line, and the way from directories to a table. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/files/files_print.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_batches.h"
#include "analysis/files/files_read.h"
#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/option_groups.h"

enum { DEFAULT_TOP = 20 };

struct files_arguments {
	struct row_filter filter;
	struct files_view view;
	struct files_options model;
	enum files_by by;
	unsigned depth;
	bool all, csv, json, histograms, errors, has_top;
	const char *draw; /* pattern of paths */
	const char *output;
};

/* ---- options ---- */

static bool parse_by(const struct option_row *row, const char *arg, void *target)
{
	for (int i = 0; i < N_FILES_BY; i++)
		if (!strcmp(arg, files_by_names[i])) {
			*(enum files_by *)target = (enum files_by)i;
			return true;
		}
	log_error("--%s: unknown key '%s' (file, dir, ext, comm, pid, mntns, device, host)",
		  row->name, arg);
	return false;
}

static bool parse_top(const struct option_row *row, const char *arg, void *target)
{
	struct files_arguments *o = target;

	o->has_top = parse_number(arg, UINT64_MAX, &o->view.top);
	if (!o->has_top)
		log_error("--%s: invalid number '%s'", row->name, arg);
	return o->has_top;
}

#define TO(kind, member) OPTION_TO(kind, struct files_arguments, member)
#define AT(parser, member) .parse = parser, .target = offsetof(struct files_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, csv),
	  .help = "all columns as CSV, exact numbers",
	  .more = "Gaps of the trace go to standard error." },
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, json),
	  .help = "the same as JSON" },
	{ .name = "histograms", .common = true, .section = OPTIONS_MAIN, TO(flag, histograms),
	  .help = "sizes, runs, sync gaps and latencies as histograms" },
	{ .name = "errors", .common = true, .section = OPTIONS_MAIN, TO(flag, errors),
	  .help = "failed calls by system call and error",
	  .more = "For every path, whether it was ever opened or not." },
	{ .name = "hist", .argument = "GLOB", .common = true, .section = OPTIONS_MAIN, TO(text, draw),
	  .help = "draw the histograms of these files" },
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN, AT(parse_by, by),
	  .help = "add up by dir, ext, comm, pid, mntns, device, host",
	  .more = "By `dir`, every directory above a file includes it. Default: `file`, one row for each." },
	{ .name = "depth", .argument = "N", .common = true, .section = OPTIONS_MAIN, TO(depth, depth),
	  .help = "with --by dir: levels below / (0: all)" },
	{ .name = "interval", .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  AT(option_interval, model.interval_ns),
	  .help = "one row per interval (e.g. 1s), with its start",
	  .more = "A call belongs to the interval in which it was entered, a run to that of its last call." },
	{ .name = "sort", .argument = "COLUMN", .common = true, .section = OPTIONS_MAIN,
	  TO(text, view.sort),
	  .help = "sort by this column of --csv (bytes)",
	  .more = "Numbers from the highest, names from the lowest. `bytes`: read and written together." },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_top,
	  .help = "at most N rows (20 as text, else all; 0: all)" },
	{ .name = "wall", .section = OPTIONS_MAIN, TO(flag, view.wall),
	  .help = "times as local time, not CLOCK_MONOTONIC" },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write to FILE" },
	OPTIONS_READ_PROCESSES_ROWS(struct files_arguments, filter),
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS,
	  TO(text, filter.path), .help = "only these files",
	  .more = "A pattern without a slash is compared with the last part of the path." },
	OPTIONS_READ_TIMES_ROWS(struct files_arguments, filter, "calls entered"),
	OPTIONS_MEMORY_ROW(struct files_arguments, model.memory),
	{ .name = "all", .common = true, .section = OPTIONS_ROWS, TO(flag, all),
	  .help = "also directories, files without a name or never used" },
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES,
	  .parse = option_quiet, .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
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

static int refuse(const char *message)
{
	log_error("%s", message);
	return OPTIONS_WRONG;
}

static int complete(struct files_arguments *o)
{
	const struct files_answer answer = { .by = o->by };

	if (o->csv && o->json)
		return refuse("--csv and --json exclude each other");
	if (o->histograms + o->errors + (o->draw != NULL) > 1)
		return refuse("--histograms, --errors and --hist exclude each other");
	if (o->draw && (o->csv || o->json))
		return refuse("--hist draws for people: use --histograms with --csv and --json");
	o->view.format = o->csv ? TABLE_CSV : o->json ? TABLE_JSON : TABLE_TEXT;
	o->view.table = o->histograms ? FILES_HISTOGRAMS : o->errors ? FILES_ERRORS : FILES_SUMS;
	o->view.interval_ns = o->model.interval_ns;
	o->model.split = files_by_split(o->by);
	if (!o->has_top)
		o->view.top = o->view.format == TABLE_TEXT && !o->errors ? DEFAULT_TOP : 0;
	if (o->errors && o->view.format == TABLE_TEXT && !o->view.sort)
		o->view.sort = "errors";
	if (o->draw && o->filter.path)
		return refuse("--hist and --path exclude each other");
	if (o->draw)
		o->filter.path = o->draw;
	if (o->view.sort && !files_print_sorts_by(&answer, &o->view, o->view.sort)) {
		log_error("--sort: unknown column '%s'; `iotracer files DIR --csv` has them all",
			  o->view.sort);
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

/* ---- the answer ---- */

struct traces {
	struct files_reading *readings;
	struct files_source *sources;
	const struct read_session **sessions;
	unsigned n;
};

/* "file" of --by, in the plural */
static const char *const titles[] = { [FILES_SUMS] = "files",
				      [FILES_HISTOGRAMS] = "histograms",
				      [FILES_ERRORS] = "errors" };

static void print_gaps(FILE *out, const struct files_arguments *o, const struct traces *t)
{
	for (unsigned i = 0; i < t->n; i++)
		gaps_print(out,
			   o->view.format == TABLE_TEXT ? "" : "iotracer: ", &t->readings[i].gaps,
			   true);
}

static int begin_json(FILE *out, const struct files_arguments *o, const struct traces *t)
{
	json_t *list = json_array();
	int err = 0;

	for (unsigned i = 0; i < t->n; i++)
		json_array_append_new(list, gaps_json(&t->readings[i].gaps));
	fputs("{\n  \"traces\": ", out);
	if (json_array_size(list) != t->n ||
	    json_dumpf(list, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = -ENOMEM;
	json_decref(list);
	fprintf(out, ",\n  \"by\": \"%s\",\n  \"%s\": ", files_by_names[o->by],
		titles[o->view.table]);
	return err;
}

static int print_entries(FILE *out, const struct files_arguments *o, const struct traces *t,
			 const struct files_answer *answer, struct files_runs *runs)
{
	int err;

	if (!runs->n)
		return o->draw ? files_draw(out, answer, &o->view) :
				 files_print(out, answer, &o->view, t->sessions, t->n);
	err = o->draw ? files_draw_each(out, files_runs_next, runs) :
			files_print_walls(out, answer, &o->view, t->sessions, t->n, files_runs_next,
					  runs);
	return err ? err : runs->err;
}

static int print(FILE *out, const struct files_arguments *o, const struct traces *t)
{
	struct files_answer answer = { .by = o->by,
				       .depth = o->depth,
				       .all = o->all,
				       .failures = o->errors,
				       .plain = o->view.table != FILES_HISTOGRAMS && !o->draw };
	struct files_runs runs = { .column = o->view.sort, .top = o->view.top };
	int err = files_batches_answer(&answer, &runs, t->sources, t->readings, t->n);

	if (!err && o->json)
		err = begin_json(out, o, t);
	else if (!err && !o->csv)
		print_gaps(out, o, t);
	else if (!err && log_get_level() >= LOG_NORMAL)
		print_gaps(stderr, o, t);
	if (!err && !o->csv && !o->json)
		fputc('\n', out);
	if (!err)
		err = print_entries(out, o, t, &answer, &runs);
	if (o->json)
		fputs("\n}\n", out);
	files_answer_free(&answer);
	files_runs_close(&runs);
	if (err)
		log_error("%s", strerror(-err));
	return err;
}

static int write_answer(const struct files_arguments *o, const struct traces *t)
{
	struct output_file file;
	int err = output_file_open(&file, o->output);

	return err ? err : output_file_close(&file, print(file.out, o, t));
}

static bool make_room(struct traces *t, unsigned n)
{
	t->readings = calloc(n, sizeof(*t->readings));
	t->sources = calloc(n, sizeof(*t->sources));
	t->sessions = calloc(n, sizeof(*t->sessions));
	return t->readings && t->sources && t->sessions;
}

/* Those that can be read are; false: not all could. */
static bool read_traces(struct traces *t, const struct files_arguments *o, char **dirs)
{
	bool all = true;

	for (; *dirs; dirs++) {
		struct files_reading *r = &t->readings[t->n];

		if (files_reading_open(r, *dirs, &o->filter, &o->model)) {
			files_reading_close(r);
			all = false;
			continue;
		}
		all = all && read_session_whole(&r->session) && !r->gaps.totals.bad_rows;
		row_filter_say_none(&o->filter, *dirs, r->gaps.totals.rows, r->gaps.chosen);
		t->sources[t->n] = (struct files_source){ r->host, r->models, r->n_models };
		t->sessions[t->n++] = &r->session;
	}
	return all;
}

/* What the tables of a summary do not have cannot be added up. */
static bool tables_suffice(const struct traces *t, const struct files_arguments *o)
{
	for (unsigned i = 0; i < t->n; i++) {
		const char *dir = t->readings[i].session.dir;

		if (!t->readings[i].gaps.not_kept)
			continue;
		if (o->by != FILES_BY_FILE)
			log_error(
				"%s: its rows were not kept (--no-rows): --by file alone is known",
				dir);
		else if (!files_hosts_differ(t->sources, t->n))
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

int files_command(int argc, char **argv)
{
	struct files_arguments o = { .by = FILES_BY_FILE };
	struct traces t = { .n = 0 };
	int err = options_parse(&command_files, argc, argv, &o);
	int status = STATUS_OK;

	if (!err && optind == argc)
		err = options_wrong_usage(&command_files);
	if (!err)
		err = complete(&o);
	if (err)
		return err - 1;
	/* who reads the answer through a pipe may have enough of it */
	signal(SIGPIPE, SIG_DFL);
	o.view.hosts = argc - optind > 1;
	/* sums of directories take as much as the files */
	if (o.by == FILES_BY_DIR)
		o.model.memory = (o.model.memory ? o.model.memory : FILES_MEMORY) / 2;
	o.model.memory = (o.model.memory ? o.model.memory : FILES_MEMORY) /
			 (unsigned)(argc - optind);
	if (!make_room(&t, (unsigned)(argc - optind))) {
		log_error("out of memory");
		status = STATUS_FAILED;
	} else {
		if (!read_traces(&t, &o, argv + optind))
			status = STATUS_FAILED;
		if (t.n && (!tables_suffice(&t, &o) || write_answer(&o, &t)))
			status = STATUS_FAILED;
	}
	for (unsigned i = 0; i < t.n; i++)
		files_reading_close(&t.readings[i]);
	free(t.readings);
	free(t.sources);
	free(t.sessions);
	return status;
}
