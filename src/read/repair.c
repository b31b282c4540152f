/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the closing of what a killed run left open: .part files end with their
 * last complete row and get their names, and segments that the manifest does not
 * know yet are entered; rows that waited become one more. Never removes a row that can be read, and leaves alone
 * what it does not understand.
 */
#include "read/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "read/members.h"
#include "read/repair_manifest.h"
#include "read/repair_waiting.h"
#include "row/schema.h"

static void remove_file(struct repair *r, const char *path, const char *why)
{
	int err = below_unlink(r->v->dir_fd, path);

	if (err) {
		if (err != -ENOENT)
			verify_damage(r->v, "%s: cannot remove: %s", path, strerror(-err));
		return;
	}
	if (why)
		log_note("%s/%s: removed: %s", r->v->dir, path, why);
	r->n_changes++;
}

static int cut(const struct verify *v, const char *path, uint64_t size)
{
	int fd = below_open(v->dir_fd, path, O_WRONLY | O_NONBLOCK);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return fd;
	/* what has a second name may be a file of somebody else's, elsewhere */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1)
		err = -EMLINK;
	else if (ftruncate(fd, (off_t)size) || fdatasync(fd))
		err = -errno;
	close(fd);
	return err;
}

/*
 * The part ends with a whole row: under its own name it goes into the manifest. Never over
 * another file: below_rename() would replace it.
 */
static void publish(struct repair *r, const struct segment_file *file, const struct scan *scan)
{
	struct verify *v = r->v;
	int err;

	if (repair_exists(v, file->final)) {
		verify_damage(v, "%s: left as it is: %s exists already", file->path, file->final);
		return;
	}
	err = below_rename(v->dir_fd, file->path, file->final);
	if (err) {
		verify_damage(v, "%s: cannot rename: %s", file->path, strerror(-err));
		return;
	}
	log_note("%s/%s: closed with %" PRIu64 " rows", v->dir, file->final, scan->rows);
	r->n_parts++;
	repair_enter(r, file, file->final, scan);
}

static void close_part(struct repair *r, const struct segment_file *file)
{
	struct verify *v = r->v;
	struct scan scan;
	uint64_t over;
	int err = verify_scan(v, file->path, 0, &scan);

	/* read again after the cut: the checksum of the manifest is that of what is there now */
	if (!err && scan.trouble == SCAN_CUT && scan.rows) {
		over = scan.bytes - scan.good_bytes;
		err = cut(v, file->path, scan.good_bytes);
		if (!err) {
			log_note("%s/%s: %" PRIu64 " bytes of an incomplete row cut off", v->dir,
				 file->path, over);
			r->cut_bytes += over;
			err = verify_scan(v, file->path, 0, &scan);
		}
	}
	if (err)
		verify_damage(v, "%s: %s", file->path, segment_why(err));
	else if (scan.trouble == SCAN_DAMAGED)
		verify_damage(v, "%s: left as it is: %s (%" PRIu64 " rows around it are intact)",
			      file->path, scan.why, scan.rows);
	else if (!scan.rows)
		remove_file(r, file->path, "no complete row in it");
	else
		publish(r, file, &scan);
}

static void adopt(struct repair *r, const struct segment_file *file)
{
	struct scan scan;

	if (json_object_get(r->v->listed, file->path) || verify_scan(r->v, file->path, 0, &scan) ||
	    scan.trouble != SCAN_OK)
		return; /* the checks that follow report it */
	log_note("%s/%s: added to the manifest with %" PRIu64 " rows", r->v->dir, file->path,
		 scan.rows);
	repair_enter(r, file, file->path, &scan);
}

/* Whether there is a whole compressed copy of a plain part; one that is not is made of it again by nobody. */
static bool has_copy(struct repair *r, const struct segment_file *file)
{
	struct scan part, copy;
	char packed[SEGMENT_NAME_MAX + PACKING_ENDING];
	int p = PACKING_NONE;

	do {
		if (++p == N_PACKINGS)
			return false;
		snprintf(packed, sizeof(packed), "%s%s", file->final, packings[p].ending);
	} while (!repair_exists(r->v, packed) || verify_scan(r->v, packed, 0, &copy) ||
		 copy.trouble != SCAN_OK);
	return !verify_scan(r->v, file->path, 0, &part) && part.csv_bytes == copy.csv_bytes &&
	       part.rows == copy.rows;
}

static void repair_file(struct repair *r, const struct segment_file *file, bool has_source)
{
	switch (file->kind) {
	case SEGMENT_CLOSED:
		adopt(r, file);
		break;
	case SEGMENT_PART:
		if (has_copy(r, file))
			remove_file(r, file->path, "its compressed copy is whole");
		else
			close_part(r, file);
		break;
	case SEGMENT_PART_PACKED:
		if (has_source)
			remove_file(r, file->path, "an unfinished copy");
		else
			verify_damage(r->v, "%s: left as it is: its source is missing", file->path);
		break;
	case SEGMENT_WAITING: /* when the segments are closed */
	case SEGMENT_OTHER:
		break;
	}
}

/*
 * A copy under way may go only when its source is there: the part, or the closed file, plain
 * or packed.
 */
