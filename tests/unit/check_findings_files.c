/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with how files are used, on both sides of each threshold. */
#include "analysis/report/report_find_files.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fixture/fixture_findings.h"
#include "fixture/session.h"

/* ---- rows ---- */

static void random_calls(const char *operation, const char *call, unsigned n)
{
	findings_fs_begin();
	findings_fs("OPEN", "/a", 0, 100, 3, "openat");
	for (unsigned i = 0; i < n; i++)
		findings_fs(operation, "/a", i * 7919ull % 1000 * 8192, 2000, 8192, call);
	rows_end();
}

static void random_reads(unsigned n)
{
	random_calls("READ", "pread64", n);
}

static void random_writes(unsigned n)
{
	random_calls("WRITE", "pwrite64", n);
}

/* n times 1 MiB of the first 32 MiB */
static void re_reads(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++)
		findings_fs("READ", "/a", i % 32 << 20, 100000, 1 << 20, "read");
	rows_end();
}

static void rewrites(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i <= n; i++)
		findings_fs("WRITE", "/a", 0, 2000, 8192, "pwrite64");
	rows_end();
}

static void opens(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++) {
		findings_fs("OPEN", "/a", 0, 10000, 3, "openat");
		findings_fs("CLOSE", "/a", 0, 100, 0, "close");
	}
	rows_end();
}

static void copies(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < n; i++) {
		findings_fs("READ", "/from", i << 20, 1000, 1 << 20, "read");
		findings_fs("WRITE", "/to", i << 20, 1000, 1 << 20, "write");
	}
	findings_fs("READ", "/from", n << 20, 100, 0, "read");
	rows_end();
}

static const struct finding_case cases[] = {
	{ "random-reads", random_reads, 1000, "low", "/a: 1000 reads in no order", "8.0K each",
	  "--sort reads" },
	{ "random-writes", random_writes, 1000, "low", "/a: 1000 writes in no order", "8.0K each",
	  "--sort writes" },
	{ "re-reads", re_reads, 64, "low", "/a was read 2.0 times over", "64.0M of 32.0M",
	  "--sort read_bytes" },
	{ "rewrites", rewrites, 1000, "low", "/a: 1000 writes began", "100 % of its 1001 writes",
	  "--sort rewrites" },
	{ "open-churn", opens, 1000, "low", "/a was opened 1000 times", "by 1 processes",
	  "--sort opens" },
	{ "user-copy", copies, 16, "low", "copied 16.0M to /to", "from /from, 1.0M a call",
	  "-p 7" },
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

START_TEST(what_devices_read_again_did_not_fit)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 64; i++)
		findings_fs("READ", "/a", i % 32 << 20, 10000, 1 << 20, "read");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,filename,cause,mono_ns");
	for (unsigned i = 0; i < 63; i++)
		rows_add("7,dd,read,1048576,1.000000,8:0,/a,read,%u", 1000000000 + i * 1000000);
	rows_end();
	report_make();
	ck_assert(finding_has("re-reads", "severity", "low"));
	report_done();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,filename,cause,mono_ns");
	rows_add("7,dd,read,1048576,1.000000,8:0,/a,read,1000000000");
	rows_end();
	report_make();
	ck_assert(finding_has("re-reads", "severity", "medium"));
	ck_assert(finding_has("re-reads", "evidence", "from devices: 64.0M"));
	report_done();
}
END_TEST

START_TEST(a_file_that_is_opened_anew_is_in_no_order)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 2000; i++) {
		findings_fs("OPEN", "/log", 0, 10000, 3, "openat");
		findings_fs("WRITE", "/log", i * 20, 5000, 20, "write");
		findings_fs("CLOSE", "/log", 0, 100, 0, "close");
	}
	rows_end();
	report_make();
	ck_assert_int_lt(finding_row("random-writes"), 0);
	ck_assert_int_ge(finding_row("open-churn"), 0);
	report_done();
}
END_TEST

START_TEST(a_rotating_disk_is_high)
{
	char spec[400];

	snprintf(spec, sizeof(spec), "%s/system_spec", dir);
	ck_assert_int_eq(mkdir(spec, 0700), 0);
	session_write(spec, "disk_info.json",
		      "{\"block_devices\": [{\"major_minor\": \"8:16\", \"rotational\": true}, "
		      "{\"major_minor\": \"8:0\", \"rotational\": true, "
		      "\"partitions\": [{\"major_minor\": \"8:1\"}]}]}");
	findings_fs_begin();
	for (unsigned i = 0; i < 1000; i++)
		findings_fs("READ", "/a", i * 7919ull % 1000 * 8192, 110000, 8192, "pread64");
	rows_end();
	report_make();
	ck_assert(finding_has("random-reads", "severity", "high"));
	ck_assert(finding_has("random-reads", "evidence", "its device rotates"));
	report_done();
	/* what came from memory moved no heads */
	findings_requests(1, 100, 0, "read", "read", 4096);
	report_make();
	ck_assert(finding_has("random-reads", "severity", "low"));
	ck_assert(finding_has("random-reads", "evidence", "most came from memory"));
	report_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("findings of files");
	TCase *tcase = tcase_create("rules");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, each_has_its_threshold, 0, N_CASES);
	tcase_add_loop_test(tcase, one_less_is_none, 0, N_CASES);
	tcase_add_test(tcase, what_devices_read_again_did_not_fit);
	tcase_add_test(tcase, a_file_that_is_opened_anew_is_in_no_order);
	tcase_add_test(tcase, a_rotating_disk_is_high);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
