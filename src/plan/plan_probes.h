/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probes of a plan: each target once, with one program. */
#pragma once

#include "plan/plan_verdict.h"

/* Whether any probe is of one of these two kinds. */
bool plan_has_kind(const struct plan *plan, enum probe_kind a, enum probe_kind b);

/* The probes of the choice at index, each made when the plan has none of its target. */
void plan_place_probes(struct plan *plan, unsigned index, const struct verdict *v);
