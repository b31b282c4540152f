/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is said in words: of the trace, of what it lacks, and of what was found in it. */
#include "analysis/report/report_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/units.h"
#include "analysis/report/report_finding.h"
#include "analysis/report/report_memory.h"
#include "base/clock.h"
#include "read/members.h"

enum { WORDS_SIZE = 1024 };

/* ---- the trace ---- */

static void add_pair(struct report_answer *answer, const char *name, const char *text)
{
	if (text && *text)
		report_say(answer, name, "%s", text);
}

static void add_printed(struct report_answer *answer, const char *name, const json_t *json,
			bool (*print)(FILE *, const char *, const json_t *))
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (words && print(words, "", json) && !fflush(words))
		add_pair(answer, name, text);
	if (words)
		fclose(words);
	free(text);
}

static void add_time(struct report_answer *answer, const char *name, uint64_t ns)
{
	char text[WALL_TEXT_SIZE];

	if (answer->report->rows && wall_text(&answer->report->wall, ns, text))
		add_pair(answer, name, text);
}

static void add_streams(struct report_answer *answer)
{
	const struct report *r = answer->report;
	char on[WORDS_SIZE] = "";
	size_t n = 0;

	for (unsigned i = 0; i < N_EVENT_STREAMS; i++)
		if (r->on[i] && n < sizeof(on))
			n += (size_t)snprintf(on + n, sizeof(on) - n, "%s%s", n ? " " : "",
					      streams[i].name);
	add_pair(answer, "streams", on);
	report_say(answer, "rows", "%" PRIu64, r->rows);
	if (r->rows)
		report_say(answer, "seconds", "%.3f",
			   (double)(r->last_ns - r->first_ns) / (double)NS_PER_S);
}

void report_add_trace(struct report_answer *answer)
{
	static const char *const states[] = {
		[READ_ENDED] = "ended", [READ_RECORDING] = "recording", [READ_KILLED] = "killed"
	};
	const struct report *r = answer->report;
	const json_t *m = r->session.manifest, *host = json_object_get(m, "host");

	report_pairs_add(answer, "trace", "what was traced", "value");
	add_pair(answer, "directory", r->session.dir);
	add_printed(answer, "command", m, gaps_print_command);
	add_printed(answer, "recorded_only", json_object_get(m, "filters"), gaps_print_filters);
	add_pair(answer, "host", r->session.host);
	add_pair(answer, "machine_id", r->session.machine_id);
	add_pair(answer, "kernel", member_text(host, "kernel_release"));
	add_pair(answer, "machine", member_text(host, "machine"));
	add_pair(answer, "tool", member_text(json_object_get(m, "tool"), "version"));
	add_pair(answer, "state", states[r->session.state]);
	add_pair(answer, "started", member_text(m, "started"));
	add_pair(answer, "ended", member_text(m, "ended"));
	add_streams(answer);
	add_time(answer, "first", r->first_ns);
	add_time(answer, "last", r->last_ns);
}

/* Of what was traced; NULL: it is not known. */
static const struct table_value *pair_of(const struct report_answer *answer, const char *name)
{
	const struct report_section *trace = report_section(answer, "trace");

	for (uint64_t i = 0; i < trace->n; i++)
		if (table_is(&trace->rows[2 * i], name))
			return &trace->rows[2 * i + 1];
	return NULL;
}

/* ---- what it lacks ---- */

void report_lack(struct report_answer *answer, const char *stream, const char *kind,
		 const uint64_t *count, const char *text)
{
	struct report_section *section = answer->sections;
	struct table_value *row;

	/* the section is there: report_add_missing() comes before all that lack something */
	while (strcmp(section->name, "missing") != 0)
		section++;
	row = report_section_row(answer, section);
	if (!row)
		return;
	row[0] = report_copy(answer, stream);
	row[1] = report_copy(answer, kind);
	row[2] = table_number_if(count, count ? *count : 0);
	row[3] = report_copy(answer, text);
}

static void add_losses(struct report_answer *answer, const char *stream, const json_t *json)
{
	const json_t *item, *list = json_object_get(json, "lost");
	uint64_t count;
	size_t i;

	if (!json_is_array(list))
		report_lack(answer, stream, "lost", NULL,
			    "events lost: unknown (not in the manifest)");
	json_array_foreach(list, i, item) if (member_number(item, "count", &count) && count)
		report_lack(answer, stream, "lost", &count, member_text(item, "reason"));
	list = json_object_get(json, "sampling");
	json_array_foreach(list, i, item) if (member_number(item, "rate", &count) && count > 1)
		report_lack(answer, stream, "sampled", &count,
			    strcmp(stream, "iouring") ? "one of so many events was recorded" :
							"one of so many requests was recorded");
}

