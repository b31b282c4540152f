/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of streams and passes each record to the one that it is of. Knows no column. */
#include "events/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/events_private.h"
#include "events/fs_requests.h"
#include "events/order.h"

/* Whose last writer is remembered: two megabytes */
enum { WRITTEN_FILES = 32768 };

/* of texts.c: no stream, but a record */
extern const struct stream_record texts_handler;

#define DECLARE_OPS(name, traits, doc) extern const struct stream_ops stream_##name;
IOT_STREAMS(DECLARE_OPS)

#define POINT_TO_OPS(name, traits, doc) [STREAM_##name] = &stream_##name,
static const struct stream_ops *const all_ops[N_EVENT_STREAMS] = { IOT_STREAMS(POINT_TO_OPS) };

/* ---- rows ---- */

static void ordered_row(void *arg, const char *row, size_t len, uint64_t key)
{
	struct outlet *outlet = arg;

	outlet->events->row(outlet->events->arg, outlet->stream, row, len, key);
}

const struct slowest *events_slowest(const struct events *ev, enum stream_id *stream)
{
	static const enum stream_id order[] = { STREAM_fs, STREAM_ds, STREAM_pagefault };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (ev->slowest[order[i]].latency_ns) {
			*stream = order[i];
			return &ev->slowest[order[i]];
		}
	return NULL;
}

void events_offer_name(struct events *ev, uint64_t ino, uint32_t dev, const char *text, size_t len)
{
	struct path *path = ev->files && ino && dev ? path_new(text, len, PATH_FULL) : NULL;

	if (path)
		names_offer(ev->files, ino, mounts_host_dev(&ev->resolve->mounts, dev), path);
	path_put(path);
}

bool events_wants_names(const struct events *ev)
{
	return ev->files;
}

/* Whether these never came to the reader: others it has followed, though they are no rows. */
static bool loss_was_unseen(enum lost_reason reason)
{
	return reason != LOST_UNRESOLVED && !ledger_is_choice(reason) && reason != LOST_DISK_FULL &&
	       reason != LOST_DISK_ERROR;
}

/* A chdir, dup, close or exec may be among them, which makes untrue what is followed. */
static bool loss_breaks_following(unsigned class, enum lost_reason reason)
{
	return loss_was_unseen(reason) && (class >= N_EVENT_STREAMS || all_ops[class]->is_followed);
}

static void note_loss(void *arg, unsigned class, enum lost_reason reason, int cpu, uint64_t count,
		      uint64_t ts)
{
	struct events *ev = arg;

	/* a lost name record leaves names that the kernel believes are known here */
	if (class == IOT_SEQ_STATE)
		ev->names_missing = true;
	if (loss_breaks_following(class, reason)) {
		procs_lost(ev->procs);
		mapped_lost(ev->mapped);
	}
	losses_add(ev->losses, class, reason, cpu, count, ts);
}

/* The losses of a second: told to the streams that have rows of them. */
static void notify_losses(void *arg, unsigned class, enum lost_reason reason, int cpu,
			  uint64_t count, uint64_t ts)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (all_ops[i]->loss)
			all_ops[i]->loss(arg, class, reason, cpu, count, ts);
}

/* dup2, exec or exit closed the last descriptor of a file. */
static void notify_close(void *arg, const struct desc_close *closed)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (all_ops[i]->closed)
			all_ops[i]->closed(arg, closed);
}

/* ---- records ---- */

static void add_record(struct events *ev, const struct stream_record *record)
{
	ev->records[record->type] = *record;
}

static void list_records(struct events *ev)
{
	add_record(ev, &texts_handler);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		for (int k = 0; k < STREAM_MAX_RECORDS && all_ops[i]->records[k].handle; k++)
			add_record(ev, &all_ops[i]->records[k]);
}

