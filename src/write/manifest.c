/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the shape of manifest.json and datapackage.json. Segments are turned
 * into JSON once, when they are closed, and only dumped afterwards. Reads no
 * segment and decides nothing about them.
 */
#include "write/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_text.h"
#include "row/columns.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0"
#endif

struct stream_part {
	json_t *segments;
	json_t *evicted;
	uint64_t evicted_rows;
	uint64_t evicted_segments;
};

struct manifest {
	struct write_options options;
	struct manifest_counts counts;
	struct stream_part parts[N_STREAMS];
	json_t *members;
	const char *state;
	json_t *reason; /* NULL: none */
	uint64_t started_ns;
	uint64_t ended_ns; /* 0: not yet */
};

/*
 * jansson leaves out what it has no memory for, without a word: a manifest of which anything is
 * missing is not written.
 */
static _Thread_local unsigned n_failed;

static void *take_memory(size_t size)
{
	void *bytes = malloc(size);

	n_failed += !bytes;
	return bytes;
}

static uint64_t real_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t local_time(uint64_t real_ns, const char *format, char *text, struct tm *tm)
{
	time_t s = (time_t)(real_ns / 1000000000u);

	localtime_r(&s, tm);
	return strftime(text, MANIFEST_TIME_SIZE, format, tm);
}

void manifest_time(uint64_t real_ns, char text[MANIFEST_TIME_SIZE])
{
	struct tm tm;
	size_t at = local_time(real_ns, "%Y-%m-%d %H:%M:%S", text, &tm);

	snprintf(text + at, MANIFEST_TIME_SIZE - at, ".%06u",
		 (unsigned)(real_ns % 1000000000u / 1000u));
}

void manifest_time_rfc3339(uint64_t real_ns, char text[MANIFEST_TIME_SIZE])
{
	struct tm tm;
	size_t at = local_time(real_ns, "%Y-%m-%dT%H:%M:%S", text, &tm);
	long minutes = labs(tm.tm_gmtoff) / 60;

	snprintf(text + at, MANIFEST_TIME_SIZE - at, ".%09u%c%02ld:%02ld",
		 (unsigned)(real_ns % 1000000000u), tm.tm_gmtoff < 0 ? '-' : '+', minutes / 60,
		 minutes % 60);
}

struct manifest *manifest_new(const struct write_options *options)
{
	struct manifest *m = calloc(1, sizeof(*m));
	bool complete;

	if (!m)
		return NULL;
	m->options = *options;
	m->options.dir = NULL;
	m->state = "recording";
	m->started_ns = real_now();
	/* for all of jansson in this process; it costs an addition where memory is missing */
	json_set_alloc_funcs(take_memory, free);
	m->members = json_object();
	complete = m->members != NULL;
	for (int i = 0; i < N_STREAMS; i++) {
		m->parts[i].segments = json_array();
		m->parts[i].evicted = json_array();
		complete = complete && m->parts[i].segments && m->parts[i].evicted;
	}
	if (!complete) {
		manifest_free(m);
		return NULL;
	}
	return m;
}

void manifest_free(struct manifest *m)
{
	if (!m)
		return;
	for (int i = 0; i < N_STREAMS; i++) {
		json_decref(m->parts[i].segments);
		json_decref(m->parts[i].evicted);
	}
	json_decref(m->members);
	json_decref(m->reason);
	free(m);
}

void manifest_counts(struct manifest *m, const struct manifest_counts *counts)
{
	m->counts = *counts;
}

json_t *manifest_segment_json(const struct manifest_segment *s)
{
	char first[MANIFEST_TIME_SIZE], last[MANIFEST_TIME_SIZE];

	manifest_time(s->first_ns, first);
	manifest_time(s->last_ns, last);
	return json_pack("{s:s, s:I, s:I, s:I, s:s, s:s, s:I, s:I, s:s, s:b}", "file", s->file,
			 "rows", (json_int_t)s->rows, "bytes", (json_int_t)s->bytes, "csv_bytes",
			 (json_int_t)s->csv_bytes, "first", first, "last", last, "first_ns",
			 (json_int_t)s->first_ns, "last_ns", (json_int_t)s->last_ns, "sha256",
			 s->sha256, "compressed", (int)s->compressed);
}

