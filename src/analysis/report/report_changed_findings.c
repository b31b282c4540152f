/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which findings of two traces are the same: those of one rule on one subject, whatever its process number. */
#include "analysis/report/report_changed_findings.h"

#include <string.h>

enum { ID, SEVERITY, SHARE, SUBJECT, TEXT };

/* Without "(4711)" or "(3 processes)" behind it */
static size_t subject_len(const struct table_value *subject)
{
	const char *bracket = memrchr(subject->text, '(', subject->len);

	if (!bracket || bracket == subject->text || bracket[-1] != ' ' ||
	    subject->text[subject->len - 1] != ')')
		return subject->len;
	return (size_t)(bracket - subject->text) - 1;
}

static const struct table_value *same_in(const struct report_section *other,
					 const struct table_value *row)
{
	size_t len = subject_len(&row[SUBJECT]);

	for (uint64_t i = 0; i < other->n; i++) {
		const struct table_value *its = &other->rows[i * other->n_columns];

		if (its[ID].len == row[ID].len &&
		    !memcmp(its[ID].text, row[ID].text, row[ID].len) &&
		    subject_len(&its[SUBJECT]) == len &&
		    !memcmp(its[SUBJECT].text, row[SUBJECT].text, len))
			return its;
	}
	return NULL;
}

static void put(struct report_answer *changes, struct report_section *section, const char *change,
		const struct table_value *before, const struct table_value *after)
{
	const struct table_value *one = after ? after : before;
	struct table_value *row = report_section_row(changes, section);

	if (!row)
		return;
	row[0] = table_text(change);
	row[1] = one[ID];
	if (before) {
		row[2] = before[SEVERITY];
		row[3] = before[SHARE];
	}
	if (after) {
		row[4] = after[SEVERITY];
		row[5] = after[SHARE];
	}
	row[6] = one[SUBJECT];
	row[7] = one[TEXT];
}

void report_add_changed_findings(struct report_answer *changes, const struct report_answer *before,
				 const struct report_answer *after)
{
	static const struct report_column columns[] = {
		{ "change", TABLE_NAME, REPORT_SHOWN },
		{ "id", TABLE_NAME, REPORT_SHOWN },
		{ "before", TABLE_NAME, REPORT_SHOWN },
		{ "before_share", TABLE_SHARE, REPORT_EXACT },
		{ "after", TABLE_NAME, REPORT_SHOWN },
		{ "after_share", TABLE_SHARE, REPORT_EXACT },
		{ "subject", TABLE_NAME, REPORT_WIDE },
		{ "text", TABLE_NAME, REPORT_EXACT },
	};
	const struct report_section *was = report_section(before, "findings"),
				    *is = report_section(after, "findings");
	struct report_section *section = report_section_add(changes, "changed_findings",
							    "what is wrong, before and after",
							    columns, 8);

	for (uint64_t i = 0; i < is->n; i++)
		if (!same_in(was, &is->rows[i * is->n_columns]))
			put(changes, section, "new", NULL, &is->rows[i * is->n_columns]);
	for (uint64_t i = 0; i < was->n; i++)
		if (!same_in(is, &was->rows[i * was->n_columns]))
			put(changes, section, "gone", &was->rows[i * was->n_columns], NULL);
	for (uint64_t i = 0; i < is->n; i++) {
		const struct table_value *its = same_in(was, &is->rows[i * is->n_columns]);

		if (its)
			put(changes, section, "stays", its, &is->rows[i * is->n_columns]);
	}
}
