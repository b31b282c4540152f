/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording is asked for. */
#pragma once

#include <stdbool.h>

#include "analysis/common/pool.h"
#include "analysis/summary/summaries.h"
#include "compat/host/kernel.h"
#include "events/events.h"
#include "row/anon.h"
#include "row/schema.h"
#include "snapshot/snap.h"
#include "trace/trace_set.h"
#include "write/write.h"

/* Who is given the rows instead of a session directory; for the thread that drains, never waits. */
enum tap_state {
	TAP_GOING,
	TAP_GONE, /* nobody reads any more; a traced command may end in peace */
	TAP_STOP, /* as by a signal */
};
struct row_tap {
	void (*row)(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key);
	const struct events_values *values; /* instead of rows, which are then not made; or NULL */
	enum tap_state (*tick)(void *arg);  /* ten times a second and more */
	/* Nothing happens any more that is traced; rows still come. NULL: no matter. */
	void (*stopping)(void *arg);
	/* When all rows have come; interrupted: by a signal. */
	void (*end)(void *arg, bool interrupted);
	void *arg;
};

struct recording_options {
	struct trace_options trace;
	struct write_options write;
	struct anon_options anon;
	char dir[4096];
	const char *sessions; /* where dir is one of several (--sessions); NULL: none */
	const char *config;   /* file of options; NULL: none */
	bool check_config;    /* only look whether they are right */
	struct pool texts;    /* of its options; the caller's */
	char **argv;          /* as the command was given, to do it again */
	bool streams[N_STREAMS];
	bool streams_named;  /* by -e: what is off among them is warned about */
	unsigned duration_s; /* 0: until the command ends or a signal comes */
	struct host_options host;
	struct snap_options snapshots;
	struct summaries_options summary;
	unsigned
		layers_interval_s; /* between looks at what stream layers counts; 0: one at the end */
	struct budget_options {
		double cpu_percent; /* of all CPUs; 0: no limit */
		uint64_t bytes;     /* of rows per second; 0: no limit */
	} budget;
	bool no_rows;              /* events are only added up */
	const struct row_tap *tap; /* NULL: into dir */
	bool no_self_test;
	bool extra_ops;
	bool partitions; /* dev of ds is the partition */
	bool drops;      /* rows PACKET_DROP */
	bool given;      /* column given of fs */
	char **command;  /* NULL-terminated, or NULL */
};
