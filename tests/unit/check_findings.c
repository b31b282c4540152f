/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong, by rows as they stand in a directory: each rule on both sides of its threshold, its severity, and
 * what is no finding. Here devices, the rest, and the numbers that decide; check_findings_files and
 * check_findings_processes have theirs.
 */
#include "analysis/report/report_findings.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_findings.h"

/* ---- rows ---- */

static void slow_requests(unsigned n)
{
	findings_requests(n, 11000, 0, "read", "read", 4096);
}

static void queued_requests(unsigned n)
{
	findings_requests(n, 100, 101, "read", "read", 4096);
}

static void swapped(unsigned n)
{
	findings_requests(1, 100, 0, "read", "read", 4096);
	if (n)
		findings_requests(n, 100, 0, "swap", "write", 4096);
}

static void amplified(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 16; i++)
		findings_fs("WRITE", "/a", i << 20, 1000, 1 << 20, "write");
	rows_end();
	findings_requests(n, 100, 0, "journal", "write", 1 << 20);
}

static void punted(unsigned n)
{
	rows_begin("iouring", "pid,command,event_type,opcode,result,latency_ns,filename,mono_ns");
	for (unsigned i = 0; i < n; i++) {
		rows_add("7,dd,SUBMIT,READ,,,,%u", 1000000000 + i * 1000);
		rows_add("7,dd,QUEUE_ASYNC,READ,,,,%u", 1000000100 + i * 1000);
	}
	rows_end();
}

static void overflowed(unsigned n)
{
	rows_begin("iouring", "pid,command,event_type,opcode,result,latency_ns,filename,mono_ns");
	rows_add("7,dd,COMPLETE,READ,1,100,,1000000000");
	for (unsigned i = 0; i < n; i++)
		rows_add("7,dd,CQE_OVERFLOW,,,,,%u", 1000000001 + i * 1000);
	rows_end();
}

