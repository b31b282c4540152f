/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong, by rows as they stand in a directory: each rule on both sides of its threshold, its
 * severity, and what is no finding.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report/report_findings.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture/fixture_report.h"
#include "fixture/session.h"

/* ---- rows ---- */

static unsigned long long now;

static void begin_fs(void)
{
	now = 1000000000;
	rows_begin("fs",
		   "operation,pid,command,filename,size,inode,flags,offset,latency_ns,return_value,"
		   "device,mntns,path_status,call,mono_ns");
}

static void fs(const char *operation, const char *path, unsigned long long offset, unsigned latency,
	       long long result, const char *call)
{
	rows_add("%s,7,dd,%s,4096,12,O_RDWR,%llu,%u,%lld,8:1,4026531840,f,%s,%llu", operation, path,
		 offset, latency, result, call, now);
	now += 1000000;
}

static void failed_reads(unsigned n)
{
	begin_fs();
	fs("READ", "/a", 0, 100, 4096, "read");
	for (unsigned i = 0; i < n; i++)
		fs("READ", "/a", 0, 100, -5, "read");
	rows_end();
}

static void bytes(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++)
		fs("WRITE", "/a", i, 1000, 1, "write");
	rows_end();
}

static void small(const char *operation, const char *call, unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++)
		fs(operation, "/a", i * 100, 1000, 100, call);
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

static void random_calls(const char *operation, const char *call, unsigned n)
{
	begin_fs();
	fs("OPEN", "/a", 0, 100, 3, "openat");
	for (unsigned i = 0; i < n; i++)
		fs(operation, "/a", i * 7919ull % 1000 * 8192, 2000, 8192, call);
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
	begin_fs();
	for (unsigned i = 0; i < n; i++)
		fs("READ", "/a", i % 32 << 20, 100000, 1 << 20, "read");
	rows_end();
}

static void rewrites(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i <= n; i++)
		fs("WRITE", "/a", 0, 2000, 8192, "pwrite64");
	rows_end();
}

static void syncs(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++)
		fs("FSYNC", "/a", 0, 2000, 0, "fsync");
	rows_end();
}

static void missing(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++)
		fs("GETATTR", i % 4 ? "/b/c/no" : "/d/no", 0, 2000, -2, "stat");
	rows_end();
}

static void opens(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++) {
		fs("OPEN", "/a", 0, 10000, 3, "openat");
		fs("CLOSE", "/a", 0, 100, 0, "close");
	}
	rows_end();
}

static void leaks(unsigned n)
{
	char path[32];

	begin_fs();
	for (unsigned i = 0; i < n + 10; i++) {
		snprintf(path, sizeof(path), "/a%u", i);
		fs("OPEN", path, 0, 1000, 3, "openat");
		if (i < 10)
			fs("CLOSE", path, 0, 100, 0, "close");
	}
	/* as it ends */
	fs("CLOSE", path, 0, 0, 0, "");
	rows_end();
}

static void copies(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < n; i++) {
		fs("READ", "/from", i << 20, 1000, 1 << 20, "read");
		fs("WRITE", "/to", i << 20, 1000, 1 << 20, "write");
	}
	fs("READ", "/from", n << 20, 100, 0, "read");
	rows_end();
}

static void requests(unsigned n, unsigned long long latency_us, unsigned long long queue_us,
		     const char *cause, const char *operation, unsigned long long size)
{
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,queue_time_ms,error,owner_pid,"
			 "owner_command,cause,mono_ns");
	for (unsigned i = 0; i < n; i++)
		rows_add("7,dd,%s,%llu,%llu.%03llu000,8:0,%llu.%03llu000,,7,dd,%s,%llu", operation,
			 size, latency_us / 1000, latency_us % 1000, queue_us / 1000,
			 queue_us % 1000, cause, 1000000000ull + i * 20000000ull);
	rows_end();
}

static void slow_requests(unsigned n)
{
	requests(n, 11000, 0, "read", "read", 4096);
}

