/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of sums: all of them, and those that fit on a line. */
#pragma once

#include "analysis/files/files_printer.h"

/* The tables: their columns, and the rows of an entry. */
void files_sums_begin(struct files_printer *p);
void files_sums_print(struct files_printer *p, const struct files_entry *entry);
void files_people_begin(struct files_printer *p);
void files_people_print(struct files_printer *p, const struct files_entry *entry);
