/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report, from rows of several streams as they stand in a directory to its tables and its text:
 * by any number of threads, over segments, with what is missing.
 */
#include "analysis/report/report_print.h"

#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_failed.h"
#include "fixture/fixture_report.h"
#include "fixture/random.h"
#include "fixture/session.h"

static int print_csv(FILE *out)
{
	const struct report_answer *list = &answer;

	return report_print_csv(out, &list, 1);
}

static bool says(const char *name, const char *words)
{
	const struct report_section *s = report_section(&answer, name);
	size_t n = strlen(words);

	for (uint64_t i = 0; i < s->n * s->n_columns; i++)
		if (s->rows[i].known && s->rows[i].text &&
		    memmem(s->rows[i].text, s->rows[i].len, words, n))
			return true;
	return false;
}

START_TEST(rows_become_tables)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	section_is("operations",
		   "ds,write,2,1,,24576,2000000,1000000,507903,1500000,1500000,1500000,1500000\n"
		   "fs,FSYNC,1,0,,,800000,800000,800000,800000,800000,800000,800000\n"
		   "fs,READ,2,1,1024,,92000,46000,2015,90000,90000,90000,90000\n"
		   "fs,WRITE,2,0,,8192,4000,2000,1007,3000,3000,3000,3000\n"
		   "pagefault,READ,2,,,,700,350,101,600,600,600,600\n"
		   "iouring,READ,1,0,512,,400,400,400,400,400,400,400\n"
		   "nw,receive,2,1,990,,140,70,70,70,70,70,70\n"
		   "fs,OPEN,1,0,,,100,100,100,100,100,100,100\n"
		   "nw,send,1,0,,10,50,50,50,50,50,50,50\n"
		   "ds,flush,1,0,,,,,,,,,\n"
		   "cache,EVICT,1,,,,,,,,,,\n"
		   "cache,HIT,1,,,,,,,,,,\n"
		   "cache,MISS,1,,,,,,,,,,\n");
	report_done();
}
END_TEST

START_TEST(each_layer_has_its_sums)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	/* the busiest span of 4 ms has 4 of fs, two of ds do not share one */
	section_is("layers", "fs,6,6,1,1024,8192,3,1000,512,4096\n"
			     "ds,3,3,1,0,24576,1,500,0,12288\n"
			     "cache,3,3,,,,1,750,,\n"
			     "pagefault,2,2,,,,1,500,,\n"
			     "nw,3,3,1,990,10,1,750,495,5\n"
			     "iouring,3,1,0,512,0,0,250,256,0\n");
	report_done();
}
END_TEST

START_TEST(what_is_only_looked_at_is_received_once)
{
	rows_begin("nw", "pid,command,protocol,source_addr,dest_addr,source_port,dest_port,size,"
			 "direction,latency_ns,error_code,msg_flags,mono_ns");
	rows_add("9,curl,TCP,::1,::1,100,80,700,receive,70,,MSG_PEEK,1101000000");
	rows_add("9,curl,TCP,::1,::1,100,80,700,receive,70,,MSG_DONTWAIT|MSG_PEEK,1102000000");
	rows_add("9,curl,TCP,::1,::1,100,80,990,receive,70,,MSG_WAITALL,1103000000");
	rows_end();
	report_make();
	section_is("connections", "TCP [::1]:100 [::1]:80,curl,3,0,990,0,70,70,,\n");
	report_done();
}
END_TEST

START_TEST(the_slowest_come_one_by_one)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	section_is("slowest", "800000,,3000000000,fs,FSYNC,7,,dd,,,,,,,,,/a/b/one\n"
			      "90000,,1500000000,fs,READ,8,,dd,,,,,,,,,/a/two\n"
			      "3000,,1002000000,fs,WRITE,7,,dd,,,,,,,,,/a/b/one\n"
			      "2000,,1003000000,fs,READ,8,,dd,,,,,,,,,/a/two\n"
			      "1000,,1001000000,fs,WRITE,7,,dd,,,,,,,,,/a/b/one\n"
			      "600,,1000000000,pagefault,READ,7,,dd,,,,,,,,,/a/b/one\n"
			      "100,,1000000000,fs,OPEN,7,,dd,,,,,,,,,/a/b/one\n"
			      "100,,1000000000,pagefault,READ,7,,dd,,,,,,,,,/a/b/one\n");
	report_done();
}
END_TEST

