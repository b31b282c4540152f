/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer report`: its command line, and the way from directories to a report. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report/report_print.h"
#include "analysis/report/report_changes.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output_file.h"
#include "base/plain.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/option_groups.h"

enum { DEFAULT_TOP = 20, PAGE_TOP = 50, EXACT_TOP = 1000 };

struct report_arguments {
	struct row_filter filter;
	uint64_t top, memory;
	bool csv, json, html, has_top, fleet;
	bool compared;   /* two of them, of which the second is the one after a change */
	bool of_changes; /* the section is one of two traces compared */
	const char *section;
	const char *output;
};

/* ---- options ---- */

static bool parse_top(const struct option_row *row, const char *arg, void *target)
{
	struct report_arguments *o = target;

	o->has_top = parse_number(arg, UINT64_MAX, &o->top);
	if (!o->has_top)
		log_error("--%s: invalid number '%s'", row->name, arg);
	return o->has_top;
}

static bool find_section(const char *const *names, const char *arg, const char **section)
{
	for (; *names; names++)
		if (!strcmp(arg, *names)) {
			*section = *names;
			return true;
		}
	return false;
}

static bool parse_section(const struct option_row *row, const char *arg, void *target)
{
	struct report_arguments *o = target;

	o->of_changes = find_section(report_change_names, arg, &o->section);
	if (o->of_changes || find_section(report_section_names, arg, &o->section))
		return true;
	log_error("--%s: unknown section '%s' (`iotracer report DIR --csv` has them all)",
		  row->name, arg);
	return false;
}

#define TO(kind, member) OPTION_TO(kind, struct report_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "section", .argument = "NAME", .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_section,
	  .help = "only this table, with all of its columns",
	  .more = "`trace`, `missing`, `answers`, `layers`, `amplification`, `time`, `operations`, "
		  "`latencies`, `files`, `directories`, `sizes`, `processes`, `devices`, `owners`, `machine`, `cache`, "
		  "`faults`, `connections` or `uring`; of two directories compared `traces`, `lacks`, "
		  "`differences` or `changed_files`." },
	{ .name = "fleet", .common = true, .section = OPTIONS_MAIN, TO(flag, fleet),
	  .help = "two directories one after the other, not compared",
	  .more = "As with any other number of directories." },
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, csv),
	  .help = "all numbers as CSV, exact; a table with --section",
	  .more = "Without `--section`, a row for each value: host, section, row, column, value." },
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, json),
	  .help = "the same as JSON, with gaps of the trace" },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_top,
	  .help = "at most N rows a list (20; page 50, exact 1000; 0: all)",
	  .more = "Times, latencies and sizes are always complete." },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write to FILE; .html: a page with charts",
	  .more = "The page needs no other file and no network. It replaces FILE when it is complete." },
	OPTIONS_READ_PROCESSES_ROWS(struct report_arguments, filter),
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS,
	  TO(text, filter.path), .help = "only these files, and streams that name some",
	  .more = "A pattern without a slash is compared with the last part of the path." },
	OPTIONS_READ_TIMES_ROWS(struct report_arguments, filter, "rows"),
	OPTIONS_MEMORY_ROW(struct report_arguments, memory),
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES,
	  .parse = option_quiet, .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_report = {
	.name = "report",
	.summary = "shows at a glance what was traced; of two directories, what changed",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer report /tmp/before /tmp/after -o changes.html",
	.options = rows,
	.run = report_command,
};

static int refuse(const char *message)
{
	log_error("%s", message);
	return OPTIONS_WRONG;
}

static bool is_html(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len > 5 && !strcmp(name + len - 5, ".html");
}

static int complete(struct report_arguments *o, int n_dirs)
{
	if (o->csv && o->json)
		return refuse("--csv and --json exclude each other");
	if (o->of_changes && (n_dirs != 2 || o->fleet))
		return refuse(
			"that section is of two directories compared: iotracer report BEFORE AFTER");
	/* the tables of each, rather than what changed */
	o->fleet = o->fleet || (o->section && !o->of_changes);
	if (o->section && o->csv && n_dirs > 1 && o->fleet)
		return refuse("--section with --csv is for one directory; use --json for several");
	o->html = is_html(o->output);
	if (o->html && (o->csv || o->json || o->section))
		return refuse("a page (-o FILE.html) excludes --csv, --json and --section");
	if (!o->has_top)
		o->top = o->html ? PAGE_TOP : o->csv || o->json ? EXACT_TOP : DEFAULT_TOP;
	return OPTIONS_OK;
}

/* ---- the reports ---- */

struct reports {
	struct report *reports;
	struct report_answer *answers;
	const struct report_answer **list;
	struct report_answer changes;
	bool compared; /* the two of them */
	unsigned n;
};

static int print_changes(FILE *out, const struct report_arguments *o, const struct reports *r)
{
	const struct report_answer *changes = &r->changes;

	if (o->json)
		return report_print_changes_json(out, changes, r->list, o->section);
	if (o->section)
		return report_print_section(out, changes, o->section,
					    o->csv ? TABLE_CSV : TABLE_TEXT);
	return o->csv ? report_print_csv(out, &changes, 1) : report_print_changes(out, changes);
}

static int print_people(FILE *out, const struct report_arguments *o, const struct reports *r)
{
	int err = 0;

	for (unsigned i = 0; i < r->n && !err; i++) {
		fputs(i ? "\n" : "", out);
		if (o->section && r->n > 1) {
			plain_put(out, r->reports[i].session.dir);
			fputc('\n', out);
		}
		err = o->section ? report_print_section(out, r->list[i], o->section, TABLE_TEXT) :
				   report_print_text(out, r->list[i]);
	}
	return err;
}

static int print(FILE *out, const struct report_arguments *o, const struct reports *r)
{
	if (o->html)
		return report_print_html(out, r->list, r->n, r->compared ? &r->changes : NULL);
	if (r->compared)
		return print_changes(out, o, r);
	if (o->json)
		return report_print_json(out, r->list, r->n, o->section);
	if (!o->csv)
		return print_people(out, o, r);
	if (o->section)
		return report_print_section(out, r->list[0], o->section, TABLE_CSV);
	return report_print_csv(out, r->list, r->n);
}

static int write_reports(const struct report_arguments *o, const struct reports *r)
{
	struct output_file file;
	int err = output_file_open(&file, o->output);

	if (err)
		return err;
	err = print(file.out, o, r);
	if (err)
		log_error("%s", strerror(-err));
	return output_file_close(&file, err);
}

static void say_none(const struct report_arguments *o, const struct report *r)
{
	uint64_t n_rows = 0;

	for (unsigned i = 0; i < N_STREAMS; i++)
		n_rows += r->gaps[i].totals.rows;
	row_filter_say_none(&o->filter, r->session.dir, n_rows, r->rows);
}

/* Those that can be read are; false: not all could. */
static bool read_reports(struct reports *r, const struct report_arguments *o, char **dirs)
{
	bool all = true;

	for (; *dirs; dirs++) {
		struct report *report = &r->reports[r->n];

		report->memory = o->memory;
		report->compared = o->compared;
		if (report_open(report, *dirs, &o->filter)) {
			report_close(report);
			all = false;
			continue;
		}
		all = all && read_session_whole(&report->session);
		say_none(o, report);
		r->answers[r->n] = (struct report_answer){ .report = report, .top = o->top };
		r->list[r->n] = &r->answers[r->n];
		if (report_answer_make(&r->answers[r->n])) {
			log_error("%s: %s", *dirs, strerror(ENOMEM));
			all = false;
		}
		r->n++;
	}
	return all;
}

/* Two directories are one before and one after what was changed, unless they are a fleet. */
static bool compare(struct reports *r, const struct report_arguments *o)
{
	if (r->n != 2 || o->fleet)
		return true;
	r->compared = true;
	r->changes.top = o->top;
	if (!report_changes_make(&r->changes, r->list[0], r->list[1]))
		return true;
	log_error("%s", strerror(ENOMEM));
	return false;
}

static bool make_room(struct reports *r, unsigned n)
{
	r->reports = calloc(n, sizeof(*r->reports));
	r->answers = calloc(n, sizeof(*r->answers));
	r->list = calloc(n, sizeof(*r->list));
	return r->reports && r->answers && r->list;
}

static void close_reports(struct reports *r)
{
	report_answer_free(&r->changes);
	for (unsigned i = 0; i < r->n; i++) {
		report_answer_free(&r->answers[i]);
		report_close(&r->reports[i]);
	}
	free(r->reports);
	free(r->answers);
	free(r->list);
}

int report_command(int argc, char **argv)
{
	struct report_arguments o = { .top = 0 };
	struct reports r = { .n = 0 };
	int err = options_parse(&command_report, argc, argv, &o);
	int status = STATUS_OK;

	if (!err && optind == argc)
		err = options_wrong_usage(&command_report);
	if (!err)
		err = complete(&o, argc - optind);
	if (err)
		return err - 1;
	o.memory = (o.memory ? o.memory : FILES_MEMORY) / (unsigned)(argc - optind);
	o.compared = argc - optind == 2 && !o.fleet;
	/* who reads the report through a pipe may have enough of it */
	signal(SIGPIPE, SIG_DFL);
	if (!make_room(&r, (unsigned)(argc - optind))) {
		log_error("out of memory");
		status = STATUS_FAILED;
	} else {
		if (!read_reports(&r, &o, argv + optind) || !compare(&r, &o))
			status = STATUS_FAILED;
		if (r.n && write_reports(&o, &r))
			status = STATUS_FAILED;
	}
	close_reports(&r);
	return status;
}
