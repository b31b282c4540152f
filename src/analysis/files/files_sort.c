/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of entries: by a column, then by what they are. */
#include "analysis/files/files_sort.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/files/files_columns.h"

static const char *first_command(const struct files_cell *cell)
{
	return cell->commands[0].name ? cell->commands[0].name : "";
}

bool files_print_sorts_by(const struct files_answer *answer, const struct files_view *view,
			  const char *column)
{
	struct table_column columns[FILES_MAX_IDENTITY];
	unsigned n = files_identity_columns(answer, view, true, columns);

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(columns[i].name, column))
			return true;
	return files_sum_find(column) < N_FILES_SUMS || !strcmp(column, "commands");
}

void files_sort_key(struct files_sorted *sorted, const struct files_entry *entry,
		    const char *column)
{
	enum files_sum_column sum = column ? files_sum_find(column) : FILES_BYTES;
	struct table_value value;

	*sorted = (struct files_sorted){ .entry = entry, .known = true };
	if (sum < N_FILES_SUMS) {
		value = files_sum_value(entry->cell, sum);
		sorted->known = value.known;
		sorted->number = value.u;
	} else if (!strcmp(column, "commands")) {
		sorted->text = first_command(entry->cell);
	} else if ((!strcmp(column, "comm") || !strcmp(column, "container")) && entry->comm) {
		sorted->text = entry->comm;
	} else if (!strcmp(column, "pid")) {
		sorted->number = entry->pid;
	} else if (!strcmp(column, "inode")) {
		sorted->number = entry->inode;
	} else if (!strcmp(column, "device")) {
		sorted->number = entry->number ? entry->number : entry->device;
	}
	/* all others are those of the order by identity, which comes next anyway */
}

static int compare(const void *a, const void *b)
{
	const struct files_sorted *x = a, *y = b;
	int order = x->text ? strcmp(x->text, y->text) : 0;

	if (order)
		return order;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	return files_identity_compare(x->entry, y->entry);
}

int files_name_compare(const struct files_entry *a, const struct files_entry *b)
{
	return compare_text(a->name, a->len, b->name, b->len);
}

static int compare_names(const void *a, const void *b)
{
	const struct files_entry *x = ((const struct files_sorted *)a)->entry,
				 *y = ((const struct files_sorted *)b)->entry;
	int order = files_name_compare(x, y);

	return order ? order : files_identity_compare(x, y);
}

static int compare_keys(const void *a, const void *b)
{
	return files_key_compare(((const struct files_sorted *)a)->entry,
				 ((const struct files_sorted *)b)->entry);
}

typedef int compare_fn(const void *a, const void *b);

static compare_fn *order_of(const char *column)
{
	if (column && !strcmp(column, FILES_ORDER_NAME))
		return compare_names;
	if (column && !strcmp(column, FILES_ORDER_KEY))
		return compare_keys;
	return compare;
}

int files_sort_compare(const struct files_sorted *a, const struct files_sorted *b,
		       const char *column)
{
	return order_of(column)(a, b);
}

struct files_sorted *files_sort(const struct files_answer *answer, const char *column)
{
	struct files_sorted *sorted = malloc((answer->n ? answer->n : 1) * sizeof(*sorted));

	for (uint64_t i = 0; sorted && i < answer->n; i++)
		files_sort_key(&sorted[i], &answer->entries[i], column);
	if (sorted)
		qsort(sorted, answer->n, sizeof(*sorted), order_of(column));
	return sorted;
}
