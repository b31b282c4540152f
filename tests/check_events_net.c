/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the network streams and of iouring: every event and what is known of
 * its sockets; and, without kernel headers, what calls tell of each other's.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "fixture_events.h"
#include "fixture_proc.h"
#include "fixture_record.h"

#define ARRAY_SIZE(array) (int)(sizeof(array) / sizeof((array)[0]))

static uint64_t bad(void)
{
	return events_totals(ev)->bad;
}

static uint64_t out_of_scope(void)
{
	return events_totals(ev)->out_of_scope;
}

static uint64_t unresolved(void)
{
	return ledger_lost(events_ledger(ev), IO_SEQ_NW, LOST_UNRESOLVED);
}

/* ---- records ---- */

/* Each is fed as a copy, since the reader completes it, and its row leaves at once. */
#define FEED(type) \
	static void feed_##type(const struct type *rec) \
	{ \
		struct type copy = *rec; \
\
		feed(&copy, sizeof(copy)); \
		feed_end(); \
	}
FEED(io_net)
FEED(io_conn)
FEED(io_poll)
FEED(io_opt)
FEED(io_drop)
FEED(io_ring)

static struct io_ends socket_of(int family, int type, int protocol)
{
	return (struct io_ends){
		.family = family, .type = type, .protocol = protocol, .known = IO_ENDS_SOCKET,
	};
}

static void put_local(struct io_ends *ends, const char *addr, uint16_t port)
{
	ends->family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	ck_assert_int_eq(inet_pton(ends->family, addr, ends->local), 1);
	ends->local_port = port;
	ends->known |= IO_ENDS_LOCAL;
}

static void put_remote(struct io_ends *ends, const char *addr, uint16_t port)
{
	ends->family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	ck_assert_int_eq(inet_pton(ends->family, addr, ends->remote), 1);
	ends->remote_port = port;
	ends->known |= IO_ENDS_REMOTE;
}

/* TCP, connected from 10.0.0.1:1000 to 10.0.0.2:80 */
static struct io_ends connected(void)
{
	struct io_ends ends = socket_of(AF_INET, SOCK_STREAM, IPPROTO_TCP);

	put_local(&ends, "10.0.0.1", 1000);
	put_remote(&ends, "10.0.0.2", 80);
	return ends;
}

/* ---- looking: the last row ---- */

static void row(const char *column, const char *value)
{
	ck_assert_uint_gt(n_seen, 0);
	expect(n_seen - 1, column, value);
}

static void row_of(enum stream_id stream)
{
	ck_assert_uint_gt(n_seen, 0);
	ck_assert_int_eq(seen[n_seen - 1].stream, stream);
}

static void row_number(const char *column, uint64_t value)
{
	ck_assert_uint_gt(n_seen, 0);
	expect_number(n_seen - 1, column, value);
}

/* "ADDRESS PORT" of each end; nw and nw_drop have other names for them than nw_conn */
static void row_ends(const char *local, const char *remote)
{
	bool conn = seen[n_seen - 1].stream == STREAM_nw_conn;
	char text[200];

	snprintf(text, sizeof(text), "%s %s", seen_field(n_seen - 1, conn ? "local_addr" : "source_addr"),
		 seen_field(n_seen - 1, conn ? "local_port" : "source_port"));
	ck_assert_str_eq(text, local);
	snprintf(text, sizeof(text), "%s %s", seen_field(n_seen - 1, conn ? "remote_addr" : "dest_addr"),
		 seen_field(n_seen - 1, conn ? "remote_port" : "dest_port"));
	ck_assert_str_eq(text, remote);
}

/* ---- nw ---- */

START_TEST(send_is_a_row)
{
	struct io_net rec = record_net(P, IO_NET_SEND, -1, 100);

	rec.head.tid = P + 1;
	rec.ends = connected();
	rec.size = 4096;
	rec.msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT;
	feed_io_net(&rec);
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
	struct io_net rec = record_net(P, IO_NET_RECEIVE, -1, -EAGAIN);

	rec.ends = connected();
	rec.size = 10;
	feed_io_net(&rec);
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
	struct io_net rec = record_net(P, 0, -1, 1);

	rec.ends = connected();
	feed_io_net(&rec);
	rec.direction = IO_NET_RECEIVE + 1;
	feed_io_net(&rec);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(bad(), 2);
}
END_TEST

/* local: what is put there, and how it shows; version and addresses are of the socket's family */
static const struct { int family; const char *addr, *version, *shown; } families[] = {
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
	struct io_net rec = record_net(P, IO_NET_SEND, -1, 1);

	rec.ends = socket_of(0, SOCK_STREAM, 0);
	put_local(&rec.ends, families[_i].addr, 7);
	put_remote(&rec.ends, families[_i].addr, 8);
	rec.ends.family = families[_i].family;
	feed_io_net(&rec);
	row("ip_version", families[_i].version);
	row("source_addr", families[_i].shown);
	row("dest_addr", families[_i].shown);
}
END_TEST

static const struct { int family, type, protocol; const char *shown; } protocols[] = {
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
	{ AF_INET, SOCK_STREAM, 262, "MPTCP" },
	{ AF_INET, SOCK_STREAM, IPPROTO_SCTP, "SCTP" },
	{ AF_INET, SOCK_DGRAM, IPPROTO_ICMP, "ICMP" },
	{ AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, "UDPLite" },
	{ AF_INET, SOCK_RAW, 255, "PROTO(255)" },
};

START_TEST(protocol_is_that_of_the_type)
{
	struct io_net rec = record_net(P, IO_NET_SEND, -1, 1);
	struct io_conn conn = record_conn(P, IO_CONN_SOCKET_CREATE, 3, 3);
	struct io_drop drop = record_drop(P, IO_DROP_RETRANSMIT);

	rec.ends = conn.ends = drop.ends =
		socket_of(protocols[_i].family, protocols[_i].type, protocols[_i].protocol);
	feed_io_net(&rec);
	row("protocol", protocols[_i].shown);
	feed_io_conn(&conn);
	row("protocol", protocols[_i].shown);
	feed_io_drop(&drop);
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
	{ "10.0.0.1", 5, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "10.0.0.1", "5" },
	{ "10.0.0.1", 0, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "10.0.0.1", "0" },
	{ "0.0.0.0", 5, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "0.0.0.0", "5" },
	{ "0.0.0.0", 0, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "", "" },
	{ "::", 0, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "", "" },
	{ "::1", 0, IO_ENDS_LOCAL | IO_ENDS_REMOTE, "::1", "0" },
	{ "10.0.0.1", 5, 0, "", "" },
};

