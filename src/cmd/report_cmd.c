/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer report`: its command line, and the way from directories to a report. */
#include "analysis/report/report_answer.h"
#include "analysis/report/report_findings.h"
#include "analysis/report/report_changes_text.h"
#include "analysis/report/report_html.h"
#include "analysis/report/report_print.h"
#include "analysis/report/report_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fio/fio_against.h"
#include "analysis/report/report_read.h"
#include "analysis/report/report_stacks.h"
#include "analysis/report/report_text.h"
#include "base/log.h"
#include "base/plain.h"
#include "base/status.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"

enum { PAGE_TOP = 50, EXACT_TOP = 1000 };

/* A trace, and what is told of it. */
struct telling {
	struct report report;
	struct report_answer answer;
};

struct report_arguments {
	struct reader reader;
	bool html, fleet, folded;
	bool compared;   /* two of them, of which the second is the one after a change */
	bool of_changes; /* the section is one of two traces compared */
	const char *section;
	const char *limits; /* a file; NULL: none */
	int fail_on;        /* severity from which the exit status says so; -1: never */
	int worst;
	struct report_limits values;
	const struct report_answer **list;
	struct report_answer changes;
	const char *against; /* fio's own result; NULL: none */
	struct fio_against fio;
	const char *jobs; /* of `iotracer fio`: the second is their run; NULL: it is none */
	struct replayed replayed;
	unsigned n_opened;
};

/* ---- options ---- */

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

static bool parse_severity(const struct option_row *row, const char *arg, void *target)
{
	struct report_arguments *o = target;

	for (o->fail_on = 0; finding_severities[o->fail_on]; o->fail_on++)
		if (!strcmp(arg, finding_severities[o->fail_on]))
			return true;
	log_error("--%s: low, medium or high expected, not '%s'", row->name, arg);
	return false;
}

#define TO(kind, member) OPTION_TO(kind, struct report_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "section", .argument = "NAME", .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_section,
	  .help = "only this table, with all of its columns",
	  .more = "`findings`, `trace`, `missing`, `answers`, `layers`, `amplification`, `time`, `operations`, "
		  "`latencies`, `why`, `slowest`, `files`, `directories`, `sizes`, `programs`, `containers`, `processes`, `devices`, `bios`, `servers`, `owners`, `machine`, `cache`, "
		  "`faults`, `connections`, `uring`, `errors`, `open`, `sched`, `counted` or `stacks`; of two directories compared `totals`, `traces`, `lacks`, `changed_findings`, "
		  "`differences`, `changed_files`, or with `--replay` `replay` and `replayed_files`. In `open`, a file that was open before the recording is one that was used since, "
		  "and has no beginning; a description that several processes have is listed for the one that opened it or used it last. "
		  "Without numbers of descriptions (tier c), duplicates and what a child inherits are not known until they are used." },
	{ .name = "fail-on", .argument = "LEVEL", .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_severity, .help = "exit status 3 on a finding: low, medium, high",
	  .more = "Of that severity, or a higher one. The report is the same." },
	{ .name = "limits", .argument = "FILE", .section = OPTIONS_MAIN, TO(text, limits),
	  .help = "numbers that decide what is wrong",
	  .more = "A name and a number a line, as `iotracer help findings` lists them. Without it "
		  "`~/.config/iotracer/findings.conf` is read, if it is there." },
	{ .name = "fleet", .common = true, .section = OPTIONS_MAIN, TO(flag, fleet),
	  .help = "two directories one after the other, not compared",
	  .more = "As with any other number of directories." },
	{ .name = "replay", .argument = "JOBS", .common = true, .section = OPTIONS_MAIN, TO(text, jobs),
	  .help = "the second is the run of these jobs of `fio`",
	  .more = "JOBS is what `iotracer fio` wrote for the first directory. Both are compared by the files and the calls that fio repeats, and each figure of each file has a verdict: `replay` and `replayed_files`." },
	{ .name = "against", .argument = "FILE", .section = OPTIONS_MAIN, TO(text, against),
	  .help = "beside what fio says of its jobs (its JSON)",
	  .more = "FILE is from `fio --output-format=json --output=FILE`, DIR a recording of that run with `-e fs,ds`. For each job and kind of operation: the latencies that fio "
		  "gives, those of its calls, and those of the device's requests for its files, of which the page cache may need fewer or later ones. Jobs are known by their "
		  "files: option `filename`, or the names that fio makes of the job's. Files of several jobs count for the first, and calls that lay out files for their job: `fio --create_only=1` does that before." },
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, reader.csv),
	  .help = "all numbers as CSV, exact; a table with --section",
	  .more = "Without `--section`, a row for each value: host, section, row, column, value." },
	READER_JSON_ROW,
	{ .name = "folded", .common = true, .section = OPTIONS_MAIN, TO(flag, folded),
	  .help = "stacks as lines that flame graphs are made of",
	  .more = "Of what `record --stacks` recorded: `COMMAND;FRAME;FRAME NANOSECONDS`, the time of all operations of a stack, as "
		  "flamegraph.pl, inferno and speedscope take it. Functions of the kernel end in `_[k]`, those that a "
		  "program made at run time in `_[j]`." },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = option_top,
	  .help = "at most N rows a list (20; page 50, exact 1000; 0: all)",
	  .more = "Times, latencies and sizes are always complete." },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, reader.output), .help = "write to FILE; .html: a page with charts",
	  .more = "The page needs no other file and no network. It replaces FILE when it is complete." },
	READER_PROCESS_ROWS,
	READER_PATH_ROW("these files, and streams that name some", ""),
	READER_TIME_ROWS("rows"),
	READER_MEMORY_ROW,
	READER_LAST_ROWS,
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

static bool is_html(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len > 5 && !strcmp(name + len - 5, ".html");
}

static int complete(struct reader *r)
{
	struct report_arguments *o = (struct report_arguments *)r;

	if (o->of_changes && (r->n_dirs != 2 || o->fleet))
		return reader_refuse(
			"that section is of two directories compared: iotracer report BEFORE AFTER");
	if (o->against && (r->n_dirs != 1 || o->section || o->folded || is_html(r->output)))
		return reader_refuse(
			"--against is for one directory, as text or with --csv or --json, and excludes --section and --folded");
	if (o->jobs && (r->n_dirs != 2 || o->fleet || (o->section && !o->of_changes)))
		return reader_refuse(
			"--replay is for two directories compared: iotracer report BEFORE AFTER");
	if (o->section &&
	    (!strncmp(o->section, "replay", 6) ? !o->jobs :
						 o->jobs && !strcmp(o->section, "changed_files")))
		return reader_refuse(
			"replay and replayed_files are the sections of --replay, in place of changed_files");
	/* the tables of each, rather than what changed */
	o->fleet = o->fleet || (o->section && !o->of_changes);
	if (o->section && r->csv && r->n_dirs > 1 && o->fleet)
		return reader_refuse(
			"--section with --csv is for one directory; use --json for several");
	o->html = is_html(r->output);
	if (o->html && (r->csv || r->json || o->section))
		return reader_refuse("a page (-o FILE.html) excludes --csv, --json and --section");
	if (o->folded && (o->html || r->csv || r->json || o->section))
		return reader_refuse("--folded excludes --csv, --json, --section and -o FILE.html");
	/* lines of all directories, one after the other */
	o->fleet = o->fleet || o->folded;
	if (o->folded && !r->has_top) {
		r->has_top = true;
		r->top = 0;
	}
	if (!r->has_top)
		r->top = o->html ? PAGE_TOP : r->format != TABLE_TEXT ? EXACT_TOP : READER_TOP;
	o->compared = r->n_dirs == 2 && !o->fleet;
	if (report_limits_read(&o->values, o->limits) ||
	    (o->jobs && replayed_read(&o->replayed, o->jobs)))
		return OPTIONS_WRONG;
	return OPTIONS_OK;
}

/* ---- the reports ---- */

static int open_trace(struct reader *r, void *reading, const char *dir)
{
	struct telling *telling = reading;
	struct report *report = &telling->report;
	struct report_arguments *o = (struct report_arguments *)r;
	struct row_filter filter = r->filter;
	uint64_t n_rows = 0;
	int err;

	if (o->against)
		return fio_against_open(&o->fio, o->against, &report->session, dir, &r->filter);
	report->memory = r->memory;
	report->compared = o->compared;
	report->limits = o->values;
	if (o->jobs) {
		report->replayed = filter.replayed = &o->replayed;
		filter.side = o->n_opened++ ? REPLAYED_COPY : REPLAYED_TRACE;
	}
	err = report_open(report, dir, &filter);
	if (err)
		return err;
	for (unsigned i = 0; i < N_STREAMS; i++)
		n_rows += report->gaps[i].totals.rows;
	row_filter_say_none(&r->filter, dir, n_rows, report->rows);
	telling->answer = (struct report_answer){ .report = report, .top = r->top };
	err = report_answer_make(&telling->answer);
	if (err)
		log_error("%s: %s", dir, strerror(ENOMEM));
	return err;
}

/* Its files have other names: each would be gone in one of them, and new in the other. */
static void say_replay(const struct read_session *after)
{
	static const char jobs[] = "/replay.fio";
	const json_t *item, *command = json_object_get(after->manifest, "command");
	size_t i;

	json_array_foreach((json_t *)command, i, item)
	{
		const char *word = json_string_value(item);
		size_t len = word ? strlen(word) : 0, end = sizeof(jobs) - 1;

		if (len > end && !strcmp(word + len - end, jobs)) {
			log_note(
				"%s: is the run of a replay: --replay %.*s compares it file by file",
				after->dir, (int)(len - end), word);
			return;
		}
	}
}

/* Two directories are one before and one after what was changed, unless they are a fleet. */
static int compare(struct reader *r)
{
	struct report_arguments *o = (struct report_arguments *)r;
	const struct telling *tellings = r->readings;
	int err = 0;

	if (o->against)
		return 0;
	/* one of the two may have been unreadable */
	o->compared = o->compared && r->n == 2;
	o->changes.top = r->top;
	o->list = calloc(r->n, sizeof(*o->list));
	for (unsigned i = 0; o->list && i < r->n; i++)
		o->list[i] = &tellings[i].answer;
	if (!o->list)
		err = -ENOMEM;
	else if (o->compared)
		err = report_changes_make(&o->changes, o->list[0], o->list[1]);
	if (!err && o->compared && !o->jobs)
		say_replay(&tellings[1].report.session);
	if (err)
		log_error("%s", strerror(ENOMEM));
	return err;
}

static int print_changes(FILE *out, const struct report_arguments *o)
{
	const struct report_answer *changes = &o->changes;

	if (o->reader.json)
		return report_print_changes_json(out, changes, o->list, o->section);
	if (o->section)
		return report_print_section(out, changes, o->section, o->reader.format);
	return o->reader.csv ? report_print_csv(out, &changes, 1) :
			       report_print_changes(out, changes);
}

static int print_people(FILE *out, const struct report_arguments *o)
{
	int err = 0;

	for (unsigned i = 0; i < o->reader.n && !err; i++) {
		fputs(i ? "\n" : "", out);
		if (o->section && o->reader.n > 1) {
			plain_put(out, o->list[i]->report->session.dir);
			fputc('\n', out);
		}
		err = o->section ? report_print_section(out, o->list[i], o->section, TABLE_TEXT) :
				   report_print_text(out, o->list[i]);
	}
	return err;
}

static int print(struct reader *r, FILE *out)
{
	const struct report_arguments *o = (const struct report_arguments *)r;

	if (o->against)
		return fio_against_print(out, &o->fio, r->format);
	if (o->html)
		return report_print_html(out, o->list, r->n, o->compared ? &o->changes : NULL);
	if (o->folded) {
		for (unsigned i = 0; i < r->n; i++)
			report_print_folded(out, o->list[i]);
		return 0;
	}
	if (o->compared)
		return print_changes(out, o);
	if (r->json)
		return report_print_json(out, o->list, r->n, o->section);
	if (!r->csv)
		return print_people(out, o);
	if (o->section)
		return report_print_section(out, o->list[0], o->section, TABLE_CSV);
	return report_print_csv(out, o->list, r->n);
}

/* Before answers are gone: what was found decides on the exit status. */
static void end(struct reader *r)
{
	struct report_arguments *o = (struct report_arguments *)r;

	for (unsigned i = 0; o->list && i < r->n; i++) {
		int worst = report_worst(o->list[i]);

		o->worst = worst > o->worst ? worst : o->worst;
	}
	report_answer_free(&o->changes);
	fio_against_free(&o->fio);
	replayed_free(&o->replayed);
	free(o->list);
}

static void close_trace(void *reading)
{
	struct telling *telling = reading;

	report_answer_free(&telling->answer);
	report_close(&telling->report);
}

static const struct reader_command report = {
	.command = &command_report,
	.reading_size = sizeof(struct telling),
	.complete = complete,
	.open = open_trace,
	.finish = compare,
	.print = print,
	.end = end,
	.close = close_trace,
};

int report_command(int argc, char **argv)
{
	struct report_arguments o = { .fail_on = -1, .worst = -1 };
	int status = reader_run(&report, &o.reader, argc, argv);

	return status == STATUS_OK && o.fail_on >= 0 && o.worst >= o.fail_on ? STATUS_FOUND :
									       status;
}
