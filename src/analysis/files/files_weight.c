/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a file stands for where --budget left out others: each of its rows for as many as the
 * factor says that was in force. A file is kept with all its rows or none, so that this is one number for all
 * calls of a kind, the mean of their rows: what is read while all is recorded is no more because the file is
 * written when little is.
 */
#include "analysis/files/files_weight.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/thinning.h"
#include "analysis/files/files_columns.h"

static const uint8_t kind_of_metric[N_FILES_METRICS] = {
	[FILES_READ_REQUEST] = FILES_OF_READS,   [FILES_WRITE_REQUEST] = FILES_OF_WRITES,
	[FILES_READ_COMPLETE] = FILES_OF_READS,  [FILES_WRITE_COMPLETE] = FILES_OF_WRITES,
	[FILES_READ_RUN] = FILES_OF_READS,       [FILES_WRITE_RUN] = FILES_OF_WRITES,
	[FILES_SYNC_GAP] = FILES_OF_SYNCS,       [FILES_READ_LATENCY] = FILES_OF_READS,
	[FILES_WRITE_LATENCY] = FILES_OF_WRITES, [FILES_SYNC_LATENCY] = FILES_OF_SYNCS,
};

static void ratios_of(const struct files_cell *cell, struct files_ratio by[N_FILES_CALL_KINDS])
{
	const struct files_calls *const calls[N_FILES_CALL_KINDS] = {
		[FILES_OF_READS] = &cell->moved[FILES_READ].calls,
		[FILES_OF_WRITES] = &cell->moved[FILES_WRITE].calls,
		[FILES_OF_SYNCS] = &cell->syncs,
		[FILES_OF_LOCKS] = &cell->locks,
	};

	by[FILES_OF_OTHERS] = (struct files_ratio){ cell->n_rows, cell->stands };
	for (unsigned i = FILES_OF_OTHERS + 1; i < N_FILES_CALL_KINDS; i++) {
		by[i] = (struct files_ratio){ calls[i]->calls * THINNING_ONE, calls[i]->stands };
		by[FILES_OF_OTHERS].rows -= by[i].rows;
		by[FILES_OF_OTHERS].stands -= by[i].stands;
	}
}

static bool copy_histogram(struct histogram *to, const struct histogram *from,
			   const struct files_ratio by[N_FILES_CALL_KINDS])
{
	*to = (struct histogram){ .n = 0 };
	for (unsigned i = 0; i < from->n; i++) {
		const struct files_ratio *like = &by[kind_of_metric[from->keys[i] >> 16]];

		if (!histogram_put(to, from->keys[i] >> 8, from->keys[i] & 0xff,
				   files_scaled(from->buckets[i].count, like),
				   files_scaled(from->buckets[i].sum, like)))
			return false;
	}
	return true;
}

bool files_cell_weighted(struct files_cell *weighted, const struct files_cell *cell)
{
	struct files_ratio by[N_FILES_CALL_KINDS];

	ratios_of(cell, by);
	*weighted = *cell;
	files_sums_scale(weighted, by);
	weighted->n_rows = cell->stands;
	weighted->errors = calloc(cell->n_errors + 1, sizeof(*weighted->errors));
	if (!copy_histogram(&weighted->histogram, &cell->histogram, by) || !weighted->errors) {
		files_cell_weighted_free(weighted);
		return false;
	}
	for (unsigned i = 0; i < cell->n_errors; i++) {
		weighted->errors[i] = cell->errors[i];
		weighted->errors[i].count = files_scaled(cell->errors[i].count,
							 &by[cell->errors[i].kind]);
	}
	return true;
}

void files_cell_weighted_free(struct files_cell *weighted)
{
	histogram_free(&weighted->histogram);
	free(weighted->errors);
}

/*
 * A file that stands for w files was kept with a chance of about 1/w, by itself: w (w - 1) y^2 of those that were
 * kept is the variance of a sum of w y (Horvitz and Thompson). Of bytes it is that of what they differ from a
 * multiple of calls, whose sum is known.
 */
void files_estimate_add(struct files_estimate *e, const struct files_cell *cell)
{
	double rows = (double)cell->n_rows / THINNING_ONE;
	double bytes = (double)files_sum_bytes(cell), w, spread;

	if (!cell->n_rows)
		return;
	w = (double)cell->stands / (double)cell->n_rows;
	spread = w * (w - 1);
	e->calls += w * rows;
	e->bytes += w * bytes;
	e->calls_2 += spread * rows * rows;
	e->both += spread * rows * bytes;
	e->bytes_2 += spread * bytes * bytes;
}

/* In per cent of a sum with this variance; 0 of nothing */
static double error_of(double sum, double variance)
{
	double root = variance > 1 ? variance : 1;

	if (sum <= 0 || variance <= 0)
		return 0;
	/* Newton's method, from above: each step halves it at most */
	for (int i = 0; i < 200; i++)
		root = (root + variance / root) / 2;
	return 100 * root / sum;
}

double files_estimate_share(const struct files_estimate *e)
{
	/* p (1 - p) of a share p is a quarter at most */
	return error_of(e->calls, e->calls_2) / 2;
}

double files_estimate_bytes(const struct files_estimate *e)
{
	double ratio = e->calls > 0 ? e->bytes / e->calls : 0;

	return error_of(e->bytes, e->bytes_2 - 2 * ratio * e->both + ratio * ratio * e->calls_2);
}