START_TEST(end_is_shown_where_it_is_known)
{
	struct io_net rec = record_net(P, IO_NET_SEND, -1, 1);
	struct io_conn conn = record_conn(P, IO_CONN_CONNECT, 3, 0);
	struct io_drop drop = record_drop(P, IO_DROP_RETRANSMIT);

	put_local(&rec.ends, known_ends[_i].addr, known_ends[_i].port);
	put_remote(&rec.ends, known_ends[_i].addr, known_ends[_i].port);
	rec.ends.known = known_ends[_i].known;
	conn.ends = drop.ends = rec.ends;
	feed_io_net(&rec);
	row("source_addr", known_ends[_i].shown);
	row("dest_addr", known_ends[_i].shown);
	row_number("source_port", known_ends[_i].port);
	row_number("dest_port", known_ends[_i].port);
	feed_io_conn(&conn);
	row("local_addr", known_ends[_i].shown);
	row("remote_addr", known_ends[_i].shown);
	row("local_port", known_ends[_i].conn_port);
	row("remote_port", known_ends[_i].conn_port);
	feed_io_drop(&drop);
	row("source_addr", known_ends[_i].shown);
	row("dest_addr", known_ends[_i].shown);
}
END_TEST

START_TEST(ends_are_known_apart)
{
	struct io_net rec = record_net(P, IO_NET_SEND, -1, 1);

	put_local(&rec.ends, "10.0.0.1", 5);
	feed_io_net(&rec);
	row_ends("10.0.0.1 5", " 0");
	rec = record_net(P, IO_NET_SEND, -1, 1);
	put_remote(&rec.ends, "10.0.0.2", 6);
	feed_io_net(&rec);
	row_ends(" 0", "10.0.0.2 6");
}
END_TEST

/* ---- nw_conn ---- */

static const struct { uint16_t event; const char *word, *backlog, *how; } conn_events[] = {
	{ IO_CONN_SOCKET_CREATE, "SOCKET_CREATE", "", "" },
	{ IO_CONN_BIND, "BIND", "", "" },
	{ IO_CONN_LISTEN, "LISTEN", "1", "" },
	{ IO_CONN_ACCEPT, "ACCEPT", "", "" },
	{ IO_CONN_CONNECT, "CONNECT", "", "" },
	{ IO_CONN_SHUTDOWN, "SHUTDOWN", "", "SHUT_WR" },
};

START_TEST(call_on_a_connection_is_a_row)
{
	struct io_conn rec = record_conn(P, conn_events[_i].event, 5, 0);

	ck_assert_int_eq(ARRAY_SIZE(conn_events), IO_N_CONN_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.ends = connected();
	rec.arg = 1;
	feed_io_conn(&rec);
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
	struct io_conn rec = record_conn(P, IO_CONN_BIND, -1, -EBADF);

	feed_io_conn(&rec);
	row("domain", "");
	row("sock_type", "");
	row("ip_version", "");
	row_ends(" ", " ");
	row("fd", "");
	row("return_value", "-9");
	row("protocol", "");
}
END_TEST

static const struct { int family, type; const char *domain, *shown; } domains[] = {
	{ AF_UNIX, SOCK_SEQPACKET, "AF_UNIX", "SOCK_SEQPACKET" },
	{ AF_NETLINK, SOCK_RAW, "AF_NETLINK", "SOCK_RAW" },
	{ AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, "AF_INET6", "SOCK_DGRAM" },
	{ 0, 0, "AF(0)", "TYPE(0)" }, /* asked for, and refused */
	{ 200, 12, "AF(200)", "TYPE(12)" },
};

START_TEST(socket_is_what_was_asked_for)
{
	struct io_conn rec = record_conn(P, IO_CONN_SOCKET_CREATE, -EAFNOSUPPORT, -EAFNOSUPPORT);

	rec.ends = socket_of(domains[_i].family, domains[_i].type, 0);
	feed_io_conn(&rec);
	row("domain", domains[_i].domain);
	row("sock_type", domains[_i].shown);
	row("fd", "");
	row("return_value", "-97");
}
END_TEST

static const struct { int how; const char *shown; } hows[] = {
	{ 0, "SHUT_RD" }, { 1, "SHUT_WR" }, { 2, "SHUT_RDWR" }, { 3, "HOW(3)" }, { -1, "HOW(-1)" },
};

START_TEST(shutdown_says_how)
{
	struct io_conn rec = record_conn(P, IO_CONN_SHUTDOWN, 3, 0);

	rec.arg = hows[_i].how;
	feed_io_conn(&rec);
	row("shutdown_how", hows[_i].shown);
}
END_TEST

START_TEST(backlog_may_be_negative)
{
	struct io_conn rec = record_conn(P, IO_CONN_LISTEN, 3, 0);

	rec.arg = -1;
	feed_io_conn(&rec);
	row("backlog", "-1");
	rec = record_conn(P, IO_CONN_LISTEN, 3, 0);
	feed_io_conn(&rec);
	row("backlog", "0");
}
END_TEST

START_TEST(connect_that_goes_on_is_two_rows)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, 3, -EINPROGRESS);

	rec.ends = connected();
	feed_io_conn(&rec);
	row("return_value", "-115");
	rec = record_conn(P, IO_CONN_CONNECT, 3, -ECONNREFUSED);
	rec.ends = connected();
	rec.flags = IO_CONN_LATER | IO_CONN_WAITED;
	rec.latency = 5000;
	feed_io_conn(&rec);
	ck_assert_uint_eq(n_seen, 2);
	row("event_type", "CONNECT");
	row("return_value", "-111");
	row("latency_ns", "5000");
	row_number("mono_ns", rec.head.ts - 5000);
}
END_TEST

START_TEST(connect_that_waited_is_one_row)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, 3, 0);

	rec.ends = connected();
	rec.flags = IO_CONN_LATER;
	feed_io_conn(&rec);
	ck_assert_uint_eq(n_seen, 0);
	rec = record_conn(P, IO_CONN_CONNECT, 3, 0);
	rec.ends = connected();
	feed_io_conn(&rec);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define AT_PATH 2 /* offsetof(struct sockaddr_un, sun_path) */

static const struct { const char *text; int len; uint16_t flags; const char *shown; } unix_names[] = {
	{ "/run/sock", AT_PATH + 10, 0, "/run/sock" },                 /* and its NUL */
	{ "/run/sock", AT_PATH + 9, 0, "/run/sock" },
	{ "/run/sock", AT_PATH + 4, 0, "/run" },                       /* the address ends first */
	{ "/run/sock", AT_PATH + 108, 0, "/run/sock" },
	{ "relative,\"", AT_PATH + 11, 0, "relative,\"" },
	{ "/run/sock", AT_PATH, 0, "" },
	{ "", AT_PATH + 1, 0, "" },
	{ "/run/sock", AT_PATH + 1 + 9, IO_CONN_ABSTRACT, "@/run/sock" },
	{ "abstract", AT_PATH + 1 + 8, IO_CONN_ABSTRACT, "@abstract" },
	{ "abstract", AT_PATH + 1 + 3, IO_CONN_ABSTRACT, "@abs" },     /* what follows is not its */
	{ "abstract", AT_PATH + 1, IO_CONN_ABSTRACT, "@" },
	{ "a\nb", AT_PATH + 1 + 3, IO_CONN_ABSTRACT, "@a\\nb" },
	/* longer than sun_path, which is 108 bytes */
	{ HUNDRED "12345678", AT_PATH + 108, 0, HUNDRED "12345678" },
	{ HUNDRED HUNDRED, AT_PATH + 200, 0, HUNDRED "01234567" },
	{ HUNDRED HUNDRED, AT_PATH + 108, IO_CONN_ABSTRACT, "@" HUNDRED "0123456" },
	{ HUNDRED HUNDRED, AT_PATH + 200, IO_CONN_ABSTRACT, "@" HUNDRED "0123456" },
	{ HUNDRED HUNDRED, INT32_MAX, IO_CONN_ABSTRACT, "@" HUNDRED "0123456" },
};

