/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns file operations, requests of devices, the scheduler and losses on a timeline. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/timeline_rows.h"

#include <stdio.h>
#include <string.h>

struct timeline_event timeline_event(enum timeline_kind kind, uint64_t ns, uint64_t track)
{
	return (struct timeline_event){ .kind = kind, .ns = ns, .track = track };
}

void timeline_number(struct timeline_event *e, const char *name, const struct field *field)
{
	if (field->known && e->n_arguments < TIMELINE_MAX_ARGUMENTS)
		e->arguments[e->n_arguments++] = (struct timeline_argument){ .name = name,
									     .number = field->s };
}

void timeline_words(struct timeline_event *e, const char *name, const struct field *field)
{
	if (field->len && e->n_arguments < TIMELINE_MAX_ARGUMENTS)
		e->arguments[e->n_arguments++] = (struct timeline_argument){ .name = name,
									     .text = field->text,
									     .len = field->len };
}

void timeline_slice(struct timeline *t, struct timeline_event *e, uint64_t end_ns)
{
	struct timeline_event end = timeline_event(TIMELINE_END, end_ns, e->track);

	e->kind = TIMELINE_BEGIN;
	t->encoder->event(t->encoder, e);
	t->encoder->event(t->encoder, &end);
	t->totals.slices++;
	if (end_ns > t->end_ns)
		t->end_ns = end_ns;
}

/* ---- fs ---- */

enum fs_column {
	FS_OPERATION,
	FS_PID,
	FS_TID,
	FS_COMMAND,
	FS_PATH,
	FS_SIZE,
	FS_OFFSET,
	FS_FLAGS,
	FS_FD,
	FS_CALL,
	FS_RESULT,
	FS_LATENCY,
	FS_MONO,
	FS_N,
};

