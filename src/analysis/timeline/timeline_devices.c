/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns requests of devices on a timeline: slices on lanes, queue depth and
 * throughput, and the arrow from the operation that caused a request, by way of
 * the thread that submitted it.
 */
#include "analysis/timeline/timeline_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/timeline/timeline_cause.h"
#include "base/clock.h"
#include "row/row_words.h"

/* Of time that throughput is told for. */
enum { SPAN_NS = 10000000 };

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = ds_operations) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(TID, "tid", UINT) \
	COLUMN(COMMAND, "command", TEXT) \
	COLUMN(SECTOR, "sector", UINT) \
	COLUMN(SIZE, "size", UINT) \
	COLUMN(DEVICE, "dev", DEV) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(ERROR, "error", TEXT) \
	COLUMN(QUEUE, "queue_time_ms", MS) \
	COLUMN(LATENCY, "latency_ms", MS) \
	COLUMN(CAUSE, "cause", TEXT, .words = ds_causes) \
	COLUMN(INODE, "inode", UINT) \
	COLUMN(PATH, "filename", PATH) \
	COLUMN(OWNER, "owner_pid", UINT) \
	COLUMN(OWNER_COMMAND, "owner_command", TEXT) \
	COLUMN(URING_REQ, "uring_req", HEX) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

static void device_row(struct timeline *t, const struct field *f);

const struct timeline_source timeline_device = { { STREAM_ds, columns, N_COLUMNS },
						 PID,
						 OWNER,
						 device_row };

/* ---- what caused it ---- */

/*
 * Of pages that were written before, the operation that wrote the file last; its arrow, or 0: none
 * is known. Who waits for them in a sync call is their owner, whoever wrote them.
 */
static uint64_t written(struct timeline *t, const struct field *f, uint64_t start)
{
	uint64_t hash = timeline_write_hash(&f[PATH]);
	struct timeline_write *write;
	struct timeline_event e;

	if (!f[PATH].len || f[OPERATION].u != DS_OP_WRITE ||
	    (f[CAUSE].u != CAUSE_WRITEBACK && f[CAUSE].u != CAUSE_SYNC))
		return 0;
	write = timeline_write_of(t, hash);
	if (!write || write->hash != hash || write->ns > start ||
	    (f[CAUSE].u == CAUSE_WRITEBACK && write->pid != f[OWNER].u))
		return 0;
	e = timeline_event(TIMELINE_INSTANT, write->ns, write->track);
	e.name = (struct timeline_text){ "written back", 12 };
	e.flows[0] = ++t->n_flows;
	t->encoder->event(t->encoder, &e);
	return e.flows[0];
}

/* Within the operation that the submitting thread is in: its arrow begins there, or goes on. */
static uint64_t submitted(struct timeline *t, const struct field *f, uint64_t start, uint64_t flow)
{
	struct timeline_place *thread;
	struct timeline_event e;

	if (!f[PID].u || !f[LATENCY].known)
		return flow;
	thread = timeline_thread(&t->tracks, (uint32_t)f[PID].u, (uint32_t)f[TID].u,
				 timeline_text(&f[COMMAND]));
	if (!thread)
		return flow;
	e = timeline_event(TIMELINE_INSTANT, start, thread->track);
	e.name = (struct timeline_text){ "request", 7 };
	e.flows[0] = flow ? flow : ++t->n_flows;
	t->encoder->event(t->encoder, &e);
	return e.flows[0];
}

/* Within the request of io_uring that it is a part of: its arrow begins there. */
static uint64_t asked(struct timeline *t, const struct field *f, uint64_t start)
{
	struct timeline_part part = {
		.request = f[URING_REQ].u,
		.pid = (uint32_t)(f[OWNER].known ? f[OWNER].u : f[PID].u),
		.tid = (uint32_t)f[TID].u,
		.command = f[COMMAND],
		.ns = start,
		.inode = f[INODE].u,
		.path = f[PATH].len ? timeline_write_hash(&f[PATH]) : 0,
		.size = f[SIZE].u,
		.write = f[OPERATION].u == DS_OP_WRITE,
		.direct = f[CAUSE].u == CAUSE_DIRECT,
	};
	struct ring_request *request;
	struct timeline_place *ring;
	struct timeline_event e;

	if (!f[LATENCY].known || (!part.direct && f[CAUSE].u != CAUSE_READ) ||
	    (!part.write && f[OPERATION].u != DS_OP_READ))
		return 0;
	request = timeline_cause_find(t, &part);
	ring = request ? timeline_find(&t->tracks, OWNER_RING, request->ring) : NULL;
	if (!ring)
		return 0;
	e = timeline_event(TIMELINE_INSTANT, start, ring->lanes[request->lane].track);
	e.name = (struct timeline_text){ "request", 7 };
	e.flows[0] = ++t->n_flows;
	t->encoder->event(t->encoder, &e);
	return e.flows[0];
}

/* ---- the device ---- */

