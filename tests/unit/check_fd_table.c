/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of followed processes: which file one is, where its position is, what
 * a duplicate shares with it, and which close is the last.
 */
#include "resolve/fd_calls.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"
#include "fixture/fixture_procs.h"
#include "fixture/fixture_record.h"

/* ---- open ---- */

START_TEST(opened_file_is_described)
{
	const struct desc *desc = open_file(P, 3, "a",
					    O_RDWR | O_CREAT | O_TRUNC | O_EXCL | O_APPEND);
	struct stat st;

	fixture_file_stat("a", &st);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
	ck_assert_uint_eq(desc->dev, fixture_dev(&st));
	ck_assert_int_eq(desc->scope, SCOPE_IN);
	ck_assert_uint_eq(desc->flags, O_RDWR | O_APPEND);
	ck_assert_int_eq(desc->pos, 0);
	ck_assert_ptr_eq(desc_of(P, 3), desc);
}
END_TEST

START_TEST(file_that_is_closed_by_now_is_found_by_its_path)
{
	const struct desc *desc = open_path(P, 3, fixture_file("a"), O_RDONLY);
	struct stat st;

	fixture_file_stat("a", &st);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
}
END_TEST

START_TEST(number_taken_by_another_file_does_not_mislead)
{
	const struct desc *desc;
	struct stat st;

	fixture_file_stat("a", &st);
	fixture_fd(P, 3, fixture_file("b"), 0, O_RDONLY);
	procs_mntns(procs, P);
	desc = open_path(P, 3, fixture_file("a"), O_RDONLY);
	expect_path(desc, "a");
	ck_assert_uint_eq(desc->ino, st.st_ino);
}
END_TEST

START_TEST(file_that_is_gone_keeps_the_path_that_was_given)
{
	const struct desc *desc = open_path(P, 3, "/no/such/file", O_RDONLY);

	ck_assert(desc != NULL);
	ck_assert_str_eq(desc->path->raw, "/no/such/file");
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_int_eq(desc->scope, SCOPE_UNKNOWN);
	desc = open_path(P, 3, "/proc/99999999/stat", O_RDONLY);
	ck_assert_int_eq(desc->scope, SCOPE_OUT);
}
END_TEST

START_TEST(symbolic_link_is_told_by_what_it_leads_to)
{
	const struct desc *desc;
	char link[4200];

	snprintf(link, sizeof(link), "%.4000s.link", fixture_file("a"));
	ck_assert_int_eq(symlink(fixture_file("a"), link), 0);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	desc = open_path(P, 3, link, O_RDONLY);
	expect_path(desc, "a");
}
END_TEST

/* Of the directory that holds the file "a" of the fixture; with its last slash. */
static const char *fixture_directory(struct stat *st)
{
	static char name[4200];

	snprintf(name, sizeof(name), "%.4000s", fixture_file("a"));
	strrchr(name, '/')[1] = '\0';
	ck_assert_int_eq(stat(name, st), 0);
	return name;
}

/* A layered file system gives its files devices of their own. */
static uint32_t device_of_files_in(const char *name, const struct stat *st)
{
	struct statfs fs;

	ck_assert_int_eq(statfs(name, &fs), 0);
	return (uint32_t)fs.f_type == 0x794c7630u ?
		       0 :
		       (uint32_t)(major(st->st_dev) << 20 | minor(st->st_dev));
}

START_TEST(nameless_file_that_is_gone_was_of_its_directory)
{
	struct stat st;
	const char *name = fixture_directory(&st);
	const struct desc *desc = open_path(P, 3, name, O_RDWR | O_TMPFILE);

	ck_assert(desc != NULL && desc->path != NULL);
	ck_assert_str_eq(desc->path->raw, name);
	ck_assert_uint_eq(desc->path->flags, PATH_FULL | PATH_CUT | PATH_DELETED);
	ck_assert_uint_eq(desc->ino, 0);
	ck_assert_uint_eq(desc->dev, device_of_files_in(name, &st));
	desc = open_path(P, 4, "/there/is/none", O_RDWR | O_TMPFILE);
	ck_assert(desc != NULL && !desc->path);
	ck_assert_uint_eq(desc->dev, 0);
}
END_TEST

