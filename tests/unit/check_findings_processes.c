/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with how programs call, on both sides of each threshold. */
#include "analysis/report/report_find_processes.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/fixture_findings.h"

/* ---- rows ---- */

static void failed_reads(unsigned n)
{
	findings_fs_begin();
	findings_fs("READ", "/a", 0, 100, 4096, "read");
	for (unsigned i = 0; i < n; i++)
		findings_fs("READ", "/a", 0, 100, -5, "read");
	rows_end();
}

static void bytes(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++)
		findings_fs("WRITE", "/a", i, 1000, 1, "write");
	rows_end();
}

static void small(const char *operation, const char *call, unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++)
		findings_fs(operation, "/a", i * 100, 1000, 100, call);
	rows_end();
}

static void small_reads(unsigned n)
{
	small("READ", "read", n);
}

static void small_writes(unsigned n)
{
	small("WRITE", "write", n);
}

static void syncs(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++)
		findings_fs("FSYNC", "/a", 0, 2000, 0, "fsync");
	rows_end();
}

/* A millisecond each; what is given back is none of them. */
static void locks(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n + 50; i++)
		rows_add("LOCK,7,dd,/a,0,12,%s,,1000000,0,8:1,4026531840,f,flock,%llu",
			 i < n ? "LOCK_EX" : "LOCK_UN", 1000000000ull + i * 10000000ull);
	rows_end();
}

static void missing(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++)
		findings_fs("GETATTR", i % 4 ? "/b/c/no" : "/d/no", 0, 2000, -2, "stat");
	rows_end();
}

static void leaks(unsigned n)
{
	char path[32];

	findings_fs_begin();
	for (unsigned i = 0; i < n + 10; i++) {
		snprintf(path, sizeof(path), "/a%u", i);
		findings_fs("OPEN", path, 0, 1000, 3, "openat");
		if (i < 10)
			findings_fs("CLOSE", path, 0, 100, 0, "close");
	}
	/* as it ends */
	findings_fs("CLOSE", path, 0, 0, 0, "");
	rows_end();
}

static const struct finding_case cases[] = {
	{ "errors", failed_reads, 1, "high", "1 calls failed with EIO", "READ by dd (7): /a",
	  "--section errors" },
	{ "one-byte-calls", bytes, 1000, "low", "dd (7) made 1000 writes of one byte",
	  "100 % of its 1000 calls", "files" },
	{ "small-reads", small_reads, 1000, "low", "1000 reads of less than 4 KiB",
	  "100 bytes each", "-p 7 --sort reads" },
	{ "small-writes", small_writes, 1000, "low", "1000 writes of less than 4 KiB",
	  "100 bytes each", "-p 7 --sort writes" },
	{ "sync-bound", syncs, 20, "low", "waited 40.00us for 20 syncs", "100 %", "--sort syncs" },
	{ "lock-wait", locks, 100, "low", "dd (7) waited 100.00ms for 100 locks", "100 %",
	  "--sort lock_ns" },
	{ "missing-paths", missing, 500, "low", "500 times for files that are not there",
	  "most in /b/c (375), /d (125)", "--section errors" },
	{ "leaked-descriptors", leaks, 100, "low", "opened 100 files more", "110 opened, 10 closed",
	  "--sort opens" },
};

enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(each_has_its_threshold)
{
	finding_is_from(&cases[_i]);
}
END_TEST

START_TEST(one_less_is_none)
{
	finding_is_not_below(&cases[_i]);
}
END_TEST

/* ---- shares ---- */

static void say_bytes(unsigned latency)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 1000; i++)
		findings_fs("WRITE", "/a", i, latency, 1, "write");
	rows_end();
	report_make();
}

START_TEST(the_severity_is_that_of_the_share)
{
	/* a call each millisecond, of 999 */
	say_bytes(99000);
	ck_assert(finding_has("one-byte-calls", "severity", "low"));
	report_done();
	say_bytes(101000); /* and what was there before */
	ck_assert(finding_has("one-byte-calls", "severity", "medium"));
	report_done();
}
END_TEST

START_TEST(what_costs_next_to_nothing_is_not_said)
{
	say_bytes(998);
	ck_assert_int_lt(finding_row("one-byte-calls"), 0);
	report_done();
	say_bytes(1000);
	ck_assert_int_ge(finding_row("one-byte-calls"), 0);
	report_done();
}
END_TEST

/* ---- calls ---- */

START_TEST(an_opened_file_is_read_in_one_call)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 1500; i++) {
		findings_fs("OPEN", "/a", 0, 100, 3, "openat");
		findings_fs("READ", "/a", 0, 1000, 100, "read");
		findings_fs("READ", "/a", 100, 1000, 0, "read");
		findings_fs("CLOSE", "/a", 0, 100, 0, "close");
	}
	rows_end();
	report_make();
	ck_assert_int_lt(finding_row("small-reads"), 0);
	report_done();
}
END_TEST

START_TEST(a_tenth_of_the_calls_is_one)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 9000; i++)
		findings_fs("READ", "/a", i * 8192ull, 100, 8192, "read");
	for (unsigned i = 0; i < 1000; i++)
		findings_fs("READ", "/b", i * 100, 50000, 100, "read");
	rows_end();
	report_make();
	ck_assert_int_ge(finding_row("small-reads"), 0);
	report_done();
	findings_fs_begin();
	findings_fs("READ", "/a", 0, 100, 8192, "read");
	rows_end();
	report_make();
	ck_assert_int_lt(finding_row("small-reads"), 0);
	report_done();
}
END_TEST

/* 100 ms of locks; what it reads takes four times as much, or a little more */
START_TEST(a_fifth_of_the_time_in_locks_is_one)
{
	locks(100);
	for (unsigned i = 0; i < 2; i++) {
		findings_fs_begin();
		for (unsigned k = 0; k < (i ? 1 : 400); k++)
			findings_fs("READ", "/b", k * 131072ull, 1000000, 131072, "read");
		rows_end();
		report_make();
		ck_assert_int_eq(finding_row("lock-wait") >= 0, i == 0);
		report_done();
	}
}
END_TEST

START_TEST(sums_of_a_program_are_of_all_its_processes)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 600; i++)
		rows_add("GETATTR,%u,cc1,/x/no%u,0,,,,1000,-2,,4026531840,,stat,%u", 100 + i % 30,
			 i, 1000000000 + i * 1000000);
	rows_end();
	report_make();
	ck_assert(finding_has("missing-paths", "subject", "cc1 (30 processes)"));
	ck_assert(finding_has("missing-paths", "evidence", "/x (600)"));
	ck_assert(finding_has("missing-paths", "command", "-c cc1 "));
	report_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("findings of processes");
	TCase *tcase = tcase_create("rules");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, each_has_its_threshold, 0, N_CASES);
	tcase_add_loop_test(tcase, one_less_is_none, 0, N_CASES);
	tcase_add_test(tcase, the_severity_is_that_of_the_share);
	tcase_add_test(tcase, what_costs_next_to_nothing_is_not_said);
	tcase_add_test(tcase, an_opened_file_is_read_in_one_call);
	tcase_add_test(tcase, a_tenth_of_the_calls_is_one);
	tcase_add_test(tcase, a_fifth_of_the_time_in_locks_is_one);
	tcase_add_test(tcase, sums_of_a_program_are_of_all_its_processes);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
