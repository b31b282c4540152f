/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what is judged by the pages of a file, from their sums alone. What came more often than the file has pages
 * came again; what came and was neither looked up nor written was for nothing. Both are
 * the least that it can have been.
 */
#include "analysis/report/report_find_memory.h"

#include <inttypes.h>

#include "analysis/common/units.h"

enum { KEPT = 8, EVIDENCE = 256 };

struct cached {
	const struct report_item *file;
	uint64_t pages; /* that are one finding or the other */
};

struct worst {
	struct cached list[KEPT];
	unsigned n;
};

static uint64_t less(uint64_t from, uint64_t part)
{
	return from > part ? from - part : 0;
}

static bool weighs_more(const struct cached *a, const struct cached *b)
{
	return a->pages != b->pages ? a->pages > b->pages : a->file->hash < b->file->hash;
}

static void keep(struct worst *worst, const struct report_item *file, uint64_t pages)
{
	const struct cached new = { file, pages };
	unsigned at = worst->n;

	while (at && weighs_more(&new, &worst->list[at - 1]))
		at--;
	if (at == KEPT)
		return;
	worst->n += worst->n < KEPT;
	for (unsigned i = worst->n - 1; i > at; i--)
		worst->list[i] = worst->list[i - 1];
	worst->list[at] = new;
}

/* Of all files, those that came by being written, too */
static uint64_t all_that_came(const struct report *r)
{
	const struct report_item *file = NULL;
	uint64_t pages = 0;

	while ((file = report_next(&r->tally, REPORT_CACHED, file)))
		pages += file->values[REPORT_MISSES];
	return pages;
}

/* ---- read again ---- */

/* Pages that were cut off or thrown away on purpose, or that came by being written, are none. */
static uint64_t came_again(const struct report_item *file)
{
	const uint64_t *v = file->values;
	uint64_t size = v[REPORT_MAX_NS], again;

	if (!size)
		return 0;
	again = less(less(v[REPORT_MISSES], size), v[REPORT_DIRTIED] + v[REPORT_DROPPED]);
	return again < v[REPORT_EVICTED] ? again : v[REPORT_EVICTED];
}

static void judge_cold(struct findings *f, const struct cached *cached, uint64_t all)
{
	const struct report_item *file = cached->file;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE], bytes[UNITS_SIZE], came[UNITS_SIZE],
		size[UNITS_SIZE];
	uint64_t page = read_session_page_size(&report_of(f)->session);

	snprintf(evidence, sizeof(evidence), "%s came into memory of a file of %s; %.0f %% again",
		 units_bytes(came, file->values[REPORT_MISSES] * page),
		 units_bytes(size, file->values[REPORT_MAX_NS] * page),
		 100 * (double)cached->pages / (double)file->values[REPORT_MISSES]);
	report_found(f,
		     &(struct finding){ .id = FINDING_COLD_CACHE,
					.share = (double)cached->pages / (double)all,
					.subject = file->name,
					.subject_len = file->name_len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section cache" },
		     "%s: %s left memory and were read again",
		     finding_name(name, file->name, file->name_len),
		     units_bytes(bytes, cached->pages * page));
}

void report_find_cold(struct findings *f)
{
	const struct report_item *file = NULL;
	struct worst worst = { .n = 0 };
	uint64_t all = all_that_came(report_of(f));

	while ((file = report_next(&report_of(f)->tally, REPORT_CACHED, file))) {
		uint64_t again = came_again(file);

		if (again && (double)again >= report_limit(f, LIMIT_COLD_PAGES) &&
		    (double)again >=
			    report_limit(f, LIMIT_COLD_SHARE) * (double)file->values[REPORT_MISSES])
			keep(&worst, file, again);
	}
	for (unsigned i = 0; i < worst.n; i++)
		judge_cold(f, &worst.list[i], all);
}

/* ---- read ahead ---- */

/* What a mapping uses is not looked up by a call; of what is written not all is counted on each kernel. */
static uint64_t never_used(const struct findings *f, const struct report_item *file)
{
	const struct report_key key = { .kind = REPORT_MAPPED,
					.name = file->name,
					.len = file->name_len };
	const uint64_t *v = file->values;

	if (!file->name_len || v[REPORT_DIRTIED] || report_find(&report_of(f)->tally, &key))
		return 0;
	return less(v[REPORT_MISSES], v[REPORT_HITS]);
}

static void judge_ahead(struct findings *f, const struct cached *cached, uint64_t all)
{
	const struct report_item *file = cached->file;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE], bytes[UNITS_SIZE], came[UNITS_SIZE],
		used[UNITS_SIZE];
	uint64_t page = read_session_page_size(&report_of(f)->session);

	snprintf(evidence, sizeof(evidence), "%s came into memory, %s or less was used",
		 units_bytes(came, file->values[REPORT_MISSES] * page),
		 units_bytes(used, file->values[REPORT_HITS] * page));
	report_found(f,
		     &(struct finding){ .id = FINDING_READAHEAD_WASTE,
					.share = (double)cached->pages / (double)all,
					.subject = file->name,
					.subject_len = file->name_len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section cache" },
		     "%s: %s were read ahead and not used",
		     finding_name(name, file->name, file->name_len),
		     units_bytes(bytes, cached->pages * page));
}

void report_find_ahead(struct findings *f)
{
	const struct report *r = report_of(f);
	const struct report_item *file = NULL;
	struct worst worst = { .n = 0 };
	uint64_t all = all_that_came(r);

	/* without calls, mappings are not known; without lookups, nothing is used */
	if (!r->on[STREAM_fs] || !r->on[STREAM_cache] || !report_sees(r, STREAM_cache, "HIT") ||
	    !report_sees(r, STREAM_fs, "MMAP"))
		return;
	while ((file = report_next(&r->tally, REPORT_CACHED, file))) {
		uint64_t pages = never_used(f, file);

		/* who uses nothing at all asked for it by another way */
		if (pages && file->values[REPORT_HITS] &&
		    (double)pages >= report_limit(f, LIMIT_AHEAD_PAGES) &&
		    (double)pages >= report_limit(f, LIMIT_AHEAD_SHARE) *
					     (double)file->values[REPORT_MISSES])
			keep(&worst, file, pages);
	}
	for (unsigned i = 0; i < worst.n; i++)
		judge_ahead(f, &worst.list[i], all);
}
