/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for people: sizes as 4.0K, times as 1.25ms. */
#pragma once

#include <stdint.h>

enum { UNITS_SIZE = 32 };

/* Powers of 1024 to one decimal, of 1000 to two. Return text. */
char *units_bytes(char text[UNITS_SIZE], uint64_t bytes);
char *units_ns(char text[UNITS_SIZE], uint64_t ns);
