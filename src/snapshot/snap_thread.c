/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the thread that takes snapshots while a trace runs: when which is due,
 * and that it takes little of a CPU, and of the disks, that others want. Everything
 * that the tracing thread hears of it comes through the ring of messages.
 */
#include "snapshot/snap_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "compat/sys/sys.h"
#include "snapshot/snap_cpu.h"
#include "snapshot/snap_frame.h"
#include "snapshot/snap_grace.h"
#include "snapshot/snap_ring.h"
#include "write/manifest.h"

#define NEVER UINT64_MAX
#define RING_SIZE (256 * 1024)
#define TAKE_MAX 1024 /* messages a turn: some hundred microseconds */
/* For all that is under way when the trace has ended, on a machine however busy. */
#define END_MOST_NS (5 * NS_PER_S)
#define PATIENCE_NS (10 * NS_PER_S) /* for a thread that does not end although it was told to */
#define WAIT_NS SNAP_GRACE_TURN_NS

enum stop { STOP_NOT, STOP_SOON, STOP_NOW };

struct snap {
	struct snap_job walk; /* of files */
	struct snap_job job;  /* of the others, which may be due during a walk */
	struct snap_sink sink;
	struct snap_ring ring;
	pthread_t thread;
	int wake;                /* eventfd: the trace has ended */
	int stop;                /* enum stop; both threads */
	int tid;                 /* both threads */
	bool ended;              /* both threads */
	bool walking, walk_over; /* both threads: the first walk, and that it is given up */
	uint64_t due_cpu, due_process, due_fs; /* CLOCK_MONOTONIC */
	bool walked;                           /* the first walk is over */
	uint64_t started;                      /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;                       /* when it was asked for last */
	struct zone zone;
	char message[SNAP_RING_MESSAGE_MAX];
};

