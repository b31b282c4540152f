/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of streams nw and nw_drop: bytes and packets, from where to where. And of
 * all network streams and iouring: how a socket is shown, and what is no row.
 */
#include "events/events.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"

/* ---- nw ---- */

START_TEST(send_is_a_row)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, -1, 100);

	rec.head.tid = P + 1;
	rec.ends = connected();
	rec.size = 4096;
	rec.msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT;
	feed_iot_net(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_nw);
	ck_assert(seen[0].key == rec.head.ts - 700);
	row_number("mono_ns", rec.head.ts - 700);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("protocol", "TCP");
	row("ip_version", "4");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	row("size", "100");
	row("requested_size", "4096");
	row("direction", "send");
	row("latency_ns", "700");
	row("error_code", "");
	row("msg_flags", "MSG_DONTWAIT|MSG_NOSIGNAL");
	row("return_value", "100");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 1);
}
END_TEST

START_TEST(receive_that_failed_is_a_row)
{
	struct iot_net rec = record_net(P, IOT_NET_RECEIVE, -1, -EAGAIN);

	rec.ends = connected();
	rec.size = 10;
	feed_iot_net(&rec);
	row("direction", "receive");
	row("size", "0");
	row("requested_size", "10");
	row("error_code", "EAGAIN");
	row("return_value", "-11");
	row("msg_flags", "");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(directions_of_no_known_number_are_bad)
{
	struct iot_net rec = record_net(P, 0, -1, 1);

	rec.ends = connected();
	feed_iot_net(&rec);
	rec.direction = IOT_NET_RECEIVE + 1;
	feed_iot_net(&rec);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(bad(), 2);
}
END_TEST

/* ---- nw_drop ---- */

static const struct {
	uint16_t event;
	const char *word;
} drop_events[] = {
	{ IOT_DROP_RETRANSMIT, "TCP_RETRANSMIT" },
	{ IOT_DROP_PACKET, "PACKET_DROP" },
};

START_TEST(drop_is_a_row)
{
	struct iot_drop rec = record_drop(P, drop_events[_i].event);

	rec.ends = connected();
	rec.size = 1500;
	rec.known = IOT_DROP_SIZE | IOT_DROP_PORTS;
	rec.state = 1;
	rec.reason = 5;
	feed_iot_drop(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_nw_drop);
	ck_assert(seen[0].key == rec.head.ts);
	row_number("mono_ns", rec.head.ts);
	row("event_type", drop_events[_i].word);
	row_number("pid", P);
	row("command", "prog");
	row("protocol", "TCP");
	row("ip_version", "4");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	row("packet_size", "1500");
	row("drop_reason", "5");
	row("tcp_state", "ESTABLISHED");
	row("drop_reason_name", "");
	row("location", "");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw_drop], 1);
}
END_TEST

START_TEST(drop_of_which_little_is_known)
{
	struct iot_drop rec = record_drop(0, IOT_DROP_RETRANSMIT);

	feed_iot_drop(&rec);
	row("pid", "0");
	row("protocol", "");
	row("ip_version", "");
	row_ends(" ", " ");
	row("packet_size", "");
	row("drop_reason", "0");
	row("tcp_state", "");
	rec = record_drop(0, IOT_DROP_RETRANSMIT);
	rec.state = 99;
	feed_iot_drop(&rec);
	row("tcp_state", "STATE(99)");
}
END_TEST

/* ---- any stream: what is known of the socket ---- */

/* local: what is put there, and how it shows; version and addresses are of the socket's family */
static const struct {
	int family;
	const char *addr, *version, *shown;
} families[] = {
	{ AF_INET, "192.168.0.1", "4", "192.168.0.1" },
	{ AF_INET6, "2001:db8::1", "6", "2001:db8::1" },
	{ AF_INET6, "::ffff:10.1.2.3", "6", "::ffff:10.1.2.3" },
	{ AF_INET6, "::", "6", "::" }, /* with a port it is one */
	{ AF_INET, "0.0.0.0", "4", "0.0.0.0" },
	{ AF_UNIX, "192.168.0.1", "", "" },
	{ AF_PACKET, "192.168.0.1", "", "" },
	{ 0, "192.168.0.1", "", "" },
	{ UINT16_MAX, "2001:db8::1", "", "" },
};

START_TEST(address_is_of_the_family)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, -1, 1);

	rec.ends = socket_of(0, SOCK_STREAM, 0);
	put_local(&rec.ends, families[_i].addr, 7);
	put_remote(&rec.ends, families[_i].addr, 8);
	rec.ends.family = families[_i].family;
	feed_iot_net(&rec);
	row("ip_version", families[_i].version);
	row("source_addr", families[_i].shown);
	row("dest_addr", families[_i].shown);
}
END_TEST

