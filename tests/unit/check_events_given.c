/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Column given of stream fs: what a program gave to its call, beside the path that it led to. */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

static void setup(void)
{
	feed_setup();
	feed_anew(&(struct feed_options){ .given = true });
}

static struct iot_more on_path(uint16_t op, const char *path)
{
	uint64_t name = feed_string(path);
	struct iot_more rec = record_more(P, op, -1, 0);

	rec.fs.name = name;
	rec.fs.dirfd = AT_FDCWD;
	rec.fs.status = IOT_ST_PATH;
	return rec;
}

/* As with --given, before the record of a call of P whose files the kernel told */
static void feed_given(uint16_t kind, const char *string)
{
	static struct iot_text text;
	size_t len = record_text(&text, 1, kind, string, strlen(string));

	text.head.tgid = text.head.tid = P;
	feed(&text, len);
}

/* A call on /a/bb/c as the kernel found it, which began now */
static struct iot_more found_by_kernel(uint16_t op, uint64_t start)
{
	struct iot_more rec = record_more(P, op, -1, 0);

	feed_kernel_file(&rec, IOT_ST_PATH);
	rec.start = start;
	return rec;
}

static void expect_given(const char *operation, const char *path, const char *given)
{
	feed_end();
	ck_assert_uint_gt(n_seen, 0);
	expect_operation(n_seen - 1, operation, path);
	expect(n_seen - 1, "given", given);
}

/* ---- the string came with the record ---- */

static void feed_path(uint16_t op, const char *path)
{
	struct iot_more rec = on_path(op, path);

	feed_more(&rec);
}

START_TEST(another_text_than_the_path_is_shown)
{
	feed_path(IOT_UNLINK, "x");
	expect_given("UNLINK", "/usr/x", "x");
	feed_path(IOT_UNLINK, "lib/../x");
	expect_given("UNLINK", "/usr/x", "lib/../x");
	feed_path(IOT_UNLINK, "/usr//x");
	expect_given("UNLINK", "/usr/x", "/usr//x");
	feed_path(IOT_UNLINK, "a,\"b\n\\");
	expect_given("UNLINK", "/usr/a,\"b\\n\\\\", "a,\"b\\n\\\\");
}
END_TEST

START_TEST(the_same_text_is_not)
{
	feed_path(IOT_UNLINK, "/usr/x");
	expect_given("UNLINK", "/usr/x", "");
	/* the row has a slash behind directories, whether the program gave one or not */
	feed_path(IOT_MKDIR, "/usr/d");
	expect_given("MKDIR", "/usr/d/", "");
	feed_path(IOT_MKDIR, "/usr/d/");
	expect_given("MKDIR", "/usr/d/", "");
	feed_path(IOT_GETATTR, "/");
	expect_given("GETATTR", "/", "");
}
END_TEST

START_TEST(two_names_are_shown_like_those_of_filename)
{
	uint64_t second = feed_string("../y");
	struct iot_more rec = on_path(IOT_RENAME, "x");

	rec.name2 = second;
	rec.fd2 = AT_FDCWD;
	feed_more(&rec);
	expect_given("RENAME", "/usr/x -> /y", "x -> ../y");
	second = feed_string("/y");
	rec = on_path(IOT_RENAME, "/usr/x");
	rec.name2 = second;
	rec.fd2 = AT_FDCWD;
	feed_more(&rec);
	expect_given("RENAME", "/usr/x -> /y", "");
	/* one that is the same is there all the same, or nobody could tell which it is */
	second = feed_string("/y");
	rec = on_path(IOT_SYMLINK, "../y");
	rec.name2 = second;
	rec.fd2 = AT_FDCWD;
	feed_more(&rec);
	expect_given("SYMLINK", "../y -> /y", "");
}
END_TEST

START_TEST(an_open_has_its_name)
{
	feed_open(P, "lib/../x", 3, O_RDONLY);
	expect_given("OPEN", "/usr/x", "lib/../x");
	feed_open(P, "y", -2, O_RDONLY);
	expect_given("OPEN", "/usr/y", "y");
	/* neither what is done with the file, nor the CLOSE that another open of the same number tells of */
	feed_call(P, IOT_WRITE, 3, 1, 1);
	expect_given("WRITE", "/usr/x", "");
	feed_open(P, "z", 3, O_RDONLY);
	feed_end();
	for (unsigned i = 0; i < n_seen; i++)
		if (!strcmp(seen_field(i, "operation"), "CLOSE"))
			expect(i, "given", "");
}
END_TEST

/* ---- it came before ---- */

