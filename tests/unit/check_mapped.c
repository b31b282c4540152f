/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of processes: read at first sight, copied or shared by a fork, ended by an exec. */
#include "resolve/mapped.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/fixture_mappings.h"
#include "fixture/fixture_proc.h"

#define SHARE_VM 0x100 /* CLONE_VM */

static struct mapped *mapped;

static void setup_mapped(void)
{
	fixture_mappings_setup_proc();
	fixture_process(CHILD, TGID, "child");
	fixture_process(OTHER, 1, "other");
	mapped = mapped_open(PROC, 0, P);
	ck_assert(mapped != NULL);
}

static void teardown_mapped(void)
{
	mapped_close(mapped);
	fixture_mappings_teardown_proc();
}

/* The process has file ino at page 1 and nothing else, says /proc. */
static void proc_says(uint32_t tgid, int ino)
{
	char text[200];

	snprintf(text, sizeof(text), "1000-2000 r--s 00000000 fe:01 %d /f%d\n", ino, ino);
	fixture_proc_text(tgid, "maps", text);
}

static uint64_t ino_at(uint32_t tgid, uint64_t page)
{
	const struct mapping *found = mapped_find(mapped, tgid, page * P, (page + 1) * P, 0);

	return found ? found->ino : 0;
}

static void process_maps(uint32_t tgid, uint64_t page, uint64_t ino)
{
	struct mapping mapping = file_pages(page, 1, ino, 0);

	mappings_add(mapped_of(mapped, tgid), &mapping);
}

START_TEST(process_is_read_at_first_sight_only)
{
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	proc_says(TGID, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
	process_maps(TGID, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
}
END_TEST

START_TEST(process_that_is_gone_is_followed_from_nothing)
{
	ck_assert_uint_eq(ino_at(GONE, 1), 0);
	process_maps(GONE, 1, 2);
	ck_assert_uint_eq(ino_at(GONE, 1), 2);
	mapped_exit(mapped, GONE);
	mapped_exit(mapped, GONE);
}
END_TEST

START_TEST(child_has_a_copy)
{
	proc_says(TGID, 7);
	proc_says(CHILD, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, CHILD, 0, UINT64_MAX);
	process_maps(TGID, 2, 1);
	process_maps(CHILD, 3, 2);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
}
END_TEST

START_TEST(child_that_shares_memory_shares_mappings_until_exec)
{
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	process_maps(CHILD, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	proc_says(CHILD, 9);
	mapped_exec(mapped, CHILD, NULL);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	ck_assert_uint_eq(ino_at(CHILD, 1), 9);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	mapped_fork(mapped, TGID, TGID, SHARE_VM, 0);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 2), 1);
}
END_TEST

START_TEST(child_of_an_unknown_parent_is_read_itself)
{
	proc_says(CHILD, 8);
	mapped_fork(mapped, TGID, CHILD, 0, UINT64_MAX);
	ck_assert_uint_eq(ino_at(CHILD, 1), 8);
	/* and one from before its parent was read: that one may have changed since */
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, OTHER, 0, 1);
	proc_says(OTHER, 9);
	ck_assert_uint_eq(ino_at(OTHER, 1), 9);
}
END_TEST

START_TEST(exec_is_read_only_for_what_no_record_told)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID, NULL);
	process_maps(TGID, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	/* what a call removed cannot be found there any more */
	ck_assert(!mapped_find(mapped, TGID, P, 2 * P, 1000));
	proc_says(TGID, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	proc_says(TGID, 9);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
}
END_TEST

START_TEST(records_stay_above_what_proc_told_later)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID, NULL);
	process_maps(TGID, 1, 3);
	ck_assert_uint_eq(ino_at(TGID, 5), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 3);
}
END_TEST

START_TEST(children_of_an_exec_are_read_as_late)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID, NULL);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, UINT64_MAX);
	mapped_fork(mapped, TGID, OTHER, 0, UINT64_MAX);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
	proc_says(OTHER, 8);
	ck_assert_uint_eq(ino_at(OTHER, 1), 8);
}
END_TEST

START_TEST(removal_before_the_reading_was_of_another)
{
	proc_says(TGID, 7);
	ck_assert(!mapped_find(mapped, TGID, P, 2 * P, 1));
	ck_assert(mapped_find(mapped, TGID, P, 2 * P, UINT64_MAX));
}
END_TEST

START_TEST(loss_forgets_all)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID, NULL);
	mapped_exec(mapped, OTHER, NULL);
	process_maps(TGID, 2, 1);
	mapped_lost(mapped);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_close(NULL);
}
END_TEST

START_TEST(process_used_longest_ago_gives_way)
{
	mapped_close(mapped);
	mapped = mapped_open(PROC, 3, P);
	for (uint32_t i = 0; i < 3; i++) {
		mapped_exec(mapped, TGID + i, NULL);
		process_maps(TGID + i, 2, 1);
	}
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_exec(mapped, GONE, NULL);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	ck_assert_uint_eq(ino_at(OTHER, 2), 1);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	for (uint32_t i = 0; i < 20000; i++)
		mapped_fork(mapped, CHILD, 6000000 + i * 4096, i & 1 ? SHARE_VM : 0, UINT64_MAX);
	/* however many came and went, there is room for the next */
	mapped_exec(mapped, TGID, NULL);
	process_maps(TGID, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
}
END_TEST

static TCase *process_case(void)
{
	TCase *tcase = tcase_create("processes");

	tcase_add_checked_fixture(tcase, setup_mapped, teardown_mapped);
	tcase_add_test(tcase, process_is_read_at_first_sight_only);
	tcase_add_test(tcase, process_that_is_gone_is_followed_from_nothing);
	tcase_add_test(tcase, child_has_a_copy);
	tcase_add_test(tcase, child_that_shares_memory_shares_mappings_until_exec);
	tcase_add_test(tcase, child_of_an_unknown_parent_is_read_itself);
	tcase_add_test(tcase, exec_is_read_only_for_what_no_record_told);
	tcase_add_test(tcase, records_stay_above_what_proc_told_later);
	tcase_add_test(tcase, children_of_an_exec_are_read_as_late);
	tcase_add_test(tcase, removal_before_the_reading_was_of_another);
	tcase_add_test(tcase, loss_forgets_all);
	tcase_add_test(tcase, process_used_longest_ago_gives_way);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("mappings of processes");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, process_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
