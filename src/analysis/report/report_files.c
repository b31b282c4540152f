/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sections that come from the use of files: the same numbers as those of `iotracer files`. */
#include "analysis/report/report_files.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_weight.h"
#include "analysis/files/files_columns.h"
#include "analysis/files/files_batches.h"
#include "analysis/files/files_parts.h"
#include "analysis/files/files_print.h"
#include "analysis/files/files_printer.h"
#include "analysis/files/files_sort.h"
#include "analysis/report/report_find_files.h"

enum { MAX_LOOKS = 4096 };
enum { NAME, MNTNS, DEVICE, INODE, N_IDENTITY };

/* Which file, or directory; then sums. */
static const struct report_column identity[N_IDENTITY] = {
	[NAME] = { "filename", TABLE_NAME, REPORT_WIDE },
	[MNTNS] = { "mntns", TABLE_COUNT, REPORT_EXACT },
	[DEVICE] = { "device", TABLE_DEVICE, REPORT_EXACT },
	[INODE] = { "inode", TABLE_COUNT, REPORT_EXACT },
};

static const struct {
	enum files_sum_column sum;
	enum report_shown shown;
} sums[] = {
	{ FILES_OPENS, REPORT_EXACT },
	{ FILES_READS, REPORT_SHOWN },
	{ FILES_READ_BYTES, REPORT_SHOWN },
	{ FILES_READ_NS, REPORT_EXACT },
	{ FILES_READ_MAX_NS, REPORT_EXACT },
	{ FILES_WRITES, REPORT_SHOWN },
	{ FILES_WRITE_BYTES, REPORT_SHOWN },
	{ FILES_WRITE_NS, REPORT_EXACT },
	{ FILES_WRITE_MAX_NS, REPORT_EXACT },
	{ FILES_REWRITES, REPORT_EXACT },
	{ FILES_SYNCS, REPORT_SHOWN },
	{ FILES_SYNC_NS, REPORT_EXACT },
	{ FILES_SYNC_MAX_NS, REPORT_EXACT },
	{ FILES_LOCKED, REPORT_EXACT },
	{ FILES_LOCK_WAITS, REPORT_EXACT },
	{ FILES_LOCK_NS, REPORT_EXACT },
	{ FILES_LOCK_MAX_NS, REPORT_EXACT },
	{ FILES_METADATA, REPORT_EXACT },
	{ FILES_READ_SEQUENTIAL, REPORT_EXACT },
	{ FILES_WRITE_SEQUENTIAL, REPORT_EXACT },
	{ FILES_PIDS, REPORT_EXACT },
};

enum { N_SUMS = sizeof(sums) / sizeof(sums[0]) };

static struct report_section *begin(struct report_answer *answer, const char *name,
				    const char *title)
{
	struct report_column columns[N_IDENTITY + N_SUMS];

	memcpy(columns, identity, sizeof(identity));
	for (unsigned i = 0; i < N_SUMS; i++) {
		const struct table_column *sum = &files_sum_columns[sums[i].sum];

		columns[N_IDENTITY + i] = (struct report_column){ sum->name, sum->type,
								  sums[i].shown };
	}
	return report_section_add(answer, name, title, columns, N_IDENTITY + N_SUMS);
}

static void add_row(struct report_answer *answer, struct report_section *section,
		    const struct files_entry *entry, bool is_file)
{
	struct table_value *row = report_section_row(answer, section);

	if (!row)
		return;
	for (unsigned i = 0; i < N_SUMS; i++)
		row[N_IDENTITY + i] = files_sum_value(entry->cell, sums[i].sum);
	row[NAME] = table_bytes(pool_text(&answer->pool, entry->name, entry->len), entry->len);
	if (!row[NAME].text) {
		row[NAME].known = false;
		answer->no_memory = true;
	}
	row[MNTNS] = table_number_if(entry->mntns, entry->mntns);
	row[DEVICE] = table_number_if(is_file && entry->device, entry->device);
	row[INODE] = table_number_if(is_file && entry->inode, entry->inode);
}

/* A directory of which nine tenths are in one below it says little that the other does not. */
static bool is_above(const struct files_sorted *sorted, uint64_t n, uint64_t at)
{
	const struct files_entry *e = sorted[at].entry, *other;
	uint64_t i = at;

	/* those as busy, of which the deeper ones come first */
	while (i > 0 && sorted[i - 1].number == sorted[at].number && at - i < MAX_LOOKS)
		i--;
	for (uint64_t end = i + MAX_LOOKS; i < n && i < end; i++) {
		other = sorted[i].entry;
		if (sorted[i].number < sorted[at].number / 10 * 9)
			return false;
		if (i != at && other->mntns == e->mntns && other->len > e->len &&
		    !memcmp(other->name, e->name, e->len) &&
		    (e->len == 1 || other->name[e->len] == '/'))
			return true;
	}
	return false;
}

static int deeper_first(const void *a, const void *b)
{
	const struct files_sorted *x = a, *y = b;

	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	if (x->entry->len != y->entry->len)
		return x->entry->len > y->entry->len ? -1 : 1;
	return files_identity_compare(x->entry, y->entry);
}

static void add_directories(struct report_answer *answer, struct report_section *section,
			    const struct files_answer *files)
{
	struct files_sorted *sorted = files_sort(files, NULL);

	answer->no_memory = answer->no_memory || !sorted;
	if (sorted)
		qsort(sorted, files->n, sizeof(*sorted), deeper_first);
	for (uint64_t i = 0; sorted && i < files->n && (!answer->top || section->n < answer->top);
	     i++)
		if (!is_above(sorted, files->n, i))
			add_row(answer, section, sorted[i].entry, false);
	section->n_all = files->n;
	free(sorted);
}

