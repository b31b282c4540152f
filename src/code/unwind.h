/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function that keeps no frame pointer has the address that it returns to: from the tables of call
 * frames (.eh_frame) that compilers put into programs and libraries. x86-64 only.
 */
#pragma once

#include <stdint.h>

/*
 * At this place of the file: so many bytes above the stack pointer lies what is behind the return address. 0: it
 * has a frame pointer there, or nobody knows. The file may be anything.
 */
uint32_t unwind_above_sp(int fd, uint64_t offset);