static int slower_first(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? 1 : *a > *b ? -1 : 0;
}

/* Of report_rows_many() */
static uint64_t nth_latency(unsigned n)
{
	uint64_t latencies[1200], state = 11;

	for (unsigned i = 0; i < 1200; i++)
		latencies[i] = random_u64(&state) % 10000000;
	qsort(latencies, 1200, sizeof(latencies[0]), slower_first);
	return latencies[n - 1];
}

START_TEST(programs_are_their_processes)
{
	rows_begin("exec", "event_type,pid,tid,command,return_value,mono_ns");
	rows_add("FORK,11,10,make,11,1000000000");
	rows_add("EXEC,11,11,cc1,0,1001000000");
	rows_add("EXIT,11,11,cc1,256,1004000000");
	rows_add("FORK,12,10,make,12,1000000000");
	rows_add("EXEC,12,12,java,0,1001000000");
	/* a thread of its own is the last one */
	rows_add("EXIT,12,19,Cleaner,0,1006000000");
	rows_add("FORK,13,10,make,13,1000000000");
	rows_add("EXEC,13,13,cc1,0,1001000000");
	rows_end();
	rows_begin("fs", "operation,pid,tid,command,filename,size,latency_ns,return_value,mono_ns");
	rows_add("READ,11,11,cc1,/a,1,100,10,1002000000");
	rows_add("READ,12,12,java,/a,1,100,10,1002000000");
	rows_add("READ,12,19,Cleaner,/a,1,100,10,1003000000");
	rows_add("WRITE,14,14,sh,/a,1,100,7,1002000000");
	rows_add("READ,15,16,worker,/a,1,100,1,1002000000");
	rows_end();
	report_make();
	section_is("programs", "java,1,1,0,6000000,2,0,20,0,200,,,,\n"
			       "cc1,2,1,1,4000000,1,0,10,0,100,,,,\n"
			       "sh,1,0,0,,1,0,0,7,100,,,,\n"
			       "worker,1,0,0,,1,0,1,0,100,,,,\n");
	section_is("processes", "12,java,2,0,2,20,0,0,200,100,,,,,,\n"
				"11,cc1,1,0,1,10,0,0,100,100,,,,,,\n"
				"14,sh,1,0,0,0,1,7,100,100,,,,,,\n"
				"15,worker,1,0,1,1,0,0,100,100,,,,,,\n");
	report_done();
}
END_TEST

START_TEST(containers_are_their_processes)
{
	rows_begin("exec", "event_type,pid,tid,command,container,return_value,mono_ns");
	rows_add("FORK,11,10,sh,,11,1000000000");
	rows_add("GROUP,11,11,sh,web,0,1001000000");
	rows_add("FORK,12,11,sh,web,12,1001500000");
	rows_add("EXIT,11,11,sh,web,256,1004000000");
	rows_add("FORK,13,10,sh,,13,1000000000");
	rows_end();
	rows_begin("fs", "operation,pid,tid,command,filename,size,latency_ns,return_value,mono_ns");
	rows_add("READ,11,11,sh,/a,1,100,10,1002000000");
	rows_add("WRITE,12,12,cat,/a,1,100,10,1002000000");
	rows_add("READ,13,13,sh,/a,1,100,3,1002000000");
	rows_add("READ,14,14,cat,/a,1,100,1,1002000000");
	rows_end();
	report_make();
	section_is("containers", "web,2,1,1,4000000,2,0,10,10,200,,,,\n"
				 "(host),1,0,0,,1,0,3,0,100,,,,\n"
				 "(not known),1,0,0,,1,0,1,0,100,,,,\n");
	report_done();
}
END_TEST

