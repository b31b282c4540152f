/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the tables that have several rows for a file: errors and histograms. */
#include "analysis/files/files_parts.h"

#include <stdlib.h>
#include <string.h>

#include "row/format.h"

/* ---- errors ---- */

void files_errors_begin(struct files_printer *p)
{
	p->n_columns = files_identity_columns(p->answer, p->view, false, p->columns);
	files_printer_column(p, "call", TABLE_NAME);
	files_printer_column(p, "error", TABLE_NAME);
	files_printer_column(p, "count", TABLE_COUNT);
}

struct named_error {
	const char *call;
	struct files_error error;
};

static int compare_errors(const void *a, const void *b)
{
	const struct named_error *x = a, *y = b;
	int order = strcmp(x->call, y->call);

	return order ? order : (int)x->error.number - (int)y->error.number;
}

void files_errors_print(struct files_printer *p, const struct files_entry *entry)
{
	const struct files_cell *cell = entry->cell;
	struct named_error *named = malloc((cell->n_errors + 1) * sizeof(*named));
	struct table_value values[TABLE_MAX_COLUMNS];
	char time[WALL_TEXT_SIZE], name[32];
	unsigned n = p->n_columns - 3;

	files_identity_values(p->answer, p->view, p->walls, entry, false, time, values);
	p->table.no_memory |= !named;
	for (unsigned i = 0; named && i < cell->n_errors; i++)
		named[i] = (struct named_error){ entry->calls[cell->errors[i].call],
						 cell->errors[i] };
	if (named)
		qsort(named, cell->n_errors, sizeof(*named), compare_errors);
	for (unsigned i = 0; named && i < cell->n_errors; i++) {
		*put_err(name, -(int)named[i].error.number) = '\0';
		values[n] = table_text(named[i].call);
		values[n + 1] = table_text(name);
		values[n + 2] = table_number(named[i].error.count);
		table_row(&p->table, values);
	}
	free(named);
}

/* ---- histograms ---- */

const char *const files_metrics[N_FILES_METRICS + 1] = {
	[FILES_READ_REQUEST] = "read_request",   [FILES_WRITE_REQUEST] = "write_request",
	[FILES_READ_COMPLETE] = "read_complete", [FILES_WRITE_COMPLETE] = "write_complete",
	[FILES_READ_RUN] = "read_run",           [FILES_WRITE_RUN] = "write_run",
	[FILES_SYNC_GAP] = "sync_gap",           [FILES_READ_LATENCY] = "read_latency",
	[FILES_WRITE_LATENCY] = "write_latency", [FILES_SYNC_LATENCY] = "sync_latency",
};

static int compare_buckets(const void *a, const void *b)
{
	const struct files_bucket *x = a, *y = b;
	int order = x->metric != y->metric ? (int)x->metric - (int)y->metric :
					     strcmp(x->call, y->call);

	return order ? order : (int)x->bucket - (int)y->bucket;
}

/* By metric, call and bucket; free it. */
struct files_bucket *files_buckets(const struct files_entry *entry)
{
	const struct histogram *h = &entry->cell->histogram;
	struct files_bucket *named = malloc((h->n + 1u) * sizeof(*named));

	for (unsigned i = 0; named && i < h->n; i++) {
		unsigned call = h->keys[i] >> 8 & 0xff;

		named[i] = (struct files_bucket){ .metric = (enum files_metric)(h->keys[i] >> 16),
						  .call = call == FILES_NO_CALL ?
								  "" :
								  entry->calls[call],
						  .bucket = h->keys[i] & 0xff,
						  .value = &h->buckets[i] };
	}
	if (named)
		qsort(named, h->n, sizeof(*named), compare_buckets);
	return named;
}

void files_histograms_begin(struct files_printer *p)
{
	p->n_columns = files_identity_columns(p->answer, p->view, false, p->columns);
	files_printer_column(p, "metric", TABLE_NAME);
	files_printer_column(p, "call", TABLE_NAME);
	files_printer_column(p, "from", TABLE_COUNT);
	files_printer_column(p, "to", TABLE_COUNT);
	files_printer_column(p, "count", TABLE_COUNT);
	files_printer_column(p, "sum", TABLE_COUNT);
}

void files_histograms_print(struct files_printer *p, const struct files_entry *entry)
{
	struct files_bucket *named = files_buckets(entry);
	struct table_value values[TABLE_MAX_COLUMNS];
	char time[WALL_TEXT_SIZE];
	unsigned n = p->n_columns - 6;

	files_identity_values(p->answer, p->view, p->walls, entry, false, time, values);
	p->table.no_memory |= !named;
	for (unsigned i = 0; named && i < entry->cell->histogram.n; i++) {
		const struct files_bucket *b = &named[i];
		uint64_t to;
		bool has_to = histogram_to(b->bucket, &to);

		values[n] = table_text(files_metrics[b->metric]);
		values[n + 1] = table_text(b->call);
		values[n + 2] = table_number(histogram_from(b->bucket));
		values[n + 3] = table_number(b->bucket ? to : 1);
		values[n + 3].known = has_to;
		values[n + 4] = table_number(b->value->count);
		values[n + 5] = table_number(b->value->sum);
		table_row(&p->table, values);
	}
	free(named);
}
