/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 4.14 rules on instructions. That kernel allows no loop (a jump backwards
 * that closes none, as compilers lay out blocks, is fine), so an order exists in
 * which every state is complete before it is needed: a jump merges the state at
 * its target, so that registers and stack slots are known to hold stack
 * addresses, map values or the context wherever they certainly do.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BPF_JMP32
#define BPF_JMP32 0x06
#endif
#ifndef BPF_XADD
#define BPF_XADD 0xc0
#endif

enum {
	MAX_INSNS = 4096,
	STACK_SIZE = 512,
	N_REGS = 11,
	N_SLOTS = STACK_SIZE / 8,
	FP = 10,
	MODE_MASK = 0xe0,
	MAP_LOOKUP = 1,
	MAP_UPDATE = 2,
	MAP_DELETE = 3,
	PSEUDO_MAP_FD = 1,
};

/* What 4.14 offers to kprobe and tracepoint programs, by number. */
static const unsigned char helpers_4_14[] = {
	1, 2, 3,    /* map look-up, update, delete */
	4, 45,      /* probe_read, probe_read_str */
	5,          /* ktime_get_ns */
	6,          /* trace_printk */
	7, 8,       /* random number, CPU */
	12,         /* tail call */
	14, 15, 16, /* pid and tgid, uid and gid, comm */
	22, 25,     /* perf event: read, output */
	27,         /* stack id */
	35,         /* current task */
	37,         /* under cgroup; 36 writes to the traced program, which we never do */
	42,         /* NUMA node */
};
static const unsigned char split_reads_5_5[] = { 112, 113, 114, 115 };

enum kind { UNREACHED, UNKNOWN, STACK, MAP_VALUE, CONTEXT };

struct value {
	enum kind kind;
	int off;            /* STACK: from the frame pointer */
};

struct state {
	struct value reg[N_REGS];
	struct value slot[N_SLOTS];
};

struct check {
	const struct image_prog *prog;
	struct state *at;   /* before each instruction */
	uint32_t *order;    /* instructions, each after all that lead to it */
	uint32_t n_order;
	bool split_reads;
	unsigned stack;
	unsigned n_bad;
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 3, 4)))
static void bad(struct check *c, uint32_t i, const char *fmt, ...)
{
	size_t used = strlen(c->why);
	va_list args;
	int n;

	c->n_bad++;
	if (used + 100 > c->why_size)
		return;
	n = snprintf(c->why + used, c->why_size - used, "%s, instruction %u: ", c->prog->name, i);
	used += (size_t)n;
	va_start(args, fmt);
	if (used < c->why_size)
		n = vsnprintf(c->why + used, c->why_size - used, fmt, args);
	va_end(args);
	used = strlen(c->why);
	if (used + 1 < c->why_size)
		strcpy(c->why + used, "\n");
}

static struct value merged(struct value a, struct value b)
{
	if (a.kind == UNREACHED)
		return b;
	if (b.kind == UNREACHED || (a.kind == b.kind && a.off == b.off))
		return a;
	return (struct value){ UNKNOWN, 0 };
}

static void flow(struct check *c, uint32_t to, const struct state *from)
{
	struct state *state = &c->at[to];

	if (to >= c->prog->n_insns)
		return;
	for (int i = 0; i < N_REGS; i++)
		state->reg[i] = merged(state->reg[i], from->reg[i]);
	for (int i = 0; i < N_SLOTS; i++)
		state->slot[i] = merged(state->slot[i], from->slot[i]);
}

/* The slot of an aligned, whole 8-byte access to the stack, or NULL. */
static struct value *slot_of(struct state *s, struct value base, int off, int size)
{
	int at = base.off + off + STACK_SIZE;

	if (base.kind != STACK || size != BPF_DW || at % 8 || at < 0 || at >= STACK_SIZE)
		return NULL;
	return &s->slot[at / 8];
}

static void check_stack(struct check *c, uint32_t i, struct value base, int off)
{
	int depth = -(base.off + off);

	if (base.kind != STACK)
		return;
	if (depth > (int)c->stack)
		c->stack = (unsigned)depth;
	if (depth > STACK_SIZE)
		bad(c, i, "%d bytes of stack", depth);
}

