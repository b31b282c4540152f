/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the tables of names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/* clang-format off */
#define BITS(bits, name) { bits, bits, name }
#define FIELD(mask, bits, name) { mask, bits, name }
#define VALUE(value, name) { UINT32_MAX, value, name }
/* clang-format on */
#define END                                                                                        \
	{                                                                                          \
		0, 0, NULL                                                                         \
	}
/* clang-format on */