START_TEST(unix_name_ends_with_its_address)
{
	struct io_conn rec = record_conn(P, IO_CONN_BIND, 3, 0);

	rec.ends = socket_of(AF_UNIX, SOCK_STREAM, 0);
	rec.name = feed_string(unix_names[_i].text);
	rec.arg = unix_names[_i].len;
	rec.flags = unix_names[_i].flags;
	feed_io_conn(&rec);
	row("domain", "AF_UNIX");
	row("local_addr", unix_names[_i].shown);
	row("local_port", "");
	row("remote_addr", "");
	rec = record_conn(P, IO_CONN_CONNECT, 3, 0);
	rec.ends = socket_of(AF_UNIX, SOCK_STREAM, 0);
	rec.name = feed_string(unix_names[_i].text);
	rec.arg = unix_names[_i].len;
	rec.flags = unix_names[_i].flags;
	feed_io_conn(&rec);
	row("local_addr", "");
	row("remote_addr", unix_names[_i].shown);
	row("remote_port", "");
}
END_TEST

START_TEST(address_of_a_length_that_cannot_be_is_survived)
{
	static const int lens[] = { INT32_MIN, -1, 0, 1 };

	for (int i = 0; i < ARRAY_SIZE(lens); i++) {
		struct io_conn rec = record_conn(P, IO_CONN_BIND, 3, -EINVAL);

		rec.name = feed_string(HUNDRED HUNDRED);
		rec.flags = i % 2 ? IO_CONN_ABSTRACT : 0;
		rec.arg = lens[i];
		feed_io_conn(&rec);
	}
	ck_assert_int_eq(n_seen, ARRAY_SIZE(lens));
}
END_TEST

START_TEST(unix_name_that_was_lost_is_empty)
{
	struct io_conn rec = record_conn(P, IO_CONN_BIND, 3, 0);

	rec.name = 99;
	rec.arg = AT_PATH + 5;
	feed_io_conn(&rec);
	row("local_addr", "");
	rec = record_conn(P, IO_CONN_BIND, 3, 0);
	rec.arg = AT_PATH + 5;
	feed_io_conn(&rec);
	row("local_addr", "");
}
END_TEST

/* ---- nw_epoll ---- */

static const struct {
	uint16_t event;
	const char *word, *operation, *max_events, *ready, *nfds;
} poll_events[] = {
	{ IO_POLL_CREATE, "EPOLL_CREATE", "", "", "0", "" },
	{ IO_POLL_CTL, "EPOLL_CTL", "EPOLL_CTL_MOD", "", "0", "" },
	{ IO_POLL_WAIT, "EPOLL_WAIT", "", "64", "2", "" },
	{ IO_POLL_POLL, "POLL", "", "", "2", "64" },
	{ IO_POLL_SELECT, "SELECT", "", "", "2", "64" },
};

START_TEST(call_that_waits_is_a_row)
{
	struct io_poll rec = record_poll(P, poll_events[_i].event, 2);

	ck_assert_int_eq(ARRAY_SIZE(poll_events), IO_N_POLL_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.op = EPOLL_CTL_MOD;
	rec.max = 64;
	rec.fd = 7;
	rec.target = 8;
	feed_io_poll(&rec);
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

static const struct { int64_t ns; const char *ms; } timeouts[] = {
	{ IO_POLL_FOREVER, "-1" },
	{ IO_POLL_NO_TIMEOUT, "" },
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
	struct io_poll rec = record_poll(P, IO_POLL_WAIT, 0);

	rec.timeout = timeouts[_i].ns;
	feed_io_poll(&rec);
	row("timeout_ms", timeouts[_i].ms);
}
END_TEST

static const struct { uint16_t op; uint32_t mask; const char *operation, *shown; } controls[] = {
	{ EPOLL_CTL_ADD, EPOLLIN | EPOLLET, "EPOLL_CTL_ADD", "EPOLLIN|EPOLLET" },
	{ EPOLL_CTL_DEL, 0, "EPOLL_CTL_DEL", "" },
	{ EPOLL_CTL_MOD, EPOLLOUT | EPOLLONESHOT, "EPOLL_CTL_MOD", "EPOLLOUT|EPOLLONESHOT" },
	{ 0, 0x800, "OP(0)", "NONE|0x800" },
	{ 9, EPOLLIN | 0x800, "OP(9)", "EPOLLIN|0x800" },
};

START_TEST(control_says_what_of_what)
{
	struct io_poll rec = record_poll(P, IO_POLL_CTL, -EINVAL);

	rec.op = controls[_i].op;
	rec.mask = controls[_i].mask;
	feed_io_poll(&rec);
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
	struct io_poll rec = record_poll(P, IO_POLL_SELECT, -EINTR);

	feed_io_poll(&rec);
	row("ready_count", "-4");
	row("return_value", "-4");
	row("nfds", "0");
}
END_TEST

/* ---- nw_sockopt ---- */

START_TEST(option_is_a_row)
{
	struct io_opt rec = record_opt(P, IO_OPT_SET, SOL_SOCKET, 7);
	const int32_t size = 65536;

	rec.head.tid = P + 1;
	rec.fd = 9;
	rec.len = rec.known = sizeof(size);
	memcpy(rec.value, &size, sizeof(size));
	feed_io_opt(&rec);
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
	rec = record_opt(P, IO_OPT_GET, IPPROTO_TCP, 1);
	rec.ret = -EBADF;
	feed_io_opt(&rec);
	row("event_type", "GET");
	row("level", "IPPROTO_TCP");
	row("option_name", "TCP_NODELAY");
	row("option_value", "");
	row("return_value", "-9");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw_sockopt], 2);
}
END_TEST

static const struct { uint16_t known; const char *value; } widths[] = {
	{ 0, "" }, { 1, "" }, { 3, "" }, { 4, "-2" }, { 5, "-2" }, { 8, "-2" }, { IO_OPT_BYTES, "-2" },
};

START_TEST(value_is_of_its_first_4_bytes)
{
	struct io_opt rec = record_opt(P, IO_OPT_SET, SOL_SOCKET, 2);
	const int32_t value = -2;

	memset(rec.value, 0x55, sizeof(rec.value));
	memcpy(rec.value, &value, sizeof(value));
	rec.known = widths[_i].known;
	rec.len = 1000;
	feed_io_opt(&rec);
	row("option_value", widths[_i].value);
	row("option_len", "1000");
	row("option_text", "");
}
END_TEST

