/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where the files of a trace come from when they are wanted by name. */
#include "analysis/report/report_side.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/files/files_sort.h"

/* Mount namespaces have other numbers in each boot: files of the same name keep their order. */
void report_side_next(struct report_side *side)
{
	if (side->runs) {
		side->has = files_runs_next(side->runs, &side->entry);
		return;
	}
	side->has = side->at < side->answer.n;
	if (side->has)
		side->entry = *side->sorted[side->at++].entry;
}

int report_side_open(struct report_side *side, struct report *report)
{
	const struct files_source source = { report->host, report->files.models,
					     report->files.n_models };
	int err;

	*side = (struct report_side){ .answer = { .by = FILES_BY_FILE } };
	if (report->by_name.n) {
		side->runs = &report->by_name;
		report_side_next(side);
		return side->runs->err;
	}
	err = files_answer_make(&side->answer, &source, 1);
	side->sorted = err ? NULL : files_sort(&side->answer, FILES_ORDER_NAME);
	if (!side->sorted)
		return -ENOMEM;
	report_side_next(side);
	return 0;
}

void report_side_close(struct report_side *side)
{
	files_answer_free(&side->answer);
	free(side->sorted);
}
