/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes snapshots while a trace runs, in a thread of its own that shares no lock with the
 * one that drains the rings: what it reports goes through a ring of messages.
 */
#pragma once

#include "snapshot/snap.h"

struct manifest_segment;

struct snap;

struct snap_sink {
	void (*name)(void *arg, uint64_t ino, uint32_t dev, const char *path, size_t len);
	void (*segment)(void *arg, const struct manifest_segment *segment);
	void (*done)(void *arg, const struct snap_done *done);
	void *arg;
};

/*
 * Starts with one of each. The job is copied; its options' texts, zone and dir are borrowed. NULL
 * on failure, reported.
 */
struct snap *snap_start(const struct snap_job *job, const struct snap_sink *sink);

/* Hands a limited number of messages to the sink: call it every turn. */
void snap_take(struct snap *snap);

/* CPU time of its thread, as far as that can be asked for: ns */
uint64_t snap_cpu_ns(struct snap *snap);

/*
 * No more are taken, and the one under way is abandoned: the only space left is what the manifest
 * needs.
 */
void snap_cancel(struct snap *snap);

/*
 * The trace has ended: there is a first snapshot of each and a last one of
 * processes, but the first walk may go on for no more than a tenth of the time that
 * was traced (100 ms to 2 s, without what it waits for a CPU), and all of it for 5 s.
 * Any later walk is abandoned. No message is left. Frees.
 */
void snap_stop(struct snap *snap);