static int stopping(const struct snap *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

static void pause_ns(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

/* ---- the thread ---- */

/*
 * Waits for room; names alone are dropped when the trace has ended. What came of a snapshot is never
 * dropped: its segments are on the disk, and the manifest has to list them.
 */
static void send_message(void *arg, uint32_t kind, const void *head, size_t head_len,
			 const void *body, size_t body_len)
{
	struct snap *s = arg;

	while (!snap_ring_put(&s->ring, kind, head, head_len, body, body_len)) {
		if (kind == SNAP_MESSAGE_NAME &&
		    (stopping(s) || head_len + body_len > SNAP_RING_MESSAGE_MAX))
			return;
		pause_ns(WAIT_NS);
	}
}

/* The next time on the grid; those that were missed are not made up for. */
static uint64_t next_due(uint64_t due, uint64_t every_ns, uint64_t now)
{
	if (!every_ns)
		return NEVER;
	due += every_ns;
	return due > now ? due : now + every_ns;
}

static void take_due(struct snap *s)
{
	uint64_t now = mono_ns();

	if (now >= s->due_process) {
		snap_one(&s->job, SNAP_PROCESS);
		s->due_process = next_due(s->due_process,
					  s->job.options.process_interval_s * NS_PER_S, now);
	}
	if (now >= s->due_cpu && s->job.cpu) {
		snap_cpu_sample(s->job.cpu, s->job.proc);
		s->due_cpu = next_due(s->due_cpu, SNAP_CPU_EVERY_NS, now);
	}
}

static bool may_continue(void *arg)
{
	return stopping(arg) != STOP_NOW;
}

/* A walk may take long where the machine has other things to do. */
static bool walk_may_continue(void *arg)
{
	struct snap *s = arg;

	if (stopping(s))
		return !s->walked && stopping(s) != STOP_NOW &&
		       !__atomic_load_n(&s->walk_over, __ATOMIC_ACQUIRE);
	take_due(s);
	return true;
}

static void walk(struct snap *s)
{
	uint64_t now = mono_ns();

	__atomic_store_n(&s->walking, true, __ATOMIC_RELEASE);
	snap_one(&s->walk, SNAP_FS);
	__atomic_store_n(&s->walking, false, __ATOMIC_RELEASE);
	s->walk.names = false; /* what is new since is named by the trace itself */
	s->walked = true;
	s->due_fs = next_due(s->due_fs, s->walk.options.fs_interval_s * NS_PER_S, now);
}

static void wait_until(struct snap *s, uint64_t due)
{
	uint64_t now = mono_ns(), ms = due > now ? (due - now) / 1000000 + 1 : 0;
	struct pollfd wake = { .fd = s->wake, .events = POLLIN };

	poll(&wake, 1, ms > 60000 ? 60000 : (int)ms);
}

static void run_until_stopped(struct snap *s)
{
	while (!stopping(s)) {
		uint64_t due = s->due_process < s->due_fs ? s->due_process : s->due_fs;

		if (s->job.cpu && s->due_cpu < due)
			due = s->due_cpu;
		wait_until(s, due);
		if (stopping(s))
			break;
		take_due(s);
		if (mono_ns() >= s->due_fs)
			walk(s);
	}
}

static void *snap_thread(void *arg)
{
	struct snap *s = arg;

	__atomic_store_n(&s->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	zone_make(&s->zone);
	sys_thread_low();
	/* the trace may have ended, and this thread's priority been raised, before it was lowered */
	if (stopping(s))
		sys_thread_normal(s->tid);
	/* what is short first: the walk may last as long as the trace */
	snap_one(&s->job, SNAP_PROCESS);
	snap_one(&s->job, SNAP_SYSTEM);
	if (s->job.cpu)
		snap_cpu_sample(s->job.cpu, s->job.proc);
	walk(s);
	run_until_stopped(s);
	if (stopping(s) != STOP_NOW)
		snap_one(&s->job, SNAP_PROCESS);
	__atomic_store_n(&s->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- the tracing thread ---- */

static void snap_free(struct snap *s)
{
	if (s->wake >= 0)
		close(s->wake);
	if (s->job.dir_fd >= 0)
		close(s->job.dir_fd);
	snap_cpu_close(s->job.cpu);
	snap_ring_close(&s->ring);
	free(s);
}

static void set_dues(struct snap *s)
{
	uint64_t now = mono_ns();

	s->started = now;
	s->due_cpu = now + SNAP_CPU_EVERY_NS;
	s->due_process = next_due(now, s->job.options.process_interval_s * NS_PER_S, now);
	s->due_fs = now; /* the first walk sets the next */
}

static struct snap *snap_new(const struct snap_job *job, const struct snap_sink *sink)
{
	struct snap *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink = *sink;
	s->job = *job;
	s->job.zone = &s->zone;
	s->job.send = send_message;
	s->job.may_continue = may_continue;
	s->job.arg = s;
	/* one that was abandoned keeps it: the caller's number may then be another file's */
	s->job.dir_fd = fcntl(job->dir_fd, F_DUPFD_CLOEXEC, 0);
	s->job.cpu = job->options.process_interval_s ? snap_cpu_open() : NULL;
	s->walk = s->job;
	s->walk.may_continue = walk_may_continue;
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->job.dir_fd < 0 || s->wake < 0 || snap_ring_open(&s->ring, RING_SIZE)) {
		snap_free(s);
		return NULL;
	}
	return s;
}

struct snap *snap_start(const struct snap_job *job, const struct snap_sink *sink)
{
	struct snap *s = snap_new(job, sink);
	int err = s ? 0 : -ENOMEM;

	if (!err) {
		set_dues(s);
		err = thread_start(&s->thread, snap_thread, s);
	}
	if (err) {
		log_warn("no snapshots: %s", strerror(-err));
		if (s)
			snap_free(s);
		return NULL;
	}
	return s;
}

static void deliver(struct snap *s, uint32_t kind, size_t len)
{
	const char *message = s->message;
	struct manifest_segment segment;
	struct snap_done done;
	struct snap_name name;

	switch (kind) {
	case SNAP_MESSAGE_NAME:
		memcpy(&name, message, sizeof(name));
		s->sink.name(s->sink.arg, name.ino, name.dev, message + sizeof(name),
			     len - sizeof(name));
		break;
	case SNAP_MESSAGE_SEGMENT:
		memcpy(&segment, message, sizeof(segment));
		s->sink.segment(s->sink.arg, &segment);
		break;
	case SNAP_MESSAGE_DONE:
		memcpy(&done, message, sizeof(done));
		s->sink.done(s->sink.arg, &done);
		break;
	}
}

static bool take_some(struct snap *s)
{
	uint32_t kind;
	size_t len;
	int n = 0;

	while (n < TAKE_MAX && snap_ring_get(&s->ring, &kind, s->message, &len)) {
		deliver(s, kind, len);
		n++;
	}
	return n > 0;
}

void snap_take(struct snap *s)
{
	if (s)
		take_some(s);
}

uint64_t snap_cpu_ns(struct snap *s)
{
	struct timespec t;
	clockid_t clock;

	/* one that has ended is not asked any more, but counts */
	if (s && !pthread_getcpuclockid(s->thread, &clock) && !clock_gettime(clock, &t))
		s->cpu_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	return s ? s->cpu_ns : 0;
}

static void set_stop(struct snap *s, int stop)
{
	uint64_t one = 1;

	__atomic_store_n(&s->stop, stop, __ATOMIC_RELEASE);
	if (write(s->wake, &one, sizeof(one)) < 0)
		return; /* it is awake */
}

/* It is as long as the tree is large; the other snapshots are soon done. */
static void limit_walk(struct snap *s, struct snap_grace *grace, uint64_t traced_ns)
{
	if (!__atomic_load_n(&s->walking, __ATOMIC_ACQUIRE))
		return;
	if (!grace->at)
		snap_grace_start(grace, s->thread, traced_ns);
	else if (snap_grace_over(grace, s->tid))
		__atomic_store_n(&s->walk_over, true, __ATOMIC_RELEASE);
}

/* False when the thread cannot be waited for. */
static bool wait_for_end(struct snap *s)
{
	uint64_t started = mono_ns();
	struct snap_grace grace = { .at = 0 };

	while (!__atomic_load_n(&s->ended, __ATOMIC_ACQUIRE)) {
		uint64_t waited = mono_ns() - started;

		if (waited > PATIENCE_NS)
			return false;
		if (waited > END_MOST_NS && stopping(s) != STOP_NOW)
			set_stop(s, STOP_NOW);
		limit_walk(s, &grace, started - s->started);
		log_waiting("waiting for the last snapshot");
		if (!take_some(s))
			pause_ns(WAIT_NS);
	}
	log_waiting(NULL);
	return true;
}

void snap_cancel(struct snap *s)
{
	if (s)
		set_stop(s, STOP_NOW);
}

void snap_stop(struct snap *s)
{
	int tid;

	if (!s)
		return;
	if (!stopping(s))
		set_stop(s, STOP_SOON);
	/* from here on it is waited for; where it has not begun yet, it looks itself */
	tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);
	if (tid)
		sys_thread_normal(tid);
	if (!wait_for_end(s)) {
		/* nothing is freed: the thread may go on at any time, and use it */
		if (snap_thread_state(tid) == 'D') /* nothing reaches it there */
			log_warn(
				"a snapshot is blocked by a file system that does not respond: abandoned");
		else
			log_warn("a snapshot made no progress on this busy machine: abandoned");
		return;
	}
	pthread_join(s->thread, NULL);
	while (take_some(s))
		;
	snap_free(s);
}
