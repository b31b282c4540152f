/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer uring`: its command line, and the way from directories to rings. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/uring/uring.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/option_groups.h"

enum { DEFAULT_TOP = 20 };

struct uring_arguments {
	struct row_filter filter;
	enum uring_by by;
	const char *sort;
	uint64_t top;
	bool csv, json, has_top;
	const char *output;
};

static bool parse_top(const struct option_row *row, const char *arg, void *target)
{
	struct uring_arguments *o = target;

	o->has_top = parse_number(arg, UINT64_MAX, &o->top);
	if (!o->has_top)
		log_error("--%s: invalid number '%s'", row->name, arg);
	return o->has_top;
}

static bool parse_by(const struct option_row *row, const char *arg, void *target)
{
	for (int i = 0; i < N_URING_BY; i++)
		if (!strcmp(arg, uring_by_names[i])) {
			*(enum uring_by *)target = (enum uring_by)i;
			return true;
		}
	log_error("--%s: unknown key '%s' (ring, process, file, opcode, host)", row->name, arg);
	return false;
}

#define TO(kind, member) OPTION_TO(kind, struct uring_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, csv),
	  .help = "all numbers as CSV, exact",
	  .more = "Gaps of the trace go to standard error." },
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, json),
	  .help = "the same as JSON, with gaps of the trace" },
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_by, .target = offsetof(struct uring_arguments, by),
	  .help = "add up by process, file, opcode, host (ring)",
	  .more = "Each but `opcode` is split by opcode, too. Columns that only a ring has are empty for the others." },
	{ .name = "sort", .argument = "COLUMN", .common = true, .section = OPTIONS_MAIN,
	  TO(text, sort), .help = "sort by this column of --csv (requests)",
	  .more = "Numbers from the highest, names from the lowest; opcodes stay with their ring, process, file or host." },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_top, .help = "at most N rows (20; all with --csv, --json; 0: all)" },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write to FILE" },
	OPTIONS_READ_PROCESSES_ROWS(struct uring_arguments, filter),
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS,
	  TO(text, filter.path), .help = "only requests of these files",
	  .more = "A pattern without a slash is compared with the last part of the path. Calls and queues are then left out." },
	OPTIONS_READ_TIMES_ROWS(struct uring_arguments, filter, "rows"),
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

struct traces {
	struct uring_reading *readings;
	unsigned n;
};

static void print_gaps(FILE *out, const char *prefix, const struct traces *t)
{
	for (unsigned i = 0; i < t->n; i++)
		gaps_print(out, prefix, &t->readings[i].gaps, true);
}

static int begin_json(FILE *out, const struct traces *t, enum uring_by by)
{
	static const char *const plurals[N_URING_BY] = { "rings", "processes", "files", "opcodes",
							 "hosts" };
	json_t *list = json_array();
	int err = 0;

	for (unsigned i = 0; i < t->n; i++)
		json_array_append_new(list, gaps_json(&t->readings[i].gaps));
	fputs("{\n  \"traces\": ", out);
	if (json_array_size(list) != t->n ||
	    json_dumpf(list, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = -ENOMEM;
	json_decref(list);
	fprintf(out, ",\n  \"%s\": ", plurals[by]);
	return err;
}

static int print(FILE *out, const struct uring_arguments *o, const struct traces *t,
		 const struct uring *uring)
{
	int err;

	if (o->json) {
		err = begin_json(out, t, o->by);
		if (!err)
			err = uring_print_exact(out, uring, o->top, t->n > 1, TABLE_JSON);
		fputs("\n}\n", out);
		return err;
	}
	if (o->csv) {
		if (log_get_level() >= LOG_NORMAL)
			print_gaps(stderr, "iotracer: ", t);
		return uring_print_exact(out, uring, o->top, t->n > 1, TABLE_CSV);
	}
	print_gaps(out, "", t);
	fputc('\n', out);
	return uring_print_text(out, uring, o->top);
}

static int write_answer(const struct uring_arguments *o, const struct traces *t,
			const struct uring *uring)
{
	struct output_file file;
	int err = output_file_open(&file, o->output);

	if (err)
		return err;
	err = print(file.out, o, t, uring);
	if (err)
		log_error("%s", strerror(-err));
	return output_file_close(&file, err);
}

static int answer(const struct uring_arguments *o, char **dirs, unsigned n_dirs)
{
	struct traces t = { .readings = calloc(n_dirs, sizeof(*t.readings)) };
	struct uring uring = { .by = o->by, .path = o->filter.path };
	int status = STATUS_OK;

	if (!t.readings) {
		log_error("out of memory");
		return STATUS_FAILED;
	}
	for (unsigned i = 0; i < n_dirs; i++) {
		struct uring_reading *r = &t.readings[t.n];

		if (uring_reading_open(r, dirs[i], &o->filter, &uring)) {
			uring_reading_close(r);
			memset(r, 0, sizeof(*r));
			status = STATUS_FAILED;
			continue;
		}
		if (!read_session_whole(&r->session))
			status = STATUS_FAILED;
		row_filter_say_none(&o->filter, dirs[i], r->gaps.totals.rows, r->gaps.chosen);
		t.n++;
	}
	uring_sort(&uring, o->sort);
	if (t.n && write_answer(o, &t, &uring))
		status = STATUS_FAILED;
	for (unsigned i = 0; i < t.n; i++)
		uring_reading_close(&t.readings[i]);
	uring_free(&uring);
	free(t.readings);
	return status;
}

int uring_command(int argc, char **argv)
{
	struct uring_arguments o = { .csv = false };
	int err = options_parse(&command_uring, argc, argv, &o);

	if (!err && optind == argc)
		err = options_wrong_usage(&command_uring);
	if (!err && o.csv && o.json) {
		log_error("--csv and --json exclude each other");
		err = OPTIONS_WRONG;
	}
	if (!err && o.sort && !uring_sorts_by(o.by, o.sort)) {
		log_error("--sort: unknown column '%s'; `iotracer uring DIR --csv` has them all",
			  o.sort);
		err = OPTIONS_WRONG;
	}
	if (err)
		return err - 1;
	if (!o.has_top)
		o.top = o.csv || o.json ? 0 : DEFAULT_TOP;
	/* who reads the answer through a pipe may have enough of it */
	signal(SIGPIPE, SIG_DFL);
	return answer(&o, argv + optind, (unsigned)(argc - optind));
}
