/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process_snap.csv and filesystem_snap.csv.gz against the snapshots that they are copies of. */
#pragma once

#include "read/verify_context.h"

void verify_newest(struct verify *v);
