/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the one copy of each name of a thread. */
#include "analysis/common/why_names.h"

#include <string.h>

const char *why_name(struct why_names *names, const char *text, size_t len)
{
	const char *name = len ? interned_text(&names->interned, &names->pool, text, len) : NULL;

	names->no_memory = names->no_memory || (len && !name);
	return name;
}

void why_names_free(struct why_names *names)
{
	interned_free(&names->interned);
	pool_free(&names->pool);
	memset(names, 0, sizeof(*names));
}