START_TEST(device_of_a_file_that_is_gone_is_told_when_it_was_made_there)
{
	struct stat st;
	char name[4400];
	const struct desc *desc;

	snprintf(name, sizeof(name), "%sgone", fixture_directory(&st));
	desc = open_path(P, 3, name, O_RDWR | O_CREAT | O_EXCL);
	ck_assert_str_eq(desc->path->raw, name);
	ck_assert_uint_eq(desc->dev, device_of_files_in(fixture_directory(&st), &st));
	ck_assert_uint_eq(desc->ino, 0);
	/* it may have been a symbolic link */
	ck_assert_uint_eq(open_path(P, 4, name, O_RDWR | O_CREAT)->dev, 0);
}
END_TEST

START_TEST(file_of_the_kernels_record_is_believed)
{
	struct iot_fs rec = record_fs(P, IOT_OPEN, -1, 3);
	struct path *path = path_new("/from/kernel", 12, PATH_FULL);
	const struct desc *desc;

	rec.status = IOT_ST_FILE;
	rec.ino = 123;
	rec.dev = 8 << 20 | 1;
	desc = fd_calls_open(procs, &rec, path);
	ck_assert(desc != NULL);
	ck_assert_ptr_eq(desc->path, path);
	ck_assert_uint_eq(desc->ino, 123);
	ck_assert_uint_eq(desc->dev, 8 << 20 | 1);
	ck_assert_int_eq(desc->scope, SCOPE_IN);
	path_put(path);
}
END_TEST

START_TEST(descriptor_from_before_is_read_from_proc)
{
	struct desc *desc;

	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 4);
	expect_path(desc, "a");
	ck_assert_int_eq(desc->pos, 500);
	ck_assert_uint_eq(desc->path->flags, PATH_FULL | PATH_PROC);
	ck_assert_int_eq(move(P, IOT_READ, 4, 10), 500);
	ck_assert_int_eq(move(P, IOT_READ, 4, 10), 510);
}
END_TEST

START_TEST(descriptor_that_appears_later_is_read_from_proc)
{
	procs_mntns(procs, P);
	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	expect_path(desc_of(P, 4), "a");
}
END_TEST

START_TEST(numbers_that_are_no_descriptors_have_nothing)
{
	ck_assert(desc_of(P, -1) == NULL);
	ck_assert(desc_of(P, 3) == NULL);
	ck_assert(desc_of(P, INT32_MAX) == NULL);
	ck_assert(desc_of(P, INT32_MIN) == NULL);
	ck_assert(desc_of(GONE, 0) == NULL);
	ck_assert(close_fd(P, -1));
	ck_assert(close_fd(P, INT32_MAX));
}
END_TEST

START_TEST(opening_a_number_again_is_a_close_that_was_not_seen)
{
	open_file(P, 3, "a", O_RDONLY);
	open_file(P, 3, "b", O_RDONLY);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 3, "a");
	expect_path(desc_of(P, 3), "b");
}
END_TEST

/* ---- positions ---- */

START_TEST(reads_and_writes_move_the_position)
{
	open_file(P, 3, "a", O_RDWR);
	ck_assert_int_eq(move(P, IOT_WRITE, 3, 4096), 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 100), 4096);
	ck_assert_int_eq(move(P, IOT_READ, 3, 0), 4196);
	ck_assert_int_eq(move(P, IOT_READ, 3, -5), 4196);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 4196);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 4197);
}
END_TEST

START_TEST(lseek_sets_the_position)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IOT_LSEEK, 3, 1LL << 40, 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 8), 1LL << 40);
	state(P, IOT_LSEEK, 3, -22, 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 8), (1LL << 40) + 8);
	state(P, IOT_LSEEK, 3, 0, 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 8), 0);
}
END_TEST

START_TEST(appending_write_leaves_the_position_unknown_until_the_next_lseek)
{
	open_file(P, 3, "a", O_WRONLY | O_APPEND);
	ck_assert_int_eq(move(P, IOT_WRITE, 3, 10), -1);
	ck_assert_int_eq(move(P, IOT_READ, 3, 10), -1);
	state(P, IOT_LSEEK, 3, 5, 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 10), 5);
	ck_assert_int_eq(move(P, IOT_WRITE, 3, 10), -1);
}
END_TEST

