/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the public form of a plan. */
#include "plan/plan_json.h"

#include <jansson.h>

#include "base/json_text.h"

static json_t *probes_json(const struct plan *plan, const struct plan_choice *choice)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < choice->n_probes; i++)
		json_array_append_new(list, json_text(plan->probes[choice->probes[i]].target));
	return list;
}

static json_t *passed_json(const struct plan_choice *choice)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < choice->n_passed; i++)
		json_array_append_new(list, json_pack("{s:s, s:o}", "candidate",
						      choice->passed[i].candidate->name, "why",
						      json_text(choice->passed[i].why)));
	return list;
}

struct json_t *plan_choice_json(const struct plan *plan, const struct plan_choice *choice)
{
	const struct capability *capability = choice->capability;
	const struct candidate *chosen = choice->chosen;
	const char tier[2] = { tier_letter(choice->tier), '\0' };

	return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "stream",
			 capability_stream(capability), "operation", capability->operation, "path",
			 capability->path, "on", chosen != NULL, "tier",
			 chosen ? json_string(tier) : json_null(), "chosen",
			 json_text(chosen ? chosen->name : NULL), "limits",
			 json_text(chosen ? chosen->limits : NULL), "why", json_text(choice->why),
			 "probes", probes_json(plan, choice), "passed_over", passed_json(choice));
}
