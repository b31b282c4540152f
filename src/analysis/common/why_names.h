/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that are the same pointer when they are the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/common/interned.h"
#include "analysis/common/pool.h"

/* All zero is empty. */
struct why_names {
	struct interned interned;
	struct pool pool;
	bool no_memory;
};

/* The same pointer for the same text; NULL: an empty one, or no memory. */
const char *why_name(struct why_names *names, const char *text, size_t len);
void why_names_free(struct why_names *names);
