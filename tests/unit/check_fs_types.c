/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which types of file systems are traced, and what the host has to say about a type. */
#include "resolve/fs_types.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/host_fixture.h"
#include "row/records.h"

/* "+ext4 -tmpfs" */
static struct fs_types rules_of(const char *text)
{
	struct fs_types types = { .n_rules = 0 };
	char copy[128], *at = copy, *word;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&at, " ")))
		if (*word)
			ck_assert(fs_types_add(&types, word + 1,
					       *word == '+' ? IOT_FS_INCLUDE : IOT_FS_EXCLUDE));
	return types;
}

/* ---- rules ---- */

static const struct {
	const char *rules;
	const char *type;
	bool by_default;
	bool wanted;
} answers[] = {
	{ "", "ext4", true, true },
	{ "", "proc", false, false },
	{ "+ext4", "ext4", false, true },
	{ "+ext4", "xfs", true, false }, /* who names one leaves the others */
	{ "+ext4", "ext", true, false },
	{ "+ext4", "ext42", true, false },
	{ "-tmpfs", "tmpfs", true, false },
	{ "-tmpfs", "ext4", true, true },
	{ "-tmpfs", "proc", false, false },
	{ "+ext4 -tmpfs", "xfs", true, false },
	{ "+ext4 -tmpfs", "ext4", true, true },
	{ "+ext4 -ext4", "ext4", true, false },
	{ "-ext4 +ext4", "ext4", true, false },
	{ "+ext4 -ext4", "xfs", true,
	  false }, /* it was a list of what to trace, and is none of it */
};

START_TEST(a_type_is_traced_as_the_rules_say)
{
	struct fs_types types = rules_of(answers[_i].rules);

	ck_assert_msg(fs_types_wants(&types, answers[_i].type, answers[_i].by_default) ==
			      answers[_i].wanted,
		      "'%s' of %s", answers[_i].rules, answers[_i].type);
}
END_TEST

static const struct {
	const char *rules;
	bool any;
} leftovers[] = {
	{ "", true },
	{ "-tmpfs", true },
	{ "+tmpfs", true },
	{ "-tmpfs +tmpfs", false },
	{ "+tmpfs -tmpfs", false },
	{ "-tmpfs +tmpfs +ext4", true },
};

START_TEST(rules_that_leave_nothing_are_told_apart)
{
	struct fs_types types = rules_of(leftovers[_i].rules);

	ck_assert_msg(fs_types_any(&types) == leftovers[_i].any, "'%s'", leftovers[_i].rules);
}
END_TEST

START_TEST(names_are_keys_of_the_kernels_map)
{
	struct fs_types types = rules_of("-t1");

	ck_assert(!memcmp(types.rules[0].type, "t1\0\0\0\0\0\0\0\0\0\0\0\0\0", FS_TYPE_SIZE));
	ck_assert(!fs_types_add(&types, "0123456789abcdef", IOT_FS_INCLUDE));
	ck_assert_uint_eq(types.n_rules, 1);
	ck_assert_uint_eq(types.kinds, IOT_FS_EXCLUDE);
	ck_assert(fs_types_add(&types, "0123456789abcde", IOT_FS_INCLUDE));
	ck_assert_str_eq(types.rules[1].type, "0123456789abcde");
	ck_assert_uint_eq(types.kinds, IOT_FS_INCLUDE | IOT_FS_EXCLUDE);
}
END_TEST

START_TEST(a_type_takes_one_place_however_often_it_is_named)
{
	struct fs_types types = rules_of("+ext4 +ext4 -ext4 +ext4");

	ck_assert_uint_eq(types.n_rules, 1);
	ck_assert_uint_eq(types.rules[0].rule, IOT_FS_EXCLUDE);
}
END_TEST

START_TEST(a_full_list_takes_only_what_is_in_it)
{
	struct fs_types types = { .n_rules = 0 };
	char name[20];

	for (int i = 0; i < FS_TYPES_MAX; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		ck_assert(fs_types_add(&types, name, IOT_FS_INCLUDE));
	}
	ck_assert(!fs_types_add(&types, "more", IOT_FS_EXCLUDE));
	ck_assert_uint_eq(types.kinds, IOT_FS_INCLUDE);
	ck_assert(fs_types_add(&types, "t63", IOT_FS_EXCLUDE));
	ck_assert(!fs_types_wants(&types, "t63", true));
	ck_assert_uint_eq(types.n_rules, FS_TYPES_MAX);
}
END_TEST

/* ---- the host ---- */

static char *root;
static char known[64];

static void setup(void)
{
	root = fixture_make();
	fixture_write(root, "filesystems", "nodev\tsysfs\nnodev\ttmpfs\n\text4\nodd\n");
}

static void teardown(void)
{
	fixture_remove(root);
}

START_TEST(type_of_the_host_is_known)
{
	ck_assert(fs_types_known(root, "ext4", known, sizeof(known)));
	ck_assert(fs_types_known(root, "sysfs", known, sizeof(known)));
}
END_TEST

START_TEST(type_that_the_host_has_not_is_answered_with_those_it_has)
{
	ck_assert(!fs_types_known(root, "ext", known, sizeof(known)));
	ck_assert_str_eq(known, "sysfs, tmpfs, ext4");
	ck_assert(!fs_types_known(root, "ext", known, 8));
	ck_assert_str_eq(known, "sysfs, ");
}
END_TEST

START_TEST(what_is_no_type_is_not_known)
{
	ck_assert(!fs_types_known(root, "nodev", known, sizeof(known)));
	ck_assert(!fs_types_known(root, "odd", known, sizeof(known)));
	ck_assert(!fs_types_known(root, "", known, sizeof(known)));
}
END_TEST

START_TEST(without_a_list_nothing_is_refused)
{
	strcpy(known, "x");
	ck_assert(fs_types_known("/no/such/proc", "ext5", known, sizeof(known)));
	ck_assert_str_eq(known, "");
}
END_TEST

#define N_ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("fs_types");
	TCase *rules = tcase_create("rules"), *host = tcase_create("host");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_loop_test(rules, a_type_is_traced_as_the_rules_say, 0, N_ROWS(answers));
	tcase_add_loop_test(rules, rules_that_leave_nothing_are_told_apart, 0, N_ROWS(leftovers));
	tcase_add_test(rules, names_are_keys_of_the_kernels_map);
	tcase_add_test(rules, a_type_takes_one_place_however_often_it_is_named);
	tcase_add_test(rules, a_full_list_takes_only_what_is_in_it);
	suite_add_tcase(suite, rules);
	tcase_add_checked_fixture(host, setup, teardown);
	tcase_add_test(host, type_of_the_host_is_known);
	tcase_add_test(host, type_that_the_host_has_not_is_answered_with_those_it_has);
	tcase_add_test(host, what_is_no_type_is_not_known);
	tcase_add_test(host, without_a_list_nothing_is_refused);
	suite_add_tcase(suite, host);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
