/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as lines of text, as an image carries it, and back. Made again where
 * the image runs, it could be another one: not all facts of a saved host, of its
 * headers and of the options of `build` are available there.
 */
#pragma once

#include "plan/plan.h"

/* NULL without memory; to be freed. */
char *plan_to_text(const struct plan *plan);

/*
 * Fills the plan for this host; its strings are those of the static tables.
 * Trusts nothing: -EBADMSG when the text is damaged, -ESTALE when another
 * build of this program wrote it, whose tables or records differ.
 */
int plan_from_text(struct plan *plan, const struct host *host, const char *text);
