/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer timeline`: its command line, and the file that a timeline goes to. */
#include "analysis/common/gaps.h"
#include "analysis/timeline/timeline.h"

#include <errno.h>
#include <string.h>

#include "analysis/common/wall.h"
#include "analysis/timeline/timeline_fuchsia.h"
#include "analysis/timeline/timeline_perfetto.h"
#include "analysis/timeline/timeline_svg.h"
#include "analysis/timeline/timeline_write.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"
#include "read/members.h"

/* Their names are also how files of them end, behind a dot. */
static const char *const format_names[] = { "pftrace", "fxt", "svg", NULL };
static struct timeline_encoder *(*const encoders[])(FILE *out) = {
	timeline_perfetto,
	timeline_fuchsia,
	timeline_svg,
};

enum { N_FORMATS = sizeof(encoders) / sizeof(encoders[0]) };

struct timeline_arguments {
	struct reader reader;
	unsigned format; /* N_FORMATS: by the name of the file */
};

struct timeline_reading {
	struct read_session session;
	struct timeline_totals totals;
};

#define TO(kind, member) OPTION_TO(kind, struct timeline_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, reader.output), .help = "write to FILE (X.pftrace, X.fxt, X.svg), needed",
	  .more = "Open it at https://ui.perfetto.dev, which sends nothing anywhere, or with `trace_processor`. "
		  "Where `sched` was recorded (`-e why`), a slice of fs has the parts of its time, as `iotracer why` has "
		  "them, among its arguments: run_ns, runqueue_ns, device_queue_ns, device_ns, server_queue_ns, server_ns, wait_ns, unknown_ns, those that "
		  "are not 0, and the waker. A process in a container has its name in brackets behind its own." },
	{ .name = "format", .argument = "FORMAT", .common = true, .section = OPTIONS_MAIN,
	  .parse = option_word, .target = offsetof(struct timeline_arguments, format), .words = format_names,
	  .help = "pftrace (Perfetto), fxt (Fuchsia), svg (a picture)" },
	READER_PID_ROW,
	READER_CONTAINER_ROW,
	READER_TIME_ROWS("events"),
	READER_LAST_ROWS,
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

static unsigned format_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	unsigned i = dot && dot != name ? 0 : N_FORMATS;

	while (i < N_FORMATS && strcmp(dot + 1, format_names[i]))
		i++;
	return i;
}

static int complete(struct reader *reader)
{
	struct timeline_arguments *o = (struct timeline_arguments *)reader;

	if (reader->n_dirs > 1)
		return reader_refuse("a timeline shows one directory: write one for each");
	if (!reader->output)
		return reader_refuse("give the file to write with -o FILE (e.g. trace.pftrace)");
	if (o->format == N_FORMATS)
		o->format = format_of(reader->output);
	if (o->format == N_FORMATS) {
		log_error("%s: unknown format: use a name ending in .pftrace, .fxt or .svg, "
			  "or give --format",
			  reader->output);
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

static const enum stream_id drawn[] = { STREAM_iouring, STREAM_fs,        STREAM_ds,  STREAM_sched,
					STREAM_nw,      STREAM_pagefault, STREAM_exec };

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	struct read_session *session = reading;
	int err = read_session_open(session, dir);

	(void)reader;
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
		if (session->streams[drawn[i]].n_segments)
			return 0;
	log_error("%s: nothing to draw: no rows of iouring, fs, ds, sched, nw, pagefault or exec",
		  dir);
	return -ENOENT;
}

static int draw(struct reader *reader, FILE *out)
{
	struct timeline_reading *r = reader->readings;
	struct timeline_encoder *encoder =
		encoders[((struct timeline_arguments *)reader)->format](out);
	struct wall wall;
	int err;

	if (!encoder)
		return -ENOMEM;
	wall_make(&wall, &r->session);
	encoder->wall = &wall;
	err = timeline_write(&r->session, &reader->filter, encoder, &r->totals);
	encoder->free(encoder);
	return err ? 1 : 0;
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

static void say(const struct reader *reader)
{
	const struct timeline_reading *r = reader->readings;
	const struct read_session *session = &r->session;
	const struct timeline_totals *totals = &r->totals;
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

static const struct reader_command timeline = {
	.command = &command_timeline,
	.reading_size = sizeof(struct timeline_reading),
	.complete = complete,
	.open = open_trace,
	.print = draw,
	.say = say,
};

int timeline_command(int argc, char **argv)
{
	struct timeline_arguments o = { .format = N_FORMATS };

	return reader_run(&timeline, &o.reader, argc, argv);
}
