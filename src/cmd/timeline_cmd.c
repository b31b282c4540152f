/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer timeline`: its command line, and the file that a timeline goes to. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/common/gaps.h"
#include "analysis/timeline/timeline.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/wall.h"
#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "read/members.h"

struct timeline_arguments {
	struct timeline_options timeline;
	const char *output;
	const struct format *format; /* NULL: by the name of the file */
};

struct format {
	const char *name; /* and how files of it end, behind a dot */
	struct timeline_encoder *(*make)(FILE *out);
};

static const struct format formats[] = {
	{ "pftrace", timeline_perfetto },
	{ "fxt", timeline_fuchsia },
	{ "svg", timeline_svg },
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static bool parse_format(const struct option_row *row, const char *arg, void *target)
{
	for (unsigned i = 0; i < N_FORMATS; i++)
		if (!strcmp(arg, formats[i].name)) {
			*(const struct format **)target = &formats[i];
			return true;
		}
	log_error("--%s: unknown format '%s' (pftrace, fxt, svg)", row->name, arg);
	return false;
}

static bool parse_pids(const struct option_row *row, const char *arg, void *target)
{
	struct timeline_options *o = target;
	char word[OPTION_WORD];
	uint64_t pid;

	while (next_word(&arg, word)) {
		if (!parse_number(word, UINT32_MAX, &pid)) {
			log_error("--%s: invalid process '%s'", row->name, word);
			return false;
		}
		if (o->n_pids == TIMELINE_MAX_PIDS) {
			log_error("--%s: more than %d processes", row->name, TIMELINE_MAX_PIDS);
			return false;
		}
		o->pids[o->n_pids++] = (uint32_t)pid;
	}
	return true;
}

#define TO(kind, member) OPTION_TO(kind, struct timeline_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write to FILE (X.pftrace, X.fxt, X.svg), needed",
	  .more = "Open it at https://ui.perfetto.dev, which sends nothing anywhere, or with `trace_processor`." },
	{ .name = "format", .argument = "FORMAT", .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_format, .target = offsetof(struct timeline_arguments, format),
	  .help = "pftrace (Perfetto), fxt (Fuchsia), svg (a picture)" },
	{ .name = "pid", .letter = 'p', .argument = "LIST", .common = true,
	  .section = OPTIONS_PROCESSES, .parse = parse_pids,
	  .target = offsetof(struct timeline_arguments, timeline),
	  .help = "only these processes" },
	OPTIONS_READ_TIMES_ROWS(struct timeline_arguments, timeline, "events"),
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES,
	  .parse = option_quiet, .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_timeline = {
	.name = "timeline",
	.summary = "writes a trace for Perfetto: io_uring requests, files, devices, scheduler",
	.usage = "DIR -o FILE [OPTION]...",
	.example = "iotracer timeline ~/trace -o trace.pftrace --from +10s --to +12s",
	.next = "open the file in ui.perfetto.dev, or a .svg in any browser",
	.options = rows,
	.run = timeline_command,
};

static const struct format *format_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (unsigned i = 0; dot && dot != name && i < N_FORMATS; i++)
		if (!strcmp(dot + 1, formats[i].name))
			return &formats[i];
	return NULL;
}

static int complete(struct timeline_arguments *o, int n_dirs)
{
	if (n_dirs > 1) {
		log_error("a timeline shows one directory: write one for each");
		return OPTIONS_WRONG;
	}
	if (!o->output) {
		log_error("give the file to write with -o FILE (e.g. trace.pftrace)");
		return OPTIONS_WRONG;
	}
	if (!o->format)
		o->format = format_of(o->output);
	if (!o->format) {
		log_error("%s: unknown format: use a name ending in .pftrace, .fxt or .svg, "
			  "or give --format",
			  o->output);
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

static const enum stream_id drawn[] = { STREAM_iouring, STREAM_fs,        STREAM_ds,  STREAM_sched,
					STREAM_nw,      STREAM_pagefault, STREAM_exec };

static int check_session(const struct read_session *session)
{
	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
		if (session->streams[drawn[i]].n_segments)
			return 0;
	log_error("%s: nothing to draw: no rows of iouring, fs, ds, sched, nw, pagefault or exec",
		  session->dir);
	return -ENOENT;
}

static int draw(const struct timeline_arguments *o, const struct read_session *session, FILE *out,
		struct timeline_totals *totals)
{
	struct timeline_encoder *encoder = o->format->make(out);
	struct wall wall;
	int err;

	wall_make(&wall, session);
	if (encoder)
		encoder->wall = &wall;
	err = encoder ? timeline_write(session, &o->timeline, encoder, totals) : -ENOMEM;

	if (!encoder)
		log_error("out of memory");
	else
		encoder->free(encoder);
	return err;
}

static int write_file(const struct timeline_arguments *o, const struct read_session *session,
		      struct timeline_totals *totals)
{
	struct output_file file;
	int err = output_file_open(&file, o->output);

	return err ? err : output_file_close(&file, draw(o, session, file.out, totals));
}

/* In one line */
static void say_missing(const struct read_session *session)
{
	char names[128] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
		if (!session->streams[drawn[i]].on)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", streams[drawn[i]].name);
	if (len)
		log_note("not recorded: %s", names);
}

/* Of io_uring whole requests are kept. */
static void say_sampling(const struct read_session *session)
{
	const json_t *item;
	uint64_t rate;
	size_t i;

	json_array_foreach((json_t *)session->sampling, i, item)
	{
		const char *stream = member_text(item, "stream");

		if (!stream || !member_number(item, "rate", &rate) || rate < 2)
			continue;
		if (!strcmp(stream, streams[STREAM_iouring].name))
			log_note("sampled: one of %llu requests of io_uring",
				 (unsigned long long)rate);
		else
			log_note("sampled: one of %llu events of %s", (unsigned long long)rate,
				 stream);
	}
}

static void say(const struct read_session *session, const struct timeline_totals *totals)
{
	json_t *loss;
	size_t i;

	log_note("%llu rows, %llu slices, %llu requests of io_uring",
		 (unsigned long long)totals->rows, (unsigned long long)totals->slices,
		 (unsigned long long)totals->requests);
	if (totals->open)
		log_note("%llu requests without a completion are open to the end",
			 (unsigned long long)totals->open);
	if (totals->unmatched)
		log_note("%llu completions without a submission",
			 (unsigned long long)totals->unmatched);
	if (log_get_level() >= LOG_NORMAL) {
		if (gaps_print_command(stderr, "iotracer: command: ", session->manifest))
			fputc('\n', stderr);
		if (gaps_print_filters(stderr, "iotracer: recorded only: ",
				       json_object_get(session->manifest, "filters")))
			fputc('\n', stderr);
	}
	say_missing(session);
	say_sampling(session);
	json_array_foreach((json_t *)session->losses, i, loss)
		log_note("lost: %lld of %s (%s)",
			 (long long)json_integer_value(json_object_get(loss, "count")),
			 json_string_value(json_object_get(loss, "stream")),
			 json_string_value(json_object_get(loss, "reason")));
}

int timeline_command(int argc, char **argv)
{
	struct timeline_arguments o = { .output = NULL };
	struct timeline_totals totals = { .rows = 0 };
	struct read_session session;
	int err = options_parse(&command_timeline, argc, argv, &o);

	if (!err && optind == argc)
		err = options_wrong_usage(&command_timeline);
	if (!err)
		err = complete(&o, argc - optind);
	if (err)
		return err - 1;
	if (read_session_open(&session, argv[optind]))
		return STATUS_FAILED;
	err = check_session(&session);
	if (!err)
		err = write_file(&o, &session, &totals);
	if (!err)
		say(&session, &totals);
	if (!read_session_whole(&session))
		err = -EIO;
	read_session_close(&session);
	return err ? STATUS_FAILED : STATUS_OK;
}