static const struct {
	int family, type, protocol;
	const char *shown;
} protocols[] = {
	{ AF_INET, SOCK_STREAM, 0, "TCP" },
	{ AF_INET, SOCK_DGRAM, 0, "UDP" },
	{ AF_INET6, SOCK_STREAM, 0, "TCP" },
	{ AF_INET6, SOCK_DGRAM, 0, "UDP" },
	{ AF_INET, SOCK_RAW, 0, "" },
	{ AF_INET, SOCK_SEQPACKET, 0, "" },
	{ AF_INET, 0, 0, "" },
	{ AF_UNIX, SOCK_STREAM, 0, "" },
	{ AF_UNIX, SOCK_DGRAM, 0, "" },
	{ 0, SOCK_DGRAM, 0, "" },
	{ AF_NETLINK, SOCK_RAW, 4, "" }, /* NETLINK_SOCK_DIAG, not IP-in-IP */
	{ AF_PACKET, SOCK_DGRAM, 768, "" },
	{ AF_INET, SOCK_STREAM, 262, "MPTCP" },
	{ AF_INET, SOCK_STREAM, IPPROTO_SCTP, "SCTP" },
	{ AF_INET, SOCK_DGRAM, IPPROTO_ICMP, "ICMP" },
	{ AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, "UDPLite" },
	{ AF_INET, SOCK_RAW, 255, "PROTO(255)" },
};

START_TEST(protocol_is_that_of_the_type)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, -1, 1);
	struct iot_conn conn = record_conn(P, IOT_CONN_SOCKET_CREATE, 3, 3);
	struct iot_drop drop = record_drop(P, IOT_DROP_RETRANSMIT);

	rec.ends = conn.ends = drop.ends = socket_of(protocols[_i].family, protocols[_i].type,
						     protocols[_i].protocol);
	feed_iot_net(&rec);
	row("protocol", protocols[_i].shown);
	feed_iot_conn(&conn);
	row("protocol", protocols[_i].shown);
	feed_iot_drop(&drop);
	row("protocol", protocols[_i].shown);
	ck_assert_uint_eq(n_seen, 3);
}
END_TEST

/* conn_port: where an end is not known, nw_conn has no port */
static const struct {
	const char *addr;
	uint16_t port, known;
	const char *shown, *conn_port;
} known_ends[] = {
	{ "10.0.0.1", 5, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "10.0.0.1", "5" },
	{ "10.0.0.1", 0, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "10.0.0.1", "0" },
	{ "0.0.0.0", 5, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "0.0.0.0", "5" },
	{ "0.0.0.0", 0, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "", "" },
	{ "::", 0, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "", "" },
	{ "::1", 0, IOT_ENDS_LOCAL | IOT_ENDS_REMOTE, "::1", "0" },
	{ "10.0.0.1", 5, 0, "", "" },
};

START_TEST(end_is_shown_where_it_is_known)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, -1, 1);
	struct iot_conn conn = record_conn(P, IOT_CONN_CONNECT, 3, 0);
	struct iot_drop drop = record_drop(P, IOT_DROP_RETRANSMIT);

	put_local(&rec.ends, known_ends[_i].addr, known_ends[_i].port);
	put_remote(&rec.ends, known_ends[_i].addr, known_ends[_i].port);
	rec.ends.known = known_ends[_i].known;
	conn.ends = drop.ends = rec.ends;
	feed_iot_net(&rec);
	row("source_addr", known_ends[_i].shown);
	row("dest_addr", known_ends[_i].shown);
	row_number("source_port", known_ends[_i].port);
	row_number("dest_port", known_ends[_i].port);
	feed_iot_conn(&conn);
	row("local_addr", known_ends[_i].shown);
	row("remote_addr", known_ends[_i].shown);
	row("local_port", known_ends[_i].conn_port);
	row("remote_port", known_ends[_i].conn_port);
	feed_iot_drop(&drop);
	row("source_addr", known_ends[_i].shown);
	row("dest_addr", known_ends[_i].shown);
}
END_TEST

START_TEST(ends_are_known_apart)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, -1, 1);

	put_local(&rec.ends, "10.0.0.1", 5);
	feed_iot_net(&rec);
	row_ends("10.0.0.1 5", " 0");
	rec = record_net(P, IOT_NET_SEND, -1, 1);
	put_remote(&rec.ends, "10.0.0.2", 6);
	feed_iot_net(&rec);
	row_ends(" 0", "10.0.0.2 6");
}
END_TEST

/* ---- any stream: what is a row ---- */

