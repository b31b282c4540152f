/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which slow change was in progress during whose sync. */
#include "analysis/report/report_stalls.h"

#include <stdlib.h>
#include <string.h>

#include "row/effects.h"
#include "row/fs_ops.h"

static bool has_flag(const struct field *flags, const char *name)
{
	return flags->len && memmem(flags->text, flags->len, name, strlen(name));
}

/* What needs a part in the next commit; a read that is slow may have missed the cache. */
static bool changes(const struct field *f, unsigned effects)
{
	switch (f[FS_OPERATION].u) {
	case IOT_OPEN:
		return has_flag(&f[FS_FLAGS], "O_CREAT") || has_flag(&f[FS_FLAGS], "O_TRUNC");
	case IOT_SETATTR:
	case IOT_UNLINK:
	case IOT_TRUNCATE:
	case IOT_RENAME:
	case IOT_MKDIR:
	case IOT_RMDIR:
	case IOT_LINK:
	case IOT_SYMLINK:
	case IOT_FALLOCATE:
		return true;
	default:
		return effect_writes(effects);
	}
}

static struct report_item *kind_of(struct report_tally *tally, uint64_t device, const char *name,
				   size_t len)
{
	const struct report_key key = {
		.kind = REPORT_STALLED, .number = device, .name = name, .len = len
	};

	return report_item(tally, &key);
}

/* For at least half of its time */
static bool is_within(const struct report_stall_call *call, const struct report_stall_call *other)
{
	uint64_t from = call->from > other->from ? call->from : other->from;
	uint64_t to = call->to < other->to ? call->to : other->to;

	return from < to && (to - from) * 2 >= call->to - call->from;
}

/* The change is counted, once. */
static void match(struct report_tally *tally, struct report_stall_call *change,
		  const struct report_stall_call *sync)
{
	struct report_item *kind = change->kind;

	if (!kind || sync->device != change->device || sync->tid == change->tid ||
	    !is_within(change, sync))
		return;
	kind->values[REPORT_COUNT]++;
	kind->values[REPORT_QUEUE_NS] += change->to - change->from;
	report_item_label(tally, kind, sync->command, strlen(sync->command), change->from);
	change->kind = NULL;
}

static struct report_stall_call call_of(const struct field *f)
{
	struct report_stall_call call = { .from = f[REPORT_MONO].u,
					  .to = f[REPORT_MONO].u + f[FS_LATENCY].u,
					  .tid = f[FS_TID].u,
					  .device = f[FS_DEVICE].u };
	size_t len = f[REPORT_COMMAND].len;

	len = len < sizeof(call.command) ? len : sizeof(call.command) - 1;
	if (len)
		memcpy(call.command, f[REPORT_COMMAND].text, len);
	return call;
}

static void take_sync(struct report_tally *tally, const struct field *f)
{
	struct report_stalls *stalls = tally->stalls;
	struct report_stall_call *sync = &stalls->syncs[stalls->n_syncs++ % REPORT_STALL_CALLS];
	struct report_item *all = kind_of(tally, f[FS_DEVICE].u, "", 0);

	*sync = call_of(f);
	if (all)
		report_item_busy(tally, all, sync->from, sync->to);
	for (unsigned i = 0; i < REPORT_STALL_CALLS; i++)
		match(tally, &stalls->changes[i], sync);
}

static void take_change(struct report_tally *tally, const struct field *f)
{
	struct report_stalls *stalls = tally->stalls;
	struct report_stall_call *change =
		&stalls->changes[stalls->n_changes++ % REPORT_STALL_CALLS];

	*change = call_of(f);
	change->kind = kind_of(tally, change->device, f[FS_OPERATION].text, f[FS_OPERATION].len);
	if (change->kind)
		report_item_time(change->kind, change->to - change->from);
	for (unsigned i = 0; i < REPORT_STALL_CALLS; i++)
		match(tally, change, &stalls->syncs[i]);
}

/* What a write through the cache waits for is another thing than what one to the device does. */
static void count_write(struct report_tally *tally, struct report_item *process,
			const struct field *f)
{
	uint64_t *habits = process ? report_item_habits(tally, process) : NULL;
	const struct field *flags = &f[FS_FLAGS];
	bool direct = has_flag(flags, "O_DIRECT") || has_flag(flags, "O_SYNC") ||
		      has_flag(flags, "O_DSYNC");

	if (habits)
		habits[direct ? HABIT_SLOW_DIRECT_NS : HABIT_SLOW_NS] += f[FS_LATENCY].u;
}

void report_stalls_row(struct report_tally *tally, struct report_item *process,
		       const struct field *f, unsigned effects)
{
	if (!f[FS_DEVICE].known || !f[FS_TID].known ||
	    !is_file_or_disk(f[REPORT_PATH].text, f[REPORT_PATH].len))
		return;
	if (f[FS_OPERATION].u == IOT_WRITE)
		count_write(tally, process, f);
	if (!tally->stalls)
		tally->stalls = calloc(1, sizeof(*tally->stalls));
	if (!tally->stalls)
		tally->no_memory = true;
	else if (effects & SYNCS)
		take_sync(tally, f);
	else if (changes(f, effects))
		take_change(tally, f);
}
