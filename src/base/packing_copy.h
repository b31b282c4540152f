/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file into another, compressed, with the checksum of what comes out. The
 * thread in finish.c calls it; nothing here touches names or directories.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/packing.h"
#include "base/sha256.h"

/* Asked between pieces; false gives up (-ECANCELED). */
typedef bool packing_go_on_fn(void *arg);

/*
 * in from its start (its offset is left alone) to out: the same input always gives the same bytes.
 * sum sees every byte written. Returns 0 or -errno.
 */
int packing_copy(enum packing packing, int in, int out, struct sha256 *sum, uint64_t *n_bytes,
		 packing_go_on_fn *go_on, void *arg);
