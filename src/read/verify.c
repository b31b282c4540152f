/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the look at a session directory as a whole: whether it is one, what its
 * manifest says of its end and its losses, and the result.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/verify_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "row/schema.h"
#include "write/write.h"

/* ---- saying ---- */

static void say(const struct verify *v, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	log_error("%s/%s", v->dir, text);
}

void verify_damage(struct verify *v, const char *fmt, ...)
{
	va_list ap;

	v->n_damages++;
	va_start(ap, fmt);
	say(v, fmt, ap);
	va_end(ap);
}

void verify_open_end(struct verify *v, const char *fmt, ...)
{
	va_list ap;

	v->n_unfinished++;
	va_start(ap, fmt);
	say(v, fmt, ap);
	va_end(ap);
}

void verify_say(const struct verify *v, const char *fmt, ...)
{
	va_list ap;

	if (log_get_level() == LOG_QUIET)
		return;
	printf("%s: ", v->dir);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* ---- members ---- */

bool verify_number(const json_t *object, const char *name, uint64_t *value)
{
	const json_t *member = json_object_get(object, name);

	*value = 0;
	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return false;
	*value = (uint64_t)json_integer_value(member);
	return true;
}

const char *verify_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

json_t *verify_stream(const struct verify *v, const char *name)
{
	json_t *entry, *list = json_object_get(v->manifest, "streams");
	const char *its_name;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		its_name = verify_text(entry, "name");
		if (its_name && !strcmp(its_name, name))
			return entry;
	}
	return NULL;
}

/* ---- the manifest ---- */

/* Without a manifest it may still be one of ours: segments say so. */
bool verify_has_segments(const struct verify *v)
{
	for (int i = 0; i < N_STREAMS; i++) {
		size_t n;
		struct verify_file *files = verify_list(v, i, &n);
		bool found = false;

		for (size_t at = 0; at < n; at++)
			found = found || files[at].kind != VERIFY_OTHER;
		free(files);
		if (found)
			return true;
	}
	return false;
}