static void feed_option(int level, int name, const void *value, size_t len)
{
	struct io_opt rec = record_opt(P, IO_OPT_SET, level, name);

	rec.len = rec.known = len;
	memcpy(rec.value, value, len);
	feed_io_opt(&rec);
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

/* ---- nw_drop ---- */

static const struct { uint16_t event; const char *word; } drop_events[] = {
	{ IO_DROP_RETRANSMIT, "TCP_RETRANSMIT" }, { IO_DROP_PACKET, "PACKET_DROP" },
};

START_TEST(drop_is_a_row)
{
	struct io_drop rec = record_drop(P, drop_events[_i].event);

	rec.ends = connected();
	rec.size = 1500;
	rec.known = IO_DROP_SIZE | IO_DROP_PORTS;
	rec.state = 1;
	rec.reason = 5;
	feed_io_drop(&rec);
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
	struct io_drop rec = record_drop(0, IO_DROP_RETRANSMIT);

	feed_io_drop(&rec);
	row("pid", "0");
	row("protocol", "");
	row("ip_version", "");
	row_ends(" ", " ");
	row("packet_size", "");
	row("drop_reason", "0");
	row("tcp_state", "");
	rec = record_drop(0, IO_DROP_RETRANSMIT);
	rec.state = 99;
	feed_io_drop(&rec);
	row("tcp_state", "STATE(99)");
}
END_TEST

/* ---- iouring ---- */

static const struct {
	uint16_t event;
	const char *word, *user_data, *opcode, *result, *flags;
} ring_events[] = {
	{ IO_RING_ENTER, "ENTER", "", "", "-5", "GETEVENTS|SQ_WAIT" },
	{ IO_RING_CREATE, "CREATE", "", "", "", "IOPOLL|SQ_AFF" },
	{ IO_RING_REGISTER, "REGISTER", "", "REGISTER_PBUF_RING", "-5", "" },
	{ IO_RING_SUBMIT, "SUBMIT", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IO_RING_QUEUE_ASYNC, "QUEUE_ASYNC", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IO_RING_POLL_ARM, "POLL_ARM", "77", "READ", "", "FIXED_FILE|IO_LINK" },
	{ IO_RING_COMPLETE, "COMPLETE", "77", "READ", "-5", "FIXED_FILE|IO_LINK" },
};

START_TEST(ring_event_is_a_row)
{
	struct io_ring rec = record_ring(P, ring_events[_i].event);
	bool enter = ring_events[_i].event == IO_RING_ENTER;

	ck_assert_int_eq(ARRAY_SIZE(ring_events), IO_N_RING_EVENTS - 1);
	rec.head.tid = P + 1;
	rec.ring = 0xffff888100000000;
	rec.req = 0xffff888100000100;
	rec.user_data = 77;
	rec.opcode = 22;
	rec.flags = 5;
	rec.result = -5;
	rec.fd = 6;
	rec.cpu = 3;
	rec.offset = 8192;
	rec.length = 4096;
	rec.latency = 2500;
	rec.known = IO_RING_OFFSET | IO_RING_LENGTH | IO_RING_LATENCY;
	feed_io_ring(&rec);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_iouring);
	ck_assert(seen[0].key == rec.head.ts - (enter ? 2500 : 0)); /* the call began then */
	row_number("mono_ns", rec.head.ts - (enter ? 2500 : 0));
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
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_iouring], 1);
}
END_TEST

START_TEST(ring_event_of_which_little_is_known)
{
	struct io_ring rec = record_ring(P, IO_RING_COMPLETE);

	rec.offset = rec.length = rec.latency = 9; /* said, but not known */
	feed_io_ring(&rec);
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
}
END_TEST

/* Rows that were joined by what several requests have; and the one before, of which it is not known */
START_TEST(shared_user_data_is_marked)
{
	struct io_ring rec = record_ring(P, IO_RING_COMPLETE);

	rec.user_data = 77;
	rec.known = IO_RING_AMBIGUOUS;
	feed_io_ring(&rec);
	row("user_data", "77");
	row("latency_ns", "");
	row("sqe_flags", "AMBIGUOUS");
	rec.flags = 1;
	feed_io_ring(&rec);
	row("sqe_flags", "FIXED_FILE|AMBIGUOUS");
	rec.known = IO_RING_NO_DATA;
	feed_io_ring(&rec);
	row("user_data", "");
	row("sqe_flags", "FIXED_FILE");
}
END_TEST

static const struct { uint16_t opcode; const char *shown; } opcodes[] = {
	{ 0, "NOP" }, { 1, "READV" }, { 23, "WRITE" }, { 200, "OP(200)" }, { 0xffff, "" },
};

START_TEST(opcode_has_a_name)
{
	struct io_ring rec = record_ring(P, IO_RING_SUBMIT);

	rec.opcode = opcodes[_i].opcode;
	feed_io_ring(&rec);
	row("opcode", opcodes[_i].shown);
}
END_TEST

/* A read of the kernel's file 12 on 8:2, called /a,b */
static void feed_read_of_file(void)
{
	struct io_fs rec = record_fs(P, IO_READ, -1, 1);

	feed_text(20, IO_TEXT_WALK, "a,b", 4);
	rec.status = IO_ST_FILE;
	rec.name = 20;
	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	feed_fs(&rec);
	feed_end();
}

static void request_is_named(void)
{
	struct io_ring rec = record_ring(P, IO_RING_SUBMIT);

	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	feed_io_ring(&rec);
	row("inode", "12");
	row("filename", "");
	feed_read_of_file();
	rec = record_ring(P, IO_RING_COMPLETE);
	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	feed_io_ring(&rec);
	row("inode", "12");
	row("filename", "/a,b");
	rec = record_ring(P, IO_RING_COMPLETE);
	rec.ino = 12;
	rec.dev = 8 << 20 | 3;
	feed_io_ring(&rec);
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
	struct io_ring rec = record_ring(P, IO_RING_SUBMIT);

	fixture_fd(P, 5, fixture_file("a"), 0, O_RDWR);
	rec.fd = 5;
	feed_io_ring(&rec);
	row("fd", "5");
	row("inode", "");
	row("filename", "");
}
END_TEST

/* ---- any stream ---- */

