/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JIT of x86 before 5.12 gives up on a program whose jumps change length in
 * every one of its passes (93c5aecc35c6 pads them). Such a program is interpreted,
 * or, when it makes tail calls, refused after the verifier took it: the others of
 * its table are compiled. Some bytes in between change the distances.
 */
#include "trace/load_pad.h"

#include <stdbool.h>
#include <stdlib.h>

#define CLASS_JMP32 0x06 /* BPF_JMP32, from 5.1 on */

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static bool is_jump(const struct bpf_insn *insn)
{
	unsigned class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == CLASS_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

struct bpf_insn *load_pad(const struct bpf_insn *insns, uint32_t *n, unsigned which)
{
	/* r1 = 1: a call leaves nothing in it */
	const struct bpf_insn nothing = { .code = BPF_ALU64 | BPF_MOV | BPF_K,
					  .dst_reg = 1,
					  .imm = 1 };
	uint32_t *at = calloc(*n + 1, sizeof(*at)), calls = 0, to = 0;
	struct bpf_insn *padded = calloc(2 * (size_t)*n, sizeof(*padded));

	if (!at || !padded) {
		free(at);
		free(padded);
		return NULL;
	}
	for (uint32_t i = 0; i < *n; i++) {
		at[i] = to;
		padded[to++] = insns[i];
		if (is_call(&insns[i]) && calls++ % LOAD_PADDINGS == which)
			padded[to++] = nothing;
	}
	at[*n] = to;
	/* who jumps behind a call jumps behind what is there now, as r1 may be in use where it comes from */
	for (uint32_t i = 0; i < *n; i++)
		if (is_jump(&insns[i]))
			padded[at[i]].off = (int16_t)(at[i + 1 + insns[i].off] - at[i] - 1);
	free(at);
	*n = to;
	return padded;
}