void manifest_add(struct manifest *m, const struct manifest_segment *s)
{
	json_array_append_new(m->parts[s->stream].segments, manifest_segment_json(s));
}

/* Keeps what says which part of the time is missing; a week of evictions must stay small. */
static void add_evicted(struct stream_part *part, json_t *entry)
{
	static const char *const unwanted[] = { "sha256", "bytes", "csv_bytes", "compressed" };

	part->evicted_segments++;
	part->evicted_rows += (uint64_t)json_integer_value(json_object_get(entry, "rows"));
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		json_object_del(entry, unwanted[i]);
	json_array_append(part->evicted, entry);
	if (json_array_size(part->evicted) > MANIFEST_MAX_EVICTED)
		json_array_remove(part->evicted, 0);
}

void manifest_evict(struct manifest *m, enum stream_id stream)
{
	struct stream_part *part = &m->parts[stream];
	json_t *entry = json_array_get(part->segments, 0);

	if (!entry)
		return;
	add_evicted(part, entry);
	json_array_remove(part->segments, 0);
}

void manifest_add_evicted(struct manifest *m, const struct manifest_segment *s)
{
	json_t *entry = manifest_segment_json(s);

	add_evicted(&m->parts[s->stream], entry);
	json_decref(entry);
}

void manifest_members(struct manifest *m, json_t *members)
{
	json_object_update(m->members, members);
}

void manifest_state(struct manifest *m, const char *state, const char *reason, bool ended)
{
	m->state = state;
	json_decref(m->reason);
	m->reason = reason ? json_text(reason) : NULL;
	m->ended_ns = ended ? real_now() : 0;
}

static void set_time(json_t *root, const char *name, const char *name_ns, uint64_t ns)
{
	char text[MANIFEST_TIME_SIZE];

	if (!ns)
		return;
	manifest_time_rfc3339(ns, text);
	json_object_set_new(root, name, json_string(text));
	json_object_set_new(root, name_ns, json_integer((json_int_t)ns));
}

static json_t *options_json(const struct write_options *o)
{
	return json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "rotate_size",
			 (json_int_t)o->rotate_size, "rotate_time_s", (json_int_t)o->rotate_time_s,
			 "rotate_rows", (json_int_t)o->rotate_rows, "compress",
			 packings[o->packing].name, "max_disk", (json_int_t)o->max_disk, "min_free",
			 (json_int_t)o->min_free);
}

/* rows + evicted_rows + unwritable is everything that was offered. */
static json_t *stream_json(struct manifest *m, enum stream_id stream)
{
	struct stream_part *part = &m->parts[stream];
	uint64_t omitted = m->options.omitted.columns[stream];
	json_t *json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:O, s:O}", "name",
				 streams[stream].name, "rows",
				 (json_int_t)(m->counts.rows[stream] - part->evicted_rows),
				 "unwritable", (json_int_t)m->counts.unwritable[stream],
				 "evicted_rows", (json_int_t)part->evicted_rows, "evicted_segments",
				 (json_int_t)part->evicted_segments, "segments", part->segments,
				 "evicted", part->evicted);

	if (omitted)
		json_object_set_new(json, "columns", columns_json(stream, omitted));
	return json;
}

static json_t *manifest_json(struct manifest *m)
{
	json_t *root = json_pack("{s:s, s:i, s:{s:s, s:s}, s:s}", "format", "iotracer",
				 "schema_version", SCHEMA_VERSION, "tool", "name", "iotracer",
				 "version", PACKAGE_VERSION, "state", m->state);
	json_t *list = json_array();

	if (m->reason)
		json_object_set(root, "reason", m->reason);
	set_time(root, "started", "started_ns", m->started_ns);
	set_time(root, "ended", "ended_ns", m->ended_ns);
	json_object_set_new(root, "options", options_json(&m->options));
	for (int i = 0; i < N_STREAMS; i++)
		if (m->counts.on[i] || m->counts.rows[i] || m->counts.unwritable[i])
			json_array_append_new(list, stream_json(m, (enum stream_id)i));
	json_object_set_new(root, "streams", list);
	json_object_update(root, m->members);
	return root;
}

/* The files of one stream that are packed in this way. */
static json_t *paths_json(json_t *segments, enum packing packing)
{
	json_t *paths = json_array();
	json_t *entry;
	size_t i;

	json_array_foreach(segments, i, entry)
	{
		json_t *file = json_object_get(entry, "file");

		if (json_is_string(file) && packing_of(json_string_value(file)) == packing)
			json_array_append(paths, file);
	}
	return paths;
}

