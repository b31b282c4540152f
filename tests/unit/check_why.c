/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of operations went, from rows as they stand in a directory to the cells of the answer. */
#include "analysis/why/why.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/why/why_print.h"
#include "analysis/why/why_read.h"
#include "analysis/why/why_svg.h"
#include "fixture/fixture_rows.h"

static char *answer;
static size_t answer_size;
static struct row_filter filter;
static struct why why;

static void setup(void)
{
	fixture_rows_setup();
	memset(&filter, 0, sizeof(filter));
	memset(&why, 0, sizeof(why));
	why.top = 3;
	answer = NULL;
}

static void teardown(void)
{
	why_free(&why);
	free(answer);
	fixture_verify_teardown();
}

/*
 * Times in ns. Thread 8 of process 7 syncs a file from 100 to 1100: on a CPU until 200, asleep until 1000, when jbd2 (9)
 * wakes it, on a CPU from 1050 on. A request of the file is in the queue from 300 and in the device from 400 to
 * 600, one of the journal from 700 to 900. Then it writes, and reads by io_uring.
 */
static void write_sched(void)
{
	rows_begin(
		"sched",
		"pid,tid,command,run_ns,state,sleep_ns,delay_ns,waker_tid,waker_command,mono_ns");
	rows_add("7,8,db,150,S,,,,,50"); /* its first row */
	rows_add("7,8,db,500,S,800,50,9,jbd2,1050");
	rows_add("7,8,db,100,X,100,0,5,other,1650");
	rows_end();
}

static void write_others(void)
{
	rows_begin(
		"ds",
		"inode,filename,tid,owner_pid,owner_count,cause,latency_ms,queue_time_ms,uring_req,mono_ns");
	rows_add("77,/f,8,7,1,sync,0.000200,0.000100,,600");
	rows_add(",,9,7,1,journal,0.000200,,,900");
	rows_add("78,/g,3,3,1,read,0.000500,,,1000");
	rows_end();
	rows_begin("fs", "operation,pid,tid,command,filename,inode,flags,latency_ns,call,mono_ns");
	rows_add("FSYNC,7,8,db,/f,77,,1000,fsync,100");
	rows_add("WRITE,7,8,db,/g,78,,50,write,1200");
	rows_add("READ,7,8,db,/g,78,,40,io_uring,1300");
	rows_add("CLOSE,7,8,db,/g,78,,,,1700");
	rows_end();
}

static void write_rows(void)
{
	write_sched();
	write_others();
}

static void read_rows(void)
{
	struct why_reading reading = { .host = "" };

	ck_assert_int_eq(why_reading_open(&reading, dir, &filter, 1 << 20, &why), 0);
	why_sort(&why);
	read_session_close(&reading.session);
}

static const char *printed(int (*print)(FILE *out))
{
	FILE *out = open_memstream(&answer, &answer_size);

	ck_assert_int_eq(print(out), 0);
	fclose(out);
	return answer;
}

static int csv(FILE *out)
{
	return why_print_exact(out, &why, 0, false, TABLE_CSV);
}

static int slowest_csv(FILE *out)
{
	return why_print_slowest(out, &why, false, TABLE_CSV);
}

static int text(FILE *out)
{
	return why_print_text(out, &why, 0);
}

#define PARTS                                                                                      \
	"count,latency_ns,run_ns,runqueue_ns,device_queue_ns,device_ns,server_queue_ns,server_ns,wait_ns,unknown_ns"

START_TEST(parts_are_added_up_by_operation)
{
	write_rows();
	read_rows();
	ck_assert_str_eq(printed(csv), "operation," PARTS "\n"
				       "FSYNC,1,1000,150,50,100,400,0,0,300,0\n"
				       "WRITE,1,50,50,0,0,0,0,0,0,0\n"
				       "READ,1,40,0,0,0,0,0,0,0,40\n");
}
END_TEST

/* One waited for its own request of the device, the other for none that is known. */
START_TEST(requests_of_io_uring_are_operations)
{
	write_rows();
	rows_begin(
		"ds",
		"inode,filename,tid,owner_pid,owner_count,cause,latency_ms,queue_time_ms,uring_req,mono_ns");
	rows_add("78,/g,8,7,1,direct,0.000300,0.000100,0x10,2500");
	rows_add("78,/g,8,7,1,direct,0.000400,0.000000,0x20,2600");
	rows_end();
	rows_begin(
		"iouring",
		"event_type,pid,tid,command,filename,inode,opcode,latency_ns,req,result,mono_ns");
	rows_add("SUBMIT,7,8,db,/g,78,READ,,0x10,,2000");
	rows_add("SUBMIT,7,8,db,,,NOP,,0x30,,2050");
	rows_add("COMPLETE,7,8,db,,,NOP,10,0x30,0,2060");
	rows_add("COMPLETE,7,12,iou-wrk-8,/g,78,READ,1000,0x10,4096,3000");
	rows_end();
	read_rows();
	/* without the READ of fs, which is one of them */
	ck_assert_str_eq(printed(csv), "operation," PARTS "\n"
				       "FSYNC,1,1000,150,50,100,400,0,0,300,0\n"
				       "io_uring READ,1,1000,0,0,100,300,0,0,0,600\n"
				       "WRITE,1,50,50,0,0,0,0,0,0,0\n"
				       "io_uring NOP,1,10,0,0,0,0,0,0,0,10\n");
}
END_TEST

/*
 * The sync is asleep from 200 to 1000. Its own request waits from 200, is sent at 300 and has its reply at 900;
 * that of another thread for the same file is at the server from 400 to 1000. What devices had counts as theirs. The last
 * one is of another file.
 */
