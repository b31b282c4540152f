/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what else happens in threads on a timeline: calls on sockets, faults of pages, programs that begin and end. */
#include "analysis/timeline/timeline_threads.h"

#include "row/row_words.h"

#include <stdio.h>

/* ---- nw ---- */

/* clang-format off */
#define NW_COLUMNS(COLUMN) \
	COLUMN(NW_DIRECTION, "direction", TEXT) \
	COLUMN(NW_PID, "pid", UINT) \
	COLUMN(NW_TID, "tid", UINT) \
	COLUMN(NW_COMMAND, "command", TEXT) \
	COLUMN(NW_PROTOCOL, "protocol", TEXT) \
	COLUMN(NW_ADDRESS, "dest_addr", TEXT) \
	COLUMN(NW_PORT, "dest_port", UINT) \
	COLUMN(NW_SIZE, "size", UINT) \
	COLUMN(NW_ERROR, "error_code", TEXT) \
	COLUMN(NW_FLAGS, "msg_flags", TEXT) \
	COLUMN(NW_LATENCY, "latency_ns", UINT) \
	COLUMN(NW_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(nw_columns, NW_N, NW_COLUMNS);

/* "send TCP 10.0.0.7 80" */
static void nw_row(struct timeline *t, const struct field *f)
{
	struct timeline_place *thread = timeline_thread(&t->tracks, (uint32_t)f[NW_PID].u,
							(uint32_t)f[NW_TID].u,
							timeline_text(&f[NW_COMMAND]));
	uint64_t end = f[NW_MONO].u + f[NW_LATENCY].u;
	struct timeline_event e;
	char name[160];
	int n;

	if (!thread)
		return;
	n = snprintf(name, sizeof(name), "%.*s %.*s", (int)f[NW_DIRECTION].len,
		     f[NW_DIRECTION].text, f[NW_PROTOCOL].len < 32 ? (int)f[NW_PROTOCOL].len : 32,
		     f[NW_PROTOCOL].text);
	if (f[NW_ADDRESS].len && f[NW_ADDRESS].len < 64)
		n += snprintf(name + n, sizeof(name) - (size_t)n, " %.*s %llu",
			      (int)f[NW_ADDRESS].len, f[NW_ADDRESS].text,
			      (unsigned long long)f[NW_PORT].u);
	e = timeline_event(TIMELINE_BEGIN, f[NW_MONO].u, 0);
	e.track = timeline_nested(&t->tracks, thread, f[NW_MONO].u, end);
	e.name = (struct timeline_text){ name, (size_t)n };
	timeline_number(&e, "size", &f[NW_SIZE]);
	timeline_words(&e, "error", &f[NW_ERROR]);
	timeline_words(&e, "flags", &f[NW_FLAGS]);
	timeline_slice(t, &e, end);
}

/* ---- pagefault ---- */

/* clang-format off */
#define FAULT_COLUMNS(COLUMN) \
	COLUMN(FAULT_TYPE, "fault_type", TEXT) \
	COLUMN(FAULT_SEVERITY, "severity", TEXT) \
	COLUMN(FAULT_PID, "pid", UINT) \
	COLUMN(FAULT_TID, "tid", UINT) \
	COLUMN(FAULT_COMMAND, "command", TEXT) \
	COLUMN(FAULT_PATH, "filename", PATH) \
	COLUMN(FAULT_OFFSET, "offset", UINT) \
	COLUMN(FAULT_ADDRESS, "address", TEXT) \
	COLUMN(FAULT_LATENCY, "latency_ns", UINT) \
	COLUMN(FAULT_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(fault_columns, FAULT_N, FAULT_COLUMNS);

static void fault_row(struct timeline *t, const struct field *f)
{
	struct timeline_place *thread = timeline_thread(&t->tracks, (uint32_t)f[FAULT_PID].u,
							(uint32_t)f[FAULT_TID].u,
							timeline_text(&f[FAULT_COMMAND]));
	struct timeline_event e;

	if (!thread)
		return;
	e = timeline_event(TIMELINE_INSTANT, f[FAULT_MONO].u, thread->track);
	e.name = (struct timeline_text){ "fault", 5 };
	timeline_words(&e, "severity", &f[FAULT_SEVERITY]);
	timeline_words(&e, "access", &f[FAULT_TYPE]);
	timeline_words(&e, "path", &f[FAULT_PATH]);
	timeline_number(&e, "page", &f[FAULT_OFFSET]);
	timeline_words(&e, "address", &f[FAULT_ADDRESS]);
	timeline_number(&e, "took ns", &f[FAULT_LATENCY]);
	t->encoder->event(t->encoder, &e);
}

/* ---- exec ---- */

/* clang-format off */
#define EXEC_COLUMNS(COLUMN) \
	COLUMN(EXEC_EVENT, "event_type", TEXT, .words = exec_events) \
	COLUMN(EXEC_PID, "pid", UINT) \
	COLUMN(EXEC_TID, "tid", UINT) \
	COLUMN(EXEC_COMMAND, "command", TEXT) \
	COLUMN(EXEC_PATH, "filename", PATH) \
	COLUMN(EXEC_RESULT, "return_value", INT) \
	COLUMN(EXEC_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(exec_columns, EXEC_N, EXEC_COLUMNS);

/* FORK is told of the new process, whose first thread has its number. */
static void exec_row(struct timeline *t, const struct field *f)
{
	bool fork = f[EXEC_EVENT].u == EXEC_FORK, moved = f[EXEC_EVENT].u == EXEC_GROUP;
	struct timeline_place *thread = timeline_thread(&t->tracks, (uint32_t)f[EXEC_PID].u,
							(uint32_t)f[fork ? EXEC_PID : EXEC_TID].u,
							timeline_text(&f[EXEC_COMMAND]));
	struct timeline_event e;

	if (!thread)
		return;
	e = timeline_event(TIMELINE_INSTANT, f[EXEC_MONO].u, thread->track);
	e.name = timeline_text(&f[EXEC_EVENT]);
	timeline_words(&e, moved ? "group" : "program", &f[EXEC_PATH]);
	timeline_number(&e, "result", &f[EXEC_RESULT]);
	t->encoder->event(t->encoder, &e);
}

const struct timeline_source timeline_threads[TIMELINE_THREADS] = {
	{ { STREAM_nw, nw_columns, NW_N }, NW_PID, -1U, nw_row },
	{ { STREAM_pagefault, fault_columns, FAULT_N }, FAULT_PID, -1U, fault_row },
	{ { STREAM_exec, exec_columns, EXEC_N }, EXEC_PID, -1U, exec_row },
};