START_TEST(events_of_no_known_number_are_bad)
{
	struct io_conn conn = record_conn(P, 0, 3, 0);
	struct io_poll poll = record_poll(P, 0, 0);
	struct io_opt opt = record_opt(P, 0, SOL_SOCKET, 2);
	struct io_drop drop = record_drop(P, 0);
	struct io_ring ring = record_ring(P, 0);

	for (int i = 0; i < 3; i++) {
		conn.event = (uint16_t[]){ 0, IO_N_CONN_EVENTS, UINT16_MAX }[i];
		poll.event = (uint16_t[]){ 0, IO_N_POLL_EVENTS, UINT16_MAX }[i];
		opt.event = (uint16_t[]){ 0, IO_OPT_GET + 1, UINT16_MAX }[i];
		drop.event = (uint16_t[]){ 0, IO_DROP_PACKET + 1, UINT16_MAX }[i];
		ring.event = (uint16_t[]){ 0, IO_N_RING_EVENTS, UINT16_MAX }[i];
		feed_io_conn(&conn);
		feed_io_poll(&poll);
		feed_io_opt(&opt);
		feed_io_drop(&drop);
		feed_io_ring(&ring);
		ck_assert_uint_eq(bad(), 5 * (i + 1));
	}
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(more_of_a_value_than_there_is_is_bad)
{
	struct io_opt rec = record_opt(P, IO_OPT_SET, SOL_SOCKET, 2);

	rec.known = IO_OPT_BYTES + 1;
	feed_io_opt(&rec);
	rec.known = UINT16_MAX;
	feed_io_opt(&rec);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(bad(), 2);
}
END_TEST

START_TEST(records_that_are_too_short_are_bad)
{
	struct io_net net = record_net(P, IO_NET_SEND, -1, 1);
	struct io_conn conn = record_conn(P, IO_CONN_BIND, 3, 0);
	struct io_poll poll = record_poll(P, IO_POLL_WAIT, 0);
	struct io_opt opt = record_opt(P, IO_OPT_SET, SOL_SOCKET, 2);
	struct io_drop drop = record_drop(P, IO_DROP_RETRANSMIT);
	struct io_ring ring = record_ring(P, IO_RING_SUBMIT);

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

static const char *const stream_names[] = { "nw", "nw_conn", "nw_epoll", "nw_sockopt", "nw_drop", "iouring" };

START_TEST(only_what_was_asked_for_is_a_row)
{
	struct io_net net = record_net(P, IO_NET_SEND, -1, 1);
	struct io_conn conn = record_conn(P, IO_CONN_BIND, 3, 0);
	struct io_poll poll = record_poll(P, IO_POLL_WAIT, 0);
	struct io_opt opt = record_opt(P, IO_OPT_SET, SOL_SOCKET, 2);
	struct io_drop drop = record_drop(P, IO_DROP_RETRANSMIT);
	struct io_ring ring = record_ring(P, IO_RING_SUBMIT);

	feed_anew(&(struct feed_options){ .kernel = true, .only = stream_names[_i] });
	feed_io_net(&net);
	feed_io_conn(&conn);
	feed_io_poll(&poll);
	feed_io_opt(&opt);
	feed_io_drop(&drop);
	feed_io_ring(&ring);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_str_eq(streams[seen[0].stream].name, stream_names[_i]);
	ck_assert_uint_eq(bad(), 0);
}
END_TEST


/* ---- without kernel headers: sockets are followed ---- */

static void setup_followed(void)
{
	feed_setup();
	procs_mntns(events_procs(ev), P); /* /proc is read before anything happens */
}

/* A call that succeeded, of which no more is known than what it gave */
static void feed_conn_call(uint16_t event, int fd, int64_t ret)
{
	struct io_conn rec = record_conn(P, event, fd, ret);

	feed_io_conn(&rec);
}

static void feed_socket(int fd, int family, int type)
{
	struct io_conn rec;

	feed_call(P, IO_NEWFD, -1, fd, 0);
	rec = record_conn(P, IO_CONN_SOCKET_CREATE, fd, fd);
	rec.ends = socket_of(family, type, 0);
	feed_io_conn(&rec);
}

static void feed_bind(int fd, const char *addr, uint16_t port, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_BIND, fd, ret);

	put_local(&rec.ends, addr, port);
	rec.arg = 16;
	feed_io_conn(&rec);
}

static void feed_connect(int fd, const char *addr, uint16_t port, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, fd, ret);

	put_remote(&rec.ends, addr, port);
	rec.arg = 16;
	feed_io_conn(&rec);
}

/* addr NULL: the caller did not want to know */
static void feed_accept(int listening, int fd, const char *addr, uint16_t port)
{
	struct io_conn rec;

	feed_call(P, IO_NEWFD, -1, fd, 0);
	rec = record_conn(P, IO_CONN_ACCEPT, fd, fd);
	rec.arg = listening;
	if (addr)
		put_remote(&rec.ends, addr, port);
	feed_io_conn(&rec);
}

static void feed_send(uint32_t tgid, int fd)
{
	struct io_net rec = record_net(tgid, IO_NET_SEND, fd, 1);

	feed_io_net(&rec);
}

/* What becomes of a connection, with the ends that the kernel has by then. */
static void feed_later(uint16_t waited, int fd, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, fd, ret);

	rec.ends = connected();
	rec.flags = IO_CONN_LATER | waited;
	feed_io_conn(&rec);
}

/* The descriptor as /proc has it: a line of a table, with this local port. */
static void proc_socket(int fd, const char *table, const char *local, unsigned port, const char *remote,
			unsigned remote_port)
{
	struct socket_line line = {
		.family = strchr(local, ':') ? AF_INET6 : AF_INET, .local = local, .local_port = port,
		.remote = remote, .remote_port = remote_port,
	};
	struct stat st;

	fixture_socket(P, fd, &st);
	line.ino = st.st_ino;
	fixture_socket_table(P, table, socket_line_text(&line));
}

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
	feed_conn_call(IO_CONN_LISTEN, 3, 0);
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
	feed_conn_call(IO_CONN_SHUTDOWN, 4, 0);
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	feed_conn_call(IO_CONN_SHUTDOWN, 3, 0);
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
	feed_conn_call(IO_CONN_LISTEN, 3, 0);
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
	struct io_conn rec;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 80, 0);
	rec = record_conn(P, IO_CONN_ACCEPT, 3, -EAGAIN);
	rec.arg = 3;
	feed_io_conn(&rec);
	row("fd", "3");
	row("return_value", "-11");
	row_ends("10.0.0.1 80", " ");
	feed_conn_call(IO_CONN_SHUTDOWN, 3, 0);
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
	feed_conn_call(IO_CONN_SHUTDOWN, 3, -ENOTCONN);
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
	feed_conn_call(IO_CONN_LISTEN, -1, -EBADF);
	row("domain", "");
	row_ends(" ", " ");
}
END_TEST

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
	feed_later(IO_CONN_WAITED, 3, 0);
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
	struct io_conn rec;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, 0);
	feed_connect(3, "10.0.0.2", 80, -EINPROGRESS);
	rec = record_conn(P, IO_CONN_CONNECT, 3, 0);
	rec.flags = IO_CONN_LATER | IO_CONN_WAITED;
	feed_io_conn(&rec);
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