START_TEST(only_writes_to_appending_descriptors_append)
{
	struct iot_fs write = record_fs(P, IOT_WRITE, 3, 1), read = record_fs(P, IOT_READ, 3, 1);
	struct desc desc = { .flags = O_WRONLY | O_APPEND };

	ck_assert(desc_appends(&desc, &write));
	ck_assert(!desc_appends(&desc, &read));
	desc.flags = O_WRONLY;
	ck_assert(!desc_appends(&desc, &write));
	desc.flags = FORMAT_NO_FLAGS;
	ck_assert(!desc_appends(&desc, &write));
}
END_TEST

START_TEST(move_by_an_unknown_amount_makes_positions_unknown)
{
	struct iot_fs rec = record_fs(P, IOT_MOVED, 3, 100);

	open_file(P, 3, "a", O_RDONLY);
	open_file(P, 4, "b", O_WRONLY);
	rec.head.ts = record_later();
	rec.dirfd = 4;
	fd_calls_state(procs, &rec, NULL);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), -1);
	ck_assert_int_eq(move(P, IOT_WRITE, 4, 1), -1);
}
END_TEST

START_TEST(position_of_proc_is_not_for_what_came_before)
{
	struct iot_fs rec = record_fs(P, IOT_READ, 4, 100);
	struct desc *desc;

	fixture_fd(P, 4, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 4);
	rec.head.ts = RECORD_STALE;
	ck_assert_int_eq(desc_move(desc, &rec), -1);
	ck_assert_int_eq(move(P, IOT_READ, 4, 1), 500);
}
END_TEST

/* ---- dup ---- */

START_TEST(duplicates_share_the_position_and_the_last_close_counts)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IOT_DUP, 3, 7, 0);
	ck_assert_int_eq(move(P, IOT_WRITE, 3, 10), 0);
	ck_assert_int_eq(move(P, IOT_WRITE, 7, 10), 10);
	ck_assert(!close_fd(P, 3));
	expect_path(&out, "a");
	ck_assert(close_fd(P, 7));
	expect_path(&out, "a");
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(dup2_closes_what_it_lands_on)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	state(P, IOT_DUP, 3, 4, 0);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
	expect_path(desc_of(P, 4), "a");
}
END_TEST

START_TEST(dup2_onto_itself_or_failed_changes_nothing)
{
	open_file(P, 3, "a", O_RDWR);
	state(P, IOT_DUP, 3, 3, 0);
	state(P, IOT_DUP, 3, -9, 0);
	ck_assert_uint_eq(n_closed, 0);
	ck_assert(close_fd(P, 3));
}
END_TEST

START_TEST(dup_of_an_unknown_descriptor_forgets_the_target)
{
	open_file(P, 4, "b", O_RDWR);
	fixture_fd_closed(P, 4);
	state(P, IOT_DUP, 9, 4, 0);
	ck_assert_uint_eq(n_closed, 1);
	ck_assert(desc_of(P, 4) == NULL);
}
END_TEST

/* ---- close_range ---- */

static void close_range_of(int first, uint64_t last, uint32_t flags)
{
	struct iot_fs rec = record_fs(P, IOT_CLOSE_RANGE, first, 0);

	rec.size = last;
	rec.flags = flags;
	fd_calls_state(procs, &rec, NULL);
}

START_TEST(close_range_closes_a_range)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	open_file(P, 100, "c", O_RDWR);
	close_range_of(4, 99, 0);
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
	close_range_of(0, UINT32_MAX, 0);
	ck_assert_uint_eq(n_closed, 3);
	close_range_of(-1, UINT64_MAX, 0);
	close_range_of(5, 4, 0);
	ck_assert_uint_eq(n_closed, 3);
}
END_TEST

