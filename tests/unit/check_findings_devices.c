/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with what devices and memory do for programs, on both sides of each threshold. */
#include "analysis/report/report_find_devices.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/fixture_findings.h"

/* ---- spans of time ---- */

START_TEST(spans_that_overlap_are_one)
{
	struct busy busy = { 0 };

	busy_add(&busy, 10, 20);
	busy_add(&busy, 30, 40);
	ck_assert_uint_eq(busy_ns(&busy), 20);
	busy_add(&busy, 35, 45);
	ck_assert_uint_eq(busy_ns(&busy), 25);
	/* one that began before all of them */
	busy_add(&busy, 5, 50);
	ck_assert_uint_eq(busy_ns(&busy), 45);
	/* rows of another segment, from the beginning */
	busy_add(&busy, 1, 3);
	ck_assert_uint_eq(busy_ns(&busy), 47);
}
END_TEST

START_TEST(spans_in_the_order_of_their_beginnings)
{
	struct busy busy = { 0 };

	busy_add(&busy, 10, 50);
	busy_add(&busy, 20, 30);
	busy_add(&busy, 40, 60);
	ck_assert_uint_eq(busy_ns(&busy), 50);
}
END_TEST

START_TEST(spans_that_are_forgotten_are_not_counted_twice)
{
	struct busy busy = { 0 };

	for (unsigned i = 0; i < 100; i++)
		busy_add(&busy, i * 10, i * 10 + 5);
	ck_assert_uint_eq(busy_ns(&busy), 500);
	busy_add(&busy, 0, 1000);
	/* 84 of them, and all since the end of these */
	ck_assert_uint_eq(busy_ns(&busy), 84 * 5 + 1000 - 835);
}
END_TEST

/* ---- a busy device ---- */

static struct why_group waits[2];

/* A second of requests, two at once that take percent of it; reads waited for so many ms. */
static void busy(unsigned percent, unsigned at_once, unsigned waited_ms)
{
	struct report *report;

	findings_fs_begin();
	for (unsigned i = 0; i < 1000; i++)
		findings_fs("READ", "/a", i * 8192ull, 100, 8192, "read");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,queue_time_ms,error,owner_pid,"
			 "owner_command,cause,mono_ns");
	for (unsigned i = 1; i <= 100; i++)
		for (unsigned k = 0; k < at_once; k++)
			rows_add("7,dd,read,4096,%u.%u00000,8:0,,,7,dd,read,%u", percent / 10,
				 percent % 10, 1000000000 + i * 10000000 - 1000000);
	rows_end();
	report = report_read();
	/* what goes around the cache is in both */
	for (unsigned i = 0; i < 2; i++)
		waits[i] = (struct why_group){ .name = i ? "DIO_READ" : "READ",
					       .count = 1,
					       .latency = 1000000000,
					       .ns = { [WHY_DEVICE] = waited_ms * 1000000ull } };
	report->why.groups = waits;
	report->why.n_groups = 2;
	report_answer_all();
	report->why = (struct why){ .by = WHY_BY_OPERATION };
}

START_TEST(a_device_that_is_busy)
{
	busy(91, 2, 110);
	ck_assert(finding_has("device-busy", "severity", "low"));
	ck_assert(finding_has("device-busy", "text", "8:0 was busy for 91 % of the time"));
	ck_assert(finding_has("device-busy", "evidence", "1.8 requests at once"));
	ck_assert(finding_has("device-busy", "evidence", "110.00ms"));
	ck_assert(finding_has("device-busy", "command", "iotracer why"));
	report_done();
}
END_TEST

START_TEST(a_device_that_is_not)
{
	busy(89, 2, 110);
	ck_assert_int_lt(finding_row("device-busy"), 0);
	report_done();
}
END_TEST

START_TEST(a_device_that_nobody_waits_for)
{
	busy(91, 2, 90);
	ck_assert_int_lt(finding_row("device-busy"), 0);
	report_done();
}
END_TEST

START_TEST(a_device_with_one_request_at_a_time)
{
	busy(91, 1, 400);
	ck_assert_int_lt(finding_row("device-busy"), 0);
	report_done();
}
END_TEST

/* ---- writes that are made to wait ---- */

/* Two seconds of writes, which the page cache took or not; that slept so many ms. */
static void throttled(unsigned ms, const char *flags, const char *waker)
{
	struct report *report;

	rows_begin(
		"fs",
		"operation,pid,command,tid,filename,size,inode,flags,offset,latency_ns,return_value,"
		"device,mntns,path_status,call,mono_ns");
	for (unsigned i = 0; i < 200; i++)
		rows_add(
			"WRITE,7,dd,7,/a,1048576,12,%s,%llu,8000000,1048576,8:1,4026531840,f,write,%u",
			flags, i * 1048576ull, 1000000000 + i * 10000000);
	rows_end();
	findings_requests(1, 100, 0, "writeback", "write", 4096);
	report = report_read();
	waits[0] = (struct why_group){
		.name = "WRITE",
		.count = 200,
		.latency = 1600000000,
		.wakers = { .list = { { waker, ms * 1000000ull }, { "jbd2", 5000000 } }, .n = 2 },
	};
	report->why.groups = waits;
	report->why.n_groups = 1;
	report_answer_all();
	report->why = (struct why){ .by = WHY_BY_OPERATION };
}

