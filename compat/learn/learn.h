/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of the running kernel by experiment: where the members of its
 * structures are is found by looking at objects that were made for it, with
 * values that occur nowhere else. What at least three objects confirm, and only
 * at one place, is known; everything else is not.
 */
#pragma once

#include <stddef.h>

#include "compat/layout/layout.h"

/*
 * Fills what could be learned (is_partial is set). Takes 20 to 100 ms. Returns 0,
 * or -errno with the reason in why when the kernel lets nobody look.
 */
int learn_layout(struct layout *layout, const char *tracefs, char *why, size_t why_size);

/*
 * Looks at new objects, as learning does once: a member that one of them denies is
 * switched off. Returns how many (denied: one of them), or -errno with the reason
 * in why when nobody can look. Takes 10 ms.
 */
int learn_check(struct layout *layout, const char *tracefs, const char **denied, char *why,
		size_t why_size);
