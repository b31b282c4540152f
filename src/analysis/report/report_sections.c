/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sections are made of: rows of values in the memory of their answer. */
#include "analysis/report/report_sections.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "base/clock.h"
#include "read/members.h"

struct report_section *report_section_add(struct report_answer *answer, const char *name,
					  const char *title, const struct report_column *columns,
					  unsigned n_columns)
{
	struct report_section *section = &answer->sections[answer->n++];

	*section = (struct report_section){ .name = name, .title = title };
	section->n_columns = n_columns;
	memcpy(section->columns, columns, n_columns * sizeof(*columns));
	return section;
}

struct table_value *report_section_row(struct report_answer *answer, struct report_section *section)
{
	size_t size = section->n_columns * sizeof(*section->rows);

	if (!grow(&section->rows, &section->max, section->n + 1, 16, size)) {
		answer->no_memory = true;
		return NULL;
	}
	section->n_all++;
	memset(&section->rows[section->n * section->n_columns], 0, size);
	return &section->rows[section->n++ * section->n_columns];
}

void report_pairs_add(struct report_answer *answer, const char *name, const char *title,
		      const char *second)
{
	const struct report_column columns[] = { { "name", TABLE_NAME, REPORT_SHOWN },
						 { second, TABLE_NAME, REPORT_WIDE } };

	report_section_add(answer, name, title, columns, 2);
}

void report_say(struct report_answer *answer, const char *name, const char *format, ...)
{
	struct table_value *row = report_section_row(answer, &answer->sections[answer->n - 1]);
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		answer->no_memory = true;
	va_end(ap);
	if (row) {
		row[0] = table_text(name);
		row[1] = report_copy(answer, text);
	}
	free(text);
}

struct table_value report_copy(struct report_answer *answer, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	const char *copy = len ? pool_text(&answer->pool, text, len) : "";

	if (!copy) {
		answer->no_memory = true;
		len = 0;
	}
	return table_bytes(copy, len);
}

bool report_knows_errors(const struct report *report, enum stream_id stream)
{
	static const char *const columns[] = { "return_value", "error", "error_code", "result" };
	const struct gaps *gaps = &report->gaps[stream];

	if (!schema_has(stream, HAS_RESULT) && stream != STREAM_iouring)
		return false;
	for (unsigned i = 0; i < gaps->n_columns; i++)
		for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
			if (!strcmp(gaps->columns[i], columns[j]))
				return false;
	return true;
}

bool report_sees(const struct report *report, enum stream_id stream, const char *operation)
{
	const json_t *item, *plan = json_object_get(report->session.manifest, "plan");
	bool listed = false;
	size_t i;

	json_array_foreach(plan, i, item)
	{
		const char *of = member_text(item, "stream"), *its = member_text(item, "operation");

		if (!of || !its || strcmp(of, streams[stream].name) || strcmp(its, operation))
			continue;
		if (member_text(item, "chosen"))
			return true;
		listed = true;
	}
	return !listed;
}

double report_seconds(const struct report *report)
{
	uint64_t ns = report->last_ns - report->first_ns;

	return (double)(ns ? ns : 1) / (double)NS_PER_S;
}

const struct report_section *report_section(const struct report_answer *answer, const char *name)
{
	for (unsigned i = 0; i < answer->n; i++)
		if (!strcmp(answer->sections[i].name, name))
			return &answer->sections[i];
	return NULL;
}

const struct table_value *report_cell(const struct report_section *section, uint64_t row,
				      const char *column)
{
	for (unsigned i = 0; i < section->n_columns; i++)
		if (!strcmp(section->columns[i].name, column))
			return &section->rows[row * section->n_columns + i];
	return NULL;
}
