/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer why`: its command line, and what of an answer it shows. */
#include "analysis/why/why.h"

#include <inttypes.h>

#include "analysis/why/why_print.h"
#include "analysis/why/why_read.h"
#include "analysis/why/why_svg.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"

struct why_arguments {
	struct reader reader;
	bool slowest;
	const char *svg;
	struct why why;
};

#define TO(kind, member) OPTION_TO(kind, struct why_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  .parse = option_word, .target = offsetof(struct why_arguments, why.by),
	  .words = why_by_names,
	  .help = "add up by op, file, process, thread, waker, container",
	  .more = "Where `iouring` was recorded, requests of io_uring are operations by themselves. Of a thread all of its time is split, also that outside of operations; a waker has the operations whose "
		  "longest wait it ended." },
	{ .name = "slowest", .common = true, .section = OPTIONS_MAIN, TO(flag, slowest),
	  .help = "with --csv, --json: the slowest operations" },
	{ .name = "svg", .argument = "FILE", .common = true, .section = OPTIONS_MAIN, TO(text, svg),
	  .help = "a picture of the slowest operations" },
	READER_FORMAT_ROWS,
	READER_TOP_ROW("rows (20; all with --csv, --json; 0: all)"),
	READER_OUTPUT_ROW,
	READER_PROCESS_ROWS,
	READER_PATH_ROW("operations on these files", ""),
	{ .name = "min-latency", .argument = "TIME", .common = true, .section = OPTIONS_ROWS,
	  .parse = option_interval, .target = offsetof(struct why_arguments, why.min_latency),
	  .help = "only operations that took at least TIME (10ms)" },
	READER_TIME_ROWS("operations"),
	{ .name = "memory", .argument = "SIZE", .section = OPTIONS_MAIN, TO(size, reader.memory),
	  .help = "memory for threads and requests (256M)",
	  .more = "What does not fit is forgotten, the oldest first; operations that it was part of have more time that is not known." },
	READER_LAST_ROWS,
};
/* clang-format on */

const struct command command_why = {
	.name = "why",
	.summary = "shows where the time of operations went: CPU, run queue, device, waiting",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer why ~/trace --by process --min-latency 10ms",
	.next = "iotracer timeline DIR -o FILE.pftrace",
	.options = rows,
	.run = why_command,
};

enum { BYTES_OF_A_GROUP = 1024, SLOWEST = 20 };

static int complete(struct reader *reader)
{
	struct why_arguments *o = (struct why_arguments *)reader;

	if (o->svg) {
		if (reader->format != TABLE_TEXT || reader->output)
			return reader_refuse("--svg excludes --csv, --json and --output");
		reader->output = o->svg;
		reader->csv = true; /* what the trace lacks goes beside the answer */
	}
	if (o->slowest && reader->format == TABLE_TEXT)
		return reader_refuse("--slowest goes with --csv or --json; the text has both");
	if (!reader->has_top)
		reader->top = reader->format == TABLE_TEXT || o->slowest ? SLOWEST : 0;
	if (o->slowest && !reader->top)
		return reader_refuse("--slowest needs a --top of at least 1");
	if (o->why.by == WHY_BY_CONTAINER)
		reader_wants_containers(reader);
	o->why.top = reader->format == TABLE_TEXT || o->slowest ? reader->top : 0;
	o->why.most_groups = reader->memory / BYTES_OF_A_GROUP;
	return OPTIONS_OK;
}

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	return why_reading_open(reading, dir, &reader->filter, reader->memory,
				&((struct why_arguments *)reader)->why);
}

static int sort(struct reader *reader)
{
	why_sort(&((struct why_arguments *)reader)->why);
	return 0;
}

static void print_head(const struct reader *reader, FILE *out)
{
	static const char *const plurals[N_WHY_BY] = { "operations", "files",  "processes",
						       "threads",    "wakers", "containers" };
	const struct why_arguments *o = (const struct why_arguments *)reader;

	fprintf(out, "\"%s\": ", o->slowest ? "slowest" : plurals[o->why.by]);
}

/* What of the answer is not known, and why: in it, or beside it. */
static void put_note(FILE *out, const char *dir, const char *what)
{
	if (out)
		fprintf(out, "%s: %s\n", dir, what);
	else
		log_warn("%s: %s", dir, what);
}

static void put_notes(const struct why_arguments *o, FILE *out)
{
	const struct why_reading *readings = o->reader.readings;
	char text[160];

	for (unsigned i = 0; i < o->reader.n; i++) {
		const struct why_reading *r = &readings[i];

		if (!r->has_sched)
			put_note(
				out, r->session.dir,
				"without stream sched only the time in devices is known; record with -e why");
		if (!r->has_ds)
			put_note(
				out, r->session.dir,
				"without stream ds the time in devices is not told apart from other waits; record with -e why");
		if (r->n_alone) {
			snprintf(
				text, sizeof(text),
				"%" PRIu64
				" operations of AIO and io_uring, for which no thread waits: of these only the time in devices is known",
				r->n_alone);
			put_note(out, r->session.dir, text);
		}
		if (r->early) {
			snprintf(
				text, sizeof(text),
				"%" PRIu64
				" operations have more time that is not known, for want of memory; give more with --memory",
				r->early);
			put_note(out, r->session.dir, text);
		}
	}
	if (o->why.rest.count) {
		snprintf(text, sizeof(text),
			 "%" PRIu64
			 " operations are in no row, for want of memory; give more with --memory",
			 o->why.rest.count);
		put_note(out, why_by_names[o->why.by], text);
	}
}

static int print(struct reader *reader, FILE *out)
{
	const struct why_arguments *o = (const struct why_arguments *)reader;

	put_notes(o, reader->format == TABLE_TEXT && !o->svg ? out : NULL);
	if (o->svg)
		return why_svg(out, &o->why);
	if (reader->format == TABLE_TEXT)
		return why_print_text(out, &o->why, reader->top);
	if (o->slowest)
		return why_print_slowest(out, &o->why, reader->n > 1, reader->format);
	return why_print_exact(out, &o->why, reader->top, reader->n > 1, reader->format);
}

static void end(struct reader *reader)
{
	why_free(&((struct why_arguments *)reader)->why);
}

static const struct reader_command why = {
	.command = &command_why,
	.reading_size = sizeof(struct why_reading),
	.complete = complete,
	.open = open_trace,
	.finish = sort,
	.gaps_at = offsetof(struct why_reading, gaps),
	.print_head = print_head,
	.print = print,
	.end = end,
};

int why_command(int argc, char **argv)
{
	struct why_arguments o = { .why.by = WHY_BY_OPERATION };

	return reader_run(&why, &o.reader, argc, argv);
}
