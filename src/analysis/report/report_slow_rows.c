/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the slowest operations as rows: calls and page faults, or, where calls were not recorded, requests
 * of devices. What each waited for is that of `iotracer why`, which has
 * the same operations by thread and time.
 */
#include "analysis/report/report_slow_rows.h"

#include <stdlib.h>

#define PART(name, column, ...) { column, TABLE_NS, REPORT_EXACT },
static const struct report_column columns[] = {
	{ "latency_ns", TABLE_NS, REPORT_SHOWN },
	{ "at", TABLE_NAME, REPORT_SHOWN },
	{ "start_ns", TABLE_COUNT, REPORT_EXACT },
	{ "layer", TABLE_NAME, REPORT_EXACT },
	{ "operation", TABLE_NAME, REPORT_SHOWN },
	{ "pid", TABLE_COUNT, REPORT_SHOWN },
	{ "tid", TABLE_COUNT, REPORT_EXACT },
	{ "command", TABLE_NAME, REPORT_SHOWN },
	WHY_EACH_PART(PART){ "filename", TABLE_NAME, REPORT_WIDE },
};

enum {
	N_COLUMNS = sizeof(columns) / sizeof(columns[0]),
	N_SOURCES = 2,
};

struct row {
	const struct report_slow *slow;
	enum stream_id stream;
};

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (report_slow_before(a->slow, b->slow))
		return -1;
	if (report_slow_before(b->slow, a->slow))
		return 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static const struct why_slow *parts_of(const struct why *why, const struct report_slow *slow)
{
	for (uint64_t i = 0; slow->tid && i < why->n_slowest; i++) {
		const struct why_operation *o = &why->slowest[i].operation;

		if (o->who.tid == slow->tid && o->start == slow->mono_ns &&
		    o->latency == slow->latency_ns)
			return &why->slowest[i];
	}
	return NULL;
}

static void put_row(struct report_answer *answer, struct report_section *section,
		    const struct row *from)
{
	const struct report_slow *slow = from->slow;
	const struct why_slow *parts = parts_of(&answer->report->why, slow);
	struct table_value *row = report_section_row(answer, section), *v = row;
	char at[WALL_TEXT_SIZE] = "";

	if (!row)
		return;
	wall_text(&answer->report->wall, slow->mono_ns, at);
	*v++ = table_number(slow->latency_ns);
	*v++ = report_copy(answer, at);
	*v++ = table_number(slow->mono_ns);
	*v++ = table_text(streams[from->stream].name);
	*v++ = table_text(slow->operation);
	*v++ = table_number(slow->pid);
	*v++ = table_number_if(slow->tid, slow->tid);
	*v++ = table_text(slow->command);
	for (unsigned i = 0; i < WHY_PARTS; i++)
		*v++ = table_number_if(parts, parts ? parts->split.ns[i] : 0);
	*v = table_bytes(slow->path ? slow->path : "", slow->path_len);
}

void report_add_slowest(struct report_answer *answer)
{
	struct report_section *section =
		report_section_add(answer, "slowest", "the slowest operations", columns, N_COLUMNS);
	const struct report_stream *all = answer->report->tally.streams;
	const enum stream_id sources[N_SOURCES] = { answer->report->on[STREAM_fs] ? STREAM_fs :
										    STREAM_ds,
						    STREAM_pagefault };
	struct row *rows;
	uint64_t n = 0;

	rows = calloc(N_SOURCES * REPORT_MOST_SLOWEST, sizeof(*rows));
	if (!rows) {
		answer->no_memory = true;
		return;
	}
	for (unsigned i = 0; i < N_SOURCES; i++)
		for (uint64_t j = 0; j < all[sources[i]].slowest.n; j++)
			rows[n++] = (struct row){ &all[sources[i]].slowest.list[j], sources[i] };
	qsort(rows, n, sizeof(*rows), compare);
	/* of one stream no more are known */
	n = n < REPORT_MOST_SLOWEST ? n : REPORT_MOST_SLOWEST;
	for (uint64_t i = 0; i < n && (!answer->top || i < answer->top); i++)
		put_row(answer, section, &rows[i]);
	free(rows);
}
