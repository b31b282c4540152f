/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several directories as one: all at once, or, where one did not fit in memory, part by part. */
#pragma once

#include "analysis/amp/amp_read.h"

/*
 * Those of all, sorted; of more files than fit in memory, in the runs instead. Returns 0 or -errno.
 */
int amp_readings_add(struct amp_reading *readings, unsigned n, struct amp_groups *groups,
		     struct amp_runs *runs);