/* connect with AF_UNSPEC: the socket has no peer any more, and a port only if it was bound to one. */
START_TEST(connect_to_nobody_takes_the_peer_away)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	proc_socket(3, "udp", "10.0.0.1", 40000, "10.0.0.2", 80);
	feed_connect(3, "10.0.0.2", 80, 0);
	row_ends("10.0.0.1 40000", "10.0.0.2 80");
	feed_conn_call(IO_CONN_CONNECT, 3, -EAFNOSUPPORT);
	row_ends("10.0.0.1 40000", "10.0.0.2 80");
	fixture_socket_table(P, "udp", "");
	feed_conn_call(IO_CONN_CONNECT, 3, 0);
	row("domain", "AF_INET");
	row_ends(" ", " ");
	feed_send(P, 3);
	row("protocol", "UDP");
	row_ends(" 0", " 0");
	proc_socket(3, "udp", "0.0.0.0", 1000, "0.0.0.0", 0);
	feed_conn_call(IO_CONN_CONNECT, 3, 0);
	row_ends("0.0.0.0 1000", " ");
}
END_TEST

START_TEST(port_that_listen_chose_is_asked_of_proc)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 0, 0);
	row_ends("10.0.0.1 0", " ");
	proc_socket(3, "tcp", "10.0.0.1", 34567, "0.0.0.0", 0);
	feed_conn_call(IO_CONN_LISTEN, 3, -EADDRINUSE);
	row_ends("10.0.0.1 0", " ");
	feed_conn_call(IO_CONN_LISTEN, 3, 0);
	row_ends("10.0.0.1 34567", " ");
	feed_accept(3, 4, "10.0.0.2", 5000);
	row_ends("10.0.0.1 34567", "10.0.0.2 5000");
}
END_TEST

START_TEST(port_that_a_send_chose_is_asked_of_proc_once)
{
	struct io_net rec = record_net(P, IO_NET_SEND, 3, 1);

	feed_socket(3, AF_INET, SOCK_DGRAM);
	proc_socket(3, "udp", "0.0.0.0", 40000, "0.0.0.0", 0);
	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_io_net(&rec);
	row("protocol", "UDP");
	row_ends("0.0.0.0 40000", "10.0.0.2 53");
	proc_socket(3, "udp", "0.0.0.0", 50000, "0.0.0.0", 0);
	feed_send(P, 3);
	row_ends("0.0.0.0 40000", " 0");
}
END_TEST

START_TEST(proc_that_knows_no_port_is_asked_once)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	feed_send(P, 3);
	row_ends(" 0", " 0");
	proc_socket(3, "udp", "0.0.0.0", 40000, "0.0.0.0", 0);
	feed_send(P, 3);
	row_ends(" 0", " 0");
	feed_connect(3, "10.0.0.2", 53, 0);
	row_ends("0.0.0.0 40000", "10.0.0.2 53");
}
END_TEST

START_TEST(socket_that_was_there_before_is_asked_of_proc)
{
	proc_socket(7, "tcp6", "::1", 80, "::2", 5000);
	feed_send(P, 7);
	row("protocol", "TCP");
	row("ip_version", "6");
	row_ends("::1 80", "::2 5000");
	fixture_socket_table(P, "tcp6", ""); /* known by now */
	feed_send(P, 7);
	row_ends("::1 80", "::2 5000");
	feed_conn_call(IO_CONN_SHUTDOWN, 7, 0);
	row("domain", "AF_INET6");
	row("sock_type", "SOCK_STREAM");
	row_ends("::1 80", "::2 5000");
}
END_TEST

START_TEST(descriptor_of_no_ip_socket_has_no_rows_of_nw)
{
	struct socket_line line = { AF_INET, "10.0.0.1", 1, "10.0.0.2", 2, 0 };
	struct io_net rec;
	struct stat st;

	feed_socket(3, AF_UNIX, SOCK_STREAM);
	feed_send(P, 3);
	ck_assert_uint_eq(out_of_scope(), 1);
	fixture_socket(P, 7, &st); /* in no table */
	feed_send(P, 7);
	ck_assert_uint_eq(out_of_scope(), 2);
	feed_open_file(P, "a", 8, O_RDWR);
	fixture_file_stat("a", &st);
	line.ino = st.st_ino; /* numbers of sockets are their own */
	fixture_socket_table(P, "tcp", socket_line_text(&line));
	rec = record_net(P, IO_NET_SEND, 8, 1); /* sendfile to a file */
	rec.maybe = 1;
	feed_io_net(&rec);
	ck_assert_uint_eq(out_of_scope(), 3);
	rec = record_net(P, IO_NET_SEND, 8, -ENOTSOCK);
	feed_io_net(&rec);
	ck_assert_uint_eq(out_of_scope(), 4);
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
}
END_TEST

START_TEST(bytes_of_a_socket_that_nobody_knows_are_lost)
{
	feed_send(P, 99); /* nothing there */
	ck_assert_uint_eq(unresolved(), 1);
	feed_open_file(P, "a", 8, O_RDWR);
	feed_send(P, 8); /* its close was not seen */
	ck_assert_uint_eq(unresolved(), 2);
	feed_send(GONE, 3);
	ck_assert_uint_eq(unresolved(), 3);
	ck_assert_uint_eq(out_of_scope(), 0);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
}
END_TEST

START_TEST(bytes_moved_were_asked_for)
{
	struct io_net rec = record_net(P, IO_NET_RECEIVE, 3, 900);

	feed_socket(3, AF_INET, SOCK_DGRAM);
	rec.size = 100; /* two pieces of many */
	feed_io_net(&rec);
	row("requested_size", "900");
	rec.msg_flags = MSG_TRUNC; /* the caller asks how long the message was */
	feed_io_net(&rec);
	row("requested_size", "100");
}
END_TEST

START_TEST(peer_of_a_message_is_enough)
{
	struct io_net rec = record_net(P, IO_NET_SEND, 99, 1);

	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_io_net(&rec);
	row("ip_version", "4");
	row("protocol", "");
	row_ends(" 0", "10.0.0.2 53");
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

START_TEST(what_the_kernel_told_is_not_followed)
{
	struct io_net rec = record_net(P, IO_NET_SEND, 3, 1);
	struct io_conn conn = record_conn(P, IO_CONN_SHUTDOWN, 3, 0);

	feed_socket(3, AF_INET6, SOCK_DGRAM);
	feed_bind(3, "::1", 9, 0);
	rec.ends = conn.ends = connected();
	feed_io_net(&rec);
	row("protocol", "TCP");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_io_conn(&conn);
	row("sock_type", "SOCK_STREAM");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	rec = record_net(P, IO_NET_SEND, 3, 1);
	rec.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	put_local(&rec.ends, "10.0.0.9", 9);
	feed_io_net(&rec);
	row_ends("10.0.0.9 9", " 0");
}
END_TEST

/* An IPv6 socket of UDP takes addresses of IPv4, too. */
START_TEST(peer_of_ipv4_is_mapped_on_an_ipv6_socket)
{
	struct io_net rec = record_net(P, IO_NET_SEND, 3, 1);

	feed_socket(3, AF_INET6, SOCK_DGRAM);
	feed_bind(3, "2001:db8::1", 1000, 0);
	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_io_net(&rec);
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

START_TEST(read_and_write_of_a_socket_are_rows_of_nw)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_connect(3, "10.0.0.2", 80, 0);
	feed_call(P, IO_WRITE, 3, 5, 9);
	feed_end();
	ck_assert_uint_eq(n_seen, 4);
	row_of(STREAM_nw);
	row("direction", "send");
	row("protocol", "TCP");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	row("size", "5");
	row("requested_size", "9");
	row("latency_ns", "700");
	row("msg_flags", "");
	row_number("mono_ns", seen[3].key);
	feed_call(P, IO_READ, 3, -ECONNRESET, 9);
	feed_end();
	row("direction", "receive");
	row("error_code", "ECONNRESET");
	row("return_value", "-104");
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 2);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_fs], 0);
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