static const struct read_column fs_columns[FS_N] = {
	[FS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT },
	[FS_PID] = { .name = "pid", .kind = PARSE_UINT },
	[FS_TID] = { .name = "tid", .kind = PARSE_UINT },
	[FS_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[FS_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[FS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[FS_OFFSET] = { .name = "offset", .kind = PARSE_UINT },
	[FS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[FS_FD] = { .name = "fd", .kind = PARSE_UINT },
	[FS_CALL] = { .name = "call", .kind = PARSE_TEXT },
	[FS_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[FS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FS_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static void fs_row(struct timeline *t, const struct field *f)
{
	struct timeline_place *thread = timeline_thread(&t->tracks, (uint32_t)f[FS_PID].u,
							(uint32_t)f[FS_TID].u,
							timeline_text(&f[FS_COMMAND]));
	uint64_t end = f[FS_MONO].u + f[FS_LATENCY].u;
	struct timeline_event e;

	if (!thread)
		return;
	e = timeline_event(TIMELINE_INSTANT, f[FS_MONO].u, thread->track);
	e.name = timeline_text(&f[FS_OPERATION]);
	timeline_words(&e, "path", &f[FS_PATH]);
	timeline_number(&e, "size", &f[FS_SIZE]);
	timeline_number(&e, "offset", &f[FS_OFFSET]);
	timeline_words(&e, "flags", &f[FS_FLAGS]);
	timeline_number(&e, "fd", &f[FS_FD]);
	timeline_words(&e, "call", &f[FS_CALL]);
	timeline_number(&e, "result", &f[FS_RESULT]);
	if (!f[FS_LATENCY].known) {
		t->encoder->event(t->encoder, &e);
		return;
	}
	e.track = timeline_nested(&t->tracks, thread, f[FS_MONO].u, end);
	timeline_slice(t, &e, end);
}

/* ---- ds ---- */

enum ds_column {
	DS_OPERATION,
	DS_PID,
	DS_TID,
	DS_COMMAND,
	DS_SECTOR,
	DS_SIZE,
	DS_DEVICE,
	DS_FLAGS,
	DS_ERROR,
	DS_QUEUE,
	DS_LATENCY,
	DS_MONO,
	DS_N,
};

static const struct read_column ds_columns[DS_N] = {
	[DS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT },
	[DS_PID] = { .name = "pid", .kind = PARSE_UINT },
	[DS_TID] = { .name = "tid", .kind = PARSE_UINT },
	[DS_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[DS_SECTOR] = { .name = "sector", .kind = PARSE_UINT },
	[DS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[DS_DEVICE] = { .name = "dev", .kind = PARSE_DEV },
	[DS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[DS_ERROR] = { .name = "error", .kind = PARSE_TEXT },
	[DS_QUEUE] = { .name = "queue_time_ms", .kind = PARSE_MS },
	[DS_LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[DS_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

/* The thread that submitted it is where its arrow begins. */
static uint64_t submitted(struct timeline *t, const struct field *f, uint64_t ns)
{
	struct timeline_place *thread;
	struct timeline_event e;

	if (!f[DS_PID].u || !f[DS_LATENCY].known)
		return 0;
	thread = timeline_thread(&t->tracks, (uint32_t)f[DS_PID].u, (uint32_t)f[DS_TID].u,
				 timeline_text(&f[DS_COMMAND]));
	if (!thread)
		return 0;
	e = timeline_event(TIMELINE_INSTANT, ns, thread->track);
	e.name = (struct timeline_text){ "request", 7 };
	e.flows[0] = ++t->n_flows;
	t->encoder->event(t->encoder, &e);
	return e.flows[0];
}

static void ds_row(struct timeline *t, const struct field *f)
{
	uint64_t end = f[DS_MONO].u, start = end, waited = f[DS_LATENCY].u + f[DS_QUEUE].u, flow;
	struct timeline_place *device;
	struct timeline_lane *lane;
	struct timeline_event e;
	char name[64];
	int n;

	if (waited <= end)
		start -= waited;
	flow = submitted(t, f, start);
	n = snprintf(name, sizeof(name), "device %u:%u", (unsigned)(f[DS_DEVICE].u >> 20),
		     (unsigned)(f[DS_DEVICE].u & 0xfffff));
	device = timeline_group(&t->tracks, OWNER_DEVICE, f[DS_DEVICE].u,
				(struct timeline_text){ name, (size_t)n });
	lane = device ? timeline_lane(&t->tracks, device, start) : NULL;
	if (!lane)
		return;
	lane->end_ns = end;
	e = timeline_event(TIMELINE_BEGIN, start, lane->track);
	n = snprintf(name, sizeof(name), "%.*s %llu@%llu", (int)f[DS_OPERATION].len,
		     f[DS_OPERATION].text, (unsigned long long)f[DS_SIZE].u,
		     (unsigned long long)f[DS_SECTOR].u);
	e.name = (struct timeline_text){ name, (size_t)n };
	e.ended = flow;
	timeline_number(&e, "sector", &f[DS_SECTOR]);
	timeline_number(&e, "size", &f[DS_SIZE]);
	timeline_words(&e, "flags", &f[DS_FLAGS]);
	timeline_words(&e, "error", &f[DS_ERROR]);
	timeline_words(&e, "submitted by", &f[DS_COMMAND]);
	timeline_number(&e, "queued ns", &f[DS_QUEUE]);
	timeline_slice(t, &e, end);
}

/* ---- sched ---- */

enum sched_column {
	SCHED_PID,
	SCHED_TID,
	SCHED_COMMAND,
	SCHED_CPU,
	SCHED_PRIORITY,
	SCHED_RUN,
	SCHED_STATE,
	SCHED_DELAY,
	SCHED_WAKER,
	SCHED_MONO,
	SCHED_N,
};

/* As the kernel's bits (fs/proc, task_state_array): behind R, 1 << (place - 1). */
static const char *const states[] = { "R", "S", "D", "T", "t", "X", "Z", "P", "I", "R+", NULL };

static const struct read_column sched_columns[SCHED_N] = {
	[SCHED_PID] = { .name = "pid", .kind = PARSE_UINT },
	[SCHED_TID] = { .name = "tid", .kind = PARSE_UINT },
	[SCHED_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[SCHED_CPU] = { .name = "cpu", .kind = PARSE_UINT },
	[SCHED_PRIORITY] = { .name = "priority", .kind = PARSE_UINT },
	[SCHED_RUN] = { .name = "run_ns", .kind = PARSE_UINT },
	[SCHED_STATE] = { .name = "state", .kind = PARSE_TEXT, .words = states },
	[SCHED_DELAY] = { .name = "delay_ns", .kind = PARSE_UINT },
	[SCHED_WAKER] = { .name = "waker_tid", .kind = PARSE_UINT },
	[SCHED_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static void sched_row(struct timeline *t, const struct field *f)
{
	uint64_t state = f[SCHED_STATE].u;

	if (!f[SCHED_RUN].known ||
	    !timeline_thread(&t->tracks, (uint32_t)f[SCHED_PID].u, (uint32_t)f[SCHED_TID].u,
			     timeline_text(&f[SCHED_COMMAND])))
		return;
	t->encoder->run(t->encoder,
			&(struct timeline_run){
				.ns = f[SCHED_MONO].u,
				.run_ns = f[SCHED_RUN].u,
				.woken_ns = f[SCHED_DELAY].known && f[SCHED_WAKER].known &&
							    f[SCHED_DELAY].u < f[SCHED_MONO].u ?
						    f[SCHED_MONO].u - f[SCHED_DELAY].u :
						    0,
				.cpu = (uint32_t)f[SCHED_CPU].u,
				.tid = (uint32_t)f[SCHED_TID].u,
				.waker = (uint32_t)f[SCHED_WAKER].u,
				.priority = (int32_t)f[SCHED_PRIORITY].u,
				.state = state && state < 10 ? 1U << (state - 1) : 0,
				.name = timeline_text(&f[SCHED_COMMAND]),
			});
}

/* ---- lost ---- */

enum lost_column { LOST_STREAM, LOST_CPU, LOST_REASON, LOST_COUNT, LOST_MONO, LOST_N };

static const struct read_column lost_columns[LOST_N] = {
	[LOST_STREAM] = { .name = "stream", .kind = PARSE_TEXT },
	[LOST_CPU] = { .name = "cpu", .kind = PARSE_UINT },
	[LOST_REASON] = { .name = "reason", .kind = PARSE_TEXT },
	[LOST_COUNT] = { .name = "count", .kind = PARSE_UINT },
	[LOST_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static void lost_row(struct timeline *t, const struct field *f)
{
	struct timeline_place *group = timeline_group(&t->tracks, OWNER_LOST, 0,
						      (struct timeline_text){ "lost events", 11 });
	struct timeline_lane *lane = group ? timeline_lane(&t->tracks, group, f[LOST_MONO].u) :
					     NULL;
	struct timeline_event e;

	if (!lane)
		return;
	lane->end_ns = f[LOST_MONO].u;
	e = timeline_event(TIMELINE_BEGIN, f[LOST_MONO].u, lane->track);
	e.name = (struct timeline_text){ "LOST", 4 };
	timeline_words(&e, "stream", &f[LOST_STREAM]);
	timeline_number(&e, "cpu", &f[LOST_CPU]);
	timeline_words(&e, "reason", &f[LOST_REASON]);
	timeline_number(&e, "count", &f[LOST_COUNT]);
	timeline_slice(t, &e, f[LOST_MONO].u);
}

const struct timeline_source timeline_sources[TIMELINE_SOURCES - 1] = {
	{ { STREAM_fs, fs_columns, FS_N }, FS_PID, fs_row },
	{ { STREAM_ds, ds_columns, DS_N }, DS_PID, ds_row },
	{ { STREAM_sched, sched_columns, SCHED_N }, SCHED_PID, sched_row },
	{ { STREAM_lost, lost_columns, LOST_N }, -1U, lost_row },
};
