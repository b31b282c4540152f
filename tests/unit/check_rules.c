/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 4.14 rules: first that the checker sees each breach, then that every
 * program of every saved host keeps them, compiled without kernel headers. The
 * second half needs root and the helper, and ends with 77 without.
 */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/host/host.h"
#include "fixture/rules.h"
#include "image/compile.h"
#include "image/source.h"
#include "plan/plan.h"
#include "probes/schema/cast_numbers.h"

enum { SKIP = 77 };

/* clang-format off */
#define MOV_FP(r) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (r), .src_reg = 10 }
#define MOV(d, s) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (d), .src_reg = (s) }
#define ADD(r, n) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (r), .imm = (n) }
#define SET(r, n) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (r), .imm = (n) }
#define CALL(n) { .code = BPF_JMP | BPF_CALL, .imm = (n) }
#define JUMP(n) { .code = BPF_JMP | BPF_JA, .off = (n) }
#define JEQ0(r, n) { .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = (r), .off = (n) }
#define STORE(r, n) { .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = (r), .off = (n) }
/* clang-format on */
#define SPILL(d, n, s)                                                                             \
	{                                                                                          \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (d), .off = (n), .src_reg = (s)     \
	}
#define FILL(d, s, n)                                                                              \
	{                                                                                          \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (d), .src_reg = (s), .off = (n)     \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

static char why[4096];
static struct rules_counts counts;

static unsigned breaches(const struct bpf_insn *insns, size_t size, bool later)
{
	bool fact[N_FACTS] = {
		[FACT_PROBE_READ_KERNEL] = later, [FACT_CGROUP_ID] = later, [FACT_LOOPS] = later
	};
	static struct image_prog prog = { .name = "iot_x" };
	struct image image = { .progs = &prog, .n_progs = 1 };

	prog.insns = (struct bpf_insn *)insns;
	prog.n_insns = (uint32_t)(size / sizeof(*insns));
	return rules_check(&image, fact, why, sizeof(why), &counts);
}

#define ASSERT_KEEPS(...)                                                                          \
	do {                                                                                       \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		ck_assert_msg(breaches(insns_, sizeof(insns_), false) == 0, "%s", why);            \
	} while (0)

#define ASSERT_BREAKS(text, ...)                                                                   \
	do {                                                                                       \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		ck_assert_uint_eq(breaches(insns_, sizeof(insns_), false), 1);                     \
		ck_assert_msg(strstr(why, text) != NULL, "%s", why);                               \
	} while (0)

START_TEST(a_plain_program_keeps_the_rules)
{
	ASSERT_KEEPS(STORE(10, -8), MOV_FP(2), ADD(2, -8), CALL(1), JEQ0(0, 1), STORE(0, 0), EXIT);
	ck_assert_uint_eq(counts.max_insns, 7);
	ck_assert_uint_eq(counts.max_stack, 8);
	ck_assert_str_eq(counts.longest, "iot_x");
}
END_TEST

START_TEST(length_is_limited)
{
	static struct bpf_insn insns[4097];

	for (int i = 0; i < 4096; i++)
		insns[i] = (struct bpf_insn)SET(0, 0);
	insns[4095] = insns[4096] = (struct bpf_insn)EXIT;
	ck_assert_uint_eq(breaches(insns, sizeof(insns) - sizeof(insns[0]), false), 0);
	insns[4095] = (struct bpf_insn)SET(0, 0);
	ck_assert_uint_eq(breaches(insns, sizeof(insns), false), 1);
}
END_TEST

START_TEST(loops_are_refused)
{
	ASSERT_BREAKS("closes a loop", SET(0, 0), JEQ0(0, -2), EXIT);
	ASSERT_BREAKS("closes a loop", SET(0, 0), JUMP(-1));
}
END_TEST

START_TEST(a_loop_is_fine_where_the_kernel_takes_one)
{
	const struct bpf_insn insns[] = { SET(0, 0), JEQ0(0, -2), EXIT };

	ck_assert_msg(breaches(insns, sizeof(insns), true) == 0, "%s", why);
}
END_TEST

START_TEST(a_jump_backwards_that_closes_no_loop_is_fine)
{
	/* 0 -> 3 -> 1 -> 2 */
	ASSERT_KEEPS(JUMP(2), SET(0, 0), EXIT, JUMP(-3));
}
END_TEST

START_TEST(leaving_the_program_is_refused)
{
	ASSERT_BREAKS("leads out", SET(0, 0));
	ASSERT_BREAKS("leads out", JUMP(-2));
	ASSERT_BREAKS("leads out", JUMP(1), EXIT);
}
END_TEST

START_TEST(functions_are_not_called)
{
	ASSERT_BREAKS("calls a function", { .code = BPF_JMP | BPF_CALL, .src_reg = 1, .imm = 1 },
		      EXIT, SET(0, 0), EXIT);
}
END_TEST

START_TEST(helpers_are_those_of_4_14)
{
	ASSERT_KEEPS(CALL(5), CALL(14), CALL(25), CALL(35), CALL(45), EXIT);
	ASSERT_BREAKS("needs 4.18", CALL(80), EXIT); /* cgroup id */
	ASSERT_BREAKS("helper 81", CALL(81), EXIT);
	ASSERT_BREAKS("helper 26", CALL(26), EXIT); /* 4.14 has it, for packets */
	ASSERT_BREAKS("needs 5.5", CALL(113), EXIT);
	ASSERT_BREAKS("needs 6.2", CALL(IOT_CAST_CALL), EXIT);
}
END_TEST

START_TEST(later_helpers_are_allowed_when_compiled_for_them)
{
	const struct bpf_insn insns[] = {
		CALL(112), CALL(113), CALL(114), CALL(115), CALL(80), EXIT
	};

	ck_assert_uint_eq(breaches(insns, sizeof(insns), true), 0);
	ck_assert_uint_eq(breaches(insns, sizeof(insns), false), 5);
}
END_TEST

START_TEST(later_encodings_are_seen)
{
	ASSERT_BREAKS("32-bit jump", { .code = BPF_JMP32 | BPF_JEQ | BPF_K }, EXIT);
	ASSERT_KEEPS({ .code = BPF_STX | BPF_XADD | BPF_DW, .dst_reg = 10, .off = -8 }, EXIT);
	ASSERT_BREAKS("atomic",
		      { .code = BPF_STX | BPF_XADD | BPF_DW,
			.dst_reg = 10,
			.off = -8,
			.imm = 0xf1 },
		      EXIT);
	ASSERT_BREAKS("sign-extending",
		      { .code = BPF_LDX | 0x80 | BPF_W, .dst_reg = 1, .src_reg = 10, .off = -8 },
		      EXIT);
	ASSERT_BREAKS("signed", { .code = BPF_ALU64 | BPF_MOV | BPF_X, .off = 8 }, EXIT);
	ASSERT_BREAKS("pseudo load", { .code = BPF_LD | BPF_DW | BPF_IMM, .src_reg = 2 }, { 0 },
		      EXIT);
}
END_TEST

START_TEST(stack_is_limited)
{
	ASSERT_KEEPS(STORE(10, -512), EXIT);
	ASSERT_BREAKS("520 bytes", STORE(10, -520), EXIT);
	ASSERT_BREAKS("520 bytes", MOV_FP(3), ADD(3, -400), STORE(3, -120), EXIT);
}
END_TEST

START_TEST(keys_and_values_lie_on_the_stack)
{
	ASSERT_BREAKS("key of a map call", STORE(10, -8), MOV_FP(2), ADD(2, -8), CALL(1),
		      JEQ0(0, 2), MOV(2, 0), CALL(1), EXIT);
	ASSERT_BREAKS("value of a map call", STORE(10, -8), MOV_FP(2), ADD(2, -8), CALL(1),
		      JEQ0(0, 4), MOV(3, 0), ADD(3, 8), MOV_FP(2), CALL(2), EXIT);
	ASSERT_BREAKS("key of a map call", MOV(2, 1), CALL(3), EXIT);
}
END_TEST

START_TEST(a_spilled_map_value_is_still_one)
{
	ASSERT_BREAKS("key of a map call", MOV_FP(2), ADD(2, -8), CALL(1), SPILL(10, -16, 0),
		      SET(0, 0), FILL(2, 10, -16), CALL(1), EXIT);
	ASSERT_KEEPS(MOV_FP(2), ADD(2, -8), CALL(1), SPILL(10, -16, 0), STORE(10, -16),
		     FILL(2, 10, -16), CALL(1), EXIT);
}
END_TEST

START_TEST(what_differs_between_paths_is_not_judged)
{
	ASSERT_KEEPS(MOV_FP(2), ADD(2, -8), CALL(1), MOV_FP(2), JEQ0(0, 1), MOV(2, 0), CALL(1),
		     EXIT);
}
END_TEST

static const char *top_dir(void)
{
	return getenv("srcdir") ? getenv("srcdir") : ".";
}

static const char *helper(void)
{
	const char *set = getenv("IOTRACER_BCC");
	static char path[PATH_MAX];

	if (geteuid() != 0 || !realpath(set && *set ? set : "iotracer-bcc", path))
		return NULL;
	return path;
}

/* Without headers the text depends on the saved tracepoint formats alone. */
static void check_host(const char *name)
{
	struct compile_options options = { .helper = helper(), .cache_dir = "" };
	struct plan_request request = { 0 };
	static struct plan plan;
	char root[PATH_MAX], stub[PATH_MAX];
	struct host_options host_options = { .root = root, .layout = LAYOUT_NONE };
	struct image image;
	struct host *host;
	bool cached;
	char *text;

	snprintf(root, sizeof(root), "%s/tests/hosts/%s", top_dir(), name);
	snprintf(stub, sizeof(stub), "%s/compat/stub", top_dir());
	options.stub_dir = stub;
	host = host_open(&host_options);
	ck_assert(host);
	if (plan_make(&plan, host, &request)) {
		printf("rules: %s: nothing to trace without headers\n", name);
		host_close(host);
		return;
	}
	text = source_make(&plan);
	ck_assert(text);
	ck_assert_int_eq(compile_image(&image, host, text, &options, &cached), 0);
	for (unsigned i = 0; i < plan.n_probes; i++)
		ck_assert_msg(image_find_prog(&image, plan.probes[i].program) != NULL,
			      "%s: no program %s for %s", name, plan.probes[i].program,
			      plan.probes[i].target);
	ck_assert_msg(rules_check(&image, host->fact, why, sizeof(why), &counts) == 0, "%s: %s",
		      name, why);
	printf("rules: %s: %u programs, %u instructions, longest %s with %u, stack %u\n", name,
	       counts.n_progs, counts.n_insns, counts.longest, counts.max_insns, counts.max_stack);
	ck_assert_uint_gt(counts.n_progs, 0);
	image_free(&image);
	free(text);
	host_close(host);
}

/* Of the oldest, which has nothing later; those of every saved host are held against them by check-matrix. */
START_TEST(the_oldest_host_gets_programs_that_4_14_would_take)
{
	check_host("4.14");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rules");
	TCase *checker = tcase_create("checker");
	TCase *programs = tcase_create("programs");
	SRunner *runner;
	int n_failed;

	tcase_add_test(checker, a_plain_program_keeps_the_rules);
	tcase_add_test(checker, length_is_limited);
	tcase_add_test(checker, loops_are_refused);
	tcase_add_test(checker, a_loop_is_fine_where_the_kernel_takes_one);
	tcase_add_test(checker, a_jump_backwards_that_closes_no_loop_is_fine);
	tcase_add_test(checker, leaving_the_program_is_refused);
	tcase_add_test(checker, functions_are_not_called);
	tcase_add_test(checker, helpers_are_those_of_4_14);
	tcase_add_test(checker, later_helpers_are_allowed_when_compiled_for_them);
	tcase_add_test(checker, later_encodings_are_seen);
	tcase_add_test(checker, stack_is_limited);
	tcase_add_test(checker, keys_and_values_lie_on_the_stack);
	tcase_add_test(checker, a_spilled_map_value_is_still_one);
	tcase_add_test(checker, what_differs_between_paths_is_not_judged);
	tcase_add_test(programs, the_oldest_host_gets_programs_that_4_14_would_take);
	tcase_set_timeout(programs, 300);
	suite_add_tcase(s, checker);
	if (helper())
		suite_add_tcase(s, programs);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (!helper())
		printf("rules: programs skipped: need root and iotracer-bcc\n");
	if (n_failed)
		return EXIT_FAILURE;
	return helper() ? EXIT_SUCCESS : SKIP;
}