START_TEST(without_one_there_are_no_containers)
{
	rows_begin("exec", "event_type,pid,tid,command,container,return_value,mono_ns");
	rows_add("FORK,11,10,sh,,11,1000000000");
	rows_end();
	report_make();
	section_is("containers", "");
	report_done();
}
END_TEST

/* Of a program that runs once, another process made files before the trace; the journal writes of them now. */
START_TEST(who_is_but_named_by_a_journal_is_no_process)
{
	rows_begin("ds", "operation,pid,command,size,latency_ms,queue_time_ms,dev,error,owner_pid,"
			 "owner_command,cause,filename,mono_ns");
	rows_add("write,5,jbd2,4096,1.000000,0.000000,8:0,,10,dd,journal,,1001000000");
	rows_add("write,5,jbd2,4096,1.000000,0.000000,8:0,,30,cp,journal,,1002000000");
	rows_add("write,5,jbd2,4096,1.000000,0.000000,8:0,,20,dd,journal,,1003000000");
	rows_add("write,40,mv,4096,1.000000,0.000000,8:0,,40,mv,direct,/a,1003000000");
	rows_end();
	rows_begin("fs", "operation,pid,tid,command,filename,size,latency_ns,return_value,mono_ns");
	rows_add("WRITE,20,20,dd,/a,1,100,10,1002000000");
	rows_end();
	report_make();
	section_is("programs", "dd,1,,,,1,0,0,10,100,0,8192,,\n"
			       "cp,0,,,,0,0,0,0,,0,4096,,\n"
			       "mv,1,,,,0,0,0,0,,0,4096,,\n");
	report_done();
}
END_TEST

START_TEST(of_many_the_slowest_are_kept)
{
	const struct report_section *s;

	report_rows_many(8);
	report_make();
	s = report_section(&answer, "slowest");
	ck_assert_uint_eq(s->n, REPORT_MOST_SLOWEST);
	for (uint64_t i = 1; i < s->n; i++)
		ck_assert_uint_ge(s->rows[(i - 1) * s->n_columns].u, s->rows[i * s->n_columns].u);
	/* the quickest of these is the 1000th of 1200 by the rows themselves */
	ck_assert_uint_eq(s->rows[(s->n - 1) * s->n_columns].u, nth_latency(REPORT_MOST_SLOWEST));
	report_done();
}
END_TEST

START_TEST(every_kind_of_thing_has_its_table)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	section_is("processes", "7,dd,4,0,0,0,2,8192,804100,800000,0,16384,0,0,1,1\n"
				"8,dd,2,1,2,1024,0,0,92000,90000,0,0,0,0,0,0\n"
				"0,,0,0,0,0,0,0,,,0,8192,0,0,0,0\n"
				"9,curl,0,0,0,0,0,0,,,0,0,990,10,0,0\n");
	section_is("devices", "8:0,,3,1,0,0,2,24576,1,1000,507903,1500000,1500000,1500000\n");
	section_is("owners", ",dd,1,0,16384,500000,500000\n"
			     ",,2,0,8192,1500000,1500000\n");
	section_is("connections", "TCP [::1]:100 [::1]:80,curl,2,0,990,10,60,70,,\n"
				  "TCP 10.0.0.1:101 10.0.0.2:80,curl,1,1,0,0,70,70,,\n");
	section_is("cache", "/a/b/one,8:1,12,3,1,0.750000,0,0,0\n,8:1,13,0,0,,0,0,5\n");
	section_is("faults", "/a/b/one,8:1,12,2,1,1,700,600\n");
	section_is("uring", "dd READ,1,1,0,1,0,512,,400,400,400,400\n");
	section_is("amplification", "read,1024,0,0.000000\nwrite,8192,24576,3.000000\n");
	report_done();
}
END_TEST

