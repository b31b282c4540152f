/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the tables of names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * BITS: all of these are set. FIELD: the bits of the mask are just these. VALUE: the whole is this
 * one, so that a value and a 0 have names. END closes a table.
 */
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
