/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a timeline says of its recording. */
#ifndef IOT_TIMELINE_LEDGER_H
#define IOT_TIMELINE_LEDGER_H

#include "analysis/timeline/timeline_rows.h"

/*
 * At the end, what the recorder counted, beside what is here, if that is whole; and of how many
 * events one was kept.
 */
void timeline_ledger(struct timeline *timeline, const struct read_session *session, bool whole);

#endif