static void add_files(struct report_answer *answer, struct report_section *section,
		      const struct files_answer *files)
{
	struct files_sorted *sorted = files_sort(files, NULL);

	answer->no_memory = answer->no_memory || !sorted;
	for (uint64_t i = 0; sorted && i < files->n && (!answer->top || section->n < answer->top);
	     i++)
		add_row(answer, section, sorted[i].entry, true);
	section->n_all = files->n;
	free(sorted);
}

/* Of more files than fit in memory. */
static void add_runs(struct report_answer *answer, struct report_section *section,
		     struct files_runs *runs)
{
	struct files_entry entry;

	while (files_runs_next(runs, &entry))
		add_row(answer, section, &entry, true);
	section->n_all = runs->n_entries;
	answer->no_memory = answer->no_memory || runs->err;
}

/* ---- sizes ---- */

static uint32_t metric_alone(void *arg, uint32_t tag)
{
	(void)arg;
	return tag >> 8;
}

static bool join_size(struct histogram *all, const struct files_cell *cell)
{
	struct files_cell weighted;
	bool ok;

	if (cell->stands == cell->n_rows)
		return histogram_join(all, &cell->histogram, metric_alone, NULL);
	ok = files_cell_weighted(&weighted, cell);
	if (ok) {
		ok = histogram_join(all, &weighted.histogram, metric_alone, NULL);
		files_cell_weighted_free(&weighted);
	}
	return ok;
}

static void join_sizes(struct report_answer *answer, struct histogram *all,
		       const struct files_answer *files)
{
	for (uint64_t i = 0; i < files->n; i++)
		if (!join_size(all, files->entries[i].cell))
			answer->no_memory = true;
}

static void add_sizes(struct report_answer *answer, struct report_section *section,
		      const struct histogram *all)
{
	struct table_value *row;
	uint64_t to;

	for (uint32_t key = 0; key < (uint32_t)N_FILES_METRICS << 8; key++)
		for (unsigned i = 0; i < all->n; i++) {
			if (all->keys[i] != key)
				continue;
			row = report_section_row(answer, section);
			if (!row)
				break;
			row[0] = table_bytes(files_metrics[key >> 8],
					     strlen(files_metrics[key >> 8]));
			row[1] = table_number(histogram_from(key & 0xff));
			row[2] = histogram_to(key & 0xff, &to) ?
					 table_number(to) :
					 (struct table_value){ .known = false };
			row[3] = table_number(all->buckets[i].count);
			row[4] = table_number(all->buckets[i].sum);
		}
}

/* What is known of all files when each batch of them has been looked at. */
struct parts {
	struct files_answer dirs;
	struct histogram sizes;
	struct files_runs runs;
};

/* The files that are in memory now. */
static void add_batch(struct report_answer *answer, struct parts *parts, struct files_answer *files,
		      bool to_runs)
{
	const struct report *report = answer->report;
	const struct files_source source = { report->host, report->files.models,
					     report->files.n_models };

	if (files_answer_add(files, &source, 0, true) ||
	    files_answer_add(&parts->dirs, &source, 0, false))
		answer->no_memory = true;
	join_sizes(answer, &parts->sizes, files);
	if (!report_note_files(answer->report, files))
		answer->no_memory = true;
	if (to_runs && files_runs_add(&parts->runs, files))
		answer->no_memory = true;
}

static void add_batches(struct report_answer *answer, struct parts *parts)
{
	struct report *report = answer->report;
	int more;

	report->by_name = (struct files_runs){ .column = FILES_ORDER_NAME,
					       .plain = !report->replayed };

	do {
		struct files_answer files = { .by = FILES_BY_FILE };

		add_batch(answer, parts, &files, true);
		if (report->compared && files_runs_add(&report->by_name, &files))
			answer->no_memory = true;
		files_answer_free(&files);
		more = files_reading_next(&report->files);
	} while (more == 1);
	answer->no_memory = answer->no_memory || more < 0;
}

void report_add_files(struct report_answer *answer)
{
	static const struct report_column columns[] = {
		{ "metric", TABLE_NAME, REPORT_SHOWN }, { "from", TABLE_COUNT, REPORT_SHOWN },
		{ "to", TABLE_COUNT, REPORT_SHOWN },    { "count", TABLE_COUNT, REPORT_SHOWN },
		{ "sum", TABLE_COUNT, REPORT_SHOWN },
	};
	struct report *report = answer->report;
	struct parts parts = { .dirs = { .by = FILES_BY_DIR, .plain = true },
			       .runs = { .top = answer->top } };
	struct report_section *
		files = begin(answer, "files", "files by bytes moved"),
	       *dirs = begin(
		       answer, "directories",
		       "directories by bytes moved, with all below; without those that are mostly one below"),
	       *sizes = report_section_add(answer, "sizes",
					   "sizes, runs, sync gaps (bytes) and latencies (ns)",
					   columns, 5);

	if (!report->has_files)
		return;
	if (!report->files.n_levels) {
		struct files_answer all = { .by = FILES_BY_FILE };

		add_batch(answer, &parts, &all, false);
		add_files(answer, files, &all);
		files_answer_free(&all);
	} else {
		add_batches(answer, &parts);
		add_runs(answer, files, &parts.runs);
	}
	add_directories(answer, dirs, &parts.dirs);
	add_sizes(answer, sizes, &parts.sizes);
	histogram_free(&parts.sizes);
	files_answer_free(&parts.dirs);
	files_runs_close(&parts.runs);
}
