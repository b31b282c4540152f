/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording did since its start, as counters: by layer, operation and storage system, by device, and what
 * was lost. In bounded memory, for weeks: what there is no room for is counted as "other".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/busy.h"
#include "analysis/common/hash_index.h"
#include "analysis/common/operation.h"
#include "analysis/common/pool.h"

enum {
	METRICS_MAX_LINES = 2000, /* series of a file */
	METRICS_BUCKETS = 9,      /* and one without a bound */
	METRICS_MAX_DEVICES = 24,
	METRICS_MAX_LOSSES = 96,
};

/* Upper bounds, in ns. */
extern const uint64_t metrics_bounds[METRICS_BUCKETS];

struct metrics_series {
	enum stream_id stream;
	const char *layer; /* the name of the stream, or SYSCALL, VFS, BLOCK of stream layers */
	const char *operation;
	const char *system;
	bool moves; /* bytes */
	uint64_t count, errors, bytes;
	uint64_t timed, ns;                    /* whose time is known */
	uint64_t buckets[METRICS_BUCKETS + 1]; /* of these; those of layers have none */
};

struct metrics_device {
	char number[24]; /* as rows have it */
	char name[32];
	struct busy busy;
};

struct metrics_loss {
	const char *stream, *reason;
	uint64_t events;
};

/* The zeroed one is empty. */
struct metrics_model {
	struct metrics_series *list;
	uint64_t n, max;
	struct hash_index index;
	unsigned lines[3]; /* that series, sums of an operation and sums of a layer take */
	struct metrics_device devices[METRICS_MAX_DEVICES];
	unsigned n_devices;
	struct metrics_loss losses[METRICS_MAX_LOSSES + 1]; /* the last: all others */
	unsigned n_losses;
	struct pool pool; /* of words */
	bool no_memory;   /* counts are missing */
};

/* The text of the system stays the caller's. A row of lost has none. */
void metrics_feed(struct metrics_model *model, const struct operation *op, const char *system);
/* Which lines a series has. */
bool metrics_has_times(enum stream_id stream);
bool metrics_has_errors(enum stream_id stream);
void metrics_free(struct metrics_model *model);
