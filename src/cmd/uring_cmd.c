/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer uring`: its command line, and the way from directories to rings. */
#include "analysis/uring/uring.h"

#include "analysis/uring/uring_order.h"
#include "analysis/uring/uring_print.h"
#include "analysis/uring/uring_read.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/option_groups.h"
#include "cmd/reader.h"

struct uring_arguments {
	struct reader reader;
	const char *sort;
	struct uring uring;
};

#define TO(kind, member) OPTION_TO(kind, struct uring_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, reader.csv),
	  .help = "all numbers as CSV, exact",
	  .more = "Gaps of the trace go to standard error." },
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, reader.json),
	  .help = "the same as JSON, with gaps of the trace" },
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  .parse = option_word, .target = offsetof(struct uring_arguments, uring.by),
	  .words = uring_by_names,
	  .help = "add up by process, file, opcode, host (ring)",
	  .more = "Each but `opcode` is split by opcode, too. Columns that only a ring has are empty for the others." },
	{ .name = "sort", .argument = "COLUMN", .common = true, .section = OPTIONS_MAIN,
	  TO(text, sort), .help = "sort by this column of --csv (requests)",
	  .more = "Numbers from the highest, names from the lowest; opcodes stay with their ring, process, file or host." },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = option_top, .help = "at most N rows (20; all with --csv, --json; 0: all)" },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, reader.output), .help = "write to FILE" },
	OPTIONS_READ_PROCESSES_ROWS(struct uring_arguments, reader.filter),
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS,
	  TO(text, reader.filter.path), .help = "only requests of these files",
	  .more = "A pattern without a slash is compared with the last part of the path. Calls and queues are then left out." },
	OPTIONS_READ_TIMES_ROWS(struct uring_arguments, reader.filter, "rows"),
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES,
	  .parse = option_quiet, .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_uring = {
	.name = "uring",
	.summary = "shows how rings of io_uring were used: requests, their ways, latencies",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer uring ~/trace -p 4711",
	.next = "iotracer timeline DIR -o FILE.pftrace",
	.options = rows,
	.run = uring_command,
};

static int complete(struct reader *reader)
{
	struct uring_arguments *o = (struct uring_arguments *)reader;

	if (o->sort && !uring_sorts_by(o->uring.by, o->sort)) {
		log_error("--sort: unknown column '%s'; `iotracer uring DIR --csv` has them all",
			  o->sort);
		return OPTIONS_WRONG;
	}
	if (!reader->has_top)
		reader->top = reader->format == TABLE_TEXT ? READER_TOP : 0;
	o->uring.path = reader->filter.path;
	return OPTIONS_OK;
}

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	return uring_reading_open(reading, dir, &reader->filter,
				  &((struct uring_arguments *)reader)->uring);
}

static int sort(struct reader *reader)
{
	struct uring_arguments *o = (struct uring_arguments *)reader;

	uring_sort(&o->uring, o->sort);
	return 0;
}

static void print_head(const struct reader *reader, FILE *out)
{
	static const char *const plurals[N_URING_BY] = { "rings", "processes", "files", "opcodes",
							 "hosts" };

	fprintf(out, "\"%s\": ", plurals[((const struct uring_arguments *)reader)->uring.by]);
}

static int print(struct reader *reader, FILE *out)
{
	const struct uring *uring = &((struct uring_arguments *)reader)->uring;

	if (reader->format == TABLE_TEXT)
		return uring_print_text(out, uring, reader->top);
	return uring_print_exact(out, uring, reader->top, reader->n > 1, reader->format);
}

static void end(struct reader *reader)
{
	uring_free(&((struct uring_arguments *)reader)->uring);
}

static void close_trace(void *reading)
{
	uring_reading_close(reading);
}

static const struct reader_command uring = {
	.command = &command_uring,
	.reading_size = sizeof(struct uring_reading),
	.complete = complete,
	.open = open_trace,
	.finish = sort,
	.gaps_at = offsetof(struct uring_reading, gaps),
	.print_head = print_head,
	.print = print,
	.end = end,
	.close = close_trace,
};

int uring_command(int argc, char **argv)
{
	struct uring_arguments o = { .sort = NULL };

	return reader_run(&uring, &o.reader, argc, argv);
}