START_TEST(read_and_write_of_others_are_no_rows_of_nw)
{
	feed_call(P, IO_NEWFD, -1, 3, 0); /* a pipe */
	feed_call(P, IO_WRITE, 3, 5, 5);
	feed_socket(4, AF_UNIX, SOCK_STREAM);
	feed_call(P, IO_WRITE, 4, 5, 5);
	ck_assert_uint_eq(out_of_scope(), 2);
	feed_open_file(P, "a", 5, O_RDWR);
	feed_call(P, IO_WRITE, 5, 5, 5);
	feed_socket(6, AF_INET, SOCK_STREAM);
	feed_call(P, IO_FSYNC, 6, -EINVAL, 0);
	feed_end();
	ck_assert_uint_eq(out_of_scope(), 3);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_fs], 2);
}
END_TEST

START_TEST(read_and_write_of_a_socket_need_nw)
{
	feed_anew(&(struct feed_options){ .only = "fs" });
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_call(P, IO_WRITE, 3, 5, 5);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
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

START_TEST(socket_is_the_same_under_other_descriptors)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_call(P, IO_DUP, 3, 9, 0);
	feed_task(IO_FORK, P, CHILD, 0);
	feed_connect(9, "10.0.0.2", 80, 0);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_call(P, IO_CLOSE, 9, 0, 0);
	feed_send(P, 3);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_send(CHILD, 9);
	row_number("pid", CHILD);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
}
END_TEST

START_TEST(next_socket_of_a_number_is_another_one)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_call(P, IO_CLOSE, 3, 0, 0);
	feed_socket(3, AF_INET6, SOCK_DGRAM);
	row("protocol", "UDP");
	row_ends(" ", " ");
	feed_send(P, 3);
	row("ip_version", "6");
	row_ends(" 0", " 0");
	feed_call(P, IO_CLOSE, 3, 0, 0);
	feed_send(P, 3);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 1);
}
END_TEST

/* Its making was lost: the ends of the one before it are not its own. */
START_TEST(socket_made_later_is_another_one)
{
	struct io_net rec;
	struct io_fs plain;
	struct io_conn conn;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, 0);
	rec = record_net(P, IO_NET_SEND, 3, 1);
	rec.ends.made = rec.head.ts - 10;
	feed_io_net(&rec);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
	ck_assert_uint_eq(unresolved(), 1);
	proc_socket(3, "udp", "0.0.0.0", 40000, "10.0.0.9", 53);
	rec = record_net(P, IO_NET_SEND, 3, 1);
	rec.ends.made = rec.head.ts - 10; /* and another one */
	feed_io_net(&rec);
	row("protocol", "UDP");
	row_ends("0.0.0.0 40000", "10.0.0.9 53");
	conn = record_conn(P, IO_CONN_CONNECT, 3, 0);
	put_remote(&conn.ends, "10.0.0.3", 99);
	conn.ends.made = conn.head.ts - 5;
	fixture_fd_closed(P, 3);
	feed_io_conn(&conn);
	row_ends(" ", "10.0.0.3 99");
	plain = record_fs(P, IO_WRITE, 3, 1);
	plain.ino = plain.head.ts - 5; /* of a socket: when it was made */
	feed(&plain, sizeof(plain));
	feed_end();
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 1);
}
END_TEST

START_TEST(socket_of_which_an_older_one_is_known_is_the_followed_one)
{
	struct io_net rec;
	struct io_conn conn;

	feed_call(P, IO_NEWFD, -1, 3, 0);
	conn = record_conn(P, IO_CONN_SOCKET_CREATE, 3, 3);
	conn.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	conn.ends.made = conn.head.ts;
	feed_io_conn(&conn);
	feed_connect(3, "10.0.0.2", 80, 0);
	rec = record_net(P, IO_NET_SEND, 3, 1);
	rec.ends.made = conn.head.ts - 1; /* dup over one that was made earlier */
	feed_io_net(&rec);
	row_ends(" 0", "10.0.0.2 80");
}
END_TEST

static uint64_t made_at;
static unsigned n_made_asked;

static uint64_t socket_made(void *arg, uint32_t tgid, int fd)
{
	(void)arg;
	n_made_asked++;
	(void)tgid;
	(void)fd;
	return made_at;
}

/* A connection each few microseconds: its calls tell all, and a look at /proc takes longer. */
START_TEST(proc_is_not_asked_of_a_socket_that_a_call_made)
{
	struct io_conn rec;

	procs_sockets(events_procs(ev), socket_made, NULL);
	proc_socket(3, "tcp", "10.0.0.9", 1, "0.0.0.0", 0);
	proc_socket(4, "tcp", "10.0.0.9", 2, "10.0.0.8", 3);
	n_made_asked = 0;
	feed_call(P, IO_NEWFD, -1, 3, 0);
	rec = record_conn(P, IO_CONN_SOCKET_CREATE, 3, 3);
	rec.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	rec.ends.made = rec.head.ts;
	feed_io_conn(&rec);
	feed_bind(3, "10.0.0.1", 80, 0);
	feed_call(P, IO_NEWFD, -1, 4, 0);
	rec = record_conn(P, IO_CONN_ACCEPT, 4, 4);
	rec.arg = 3;
	rec.ends.made = rec.head.ts;
	put_remote(&rec.ends, "10.0.0.2", 5000);
	feed_io_conn(&rec);
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	ck_assert_uint_eq(n_made_asked, 0);
}
END_TEST

/* What /proc has behind a number now is not what the record was about. */
START_TEST(port_of_the_next_socket_is_not_taken)
{
	procs_sockets(events_procs(ev), socket_made, NULL);
	feed_socket(3, AF_INET, SOCK_DGRAM);
	proc_socket(3, "udp", "0.0.0.0", 40000, "10.0.0.2", 53);
	made_at = UINT64_MAX;
	feed_connect(3, "10.0.0.2", 53, 0);
	row_ends(" ", "10.0.0.2 53");
	made_at = 1;
	feed_connect(3, "10.0.0.2", 53, 0);
	row_ends("0.0.0.0 40000", "10.0.0.2 53");
	proc_socket(7, "tcp6", "::1", 80, "::2", 5000);
	made_at = UINT64_MAX;
	feed_send(P, 7);
	made_at = 1;
	feed_send(P, 7);
	row_ends("::1 80", "::2 5000");
}
END_TEST