static struct timeline_place *device_of(struct timeline *t, uint64_t number)
{
	const struct device *known = devices_find(&t->devices, number);
	char name[128];
	int n;

	n = snprintf(name, sizeof(name), "device %s%s%u:%u%s", known ? known->name : "",
		     known ? " (" : "", (unsigned)(number >> 20), (unsigned)(number & 0xfffff),
		     known ? ")" : "");
	return timeline_group(&t->tracks, OWNER_DEVICE, number,
			      (struct timeline_text){ name, (size_t)n });
}

static void tell_throughput(struct timeline *t, struct timeline_place *device)
{
	struct timeline_counts *c = device->counts;

	if (!c || !c->bytes)
		return;
	timeline_value(&t->tracks, device, COUNTER_THROUGHPUT, c->since_ns,
		       (int64_t)(c->bytes * (NS_PER_S / SPAN_NS)));
	timeline_value(&t->tracks, device, COUNTER_THROUGHPUT, c->since_ns + SPAN_NS, 0);
	c->bytes = 0;
}

/* Requests come by their ends: a span is over when one lies behind it. */
static void count_bytes(struct timeline *t, struct timeline_place *device, const struct field *f)
{
	uint64_t since = f[MONO].u - f[MONO].u % SPAN_NS;

	if (!device->counts)
		timeline_value(&t->tracks, device, COUNTER_THROUGHPUT, since, 0);
	if (!device->counts)
		return;
	if (since > device->counts->since_ns) {
		tell_throughput(t, device);
		device->counts->since_ns = since;
	}
	device->counts->bytes += f[SIZE].u;
}

void timeline_devices_end(struct timeline *t)
{
	for (unsigned i = 0; i < t->tracks.size; i++)
		if (t->tracks.places[i].owner == OWNER_DEVICE)
			tell_throughput(t, &t->tracks.places[i]);
}

static void count_depth(struct timeline *t, const struct field *f, uint64_t start)
{
	struct timeline_change change = {
		.ns = start,
		.owner = OWNER_DEVICE,
		.key = f[DEVICE].u,
		.counter = COUNTER_QUEUE_DEPTH,
		.change = 1,
	};

	timeline_later(&t->changes, &t->tracks, &change);
	change.ns = f[MONO].u;
	change.change = -1;
	timeline_later(&t->changes, &t->tracks, &change);
}

/* "write db.sqlite 4096@264192" */
static struct timeline_text name_of(const struct field *f, char name[256])
{
	const char *slash = f[PATH].len ? memrchr(f[PATH].text, '/', f[PATH].len) : NULL;
	const char *file = slash ? slash + 1 : f[PATH].text;
	int len = (int)(f[PATH].text + f[PATH].len - file), n;

	n = snprintf(name, 256, "%.*s%s%.*s %llu", (int)f[OPERATION].len, f[OPERATION].text,
		     len > 0 ? " " : "", len < 160 ? len : 160, file,
		     (unsigned long long)f[SIZE].u);
	if (f[SECTOR].known)
		n += snprintf(name + n, 256 - (size_t)n, "@%llu", (unsigned long long)f[SECTOR].u);
	return (struct timeline_text){ name, (size_t)n };
}

static void device_row(struct timeline *t, const struct field *f)
{
	static const struct field not_seen = { .text = "not seen", .len = 8, .known = true };
	uint64_t end = f[MONO].u, start = end, waited = f[LATENCY].u + f[QUEUE].u, flow;
	struct timeline_place *device;
	struct timeline_lane *lane;
	struct timeline_event e;
	char name[256];

	/* a request can be older than the clock only in a damaged row */
	if (waited <= end)
		start -= waited;
	flow = asked(t, f, start);
	if (!flow)
		flow = submitted(t, f, start, written(t, f, start));
	device = device_of(t, f[DEVICE].u);
	lane = device ? timeline_lane(&t->tracks, device, start) : NULL;
	if (!lane)
		return;
	lane->end_ns = end;
	e = timeline_event(TIMELINE_BEGIN, start, lane->track);
	e.name = name_of(f, name);
	e.ended = flow;
	timeline_words(&e, "cause", &f[CAUSE]);
	timeline_words(&e, "path", &f[PATH]);
	timeline_number(&e, "owner", &f[OWNER]);
	timeline_words(&e, "owner's name", &f[OWNER_COMMAND]);
	timeline_words(&e, "submitted by", &f[COMMAND]);
	timeline_number(&e, "sector", &f[SECTOR]);
	timeline_number(&e, "size", &f[SIZE]);
	timeline_words(&e, "flags", &f[FLAGS]);
	timeline_words(&e, "error", &f[ERROR]);
	timeline_number(&e, "queued ns", &f[QUEUE]);
	/* a slice without length at the moment when it was known to be over */
	if (!f[LATENCY].known)
		timeline_words(&e, "end", &not_seen);
	timeline_slice(t, &e, end);
	count_bytes(t, device, f);
	count_depth(t, f, start);
}
