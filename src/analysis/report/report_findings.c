/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of checks, the order of what they found, and the section. */
#include "analysis/report/report_findings.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/report/report_find_devices.h"
#include "analysis/report/report_find_files.h"
#include "analysis/report/report_find_memory.h"
#include "analysis/report/report_find_processes.h"
#include "analysis/report/report_find_rest.h"

static finding_check *const checks[] = {
	report_find_errors,     report_find_in_programs, report_find_leaks,
	report_find_in_files,   report_find_starved,     report_find_serial,
	report_find_devices,    report_find_amplified,   report_find_swapping,
	report_find_punted,     report_find_overflowed,  report_find_faults,
	report_find_idle_polls, report_find_retransmits, report_find_refused,
	report_find_lost,       report_find_stats,       report_find_submitters,
	report_find_tiny_sends, report_find_cold,        report_find_ahead,
	report_find_held,       report_find_stalled,     report_find_throttled,
};

/* What costs most comes first. */
static int compare(const void *x, const void *y)
{
	const struct found *a = x, *b = y;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return compare_text(a->subject.text, a->subject.len, b->subject.text, b->subject.len);
}

void report_begin_findings(struct report_answer *answer)
{
	static const struct report_column columns[] = {
		{ "id", TABLE_NAME, REPORT_SHOWN },      { "severity", TABLE_NAME, REPORT_SHOWN },
		{ "share", TABLE_SHARE, REPORT_SHOWN },  { "subject", TABLE_NAME, REPORT_EXACT },
		{ "text", TABLE_NAME, REPORT_WIDE },     { "evidence", TABLE_NAME, REPORT_EXACT },
		{ "command", TABLE_NAME, REPORT_EXACT },
	};

	report_section_add(answer, "findings", "what is wrong", columns, 7);
}

void report_add_findings(struct report_answer *answer)
{
	struct report_section *section = &answer->sections[0];
	struct findings f = { .answer = answer };

	for (size_t i = 0; answer->report->rows && i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&f);
	if (f.n)
		qsort(f.list, f.n, sizeof(*f.list), compare);
	for (uint64_t i = 0;
	     i < f.n && (!answer->top || i < answer->top || answer->report->compared); i++) {
		struct table_value *row = report_section_row(answer, section);

		if (!row)
			break;
		row[0] = table_text(finding_rules[f.list[i].id].id);
		row[1] = table_text(finding_severities[f.list[i].severity]);
		row[2] = table_share((uint64_t)(f.list[i].share * 1e6), 1000000);
		row[3] = f.list[i].subject;
		row[4] = f.list[i].text;
		row[5] = f.list[i].evidence;
		row[6] = f.list[i].command;
	}
	section->n_all = f.n;
	free(f.list);
}

int report_worst(const struct report_answer *answer)
{
	const struct report_section *section = report_section(answer, "findings");

	for (int i = FINDING_HIGH; section->n && i >= 0; i--)
		if (table_is(report_cell(section, 0, "severity"), finding_severities[i]))
			return i;
	return -1;
}
