/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report counts while rows go by: sums for each operation, process, device, connection …, and numbers
 * over time. Segments come in any order, and each thread has a tally of its own; they are joined at the end. What is
 * known from the order of rows (busy.h, report_exchange.h, report_stalls.h) is known within a segment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/busy.h"
#include "analysis/common/latencies.h"
#include "analysis/common/pool.h"
#include "analysis/common/rows_seen.h"
#include "analysis/report/report_distinct.h"
#include "analysis/report/report_exchange.h"
#include "analysis/report/report_open.h"
#include "analysis/report/report_slowest.h"
#include "analysis/report/time_bins.h"
#include "probes/schema/stream_id.h"

/* What an item is one of. */
enum report_kind {
	REPORT_OPERATION, /* number: stream; name */
	REPORT_PROCESS,   /* number: pid */
	REPORT_DEVICE,    /* number: device */
	REPORT_BIOS,      /* number: device that is made of bios; second: 0, or a device below it */
	REPORT_CONNECTION, /* name: protocol, both ends */
	REPORT_CACHED, /* number: inode, second: device, name: as the rows say; REPORT_MAX_NS: its pages */
	REPORT_FAULTED,   /* the same */
	REPORT_URING,     /* name: command and opcode */
	REPORT_SERVER,    /* name: see report_rows_servers.h */
	REPORT_OWNER,     /* name: cause of requests, NUL, command of who caused them */
	REPORT_SCHED,     /* number: pid */
	REPORT_COUNTED,   /* name: layer and operation, NUL, class */
	REPORT_ON_DEVICE, /* name: path of a file whose data requests carried */
	REPORT_RENAMED,   /* name: the first one, label: the second */
	REPORT_DOUBTFUL,  /* number: inode, second: device */
	REPORT_DELETED,   /* number: pid, name: path; REPORT_MAX_NS: when it was closed last */
	REPORT_STALLED,   /* number: device, name: operation (report_stalls.h) */
	REPORT_MAPPED,    /* name: path */
	REPORT_FAILED,    /* number: pid, second: stream, name: see report_failed.h */
	REPORT_CALL,      /* number: thread */
	REPORT_WAITER,    /* number: pid */
	REPORT_SUBMITTER, /* number: pid, of io_uring */
	REPORT_LIFE, /* number: pid; from first_ns to REPORT_MAX_NS, with its count when it ended */
	REPORT_STACK,  /* name: see report_stacks.h; REPORT_QUEUE_NS: of what it slept */
	REPORT_JOINED, /* none any more: it is in another one */
	N_REPORT_KINDS
};

enum report_measure {
	REPORT_COUNT,
	REPORT_ERRORS,
	REPORT_READS, /* calls, or requests */
	REPORT_WRITES,
	REPORT_FLUSHES,
	REPORT_READ_BYTES, /* or received */
	REPORT_WRITE_BYTES,
	REPORT_NS,
	REPORT_MAX_NS,
	REPORT_TIMED, /* those whose latency is known */
	REPORT_QUEUE_NS,
	REPORT_QUEUED,
	REPORT_DISK_READ, /* of a process: bytes of requests that it submitted */
	REPORT_DISK_WRITTEN,
	REPORT_RECEIVED,
	REPORT_SENT,
	REPORT_RESENT,  /* segments that TCP sent again; requests to servers */
	REPORT_DROPPED, /* packets; pages: cut off, or thrown away */
	REPORT_HITS,    /* pages, and so below */
	REPORT_MISSES,
	REPORT_DIRTIED,
	REPORT_WRITTEN_BACK,
	REPORT_EVICTED,
	REPORT_MINOR, /* faults */
	REPORT_MAJOR,
	REPORT_MAJOR_NS,
	REPORT_SUBMITTED,  /* requests of io_uring */
	REPORT_ASYNC,      /* of these, handed to a worker */
	REPORT_POLLED,     /* or armed */
	REPORT_OVERFLOWED, /* completions that found no room */
	REPORT_IDLE,       /* waits that nothing ended but their time */
	REPORT_SLEEP_NS,   /* of threads */
	REPORT_SERVER_NS,  /* at servers, with the network between */
	REPORT_PREEMPTED,
	REPORT_ACTS, /* of a process: rows of what it did; it may have none, and be named in those of others */
	N_REPORT_MEASURES
};

/* How a process uses files (report_habits.h) */
enum report_habit {
	/* of reads and of writes (so many places behind), which moved something */
	HABIT_SMALL,
	HABIT_SMALL_BYTES,
	HABIT_SMALL_NS,
	HABIT_BYTE, /* calls that moved one byte */
	HABIT_BYTE_NS,
	HABIT_WRITE,
	HABIT_IO_NS = 2 * HABIT_WRITE, /* in reads, writes and syncs */
	HABIT_SLOW_NS,                 /* of writes that take 1 ms or more: through the cache */
	HABIT_SLOW_DIRECT_NS,          /* and around it, or until they are on the device */
	HABIT_SYNCS,
	HABIT_SYNC_NS,
	HABIT_LOCKS, /* that were asked for */
	HABIT_LOCK_NS,
	HABIT_OPENS,
	HABIT_CLOSES, /* that a call asked for */
	HABIT_LOOKUPS,
	HABIT_STATS, /* of these, that found something but opened nothing */
	HABIT_STATS_NS,
	HABIT_MISSING, /* of these, what was not there */
	HABIT_MISSING_NS,
	N_REPORT_HABITS
};

