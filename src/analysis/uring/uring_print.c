/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the columns of what is told of rings. What cannot be known is an empty cell, never 0. */
#include "analysis/uring/uring_print.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/cells.h"
#include "row/format.h"

#define N_OF(list) (sizeof(list) / sizeof((list)[0]))

enum { ERRORS_SIZE = 512, RING_SIZE = 24, NAME_SIZE = 96, MILLION = 1000000, N_TIMES = 4 };

static const char *const way_names[URING_WAYS] = { "inline", "poll", "worker" };
static const char *const share_names[URING_WAYS] = { "inline_share", "poll_share", "worker_share" };
/* by way, and of all */
static const char *const time_names[URING_WAYS + 1][N_TIMES] = {
	{ "inline_p50_ns", "inline_p95_ns", "inline_p99_ns", "inline_max_ns" },
	{ "poll_p50_ns", "poll_p95_ns", "poll_p99_ns", "poll_max_ns" },
	{ "worker_p50_ns", "worker_p95_ns", "worker_p99_ns", "worker_max_ns" },
	{ "p50_ns", "p95_ns", "p99_ns", "max_ns" },
};
static const char *const time_headings[N_TIMES] = { "P50", "P95", "P99", "MAX" };

/* ---- values ---- */

static struct table_value share(uint64_t part, uint64_t whole)
{
	return table_number_if(whole != 0, whole ? (part * MILLION + whole / 2) / whole : 0);
}

/* A number of each group, and one that it may not have */
static void count(struct cells *c, const char *name, uint64_t n)
{
	cell(c, name, TABLE_COUNT, table_number(n));
}

static void count_if(struct cells *c, const char *name, bool known, uint64_t n)
{
	cell(c, name, TABLE_COUNT, table_number_if(known, n));
}

static void series(struct cells *c, const char *const names[2], bool known,
		   const struct uring_series *s)
{
	known = known && s->n;
	cell(c, names[0], TABLE_RATIO, known ? share(s->sum, s->n) : table_number_if(false, 0));
	count_if(c, names[1], known, s->max);
}

/* p50, p95, p99 and the longest of one way */
static void times(struct cells *c, const char *const names[N_TIMES], const struct uring_group *g,
		  unsigned kind)
{
	static const unsigned percentiles[] = { 500, 950, 990 };
	struct latencies l;
	unsigned i = 0;

	latency_set_take(&g->latencies, kind, g->max_ns[kind], &l);
	for (; i < N_OF(percentiles); i++)
		cell(c, names[i], TABLE_NS,
		     table_number_if(l.n != 0, latencies_percentile(&l, percentiles[i])));
	cell(c, names[i], TABLE_NS, table_number_if(l.n != 0, l.max));
}

static void ways(struct cells *c, const char *const names[URING_WAYS], const struct uring_group *g)
{
	for (unsigned i = 0; i < URING_WAYS; i++)
		cell(c, names[i], TABLE_SHARE, share(g->ways[i], g->completed));
}

/* "EAGAIN 3, ENOENT 1" */
static const char *errors_of(const struct uring_group *g, char to[ERRORS_SIZE])
{
	char *p = to;

	for (unsigned i = 0; i < g->n_errors && p + 64 < to + ERRORS_SIZE; i++) {
		p += sprintf(p, "%s", i ? ", " : "");
		p = put_err(p, -g->errors[i].error);
		p += sprintf(p, " %" PRIu64, g->errors[i].count);
	}
	*p = '\0';
	return to;
}

static const char *ring_of(const struct uring_group *g, char to[RING_SIZE])
{
	to[0] = '\0';
	if (g->ring)
		snprintf(to, RING_SIZE, "0x%" PRIx64, g->ring);
	return to;
}

static bool has_calls(const struct uring *u)
{
	return !u->calls_unknown && !u->path && u->by != URING_BY_FILE && u->by != URING_BY_OPCODE;
}

