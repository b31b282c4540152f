/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the tables of sums: all of them, and those that fit on a line for people. */
#include "analysis/files/files_sums.h"

#include <stdio.h>
#include <string.h>

#include "analysis/files/files_columns.h"

static void put_commands(const struct files_cell *cell, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < FILES_COMMANDS && cell->commands[i].name; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? " " : "",
				      cell->commands[1].name ? 64 : 256, cell->commands[i].name);
	if (cell->more_commands)
		snprintf(out + n, size - n, " …");
}

void files_sums_begin(struct files_printer *p)
{
	p->n_columns = files_identity_columns(p->answer, p->view, true, p->columns);
	for (int i = 0; i < N_FILES_SUM_COLUMNS; i++)
		files_printer_column(p, files_sum_columns[i].name,
				     files_sum_is_time((enum files_sum_column)i) && p->view->wall ?
					     TABLE_NAME :
					     files_sum_columns[i].type);
	files_printer_column(p, "commands", TABLE_NAME);
}

void files_sums_print(struct files_printer *p, const struct files_entry *entry)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	char times[N_FILES_SUM_COLUMNS + 1][WALL_TEXT_SIZE], commands[320];
	unsigned n = p->n_columns - N_FILES_SUM_COLUMNS - 1;

	files_identity_values(p->answer, p->view, p->walls, entry, true, times[N_FILES_SUM_COLUMNS],
			      values);
	for (int i = 0; i < N_FILES_SUM_COLUMNS; i++) {
		struct table_value value = files_sum_value(entry->cell, (enum files_sum_column)i);

		if (value.known && files_sum_is_time((enum files_sum_column)i))
			value = files_time_value(p->view, &p->walls[entry->source], value.u,
						 times[i]);
		values[n++] = value;
	}
	put_commands(entry->cell, commands, sizeof(commands));
	values[n] = (struct table_value){ .known = commands[0] != '\0',
					  .text = commands,
					  .len = strlen(commands) };
	table_row(&p->table, values);
}

/* ---- sums for people ---- */

static const struct {
	const char *name;
	enum files_sum_column sum;
} people[] = {
	{ "reads", FILES_READS },          { "read", FILES_READ_BYTES },
	{ "seq", FILES_READ_SEQUENTIAL },  { "mean", FILES_READ_MEAN },
	{ "writes", FILES_WRITES },        { "written", FILES_WRITE_BYTES },
	{ "seq", FILES_WRITE_SEQUENTIAL }, { "mean", FILES_WRITE_MEAN },
	{ "rewrites", FILES_REWRITES },    { "syncs", FILES_SYNCS },
	{ "errors", FILES_FAILURES },
};

enum { N_PEOPLE = sizeof(people) / sizeof(people[0]) };

/* The column that rows are sorted by, if it is another one of --csv: it stands first. N_FILES_SUM_COLUMNS: none. */
static unsigned sorted_by(const struct files_view *view)
{
	unsigned column = view->sort ? files_sum_find(view->sort) : N_FILES_SUM_COLUMNS;

	for (unsigned i = 0; i < N_PEOPLE; i++)
		if (people[i].sum == column)
			return N_FILES_SUM_COLUMNS;
	return column < N_FILES_SUM_COLUMNS ? column : N_FILES_SUM_COLUMNS;
}

/* What fits on a line, and answers most questions; the rest is in the other formats. */
void files_people_begin(struct files_printer *p)
{
	struct table_column identity[FILES_MAX_IDENTITY];
	unsigned n = files_identity_columns(p->answer, p->view, false, identity);

	p->sorted_by = sorted_by(p->view);
	if (p->sorted_by < N_FILES_SUM_COLUMNS)
		files_printer_column(p, files_sum_columns[p->sorted_by].name,
				     files_sum_columns[p->sorted_by].type);
	for (unsigned i = 0; i < N_PEOPLE; i++)
		files_printer_column(p, people[i].name, files_sum_columns[people[i].sum].type);
	for (unsigned i = 0; i < n; i++)
		files_printer_column(p, identity[i].name, identity[i].type);
}

void files_people_print(struct files_printer *p, const struct files_entry *entry)
{
	const struct files_cell *cell = entry->cell;
	char time[WALL_TEXT_SIZE];
	struct table_value values[TABLE_MAX_COLUMNS], *v = values;

	if (p->sorted_by < N_FILES_SUM_COLUMNS)
		*v++ = files_sum_value(cell, (enum files_sum_column)p->sorted_by);
	for (unsigned i = 0; i < N_PEOPLE; i++)
		*v++ = files_sum_value(cell, people[i].sum);
	files_identity_values(p->answer, p->view, p->walls, entry, false, time, v);
	table_row(&p->table, values);
}