START_TEST(a_file_of_the_kernel_has_the_string_before_it)
{
	uint64_t start = record_later();
	struct iot_more rec;

	feed_given(IOT_TEXT_GIVEN, "../bb/c");
	rec = found_by_kernel(IOT_GETATTR, start);
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "../bb/c");
	/* once */
	rec = found_by_kernel(IOT_GETATTR, record_later());
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "");
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

START_TEST(two_of_the_kernel_have_both)
{
	uint64_t start = record_later();
	struct iot_more rec;

	feed_given(IOT_TEXT_GIVEN, "c");
	feed_given(IOT_TEXT_GIVEN2, "d");
	rec = found_by_kernel(IOT_RENAME, start);
	feed_text(8, IOT_TEXT_WALK, "d\0a", 4);
	rec.name2 = 8;
	rec.status2 = IOT_ST_FILE;
	feed_more(&rec);
	expect_given("RENAME", "/a/bb/c -> /a/d", "c -> d");
	/* the second comes with the record where it failed */
	start = record_later();
	feed_given(IOT_TEXT_GIVEN, "c");
	rec = found_by_kernel(IOT_RENAME, start);
	rec.fs.ret = -1;
	rec.name2 = feed_string("e");
	rec.fd2 = AT_FDCWD;
	feed_more(&rec);
	expect_given("RENAME", "/a/bb/c -> /usr/e", "c -> e");
}
END_TEST

START_TEST(the_second_alone_is_sent_where_the_first_comes_with_the_record)
{
	uint64_t start, first;
	struct iot_more rec;

	for (int i = 0; i < 2; i++) {
		start = record_later();
		first = feed_string("b");
		feed_given(IOT_TEXT_GIVEN2, "d");
		rec = record_more(P, IOT_SYMLINK, -1, 0);
		rec.fs.name = first;
		rec.fs.dirfd = AT_FDCWD;
		rec.fs.status = IOT_ST_PATH;
		rec.start = start;
		feed_text(8, IOT_TEXT_WALK, "d\0a", 4);
		rec.name2 = 8;
		rec.status2 = IOT_ST_FILE;
		feed_more(&rec);
		expect_given("SYMLINK", "b -> /a/d", "b -> d");
		/* of a row that never came */
		feed_given(IOT_TEXT_GIVEN, "lost");
	}
}
END_TEST

START_TEST(a_string_whose_record_was_lost_is_nobodys)
{
	struct iot_more rec;

	feed_given(IOT_TEXT_GIVEN, "lost");
	rec = found_by_kernel(IOT_GETATTR, record_later());
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "");
}
END_TEST

START_TEST(a_string_of_another_thread_is_not_taken)
{
	uint64_t start = record_later();
	struct iot_more rec;

	feed_given(IOT_TEXT_GIVEN, "mine");
	rec = found_by_kernel(IOT_GETATTR, start);
	rec.fs.head.tid = P + 64; /* the same place */
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "");
	rec.fs.head.tid = P;
	feed_kernel_file(&rec, IOT_ST_PATH);
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "mine");
}
END_TEST

START_TEST(without_the_option_there_is_none)
{
	struct iot_more rec;

	feed_anew(&(struct feed_options){ .given = false });
	feed_path(IOT_UNLINK, "x");
	expect_given("UNLINK", "/usr/x", "");
	/* from an image that was built with it, say */
	feed_given(IOT_TEXT_GIVEN, "y");
	rec = found_by_kernel(IOT_GETATTR, RECORD_STALE);
	feed_more(&rec);
	expect_given("GETATTR", "/a/bb/c", "");
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

static Suite *given_suite(void)
{
	Suite *suite = suite_create("events_given");
	TCase *tcase = tcase_create("given");

	tcase_add_checked_fixture(tcase, setup, feed_teardown);
	tcase_add_test(tcase, another_text_than_the_path_is_shown);
	tcase_add_test(tcase, the_same_text_is_not);
	tcase_add_test(tcase, two_names_are_shown_like_those_of_filename);
	tcase_add_test(tcase, an_open_has_its_name);
	tcase_add_test(tcase, a_file_of_the_kernel_has_the_string_before_it);
	tcase_add_test(tcase, two_of_the_kernel_have_both);
	tcase_add_test(tcase, the_second_alone_is_sent_where_the_first_comes_with_the_record);
	tcase_add_test(tcase, a_string_whose_record_was_lost_is_nobodys);
	tcase_add_test(tcase, a_string_of_another_thread_is_not_taken);
	tcase_add_test(tcase, without_the_option_there_is_none);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(given_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
