/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file into another as gzip, with the checksum of what comes out. The
 * thread in finish.c calls it; nothing here touches names or directories.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

/* Asked between pieces; false gives up (-ECANCELED). */
typedef bool gzip_go_on_fn(void *arg);

/*
 * in from its start (its offset is left alone) to out, level 6, no time stamp:
 * the same input always gives the same bytes. sum sees every byte written.
 */
int gzip_copy(int in, int out, struct sha256 *sum, uint64_t *n_bytes, gzip_go_on_fn *go_on,
	      void *arg);
