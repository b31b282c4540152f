/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how such a call looks in a program. Does not load any. */
#include "compat/layout/cast.h"

#include <unistd.h>

#include "compat/layout/kernel_ids.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "probes/schema/cast_numbers.h"

#define PSEUDO_KFUNC_CALL 2 /* BPF_PSEUDO_KFUNC_CALL, from 5.13 on */

bool cast_find(struct cast_ids *ids)
{
	struct kernel_id found[] = { CAST_IDS };
	bool all = kernel_ids_find(found, 2);

	ids->function = found[0].id;
	ids->words = found[1].id;
	return all;
}

bool cast_works(const struct cast_ids *ids)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_2,
		  .imm = IOT_CAST_WORDS },
		{ .code = BPF_JMP | BPF_CALL, .imm = IOT_CAST_CALL },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0,
		  /* as far as the texts read: where struct pt_regs is smaller, it is refused */
		  .off = IOT_CAST_MAX - 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const uint32_t n = sizeof(insns) / sizeof(insns[0]);
	int fd;

	cast_patch(insns, n, ids);
	memlock_raise();
	fd = bpf_prog_load_fd(BPF_PROG_TYPE_TRACEPOINT, NULL, insns, n, 0, NULL, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_cast(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == IOT_CAST_CALL;
}

static bool is_words(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		insn->code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	       insn->imm == IOT_CAST_WORDS;
}

void cast_patch(struct bpf_insn *insns, uint32_t n, const struct cast_ids *ids)
{
	for (uint32_t i = 0; i < n; i++) {
		if (is_cast(&insns[i])) {
			insns[i].src_reg = PSEUDO_KFUNC_CALL;
			insns[i].imm = (int32_t)ids->function;
		} else if (is_words(&insns[i])) {
			insns[i].imm = (int32_t)ids->words;
		}
	}
}

bool cast_is_in(const struct bpf_insn *insns, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_cast(&insns[i]))
			return true;
	return false;
}
