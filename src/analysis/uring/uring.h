/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was asked of io_uring: for each ring, and of it for each opcode, how many requests, which
 * way they took and how long, and for each ring how it was used.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "analysis/common/row_filter.h"
#include "analysis/common/gaps.h"
#include "analysis/common/hash_index.h"
#include "analysis/common/latency_set.h"
#include "analysis/common/pool.h"
#include "analysis/common/table.h"
#include "analysis/common/ring_requests.h"

/*
 * A request that neither armed a poll nor was given to a worker went inline: within the call, or by
 * its device.
 */
enum uring_way { URING_INLINE, URING_POLL, URING_WORKER, URING_WAYS, URING_ALL = URING_WAYS };

enum { URING_MAX_ERRORS = 16 };

/* What requests are added up by; and of each of these, by opcode, unless that is it. */
enum uring_by {
	URING_BY_RING,
	URING_BY_PROCESS,
	URING_BY_FILE,
	URING_BY_OPCODE,
	URING_BY_HOST,
	URING_BY_CONTAINER,
	N_URING_BY
};
extern const char *const uring_by_names[N_URING_BY + 1]; /* up to NULL */

/* What groups are sorted by. */
struct uring_key {
	bool known;
	uint64_t u;
	const char *text; /* NULL: a number */
};

struct uring_error {
	int error; /* positive */
	uint64_t count;
};

/* Of a value that comes again and again. */
struct uring_series {
	uint64_t n, sum, max;
};

struct uring_group {
	const char *host;
	uint64_t id; /* ring or process; 0 */
	uint64_t ring;
	uint32_t pid;
	const char *command;
	const char *file;   /* or container; "": not known, or not asked for */
	const char *opcode; /* NULL: all of them */
	bool whole;         /* no part of another group */
	uint64_t requests;
	uint64_t completed;   /* requests, of whatever result */
	uint64_t completions; /* some requests have several, or a submission before the range */
	uint64_t open;        /* requests without any */
	uint64_t unmatched;   /* completions without a submission */
	uint64_t ways[URING_WAYS];
	uint64_t linked, cancelled, failed;
	struct uring_error
		errors[URING_MAX_ERRORS]; /* of the failed ones; more kinds are added to the last */
	unsigned n_errors;
	struct latency_set latencies; /* by way, and of all */
	uint64_t max_ns[URING_WAYS + 1];
	/* of whole ones */
	uint64_t calls;
	struct uring_series batch; /* requests that a call submitted */
	struct uring_series sq_fill, cq_fill;
	uint64_t in_flight, most_in_flight;
	uint64_t entries; /* 0: not known */
	/* their order */
	unsigned first; /* the whole one that it is of, until they are sorted */
	struct uring_key own, of_whole;
	bool gone; /* another ring lies at this address */
};

/* All zero is empty. */
struct uring {
	struct uring_group *groups;
	unsigned n_groups;
	uint64_t max_groups;
	struct hash_index index;
	struct ring_requests requests;
	struct pool pool;
	enum uring_by by;
	const char *path; /* pattern of the files of requests; NULL: all of them */
	const char *host; /* of rows that come */
	const struct process_containers *in; /* the same; where they are added up by them */
	bool calls_unknown;                  /* of which ring they are */
	bool no_memory;
};

struct uring_reading {
	struct read_session session;
	char host[READ_HOST_SIZE];
	struct gaps gaps;
};

extern const struct read_query uring_query;
/* One row, in the order of time. */
void uring_row(struct uring *uring, const struct field *fields);
/* After the last row of a directory: what is in flight has not completed. */
void uring_end(struct uring *uring);
void uring_free(struct uring *uring);