void events_record(void *arg, const void *record, size_t len, int cpu)
{
	struct events *ev = arg;
	const struct iot_head *head = record;
	const struct stream_record *kind;

	kind = len < sizeof(*head) || head->type >= IOT_N_RECS ? NULL : &ev->records[head->type];
	if (!kind || !kind->handle || len < kind->least) {
		ev->totals.bad++;
		return;
	}
	ev->cause = *head;
	procs_caller(ev->procs, head->tgid, head->tid);
	/* asked before the record may end the process */
	ev->cause_mntns = ev->follow && kind->closes ? procs_mntns(ev->procs, head->tgid) : 0;
	ledger_record(ev->ledger, head, cpu);
	ev->quiet = head->via & IOT_VIA_QUIET;
	if ((head->via & ~IOT_VIA_QUIET) < PLAN_MAX_CHOICES + 1)
		ev->totals.via[head->via & ~IOT_VIA_QUIET]++;
	kind->handle(ev, (void *)record, len);
	ev->quiet = false;
	ev->cause_call = IOT_NO_CALL;
}

void events_counted(void *arg, const struct iot_count_key *key, const struct iot_count *added,
		    uint64_t ts)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (all_ops[i]->counted)
			all_ops[i]->counted(arg, key, added, ts);
}

void events_counts_end(struct events *ev)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (all_ops[i]->counts_end)
			all_ops[i]->counts_end(ev);
}

/* ---- life ---- */

static bool wants(const struct events *ev, unsigned traits)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (ev->wanted[i] && schema_has(i, traits))
			return true;
	return false;
}

/* What belongs to a stream: its place in the order of rows, and what else it keeps. */
static int open_stream(struct events *ev, enum stream_id stream, const struct plan *plan)
{
	struct outlet *outlet = &ev->outlets[stream];
	const struct stream_ops *ops = all_ops[stream];

	*outlet = (struct outlet){ .events = ev, .stream = stream };
	outlet->order = order_open(ordered_row, outlet);
	if (!outlet->order)
		return -ENOMEM;
	return ops->open && ev->wanted[stream] ? ops->open(&ev->state[stream], plan) : 0;
}

static void close_stream(struct events *ev, enum stream_id stream)
{
	order_close(ev->outlets[stream].order);
	if (all_ops[stream]->close)
		all_ops[stream]->close(ev->state[stream]);
}

struct events *events_open(const struct events_options *options)
{
	struct events *ev = calloc(1, sizeof(*ev));
	bool ok = true;

	if (!ev)
		return NULL;
	ev->row = options->row;
	if (options->omitted)
		ev->omitted = *options->omitted;
	ev->wanted_values = options->values;
	ev->arg = options->arg;
	ev->stacks = options->stacks;
	ev->resolve = options->resolve;
	memcpy(ev->wanted, options->wanted, sizeof(ev->wanted));
	ev->follow = plan_needs(options->plan, USES_DESCRIPTORS);
	ev->names = names_open(options->names);
	if (wants(ev, NEEDS_FILE_NAMES)) {
		ev->files = names_open(options->names);
		ok = ev->files;
	}
	if (ev->wanted[STREAM_ds] || ev->wanted[STREAM_bio]) {
		ev->writers = writers_open(WRITTEN_FILES);
		ok = ok && ev->writers;
	}
	ev->maps = ev->follow && wants(ev, NEEDS_MAPPINGS);
	ev->filter = options->filter;
	ev->extra_ops = options->extra_ops;
	if (ev->wanted[STREAM_fs])
		ev->of_requests = fs_of_requests(options->plan);
	ev->partitions = options->partitions;
	ev->together = options->together;
	calls_read(&ev->calls);
	ev->procs = procs_open(&ev->resolve->procfs, ev->follow, !options->plan->headers,
			       notify_close, ev);
	if (ev->procs)
		ev->sockets = fd_sockets_open(ev->procs, options->made, options->arg);
	ev->hosts.mounts = &ev->resolve->mounts;
	ev->mapped = mapped_open(&ev->resolve->procfs, 0, 0);
	ev->ledger = ledger_open(options->n_cpus, note_loss, ev);
	ev->losses = losses_open(options->n_cpus, notify_losses, ev);
	ev->busiest = busiest_open();
	list_records(ev);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		ok = !open_stream(ev, i, options->plan) && ok;
	if (!ok || !ev->names || !ev->procs || !ev->sockets || !ev->mapped || !ev->ledger ||
	    !ev->losses || !ev->busiest) {
		events_close(ev);
		return NULL;
	}
	return ev;
}

