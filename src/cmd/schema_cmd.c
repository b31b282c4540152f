/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the output of `iotracer schema`: the same tables that write the rows, as
 * text of 80 columns or as JSON. Names no stream.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/schema_cmd.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
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
	json_t *table = schema_table(stream);

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

static void complain_unknown(const char *name)
{
	char list[256] = "";

	for (int i = 0; i < N_STREAMS; i++) {
		strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, streams[i].name, sizeof(list) - strlen(list) - 1);
	}
	log_error("there is no stream %s: choose one of %s", name, list);
}

static int usage(FILE *to, int status)
{
	fputs("usage: iotracer schema [STREAM] [--json | --sql[=DIALECT]]\n"
	      "the columns of every stream, or of one: number, name, type, unit, meaning\n"
	      "  -j, --json           as a Frictionless Table Schema\n"
	      "  -s, --sql[=DIALECT]  as CREATE TABLE for sqlite (the default), duckdb, clickhouse, spark\n"
	      "  -h, --help           this text\n",
	      to);
	return status;
}

static int print_sql(const char *dialect, int only)
{
	for (int i = 0; i < N_STREAMS; i++)
		if ((only == ALL || only == i) && schema_sql(stdout, dialect, (enum stream_id)i)) {
			log_error("--sql knows sqlite, duckdb, clickhouse and spark, not '%s'",
				  dialect);
			return 2;
		}
	return 0;
}

int schema_command(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "sql", optional_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *sql = NULL;
	bool json = false;
	int only = ALL;
	int c, status = 0;

	optind = 0; /* main may have used getopt before */
	while ((c = getopt_long(argc, argv, "js::h", options, NULL)) != -1) {
		if (c == 'h')
			return usage(stdout, 0);
		if (c == 's')
			sql = optarg ? optarg : "sqlite";
		else if (c == 'j')
			json = true;
		else
			return usage(stderr, 2);
	}
	if (argc - optind > 1 || (json && sql))
		return usage(stderr, 2);
	if (optind < argc && (only = schema_find(argv[optind])) < 0) {
		complain_unknown(argv[optind]);
		return 2;
	}
	if (sql)
		status = print_sql(sql, only);
	else if (!json)
		print_text(only);
	else if (print_json(only))
		return 1;
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return 1;
	}
	return status;
}
