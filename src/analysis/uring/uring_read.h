/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way from a directory to the sums of its rings. */
#pragma once

#include "analysis/uring/uring.h"

/*
 * Adds the rows of a directory that filter chooses (times, processes, commands). Returns 0, -EINVAL
 * (a time), -ENOMEM or what a directory that cannot be read gives, all reported. Its session is
 * to be closed in any case.
 */
int uring_reading_open(struct uring_reading *reading, const char *dir,
		       const struct row_filter *filter, struct uring *uring);
