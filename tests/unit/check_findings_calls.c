/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with how programs ask: the same attributes again, a call for each request of io_uring, a request in
 * pieces. On both sides of each threshold.
 */
#include "analysis/report/report_find_rest.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/fixture_findings.h"

/* ---- rows ---- */

static void stats_of(unsigned n, unsigned files)
{
	char path[32];

	findings_fs_begin();
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/d/f%u", i % files);
		findings_fs("GETATTR", path, 0, 2000, 0, "newfstatat");
	}
	rows_end();
}

static void stats(unsigned n)
{
	stats_of(n, 20);
}

static void submits(unsigned n, unsigned more)
{
	rows_begin("iouring", "pid,command,event_type,opcode,result,latency_ns,filename,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("7,dd,ENTER,,%u,3000,,%u", i < more ? 2 : 1, 1000000000 + i * 10000);
	/* they wait for completions alone */
	for (unsigned i = 0; i < 500; i++)
		rows_add("7,dd,ENTER,,0,3000,,%u", 1100000000 + i * 1000);
	rows_end();
}

static void singles(unsigned n)
{
	submits(n, 0);
}

/* Each 50 ms so many pieces of so many bytes, and an answer so late after the last of them */
static void exchanges(unsigned n, unsigned pieces, unsigned bytes, unsigned late_us)
{
	rows_begin("nw", "pid,command,protocol,source_addr,dest_addr,source_port,dest_port,size,"
			 "direction,latency_ns,error_code,mono_ns");
	for (unsigned i = 0; i < n; i++) {
		unsigned long long at = 1000000000ull + i * 50000000ull;

		for (unsigned piece = 0; piece < pieces; piece++)
			rows_add("9,curl,TCP,::1,::1,100,80,%u,send,1000,,%llu", bytes,
				 at + piece * 10000);
		/* nothing is there yet */
		rows_add("9,curl,TCP,::1,::1,100,80,0,receive,1000,EAGAIN,%llu",
			 at + pieces * 10000);
		rows_add("9,curl,TCP,::1,::1,100,80,500,receive,%llu,,%llu",
			 late_us * 1000ull - 15000, at + (pieces - 1) * 10000 + 16000);
	}
	rows_end();
}

static void late_answers(unsigned n)
{
	exchanges(n, 2, 60, 41000);
}

static void stall_row(const char *operation, unsigned tid, const char *device, unsigned latency_us,
		      unsigned long long at)
{
	rows_add("%s,7,dd,%u,/a,4096,12,O_RDWR,0,%u000,0,%s,4026531840,f,call,%llu", operation, tid,
		 latency_us, device, at);
}

/* Each 200 ms a sync of 50 ms, and in it a change of 30 ms; there are others that take no time */
static void stalls_by(unsigned n, unsigned tid, const char *device, unsigned usual_us)
{
	rows_begin("fs", "operation,pid,command,tid,filename,size,inode,flags,offset,latency_ns,"
			 "return_value,device,mntns,path_status,call,mono_ns");
	for (unsigned i = 0; i < n; i++) {
		unsigned long long at = 1000000000ull + i * 200000000ull;

		stall_row("FSYNC", 8, "8:1", 50000, at);
		stall_row("TRUNCATE", tid, device, 30000, at + 10000000);
		for (unsigned k = 0; k < 10; k++)
			stall_row("TRUNCATE", tid, device, usual_us, at + 100000000 + k * 1000000);
	}
	stall_row("TRUNCATE", tid, device, 1, 1000000000ull + n * 200000000ull);
	rows_end();
}

static void stalls(unsigned n)
{
	stalls_by(n, 7, "8:1", 9);
}

static const struct finding_case cases[] = {
	{ "sync-stalls-others", stalls, 10, "medium",
	  "10 calls of TRUNCATE waited 300.00ms for a sync of another thread",
	  "10 of 10 that took 1 ms or more, while dd synced for 25 % of the time; half take 9.",
	  "--section slowest" },
	{ "stat-storm", stats, 5000, "low", "dd (7) asked 5000 times for attributes",
	  "of about 20 files; 0 reads and writes", "-p 7 --section operations" },
	{ "uring-batch-of-one", singles, 1000, "low", "dd (7) submitted 1000 requests",
	  "in 1000 calls, which took 3.00ms", "-p 7 --section uring" },
	{ "tiny-sends", late_answers, 20, "high", "20 answers came 40 ms late, 820.00ms",
	  "20 of 20 answers; most by curl: TCP [::1]:100 [::1]:80", "--section connections" },
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

/* ---- what is none ---- */

static void none(const char *id)
{
	report_make();
	ck_assert_msg(finding_row(id) < 0, "%s", id);
	report_done();
}

START_TEST(each_file_once_is_no_storm)
{
	/* as du does; how many there are is known about */
	stats_of(20000, 20000);
	none("stat-storm");
}
END_TEST

START_TEST(files_without_a_name_may_be_others)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 20000; i++)
		findings_fs("GETATTR", "", 0, 2000, 0, "fstat");
	rows_end();
	none("stat-storm");
}
END_TEST