void events_seed(struct events *ev, uint32_t tgid, bool stopped)
{
	procs_seed(ev->procs, tgid, stopped);
	if (ev->maps)
		mapped_of(ev->mapped, tgid);
}

void events_close(struct events *ev)
{
	if (!ev)
		return;
	fd_sockets_close(ev->sockets);
	procs_close(ev->procs);
	mapped_close(ev->mapped);
	host_mounts_close(&ev->hosts);
	names_close(ev->names);
	names_close(ev->files);
	writers_close(ev->writers);
	ledger_close(ev->ledger);
	losses_close(ev->losses);
	busiest_close(ev->busiest);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		close_stream(ev, i);
	free(ev);
}

/* The stream whose row is the next of all, and the key up to which none of another one is. */
static struct order *next_of_all(struct events *ev, uint64_t *until)
{
	struct order *next = NULL;
	uint64_t least = UINT64_MAX;

	*until = UINT64_MAX;
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		uint64_t key = order_first(ev->outlets[i].order);

		if (key < least) {
			*until = least;
			least = key;
			next = ev->outlets[i].order;
		} else if (key < *until) {
			*until = key;
		}
	}
	return next;
}

static void flush_together(struct events *ev, uint64_t now)
{
	uint64_t until, before;
	struct order *next;

	while ((next = next_of_all(ev, &until))) {
		before = order_first(next);
		until = until > UINT64_MAX - ORDER_HOLD_NS ? UINT64_MAX : until + ORDER_HOLD_NS;
		order_flush(next, until < now ? until : now);
		if (order_first(next) == before)
			break; /* it has to wait, and so have all others */
	}
}

void events_hurry(struct events *ev, uint64_t ns)
{
	ev->hurry = ns;
}

void events_flush(struct events *ev, uint64_t now)
{
	losses_flush(ev->losses, now);
	now = now > UINT64_MAX - ev->hurry ? UINT64_MAX : now + ev->hurry;
	if (ev->together) {
		flush_together(ev, now);
		return;
	}
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		order_flush(ev->outlets[i].order, now);
}

struct news {
	events_row_fn *fn;
	void *arg;
	enum stream_id stream;
};

static void pass_row(void *arg, const char *row, size_t len, uint64_t key)
{
	const struct news *news = arg;

	news->fn(news->arg, news->stream, row, len, key);
}

void events_news(struct events *ev, enum stream_id stream, events_row_fn *fn, void *arg)
{
	struct news news = { .fn = fn, .arg = arg, .stream = stream };

	order_news(ev->outlets[stream].order, pass_row, &news);
}

uint64_t events_first(const struct events *ev, enum stream_id stream)
{
	return order_first(ev->outlets[stream].order);
}

bool events_names_missing(struct events *ev)
{
	bool missing = ev->names_missing;

	ev->names_missing = false;
	return missing;
}

const struct busiest *events_busiest(const struct events *ev)
{
	return ev->busiest;
}

struct ledger *events_ledger(struct events *ev)
{
	return ev->ledger;
}

const struct names_totals *events_names(const struct events *ev)
{
	return names_totals(ev->names);
}

unsigned events_live(struct events *ev)
{
	unsigned n = 0;

	for (int i = 1; i <= PLAN_MAX_CHOICES; i++)
		n += ev->totals.via[i] != 0;
	return n;
}

const struct events_totals *events_totals(struct events *ev)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		ev->totals.late[i] = order_late(ev->outlets[i].order);
	return &ev->totals;
}

const struct host_mounts *events_host_mounts(const struct events *ev)
{
	return &ev->hosts;
}
