/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the expansion of the .def files into stream and column tables.
 */
#include "row/schema.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#define IOT_COLUMNS
#include "probes/schema/streams.def"

#include "probes/schema/snapshots.def"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

#define COLUMN(name, code, field, type, unit, doc)                                                 \
	{ #name, type, unit, doc, #code, PARSE_OF_##code },
#define COLUMNS(name, traits, doc)                                                                 \
	static const struct column name##_columns[] = { name##_COLUMNS(COLUMN) };
IOT_STREAMS(COLUMNS)
IOT_SNAPSHOTS(COLUMNS)

#define STREAM_ROW(name, traits, doc)                                                              \
	[STREAM_##name] = { #name,          doc,                                                   \
			    traits,         name##_OPERATIONS,                                     \
			    name##_columns, N_ELEMENTS(name##_columns) },
const struct stream streams[N_STREAMS] = { IOT_STREAMS(STREAM_ROW) IOT_SNAPSHOTS(STREAM_ROW) };

bool schema_has(enum stream_id stream, unsigned traits)
{
	return stream < N_STREAMS && (streams[stream].traits & traits);
}

int schema_find(const char *name)
{
	for (int i = 0; i < N_STREAMS; i++)
		if (!strcmp(streams[i].name, name))
			return i;
	return -1;
}

size_t schema_header(enum stream_id stream, uint64_t omitted, char *out, size_t size)
{
	const struct stream *s = &streams[stream];
	size_t at = 0;

	for (unsigned i = 0; i < s->n_columns; i++) {
		size_t len = strlen(s->columns[i].name);

		if (omitted >> i & 1)
			continue;
		if (at + len + 1 < size) {
			memcpy(out + at, s->columns[i].name, len);
			out[at + len] = ',';
			out[at + len + 1] = '\0';
		}
		at += len + 1;
	}
	if (at && at < size)
		out[at - 1] = '\n';
	return at;
}

bool schema_unsigned(const struct column *column)
{
	/* put_u, put_u_nz and put_u_opt */
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

struct json_t *schema_table(enum stream_id stream, uint64_t omitted)
{
	json_t *fields = json_array();

	for (unsigned i = 0; i < streams[stream].n_columns; i++)
		if (!(omitted >> i & 1))
			json_array_append_new(fields, field_json(&streams[stream].columns[i]));
	return json_pack("{s:o, s:[s]}", "fields", fields, "missingValues", "");
}
