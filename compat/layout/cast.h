/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own function bpf_rdonly_cast (6.2): a program that passes an address
 * through it may load from there by plain instructions, a tenth of what a helper that
 * reads costs. Programs call it by its id in the kernel's BTF, and say by another id
 * what the memory is taken for: the words of struct pt_regs.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

/* What kernel_ids_find() is asked for them, in the order of these members */
#define CAST_IDS                                                                                   \
	{ BTF_FUNC, "bpf_rdonly_cast", 0 },                                                        \
	{                                                                                          \
		BTF_STRUCT, "pt_regs", 0                                                           \
	}

struct cast_ids {
	uint32_t function; /* 0: the kernel has none */
	uint32_t words;
};

/* The running kernel's; whether it has both. */
bool cast_find(struct cast_ids *ids);

/* Whether the running kernel takes a program that does this: without a JIT it does not. */
bool cast_works(const struct cast_ids *ids);

/*
 * Puts the ids where the BPF texts have IOT_CAST_CALL and IOT_CAST_WORDS. Both are chosen so
 * that nothing else in a program looks like them.
 */
void cast_patch(struct bpf_insn *insns, uint32_t n, const struct cast_ids *ids);

/* Whether a program has such a call. */
bool cast_is_in(const struct bpf_insn *insns, uint32_t n);
