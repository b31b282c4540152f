/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the columns of what is told of rings. What cannot be known is an empty cell, never 0. */
#include "analysis/uring/uring_print.h"

#include <inttypes.h>
#include <string.h>

#include "row/format.h"

#define N_OF(list) (sizeof(list) / sizeof((list)[0]))

enum { ERRORS_SIZE = 512, RING_SIZE = 24, NAME_SIZE = 96, MILLION = 1000000 };

static const char *const way_names[URING_WAYS] = { "inline", "poll", "worker" };
static const unsigned percentiles[] = { 500, 950, 990 };

/* ---- values ---- */

static struct table_value share(uint64_t part, uint64_t whole)
{
	return table_number_if(whole != 0, whole ? (part * MILLION + whole / 2) / whole : 0);
}

static struct table_value mean(const struct uring_series *series)
{
	return share(series->sum, series->n);
}

static struct table_value most(const struct uring_series *series)
{
	return table_number_if(series->n != 0, series->max);
}

/* p50, p95, p99 and the longest of one way; returns how many there were. */
static uint64_t put_times(struct table_value **v, const struct uring_group *g, unsigned kind)
{
	struct latencies l;

	latency_set_take(&g->latencies, kind, g->max_ns[kind], &l);
	for (unsigned i = 0; i < N_OF(percentiles); i++)
		*(*v)++ = table_number_if(l.n != 0, latencies_percentile(&l, percentiles[i]));
	*(*v)++ = table_number_if(l.n != 0, l.max);
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

/* What a group is, of which some columns are told by each key. */
enum { HOST, RING, PID, COMMAND, FILE_NAME, OPCODE, N_IDENTITY };

static const struct table_column identity[N_IDENTITY] = {
	[HOST] = { "host", TABLE_NAME },          [RING] = { "ring", TABLE_NAME },
	[PID] = { "pid", TABLE_COUNT },           [COMMAND] = { "command", TABLE_NAME },
	[FILE_NAME] = { "filename", TABLE_NAME }, [OPCODE] = { "opcode", TABLE_NAME },
};

static bool is_told(unsigned column, enum uring_by by, bool fleet)
{
	switch (column) {
	case HOST:
		return fleet || by == URING_BY_HOST;
	case RING:
		return by == URING_BY_RING;
	case PID:
	case COMMAND:
		return by == URING_BY_RING || by == URING_BY_PROCESS;
	case FILE_NAME:
		return by == URING_BY_FILE;
	default:
		return true;
	}
}

static const struct table_column sums[] = {
	{ "requests", TABLE_COUNT },
	{ "completed", TABLE_COUNT },
	{ "completions", TABLE_COUNT },
	{ "open", TABLE_COUNT },
	{ "unmatched", TABLE_COUNT },
	{ "inline", TABLE_COUNT },
	{ "poll", TABLE_COUNT },
	{ "worker", TABLE_COUNT },
	{ "inline_share", TABLE_SHARE },
	{ "poll_share", TABLE_SHARE },
	{ "worker_share", TABLE_SHARE },
	{ "p50_ns", TABLE_NS },
	{ "p95_ns", TABLE_NS },
	{ "p99_ns", TABLE_NS },
	{ "max_ns", TABLE_NS },
	{ "inline_p50_ns", TABLE_NS },
	{ "inline_p95_ns", TABLE_NS },
	{ "inline_p99_ns", TABLE_NS },
	{ "inline_max_ns", TABLE_NS },
	{ "poll_p50_ns", TABLE_NS },
	{ "poll_p95_ns", TABLE_NS },
	{ "poll_p99_ns", TABLE_NS },
	{ "poll_max_ns", TABLE_NS },
	{ "worker_p50_ns", TABLE_NS },
	{ "worker_p95_ns", TABLE_NS },
	{ "worker_p99_ns", TABLE_NS },
	{ "worker_max_ns", TABLE_NS },
	{ "linked", TABLE_COUNT },
	{ "cancelled", TABLE_COUNT },
	{ "failed", TABLE_COUNT },
	{ "errors", TABLE_NAME },
	{ "calls", TABLE_COUNT },
	{ "calls_per_request", TABLE_RATIO },
	{ "batch_mean", TABLE_RATIO },
	{ "batch_max", TABLE_COUNT },
	{ "in_flight_max", TABLE_COUNT },
	{ "entries", TABLE_COUNT },
	{ "sq_fill_mean", TABLE_RATIO },
	{ "sq_fill_max", TABLE_COUNT },
	{ "cq_fill_mean", TABLE_RATIO },
	{ "cq_fill_max", TABLE_COUNT },
};

static bool has_calls(const struct uring *u)
{
	return !u->calls_unknown && !u->path && u->by != URING_BY_FILE && u->by != URING_BY_OPCODE;
}

static void put_ring(struct table_value *v, const struct uring *u, const struct uring_group *g)
{
	bool calls = g->whole && has_calls(u);

	*v++ = table_number_if(calls, g->calls);
	*v++ = calls ? share(g->calls, g->requests) : table_number_if(false, 0);
	*v++ = calls ? mean(&g->batch) : table_number_if(false, 0);
	*v++ = calls ? most(&g->batch) : table_number_if(false, 0);
	/* of files a submission may not tell */
	*v++ = table_number_if(g->whole && !u->path && u->by != URING_BY_FILE, g->most_in_flight);
	*v++ = table_number_if(g->entries != 0, g->entries);
	*v++ = mean(&g->sq_fill);
	*v++ = most(&g->sq_fill);
	*v++ = mean(&g->cq_fill);
	*v++ = most(&g->cq_fill);
}

enum { N_SUMS = N_OF(sums), N_EXACT = N_IDENTITY + N_SUMS };

struct exact {
	struct table_value identity[N_IDENTITY], sums[N_SUMS];
	char errors[ERRORS_SIZE], ring[RING_SIZE];
};

static void make_exact(struct exact *e, const struct uring *u, const struct uring_group *g)
{
	struct table_value *v = e->sums;

	e->identity[HOST] = table_text(g->host);
	e->identity[RING] = table_text(ring_of(g, e->ring));
	e->identity[PID] = table_number_if(true, g->pid);
	e->identity[COMMAND] = table_text(g->command);
	e->identity[FILE_NAME] = table_text(g->file);
	e->identity[OPCODE] = table_text(g->opcode);
	*v++ = table_number_if(true, g->requests);
	*v++ = table_number_if(true, g->completed);
	*v++ = table_number_if(true, g->completions);
	*v++ = table_number_if(true, g->open);
	*v++ = table_number_if(true, g->unmatched);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = table_number_if(true, g->ways[i]);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = share(g->ways[i], g->completed);
	put_times(&v, g, URING_ALL);
	for (unsigned i = 0; i < URING_WAYS; i++)
		put_times(&v, g, i);
	*v++ = table_number_if(true, g->linked);
	*v++ = table_number_if(true, g->cancelled);
	*v++ = table_number_if(true, g->failed);
	*v++ = table_text(errors_of(g, e->errors));
	put_ring(v, u, g);
}

bool uring_sorts_by(enum uring_by by, const char *column)
{
	for (unsigned i = 0; i < N_IDENTITY; i++)
		if (is_told(i, by, true) && !strcmp(identity[i].name, column))
			return true;
	for (unsigned i = 0; i < N_SUMS; i++)
		if (!strcmp(sums[i].name, column))
			return true;
	return false;
}

/* Names are kept, others may be those of a number that is gone by then. */
struct uring_key uring_key_of(struct uring *u, const struct uring_group *g, const char *column)
{
	struct table_value value = { .known = false };
	struct uring_key key;
	struct exact e;

	make_exact(&e, u, g);
	for (unsigned i = 0; i < N_IDENTITY; i++)
		if (!strcmp(identity[i].name, column))
			value = e.identity[i];
	for (unsigned i = 0; i < N_SUMS; i++)
		if (!strcmp(sums[i].name, column))
			value = e.sums[i];
	key = (struct uring_key){ .known = value.known, .u = value.u };
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
	struct table_column columns[N_EXACT];
	struct table_value values[N_EXACT];
	struct table table;
	struct exact e;
	unsigned n = 0;

	for (unsigned i = 0; i < N_IDENTITY; i++)
		if (is_told(i, u->by, fleet))
			columns[n++] = identity[i];
	memcpy(columns + n, sums, sizeof(sums));
	table_begin(&table, out, format, columns, n + N_SUMS);
	for (unsigned k = 0; k < shown(u, top); k++) {
		make_exact(&e, u, &u->groups[k]);
		n = 0;
		for (unsigned i = 0; i < N_IDENTITY; i++)
			if (is_told(i, u->by, fleet))
				values[n++] = e.identity[i];
		memcpy(values + n, e.sums, sizeof(e.sums));
		table_row(&table, values);
	}
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

static const char *const headings[N_URING_BY] = { "RING", "PROCESS", "FILE", NULL, "HOST" };

/* "fio 4711 0xffff8881bb92b000" */
static struct table_value name_of(const struct uring *u, const struct uring_group *g,
				  char to[NAME_SIZE])
{
	char ring[RING_SIZE];

	if (u->by == URING_BY_FILE)
		return table_text(g->file);
	if (u->by == URING_BY_HOST)
		return table_text(g->host);
	if (u->by == URING_BY_PROCESS)
		snprintf(to, NAME_SIZE, "%.40s %u", g->command, (unsigned)g->pid);
	else
		snprintf(to, NAME_SIZE, "%.40s %u %s", g->command, (unsigned)g->pid,
			 ring_of(g, ring));
	return table_text(to);
}

static void request_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(request_columns)], *v = values;
	char name[NAME_SIZE];

	*v++ = table_number_if(true, g->requests);
	*v++ = table_number_if(true, g->open);
	for (unsigned i = 0; i < URING_WAYS; i++)
		*v++ = share(g->ways[i], g->completed);
	put_times(&v, g, URING_ALL);
	*v++ = table_number_if(true, g->linked);
	*v++ = table_text(g->opcode ? g->opcode : "all");
	*v = name_of(u, g, name);
	table_row(table, values);
}

