/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes one snapshot of any kind, by the name and with the options that the command line has
 * for it.
 */
#pragma once

#include "snapshot/snap.h"

extern const char *const snap_kind_names[N_SNAP_KINDS]; /* as the command line has them */

extern const struct snap_options snap_defaults;

/* Takes one, sends its segments and then its struct snap_done. Returns 0 or -errno. */
int snap_one(struct snap_job *job, enum snap_kind kind);
