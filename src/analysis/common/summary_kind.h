/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer that a recording keeps up to date: how rows are added up, and which tables, or which file, tell it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "row/schema.h"

enum { SUMMARY_ROW_MAX = 256 * 1024, SUMMARY_MAX_TABLES = 4, SUMMARY_MAX_STREAMS = 4 };

struct summary_table {
	const char *name; /* of the file: summary/NAME.csv */
	const char *doc;
};

struct amp_alert_options;

/* Where a kind may keep what it has no room for in memory, in a folder of the session directory. */
struct summary_room {
	const char *dir; /* for messages */
	int dir_fd;
	const char *folder;
	uint64_t max_files;                     /* in memory; 0: any number */
	const char *host;                       /* as READ_HOST_SIZE of its session */
	const struct amp_alert_options *alerts; /* NULL: none */
	bool vfs;    /* rows of fs are of what reaches file systems, not of system calls alone */
	bool faults; /* pagefault is recorded */
	const char *metrics; /* the file of --metrics */
};

/* One word of --summary. Only its thread calls what takes self. */
struct summary_kind {
	const char *name;
	/* Whose rows, in one order, it is made of; the first ones it cannot do without. */
	enum stream_id streams[SUMMARY_MAX_STREAMS];
	unsigned n_streams, n_needed;
	bool all_streams;
	struct summary_table tables[SUMMARY_MAX_TABLES];
	unsigned n_tables;
	/* NULL without memory, or, reported, with what it needs beside that. */
	void *(*open)(const struct summary_room *room);
	/* With its line end, and SPLIT_PAD readable bytes behind it. False: it is malformed. */
	bool (*row)(void *self, enum stream_id stream, const char *row, size_t len);
	/*
	 * Before all tables are printed, and behind them; 0, or -ENOMEM: the sums are not complete.
	 */
	int (*begin)(void *self);
	int (*print)(void *self, unsigned table, FILE *out);
	void (*end)(void *self);
	json_t *(*schema)(unsigned table);  /* a Table Schema; a new reference */
	uint64_t (*room_taken)(void *self); /* bytes on the disk, beside the tables */
	json_t *(*account)(void *self);     /* what the manifest should tell; a new reference */
	/*
	 * In place of all of these, of one without tables: writes a file that is no part of the
	 * directory. Returns 0 or -errno (reported).
	 */
	int (*publish)(void *self, bool last);
	void (*close)(void *self); /* also of NULL */
};

static inline bool summary_kind_takes(const struct summary_kind *kind, enum stream_id stream)
{
	for (unsigned i = 0; i < kind->n_streams; i++)
		if (kind->streams[i] == stream)
			return true;
	return kind->all_streams;
}
