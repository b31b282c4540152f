/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a layout comes from, by name. */
#include "compat/host/layout_source.h"

#include <string.h>

static const char *const source_names[N_LAYOUT_SOURCES] = {
	[LAYOUT_ANY] = "any", [LAYOUT_HEADERS] = "headers", [LAYOUT_KHEADERS] = "kheaders",
	[LAYOUT_BTF] = "btf", [LAYOUT_LEARNED] = "learned", [LAYOUT_NONE] = "none",
};

const char *layout_source_name(enum layout_source source)
{
	return source_names[source];
}

enum layout_source layout_source_of(const char *name)
{
	for (int i = LAYOUT_HEADERS; i < N_LAYOUT_SOURCES; i++)
		if (!strcmp(source_names[i], name))
			return i;
	return LAYOUT_ANY;
}