/* What only whole groups have; names: of the exact columns, or for people */
static void ring_cells(struct cells *c, const char *const names[10], const struct uring *u,
		       const struct uring_group *g)
{
	bool calls = g->whole && has_calls(u);

	count_if(c, names[0], calls, g->calls);
	cell(c, names[1], TABLE_RATIO,
	     calls ? share(g->calls, g->requests) : table_number_if(false, 0));
	series(c, names + 2, calls, &g->batch);
	/* of files a submission may not tell */
	count_if(c, names[4], g->whole && !u->path && u->by != URING_BY_FILE, g->most_in_flight);
	count_if(c, names[5], g->entries != 0, g->entries);
	series(c, names + 6, true, &g->sq_fill);
	series(c, names + 8, true, &g->cq_fill);
}

/* ---- exact ---- */

/* What the group is, of which each key has some columns */
static void identity(struct cells *c, const struct uring *u, const struct uring_group *g,
		     bool fleet)
{
	bool ring = u->by == URING_BY_RING;

	if (fleet || u->by == URING_BY_HOST)
		cell(c, "host", TABLE_NAME, table_text(g->host));
	if (ring)
		cell(c, "ring", TABLE_NAME, table_text(ring_of(g, cells_room(c, RING_SIZE))));
	if (ring || u->by == URING_BY_PROCESS) {
		count(c, "pid", g->pid);
		cell(c, "command", TABLE_NAME, table_text(g->command));
	}
	if (u->by == URING_BY_FILE)
		cell(c, "filename", TABLE_NAME, table_text(g->file));
	if (u->by == URING_BY_CONTAINER)
		cell(c, "container", TABLE_NAME, table_text(g->file));
	cell(c, "opcode", TABLE_NAME, table_text(g->opcode));
}

static void exact_cells(struct cells *c, const struct uring *u, const struct uring_group *g,
			bool fleet)
{
	static const char *const ring_names[] = {
		"calls",   "calls_per_request", "batch_mean",  "batch_max",    "in_flight_max",
		"entries", "sq_fill_mean",      "sq_fill_max", "cq_fill_mean", "cq_fill_max"
	};

	identity(c, u, g, fleet);
	count(c, "requests", g->requests);
	count(c, "completed", g->completed);
	count(c, "completions", g->completions);
	count(c, "open", g->open);
	count(c, "unmatched", g->unmatched);
	for (unsigned i = 0; i < URING_WAYS; i++)
		count(c, way_names[i], g->ways[i]);
	ways(c, share_names, g);
	times(c, time_names[URING_ALL], g, URING_ALL);
	for (unsigned i = 0; i < URING_WAYS; i++)
		times(c, time_names[i], g, i);
	count(c, "linked", g->linked);
	count(c, "cancelled", g->cancelled);
	count(c, "failed", g->failed);
	cell(c, "errors", TABLE_NAME, table_text(errors_of(g, cells_room(c, ERRORS_SIZE))));
	ring_cells(c, ring_names, u, g);
}

/* As in a fleet, whose host can be sorted by */
static struct table_value value_of(const struct uring *u, const struct uring_group *g,
				   const char *column, struct cells *c, bool *found)
{
	const struct table_value *value;

	cells_begin(c, NULL, TABLE_TEXT);
	exact_cells(c, u, g, true);
	value = cells_find(c, column);
	*found = value != NULL;
	return value ? *value : table_number_if(false, 0);
}

bool uring_sorts_by(enum uring_by by, const char *column)
{
	const struct uring none = { .by = by };
	struct cells c;
	bool found;

	value_of(&none, &(struct uring_group){ .host = NULL }, column, &c, &found);
	return found;
}

/* Names are kept, others may be those of a number that is gone by then. */
struct uring_key uring_key_of(struct uring *u, const struct uring_group *g, const char *column)
{
	struct cells c;
	bool found;
	const struct table_value value = value_of(u, g, column, &c, &found);
	struct uring_key key = { .known = value.known, .u = value.u };

	if (value.known && value.text) {
		key.text = pool_text(&u->pool, value.text, value.len);
		u->no_memory = u->no_memory || !key.text;
	}
	return key;
}

/* Groups up to and without the ring behind the first top ones. */
static unsigned shown(const struct uring *u, uint64_t top)
{
	unsigned i = 0;

	for (uint64_t rings = 0; i < u->n_groups; i++)
		if (u->groups[i].whole && top && rings++ == top)
			break;
	return i;
}

int uring_print_exact(FILE *out, const struct uring *u, uint64_t top, bool fleet,
		      enum table_format format)
{
	struct cells c;

