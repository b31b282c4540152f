/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without kernel headers, sockets are followed: what a call told of one is in the
 * rows of the calls after it.
 */
#include "events/events.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"

/* ---- bind, listen, accept ---- */

START_TEST(calls_of_a_server_tell_of_its_sockets)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	row("event_type", "SOCKET_CREATE");
	row("protocol", "TCP");
	row_ends(" ", " ");
	feed_bind(3, "10.0.0.1", 80, 0);
	row("event_type", "BIND");
	row("domain", "AF_INET");
	row("sock_type", "SOCK_STREAM");
	row("protocol", "TCP");
	row_ends("10.0.0.1 80", " ");
	feed_conn_call(IOT_CONN_LISTEN, 3, 0);
	row("sock_type", "SOCK_STREAM");
	row("ip_version", "4");
	row_ends("10.0.0.1 80", " ");
	feed_accept(3, 4, "10.0.0.2", 5000);
	row("event_type", "ACCEPT");
	row("fd", "4");
	row("domain", "AF_INET");
	row("sock_type", "SOCK_STREAM");
	row("protocol", "TCP");
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	feed_conn_call(IOT_CONN_SHUTDOWN, 4, 0);
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	feed_conn_call(IOT_CONN_SHUTDOWN, 3, 0);
	row_ends("10.0.0.1 80", " ");
	feed_accept(3, 5, "10.0.0.3", 5001);
	row_ends("10.0.0.1 80", "10.0.0.3 5001");
	feed_send(P, 4);
	row_of(STREAM_nw);
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	row("protocol", "TCP");
}
END_TEST

START_TEST(accept_without_an_address_has_no_peer)
{
	feed_socket(3, AF_INET6, SOCK_STREAM);
	feed_bind(3, "::1", 80, 0);
	feed_conn_call(IOT_CONN_LISTEN, 3, 0);
	feed_accept(3, 4, NULL, 0);
	row("ip_version", "6");
	row_ends("::1 80", " ");
	feed_accept(3, 5, "::2", 9);
	feed_accept(3, 6, NULL, 0); /* not that of another one */
	row_ends("::1 80", " ");
}
END_TEST

START_TEST(accept_that_failed_tells_of_the_listener)
{
	struct iot_conn rec;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 80, 0);
	rec = record_conn(P, IOT_CONN_ACCEPT, 3, -EAGAIN);
	rec.listening = 3;
	feed_iot_conn(&rec);
	row("fd", "3");
	row("return_value", "-11");
	row_ends("10.0.0.1 80", " ");
	feed_conn_call(IOT_CONN_SHUTDOWN, 3, 0);
	row_ends("10.0.0.1 80", " ");
}
END_TEST

START_TEST(accept_of_an_unknown_listener_says_what_it_gave)
{
	feed_accept(30, 4, "10.0.0.2", 5000);
	row("domain", "AF_INET");
	row("sock_type", "");
	row("protocol", "");
	row_ends(" ", "10.0.0.2 5000");
	feed_send(P, 4);
	row_ends(" 0", "10.0.0.2 5000");
}
END_TEST

START_TEST(call_that_failed_tells_nothing_of_its_socket)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.9", 80, -EADDRINUSE);
	row_ends("10.0.0.9 80", " "); /* asked for */
	feed_connect(3, "10.0.0.2", 80, -ECONNREFUSED);
	row_ends(" ", "10.0.0.2 80");
	feed_conn_call(IOT_CONN_SHUTDOWN, 3, -ENOTCONN);
	row_ends(" ", " ");
	row("sock_type", "SOCK_STREAM");
}
END_TEST

START_TEST(call_on_no_descriptor_says_what_it_gave)
{
	feed_bind(99, "10.0.0.9", 80, -EBADF);
	row("domain", "AF_INET");
	row("sock_type", "");
	row_ends("10.0.0.9 80", " ");
	feed_conn_call(IOT_CONN_LISTEN, -1, -EBADF);
	row("domain", "");
	row_ends(" ", " ");
}
END_TEST

/* ---- connect ---- */

START_TEST(connect_tells_of_its_socket)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_connect(3, "10.0.0.2", 80, 0);
	row("sock_type", "SOCK_STREAM");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(connect_that_waited_knows_its_port)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, 0);
	ck_assert_uint_eq(n_seen, 1);
	feed_connect(3, "10.0.0.2", 80, 0);
	ck_assert_uint_eq(n_seen, 2);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(connect_that_was_refused_knows_its_port)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, -ENOTCONN);
	feed_connect(3, "10.0.0.2", 80, -ECONNREFUSED);
	ck_assert_uint_eq(n_seen, 2);
	row("return_value", "-111");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(connect_that_goes_on_is_known_later)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_connect(3, "10.0.0.2", 80, -EINPROGRESS);
	row("return_value", "-115");
	row_ends(" ", "10.0.0.2 80");
	feed_send(P, 3); /* kernels before 4.16 tell no more */
	row_ends(" 0", "10.0.0.2 80");
	feed_later(IOT_CONN_WAITED, 3, 0);
	ck_assert_uint_eq(n_seen, 4);
	row("return_value", "0");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

/* It was over before the call returned, and without headers no more is sent than that. */
START_TEST(connect_that_was_over_at_once_keeps_what_is_known)
{
	struct iot_conn rec;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, 0);
	feed_connect(3, "10.0.0.2", 80, -EINPROGRESS);
	rec = record_conn(P, IOT_CONN_CONNECT, 3, 0);
	rec.flags = IOT_CONN_LATER | IOT_CONN_WAITED;
	feed_iot_conn(&rec);
	ck_assert_uint_eq(n_seen, 3);
	row("return_value", "0");
	row("domain", "AF_INET");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(connect_takes_another_peer)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_connect(3, "10.0.0.2", 80, 0);
	row("protocol", "UDP");
	feed_connect(3, "10.0.0.3", 81, 0);
	row_ends("10.0.0.1 1000", "10.0.0.3 81");
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.3 81");
}
END_TEST

