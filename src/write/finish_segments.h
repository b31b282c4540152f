/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments after their last row: published under their final names, and removed when there is too
 * much.
 */
#pragma once

#include "write/finish_state.h"

/* Call locked: what the directory takes, the open segments and the reserve included. */
uint64_t finish_disk_bytes(struct finish *finish);
/*
 * Call locked. Both threads do: a sync or a compression can take so long that the rows
 * written meanwhile pass the limit many times over. Open segments stay, also where they alone
 * are too much: see bound_rotation() for that.
 */
void finish_evict(struct finish *finish);
/* What a waiting job takes: its file is compressed already when it is published. */
uint64_t finish_job_bytes(const struct item *job);
/* Takes the job, which is in no list any more. */
void finish_publish(struct finish *finish, struct item *job);