static void faults(unsigned n)
{
	rows_begin("pagefault",
		   "pid,command,fault_type,severity,inode,device,filename,latency_ns,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("7,dd,READ,MAJOR,12,8:1,/a/b/one,6000,%u", 1000000000 + i * 1000);
	rows_add("7,dd,READ,MINOR,12,8:1,/a/b/one,100,2000000000");
	rows_end();
}

static void waits(unsigned n)
{
	rows_begin("nw_epoll", "pid,command,event_type,return_value,latency_ns,mono_ns");
	for (unsigned i = 0; i < n; i++) {
		rows_add("7,dd,EPOLL_WAIT,0,600,%u", 1000000000 + i * 1000);
		rows_add("7,dd,EPOLL_CTL,0,600,%u", 1000000500 + i * 1000);
	}
	rows_add("7,dd,POLL,1,600,4000000000");
	rows_end();
}

static void resent(unsigned n)
{
	rows_begin("nw", "pid,command,protocol,source_addr,dest_addr,source_port,dest_port,size,"
			 "direction,latency_ns,error_code,mono_ns");
	rows_add("9,curl,TCP,::1,::1,100,80,1000000,send,50,,1100000000");
	rows_end();
	rows_begin(
		"nw_drop",
		"pid,command,event_type,protocol,source_addr,dest_addr,source_port,dest_port,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("9,curl,TCP_RETRANSMIT,TCP,::1,::1,100,80,%u", 1100000000 + i * 1000);
	rows_end();
}

static void refused(unsigned n)
{
	rows_begin("nw_conn", "pid,command,event_type,return_value,latency_ns,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("9,curl,CONNECT,-111,50,%u", 1100000000 + i * 1000);
	/* they go on, or look for a service as they start */
	for (unsigned i = 0; i < 100; i++)
		rows_add("9,curl,CONNECT,%d,50,%u", i % 2 ? -115 : -2, 1200000000 + i * 1000);
	rows_end();
}

static const struct finding_case cases[] = {
	{ "device-slow", slow_requests, 100, "high", "Half of the requests of 8:0", "100 requests",
	  "--section devices" },
	{ "queueing", queued_requests, 1000, "low", "1000 requests of 8:0", "101.00us in the queue",
	  "--section devices" },
	{ "swapping", swapped, 1, "high", "0 came from swap and 4.0K went there", "50 %",
	  "owners" },
	{ "amplified", amplified, 64, "high", "Devices wrote 64.0M, 4.0 times the 16.0M",
	  "64.0M of journal for dd", "amp" },
	{ "uring-punted", punted, 1000, "medium", "100 % of io_uring's requests dd READ",
	  "1000 of 1000", "--section uring" },
	{ "cq-overflow", overflowed, 1, "medium", "1 completions of dd (7)", "0 requests submitted",
	  "--section uring" },
	{ "major-faults", faults, 1000, "low", "dd (7) waited 6.00ms in 1000 page faults",
	  "6.00us each on average, 1 others", "--section faults" },
	{ "idle-polls", waits, 1000, "low", "dd (7) waited 1000 times for nothing",
	  "100 % of its waits, 333 a second", "-p 7" },
	{ "retransmits", resent, 10, "low", "sent 10 segments again", "1.4 %", "connections" },
	{ "refused", refused, 10, "low", "10 connections", "curl (9): 10", "--section errors" },
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

/* ---- where time went ---- */

static void waited(uint64_t runqueue, uint64_t device)
{
	static struct why_group groups[2];
	struct report *report;

	findings_fs_begin();
	for (unsigned i = 0; i < 1001; i++)
		findings_fs("READ", "/a", i * 8192ull, 100, 8192, "read");
	rows_end();
	report = report_read();
	groups[0] =
		(struct why_group){ .name = "READ",
				    .count = 1,
				    .latency = 1000000000,
				    .ns = { [WHY_RUNQUEUE] = runqueue, [WHY_DEVICE] = device } };
	report->why.groups = groups;
	report->why.n_groups = 1;
	report_answer_all();
	report->why = (struct why){ .by = WHY_BY_OPERATION };
}

START_TEST(without_a_cpu)
{
	waited(299000000, 0);
	ck_assert_int_lt(finding_row("cpu-starved"), 0);
	report_done();
}
END_TEST

START_TEST(without_a_cpu_for_long)
{
	waited(301000000, 0);
	ck_assert(finding_has("cpu-starved", "severity", "high"));
	ck_assert(finding_has("cpu-starved", "text", "301.00ms"));
	report_done();
}
END_TEST

START_TEST(one_request_at_a_time)
{
	waited(0, 499000000);
	ck_assert_int_lt(finding_row("serial-io"), 0);
	report_done();
}
END_TEST

START_TEST(one_request_at_a_time_for_long)
{
	waited(0, 502000000);
	ck_assert(finding_has("serial-io", "severity", "low"));
	report_done();
}
END_TEST

/* ---- numbers that decide ---- */

static int parse(struct report_limits *limits, const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int err;

	ck_assert(in != NULL);
	report_limits_begin(limits);
	said_begin();
	err = report_limits_parse(limits, in, "f");
	said_end();
	fclose(in);
	return err;
}

START_TEST(limits_are_lines)
{
	struct report_limits limits;

	ck_assert_int_eq(parse(&limits, "# none\n\n small.calls 5 # five\r\nseverity.high .5\n"),
			 0);
	ck_assert_double_eq(limits.values[LIMIT_SMALL_CALLS], 5);
	ck_assert_double_eq(limits.values[LIMIT_HIGH], 0.5);
	ck_assert_double_eq(limits.values[LIMIT_SYNC_CALLS], 20);
	ck_assert_int_eq(parse(&limits, "small.calls\n"), -EINVAL);
	ck_assert_int_eq(parse(&limits, "small.calls x\n"), -EINVAL);
	ck_assert_int_eq(parse(&limits, "small.calls -1\n"), -EINVAL);
	ck_assert_int_eq(parse(&limits, "small.calls nan\n"), -EINVAL);
	ck_assert_int_eq(parse(&limits, "small.calls 1 2\n"), -EINVAL);
	ck_assert_int_eq(parse(&limits, "small.cals 1\n"), -EINVAL);
}
END_TEST

START_TEST(the_installed_file_has_the_defaults)
{
	const char *src = getenv("srcdir");
	struct report_limits limits, defaults;
	char path[4096];

	snprintf(path, sizeof(path), "%s/data/findings.conf", src ? src : ".");
	report_limits_begin(&defaults);
	/* a name that it lacks would stay */
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		limits.values[i] = -1;
	ck_assert_int_eq(report_limits_read_file(&limits, path), 0);
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		ck_assert_double_eq(limits.values[i], defaults.values[i]);
}
END_TEST

START_TEST(each_rule_says_what_it_is)
{
	for (unsigned i = 0; i < N_FINDINGS; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		ck_assert(rule->least <= rule->most);
		ck_assert(*rule->condition && *rule->cost && *rule->advice);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(rule->id, finding_rules[j].id);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("findings");
	TCase *tcase = tcase_create("rules");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, each_has_its_threshold, 0, N_CASES);
	tcase_add_loop_test(tcase, one_less_is_none, 0, N_CASES);
	tcase_add_test(tcase, without_a_cpu);
	tcase_add_test(tcase, without_a_cpu_for_long);
	tcase_add_test(tcase, one_request_at_a_time);
	tcase_add_test(tcase, one_request_at_a_time_for_long);
	tcase_add_test(tcase, limits_are_lines);
	tcase_add_test(tcase, the_installed_file_has_the_defaults);
	tcase_add_test(tcase, each_rule_says_what_it_is);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
