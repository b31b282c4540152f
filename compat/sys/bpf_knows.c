/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the questions that the kernel is asked once, each by a call that changes nothing. */
#include "compat/sys/bpf_knows.h"

#include <linux/bpf.h>
#include <unistd.h>

#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"

/*
 * The call reads 8 bytes to the stack from address 0. Nothing runs it: the verifier refuses a
 * number that it does not know.
 */
bool bpf_knows(bool helper, uint32_t number)
{
	const struct bpf_insn call[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = (int32_t)number },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	/* for a type the last two are enough: they do nothing */
	const struct bpf_insn *insns = helper ? call : call + 5;
	int fd;

	memlock_raise(); /* a program counts against it before 5.11 */
	fd = bpf_prog_load_fd(helper ? BPF_PROG_TYPE_TRACEPOINT : number, NULL, insns,
			      helper ? 7 : 2, 0, NULL, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