START_TEST(files_and_directories_are_those_of_files)
{
	report_rows_fs();
	report_make();
	section_is(
		"files",
		"/a/b/one,4026531840,8:1,12,1,0,0,0,,2,8192,4000,3000,1,1,800000,800000,0,0,0,,0,,0.500000,1\n"
		"/a/two,4026531840,8:1,12,0,2,1024,92000,90000,0,0,0,,0,0,0,,0,0,0,,0,1.000000,,1\n");
	/* "/" has no more than "/a" */
	section_is(
		"directories",
		"/a,4026531840,,,1,2,1024,92000,90000,2,8192,4000,3000,1,1,800000,800000,0,0,0,,0,1.000000,0.500000,2\n"
		"/a/b,4026531840,,,1,0,0,0,,2,8192,4000,3000,1,1,800000,800000,0,0,0,,0,,0.500000,1\n");
	report_done();
}
END_TEST

START_TEST(what_failed_is_listed)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	section_is("errors", "fs,READ,,EIO,1,8,dd,1500000000,1500000000,/a/two\n"
			     "ds,write,,EIO,1,,,1020000000,1020000000,\n"
			     "nw,receive,,EAGAIN,1,9,curl,1101000000,1101000000,\n");
	report_done();
}
END_TEST

/* More paths than stand by themselves, in as many processes, and one that is there twice. */
START_TEST(failures_have_a_bound)
{
	uint64_t sum = 0;
	const struct report_section *s;

	rows_begin("fs", "operation,pid,command,filename,return_value,call,mono_ns");
	for (unsigned i = 0; i < REPORT_MOST_FAILED * 5; i++)
		rows_add("OPEN,%u,find,/gone/%u,-2,openat,%u", i % 1000, i, 1000 + i);
	rows_add("OPEN,0,find,/gone/0,-2,openat,9000000");
	rows_end();
	report_make();
	s = report_section(&answer, "errors");
	ck_assert_uint_le(s->n_all, REPORT_MOST_FAILED + 1);
	for (uint64_t i = 0; i < s->n; i++)
		sum += report_cell(s, i, "count")->u;
	ck_assert_uint_eq(sum, REPORT_MOST_FAILED * 5 + 1);
	/* the most are those that are added up */
	ck_assert(!report_cell(s, 0, "filename")->known && !report_cell(s, 0, "pid")->known);
	report_done();
}
END_TEST

START_TEST(times_are_spans_with_their_numbers)
{
	report_rows_fs();
	report_make();
	/* of 2 s, spans of 4 ms: 500 of them */
	section_is("time", "fs,1000000000,4000000,4,0,1024,8192,,,\n"
			   "fs,1500000000,4000000,1,1,0,0,,,\n"
			   "fs,3000000000,4000000,1,0,0,0,,,\n");
	section_is("latencies", "fs,FSYNC,3000000000,4000000,524288,1048576,1,\n"
				"fs,OPEN,1000000000,4000000,0,256,1,\n"
				"fs,READ,1000000000,4000000,1024,2048,1,\n"
				"fs,READ,1500000000,4000000,65536,131072,1,\n"
				"fs,WRITE,1000000000,4000000,512,1024,1,\n"
				"fs,WRITE,1000000000,4000000,2048,4096,1,\n");
	report_done();
}
END_TEST

START_TEST(the_answer_is_in_words)
{
	report_rows_fs();
	report_rows_others();
	report_make();
	ck_assert(says("answers", "0 read and 8.0K written: /a/b/one"));
	ck_assert(says("answers", "800.00us: FSYNC of fs by dd (7): /a/b/one"));
	ck_assert(says("answers",
		       "devices read 0.00 bytes for each byte that applications read, and "
		       "wrote 3.00 for each they wrote"));
	/* these rows of ds do not tell why, and for which file */
	ck_assert(!says("answers", "in memory"));
	ck_assert(!says("answers", "TCP sent"));
	report_done();
}
END_TEST

static void of_fs(const char *operation, const char *path, unsigned bytes)
{
	rows_add("%s,7,cat,%s,%u,12,O_RDWR,0,1000,%u,8:1,4026531840,f,1001000000", operation, path,
		 bytes, bytes);
}

