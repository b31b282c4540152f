/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream nw_conn: calls that make, name, join and end connections, and how
 * the names of Unix sockets are told.
 */
#include "events/events.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"

/* ---- calls ---- */

static const struct {
	uint16_t event;
	const char *word, *backlog, *how;
} conn_events[] = {
	{ IOT_CONN_SOCKET_CREATE, "SOCKET_CREATE", "", "" },
	{ IOT_CONN_BIND, "BIND", "", "" },
	{ IOT_CONN_LISTEN, "LISTEN", "1", "" },
	{ IOT_CONN_ACCEPT, "ACCEPT", "", "" },
	{ IOT_CONN_CONNECT, "CONNECT", "", "" },
	{ IOT_CONN_SHUTDOWN, "SHUTDOWN", "", "SHUT_WR" },
};

START_TEST(call_on_a_connection_is_a_row)
{
	struct iot_conn rec = record_conn(P, conn_events[_i].event, 5, 0);

	ck_assert_int_eq(ARRAY_SIZE(conn_events), IOT_N_CONN_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.ends = connected();
	rec.backlog = 1;
	feed_iot_conn(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_nw_conn);
	ck_assert(seen[0].key == rec.head.ts - 700);
	row_number("mono_ns", rec.head.ts - 700);
	row("event_type", conn_events[_i].word);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("domain", "AF_INET");
	row("sock_type", "SOCK_STREAM");
	row("ip_version", "4");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	row("fd", "5");
	row("backlog", conn_events[_i].backlog);
	row("shutdown_how", conn_events[_i].how);
	row("latency_ns", "700");
	row("return_value", "0");
	row("protocol", "TCP");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw_conn], 1);
}
END_TEST

START_TEST(call_on_what_nobody_knows_is_a_row)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_BIND, -1, -EBADF);

	feed_iot_conn(&rec);
	row("domain", "");
	row("sock_type", "");
	row("ip_version", "");
	row_ends(" ", " ");
	row("fd", "");
	row("return_value", "-9");
	row("protocol", "");
}
END_TEST

static const struct {
	int family, type;
	const char *domain, *shown;
} domains[] = {
	{ AF_UNIX, SOCK_SEQPACKET, "AF_UNIX", "SOCK_SEQPACKET" },
	{ AF_NETLINK, SOCK_RAW, "AF_NETLINK", "SOCK_RAW" },
	{ AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, "AF_INET6", "SOCK_DGRAM" },
	{ 0, 0, "AF(0)", "TYPE(0)" }, /* asked for, and refused */
	{ 200, 12, "AF(200)", "TYPE(12)" },
};

START_TEST(socket_is_what_was_asked_for)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_SOCKET_CREATE, -EAFNOSUPPORT, -EAFNOSUPPORT);

	rec.ends = socket_of(domains[_i].family, domains[_i].type, 0);
	feed_iot_conn(&rec);
	row("domain", domains[_i].domain);
	row("sock_type", domains[_i].shown);
	row("fd", "");
	row("return_value", "-97");
}
END_TEST

static const struct {
	int how;
	const char *shown;
} hows[] = {
	{ 0, "SHUT_RD" }, { 1, "SHUT_WR" }, { 2, "SHUT_RDWR" }, { 3, "HOW(3)" }, { -1, "HOW(-1)" },
};

START_TEST(shutdown_says_how)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_SHUTDOWN, 3, 0);

	rec.how = hows[_i].how;
	feed_iot_conn(&rec);
	row("shutdown_how", hows[_i].shown);
}
END_TEST

START_TEST(backlog_may_be_negative)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_LISTEN, 3, 0);

	rec.backlog = -1;
	feed_iot_conn(&rec);
	row("backlog", "-1");
	rec = record_conn(P, IOT_CONN_LISTEN, 3, 0);
	feed_iot_conn(&rec);
	row("backlog", "0");
}
END_TEST

START_TEST(connect_that_goes_on_is_two_rows)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_CONNECT, 3, -EINPROGRESS);

	rec.ends = connected();
	feed_iot_conn(&rec);
	row("return_value", "-115");
	rec = record_conn(P, IOT_CONN_CONNECT, 3, -ECONNREFUSED);
	rec.ends = connected();
	rec.flags = IOT_CONN_LATER | IOT_CONN_WAITED;
	rec.latency = 5000;
	feed_iot_conn(&rec);
	ck_assert_uint_eq(n_seen, 2);
	row("event_type", "CONNECT");
	row("return_value", "-111");
	row("latency_ns", "5000");
	row_number("mono_ns", rec.head.ts - 5000);
}
END_TEST

START_TEST(connect_that_waited_is_one_row)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_CONNECT, 3, 0);

	rec.ends = connected();
	rec.flags = IOT_CONN_LATER;
	feed_iot_conn(&rec);
	ck_assert_uint_eq(n_seen, 0);
	rec = record_conn(P, IOT_CONN_CONNECT, 3, 0);
	rec.ends = connected();
	feed_iot_conn(&rec);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

/* ---- names of Unix sockets ---- */

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define AT_PATH 2 /* offsetof(struct sockaddr_un, sun_path) */

