/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream iouring: what is known of a request, and the file that it is of,
 * told by the kernel or, without kernel headers, by its descriptor.
 */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

/* ---- requests ---- */

static const struct {
	uint16_t event;
	const char *word, *user_data, *opcode, *result, *flags;
} ring_events[] = {
	{ IOT_RING_ENTER, "ENTER", "", "", "-5", "GETEVENTS|SQ_WAIT" },
	{ IOT_RING_CREATE, "CREATE", "", "", "-5", "IOPOLL|SQ_AFF" },
	{ IOT_RING_REGISTER, "REGISTER", "", "REGISTER_PBUF_RING", "-5", "" },
	{ IOT_RING_SUBMIT, "SUBMIT", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_QUEUE_ASYNC, "QUEUE_ASYNC", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_POLL_ARM, "POLL_ARM", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_COMPLETE, "COMPLETE", "77", "READ", "-5", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_DEFER, "DEFER", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_LINK, "LINK", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_FAIL_LINK, "FAIL_LINK", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_CQE_OVERFLOW, "CQE_OVERFLOW", "77", "READ", "-5", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_SHORT_WRITE, "SHORT_WRITE", "77", "READ", "-5", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_FILE_GET, "FILE_GET", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IOT_RING_CQRING_WAIT, "CQRING_WAIT", "", "", "", "" },
	{ IOT_RING_TASK_WORK, "TASK_WORK", "", "", "", "" },
	{ IOT_RING_LOCAL_WORK, "LOCAL_WORK", "", "", "", "" },
};

START_TEST(ring_event_is_a_row)
{
	struct iot_ring rec = record_ring(P, ring_events[_i].event);
	bool call = ring_events[_i].event <= IOT_RING_REGISTER;

	ck_assert_int_eq(ARRAY_SIZE(ring_events), IOT_N_RING_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.ring = 0xffff888100000000;
	rec.req = 0xffff888100000100;
	rec.user_data = 77;
	rec.opcode = 22;
	rec.sqe_flags = 5;
	rec.result = -5;
	rec.fd = 6;
	rec.cpu = 3;
	rec.offset = 8192;
	rec.length = 4096;
	rec.latency = 2500;
	rec.link = 0xffff888100000200;
	rec.worker = P + 2;
	rec.buffer = 4;
	rec.sq_fill = 5;
	rec.cq_fill = 6;
	rec.cq_taken = 7;
	rec.known = IOT_RING_OFFSET | IOT_RING_LENGTH | IOT_RING_LATENCY | IOT_RING_FILLS |
		    IOT_RING_BUFFER;
	feed_iot_ring(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_iouring);
	ck_assert(seen[0].key == rec.head.ts - (call ? 2500 : 0)); /* the call began then */
	row_number("mono_ns", rec.head.ts - (call ? 2500 : 0));
	row("event_type", ring_events[_i].word);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("cpu_id", "3");
	row("ring", "0xffff888100000000");
	row("req", "0xffff888100000100");
	row("user_data", ring_events[_i].user_data);
	row("opcode", ring_events[_i].opcode);
	row("fd", "6");
	row("offset", "8192");
	row("length", "4096");
	row("result", ring_events[_i].result);
	row("latency_ns", "2500");
	row("latency_ms", "0.002500");
	row("sqe_flags", ring_events[_i].flags);
	row("inode", "");
	row("filename", "");
	row("link", "0xffff888100000200");
	row_number("worker", P + 2);
	row("buf_index", "4");
	row("sq_fill", "5");
	row("cq_fill", "6");
	row("cq_taken", "7");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_iouring], 1);
}
END_TEST

START_TEST(ring_that_was_made_has_no_result)
{
	struct iot_ring rec = record_ring(P, IOT_RING_CREATE);

	rec.fd = 6;
	feed_iot_ring(&rec);
	row_of(STREAM_iouring);
	row("fd", "6");
	row("result", "");
	row("latency_ns", ""); /* nor, where its call was not seen, a beginning */
	ck_assert(seen[0].key == rec.head.ts);
}
END_TEST