/* A cold read of a whole file comes from the device; pages written and what mappings read do not count. */
START_TEST(what_was_read_came_from_devices_or_from_memory)
{
	rows_begin("fs", report_fs_header);
	of_fs("READ", "/cold", 1 << 20);
	of_fs("READ", "/warm", 1 << 20);
	of_fs("READ", "/mapped", 4096);
	of_fs("WRITE", "/warm", 9 << 20);
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,error,cause,filename,mono_ns");
	rows_add("7,cat,read,524288,0.500000,8:0,,read,/cold,1001000000");
	rows_add("7,cat,read,524288,0.500000,8:0,,read,/cold,1001000001");
	rows_add("7,cat,read,131072,0.500000,8:0,,read,/cold,1001000002");
	rows_add("7,cat,read,8388608,0.500000,8:0,,read,/mapped,1001000003");
	rows_add("7,cat,read,4096,0.500000,8:0,,metadata,,1001000004");
	rows_add("7,cat,write,9437184,0.500000,8:0,,writeback,/warm,1001000005");
	rows_end();
	report_make();
	ck_assert(says("answers",
		       "of 2.0M that applications read, 1.0M (50.1 %) came from devices; "
		       "49.9 % was in memory"));
	ck_assert(!says("answers", "not known"));
	report_done();
}
END_TEST

START_TEST(threads_and_counters_have_their_tables)
{
	rows_begin("sched", "pid,tid,command,run_ns,state,sleep_ns,delay_ns,mono_ns");
	rows_add("7,7,dd,,S,,,1000000000");
	rows_add("7,8,dd,5000,R+,700,30,1001000000");
	rows_add("7,7,dd,9000,S,0,10,1002000000");
	rows_add("9,9,cat,100,D,50,,1003000000");
	rows_end();
	rows_begin("layers",
		   "pid,command,layer,operation,class,count,bytes,errors,latency_ns,mono_ns");
	rows_add("7,dd,SYSCALL,READ,,10,4096,1,1000,1002000000");
	rows_add("9,cat,SYSCALL,READ,,30,1024,0,7000,1003000000");
	rows_add("7,dd,BLOCK,WRITE,journal,2,8192,0,600,1003000000");
	rows_end();
	report_make();
	section_is("sched", "7,dd,3,1,14000,9000,40,700\n9,cat,1,0,100,100,0,50\n");
	section_is("counted", "SYSCALL READ,,40,1,5120,200\nBLOCK WRITE,journal,2,0,8192,300\n");
	report_done();
}
END_TEST

/* By server, protocol and operation; a queue that is not told is none, and each row was sent at least once. */
START_TEST(servers_have_a_table)
{
	rows_begin("netfs", "pid,command,protocol,operation,server_addr,latency_ms,queue_time_ms,"
			    "server_time_ms,sent,received,sends,error,mono_ns");
	rows_add("7,cat,nfs4,READ,10.0.0.1,4.000000,1.000000,2.000000,100,8192,1,,1000000000");
	rows_add("7,cat,nfs4,READ,10.0.0.1,6.000000,2.000000,3.000000,100,4096,3,EIO,1010000000");
	rows_add("8,ls,nfs4,READ,2001:db8::1,1.000000,0.000000,1.000000,10,20,1,,1020000000");
	rows_add("8,ls,smb,READ,,2.000000,,2.000000,,,,,1030000000");
	rows_end();
	report_make();
	section_is(
		"servers",
		"10.0.0.1,nfs4,READ,2,1,2,200,12288,10000000,3000000,5000000,4063231,6000000,6000000,6000000\n"
		",smb,READ,1,0,0,,,2000000,,2000000,2000000,2000000,2000000,2000000\n"
		"2001:db8::1,nfs4,READ,1,0,0,10,20,1000000,0,1000000,1000000,1000000,1000000,1000000\n");
	report_done();
}
END_TEST

