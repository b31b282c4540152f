/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/cast.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/btf_format.h"
#include "compat/root.h"
#include "compat/sys.h"
#include "probes/schema/cast_numbers.h"

#define PSEUDO_KFUNC_CALL 2 /* BPF_PSEUDO_KFUNC_CALL, from 5.13 on */

struct blob {
	const char *types, *strings;
	uint32_t types_len, strings_len;
};

static bool blob_of(struct blob *blob, const char *data, size_t size)
{
	struct header h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.header_len > size)
		return false;
	size -= h.header_len;
	if (h.type_off > size || h.type_len > size - h.type_off || h.str_off > size ||
	    h.str_len > size - h.str_off || !h.str_len || h.type_off % 4)
		return false;
	blob->types = data + h.header_len + h.type_off;
	blob->types_len = h.type_len;
	blob->strings = data + h.header_len + h.str_off;
	blob->strings_len = h.str_len;
	return !blob->strings[h.str_len - 1];
}

static bool is_named(const struct blob *blob, const struct type *t, enum btf_kind kind,
		     const char *name)
{
	return kind_of(t) == kind && t->name < blob->strings_len &&
	       !strcmp(blob->strings + t->name, name);
}

/* One pass without a table of names, which takes five times as long to make. */
static void scan(const struct blob *blob, struct cast_ids *ids)
{
	uint32_t id = 1;

	for (uint32_t at = 0; blob->types_len - at >= sizeof(struct type); id++) {
		const struct type *t = (const struct type *)(blob->types + at);
		int64_t tail = tail_size(t);

		if (tail < 0 || (uint64_t)tail > blob->types_len - at - sizeof(*t))
			return;
		if (is_named(blob, t, BTF_FUNC, "bpf_rdonly_cast"))
			ids->function = id;
		else if (is_named(blob, t, BTF_STRUCT, "pt_regs"))
			ids->words = id;
		if (ids->function && ids->words)
			return;
		at += sizeof(*t) + (uint32_t)tail;
	}
}

bool cast_find(struct cast_ids *ids)
{
	size_t size;
	char *data = root_read("", "sys/kernel/btf/vmlinux", &size);
	struct blob blob;

	memset(ids, 0, sizeof(*ids));
	if (data && blob_of(&blob, data, size))
		scan(&blob, ids);
	free(data);
	return ids->function && ids->words;
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
