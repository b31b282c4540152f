/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two reports compared: what differs between them, the differences that matter first, each with
 * both values, their 95 % intervals and the change. What these intervals do not tell apart is noise.
 */
#ifndef IOT_REPORT_CHANGES_H
#define IOT_REPORT_CHANGES_H

#include "analysis/report_estimate.h"
#include "analysis/report_sections.h"

/* The names of its sections, up to NULL. */
extern const char *const report_change_names[];

/*
 * From an answer that is zeroed but for top: its report is NULL, its sections are tables as those
 * of a report. The two stay as long as it. Returns 0 or -ENOMEM; to be freed in any case.
 */
int report_changes_make(struct report_answer *changes, const struct report_answer *before,
			const struct report_answer *after);

/* ---- for who fills sections ---- */

enum report_verdict {
	REPORT_HIGHER,
	REPORT_LOWER,
	REPORT_NEW,    /* there was none before */
	REPORT_GONE,   /* there is none any more */
	REPORT_SMALL,  /* for certain, but by less than a tenth */
	REPORT_NOISE,  /* the intervals overlap */
	REPORT_UNSURE, /* there is too little to have intervals */
	REPORT_EQUAL,
	N_REPORT_VERDICTS
};

enum report_verdict report_verdict(const struct estimate *before, const struct estimate *after);
struct table_value report_verdict_name(enum report_verdict verdict);
/* Not known of nothing. */
struct table_value report_relative_change(double before, double after);
/* sure: no rows of fs were lost in either of them. */
void report_add_changed_files(struct report_answer *changes, const struct report *before,
			      const struct report *after, bool sure);

#endif
