/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the copies of the newest snapshots under their fixed names: whole by
 * themselves, and those that the manifest tells of.
 */
#include "read/verify_newest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "read/members.h"
#include "read/segments.h"
#include "row/schema.h"

static const struct newest {
	const char *file;
	const char *kind; /* in "snapshots" of the manifest */
	enum stream_id stream;
} newest[] = {
	{ "process_snap.csv", "process", STREAM_process },
	{ "filesystem_snap.csv.gz", "fs", STREAM_filesystem_snapshot },
};

/* The checksum of the segment it was copied from byte for byte, or NULL: there is no such one. */
static const char *sum_of_segment(const struct verify *v, const struct newest *n,
				  const json_t *last)
{
	const json_t *segments = json_object_get(verify_stream(v, streams[n->stream].name),
						 "segments");
	const json_t *entry = json_array_get(segments, json_array_size(segments) - 1);
	const char *file = member_text(entry, "file"), *sum = member_text(entry, "sha256");
	struct segment_name name;
	uint64_t started, first;

	/* a snapshot of several parts, or one that is packed otherwise, has other bytes */
	if (!file || !sum || !sum[0] || packing_of(file) != packing_of(n->file) ||
	    !segment_name_parse(file, &name) || name.n_parts > 1 ||
	    !member_number(last, "started_ns", &started) ||
	    !member_number(entry, "first_ns", &first) || started != first)
		return NULL;
	return sum;
}

static void compare(struct verify *v, const struct newest *n, const json_t *last,
		    const struct scan *scan)
{
	const char *sum = sum_of_segment(v, n, last);
	uint64_t rows;

	if (!member_number(last, "rows", &rows))
		verify_damage(v,
			      "manifest.json: the last snapshot of %s has no valid number of rows",
			      n->kind);
	else if (rows != scan->rows)
		verify_damage(v, "%s: %" PRIu64 " rows, the manifest says %" PRIu64, n->file,
			      scan->rows, rows);
	else if (sum && strcmp(sum, scan->sha256))
		verify_damage(v, "%s: differs from the newest snapshot: SHA-256 %s instead of %s",
			      n->file, scan->sha256, sum);
}

static void check_newest(struct verify *v, const struct newest *n)
{
	const json_t *kind = json_object_get(json_object_get(v->manifest, "snapshots"), n->kind);
	const json_t *last = json_object_get(kind, "last");
	struct scan scan;
	int err = verify_scan_as(v, n->file, (int)n->stream, 0, &scan);

	if (err == -ENOENT && !last)
		return; /* none was taken */
	if (err)
		verify_damage(v, "%s: %s", n->file, segment_why(err));
	else if (scan.trouble != SCAN_OK)
		verify_damage(v, "%s: %s", n->file, scan.why);
	else if (last && v->counted)
		compare(v, n, last, &scan);
}

void verify_newest(struct verify *v)
{
	for (size_t i = 0; i < sizeof(newest) / sizeof(newest[0]); i++)
		check_newest(v, &newest[i]);
}
