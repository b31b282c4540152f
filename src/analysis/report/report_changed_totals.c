/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a comparison begins with: the figures of a whole run, whoever they come from. */
#include "analysis/report/report_changed_totals.h"

enum { RUN_TIME = -1, SYNCS = -2 }; /* instead of a series */

static const struct total {
	const char *measure;
	enum table_type type;
	enum stream_id stream; /* that must have been recorded */
	int series;
} totals[] = {
	{ "run_time_ns", TABLE_NS, N_STREAMS, RUN_TIME },
	{ "calls", TABLE_COUNT, STREAM_fs, REPORT_OVER_OPERATIONS },
	{ "read_bytes", TABLE_BYTES, STREAM_fs, REPORT_OVER_READ_BYTES },
	{ "write_bytes", TABLE_BYTES, STREAM_fs, REPORT_OVER_WRITE_BYTES },
	{ "device_read_bytes", TABLE_BYTES, STREAM_ds, REPORT_OVER_READ_BYTES },
	{ "device_write_bytes", TABLE_BYTES, STREAM_ds, REPORT_OVER_WRITE_BYTES },
	{ "received_bytes", TABLE_BYTES, STREAM_nw, REPORT_OVER_READ_BYTES },
	{ "sent_bytes", TABLE_BYTES, STREAM_nw, REPORT_OVER_WRITE_BYTES },
	{ "syncs", TABLE_COUNT, STREAM_fs, SYNCS },
	{ "errors", TABLE_COUNT, STREAM_fs, REPORT_OVER_ERRORS },
	{ "device_errors", TABLE_COUNT, STREAM_ds, REPORT_OVER_ERRORS },
	{ "network_errors", TABLE_COUNT, STREAM_nw, REPORT_OVER_ERRORS },
};

void report_begin_totals(struct report_answer *changes)
{
	static const struct report_column columns[] = {
		{ "measure", TABLE_NAME, REPORT_SHOWN }, { "before", TABLE_EACH, REPORT_SHOWN },
		{ "after", TABLE_EACH, REPORT_SHOWN },   { "change", TABLE_CHANGE, REPORT_SHOWN },
		{ "verdict", TABLE_NAME, REPORT_SHOWN },
	};

	report_section_add(changes, "totals", "the whole of both", columns,
			   sizeof(columns) / sizeof(columns[0]));
}

static void put(struct report_answer *changes, const char *measure, enum table_type type,
		const struct estimate values[2])
{
	struct table_value *row = report_section_row(changes, &changes->sections[0]);

	if (!row)
		return;
	row[0] = table_text(measure);
	for (unsigned t = 0; t < 2; t++) {
		row[1 + t] = table_number_if(values[t].known, (uint64_t)values[t].value);
		row[1 + t].type = (uint8_t)type;
	}
	if (values[0].known && values[1].known)
		row[3] = report_relative_change(values[0].value, values[1].value);
	row[4] = report_verdict_name(report_verdict(&values[0], &values[1]));
}

/* ---- what rows say ---- */

static uint64_t syncs_of(const struct report *r)
{
	const struct report_item *item = NULL;
	uint64_t n = 0;

	while ((item = report_next(&r->tally, REPORT_PROCESS, item)))
		n += item->habits ? item->habits[HABIT_SYNCS] : 0;
	return n;
}

static uint64_t sum_of(const struct report *r, const struct total *total)
{
	uint64_t(*over)[N_REPORT_SERIES] = r->tally.streams[total->stream].over, sum = 0;

	if (total->series == SYNCS)
		return syncs_of(r);
	for (unsigned i = 0; over && i < TIME_BINS; i++)
		sum += over[i][total->series];
	return sum;
}

static struct estimate estimate_of(const struct report_comparison *c, unsigned trace,
				   const struct total *total)
{
	const struct report *r = c->reports[trace];
	const struct report_losses none = { .lost = 0 };
	bool counted = total->type == TABLE_COUNT;

	if (total->series == RUN_TIME)
		return report_summed(&none, r->rows > 0, (double)(r->last_ns - r->first_ns));
	if (!r->on[total->stream] ||
	    (total->series == REPORT_OVER_ERRORS && !report_knows_errors(r, total->stream)))
		return (struct estimate){ .known = false };
	return (counted ? report_counted : report_summed)(&c->losses[trace][total->stream], true,
							  (double)sum_of(r, total));
}

static void put_total(struct report_comparison *c, const struct total *total)
{
	const struct estimate values[2] = { estimate_of(c, 0, total), estimate_of(c, 1, total) };

	if (!values[0].known && !values[1].known)
		return;
	/* no syncs and no errors are worth showing; devices without a request are not */
	if (total->stream != STREAM_fs && values[0].value == 0 && values[1].value == 0)
		return;
	put(c->changes, total->measure, total->type, values);
}

/* ---- what is wrong ---- */

static void put_findings(struct report_comparison *c)
{
	static const struct report_losses none = { .lost = 0 };
	const struct report_section *s = report_section(c->changes, "changed_findings");
	double gone = 0, new = 0;

	for (uint64_t i = 0; i < s->n; i++) {
		gone += table_is(report_cell(s, i, "change"), "gone");
		new += table_is(report_cell(s, i, "change"), "new");
	}
	put(c->changes, "findings_gone", TABLE_COUNT,
	    (const struct estimate[2]){ report_counted(&none, true, gone),
					report_counted(&none, true, 0) });
	put(c->changes, "findings_new", TABLE_COUNT,
	    (const struct estimate[2]){ report_counted(&none, true, 0),
					report_counted(&none, true, new) });
}

void report_add_totals(struct report_comparison *c)
{
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		put_total(c, &totals[i]);
	put_findings(c);
}
