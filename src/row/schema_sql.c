/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what the columns are called in SQL, for four dialects. Empty cells are
 * NULL in all of them, but ClickHouse's texts, which are empty as cheaply.
 */
#include "row/schema_sql.h"

#include <errno.h>
#include <string.h>

struct dialect {
	const char *name;
	char quote; /* around names: index and others are key words somewhere */
	const char *time;
	const char *maybe; /* a time that may be empty; the first column is not */
	const char *text;
	const char *number;
	const char *integer;
	const char *natural;                                 /* up to 2^64 - 1 */
	const char *never;                                   /* mono_ns, which is never empty */
	void (*end)(FILE *out, const struct stream *stream); /* behind the columns */
};

/* The shell's .import knows no NULL: an empty cell of a number would be a text. */
static void end_sqlite(FILE *out, const struct stream *s)
{
	fprintf(out,
		");\nCREATE TRIGGER \"%s_null\" AFTER INSERT ON \"%s\" BEGIN\n  UPDATE \"%s\" SET",
		s->name, s->name, s->name);
	for (unsigned i = 1; i < s->n_columns; i++)
		fprintf(out, "%s\n    \"%s\" = nullif(\"%s\", '')", i > 1 ? "," : "",
			s->columns[i].name, s->columns[i].name);
	fputs("\n  WHERE rowid = NEW.rowid;\nEND;\n\n", out);
}

static void end_plain(FILE *out, const struct stream *s)
{
	(void)s;
	fputs(");\n\n", out);
}

static void end_clickhouse(FILE *out, const struct stream *s)
{
	fprintf(out, ") ENGINE = MergeTree ORDER BY (\"%s\", \"mono_ns\");\n\n",
		s->columns[0].name);
}

/* It reads the segments where they are: DIR is a directory, or a pattern like fleet-*. */
static void end_spark(FILE *out, const struct stream *s)
{
	fprintf(out,
		") USING csv OPTIONS (\n  path 'DIR/%s/%s_*.csv*', header 'true', escape '\"', mode 'FAILFAST',\n"
		"  timestampFormat 'yyyy-MM-dd HH:mm:ss[.SSSSSS]'\n);\n\n",
		s->name, s->name);
}

/* clang-format off */
static const struct dialect dialects[] = {
	{ "sqlite", '"', "TEXT", "TEXT", "TEXT", "REAL", "INTEGER", "INTEGER", "", end_sqlite },
	{ "duckdb", '"', "TIMESTAMP", "TIMESTAMP", "VARCHAR", "DOUBLE", "BIGINT", "UBIGINT", "", end_plain },
	{ "clickhouse", '"', "DateTime64(6)", "Nullable(DateTime64(6))", "String", "Nullable(Float64)", "Nullable(Int64)",
	  "Nullable(UInt64)", "UInt64", end_clickhouse },
	{ "spark", '`', "TIMESTAMP", "TIMESTAMP", "STRING", "DOUBLE", "BIGINT", "DECIMAL(20,0)", "BIGINT", end_spark },
};
/* clang-format on */

/* Small whatever happens: numbers of processes, descriptors, ports, and times in ns. */
static bool is_small(const struct column *c)
{
	return !strcmp(c->unit, "ns") ||
	       (!c->unit[0] && strcmp(c->name, "inode") && strcmp(c->name, "user_data") &&
		strcmp(c->name, "length"));
}

static const char *type_of(const struct dialect *d, const struct column *c, bool first)
{
	if (!strcmp(c->type, "datetime"))
		return first ? d->time : d->maybe;
	if (!strcmp(c->type, "string"))
		return d->text;
	if (!strcmp(c->type, "number"))
		return d->number;
	if (!strcmp(c->name, "mono_ns") && d->never[0])
		return d->never;
	return schema_unsigned(c) && !is_small(c) ? d->natural : d->integer;
}

static const struct dialect *find_dialect(const char *name)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (!strcmp(dialects[i].name, name))
			return &dialects[i];
	return NULL;
}

void schema_sql_types(FILE *out, const char *dialect, enum stream_id stream)
{
	const struct stream *s = &streams[stream];
	const struct dialect *d = find_dialect(dialect);

	for (unsigned i = 0; d && i < s->n_columns; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", s->columns[i].name,
			type_of(d, &s->columns[i], !i));
}

int schema_sql(FILE *out, const char *dialect, enum stream_id stream)
{
	const struct stream *s = &streams[stream];
	const struct dialect *d = find_dialect(dialect);

	if (!d)
		return -EINVAL;
	fprintf(out, "-- %s\nCREATE TABLE %c%s%c (\n", s->doc, d->quote, s->name, d->quote);
	for (unsigned i = 0; i < s->n_columns; i++) {
		const struct column *c = &s->columns[i];

		fprintf(out, "  %c%s%c %s%s\n", d->quote, c->name, d->quote, type_of(d, c, !i),
			i + 1 < s->n_columns ? "," : "");
	}
	d->end(out, s);
	return 0;
}
