/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way from a directory to a timeline. */
#pragma once

#include "analysis/timeline/timeline.h"

/*
 * Of a filter, times and processes. Returns 0, or -errno (reported). Whether out took all of it is
 * what ferror says.
 */
int timeline_write(const struct read_session *session, const struct row_filter *filter,
		   struct timeline_encoder *encoder, struct timeline_totals *totals);
