/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which figures of a file fio must have kept, and how distributions are compared. */
#include "analysis/report/report_replayed.h"

#include <stdlib.h>

#include "analysis/report/report_compare.h"
#include "analysis/report/report_side.h"

enum { N_TRACES = 2 };

/* ---- figures ---- */

enum figure {
	OPENS,
	READS,
	WRITES,
	READ_BYTES,
	WRITE_BYTES,
	REWRITES,
	SYNCS,
	READ_SEQUENTIAL,
	WRITE_SEQUENTIAL,
	/* distributions */
	READ_SIZES,
	WRITE_SIZES,
	READ_RUNS,
	WRITE_RUNS,
	SYNC_GAPS,
	N_FIGURES,
	N_SUMS = READ_SIZES,
};

static const struct {
	const char *name;
	enum table_type type;
	enum files_metric metric;
} figures[N_FIGURES] = {
	[OPENS] = { .name = "opens", .type = TABLE_COUNT },
	[READS] = { .name = "reads", .type = TABLE_COUNT },
	[WRITES] = { .name = "writes", .type = TABLE_COUNT },
	[READ_BYTES] = { .name = "read_bytes", .type = TABLE_BYTES },
	[WRITE_BYTES] = { .name = "write_bytes", .type = TABLE_BYTES },
	[REWRITES] = { .name = "rewrites", .type = TABLE_COUNT },
	[SYNCS] = { .name = "syncs", .type = TABLE_COUNT },
	[READ_SEQUENTIAL] = { .name = "sequential_read_bytes", .type = TABLE_BYTES },
	[WRITE_SEQUENTIAL] = { .name = "sequential_write_bytes", .type = TABLE_BYTES },
	[READ_SIZES] = { "read_sizes", TABLE_COUNT, FILES_READ_COMPLETE },
	[WRITE_SIZES] = { "write_sizes", TABLE_COUNT, FILES_WRITE_COMPLETE },
	[READ_RUNS] = { "read_runs", TABLE_COUNT, FILES_READ_RUN },
	[WRITE_RUNS] = { "write_runs", TABLE_COUNT, FILES_WRITE_RUN },
	[SYNC_GAPS] = { "sync_gaps", TABLE_COUNT, FILES_SYNC_GAP },
};

/* A file in one trace, of all mount namespaces that have it. */
struct use {
	bool seen;
	uint64_t sums[N_SUMS];
	struct histogram histogram; /* by metric, whatever the call */
};

static uint32_t metric_of(void *arg, uint32_t tag)
{
	(void)arg;
	return tag >> 8;
}

static bool add_use(struct use *use, const struct files_cell *cell)
{
	const struct files_transfers *moved = cell->moved;
	const uint64_t sums[N_SUMS] = {
		[OPENS] = cell->opens,
		[READS] = moved[FILES_READ].calls.calls,
		[WRITES] = moved[FILES_WRITE].calls.calls,
		[READ_BYTES] = moved[FILES_READ].bytes,
		[WRITE_BYTES] = moved[FILES_WRITE].bytes,
		[REWRITES] = cell->rewrites,
		[SYNCS] = cell->syncs.calls,
		[READ_SEQUENTIAL] = moved[FILES_READ].sequential,
		[WRITE_SEQUENTIAL] = moved[FILES_WRITE].sequential,
	};

	use->seen = true;
	for (unsigned i = 0; i < N_SUMS; i++)
		use->sums[i] += sums[i];
	return histogram_join(&use->histogram, &cell->histogram, metric_of, NULL);
}

/*
 * Of a distribution, how many values there were, and how many of these are in the same class again; those
 * that are new there count against them.
 */
static void count_classes(const struct use uses[N_TRACES], enum files_metric metric,
			  uint64_t values[N_TRACES])
{
	uint64_t counts[N_TRACES][HISTOGRAM_BUCKETS] = { { 0 } }, apart = 0;

	for (unsigned t = 0; t < N_TRACES; t++)
		for (unsigned i = 0; i < uses[t].histogram.n; i++) {
			uint32_t key = uses[t].histogram.keys[i];

			if (key >> 8 == metric)
				counts[t][key & 0xff] += uses[t].histogram.buckets[i].count;
		}
	values[0] = 0;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t a = counts[0][i], b = counts[1][i];

		values[0] += a;
		apart += a > b ? a - b : b - a;
	}
	values[1] = values[0] > apart ? values[0] - apart : 0;
}

static void values_of(const struct use uses[N_TRACES], enum figure figure,
		      uint64_t values[N_TRACES])
{
	if (figure >= N_SUMS) {
		count_classes(uses, figures[figure].metric, values);
		return;
	}
	for (unsigned t = 0; t < N_TRACES; t++)
		values[t] = uses[t].sums[figure];
}

/* ---- files ---- */

struct replay {
	struct report_answer *answer;
	const struct replayed *names;
	struct use (*uses)[N_TRACES]; /* by number of the file */
	struct report_losses losses[N_TRACES];
	uint64_t n_files, n[N_REPORT_VERDICTS], n_figures;
};

