/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stream is for events.c, and what the files of the streams share. Nobody else sees it. */
#pragma once

#include "events/busiest.h"
#include "events/events.h"
#include "events/losses.h"
#include "events/slowest.h"
#include "plan/filter.h"
#include "resolve/host_mounts.h"
#include "resolve/mapped.h"
#include "resolve/writers.h"
#include "row/calls.h"
#include "row/format.h"
#include "row/records.h"
#include "row/values.h"

struct stream_record {
	enum iot_type type;
	size_t least; /* bytes */
	void (*handle)(struct events *ev, void *record, size_t len);
	bool closes; /* descriptors may close by it, without a call of their own */
};

enum { STREAM_MAX_RECORDS = 2 };

/* What a stream does with the records of the ring; each is defined in the file of its stream. */
struct stream_ops {
	struct stream_record records[STREAM_MAX_RECORDS];
	bool is_followed; /* its records tell what processes did to descriptors and names */
	/* What the stream keeps besides, when it is wanted: 0, or -ENOMEM; NULL: nothing. */
	int (*open)(void **state, const struct plan *plan);
	void (*close)(void *state); /* also of NULL */
	/*
	 * Events without a record: the last descriptor of a file closed; losses of a second;
	 * counts. Or NULL.
	 */
	void (*closed)(struct events *ev, const struct desc_close *closed);
	void (*loss)(struct events *ev, unsigned class, enum lost_reason reason, int cpu,
		     uint64_t count, uint64_t ts);
	void (*counted)(struct events *ev, const struct iot_count_key *key,
			const struct iot_count *added, uint64_t ts);
	void (*counts_end)(struct events *ev); /* those were all of one time */
};

#define EVENTS_MNTNS_BITS 12

struct events {
	bool wanted[N_STREAMS];
	bool follow; /* descriptors are followed here (CLOSE from system calls) */
	bool maps;   /* and what is mapped, too */
	bool extra_ops;
	uint64_t of_requests;        /* as fs_of_requests(); 0: no rows are made of them */
	bool quiet;                  /* the record is not to be a row, only to be followed */
	const struct filter *filter; /* NULL: every row */
	bool partitions;
	uint64_t hurry; /* ns; see events_hurry() */
	bool together;
	bool names_missing;
	struct names *names;
	struct names *files;     /* names by inode; NULL when no stream wants them */
	struct writers *writers; /* of files; NULL when no stream wants them */
	struct resolve *resolve;
	struct procs *procs;
	struct fd_sockets *sockets;
	struct mapped *mapped;
	struct host_mounts hosts;
	struct ledger *ledger;
	struct losses *losses;
	struct busiest *busiest;
	struct slowest slowest[N_EVENT_STREAMS];
	struct stream_record records[IOT_N_RECS]; /* by type */
	void *state[N_EVENT_STREAMS];             /* of stream_ops.open */
	uint64_t unresolved[N_EVENT_STREAMS];
	struct outlet {
		struct events *events;
		enum stream_id stream;
		struct order *order;
	} outlets[N_EVENT_STREAMS];
	events_row_fn *row;
	struct schema_omitted omitted;             /* columns that rows do not have */
	const struct events_values *wanted_values; /* NULL: rows are wanted */
	struct field values[N_EVENT_STREAMS][VALUES_MAX];
	void *arg;
	struct events_stacks stacks;
	struct iot_head cause; /* of the record that is being handled */
	uint32_t cause_mntns;
	/*
	 * that a process had last; one that ends closes its mappings' files when it has none any
	 * more
	 */
	struct {
		uint32_t tgid;
		uint32_t mntns;
	} last_mntns[1 << EVENTS_MNTNS_BITS];
	uint16_t cause_call; /* as iot_fs.call */
	struct calls calls;
	struct events_totals totals;
	char text[ROW_MAX];
};
