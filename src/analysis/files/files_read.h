/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of files of a directory: its fs rows, read by several threads, into models. */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/common/rows_seen.h"
#include "analysis/files/files_reading.h"

/*
 * Reads dir, which stays the caller's. Returns 0, -EINVAL (a time of the filter,
 * reported) or what a directory that cannot be read gives (reported). To be
 * closed in any case.
 */
int files_reading_open(struct files_reading *reading, const char *dir,
		       const struct row_filter *filter, const struct files_options *options);
void files_reading_close(struct files_reading *reading);
