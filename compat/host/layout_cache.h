/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts on disk, beside the compiled images: one file for each kernel (by the
 * build id of its image) and source, since reading BTF and learning take longer
 * than all else that a start does.
 */
#pragma once

#include "compat/host/kernel.h"
#include "compat/layout/layout.h"

/*
 * The layout of this kernel that was kept from this source. NULL when no file has
 * it, or the file is not this user's alone, of another table, or damaged (with a message).
 */
struct layout *layout_cache_get(const struct host *host, const char *dir,
				enum layout_source source);

/* Failing costs time at the next start, nothing else. The directory may not be there yet. */
void layout_cache_put(const struct host *host, const char *dir, enum layout_source source,
		      const struct layout *layout);
