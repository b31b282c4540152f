/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the look at a session directory as a whole: whether it is one, what its
 * manifest says of its end and its losses, and the result.
 */
#include "read/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "read/members.h"
#include "read/repair.h"
#include "read/segments.h"
#include "read/verify_context.h"
#include "read/verify_files.h"
#include "read/verify_newest.h"
#include "read/verify_package.h"
#include "read/verify_segments.h"
#include "read/verify_summary.h"
#include "write/manifest.h"

/* ---- the manifest ---- */

/* False: nothing more can be said of this directory. */
static bool is_ours(struct verify *v)
{
	const char *format = member_text(v->manifest, "format");
	uint64_t version;

	if (!format || strcmp(format, "iotracer")) {
		verify_damage(
			v, "manifest.json: written by another tool (%s%s), not by iotracer record",
			format ? "format " : "it has no format", format ? format : "");
		return false;
	}
	if (!member_number(v->manifest, "schema_version", &version) || !version) {
		verify_damage(v, "manifest.json: no valid schema_version");
	} else if (version > SCHEMA_VERSION) {
		verify_damage(v,
			      "manifest.json: schema %" PRIu64
			      " of a newer iotracer, this one knows %d",
			      version, SCHEMA_VERSION);
		return false;
	}
	return true;
}

static bool read_manifest(struct verify *v)
{
	json_error_t error;
	int err;

	v->manifest = verify_read_json(v, MANIFEST_NAME, &error, &err);
	if (v->manifest && json_is_object(v->manifest))
		return is_ours(v);
	if (err && err != -ENOENT) {
		verify_damage(v, "manifest.json: %s", strerror(-err));
		return false;
	}
	if (v->manifest)
		verify_damage(v, "manifest.json: written by another tool: not a JSON object");
	else if (!err)
		verify_damage(
			v,
			"manifest.json: damaged at line %d (%s); the segments can be read without it",
			error.line, error.text);
	else if (verify_has_segments(v))
		verify_damage(v, "manifest.json: missing; the segments can be read without it");
	else
		verify_damage(v, "manifest.json: missing: not a directory of iotracer record");
	json_decref(v->manifest);
	v->manifest = NULL;
	return verify_has_segments(v);
}

static void check_state(struct verify *v)
{
	const char *state = member_text(v->manifest, "state");
	const char *reason = member_text(v->manifest, "reason");
	uint64_t started, ended;

	if (!state ||
	    (strcmp(state, "recording") && strcmp(state, "stopped") && strcmp(state, "complete"))) {
		verify_damage(v, "manifest.json: unknown state '%s'", state ? state : "");
		return;
	}
	v->ended = member_number(v->manifest, "ended_ns", &ended);
	v->counted = v->ended && !json_object_get(v->manifest, "repaired");
	if (!member_number(v->manifest, "started_ns", &started))
		verify_damage(v, "manifest.json: no valid started_ns");
	if (v->recording)
		verify_unfinished(v, "manifest.json: still being recorded");
	else if (!v->ended)
		verify_unfinished(
			v,
			"manifest.json: the tracer was killed: `iotracer verify --repair` closes what it left");
	else if (!strcmp(state, "recording"))
		verify_damage(v, "manifest.json: has an end, but its state is recording");
	if (reason)
		verify_print(v, "recording stopped: %s", reason);
}

/* ---- clocks and losses ---- */

/*
 * A row's time was fixed when it was made, that of its segment when it was
 * written: in between the clock may have been measured again, or set.
 */
static void check_clocks(struct verify *v)
{
	const json_t *clock, *clocks = json_object_get(v->manifest, "clocks");
	int64_t before = 0, least = 0, most = 0;
	size_t i;

	json_array_foreach(clocks, i, clock)
	{
		uint64_t mono, real;
		int64_t offset;

		if (!member_number(clock, "mono_ns", &mono) ||
		    !member_number(clock, "real_ns", &real)) {
			verify_damage(v, "manifest.json: entry %zu of clocks is not valid", i);
			return;
		}
		offset = (int64_t)(real - mono);
		if (!i)
			before = least = most = offset;
		if (offset - before > 1000000000 || before - offset > 1000000000)
			verify_print(v,
				     "the wall clock was set %s by %.3f s, at mono_ns %" PRIu64
				     " or shortly before",
				     offset > before ? "forward" : "back",
				     (double)(offset > before ? offset - before : before - offset) /
					     1e9,
				     mono);
		least = offset < least ? offset : least;
		most = offset > most ? offset : most;
		before = offset;
	}
	v->slack_us = 1000 + (uint64_t)(most - least) / 1000;
}

