/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a model of top: rows by key, a table for each view. */
#pragma once

#include <string.h>

#include "analysis/common/operation_line.h"
#include "analysis/top/top_rows.h"

enum {
	TOP_USERS = N_TOP_VIEWS, /* by file and thread */
	MAX_ROWS = 8192,         /* of a view in an interval */
	SLOTS = 4 * MAX_ROWS,
	TEXT_SIZE = 2 * 1024 * 1024, /* of all their names */
	KEY_MAX = TOP_FILE_MAX,
	MAX_KINDS = 256, /* of operations; the rest has no percentiles */
};

struct view {
	struct top_row rows[MAX_ROWS + 1]; /* the last: the others */
	uint32_t n;
	struct top_row *last;  /* that was found; NULL: none */
	uint16_t slots[SLOTS]; /* number of the row + 1; 0: free */
	size_t used;
	char text[TEXT_SIZE];
	bool has_others;
};

struct top_model {
	struct top_containers *containers;  /* borrowed */
	struct view views[N_TOP_VIEWS + 1]; /* and one of who uses which file */
	struct top_disk_use disks[TOP_MAX_DISKS];
	unsigned n_disks;
	struct view users; /* of one file, when it is asked for */
	struct top_sums sums;
	uint64_t mntns; /* the first that was seen; 0: none */
	struct latencies latencies[MAX_KINDS];
	unsigned n_latencies;
	char key[OPERATION_LINE_MAX]; /* of any length, of which KEY_MAX count */
};

/* What identifies a row: a number, where it has one, and a text. */
struct key {
	bool numbered;
	const char *word; /* that stands for the number; NULL: its digits do */
	uint64_t number;
	const char *text;
	size_t len;
};

static inline bool is_key_of(const struct top_row *row, const struct key *key)
{
	return row->number == key->number && !row->name_at == !key->numbered &&
	       row->key_len == row->name_at + key->len &&
	       (!key->len || !memcmp(row->key + row->name_at, key->text, key->len));
}

void top_sort_rows(struct top_row *rows, unsigned n, enum top_sort sort);