START_TEST(writes_that_are_made_to_wait)
{
	throttled(500, "O_WRONLY", NULL);
	ck_assert(finding_has("dirty-throttled", "severity", "low"));
	ck_assert(finding_has("dirty-throttled", "subject", "dd (7)"));
	ck_assert(finding_has("dirty-throttled", "text", "made to wait 500.00ms"));
	ck_assert(finding_has("dirty-throttled", "evidence", "31 % of the time of 200 writes"));
	ck_assert(finding_has("dirty-throttled", "command", "--by waker"));
	report_done();
}
END_TEST

START_TEST(writes_that_hardly_wait)
{
	throttled(499, "O_WRONLY", NULL);
	ck_assert_int_lt(finding_row("dirty-throttled"), 0);
	report_done();
}
END_TEST

START_TEST(writes_that_a_thread_wakes)
{
	throttled(900, "O_WRONLY", "kworker");
	ck_assert_int_lt(finding_row("dirty-throttled"), 0);
	report_done();
}
END_TEST

START_TEST(writes_around_the_cache)
{
	throttled(900, "O_WRONLY|O_DIRECT", NULL);
	ck_assert_int_lt(finding_row("dirty-throttled"), 0);
	report_done();
}
END_TEST

/* ---- pages ---- */

static void none(const char *id)
{
	report_make();
	ck_assert_msg(finding_row(id) < 0, "%s", id);
	report_done();
}

static void pages_begin(void)
{
	rows_begin("cache",
		   "pid,command,event_type,inode,size,count,device,tid,offset,filename,mono_ns");
}

/* n pages of a file of 4096 */
static void pages(const char *event, unsigned n)
{
	rows_add("7,dd,%s,12,4096,%u,8:1,7,0,/a,1000000000", event, n);
}

static void cold(unsigned n)
{
	pages_begin();
	pages("MISS", 4096 + n);
	pages("HIT", 4096 + n);
	pages("EVICT", 8192);
	rows_end();
}

static void ahead(unsigned n)
{
	findings_fs_begin();
	findings_fs("READ", "/a", 0, 100, 4096, "read");
	rows_end();
	pages_begin();
	rows_add("7,dd,MISS,12,16384,%u,8:1,7,0,/a,1000000000", n + 10);
	rows_add("7,dd,HIT,12,16384,10,8:1,7,0,/a,1000000000");
	rows_end();
}

/* ---- files that are written ---- */

/* n reads of a device, and twice as many writes */
static void misaligned(unsigned n)
{
	findings_fs_begin();
	for (unsigned i = 0; i < 200; i++)
		findings_fs("WRITE", "/a", i * 8192ull + 10, 1000, 100, "pwrite64");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,filename,cause,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("7,dd,read,4096,0.100000,8:0,/a,read,%u", 1000000000 + i * 1000000);
	rows_end();
}

static unsigned long long held_at;

static void held_row(const char *operation, const char *path, long long result, const char *status)
{
	rows_add("%s,7,dd,%s,4096,12,O_RDWR,0,100,%lld,8:1,4026531840,%s,write,%llu", operation,
		 path, result, status, held_at);
	held_at += 1000000;
}

/* So many MiB go to a file that was deleted */
static void held(unsigned n)
{
	findings_fs_begin();
	held_at = 1000000000;
	held_row("WRITE", "/a", 100 << 20, "f");
	for (unsigned i = 0; i < n; i++)
		held_row("WRITE", "/a", 1 << 20, "fd");
	rows_end();
}

