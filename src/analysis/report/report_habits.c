/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which call counts as which habit. Judges none of them: report_findings.c does. */
#include "analysis/report/report_habits.h"

#include <errno.h>

#include "analysis/common/hash.h"
#include "row/effects.h"
#include "row/fs_ops.h"

/* habits: from the first of its direction on */
static void count_size(uint64_t *habits, uint64_t bytes, uint64_t ns)
{
	if (!bytes || bytes >= REPORT_SMALL)
		return;
	habits[HABIT_SMALL]++;
	habits[HABIT_SMALL_BYTES] += bytes;
	habits[HABIT_SMALL_NS] += ns;
	if (bytes == 1) {
		habits[HABIT_BYTE]++;
		habits[HABIT_BYTE_NS] += ns;
	}
}

static void count_lookup(uint64_t *habits, bool missing, uint64_t ns)
{
	habits[HABIT_LOOKUPS]++;
	if (missing) {
		habits[HABIT_MISSING]++;
		habits[HABIT_MISSING_NS] += ns;
	}
}

/* By name: the same file again and again is another habit than each file once. Of others neither is known. */
static void count_stat(struct report_tally *tally, struct report_item *process,
		       const struct field *path, uint64_t ns)
{
	struct report_distinct *names = report_item_distinct(tally, process);

	if (!names || !path->len)
		return;
	process->habits[HABIT_STATS]++;
	process->habits[HABIT_STATS_NS] += ns;
	report_distinct_add(names, hash_text(0, path->text, path->len));
}

static void count_moved(uint64_t *habits, const struct field *f, unsigned effects, uint64_t ns)
{
	const struct field *path = &f[REPORT_PATH];

	/* pipes and sockets wait for others: that is no time of files */
	if (!is_file_or_disk(path->text, path->len))
		return;
	if (effects & (READS | SYNCS) || effect_writes(effects))
		habits[HABIT_IO_NS] += ns;
	if (effects & SYNCS) {
		habits[HABIT_SYNCS]++;
		habits[HABIT_SYNC_NS] += ns;
	}
	if (effects & LOCKS) {
		habits[HABIT_LOCKS]++;
		habits[HABIT_LOCK_NS] += ns;
	}
	if (f[FS_RESULT].s <= 0)
		return;
	if (effect_reads(effects))
		count_size(habits, f[FS_RESULT].u, ns);
	if (effect_writes(effects))
		count_size(habits + HABIT_WRITE, f[FS_RESULT].u, ns);
}

void report_habits_row(struct report_tally *tally, struct report_item *process,
		       const struct field *f, unsigned effects)
{
	uint64_t ns = f[FS_LATENCY].known ? f[FS_LATENCY].u : 0;
	bool failed = f[FS_RESULT].s < 0;
	uint64_t *habits = process ? report_item_habits(tally, process) : NULL;

	if (!habits)
		return;
	switch (f[FS_OPERATION].u) {
	case IOT_OPEN:
		habits[HABIT_OPENS] += !failed;
		count_lookup(habits, f[FS_RESULT].s == -ENOENT, ns);
		break;
	case IOT_CLOSE:
		/* without a call it is the end of the process that closed it */
		habits[HABIT_CLOSES] += f[FS_CALL].len > 0;
		break;
	case IOT_GETATTR:
		count_lookup(habits, f[FS_RESULT].s == -ENOENT, ns);
		if (!failed)
			count_stat(tally, process, &f[REPORT_PATH], ns);
		break;
	default:
		count_moved(habits, f, effects, ns);
	}
}
