/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A choice of the plan as JSON, the same in manifests and in doctor --json: stream ("-":
 * it serves others), operation, path, on, tier, chosen, limits, why, probes (their targets),
 * passed_over. What is unknown or does not apply is null.
 */
#pragma once

#include "plan/plan.h"

struct json_t;

/* A new reference; NULL without memory. */
struct json_t *plan_choice_json(const struct plan *plan, const struct plan_choice *choice);
