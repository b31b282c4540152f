/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a compilation will take: as the last one here did, kept in the cache's directory. */
#pragma once

#include <stdint.h>

/* Seconds, at least 1. cache: the directory, or negative. */
unsigned compile_time_expect(int cache, unsigned n_programs, unsigned n_groups);

/*
 * For the next time, as ns a program; without a cache, or where it cannot be written, nothing
 * is.
 */
void compile_time_keep(int cache, uint64_t ns, unsigned n_programs, unsigned n_groups);