/* False: nothing more can be said of this directory. */
static bool is_ours(struct verify *v)
{
	const char *format = verify_text(v->manifest, "format");
	uint64_t version;

	if (!format || strcmp(format, "iotracer")) {
		verify_damage(
			v, "manifest.json: written by another tool (%s%s), not by iotracer record",
			format ? "format " : "it has no format", format ? format : "");
		return false;
	}
	if (!verify_number(v->manifest, "schema_version", &version) || !version) {
		verify_damage(v, "manifest.json: its schema_version is none");
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
	int fd = openat(v->dir_fd, "manifest.json", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	json_error_t error;

	if (fd < 0 && errno != ENOENT) {
		verify_damage(v, "manifest.json: %s", strerror(errno));
		return false;
	}
	if (fd < 0) {
		if (verify_has_segments(v))
			verify_damage(
				v, "manifest.json: missing; the segments can be read without it");
		else
			verify_damage(
				v,
				"manifest.json: missing: this is no directory of iotracer record");
		return verify_has_segments(v);
	}
	v->manifest = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
	close(fd);
	if (v->manifest && json_is_object(v->manifest))
		return is_ours(v);
	if (v->manifest)
		verify_damage(v, "manifest.json: written by another tool: it is no JSON object");
	else
		verify_damage(
			v,
			"manifest.json: damaged at line %d (%s); the segments can be read without it",
			error.line, error.text);
	json_decref(v->manifest);
	v->manifest = NULL;
	return verify_has_segments(v);
}

static void check_state(struct verify *v)
{
	const char *state = verify_text(v->manifest, "state");
	const char *reason = verify_text(v->manifest, "reason");
	uint64_t started, ended;

	if (!state ||
	    (strcmp(state, "recording") && strcmp(state, "stopped") && strcmp(state, "complete"))) {
		verify_damage(v, "manifest.json: its state is none: %s", state ? state : "no text");
		return;
	}
	v->ended = verify_number(v->manifest, "ended_ns", &ended);
	v->counted = v->ended && !json_object_get(v->manifest, "repaired");
	if (!verify_number(v->manifest, "started_ns", &started))
		verify_damage(v, "manifest.json: started_ns is no number");
	if (v->recording)
		verify_open_end(v, "manifest.json: a tracer is recording at this moment");
	else if (!v->ended)
		verify_open_end(
			v,
			"manifest.json: the tracer was killed: `iotracer verify --repair` closes what it left");
	else if (!strcmp(state, "recording"))
		verify_damage(v, "manifest.json: it has an end, but its state is recording");
	if (reason)
		verify_say(v, "recording stopped: %s", reason);
}

/* ---- clocks and losses ---- */

/*
 * A row's time was fixed when it was made, that of its segment when it was
 * written: in between the clock may have been measured again, or set.
 */
static void look_at_clocks(struct verify *v)
{
	const json_t *clock, *clocks = json_object_get(v->manifest, "clocks");
	int64_t before = 0, least = 0, most = 0;
	size_t i;

	json_array_foreach(clocks, i, clock)
	{
		uint64_t mono, real;
		int64_t offset;

		if (!verify_number(clock, "mono_ns", &mono) ||
		    !verify_number(clock, "real_ns", &real)) {
			verify_damage(v, "manifest.json: entry %zu of clocks is none", i);
			return;
		}
		offset = (int64_t)(real - mono);
		if (!i)
			before = least = most = offset;
		if (offset - before > 1000000000 || before - offset > 1000000000)
			verify_say(v,
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

	return verify_number(stream, "evicted_rows", &evicted) && !evicted &&
	       verify_number(stream, "unwritable", &unwritable) && !unwritable;
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
		const char *stream = verify_text(item, "stream"),
			   *reason = verify_text(item, "reason");
		uint64_t count, told;

		if (!stream || !reason || !verify_number(item, "count", &count)) {
			verify_damage(v, "manifest.json: entry %zu of lost is none", i);
			continue;
		}
		if (count)
			verify_say(v, "lost %" PRIu64 " of %s: %s", count, stream, reason);
		snprintf(key, sizeof(key), "%s %s", stream, reason);
		verify_number(v->lost, key, &told);
		/* more may be told: an event that came late is taken back in the account alone */
		if (compare && told < count)
			verify_damage(
				v,
				"manifest.json: %" PRIu64
				" of %s are lost (%s), but the rows of stream lost tell of %" PRIu64,
				count, stream, reason, told);
	}
}

/* ---- the whole ---- */

static void say_result(const struct verify *v)
{
	static const char *const words[] = {
		[VERIFY_WHOLE] = "whole",
		[VERIFY_DAMAGED] = "damaged",
		[VERIFY_UNFINISHED] = "not finished",
	};
	enum verify_result result = v->n_damages    ? VERIFY_DAMAGED :
				    v->n_unfinished ? VERIFY_UNFINISHED :
						      VERIFY_WHOLE;

	verify_say(v, "%s: %" PRIu64 " segments, %" PRIu64 " rows, %.1f MB", words[result],
		   v->n_segments, v->n_rows, (double)v->n_bytes / 1e6);
}

static void check_all(struct verify *v)
{
	if (!read_manifest(v))
		return;
	if (v->manifest) {
		check_state(v);
		look_at_clocks(v);
		verify_streams(v);
	}
	verify_unlisted(v);
	verify_newest(v);
	if (v->manifest) {
		verify_package(v);
		check_losses(v);
	}
	say_result(v);
}

static void forget(struct verify *v)
{
	json_decref(v->manifest);
	json_decref(v->listed);
	json_decref(v->lost);
	v->manifest = NULL;
	v->listed = json_object();
	v->lost = json_object();
}

/* The tracer holds a lock as long as it writes; a file system without locks tells nothing. */
static void look_for_tracer(struct verify *v)
{
	if (flock(v->dir_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		v->recording = true;
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
	look_for_tracer(&v);
	forget(&v);
	if (repair && v.recording)
		verify_damage(
			&v,
			"manifest.json: not repaired: a tracer is recording at this moment, end it first");
	if (repair && !v.recording)
		verify_repair(&v);
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
