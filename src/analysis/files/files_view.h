/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which table of the answer is to be printed, and how. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/host_paths.h"
#include "analysis/common/table.h"
#include "analysis/files/files_follow.h"

enum files_table { FILES_SUMS, FILES_HISTOGRAMS, FILES_ERRORS };

struct files_view {
	enum files_table table;
	enum table_format format;
	const char *sort; /* a column; NULL: bytes read and written */
	uint64_t top;     /* entries; 0: all */
	bool hosts;       /* there are several directories: tell them apart */
	bool wall;        /* times as those on the wall, instead of CLOCK_MONOTONIC */
	uint64_t interval_ns;
	struct host_paths *host_paths;             /* of each directory; NULL: not asked for */
	const struct files_follow *const *follows; /* the same; by identity */
};