/* What --budget left out; rows count for those that it did. */
static void add_budget(struct report_answer *answer, const char *stream, const json_t *json)
{
	const json_t *item = json_object_get(json, "budget");
	const json_t *share = json_object_get(item, "share_error_points");
	uint64_t count = 0, factor = 0, alone = 0;
	char text[WORDS_SIZE], without[64] = "", error[128] = "";

	if (!json_is_object(item))
		return;
	member_number(item, "count", &count);
	member_number(item, "largest_factor", &factor);
	member_number(item, "not_represented", &alone);
	if (alone)
		snprintf(without, sizeof(without), ", which does not stand for %" PRIu64 " of them",
			 alone);
	if (share)
		snprintf(error, sizeof(error),
			 "; standard error %.1f points of a share of calls, %.1f%% of all bytes",
			 json_number_value(share),
			 json_number_value(json_object_get(item, "bytes_error_percent")));
	snprintf(text, sizeof(text),
		 "events have no row (--budget; one of up to %" PRIu64
		 " was kept%s): all but figures of single files are estimates%s%s",
		 factor, without, error,
		 report_judges(answer->report, (enum stream_id)schema_find(stream)) ?
			 "" :
			 "; no findings on it");
	report_lack(answer, stream, "budget", &count, text);
}

static void add_counts(struct report_answer *answer, const char *stream, const json_t *json)
{
	static const struct {
		const char *member;
		const char *text;
	} counts[] = {
		{ "damaged_rows", "rows are damaged and left out" },
		{ "unreadable_segments", "segments could not be read to their end" },
		{ "missing_segments", "segments are missing" },
		{ "evicted_segments", "segments were removed to keep to --max-disk" },
		{ "evicted_rows", "rows were in these" },
		{ "unwritable_rows", "rows could not be written: the disk was full, or failed" },
	};
	uint64_t n;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (member_number(json, counts[i].member, &n) && n)
			report_lack(answer, stream, counts[i].member, &n, counts[i].text);
}

static void add_texts(struct report_answer *answer, const char *stream, const json_t *json)
{
	static const char *const lists[] = { "cannot_see", "not_recorded" };
	const char *tier = member_text(json, "tier"), *name;
	json_t *item, *object = json_object_get(json, "missing_columns");
	char text[WORDS_SIZE];
	size_t i;

	if (tier)
		report_lack(answer, stream, "tier", NULL, tier);
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
		json_array_foreach(json_object_get(json, lists[l]), i, item)
			report_lack(answer, stream, lists[l], NULL, json_string_value(item));
	json_object_foreach(object, name, item)
	{
		snprintf(text, sizeof(text), "%s: %s", name, json_string_value(item));
		report_lack(answer, stream, "missing_column", NULL, text);
	}
}

static void add_session(struct report_answer *answer)
{
	const struct report *r = answer->report;
	const struct table_value *filters = pair_of(answer, "recorded_only");
	uint64_t unreadable = r->unreadable;

	if (r->session.state == READ_RECORDING)
		report_lack(answer, NULL, "recording", NULL,
			    "still being recorded: there will be more");
	if (r->session.state == READ_KILLED)
		report_lack(answer, NULL, "killed", NULL,
			    "the recorder was killed: its last rows may be missing");
	if (r->session.reason)
		report_lack(answer, NULL, "ended_early", NULL, r->session.reason);
	for (unsigned i = 0; i < N_STREAMS; i++)
		unreadable -= r->gaps[i].totals.unreadable;
	if (unreadable)
		report_lack(answer, NULL, "unreadable_segments", &unreadable,
			    "segments could not be opened");
	if (filters)
		report_lack(answer, NULL, "recorded_only", NULL, filters->text);
}

void report_add_missing(struct report_answer *answer)
{
	static const struct report_column columns[] = { { "stream", TABLE_NAME, REPORT_SHOWN },
							{ "kind", TABLE_NAME, REPORT_SHOWN },
							{ "count", TABLE_COUNT, REPORT_SHOWN },
							{ "text", TABLE_NAME, REPORT_WIDE } };
	const struct report *r = answer->report;

	report_section_add(answer, "missing", "what is missing", columns, 4);
	add_session(answer);
	for (unsigned i = 0; i < N_EVENT_STREAMS; i++) {
		json_t *json = r->on[i] ? gaps_json(&r->gaps[i]) : NULL;

		if (json) {
			add_losses(answer, streams[i].name, json);
			add_budget(answer, streams[i].name, json);
			add_counts(answer, streams[i].name, json);
			add_texts(answer, streams[i].name, json);
			json_decref(json);
		} else if (!r->session.streams[i].on &&
			   !schema_has((enum stream_id)i, ALWAYS_RECORDED)) {
			report_lack(answer, streams[i].name, "stream", NULL, "was not recorded");
		}
	}
}

/* ---- what was found ---- */

static void say_busiest(struct report_answer *answer)
{
	const struct report_section *files = report_section(answer, "files");
	const struct table_value *name;
	char read[UNITS_SIZE], written[UNITS_SIZE];
	uint64_t bytes[2];

	if (!files->n)
		return;
	name = report_cell(files, 0, "filename");
	bytes[0] = report_cell(files, 0, "read_bytes")->u;
	bytes[1] = report_cell(files, 0, "write_bytes")->u;
	if (bytes[0] + bytes[1])
		report_say(answer, "busiest_file", "%s read and %s written: %.*s",
			   units_bytes(read, bytes[0]), units_bytes(written, bytes[1]),
			   (int)name->len, name->text);
}