static void alu(struct state *s, const struct bpf_insn *insn)
{
	struct value *dst = &s->reg[insn->dst_reg];

	if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X))
		*dst = s->reg[insn->src_reg];
	else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K) && dst->kind == STACK)
		dst->off += insn->imm;
	else if (BPF_CLASS(insn->code) == BPF_ALU64 && BPF_OP(insn->code) == BPF_ADD &&
		 dst->kind == MAP_VALUE)
		dst->off = 0; /* still in the map value */
	else
		*dst = (struct value){ UNKNOWN, 0 };
}

static void load(struct check *c, uint32_t i, struct state *s)
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	struct value base = s->reg[insn->src_reg];
	struct value *slot = slot_of(s, base, insn->off, BPF_SIZE(insn->code));

	check_stack(c, i, base, insn->off);
	s->reg[insn->dst_reg] = slot ? *slot : (struct value){ UNKNOWN, 0 };
}

static void store(struct check *c, uint32_t i, struct state *s)
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	struct value base = s->reg[insn->dst_reg];
	struct value *slot = slot_of(s, base, insn->off, BPF_SIZE(insn->code));
	bool spill = BPF_CLASS(insn->code) == BPF_STX &&
		     (insn->code & MODE_MASK) == BPF_MEM;

	check_stack(c, i, base, insn->off);
	if (slot)
		*slot = spill ? s->reg[insn->src_reg] : (struct value){ UNKNOWN, 0 };
}

static bool is_among(const unsigned char *list, size_t n, int helper)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == helper)
			return true;
	}
	return false;
}

static void check_helper(struct check *c, uint32_t i, int helper)
{
	if (is_among(helpers_4_14, sizeof(helpers_4_14), helper))
		return;
	if (is_among(split_reads_5_5, sizeof(split_reads_5_5), helper)) {
		if (!c->split_reads)
			bad(c, i, "helper %d needs 5.5, and the text was not compiled for it",
			    helper);
		return;
	}
	bad(c, i, "helper %d is not there for tracing", helper);
}

static void check_on_stack(struct check *c, uint32_t i, const struct state *s, int reg,
			   const char *what)
{
	if (s->reg[reg].kind == MAP_VALUE || s->reg[reg].kind == CONTEXT)
		bad(c, i, "the %s of a map call is not on the stack", what);
	else
		check_stack(c, i, s->reg[reg], 0);
}

static void call(struct check *c, uint32_t i, struct state *s)
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	int helper = insn->imm;

	if (insn->src_reg) {
		bad(c, i, "calls a function");
		helper = 0;
	} else {
		check_helper(c, i, helper);
	}
	if (helper == MAP_LOOKUP || helper == MAP_UPDATE || helper == MAP_DELETE)
		check_on_stack(c, i, s, 2, "key");
	if (helper == MAP_UPDATE)
		check_on_stack(c, i, s, 3, "value");
	for (int r = 0; r <= 5; r++)
		s->reg[r] = (struct value){ UNKNOWN, 0 };
	if (helper == MAP_LOOKUP)
		s->reg[0].kind = MAP_VALUE;
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* Where an instruction leads; returns how many of the two there are. */
static int successors(const struct check *c, uint32_t i, uint32_t next[2])
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	int n = 0;

	if (insn->code == (BPF_JMP | BPF_EXIT))
		return 0;
	if (BPF_CLASS(insn->code) != BPF_JMP || BPF_OP(insn->code) == BPF_CALL) {
		next[n++] = i + (is_wide(insn) ? 2 : 1);
		return n;
	}
	next[n++] = (uint32_t)((int)i + 1 + insn->off);
	if (BPF_OP(insn->code) != BPF_JA)
		next[n++] = i + 1;
	return n;
}

enum mark { NEW, OPEN, DONE };

/* Once all that follows an instruction is done, only what encloses it is open. */
static void check_edges(struct check *c, uint32_t i, const unsigned char *marks)
{
	uint32_t next[2];

	for (int n = successors(c, i, next); n > 0; n--) {
		if (next[n - 1] >= c->prog->n_insns)
			bad(c, i, "leads out of the program");
		else if (marks[next[n - 1]] == OPEN)
			bad(c, i, "closes a loop");
	}
}

/*
 * Depth first, with a stack of its own: 4,096 instructions deep is usual.
 */
