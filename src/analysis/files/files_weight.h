/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file counts as among others of which --budget left out some, and how sure sums over such files are. */
#pragma once

#include "analysis/files/files_cell.h"

/*
 * What a file stands for, when it is added up with others; its errors are estimates, too. False
 * without memory. processes and commands are those of cell.
 */
bool files_cell_weighted(struct files_cell *weighted, const struct files_cell *cell);
void files_cell_weighted_free(struct files_cell *weighted);

/* Of sums over files, when some stand for others: how far they may be from those of all files. */
struct files_estimate {
	double calls, bytes;
	double calls_2, both, bytes_2; /* variances and covariance */
};
void files_estimate_add(struct files_estimate *estimate, const struct files_cell *cell);
/* Standard errors: of a share of all calls at most, in points; of all bytes, in per cent of these */
double files_estimate_share(const struct files_estimate *estimate);
double files_estimate_bytes(const struct files_estimate *estimate);