static bool stream_is_complete(const struct verify *v, const char *name)
{
	const json_t *stream = verify_stream(v, name);
	uint64_t evicted, unwritable;

	return member_number(stream, "evicted_rows", &evicted) && !evicted &&
	       member_number(stream, "unwritable", &unwritable) && !unwritable;
}

/* The manifest's account and the rows of stream lost tell the same, when both are whole. */
static void check_losses(struct verify *v)
{
	bool compare = v->counted && stream_is_complete(v, "lost");
	const json_t *item, *list = json_object_get(v->manifest, "lost");
	char key[256];
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *stream = member_text(item, "stream"),
			   *reason = member_text(item, "reason");
		uint64_t count, told;

		if (!stream || !reason || !member_number(item, "count", &count)) {
			verify_damage(v, "manifest.json: entry %zu of lost is not valid", i);
			continue;
		}
		if (count)
			verify_print(v, "lost %" PRIu64 " of %s: %s", count, stream, reason);
		snprintf(key, sizeof(key), "%s %s", stream, reason);
		member_number(v->lost, key, &told);
		/* more may be told: an event that came late is taken back in the account alone */
		if (compare && told < count)
			verify_damage(
				v,
				"manifest.json: %" PRIu64
				" of %s lost (%s), but the rows of stream lost add up to %" PRIu64,
				count, stream, reason, told);
	}
}

/* ---- the whole ---- */

static void print_result(const struct verify *v)
{
	static const char *const words[] = {
		[VERIFY_WHOLE] = "whole",
		[VERIFY_DAMAGED] = "damaged",
		[VERIFY_UNFINISHED] = "not finished",
	};
	enum verify_result result = v->n_damages    ? VERIFY_DAMAGED :
				    v->n_unfinished ? VERIFY_UNFINISHED :
						      VERIFY_WHOLE;

	verify_print(v, "%s: %" PRIu64 " segments, %" PRIu64 " rows, %.1f MB", words[result],
		     v->n_segments, v->n_rows, (double)v->n_bytes / 1e6);
}

static void check_all(struct verify *v)
{
	if (!read_manifest(v))
		return;
	if (v->manifest) {
		check_state(v);
		check_clocks(v);
		verify_streams(v);
	}
	verify_unlisted(v);
	verify_newest(v);
	if (v->manifest) {
		verify_package(v);
		verify_summary(v);
		check_losses(v);
	}
	print_result(v);
}

/* Before the checks, too: a repair has filled these, and rows of stream lost would count twice. */
static void forget(struct verify *v)
{
	json_decref(v->manifest);
	json_decref(v->listed);
	json_decref(v->lost);
	v->manifest = NULL;
	v->listed = json_object();
	v->lost = json_object();
}

/*
 * The tracer holds a lock as long as it writes; a file system without locks tells nothing. Several may
 * look at once; who repairs waits until they have.
 */
static void find_tracer(struct verify *v, bool repair)
{
	if (flock(v->dir_fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		v->recording = true;
	else if (repair)
		flock(v->dir_fd, LOCK_EX);
}

/* Who owns the directory, or can write there, chooses what a repair cuts and renames. */
static bool may_repair(struct verify *v)
{
	const char *why = below_not_ours(v->dir_fd);

	if (why)
		verify_damage(v,
			      "manifest.json: not repaired: the directory %s: run it as its owner, "
			      "when nobody else can write there",
			      why);
	return !why;
}

static bool can_read(const struct verify *v)
{
	int err = 0;

	for (int i = 0; i < N_STREAMS && !err; i++) {
		unsigned n;
		struct segment_file *files = segment_files(v->dir_fd, i, &n);

		err = segments_check(v->dir, files, n);
		free(files);
	}
	return !err;
}

enum verify_result verify_directory(const char *dir, bool repair)
{
	struct verify v = { .dir = dir };
	enum verify_result result;

	v.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (v.dir_fd < 0) {
		log_error("%s: %s", dir, errno == ENOTDIR ? "not a directory" : strerror(errno));
		return VERIFY_DAMAGED;
	}
	if (!can_read(&v)) {
		close(v.dir_fd);
		return VERIFY_DAMAGED;
	}
	find_tracer(&v, repair);
	forget(&v);
	if (repair && v.recording)
		verify_damage(
			&v,
			"manifest.json: not repaired: still being recorded: stop the recorder first");
	if (repair && !v.recording && may_repair(&v))
		repair_directory(&v);
	forget(&v);
	if (!repair || !v.recording)
		check_all(&v);
	result = v.n_damages ? VERIFY_DAMAGED : v.n_unfinished ? VERIFY_UNFINISHED : VERIFY_WHOLE;
	json_decref(v.manifest);
	json_decref(v.listed);
	json_decref(v.lost);
	close(v.dir_fd);
	return result;
}
