/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice of a table, and the walk over its entries. */
#include "analysis/files/files_print.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "analysis/files/files_parts.h"
#include "analysis/files/files_printer.h"
#include "analysis/files/files_sort.h"
#include "analysis/files/files_sums.h"

static const struct {
	void (*begin)(struct files_printer *p);
	void (*print)(struct files_printer *p, const struct files_entry *entry);
} tables[] = {
	[FILES_SUMS] = { files_sums_begin, files_sums_print },
	[FILES_HISTOGRAMS] = { files_histograms_begin, files_histograms_print },
	[FILES_ERRORS] = { files_errors_begin, files_errors_print },
};

json_t *files_print_schema(const struct files_answer *answer, const struct files_view *view)
{
	struct files_printer p = { .answer = answer, .view = view };
	json_t *fields = json_array();

	tables[view->table].begin(&p);
	for (unsigned i = 0; i < p.n_columns; i++)
		json_array_append_new(fields,
				      json_pack("{s:s, s:s}", "name", p.columns[i].name, "type",
						table_type_name(p.columns[i].type)));
	return json_pack("{s:o}", "fields", fields);
}

static int print_each(struct files_printer *p, FILE *out, files_next_fn *next, void *arg)
{
	const struct files_view *view = p->view;
	bool people = view->format == TABLE_TEXT && view->table == FILES_SUMS;
	struct files_entry entry;

	if (people)
		files_people_begin(p);
	else
		tables[view->table].begin(p);
	table_begin(&p->table, out, view->format, p->columns, p->n_columns);
	while (!ferror(out) && next(arg, &entry))
		if (people)
			files_people_print(p, &entry);
		else
			tables[view->table].print(p, &entry);
	return table_end(&p->table);
}

int files_print_each(FILE *out, const struct files_answer *answer, const struct files_view *view,
		     files_next_fn *next, void *arg)
{
	const struct wall none = { .session = NULL };
	struct files_printer p = { .answer = answer, .view = view, .walls = &none };

	return print_each(&p, out, next, arg);
}

struct sorted_walk {
	const struct files_sorted *at, *end;
};

static bool next_sorted(void *arg, struct files_entry *entry)
{
	struct sorted_walk *walk = arg;

	if (walk->at == walk->end)
		return false;
	*entry = *walk->at++->entry;
	return true;
}

int files_print_walls(FILE *out, const struct files_answer *answer, const struct files_view *view,
		      const struct read_session *const *sessions, unsigned n_sessions,
		      files_next_fn *next, void *arg)
{
	struct wall *walls = calloc(n_sessions + 1, sizeof(*walls));
	struct files_printer p = { .answer = answer, .view = view, .walls = walls };
	int err = -ENOMEM;

	for (unsigned i = 0; walls && i < n_sessions; i++)
		wall_make(&walls[i], sessions[i]);
	if (walls)
		err = print_each(&p, out, next, arg);
	free(walls);
	return err;
}

int files_print(FILE *out, const struct files_answer *answer, const struct files_view *view,
		const struct read_session *const *sessions, unsigned n_sessions)
{
	struct files_sorted *sorted = files_sort(answer, view->sort);
	uint64_t n = view->top && view->top < answer->n ? view->top : answer->n;
	struct sorted_walk walk = { sorted, sorted + n };
	int err = -ENOMEM;

	if (sorted)
		err = files_print_walls(out, answer, view, sessions, n_sessions, next_sorted,
					&walk);
	free(sorted);
	return err;
}