START_TEST(what_is_missing_is_said)
{
	rows_begin("fs", "operation,pid,command,filename,return_value,mono_ns");
	rows_add("READ,7,dd,/a/b,10,1000");
	rows_add("READ,7,dd,/a/b,x,1000");
	rows_end();
	report_make();
	ck_assert(says("missing", "the recorder was killed"));
	ck_assert(says("missing", "events lost: unknown"));
	ck_assert(says("missing", "rows are damaged"));
	ck_assert(says("missing", "latency_ns: no times"));
	ck_assert(says("missing", "was not recorded"));
	section_is("operations", "fs,READ,1,0,10,,,,,,,,\n");
	ck_assert_str_eq(strstr(said, "rows left out") ? "once" : said, "once");
	ck_assert_ptr_eq(strstr(strstr(said, "rows left out") + 1, "rows left out"), NULL);
	report_done();
}
END_TEST

START_TEST(nothing_recorded_is_no_failure)
{
	char *out;

	rows_begin("fs", report_fs_header);
	rows_end();
	report_make();
	section_is("operations", "");
	section_is("layers", "fs,0,0,0,0,0,,,,\n");
	out = report_tell(print_report_text);
	ck_assert(strstr(out, ": 0 rows\n") != NULL);
	free(out);
	report_done();
}
END_TEST

START_TEST(filters_narrow_all_of_it)
{
	report_rows_fs();
	report_rows_others();
	report_filter.pids[0] = 8;
	report_filter.n_pids = 1;
	report_make();
	section_is("operations", "fs,READ,2,1,1024,,92000,46000,2015,90000,90000,90000,90000\n");
	section_is("devices", "");
	report_done();
	memset(&report_filter, 0, sizeof(report_filter));
	report_filter.path = "one";
	report_make();
	section_is("layers", "fs,4,4,0,0,8192,2,750,0,4096\n"
			     "cache,2,2,,,,1,500,,\n"
			     "pagefault,2,2,,,,1,500,,\n"
			     "iouring,0,0,0,0,0,0,0,0,0\n");
	report_done();
}
END_TEST

/* ---- pages belong to the file that had the inode at that time ---- */

static void pages_begin(void)
{
	rows_begin("cache", "pid,command,event_type,inode,device,count,filename,mono_ns");
}

START_TEST(an_inode_used_again_is_another_file)
{
	pages_begin();
	rows_add("7,dd,MISS,12,8:1,4096,/a/big.tmp,1000000000");
	rows_add("7,dd,DIRTY,12,8:1,4096,/a/big.tmp,1000000001");
	rows_end();
	/* in a segment that another thread reads */
	pages_begin();
	rows_add("7,dd,EVICT,12,8:1,4096,/a/big.tmp,1000000002");
	rows_add("8,cat,HIT,12,8:1,1,/a/small.conf,1000000003");
	rows_end();
	rows_begin("pagefault",
		   "pid,command,fault_type,severity,inode,device,filename,latency_ns,mono_ns");
	rows_add("7,dd,READ,MAJOR,12,8:1,/a/big.tmp,600,1000000000");
	rows_add("7,dd,READ,MINOR,12,8:1,/a/small.conf,100,1000000003");
	rows_end();
	report_make();
	section_is("cache", "/a/big.tmp,8:1,12,0,4096,0.000000,4096,0,4096\n"
			    "/a/small.conf,8:1,12,1,0,1.000000,0,0,0\n");
	section_is("faults", "/a/big.tmp,8:1,12,1,0,1,600,600\n"
			     "/a/small.conf,8:1,12,1,1,0,100,100\n");
	report_done();
}
END_TEST

