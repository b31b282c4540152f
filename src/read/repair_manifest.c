/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the manifest of a directory under repair: what it was, the segments that
 * are entered into it, and how both files of the directory are written again.
 */
#include "read/repair_manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "read/members.h"
#include "read/read_session.h"
#include "row/schema.h"
#include "write/manifest.h"

#define DAMAGED_NAME "manifest.json.damaged"

static const char killed[] = "the tracer was killed; closed by iotracer verify --repair";
static const char rebuilt[] =
	"manifest.json was lost; rebuilt from the segments by iotracer verify --repair";

bool repair_exists(const struct verify *v, const char *path)
{
	struct stat st;

	return !below_stat(v->dir_fd, path, &st);
}

/* ---- the manifest before ---- */

static json_t *new_stream(const char *name)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:[], s:[]}", "name", name, "rows", 0,
			 "unwritable", 0, "evicted_rows", 0, "evicted_segments", 0, "segments",
			 "evicted");
}

/* Borrowed from the manifest. */
static json_t *find_or_make_stream(struct verify *v, const char *name)
{
	json_t *entry = verify_stream(v, name);

	if (!entry) {
		entry = new_stream(name);
		json_array_append_new(json_object_get(v->manifest, "streams"), entry);
	}
	return entry;
}

/* A manifest without a list of streams, or a stream without one of segments, has lost them. */
static void make_lists(struct verify *v)
{
	json_t *entry, *list = json_object_get(v->manifest, "streams");
	size_t i;

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(v->manifest, "streams", list);
	}
	json_array_foreach(list, i, entry) if (json_is_object(entry) &&
					       !json_is_array(json_object_get(entry, "segments")))
		json_object_set_new(entry, "segments", json_array());
}

/* The damaged one is kept beside the new one. */
static int begin_manifest(struct repair *r, bool damaged)
{
	struct verify *v = r->v;
	int err;

	err = damaged ? below_rename(v->dir_fd, MANIFEST_NAME, DAMAGED_NAME) : 0;
	if (err) {
		verify_damage(v, "manifest.json: cannot keep it as " DAMAGED_NAME ": %s",
			      strerror(-err));
		return err;
	}
	r->moved = damaged;
	if (damaged)
		log_note("%s: the damaged manifest.json is kept as " DAMAGED_NAME, v->dir);
	v->manifest = json_pack("{s:s, s:i, s:[]}", "format", "iotracer", "schema_version",
				SCHEMA_VERSION, "streams");
	r->reason = rebuilt;
	r->n_changes++;
	return v->manifest ? 0 : -ENOMEM;
}

static int read_manifest(struct repair *r)
{
	struct verify *v = r->v;
	const char *format;
	uint64_t version;
	int err;

	v->manifest = verify_read_json(v, MANIFEST_NAME, NULL, &err);
	/* no error and no JSON: there is one, and it is damaged */
	if (!v->manifest)
		return verify_has_segments(v) ? begin_manifest(r, !err) : -EINVAL;
	format = member_text(v->manifest, "format");
	if (!format || strcmp(format, "iotracer") ||
	    !member_number(v->manifest, "schema_version", &version) || version > SCHEMA_VERSION)
		return -EINVAL; /* the checks that follow report it */
	make_lists(v);
	return 0;
}

static void list_segments(struct verify *v)
{
	json_t *stream, *segment;
	size_t i, j;

	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
		json_array_foreach(json_object_get(stream, "segments"), j, segment)
	{
		const char *file = member_text(segment, "file");

		if (file)
			json_object_set_new(v->listed, file, json_true());
	}
}

/* ---- an entry ---- */

