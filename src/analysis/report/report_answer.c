/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of sections, in the order in which they are shown; a new one is a line here and a name. */
#include "analysis/report/report_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_files.h"
#include "analysis/report/report_findings.h"
#include "analysis/report/report_items.h"
#include "analysis/report/report_layers.h"
#include "analysis/report/report_machine.h"
#include "analysis/report/report_programs.h"
#include "analysis/report/report_slow_rows.h"
#include "analysis/report/report_stacks.h"
#include "analysis/report/report_still_open.h"
#include "analysis/report/report_why.h"
#include "analysis/report/report_words.h"

const char *const report_section_names[] = {
	"findings",   "trace",      "missing",   "answers",     "layers", "amplification", "time",
	"operations", "latencies",  "why",       "slowest",     "files",  "directories",   "sizes",
	"programs",   "containers", "processes", "devices",     "bios",   "servers",       "owners",
	"machine",    "cache",      "faults",    "connections", "errors", "open",          "uring",
	"sched",      "counted",    "stacks",    NULL,
};

typedef void report_fill(struct report_answer *answer);

static report_fill *const fills[] = {
	report_begin_findings,
	report_add_trace,
	report_add_missing,
	report_add_layers,
	report_add_over_time,
	report_add_items,
	report_add_files,
	report_add_why,
	report_add_stacks,
	report_add_slowest,
	report_add_programs,
	report_add_containers,
	report_add_still_open,
	report_add_machine,
	/* these look at all the others */
	report_add_words,
	report_add_findings,
};

int report_answer_make(struct report_answer *answer)
{
	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++)
		fills[i](answer);
	return answer->no_memory ? -ENOMEM : 0;
}

void report_answer_free(struct report_answer *answer)
{
	for (unsigned i = 0; i < answer->n; i++)
		free(answer->sections[i].rows);
	pool_free(&answer->pool);
	json_decref(answer->disks);
	memset(answer, 0, sizeof(*answer));
}
