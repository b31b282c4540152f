/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer watch`: its command line, and the recording whose rows become lines. */
#include "analysis/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/recording_checks.h"
#include "cmd/stream_list.h"
#include "session/recording.h"

struct watch_arguments {
	struct recording_options recording;
	const char *output;
	bool json;
};

/* clang-format off */

#define TO(kind, member) OPTION_TO(kind, struct watch_arguments, member)

static const struct option_row rows[] = {
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, json),
	  .help = "a JSON object on each line, exact numbers" },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write the lines to FILE",
	  .more = "Keeps the lines apart from the output of the command." },
	OPTIONS_SHOWN_ROWS(struct watch_arguments),
	OPTIONS_LOG_ROWS,
	OPTIONS_HELP_ROW,
	{ 0 },
};

/* clang-format on */

const struct command command_watch = {
	.name = "watch",
	.summary = "shows each operation as a line while it happens",
	.usage = "[OPTION]... [-- COMMAND [ARG]...]",
	.example = "iotracer watch -p postgres --min-latency 10ms",
	.options = rows,
	.words_first = true,
	.run = watch_command,
};

static int parse(struct watch_arguments *o, int argc, char **argv)
{
	int err;

	options_streams_shown(o->recording.streams);
	o->recording.snapshots.off = true;
	o->recording.trace.rows.alone = true;
	err = options_parse(&command_watch, argc, argv, o);
	if (err)
		return err;
	if (optind < argc)
		o->recording.command = argv + optind;
	return options_check_recording(&o->recording);
}

/* ---- the tap ---- */

static void take_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	watch_row(arg, stream, row, len, key);
}

static enum tap_state tick(void *arg)
{
	return watch_tick(arg) ? TAP_GOING : TAP_GONE;
}

static void end(void *arg, bool interrupted)
{
	watch_end(arg, interrupted);
}

/* ---- the command ---- */

static int account(const struct watch_totals *totals, const char *name)
{
	uint64_t dropped = totals->rows - totals->lines - totals->damaged;

	if (totals->err == EPIPE)
		return 0; /* who reads has seen enough */
	if (totals->err) {
		log_error("%s: %s", name, strerror(totals->err));
		return 1;
	}
	if (totals->damaged)
		log_warn("%llu malformed rows skipped", (unsigned long long)totals->damaged);
	if (dropped)
		log_note(
			"%llu of %llu operations dropped: they came faster than the lines are read",
			(unsigned long long)dropped, (unsigned long long)totals->rows);
	return 0;
}

static int run(struct watch_arguments *o, int fd)
{
	const struct watch_options options = {
		.fd = fd,
		.json = o->json,
		.colour = !o->json && !getenv("NO_COLOR") && isatty(fd),
	};
	struct watch *watch = watch_open(&options);
	const struct row_tap tap = { .row = take_row, .tick = tick, .end = end, .arg = watch };
	struct watch_totals totals;
	int status;

	if (!watch)
		return STATUS_FAILED;
	o->recording.tap = &tap;
	status = recording_run(&o->recording);
	totals = watch_totals(watch);
	if (account(&totals, o->output ? o->output : "standard output") && !status)
		status = STATUS_FAILED;
	watch_close(watch);
	return status;
}

int watch_command(int argc, char **argv)
{
	struct watch_arguments o = { .output = NULL };
	int err = parse(&o, argc, argv), fd = STDOUT_FILENO, status;

	if (err)
		return err - 1;
	if (o.output)
		fd = output_file_grow(o.output);
	if (fd < 0)
		return STATUS_FAILED;
	status = run(&o, fd);
	if (o.output)
		close(fd);
	return status;
}
