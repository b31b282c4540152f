/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from a command line to an answer, and what goes wrong on it. Knows no command. */
#include "cmd/reader.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/gaps.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/status.h"
#include "cmd/option_values.h"
#include "read/read_session.h"

/* ---- options ---- */

bool option_top(const struct option_row *row, const char *arg, void *target)
{
	struct reader *r = target;

	r->has_top = parse_number(arg, UINT64_MAX, &r->top);
	if (!r->has_top)
		log_error("--%s: invalid number '%s'", row->name, arg);
	return r->has_top;
}

void reader_wants_containers(struct reader *r)
{
	r->filter.in = &r->containers;
}

int reader_refuse(const char *message)
{
	log_error("%s", message);
	return OPTIONS_WRONG;
}

static int parse(const struct reader_command *c, struct reader *r, int argc, char **argv)
{
	int err = options_parse(c->command, argc, argv, r);

	if (err)
		return err;
	if (optind == argc)
		return options_wrong_usage(c->command);
	if (r->csv && r->json)
		return reader_refuse("--csv and --json exclude each other");
	r->format = r->csv ? TABLE_CSV : r->json ? TABLE_JSON : TABLE_TEXT;
	if (r->filter.n_containers)
		reader_wants_containers(r);
	r->n_dirs = (unsigned)(argc - optind);
	r->memory = (r->memory ? r->memory : READER_MEMORY) / r->n_dirs;
	return c->complete ? c->complete(r) : OPTIONS_OK;
}

/* ---- the answer ---- */

static void *reading_at(const struct reader_command *c, const struct reader *r, unsigned i)
{
	return (char *)r->readings + i * c->reading_size;
}

static void close_reading(const struct reader_command *c, void *reading)
{
	if (c->close)
		c->close(reading);
	else
		read_session_close(reading);
}

static const struct gaps *gaps_of(const struct reader_command *c, const struct reader *r,
				  unsigned i)
{
	return (const struct gaps *)((char *)reading_at(c, r, i) + c->gaps_at);
}

static void print_gaps(const struct reader_command *c, const struct reader *r, FILE *out,
		       const char *prefix)
{
	for (unsigned i = 0; i < r->n; i++)
		if (c->print_gaps)
			c->print_gaps(r, reading_at(c, r, i), out, prefix);
		else
			gaps_print(out, prefix, gaps_of(c, r, i), true);
}

static int begin_json(const struct reader_command *c, const struct reader *r, FILE *out)
{
	json_t *list = json_array();
	int err = 0;

	for (unsigned i = 0; i < r->n; i++)
		json_array_append_new(list, c->gaps ? c->gaps(r, reading_at(c, r, i)) :
						      gaps_json(gaps_of(c, r, i)));
	fputs("{\n  \"traces\": ", out);
	if (json_array_size(list) != r->n ||
	    json_dumpf(list, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = -ENOMEM;
	json_decref(list);
	fputs(",\n  ", out);
	c->print_head(r, out);
	return err;
}

/* What the traces lack comes before the answer: in it, or, where it has no room, beside it. */
static int print(const struct reader_command *c, struct reader *r, FILE *out)
{
	int err = 0;

	if (!c->print_head)
		return c->print(r, out);
	if (r->json)
		err = begin_json(c, r, out);
	else if (r->csv || r->folder) {
		if (log_get_level() >= LOG_NORMAL)
			print_gaps(c, r, stderr, "iotracer: ");
	} else {
		print_gaps(c, r, out, "");
		fputc('\n', out);
	}
	if (!err)
		err = c->print(r, out);
	if (r->json)
		fputs("\n}\n", out);
	return err;
}

static int write_answer(const struct reader_command *c, struct reader *r)
{
	struct output_file file;
	int err = r->folder ? print(c, r, NULL) : output_file_open(&file, r->output);

	if (err || r->folder)
		return err;
	err = print(c, r, file.out);
	if (err < 0)
		log_error("%s", strerror(-err));
	return output_file_close(&file, err);
}

/* Those that can be read are; false: not all could. */
static bool read_all(const struct reader_command *c, struct reader *r, char **dirs)
{
	bool all = true;

	for (; *dirs; dirs++) {
		void *reading = reading_at(c, r, r->n);
		const struct gaps *gaps = gaps_of(c, r, r->n);

		if (c->open(r, reading, *dirs)) {
			close_reading(c, reading);
			memset(reading, 0, c->reading_size);
			all = false;
			continue;
		}
		if (c->gaps_at)
			row_filter_say_none(&r->filter, *dirs, gaps->totals.rows, gaps->chosen);
		r->n++;
	}
	return all;
}

static bool answer(const struct reader_command *c, struct reader *r, char **dirs)
{
	bool all = read_all(c, r, dirs);

	if (!r->n)
		return false;
	if ((c->finish && c->finish(r)) || write_answer(c, r))
		all = false;
	else if (c->say)
		c->say(r);
	for (unsigned i = 0; i < r->n; i++) {
		all = read_session_whole(reading_at(c, r, i)) && all;
		/* tables of a summary are no rows of the session */
		all = all && (!c->gaps_at || !gaps_of(c, r, i)->totals.bad_rows);
	}
	return all;
}

int reader_run(const struct reader_command *c, struct reader *r, int argc, char **argv)
{
	int err = parse(c, r, argc, argv);
	bool all;

	if (err)
		return err - 1;
	/* who reads the answer through a pipe may have enough of it */
	signal(SIGPIPE, SIG_DFL);
	r->readings = calloc(r->n_dirs, c->reading_size);
	if (!r->readings)
		log_error("out of memory");
	all = r->readings && answer(c, r, argv + optind);
	if (c->end)
		c->end(r);
	for (unsigned i = 0; i < r->n; i++)
		close_reading(c, reading_at(c, r, i));
	free(r->readings);
	process_containers_free(&r->containers);
	return all ? STATUS_OK : STATUS_FAILED;
}
