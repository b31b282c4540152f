/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two traces are compared by, and the verdict on each. */
#pragma once

#include "analysis/report/report_estimate.h"
#include "analysis/report/report_sections.h"

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

/* Of a stream. */
struct report_losses {
	uint64_t lost;
	bool unknown; /* how many, or it is a sample */
};

/* A number that is counted: what was lost may belong to it. */
struct estimate report_counted(const struct report_losses *losses, bool known, double value);
/* A sum or a mean of what is counted: any loss may change it by any amount. */
struct estimate report_summed(const struct report_losses *losses, bool known, double value);

/* One figure of both. */
struct report_difference {
	const char *kind; /* layer, operation, device … */
	struct table_value name;
	const char *measure;
	enum table_type type;
	struct estimate before, after;
	double weight; /* its part in what is compared, 0 to 1 */
	enum report_verdict verdict;
	unsigned number; /* in the order of comparison */
};

struct report_comparison {
	struct report_answer *changes;
	const struct report_answer *answers[2];
	const struct report *reports[2];
	struct report_losses losses[2][N_STREAMS];
	struct report_difference *list;
	unsigned n, max;
};

/* Fills list, and losses; changes->no_memory: some are missing. The list is the caller's to free. */
void report_compare(struct report_comparison *comparison);
/* 0: equal, nearly 1: one is much more than the other */
double report_contrast(double a, double b);
