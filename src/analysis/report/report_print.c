/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the exact forms of a report: CSV and JSON, with every section whole. */
#include "analysis/report/report_print.h"

#include <errno.h>
#include <string.h>

static int print_rows(FILE *out, const struct report_section *section, enum table_format format)
{
	struct table_column columns[REPORT_MAX_COLUMNS];
	struct table table;

	for (unsigned i = 0; i < section->n_columns; i++)
		columns[i] = (struct table_column){ section->columns[i].name,
						    section->columns[i].type };
	table_begin(&table, out, format, columns, section->n_columns);
	for (uint64_t i = 0; i < section->n && !ferror(out); i++)
		table_row(&table, &section->rows[i * section->n_columns]);
	return table_end(&table);
}

int report_print_section(FILE *out, const struct report_answer *answer, const char *name,
			 enum table_format format)
{
	const struct report_section *section = report_section(answer, name);

	return section ? print_rows(out, section, format) : 0;
}

/* ---- all in one CSV ---- */

static const struct table_column values[] = {
	{ "host", TABLE_NAME },   { "section", TABLE_NAME }, { "row", TABLE_COUNT },
	{ "column", TABLE_NAME }, { "value", TABLE_NAME },
};

enum { HOST, SECTION, ROW, COLUMN, VALUE, N_VALUES };

static void print_values(struct table *table, const struct report *report,
			 const struct report_section *section)
{
	struct table_value cells[N_VALUES];
	char number[TABLE_NUMBER_SIZE];

	cells[HOST] = report ? table_text(report->host) : table_text("");
	cells[SECTION] = table_text(section->name);
	for (uint64_t i = 0; i < section->n && !ferror(table->out); i++)
		for (unsigned c = 0; c < section->n_columns; c++) {
			const struct report_column *column = &section->columns[c];

			cells[ROW] = table_number(i + 1);
			cells[COLUMN] = table_text(column->name);
			cells[VALUE] = section->rows[i * section->n_columns + c];
			if (cells[VALUE].known && column->type != TABLE_NAME) {
				table_exact(number, table_type_of(column->type, &cells[VALUE]),
					    cells[VALUE].u);
				cells[VALUE] = table_text(number);
			}
			table_row(table, cells);
		}
}

int report_print_csv(FILE *out, const struct report_answer *const *answers, unsigned n)
{
	struct table table;

	table_begin(&table, out, TABLE_CSV, values, N_VALUES);
	for (unsigned i = 0; i < n; i++)
		for (unsigned s = 0; s < answers[i]->n; s++)
			print_values(&table, answers[i]->report, &answers[i]->sections[s]);
	return table_end(&table);
}

/* ---- JSON ---- */

static int print_gaps(FILE *out, const char *name, const struct report *report)
{
	json_t *list = json_array();
	int err = 0;

	for (unsigned i = 0; i < N_STREAMS; i++)
		if (report->on[i])
			json_array_append_new(list, gaps_json(&report->gaps[i]));
	fprintf(out, "  \"%s\": ", name);
	if (json_dumpf(list, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = -ENOMEM;
	json_decref(list);
	return err;
}

static int print_sections(FILE *out, const struct report_answer *answer, const char *section)
{
	int err = 0;

	for (unsigned i = 0; i < answer->n && !err; i++) {
		const struct report_section *s = &answer->sections[i];

		if (section && strcmp(section, s->name) != 0)
			continue;
		fprintf(out, ",\n  \"%s\": ", s->name);
		err = print_rows(out, s, TABLE_JSON);
	}
	fputs("\n}", out);
	return err;
}

static int print_answer(FILE *out, const struct report_answer *answer, const char *section)
{
	fputs("{\n", out);
	return print_gaps(out, "traces", answer->report) ?: print_sections(out, answer, section);
}

int report_print_changes_json(FILE *out, const struct report_answer *changes,
			      const struct report_answer *const answers[2], const char *section)
{
	int err;

	fputs("{\n", out);
	err = print_gaps(out, "before", answers[0]->report);
	fputs(",\n", out);
	if (!err)
		err = print_gaps(out, "after", answers[1]->report);
	if (!err)
		err = print_sections(out, changes, section);
	fputc('\n', out);
	return err;
}

int report_print_json(FILE *out, const struct report_answer *const *answers, unsigned n,
		      const char *section)
{
	int err = 0;

	fputs(n == 1 ? "" : "[\n", out);
	for (unsigned i = 0; i < n && !err; i++) {
		fputs(i ? ",\n" : "", out);
		err = print_answer(out, answers[i], section);
	}
	fputs(n == 1 ? "\n" : "\n]\n", out);
	return err;
}
