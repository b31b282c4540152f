/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings of io_uring and their requests on a timeline. */
#pragma once

#include "analysis/timeline/timeline_rows.h"

void timeline_uring_row(struct timeline *timeline, const struct field *fields);
extern const struct timeline_source timeline_uring;
/* Ends what is still in flight. */
void timeline_uring_end(struct timeline *timeline);