static void sort(struct check *c, unsigned char *marks, uint32_t *stack)
{
	uint32_t depth = 0, at = c->prog->n_insns;

	stack[depth++] = 0;
	while (depth) {
		uint32_t i = stack[depth - 1], next[2];
		int n = successors(c, i, next), k;

		marks[i] = OPEN;
		for (k = 0; k < n; k++) {
			if (next[k] < c->prog->n_insns && marks[next[k]] == NEW)
				break;
		}
		if (k < n) {
			stack[depth++] = next[k];
			continue;
		}
		check_edges(c, i, marks);
		marks[i] = DONE;
		c->order[--at] = i;
		depth--;
	}
	c->n_order = c->prog->n_insns - at;
	memmove(c->order, c->order + at, c->n_order * sizeof(*c->order));
}

/* Encodings that came after 4.14. */
static void check_encoding(struct check *c, uint32_t i)
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	unsigned mode = insn->code & MODE_MASK, op = BPF_OP(insn->code);

	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP32:
		bad(c, i, "32-bit jump (5.1)");
		break;
	case BPF_JMP:
		if (op > BPF_JSLE)
			bad(c, i, "unknown jump %#x", insn->code);
		break;
	case BPF_STX:
		if (mode == BPF_XADD && insn->imm)
			bad(c, i, "atomic operation other than add (5.12)");
		break;
	case BPF_LDX:
		if (mode != BPF_MEM)
			bad(c, i, "sign-extending load (6.6)");
		break;
	case BPF_ALU:
	case BPF_ALU64:
		if (insn->off && (op == BPF_MOV || op == BPF_DIV || op == BPF_MOD))
			bad(c, i, "signed arithmetic (6.6)");
		if (BPF_CLASS(insn->code) == BPF_ALU64 && op == BPF_END)
			bad(c, i, "unconditional byte swap (6.6)");
		break;
	case BPF_LD:
		if (is_wide(insn) && insn->src_reg > PSEUDO_MAP_FD)
			bad(c, i, "pseudo load %u", insn->src_reg);
		break;
	}
}

static void step(struct check *c, uint32_t i)
{
	const struct bpf_insn *insn = &c->prog->insns[i];
	struct state s = c->at[i];
	uint32_t next[2];

	check_encoding(c, i);
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		alu(&s, insn);
		break;
	case BPF_LDX:
		load(c, i, &s);
		break;
	case BPF_ST:
	case BPF_STX:
		store(c, i, &s);
		break;
	case BPF_LD:
		s.reg[insn->dst_reg] = (struct value){ UNKNOWN, 0 };
		break;
	case BPF_JMP:
		if (BPF_OP(insn->code) == BPF_CALL)
			call(c, i, &s);
		break;
	}
	for (int n = successors(c, i, next); n > 0; n--)
		flow(c, next[n - 1], &s);
}

static void set_entry(struct state *s)
{
	for (int r = 0; r < N_REGS; r++)
		s->reg[r].kind = UNKNOWN;
	for (int i = 0; i < N_SLOTS; i++)
		s->slot[i].kind = UNKNOWN;
	s->reg[1].kind = CONTEXT;
	s->reg[FP] = (struct value){ STACK, 0 };
}

static void check_prog(struct check *c)
{
	uint32_t n = c->prog->n_insns;
	unsigned char *marks = calloc(n, 1);
	uint32_t *stack = calloc(n, sizeof(*stack));

	c->at = calloc(n, sizeof(*c->at));
	c->order = calloc(n, sizeof(*c->order));
	if (!c->at || !c->order || !marks || !stack)
		abort();
	if (n > MAX_INSNS)
		bad(c, n, "%u instructions", n);
	sort(c, marks, stack);
	set_entry(&c->at[0]);
	for (uint32_t i = 0; i < c->n_order; i++)
		step(c, c->order[i]);
	free(c->at);
	free(c->order);
	free(marks);
	free(stack);
}

unsigned rules_check(const struct image *image, bool split_reads, char *why, size_t why_size,
		     struct rules_counts *counts)
{
	struct check c = { .split_reads = split_reads, .why = why, .why_size = why_size };

	memset(counts, 0, sizeof(*counts));
	why[0] = '\0';
	for (uint32_t i = 0; i < image->n_progs; i++) {
		c.prog = &image->progs[i];
		check_prog(&c);
		counts->n_progs++;
		counts->n_insns += c.prog->n_insns;
		if (c.prog->n_insns > counts->max_insns) {
			counts->max_insns = c.prog->n_insns;
			counts->longest = c.prog->name;
		}
	}
	counts->max_stack = c.stack;
	return c.n_bad;
}
