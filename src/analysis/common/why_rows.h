/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory's rows, in the order of their times, on their way to the model of where time went. */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/common/rows_seen.h"
#include "analysis/common/why_model.h"
#include "analysis/common/why_names.h"
#include "read/read_merge.h"

/* Kinds of operations: by enum iot_op, and what follows it. */
enum { WHY_FAULT = 1 << 8, WHY_URING };

enum { WHY_SOURCES = 6 };

struct why_rows {
	const struct row_filter *filter;
	uint64_t from, to;    /* operations that begin there */
	uint64_t min_latency; /* ns: of operations that are looked at */
	struct why_names *names;
	struct why_model model; /* of which settled, thread and arg */
	/* not to be set */
	const struct read_session *session;
	const struct why_source *chosen[WHY_SOURCES];
	struct read_query queries[WHY_SOURCES];
	struct read_merge *merge;
	struct rows_seen seen; /* operations */
	uint64_t n_alone;      /* of these, those that no thread waits for */
	bool has_uring;        /* requests of io_uring have rows of their own */
};

/* In so many bytes; began: when tracing did. 0 or -ENOMEM; to be closed in any case. */
int why_rows_open(struct why_rows *rows, const struct read_session *session, uint64_t memory,
		  uint64_t began);
/* Feeds one more row. False at the end, when the model has ended as well, and without memory. */
bool why_rows_next(struct why_rows *rows);
bool why_rows_no_memory(const struct why_rows *rows);
/* What the operations' stream lacks; as rows_seen_gaps(). */
struct gaps why_rows_gaps(struct why_rows *rows, const char *host);
void why_rows_close(struct why_rows *rows);
