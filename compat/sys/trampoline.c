/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of such a program's load. Which functions are traced, the plan knows. */
#include "compat/sys/trampoline.h"

#include <unistd.h>

#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"

bool trampoline_works(uint32_t function)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_place place = {
		.prog_type = TRACING_TYPE,
		.attach_type = TRACE_FEXIT,
		.attach_id = function,
	};
	int fd;

	if (!function)
		return false;
	memlock_raise();
	fd = bpf_prog_load_at_fd(&place, NULL, insns, sizeof(insns) / sizeof(insns[0]), 0, NULL, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
