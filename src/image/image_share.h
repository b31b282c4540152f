/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the question whether an image of more streams serves for fewer. Compiles and stores nothing.
 */
#pragma once

#include "image/compile_key.h"

/*
 * Whether the programs of a wider plan give this one the rows of its own: every
 * choice, candidate and probe of it is there, and what else is there leaves
 * them alone.
 */
bool share_covers(const struct plan *wide, const struct plan *plan,
		  const struct compile_options *options);

/* An image for a wider plan than options->plan that does, from the cache; or -ENOENT. */
int share_find(int cache, const struct image_key *key, const struct compile_options *options,
	       struct image *image);
