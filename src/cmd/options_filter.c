/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of record that leave out rows and tasks, and what they leave of the streams. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options_private.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

static bool path(const char *arg, struct filter *rows)
{
	if (!arg[0]) {
		log_error("--path needs a pattern, such as '/var/log/*' or '*.db'");
		return false;
	}
	if (rows->n_globs == FILTER_MAX_GLOBS) {
		log_error("--path may be given %d times", FILTER_MAX_GLOBS);
		return false;
	}
	rows->globs[rows->n_globs++] = arg;
	return true;
}

static bool operations(const char *arg, struct filter *rows)
{
	char word[OPTIONS_WORD];
	unsigned n = 0;

	for (; options_next_word(&arg, word); n++)
		if (!filter_add_operation(rows, word)) {
			log_error(
				"--operation: unknown operation '%s'; see OPERATIONS in iotracer(8)",
				word);
			return false;
		}
	if (!n)
		log_error("--operation needs the name of an operation, such as OPEN or FSYNC");
	return n > 0;
}

static bool min_latency(const char *arg, struct filter *rows)
{
	if (options_duration(arg, 0, &rows->min_latency) && rows->min_latency)
		return true;
	log_error("--min-latency: invalid time '%s' (e.g. 500us, 10ms, 1s)", arg);
	return false;
}

static bool cgroup(const char *arg, struct cgroup *group)
{
	if (cgroup_find(group, CGROUP_ROOT, arg))
		return true;
	log_error(
		"--cgroup: there is no control group '%s' (/proc/PID/cgroup has that of a process)",
		arg);
	return false;
}

bool options_filter(int letter, const char *arg, struct trace_options *trace)
{
	switch (letter) {
	case OPT_PATH:
		return path(arg, &trace->rows);
	case OPT_OPERATION:
		return operations(arg, &trace->rows);
	case OPT_ERRORS:
		trace->rows.errors = true;
		return true;
	case OPT_MIN_LATENCY:
		return min_latency(arg, &trace->rows);
	case OPT_CGROUP:
		return cgroup(arg, &trace->cgroup);
	case OPT_NOT_COMM:
		return options_not_comms(arg, trace);
	}
	return false;
}

/* The names of files in these streams are those that rows of fs have told. */
static bool needs_names(const bool chosen[N_STREAMS])
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (chosen[i] && schema_has(i, NEEDS_FILE_NAMES))
			return true;
	return false;
}

bool options_filtered_streams(const struct filter *rows, bool chosen[N_STREAMS], bool named)
{
	bool fs = chosen[STREAM_fs], any = !filter_is_on(rows);

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		any = any ||
		      (!schema_has(i, ALWAYS_RECORDED) && chosen[i] && filter_has_stream(rows, i));
	if (!any)
		log_error("the filters leave no rows of the chosen streams");
	for (int i = 0; i < N_EVENT_STREAMS && any; i++) {
		if (!chosen[i] || filter_has_stream(rows, i))
			continue;
		chosen[i] = false;
		if (named)
			log_warn("no rows of %s: they have nothing that the filters ask for",
				 streams[i].name);
	}
	chosen[STREAM_fs] = chosen[STREAM_fs] || (fs && needs_names(chosen));
	return any;
}
