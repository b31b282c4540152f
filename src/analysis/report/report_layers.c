/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sections about layers: their totals, what they are over time, and how slow. */
#include "analysis/report/report_layers.h"

#include <stdlib.h>
#include <string.h>

#define N_OF(list) (sizeof(list) / sizeof(list[0]))

static struct table_value layer_name(enum stream_id stream)
{
	return table_text(streams[stream].name);
}

/* Whether rows of the stream move bytes. */
static bool moves_bytes(enum stream_id stream)
{
	return stream == STREAM_fs || stream == STREAM_ds || stream == STREAM_nw ||
	       stream == STREAM_iouring;
}

static void total_of(const struct report *report, enum stream_id stream,
		     uint64_t total[N_REPORT_SERIES], uint64_t *peak)
{
	uint64_t(*over)[N_REPORT_SERIES] = report->tally.streams[stream].over;

	memset(total, 0, N_REPORT_SERIES * sizeof(*total));
	*peak = 0;
	for (unsigned i = 0; over && i < TIME_BINS; i++) {
		for (unsigned j = 0; j < N_REPORT_SERIES; j++)
			total[j] += over[i][j];
		if (over[i][REPORT_OVER_OPERATIONS] > *peak)
			*peak = over[i][REPORT_OVER_OPERATIONS];
	}
}

static void add_amplification(struct report_answer *answer)
{
	static const struct report_column columns[] = {
		{ "direction", TABLE_NAME, REPORT_SHOWN },
		{ "application_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "device_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "byte_amp", TABLE_RATIO, REPORT_SHOWN },
	};
	const struct report *report = answer->report;
	struct report_section *section =
		report_section_add(answer, "amplification",
				   "device bytes for each byte that applications moved", columns,
				   N_OF(columns));
	uint64_t fs[N_REPORT_SERIES], ds[N_REPORT_SERIES], peak;

	if (!report->on[STREAM_fs] || !report->on[STREAM_ds])
		return;
	total_of(report, STREAM_fs, fs, &peak);
	total_of(report, STREAM_ds, ds, &peak);
	for (unsigned i = 0; i < 2; i++) {
		unsigned bytes = i ? REPORT_OVER_WRITE_BYTES : REPORT_OVER_READ_BYTES;
		struct table_value *row = report_section_row(answer, section);

		if (!row)
			return;
		row[0] = table_bytes(i ? "write" : "read", i ? 5 : 4);
		row[1] = table_number(fs[bytes]);
		row[2] = table_number(ds[bytes]);
		if (!gaps_rows_chosen_apart(report->session.manifest))
			row[3] = table_share(ds[bytes], fs[bytes]);
	}
}

void report_add_layers(struct report_answer *answer)
{
	static const struct report_column columns[] = {
		{ "layer", TABLE_NAME, REPORT_SHOWN },
		{ "rows", TABLE_COUNT, REPORT_SHOWN },
		{ "operations", TABLE_COUNT, REPORT_EXACT },
		{ "errors", TABLE_COUNT, REPORT_SHOWN },
		{ "read_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "write_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "per_s", TABLE_COUNT, REPORT_SHOWN },
		{ "peak_per_s", TABLE_COUNT, REPORT_SHOWN },
		{ "read_bytes_per_s", TABLE_BYTES, REPORT_EXACT },
		{ "write_bytes_per_s", TABLE_BYTES, REPORT_EXACT },
	};
	const struct report *report = answer->report;
	double seconds = report_seconds(report);
	bool lasts = report->last_ns > report->first_ns;
	double width = (double)time_bins_width(&report->tally.bins) / 1e9;
	struct report_section *section = report_section_add(answer, "layers", "layers", columns,
							    N_OF(columns));

	for (unsigned i = 0; i < N_STREAMS; i++) {
		uint64_t total[N_REPORT_SERIES], peak;
		bool bytes = moves_bytes((enum stream_id)i);
		struct table_value *row;

		if (!report->on[i])
			continue;
		row = report_section_row(answer, section);
		if (!row)
			return;
		total_of(report, (enum stream_id)i, total, &peak);
		row[0] = layer_name((enum stream_id)i);
		row[1] = table_number(report->tally.streams[i].seen.rows);
		row[2] = table_number(total[REPORT_OVER_OPERATIONS]);
		row[3] = table_number_if(report_knows_errors(report, (enum stream_id)i),
					 total[REPORT_OVER_ERRORS]);
		row[4] = table_number_if(bytes, total[REPORT_OVER_READ_BYTES]);
		row[5] = table_number_if(bytes, total[REPORT_OVER_WRITE_BYTES]);
		/* one row has no rate */
		row[6] = table_number_if(lasts, (uint64_t)((double)total[REPORT_OVER_OPERATIONS] /
							   seconds));
		row[7] = table_number_if(lasts, (uint64_t)((double)peak / width));
		row[8] = table_number_if(bytes && lasts,
					 (uint64_t)((double)total[REPORT_OVER_READ_BYTES] /
						    seconds));
		row[9] = table_number_if(bytes && lasts,
					 (uint64_t)((double)total[REPORT_OVER_WRITE_BYTES] /
						    seconds));
	}
	add_amplification(answer);
}

/* ---- over time ---- */