static const struct finding_case cases[] = {
	{ "misaligned", misaligned, 100, "low", "/a: devices read 100 blocks before",
	  "200 writes, 100 each; no reads", "--histograms --sort writes" },
	{ "held-deleted", held, 64, "low", "/a was deleted, is still open, and 64.0M were written",
	  "by dd (7)", "-p 7 --sort write_bytes" },
	{ "cold-cache", cold, 4096, "medium", "/a: 16.0M left memory",
	  "32.0M came into memory of a file of 16.0M; 50 % again", "--section cache" },
	{ "readahead-waste", ahead, 16384, "medium", "/a: 64.0M were read ahead",
	  "64.0M came into memory, 40.0K or less was used", "--section cache" },
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

/* 4 times its pages came, and something else was done to as many as it has */
static void cold_but(const char *event, unsigned n)
{
	pages_begin();
	pages("MISS", 4 * 4096);
	pages("EVICT", 4 * 4096);
	pages(event, n);
	rows_end();
}

START_TEST(what_is_written_comes_again)
{
	cold_but("DIRTY", 3 * 4096);
	none("cold-cache");
}
END_TEST

START_TEST(what_is_cut_off_comes_again)
{
	cold_but("INVALIDATE", 3 * 4096);
	none("cold-cache");
}
END_TEST

START_TEST(what_is_thrown_away_comes_again)
{
	cold_but("DROP", 3 * 4096);
	none("cold-cache");
}
END_TEST

START_TEST(a_part_that_is_read_again_is)
{
	cold_but("DIRTY", 2 * 4096);
	report_make();
	ck_assert(finding_has("cold-cache", "text", "/a: 16.0M left memory"));
	report_done();
}
END_TEST

START_TEST(without_a_size_nothing_is_known_to_come_again)
{
	pages_begin();
	rows_add("7,dd,MISS,12,,20000,8:1,7,0,/a,1000000000");
	rows_add("7,dd,EVICT,12,,20000,8:1,7,0,/a,1000000000");
	rows_end();
	none("cold-cache");
}
END_TEST

START_TEST(what_is_mapped_may_be_used)
{
	ahead(20000);
	findings_fs_begin();
	findings_fs("MMAP", "/a", 0, 100, 0, "mmap");
	rows_end();
	none("readahead-waste");
}
END_TEST

START_TEST(what_is_written_is_not_read_ahead)
{
	ahead(20000);
	pages_begin();
	pages("DIRTY", 1);
	rows_end();
	none("readahead-waste");
}
END_TEST

START_TEST(half_of_it_is_used)
{
	ahead(20000);
	pages_begin();
	pages("HIT", 10100);
	rows_end();
	none("readahead-waste");
}
END_TEST

START_TEST(what_is_read_is_read_for_that)
{
	misaligned(150);
	findings_fs_begin();
	findings_fs("READ", "/a", 0, 100, 4096, "read");
	rows_end();
	none("misaligned");
}
END_TEST

START_TEST(what_is_mapped_is_read_through_it)
{
	misaligned(150);
	findings_fs_begin();
	findings_fs("MMAP", "/a", 0, 100, 0, "mmap");
	rows_end();
	none("misaligned");
}
END_TEST

START_TEST(what_is_closed_is_not_held)
{
	held(100);
	findings_fs_begin();
	held_row("CLOSE", "/a", 0, "fd");
	rows_end();
	none("held-deleted");
}
END_TEST

START_TEST(what_never_had_a_name_was_not_deleted)
{
	findings_fs_begin();
	held_at = 1000000000;
	held_row("WRITE", "/tmp/#4711", 100 << 20, "fd");
	held_row("WRITE", "/memfd:x", 100 << 20, "fd");
	rows_end();
	none("held-deleted");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("findings: devices");
	TCase *tcase = tcase_create("rules");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_test(tcase, spans_that_overlap_are_one);
	tcase_add_test(tcase, spans_in_the_order_of_their_beginnings);
	tcase_add_test(tcase, spans_that_are_forgotten_are_not_counted_twice);
	tcase_add_test(tcase, a_device_that_is_busy);
	tcase_add_test(tcase, a_device_that_is_not);
	tcase_add_test(tcase, a_device_that_nobody_waits_for);
	tcase_add_test(tcase, a_device_with_one_request_at_a_time);
	tcase_add_loop_test(tcase, each_has_its_threshold, 0, N_CASES);
	tcase_add_loop_test(tcase, one_less_is_none, 0, N_CASES);
	tcase_add_test(tcase, what_is_written_comes_again);
	tcase_add_test(tcase, what_is_cut_off_comes_again);
	tcase_add_test(tcase, what_is_thrown_away_comes_again);
	tcase_add_test(tcase, a_part_that_is_read_again_is);
	tcase_add_test(tcase, without_a_size_nothing_is_known_to_come_again);
	tcase_add_test(tcase, what_is_mapped_may_be_used);
	tcase_add_test(tcase, what_is_written_is_not_read_ahead);
	tcase_add_test(tcase, half_of_it_is_used);
	tcase_add_test(tcase, what_is_read_is_read_for_that);
	tcase_add_test(tcase, what_is_mapped_is_read_through_it);
	tcase_add_test(tcase, what_is_closed_is_not_held);
	tcase_add_test(tcase, what_never_had_a_name_was_not_deleted);
	tcase_add_test(tcase, writes_that_are_made_to_wait);
	tcase_add_test(tcase, writes_that_hardly_wait);
	tcase_add_test(tcase, writes_that_a_thread_wakes);
	tcase_add_test(tcase, writes_around_the_cache);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
