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

/* Where a kind may keep what it has no room for in memory, in a folder of the session directory. */
struct summary_room {
	const char *dir; /* for messages */
	int dir_fd;
	const char *folder;
	uint64_t max_files; /* in memory; 0: any number */
};

/* One word of --summary. Only its thread calls what takes self. */
struct summary_kind {
	const char *name;
	enum stream_id stream; /* whose rows it is made of */
	struct summary_table tables[SUMMARY_MAX_TABLES];
	unsigned n_tables;
	void *(*open)(const struct summary_room *room); /* NULL without memory */
	/* With its line end, and SPLIT_PAD readable bytes behind it. False: it makes no sense. */
	bool (*row)(void *self, enum stream_id stream, const char *row, size_t len);
	/* Before all tables are printed, and behind them; 0, or -ENOMEM: the sums are not complete. */
	int (*begin)(void *self);
	int (*print)(void *self, unsigned table, FILE *out);
	void (*end)(void *self);
	json_t *(*schema)(unsigned table);  /* a Table Schema; a new reference */
	uint64_t (*room_taken)(void *self); /* bytes on the disk, beside the tables */
	json_t *(*account)(void *self);     /* what the manifest should tell; a new reference */
	void (*close)(void *self);          /* also of NULL */
};

#endif
