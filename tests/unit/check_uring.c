/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of rings, from rows as they stand in a directory to the cells of the answer. */
#include "analysis/uring/uring.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/uring/uring_order.h"
#include "analysis/uring/uring_print.h"
#include "analysis/uring/uring_read.h"
#include "base/log.h"
#include "fixture/fixture_rows.h"

#define HEADER                                                                                     \
	"event_type,pid,tid,command,ring,req,user_data,opcode,length,result,latency_ns,sqe_flags,mono_ns"

static char *answer;
static size_t answer_size;
static struct row_filter filter;
static struct uring uring;
static const char *sort;
static struct gaps gaps; /* its session is closed by now */

static void setup(void)
{
	fixture_rows_setup();
	memset(&filter, 0, sizeof(filter));
	sort = NULL;
	answer = NULL;
	rows_begin("iouring", HEADER);
}

static void teardown(void)
{
	uring_free(&uring);
	free(answer);
	fixture_verify_teardown();
}

static void request(const char *event, unsigned req, const char *opcode, const char *flags,
		    const char *result, const char *latency, unsigned ns)
{
	rows_add("%s,7,8,fio,0xf0,0x%x,%u,%s,4096,%s,%s,%s,%u", event, req, req, opcode, result,
		 latency, flags, ns);
}

/* a READ */
static void submit(unsigned req, unsigned ns)
{
	request("SUBMIT", req, "READ", "", "", "", ns);
}

static void complete(unsigned req, const char *result, const char *latency, unsigned ns)
{
	request("COMPLETE", req, "READ", "", result, latency, ns);
}

static void read_rows(void)
{
	struct uring_reading reading = { .host = "" };
	FILE *out;

	rows_end();
	ck_assert_int_eq(uring_reading_open(&reading, dir, &filter, &uring), 0);
	uring_sort(&uring, sort);
	out = open_memstream(&answer, &answer_size);
	ck_assert_int_eq(uring_print_exact(out, &uring, 0, false, TABLE_CSV), 0);
	fclose(out);
	gaps = reading.gaps;
	read_session_close(&reading.session);
}

/* A cell of the n-th row; "" is empty. Cells with commas have quotes, which stay. */
static const char *cell(unsigned n, const char *column)
{
	static char found[200];
	const char *at = answer;
	unsigned i = 0, k = 0;
	size_t len;

	while (strncmp(at, column, len = strcspn(at, ",\n")) || strlen(column) != len) {
		ck_assert_msg(at[len] == ',', "no column %s", column);
		at += len + 1;
		i++;
	}
	at = answer;
	for (unsigned line = 0; line < n + 1; line++)
		at = strchr(at, '\n') + 1;
	for (;; at++, k++) {
		len = *at == '"' ? strcspn(at + 1, "\"") + 2 : strcspn(at, ",\n");
		if (k == i)
			break;
		ck_assert_msg(at[len] == ',', "row %u has no %s", n, column);
		at += len;
	}
	snprintf(found, sizeof(found), "%.*s", (int)len, at);
	return found;
}

#define ck_cell(n, column, want) ck_assert_str_eq(cell(n, column), want)

START_TEST(requests_are_counted_by_ring_and_opcode)
{
	submit(1, 100);
	request("SUBMIT", 2, "READ", "IOSQE_IO_LINK", "", "", 110);
	request("SUBMIT", 3, "FSYNC", "", "", "", 120);
	complete(1, "4096", "100", 200);
	complete(2, "4096", "190", 300);
	request("COMPLETE", 3, "FSYNC", "", "0", "280", 400);
	read_rows();
	ck_cell(0, "opcode", "");
	ck_cell(0, "requests", "3");
	ck_cell(0, "completed", "3");
	ck_cell(0, "in_flight_max", "3");
	ck_cell(0, "linked", "1");
	ck_cell(0, "max_ns", "280");
	ck_cell(1, "opcode", "READ");
	ck_cell(1, "requests", "2");
	ck_cell(1, "p99_ns", "190");
	ck_cell(1, "in_flight_max", "");
	ck_cell(2, "opcode", "FSYNC");
	ck_cell(2, "ring", "0xf0");
	ck_cell(2, "pid", "7");
	ck_cell(2, "command", "fio");
}
END_TEST

