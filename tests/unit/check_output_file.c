/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer's file: there as a whole, or what was there before stays. */
#include "base/output_file.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"

static char path[PATH_MAX + 16];

static void setup(void)
{
	fixture_verify_setup();
	snprintf(path, sizeof(path), "%s/answer", scratch);
}

static void teardown(void)
{
	fixture_verify_teardown();
}

static int write_it(const char *name, const char *text, unsigned times, int err)
{
	struct output_file file;
	int failed = output_file_open(&file, name);

	if (failed)
		return failed;
	for (unsigned i = 0; i < times; i++)
		fputs(text, file.out);
	return output_file_close(&file, err);
}

static void has(const char *text)
{
	char *found = session_read(scratch, "answer", NULL);

	if (text)
		ck_assert_str_eq(found, text);
	else
		ck_assert_ptr_eq(found, NULL);
	free(found);
	ck_assert(!session_exists(scratch, "answer.part"));
}

START_TEST(it_replaces_what_was_there)
{
	ck_assert_int_eq(write_it(path, "one\n", 1, 0), 0);
	has("one\n");
	ck_assert_int_eq(write_it(path, "two\n", 2, 0), 0);
	has("two\ntwo\n");
}
END_TEST

START_TEST(an_error_of_the_caller_leaves_what_was_there)
{
	ck_assert_int_eq(write_it(path, "one\n", 1, -EINVAL), -EINVAL);
	has(NULL);
	ck_assert_int_eq(write_it(path, "one\n", 1, 0), 0);
	ck_assert_int_eq(write_it(path, "two\n", 1, -EINVAL), -EINVAL);
	has("one\n");
}
END_TEST

START_TEST(a_file_that_cannot_grow_is_not_left)
{
	const struct rlimit small = { 100000, 100000 };

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(write_it(path, "one\n", 1, 0), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	said_begin();
	ck_assert_int_eq(write_it(path, "0123456789\n", 100000, 0), -EFBIG);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "/answer: "));
	has("one\n");
}
END_TEST

START_TEST(devices_and_missing_folders)
{
	struct stat st;

	said_begin();
	ck_assert_int_eq(write_it("/dev/full", "x", 1, 0), -ENOSPC);
	ck_assert_int_eq(write_it("/nowhere/answer", "x", 1, 0), -ENOENT);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "/dev/full: No space left on device"));
	ck_assert_ptr_nonnull(strstr(said, "/nowhere/answer: No such file or directory"));
	ck_assert_int_eq(write_it("/dev/null", "x", 1, 0), 0);
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

/* Under the name that the file has meanwhile: a link is not followed, and another user's file stays. */
START_TEST(the_other_name_is_made_anew)
{
	char part[PATH_MAX + 32], *found;

	session_write(scratch, "precious", "precious\n");
	snprintf(part, sizeof(part), "%s/answer.part", scratch);
	ck_assert_int_eq(symlink("precious", part), 0);
	ck_assert_int_eq(write_it(path, "one\n", 1, 0), 0);
	has("one\n");
	found = session_read(scratch, "precious", NULL);
	ck_assert_str_eq(found, "precious\n");
	free(found);
	session_write(scratch, "answer.part", "left of one who was killed");
	ck_assert_int_eq(write_it(path, "two\n", 1, 0), 0);
	has("two\n");
	if (geteuid())
		return;
	session_write(scratch, "answer.part", "of another");
	ck_assert_int_eq(chown(part, 12345, 12345), 0);
	said_begin();
	ck_assert_int_eq(write_it(path, "three\n", 1, 0), -EEXIST);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "answer.part exists and is not a file of this user"));
	ck_assert_int_eq(unlink(part), 0);
	has("two\n");
}
END_TEST

/* Paths and commands are in an answer; who has let others read the one before keeps that. */
START_TEST(nobody_else_reads_an_answer)
{
	struct output_file file;
	struct stat st;

	umask(0);
	ck_assert_int_eq(write_it(path, "one\n", 1, 0), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(chmod(path, 0644), 0);
	ck_assert_int_eq(write_it(path, "two\n", 1, 0), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
	/* facts of a machine */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(output_file_open_regular(&file, path), 0);
	ck_assert_int_eq(output_file_close(&file, 0), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
}
END_TEST

/* A disk, or what another user's link leads to, is nothing to write an answer to. */
START_TEST(another_users_link_is_not_followed)
{
	char link[PATH_MAX + 32];

	if (geteuid())
		return;
	snprintf(link, sizeof(link), "%s/link", scratch);
	ck_assert_int_eq(symlink("/dev/null", link), 0);
	ck_assert_int_eq(write_it(link, "x", 1, 0), 0);
	ck_assert_int_eq(lchown(link, 12345, 12345), 0);
	said_begin();
	ck_assert_int_eq(write_it(link, "x", 1, 0), -EINVAL);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "another user's symbolic link"));
}
END_TEST

START_TEST(what_must_be_a_regular_file)
{
	struct output_file file;

	said_begin();
	ck_assert_int_eq(output_file_open_regular(&file, "/dev/null"), -EINVAL);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "/dev/null: not a regular file"));
	ck_assert_int_eq(output_file_open_regular(&file, path), 0);
	ck_assert_int_eq(output_file_close(&file, 0), 0);
	has("");
}
END_TEST

/* What others read while it grows is replaced, never written into. */
START_TEST(one_that_grows_is_made_anew)
{
	char *found;
	int fd;

	session_write(scratch, "precious", "precious\n");
	ck_assert_int_eq(symlink("precious", path), 0);
	fd = output_file_grow(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "row\n", 4), 4);
	close(fd);
	has("row\n");
	found = session_read(scratch, "precious", NULL);
	ck_assert_str_eq(found, "precious\n");
	free(found);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("output_file");
	TCase *tcase = tcase_create("output_file");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, it_replaces_what_was_there);
	tcase_add_test(tcase, an_error_of_the_caller_leaves_what_was_there);
	tcase_add_test(tcase, a_file_that_cannot_grow_is_not_left);
	tcase_add_test(tcase, devices_and_missing_folders);
	tcase_add_test(tcase, the_other_name_is_made_anew);
	tcase_add_test(tcase, nobody_else_reads_an_answer);
	tcase_add_test(tcase, another_users_link_is_not_followed);
	tcase_add_test(tcase, what_must_be_a_regular_file);
	tcase_add_test(tcase, one_that_grows_is_made_anew);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
