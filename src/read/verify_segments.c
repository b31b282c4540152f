/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the comparison of a stream in the manifest with its files: each segment
 * by itself, and all of them as a sequence.
 */
#include "read/verify_segments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "read/members.h"
#include "read/segments.h"

enum {
	ZONE_STEP_US = 900 * 1000000 /* time zones differ by quarters of an hour */
};

/* A stream while its segments go by. */
struct sequence {
	const char *name;
	uint64_t rows;
	uint64_t n_segments;
	struct segment_name last; /* segment */
	uint64_t high_ns;
	uint64_t disorder;
	bool whole; /* each segment could be read */
};

/* ---- times ---- */

static bool parse_time(const char *text, int64_t *us)
{
	struct tm tm = { 0 };
	int fraction, n = 0;

	if (sscanf(text, "%4d-%2d-%2d %2d:%2d:%2d.%6d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &fraction, &n) != 7 ||
	    n != SCAN_TIME_SIZE - 1 || text[n])
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*us = (int64_t)timegm(&tm) * 1000000 + fraction;
	return true;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* found: in the rows; "first" or "last", and the same with _ns, in the manifest */
static void check_time(struct verify *v, const char *file, const json_t *entry, const char *name,
		       const char *found)
{
	const char *told = member_text(entry, name);
	int64_t told_us = 0, found_us = 0;
	char name_ns[16];
	uint64_t ns, beside;

	snprintf(name_ns, sizeof(name_ns), "%s_ns", name);
	if (!told || !parse_time(told, &told_us) || !member_number(entry, name_ns, &ns)) {
		verify_damage(v, "%s: the manifest has no valid %s or %s", file, name, name_ns);
		return;
	}
	if (!found[0] || !parse_time(found, &found_us))
		return;
	if (distance(told_us, found_us) > v->slack_us)
		verify_damage(v, "%s: its %s row has time %s, the manifest says %s", file, name,
			      found, told);
	/* a local time of the recorder's zone, which nobody knows here, against one of UTC */
	beside = distance(told_us, (int64_t)(ns / 1000)) % ZONE_STEP_US;
	if (beside > v->slack_us && ZONE_STEP_US - beside > v->slack_us)
		verify_damage(v, "%s: the manifest's %s and %s are different times", file, name,
			      name_ns);
}

/* ---- a segment ---- */

static void check_number(struct verify *v, const char *file, const json_t *entry, const char *name,
			 uint64_t found)
{
	uint64_t told;

	if (!member_number(entry, name, &told))
		verify_damage(v, "%s: the manifest has no valid %s", file, name);
	else if (told != found)
		verify_damage(v, "%s: %" PRIu64 " %s, the manifest says %" PRIu64, file, found,
			      name, told);
}

static void compare(struct verify *v, const char *file, const json_t *entry,
		    const struct scan *scan)
{
	const char *sum = member_text(entry, "sha256");

	if (scan->trouble != SCAN_OK)
		verify_damage(v, "%s: %s", file, scan->why);
	check_number(v, file, entry, "bytes", scan->bytes);
	check_number(v, file, entry, "rows", scan->rows);
	/* of damaged compression the rest is not known */
	if (scan->trouble == SCAN_OK)
		check_number(v, file, entry, "csv_bytes", scan->csv_bytes);
	/* without memory for one the writer leaves it empty, and says so */
	if (!sum || (sum[0] && strcmp(sum, scan->sha256)))
		verify_damage(v,
			      "%s: changed since it was written: SHA-256 %s, the manifest says %s",
			      file, scan->sha256, sum ? sum : "nothing");
	if (scan->trouble == SCAN_OK) {
		check_time(v, file, entry, "first", scan->first);
		check_time(v, file, entry, "last", scan->last);
	}
}

static void check_segment(struct verify *v, const json_t *entry, struct sequence *sequence)
{
	const char *file = member_text(entry, "file");
	const json_t *compressed = json_object_get(entry, "compressed");
	struct scan scan;
	int err;

	if (!file || !segment_is_below(file)) {
		verify_damage(v, "manifest.json: segment %" PRIu64 " of %s has no valid file name",
			      sequence->n_segments + 1, sequence->name);
		return;
	}
	if (json_object_get(v->listed, file))
		verify_damage(v, "%s: listed twice", file);
	json_object_set_new(v->listed, file, json_true());
	if (!json_is_boolean(compressed) ||
	    json_is_true(compressed) != (packing_of(file) != PACKING_NONE))
		verify_damage(v, "%s: the manifest's compressed is wrong", file);
	err = verify_scan(v, file, sequence->high_ns, &scan);
	if (err == -ENOENT && v->recording)
		return; /* gone since, for --max-disk */
	if (err) {
		sequence->whole = false;
		verify_damage(v, "%s: %s", file, segment_why(err));
		return;
	}
	compare(v, file, entry, &scan);
	sequence->high_ns = scan.last_ns > sequence->high_ns ? scan.last_ns : sequence->high_ns;
	sequence->disorder += scan.disorder;
	verify_count(v, &scan);
}

/* ---- the sequence ---- */

/* Snapshots have parts from 1 to the one whose name says how many there are. */
static bool follows(const struct segment_name *before, const struct segment_name *name)
{
	if (name->n_parts && name->n_parts != name->part)
		return false;
	return name->part == 1 ? !before->part || before->n_parts : name->part == before->part + 1;
}

static void check_order(struct verify *v, const json_t *entry, bool evicted,
			struct sequence *sequence)
{
	const char *file = member_text(entry, "file");
	struct segment_name name;
	uint64_t rows;

	member_number(entry, "rows", &rows);
	sequence->rows += rows;
	sequence->n_segments++;
	if (!file)
		return;
	if (!segment_name_parse(file, &name)) {
		verify_damage(v, "%s: not a segment name", file);
		return;
	}
	if (name.part && !follows(&sequence->last, &name) &&
	    !(evicted && sequence->n_segments == 1))
		verify_damage(v, "%s: parts of the snapshot before it are not in the manifest",
			      file);
	if (!name.part && name.number <= sequence->last.number)
		verify_damage(v, "%s: listed out of order in the manifest, after number %" PRIu64,
			      file, sequence->last.number);
	sequence->last = name;
}

/* Numbers are given in order; one that is nowhere is a segment that went without being counted. */
static void check_count(struct verify *v, const json_t *stream, const struct sequence *sequence)
{
	uint64_t rows, evicted, evicted_rows, unwritable;

	if (!member_number(stream, "rows", &rows) ||
	    !member_number(stream, "evicted_segments", &evicted) ||
	    !member_number(stream, "evicted_rows", &evicted_rows) ||
	    !member_number(stream, "unwritable", &unwritable)) {
		verify_damage(v, "manifest.json: the counts of %s are not valid", sequence->name);
		return;
	}
	if (unwritable)
		verify_print(v, "%" PRIu64 " rows of %s could not be written", unwritable,
			     sequence->name);
	if (evicted)
		verify_print(v,
			     "%" PRIu64 " segments of %s, %" PRIu64
			     " rows, were removed to keep to --max-disk",
			     evicted, sequence->name, evicted_rows);
	if (!v->ended)
		return; /* counts of rows that were still open */
	if (rows != sequence->rows)
		verify_damage(v,
			      "manifest.json: %" PRIu64 " rows of %s, its segments have %" PRIu64,
			      rows, sequence->name, sequence->rows);
	/* the number of a segment that could not be written is used up */
	if (!unwritable && sequence->last.number > sequence->n_segments + evicted)
		verify_damage(v,
			      "manifest.json: the last segment of %s is number %" PRIu64
			      ", but only %" PRIu64 " are accounted for",
			      sequence->name, sequence->last.number,
			      sequence->n_segments + evicted);
}

/* Rows leave in time order; the tracer counts those that came too late for it. */
static void check_disorder(struct verify *v, const struct sequence *sequence)
{
	const json_t *late = json_object_get(json_object_get(v->manifest, "reader"), "late");
	uint64_t count;

	member_number(late, sequence->name, &count);
	if (v->counted && late && sequence->whole && sequence->disorder > count)
		verify_damage(v,
			      "manifest.json: %" PRIu64
			      " rows of %s written out of time order, the manifest says %" PRIu64,
			      sequence->disorder, sequence->name, count);
}

static void check_stream(struct verify *v, const json_t *stream)
{
	struct sequence sequence = { .name = member_text(stream, "name"), .whole = true };
	const json_t *entry, *segments = json_object_get(stream, "segments");
	uint64_t evicted;
	size_t i;

	if (!sequence.name || !json_is_array(segments)) {
		verify_damage(v, "manifest.json: a stream has no name or no list of segments");
		return;
	}
	member_number(stream, "evicted_segments", &evicted);
	json_array_foreach(segments, i, entry)
	{
		check_segment(v, entry, &sequence);
		check_order(v, entry, evicted > 0, &sequence);
	}
	check_count(v, stream, &sequence);
	check_disorder(v, &sequence);
}

void verify_streams(struct verify *v)
{
	const json_t *stream, *list = json_object_get(v->manifest, "streams");
	size_t i;

	if (!json_is_array(list)) {
		verify_damage(v, "manifest.json: no list of streams");
		return;
	}
	json_array_foreach(list, i, stream) check_stream(v, stream);
}
