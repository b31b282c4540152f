/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the bytes of an entry in the file, and the choice of the run whose turn it is. */
#include "analysis/files/files_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/grow.h"
#include "analysis/files/files_printer.h"
#include "analysis/files/files_sort.h"
#include "base/temporary.h"

enum { WRITE_AT_ONCE = 1 << 18, READ_AT_ONCE = 1 << 16 };

/* What follows it: the name, then keys and buckets of the histogram, errors and processes, each from a multiple of 8 on. */
struct head {
	uint64_t bytes; /* all of it */
	struct files_entry entry;
	struct files_cell cell;
};

struct files_run {
	uint64_t at, end; /* in the file, of what is not read yet */
	char *bytes;
	size_t used, n, room; /* of the buffer */
	bool has;             /* the first of its entries that were not given */
	struct files_entry entry;
	struct files_cell cell;
	struct files_sorted sorted;
};

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

/* ---- out ---- */

struct output {
	struct files_runs *runs;
	char *bytes;
	size_t used, room;
};

static int flush(struct output *out)
{
	size_t at = 0;

	while (at < out->used) {
		ssize_t n = pwrite(out->runs->fd, out->bytes + at, out->used - at,
				   (off_t)out->runs->bytes);

		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		at += (size_t)n;
		out->runs->bytes += (uint64_t)n;
	}
	out->used = 0;
	return 0;
}

static void put(struct output *out, const void *bytes, size_t len)
{
	if (len)
		memcpy(out->bytes + out->used, bytes, len);
	memset(out->bytes + out->used + len, 0, padded(len) - len);
	out->used += padded(len);
}

static int put_entry(struct output *out, const struct files_entry *entry)
{
	struct head head = { .entry = *entry, .cell = *entry->cell };
	const struct files_cell *cell = &head.cell;
	const struct histogram *h = &cell->histogram;
	size_t name = entry->len, keys, buckets, errors, pids;
	int err = 0;

	if (out->runs->plain) {
		head.cell.histogram.n = 0;
		head.cell.n_errors = 0;
		head.cell.max_pids = 0;
	}
	keys = h->n * sizeof(*h->keys);
	buckets = h->n * sizeof(*h->buckets);
	errors = cell->n_errors * sizeof(*cell->errors);
	pids = cell->max_pids * sizeof(*cell->pids);
	head.bytes = sizeof(head) + padded(name) + padded(keys) + padded(buckets) + padded(errors) +
		     padded(pids);
	if (out->used + head.bytes > out->room && out->used)
		err = flush(out);
	if (!err && head.bytes > out->room) {
		char *more = realloc(out->bytes, head.bytes);

		err = more ? 0 : -ENOMEM;
		out->bytes = more ? more : out->bytes;
		out->room = more ? head.bytes : out->room;
	}
	if (err)
		return err;
	put(out, &head, sizeof(head));
	put(out, entry->name, name);
	put(out, h->keys, keys);
	put(out, h->buckets, buckets);
	put(out, cell->errors, errors);
	put(out, cell->pids, pids);
	return 0;
}

static int write_run(struct files_runs *runs, const struct files_sorted *sorted, uint64_t n)
{
	struct output out = { .runs = runs, .bytes = malloc(WRITE_AT_ONCE), .room = WRITE_AT_ONCE };
	int err = out.bytes ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < n && !err; i++)
		err = put_entry(&out, sorted[i].entry);
	err = err ? err : flush(&out);
	free(out.bytes);
	return err;
}

static struct files_run *add_run(struct files_runs *runs)
{
	if (!grow(&runs->runs, &runs->max, runs->n + 1, 64, sizeof(*runs->runs)))
		return NULL;
	runs->runs[runs->n] = (struct files_run){ .at = runs->bytes };
	return &runs->runs[runs->n++];
}

