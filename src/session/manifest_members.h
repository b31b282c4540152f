/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session adds to manifest.json: the host, the plan, clocks and the account of losses. */
#pragma once

#include <jansson.h>

#include "events/events.h"
#include "plan/plan.h"
#include "read/read_session.h"
#include "resolve/disks.h"
#include "resolve/host_mounts.h"
#include "trace/trace_set.h"
#include "write/clocks.h"

/* Each adds members to an object; what there is no memory for is left out. */

/* The host as readers of the directory call it. */
void facts_host_name(const struct plan *plan, char host[READ_HOST_SIZE]);
/* What does not change: host and filters. */
void facts_add_fixed(json_t *members, const struct plan *plan, const struct trace_options *options);
/* What is traced, NULL-terminated, and where it runs; NULL: no command. */
void facts_add_command(json_t *members, char *const *command);
/* What was chosen, and what has come of it; changes with events_live(). */
void facts_add_plan(json_t *members, const struct plan *plan, const struct trace *trace,
		    struct events *events);
/* The list as of its read_ns */
void facts_add_devices(json_t *members, const struct disks *disks);
/* Where files of other mount namespaces are on the host */
void facts_add_namespaces(json_t *members, const struct host_mounts *hosts);
/* What changes all the time */
void facts_add_account(json_t *members, const struct trace *trace, struct events *events,
		       const struct clocks *clocks);
