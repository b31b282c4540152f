/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording and its parts, how they are opened, and what the manifest has of them. */
#pragma once

#include "base/clock.h"
#include "compat/host/host.h"
#include "events/events.h"
#include "resolve/resolve.h"
#include "resolve/targets.h"
#include "session/command.h"
#include "session/recording_options.h"
#include "session/service.h"
#include "session/session_budget.h"
#include "session/session_counts.h"
#include "session/session_output.h"
#include "session/session_snapshots.h"
#include "session/sessions.h"
#include "session/status_line.h"
#include "trace/trace.h"
#include "write/clocks.h"

struct session {
	struct recording_options options;
	struct host *host;
	struct plan plan;
	struct trace trace;
	struct resolve resolve;
	struct events *events;
	struct output output;
	struct snaps snaps;
	struct child child;
	struct targets targets; /* of -p */
	struct child_signals signals_before;
	int signals;      /* signalfd; -1 when closed */
	uint64_t started; /* CLOCK_MONOTONIC ns */
	uint64_t stop_at; /* 0: no limit */
	int stopped_by;   /* signal, 0: none */
	struct clocks clocks;
	bool described;    /* the manifest has what does not change */
	unsigned n_live;   /* what had sent records when the plan in it was written */
	bool ending;       /* all that will come has come */
	uint64_t clock_ns; /* when the clocks were compared, */
	uint64_t swept_ns; /* and tables swept of tasks that are gone */
	struct status_line status;
	uint64_t devices_ns; /* when the devices in it were read */
	unsigned n_hosts;    /* how often mounts of other namespaces had changed by then */
	struct session_counts counts;
	struct session_budget budget;
	struct service service;
	struct sessions sessions; /* this one and those before it */
	bool given_up;            /* nothing can be kept any more */
	char host_name[READ_HOST_SIZE];
};

/* Everything up to the first snapshot. Returns 0 or -errno, reported; what was opened stays open. */
int recording_set_up(struct session *session);
/* Into the manifest, only what is new or may have changed. */
void recording_describe(struct session *session);
/* Of the wall clock and the monotonic one; always: not only when the wall clock was set. */
void recording_measure_clock(struct session *session, bool always);
/* What the budget looks at. */
struct budgeted recording_budgeted(struct session *session);