/* Of the first of these streams that has one: what programs waited for, before what devices did. */
static void say_slowest(struct report_answer *answer)
{
	static const enum stream_id order[] = { STREAM_fs, STREAM_ds, STREAM_pagefault };
	const struct report *r = answer->report;
	char latency[UNITS_SIZE], when[WALL_TEXT_SIZE] = "";

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const struct report_slow *s =
			report_slowest_first(&r->tally.streams[order[i]].slowest);

		if (!s)
			continue;
		wall_text(&r->wall, s->mono_ns, when);
		report_say(answer, "slowest_operation",
			   "%s: %s of %s by %s (%" PRIu64 ")%s%.12s%s%.*s",
			   units_ns(latency, s->latency_ns), s->operation, streams[order[i]].name,
			   s->command, s->pid, when[0] ? " at " : "", when[0] ? when + 11 : "",
			   s->path_len ? ": " : "", (int)(s->path_len < 255 ? s->path_len : 255),
			   s->path ? s->path : "");
		return;
	}
}

static void say_amplification(struct report_answer *answer)
{
	const struct report_section *section = report_section(answer, "amplification");
	const struct table_value *read, *write;
	char texts[2][16] = { "-", "-" }, size[UNITS_SIZE];
	struct report_memory m;

	if (!section->n)
		return;
	if (thinning_is_on(&answer->report->session)) {
		report_say(
			answer, "amplification",
			"rows of calls and of requests were left out, each for itself (--budget): iotracer amp has all of both");
		return;
	}
	if (gaps_rows_chosen_apart(answer->report->session.manifest)) {
		report_say(
			answer, "amplification",
			"not known: calls and requests were recorded by what each was (--operation, --errors, --min-latency)");
		return;
	}
	read = report_cell(section, 0, "byte_amp");
	write = report_cell(section, 1, "byte_amp");
	if (read->known)
		snprintf(texts[0], sizeof(texts[0]), "%.2f", (double)read->u / 1e6);
	if (write->known)
		snprintf(texts[1], sizeof(texts[1]), "%.2f", (double)write->u / 1e6);
	/* a tenth that is still in memory makes the number for writes too low */
	if (report_memory(answer->report, &m) && m.waiting && m.waiting >= m.written / 10) {
		report_say(
			answer, "amplification",
			"devices read %s bytes for each byte that applications read; up to %s of what was "
			"written had not reached them in the end",
			texts[0], units_bytes(size, m.waiting));
		return;
	}
	report_say(
		answer, "amplification",
		"devices read %s bytes for each byte that applications read, and wrote %s for each they wrote",
		texts[0], texts[1]);
}

static void say_network(struct report_answer *answer)
{
	const struct report *r = answer->report;
	const struct report_key key = { REPORT_OPERATION, STREAM_nw_drop, 0, "TCP_RETRANSMIT", 14 };
	const struct report_item *item;

	if (!r->on[STREAM_nw_drop] || !report_sees(r, STREAM_nw_drop, "TCP_RETRANSMIT"))
		return;
	item = report_find(&r->tally, &key);
	report_say(answer, "retransmissions", "TCP sent %" PRIu64 " segments again",
		   item ? item->values[REPORT_COUNT] : 0);
}

static void say_memory(struct report_answer *answer)
{
	char all[UNITS_SIZE], came[UNITS_SIZE], unnamed[UNITS_SIZE];
	struct report_memory m;
	double share;
	bool vague;

	if (!report_memory(answer->report, &m) || !m.asked)
		return;
	share = 100.0 * (double)m.came / (double)m.asked;
	/* what devices read for nobody known may be of these files: below a hundredth it changes little */
	vague = m.unnamed > m.asked / 100 && m.came < m.asked;
	report_say(
		answer, "memory",
		"of %s that applications read, %s (%.1f %%) came from devices; %.1f %% was in memory%s%s%s",
		units_bytes(all, m.asked), units_bytes(came, m.came), share, 100.0 - share,
		vague ? ", but for which file devices read " : "",
		vague ? units_bytes(unnamed, m.unnamed) : "", vague ? " is not known" : "");
}

static void say_missing(struct report_answer *answer)
{
	const struct report_section *missing = report_section(answer, "missing");
	uint64_t lost = 0, others = 0;

	for (uint64_t i = 0; i < missing->n; i++) {
		const struct table_value *kind = report_cell(missing, i, "kind");
		const struct table_value *count = report_cell(missing, i, "count");

		if (table_is(kind, "lost") && count->known)
			lost += count->u;
		else if (!table_is(kind, "tier"))
			others++;
	}
	if (lost)
		report_say(answer, "missing",
			   "%" PRIu64 " events were lost, and %" PRIu64
			   " remarks on what cannot be seen",
			   lost, others);
	else
		report_say(answer, "missing",
			   "no lost event is known of, but %" PRIu64
			   " remarks on what cannot be seen",
			   others);
}

void report_add_words(struct report_answer *answer)
{
	report_pairs_add(answer, "answers", "in short", "text");
	say_busiest(answer);
	say_slowest(answer);
	say_amplification(answer);
	say_memory(answer);
	say_network(answer);
	say_missing(answer);
}