static void repair_stream(struct repair *r, int stream)
{
	unsigned n;
	struct segment_file *files = segment_files(r->v->dir_fd, stream, &n);

	for (unsigned i = 0; i < n; i++) {
		bool has_source = false;

		for (unsigned j = 0; files[i].kind == SEGMENT_PART_PACKED && j < n; j++)
			has_source =
				has_source ||
				(files[j].kind == SEGMENT_PART &&
				 !strcmp(files[j].final, files[i].final)) ||
				(files[j].kind == SEGMENT_CLOSED &&
				 !strncmp(files[j].path, files[i].final, strlen(files[i].final)));
		repair_file(r, &files[i], has_source);
	}
	free(files);
}

/* ---- copies ---- */

/* A segment that has its place: by the manifest, or because it would get one. */
struct place {
	char file[SEGMENT_NAME_MAX + 4];
	uint64_t number, rows, csv_bytes;
	char first[SCAN_TIME_SIZE], last[SCAN_TIME_SIZE];
};

struct places {
	struct place *list;
	size_t n;
};

static bool add_place(struct places *places, const struct place *place)
{
	struct place *more = realloc(places->list, (places->n + 1) * sizeof(*more));

	if (!more)
		return false;
	places->list = more;
	more[places->n++] = *place;
	return true;
}

static bool add_listed(const struct verify *v, int stream, struct places *places)
{
	const json_t *entry,
		*segments = json_object_get(verify_stream(v, streams[stream].name), "segments");
	bool ok = true;
	size_t i;

	json_array_foreach(segments, i, entry)
	{
		const char *file = member_text(entry, "file"), *first = member_text(entry, "first");
		const char *last = member_text(entry, "last");
		struct place place = { .number = 0 };
		struct segment_name name;

		if (!file || !segment_name_parse(file, &name))
			continue;
		place.number = name.number;
		member_number(entry, "rows", &place.rows);
		member_number(entry, "csv_bytes", &place.csv_bytes);
		snprintf(place.file, sizeof(place.file), "%s", file);
		snprintf(place.first, sizeof(place.first), "%s", first ? first : "");
		snprintf(place.last, sizeof(place.last), "%s", last ? last : "");
		ok = ok && add_place(places, &place);
	}
	return ok;
}

/* One and the same, compressed or not, or about to be. */
static bool same_name(const char *a, const char *b)
{
	size_t n = packing_plain_length(a);

	return n == packing_plain_length(b) && !memcmp(a, b, n);
}

static const char *why_copy(const struct place *a, const struct place *b)
{
	if (same_name(a->file, b->file))
		return NULL;
	if (a->number && a->number == b->number)
		return "the number";
	if (a->rows && a->rows == b->rows && a->csv_bytes == b->csv_bytes && a->first[0] &&
	    !strcmp(a->first, b->first) && !strcmp(a->last, b->last))
		return "the rows";
	return NULL;
}

/* Whether the file has the number or the rows of another. */
static bool is_copy(struct repair *r, const struct segment_file *file, struct places *places)
{
	struct place place = { .number = file->name.number };
	struct scan scan;

	if (verify_scan(r->v, file->path, 0, &scan))
		return false; /* what follows reports it */
	place.rows = scan.rows;
	place.csv_bytes = scan.csv_bytes;
	snprintf(place.file, sizeof(place.file), "%s", file->final);
	snprintf(place.first, sizeof(place.first), "%s", scan.first);
	snprintf(place.last, sizeof(place.last), "%s", scan.last);
	for (size_t i = 0; i < places->n; i++) {
		const char *what = why_copy(&place, &places->list[i]);

		if (!what)
			continue;
		verify_damage(r->v, "%s: a copy, with %s of %s: remove one of them, then repair",
			      file->path, what, places->list[i].file);
		return true;
	}
	if (!add_place(places, &place))
		verify_damage(r->v, "%s: %s", file->path, strerror(ENOMEM));
	return false;
}

/*
 * Before anything is changed: rows that were entered twice cannot be told apart afterwards, and
 * the manifest that said which were there first would be gone.
 */
static bool has_copies(struct repair *r)
{
	bool found = false;

	for (int stream = 0; stream < N_STREAMS; stream++) {
		struct places places = { .list = NULL };
		unsigned n;
		struct segment_file *files = segment_files(r->v->dir_fd, stream, &n);

		if (!add_listed(r->v, stream, &places))
			verify_damage(r->v, "%s: %s", streams[stream].name, strerror(ENOMEM));
		for (unsigned i = 0; i < n; i++)
			if ((files[i].kind == SEGMENT_CLOSED || files[i].kind == SEGMENT_PART) &&
			    !json_object_get(r->v->listed, files[i].path))
				found = is_copy(r, &files[i], &places) || found;
		free(files);
		free(places.list);
	}
	return found;
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
		if (repair_exists(r->v, names[i]))
			remove_file(r, names[i], NULL);
}

void repair_directory(struct verify *v)
{
	struct repair r = { .v = v };

	if (repair_manifest_open(&r))
		return;
	if (has_copies(&r)) {
		repair_manifest_keep(&r);
		return;
	}
	remove_leftovers(&r); /* first: it makes room */
	for (int stream = 0; stream < N_STREAMS; stream++) {
		repair_stream(&r, stream);
		repair_waiting(&r, stream);
	}
	repair_manifest_close(&r);
}
