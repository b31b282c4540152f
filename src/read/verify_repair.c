/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the closing of what a killed run left open: .part files end with their
 * last complete row and get their names, segments that the manifest does not
 * know yet are entered, and both files of the directory are written again.
 * Never removes a row that can be read, and leaves alone what it does not
 * understand.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/verify_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "row/schema.h"
#include "write/manifest.h"

#define DAMAGED_NAME "manifest.json.damaged"

static const char killed[] = "the tracer was killed; closed by iotracer verify --repair";
static const char rebuilt[] =
	"manifest.json was lost; made anew from the segments by iotracer verify --repair";

struct repair {
	struct verify *v;
	unsigned n_changes;
	uint64_t cut_bytes;
	uint64_t n_parts;
	const char *reason;
};

/* ---- the manifest before ---- */

static json_t *new_stream(const char *name)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:[], s:[]}", "name", name, "rows", 0,
			 "unwritable", 0, "evicted_rows", 0, "evicted_segments", 0, "segments",
			 "evicted");
}

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

static int read_manifest(struct repair *r)
{
	struct verify *v = r->v;
	int fd = openat(v->dir_fd, MANIFEST_NAME, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *format;
	uint64_t version;
	bool there = fd >= 0;

	if (there) {
		v->manifest = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
		close(fd);
	}
	if (v->manifest) {
		format = verify_text(v->manifest, "format");
		if (!format || strcmp(format, "iotracer") ||
		    !verify_number(v->manifest, "schema_version", &version) ||
		    version > SCHEMA_VERSION)
			return -EINVAL; /* said afterwards, by who looks at all */
		make_lists(v);
		return 0;
	}
	if (!verify_has_segments(v))
		return -EINVAL;
	if (there && renameat(v->dir_fd, MANIFEST_NAME, v->dir_fd, DAMAGED_NAME)) {
		verify_damage(v, "manifest.json: cannot be kept as " DAMAGED_NAME ": %s",
			      strerror(errno));
		return -errno;
	}
	if (there)
		log_note("%s: the damaged manifest.json is kept as " DAMAGED_NAME, v->dir);
	v->manifest = json_pack("{s:s, s:i, s:[]}", "format", "iotracer", "schema_version",
				SCHEMA_VERSION, "streams");
	r->reason = rebuilt;
	r->n_changes++;
	return v->manifest ? 0 : -ENOMEM;
}

static void list_segments(struct verify *v)
{
	json_t *stream, *segment;
	size_t i, j;

	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
		json_array_foreach(json_object_get(stream, "segments"), j, segment)
	{
		const char *file = verify_text(segment, "file");

		if (file)
			json_object_set_new(v->listed, file, json_true());
	}
}

/* ---- an entry ---- */

/* CLOCK_REALTIME ns, by the pairs of clocks in the manifest, else by the row's own time. */
static uint64_t real_ns(const struct verify *v, uint64_t mono_ns, const char *text)
{
	const json_t *clock, *clocks = json_object_get(v->manifest, "clocks");
	uint64_t mono, real, found = 0;
	struct tm tm = { .tm_isdst = -1 };
	int us;
	size_t i;

	json_array_foreach(clocks, i, clock) if (verify_number(clock, "mono_ns", &mono) &&
						 verify_number(clock, "real_ns", &real) &&
						 (!i || mono <= mono_ns))
		found = mono_ns + (real - mono);
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
		.compressed = verify_is_gz(file),
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

static bool exists(const struct verify *v, const char *path)
{
	struct stat st;

	return !fstatat(v->dir_fd, path, &st, AT_SYMLINK_NOFOLLOW);
}

/* Behind those with lower numbers. */
static void enter(struct repair *r, const struct verify_file *file, const char *path,
		  const struct scan *scan)
{
	json_t *segments = json_object_get(find_or_make_stream(r->v, streams[file->stream].name),
					   "segments");
	size_t at = json_array_size(segments);
	struct verify_name name;

	/* parts of snapshots have no number, and come in their order */
	while (at > 0 && file->name.number) {
		const char *before = verify_text(json_array_get(segments, at - 1), "file");

		if (before && verify_segment_name(before, &name) && name.number < file->name.number)
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
static void enter_missing(void *arg, const char *path)
{
	struct repair *r = arg;
	struct verify_file file = { .stream = verify_stream_of(path) };
	const struct scan nothing = { .rows = 0 };

	if (file.stream >= 0 && verify_is_below(path) && verify_segment_name(path, &file.name) &&
	    !json_object_get(r->v->listed, path) && !exists(r->v, path))
		enter(r, &file, path, &nothing);
}

/* ---- files ---- */

static void remove_file(struct repair *r, const char *path, const char *why)
{
	if (unlinkat(r->v->dir_fd, path, 0)) {
		if (errno != ENOENT)
			verify_damage(r->v, "%s: cannot be removed: %s", path, strerror(errno));
		return;
	}
	if (why)
		log_note("%s/%s: removed: %s", r->v->dir, path, why);
	r->n_changes++;
}

static int cut(const struct verify *v, const char *path, uint64_t size)
{
	int fd = openat(v->dir_fd, path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) || fdatasync(fd))
		err = -errno;
	close(fd);
	return err;
}

/* The part ends with a whole row: under its own name it goes into the manifest. */
static void publish(struct repair *r, const struct verify_file *file, const struct scan *scan)
{
	struct verify *v = r->v;

	if (exists(v, file->final)) {
		verify_damage(v, "%s: stays: there is a %s already", file->path, file->final);
		return;
	}
	if (renameat(v->dir_fd, file->path, v->dir_fd, file->final)) {
		verify_damage(v, "%s: cannot be renamed: %s", file->path, strerror(errno));
		return;
	}
	log_note("%s/%s: closed with %" PRIu64 " rows", v->dir, file->final, scan->rows);
	r->n_parts++;
	enter(r, file, file->final, scan);
}

static void close_part(struct repair *r, const struct verify_file *file)
{
	struct verify *v = r->v;
	struct scan_options options = { .header = NULL };
	struct scan scan;
	uint64_t over;
	int err = verify_scan(v, file->path, &options, &scan);

	if (!err && scan.trouble == SCAN_CUT && scan.rows) {
		over = scan.bytes - scan.good_bytes;
		err = cut(v, file->path, scan.good_bytes);
		if (!err) {
			log_note("%s/%s: %" PRIu64
				 " bytes of a row that was not whole were cut off",
				 v->dir, file->path, over);
			r->cut_bytes += over;
			err = verify_scan(v, file->path, &options, &scan);
		}
	}
	if (err)
		verify_damage(v, "%s: %s", file->path, verify_why(err));
	else if (scan.trouble == SCAN_DAMAGED)
		verify_damage(v,
			      "%s: stays as it is: %s (%" PRIu64
			      " rows before and behind it are whole)",
			      file->path, scan.why, scan.rows);
	else if (!scan.rows)
		remove_file(r, file->path, "it has no complete row");
	else
		publish(r, file, &scan);
}

static void adopt(struct repair *r, const struct verify_file *file)
{
	struct scan_options options = { .compressed = verify_is_gz(file->path) };
	struct scan scan;

	if (json_object_get(r->v->listed, file->path) ||
	    verify_scan(r->v, file->path, &options, &scan) || scan.trouble != SCAN_OK)
		return; /* said afterwards */
	log_note("%s/%s: entered into the manifest with %" PRIu64 " rows", r->v->dir, file->path,
		 scan.rows);
	enter(r, file, file->path, &scan);
}

/* Whether there is a whole compressed copy of a plain part; one that is not is made of it again by nobody. */
static bool has_copy(struct repair *r, const struct verify_file *file)
{
	struct scan_options plain = { .header = NULL }, packed = { .compressed = true };
	struct scan part, copy;
	char gz[VERIFY_NAME_MAX + 4];

	snprintf(gz, sizeof(gz), "%s.gz", file->final);
	if (!exists(r->v, gz) || verify_scan(r->v, gz, &packed, &copy) || copy.trouble != SCAN_OK)
		return false;
	return !verify_scan(r->v, file->path, &plain, &part) && part.csv_bytes == copy.csv_bytes &&
	       part.rows == copy.rows;
}

static void mend_file(struct repair *r, const struct verify_file *file, bool has_source)
{
	switch (file->kind) {
	case VERIFY_SEGMENT:
		adopt(r, file);
		break;
	case VERIFY_PART:
		if (has_copy(r, file))
			remove_file(r, file->path, "its compressed copy is whole");
		else
			close_part(r, file);
		break;
	case VERIFY_PART_GZ:
		if (has_source)
			remove_file(r, file->path, "a copy that was under way");
		else
			verify_damage(r->v, "%s: stays: what it was a copy of is not there",
				      file->path);
		break;
	case VERIFY_OTHER:
		break;
	}
}

static void mend_stream(struct repair *r, int stream)
{
	size_t n;
	struct verify_file *files = verify_list(r->v, stream, &n);

	for (size_t i = 0; i < n; i++) {
		bool has_source = false;

		for (size_t j = 0; files[i].kind == VERIFY_PART_GZ && j < n; j++)
			has_source =
				has_source ||
				(files[j].kind == VERIFY_PART &&
				 !strcmp(files[j].final, files[i].final)) ||
				(files[j].kind == VERIFY_SEGMENT &&
				 !strncmp(files[j].path, files[i].final, strlen(files[i].final)));
		mend_file(r, &files[i], has_source);
	}
	free(files);
}

/* ---- the manifest afterwards ---- */

/*
 * The manifest of a killed run may list, for a second, what was just removed to
 * keep to --max-disk: those are the oldest.
 */
static void drop_evicted(struct repair *r, json_t *stream)
{
	json_t *entry, *segments = json_object_get(stream, "segments");
	uint64_t rows, evicted_rows, evicted;
	const char *file;

	while ((entry = json_array_get(segments, 0)) && (file = verify_text(entry, "file")) &&
	       !exists(r->v, file)) {
		verify_number(entry, "rows", &rows);
		verify_number(stream, "evicted_rows", &evicted_rows);
		verify_number(stream, "evicted_segments", &evicted);
		json_object_set_new(stream, "evicted_rows",
				    json_integer((json_int_t)(evicted_rows + rows)));
		json_object_set_new(stream, "evicted_segments",
				    json_integer((json_int_t)(evicted + 1)));
		json_array_remove(segments, 0);
		r->n_changes++;
	}
}

/* Rows of the stream are those of its segments; the latest time of any is kept in *last_ns. */
static void count_stream(json_t *stream, uint64_t *last_ns)
{
	json_t *entry;
	uint64_t rows = 0, n, ns;
	size_t i;

	json_array_foreach(json_object_get(stream, "segments"), i, entry)
	{
		verify_number(entry, "rows", &n);
		verify_number(entry, "last_ns", &ns);
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
		json_object_set_new(m, "reason", json_string(r->reason));
		manifest_time_rfc3339(last_ns, text);
		json_object_set_new(m, "ended", json_string(text));
		json_object_set_new(m, "ended_ns", json_integer((json_int_t)last_ns));
	}
	if (!json_object_get(m, "started_ns"))
		json_object_set_new(m, "started_ns", json_integer(0));
	clock_gettime(CLOCK_REALTIME, &now);
	manifest_time_rfc3339((uint64_t)now.tv_sec * 1000000000u, text);
	json_object_set_new(m, "repaired",
			    json_pack("{s:s, s:I, s:I}", "when", text, "closed_parts",
				      (json_int_t)r->n_parts, "cut_bytes",
				      (json_int_t)r->cut_bytes));
}

static int write_package(struct verify *v)
{
	json_t *segments[N_STREAMS], *package;
	uint64_t n_bytes = 0;

	for (int i = 0; i < N_STREAMS; i++)
		segments[i] = json_object_get(verify_stream(v, streams[i].name), "segments");
	package = manifest_package_json(segments);
	if (package)
		return manifest_replace(v->dir_fd, MANIFEST_PACKAGE, package, &n_bytes);
	unlinkat(v->dir_fd, MANIFEST_PACKAGE, 0);
	return 0;
}

static void write_manifest(struct repair *r)
{
	struct verify *v = r->v;
	uint64_t last_ns = 0, ended, n_bytes = 0;
	json_t *stream;
	size_t i;
	int err;

	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
		count_stream(stream, &last_ns);
	set_end(r, last_ns, verify_number(v->manifest, "ended_ns", &ended));
	err = write_package(v);
	if (!err)
		err = manifest_replace(v->dir_fd, MANIFEST_NAME, json_incref(v->manifest),
				       &n_bytes);
	if (err)
		verify_damage(v, "manifest.json: cannot be written: %s", strerror(-err));
}

/* What is made from what is there, by a writer that was killed before it was whole. */
static void remove_leftovers(struct repair *r)
{
	static const char *const names[] = {
		".room",
		".manifest.reserve",
		".manifest.json.part",
		".datapackage.json.part",
		".process_snap.csv.part",
		".filesystem_snap.csv.gz.part",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (exists(r->v, names[i]))
			remove_file(r, names[i], NULL);
}

void verify_repair(struct verify *v)
{
	struct repair r = { .v = v, .reason = killed };
	json_t *stream;
	bool was_ended;
	uint64_t ended, max_disk;
	size_t i;

	if (read_manifest(&r))
		return;
	list_segments(v);
	remove_leftovers(&r); /* and be it for the room */
	for (int s = 0; s < N_STREAMS; s++)
		mend_stream(&r, s);
	was_ended = verify_number(v->manifest, "ended_ns", &ended);
	verify_number(json_object_get(v->manifest, "options"), "max_disk", &max_disk);
	if (!was_ended && !max_disk)
		verify_each_in_package(v, enter_missing, &r);
	json_array_foreach(json_object_get(v->manifest, "streams"), i,
			   stream) if (!was_ended && max_disk) drop_evicted(&r, stream);
	if (r.n_changes || !was_ended)
		write_manifest(&r);
	else
		log_note("%s: nothing is to be repaired", v->dir);
}
