/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of files from the tables that a recording without rows keeps (--no-rows):
 * summary/files.csv, file_histograms.csv and file_errors.csv. What they say by file is
 * what stands there; what the tables do not have, nobody can tell.
 */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/files/files_model.h"

struct files_tables {
	uint64_t first_ns; /* of the calls that are shown, 0: none */
	uint64_t last_ns;
	uint64_t n_bad; /* malformed rows, skipped */
};

/* Why the tables cannot answer; NULL: they can. Of the filter, path alone is possible. */
const char *files_tables_refuse(const struct row_filter *filter,
				const struct files_options *options);
/* Of the directory dir. Returns 0 or -errno (reported). */
int files_tables_read(struct files_tables *tables, struct files_model *model, const char *dir,
		      const struct row_filter *filter);
