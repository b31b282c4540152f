/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the output of `iotracer schema`: the same tables that write the rows, as
 * text of 80 columns or as JSON. Names no stream.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/files/files_sql.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "row/schema.h"
#include "row/schema_sql.h"
#include "write/write.h"

enum { WIDTH = 80, ALL = -1 };

/* doc from column indent on, broken at blanks; the first line is already indented. */
static void print_wrapped(const char *text, int indent)
{
	int room = WIDTH - indent;

	while (*text) {
		int len = (int)strlen(text);

		if (len > room) {
			for (len = room; len > 0 && text[len] != ' '; len--)
				;
			if (!len) /* one long word: let it stick out */
				len = (int)strcspn(text, " ");
		}
		printf("%.*s\n", len, text);
		text += len;
		text += strspn(text, " ");
		if (*text)
			printf("%*s", indent, "");
	}
}

static int widest(const struct stream *s, size_t offset, int least)
{
	for (unsigned i = 0; i < s->n_columns; i++) {
		const char *const *text = (const void *)((const char *)&s->columns[i] + offset);
		int len = (int)strlen(*text);

		if (len > least)
			least = len;
	}
	return least;
}

static void print_stream(const struct stream *s)
{
	int name = widest(s, offsetof(struct column, name), (int)strlen("name"));
	int type = widest(s, offsetof(struct column, type), (int)strlen("type"));
	int unit = widest(s, offsetof(struct column, unit), (int)strlen("unit"));
	int indent = 4 + name + 2 + type + 2 + unit + 2;

	printf("%s: ", s->name);
	print_wrapped(s->doc, (int)strlen(s->name) + 2);
	printf(" #  %-*s  %-*s  %-*s  meaning\n", name, "name", type, "type", unit, "unit");
	for (unsigned i = 0; i < s->n_columns; i++) {
		const struct column *c = &s->columns[i];

		printf("%2u  %-*s  %-*s  %-*s  ", i + 1, name, c->name, type, c->type, unit,
		       c->unit);
		print_wrapped(c->doc[0] ? c->doc : "-", indent);
	}
}

static void print_text(int only)
{
	for (int i = 0; i < N_STREAMS; i++) {
		if (only != ALL && only != i)
			continue;
		if (i && only == ALL)
			putchar('\n');
		print_stream(&streams[i]);
	}
}

static json_t *stream_json(enum stream_id stream)
{
	json_t *table = schema_table(stream, 0);

	json_object_set_new(table, "name", json_string(streams[stream].name));
	json_object_set_new(table, "description", json_string(streams[stream].doc));
	return table;
}

/* One stream: its table schema. All of them: the schemas by stream name. */
static int print_json(int only)
{
	json_t *root = only == ALL ? json_object() : stream_json((enum stream_id)only);
	int err;

	for (int i = 0; only == ALL && i < N_STREAMS; i++)
		json_object_set_new(root, streams[i].name, stream_json((enum stream_id)i));
	if (only == ALL)
		root = json_pack("{s:i, s:o}", "schema_version", SCHEMA_VERSION, "streams", root);
	err = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(root);
	return err ? -ENOMEM : 0;
}

static void report_unknown(const char *name)
{
	char list[256] = "";

	for (int i = 0; i < N_STREAMS; i++) {
		strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, streams[i].name, sizeof(list) - strlen(list) - 1);
	}
	log_error("unknown stream '%s' (%s)", name, list);
}

struct schema_options {
	bool json;
	const char *sql;   /* dialect, NULL: none */
	const char *query; /* what is asked, NULL: the columns */
};

static bool parse_query(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	if (strcmp(arg, "files")) {
		log_error("--query: unknown query '%s' (files)", arg);
		return false;
	}
	*(const char **)target = arg;
	return true;
}

static bool parse_sql(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	*(const char **)target = arg ? arg : "sqlite";
	return true;
}

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "json", .letter = 'j', .section = OPTIONS_MAIN,
	  OPTION_TO(flag, struct schema_options, json),
	  .help = "as Frictionless Table Schemas",
	  .more = "As in datapackage.json." },
	{ .name = "sql", .letter = 's', .argument = "[=DIALECT]", .section = OPTIONS_MAIN,
	  .parse = parse_sql, .target = offsetof(struct schema_options, sql),
	  .help = "as CREATE TABLE: sqlite, duckdb, clickhouse, spark",
	  .more = "Default: `sqlite`. doc/LOADING.md of the sources has the lines that load a directory." },
	{ .name = "query", .argument = "files", .section = OPTIONS_MAIN,
	  .parse = parse_query, .target = offsetof(struct schema_options, query),
	  .help = "the answer of `iotracer files` as a query (clickhouse)",
	  .more = "For the directories of a fleet in a store: put their pattern in place of DIR. `host` is then "
		  "the name of the directory. The cells are those of `iotracer files --csv`." },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_schema = {
	.name = "schema",
	.summary = "prints the columns of every stream: number, name, type, unit, meaning",
	.usage = "[STREAM] [--json | --sql[=DIALECT] [--query=files]]",
	.example = "iotracer schema fs",
	.options = rows,
	.run = schema_command,
};

static int print_sql(const char *dialect, int only)
{
	for (int i = 0; i < N_STREAMS; i++)
		if ((only == ALL || only == i) && schema_sql(stdout, dialect, (enum stream_id)i)) {
			log_error("--sql: unknown dialect '%s' (sqlite, duckdb, clickhouse, spark)",
				  dialect);
			return STATUS_USAGE;
		}
	return 0;
}

static int print_query(const char *dialect)
{
	if (!files_sql(stdout, dialect))
		return STATUS_OK;
	log_error("--query: only --sql=clickhouse has one, not '%s'", dialect);
	return STATUS_USAGE;
}

int schema_command(int argc, char **argv)
{
	struct schema_options o = { 0 };
	int err = options_parse(&command_schema, argc, argv, &o);
	int only = ALL, status = STATUS_OK;

	if (!err &&
	    (argc - optind > 1 || (o.json && o.sql) || (o.query && (!o.sql || optind < argc))))
		err = options_wrong_usage(&command_schema);
	if (err)
		return err - 1;
	if (optind < argc && (only = schema_find(argv[optind])) < 0) {
		report_unknown(argv[optind]);
		return STATUS_USAGE;
	}
	if (o.query)
		status = print_query(o.sql);
	else if (o.sql)
		status = print_sql(o.sql, only);
	else if (!o.json)
		print_text(only);
	else if (print_json(only))
		return STATUS_FAILED;
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return STATUS_FAILED;
	}
	return status;
}