/* Takes the references to paths and schema. */
static void add_resource(json_t *resources, const char *name, const char *description,
			 json_t *paths, enum packing packing, json_t *schema)
{
	json_t *resource =
		json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:{s:b, s:s, s:s, s:b}, s:o}",
			  "name", name, "description", description, "path", paths, "profile",
			  "tabular-data-resource", "format", "csv", "mediatype", "text/csv",
			  "encoding", "utf-8", "dialect", "header", 1, "delimiter", ",",
			  "lineTerminator", "\n", "doubleQuote", 1, "schema", schema);

	if (packing)
		json_object_set_new(resource, "compression", json_string(packings[packing].name));
	json_array_append_new(resources, resource);
}

/*
 * A resource is read as one file, so that plain segments of a compressed
 * session (compression fell behind, or the disk was full) need one of their own.
 */
static void add_resources(json_t *resources, json_t *segments, enum stream_id stream,
			  uint64_t omitted)
{
	bool is_second = false;

	for (int p = N_PACKINGS - 1; p >= 0; p--) {
		json_t *paths = paths_json(segments, (enum packing)p);
		char name[64];

		if (!json_array_size(paths)) {
			json_decref(paths);
			continue;
		}
		snprintf(name, sizeof(name), "%s%s%s", streams[stream].name, is_second ? "_" : "",
			 !is_second ? "" :
			 p          ? packings[p].name :
				      "plain");
		add_resource(resources, name, streams[stream].doc, paths, (enum packing)p,
			     schema_table(stream, omitted));
		is_second = true;
	}
}

static void add_summaries(json_t *resources, const json_t *summary)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(summary, "files"), i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "name"));
		const char *doc = json_string_value(json_object_get(entry, "description"));
		json_t *file = json_object_get(entry, "file");
		json_t *schema = json_object_get(entry, "schema");

		if (name && doc && file && schema)
			add_resource(resources, name, doc, json_pack("[O]", file), false,
				     json_incref(schema));
	}
}

json_t *manifest_package_json(json_t *const segments[N_STREAMS],
			      const struct schema_omitted *omitted, const json_t *summary)
{
	json_t *resources = json_array();

	for (int i = 0; i < N_STREAMS; i++)
		add_resources(resources, segments[i], (enum stream_id)i, omitted->columns[i]);
	add_summaries(resources, summary);
	if (resources && !json_array_size(resources)) {
		json_decref(resources);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "profile", "tabular-data-package", "name",
			 "iotracer", "title", "I/O trace written by iotracer", "resources",
			 resources);
}

int manifest_replace(int dir_fd, const char *name, json_t *json, uint64_t *n_bytes)
{
	char *text = json_dumps(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	size_t len = text ? strlen(text) : 0;
	int err = -ENOMEM;

	json_decref(json);
	if (text) {
		text[len] = '\n'; /* in place of the NUL: the length is known */
		err = file_replace(dir_fd, name, text, len + 1);
		*n_bytes += len + 1;
	}
	free(text);
	return err;
}

int manifest_write(struct manifest *m, int dir_fd, uint64_t *n_bytes)
{
	/* the counter is the thread's: what fails in other threads does not spoil this manifest */
	const unsigned failed = n_failed;
	json_t *segments[N_STREAMS];
	json_t *package, *manifest;
	int package_err = 0;
	int err;

	for (int i = 0; i < N_STREAMS; i++)
		segments[i] = m->parts[i].segments;
	package = manifest_package_json(segments, &m->options.omitted,
					json_object_get(m->members, "summary"));
	manifest = manifest_json(m);
	*n_bytes = 0;
	if (failed != n_failed) {
		json_decref(package);
		json_decref(manifest);
		return -ENOMEM;
	}
	/* first, so that whoever sees a segment in the manifest finds it here as well */
	if (package)
		package_err = manifest_replace(dir_fd, MANIFEST_PACKAGE, package, n_bytes);
	else
		unlinkat(dir_fd, MANIFEST_PACKAGE, 0);
	err = manifest_replace(dir_fd, MANIFEST_NAME, manifest, n_bytes);
	return err ? err : package_err;
}
