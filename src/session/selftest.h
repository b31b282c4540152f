/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe that attaches is not yet one that fires: compilers inline and split
 * functions. The self-test performs each operation once in a child and looks
 * which choices of the plan sent a record.
 */
#pragma once

#include "plan/plan.h"
#include "trace/trace_set.h"

enum selftest_verdict { SELFTEST_NOT_TRIED, SELFTEST_FIRES, SELFTEST_SILENT };

struct selftest {
	enum selftest_verdict verdict[PLAN_MAX_CHOICES];
	unsigned n_silent;
	unsigned n_fires;
};

/*
 * trace is attached and switched off, and is so again afterwards. dir: where a
 * scratch file is made and removed; NULL: memory only (no block request then).
 * Returns 0 or -errno; what could not be tried is not an error.
 */
int selftest_run(struct selftest *test, struct trace *trace, const struct plan *plan,
		 const char *dir);

/* Adds the silent candidates to a request for the next plan. Returns how many. */
unsigned selftest_pass_over(const struct selftest *test, const struct plan *plan,
			    struct plan_request *request);

/* Warns of those that cannot give way to another, as in an image: their rows will be missing. */
void selftest_report(const struct selftest *test, const struct plan *plan);

/*
 * Says that the tracer does not even see itself: of all that it tried nothing
 * came. Returns -EIO.
 */
int selftest_report_blind(void);

const char *selftest_word(enum selftest_verdict verdict);
