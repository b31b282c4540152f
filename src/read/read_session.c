/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the opening of session directories for readers. What lies there decides
 * which segments are read; the manifest tells what is missing. Changes nothing.
 */
#include "read/read_session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "read/members.h"
#include "write/manifest.h"

/* ---- the manifest ---- */

void read_session_wrong(const struct read_session *s)
{
	__atomic_fetch_add(s->n_wrong, 1, __ATOMIC_RELAXED);
}

bool read_session_whole(const struct read_session *s)
{
	return !__atomic_load_n(s->n_wrong, __ATOMIC_RELAXED);
}

static int check_format(const struct read_session *s)
{
	const char *format = member_text(s->manifest, "format");
	uint64_t version;

	if (!format || strcmp(format, "iotracer")) {
		log_error("%s/" MANIFEST_NAME ": written by another tool, not by iotracer record",
			  s->dir);
		return -EINVAL;
	}
	if (member_number(s->manifest, "schema_version", &version) && version <= SCHEMA_VERSION)
		return 0;
	log_error("%s/" MANIFEST_NAME ": schema %" PRIu64
		  " is unknown, this iotracer reads up to %d: use the version that recorded it",
		  s->dir, version, SCHEMA_VERSION);
	return -EINVAL;
}

static int read_manifest(struct read_session *s)
{
	/* a foreign directory may have a pipe of that name */
	int fd = openat(s->fd, MANIFEST_NAME, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	json_error_t error;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		int err = -errno;

		log_error("%s/" MANIFEST_NAME ": %s", s->dir, strerror(-err));
		return err;
	}
	s->manifest = members_of_file(fd, &error);
	if (s->manifest)
		return check_format(s);
	read_session_wrong(s);
	log_warn("%s/" MANIFEST_NAME ": damaged at line %d (%s): losses and host are not known; "
		 "iotracer verify --repair makes a new one",
		 s->dir, error.line, error.text);
	return 0;
}

static void take_members(struct read_session *s)
{
	const json_t *host = json_object_get(s->manifest, "host");

	s->host = member_text(host, "name");
	s->machine_id = member_text(host, "machine_id");
	s->reason = member_text(s->manifest, "reason");
	s->losses = json_object_get(s->manifest, "lost");
	s->sampling = json_object_get(s->manifest, "sampling");
	s->clocks = json_object_get(s->manifest, "clocks");
}

/* The recorder holds a lock as long as it writes. */
static enum read_state find_state(const struct read_session *s)
{
	uint64_t ended;

