/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file under all of its names: followed through renames, and through replacement by a new file that gets its
 * name. Made of the rows of RENAME, UNLINK and creating OPEN, which are read before all rows.
 */
#pragma once

#include "read/read_session.h"

struct files_follow;

/* Returns 0 or -errno (reported); to be closed in any case. */
int files_follow_open(struct files_follow **follow, const struct read_session *session);
void files_follow_close(struct files_follow *follow);
