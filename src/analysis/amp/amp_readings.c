/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of several directories: at once, or, where one did not fit in memory, part by part. */
#include "analysis/amp/amp_readings.h"

#include <errno.h>
#include <stdlib.h>

static int add_all(struct amp_reading *readings, unsigned n, struct amp_groups *groups)
{
	for (unsigned i = 0; i < n; i++)
		if (amp_reading_add(&readings[i], groups))
			return -ENOMEM;
	amp_groups_sort(groups);
	return 0;
}

static int add_part(struct amp_reading *readings, unsigned n, unsigned part,
		    const struct amp_groups *groups, struct amp_runs *runs)
{
	struct amp_groups *some = calloc(1, sizeof(*some));
	int err = some ? 0 : -ENOMEM;

	for (unsigned i = 0; i < n && !err; i++)
		err = amp_reading_take(&readings[i], part);
	if (!err) {
		some->by = groups->by;
		some->interval_ns = groups->interval_ns;
		some->systems = groups->systems;
		err = add_all(readings, n, some);
	}
	if (!err && some->n)
		err = amp_runs_add(runs, some);
	if (some)
		amp_groups_free(some);
	free(some);
	return err;
}

int amp_readings_add(struct amp_reading *readings, unsigned n, struct amp_groups *groups,
		     struct amp_runs *runs)
{
	bool fit = true;
	int err = 0;

	for (unsigned i = 0; i < n; i++)
		fit = fit && !readings[i].spills;
	if (fit)
		return add_all(readings, n, groups);
	for (unsigned i = 0; i < n && !err; i++)
		err = amp_reading_spill(&readings[i]);
	/*
	 * a file is in the same part of every table, whichever thread of whichever reading
	 * put it aside
	 */
	for (unsigned part = 0; part < PARTS_N && !err; part++)
		err = add_part(readings, n, part, groups, runs);
	return err;
}
