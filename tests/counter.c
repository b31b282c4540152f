/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions by hand: a map look-up and an atomic add. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BPF_PSEUDO_MAP_FD
#define BPF_PSEUDO_MAP_FD 1
#endif
#ifndef BPF_XADD
#define BPF_XADD 0xc0
#endif

enum { MAX_PROGS = 16, MAP_LOAD = 3 };

void counter_image(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->maps = calloc(2, sizeof(*image->maps));
	image->progs = calloc(MAX_PROGS, sizeof(*image->progs));
	image->maps[0] = (struct image_map){ "counts", BPF_MAP_TYPE_ARRAY, 4, 8, COUNTER_SLOTS, 0 };
	image->maps[1] = (struct image_map){ "ring", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 0, 0 };
	image->n_maps = 2;
}

static struct image_prog *add(struct image *image, const char *name, const struct bpf_insn *insns,
			      size_t size)
{
	struct image_prog *prog = &image->progs[image->n_progs++];

	snprintf(prog->name, sizeof(prog->name), "%s", name);
	prog->insns = malloc(size);
	memcpy(prog->insns, insns, size);
	prog->n_insns = (uint32_t)(size / sizeof(*insns));
	prog->relocs = calloc(1, sizeof(*prog->relocs));
	return prog;
}

void counter_add(struct image *image, const char *name, unsigned slot)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -4, .imm = (int)slot },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD },
		{ .code = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = 1 /* bpf_map_lookup_elem */ },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_XADD | BPF_DW, .dst_reg = 0, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct image_prog *prog = add(image, name, insns, sizeof(insns));

	prog->n_relocs = 1;
	prog->relocs[0] = (struct image_reloc){ MAP_LOAD, 0 };
}

void counter_add_bad(struct image *image, const char *name)
{
	/* returns a register that nobody has written */
	static const struct bpf_insn insns[] = { { .code = BPF_JMP | BPF_EXIT } };

	add(image, name, insns, sizeof(insns));
}

struct plan *counter_plan(struct host *host)
{
	static struct plan plan;

	memset(&plan, 0, sizeof(plan));
	memset(host, 0, sizeof(*host));
	plan.host = host;
	return &plan;
}

void counter_probe(struct plan *plan, enum probe_kind kind, const char *target,
		   const char *program)
{
	struct plan_probe *probe = &plan->probes[plan->n_probes++];

	probe->kind = kind;
	snprintf(probe->target, sizeof(probe->target), "%s", target);
	probe->program = program;
}
