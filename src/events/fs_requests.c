/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides by the plan which operations of stream fs no probe of its own sees when io_uring does them. */
#include "events/fs_requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "plan/plan.h"
#include "row/records.h"

static bool has_probe(const struct plan *plan, const struct plan_choice *choice, const char *target)
{
	for (unsigned i = 0; choice->chosen && i < choice->n_probes; i++)
		if (!strcmp(plan->probes[choice->probes[i]].target, target))
			return true;
	return false;
}

/* Syncs of rings do not pass the functions of calls; vfs_fsync_range they do pass. */
static bool is_seen(const struct plan *plan, unsigned op)
{
	const struct plan_choice *choice;

	if (op == IOT_SYNC_FILE_RANGE)
		return false;
	if (op == IOT_FSYNC) {
		choice = plan_find(plan, CAP_FS_FSYNC);
		return choice && has_probe(plan, choice, "vfs_fsync_range");
	}
	choice = plan_find(plan, op == IOT_READ ? CAP_FS_READ_IO_URING : CAP_FS_WRITE_IO_URING);
	return choice && choice->chosen;
}

uint64_t fs_of_requests(const struct plan *plan)
{
	static const unsigned ops[] = { IOT_READ, IOT_WRITE, IOT_FSYNC, IOT_SYNC_FILE_RANGE };
	const struct plan_choice *completions = plan_find(plan, CAP_IOURING_COMPLETE);
	uint64_t set = 0;

	_Static_assert((int)IOT_N_OPS <= 64, "a bit for each operation");
	if (!completions || !completions->wanted || !completions->chosen)
		return 0;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!is_seen(plan, ops[i]))
			set |= 1ull << ops[i];
	return set;
}
