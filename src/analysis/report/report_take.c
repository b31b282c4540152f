/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what rows of any stream are counted for: their operation, their process. */
#include "analysis/report/report_take.h"

#include "analysis/report/report_choice.h"
#include "analysis/report/report_fields.h"
#include "row/row_words.h"

void report_add(struct report_item *item, enum report_measure measure, uint64_t n)
{
	if (item)
		item->values[measure] += n;
}

uint64_t report_label_time(const struct field *f, const struct field *tid)
{
	uint64_t ns = f[REPORT_MONO].u;

	return tid && tid->known && tid->u != f[REPORT_PID].u ? ns >> 20 : ns;
}

struct report_item *report_process(struct report_tally *tally, enum stream_id stream,
				   const struct field *f)
{
	const struct report_caller caller = report_caller(stream, f);
	const struct report_key key = { .kind = REPORT_PROCESS, .number = caller.pid->u };
	struct report_item *item = caller.pid->known ? report_item(tally, &key) : NULL;

	/* a journal names whose changes it has, long after they were made */
	if (item && (stream != STREAM_ds || f[DS_CAUSE].u != CAUSE_JOURNAL || !f[DS_CAUSE].known))
		item->values[REPORT_ACTS]++;
	if (item)
		report_item_label(tally, item, caller.command->text, caller.command->len,
				  report_label_time(f, stream == STREAM_fs        ? &f[FS_TID] :
						       stream == STREAM_pagefault ? &f[FAULT_TID] :
										    NULL));
	return item;
}

void report_note_slow(struct report_tally *tally, enum stream_id stream, const struct field *f,
		      const struct report_slow *slow, const struct field *operation,
		      const struct field *path)
{
	if (!report_slowest_note(&tally->streams[stream].slowest, slow, operation,
				 &f[REPORT_COMMAND], path))
		tally->no_memory = true;
}

struct report_item *report_operation(struct report_tally *tally, enum stream_id stream,
				     const struct field *f, const struct field *name,
				     const struct field *latency, bool failed, uint64_t *over)
{
	const struct report_key key = { REPORT_OPERATION, stream, 0, name->text, name->len };
	struct report_item *item = report_item(tally, &key);

	over[REPORT_OVER_OPERATIONS]++;
	over[REPORT_OVER_ERRORS] += failed;
	if (!item)
		return NULL;
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += failed;
	if (latency && latency->known) {
		report_item_time(item, latency->u);
		report_item_latency(tally, item, latency->u);
		report_item_heat(tally, item, f[REPORT_MONO].u, latency->u);
	}
	return item;
}

void report_move_over(uint64_t *over, bool reads, bool writes, uint64_t bytes)
{
	over[REPORT_OVER_READ_BYTES] += reads ? bytes : 0;
	over[REPORT_OVER_WRITE_BYTES] += writes ? bytes : 0;
}

void report_move_bytes(struct report_item *operation, bool reads, bool writes, uint64_t bytes)
{
	report_add(operation, REPORT_READ_BYTES, reads ? bytes : 0);
	report_add(operation, REPORT_WRITE_BYTES, writes ? bytes : 0);
	if (operation) {
		operation->read_known = operation->read_known || reads;
		operation->write_known = operation->write_known || writes;
	}
}
