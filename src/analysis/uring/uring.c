/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of rings and opcodes, and the requests in flight that lead from one row to the next. */
#include "analysis/uring/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "row/row_words.h"

enum { FIRST_GROUPS = 128 };

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(EVENT, "event_type", TEXT, .words = uring_events) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(COMMAND, "command", TEXT) \
	COLUMN(RING, "ring", HEX) \
	COLUMN(REQ, "req", HEX) \
	COLUMN(DATA, "user_data", UINT) \
	COLUMN(OPCODE, "opcode", TEXT) \
	COLUMN(LENGTH, "length", UINT) \
	COLUMN(RESULT, "result", INT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(FLAGS, "sqe_flags", TEXT) \
	COLUMN(FILE_NAME, "filename", PATH) \
	COLUMN(WORKER, "worker", UINT) \
	COLUMN(SQ_FILL, "sq_fill", UINT) \
	COLUMN(CQ_FILL, "cq_fill", UINT) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

const struct read_query uring_query = { STREAM_iouring, columns, N_COLUMNS };

const char *const uring_by_names[N_URING_BY + 1] = {
	[URING_BY_RING] = "ring", [URING_BY_PROCESS] = "process",
	[URING_BY_FILE] = "file", [URING_BY_OPCODE] = "opcode",
	[URING_BY_HOST] = "host", [URING_BY_CONTAINER] = "container",
};

/* ---- groups ---- */

/* Which group a row is of */
struct place {
	uint64_t id;
	const char *file, *opcode; /* no texts: they have lengths */
	size_t file_len, opcode_len;
};

static bool is_text(const char *text, const char *other, size_t len)
{
	return strlen(text) == len && !memcmp(text, other, len);
}

static bool is_group(const void *owner, uint32_t item, const void *place)
{
	const struct uring *u = owner;
	const struct uring_group *g = &u->groups[item];
	const struct place *p = place;

	return !g->gone && g->host == u->host && g->id == p->id &&
	       is_text(g->file, p->file, p->file_len) &&
	       (g->opcode ? is_text(g->opcode, p->opcode, p->opcode_len) : !p->opcode_len);
}

static uint64_t hash_of(const struct uring *u, const struct place *p)
{
	uint64_t hash = hash_mix((uint64_t)(uintptr_t)u->host, p->id);

	return hash_text(hash_text(hash, p->file, p->file_len), p->opcode, p->opcode_len);
}

/* Number of a group, which is made unless it is there; -1 without memory. whole: the one that it is of; -1: itself. */
static int group_at(struct uring *u, const struct field *f, const struct place *p, int whole)
{
	uint64_t hash = hash_of(u, p);
	int64_t found = hash_index_find(&u->index, hash, is_group, u, p);
	struct uring_group *g;

	if (found >= 0)
		return (int)found;
	if (!grow(&u->groups, &u->max_groups, u->n_groups + 1, FIRST_GROUPS, sizeof(*g)) ||
	    !hash_index_room(&u->index)) {
		u->no_memory = true;
		return -1;
	}
	g = &u->groups[u->n_groups];
	*g = (struct uring_group){
		.host = u->host,
		.id = p->id,
		.ring = f[RING].u,
		.pid = (uint32_t)f[PID].u,
		.command = pool_text(&u->pool, f[COMMAND].text, f[COMMAND].len),
		.file = pool_text(&u->pool, p->file, p->file_len),
		.opcode = p->opcode_len ? pool_text(&u->pool, p->opcode, p->opcode_len) : NULL,
		.whole = whole < 0,
		.first = whole < 0 ? u->n_groups : (unsigned)whole,
	};
	if (!g->command || !g->file || (p->opcode_len && !g->opcode)) {
		u->no_memory = true;
		return -1;
	}
	hash_index_add(&u->index, hash, u->n_groups);
	return (int)u->n_groups++;
}

static struct place place_of(const struct uring *u, const struct field *f)
{
	bool contained = u->by == URING_BY_CONTAINER;
	const char *name = contained ? process_containers_find(u->in, f[PID].u, f[MONO].u) :
			   u->by == URING_BY_FILE && f[FILE_NAME].len ? f[FILE_NAME].text :
									"";
	bool by_opcode = u->by == URING_BY_OPCODE;
	size_t len = f[OPCODE].len;

	return (struct place){
		.id = u->by == URING_BY_RING    ? f[RING].u :
		      u->by == URING_BY_PROCESS ? f[PID].u :
						  0,
		.file = name,
		.file_len = contained ? strlen(name) :
			    name[0]   ? f[FILE_NAME].len :
					0,
		.opcode = !by_opcode ? "" :
			  len        ? f[OPCODE].text :
				       "?",
		.opcode_len = !by_opcode ? 0 :
			      len        ? len :
					   1,
	};
}

/* Of what is told of a ring and no request: -1, too, where a group is no ring's. */
static int whole_of(struct uring *u, const struct field *f)
{
	struct place p = place_of(u, f);

	if (u->by == URING_BY_FILE || u->by == URING_BY_OPCODE || u->path || !f[RING].known)
		return -1;
	return group_at(u, f, &p, -1);
}

/* Those that a row counts for, the whole one first: how many, 0 without memory. A pointer holds until the next of them. */
static unsigned groups_of(struct uring *u, const struct field *f, struct uring_group *found[2])
{
	struct place p = place_of(u, f);
	int whole = group_at(u, f, &p, -1), part = 0;

	if (whole >= 0 && u->by != URING_BY_OPCODE) {
		p.opcode = f[OPCODE].len ? f[OPCODE].text : "?";
		p.opcode_len = f[OPCODE].len ? f[OPCODE].len : 1;
		part = group_at(u, f, &p, whole);
	}
	if (whole < 0 || part < 0)
		return 0;
	found[0] = &u->groups[whole];
	found[1] = &u->groups[part];
	return u->by == URING_BY_OPCODE ? 1 : 2;
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

	if (f[EVENT].u == URING_CREATE && f[RING].known && u->by == URING_BY_RING)
		leave(u, f[RING].u);
	u->calls_unknown = u->calls_unknown || (f[EVENT].u == URING_ENTER && !f[RING].known);
	i = whole_of(u, f);
	if (i < 0)
		return;
	g = &u->groups[i];
	if (f[EVENT].u == URING_CREATE) {
		g->entries = u->by == URING_BY_RING ? f[LENGTH].u : 0;
		return;
	}
	g->calls++;
	if (f[RESULT].known && f[RESULT].s > 0)
		add(&g->batch, f[RESULT].u);
}

static void count_fill(struct uring *u, const struct field *f)
{
	int i = u->by == URING_BY_RING && (f[SQ_FILL].known || f[CQ_FILL].known) ? whole_of(u, f) :
										   -1;

	if (i < 0)
		return;
	if (f[SQ_FILL].known)
		add(&u->groups[i].sq_fill, f[SQ_FILL].u);
	if (f[CQ_FILL].known)
		add(&u->groups[i].cq_fill, f[CQ_FILL].u);
}

/* Its file, which a submission may not tell, decides for whom it counts: its completion tells. */
enum { UNDECIDED = 1u << 30, LINKED = 1u << 29 };

static bool is_chosen(const struct uring *u, const struct field *f)
{
	const struct row_filter filter = { .path = u->path };

	return row_filter_has_path(&filter, f[FILE_NAME].text, f[FILE_NAME].len);
}

/* A request that is submitted counts for these. */
static void count_request(struct uring_group *g[2], unsigned n, bool linked)
{
	for (unsigned i = 0; i < n; i++) {
		g[i]->requests++;
		g[i]->linked += linked;
	}
	if (++g[0]->in_flight > g[0]->most_in_flight)
		g[0]->most_in_flight = g[0]->in_flight;
}

/* The groups that were found when it was submitted */
static unsigned groups_of_request(struct uring *u, const struct ring_request *request,
				  struct uring_group *g[2])
{
	g[0] = &u->groups[request->lane];
	g[1] = &u->groups[request->group];
	return g[0] == g[1] ? 1 : 2;
}

static void forget(struct uring *u, struct ring_request *request)
{
	struct uring_group *g[2];
	unsigned n = groups_of_request(u, request, g);

	if (!(request->steps & UNDECIDED) || !u->path) {
		if (request->steps & UNDECIDED)
			count_request(g, n, request->steps & LINKED);
		for (unsigned i = 0; i < n; i++)
			g[i]->open++;
		g[0]->in_flight--;
	}
	ring_requests_remove(&u->requests, request);
}

static void submit(struct uring *u, const struct field *f)
{
	struct ring_request *request = ring_requests_find(&u->requests, f[RING].u, id_of(f));
	bool linked = field_has(&f[FLAGS], "IO_LINK") || field_has(&f[FLAGS], "IO_HARDLINK");
	bool undecided = (u->path || u->by == URING_BY_FILE) && !f[FILE_NAME].len;
	struct uring_group *g[2];
	unsigned n;

	/* the kernel uses its memory again: the end of the one before was not seen */
	if (request)
		forget(u, request);
	if (u->path && !undecided && !is_chosen(u, f))
		return;
	n = groups_of(u, f, g);
	request = n ? ring_requests_add(&u->requests, f[RING].u, id_of(f)) : NULL;
	if (!request) {
		u->no_memory = true;
		return;
	}
	if (!undecided)
		count_request(g, n, linked);
	request->steps = (undecided ? UNDECIDED : 0) | (linked ? LINKED : 0);
	request->ns = f[MONO].u;
	/* numbers, not pointers: the list moves when it grows */
	request->lane = (unsigned)(g[0] - u->groups);
	request->group = (unsigned)(g[n - 1] - u->groups);
}

static void step(struct uring *u, const struct field *f, enum uring_way way)
{
	struct ring_request *request = ring_requests_find(&u->requests, f[RING].u, id_of(f));

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
	struct ring_request *request = ring_requests_find(&u->requests, f[RING].u, id_of(f));
	/* what follows in a chain runs in the worker of the one before it */
	unsigned steps = (request ? request->steps : 0) |
			 (f[WORKER].known ? 1u << URING_WORKER : 0);
	enum uring_way way = steps & 1u << URING_WORKER ? URING_WORKER :
			     steps & 1u << URING_POLL   ? URING_POLL :
							  URING_INLINE;
	struct uring_group *g[2];
	uint64_t ns = f[LATENCY].u;
	unsigned n;

	if (request && !f[LATENCY].known)
		ns = f[MONO].u > request->ns ? f[MONO].u - request->ns : 0;
	if (u->path && (!request || request->steps & UNDECIDED) && !is_chosen(u, f)) {
		if (request)
			ring_requests_remove(&u->requests, request);
		return;
	}
	/* its opcode is that of its submission */
	if (request && (!(request->steps & UNDECIDED) || !f[FILE_NAME].len))
		n = groups_of_request(u, request, g);
	else
		n = groups_of(u, f, g);
	if (!n)
		return;
	if (request && request->steps & UNDECIDED)
		count_request(g, n, request->steps & LINKED);
	for (unsigned i = 0; i < n; i++) {
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
	ring_requests_remove(&u->requests, request);
}

void uring_row(struct uring *u, const struct field *f)
{
	if (!f[EVENT].known)
		return;
	count_fill(u, f);
	switch (f[EVENT].u) {
	case URING_ENTER:
	case URING_CREATE:
		call(u, f);
		break;
	case URING_SUBMIT:
		submit(u, f);
		break;
	case URING_QUEUE_ASYNC:
		step(u, f, URING_WORKER);
		break;
	case URING_POLL_ARM:
		step(u, f, URING_POLL);
		break;
	case URING_COMPLETE:
		complete(u, f);
		break;
	default: /* of no interest here, or of a later version */
		break;
	}
}

void uring_end(struct uring *u)
{
	struct ring_request *request;
	unsigned bucket = 0;

	while ((request = ring_requests_any(&u->requests, &bucket)))
		forget(u, request);
}

void uring_free(struct uring *u)
{
	for (unsigned i = 0; i < u->n_groups; i++)
		latency_set_free(&u->groups[i].latencies);
	free(u->groups);
	hash_index_close(&u->index);
	ring_requests_free(&u->requests);
	pool_free(&u->pool);
	*u = (struct uring){ 0 };
}
