/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer top`: its command line, and the recording whose rows are added up. */
#include "analysis/top/top.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/recording_checks.h"
#include "cmd/stream_list.h"
#include "screen/held_output.h"
#include "screen/screen_guard.h"
#include "screen/top_screen.h"
#include "session/recording.h"

enum { DEFAULT_ROWS = 20 };

struct top_arguments {
	struct recording_options recording;
	struct top_options top;
	bool csv, json, no_color;
};

static bool parse_rows(const struct option_row *row, const char *arg, void *target)
{
	struct top_options *o = target;
	uint64_t n;

	if (!parse_number(arg, UINT32_MAX, &n)) {
		log_error("--%s: invalid number '%s'", row->name, arg);
		return false;
	}
	o->n_rows = (unsigned)n;
	return true;
}

static bool parse_interval(const struct option_row *row, const char *arg, void *target)
{
	struct top_options *o = target;

	if (parse_time(arg, NS_PER_S, &o->interval_ns) && o->interval_ns >= NS_PER_S / 10)
		return true;
	log_error("--%s: invalid time '%s' (e.g. 1s, 500ms; at least 100ms)", row->name, arg);
	return false;
}

/* clang-format off */

#define TO(kind, member) OPTION_TO(kind, struct top_arguments, member)
#define TOP(parser) .parse = parser, .target = offsetof(struct top_arguments, top)

static const struct option_row rows[] = {
	{ .name = "view", .argument = "VIEW", .section = OPTIONS_MAIN,
	  .common = true, .parse = option_word, .target = offsetof(struct top_arguments, top.view),
	  .words = top_view_names, .help = "files, processes, containers, devices, ... (files)",
	  .more = "files, processes, devices, connections, layers, rings, latency, containers. On the screen, Enter shows "
		  "the processes of a file, and again its threads. Devices have the figures of `iostat -x`, by the "
		  "kernel's counters of all requests; `await` is that of `iostat -xs`." },
	{ .name = "sort", .argument = "KEY", .section = OPTIONS_MAIN,
	  .common = true, .parse = option_word, .target = offsetof(struct top_arguments, top.sort),
	  .words = top_sort_names, .help = "sort by bytes, ops, errors, time, max (bytes)" },
	{ .name = "top", .letter = 'n', .argument = "N", .common = true, .section = OPTIONS_MAIN,
	  TOP(parse_rows), .help = "at most N rows a table (20; 0: all)" },
	{ .name = "interval", .letter = 'i', .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  TOP(parse_interval), .help = "time between tables (1s)" },
	{ .name = "batch", .letter = 'b', .argument = "N", .common = true, .section = OPTIONS_MAIN,
	  TO(count, top.rounds), .help = "print N tables as text, then end",
	  .more = "A command that still runs is left running." },
	{ .name = "csv", .section = OPTIONS_MAIN, TO(flag, csv), .help = "tables as CSV, with sums of each interval" },
	{ .name = "json", .section = OPTIONS_MAIN, TO(flag, json), .help = "tables as JSON, an object for each interval" },
	{ .name = "no-color", .section = OPTIONS_MAIN, TO(flag, no_color), .help = "a screen without colours" },
	OPTIONS_SHOWN_ROWS(struct top_arguments),
	{ .name = "quiet", .letter = 'q', .section = OPTIONS_MESSAGES, .parse = option_quiet,
	  .help = "errors only" },
	{ .name = "verbose", .letter = 'v', .section = OPTIONS_MESSAGES, .parse = option_verbose,
	  .help = "details" },
	OPTIONS_HELP_ROW,
	{ 0 },
};

/* clang-format on */

const struct command command_top = {
	.name = "top",
	.summary = "shows what is busy now: files, processes, devices, connections, latency",
	.usage = "[OPTION]... [-- COMMAND [ARG]...]",
	.example = "iotracer top --view processes --batch 10",
	.options = rows,
	.words_first = true,
	.run = top_command,
};

static int parse(struct top_arguments *o, int argc, char **argv)
{
	int err;

	options_streams_shown(o->recording.streams);
	o->recording.snapshots.off = true;
	o->recording.trace.rows.alone = true;
	o->top = (struct top_options){ .out = stdout,
				       .n_rows = DEFAULT_ROWS,
				       .interval_ns = NS_PER_S };
	err = options_parse(&command_top, argc, argv, o);
	if (err)
		return err;
	if (optind < argc)
		o->recording.command = argv + optind;
	if (o->csv && o->json) {
		log_error("--csv and --json exclude each other");
		return 1 + STATUS_USAGE;
	}
	o->top.format = o->csv ? TABLE_CSV : o->json ? TABLE_JSON : TABLE_TEXT;
	return options_check_recording(&o->recording);
}

/* ---- the tap ---- */

static enum tap_state tick(void *arg)
{
	log_notes_to(-1); /* what the screen shows comes now */
	switch (top_tick(arg)) {
	case TOP_DONE:
		return TAP_GONE;
	case TOP_ENDED:
		return TAP_STOP;
	default:
		return TAP_GOING;
	}
}

static void stopping(void *arg)
{
	top_stopping(arg);
}

static void end(void *arg, bool interrupted)
{
	top_end(arg, interrupted);
}

/* ---- the command ---- */

static int run(struct top_arguments *o)
{
	struct top *top = top_open(&o->top);
	int err, status;

	if (!top)
		return STATUS_FAILED;
	o->recording.tap = &(const struct row_tap){
		.values = top_wants(top), .tick = tick, .stopping = stopping, .end = end, .arg = top
	};
	status = recording_run(&o->recording);
	err = top_close(top);
	if (err && err != EPIPE) {
		log_error("standard output: %s", strerror(err));
		status = status ? status : STATUS_FAILED;
	}
	return status;
}

/* Names are shown as the terminal's characters. */
static int run_on_screen(struct top_arguments *o)
{
	struct held_output held;
	struct screen_guard guard;
	int err = held_output_begin(&held), status = STATUS_FAILED;
	struct top_screen *screen;

	if (err) {
		log_error("cannot start: %s", strerror(-err));
		return STATUS_FAILED;
	}
	setlocale(LC_CTYPE, "");
	screen_guard_begin(&guard, held.in, held.out);
	screen = top_screen_open(held.in, held.out, !o->no_color && !getenv("NO_COLOR"));
	if (screen) {
		o->top.display = &top_screen_display;
		o->top.display_arg = screen;
		log_notes_to(held.err);
		status = run(o);
	}
	log_notes_to(-1);
	screen_guard_end(&guard);
	held_output_end(&held);
	top_screen_close(screen);
	return status;
}

static bool wants_screen(const struct top_arguments *o)
{
	return !o->top.rounds && o->top.format == TABLE_TEXT && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

int top_command(int argc, char **argv)
{
	struct top_arguments o = { .top = { .n_rows = 0 } };
	int err = parse(&o, argc, argv);

	if (err)
		return err - 1;
	if (wants_screen(&o) && top_screen_possible(STDIN_FILENO, STDOUT_FILENO))
		return run_on_screen(&o);
	if (wants_screen(&o))
		log_note("tables instead of a screen: this terminal cannot move the cursor, or "
			 "iotracer was built without ncursesw");
	return run(&o);
}
