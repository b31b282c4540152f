/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to rows: each record updates names, processes and
 * descriptors, and most become a row of their stream.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/filter.h"
#include "plan/plan.h"
#include "resolve/names.h"
#include "resolve/fd_sockets.h"
#include "resolve/resolve.h"
#include "row/schema.h"
#include "trace/ledger.h"

struct busiest;
struct slowest;
struct host_mounts;
struct events;

struct events_totals {
	uint64_t rows[N_STREAMS];
	uint64_t out_of_scope;              /* of fs: sockets, pipes, pseudo file systems */
	uint64_t filtered;                  /* rows that filters left out here, not in the kernel */
	uint64_t not_last;                  /* closes of a descriptor that was not the last */
	uint64_t bad;                       /* malformed records */
	uint64_t faults;                    /* of pages, rows or not */
	uint64_t via[PLAN_MAX_CHOICES + 1]; /* records by the choice that sent them */
	uint64_t late[N_STREAMS];
};

/* A row in its place: key is its CLOCK_MONOTONIC time. */
typedef void events_row_fn(void *arg, enum stream_id stream, const char *row, size_t len,
			   uint64_t key);

/*
 * Values of an event, each at its place in the request; valid during the call. Values that
 * were not requested are unknown.
 */
typedef void events_values_fn(void *arg, enum stream_id stream, const struct field *values);

/* For who adds up events: no text is made of them, and they come in no order. */
struct events_values {
	uint8_t place[N_EVENT_STREAMS][VALUES_MAX_COLUMNS];
	events_values_fn *fn;
	void *arg;
};

/* Where the kernel keeps stacks, see trace_stacks.h */
struct events_stacks {
	unsigned (*read)(void *arg, bool kernel, int32_t number, uint64_t *frames);
	void (*remove)(void *arg, bool kernel, int32_t number);
	void *arg;
};

struct events_options {
	const struct plan *plan;
	bool wanted[N_STREAMS];
	struct resolve *resolve;     /* borrowed */
	bool partitions;             /* dev of ds is the partition where there is one */
	const struct filter *filter; /* borrowed; NULL: every row */
	bool extra_ops;              /* operations of FS_EXTRA are rows, too */
	bool together;               /* rows of all streams in one order, not each in its own */
	unsigned names;              /* capacity of the name table */
	int n_cpus;
	events_row_fn *row;
	const struct schema_omitted *omitted; /* columns that rows do not have; NULL: none */
	const struct events_values *values;   /* borrowed; instead of rows. NULL: rows */
	socket_made_fn *made;                 /* or NULL */
	struct events_stacks stacks;          /* or none */
	void *arg;
};

/* NULL without memory */
struct events *events_open(const struct events_options *options);
void events_close(struct events *events);

/* Learns a process that is there before its records are; stopped: see procs_seed. */
void events_seed(struct events *events, uint32_t tgid, bool stopped);

/* For drain_run: arg is the struct events. */
void events_record(void *arg, const void *record, size_t len, int cpu);

struct iot_rq;
/* A request has ended, nobody saw when and how: a row of ds, at now. */
void events_request_unseen(struct events *events, const struct iot_rq *rq);

struct iot_count;
struct iot_count_key;
/*
 * For trace_counts_read: arg is the struct events. What was counted up to ts, since the call before
 */
void events_counted(void *arg, const struct iot_count_key *key, const struct iot_count *added,
		    uint64_t ts);
/* Those were all of this time. */
void events_counts_end(struct events *events);

/* What --budget left out since the row before, for a row of stream lost */
struct events_thin {
	uint64_t left_out;
	uint64_t kept; /* FORMAT_UNKNOWN: not to be compared with it */
	uint32_t
		factor; /* from now on one of so many files, requests or threads has rows; 0: none */
};
void events_thinned(struct events *events, enum stream_id stream, const struct events_thin *thin,
		    uint64_t ts);

/* Rows that waited for their place leave; now as for order_flush. */
void events_flush(struct events *events, uint64_t now);

/*
 * As order_news() and order_first() of a stream: its new waiting rows; the key of the first one, or
 * UINT64_MAX.
 */
void events_news(struct events *events, enum stream_id stream, events_row_fn *fn, void *arg);
uint64_t events_first(const struct events *events, enum stream_id stream);

/*
 * From now on rows leave so much earlier than their order needs; those of longer operations come
 * late.
 */
void events_hurry(struct events *events, uint64_t ns);

/* True once after records named something unknown: the kernel must send its names again. */
bool events_names_missing(struct events *events);

/* A file of this name was seen: for records that know no more than device and inode. */
void events_offer_name(struct events *events, uint64_t ino, uint32_t dev, const char *path,
		       size_t len);
/* Whether any stream has such records. */
bool events_wants_names(const struct events *events);

struct ledger *events_ledger(struct events *events);
const struct names_totals *events_names(const struct events *events);
const struct events_totals *events_totals(struct events *events);
const struct busiest *events_busiest(const struct events *events);
/* Of the first of fs (files alone), ds and pagefault that has any: as in a report. NULL: none. */
const struct slowest *events_slowest(const struct events *events, enum stream_id *stream);
struct code_symbols;
/* Places of code in stacks that are to be named; NULL: none. */
struct code_symbols *events_symbols(struct events *events);
/* How many of the plan's choices have sent a record by now. */
unsigned events_live(struct events *events);
/* Where files of other mount namespaces are on the host. */
const struct host_mounts *events_host_mounts(const struct events *events);
