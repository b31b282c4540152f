/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened in the last interval, added up by file, process, device, connection and
 * stream: in bounded memory, begun anew with each interval.
 */
#ifndef IOT_TOP_MODEL_H
#define IOT_TOP_MODEL_H

#include "analysis/operation.h"

enum top_view { TOP_FILES, TOP_PROCESSES, TOP_DEVICES, TOP_CONNECTIONS, TOP_STREAMS, N_TOP_VIEWS };
extern const char *const top_view_names[N_TOP_VIEWS]; /* "files" … */

enum top_sort { TOP_BY_BYTES, TOP_BY_OPS, TOP_BY_ERRORS, TOP_BY_TIME, TOP_BY_MAX, N_TOP_SORTS };
extern const char *const top_sort_names[N_TOP_SORTS];

struct top_row {
	const char *name; /* not NUL-terminated */
	uint32_t len;
	uint64_t ops, errors;
	uint64_t reads, read_bytes; /* of connections: what was received */
	uint64_t writes, write_bytes;
	uint64_t timed, ns, max_ns; /* of those whose latency is known */
};

struct top_model;

/* NULL without memory */
struct top_model *top_model_open(void);
void top_model_close(struct top_model *model);

void top_model_feed(struct top_model *model, const struct operation *op);
/*
 * The highest first, valid until the next interval begins; nothing is fed before. What there
 * was no room for is one row, "(others)".
 */
unsigned top_model_rows(struct top_model *model, enum top_view view, enum top_sort sort,
			const struct top_row **rows);
struct top_sums {
	uint64_t ops;
	uint64_t lost; /* that the kernel could not hand over */
};
struct top_sums top_model_sums(const struct top_model *model);
/* A new interval begins. */
void top_model_reset(struct top_model *model);

#endif
