/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text in parts: each program in one of them, all else in each; parts become one image. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/host/host.h"
#include "fixture/host_fixture.h"
#include "image/groups.h"
#include "image/source.h"
#include "row/schema.h"

static const char text[] = "#define HERE 1\n"
			   "static int helper(void)\n{\n\treturn 1;\n}\n"
			   "int iot_a(struct x *ctx)\n{\n\tif (ctx) {\n\t}\n\treturn helper();\n}\n"
			   "#ifdef HERE\n"
			   "int iot_b_sc(void *ctx)\n{\n\treturn 2;\n}\n"
			   "#endif\n"
			   "BPF_TABLE(\"hash\", u32, u32, numbers, 1);\n"
			   "int iot_c_kp(void *ctx)\n{\n\treturn 3;\n}\n";

static bool has(const char *part, const char *words)
{
	return strstr(part, words);
}

static unsigned times(const char *at, const char *words)
{
	unsigned n = 0;

	while ((at = strstr(at, words))) {
		n++;
		at++;
	}
	return n;
}

static unsigned lines(const char *part)
{
	return times(part, "\n");
}

START_TEST(each_program_is_in_one_part_and_the_rest_in_all)
{
	char *first = groups_text(text, NULL, 0, 2), *second = groups_text(text, NULL, 1, 2);

	ck_assert_uint_eq(groups_programs(text, NULL), 3);
	ck_assert(has(first, "iot_a") && !has(first, "iot_b_sc") && has(first, "iot_c_kp"));
	ck_assert(!has(second, "iot_a") && has(second, "iot_b_sc") && !has(second, "iot_c_kp"));
	ck_assert(!has(second, "return helper()"));
	ck_assert(has(second, "static int helper(void)\n{\n\treturn 1;\n}\n"));
	ck_assert(has(second, "#ifdef HERE\n") && has(second, "#endif\nBPF_TABLE"));
	ck_assert_uint_eq(lines(first), lines(text));
	ck_assert_uint_eq(lines(second), lines(text));
	free(first);
	free(second);
}
END_TEST

START_TEST(one_part_is_the_text)
{
	char *part = groups_text(text, NULL, 0, 1);

	ck_assert_str_eq(part, text);
	free(part);
}
END_TEST

/* Those that only kprobes call stay where there are kprobes; those of calls say so in the text. */
START_TEST(what_the_plan_does_not_need_is_left_out)
{
	static struct plan plan;
	char *part;

	memset(&plan, 0, sizeof(plan));
	plan.n_probes = 1;
	plan.probes[0] = (struct plan_probe){ .kind = PROBE_TRACEPOINT, .program = "iot_other" };
	ck_assert_uint_eq(groups_programs(text, &plan), 1);
	part = groups_text(text, &plan, 0, 1);
	ck_assert(!has(part, "iot_a") && has(part, "iot_b_sc") && !has(part, "iot_c_kp"));
	free(part);
	plan.probes[0] = (struct plan_probe){ .kind = PROBE_KRETPROBE, .program = "iot_a" };
	ck_assert_uint_eq(groups_programs(text, &plan), 3);
}
END_TEST

/* Every program of a real plan is found, so that none is missing in the image. */
START_TEST(a_real_text_has_all_programs_of_its_plan_in_its_parts)
{
	enum { N_PARTS = 3 };
	static struct plan plan;
	const struct host_options options = { .root = fixture_saved("6.12"),
					      .no_kprobes = true,
					      .layout = LAYOUT_NONE };
	struct host *host = host_open(&options);
	char *whole, *parts[N_PARTS], needle[96];

	ck_assert_ptr_ne(host, NULL);
	ck_assert_int_eq(plan_make(&plan, host, NULL), 0);
	whole = source_make(&plan);
	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = groups_text(whole, &plan, i, N_PARTS);
	for (unsigned i = 0; i < plan.n_probes; i++) {
		unsigned in = 0;

		snprintf(needle, sizeof(needle), "\nint %s(", plan.probes[i].program);
		/* more than once where only one is compiled: in #else */
		ck_assert_msg(has(whole, needle), "%s", needle);
		for (unsigned k = 0; k < N_PARTS; k++)
			in += times(parts[k], needle);
		ck_assert_msg(in == times(whole, needle), "%s: %u times in parts", needle, in);
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		free(parts[i]);
	free(whole);
	host_close(host);
}
END_TEST

START_TEST(few_programs_are_one_part)
{
	ck_assert_uint_eq(groups_wanted(0), 1);
	ck_assert_uint_eq(groups_wanted(20), 1);
	ck_assert_uint_ge(groups_wanted(1000), 1);
	ck_assert_uint_le(groups_wanted(1000), GROUPS_MAX);
}
END_TEST

/* ---- merging ---- */

static struct image image_with(const char *program, uint32_t entries)
{
	struct image image = { .n_maps = 1, .n_progs = 1 };

	image.maps = calloc(1, sizeof(*image.maps));
	image.maps[0] = (struct image_map){ .name = "numbers", .max_entries = entries };
	image.progs = calloc(1, sizeof(*image.progs));
	image.progs[0].insns = calloc(1, sizeof(struct bpf_insn));
	image.progs[0].n_insns = 1;
	strcpy(image.progs[0].name, program);
	return image;
}

START_TEST(parts_become_one_image)
{
	struct image a = image_with("iot_a", 1), b = image_with("iot_b", 1),
		     again = image_with("iot_b", 1);

	ck_assert_int_eq(groups_merge(&a, &b), 0);
	image_free(&b);
	ck_assert_int_eq(groups_merge(&a, &again), 0);
	image_free(&again);
	ck_assert_uint_eq(a.n_progs, 2);
	ck_assert_uint_eq(image_find_prog(&a, "iot_b")->n_insns, 1);
	image_free(&a);
}
END_TEST

START_TEST(parts_with_other_maps_are_refused)
{
	struct image a = image_with("iot_a", 1), b = image_with("iot_b", 2);

	ck_assert_int_eq(groups_merge(&a, &b), -EBADMSG);
	ck_assert_uint_eq(a.n_progs, 1);
	image_free(&a);
	image_free(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("groups");
	TCase *tc = tcase_create("groups");
	SRunner *runner = srunner_create(s);
	int n_failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, each_program_is_in_one_part_and_the_rest_in_all);
	tcase_add_test(tc, one_part_is_the_text);
	tcase_add_test(tc, what_the_plan_does_not_need_is_left_out);
	tcase_add_test(tc, a_real_text_has_all_programs_of_its_plan_in_its_parts);
	tcase_add_test(tc, few_programs_are_one_part);
	tcase_add_test(tc, parts_become_one_image);
	tcase_add_test(tc, parts_with_other_maps_are_refused);
	suite_add_tcase(s, tc);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
