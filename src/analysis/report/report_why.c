/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where operations spent their time, as a report shows it: the same numbers as those of `iotracer why`. */
#include "analysis/report/report_why.h"

#include <string.h>

#define PART(name, column, ...) { column, TABLE_NS, REPORT_SHOWN },
static const struct report_column columns[] = {
	{ "operation", TABLE_NAME, REPORT_SHOWN },
	{ "count", TABLE_COUNT, REPORT_SHOWN },
	{ "latency_ns", TABLE_NS, REPORT_SHOWN },
	WHY_EACH_PART(PART){ "wait_for", TABLE_NAME, REPORT_WIDE },
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]), FIRST_PART = 3 };

void report_add_why(struct report_answer *answer)
{
	struct report_section *section = report_section_add(answer, "why",
							    "where the time of operations went",
							    columns, N_COLUMNS);
	const struct why *why = &answer->report->why;

	if (!section)
		return;
	if (!why->has_servers)
		section->columns[FIRST_PART + WHY_SERVER_QUEUE].shown =
			section->columns[FIRST_PART + WHY_SERVER].shown = REPORT_EXACT;
	for (uint64_t i = 0; i < why->n_groups && (!answer->top || i < answer->top); i++) {
		const struct why_group *g = &why->groups[i];
		struct table_value *v = report_section_row(answer, section);

		if (!v)
			return;
		*v++ = table_text(g->name);
		*v++ = table_number(g->count);
		*v++ = table_number(g->latency);
		for (unsigned part = 0; part < WHY_PARTS; part++)
			*v++ = table_number(g->ns[part]);
		*v = table_text(g->wakers.n ? g->wakers.list[0].name : NULL);
	}
	section->n_all = why->n_groups;
}
