/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where threads were in their programs, on a timeline: a sample for each row of stream stacks. */
#pragma once

#include "analysis/timeline/timeline_rows.h"

extern const struct timeline_source timeline_stacks;

/* The names of their functions, where the encoder has a place for stacks. 0 or -errno. */
int timeline_stacks_open(struct timeline *timeline, const struct read_session *session);
void timeline_stacks_close(struct timeline *timeline);
