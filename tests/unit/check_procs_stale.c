/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records against /proc: those that are older than its answer may not change what it
 * said, and a command that waits to be let go is asked of before its first record.
 */
#include "resolve/fd_calls.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"
#include "fixture/fixture_procs.h"
#include "fixture/fixture_record.h"

/* ---- older than what /proc said ---- */

START_TEST(stale_changes_of_descriptors_are_ignored)
{
	struct iot_fs rec = record_fs(P, IOT_LSEEK, 3, 999);

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	fixture_fd(P, 4, fixture_file("b"), 0, O_RDWR | O_CLOEXEC);
	procs_mntns(procs, P);
	rec.head.ts = RECORD_STALE;
	fd_calls_state(procs, &rec, NULL);
	rec.op = IOT_DUP;
	rec.ret = 4;
	fd_calls_state(procs, &rec, NULL);
	procs_exec(procs, P, RECORD_STALE);
	ck_assert_uint_eq(n_closed, 0);
	expect_path(desc_of(P, 4), "b");
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 500);
}
END_TEST

START_TEST(stale_close_leaves_the_descriptor_of_now)
{
	struct iot_fs rec = record_fs(P, IOT_CLOSE, 3, 0);

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	procs_mntns(procs, P);
	rec.head.ts = RECORD_STALE;
	ck_assert(fd_calls_close(procs, &rec, &out));
	ck_assert(out.path == NULL);
	ck_assert_int_eq(out.scope, SCOPE_UNKNOWN);
	expect_path(desc_of(P, 3), "a");
}
END_TEST

static const struct desc *open_stale(int fd, const char *name, uint64_t ts)
{
	struct iot_fs rec = record_fs(P, IOT_OPEN, -1, fd);
	struct path *path = path_new(fixture_file(name), strlen(fixture_file(name)), PATH_FULL);
	const struct desc *desc;

	rec.head.ts = ts;
	desc = fd_calls_open(procs, &rec, path);
	path_put(path);
	return desc;
}

START_TEST(stale_open_of_a_file_that_is_still_open_keeps_the_position_of_now)
{
	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 500);
}
END_TEST

START_TEST(stale_open_describes_its_own_file_not_the_one_of_now)
{
	struct stat st;

	fixture_file_stat("a", &st);
	fixture_fd(P, 3, fixture_file("b"), 500, O_RDWR);
	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	expect_path(desc_of(P, 3), "b");
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 500);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(stale_open_and_close_belong_together)
{
	struct iot_fs rec = record_fs(P, IOT_CLOSE, 3, 0);

	expect_path(open_stale(3, "a", RECORD_STALE), "a");
	rec.head.ts = RECORD_STALE + 1;
	ck_assert(fd_calls_close(procs, &rec, &out));
	expect_path(&out, "a");
	open_file(P, 3, "b", O_RDONLY);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(stale_lseek_leaves_a_position_that_was_read_after_it)
{
	struct iot_fs rec;
	uint64_t before;

	procs_mntns(procs, P);
	usleep(1000);
	rec = record_fs(P, IOT_LSEEK, 3, 7);
	before = rec.head.ts -
		 3600000000000ULL; /* after the scan, before the descriptor is looked at */
	usleep(1000);
	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	ck_assert_int_eq(desc_of(P, 3)->pos, 500);
	rec.head.ts = before;
	fd_calls_state(procs, &rec, NULL);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 500);
}
END_TEST

START_TEST(call_around_the_reading_of_proc_makes_the_position_unknown)
{
	struct iot_fs rec = record_fs(P, IOT_READ, 3, 100);
	struct desc *desc;

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 3);
	rec.latency = rec.head.ts - desc->as_of + 1000; /* began before, ended after */
	ck_assert_int_eq(desc_move(desc, &rec), -1);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), -1);
	state(P, IOT_LSEEK, 3, 9, 0);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 9);
}
END_TEST

/* But not for good: it is read again a little later. */
START_TEST(position_that_a_call_moved_is_read_again)
{
	struct iot_fs rec = record_fs(P, IOT_READ, 3, 100);
	struct desc *desc;

	fixture_fd(P, 3, fixture_file("a"), 500, O_RDWR);
	desc = desc_of(P, 3);
	/* it ended while /proc was read */
	ck_assert_uint_lt(desc->asked, desc->as_of);
	rec.head.ts = desc->as_of - 1;
	rec.latency = 1;
	ck_assert_int_eq(desc_move(desc, &rec), -1);
	fixture_fd(P, 3, fixture_file("a"), 700, O_RDWR);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), -1);
	usleep(25000);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 700);
	ck_assert_int_eq(move(P, IOT_READ, 3, 1), 701);
}
END_TEST

/* ---- the command that waits to be let go ---- */

START_TEST(stopped_process_is_known_from_the_start)
{
	struct iot_fs rec = record_fs(P, IOT_DUP, 3, 4);

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	fixture_fd(P, 9, fixture_file("b"), 0, O_RDWR | O_CLOEXEC);
	procs_seed(procs, P, true);
	rec.head.ts = RECORD_STALE;
	fd_calls_state(procs, &rec, NULL);
	expect_path(desc_of(P, 4), "a");
	ck_assert_int_eq(desc_of(P, 9)->scope, SCOPE_OUT);
	ck_assert_int_eq(desc_of(P, 3)->scope, SCOPE_IN);
}
END_TEST

START_TEST(what_the_command_inherits_is_closed_by_nobody)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	fixture_fd(P, 4, fixture_file("b"), 0, O_RDWR);
	procs_seed(procs, P, true);
	ck_assert(!close_fd(P, 3));
	procs_exit(procs, P);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

START_TEST(seeding_a_process_that_is_gone_is_nothing)
{
	procs_seed(procs, GONE, true);
	procs_seed(procs, GONE + 1, false);
	ck_assert(desc_of(GONE, 0) == NULL);
}
END_TEST

static TCase *stale_case(void)
{
	TCase *tcase = tcase_create("stale");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, stale_changes_of_descriptors_are_ignored);
	tcase_add_test(tcase, stale_close_leaves_the_descriptor_of_now);
	tcase_add_test(tcase, stale_open_of_a_file_that_is_still_open_keeps_the_position_of_now);
	tcase_add_test(tcase, stale_open_describes_its_own_file_not_the_one_of_now);
	tcase_add_test(tcase, stale_open_and_close_belong_together);
	tcase_add_test(tcase, stale_lseek_leaves_a_position_that_was_read_after_it);
	tcase_add_test(tcase, call_around_the_reading_of_proc_makes_the_position_unknown);
	tcase_add_test(tcase, position_that_a_call_moved_is_read_again);
	return tcase;
}

static TCase *seed_case(void)
{
	TCase *tcase = tcase_create("seed");

	tcase_add_checked_fixture(tcase, fixture_procs_setup, fixture_procs_teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, stopped_process_is_known_from_the_start);
	tcase_add_test(tcase, what_the_command_inherits_is_closed_by_nobody);
	tcase_add_test(tcase, seeding_a_process_that_is_gone_is_nothing);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("procs: records and /proc");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, stale_case());
	suite_add_tcase(suite, seed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
