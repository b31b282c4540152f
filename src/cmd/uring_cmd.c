/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer uring`: its command line, and the way from directories to rings. */
#include "analysis/uring/uring.h"

#include "analysis/uring/uring_order.h"
#include "analysis/uring/uring_print.h"
#include "analysis/uring/uring_read.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"

struct uring_arguments {
	struct reader reader;
	const char *sort;
	struct uring uring;
};

#define TO(kind, member) OPTION_TO(kind, struct uring_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	READER_FORMAT_ROWS,
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  .parse = option_word, .target = offsetof(struct uring_arguments, uring.by),
	  .words = uring_by_names,
	  .help = "add up by process, file, opcode, host, container (ring)",
	  .more = "Each but `opcode` is split by opcode, too. Columns that only a ring has are empty for the others." },
	{ .name = "sort", .argument = "COLUMN", .common = true, .section = OPTIONS_MAIN,
	  TO(text, sort), .help = "sort by this column of --csv (requests)",
	  .more = "Numbers from the highest, names from the lowest; opcodes stay with their ring, process, file or host." },
	READER_TOP_ROW("rows (20; all with --csv, --json; 0: all)"),
	READER_OUTPUT_ROW,
	READER_PROCESS_ROWS,
	READER_PATH_ROW("requests of these files", " Calls and queues are then left out."),
	READER_TIME_ROWS("rows"),
	READER_LAST_ROWS,
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
	if (o->uring.by == URING_BY_CONTAINER)
		reader_wants_containers(reader);
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
	static const char *const plurals[N_URING_BY] = { "rings",   "processes", "files",
							 "opcodes", "hosts",     "containers" };

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
};

int uring_command(int argc, char **argv)
{
	struct uring_arguments o = { .sort = NULL };

	return reader_run(&uring, &o.reader, argc, argv);
}
