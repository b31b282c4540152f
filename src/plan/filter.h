/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows are asked for: by operation, result, latency and path. Who is
 * traced is decided in the kernel alone; of this, it leaves out what it can
 * (filter_config), and the reader decides what is left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "row/path.h"
#include "row/records.h"
#include "row/schema.h"

enum { FILTER_MAX_OPERATIONS = 64, FILTER_MAX_GLOBS = 32, FILTER_WORD = 24 };

struct filter {
	char operations[FILTER_MAX_OPERATIONS][FILTER_WORD];
	unsigned n_operations;                   /* 0: every one */
	const char *globs[2 * FILTER_MAX_GLOBS]; /* as given, and what that leads to here */
	unsigned n_globs;
	bool errors;
	uint64_t min_latency; /* ns */
	bool alone; /* each row by itself: nobody needs those of processes for the others */
};

/* False: no stream has such an operation (of whatever case), no group of fs is called so, or there are too many. */
bool filter_add_operation(struct filter *filter, const char *word);

bool filter_is_on(const struct filter *filter);

/* Whether it leaves this stream any row. */
bool filter_has_stream(const struct filter *filter, enum stream_id stream);

/* What of a row is looked at. */
struct filter_row {
	enum stream_id stream;
	const char *operation;
	bool failed;
	uint64_t latency;        /* FORMAT_UNKNOWN */
	const struct path *path; /* NULL: not known */
	bool two_paths;          /* "first -> second": one is enough */
};
bool filter_row(const struct filter *filter, const struct filter_row *row);

/* Whether the text is the pattern's: one without a slash is held against the last component. */
bool filter_glob(const char *glob, const char *path);

/* What the kernel's programs filter by, of a plan's streams. */
void filter_config(const struct filter *filter, const struct plan *plan, struct iot_config *cfg);
