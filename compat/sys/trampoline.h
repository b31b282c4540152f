/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs at the beginning and the end of a function of the kernel that are called by it
 * directly, without a breakpoint: from 5.5 on (fec56f5890d9), where the kernel has BTF.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the running kernel takes a program at the end of the function with this number in its
 * BTF.
 */
bool trampoline_works(uint32_t function);