/* The heat map of an operation: counts by span of time and power of two of the latency. */
enum { REPORT_HEAT_FIRST = 8, REPORT_HEAT = 32 }; /* below 256 ns, then each twice as much */

struct report_item {
	struct report_item *next; /* in its slot */
	uint64_t hash;
	uint64_t number;
	uint64_t second;
	const char *name; /* its key */
	uint32_t name_len;
	uint32_t label_len, label_room;
	char *label;       /* a name that says more, command or path: of its last row */
	uint64_t label_ns; /* when that was, or its last row */
	uint64_t first_ns; /* of failures: when the first one was */
	uint64_t values[N_REPORT_MEASURES];
	struct latencies *latencies; /* NULL: none were added */
	uint32_t *heat;
	struct busy *busy;                /* of a device */
	struct report_distinct *distinct; /* of a process: names that it asked for and found */
	struct report_exchange *exchange; /* of a connection */
	uint64_t *habits; /* of a process (report_habits.h); NULL: none were counted */
	uint8_t kind;
	bool read_known, write_known; /* its bytes */
};

/* Numbers over time of a stream. */
enum report_series {
	REPORT_OVER_OPERATIONS,
	REPORT_OVER_READ_BYTES,
	REPORT_OVER_WRITE_BYTES,
	REPORT_OVER_ERRORS,
	REPORT_OVER_HITS,
	REPORT_OVER_MISSES,
	N_REPORT_SERIES
};

struct report_stream {
	uint64_t (*over)[N_REPORT_SERIES]; /* TIME_BINS of them; NULL: no row */
	struct rows_seen seen;
	struct report_slowest slowest;
};

struct report_stalls;

struct report_tally {
	struct time_bins bins;
	struct report_stream streams[N_STREAMS];
	struct report_item **slots;
	uint64_t n_slots, n_items, n_failed, n_stacks;
	struct report_open open;
	struct pool pool;
	struct report_stalls *stalls; /* NULL: no slow change or sync yet */
	uint64_t nowhere[N_REPORT_SERIES];
	bool joins_names; /* there are pages, whose files may get other names */
	bool no_memory;
};

struct report_key {
	enum report_kind kind;
	uint64_t number, second;
	const char *name; /* NULL: none */
	size_t len;
};

/* The zeroed tally is empty. NULL without memory, which the tally then knows. */
struct report_item *report_item(struct report_tally *tally, const struct report_key *key);
/* NULL: there is none. */
const struct report_item *report_find(const struct report_tally *tally,
				      const struct report_key *key);
/* One after the other of a kind, in no order; NULL: before the first, behind the last. */
const struct report_item *report_next(const struct report_tally *tally, enum report_kind kind,
				      const struct report_item *before);
/* A part of its name, whose parts have NULs between; *len is 0 where it is empty, or there is none. */
const char *report_item_part(const struct report_item *item, unsigned which, size_t *len);
bool report_item_part_is(const struct report_item *item, unsigned which, const char *text);
void report_item_label(struct report_tally *tally, struct report_item *item, const char *label,
		       size_t len, uint64_t ns);
/* What one counted, except its latencies, counts as the other's, too. */
void report_item_add(struct report_item *item, const struct report_item *other);
/* An operation, request … that took so long. */
void report_item_time(struct report_item *item, uint64_t latency_ns);
/* The same, for its percentiles. */
void report_item_latency(struct report_tally *tally, struct report_item *item, uint64_t latency_ns);
/* And for its heat map. */
void report_item_heat(struct report_tally *tally, struct report_item *item, uint64_t mono_ns,
		      uint64_t latency_ns);
/* The numbers of the span of a moment; somewhere else without memory. */
uint64_t *report_over(struct report_tally *tally, enum stream_id stream, uint64_t mono_ns);
/* It did something between these times (busy.h). */
void report_item_busy(struct report_tally *tally, struct report_item *item, uint64_t from,
		      uint64_t to);
/* Counts of its own, empty at first; NULL without memory. */
struct report_distinct *report_item_distinct(struct report_tally *tally, struct report_item *item);
struct report_exchange *report_item_exchange(struct report_tally *tally, struct report_item *item);
/* N_REPORT_HABITS counts of a process; NULL without memory. */
uint64_t *report_item_habits(struct report_tally *tally, struct report_item *item);
/*
 * Its rows stand for 2^power as many: what was counted counts for these. Numbers of one file, the slowest rows and
 * maxima stay.
 */
void report_tally_scale(struct report_tally *tally, unsigned power);
/* All that is in other, too. */
void report_tally_join(struct report_tally *tally, const struct report_tally *other);
void report_tally_free(struct report_tally *tally);
