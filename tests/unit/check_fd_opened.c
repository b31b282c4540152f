/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file a call opened, found out when its descriptor may be closed, or another
 * file's, and its path may lead elsewhere.
 */
#include "resolve/fd_opened.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"

enum { P = 5000001 };

static struct proc_view view;
static const struct opener by = { .procfs = PROC, .view = &view };
static struct path *path;
static struct desc *desc;

static void setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "name");
	view = (struct proc_view){ .tgid = P };
	path = NULL;
	desc = NULL;
}

static void teardown(void)
{
	if (desc)
		desc_put(desc);
	path_put(path);
	proc_view_close(&view);
	fixture_proc_close();
}

static void opened(const char *text, uint32_t path_flags, uint32_t flags)
{
	path = path_new(text, strlen(text), path_flags);
	desc = desc_opened(&by, 3, path, flags);
	ck_assert(desc != NULL);
}

static void expect_file(const char *name)
{
	struct stat st;

	fixture_file_stat(name, &st);
	ck_assert_str_eq(desc->path->raw, fixture_file(name));
	ck_assert_uint_eq(desc->ino, st.st_ino);
	ck_assert_uint_eq(desc->dev, fixture_dev(&st));
	ck_assert_int_eq(desc->scope, SCOPE_IN);
}

/* The directory of the fixture's files, ended by a slash. */
static const char *directory(void)
{
	static char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s", fixture_file("a"));
	strrchr(name, '/')[1] = '\0';
	return name;
}

/* Its device, as the code under test has it: 0 where files need not have that of their directory. */
static uint32_t device_below(const char *dir)
{
	struct procfs_file file;

	ck_assert(procfs_path(PROC, P, false, dir, &file));
	return file.layered ? 0 : file.dev;
}

/* ---- open ---- */

START_TEST(open_descriptor_keeps_the_path_that_was_given)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	opened(fixture_file("a"), PATH_FULL, O_RDONLY);
	expect_file("a");
	ck_assert_ptr_eq(desc->path, path);
}
END_TEST

START_TEST(path_through_a_symbolic_link_becomes_the_real_one)
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%.4000s.link", fixture_file("a"));
	ck_assert_int_eq(symlink(fixture_file("a"), link), 0);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	opened(link, PATH_FULL, O_RDONLY);
	expect_file("a");
	ck_assert_uint_eq(desc->path->flags, PATH_FULL);
}
END_TEST

START_TEST(closed_descriptor_is_found_by_its_path)
{
	opened(fixture_file("a"), PATH_FULL, O_RDONLY);
	expect_file("a");
}
END_TEST

START_TEST(number_of_another_file_by_now_does_not_mislead)
{
	fixture_fd(P, 3, fixture_file("b"), 0, O_RDONLY);
	opened(fixture_file("a"), PATH_FULL, O_RDONLY);
	expect_file("a");
}
END_TEST

START_TEST(number_of_another_file_says_nothing_of_one_that_is_gone)
{
	fixture_fd(P, 3, fixture_file("b"), 0, O_RDONLY);
	opened("/no/such/file", PATH_FULL, O_RDONLY);
	ck_assert_str_eq(desc->path->raw, "/no/such/file");
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_uint_eq(desc->dev, 0);
	ck_assert_int_eq(desc->scope, SCOPE_UNKNOWN);
}
END_TEST

START_TEST(new_file_is_not_what_has_its_name_by_now)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.4000s.made", fixture_file("a"));
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	opened(name, PATH_FULL, O_WRONLY | O_CREAT | O_EXCL);
	ck_assert_int_eq(unlink(name), 0);
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_int_ne(desc->scope, SCOPE_OUT);
}
END_TEST

START_TEST(file_that_is_gone_is_judged_by_its_name)
{
	opened("/proc/99999999/stat", PATH_FULL, O_RDONLY);
	ck_assert_int_eq(desc->scope, SCOPE_OUT);
}
END_TEST

/* ---- of the path only the end is known ---- */

START_TEST(rest_of_a_path_is_completed_by_the_descriptor)
{
	fixture_fd(P, 3, fixture_file("dir/file"), 0, O_RDONLY);
	opened("dir/file", PATH_REST, O_RDONLY);
	expect_file("dir/file");
}
END_TEST

START_TEST(rest_of_a_path_is_whole_components)
{
	fixture_fd(P, 3, fixture_file("subdir/file"), 0, O_RDONLY);
	opened("dir/file", PATH_REST, O_RDONLY);
	ck_assert_str_eq(desc->path->raw, "dir/file");
	ck_assert_uint_eq(desc->ino, 0);
}
END_TEST

START_TEST(rest_of_a_path_leads_nowhere_by_itself)
{
	fixture_file("file");
	ck_assert_int_eq(chdir(directory()), 0);
	opened("file", PATH_REST, O_RDONLY);
	ck_assert_str_eq(desc->path->raw, "file");
	ck_assert_uint_eq(desc->ino, 0);
}
END_TEST