static bool take_side(struct replay *p, struct report *report, unsigned trace)
{
	struct report_side side;
	bool all = !report_side_open(&side, report);

	for (; all && side.has; report_side_next(&side)) {
		int64_t file = replayed_find(p->names, trace ? REPLAYED_COPY : REPLAYED_TRACE,
					     side.entry.name, side.entry.len);

		all = file < 0 || add_use(&p->uses[file][trace], side.entry.cell);
	}
	if (side.runs && side.runs->err)
		all = false;
	report_side_close(&side);
	return all;
}

static struct estimate estimate_of(const struct replay *p, unsigned trace, enum figure figure,
				   uint64_t value)
{
	return (figures[figure].type == TABLE_COUNT && figure < N_SUMS ?
			report_counted :
			report_summed)(&p->losses[trace], true, (double)value);
}

static void add_row(struct replay *p, struct report_section *section, uint64_t file,
		    enum figure figure, const uint64_t values[N_TRACES],
		    enum report_verdict verdict)
{
	const struct replayed_file *name = &p->names->list[file];
	uint32_t len = name->len[REPLAYED_TRACE];
	struct table_value *row;

	if (p->answer->top && section->n >= p->answer->top)
		return;
	row = report_section_row(p->answer, section);
	if (!row)
		return;
	/* names go away before the answer does not: its pool has a copy */
	row[0] = table_bytes(pool_text(&p->answer->pool, name->names[REPLAYED_TRACE], len), len);
	row[1] = table_text(figures[figure].name);
	for (unsigned t = 0; t < N_TRACES; t++) {
		row[2 + t] = table_number(values[t]);
		row[2 + t].type = (uint8_t)figures[figure].type;
	}
	row[4] = report_relative_change((double)values[0], (double)values[1]);
	row[5] = report_verdict_name(verdict);
	p->answer->no_memory = p->answer->no_memory || !row[0].text;
}

/* What the trace lacks is a directory, which fio opens as a file. */
static void add_file(struct replay *p, struct report_section *section, uint64_t file, bool equal)
{
	const struct use *uses = p->uses[file];

	if (!uses[0].seen)
		return;
	for (unsigned figure = 0; figure < N_FIGURES; figure++) {
		uint64_t values[N_TRACES];
		struct estimate e[N_TRACES];
		enum report_verdict verdict;

		values_of(uses, (enum figure)figure, values);
		if (!values[0] && !values[1])
			continue;
		for (unsigned t = 0; t < N_TRACES; t++)
			e[t] = estimate_of(p, t, (enum figure)figure, values[t]);
		verdict = report_verdict(&e[0], &e[1]);
		if ((verdict == REPORT_EQUAL) != equal)
			continue;
		p->n[verdict]++;
		p->n_figures++;
		add_row(p, section, file, (enum figure)figure, values, verdict);
	}
	p->n_files += equal;
}

/* What is not equal comes first. */
static void add_rows(struct replay *p)
{
	static const struct report_column columns[] = {
		{ "filename", TABLE_NAME, REPORT_WIDE },  { "measure", TABLE_NAME, REPORT_SHOWN },
		{ "before", TABLE_EACH, REPORT_SHOWN },   { "after", TABLE_EACH, REPORT_SHOWN },
		{ "change", TABLE_CHANGE, REPORT_SHOWN }, { "verdict", TABLE_NAME, REPORT_SHOWN },
	};
	struct report_section *section =
		report_section_add(p->answer, "replayed_files",
				   "figures of files that fio repeated, those that differ first",
				   columns, sizeof(columns) / sizeof(columns[0]));

	for (unsigned equal = 0; equal < 2; equal++)
		for (uint64_t file = 0; file < p->names->n; file++)
			add_file(p, section, file, equal);
	section->n_all = p->n_figures;
}

static void add_count(struct replay *p, struct report_section *section, const char *name,
		      uint64_t n)
{
	struct table_value *row = report_section_row(p->answer, section);

	if (!row)
		return;
	row[0] = table_text(name);
	row[1] = table_number(n);
}

static void add_counts(struct replay *p, struct report_section *section)
{
	add_count(p, section, "files", p->n_files);
	add_count(p, section, "figures", p->n_figures);
	for (unsigned i = 0; i < N_REPORT_VERDICTS; i++)
		add_count(p, section, report_verdict_name((enum report_verdict)i).text, p->n[i]);
}

void report_add_replayed(struct report_answer *answer, struct report *const reports[2],
			 const struct report_losses losses[2])
{
	struct replay p = { .answer = answer,
			    .names = reports[0]->replayed,
			    .losses = { losses[0], losses[1] } };

	static const struct report_column columns[] = { { "name", TABLE_NAME, REPORT_SHOWN },
							{ "count", TABLE_COUNT, REPORT_SHOWN } };
	struct report_section *counts = report_section_add(answer, "replay",
							   "how well fio repeated the first trace",
							   columns, 2);

	if (!reports[0]->has_files || !reports[1]->has_files)
		return;
	p.uses = calloc(p.names->n, sizeof(*p.uses));
	if (!p.uses || !take_side(&p, reports[0], 0) || !take_side(&p, reports[1], 1)) {
		answer->no_memory = true;
	} else {
		add_rows(&p);
		add_counts(&p, counts);
	}
	for (uint64_t i = 0; p.uses && i < p.names->n; i++)
		for (unsigned t = 0; t < N_TRACES; t++)
			histogram_free(&p.uses[i][t].histogram);
	free(p.uses);
}
