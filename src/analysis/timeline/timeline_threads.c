/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what else happens in threads on a timeline: calls on sockets, faults of pages, programs that begin and end. */
#include "analysis/timeline/timeline_threads.h"

#include "row/row_words.h"

#include <stdio.h>

/* ---- nw ---- */

enum nw_column {
	NW_DIRECTION,
	NW_PID,
	NW_TID,
	NW_COMMAND,
	NW_PROTOCOL,
	NW_ADDRESS,
	NW_PORT,
	NW_SIZE,
	NW_ERROR,
	NW_FLAGS,
	NW_LATENCY,
	NW_MONO,
	NW_N,
};

static const struct read_column nw_columns[NW_N] = {
	[NW_DIRECTION] = { .name = "direction", .kind = PARSE_TEXT },
	[NW_PID] = { .name = "pid", .kind = PARSE_UINT },
	[NW_TID] = { .name = "tid", .kind = PARSE_UINT },
	[NW_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[NW_PROTOCOL] = { .name = "protocol", .kind = PARSE_TEXT },
	[NW_ADDRESS] = { .name = "dest_addr", .kind = PARSE_TEXT },
	[NW_PORT] = { .name = "dest_port", .kind = PARSE_UINT },
	[NW_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[NW_ERROR] = { .name = "error_code", .kind = PARSE_TEXT },
	[NW_FLAGS] = { .name = "msg_flags", .kind = PARSE_TEXT },
	[NW_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[NW_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

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

enum fault_column {
	FAULT_TYPE,
	FAULT_SEVERITY,
	FAULT_PID,
	FAULT_TID,
	FAULT_COMMAND,
	FAULT_PATH,
	FAULT_OFFSET,
	FAULT_ADDRESS,
	FAULT_LATENCY,
	FAULT_MONO,
	FAULT_N,
};

static const struct read_column fault_columns[FAULT_N] = {
	[FAULT_TYPE] = { .name = "fault_type", .kind = PARSE_TEXT },
	[FAULT_SEVERITY] = { .name = "severity", .kind = PARSE_TEXT },
	[FAULT_PID] = { .name = "pid", .kind = PARSE_UINT },
	[FAULT_TID] = { .name = "tid", .kind = PARSE_UINT },
	[FAULT_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[FAULT_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[FAULT_OFFSET] = { .name = "offset", .kind = PARSE_UINT },
	[FAULT_ADDRESS] = { .name = "address", .kind = PARSE_TEXT },
	[FAULT_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FAULT_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

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

enum exec_column {
	EXEC_EVENT,
	EXEC_PID,
	EXEC_TID,
	EXEC_COMMAND,
	EXEC_PATH,
	EXEC_RESULT,
	EXEC_MONO,
	EXEC_N
};

static const struct read_column exec_columns[EXEC_N] = {
	[EXEC_EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = exec_events },
	[EXEC_PID] = { .name = "pid", .kind = PARSE_UINT },
	[EXEC_TID] = { .name = "tid", .kind = PARSE_UINT },
	[EXEC_COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[EXEC_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[EXEC_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[EXEC_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

/* FORK is told of the new process, whose first thread has its number. */
static void exec_row(struct timeline *t, const struct field *f)
{
	bool fork = f[EXEC_EVENT].u == EXEC_FORK;
	struct timeline_place *thread = timeline_thread(&t->tracks, (uint32_t)f[EXEC_PID].u,
							(uint32_t)f[fork ? EXEC_PID : EXEC_TID].u,
							timeline_text(&f[EXEC_COMMAND]));
	struct timeline_event e;

	if (!thread)
		return;
	e = timeline_event(TIMELINE_INSTANT, f[EXEC_MONO].u, thread->track);
	e.name = timeline_text(&f[EXEC_EVENT]);
	timeline_words(&e, "program", &f[EXEC_PATH]);
	timeline_number(&e, "result", &f[EXEC_RESULT]);
	t->encoder->event(t->encoder, &e);
}

const struct timeline_source timeline_threads[TIMELINE_THREADS] = {
	{ { STREAM_nw, nw_columns, NW_N }, NW_PID, -1U, nw_row },
	{ { STREAM_pagefault, fault_columns, FAULT_N }, FAULT_PID, -1U, fault_row },
	{ { STREAM_exec, exec_columns, EXEC_N }, EXEC_PID, -1U, exec_row },
};
