/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How each file is used: rows of fs, one at a time and in time order, become
 * sums and histograms for each file (mount namespace and path). The same for
 * rows of a directory and for those of a recording that is under way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/files/files_used.h"

/* A zeroed model with its options is ready. */
void files_feed(struct files_model *model, const struct files_row *row);
/* After the last row: what is open ends here. */
void files_end(struct files_model *model);
/* In between: runs that are going on count as if they ended here, until they are hidden again. */
void files_show_runs(struct files_model *model, bool shown);
/* What it takes, about. */
uint64_t files_bytes(const struct files_model *model);
/* Without files, for others that have the same calls and names. */
void files_reset(struct files_model *model);
void files_free(struct files_model *model);
