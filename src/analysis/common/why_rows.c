/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which columns say what of an operation, a request and a thread. */
#include "analysis/common/why_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "row/effects.h"
#include "row/row_words.h"

/* ---- operations ---- */

enum { CALL_AIO = 1, CALL_URING };
static const char *const calls[] = { "", "aio", "io_uring", NULL };

/* clang-format off */
#define FS_COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = fs_operations) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(TID, "tid", UINT) \
	COLUMN(COMMAND, "command", TEXT) \
	COLUMN(PATH, "filename", PATH) \
	COLUMN(INODE, "inode", UINT) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(CALL, "call", TEXT, .words = calls) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(fs_columns, N_FS, FS_COLUMNS);

/*
 * pagefault has the same, but for the first, the flags and the call. CALL stands for nothing
 * there: fault_row() does not look at it.
 */
static const struct read_column fault_columns[N_FS] = {
	[OPERATION] = { .name = "severity", .kind = PARSE_TEXT },
	[PID] = { .name = "pid", .kind = PARSE_UINT },
	[TID] = { .name = "tid", .kind = PARSE_UINT },
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[PATH] = { .name = "filename", .kind = PARSE_PATH },
	[INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FLAGS] = { .name = "fault_type", .kind = PARSE_TEXT },
	[LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[CALL] = { .name = "severity", .kind = PARSE_TEXT },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static bool is_chosen(const struct why_rows *feed, const struct field *f, uint64_t start)
{
	return f[LATENCY].known && f[TID].known && start >= feed->from && start < feed->to &&
	       f[LATENCY].u >= feed->min_latency &&
	       row_filter_has_thread(feed->filter, &(struct row_thread){ .pid_known = f[PID].known,
									 .pid = f[PID].u,
									 .command = f[COMMAND].text,
									 .len = f[COMMAND].len,
									 .mono_ns = start }) &&
	       (!feed->filter->path ||
		row_filter_has_path(feed->filter, f[PATH].text, f[PATH].len));
}

static struct why_operation operation_of(struct why_rows *feed, const struct field *f,
					 unsigned kind)
{
	return (struct why_operation){
		.start = f[MONO].u,
		.latency = f[LATENCY].u,
		.who = { .inode = f[INODE].u,
			 .path = f[PATH].len ? hash_text(0, f[PATH].text, f[PATH].len) : 0,
			 .tid = (uint32_t)f[TID].u,
			 .pid = (uint32_t)f[PID].u },
		.kind = kind,
		.command = why_name(feed->names, f[COMMAND].text, f[COMMAND].len),
		.path = f[PATH].text,
		.path_len = f[PATH].len,
	};
}

static void take(struct why_rows *feed, const struct why_operation *o)
{
	rows_seen_row(&feed->seen, o->start);
	feed->n_alone += o->alone;
	why_model_operation(&feed->model, o);
}

static void fs_row(struct why_rows *feed, const struct field *f)
{
	struct why_operation o;

	if (!is_chosen(feed, f, f[MONO].u) || (feed->has_uring && f[CALL].u == CALL_URING))
		return;
	o = operation_of(feed, f, (unsigned)f[OPERATION].u);
	o.who.syncs = fs_row_effects((unsigned)f[OPERATION].u, &f[FLAGS], &f[PATH]) & SYNCS;
	o.alone = f[CALL].u == CALL_AIO || f[CALL].u == CALL_URING;
	take(feed, &o);
}

static void fault_row(struct why_rows *feed, const struct field *f)
{
	struct why_operation o;

	if (!is_chosen(feed, f, f[MONO].u))
		return;
	o = operation_of(feed, f, WHY_FAULT);
	take(feed, &o);
}

/* iouring: the same, of which the flags are the opcode, and the call the request; it ends at its time. */
static const struct read_column uring_columns[N_FS] = {
	[OPERATION] = { .name = "event_type", .kind = PARSE_TEXT, .words = uring_events },
	[PID] = { .name = "pid", .kind = PARSE_UINT },
	[TID] = { .name = "tid", .kind = PARSE_UINT },
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[PATH] = { .name = "filename", .kind = PARSE_PATH },
	[INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FLAGS] = { .name = "opcode", .kind = PARSE_TEXT },
	[LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[CALL] = { .name = "req", .kind = PARSE_TEXT },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static uint64_t request_of(const struct field *f)
{
	return f->len ? hash_text(0, f->text, f->len) : 0;
}

/* "io_uring READ": from the submission to the completion, in which no thread need wait */
static void uring_row(struct why_rows *feed, const struct field *f)
{
	uint64_t start = f[MONO].u - f[LATENCY].u;
	struct why_operation o;
	char name[64];
	int n;

	if (f[OPERATION].u != URING_COMPLETE || !is_chosen(feed, f, start))
		return;
	n = snprintf(name, sizeof(name), "io_uring %.*s",
		     f[FLAGS].len < 48 ? (int)f[FLAGS].len : 48, f[FLAGS].text);
	o = operation_of(feed, f, WHY_URING);
	o.start = start;
	o.name = why_name(feed->names, name, (size_t)n);
	o.who.uring = request_of(&f[CALL]);
	o.alone = true;
	take(feed, &o);
}

/* ---- requests ---- */

/* clang-format off */
#define DS_COLUMNS(COLUMN) \
	COLUMN(DS_INODE, "inode", UINT) \
	COLUMN(DS_PATH, "filename", PATH) \
	COLUMN(DS_TID, "tid", UINT) \
	COLUMN(DS_OWNER, "owner_pid", UINT) \
	COLUMN(DS_COUNT, "owner_count", UINT) \
	COLUMN(DS_CAUSE, "cause", TEXT, .words = ds_causes) \
	COLUMN(DS_URING, "uring_req", TEXT) \
	COLUMN(DS_LATENCY, "latency_ms", MS) \
	COLUMN(DS_QUEUE, "queue_time_ms", MS) \
	COLUMN(DS_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(ds_columns, N_DS, DS_COLUMNS);

static void ds_row(struct why_rows *feed, const struct field *f)
{
	struct why_request r = {
		.completed = f[DS_MONO].u,
		.issued = f[DS_MONO].u - f[DS_LATENCY].u,
		.inode = f[DS_INODE].u,
		.path = f[DS_PATH].len ? hash_text(0, f[DS_PATH].text, f[DS_PATH].len) : 0,
		.uring = request_of(&f[DS_URING]),
		.tid = (uint32_t)f[DS_TID].u,
		.owner = (uint32_t)f[DS_OWNER].u,
		.journal = f[DS_CAUSE].u == CAUSE_JOURNAL,
		.shared = f[DS_COUNT].u > 1,
	};

	if (!f[DS_LATENCY].known)
		return;
	r.inserted = r.issued - f[DS_QUEUE].u;
	why_model_request(&feed->model, &r);
}

/* clang-format off */
#define NETFS_COLUMNS(COLUMN) \
	COLUMN(NETFS_INODE, "inode", UINT) \
	COLUMN(NETFS_PATH, "filename", PATH) \
	COLUMN(NETFS_PID, "pid", UINT) \
	COLUMN(NETFS_TID, "tid", UINT) \
	COLUMN(NETFS_LATENCY, "latency_ms", MS) \
	COLUMN(NETFS_QUEUE, "queue_time_ms", MS) \
	COLUMN(NETFS_SERVER, "server_time_ms", MS) \
	COLUMN(NETFS_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(netfs_columns, N_NETFS, NETFS_COLUMNS);

/* It is done with some time after the reply: what is left of a sleep then is no server's. */
static void netfs_row(struct why_rows *feed, const struct field *f)
{
	struct why_request r = {
		.inserted = f[NETFS_MONO].u - f[NETFS_LATENCY].u,
		.inode = f[NETFS_INODE].u,
		.path = f[NETFS_PATH].len ? hash_text(0, f[NETFS_PATH].text, f[NETFS_PATH].len) : 0,
		.tid = (uint32_t)f[NETFS_TID].u,
		.owner = (uint32_t)f[NETFS_PID].u,
		.remote = true,
	};

	if (!f[NETFS_LATENCY].known || f[NETFS_LATENCY].u > f[NETFS_MONO].u)
		return;
	r.issued = r.inserted + f[NETFS_QUEUE].u;
	r.completed = r.issued + f[NETFS_SERVER].u;
	if (r.completed > f[NETFS_MONO].u) /* its parts are rounded, each by itself */
		r.completed = f[NETFS_MONO].u;
	if (r.issued <= r.completed)
		why_model_request(&feed->model, &r);
}

/* ---- threads ---- */

enum { STATE_DEAD = 1 };
static const char *const states[] = { "", "X", NULL };

/* clang-format off */
#define SCHED_COLUMNS(COLUMN) \
	COLUMN(RUN_PID, "pid", UINT) \
	COLUMN(RUN_TID, "tid", UINT) \
	COLUMN(RUN_COMMAND, "command", TEXT) \
	COLUMN(RUN_STATE, "state", TEXT, .words = states) \
	COLUMN(RUN_NS, "run_ns", UINT) \
	COLUMN(RUN_SLEEP, "sleep_ns", UINT) \
	COLUMN(RUN_DELAY, "delay_ns", UINT) \
	COLUMN(RUN_WAKER, "waker_tid", UINT) \
	COLUMN(RUN_WAKER_NAME, "waker_command", TEXT) \
	COLUMN(RUN_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(sched_columns, N_RUN, SCHED_COLUMNS);

static void sched_row(struct why_rows *feed, const struct field *f)
{
	struct why_stretch s = {
		.start = f[RUN_NS].known ? f[RUN_MONO].u : 0,
		.end = f[RUN_MONO].u + f[RUN_NS].u,
		.waker = (uint32_t)f[RUN_WAKER].u,
		.wake_seen = f[RUN_DELAY].known,
		.gone = f[RUN_STATE].u == STATE_DEAD,
	};

	/* the idle thread of a CPU wakes nobody: a timer or a device did */
	if (s.waker)
		s.waker_name = why_name(feed->names, f[RUN_WAKER_NAME].text, f[RUN_WAKER_NAME].len);
	s.woken = s.start - f[RUN_DELAY].u;
	s.left = s.woken - f[RUN_SLEEP].u;
	why_model_run(&feed->model, (uint32_t)f[RUN_TID].u, (uint32_t)f[RUN_PID].u,
		      why_name(feed->names, f[RUN_COMMAND].text, f[RUN_COMMAND].len), &s);
}

/* ---- all of them ---- */

static const struct why_source {
	struct read_query query;
	void (*row)(struct why_rows *feed, const struct field *fields);
} sources[] = {
	{ { STREAM_fs, fs_columns, N_FS }, fs_row },
	{ { STREAM_ds, ds_columns, N_DS }, ds_row },
	{ { STREAM_sched, sched_columns, N_RUN }, sched_row },
	{ { STREAM_pagefault, fault_columns, N_FS }, fault_row },
	{ { STREAM_iouring, uring_columns, N_FS }, uring_row },
	{ { STREAM_netfs, netfs_columns, N_NETFS }, netfs_row },
};

static const struct column_meaning meanings[] = {
	{ "latency_ns", "operations have no times" },
	{ "tid", "operations cannot be split" },
	{ NULL, NULL },
};

int why_rows_open(struct why_rows *rows, const struct read_session *session, uint64_t memory,
		  uint64_t began)
{
	unsigned n = 0;

	rows->session = session;
	rows->model.has_threads = session->streams[STREAM_sched].on;
	rows->model.all_threads = !read_session_lost(session, STREAM_sched);
	why_model_begin(&rows->model, memory, began, rows->from, rows->to);
	for (unsigned i = 0; i < WHY_SOURCES; i++)
		/* fs in any case: what it lacks is what the answer lacks */
		if (session->streams[sources[i].query.stream].n_segments || !i) {
			rows->chosen[n] = &sources[i];
			rows->queries[n++] = sources[i].query;
		}
	rows->has_uring = session->streams[STREAM_iouring].n_segments > 0;
	rows->merge = read_merge_open(session, rows->queries, n);
	return rows->merge ? 0 : -ENOMEM;
}

bool why_rows_no_memory(const struct why_rows *rows)
{
	return rows->model.no_memory || rows->names->no_memory;
}

bool why_rows_next(struct why_rows *rows)
{
	struct read_merged row;

	if (why_rows_no_memory(rows))
		return false;
	if (!read_merge_next(rows->merge, &row)) {
		why_model_end(&rows->model);
		return false;
	}
	why_model_time(&rows->model, row.mono_ns);
	rows->chosen[row.query]->row(rows, row.fields);
	return true;
}

struct gaps why_rows_gaps(struct why_rows *rows, const char *host)
{
	read_merge_totals(rows->merge, 0, &rows->seen.totals, &rows->seen.columns);
	return rows_seen_gaps(&rows->seen, rows->session, host, &sources[0].query, meanings);
}

void why_rows_close(struct why_rows *rows)
{
	why_model_free(&rows->model);
	if (rows->merge)
		read_merge_close(rows->merge);
	rows->merge = NULL;
}
