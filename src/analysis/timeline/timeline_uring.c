/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns io_uring on a timeline: a group for each ring, a slice for each request
 * from its submission to its completion, and the arrows along its way.
 */
#include "analysis/timeline/timeline_uring.h"

#include "analysis/timeline/timeline_cause.h"
#include "row/row_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(EVENT, "event_type", TEXT, .words = uring_events) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(TID, "tid", UINT) \
	COLUMN(COMMAND, "command", TEXT) \
	COLUMN(RING, "ring", HEX) \
	COLUMN(REQ, "req", HEX) \
	COLUMN(DATA, "user_data", UINT) \
	COLUMN(OPCODE, "opcode", TEXT) \
	COLUMN(FD, "fd", UINT) \
	COLUMN(OFFSET, "offset", UINT) \
	COLUMN(LENGTH, "length", UINT) \
	COLUMN(RESULT, "result", INT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(FLAGS, "sqe_flags", TEXT) \
	COLUMN(INODE, "inode", UINT) \
	COLUMN(PATH, "filename", PATH) \
	COLUMN(LINK, "link", TEXT) \
	COLUMN(WORKER, "worker", UINT) \
	COLUMN(BUFFER, "buf_index", UINT) \
	COLUMN(SQ_FILL, "sq_fill", UINT) \
	COLUMN(CQ_FILL, "cq_fill", UINT) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

const struct timeline_source timeline_uring = {
	.query = { STREAM_iouring, columns, N_COLUMNS },
	.pid = PID,
	.owner = -1U,
	.row = timeline_uring_row,
};

/* They are looked through for a request that only its address tells. */
static bool note_ring(struct timeline *t, uint64_t ring)
{
	uint64_t *rings = t->rings;

	/* a power of two: there is no room left */
	if (!(t->n_rings & (t->n_rings - 1)))
		rings = realloc(rings, (t->n_rings ? t->n_rings * 2 : 1) * sizeof(*rings));
	if (!rings) {
		t->tracks.no_memory = true;
		return false;
	}
	t->rings = rings;
	t->rings[t->n_rings++] = ring;
	return true;
}

static struct timeline_place *ring_of(struct timeline *t, const struct field *f)
{
	char name[64];
	struct timeline_text text = { name, 0 };
	unsigned before = t->tracks.n_places;
	struct timeline_place *ring, *process;

	text.len = (size_t)snprintf(name, sizeof(name), "%.*s %u ring %u", (int)f[COMMAND].len,
				    f[COMMAND].text, (unsigned)f[PID].u, (unsigned)t->n_rings + 1);
	ring = timeline_group(&t->tracks, OWNER_RING, f[RING].u, text);
	if (t->tracks.n_places == before)
		return ring;
	if (!note_ring(t, f[RING].u))
		return NULL;
	/* before its threads are named; places move when one is made */
	process = timeline_process(&t->tracks, (uint32_t)f[PID].u, timeline_text(&f[COMMAND]));
	if (process && !process->n_rings++)
		process->first_ring = (unsigned)t->n_rings;
	if (process && f[EVENT].u != URING_CREATE)
		process->old_rings = true;
	return timeline_find(&t->tracks, OWNER_RING, f[RING].u);
}

/* "READ db.sqlite 4096@8192" */
static struct timeline_text name_of(const struct field *f, char name[256])
{
	const char *slash = f[PATH].len ? memrchr(f[PATH].text, '/', f[PATH].len) : NULL;
	const char *file = slash ? slash + 1 : f[PATH].text;
	int len = (int)(f[PATH].text + f[PATH].len - file), n;

	n = f[OPCODE].len ? snprintf(name, 256, "%.*s", (int)f[OPCODE].len, f[OPCODE].text) :
			    snprintf(name, 256, "request");
	if (len > 0)
		n += snprintf(name + n, 256 - (size_t)n, " %.*s", len < 160 ? len : 160, file);
	if (f[LENGTH].known && f[OFFSET].known)
		n += snprintf(name + n, 256 - (size_t)n, " %llu@%llu",
			      (unsigned long long)f[LENGTH].u, (unsigned long long)f[OFFSET].u);
	return (struct timeline_text){ name, (size_t)n };
}

static void put_request(struct timeline_event *e, const struct field *f)
{
	timeline_number(e, "user_data", &f[DATA]);
	timeline_number(e, "fd", &f[FD]);
	timeline_words(e, "path", &f[PATH]);
	timeline_number(e, "length", &f[LENGTH]);
	timeline_number(e, "offset", &f[OFFSET]);
	timeline_words(e, "flags", &f[FLAGS]);
	timeline_number(e, "fixed buffer", &f[BUFFER]);
}

/*
 * The kernel's address of the request; where it is not known, what the program gave it, which
 * need not be its own.
 */
static uint64_t id_of(const struct field *f)
{
	return f[REQ].known ? f[REQ].u : f[DATA].u;
}

/* Where its time went, of a row that says how long it took. */
static void add_why(struct timeline *t, const struct field *f, struct timeline_event *e)
{
	if (t->why && f[TID].known && f[LATENCY].known && f[LATENCY].u <= f[MONO].u)
		timeline_why_add(t->why, e, (uint32_t)f[TID].u, f[MONO].u - f[LATENCY].u,
				 f[LATENCY].u);
}

/* A request ends, at its completion, which is a row, or without one. */
static void end_request(struct timeline *t, struct timeline_place *ring,
			struct ring_request *request, uint64_t ns, struct timeline_event *last,
			const struct field *completion)
{
	struct timeline_lane *lane = &ring->lanes[request->lane];
	struct timeline_event e = timeline_event(TIMELINE_END, ns, lane->track);

	if (completion)
		add_why(t, completion, &e);
	last->ns = ns;
	last->track = lane->track;
	last->ended = request->flow;
	t->encoder->event(t->encoder, last);
	t->encoder->event(t->encoder, &e);
	lane->busy = false;
	lane->end_ns = ns;
	timeline_count(&t->tracks, ring, COUNTER_IN_FLIGHT, ns, -1);
	timeline_cause_forget(t, request);
	ring_requests_remove(&t->requests, request);
}

static void end_open(struct timeline *t, struct ring_request *request, uint64_t ns, const char *why)
{
	struct timeline_event last = timeline_event(TIMELINE_INSTANT, 0, 0);

	last.name = (struct timeline_text){ why, strlen(why) };
	t->totals.open++;
	end_request(t,
		    timeline_group(&t->tracks, OWNER_RING, request->ring,
				   (struct timeline_text){ "", 0 }),
		    request, ns, &last, NULL);
}

static struct ring_asked asked_of(const struct field *f, const struct timeline_place *thread)
{
	bool in_call = f[MONO].u >= thread->call_ns && f[MONO].u <= thread->call_ends_ns;

	return (struct ring_asked){
		.pid = (uint32_t)f[PID].u,
		.tid = (uint32_t)f[TID].u,
		.since_ns = f[MONO].u,
		.call_ends_ns = in_call ? thread->call_ends_ns : 0,
		.inode = f[INODE].u,
		.path = f[PATH].len ? timeline_write_hash(&f[PATH]) : 0,
		.length = f[LENGTH].u,
		.does = timeline_cause_does(&f[OPCODE]),
	};
}

static void submit(struct timeline *t, const struct field *f, const struct timeline_place *thread)
{
	struct timeline_event on_thread = timeline_event(TIMELINE_INSTANT, f[MONO].u,
							 thread->track),
			      e;
	struct ring_asked asked = asked_of(f, thread); /* before the place moves */
	struct ring_request *request = ring_requests_find(&t->requests, f[RING].u, id_of(f));
	struct timeline_place *ring = ring_of(t, f);
	struct timeline_lane *lane;
	char name[256];

	/* the kernel uses its memory again: the completion of the one before was lost */
	if (request)
		end_open(t, request, f[MONO].u, "no completion seen");
	lane = ring ? timeline_lane(&t->tracks, ring, f[MONO].u) : NULL;
	request = lane ? ring_requests_add(&t->requests, f[RING].u, id_of(f)) : NULL;
	if (!request) {
		t->tracks.no_memory = true;
		return;
	}
	request->flow = ++t->n_flows;
	request->ns = f[MONO].u;
	request->asked = asked;
	timeline_cause_add(t, request);
	request->lane = (unsigned)(lane - ring->lanes);
	lane->busy = true;
	t->totals.requests += f[MONO].u >= t->from_ns;
	t->totals.slices++;
	on_thread.name = (struct timeline_text){ "SUBMIT", 6 };
	on_thread.flows[0] = request->flow;
	t->encoder->event(t->encoder, &on_thread);
	e = timeline_event(TIMELINE_BEGIN, f[MONO].u, lane->track);
	e.name = name_of(f, name);
	e.flows[0] = request->flow;
	e.ended = ring->link;
	ring->link = 0;
	if (field_has(&f[FLAGS], "IO_LINK") || field_has(&f[FLAGS], "IO_HARDLINK"))
		e.flows[1] = ring->link = ++t->n_flows;
	put_request(&e, f);
	t->encoder->event(t->encoder, &e);
	timeline_count(&t->tracks, ring, COUNTER_IN_FLIGHT, f[MONO].u, 1);
}

/* A completion that follows another one (multishot), or whose submission was not seen. */
static void complete_alone(struct timeline *t, const struct field *f)
{
	struct timeline_place *ring = ring_of(t, f);
	uint64_t start = f[MONO].u -
			 (f[LATENCY].known && f[LATENCY].u <= f[MONO].u ? f[LATENCY].u : 0);
	struct timeline_lane *lane = ring ? timeline_lane(&t->tracks, ring, start) : NULL;
	struct timeline_event e;
	char name[256];

	t->totals.unmatched += !f[LATENCY].known && f[MONO].u >= t->from_ns && f[MONO].u < t->to_ns;
	if (!lane)
		return;
	lane->end_ns = f[MONO].u;
	e = timeline_event(TIMELINE_BEGIN, start, lane->track);
	e.name = name_of(f, name);
	put_request(&e, f);
	timeline_number(&e, "result", &f[RESULT]);
	add_why(t, f, &e);
	if (!f[LATENCY].known)
		timeline_words(&e, "submission",
			       &(struct field){ .text = "not seen", .len = 8, .known = true });
	timeline_slice(t, &e, f[MONO].u);
}

/*
 * On the thread of io-wq that ran it: at the earliest from when it was queued,
 * or from when that thread had done the one before.
 */
static void worked(struct timeline *t, const struct field *f, const struct ring_request *request)
{
	uint64_t start = request->ns;
	char command[32], name[256];
	struct timeline_place *worker;
	struct timeline_event e;
	int n = snprintf(command, sizeof(command), "iou-wrk-%u", (unsigned)f[PID].u);

	worker = timeline_thread(&t->tracks, (uint32_t)f[PID].u, (uint32_t)f[WORKER].u,
				 (struct timeline_text){ command, (size_t)n });
	if (!worker)
		return;
	if (worker->worked_ns > start)
		start = worker->worked_ns;
	if (start > f[MONO].u)
		start = f[MONO].u;
	worker->worked_ns = f[MONO].u;
	e = timeline_event(TIMELINE_BEGIN, start, 0);
	e.track = timeline_nested(&t->tracks, worker, start, f[MONO].u);
	e.name = name_of(f, name);
	e.flows[0] = request->flow;
	put_request(&e, f);
	timeline_slice(t, &e, f[MONO].u);
}

/* What happens on the way: to a request, or, where it is none that is known, in a thread. */
static void mark(struct timeline *t, const struct field *f, struct timeline_place *thread)
{
	struct ring_request *request = f[REQ].known || f[DATA].known ?
					       ring_requests_find(&t->requests, f[RING].u,
								  id_of(f)) :
					       NULL;
	struct timeline_event e = timeline_event(TIMELINE_INSTANT, f[MONO].u, thread->track);
	struct timeline_place *ring;

	e.name = timeline_text(&f[EVENT]);
	timeline_words(&e, "link", &f[LINK]);
	timeline_number(&e, "length", &f[LENGTH]);
	timeline_number(&e, "result", &f[RESULT]);
	timeline_number(&e, "user_data", &f[DATA]);
	ring = request ? timeline_find(&t->tracks, OWNER_RING, f[RING].u) : NULL;
	if (ring)
		e.track = ring->lanes[request->lane].track;
	t->encoder->event(t->encoder, &e);
}

static void go_on(struct timeline *t, const struct field *f)
{
	struct ring_request *request = ring_requests_find(&t->requests, f[RING].u, id_of(f));
	struct timeline_event e = timeline_event(TIMELINE_INSTANT, f[MONO].u, 0);
	struct timeline_place *ring;

	if (!request) {
		if (f[EVENT].u == URING_COMPLETE)
			complete_alone(t, f);
		return;
	}
	ring = ring_of(t, f);
	e.name = timeline_text(&f[EVENT]);
	timeline_number(&e, "result", &f[RESULT]);
	if (f[EVENT].u == URING_QUEUE_ASYNC) {
		request->ns = f[MONO].u;
		request->asked.queued = true;
	}
	if (f[EVENT].u == URING_COMPLETE && f[WORKER].known) {
		worked(t, f, request);
		ring = timeline_find(&t->tracks, OWNER_RING, f[RING].u); /* it may have moved */
	}
	if (f[EVENT].u == URING_COMPLETE) {
		end_request(t, ring, request, f[MONO].u, &e, f);
		return;
	}
	e.track = ring->lanes[request->lane].track;
	e.flows[0] = request->flow;
	t->encoder->event(t->encoder, &e);
}

/* A call whose beginning was not seen is a mark. */
static void call(struct timeline *t, const struct field *f, struct timeline_place *thread)
{
	static const struct {
		const char *name;
		const char *length; /* what that column is there */
	} calls[] = {
		[URING_ENTER] = { "enter", "to submit" },
		[URING_CREATE] = { "setup", "entries" },
		[URING_REGISTER] = { "register", "length" },
	};
	uint64_t end = f[MONO].u + f[LATENCY].u;
	const char *name = calls[f[EVENT].u].name;
	struct timeline_event e;

	e = timeline_event(TIMELINE_INSTANT, f[MONO].u, thread->track);
	e.name = (struct timeline_text){ name, strlen(name) };
	timeline_words(&e, "opcode", &f[OPCODE]);
	timeline_number(&e, "fd", &f[FD]);
	timeline_number(&e, calls[f[EVENT].u].length, &f[LENGTH]);
	timeline_words(&e, "flags", &f[FLAGS]);
	timeline_number(&e, "result", &f[RESULT]);
	if (!f[LATENCY].known) {
		t->encoder->event(t->encoder, &e);
		return;
	}
	if (f[EVENT].u == URING_ENTER) {
		thread->call_ns = f[MONO].u;
		thread->call_ends_ns = end;
	}
	e.track = timeline_nested(&t->tracks, thread, f[MONO].u, end);
	timeline_slice(t, &e, end);
}

/* How full its queues were: when a call began and ended, or a completion came. */
static void count_fill(struct timeline *t, const struct field *f)
{
	struct timeline_place *ring = f[SQ_FILL].known || f[CQ_FILL].known ?
					      timeline_find(&t->tracks, OWNER_RING, f[RING].u) :
					      NULL;
	uint64_t until = f[MONO].u + (f[EVENT].u == URING_ENTER ? f[LATENCY].u : 0);

	if (!ring)
		return;
	if (f[SQ_FILL].known)
		timeline_value(&t->tracks, ring, COUNTER_SQ_FILL, f[MONO].u, f[SQ_FILL].s);
	if (f[CQ_FILL].known)
		timeline_value(&t->tracks, ring, COUNTER_CQ_FILL, until, f[CQ_FILL].s);
}

void timeline_uring_row(struct timeline *t, const struct field *f)
{
	struct timeline_place *thread;

	/* behind the part, only what ends is of interest */
	if (!f[EVENT].known || (f[MONO].u >= t->to_ns && f[EVENT].u != URING_COMPLETE))
		return;
	/* named by who made it or entered it, rather than by the kernel's thread that polls it */
	if (f[EVENT].u <= URING_REGISTER && f[RING].known)
		ring_of(t, f);
	thread = timeline_thread(&t->tracks, (uint32_t)f[PID].u, (uint32_t)f[TID].u,
				 timeline_text(&f[COMMAND]));

	if (!thread)
		return;
	switch (f[EVENT].u) {
	case URING_ENTER:
	case URING_CREATE:
	case URING_REGISTER:
		call(t, f, thread);
		break;
	case URING_SUBMIT:
		submit(t, f, thread);
		break;
	case URING_QUEUE_ASYNC:
	case URING_POLL_ARM:
	case URING_COMPLETE:
		go_on(t, f);
		break;
	default:
		mark(t, f, thread);
		break;
	}
	count_fill(t, f);
}

void timeline_uring_end(struct timeline *t)
{
	struct ring_request *request;
	unsigned bucket = 0;

	while ((request = ring_requests_any(&t->requests, &bucket)))
		end_open(t, request, t->end_ns, "no completion until the end");
}