START_TEST(a_request_has_gone_one_way)
{
	submit(1, 100);
	submit(2, 100);
	submit(3, 100);
	submit(4, 100);
	request("POLL_ARM", 2, "READ", "", "", "", 110);
	request("QUEUE_ASYNC", 3, "READ", "", "", "", 110);
	request("POLL_ARM", 4, "READ", "", "", "", 110);
	request("QUEUE_ASYNC", 4, "READ", "", "", "", 120); /* woken, and blocked all the same */
	complete(1, "1", "11", 111);
	complete(2, "1", "22", 122);
	complete(3, "1", "33", 133);
	complete(4, "1", "44", 144);
	read_rows();
	ck_cell(0, "inline", "1");
	ck_cell(0, "poll", "1");
	ck_cell(0, "worker", "2");
	ck_cell(0, "worker_share", "0.500000");
	ck_cell(0, "inline_max_ns", "11");
	ck_cell(0, "poll_p50_ns", "22");
	ck_cell(0, "worker_max_ns", "44");
}
END_TEST

START_TEST(what_is_not_known_is_empty)
{
	submit(1, 100);
	read_rows();
	ck_cell(0, "open", "1");
	ck_cell(0, "inline_share", "");
	ck_cell(0, "p50_ns", "");
	ck_cell(0, "poll_max_ns", "");
	ck_cell(0, "entries", "");
	ck_cell(0, "batch_mean", "");
	ck_cell(0, "sq_fill_max", "");
	ck_cell(0, "cq_fill_max", "");
	ck_cell(0, "errors", "");
}
END_TEST

START_TEST(failures_are_told_by_errno)
{
	static const char *const results[] = { "-11", "-125", "-2", "-11", "-125", "4096" };

	for (unsigned i = 0; i < 6; i++) {
		submit(i + 1, 100 + i);
		complete(i + 1, results[i], "10", 110 + i);
	}
	read_rows();
	ck_cell(1, "cancelled", "2");
	ck_cell(1, "failed", "3");
	ck_cell(1, "errors", "\"EAGAIN 2, ENOENT 1\"");
}
END_TEST

START_TEST(calls_and_what_each_submits)
{
	rows_add("CREATE,7,8,fio,0xf0,,,,64,,,,50");
	rows_add("ENTER,7,8,fio,0xf0,,,,2,2,10,,60");
	submit(1, 61);
	submit(2, 62);
	rows_add("ENTER,7,8,fio,0xf0,,,,1,1,10,,70");
	submit(3, 71);
	rows_add("ENTER,7,8,fio,0xf0,,,,0,0,10,GETEVENTS,80");
	read_rows();
	ck_cell(0, "entries", "64");
	ck_cell(0, "calls", "3");
	ck_cell(0, "calls_per_request", "1.000000");
	ck_cell(0, "batch_mean", "1.500000");
	ck_cell(0, "batch_max", "2");
	ck_cell(1, "calls", "");
}
END_TEST

START_TEST(calls_that_name_no_ring_count_for_none)
{
	rows_add("ENTER,7,8,fio,,,,,2,2,10,,60");
	submit(1, 61);
	read_rows();
	ck_cell(0, "calls", "");
	ck_cell(0, "calls_per_request", "");
}
END_TEST

START_TEST(a_ring_made_where_another_was_is_another)
{
	rows_add("CREATE,7,8,fio,0xf0,,,,64,,,,50");
	submit(1, 61);
	complete(1, "1", "10", 71);
	rows_add("CREATE,9,9,dd,0xf0,,,,8,,,,100");
	for (unsigned i = 0; i < 300; i++) { /* tables grow meanwhile */
		char opcode[16];

		snprintf(opcode, sizeof(opcode), "OP%u", i);
		request("SUBMIT", 1, opcode, "", "", "", 110 + i * 2);
		request("COMPLETE", 1, opcode, "", "1", "1", 111 + i * 2);
	}
	read_rows();
	ck_cell(0, "pid", "9");
	ck_cell(0, "requests", "300");
	ck_cell(0, "entries", "8");
	ck_cell(301, "pid", "7");
	ck_cell(301, "requests", "1");
	ck_cell(301, "entries", "64");
}
END_TEST

/* Two rings of process 7, one of 9; the file of 0x3 only its completion tells, that of 0x5 nobody does. */
static void three_rings(void)
{
	rows_begin(
		"iouring",
		"event_type,pid,tid,command,ring,req,user_data,opcode,length,result,latency_ns,filename,mono_ns");
	rows_add("CREATE,7,8,fio,0xf1,,,,64,,,,40");
	rows_add("ENTER,7,8,fio,0xf1,,,,1,1,10,,60");
	rows_add("SUBMIT,7,8,fio,0xf1,0x1,1,READ,4096,,,/x/a,100");
	rows_add("SUBMIT,7,8,fio,0xf2,0x2,2,WRITE,4096,,,/x/b,110");
	rows_add("SUBMIT,9,9,dd,0xf3,0x3,3,READ,4096,,,,120");
	rows_add("SUBMIT,9,9,dd,0xf3,0x4,4,READ,4096,,,/x/b,130");
	rows_add("COMPLETE,7,8,fio,0xf1,0x1,1,READ,4096,4096,900,/x/a,1000");
	rows_add("COMPLETE,7,8,fio,0xf2,0x2,2,WRITE,4096,4096,990,/x/b,1100");
	rows_add("COMPLETE,9,9,dd,0xf3,0x3,3,READ,4096,4096,80,/x/a,1200");
	rows_add("COMPLETE,9,9,dd,0xf3,0x4,4,READ,4096,4096,70,/x/b,1300");
	rows_add("SUBMIT,9,9,dd,0xf3,0x5,5,NOP,,,,,1400");
}