int files_runs_add(struct files_runs *runs, const struct files_answer *batch)
{
	uint64_t n = runs->top && runs->top < batch->n ? runs->top : batch->n;
	struct files_sorted *sorted;
	struct files_run *run;
	int err = 0;

	if (!runs->open) {
		runs->fd = temporary_open();
		if (runs->fd < 0)
			return runs->fd;
		runs->open = true;
	}
	sorted = files_sort(batch, runs->column);
	run = sorted ? add_run(runs) : NULL;
	err = run ? write_run(runs, sorted, n) : -ENOMEM;
	free(sorted);
	if (run)
		run->end = runs->bytes;
	runs->n_entries += batch->n;
	return err;
}

/* ---- and back ---- */

/* So many bytes are in the buffer. */
static int fill(const struct files_runs *runs, struct files_run *run, size_t len)
{
	size_t left = run->n - run->used;

	if (left >= len)
		return 0;
	if (left)
		memmove(run->bytes, run->bytes + run->used, left);
	run->used = 0;
	run->n = left;
	if (run->room < len || !run->bytes) {
		size_t room = len > READ_AT_ONCE ? len : READ_AT_ONCE;
		char *more = realloc(run->bytes, room);

		if (!more)
			return -ENOMEM;
		run->bytes = more;
		run->room = room;
	}
	while (run->n < len) {
		size_t want = run->room - run->n;
		ssize_t n;

		if (want > run->end - run->at)
			want = run->end - run->at;
		n = pread(runs->fd, run->bytes + run->n, want, (off_t)run->at);
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		run->n += (size_t)n;
		run->at += (uint64_t)n;
	}
	return 0;
}

static const void *take(const char **at, size_t len)
{
	const char *bytes = *at;

	*at += padded(len);
	return bytes;
}

/* The next entry of the run is ready, if there is one. */
static int advance(const struct files_runs *runs, struct files_run *run)
{
	struct histogram *h = &run->cell.histogram;
	struct head head;
	const char *at;
	int err;

	run->has = false;
	if (run->used == run->n && run->at == run->end)
		return 0;
	err = fill(runs, run, sizeof(head));
	if (err)
		return err;
	memcpy(&head, run->bytes + run->used, sizeof(head));
	err = fill(runs, run, head.bytes);
	if (err)
		return err;
	at = run->bytes + run->used + sizeof(head);
	run->used += head.bytes;
	run->entry = head.entry;
	run->cell = head.cell;
	run->entry.cell = &run->cell;
	run->entry.name = take(&at, head.entry.len);
	h->keys = (uint32_t *)take(&at, h->n * sizeof(*h->keys));
	h->buckets = (struct histogram_bucket *)take(&at, h->n * sizeof(*h->buckets));
	run->cell.errors =
		(struct files_error *)take(&at, head.cell.n_errors * sizeof(*run->cell.errors));
	run->cell.pids = (uint32_t *)take(&at, head.cell.max_pids * sizeof(*run->cell.pids));
	files_sort_key(&run->sorted, &run->entry, runs->column);
	run->has = true;
	return 0;
}

bool files_runs_next(void *arg, struct files_entry *entry)
{
	struct files_runs *runs = arg;
	struct files_run *first = NULL;

	for (unsigned i = 0; i < runs->n && !runs->err; i++) {
		struct files_run *run = &runs->runs[i];

		/* the one that was given last, or all at first */
		if (!run->has)
			runs->err = advance(runs, run);
		if (run->has &&
		    (!first || files_sort_compare(&run->sorted, &first->sorted, runs->column) < 0))
			first = run;
	}
	if (!first || runs->err || (runs->top && runs->n_given == runs->top))
		return false;
	runs->n_given++;
	*entry = first->entry;
	first->has = false;
	return true;
}

void files_runs_close(struct files_runs *runs)
{
	for (unsigned i = 0; i < runs->n; i++)
		free(runs->runs[i].bytes);
	free(runs->runs);
	if (runs->open)
		close(runs->fd);
	*runs = (struct files_runs){ .n = 0 };
}
