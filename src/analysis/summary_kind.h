/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer that a recording keeps up to date: how rows are added up, and which tables tell it. */
#ifndef IOT_SUMMARY_KIND_H
#define IOT_SUMMARY_KIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "row/schema.h"

enum { SUMMARY_ROW_MAX = 256 * 1024, SUMMARY_MAX_TABLES = 4 };

struct summary_table {
	const char *name; /* of the file: summary/NAME.csv */
	const char *doc;
};

/* One word of --summary. Only its thread calls what takes self. */
struct summary_kind {
	const char *name;
	enum stream_id stream; /* whose rows it is made of */
	struct summary_table tables[SUMMARY_MAX_TABLES];
	unsigned n_tables;
	void *(*open)(void); /* NULL without memory */
	/* With its line end, and SPLIT_PAD readable bytes behind it. False: it makes no sense. */
	bool (*row)(void *self, enum stream_id stream, const char *row, size_t len);
	/* Before all tables are printed, and behind them; 0, or -ENOMEM: the sums are not complete. */
	int (*begin)(void *self);
	int (*print)(void *self, unsigned table, FILE *out);
	void (*end)(void *self);
	json_t *(*schema)(unsigned table); /* a Table Schema; a new reference */
	void (*close)(void *self);         /* also of NULL */
};

#endif
