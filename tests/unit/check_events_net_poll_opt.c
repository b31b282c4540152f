/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of streams nw_epoll and nw_sockopt: calls that wait for sockets, and options of them. */
#include "events/events.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"

/* ---- nw_epoll ---- */

static const struct {
	uint16_t event;
	const char *word, *operation, *max_events, *ready, *nfds;
} poll_events[] = {
	{ IOT_POLL_CREATE, "EPOLL_CREATE", "", "", "0", "" },
	{ IOT_POLL_CTL, "EPOLL_CTL", "EPOLL_CTL_MOD", "", "0", "" },
	{ IOT_POLL_WAIT, "EPOLL_WAIT", "", "64", "2", "" },
	{ IOT_POLL_POLL, "POLL", "", "", "2", "64" },
	{ IOT_POLL_SELECT, "SELECT", "", "", "2", "64" },
};

START_TEST(call_that_waits_is_a_row)
{
	struct iot_poll rec = record_poll(P, poll_events[_i].event, 2);

	ck_assert_int_eq(ARRAY_SIZE(poll_events), IOT_N_POLL_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.op = EPOLL_CTL_MOD;
	rec.nfds = 64;
	rec.fd = 7;
	rec.target = 8;
	feed_iot_poll(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_nw_epoll);
	ck_assert(seen[0].key == rec.head.ts - 700);
	row_number("mono_ns", rec.head.ts - 700);
	row("event_type", poll_events[_i].word);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("epoll_fd", "7");
	row("target_fd", "8");
	row("operation", poll_events[_i].operation);
	row("event_mask", "");
	row("max_events", poll_events[_i].max_events);
	row("ready_count", poll_events[_i].ready);
	row("nfds", poll_events[_i].nfds);
	row("timeout_ms", "");
	row("latency_ns", "700");
	row("return_value", "2");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw_epoll], 1);
}
END_TEST

static const struct {
	int64_t ns;
	const char *ms;
} timeouts[] = {
	{ IOT_POLL_FOREVER, "-1" },
	{ IOT_POLL_NO_TIMEOUT, "" },
	{ -1000000000, "-1" }, /* tv_sec of -1: the call fails */
	{ 0, "0" },
	{ 1000000, "1" },
	{ 1500000, "1.500000" },
	{ 1, "0.000001" },
	{ 999999, "0.999999" },
	{ 2147483647LL * 1000000, "2147483647" },
	{ INT64_MAX, "9223372036854.775807" },
};

START_TEST(timeout_is_in_ms)
{
	struct iot_poll rec = record_poll(P, IOT_POLL_WAIT, 0);

	rec.timeout = timeouts[_i].ns;
	feed_iot_poll(&rec);
	row("timeout_ms", timeouts[_i].ms);
}
END_TEST

static const struct {
	uint16_t op;
	uint32_t mask;
	const char *operation, *shown;
} controls[] = {
	{ EPOLL_CTL_ADD, EPOLLIN | EPOLLET, "EPOLL_CTL_ADD", "EPOLLIN|EPOLLET" },
	{ EPOLL_CTL_DEL, 0, "EPOLL_CTL_DEL", "" },
	{ EPOLL_CTL_MOD, EPOLLOUT | EPOLLONESHOT, "EPOLL_CTL_MOD", "EPOLLOUT|EPOLLONESHOT" },
	{ 0, 0x800, "OP(0)", "NONE|0x800" },
	{ 9, EPOLLIN | 0x800, "OP(9)", "EPOLLIN|0x800" },
};

START_TEST(control_says_what_of_what)
{
	struct iot_poll rec = record_poll(P, IOT_POLL_CTL, -EINVAL);

	rec.op = controls[_i].op;
	rec.mask = controls[_i].mask;
	feed_iot_poll(&rec);
	row("operation", controls[_i].operation);
	row("event_mask", controls[_i].shown);
	row("ready_count", "0");
	row("return_value", "-22");
	row("epoll_fd", "");
	row("target_fd", "");
}
END_TEST

START_TEST(wait_that_failed_is_a_row)
{
	struct iot_poll rec = record_poll(P, IOT_POLL_SELECT, -EINTR);

	feed_iot_poll(&rec);
	row("ready_count", "-4");
	row("return_value", "-4");
	row("nfds", "0");
}
END_TEST

/* ---- nw_sockopt ---- */