START_TEST(accept_without_an_address_is_asked_of_proc)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 80, 0);
	proc_socket(4, "tcp", "10.0.0.1", 80, "10.0.0.7", 7000);
	feed_accept(3, 4, NULL, 0);
	row_ends("10.0.0.1 80", "10.0.0.7 7000");
	feed_accept(3, 5, NULL, 0); /* gone by now */
	row_ends("10.0.0.1 80", " ");
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
	feed_later(IO_CONN_WAITED, 4, -ENOTCONN);
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

START_TEST(request_is_of_the_file_of_its_descriptor)
{
	struct io_ring rec;
	struct stat st;

	feed_open_file(P, "a", 3, O_RDWR);
	fixture_file_stat("a", &st);
	rec = record_ring(P, IO_RING_SUBMIT);
	rec.fd = 3;
	feed_io_ring(&rec);
	row("fd", "3");
	row_number("inode", st.st_ino);
	row("filename", fixture_file("a"));
	rec = record_ring(P, IO_RING_ENTER); /* of the ring, whatever else has its number */
	rec.fd = 3;
	feed_io_ring(&rec);
	row("fd", "3");
	row("inode", "");
	row("filename", "");
	rec = record_ring(P, IO_RING_COMPLETE);
	rec.fd = 99;
	feed_io_ring(&rec);
	row("inode", "");
	row("filename", "");
	fixture_socket(P, 4, &st);
	rec = record_ring(P, IO_RING_COMPLETE);
	rec.fd = 4;
	feed_io_ring(&rec);
	row("inode", "");
	row("filename", "");
	rec = record_ring(P, IO_RING_COMPLETE);
	rec.fd = 3;
	rec.ino = 12; /* the kernel looked: another file, of no name */
	rec.dev = 8 << 20 | 2;
	feed_io_ring(&rec);
	row("inode", "12");
	row("filename", "");
}
END_TEST

/* ---- suite ---- */

static TCase *nw_case(void)
{
	TCase *tcase = tcase_create("nw");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, send_is_a_row);
	tcase_add_test(tcase, receive_that_failed_is_a_row);
	tcase_add_test(tcase, directions_of_no_known_number_are_bad);
	tcase_add_loop_test(tcase, address_is_of_the_family, 0, ARRAY_SIZE(families));
	tcase_add_loop_test(tcase, protocol_is_that_of_the_type, 0, ARRAY_SIZE(protocols));
	tcase_add_loop_test(tcase, end_is_shown_where_it_is_known, 0, ARRAY_SIZE(known_ends));
	tcase_add_test(tcase, ends_are_known_apart);
	return tcase;
}

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

static TCase *others_case(void)
{
	TCase *tcase = tcase_create("nw_epoll, nw_sockopt, nw_drop");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, call_that_waits_is_a_row, 0, ARRAY_SIZE(poll_events));
	tcase_add_loop_test(tcase, timeout_is_in_ms, 0, ARRAY_SIZE(timeouts));
	tcase_add_loop_test(tcase, control_says_what_of_what, 0, ARRAY_SIZE(controls));
	tcase_add_test(tcase, wait_that_failed_is_a_row);
	tcase_add_test(tcase, option_is_a_row);
	tcase_add_loop_test(tcase, value_is_of_its_first_4_bytes, 0, ARRAY_SIZE(widths));
	tcase_add_test(tcase, value_that_is_no_number_is_a_text);
	tcase_add_test(tcase, option_without_a_name_is_its_number);
	tcase_add_loop_test(tcase, drop_is_a_row, 0, ARRAY_SIZE(drop_events));
	tcase_add_test(tcase, drop_of_which_little_is_known);
	return tcase;
}

static TCase *ring_case(void)
{
	TCase *tcase = tcase_create("iouring");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, ring_event_is_a_row, 0, ARRAY_SIZE(ring_events));
	tcase_add_test(tcase, ring_event_of_which_little_is_known);
	tcase_add_test(tcase, shared_user_data_is_marked);
	tcase_add_loop_test(tcase, opcode_has_a_name, 0, ARRAY_SIZE(opcodes));
	tcase_add_test(tcase, request_is_of_the_file_that_was_named);
	tcase_add_test(tcase, names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, descriptor_is_not_asked_where_the_kernel_looks);
	return tcase;
}

static TCase *any_case(void)
{
	TCase *tcase = tcase_create("any stream");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, events_of_no_known_number_are_bad);
	tcase_add_test(tcase, more_of_a_value_than_there_is_is_bad);
	tcase_add_test(tcase, records_that_are_too_short_are_bad);
	tcase_add_loop_test(tcase, only_what_was_asked_for_is_a_row, 0, ARRAY_SIZE(stream_names));
	return tcase;
}

static TCase *followed_case(void)
{
	TCase *tcase = tcase_create("followed");

	tcase_add_checked_fixture(tcase, setup_followed, feed_teardown);
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
	tcase_add_test(tcase, connect_to_nobody_takes_the_peer_away);
	tcase_add_test(tcase, port_that_listen_chose_is_asked_of_proc);
	tcase_add_test(tcase, port_that_a_send_chose_is_asked_of_proc_once);
	tcase_add_test(tcase, proc_that_knows_no_port_is_asked_once);
	tcase_add_test(tcase, socket_that_was_there_before_is_asked_of_proc);
	tcase_add_test(tcase, descriptor_of_no_ip_socket_has_no_rows_of_nw);
	tcase_add_test(tcase, bytes_of_a_socket_that_nobody_knows_are_lost);
	tcase_add_test(tcase, bytes_moved_were_asked_for);
	tcase_add_test(tcase, peer_of_a_message_is_enough);
	tcase_add_test(tcase, what_the_kernel_told_is_not_followed);
	tcase_add_test(tcase, peer_of_ipv4_is_mapped_on_an_ipv6_socket);
	tcase_add_test(tcase, read_and_write_of_a_socket_are_rows_of_nw);
	tcase_add_test(tcase, read_and_write_of_others_are_no_rows_of_nw);
	tcase_add_test(tcase, read_and_write_of_a_socket_need_nw);
	tcase_add_test(tcase, sockets_are_followed_without_rows_of_nw_conn);
	tcase_add_test(tcase, socket_is_the_same_under_other_descriptors);
	tcase_add_test(tcase, next_socket_of_a_number_is_another_one);
	tcase_add_test(tcase, socket_made_later_is_another_one);
	tcase_add_test(tcase, socket_of_which_an_older_one_is_known_is_the_followed_one);
	tcase_add_test(tcase, port_of_the_next_socket_is_not_taken);
	tcase_add_test(tcase, proc_is_not_asked_of_a_socket_that_a_call_made);
	tcase_add_test(tcase, accept_without_an_address_is_asked_of_proc);
	tcase_add_test(tcase, connect_that_failed_leaves_no_port);
	tcase_add_test(tcase, request_is_of_the_file_of_its_descriptor);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of the network and of io_uring");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, nw_case());
	suite_add_tcase(suite, conn_case());
	suite_add_tcase(suite, others_case());
	suite_add_tcase(suite, ring_case());
	suite_add_tcase(suite, any_case());
	suite_add_tcase(suite, followed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