static void read_three_rings(enum uring_by by)
{
	three_rings();
	uring.by = by;
	read_rows();
}

START_TEST(rings_of_a_process_add_up)
{
	read_three_rings(URING_BY_PROCESS);
	ck_cell(0, "pid", "9");
	ck_cell(0, "requests", "3");
	ck_cell(0, "open", "1");
	ck_cell(3, "pid", "7");
	ck_cell(3, "requests", "2");
	ck_cell(3, "calls", "1");
	ck_cell(3, "in_flight_max", "2");
	ck_cell(4, "opcode", "READ");
	ck_assert_ptr_eq(strstr(answer, "ring"), NULL);
}
END_TEST

START_TEST(a_file_is_that_of_the_completion_too)
{
	read_three_rings(URING_BY_FILE);
	ck_cell(0, "filename", "/x/a");
	ck_cell(0, "requests", "2");
	ck_cell(0, "open", "0");
	ck_cell(0, "in_flight_max", "");
	ck_cell(0, "calls", "");
	ck_cell(1, "opcode", "READ");
	ck_cell(1, "requests", "2");
	ck_cell(2, "filename", "/x/b");
	ck_cell(5, "filename", "");
	ck_cell(5, "open", "1");
	ck_cell(6, "opcode", "NOP");
	ck_assert_uint_eq(uring.n_groups, 7);
}
END_TEST

START_TEST(opcodes_of_all_rings_add_up)
{
	read_three_rings(URING_BY_OPCODE);
	ck_cell(0, "opcode", "READ");
	ck_cell(0, "requests", "3");
	ck_cell(0, "max_ns", "900");
	ck_cell(1, "opcode", "WRITE"); /* the same: the first one */
	ck_cell(2, "opcode", "NOP");
	ck_assert_uint_eq(uring.n_groups, 3);
}
END_TEST

START_TEST(a_host_has_it_all)
{
	read_three_rings(URING_BY_HOST);
	ck_cell(0, "requests", "5");
	ck_cell(0, "calls", "1");
	ck_cell(0, "in_flight_max", "4");
	ck_cell(1, "opcode", "READ");
	ck_assert_uint_eq(uring.n_groups, 4);
}
END_TEST

START_TEST(requests_of_a_file_are_chosen)
{
	uring.path = "*/a";
	read_three_rings(URING_BY_RING);
	ck_cell(0, "ring", "0xf1");
	ck_cell(0, "requests", "1");
	ck_cell(0, "calls", "");
	ck_cell(0, "entries", "");
	ck_cell(2, "ring", "0xf3");
	ck_cell(2, "requests", "1");
	ck_cell(2, "completed", "1");
	ck_cell(2, "open", "0");
	ck_assert_uint_eq(uring.n_groups, 4);
}
END_TEST

START_TEST(groups_are_sorted_by_a_column)
{
	sort = "max_ns";
	read_three_rings(URING_BY_RING);
	ck_cell(0, "ring", "0xf2");
	ck_cell(2, "ring", "0xf1");
	ck_cell(4, "ring", "0xf3");
	ck_cell(5, "max_ns", "80");
	ck_cell(6, "opcode", "NOP"); /* not known comes last */
}
END_TEST

START_TEST(names_are_sorted_from_the_lowest)
{
	sort = "command";
	read_three_rings(URING_BY_PROCESS);
	ck_cell(0, "command", "dd");
	ck_cell(3, "command", "fio");
	ck_assert(uring_sorts_by(URING_BY_PROCESS, "pid"));
	ck_assert(!uring_sorts_by(URING_BY_PROCESS, "ring"));
	ck_assert(!uring_sorts_by(URING_BY_RING, "nonsense"));
}
END_TEST

