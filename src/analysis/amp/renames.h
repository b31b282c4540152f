/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which names files got: a file that is written under one name and moved over another one is that
 * one.
 */
#ifndef IOT_RENAMES_H
#define IOT_RENAMES_H

#include <stdbool.h>

#include "analysis/common/pool.h"
#include "read/read_session.h"

struct rename_entry;

/* The zeroed list is empty. */
struct renames {
	struct rename_entry *list; /* by hash of the first name, then time */
	uint64_t n, max;
	struct pool pool;
	bool no_memory;
};

/* The renames in the rows of fs, if there are any. Returns 0 or -errno. */
int renames_read(struct renames *renames, const struct read_session *session);
/* The last name of the file that had this one then; the same where it got no other. */
const char *renames_last(const struct renames *renames, const char *path, size_t *len, uint64_t ns);
void renames_free(struct renames *renames);

#endif
