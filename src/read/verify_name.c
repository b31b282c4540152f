/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what the name of a segment says: its number, or its place in a snapshot of several parts. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/verify_private.h"

#include <stdio.h>
#include <string.h>

static bool ends_well(const char *text)
{
	return !strcmp(text, ".csv") || !strcmp(text, ".csv.gz");
}

/* "<stream>_20261120_235959_123_0001.csv" */
static bool is_numbered(const char *rest, struct verify_name *name)
{
	unsigned long long number;
	int n = 0;

	if (sscanf(rest, "%*8[0-9]_%*6[0-9]_%*3[0-9]_%19llu%n", &number, &n) != 1 ||
	    !ends_well(rest + n))
		return false;
	name->number = number;
	return true;
}

/* "<stream>_part0001_20261120_235959_123.csv", the last part "…_123_complete_parts3.csv" */
static bool is_part(const char *rest, struct verify_name *name)
{
	int n = 0, more = 0;

	if (sscanf(rest, "part%9u_%*8[0-9]_%*6[0-9]_%*3[0-9]%n", &name->part, &n) != 1 || !n ||
	    !name->part)
		return false;
	if (sscanf(rest + n, "_complete_parts%9u%n", &name->n_parts, &more) != 1)
		more = 0;
	return ends_well(rest + n + more);
}

bool verify_segment_name(const char *file, struct verify_name *name)
{
	const char *slash = strchr(file, '/');
	size_t len = slash ? (size_t)(slash - file) : 0;

	memset(name, 0, sizeof(*name));
	if (!slash || strncmp(slash + 1, file, len) || slash[1 + len] != '_')
		return false;
	return is_numbered(slash + len + 2, name) || is_part(slash + len + 2, name);
}
