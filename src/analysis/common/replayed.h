/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `iotracer fio` repeats of a trace: which files, each with its name there and that of its copy (names.csv), and
 * which of their calls. A trace and that of its replay are compared by these alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/hash_index.h"
#include "analysis/common/pool.h"

enum replayed_side { REPLAYED_TRACE, REPLAYED_COPY, N_REPLAYED_SIDES };

struct replayed_file {
	const char *names[N_REPLAYED_SIDES];
	uint32_t len[N_REPLAYED_SIDES];
};

/* All zero is empty. */
struct replayed {
	struct replayed_file *list;
	uint64_t n, max;
	struct hash_index by_name[N_REPLAYED_SIDES];
	struct pool pool;
};

/* Of the directory of the jobs. Returns 0 or -errno, reported. */
int replayed_read(struct replayed *replayed, const char *jobs);
/* Number of the file that is called so on that side; -1: none. */
int64_t replayed_find(const struct replayed *replayed, enum replayed_side side, const char *name,
		      size_t len);
/* Whether fio's logs have that call; effects: fs_row_effects(). */
bool replayed_call(unsigned op, unsigned effects, int64_t result);
void replayed_free(struct replayed *replayed);