	if (member_number(s->manifest, "ended_ns", &ended))
		return READ_ENDED;
	if (flock(s->fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return READ_RECORDING;
	flock(s->fd, LOCK_UN);
	return READ_KILLED;
}

/* The greatest letter is the lowest tier. */
static void take_tiers(struct read_session *s)
{
	const json_t *item, *plan = json_object_get(s->manifest, "plan");
	size_t i;

	json_array_foreach(plan, i, item)
	{
		const char *name = member_text(item, "stream"), *tier = member_text(item, "tier");
		int stream = name ? schema_find(name) : -1;

		if (stream >= 0 && tier && member_text(item, "chosen") &&
		    tier[0] > s->streams[stream].tier)
			s->streams[stream].tier = tier[0];
	}
}

static void take_counts(struct read_stream *stream, const json_t *entry)
{
	stream->on = entry != NULL;
	member_number(entry, "evicted_segments", &stream->evicted_segments);
	member_number(entry, "evicted_rows", &stream->evicted_rows);
	member_number(entry, "unwritable", &stream->unwritable);
}

bool read_is_of(const json_t *item, enum stream_id stream)
{
	const char *name = member_text(item, "stream");

	return name && !strcmp(name, streams[stream].name);
}

uint64_t read_session_rate(const struct read_session *s, enum stream_id stream)
{
	const json_t *item;
	uint64_t rate;
	size_t i;

	json_array_foreach(s->sampling, i, item)
	{
		if (read_is_of(item, stream) && member_number(item, "rate", &rate) && rate > 1)
			return rate;
	}
	return 1;
}

uint64_t read_session_lost(const struct read_session *s, enum stream_id stream)
{
	uint64_t sum = 0, count;
	const json_t *item;
	size_t i;

	json_array_foreach(s->losses, i, item)
	{
		if (read_is_of(item, stream) && member_number(item, "count", &count))
			sum += count;
	}
	return sum;
}

/* ---- segments ---- */

/* Whichever way they are kept. */
static bool same_rows(const struct segment_file *a, const struct segment_file *b)
{
	size_t len = packing_plain_length(a->final);

	return len == packing_plain_length(b->final) && !memcmp(a->final, b->final, len);
}

/*
 * A copy under way is not read: its source is there. Nor is an open file whose closed form is
 * there already. Of two closed ones the first by name is read: the plain one.
 */
static bool is_wanted(const struct segment_file *files, unsigned n, unsigned i)
{
	/* of one number there are so many at most, side by side */
	unsigned beside = 2 * N_PACKINGS - 1, from = i < beside ? 0 : i - beside,
		 to = n - i <= beside ? n : i + beside + 1;

	if (files[i].kind != SEGMENT_CLOSED && files[i].kind != SEGMENT_PART)
		return false;
	for (unsigned j = from; j < to; j++)
		if (j != i && files[j].kind == SEGMENT_CLOSED && same_rows(&files[i], &files[j]) &&
		    (files[i].kind == SEGMENT_PART || j < i))
			return false;
	return true;
}

/* The rows of each segment that the manifest lists, by its file; a new reference. */
static json_t *rows_by_file(const json_t *entry)
{
	const json_t *segment, *segments = json_object_get(entry, "segments");
	json_t *listed = json_object();
	size_t i;

	json_array_foreach(segments, i, segment)
	{
		const char *file = member_text(segment, "file");
		uint64_t rows;

		member_number(segment, "rows", &rows);
		if (file)
			json_object_set_new(listed, file, json_integer((json_int_t)rows));
	}
	return listed;
}

/* The name under which the manifest has it: that of the same rows, compressed or not. NULL: it has none. */
static const char *listed_as(const json_t *listed, const char *file,
			     char other[SEGMENT_NAME_MAX + PACKING_ENDING])
{
	size_t len = packing_plain_length(file);

	if (json_object_get(listed, file))
		return file;
	for (int p = 0; p < N_PACKINGS; p++) {
		snprintf(other, SEGMENT_NAME_MAX + PACKING_ENDING, "%.*s%s", (int)len, file,
			 packings[p].ending);
		if (json_object_get(listed, other))
			return other;
	}
	return NULL;
}

static void take_segment(struct read_session *s, struct read_stream *stream,
			 const struct segment_file *file, json_t *listed)
{
	struct read_segment *segment = &stream->segments[stream->n_segments++];
	char other[SEGMENT_NAME_MAX + PACKING_ENDING];
	const char *name;
	struct stat st;

	memcpy(segment->file, file->path, sizeof(segment->file));
	segment->open = file->kind == SEGMENT_PART;
	if (!below_stat(s->fd, segment->file, &st))
		segment->bytes = (uint64_t)st.st_size;
	/* what is left of the list when all files were taken is what nobody has */
	name = listed_as(listed, segment->file, other);
	segment->listed = name && member_number(listed, name, &segment->rows);
	if (name)
		json_object_del(listed, name);
}

/* ---- what is not of the recording ---- */

/* Numbers are given in order, and segments listed in theirs: the last one that the manifest knows. */
static uint64_t last_number(const json_t *listed)
{
	struct segment_name name;
	uint64_t last = 0;
	const char *file;
	json_t *rows;

	json_object_foreach((json_t *)listed, file, rows)
	{
		if (segment_name_parse(file, &name) && name.number > last)
			last = name.number;
	}
	return last;
}

static bool looks_like_rows(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t len = strlen(name);

	return name[0] != '.' && len > 4 && (!strcmp(name + len - 4, ".csv") || packing_of(name));
}

/*
 * A file that the recorder did not put there, or nobody can tell: a finished manifest lists all
 * of them; that of a killed run, or of one that goes on, all but the youngest.
 */
static bool is_foreign(const struct read_session *s, const struct segment_file *files, unsigned i,
		       const json_t *listed, uint64_t last)
{
	const struct segment_file *file = &files[i];
	char other[SEGMENT_NAME_MAX + PACKING_ENDING];

	if (file->kind == SEGMENT_OTHER)
		return looks_like_rows(file->path);
	if (file->kind == SEGMENT_PART_PACKED || file->kind == SEGMENT_WAITING ||
	    !json_is_array(json_object_get(s->manifest, "streams")) ||
	    listed_as(listed, file->final, other)) /* of a part: its rows are there */
		return false;
	if (s->state == READ_ENDED)
		return true;
	if (!file->name.number)
		return false;
	/* a part that was being closed is listed under its final name */
	if (file->kind == SEGMENT_CLOSED && file->name.number <= last)
		return true;
	/*
	 * a number is given once: a second file that has it, with another time, is not of
	 * this recording
	 */
	return i && files[i - 1].name.number == file->name.number &&
	       strcmp(files[i - 1].name.when, file->name.when) != 0;
}

enum { MOST_NAMED = 5 };

static void leave_out(const struct read_session *s, struct segment_file *file, unsigned *n)
{
	read_session_wrong(s);
	if (++*n <= MOST_NAMED)
		log_warn("%s/%s: not in the manifest: left out", s->dir, file->path);
	file->kind = SEGMENT_OTHER;
}

static void leave_out_foreign(const struct read_session *s, int id, struct segment_file *files,
			      unsigned n, const json_t *listed)
{
	uint64_t last = last_number(listed);
	unsigned n_left = 0;

	for (unsigned i = 0; i < n; i++)
		if (is_foreign(s, files, i, listed, last))
			leave_out(s, &files[i], &n_left);
	if (n_left > MOST_NAMED)
		log_warn("%s: and %u more files of %s", s->dir, n_left - MOST_NAMED,
			 streams[id].name);
}

/* That of a killed run lists, for a second, what was just removed for --max-disk. */
static bool may_be_missing(const struct read_session *s)
{
	uint64_t max_disk;

	return s->state == READ_KILLED &&
	       member_number(json_object_get(s->manifest, "options"), "max_disk", &max_disk) &&
	       max_disk;
}

static int list_stream(struct read_session *s, int id)
{
	struct read_stream *stream = &s->streams[id];
	const json_t *entry = member_named(json_object_get(s->manifest, "streams"),
					   streams[id].name);
	json_t *listed = rows_by_file(entry);
	unsigned n;
	struct segment_file *files = segment_files(s->fd, id, &n);

	if (segments_check(s->dir, files, n)) {
		json_decref(listed);
		free(files);
		return -ENOTSUP;
	}
	leave_out_foreign(s, id, files, n, listed);
	take_counts(stream, entry);
	stream->segments = n ? calloc(n, sizeof(*stream->segments)) : NULL;
	for (unsigned i = 0; stream->segments && i < n; i++)
		if (is_wanted(files, n, i))
			take_segment(s, stream, &files[i], listed);
	free(files);
	stream->on = stream->on || stream->n_segments;
	if (s->state != READ_RECORDING) /* gone since, for --max-disk */
		stream->n_missing = json_object_size(listed);
	json_decref(listed);
	if (stream->n_missing && !may_be_missing(s))
		read_session_wrong(s);
	if (stream->n_missing)
		log_warn("%s: %" PRIu64 " segments of %s are missing: iotracer verify lists them",
			 s->dir, stream->n_missing, streams[id].name);
	if (!n || stream->segments)
		return 0;
	log_error("%s: out of memory", s->dir);
	return -ENOMEM;
}

static int list_streams(struct read_session *s)
{
	bool found = s->manifest != NULL;
	int err = 0;

	for (int i = 0; i < N_STREAMS && !err; i++) {
		err = list_stream(s, i);
		found = found || s->streams[i].n_segments;
	}
	if (err || found)
		return err;
	log_error("%s: not a trace directory: no " MANIFEST_NAME " and no segments; "
		  "name the one that iotracer record -o made",
		  s->dir);
	return -EINVAL;
}

/* ---- sessions ---- */

int read_session_open(struct read_session *s, const char *dir)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->dir = dir;
	s->n_wrong = calloc(1, sizeof(*s->n_wrong));
	if (!s->n_wrong) {
		log_error("%s: out of memory", dir);
		s->dir = NULL;
		return -ENOMEM;
	}
	s->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0) {
		err = -errno;
		log_error("%s: %s", dir, err == -ENOTDIR ? "not a directory" : strerror(-err));
		read_session_close(s);
		return err;
	}
	err = read_manifest(s);
	if (!err) {
		take_members(s);
		s->state = find_state(s);
		take_tiers(s);
		err = list_streams(s);
	}
	if (err)
		read_session_close(s);
	return err;
}