/* CLOCK_REALTIME ns, by the pairs of clocks in the manifest, else by the row's own time. */
static uint64_t real_ns(const struct verify *v, uint64_t mono_ns, const char *text)
{
	uint64_t found = read_session_real_ns(json_object_get(v->manifest, "clocks"), mono_ns);
	struct tm tm = { .tm_isdst = -1 };
	int us;

	if (found || sscanf(text, "%4d-%2d-%2d %2d:%2d:%2d.%6d", &tm.tm_year, &tm.tm_mon,
			    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return found;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (uint64_t)mktime(&tm) * 1000000000u + (uint64_t)us * 1000u;
}

static json_t *segment_entry(const struct verify *v, const char *file, const struct scan *scan)
{
	struct manifest_segment segment = {
		.rows = scan->rows,
		.bytes = scan->bytes,
		.csv_bytes = scan->csv_bytes,
		.first_ns = real_ns(v, scan->first_ns, scan->first),
		.last_ns = real_ns(v, scan->last_ns, scan->last),
		.compressed = packing_of(file) != PACKING_NONE,
	};
	json_t *entry;

	memcpy(segment.sha256, scan->sha256, sizeof(segment.sha256));
	entry = manifest_segment_json(&segment);
	json_object_set_new(entry, "file", json_string(file));
	/* in the time zone of the tracer, which need not be ours */
	if (scan->first[0]) {
		json_object_set_new(entry, "first", json_string(scan->first));
		json_object_set_new(entry, "last", json_string(scan->last));
	}
	return entry;
}

/* Behind those with lower numbers. */
void repair_enter(struct repair *r, const struct segment_file *file, const char *path,
		  const struct scan *scan)
{
	json_t *segments = json_object_get(find_or_make_stream(r->v, streams[file->stream].name),
					   "segments");
	size_t at = json_array_size(segments);
	struct segment_name name;

	/* parts of snapshots have no number, and come in their order */
	while (at > 0 && file->name.number) {
		const char *before = member_text(json_array_get(segments, at - 1), "file");

		if (before && segment_name_parse(before, &name) && name.number < file->name.number)
			break;
		at--;
	}
	json_array_insert_new(segments, at, segment_entry(r->v, path, scan));
	json_object_set_new(r->v->listed, path, json_true());
	r->n_changes++;
}

/*
 * What the data package alone tells of and nobody has any more: listed, so that
 * its loss stays visible when the package is written again.
 */
static void enter_missing(struct repair *r, const char *path)
{
	struct segment_file file = { .stream = segment_stream(path) };
	const struct scan nothing = { .rows = 0 };

	if (file.stream >= 0 && segment_is_below(path) && segment_name_parse(path, &file.name) &&
	    !json_object_get(r->v->listed, path) && !repair_exists(r->v, path))
		repair_enter(r, &file, path, &nothing);
}

static void enter_all_missing(struct repair *r)
{
	int err;
	json_t *package = verify_read_json(r->v, MANIFEST_PACKAGE, NULL, &err);
	const json_t *resource, *path;
	size_t i, j;

	json_array_foreach(json_object_get(package, "resources"), i, resource)
	{
		json_array_foreach(json_object_get(resource, "path"), j, path)
		{
			if (json_is_string(path))
				enter_missing(r, json_string_value(path));
		}
	}
	json_decref(package);
}

/* ---- the manifest afterwards ---- */

/* Of what went, the manifest keeps the names and times of the last ones. */
static void list_evicted(json_t *stream, json_t *entry)
{
	static const char *const unwanted[] = { "sha256", "bytes", "csv_bytes", "compressed" };
	json_t *evicted = json_object_get(stream, "evicted");

	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		json_object_del(entry, unwanted[i]);
	json_array_append(evicted, entry);
	if (json_array_size(evicted) > MANIFEST_MAX_EVICTED)
		json_array_remove(evicted, 0);
}

static void add_to(json_t *stream, const char *name, int64_t more)
{
	uint64_t before;

	member_number(stream, name, &before);
	json_object_set_new(stream, name, json_integer((json_int_t)before + more));
}

void repair_evict_first(json_t *stream)
{
	json_t *segments = json_object_get(stream, "segments");
	json_t *entry = json_array_get(segments, 0);
	uint64_t rows;

	member_number(entry, "rows", &rows);
	add_to(stream, "rows", -(int64_t)rows);
	add_to(stream, "evicted_rows", (int64_t)rows);
	add_to(stream, "evicted_segments", 1);
	list_evicted(stream, entry);
	json_array_remove(segments, 0);
}

/*
 * The manifest of a killed run may list, for a second, what was just removed to
 * keep to --max-disk: those are the oldest.
 */
static void drop_evicted(struct repair *r, json_t *stream)
{
	json_t *entry, *segments = json_object_get(stream, "segments");
	const char *file;

	while ((entry = json_array_get(segments, 0)) && (file = member_text(entry, "file")) &&
	       !repair_exists(r->v, file)) {
		repair_evict_first(stream);
		r->n_changes++;
	}
}

/*
 * And it may know nothing of what was written and removed after it: numbers below those that are
 * there were given to segments. How many rows they had nobody knows.
 */
static void count_evicted(struct repair *r, json_t *stream)
{
	const json_t *segments = json_object_get(stream, "segments"), *entry;
	const char *name = member_text(stream, "name"), *file;
	uint64_t evicted, unwritable, unknown, last = 0;
	struct segment_name its;
	size_t i;

	json_array_foreach(segments, i, entry) if ((file = member_text(entry, "file")) &&
						   segment_name_parse(file, &its) &&
						   its.number > last) last = its.number;
	member_number(stream, "evicted_segments", &evicted);
	member_number(stream, "unwritable", &unwritable);
	if (!name || unwritable || last <= json_array_size(segments) + evicted)
		return;
	unknown = last - json_array_size(segments) - evicted;
	log_note("%s: %" PRIu64 " segments of %s were removed to keep to --max-disk just before "
		 "the tracer was killed; their rows are not counted",
		 r->v->dir, unknown, name);
	json_object_set_new(stream, "evicted_segments",
			    json_integer((json_int_t)(evicted + unknown)));
	r->n_changes++;
}

/* Rows of the stream are those of its segments; the latest time of any is kept in *last_ns. */
static void count_stream(json_t *stream, uint64_t *last_ns)
{
	json_t *entry;
	uint64_t rows = 0, n, ns;
	size_t i;

	json_array_foreach(json_object_get(stream, "segments"), i, entry)
	{
		member_number(entry, "rows", &n);
		member_number(entry, "last_ns", &ns);
		rows += n;
		*last_ns = ns > *last_ns ? ns : *last_ns;
	}
	json_object_set_new(stream, "rows", json_integer((json_int_t)rows));
}

static void set_end(struct repair *r, uint64_t last_ns, bool ended)
{
	json_t *m = r->v->manifest;
	char text[MANIFEST_TIME_SIZE];
	struct timespec now;

	if (!ended) {
		json_object_set_new(m, "state", json_string("stopped"));
		manifest_time_rfc3339(last_ns, text);
		json_object_set_new(m, "reason",
				    last_ns ? json_sprintf("%s; rows are known until %s", r->reason,
							   text) :
					      json_string(r->reason));
		json_object_set_new(m, "rows_until_ns", json_integer((json_int_t)last_ns));
		json_object_set_new(m, "rows_until", last_ns ? json_string(text) : json_null());
		json_object_set_new(m, "ended", json_string(text));
		json_object_set_new(m, "ended_ns", json_integer((json_int_t)last_ns));
	}
	/* its readers take it for granted; 0: nobody knows */
	if (!json_object_get(m, "started_ns"))
		json_object_set_new(m, "started_ns", json_integer(0));
	clock_gettime(CLOCK_REALTIME, &now);
	manifest_time_rfc3339((uint64_t)now.tv_sec * 1000000000u, text);
	json_object_set_new(m, "repaired",
			    json_pack("{s:s, s:I, s:I, s:I}", "when", text, "closed_parts",
				      (json_int_t)r->n_parts, "cut_bytes", (json_int_t)r->cut_bytes,
				      "waiting_rows", (json_int_t)r->n_waiting));
}

static json_t *make_package(const struct verify *v)
{
	json_t *segments[N_STREAMS];
	struct schema_omitted omitted;

	for (int i = 0; i < N_STREAMS; i++) {
		segments[i] = json_object_get(verify_stream(v, streams[i].name), "segments");
		omitted.columns[i] = verify_omitted(v, i);
	}
	return manifest_package_json(segments, &omitted, json_object_get(v->manifest, "summary"));
}

/* A new reference: the files of each resource */
static json_t *paths_of(const json_t *package)
{
	json_t *resource, *paths = json_array();
	size_t i;

	json_array_foreach(json_object_get(package, "resources"), i, resource)
		json_array_append(paths, json_object_get(resource, "path"));
	return paths;
}

/* A tracer without memory or room for it wrote the manifest alone, or somebody changed it. */
static bool package_is_right(const struct verify *v)
{
	int err;
	json_t *made = make_package(v), *found = verify_read_json(v, MANIFEST_PACKAGE, NULL, &err);
	json_t *wanted = paths_of(made), *listed = paths_of(found);
	bool right = (made || !found) && json_equal(wanted, listed);

	json_decref(made);
	json_decref(found);
	json_decref(wanted);
	json_decref(listed);
	return right;
}

static int write_package(struct verify *v)
{
	json_t *package = make_package(v);
	uint64_t n_bytes = 0;

	if (package)
		return manifest_replace(v->dir_fd, MANIFEST_PACKAGE, package, &n_bytes);
	unlinkat(v->dir_fd, MANIFEST_PACKAGE, 0);
	return 0;
}

int repair_manifest_write(struct verify *v)
{
	uint64_t n_bytes = 0;
	int err = write_package(v);

	return err ? err :
		     manifest_replace(v->dir_fd, MANIFEST_NAME, json_incref(v->manifest), &n_bytes);
}

static void write_manifest(struct repair *r)
{
	struct verify *v = r->v;
	uint64_t last_ns = 0, ended;
	json_t *stream;
	size_t i;
	int err;

	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
		count_stream(stream, &last_ns);
	set_end(r, last_ns, member_number(v->manifest, "ended_ns", &ended));
	err = repair_manifest_write(v);
	if (err)
		verify_damage(v, "manifest.json: cannot write: %s", strerror(-err));
}

int repair_manifest_open(struct repair *r)
{
	int err;

	r->reason = killed;
	err = read_manifest(r);
	if (!err)
		list_segments(r->v);
	return err;
}

void repair_manifest_keep(struct repair *r)
{
	if (r->moved && below_rename(r->v->dir_fd, DAMAGED_NAME, MANIFEST_NAME))
		verify_damage(r->v, DAMAGED_NAME ": cannot rename it back");
}

void repair_manifest_close(struct repair *r)
{
	struct verify *v = r->v;
	json_t *stream;
	uint64_t ended, max_disk;
	bool was_ended = member_number(v->manifest, "ended_ns", &ended);
	size_t i;

	member_number(json_object_get(v->manifest, "options"), "max_disk", &max_disk);
	/*
	 * with --max-disk, what is missing may have been removed on purpose: it is counted
	 * instead
	 */
	if (!was_ended && !max_disk)
		enter_all_missing(r);
	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
	{
		if (was_ended || !max_disk)
			continue;
		drop_evicted(r, stream);
		count_evicted(r, stream);
	}
	if (r->n_changes || !was_ended || !package_is_right(v))
		write_manifest(r);
	else
		log_note("%s: nothing to repair", v->dir);
}
