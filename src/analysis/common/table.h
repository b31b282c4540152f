/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers as tables: one row at a time, as aligned text for people, as CSV
 * (RFC 4180) or as the objects of a JSON list. The same values in all three.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/common/pool.h"

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

enum table_type {
	TABLE_NAME,   /* text; any bytes */
	TABLE_COUNT,  /* a number */
	TABLE_BYTES,  /* 4.0K for people */
	TABLE_NS,     /* 1.25ms for people */
	TABLE_SHARE,  /* u is in millionths: 0.500000, 50% for people */
	TABLE_RATIO,  /* u is in millionths: 8.312500, 8.31 for people */
	TABLE_DEVICE, /* u is major << 20 | minor */
	TABLE_CHANGE, /* u is an int64_t, of what was before, in millionths: -0.250000, -25.0% for people */
	TABLE_EACH, /* each value has a type of its own, not TABLE_NAME or TABLE_DEVICE */
};

enum { TABLE_MAX_COLUMNS = 64, TABLE_NUMBER_SIZE = 32 };

struct table_column {
	const char *name;
	enum table_type type;
};

struct table_value {
	bool known;
	uint8_t type; /* enum table_type, in a column of TABLE_EACH */
	uint64_t u;
	const char *text;
	size_t len;
};

static inline struct table_value table_number(uint64_t u)
{
	return (struct table_value){ .known = true, .u = u };
}

static inline struct table_value table_number_if(bool known, uint64_t u)
{
	return (struct table_value){ .known = known, .u = known ? u : 0 };
}

/* In millionths, without an overflow; not known of nothing. */
static inline struct table_value table_share(uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;

	return table_number_if(whole, (uint64_t)(share * 1000000 + 0.5));
}

static inline bool table_is(const struct table_value *value, const char *word)
{
	return value->len == strlen(word) && !memcmp(value->text, word, value->len);
}

/* Which stays where it is; none is not known. */
static inline struct table_value table_bytes(const char *text, size_t len)
{
	return (struct table_value){ .known = len > 0, .text = text, .len = len };
}

static inline struct table_value table_text(const char *text)
{
	return table_bytes(text, text ? strlen(text) : 0);
}

struct table {
	FILE *out;
	enum table_format format;
	const struct table_column *columns;
	unsigned n_columns;
	unsigned width; /* of the terminal; 0: the last column is not cut */
	uint64_t n_rows;
	/* of text, which is printed at the end */
	struct pool pool;
	struct table_line *lines, **last_line;
	int widths[TABLE_MAX_COLUMNS];
	char *scratch;
	size_t scratch_size;
	bool no_memory;
};

/*
 * The table's columns stay the caller's. Text is printed by table_end alone, because only
 * then the widths are known; CSV and JSON at once.
 */
void table_begin(struct table *table, FILE *out, enum table_format format,
		 const struct table_column *columns, unsigned n_columns);
void table_row(struct table *table, const struct table_value *values);
/* Returns 0, or -ENOMEM when rows are missing. */
int table_end(struct table *table);

static inline enum table_type table_type_of(enum table_type column, const struct table_value *value)
{
	return column == TABLE_EACH ? (enum table_type)value->type : column;
}

/* A number of a type, not TABLE_NAME, as in CSV, and as in text. */
void table_exact(char text[TABLE_NUMBER_SIZE], enum table_type type, uint64_t u);
void table_for_people(char text[TABLE_NUMBER_SIZE], enum table_type type, uint64_t u);

/* Of a Table Schema. */
const char *table_type_name(enum table_type type);
/* Of the terminal that out is; 0: it is none. */
unsigned table_terminal_width(FILE *out);
/* A text for people, see base/plain.h. */
void table_plain_text(struct table *table, const char *text, size_t len);
/*
 * For documents, which keep directions apart themselves: *out_len bytes of valid UTF-8, until the
 * next one.
 */
const char *table_escaped(struct table *table, const char *text, size_t len, size_t *out_len);
/* A text as a JSON string; bytes that are no UTF-8 become \xHH, as in the streams. */
void table_json_text(struct table *table, const char *text, size_t len);
