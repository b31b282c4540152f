/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns file operations, requests of devices, the scheduler and losses on a timeline. */
#include "analysis/timeline/timeline_rows.h"

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

/* clang-format off */
#define FS_COLUMNS(COLUMN) \
	COLUMN(FS_OPERATION, "operation", TEXT) \
	COLUMN(FS_PID, "pid", UINT) \
	COLUMN(FS_TID, "tid", UINT) \
	COLUMN(FS_COMMAND, "command", TEXT) \
	COLUMN(FS_PATH, "filename", PATH) \
	COLUMN(FS_SIZE, "size", UINT) \
	COLUMN(FS_OFFSET, "offset", UINT) \
	COLUMN(FS_FLAGS, "flags", TEXT) \
	COLUMN(FS_FD, "fd", UINT) \
	COLUMN(FS_CALL, "call", TEXT) \
	COLUMN(FS_RESULT, "return_value", INT) \
	COLUMN(FS_LATENCY, "latency_ns", UINT) \
	COLUMN(FS_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(fs_columns, FS_N, FS_COLUMNS);

static void note_write(struct timeline *t, const struct field *f, uint64_t track)
{
	uint64_t hash = timeline_write_hash(&f[FS_PATH]);
	struct timeline_write *write = timeline_write_of(t, hash);

	if (write)
		*write = (struct timeline_write){
			.hash = hash, .pid = f[FS_PID].u, .track = track, .ns = f[FS_MONO].u
		};
}

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
	/* a request of io_uring has them, where these are recorded */
	if (t->why && f[FS_TID].known &&
	    !(timeline_why_has_requests(t->why) && field_is(&f[FS_CALL], "io_uring")))
		timeline_why_add(t->why, &e, (uint32_t)f[FS_TID].u, f[FS_MONO].u, f[FS_LATENCY].u);
	timeline_slice(t, &e, end);
	if (f[FS_PATH].len && field_begins(&f[FS_OPERATION], "WRITE"))
		note_write(t, f, e.track);
}

/* ---- sched ---- */

/* As the kernel's bits (fs/proc, task_state_array): behind R, 1 << (place - 1). */
static const char *const states[] = {
	"R", "S", "D", "T", "t", "X", "Z", "P", "I", "R+", "W", NULL
};

/* places in that list */
enum { STATE_SLEEPS = 1, STATE_DEAD = 5, STATE_ZOMBIE = 6, STATE_PREEMPTED = 9, STATE_WOKEN = 10 };

/* clang-format off */
#define SCHED_COLUMNS(COLUMN) \
	COLUMN(SCHED_PID, "pid", UINT) \
	COLUMN(SCHED_TID, "tid", UINT) \
	COLUMN(SCHED_COMMAND, "command", TEXT) \
	COLUMN(SCHED_CPU, "cpu", UINT) \
	COLUMN(SCHED_PRIORITY, "priority", UINT) \
	COLUMN(SCHED_RUN, "run_ns", UINT) \
	COLUMN(SCHED_STATE, "state", TEXT, .words = states) \
	COLUMN(SCHED_DELAY, "delay_ns", UINT) \
	COLUMN(SCHED_WAKER, "waker_tid", UINT) \
	COLUMN(SCHED_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(sched_columns, SCHED_N, SCHED_COLUMNS);

/* A thread of io-wq is there from the first row on until one says that it ended. */
static void count_worker(struct timeline *t, const struct field *f, struct timeline_place *thread)
{
	struct timeline_change change = {
		.ns = f[SCHED_MONO].u,
		.owner = OWNER_PROCESS,
		.key = f[SCHED_PID].u,
		.counter = COUNTER_WORKERS,
		.change = 1,
	};
	bool ends = f[SCHED_STATE].u == STATE_DEAD || f[SCHED_STATE].u == STATE_ZOMBIE;

	if (!field_begins(&f[SCHED_COMMAND], "iou-wrk-"))
		return;
	if (!thread->counted)
		timeline_later(&t->changes, &t->tracks, &change);
	thread->counted = !ends;
	if (!ends)
		return;
	change.ns += f[SCHED_RUN].u;
	change.change = -1;
	timeline_later(&t->changes, &t->tracks, &change);
}

static void sched_row(struct timeline *t, const struct field *f)
{
	struct timeline_text command = timeline_text(&f[SCHED_COMMAND]);
	uint32_t pid = (uint32_t)f[SCHED_PID].u;
	uint64_t state = f[SCHED_STATE].u == STATE_WOKEN ? STATE_SLEEPS : f[SCHED_STATE].u;
	char name[TIMELINE_NAME_SIZE];
	struct timeline_place *thread;

	if (!f[SCHED_RUN].known)
		return;
	thread = timeline_thread(&t->tracks, pid, (uint32_t)f[SCHED_TID].u, command);
	if (!thread)
		return;
	count_worker(t, f, thread);
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
				.state = state && state <= STATE_PREEMPTED ? 1U << (state - 1) : 0,
				.name = timeline_worker_name(&t->tracks, pid, command, name),
			});
}

/* ---- lost ---- */

/* clang-format off */
#define LOST_COLUMNS(COLUMN) \
	COLUMN(LOST_STREAM, "stream", TEXT) \
	COLUMN(LOST_CPU, "cpu", UINT) \
	COLUMN(LOST_REASON, "reason", TEXT) \
	COLUMN(LOST_COUNT, "count", UINT) \
	COLUMN(LOST_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(lost_columns, LOST_N, LOST_COLUMNS);

/* What a sample leaves out was our choice, and is no loss. */
static void lost_row(struct timeline *t, const struct field *f)
{
	static const struct timeline_text groups[] = { { "lost events", 11 },
						       { "events left out", 15 } };
	static const struct timeline_text names[] = { { "LOST", 4 }, { "LEFT OUT", 8 } };
	unsigned kind = field_is(&f[LOST_REASON], "sampled") || field_is(&f[LOST_REASON], "budget");
	struct timeline_place *group = timeline_group(&t->tracks, OWNER_LOST, kind, groups[kind]);
	struct timeline_lane *lane = group ? timeline_lane(&t->tracks, group, f[LOST_MONO].u) :
					     NULL;
	struct timeline_event e;

	if (!lane)
		return;
	lane->end_ns = f[LOST_MONO].u;
	e = timeline_event(TIMELINE_BEGIN, f[LOST_MONO].u, lane->track);
	e.name = names[kind];
	timeline_words(&e, "stream", &f[LOST_STREAM]);
	timeline_number(&e, "cpu", &f[LOST_CPU]);
	timeline_words(&e, "reason", &f[LOST_REASON]);
	timeline_number(&e, "count", &f[LOST_COUNT]);
	timeline_slice(t, &e, f[LOST_MONO].u);
}

const struct timeline_source timeline_rows[TIMELINE_ROWS] = {
	{ { STREAM_fs, fs_columns, FS_N }, FS_PID, -1U, fs_row },
	{ { STREAM_sched, sched_columns, SCHED_N }, SCHED_PID, -1U, sched_row },
	{ { STREAM_lost, lost_columns, LOST_N }, -1U, -1U, lost_row },
};
