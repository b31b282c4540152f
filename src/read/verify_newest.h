/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process_snap.csv and filesystem_snap.csv.gz against the snapshots that they are copies of. */
#ifndef IOT_VERIFY_NEWEST_H
#define IOT_VERIFY_NEWEST_H

#include "read/verify_context.h"

void verify_newest(struct verify *v);

#endif
