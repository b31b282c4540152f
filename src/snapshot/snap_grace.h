/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the walk through the files may go on when the trace has ended: time that
 * it works, or waits for a disk. Time in which others have the CPU is not counted,
 * for on a busy machine even the shortest walk would be given up.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * A tenth of the time that was traced, within these limits: who traced for a moment
 * does not wait for snapshots, who traced for a while wants them.
 */
#define SNAP_GRACE_SHARE 10
#define SNAP_GRACE_LEAST_NS (NS_PER_S / 10)
#define SNAP_GRACE_MOST_NS (2 * NS_PER_S)
#define SNAP_GRACE_TURN_NS 2000000 /* how often snap_grace_over is to be asked */

struct snap_grace {
	pthread_t thread; /* not joined yet */
	uint64_t at;      /* of the latest turn; CLOCK_MONOTONIC ns */
	uint64_t ran_ns;  /* CPU time of the thread by then */
	uint64_t left_ns;
};

/* traced_ns: how long the trace was. The time begins now. */
void snap_grace_start(struct snap_grace *grace, pthread_t thread, uint64_t traced_ns);

/* tid: of the thread. */
bool snap_grace_over(struct snap_grace *grace, int tid);

/* The letter of proc(5) for a thread of this process: 'R', 'S', 'D' …; 0: there is none. */
char snap_thread_state(int tid);