START_TEST(a_file_that_was_renamed_has_its_last_name)
{
	rows_begin("fs", report_fs_header);
	rows_add("RENAME,7,mv,/a/new.tmp -> /a/new,0,,,,100,0,8:1,4026531840,f,1000000010");
	rows_add("RENAME,7,mv,/a/new -> /a/newer,0,,,,100,0,8:1,4026531840,f,1000000200");
	/* it failed, and one has the first name again */
	rows_add("RENAME,7,mv,/a/kept -> /a/lost,0,,,,100,-13,8:1,4026531840,f,1000000010");
	rows_add("RENAME,7,mv,/a/two -> /a/three,0,,,,100,0,8:1,4026531840,f,1000000010");
	rows_end();
	pages_begin();
	rows_add("7,dd,DIRTY,12,8:1,3,/a/new.tmp,1000000000");
	rows_add("7,dd,DIRTY,12,8:1,4,/a/new,1000000150");
	rows_add("7,dd,DIRTY,12,8:1,5,/a/newer,1000000350");
	rows_add("7,dd,DIRTY,13,8:1,6,/a/kept,1000000000");
	rows_add("7,dd,DIRTY,13,8:1,7,/a/lost,1000000400");
	rows_add("7,dd,DIRTY,14,8:1,8,/a/three,1000000150");
	rows_add("7,dd,DIRTY,14,8:1,9,/a/two,1000000400");
	rows_end();
	report_make();
	section_is("cache", "/a/newer,8:1,12,0,0,,12,0,0\n"
			    "/a/two,8:1,14,0,0,,9,0,0\n"
			    "/a/three,8:1,14,0,0,,8,0,0\n"
			    "/a/lost,8:1,13,0,0,,7,0,0\n"
			    "/a/kept,8:1,13,0,0,,6,0,0\n");
	report_done();
}
END_TEST

START_TEST(pages_without_a_name_are_of_the_file_that_was_there)
{
	pages_begin();
	/* of the file that had the inode before, for all that is known */
	rows_add("7,dd,HIT,12,8:1,32,,1000000000");
	rows_add("7,dd,HIT,12,8:1,64,/a/one,1000000001");
	rows_end();
	pages_begin();
	rows_add("7,dd,HIT,12,8:1,128,,1000000002");
	rows_add("7,dd,HIT,12,8:1,256,/a/two,1000000003");
	rows_add("7,dd,EVICT,12,8:1,1,,1000000004");
	rows_end();
	report_make();
	section_is("cache", "/a/two,8:1,12,256,0,1.000000,0,0,1\n"
			    "/a/one,8:1,12,192,0,1.000000,0,0,0\n"
			    ",8:1,12,32,0,1.000000,0,0,0\n");
	report_done();
	report_filter.path = "*one";
	report_make();
	section_is("cache", "/a/one,8:1,12,192,0,1.000000,0,0,0\n");
	report_done();
}
END_TEST

START_TEST(what_a_call_does_to_pages_is_its_files)
{
	rows_begin("fs", "operation,pid,tid,command,filename,size,inode,offset,latency_ns,"
			 "return_value,device,path_status,mono_ns");
	/* two links to a file, by which it is open at once */
	rows_add("READ,7,7,dd,/a/one,4096,12,0,10,4096,8:1,f,1000000000");
	rows_add("READ,7,8,dd,/a/two,4096,12,0,10,4096,8:1,f,1000000005");
	rows_add("READ,7,7,dd,/a/one,4096,12,0,10,4096,8:1,f,1000000020");
	/* the inode of what it writes is not known, but where */
	rows_add("WRITE,7,7,dd,/a/big.tmp,4096,,8192,10,4096,,f,1000000100");
	rows_add("WRITE,7,7,dd,/a/other,4096,14,0,10,4096,8:1,f,1000000200");
	rows_end();
	rows_begin("cache",
		   "pid,tid,command,event_type,inode,device,count,filename,offset,mono_ns");
	rows_add("7,7,dd,HIT,12,8:1,1,/a/two,0,1000000003");
	rows_add("7,8,dd,HIT,12,8:1,2,/a/one,0,1000000008");
	/* between calls, it has the name that the row has */
	rows_add("7,7,dd,HIT,12,8:1,4,/a/two,0,1000000012");
	rows_add("7,7,dd,HIT,12,8:1,8,/a/two,0,1000000030");
	rows_add("7,7,dd,DIRTY,13,8:1,16,,8192,1000000105");
	/* not what it writes: another place, another file, and after it */
	rows_add("7,7,dd,DIRTY,15,8:1,32,,16384,1000000105");
	rows_add("7,7,dd,DIRTY,16,8:1,64,,0,1000000205");
	rows_add("7,7,dd,EVICT,13,8:1,16,,8192,1000000150");
	rows_add("7,7,dd,DIRTY,13,8:1,1,/a/small.conf,8192,1000000180");
	rows_end();
	report_make();
	section_is("cache", "/a/one,8:1,12,9,0,1.000000,0,0,0\n"
			    "/a/two,8:1,12,6,0,1.000000,0,0,0\n"
			    ",8:1,16,0,0,,64,0,0\n"
			    ",8:1,15,0,0,,32,0,0\n"
			    "/a/big.tmp,8:1,13,0,0,,16,0,16\n"
			    "/a/small.conf,8:1,13,0,0,,1,0,0\n");
	report_done();
}
END_TEST

