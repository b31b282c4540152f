/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of all commands that trace have in common: what does not go together, and what is not given. */
#include "cmd/recording_checks.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/option.h"
#include "row/columns.h"
#include "session/recording_options.h"

/* The names of files in these streams come from fs. */
static bool needs_names(const bool chosen[N_STREAMS])
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (chosen[i] && schema_has(i, NEEDS_FILE_NAMES))
			return true;
	return false;
}

/*
 * Switches off the streams that the filters leave no row of (named: with a warning), except
 * fs where others need its names. False (reported) when none is left.
 */
static bool keep_filtered_streams(const struct filter *filter, bool chosen[N_STREAMS], bool named)
{
	bool fs = chosen[STREAM_fs], any = !filter_is_on(filter);

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		any = any || (!schema_has(i, ALWAYS_RECORDED) && chosen[i] &&
			      filter_has_stream(filter, i));
	if (!any)
		log_error(
			"no chosen stream can have rows that pass the filters; choose others with -e");
	for (int i = 0; i < N_EVENT_STREAMS && any; i++) {
		if (!chosen[i] || filter_has_stream(filter, i))
			continue;
		chosen[i] = false;
		if (named)
			log_warn("stream %s is off: none of its rows can pass the filters",
				 streams[i].name);
	}
	chosen[STREAM_fs] = chosen[STREAM_fs] || (fs && needs_names(chosen));
	return any;
}

/* Nothing is left out but what is counted. */
static bool check_budget(struct recording_options *o)
{
	if (o->budget.cpu_percent <= 0 && !o->budget.bytes)
		return true;
	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		if (o->summary.wanted[i]) {
			log_error(
				"--budget excludes --summary and --metrics, which add up every row");
			return false;
		}
	if (!filter_has_stream(&o->trace.rows, STREAM_layers)) {
		log_error(
			"--budget excludes --path, --operation, --errors and --min-latency: totals are of all files and calls");
		return false;
	}
	o->streams[STREAM_layers] = true;
	o->write.omitted.columns[STREAM_layers] = 0; /* totals */
	return true;
}

static bool check_summary(struct recording_options *o)
{
	bool any = false;

	o->summary.wanted[SUMMARY_METRICS] = o->summary.metrics != NULL;
	for (int i = 0; i < N_SUMMARY_KINDS; i++) {
		const struct summary_kind *kind = summary_kinds[i];

		any = any || o->summary.wanted[i];
		for (unsigned j = 0; o->summary.wanted[i] && j < kind->n_needed; j++)
			if (!o->streams[kind->streams[j]]) {
				log_error("--summary=%s needs stream %s, which --events leaves out",
					  kind->name, streams[kind->streams[j]].name);
				return false;
			}
	}
	if (o->summary.alerts.n && !o->summary.wanted[SUMMARY_AMP]) {
		log_error("--alert needs --summary=amp");
		return false;
	}
	if (o->summary.alerts.command && !o->summary.alerts.n) {
		log_error("--exec needs --alert, which says when to run it");
		return false;
	}
	if (any && columns_are_omitted(&o->write.omitted)) {
		log_error(
			"--columns goes with neither --summary nor --metrics: these are made of rows with "
			"all columns");
		return false;
	}
	if (o->no_rows && !any)
		log_error(
			"--no-rows needs --summary or --metrics: otherwise nothing would be kept");
	return any || !o->no_rows;
}

int options_check_recording(struct recording_options *o)
{
	o->drops = o->drops || o->trace.all_drops;
	o->trace.uring_files = o->extra_ops;
	options_complete_anon(&o->anon);
	if (o->trace.n_pids && o->command) {
		log_error("--pid and a command cannot be combined");
		return OPTIONS_WRONG;
	}
	if (o->dir[0] && o->sessions) {
		log_error("--output and --sessions cannot be combined");
		return OPTIONS_WRONG;
	}
	if (!strcmp(o->dir, "-")) {
		log_error(
			"--output names a directory; rows go to standard output with `iotracer watch`");
		return OPTIONS_WRONG;
	}
	o->streams[STREAM_stacks] = o->streams[STREAM_stacks] || o->trace.stacks.asked;
	if (o->streams[STREAM_stacks] && !o->streams[STREAM_fs]) {
		log_error("--stacks and stream stacks need stream fs, which --events leaves out");
		return OPTIONS_WRONG;
	}
	if (o->given && !o->streams[STREAM_fs]) {
		log_error("--given needs stream fs, which --events leaves out");
		return OPTIONS_WRONG;
	}
	if (!keep_filtered_streams(&o->trace.rows, o->streams, o->streams_named))
		return OPTIONS_WRONG;
	if (!check_summary(o) || !check_budget(o))
		return OPTIONS_WRONG;
	if (o->drops && !o->streams[STREAM_nw_drop]) {
		log_error("--drops and --all-drops need stream nw_drop, which --events leaves out");
		return OPTIONS_WRONG;
	}
	if (!fs_types_any(&o->trace.fs_types)) {
		log_error("--exclude-fs-type excludes every type of --fs-type");
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

void options_default_dir(char *out, size_t size, const struct anon_options *anon)
{
	char host[66] = "host", when[32];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm);
	snprintf(out, size, "iotracer_%s%s%s", anon->on ? "" : host, anon->on ? "" : "_", when);
}

void options_complete_anon(struct anon_options *anon)
{
	anon->on = anon->on || anon->keep_ext || anon->comm || anon->ip || anon->key_file;
}