START_TEST(ring_event_of_which_little_is_known)
{
	struct iot_ring rec = record_ring(P, IOT_RING_COMPLETE);

	rec.offset = rec.length = rec.latency = 9; /* said, but not known */
	rec.sq_fill = rec.cq_fill = rec.cq_taken = rec.buffer = 9;
	feed_iot_ring(&rec);
	row("ring", "");
	row("req", "");
	row("user_data", "0");
	row("opcode", "");
	row("fd", "");
	row("offset", "");
	row("length", "");
	row("result", "0");
	row("latency_ns", "");
	row("latency_ms", "");
	row("sqe_flags", "");
	row("link", "");
	row("worker", "");
	row("buf_index", "");
	row("sq_fill", "");
	row("cq_fill", "");
	row("cq_taken", "");
}
END_TEST

/* Rows that were joined by what several requests have; and the one before, of which it is not known */
START_TEST(shared_user_data_is_marked)
{
	struct iot_ring rec = record_ring(P, IOT_RING_COMPLETE);

	rec.user_data = 77;
	rec.known = IOT_RING_AMBIGUOUS;
	feed_iot_ring(&rec);
	row("user_data", "77");
	row("latency_ns", "");
	row("sqe_flags", "AMBIGUOUS");
	rec.sqe_flags = 1;
	feed_iot_ring(&rec);
	row("sqe_flags", "FIXED_FILE|AMBIGUOUS");
	rec.known = IOT_RING_NO_DATA;
	feed_iot_ring(&rec);
	row("user_data", "");
	row("sqe_flags", "FIXED_FILE");
}
END_TEST

static const struct {
	uint16_t opcode;
	const char *shown;
} opcodes[] = {
	{ 0, "NOP" }, { 1, "READV" }, { 23, "WRITE" }, { 200, "OP(200)" }, { 0xffff, "" },
};

START_TEST(opcode_has_a_name)
{
	struct iot_ring rec = record_ring(P, IOT_RING_SUBMIT);

	rec.opcode = opcodes[_i].opcode;
	feed_iot_ring(&rec);
	row("opcode", opcodes[_i].shown);
}
END_TEST

/* ---- their files ---- */

static void request_is_named(void)
{
	struct iot_ring rec = record_ring(P, IOT_RING_SUBMIT);

	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	feed_iot_ring(&rec);
	row("inode", "12");
	row("filename", "");
	feed_read("a,b");
	feed_end();
	rec = record_ring(P, IOT_RING_COMPLETE);
	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	feed_iot_ring(&rec);
	row("inode", "12");
	row("filename", "/a,b");
	rec = record_ring(P, IOT_RING_COMPLETE);
	rec.ino = 12;
	rec.dev = 8 << 20 | 3;
	feed_iot_ring(&rec);
	row("inode", "12");
	row("filename", "");
}

START_TEST(request_is_of_the_file_that_was_named)
{
	request_is_named();
}
END_TEST

START_TEST(names_are_known_without_rows_of_fs)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "iouring" });
	request_is_named();
	ck_assert_uint_eq(n_seen, 3);
}
END_TEST

START_TEST(descriptor_is_not_asked_where_the_kernel_looks)
{
	struct iot_ring rec = record_ring(P, IOT_RING_SUBMIT);

	fixture_fd(P, 5, fixture_file("a"), 0, O_RDWR);
	rec.fd = 5;
	feed_iot_ring(&rec);
	row("fd", "5");
	row("inode", "");
	row("filename", "");
}
END_TEST