START_TEST(without_a_path_the_number_proves_nothing)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	desc = desc_opened(&by, 3, NULL, O_RDONLY);
	ck_assert(desc && !desc->path);
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_int_eq(desc->scope, SCOPE_UNKNOWN);
}
END_TEST

/* ---- made, and gone by now ---- */

static const struct {
	uint32_t flags;
	bool known;
} makers[] = {
	{ O_CREAT | O_EXCL | O_RDWR, true },
	{ O_CREAT | O_RDWR, false }, /* may be there already, and lead elsewhere */
	{ O_EXCL, false },
	{ O_RDONLY, false },
};

START_TEST(new_file_that_is_gone_was_on_the_device_of_its_directory)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.4000sgone", directory());
	opened(name, PATH_FULL, makers[_i].flags);
	ck_assert_str_eq(desc->path->raw, name);
	ck_assert_uint_eq(desc->dev, makers[_i].known ? device_below(directory()) : 0);
	ck_assert_uint_eq(desc->ino, 0);
}
END_TEST

START_TEST(new_file_in_a_directory_that_is_gone_is_on_no_known_device)
{
	opened("/no/such/file", PATH_FULL, O_CREAT | O_EXCL);
	ck_assert_uint_eq(desc->dev, 0);
}
END_TEST

/* ---- without a name ---- */

START_TEST(file_in_no_directory_shows_as_unlinked)
{
	const char *name = fixture_file("a");
	int fd = open(name, O_RDWR);
	struct stat st;

	ck_assert(fd >= 0 && !fstat(fd, &st));
	fixture_proc_real();
	view.tgid = getpid();
	ck_assert(!desc_nameless(&by, fd));
	ck_assert_int_eq(unlink(name), 0);
	desc = desc_nameless(&by, fd);
	ck_assert(desc && desc->deleted);
	ck_assert_uint_eq(desc->ino, st.st_ino);
	close(fd);
	ck_assert(!desc_nameless(&by, fd));
}
END_TEST

START_TEST(closed_file_without_a_name_was_of_its_directory)
{
	char dir[PATH_MAX];
	size_t len = (size_t)snprintf(dir, sizeof(dir), "%s", directory()) - 1;

	path = path_new(dir, len, PATH_FULL); /* without the slash */
	desc = desc_unnamed(&by, 3, path);
	ck_assert_str_eq(desc->path->raw, dir);
	ck_assert_uint_eq(desc->path->flags, PATH_FULL | PATH_CUT | PATH_DELETED);
	ck_assert_uint_eq(desc->dev, device_below(dir));
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_int_eq(desc->scope, SCOPE_IN);
}
END_TEST

START_TEST(root_has_one_slash)
{
	path = path_new("/", 1, PATH_FULL);
	desc = desc_unnamed(&by, 3, path);
	ck_assert_str_eq(desc->path->raw, "/");
}
END_TEST

START_TEST(nothing_is_known_of_one_without_a_directory)
{
	desc = desc_unnamed(&by, 3, NULL);
	ck_assert(desc && !desc->path);
	ck_assert_int_eq(desc->scope, SCOPE_UNKNOWN);
	desc_put(desc);
	path = path_new("no/such", 7, PATH_REST);
	desc = desc_unnamed(&by, 3, path);
	ck_assert(desc && !desc->path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fd_opened");
	TCase *tcase = tcase_create("opened"), *nameless = tcase_create("without a name");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, open_descriptor_keeps_the_path_that_was_given);
	tcase_add_test(tcase, path_through_a_symbolic_link_becomes_the_real_one);
	tcase_add_test(tcase, closed_descriptor_is_found_by_its_path);
	tcase_add_test(tcase, number_of_another_file_by_now_does_not_mislead);
	tcase_add_test(tcase, number_of_another_file_says_nothing_of_one_that_is_gone);
	tcase_add_test(tcase, new_file_is_not_what_has_its_name_by_now);
	tcase_add_test(tcase, file_that_is_gone_is_judged_by_its_name);
	tcase_add_test(tcase, rest_of_a_path_is_completed_by_the_descriptor);
	tcase_add_test(tcase, rest_of_a_path_is_whole_components);
	tcase_add_test(tcase, rest_of_a_path_leads_nowhere_by_itself);
	tcase_add_test(tcase, without_a_path_the_number_proves_nothing);
	tcase_add_loop_test(tcase, new_file_that_is_gone_was_on_the_device_of_its_directory, 0,
			    sizeof(makers) / sizeof(makers[0]));
	tcase_add_test(tcase, new_file_in_a_directory_that_is_gone_is_on_no_known_device);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(nameless, setup, teardown);
	tcase_add_test(nameless, file_in_no_directory_shows_as_unlinked);
	tcase_add_test(nameless, closed_file_without_a_name_was_of_its_directory);
	tcase_add_test(nameless, root_has_one_slash);
	tcase_add_test(nameless, nothing_is_known_of_one_without_a_directory);
	suite_add_tcase(suite, nameless);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
