/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns rows have: what --columns says, and how the manifest has it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "row/schema.h"

/*
 * "minimal", or names of columns with commas between: each stream keeps those that it has, and
 * timestamp, operation (event_type …) and mono_ns. exec and lost keep all, as do streams that have none of them, and
 * snapshots. False: no stream has the column *bad (of *len bytes).
 */
bool columns_choose(struct schema_omitted *omitted, const char *list, const char **bad,
		    size_t *len);

bool columns_are_omitted(const struct schema_omitted *omitted);

/* The names that are left, a new reference. */
json_t *columns_json(enum stream_id stream, uint64_t omitted);
/* The other way; NULL, and what is not such a list: none is omitted. */
uint64_t columns_omitted(enum stream_id stream, const json_t *names);
