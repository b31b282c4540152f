/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with other distances between its jumps, for a compiler in the kernel that gives up on
 * them.
 */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>

enum { LOAD_PADDINGS = 8 };

/*
 * A copy of the program, to be freed, with an instruction that does nothing after every
 * eighth call; which = 0 to 7 says after which. *n: how many instructions, before and after.
 */
struct bpf_insn *load_pad(const struct bpf_insn *insns, uint32_t *n, unsigned which);