static void queued_requests(unsigned n)
{
	requests(n, 100, 101, "read", "read", 4096);
}

static void swapped(unsigned n)
{
	requests(1, 100, 0, "read", "read", 4096);
	if (n)
		requests(n, 100, 0, "swap", "write", 4096);
}

static void amplified(unsigned n)
{
	begin_fs();
	for (unsigned i = 0; i < 16; i++)
		fs("WRITE", "/a", i << 20, 1000, 1 << 20, "write");
	rows_end();
	requests(n, 100, 0, "journal", "write", 1 << 20);
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
		rows_add("7,dd,CQE_OVERFLOW,READ,,,,%u", 1000000001 + i * 1000);
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

/* ---- what was found ---- */

static int row_of(const char *id)
{
	const struct report_section *s = report_section(&answer, "findings");

	for (uint64_t i = 0; i < s->n; i++)
		if (table_is(report_cell(s, i, "id"), id))
			return (int)i;
	return -1;
}

static bool cell_has(const char *id, const char *column, const char *words)
{
	const struct table_value *v = report_cell(report_section(&answer, "findings"),
						  (uint64_t)row_of(id), column);

	return memmem(v->text, v->len, words, strlen(words));
}

static const struct {
	const char *id;
	void (*rows)(unsigned n);
	unsigned at; /* the first n that is one */
	const char *severity, *text, *evidence, *command;
} cases[] = {
	{ "errors", failed_reads, 1, "high", "1 calls failed with EIO", "READ by dd (7): /a",
	  "--section errors" },
	{ "one-byte-calls", bytes, 1000, "low", "dd (7) made 1000 writes of one byte",
	  "100 % of its 1000 calls", "files" },
	{ "small-reads", small_reads, 1000, "low", "1000 reads of less than 4 KiB",
	  "100 bytes each", "-p 7 --sort reads" },
	{ "small-writes", small_writes, 1000, "low", "1000 writes of less than 4 KiB",
	  "100 bytes each", "-p 7 --sort writes" },
	{ "random-reads", random_reads, 1000, "low", "/a: 1000 reads in no order", "8.0K each",
	  "--sort reads" },
	{ "random-writes", random_writes, 1000, "low", "/a: 1000 writes in no order", "8.0K each",
	  "--sort writes" },
	{ "re-reads", re_reads, 64, "low", "/a was read 2.0 times over", "64.0M of 32.0M",
	  "--sort read_bytes" },
	{ "rewrites", rewrites, 1000, "low", "/a: 1000 writes began", "100 % of its 1001 writes",
	  "--sort rewrites" },
	{ "sync-bound", syncs, 20, "low", "waited 40.00us for 20 syncs", "100 %", "--sort syncs" },
	{ "missing-paths", missing, 500, "low", "500 times for files that are not there",
	  "most in /b/c (375), /d (125)", "--section errors" },
	{ "open-churn", opens, 1000, "low", "/a was opened 1000 times", "by 1 processes",
	  "--sort opens" },
	{ "leaked-descriptors", leaks, 100, "low", "opened 100 files more", "110 opened, 10 closed",
	  "--sort opens" },
	{ "user-copy", copies, 16, "low", "copied 16.0M to /to", "from /from, 1.0M a call",
	  "-p 7" },
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
	{ "cq-overflow", overflowed, 1, "medium", "1 completions of dd READ", "of 1 completions",
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
	const char *id = cases[_i].id;

	cases[_i].rows(cases[_i].at);
	report_make();
	ck_assert_msg(row_of(id) >= 0, "%s is none", id);
	ck_assert_msg(cell_has(id, "severity", cases[_i].severity), "%s: severity", id);
	ck_assert_msg(cell_has(id, "text", cases[_i].text), "%s: text", id);
	ck_assert_msg(cell_has(id, "evidence", cases[_i].evidence), "%s: evidence", id);
	ck_assert_msg(cell_has(id, "command", cases[_i].command), "%s: command", id);
	ck_assert_msg(cell_has(id, "command", dir), "%s: directory", id);
	/* no other rule takes it for its own */
	ck_assert_uint_eq(report_section(&answer, "findings")->n, 1);
	report_done();
}
END_TEST

START_TEST(one_less_is_none)
{
	cases[_i].rows(cases[_i].at - 1);
	report_make();
	ck_assert_msg(row_of(cases[_i].id) < 0, "%s is one", cases[_i].id);
	report_done();
}
END_TEST

/* ---- shares ---- */

static void say_bytes(unsigned latency)
{
	begin_fs();
	for (unsigned i = 0; i < 1000; i++)
		fs("WRITE", "/a", i, latency, 1, "write");
	rows_end();
	report_make();
}

START_TEST(the_severity_is_that_of_the_share)
{
	/* a call each millisecond, of 999 */
	say_bytes(99000);
	ck_assert(cell_has("one-byte-calls", "severity", "low"));
	report_done();
	say_bytes(101000); /* and what was there before */
	ck_assert(cell_has("one-byte-calls", "severity", "medium"));
	report_done();
}
END_TEST

START_TEST(what_devices_read_again_did_not_fit)
{
	begin_fs();
	for (unsigned i = 0; i < 64; i++)
		fs("READ", "/a", i % 32 << 20, 10000, 1 << 20, "read");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,filename,cause,mono_ns");
	for (unsigned i = 0; i < 63; i++)
		rows_add("7,dd,read,1048576,1.000000,8:0,/a,read,%u", 1000000000 + i * 1000000);
	rows_end();
	report_make();
	ck_assert(cell_has("re-reads", "severity", "low"));
	report_done();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,filename,cause,mono_ns");
	rows_add("7,dd,read,1048576,1.000000,8:0,/a,read,1000000000");
	rows_end();
	report_make();
	ck_assert(cell_has("re-reads", "severity", "medium"));
	ck_assert(cell_has("re-reads", "evidence", "from devices: 64.0M"));
	report_done();
}
END_TEST

START_TEST(what_costs_next_to_nothing_is_not_said)
{
	say_bytes(998);
	ck_assert_int_lt(row_of("one-byte-calls"), 0);
	report_done();
	say_bytes(1000);
	ck_assert_int_ge(row_of("one-byte-calls"), 0);
	report_done();
}
END_TEST

START_TEST(a_file_that_is_opened_anew_is_in_no_order)
{
	begin_fs();
	for (unsigned i = 0; i < 2000; i++) {
		fs("OPEN", "/log", 0, 10000, 3, "openat");
		fs("WRITE", "/log", i * 20, 5000, 20, "write");
		fs("CLOSE", "/log", 0, 100, 0, "close");
	}
	rows_end();
	report_make();
	ck_assert_int_lt(row_of("random-writes"), 0);
	ck_assert_int_ge(row_of("open-churn"), 0);
	report_done();
}
END_TEST

START_TEST(an_opened_file_is_read_in_one_call)
{
	begin_fs();
	for (unsigned i = 0; i < 1500; i++) {
		fs("OPEN", "/a", 0, 100, 3, "openat");
		fs("READ", "/a", 0, 1000, 100, "read");
		fs("READ", "/a", 100, 1000, 0, "read");
		fs("CLOSE", "/a", 0, 100, 0, "close");
	}
	rows_end();
	report_make();
	ck_assert_int_lt(row_of("small-reads"), 0);
	report_done();
}
END_TEST

START_TEST(a_tenth_of_the_calls_is_one)
{
	begin_fs();
	for (unsigned i = 0; i < 9000; i++)
		fs("READ", "/a", i * 8192ull, 100, 8192, "read");
	for (unsigned i = 0; i < 1000; i++)
		fs("READ", "/b", i * 100, 50000, 100, "read");
	rows_end();
	report_make();
	ck_assert_int_ge(row_of("small-reads"), 0);
	report_done();
	begin_fs();
	fs("READ", "/a", 0, 100, 8192, "read");
	rows_end();
	report_make();
	ck_assert_int_lt(row_of("small-reads"), 0);
	report_done();
}
END_TEST

START_TEST(sums_of_a_program_are_of_all_its_processes)
{
	begin_fs();
	for (unsigned i = 0; i < 600; i++)
		rows_add("GETATTR,%u,cc1,/x/no%u,0,,,,1000,-2,,4026531840,,stat,%u", 100 + i % 30,
			 i, 1000000000 + i * 1000000);
	rows_end();
	report_make();
	ck_assert(cell_has("missing-paths", "subject", "cc1 (30 processes)"));
	ck_assert(cell_has("missing-paths", "evidence", "/x (600)"));
	ck_assert(cell_has("missing-paths", "command", "-c cc1 "));
	report_done();
}
END_TEST

/* ---- where time went ---- */

static void waited(uint64_t runqueue, uint64_t device)
{
	static struct why_group groups[2];
	struct report *report;

	begin_fs();
	for (unsigned i = 0; i < 1001; i++)
		fs("READ", "/a", i * 8192ull, 100, 8192, "read");
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
	ck_assert_int_lt(row_of("cpu-starved"), 0);
	report_done();
}
END_TEST

START_TEST(without_a_cpu_for_long)
{
	waited(301000000, 0);
	ck_assert(cell_has("cpu-starved", "severity", "high"));
	ck_assert(cell_has("cpu-starved", "text", "301.00ms"));
	report_done();
}
END_TEST

START_TEST(one_request_at_a_time)
{
	waited(0, 499000000);
	ck_assert_int_lt(row_of("serial-io"), 0);
	report_done();
}
END_TEST

START_TEST(one_request_at_a_time_for_long)
{
	waited(0, 502000000);
	ck_assert(cell_has("serial-io", "severity", "low"));
	report_done();
}
END_TEST

/* ---- the machine ---- */

START_TEST(a_rotating_disk_is_high)
{
	char spec[400];

	snprintf(spec, sizeof(spec), "%s/system_spec", dir);
	ck_assert_int_eq(mkdir(spec, 0700), 0);
	session_write(spec, "disk_info.json",
		      "{\"block_devices\": [{\"major_minor\": \"8:16\", \"rotational\": true}, "
		      "{\"major_minor\": \"8:0\", \"rotational\": true, "
		      "\"partitions\": [{\"major_minor\": \"8:1\"}]}]}");
	begin_fs();
	for (unsigned i = 0; i < 1000; i++)
		fs("READ", "/a", i * 7919ull % 1000 * 8192, 110000, 8192, "pread64");
	rows_end();
	report_make();
	ck_assert(cell_has("random-reads", "severity", "high"));
	ck_assert(cell_has("random-reads", "evidence", "its device rotates"));
	report_done();
	/* what came from memory moved no heads */
	requests(1, 100, 0, "read", "read", 4096);
	report_make();
	ck_assert(cell_has("random-reads", "severity", "low"));
	ck_assert(cell_has("random-reads", "evidence", "most came from memory"));
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
	tcase_add_test(tcase, the_severity_is_that_of_the_share);
	tcase_add_test(tcase, what_devices_read_again_did_not_fit);
	tcase_add_test(tcase, what_costs_next_to_nothing_is_not_said);
	tcase_add_test(tcase, a_file_that_is_opened_anew_is_in_no_order);
	tcase_add_test(tcase, an_opened_file_is_read_in_one_call);
	tcase_add_test(tcase, a_tenth_of_the_calls_is_one);
	tcase_add_test(tcase, sums_of_a_program_are_of_all_its_processes);
	tcase_add_test(tcase, without_a_cpu);
	tcase_add_test(tcase, without_a_cpu_for_long);
	tcase_add_test(tcase, one_request_at_a_time);
	tcase_add_test(tcase, one_request_at_a_time_for_long);
	tcase_add_test(tcase, a_rotating_disk_is_high);
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