START_TEST(completions_without_a_submission_have_no_way)
{
	complete(1, "1", "", 100);
	/* of an ACCEPT that goes on: its second one */
	request("SUBMIT", 2, "ACCEPT", "", "", "", 100);
	request("COMPLETE", 2, "ACCEPT", "", "5", "10", 110);
	request("COMPLETE", 2, "ACCEPT", "", "6", "20", 130);
	read_rows();
	ck_cell(0, "unmatched", "1");
	ck_cell(0, "completions", "3");
	ck_cell(0, "completed", "1");
	ck_cell(0, "inline", "1");
	ck_cell(0, "max_ns", "20");
	ck_cell(0, "open", "0");
}
END_TEST

START_TEST(columns_and_events_of_later_versions)
{
	rows_begin(
		"iouring",
		"event_type,pid,tid,command,ring,req,user_data,opcode,length,result,latency_ns,sqe_flags,mono_ns,"
		"worker,sq_fill,cq_fill,new");
	rows_add("ENTER,7,8,fio,0xf0,,,,1,1,10,,60,,3,4,x");
	rows_add("SUBMIT,7,8,fio,0xf0,0x1,1,READ,1,,,,61,,,,x");
	rows_add("TASK_WORK,7,8,fio,0xf0,,,,1,,,,62,,,,x");
	rows_add("COMPLETE,7,8,fio,0xf0,0x1,1,READ,1,1,9,,70,99,1,8,x");
	read_rows();
	ck_cell(0, "sq_fill_max", "3");
	ck_cell(0, "sq_fill_mean", "2.000000");
	ck_cell(0, "cq_fill_max", "8");
	ck_cell(0, "completed", "1");
	ck_cell(0, "worker", "1");
}
END_TEST

START_TEST(processes_and_times_are_chosen)
{
	submit(1, 100);
	rows_add("SUBMIT,9,9,dd,0xf1,0x2,2,READ,4096,,,,200");
	filter.pids[filter.n_pids++] = 9;
	read_rows();
	ck_cell(0, "pid", "9");
	ck_cell(0, "requests", "1");
	ck_assert_uint_eq(uring.n_groups, 2);
}
END_TEST

START_TEST(what_the_rows_lack_is_told)
{
	bool told = false;

	submit(1, 100);
	rows_add("damaged");
	submit(2, 300);
	read_rows();
	ck_assert_uint_eq(gaps.chosen, 2);
	ck_assert_uint_eq(gaps.totals.rows, 2);
	ck_assert_uint_eq(gaps.totals.bad_rows, 1);
	ck_assert_uint_eq(gaps.first_ns, 100);
	ck_assert_uint_eq(gaps.last_ns, 300);
	for (unsigned i = 0; i < gaps.n_columns; i++) {
		ck_assert_str_ne(gaps.columns[i], "sqe_flags");
		told = told || !strcmp(gaps.columns[i], "sq_fill");
	}
	ck_assert(told);
}
END_TEST

START_TEST(the_text_has_the_same_numbers)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	submit(1, 100);
	complete(1, "-2", "1250000", 1250100);
	read_rows();
	ck_assert_int_eq(uring_print_text(out, &uring, 0), 0);
	fclose(out);
	ck_assert_ptr_ne(strstr(text, "1.25ms"), NULL);
	ck_assert_ptr_ne(strstr(text, "ENOENT 1"), NULL);
	ck_assert_ptr_ne(strstr(text, "fio 7 0xf0"), NULL);
	ck_assert_ptr_eq(strstr(text, "WAY"), NULL); /* there is but one */
	free(text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("uring");
	TCase *tc = tcase_create("rows");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, requests_are_counted_by_ring_and_opcode);
	tcase_add_test(tc, a_request_has_gone_one_way);
	tcase_add_test(tc, what_is_not_known_is_empty);
	tcase_add_test(tc, failures_are_told_by_errno);
	tcase_add_test(tc, calls_and_what_each_submits);
	tcase_add_test(tc, calls_that_name_no_ring_count_for_none);
	tcase_add_test(tc, a_ring_made_where_another_was_is_another);
	tcase_add_test(tc, rings_of_a_process_add_up);
	tcase_add_test(tc, a_file_is_that_of_the_completion_too);
	tcase_add_test(tc, opcodes_of_all_rings_add_up);
	tcase_add_test(tc, a_host_has_it_all);
	tcase_add_test(tc, requests_of_a_file_are_chosen);
	tcase_add_test(tc, groups_are_sorted_by_a_column);
	tcase_add_test(tc, names_are_sorted_from_the_lowest);
	tcase_add_test(tc, completions_without_a_submission_have_no_way);
	tcase_add_test(tc, columns_and_events_of_later_versions);
	tcase_add_test(tc, processes_and_times_are_chosen);
	tcase_add_test(tc, what_the_rows_lack_is_told);
	tcase_add_test(tc, the_text_has_the_same_numbers);
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
