/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of rings and opcodes, and the requests in flight that lead from one row to the next. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hash.h"

enum { FIRST_SLOTS = 256 };

enum uring_column {
	EVENT,
	PID,
	COMMAND,
	RING,
	REQ,
	DATA,
	OPCODE,
	LENGTH,
	RESULT,
	LATENCY,
	FLAGS,
	WORKER,
	SQ_FILL,
	CQ_FILL,
	MONO,
	N_COLUMNS,
};

enum uring_event { ENTER, CREATE, SUBMIT, QUEUE_ASYNC, POLL_ARM, COMPLETE };

static const char *const events[] = { "ENTER",    "CREATE",   "SUBMIT", "QUEUE_ASYNC",
				      "POLL_ARM", "COMPLETE", NULL };

static const struct read_column columns[N_COLUMNS] = {
	[EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = events },
	[PID] = { .name = "pid", .kind = PARSE_UINT },
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[RING] = { .name = "ring", .kind = PARSE_HEX },
	[REQ] = { .name = "req", .kind = PARSE_HEX },
	[DATA] = { .name = "user_data", .kind = PARSE_UINT },
	[OPCODE] = { .name = "opcode", .kind = PARSE_TEXT },
	[LENGTH] = { .name = "length", .kind = PARSE_UINT },
	[RESULT] = { .name = "result", .kind = PARSE_INT },
	[LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FLAGS] = { .name = "sqe_flags", .kind = PARSE_TEXT },
	[WORKER] = { .name = "worker", .kind = PARSE_UINT },
	[SQ_FILL] = { .name = "sq_fill", .kind = PARSE_UINT },
	[CQ_FILL] = { .name = "cq_fill", .kind = PARSE_UINT },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

const struct read_wish uring_wish = { STREAM_iouring, columns, N_COLUMNS };

/* ---- groups ---- */

static uint64_t key_of(const struct uring *u, uint64_t ring, const char *opcode, size_t len)
{
	return hash_text(hash_mix((uint64_t)(uintptr_t)u->host, ring), opcode, len);
}

static bool is_group(const struct uring *u, const struct uring_group *g, uint64_t ring,
		     const char *opcode, size_t len)
{
	return !g->gone && g->host == u->host && g->ring == ring &&
	       (g->opcode ? strlen(g->opcode) == len && !memcmp(g->opcode, opcode, len) : !len);
}

static unsigned *slot_of(const struct uring *u, uint64_t ring, const char *opcode, size_t len)
{
	unsigned i = (unsigned)key_of(u, ring, opcode, len) & (u->n_slots - 1);

	while (u->slots[i] && !is_group(u, &u->groups[u->slots[i] - 1], ring, opcode, len))
		i = (i + 1) & (u->n_slots - 1);
	return &u->slots[i];
}

static bool grow(struct uring *u)
{
	unsigned n = u->n_slots ? u->n_slots * 2 : FIRST_SLOTS, *slots = calloc(n, sizeof(*slots));
	struct uring_group *groups = realloc(u->groups, n / 2 * sizeof(*groups));
	const char *host = u->host;

	if (groups)
		u->groups = groups;
	if (!slots || !groups) {
		free(slots);
		return false;
	}
	free(u->slots);
	u->slots = slots;
	u->n_slots = n;
	u->size = n / 2;
	for (unsigned i = 0; i < u->n_groups; i++) {
		const struct uring_group *g = &u->groups[i];

		u->host = g->host;
		*slot_of(u, g->ring, g->opcode ? g->opcode : "",
			 g->opcode ? strlen(g->opcode) : 0) = i + 1;
	}
	u->host = host;
	return true;
}

/* Number of a group, which is made unless it is there; -1 without memory. ring: the one of its ring; -1: itself. */
static int group_of(struct uring *u, const struct field *f, const char *opcode, size_t len,
		    int ring)
{
	struct uring_group *g;
	unsigned *slot;

	if (u->n_groups == u->size && !grow(u)) {
		u->no_memory = true;
		return -1;
	}
	slot = slot_of(u, f[RING].u, opcode, len);
	if (*slot)
		return (int)*slot - 1;
	g = &u->groups[u->n_groups];
	*g = (struct uring_group){
		.host = u->host,
		.ring = f[RING].u,
		.pid = (uint32_t)f[PID].u,
		.command = pool_text(&u->pool, f[COMMAND].text, f[COMMAND].len),
		.opcode = len ? pool_text(&u->pool, opcode, len) : NULL,
		.first = ring < 0 ? u->n_groups : (unsigned)ring,
	};
	if (!g->command || (len && !g->opcode)) {
		u->no_memory = true;
		return -1;
	}
	*slot = ++u->n_groups;
	return (int)*slot - 1;
}

/* Both that a row counts for; false without memory. A pointer holds until the next of them. */
static bool groups_of(struct uring *u, const struct field *f, struct uring_group *found[2])
{
	const char *opcode = f[OPCODE].len ? f[OPCODE].text : "?";
	int ring = group_of(u, f, "", 0, -1);
	int of_opcode = ring < 0 ? -1 :
				   group_of(u, f, opcode, f[OPCODE].len ? f[OPCODE].len : 1, ring);

	if (ring < 0 || of_opcode < 0)
		return false;
	found[0] = &u->groups[ring];
	found[1] = &u->groups[of_opcode];
	return true;
}

/* ---- rows ---- */

static void add(struct uring_series *series, uint64_t value)
{
	series->n++;
	series->sum += value;
	if (value > series->max)
		series->max = value;
}

static uint64_t id_of(const struct field *f)
{
	return f[REQ].known ? f[REQ].u : f[DATA].u;
}

static bool has(const struct field *flags, const char *flag)
{
	return flags->len && memmem(flags->text, flags->len, flag, strlen(flag));
}

/* A new ring lies where another one was. */
static void leave(struct uring *u, uint64_t ring)
{
	for (unsigned i = 0; i < u->n_groups; i++)
		if (u->groups[i].host == u->host && u->groups[i].ring == ring)
			u->groups[i].gone = true;
}

static void call(struct uring *u, const struct field *f)
{
	struct uring_group *g;
	int i;

	if (f[EVENT].u == CREATE && f[RING].known)
		leave(u, f[RING].u);
	u->calls_unknown = u->calls_unknown || (f[EVENT].u == ENTER && !f[RING].known);
	i = f[RING].known ? group_of(u, f, "", 0, -1) : -1;
	if (i < 0)
		return;
	g = &u->groups[i];
	if (f[EVENT].u == CREATE) {
		g->entries = f[LENGTH].known ? f[LENGTH].u : 0;
		return;
	}
	g->calls++;
	if (f[RESULT].known && f[RESULT].s > 0)
		add(&g->batch, f[RESULT].u);
}

static void count_fill(struct uring *u, const struct field *f)
{
	int i = f[RING].known && (f[SQ_FILL].known || f[CQ_FILL].known) ?
			group_of(u, f, "", 0, -1) :
			-1;

	if (i < 0)
		return;
	if (f[SQ_FILL].known)
		add(&u->groups[i].sq_fill, f[SQ_FILL].u);
	if (f[CQ_FILL].known)
		add(&u->groups[i].cq_fill, f[CQ_FILL].u);
}

static void forget(struct uring *u, struct timeline_request *request)
{
	struct uring_group *of_opcode = &u->groups[request->group];
	struct uring_group *ring = &u->groups[request->lane];

	of_opcode->open++;
	ring->open++;
	ring->in_flight--;
	timeline_requests_remove(&u->requests, request);
}

static void submit(struct uring *u, const struct field *f)
{
	struct timeline_request *request = timeline_requests_find(&u->requests, f[RING].u,
								  id_of(f));
	bool linked = has(&f[FLAGS], "IO_LINK") || has(&f[FLAGS], "IO_HARDLINK");
	struct uring_group *g[2];

	/* the kernel uses its memory again: the end of the one before was not seen */
	if (request)
		forget(u, request);
	if (!groups_of(u, f, g))
		return;
	for (unsigned i = 0; i < 2; i++) {
		g[i]->requests++;
		g[i]->linked += linked;
	}
	if (++g[0]->in_flight > g[0]->most_in_flight)
		g[0]->most_in_flight = g[0]->in_flight;
	request = timeline_requests_add(&u->requests, f[RING].u, id_of(f));
	if (!request) {
		u->no_memory = true;
		return;
	}
	request->ns = f[MONO].u;
	request->lane = (unsigned)(g[0] - u->groups);
	request->group = (unsigned)(g[1] - u->groups);
}

static void step(struct uring *u, const struct field *f, enum uring_way way)
{
	struct timeline_request *request = timeline_requests_find(&u->requests, f[RING].u,
								  id_of(f));

	if (request)
		request->steps |= 1u << way;
}

static void count_error(struct uring_group *g, int64_t result)
{
	int error = (int)-result;
	unsigned i = 0;

	if (error == ECANCELED) {
		g->cancelled++;
		return;
	}
	g->failed++;
	while (i < g->n_errors && g->errors[i].error != error)
		i++;
	if (i == g->n_errors && i < URING_MAX_ERRORS)
		g->errors[g->n_errors++] = (struct uring_error){ .error = error };
	g->errors[i < URING_MAX_ERRORS ? i : i - 1].count++;
}

static bool count_time(struct uring_group *g, unsigned kind, uint64_t ns)
{
	if (ns > g->max_ns[kind])
		g->max_ns[kind] = ns;
	return latency_set_add(&g->latencies, kind, ns);
}

static void complete(struct uring *u, const struct field *f)
{
	struct timeline_request *request = timeline_requests_find(&u->requests, f[RING].u,
								  id_of(f));
	/* what follows in a chain runs in the worker of the one before it */
	unsigned steps = (request ? request->steps : 0) |
			 (f[WORKER].known ? 1u << URING_WORKER : 0);
	enum uring_way way = steps & 1u << URING_WORKER ? URING_WORKER :
			     steps & 1u << URING_POLL   ? URING_POLL :
							  URING_INLINE;
	struct uring_group *g[2];
	uint64_t ns = f[LATENCY].u;

	if (request && !f[LATENCY].known)
		ns = f[MONO].u > request->ns ? f[MONO].u - request->ns : 0;
	if (!groups_of(u, f, g))
		return;
	if (request) { /* its opcode is that of its submission */
		g[0] = &u->groups[request->lane];
		g[1] = &u->groups[request->group];
	}
	for (unsigned i = 0; i < 2; i++) {
		g[i]->completions++;
		g[i]->completed += !!request;
		/* of a request with several, the others have a time and no submission */
		g[i]->unmatched += !request && !f[LATENCY].known;
		g[i]->ways[way] += !!request;
		if (f[RESULT].known && f[RESULT].s < 0)
			count_error(g[i], f[RESULT].s);
		if ((request || f[LATENCY].known) &&
		    (!count_time(g[i], URING_ALL, ns) || (request && !count_time(g[i], way, ns))))
			u->no_memory = true;
	}
	if (!request)
		return;
	g[0]->in_flight--;
	timeline_requests_remove(&u->requests, request);
}

void uring_row(struct uring *u, const struct field *f)
{
	if (!f[EVENT].known)
		return;
	count_fill(u, f);
	switch (f[EVENT].u) {
	case ENTER:
	case CREATE:
		call(u, f);
		break;
	case SUBMIT:
		submit(u, f);
		break;
	case QUEUE_ASYNC:
		step(u, f, URING_WORKER);
		break;
	case POLL_ARM:
		step(u, f, URING_POLL);
		break;
	case COMPLETE:
		complete(u, f);
		break;
	default: /* of no interest here, or of a later version */
		break;
	}
}

void uring_end(struct uring *u)
{
	struct timeline_request *request;
	unsigned bucket = 0;

	while ((request = timeline_requests_any(&u->requests, &bucket)))
		forget(u, request);
	for (unsigned i = 0; i < u->n_groups; i++)
		u->groups[i].of_ring = u->groups[u->groups[i].first].requests;
}

/* ---- the order ---- */

static int by_requests(const void *a, const void *b)
{
	const struct uring_group *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	if (order)
		return order;
	if (x->of_ring != y->of_ring)
		return x->of_ring < y->of_ring ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (!x->opcode || !y->opcode)
		return x->opcode ? 1 : y->opcode ? -1 : 0;
	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return strcmp(x->opcode, y->opcode);
}

void uring_sort(struct uring *u)
{
	qsort(u->groups, u->n_groups, sizeof(*u->groups), by_requests);
}

void uring_free(struct uring *u)
{
	for (unsigned i = 0; i < u->n_groups; i++)
		latency_set_free(&u->groups[i].latencies);
	free(u->groups);
	free(u->slots);
	timeline_requests_free(&u->requests);
	pool_free(&u->pool);
	*u = (struct uring){ 0 };
}
