/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a recording says of itself before it begins. */
#include "session/announce.h"

#include "base/log.h"

static bool whole_machine(const struct trace_options *who)
{
	return !who->n_pids && !who->n_comms && !who->by_uid && !who->cgroup.path[0];
}

void recording_announce(const struct recording_options *options)
{
	if (options->command || !whole_machine(&options->trace))
		return;
	if (options->tap)
		log_note(
			"tracing the whole machine until Ctrl-C; give a command or -p PID to trace less");
	else if (options->duration_s)
		log_note("recording the whole machine into %s for %u s; Ctrl-C stops it earlier",
			 options->dir, options->duration_s);
	else
		log_note(
			"recording the whole machine into %s until Ctrl-C; give a command or -p PID to trace less",
			options->dir);
}
