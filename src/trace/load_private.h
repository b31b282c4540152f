/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What load.c and load_programs.c have from each other. */
#ifndef IOT_LOAD_PRIVATE_H
#define IOT_LOAD_PRIVATE_H

#include "trace/load.h"

/* After the maps. Returns 0, or -errno when none loads. */
int load_programs(struct loaded *loaded, const struct plan *plan);

/* Why the kernel does not permit it, for a message. */
const char *load_eperm_reason(const struct plan *plan);

/* Whether a probe of the plan runs this program, or others call it that one does. */
bool load_needs(const struct image *image, const struct plan *plan, const struct image_prog *prog);

#endif
