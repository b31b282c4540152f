/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the histograms that people look at: a bar for each bucket. */
#include "analysis/files/files_draw.h"

#include "analysis/files/files_parts.h"
#include "analysis/files/files_printer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/units.h"
#include "analysis/files/files_sort.h"
#include "base/plain.h"

enum { BAR_WIDTH = 40 };

/* In eighths of a character. */
static void draw_bar(FILE *out, uint64_t count, uint64_t most)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned eighths = (unsigned)((double)count / (double)most * BAR_WIDTH * 8 + 0.5);

	for (unsigned i = 0; i < eighths / 8; i++)
		fputs("█", out);
	fputs(eighths ? parts[eighths % 8] : parts[1], out);
}

static void draw_bucket(FILE *out, const struct files_bucket *b, uint64_t most)
{
	bool time = b->metric >= FILES_READ_LATENCY;
	char from[UNITS_SIZE], to[UNITS_SIZE] = "…";
	uint64_t end;

	if (histogram_to(b->bucket, &end))
		(time ? units_ns : units_bytes)(to, b->bucket ? end : 1);
	fprintf(out, "  %10s %10s %10" PRIu64 "  ",
		(time ? units_ns : units_bytes)(from, histogram_from(b->bucket)), to,
		b->value->count);
	draw_bar(out, b->value->count, most);
	fputc('\n', out);
}

/* Buckets of one metric and call, from at on; returns the next one. */
static unsigned draw_metric(FILE *out, const struct files_bucket *named, unsigned at, unsigned n)
{
	uint64_t most = 1;
	unsigned end = at;

	for (; end < n && named[end].metric == named[at].metric &&
	       !strcmp(named[end].call, named[at].call);
	     end++)
		if (named[end].value->count > most)
			most = named[end].value->count;
	fprintf(out, "\n%s%s%s\n  %10s %10s %10s\n", files_metrics[named[at].metric],
		named[at].call[0] ? " of " : "", named[at].call, "from", "to", "count");
	for (; at < end; at++)
		draw_bucket(out, &named[at], most);
	return end;
}

static bool draw_entry(FILE *out, const struct files_entry *entry, bool first)
{
	struct files_bucket *named = files_buckets(entry);

	if (!named)
		return false;
	fputs(first ? "" : "\n", out);
	plain_write(out, entry->name, entry->len);
	if (entry->comm || entry->pid)
		fputs(" of ", out);
	if (entry->comm)
		plain_write(out, entry->comm, strlen(entry->comm));
	if (entry->pid)
		fprintf(out, "%" PRIu64, entry->pid);
	fputc('\n', out);
	for (unsigned at = 0; at < entry->cell->histogram.n;)
		at = draw_metric(out, named, at, entry->cell->histogram.n);
	free(named);
	return true;
}

int files_draw_each(FILE *out, files_next_fn *next, void *arg)
{
	struct files_entry entry;

	for (bool first = true; !ferror(out) && next(arg, &entry); first = false)
		if (!draw_entry(out, &entry, first))
			return -ENOMEM;
	return 0;
}

int files_draw(FILE *out, const struct files_answer *answer, const struct files_view *view)
{
	struct files_sorted *sorted = files_sort(answer, view->sort);
	uint64_t n = view->top && view->top < answer->n ? view->top : answer->n;

	for (uint64_t i = 0; sorted && i < n && !ferror(out); i++)
		if (!draw_entry(out, sorted[i].entry, !i))
			break;
	free(sorted);
	return sorted ? 0 : -ENOMEM;
}