/* ---- however it is read ---- */

static char *csv_with(unsigned n_threads)
{
	cpu_set_t before, set;
	char *out;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&set);
	for (unsigned i = 0, n = 0; i < CPU_SETSIZE && n < n_threads; i++)
		if (CPU_ISSET(i, &before)) {
			CPU_SET(i, &set);
			n++;
		}
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
	report_make();
	out = report_tell(print_csv);
	report_done();
	ck_assert_int_eq(sched_setaffinity(0, sizeof(before), &before), 0);
	return out;
}

START_TEST(threads_and_segments_make_no_difference)
{
	char *one, *more, path[400];

	report_rows_many(12);
	one = csv_with(1);
	more = csv_with(64);
	ck_assert_str_eq(one, more);
	free(more);
	snprintf(path, sizeof(path), "%s/fs", dir);
	session_remove(path);
	report_rows_many(1);
	more = csv_with(64);
	ck_assert_str_eq(one, more);
	free(one);
	free(more);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report");
	TCase *tc = tcase_create("tables");

	tcase_add_checked_fixture(tc, fixture_report_setup, fixture_verify_teardown);
	tcase_add_test(tc, rows_become_tables);
	tcase_add_test(tc, each_layer_has_its_sums);
	tcase_add_test(tc, every_kind_of_thing_has_its_table);
	tcase_add_test(tc, the_slowest_come_one_by_one);
	tcase_add_test(tc, of_many_the_slowest_are_kept);
	tcase_add_test(tc, who_is_but_named_by_a_journal_is_no_process);
	tcase_add_test(tc, programs_are_their_processes);
	tcase_add_test(tc, containers_are_their_processes);
	tcase_add_test(tc, without_one_there_are_no_containers);
	tcase_add_test(tc, what_is_only_looked_at_is_received_once);
	tcase_add_test(tc, files_and_directories_are_those_of_files);
	tcase_add_test(tc, what_failed_is_listed);
	tcase_add_test(tc, failures_have_a_bound);
	tcase_add_test(tc, times_are_spans_with_their_numbers);
	tcase_add_test(tc, the_answer_is_in_words);
	tcase_add_test(tc, threads_and_counters_have_their_tables);
	tcase_add_test(tc, what_was_read_came_from_devices_or_from_memory);
	tcase_add_test(tc, servers_have_a_table);
	tcase_add_test(tc, what_is_missing_is_said);
	tcase_add_test(tc, nothing_recorded_is_no_failure);
	tcase_add_test(tc, filters_narrow_all_of_it);
	tcase_add_test(tc, an_inode_used_again_is_another_file);
	tcase_add_test(tc, a_file_that_was_renamed_has_its_last_name);
	tcase_add_test(tc, pages_without_a_name_are_of_the_file_that_was_there);
	tcase_add_test(tc, what_a_call_does_to_pages_is_its_files);
	tcase_add_test(tc, threads_and_segments_make_no_difference);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