	cells_begin(&c, out, format);
	for (unsigned i = 0; i < shown(u, top); i++) {
		exact_cells(&c, u, &u->groups[i], fleet);
		cells_row(&c);
	}
	if (cells_none(&c)) {
		exact_cells(&c, u, &(struct uring_group){ .host = NULL }, fleet);
		cells_row(&c);
	}
	return cells_end(&c);
}

/* ---- for people ---- */

/* The last column is what they are added up by, "fio 4711 0xffff8881bb92b000": of opcodes the one before says it. */
static void name_row(struct cells *c, const struct uring *u, const struct uring_group *g)
{
	static const char *const headings[N_URING_BY] = { "RING", "PROCESS", "FILE",
							  NULL,   "HOST",    "CONTAINER" };
	char *name = cells_room(c, NAME_SIZE), ring[RING_SIZE] = "";

	if (u->by == URING_BY_RING)
		ring_of(g, ring);
	snprintf(name, NAME_SIZE, "%.40s %u%s%s", g->command, (unsigned)g->pid, *ring ? " " : "",
		 ring);
	if (u->by == URING_BY_FILE || u->by == URING_BY_CONTAINER || u->by == URING_BY_HOST)
		cell(c, headings[u->by], TABLE_NAME,
		     table_text(u->by == URING_BY_HOST ? g->host : g->file));
	else if (headings[u->by])
		cell(c, headings[u->by], TABLE_NAME, table_text(name));
	cells_row(c);
}

static void request_row(struct cells *c, const struct uring *u, const struct uring_group *g)
{
	static const char *const names[URING_WAYS] = { "INLINE", "POLL", "WORKER" };

	count(c, "REQUESTS", g->requests);
	count(c, "OPEN", g->open);
	ways(c, names, g);
	times(c, time_headings, g, URING_ALL);
	count(c, "LINKED", g->linked);
	cell(c, "OPCODE", TABLE_NAME, table_text(g->opcode ? g->opcode : "all"));
	name_row(c, u, g);
}

static void ring_row(struct cells *c, const struct uring *u, const struct uring_group *g)
{
	static const char *const names[] = { "CALLS",     "PER REQUEST", "BATCH",   "LARGEST",
					     "IN FLIGHT", "ENTRIES",     "SQ FILL", "SQ MOST",
					     "CQ FILL",   "CQ MOST" };

	if (!g->whole || !has_calls(u))
		return;
	ring_cells(c, names, u, g);
	name_row(c, u, g);
}

/* Where there is but one way, the table of requests has its times. */
static void way_rows(struct cells *c, const struct uring *u, const struct uring_group *g)
{
	for (unsigned i = 0; i < URING_WAYS; i++) {
		if (!g->opcode || !g->ways[i] || g->ways[i] == g->completed)
			continue;
		cell(c, "WAY", TABLE_NAME, table_text(way_names[i]));
		count(c, "REQUESTS", g->ways[i]);
		times(c, time_headings, g, i);
		cell(c, "OPCODE", TABLE_NAME, table_text(g->opcode));
		name_row(c, u, g);
	}
}

static void error_row(struct cells *c, const struct uring *u, const struct uring_group *g)
{
	if (!g->opcode || !(g->cancelled || g->failed))
		return;
	count(c, "CANCELLED", g->cancelled);
	count(c, "FAILED", g->failed);
	cell(c, "ERRORS", TABLE_NAME, table_text(errors_of(g, cells_room(c, ERRORS_SIZE))));
	cell(c, "OPCODE", TABLE_NAME, table_text(g->opcode));
	name_row(c, u, g);
}

int uring_print_text(FILE *out, const struct uring *u, uint64_t top)
{
	static void (*const rows[])(struct cells *, const struct uring *,
				    const struct uring_group *) = { request_row, way_rows, ring_row,
								    error_row };
	unsigned n = shown(u, top);
	struct cells c;
	int err = 0;

	for (unsigned t = 0; t < N_OF(rows) && !err; t++) {
		cells_begin(&c, out, TABLE_TEXT);
		for (unsigned i = 0; i < n; i++)
			rows[t](&c, u, &u->groups[i]);
		err = cells_end(&c);
		if (c.begun)
			fputc('\n', out);
	}
	return err;
}