START_TEST(many_files_again_and_again_are)
{
	stats_of(20000, 1000);
	report_make();
	ck_assert_int_ge(finding_row("stat-storm"), 0);
	report_done();
}
END_TEST

START_TEST(who_reads_as_much_may_ask)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 6000; i++) {
		findings_fs("GETATTR", "/a", 0, 2000, 0, "fstat");
		if (i % 9 == 0)
			findings_fs("READ", "/a", i * 8192ull, 2000, 8192, "read");
	}
	rows_end();
	none("stat-storm");
}
END_TEST

START_TEST(a_tenth_more_is_a_batch)
{
	submits(1000, 101);
	none("uring-batch-of-one");
}
END_TEST

START_TEST(a_piece_alone_is_sent_at_once)
{
	exchanges(100, 1, 60, 41000);
	none("tiny-sends");
}
END_TEST

START_TEST(what_is_not_small_is_not_held_back)
{
	exchanges(100, 2, 100, 41000);
	none("tiny-sends");
}
END_TEST

START_TEST(other_delays_are_the_servers)
{
	exchanges(100, 2, 60, 37000);
	none("tiny-sends");
	exchanges(100, 2, 60, 56000);
	none("tiny-sends");
}
END_TEST

START_TEST(its_own_syncs_are_no_others)
{
	stalls_by(15, 8, "8:1", 9);
	none("sync-stalls-others");
}
END_TEST

START_TEST(another_file_system_does_not_wait)
{
	stalls_by(15, 7, "8:2", 9);
	none("sync-stalls-others");
}
END_TEST

START_TEST(what_is_always_slow_is_not_stalled)
{
	stalls_by(15, 7, "8:1", 110);
	none("sync-stalls-others");
}
END_TEST

START_TEST(as_many_are_slow_without_a_sync)
{
	stalls(15);
	rows_begin("fs", "operation,pid,command,tid,filename,size,inode,flags,offset,latency_ns,"
			 "return_value,device,mntns,path_status,call,mono_ns");
	for (unsigned i = 0; i < 6; i++)
		stall_row("TRUNCATE", 7, "8:1", 5000, 1060000000ull + i * 200000000ull);
	rows_end();
	none("sync-stalls-others");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("findings: calls");
	TCase *tcase = tcase_create("rules");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, each_has_its_threshold, 0, N_CASES);
	tcase_add_loop_test(tcase, one_less_is_none, 0, N_CASES);
	tcase_add_test(tcase, each_file_once_is_no_storm);
	tcase_add_test(tcase, files_without_a_name_may_be_others);
	tcase_add_test(tcase, many_files_again_and_again_are);
	tcase_add_test(tcase, who_reads_as_much_may_ask);
	tcase_add_test(tcase, a_tenth_more_is_a_batch);
	tcase_add_test(tcase, a_piece_alone_is_sent_at_once);
	tcase_add_test(tcase, what_is_not_small_is_not_held_back);
	tcase_add_test(tcase, other_delays_are_the_servers);
	tcase_add_test(tcase, its_own_syncs_are_no_others);
	tcase_add_test(tcase, another_file_system_does_not_wait);
	tcase_add_test(tcase, what_is_always_slow_is_not_stalled);
	tcase_add_test(tcase, as_many_are_slow_without_a_sync);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
