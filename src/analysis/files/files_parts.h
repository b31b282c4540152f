/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables with several rows for a file: errors and histograms. */
#pragma once

#include "analysis/files/files_printer.h"

extern const char *const files_metrics[N_FILES_METRICS + 1]; /* ended by NULL */
/* By metric, call and bucket, as many as the cell's histogram has; free it. */
struct files_bucket *files_buckets(const struct files_entry *entry);

void files_errors_begin(struct files_printer *p);
void files_errors_print(struct files_printer *p, const struct files_entry *entry);
void files_histograms_begin(struct files_printer *p);
void files_histograms_print(struct files_printer *p, const struct files_entry *entry);