/* Open since before the trace began: no record has told its name. */
START_TEST(file_without_a_name_has_that_of_its_descriptor)
{
	struct iot_ring rec = record_ring(P, IOT_RING_SUBMIT);
	struct stat st;

	fixture_fd(P, 5, fixture_file("a"), 0, O_RDWR);
	fixture_file_stat("a", &st);
	rec.fd = 5;
	rec.ino = st.st_ino + 1; /* the descriptor is another one's by now */
	rec.dev = fixture_dev(&st);
	feed_iot_ring(&rec);
	row_number("inode", st.st_ino + 1);
	row("filename", "");
	rec = record_ring(P, IOT_RING_SUBMIT);
	rec.fd = 5;
	rec.ino = st.st_ino;
	rec.dev = fixture_dev(&st);
	feed_iot_ring(&rec);
	row("filename", fixture_file("a"));
	rec = record_ring(P, IOT_RING_COMPLETE); /* it is remembered, and not asked again */
	rec.fd = -1;
	rec.ino = st.st_ino;
	rec.dev = fixture_dev(&st);
	feed_iot_ring(&rec);
	row("filename", fixture_file("a"));
}
END_TEST

/* A socket's descriptor is asked for a name once, and not at each of its requests. */
START_TEST(descriptor_is_asked_once)
{
	struct iot_ring rec = record_ring(P, IOT_RING_SUBMIT);
	struct stat st;

	fixture_file_stat("a", &st);
	rec.fd = 5;
	rec.ino = st.st_ino;
	rec.dev = fixture_dev(&st);
	feed_iot_ring(&rec);
	row("filename", "");
	fixture_fd(P, 5, fixture_file("a"), 0, O_RDWR);
	rec = record_ring(P, IOT_RING_SUBMIT);
	rec.fd = 5;
	rec.ino = st.st_ino;
	rec.dev = fixture_dev(&st);
	feed_iot_ring(&rec);
	row("filename", "");
}
END_TEST

START_TEST(request_is_of_the_file_of_its_descriptor)
{
	struct iot_ring rec;
	struct stat st;

	feed_open_file(P, "a", 3, O_RDWR);
	fixture_file_stat("a", &st);
	rec = record_ring(P, IOT_RING_SUBMIT);
	rec.fd = 3;
	feed_iot_ring(&rec);
	row("fd", "3");
	row_number("inode", st.st_ino);
	row("filename", fixture_file("a"));
	rec = record_ring(P, IOT_RING_ENTER); /* of the ring, whatever else has its number */
	rec.fd = 3;
	feed_iot_ring(&rec);
	row("fd", "3");
	row("inode", "");
	row("filename", "");
	rec = record_ring(P, IOT_RING_COMPLETE);
	rec.fd = 99;
	feed_iot_ring(&rec);
	row("inode", "");
	row("filename", "");
	fixture_socket(P, 4, &st);
	rec = record_ring(P, IOT_RING_COMPLETE);
	rec.fd = 4;
	feed_iot_ring(&rec);
	row("inode", "");
	row("filename", "");
	rec = record_ring(P, IOT_RING_COMPLETE);
	rec.fd = 3;
	rec.ino = 12; /* the kernel looked: another file, of no name */
	rec.dev = 8 << 20 | 2;
	feed_iot_ring(&rec);
	row("inode", "12");
	row("filename", "");
}
END_TEST

static TCase *ring_case(void)
{
	TCase *tcase = tcase_create("iouring");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, ring_event_is_a_row, 0, ARRAY_SIZE(ring_events));
	tcase_add_test(tcase, ring_that_was_made_has_no_result);
	tcase_add_test(tcase, ring_event_of_which_little_is_known);
	tcase_add_test(tcase, shared_user_data_is_marked);
	tcase_add_loop_test(tcase, opcode_has_a_name, 0, ARRAY_SIZE(opcodes));
	tcase_add_test(tcase, request_is_of_the_file_that_was_named);
	tcase_add_test(tcase, names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, descriptor_is_not_asked_where_the_kernel_looks);
	tcase_add_test(tcase, file_without_a_name_has_that_of_its_descriptor);
	tcase_add_test(tcase, descriptor_is_asked_once);
	return tcase;
}

static TCase *followed_case(void)
{
	TCase *tcase = tcase_create("followed");

	tcase_add_checked_fixture(tcase, feed_setup_followed, feed_teardown);
	tcase_add_test(tcase, request_is_of_the_file_of_its_descriptor);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of io_uring");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, ring_case());
	suite_add_tcase(suite, followed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
