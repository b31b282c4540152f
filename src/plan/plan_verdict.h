/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was found of one candidate on one host. */
#pragma once

#include "plan/planned.h"

/* What would help a candidate that lost, easiest first. */
enum cause { CAUSE_OTHER, CAUSE_TRACEFS, CAUSE_HEADERS, CAUSE_SYSCALLS, CAUSE_KPROBES, N_CAUSES };

struct verdict {
	bool usable;
	enum tier tier;
	enum cause cause;
	char why[sizeof(((struct plan_passed *)NULL)->why)];
	struct plan_probe probes[PLAN_MAX_CHOICE_PROBES];
	unsigned n_probes;
};
