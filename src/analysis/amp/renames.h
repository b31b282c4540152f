/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which names files got: a file that is written under one name and moved over another one is that
 * one.
 */
#pragma once

#include "analysis/common/history.h"

/* The renames in the rows of fs, if there are any. Returns 0 or -errno. */
int renames_read(struct history *renames, const struct read_session *session);
/* The last name of the file that had this one then; the same where it got no other. */
const char *renames_last(const struct history *renames, const char *path, size_t *len, uint64_t ns);