START_TEST(requests_to_servers_are_parts)
{
	write_rows();
	rows_begin("netfs",
		   "inode,filename,pid,tid,latency_ms,queue_time_ms,server_time_ms,mono_ns");
	rows_add("77,,7,8,0.000800,0.000100,0.000600,1000");
	rows_add("77,,2,3,0.000750,0.000150,0.000600,1000");
	rows_add("12,,2,3,0.000800,0.000000,0.000800,1000");
	rows_end();
	read_rows();
	ck_assert(why.has_servers);
	ck_assert_str_eq(printed(csv), "operation," PARTS "\n"
				       "FSYNC,1,1000,150,50,100,400,100,200,0,0\n"
				       "WRITE,1,50,50,0,0,0,0,0,0,0\n"
				       "READ,1,40,0,0,0,0,0,0,0,40\n");
	ck_assert_ptr_nonnull(strstr(printed(text), "SRV QUEUE"));
}
END_TEST

START_TEST(by_other_keys)
{
	why.by = WHY_BY_FILE;
	write_rows();
	read_rows();
	ck_assert_str_eq(printed(csv), "filename," PARTS "\n"
				       "/f,1,1000,150,50,100,400,0,0,300,0\n"
				       "/g,2,90,50,0,0,0,0,0,0,40\n");
}
END_TEST

START_TEST(by_waker)
{
	why.by = WHY_BY_WAKER;
	write_rows();
	read_rows();
	ck_assert_str_eq(printed(csv), "waker," PARTS "\n"
				       "jbd2,1,1000,150,50,100,400,0,0,300,0\n"
				       ",2,90,50,0,0,0,0,0,0,40\n");
}
END_TEST

/* From 50 to 1750: 750 on a CPU, 50 ready, 800 asleep in an operation, 100 outside. */
START_TEST(a_thread_is_split_as_a_whole)
{
	why.by = WHY_BY_THREAD;
	write_rows();
	read_rows();
	ck_assert_str_eq(printed(csv), "pid,tid,command," PARTS ",elsewhere_ns\n"
				       "7,8,db,3,1700,750,50,100,400,0,0,300,0,100\n");
}
END_TEST

START_TEST(the_slowest_have_their_wakers)
{
	write_rows();
	read_rows();
	ck_assert_str_eq(
		printed(slowest_csv),
		"operation,mono_ns,pid,tid,command,filename,latency_ns,run_ns,runqueue_ns,"
		"device_queue_ns,device_ns,server_queue_ns,server_ns,wait_ns,unknown_ns,wakers\n"
		"FSYNC,100,7,8,db,/f,1000,150,50,100,400,0,0,300,0,jbd2:300\n"
		"WRITE,1200,7,8,db,/g,50,50,0,0,0,0,0,0,0,\n"
		"READ,1300,7,8,db,/g,40,0,0,0,0,0,0,0,40,\n");
}
END_TEST

/* 15 % of 20 letters are 3, 5 % one, 10 % two, 40 % eight, 30 % six. */
START_TEST(a_bar_has_a_letter_for_each_twentieth)
{
	write_rows();
	read_rows();
	ck_assert_ptr_nonnull(strstr(printed(text), " RRRqddDDDDDDDDwwwwww "));
	ck_assert_ptr_null(strstr(answer, "SRV QUEUE"));
	ck_assert_ptr_nonnull(strstr(answer, "jbd2 30%"));
	ck_assert_ptr_nonnull(strstr(answer, "????????????????????"));
}
END_TEST

static int picture(FILE *out)
{
	return why_svg(out, &why);
}

/* The sync on a CPU, asleep three times for the device and for somebody, ready, and on a CPU again. */
START_TEST(a_picture_has_the_parts_in_their_order)
{
	static const char *const parts[] = { "run 100ns",  "device queue 100ns", "device 400ns",
					     "wait 300ns", "run queue 50ns",     "run 50ns" };
	const char *at;

	write_rows();
	read_rows();
	at = printed(picture);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		at = strstr(at, parts[i]);
		ck_assert_msg(at != NULL, "no %s at its place in %s", parts[i], answer);
	}
}
END_TEST

START_TEST(operations_are_chosen)
{
	strcpy(filter.commands[0], "nobody");
	filter.n_commands = 1;
	write_rows();
	read_rows();
	ck_assert_str_eq(printed(csv), "operation," PARTS "\n");
}
END_TEST

START_TEST(short_ones_are_left_out)
{
	why.min_latency = 45;
	write_rows();
	read_rows();
	ck_assert_ptr_null(strstr(printed(csv), "READ"));
	ck_assert_ptr_nonnull(strstr(answer, "WRITE"));
}
END_TEST

START_TEST(without_sched_the_device_alone_is_known)
{
	write_others();
	read_rows();
	ck_assert_ptr_nonnull(strstr(printed(csv), "FSYNC,1,1000,0,0,100,400,0,0,0,500\n"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("why");
	TCase *tcase = tcase_create("why");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, parts_are_added_up_by_operation);
	tcase_add_test(tcase, requests_of_io_uring_are_operations);
	tcase_add_test(tcase, requests_to_servers_are_parts);
	tcase_add_test(tcase, by_other_keys);
	tcase_add_test(tcase, by_waker);
	tcase_add_test(tcase, a_thread_is_split_as_a_whole);
	tcase_add_test(tcase, the_slowest_have_their_wakers);
	tcase_add_test(tcase, a_bar_has_a_letter_for_each_twentieth);
	tcase_add_test(tcase, a_picture_has_the_parts_in_their_order);
	tcase_add_test(tcase, operations_are_chosen);
	tcase_add_test(tcase, short_ones_are_left_out);
	tcase_add_test(tcase, without_sched_the_device_alone_is_known);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
