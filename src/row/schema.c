/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the expansion of the .def files into stream and column tables. The only
 * place that names the files; a new stream is one more #include here.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "row/schema.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "probes/schema/cache.def"
#include "probes/schema/ds.def"
#include "probes/schema/exec.def"
#include "probes/schema/filesystem_snapshot.def"
#include "probes/schema/fs.def"
#include "probes/schema/iouring.def"
#include "probes/schema/lost.def"
#include "probes/schema/nw.def"
#include "probes/schema/nw_conn.def"
#include "probes/schema/nw_drop.def"
#include "probes/schema/nw_epoll.def"
#include "probes/schema/nw_sockopt.def"
#include "probes/schema/pagefault.def"
#include "probes/schema/process.def"

#define COL(name, code, field, type, unit, doc) { #name, type, unit, doc, #code },
#define STREAM(name, doc) static const struct column name##_columns[] = { name##_COLUMNS(COL) };
#include "probes/schema/streams.def"
#include "probes/schema/snapshots.def"
#undef STREAM
#undef COL

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

const struct stream streams[N_STREAMS] = {
#define STREAM(name, doc)                                                                          \
	[STREAM_##name] = { #name, doc, name##_columns, N_ELEMENTS(name##_columns) },
#include "probes/schema/streams.def"
#include "probes/schema/snapshots.def"
#undef STREAM
};

int schema_find(const char *name)
{
	for (int i = 0; i < N_STREAMS; i++)
		if (!strcmp(streams[i].name, name))
			return i;
	return -1;
}

size_t schema_header(enum stream_id stream, char *out, size_t size)
{
	const struct stream *s = &streams[stream];
	size_t at = 0;

	for (unsigned i = 0; i < s->n_columns; i++) {
		size_t len = strlen(s->columns[i].name);

		if (at + len + 1 < size) {
			memcpy(out + at, s->columns[i].name, len);
			out[at + len] = i + 1 < s->n_columns ? ',' : '\n';
			out[at + len + 1] = '\0';
		}
		at += len + 1;
	}
	return at;
}

bool schema_unsigned(const struct column *column)
{
	return column->code[0] == 'u' && (column->code[1] == '\0' || column->code[1] == '_');
}

static json_t *field_json(const struct column *column)
{
	json_t *field = json_pack("{s:s, s:s}", "name", column->name, "type", column->type);
	bool whole = !strcmp(column->unit, "s");

	if (!strcmp(column->type, "datetime"))
		json_object_set_new(field, "format",
				    json_string(whole ? "%Y-%m-%d %H:%M:%S" :
							"%Y-%m-%d %H:%M:%S.%f"));
	if (column->unit[0])
		json_object_set_new(field, "unit", json_string(column->unit));
	if (schema_unsigned(column))
		json_object_set_new(field, "constraints", json_pack("{s:i}", "minimum", 0));
	json_object_set_new(field, "description", json_string(column->doc));
	return field;
}

struct json_t *schema_table(enum stream_id stream)
{
	json_t *fields = json_array();

	for (unsigned i = 0; i < streams[stream].n_columns; i++)
		json_array_append_new(fields, field_json(&streams[stream].columns[i]));
	return json_pack("{s:o, s:[s]}", "fields", fields, "missingValues", "");
}