START_TEST(option_is_a_row)
{
	struct iot_opt rec = record_opt(P, IOT_OPT_SET, SOL_SOCKET, 7);
	const int32_t size = 65536;

	rec.head.tid = P + 1;
	rec.fd = 9;
	rec.len = rec.known = sizeof(size);
	memcpy(rec.value, &size, sizeof(size));
	feed_iot_opt(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_nw_sockopt);
	ck_assert(seen[0].key == rec.head.ts - 700);
	row_number("mono_ns", rec.head.ts - 700);
	row("event_type", "SET");
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("fd", "9");
	row("level", "SOL_SOCKET");
	row("option_name", "SO_SNDBUF");
	row("option_value", "65536");
	row("option_len", "4");
	row("option_text", "");
	row("return_value", "0");
	row("latency_ns", "700");
	rec = record_opt(P, IOT_OPT_GET, IPPROTO_TCP, 1);
	rec.ret = -EBADF;
	feed_iot_opt(&rec);
	row("event_type", "GET");
	row("level", "IPPROTO_TCP");
	row("option_name", "TCP_NODELAY");
	row("option_value", "");
	row("return_value", "-9");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw_sockopt], 2);
}
END_TEST

static const struct {
	uint16_t known;
	const char *value;
} widths[] = {
	{ 0, "" },
	{ 1, "" },
	{ 3, "" },
	{ 4, "-2" },
	{ 5, "-2" },
	{ 8, "-2" },
	{ IOT_OPT_BYTES, "-2" },
};

START_TEST(value_is_of_its_first_4_bytes)
{
	struct iot_opt rec = record_opt(P, IOT_OPT_SET, SOL_SOCKET, 2);
	const int32_t value = -2;

	memset(rec.value, 0x55, sizeof(rec.value));
	memcpy(rec.value, &value, sizeof(value));
	rec.known = widths[_i].known;
	rec.len = 1000;
	feed_iot_opt(&rec);
	row("option_value", widths[_i].value);
	row("option_len", "1000");
	row("option_text", "");
}
END_TEST

static void feed_option(int level, int name, const void *value, size_t len)
{
	struct iot_opt rec = record_opt(P, IOT_OPT_SET, level, name);

	rec.len = rec.known = len;
	memcpy(rec.value, value, len);
	feed_iot_opt(&rec);
}

START_TEST(value_that_is_no_number_is_a_text)
{
	feed_option(SOL_SOCKET, 13, (int32_t[]){ 1, 30 }, 8);
	row("option_name", "SO_LINGER");
	row("option_text", "1,30");
	row("option_value", "1");
	feed_option(SOL_SOCKET, 66, (int64_t[]){ 2, 500000 }, 16);
	row("option_name", "SO_RCVTIMEO_NEW");
	row("option_text", "2.500000");
	feed_option(SOL_SOCKET, 25, "eth0", 5);
	row("option_name", "SO_BINDTODEVICE");
	row("option_text", "eth0");
	feed_option(IPPROTO_TCP, 13, "cubic", 5);
	row("option_name", "TCP_CONGESTION");
	row("option_text", "cubic");
	feed_option(SOL_SOCKET, 13, (int32_t[]){ 1 }, 4);
	row("option_text", "");
	row("option_value", "1");
}
END_TEST

START_TEST(option_without_a_name_is_its_number)
{
	feed_option(4242, -7, "", 0);
	row("level", "LEVEL(4242)");
	row("option_name", "OPT(4242,-7)");
}
END_TEST

static TCase *epoll_case(void)
{
	TCase *tcase = tcase_create("nw_epoll");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, call_that_waits_is_a_row, 0, ARRAY_SIZE(poll_events));
	tcase_add_loop_test(tcase, timeout_is_in_ms, 0, ARRAY_SIZE(timeouts));
	tcase_add_loop_test(tcase, control_says_what_of_what, 0, ARRAY_SIZE(controls));
	tcase_add_test(tcase, wait_that_failed_is_a_row);
	return tcase;
}

static TCase *sockopt_case(void)
{
	TCase *tcase = tcase_create("nw_sockopt");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, option_is_a_row);
	tcase_add_loop_test(tcase, value_is_of_its_first_4_bytes, 0, ARRAY_SIZE(widths));
	tcase_add_test(tcase, value_that_is_no_number_is_a_text);
	tcase_add_test(tcase, option_without_a_name_is_its_number);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of waiting and of options");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, epoll_case());
	suite_add_tcase(suite, sockopt_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
