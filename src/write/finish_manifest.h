/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the manifest is written, and room kept for its last version. */
#pragma once

#include "write/finish_state.h"

/* What the reserve needs beyond what it has. */
uint64_t finish_reserve_missing(struct finish *finish);

void finish_reserve_release(struct finish *finish);
/* Old and new manifest exist side by side for a moment. Returns 0 or -errno. */
int finish_reserve_make(struct finish *finish);
/* Background thread, or before there is one. Returns 0 or -errno, silently. */
int finish_manifest_write(struct finish *finish);
/* Nanoseconds until the manifest should be written: 0 now, -1 not at all. */
int64_t finish_manifest_due(struct finish *finish);
/* Takes over what came since, and writes when it is time. */
void finish_manifest_update(struct finish *finish);
/* "complete" or "stopped", with the time of the end; reports when it cannot be written. */
void finish_manifest_last(struct finish *finish);