static void add_span(struct report_answer *answer, struct report_section *section,
		     enum stream_id stream, unsigned bin)
{
	const struct report *report = answer->report;
	const uint64_t *over = report->tally.streams[stream].over[bin];
	bool any = false, bytes = moves_bytes(stream);
	struct table_value *row;

	for (unsigned i = 0; i < N_REPORT_SERIES; i++)
		any = any || over[i];
	row = any ? report_section_row(answer, section) : NULL;
	if (!row)
		return;
	row[0] = layer_name(stream);
	row[1] = table_number(time_bins_start(&report->tally.bins, bin));
	row[2] = table_number(time_bins_width(&report->tally.bins));
	row[3] = table_number(over[REPORT_OVER_OPERATIONS]);
	row[4] = table_number_if(report_knows_errors(report, stream), over[REPORT_OVER_ERRORS]);
	row[5] = table_number_if(bytes, over[REPORT_OVER_READ_BYTES]);
	row[6] = table_number_if(bytes, over[REPORT_OVER_WRITE_BYTES]);
	row[7] = table_number_if(stream == STREAM_cache, over[REPORT_OVER_HITS]);
	row[8] = table_number_if(stream == STREAM_cache, over[REPORT_OVER_MISSES]);
	row[9] = table_share(over[REPORT_OVER_HITS],
			     over[REPORT_OVER_HITS] + over[REPORT_OVER_MISSES]);
}

static void add_heat(struct report_answer *answer, struct report_section *section,
		     const struct report_item *item)
{
	const struct time_bins *bins = &answer->report->tally.bins;

	for (unsigned i = 0; i < bins->n; i++)
		for (unsigned j = 0; j < REPORT_HEAT; j++) {
			uint32_t count = item->heat[i * REPORT_HEAT + j];
			struct table_value *row = count ? report_section_row(answer, section) :
							  NULL;

			if (!row)
				continue;
			if (item->kind == REPORT_DEVICE) {
				row[0] = layer_name(STREAM_ds);
				row[7] = table_number(item->number);
			} else {
				row[0] = layer_name((enum stream_id)item->number);
				row[1] = table_bytes(item->name, item->name_len);
			}
			row[2] = table_number(time_bins_start(bins, i));
			row[3] = table_number(time_bins_width(bins));
			row[4] = table_number(j ? 1ull << (REPORT_HEAT_FIRST + j - 1) : 0);
			row[5] = table_number_if(j + 1 < REPORT_HEAT,
						 1ull << (REPORT_HEAT_FIRST + j));
			row[6] = table_number(count);
		}
}

static int compare_items(const void *a, const void *b)
{
	const struct report_item *x = *(const struct report_item *const *)a,
				 *y = *(const struct report_item *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number != y->number ? (x->number < y->number ? -1 : 1) : strcmp(x->name, y->name);
}

static void add_heats(struct report_answer *answer, struct report_section *section)
{
	const struct report_tally *tally = &answer->report->tally;
	const struct report_item **items = malloc((tally->n_items + 1) * sizeof(*items)), *item;
	uint64_t n = 0;

	answer->no_memory = answer->no_memory || !items;
	for (uint64_t i = 0; items && i < tally->n_slots; i++)
		for (item = tally->slots[i]; item; item = item->next)
			if (item->heat)
				items[n++] = item;
	if (items)
		qsort(items, n, sizeof(*items), compare_items);
	for (uint64_t i = 0; i < n; i++)
		add_heat(answer, section, items[i]);
	free(items);
}

void report_add_over_time(struct report_answer *answer)
{
	static const struct report_column spans[] = {
		{ "layer", TABLE_NAME, REPORT_SHOWN },
		{ "start_ns", TABLE_COUNT, REPORT_SHOWN },
		{ "width_ns", TABLE_COUNT, REPORT_EXACT },
		{ "operations", TABLE_COUNT, REPORT_SHOWN },
		{ "errors", TABLE_COUNT, REPORT_SHOWN },
		{ "read_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "write_bytes", TABLE_BYTES, REPORT_SHOWN },
		{ "hits", TABLE_COUNT, REPORT_SHOWN },
		{ "misses", TABLE_COUNT, REPORT_SHOWN },
		{ "hit_share", TABLE_SHARE, REPORT_SHOWN },
	};
	static const struct report_column heat[] = {
		{ "layer", TABLE_NAME, REPORT_SHOWN },
		{ "operation", TABLE_NAME, REPORT_SHOWN },
		{ "start_ns", TABLE_COUNT, REPORT_SHOWN },
		{ "width_ns", TABLE_COUNT, REPORT_EXACT },
		{ "from_ns", TABLE_NS, REPORT_SHOWN },
		{ "to_ns", TABLE_NS, REPORT_SHOWN },
		{ "count", TABLE_COUNT, REPORT_SHOWN },
		{ "device", TABLE_DEVICE, REPORT_EXACT },
	};
	const struct report_tally *tally = &answer->report->tally;
	struct report_section *over = report_section_add(answer, "time", "over time", spans,
							 N_OF(spans));
	struct report_section *map = report_section_add(answer, "latencies", "latencies over time",
							heat, N_OF(heat));

	for (unsigned i = 0; i < N_STREAMS; i++)
		for (unsigned bin = 0; tally->streams[i].over && bin < tally->bins.n; bin++)
			add_span(answer, over, (enum stream_id)i, bin);
	add_heats(answer, map);
}
