/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wrote to a file last. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/writers.h"

static struct writers *writers;

static void setup(void)
{
	writers = writers_open(64);
	ck_assert(writers != NULL);
}

static void teardown(void)
{
	writers_close(writers);
}

static void note(uint64_t ino, uint32_t dev, uint32_t pid)
{
	char comm[16] = "w";

	comm[1] = 'a' + pid % 26;
	writers_note(writers, ino, dev, pid, comm);
}

static void expect(uint64_t ino, uint32_t dev, uint32_t pid, unsigned count)
{
	struct writer found;

	ck_assert(writers_find(writers, ino, dev, &found));
	ck_assert_uint_eq(found.pid, pid);
	ck_assert_uint_eq(found.count, count);
	ck_assert_int_eq(found.comm[1], 'a' + pid % 26);
}

START_TEST(last_one_is_named_and_each_counted_once)
{
	note(5, 1, 100);
	expect(5, 1, 100, 1);
	note(5, 1, 101);
	note(5, 1, 100);
	expect(5, 1, 100, 2);
	note(5, 1, 102);
	note(5, 1, 101);
	expect(5, 1, 101, 3);
	for (uint32_t pid = 200; pid < 210; pid++)
		note(5, 1, pid);
	expect(5, 1, 209, WRITERS_COUNTED);
}
END_TEST

START_TEST(write_back_begins_a_new_count)
{
	note(5, 1, 100);
	note(5, 1, 101);
	writers_written(writers, 5, 1);
	expect(5, 1, 101, 2);
	note(5, 1, 101);
	expect(5, 1, 101, 1);
	note(5, 1, 100);
	expect(5, 1, 100, 2);
}
END_TEST

START_TEST(files_are_told_apart)
{
	struct writer found;

	note(5, 1, 100);
	note(5, 2, 101);
	note(6, 1, 102);
	expect(5, 1, 100, 1);
	expect(5, 2, 101, 1);
	expect(6, 1, 102, 1);
	ck_assert(!writers_find(writers, 7, 1, &found));
	note(0, 1, 103);
	ck_assert(!writers_find(writers, 0, 1, &found));
	writers_written(writers, 7, 1);
	writers_written(writers, 0, 1);
}
END_TEST

/* More files than there is room for: the last ones are known. */
START_TEST(longest_unused_goes)
{
	struct writer found;
	unsigned known = 0;

	for (uint64_t ino = 1; ino <= 10000; ino++)
		note(ino, 1, (uint32_t)ino);
	expect(10000, 1, 10000, 1);
	for (uint64_t ino = 1; ino <= 10000; ino++)
		if (writers_find(writers, ino, 1, &found)) {
			ck_assert_uint_eq(found.pid, ino);
			known++;
		}
	ck_assert_uint_le(known, 64);
	ck_assert_uint_ge(known, 48);
	for (uint64_t ino = 1; ino <= 9000; ino++)
		ck_assert(!writers_find(writers, ino, 1, &found));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("writers");
	TCase *tcase = tcase_create("writers");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, last_one_is_named_and_each_counted_once);
	tcase_add_test(tcase, write_back_begins_a_new_count);
	tcase_add_test(tcase, files_are_told_apart);
	tcase_add_test(tcase, longest_unused_goes);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