static void ring_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(ring_columns)];
	char name[NAME_SIZE];

	if (!g->whole || !has_calls(u))
		return;
	put_ring(values, u, g);
	values[N_OF(ring_columns) - 1] = name_of(u, g, name);
	table_row(table, values);
}

/* Where there is but one way, the table of requests has its times. */
static void way_rows(struct table *table, const struct uring *u, const struct uring_group *g)
{
	struct table_value values[N_OF(way_columns)], *v;
	char name[NAME_SIZE];

	for (unsigned i = 0; i < URING_WAYS; i++) {
		if (!g->opcode || !g->ways[i] || g->ways[i] == g->completed)
			continue;
		v = values;
		*v++ = table_text(way_names[i]);
		*v++ = table_number_if(true, g->ways[i]);
		put_times(&v, g, i);
		*v++ = table_text(g->opcode);
		*v = name_of(u, g, name);
		table_row(table, values);
	}
}

static void error_row(struct table *table, const struct uring *u, const struct uring_group *g)
{
	char errors[ERRORS_SIZE], name[NAME_SIZE];
	struct table_value values[] = {
		table_number_if(true, g->cancelled),
		table_number_if(true, g->failed),
		table_text(errors_of(g, errors)),
		table_text(g->opcode),
		name_of(u, g, name),
	};

	if (g->opcode && (g->cancelled || g->failed))
		table_row(table, values);
}

static int print_table(FILE *out, const struct uring *u, unsigned n,
		       const struct table_column *columns, unsigned n_columns,
		       void (*row)(struct table *, const struct uring *,
				   const struct uring_group *))
{
	struct table_column named[TABLE_MAX_COLUMNS];
	struct table table;
	int err;

	/* the last one is what they are added up by: of opcodes the one before says it */
	memcpy(named, columns, n_columns * sizeof(*columns));
	named[n_columns - 1].name = headings[u->by];
	table_begin(&table, out, TABLE_TEXT, named, n_columns - !headings[u->by]);
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
