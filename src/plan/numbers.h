/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether system calls have their programs by number: decided when all probes are placed. */
#pragma once

#include "plan/planned.h"

/* Whether this is the choice of what calls programs by number, whom nobody asks for. */
bool numbers_are_for(const struct plan_choice *choice);

/*
 * When all others are placed: whether there are enough system calls for it, and if so it is done.
 */
void numbers_decide(struct plan *plan, const struct plan_request *request);

/*
 * In a plan that is narrowed, when all others are decided: what was made so stays so. had: what was
 * wanted.
 */
void numbers_keep(struct plan *plan, const bool *had);