static const struct {
	const char *text;
	int len;
	uint16_t flags;
	const char *shown;
} unix_names[] = {
	{ "/run/sock", AT_PATH + 10, 0, "/run/sock" }, /* and its NUL */
	{ "/run/sock", AT_PATH + 9, 0, "/run/sock" },
	{ "/run/sock", AT_PATH + 4, 0, "/run" }, /* the address ends first */
	{ "/run/sock", AT_PATH + 108, 0, "/run/sock" },
	{ "relative,\"", AT_PATH + 11, 0, "relative,\"" },
	{ "/run/sock", AT_PATH, 0, "" },
	{ "", AT_PATH + 1, 0, "" },
	{ "/run/sock", AT_PATH + 1 + 9, IOT_CONN_ABSTRACT, "@/run/sock" },
	{ "abstract", AT_PATH + 1 + 8, IOT_CONN_ABSTRACT, "@abstract" },
	{ "abstract", AT_PATH + 1 + 3, IOT_CONN_ABSTRACT, "@abs" }, /* what follows is not its */
	{ "abstract", AT_PATH + 1, IOT_CONN_ABSTRACT, "@" },
	{ "a\nb", AT_PATH + 1 + 3, IOT_CONN_ABSTRACT, "@a\\nb" },
	/* longer than sun_path, which is 108 bytes */
	{ HUNDRED "12345678", AT_PATH + 108, 0, HUNDRED "12345678" },
	{ HUNDRED HUNDRED, AT_PATH + 200, 0, HUNDRED "01234567" },
	{ HUNDRED HUNDRED, AT_PATH + 108, IOT_CONN_ABSTRACT, "@" HUNDRED "0123456" },
	{ HUNDRED HUNDRED, AT_PATH + 200, IOT_CONN_ABSTRACT, "@" HUNDRED "0123456" },
	{ HUNDRED HUNDRED, INT32_MAX, IOT_CONN_ABSTRACT, "@" HUNDRED "0123456" },
};

START_TEST(unix_name_ends_with_its_address)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_BIND, 3, 0);

	rec.ends = socket_of(AF_UNIX, SOCK_STREAM, 0);
	rec.name = feed_string(unix_names[_i].text);
	rec.address_bytes = unix_names[_i].len;
	rec.flags = unix_names[_i].flags;
	feed_iot_conn(&rec);
	row("domain", "AF_UNIX");
	row("local_addr", unix_names[_i].shown);
	row("local_port", "");
	row("remote_addr", "");
	rec = record_conn(P, IOT_CONN_CONNECT, 3, 0);
	rec.ends = socket_of(AF_UNIX, SOCK_STREAM, 0);
	rec.name = feed_string(unix_names[_i].text);
	rec.address_bytes = unix_names[_i].len;
	rec.flags = unix_names[_i].flags;
	feed_iot_conn(&rec);
	row("local_addr", "");
	row("remote_addr", unix_names[_i].shown);
	row("remote_port", "");
}
END_TEST

START_TEST(address_of_a_length_that_cannot_be_is_survived)
{
	static const int lens[] = { INT32_MIN, -1, 0, 1 };

	for (int i = 0; i < ARRAY_SIZE(lens); i++) {
		struct iot_conn rec = record_conn(P, IOT_CONN_BIND, 3, -EINVAL);

		rec.name = feed_string(HUNDRED HUNDRED);
		rec.flags = i % 2 ? IOT_CONN_ABSTRACT : 0;
		rec.address_bytes = lens[i];
		feed_iot_conn(&rec);
	}
	ck_assert_int_eq(n_seen, ARRAY_SIZE(lens));
}
END_TEST

START_TEST(unix_name_that_was_lost_is_empty)
{
	struct iot_conn rec = record_conn(P, IOT_CONN_BIND, 3, 0);

	rec.name = 99;
	rec.address_bytes = AT_PATH + 5;
	feed_iot_conn(&rec);
	row("local_addr", "");
	rec = record_conn(P, IOT_CONN_BIND, 3, 0);
	rec.address_bytes = AT_PATH + 5;
	feed_iot_conn(&rec);
	row("local_addr", "");
}
END_TEST

static TCase *conn_case(void)
{
	TCase *tcase = tcase_create("nw_conn");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, call_on_a_connection_is_a_row, 0, ARRAY_SIZE(conn_events));
	tcase_add_test(tcase, call_on_what_nobody_knows_is_a_row);
	tcase_add_loop_test(tcase, socket_is_what_was_asked_for, 0, ARRAY_SIZE(domains));
	tcase_add_loop_test(tcase, shutdown_says_how, 0, ARRAY_SIZE(hows));
	tcase_add_test(tcase, backlog_may_be_negative);
	tcase_add_test(tcase, connect_that_goes_on_is_two_rows);
	tcase_add_test(tcase, connect_that_waited_is_one_row);
	tcase_add_loop_test(tcase, unix_name_ends_with_its_address, 0, ARRAY_SIZE(unix_names));
	tcase_add_test(tcase, address_of_a_length_that_cannot_be_is_survived);
	tcase_add_test(tcase, unix_name_that_was_lost_is_empty);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of connections");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, conn_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
