/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads those programs of an image that the plan needs, and finds the reason when the kernel
 * refuses all.
 */
#pragma once

#include <stdbool.h>

#include "plan/plan.h"
#include "trace/loaded.h"

/* After the maps. Returns 0, or -errno when none loads. */
int load_programs(struct loaded *loaded, const struct plan *plan);

/* Why the kernel does not permit it, for a message. */
const char *load_eperm_reason(const struct plan *plan);

/* Whether a probe of the plan runs this program, or others call it that one does. */
bool load_needs(const struct image *image, const struct plan *plan, const struct image_prog *prog);
