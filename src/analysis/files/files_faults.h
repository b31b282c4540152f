/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of pagefault as what they are to the file: bytes that came into a process, and bytes that it made dirty. */
#pragma once

#include "analysis/common/rows_seen.h"
#include "analysis/files/files_model.h"

/* The columns of pagefault; returns how many. */
unsigned files_fault_columns(struct read_column columns[LAYOUT_MAX_COLUMNS]);
extern const struct column_meaning files_fault_meanings[];
/* page_size: that of the traced machine. Returns 1, or 0 for a fault that has no file or no mapping. */
unsigned files_fault_row(const struct field *fields, uint64_t page_size, struct files_row *row);
