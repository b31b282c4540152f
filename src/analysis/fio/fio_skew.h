/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How unevenly a load is spread over its files: what part of its calls goes to the tenth of them that has most. */
#pragma once

#include <stdint.h>

enum { FIO_ZONES = 40, FIO_TENTHS = 10 };

/* The zones of one file, which become wider as it grows. All zero is empty. */
struct fio_skew {
	uint64_t width;
	uint32_t n[FIO_ZONES];
};

void fio_skew_add(struct fio_skew *skew, uint64_t offset);
/*
 * Adds its calls to tenths, those of the busiest tenth of the file first. end: the first byte that is
 * not in it.
 */
void fio_skew_rank(const struct fio_skew *skew, uint64_t end, uint64_t tenths[FIO_TENTHS]);
/* The part of the first tenth, in millionths; 0: there is too little to tell. */
uint64_t fio_skew_share(const uint64_t tenths[FIO_TENTHS]);
