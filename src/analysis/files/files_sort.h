/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of entries. */
#pragma once

#include "analysis/files/files_printer.h"
#include "analysis/files/files_view.h"

/* No columns of a table: by name, then by whatever else tells them apart; and by what is added up. */
#define FILES_ORDER_NAME "name"
#define FILES_ORDER_KEY "key"

/* Whether the view has such a column to sort by. */
bool files_print_sorts_by(const struct files_answer *answer, const struct files_view *view,
			  const char *column);

/* All entries of the answer; free it. NULL without memory. */
struct files_sorted *files_sort(const struct files_answer *answer, const char *column);

/* The same for one entry, and which of two comes first. */
void files_sort_key(struct files_sorted *sorted, const struct files_entry *entry,
		    const char *column);
int files_sort_compare(const struct files_sorted *a, const struct files_sorted *b,
		       const char *column);
/* Their names alone: those of two traces, for example. */
int files_name_compare(const struct files_entry *a, const struct files_entry *b);
