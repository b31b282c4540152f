/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU perf rings to one sequence of records in time order. Reads in place,
 * wakes rarely (watermark and a timer), takes from all CPUs by time so that a
 * busy one cannot starve the others, and trusts nothing it reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest record handed on; longer samples are counted as bad. */
#define DRAIN_RECORD_MAX 8192

struct drain;

struct drain_totals {
	uint64_t records;
	uint64_t wakeups;     /* poll returned because a ring passed its watermark */
	uint64_t kernel_lost; /* PERF_RECORD_LOST, all classes together */
	uint64_t bad;         /* samples too short, too long or of unknown type */
	uint64_t late;        /* records older than one already handed on */
};

/* record is 8-byte aligned and valid until the callback returns. */
typedef void drain_fn(void *arg, const void *record, size_t len, int cpu);

/*
 * Opens a ring of pages (a power of two) data pages for each online CPU and
 * enters it in the map. Returns NULL with the reason reported.
 */
struct drain *drain_open(int events_map_fd, unsigned pages);

/* Waits until a ring passes its watermark, extra_fd is readable (-1: none) or timeout_ms pass. */
void drain_wait(struct drain *drain, int extra_fd, int timeout_ms);

/*
 * Hands on every record sent before the call, less those of the last
 * DRAIN_SLACK_NS (another CPU may still be writing an older one), in the order
 * of their time. all: the rest, too (tracing is off).
 */
#define DRAIN_SLACK_NS 2000000ULL
void drain_run(struct drain *drain, bool all, drain_fn *fn, void *arg);

/* CPUs come and go: opens rings for new ones. Call now and then. */
void drain_check_cpus(struct drain *drain);

const struct drain_totals *drain_totals(const struct drain *drain);
void drain_close(struct drain *drain);

/* ---- the parts that tests feed with bytes ---- */

/* A ring as the kernel shares it: head is read, tail written, both run on for ever. */
struct drain_ring {
	const volatile void *meta; /* struct perf_event_mmap_page; NULL in tests */
	const char *data;
	uint64_t size; /* bytes, a power of two */
	uint64_t head; /* as read at the start of a turn */
	uint64_t tail;
	uint64_t published;
	int cpu;
	int fd;
	bool hung_up; /* its CPU is gone; what it holds is still read */
	/* the record at the front, after drain_ring_peek */
	uint64_t ts;
	uint32_t len;
	uint32_t step; /* bytes to advance when it is taken */
	bool have;
};

/*
 * Finds the next sample; counts lost records and bad ones on the way. False when the ring is empty.
 */
bool drain_ring_peek(struct drain_ring *ring, struct drain_totals *totals);
/* Copies the peeked sample out (DRAIN_RECORD_MAX bytes) and steps over it. */
void drain_ring_take(struct drain_ring *ring, void *record);
