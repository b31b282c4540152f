/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of a file: the value that each has in a cell, the way back, and how cells are added. */
#pragma once

#include "analysis/common/table.h"
#include "analysis/files/files_cell.h"
#include "row/parse.h"

enum files_sum_column {
#define COLUMN(id, ...) FILES_##id,
#include "analysis/files/files_columns.def"
	N_FILES_SUMS,
	N_FILES_SUM_COLUMNS = FILES_BYTES, /* --csv has those before */
};

/* Of all sums; those that cannot be asked for have no name. */
extern const struct table_column files_sum_columns[N_FILES_SUMS];
/* N_FILES_SUMS: no sum has that name. */
enum files_sum_column files_sum_find(const char *name);
/* One of the columns that are times, rather than durations. */
bool files_sum_is_time(enum files_sum_column column);
struct table_value files_sum_value(const struct files_cell *cell, enum files_sum_column column);
/* The way back from what files_sum_value said of a cell. */
void files_sums_set(struct files_cell *cell, const struct field fields[N_FILES_SUM_COLUMNS]);
/* So many rows of a file, and rows of all files that these stand for. */
struct files_ratio {
	uint64_t rows, stands;
};
/* value * stands / rows, rounded; without rows, value */
uint64_t files_scaled(uint64_t value, const struct files_ratio *by);
/* Sums of each kind of calls become those of what these stand for. */
void files_sums_scale(struct files_cell *cell, const struct files_ratio by[N_FILES_CALL_KINDS]);
void files_sums_add(struct files_cell *cell, const struct files_cell *other);
/* first_ns (0: none yet) and last_ns include the cell's calls. */
void files_sums_span(const struct files_cell *cell, uint64_t *first_ns, uint64_t *last_ns);
/* Bytes read and written. */
uint64_t files_sum_bytes(const struct files_cell *cell);
