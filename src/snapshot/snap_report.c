/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the account of snapshots: what the manifest and people are told of them. */
#include "snapshot/snap_report.h"

#include <errno.h>
#include <stdio.h>

#include "base/json_text.h"
#include "base/log.h"
#include "snapshot/snap_frame.h"
#include "snapshot/spec.h"
#include "write/manifest.h"

/* A full disk stays full: what is said again and again is not read. */
static void note(const struct snap_done *done, bool again)
{
	const char *name = snap_kind_names[done->kind];

	if (done->err == -ECANCELED)
		log_detail("snapshot of %s: not kept, incomplete when the trace ended", name);
	else if (done->err && again)
		log_detail("snapshot of %s: again not kept: %s", name, done->why);
	else if (done->err)
		log_warn("snapshot of %s: not kept: %s", name, done->why);
	else if (done->kind == SNAP_SYSTEM)
		log_detail("snapshot of %s: %.3f s", name, (double)done->duration_ns / 1e9);
	else
		log_detail("snapshot of %s: %llu rows, %.3f s", name,
			   (unsigned long long)done->rows, (double)done->duration_ns / 1e9);
}

void snap_report_add(struct snap_report *report, const struct snap_done *done)
{
	struct snap_kind_report *kind = &report->kinds[done->kind];
	bool again = kind->err == done->err;

	kind->err = done->err;
	if (done->err) {
		kind->failed++;
		kind->last_failed = *done;
	} else {
		kind->kept++;
		kind->last = *done;
	}
	note(done, again);
}

void snap_report_absent(const struct snap_report *report)
{
	char names[64] = "";
	size_t len = 0;

	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (!report->kinds[i].kept && report->kinds[i].err == -ECANCELED)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", snap_kind_names[i]);
	if (len)
		log_note("no snapshot of %s: the trace ended before it was complete", names);
}

uint64_t snap_report_bytes(const struct snap_report *report)
{
	uint64_t bytes = 0;

	for (int i = 0; i < N_SNAP_KINDS; i++)
		bytes += report->kinds[i].last.newest_bytes;
	return bytes;
}

static json_t *time_json(uint64_t real_ns)
{
	char text[MANIFEST_TIME_SIZE];

	manifest_time_rfc3339(real_ns, text);
	return json_string(text);
}

static json_t *last_json(int kind, const struct snap_done *done)
{
	json_t *json = json_pack("{s:o, s:I, s:I, s:I}", "started", time_json(done->started_ns),
				 "started_ns", (json_int_t)done->started_ns, "started_mono_ns",
				 (json_int_t)done->started_mono_ns, "duration_ns",
				 (json_int_t)done->duration_ns);

	if (json && kind != SNAP_SYSTEM)
		json_object_set_new(json, "rows", json_integer((json_int_t)done->rows));
	if (!json || kind != SNAP_FS)
		return json;
	json_object_set_new(json, "parts", json_integer((json_int_t)done->parts));
	json_object_set_new(json, "unreadable", json_integer((json_int_t)done->unreadable));
	json_object_set_new(json, "vanished", json_integer((json_int_t)done->vanished));
	json_object_set_new(json, "mounts_not_entered", json_integer((json_int_t)done->other_fs));
	json_object_set_new(json, "loops", json_integer((json_int_t)done->loops));
	json_object_set_new(json, "too_deep", json_integer((json_int_t)done->too_deep));
	return json;
}

static json_t *kind_json(int i, const struct snap_kind_report *kind)
{
	json_t *json = json_pack("{s:I, s:I}", "kept", (json_int_t)kind->kept, "failed",
				 (json_int_t)kind->failed);

	if (json && kind->kept)
		json_object_set_new(json, "last", last_json(i, &kind->last));
	if (json && kind->failed)
		json_object_set_new(json, "last_failure", json_text(kind->last_failed.why));
	return json;
}

json_t *snap_report_json(const struct snap_report *report)
{
	const struct snap_options *o = &report->options;
	json_t *json = json_object();
	json_t *fs;

	for (int i = 0; i < N_SNAP_KINDS; i++)
		json_object_set_new(json, snap_kind_names[i], kind_json(i, &report->kinds[i]));
	fs = json_object_get(json, snap_kind_names[SNAP_FS]);
	json_object_set_new(fs, "root", spec_secret(o->root));
	json_object_set_new(fs, "depth", json_integer(o->depth));
	json_object_set_new(fs, "all_mounts", json_boolean(o->all_mounts));
	json_object_set_new(fs, "interval_s", json_integer(o->fs_interval_s));
	json_object_set_new(json_object_get(json, snap_kind_names[SNAP_PROCESS]), "interval_s",
			    json_integer(o->process_interval_s));
	return json;
}