START_TEST(events_of_no_known_number_are_bad)
{
	struct iot_conn conn = record_conn(P, 0, 3, 0);
	struct iot_poll poll = record_poll(P, 0, 0);
	struct iot_opt opt = record_opt(P, 0, SOL_SOCKET, 2);
	struct iot_drop drop = record_drop(P, 0);
	struct iot_ring ring = record_ring(P, 0);

	for (int i = 0; i < 3; i++) {
		conn.event = (uint16_t[]){ 0, IOT_N_CONN_EVENTS, UINT16_MAX }[i];
		poll.event = (uint16_t[]){ 0, IOT_N_POLL_EVENTS, UINT16_MAX }[i];
		opt.event = (uint16_t[]){ 0, IOT_OPT_GET + 1, UINT16_MAX }[i];
		drop.event = (uint16_t[]){ 0, IOT_DROP_PACKET + 1, UINT16_MAX }[i];
		ring.event = (uint16_t[]){ 0, IOT_N_RING_EVENTS, UINT16_MAX }[i];
		feed_iot_conn(&conn);
		feed_iot_poll(&poll);
		feed_iot_opt(&opt);
		feed_iot_drop(&drop);
		feed_iot_ring(&ring);
		ck_assert_uint_eq(bad(), 5 * (i + 1));
	}
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(more_of_a_value_than_there_is_is_bad)
{
	struct iot_opt rec = record_opt(P, IOT_OPT_SET, SOL_SOCKET, 2);

	rec.known = IOT_OPT_BYTES + 1;
	feed_iot_opt(&rec);
	rec.known = UINT16_MAX;
	feed_iot_opt(&rec);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(bad(), 2);
}
END_TEST

START_TEST(records_that_are_too_short_are_bad)
{
	struct iot_net net = record_net(P, IOT_NET_SEND, -1, 1);
	struct iot_conn conn = record_conn(P, IOT_CONN_BIND, 3, 0);
	struct iot_poll poll = record_poll(P, IOT_POLL_WAIT, 0);
	struct iot_opt opt = record_opt(P, IOT_OPT_SET, SOL_SOCKET, 2);
	struct iot_drop drop = record_drop(P, IOT_DROP_RETRANSMIT);
	struct iot_ring ring = record_ring(P, IOT_RING_SUBMIT);

	feed(&net, sizeof(net) - 1);
	feed(&conn, sizeof(conn) - 1);
	feed(&poll, sizeof(poll) - 1);
	feed(&opt, sizeof(opt) - 1);
	feed(&drop, sizeof(drop) - 1);
	feed(&ring, sizeof(ring) - 1);
	ck_assert_uint_eq(bad(), 6);
	feed(&net, sizeof(net));
	feed(&conn, sizeof(conn));
	feed(&poll, sizeof(poll));
	feed(&opt, sizeof(opt));
	feed(&drop, sizeof(drop));
	feed(&ring, sizeof(ring));
	feed_end();
	ck_assert_uint_eq(n_seen, 6);
	ck_assert_uint_eq(bad(), 6);
}
END_TEST

static const char *const stream_names[] = { "nw",         "nw_conn", "nw_epoll",
					    "nw_sockopt", "nw_drop", "iouring" };

START_TEST(only_what_was_asked_for_is_a_row)
{
	struct iot_net net = record_net(P, IOT_NET_SEND, -1, 1);
	struct iot_conn conn = record_conn(P, IOT_CONN_BIND, 3, 0);
	struct iot_poll poll = record_poll(P, IOT_POLL_WAIT, 0);
	struct iot_opt opt = record_opt(P, IOT_OPT_SET, SOL_SOCKET, 2);
	struct iot_drop drop = record_drop(P, IOT_DROP_RETRANSMIT);
	struct iot_ring ring = record_ring(P, IOT_RING_SUBMIT);

	feed_anew(&(struct feed_options){ .kernel = true, .only = stream_names[_i] });
	feed_iot_net(&net);
	feed_iot_conn(&conn);
	feed_iot_poll(&poll);
	feed_iot_opt(&opt);
	feed_iot_drop(&drop);
	feed_iot_ring(&ring);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_str_eq(streams[seen[0].stream].name, stream_names[_i]);
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

static TCase *nw_case(void)
{
	TCase *tcase = tcase_create("nw");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, send_is_a_row);
	tcase_add_test(tcase, receive_that_failed_is_a_row);
	tcase_add_test(tcase, directions_of_no_known_number_are_bad);
	return tcase;
}

static TCase *drop_case(void)
{
	TCase *tcase = tcase_create("nw_drop");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, drop_is_a_row, 0, ARRAY_SIZE(drop_events));
	tcase_add_test(tcase, drop_of_which_little_is_known);
	return tcase;
}

static TCase *any_case(void)
{
	TCase *tcase = tcase_create("any stream");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, address_is_of_the_family, 0, ARRAY_SIZE(families));
	tcase_add_loop_test(tcase, protocol_is_that_of_the_type, 0, ARRAY_SIZE(protocols));
	tcase_add_loop_test(tcase, end_is_shown_where_it_is_known, 0, ARRAY_SIZE(known_ends));
	tcase_add_test(tcase, ends_are_known_apart);
	tcase_add_test(tcase, events_of_no_known_number_are_bad);
	tcase_add_test(tcase, more_of_a_value_than_there_is_is_bad);
	tcase_add_test(tcase, records_that_are_too_short_are_bad);
	tcase_add_loop_test(tcase, only_what_was_asked_for_is_a_row, 0, ARRAY_SIZE(stream_names));
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of the network");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, nw_case());
	suite_add_tcase(suite, drop_case());
	suite_add_tcase(suite, any_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