void read_session_close(struct read_session *s)
{
	for (int i = 0; i < N_STREAMS; i++)
		free(s->streams[i].segments);
	json_decref(s->manifest);
	free(s->n_wrong);
	if (s->dir && s->fd >= 0)
		close(s->fd);
	memset(s, 0, sizeof(*s));
}

uint64_t read_session_real_ns(const json_t *clocks, uint64_t mono_ns)
{
	uint64_t mono, real, found = 0;
	const json_t *clock;
	size_t i;

	json_array_foreach(clocks, i, clock)
	{
		/* what is older than all pairs goes by the first one */
		if (member_number(clock, "mono_ns", &mono) &&
		    member_number(clock, "real_ns", &real) && (!i || mono <= mono_ns))
			found = mono_ns + (real - mono);
	}
	return found;
}

uint64_t read_session_page_size(const struct read_session *s)
{
	const json_t *host = json_object_get(s->manifest, "host");
	uint64_t size;

	/* of any architecture: powers of two, 4 to 256 KiB */
	if (member_number(host, "page_size", &size) && size >= 4096 && size <= 262144 &&
	    !(size & (size - 1)))
		return size;
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

void read_host_name(const char *name, const char *machine_id, char host[READ_HOST_SIZE])
{
	if (name && machine_id)
		snprintf(host, READ_HOST_SIZE, "%.64s %.64s", name, machine_id);
	else
		snprintf(host, READ_HOST_SIZE, "%.150s", name ? name : "");
}

void read_session_host(const struct read_session *s, char host[READ_HOST_SIZE])
{
	read_host_name(s->host ? s->host : s->dir, s->host ? s->machine_id : NULL, host);
}