START_TEST(connect_that_failed_leaves_no_port)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, -ENOTCONN);
	feed_connect(3, "10.0.0.2", 80, -ECONNREFUSED);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 3);
	row_ends(" 0", " 0");
	feed_socket(4, AF_INET, SOCK_STREAM);
	feed_connect(4, "10.0.0.2", 80, -EINPROGRESS);
	feed_later(IOT_CONN_WAITED, 4, -ENOTCONN);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(P, 4);
	row_ends(" 0", " 0");
	feed_socket(5, AF_INET, SOCK_STREAM);
	feed_bind(5, "10.0.0.1", 1000, 0);
	feed_connect(5, "10.0.0.2", 80, -ETIMEDOUT);
	feed_send(P, 5);
	row_ends("10.0.0.1 1000", " 0");
}
END_TEST

/* ---- bytes ---- */

START_TEST(bytes_moved_were_asked_for)
{
	struct iot_net rec = record_net(P, IOT_NET_RECEIVE, 3, 900);

	feed_socket(3, AF_INET, SOCK_DGRAM);
	rec.size = 100; /* two pieces of many */
	feed_iot_net(&rec);
	row("requested_size", "900");
	row("size", "900");
	rec.size = 100;
	rec.msg_flags = MSG_TRUNC; /* the caller asks how long the message was */
	feed_iot_net(&rec);
	row("requested_size", "100");
	row("size", "100");
	row("return_value", "900");
	rec.size = 1000;
	feed_iot_net(&rec);
	row("size", "900");
}
END_TEST

START_TEST(peer_of_a_message_is_enough)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, 99, 1);

	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_iot_net(&rec);
	row("ip_version", "4");
	row("protocol", "");
	row_ends(" 0", "10.0.0.2 53");
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

START_TEST(what_the_kernel_told_is_not_followed)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, 3, 1);
	struct iot_conn conn = record_conn(P, IOT_CONN_SHUTDOWN, 3, 0);

	feed_socket(3, AF_INET6, SOCK_DGRAM);
	feed_bind(3, "::1", 9, 0);
	rec.ends = conn.ends = connected();
	feed_iot_net(&rec);
	row("protocol", "TCP");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_iot_conn(&conn);
	row("sock_type", "SOCK_STREAM");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	rec = record_net(P, IOT_NET_SEND, 3, 1);
	rec.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	put_local(&rec.ends, "10.0.0.9", 9);
	feed_iot_net(&rec);
	row_ends("10.0.0.9 9", " 0");
}
END_TEST

/* An IPv6 socket of UDP takes addresses of IPv4, too. */
START_TEST(peer_of_ipv4_is_mapped_on_an_ipv6_socket)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, 3, 1);

	feed_socket(3, AF_INET6, SOCK_DGRAM);
	feed_bind(3, "2001:db8::1", 1000, 0);
	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_iot_net(&rec);
	row("ip_version", "6");
	row_ends("2001:db8::1 1000", "::ffff:10.0.0.2 53");
	feed_connect(3, "10.0.0.3", 54, 0);
	row("domain", "AF_INET6");
	row("ip_version", "6");
	row_ends("2001:db8::1 1000", "::ffff:10.0.0.3 54");
	feed_send(P, 3);
	row_ends("2001:db8::1 1000", "::ffff:10.0.0.3 54");
}
END_TEST

START_TEST(sockets_are_followed_without_rows_of_nw_conn)
{
	feed_anew(&(struct feed_options){ .only = "nw" });
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_connect(3, "10.0.0.2", 80, 0);
	ck_assert_uint_eq(n_seen, 0);
	feed_send(P, 3);
	ck_assert_uint_eq(n_seen, 1);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

static TCase *followed_case(void)
{
	TCase *tcase = tcase_create("followed");

	tcase_add_checked_fixture(tcase, feed_setup_followed, feed_teardown);
	tcase_add_test(tcase, calls_of_a_server_tell_of_its_sockets);
	tcase_add_test(tcase, accept_without_an_address_has_no_peer);
	tcase_add_test(tcase, accept_that_failed_tells_of_the_listener);
	tcase_add_test(tcase, accept_of_an_unknown_listener_says_what_it_gave);
	tcase_add_test(tcase, call_that_failed_tells_nothing_of_its_socket);
	tcase_add_test(tcase, call_on_no_descriptor_says_what_it_gave);
	tcase_add_test(tcase, connect_tells_of_its_socket);
	tcase_add_test(tcase, connect_that_waited_knows_its_port);
	tcase_add_test(tcase, connect_that_was_refused_knows_its_port);
	tcase_add_test(tcase, connect_that_goes_on_is_known_later);
	tcase_add_test(tcase, connect_that_was_over_at_once_keeps_what_is_known);
	tcase_add_test(tcase, connect_takes_another_peer);
	tcase_add_test(tcase, connect_that_failed_leaves_no_port);
	tcase_add_test(tcase, bytes_moved_were_asked_for);
	tcase_add_test(tcase, peer_of_a_message_is_enough);
	tcase_add_test(tcase, what_the_kernel_told_is_not_followed);
	tcase_add_test(tcase, peer_of_ipv4_is_mapped_on_an_ipv6_socket);
	tcase_add_test(tcase, sockets_are_followed_without_rows_of_nw_conn);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of followed sockets");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, followed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
