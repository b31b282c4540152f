/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the columns of what is told of rings. What cannot be known is an empty cell, never 0. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/uring.h"

#include <inttypes.h>
#include <string.h>

#include "row/format.h"

#define N_OF(list) (sizeof(list) / sizeof((list)[0]))

enum { ERRORS_SIZE = 512, RING_SIZE = 24, NAME_SIZE = 96, MILLION = 1000000 };

static const char *const way_names[URING_WAYS] = { "inline", "poll", "worker" };
static const unsigned percentiles[] = { 500, 950, 990 };

/* ---- values ---- */

static struct table_value number(bool known, uint64_t u)
{
	return (struct table_value){ .known = known, .u = u };
}

static struct table_value text(const char *s)
{
	return (struct table_value){ .known = s && *s, .text = s, .len = s ? strlen(s) : 0 };
}

static struct table_value share(uint64_t part, uint64_t whole)
{
	return number(whole != 0, whole ? (part * MILLION + whole / 2) / whole : 0);
}

static struct table_value mean(const struct uring_series *series)
{
	return share(series->sum, series->n);
}

static struct table_value most(const struct uring_series *series)
{
	return number(series->n != 0, series->max);
}

/* p50, p95, p99 and the longest of one way; returns how many there were. */
static uint64_t put_times(struct table_value **v, const struct uring_group *g, unsigned kind)
{
	struct latencies l;

	latency_set_take(&g->latencies, kind, g->max_ns[kind], &l);
	for (unsigned i = 0; i < N_OF(percentiles); i++)
		*(*v)++ = number(l.n != 0, latencies_percentile(&l, percentiles[i]));
	*(*v)++ = number(l.n != 0, l.max);
	return l.n;
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

/* ---- exact ---- */

static const struct table_column exact[] = {
	{ "host", TABLE_NAME },           { "ring", TABLE_NAME },
	{ "pid", TABLE_COUNT },           { "command", TABLE_NAME },
	{ "opcode", TABLE_NAME },         { "requests", TABLE_COUNT },
	{ "completed", TABLE_COUNT },     { "completions", TABLE_COUNT },
	{ "open", TABLE_COUNT },          { "unmatched", TABLE_COUNT },
	{ "inline", TABLE_COUNT },        { "poll", TABLE_COUNT },
	{ "worker", TABLE_COUNT },        { "inline_share", TABLE_SHARE },
	{ "poll_share", TABLE_SHARE },    { "worker_share", TABLE_SHARE },
	{ "p50_ns", TABLE_NS },           { "p95_ns", TABLE_NS },
	{ "p99_ns", TABLE_NS },           { "max_ns", TABLE_NS },
	{ "inline_p50_ns", TABLE_NS },    { "inline_p95_ns", TABLE_NS },
	{ "inline_p99_ns", TABLE_NS },    { "inline_max_ns", TABLE_NS },
	{ "poll_p50_ns", TABLE_NS },      { "poll_p95_ns", TABLE_NS },
	{ "poll_p99_ns", TABLE_NS },      { "poll_max_ns", TABLE_NS },
	{ "worker_p50_ns", TABLE_NS },    { "worker_p95_ns", TABLE_NS },
	{ "worker_p99_ns", TABLE_NS },    { "worker_max_ns", TABLE_NS },
	{ "linked", TABLE_COUNT },        { "cancelled", TABLE_COUNT },
	{ "failed", TABLE_COUNT },        { "errors", TABLE_NAME },
	{ "calls", TABLE_COUNT },         { "calls_per_request", TABLE_RATIO },
	{ "batch_mean", TABLE_RATIO },    { "batch_max", TABLE_COUNT },
	{ "in_flight_max", TABLE_COUNT }, { "entries", TABLE_COUNT },
	{ "sq_fill_mean", TABLE_RATIO },  { "sq_fill_max", TABLE_COUNT },
	{ "cq_fill_mean", TABLE_RATIO },  { "cq_fill_max", TABLE_COUNT },
};

static void put_ring(struct table_value *v, const struct uring *u, const struct uring_group *g)
{
	bool calls = !g->opcode && !u->calls_unknown;

	*v++ = number(calls, g->calls);
	*v++ = calls ? share(g->calls, g->requests) : number(false, 0);
	*v++ = calls ? mean(&g->batch) : number(false, 0);
	*v++ = calls ? most(&g->batch) : number(false, 0);
	*v++ = number(!g->opcode, g->most_in_flight);
	*v++ = number(g->entries != 0, g->entries);
	*v++ = mean(&g->sq_fill);
	*v++ = most(&g->sq_fill);
	*v++ = mean(&g->cq_fill);
	*v++ = most(&g->cq_fill);
}

static void exact_row(struct table *table, const struct uring *u, const struct uring_group *g,
		      bool fleet)
{
	struct table_value values[N_OF(exact)], *v = values;
	char errors[ERRORS_SIZE], ring[RING_SIZE];

	*v++ = text(g->host);
	*v++ = text(ring_of(g, ring));
	*v++ = number(true, g->pid);
	*v++ = text(g->command);
	*v++ = text(g->opcode);
	*v++ = number(true, g->requests);
	*v++ = number(true, g->completed);
	*v++ = number(true, g->completions);
	*v++ = number(true, g->open);
	*v++ = number(true, g->unmatched);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = number(true, g->ways[i]);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = share(g->ways[i], g->completed);
	put_times(&v, g, URING_ALL);
	for (unsigned i = 0; i < URING_WAYS; i++)
		put_times(&v, g, i);
	*v++ = number(true, g->linked);
	*v++ = number(true, g->cancelled);
	*v++ = number(true, g->failed);
	*v++ = text(errors_of(g, errors));
	put_ring(v, u, g);
	table_row(table, values + !fleet);
}

/* Groups up to and without the ring behind the first top ones. */
static unsigned shown(const struct uring *u, uint64_t top)
{
	unsigned i = 0;

	for (uint64_t rings = 0; i < u->n_groups; i++)
		if (!u->groups[i].opcode && top && rings++ == top)
			break;
	return i;
}

int uring_print_exact(FILE *out, const struct uring *u, uint64_t top, bool fleet,
		      enum table_format format)
{
	struct table table;

	table_begin(&table, out, format, exact + !fleet, N_OF(exact) - !fleet);
	for (unsigned i = 0; i < shown(u, top); i++)
		exact_row(&table, u, &u->groups[i], fleet);
	return table_end(&table);
}

/* ---- for people ---- */

static const struct table_column request_columns[] = {
	{ "REQUESTS", TABLE_COUNT }, { "OPEN", TABLE_COUNT },   { "INLINE", TABLE_SHARE },
	{ "POLL", TABLE_SHARE },     { "WORKER", TABLE_SHARE }, { "P50", TABLE_NS },
	{ "P95", TABLE_NS },         { "P99", TABLE_NS },       { "MAX", TABLE_NS },
	{ "LINKED", TABLE_COUNT },   { "OPCODE", TABLE_NAME },  { "RING", TABLE_NAME },
};

static const struct table_column ring_columns[] = {
	{ "CALLS", TABLE_COUNT },   { "PER REQUEST", TABLE_RATIO }, { "BATCH", TABLE_RATIO },
	{ "LARGEST", TABLE_COUNT }, { "IN FLIGHT", TABLE_COUNT },   { "ENTRIES", TABLE_COUNT },
	{ "SQ FILL", TABLE_RATIO }, { "SQ MOST", TABLE_COUNT },     { "CQ FILL", TABLE_RATIO },
	{ "CQ MOST", TABLE_COUNT }, { "RING", TABLE_NAME },
};

static const struct table_column way_columns[] = {
	{ "WAY", TABLE_NAME },    { "REQUESTS", TABLE_COUNT }, { "P50", TABLE_NS },
	{ "P95", TABLE_NS },      { "P99", TABLE_NS },         { "MAX", TABLE_NS },
	{ "OPCODE", TABLE_NAME }, { "RING", TABLE_NAME },
};

static const struct table_column error_columns[] = {
	{ "CANCELLED", TABLE_COUNT }, { "FAILED", TABLE_COUNT }, { "ERRORS", TABLE_NAME },
	{ "OPCODE", TABLE_NAME },     { "RING", TABLE_NAME },
};

/* "fio 4711 0xffff8881bb92b000" */
static struct table_value name_of(const struct uring_group *g, char to[NAME_SIZE])
{
	char ring[RING_SIZE];

	snprintf(to, NAME_SIZE, "%.40s %u %s", g->command, (unsigned)g->pid, ring_of(g, ring));
	return text(to);
}

static void request_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(request_columns)], *v = values;
	char name[NAME_SIZE];

	(void)u;
	*v++ = number(true, g->requests);
	*v++ = number(true, g->open);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = share(g->ways[i], g->completed);
	put_times(&v, g, URING_ALL);
	*v++ = number(true, g->linked);
	*v++ = text(g->opcode ? g->opcode : "all");
	*v = name_of(g, name);
	table_row(table, values);
}

