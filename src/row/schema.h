/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The streams and their columns as data, expanded from the .def files in probes/: what
 * writes the rows, prints `iotracer schema`, fills datapackage.json and the
 * manual page.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/schema/stream_id.h"
#include "row/parse.h"

/* Of a stream; and how many of their values somebody may ask for (events_values). */
enum { VALUES_MAX_COLUMNS = 64, VALUES_MAX = 32 };

struct column {
	const char *name;
	const char *type; /* Frictionless: datetime, string, integer, number */
	const char *unit; /* "ns", "B", "512 B"; "" when none; "s" of a datetime: whole seconds */
	const char *doc;
	const char *code;     /* how format.h prints it */
	enum parse_kind kind; /* and parse.h reads it */
};

struct stream {
	const char *name;
	const char *doc;
	unsigned traits;        /* enum stream_trait */
	const char *operations; /* of filters, blanks around each */
	const struct column *columns;
	unsigned n_columns;
};

/* Of a session directory: the manifest's schema_version. Higher ones are of newer programs. */
enum { SCHEMA_VERSION = 1 };

extern const struct stream streams[N_STREAMS];

/* Whether it has any of these traits; STREAM_INTERNAL has none. */
bool schema_has(enum stream_id stream, unsigned traits);

/* The stream's index, or -1. */
int schema_find(const char *name);

/*
 * Columns that rows of each stream do not have (record --columns): bit i is its column i. Zeroed
 * they have all.
 */
struct schema_omitted {
	uint64_t columns[N_STREAMS];
};

/*
 * "timestamp,operation,…" with line end, without the omitted columns, into out; returns the
 * length, also when size (at least length + 1 for the whole) is too small.
 */
size_t schema_header(enum stream_id stream, uint64_t omitted, char *out, size_t size);

/* An integer that is never negative, and may need all of its 64 bits. */
bool schema_unsigned(const struct column *column);

/* The Table Schema object of a stream (a new reference); NULL without memory. */
struct json_t;
struct json_t *schema_table(enum stream_id stream, uint64_t omitted);