START_TEST(close_range_may_mark_only)
{
	open_file(P, 3, "a", O_RDWR);
	open_file(P, 4, "b", O_RDWR);
	close_range_of(4, UINT32_MAX, 4);
	ck_assert_uint_eq(n_closed, 0);
	procs_exec(procs, P, record_later());
	ck_assert_uint_eq(n_closed, 1);
	expect_closed(0, 4, "b");
}
END_TEST

/* ---- what is no file ---- */

START_TEST(sockets_and_pipes_are_out_of_scope)
{
	struct iot_fs rec = record_fs(P, IOT_NEWFD, -1, 5);

	rec.dirfd = 6;
	fd_calls_state(procs, &rec, NULL);
	ck_assert_int_eq(desc_of(P, 5)->scope, SCOPE_OUT);
	ck_assert_int_eq(desc_of(P, 6)->scope, SCOPE_OUT);
	ck_assert(close_fd(P, 5));
	ck_assert_int_eq(out.scope, SCOPE_OUT);
	open_file(P, 6, "a", O_RDONLY);
	ck_assert_uint_eq(n_closed, 1);
	ck_assert_str_eq(closed[0].path, "");
}
END_TEST

/* ---- numbers without a place ---- */

START_TEST(descriptor_beyond_all_bounds_is_survived)
{
	const struct desc *desc = open_path(P, 1 << 20, fixture_file("a"), O_RDONLY);

	if (desc)
		expect_path(desc, "a");
	ck_assert(close_fd(P, 1 << 20));
	fixture_fd(P, (1 << 20) + 1, fixture_file("a"), 0, O_RDONLY);
	if (desc_of(P, (1 << 20) + 1))
		ck_assert_int_eq(desc_of(P, (1 << 20) + 1)->scope, SCOPE_IN);
}
END_TEST

static TCase *open_case(void)
{
	TCase *tcase = tcase_create("open");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, opened_file_is_described);
	tcase_add_test(tcase, file_that_is_closed_by_now_is_found_by_its_path);
	tcase_add_test(tcase, number_taken_by_another_file_does_not_mislead);
	tcase_add_test(tcase, file_that_is_gone_keeps_the_path_that_was_given);
	tcase_add_test(tcase, symbolic_link_is_told_by_what_it_leads_to);
	tcase_add_test(tcase, nameless_file_that_is_gone_was_of_its_directory);
	tcase_add_test(tcase, device_of_a_file_that_is_gone_is_told_when_it_was_made_there);
	tcase_add_test(tcase, file_of_the_kernels_record_is_believed);
	tcase_add_test(tcase, descriptor_from_before_is_read_from_proc);
	tcase_add_test(tcase, descriptor_that_appears_later_is_read_from_proc);
	tcase_add_test(tcase, numbers_that_are_no_descriptors_have_nothing);
	tcase_add_test(tcase, opening_a_number_again_is_a_close_that_was_not_seen);
	tcase_add_test(tcase, descriptor_beyond_all_bounds_is_survived);
	return tcase;
}

static TCase *positions_case(void)
{
	TCase *tcase = tcase_create("positions");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, reads_and_writes_move_the_position);
	tcase_add_test(tcase, lseek_sets_the_position);
	tcase_add_test(tcase, appending_write_leaves_the_position_unknown_until_the_next_lseek);
	tcase_add_test(tcase, only_writes_to_appending_descriptors_append);
	tcase_add_test(tcase, move_by_an_unknown_amount_makes_positions_unknown);
	tcase_add_test(tcase, position_of_proc_is_not_for_what_came_before);
	return tcase;
}

static TCase *dup_case(void)
{
	TCase *tcase = tcase_create("duplicates and closes");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, duplicates_share_the_position_and_the_last_close_counts);
	tcase_add_test(tcase, dup2_closes_what_it_lands_on);
	tcase_add_test(tcase, dup2_onto_itself_or_failed_changes_nothing);
	tcase_add_test(tcase, dup_of_an_unknown_descriptor_forgets_the_target);
	tcase_add_test(tcase, close_range_closes_a_range);
	tcase_add_test(tcase, close_range_may_mark_only);
	tcase_add_test(tcase, sockets_and_pipes_are_out_of_scope);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("procs: descriptors");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, open_case());
	suite_add_tcase(suite, positions_case());
	suite_add_tcase(suite, dup_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
