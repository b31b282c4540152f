/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a timeline says of its recording. */
#pragma once

#include "analysis/timeline/timeline_rows.h"

/*
 * At the end, what the recorder counted, beside what is here, if that is whole; and of how many
 * events one was kept.
 */
void timeline_ledger(struct timeline *timeline, const struct read_session *session, bool whole);