static void ring_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(ring_columns)];
	char name[NAME_SIZE];

	if (g->opcode)
		return;
	put_ring(values, u, g);
	values[N_OF(ring_columns) - 1] = name_of(g, name);
	table_row(table, values);
}

/* Where there is but one way, the table of requests has its times. */
static void way_rows(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(way_columns)], *v;
	char name[NAME_SIZE];

	(void)u;
	for (unsigned i = 0; i < URING_WAYS; i++) {
		if (!g->opcode || !g->ways[i] || g->ways[i] == g->completed)
			continue;
		v = values;
		*v++ = text(way_names[i]);
		*v++ = number(true, g->ways[i]);
		put_times(&v, g, i);
		*v++ = text(g->opcode);
		*v = name_of(g, name);
		table_row(table, values);
	}
}

static void error_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	char errors[ERRORS_SIZE], name[NAME_SIZE];
	struct table_value values[] = {
		number(true, g->cancelled), number(true, g->failed),
		text(errors_of(g, errors)), text(g->opcode),
		name_of(g, name),
	};

	(void)u;
	if (g->opcode && (g->cancelled || g->failed))
		table_row(table, values);
}

static int print_table(FILE *out, const struct uring *u, unsigned n,
		       const struct table_column *columns, unsigned n_columns,
		       void (*row)(struct table *, const struct uring *,
				   const struct uring_group *))
{
	struct table table;
	int err;

	table_begin(&table, out, TABLE_TEXT, columns, n_columns);
	for (unsigned i = 0; i < n; i++)
		row(&table, u, &u->groups[i]);
	if (!table.n_rows) /* without a header, too */
		return 0;
	err = table_end(&table);
	fputc('\n', out);
	return err;
}

int uring_print_text(FILE *out, const struct uring *u, uint64_t top)
{
	static const struct {
		const struct table_column *columns;
		unsigned n;
		void (*row)(struct table *, const struct uring *, const struct uring_group *);
	} tables[] = {
		{ request_columns, N_OF(request_columns), request_row },
		{ way_columns, N_OF(way_columns), way_rows },
		{ ring_columns, N_OF(ring_columns), ring_row },
		{ error_columns, N_OF(error_columns), error_row },
	};
	unsigned n = shown(u, top);
	int err = 0;

	for (unsigned i = 0; i < N_OF(tables) && !err; i++)
		err = print_table(out, u, n, tables[i].columns, tables[i].n, tables[i].row);
	return err;
}
