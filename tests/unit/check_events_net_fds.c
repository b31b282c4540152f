/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without kernel headers, a socket is a descriptor: what /proc tells of it, whether
 * it is a socket at all, and whether it is still the same one.
 */
#include "events/events.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"
#include "trace/ledger.h"

static uint64_t unresolved(void)
{
	return ledger_lost(events_ledger(ev), IOT_SEQ_nw, LOST_UNRESOLVED);
}

/* The descriptor as /proc has it: a line of a table, with this local port. */
static void proc_socket(int fd, const char *table, const char *local, unsigned port,
			const char *remote, unsigned remote_port)
{
	struct socket_line line = {
		.family = strchr(local, ':') ? AF_INET6 : AF_INET,
		.local = local,
		.local_port = port,
		.remote = remote,
		.remote_port = remote_port,
	};
	struct stat st;

	fixture_socket(P, fd, &st);
	line.ino = st.st_ino;
	fixture_socket_table(P, table, socket_line_text(&line));
}

/* ---- what /proc tells ---- */

/* connect with AF_UNSPEC: the socket has no peer any more, and a port only if it was bound to one. */
START_TEST(connect_to_nobody_takes_the_peer_away)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	proc_socket(3, "udp", "10.0.0.1", 40000, "10.0.0.2", 80);
	feed_connect(3, "10.0.0.2", 80, 0);
	row_ends("10.0.0.1 40000", "10.0.0.2 80");
	feed_conn_call(IOT_CONN_CONNECT, 3, -EAFNOSUPPORT);
	row_ends("10.0.0.1 40000", "10.0.0.2 80");
	fixture_socket_table(P, "udp", "");
	feed_conn_call(IOT_CONN_CONNECT, 3, 0);
	row("domain", "AF_INET");
	row_ends(" ", " ");
	feed_send(P, 3);
	row("protocol", "UDP");
	row_ends(" 0", " 0");
	proc_socket(3, "udp", "0.0.0.0", 1000, "0.0.0.0", 0);
	feed_conn_call(IOT_CONN_CONNECT, 3, 0);
	row_ends("0.0.0.0 1000", " ");
}
END_TEST

START_TEST(port_that_listen_chose_is_asked_of_proc)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 0, 0);
	row_ends("10.0.0.1 0", " ");
	proc_socket(3, "tcp", "10.0.0.1", 34567, "0.0.0.0", 0);
	feed_conn_call(IOT_CONN_LISTEN, 3, -EADDRINUSE);
	row_ends("10.0.0.1 0", " ");
	feed_conn_call(IOT_CONN_LISTEN, 3, 0);
	row_ends("10.0.0.1 34567", " ");
	feed_accept(3, 4, "10.0.0.2", 5000);
	row_ends("10.0.0.1 34567", "10.0.0.2 5000");
}
END_TEST

START_TEST(port_that_a_send_chose_is_asked_of_proc_once)
{
	struct iot_net rec = record_net(P, IOT_NET_SEND, 3, 1);

	feed_socket(3, AF_INET, SOCK_DGRAM);
	proc_socket(3, "udp", "0.0.0.0", 40000, "0.0.0.0", 0);
	put_remote(&rec.ends, "10.0.0.2", 53);
	feed_iot_net(&rec);
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
	feed_conn_call(IOT_CONN_SHUTDOWN, 7, 0);
	row("domain", "AF_INET6");
	row("sock_type", "SOCK_STREAM");
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

/* ---- sockets and others ---- */

START_TEST(descriptor_of_no_ip_socket_has_no_rows_of_nw)
{
	struct socket_line line = { AF_INET, "10.0.0.1", 1, "10.0.0.2", 2, 0 };
	struct iot_net rec;
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
	rec = record_net(P, IOT_NET_SEND, 8, 1); /* sendfile to a file */
	rec.maybe = 1;
	feed_iot_net(&rec);
	ck_assert_uint_eq(out_of_scope(), 3);
	rec = record_net(P, IOT_NET_SEND, 8, -ENOTSOCK);
	feed_iot_net(&rec);
	ck_assert_uint_eq(out_of_scope(), 4);
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
}
END_TEST

/* A byte that a socket made at that time has moved. */
static struct iot_net message(uint16_t direction, int fd, uint64_t made)
{
	struct iot_net rec = record_net(P, direction, fd, 1);

	rec.ends.made = made;
	return rec;
}

static uint64_t feed_made(int fd, int family, int type)
{
	struct iot_conn rec;

	feed_call(P, IOT_NEWFD, -1, fd, 0);
	rec = record_conn(P, IOT_CONN_SOCKET_CREATE, fd, fd);
	rec.ends = socket_of(family, type, 0);
	rec.ends.made = rec.head.ts;
	feed_iot_conn(&rec);
	return rec.ends.made;
}

/* Their bytes are no rows, but nobody misses them either. */
START_TEST(socket_of_another_family_is_not_lost)
{
	static const int families[] = { AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG };
	struct iot_conn conn;
	struct iot_net rec;
	uint64_t made;

	made = feed_made(3, families[_i], SOCK_STREAM);
	rec = message(IOT_NET_SEND, 3, made);
	feed_iot_net(&rec);
	rec = message(IOT_NET_RECEIVE, 3, made);
	rec.ends.family = families[_i]; /* who it came from */
	feed_iot_net(&rec);
	conn = record_conn(P, IOT_CONN_ACCEPT, 4, 4);
	conn.listening = 3;
	conn.ends.made = conn.head.ts;
	feed_call(P, IOT_NEWFD, -1, 4, 0);
	feed_iot_conn(&conn);
	rec = message(IOT_NET_SEND, 4, conn.ends.made);
	feed_iot_net(&rec);
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(out_of_scope(), 3);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
}
END_TEST

/* Its number had been that of a socket that a call made. */
START_TEST(pair_is_not_the_socket_before_it)
{
	struct iot_fs pair = record_fs(P, IOT_NEWFD, -1, 3);
	struct iot_net rec;

	pair.dirfd = 4;
	pair.size = AF_UNIX;
	feed_fs(&pair);
	for (int fd = 3; fd <= 4; fd++) {
		rec = message(IOT_NET_SEND, fd, pair.head.ts - 1);
		feed_iot_net(&rec);
	}
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(out_of_scope(), 2);
}
END_TEST

/* A socket that was sent here; its number had been another one's. */
START_TEST(descriptor_says_that_its_socket_is_of_another_family)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char link[64];
	struct iot_net rec;

	ck_assert_int_ge(fd, 0);
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)getpid(), fd);
	fixture_fd(P, 9, link, 0, O_RDWR);
	rec = message(IOT_NET_SEND, 9, record_later());
	feed_iot_net(&rec);
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(out_of_scope(), 1);
	close(fd);
}
END_TEST

/* A stream leaves alone what it is given to fill in, whatever that holds. */
START_TEST(address_that_the_kernel_left_alone_is_no_peer)
{
	uint64_t made = feed_made(3, AF_INET, SOCK_STREAM);
	struct iot_net rec;

	feed_connect(3, "10.0.0.2", 80, 0);
	rec = message(IOT_NET_RECEIVE, 3, made);
	rec.ends.family = 0xaaaa;
	feed_iot_net(&rec);
	row_ends(" 0", "10.0.0.2 80");
	rec = record_net(P, IOT_NET_RECEIVE, 3, 1);
	put_remote(&rec.ends, "6.6.6.6", 666);
	feed_iot_net(&rec);
	row_ends(" 0", "10.0.0.2 80");
	feed_made(4, AF_INET, SOCK_STREAM);
	rec = record_net(P, IOT_NET_RECEIVE, 4, 1);
	put_remote(&rec.ends, "6.6.6.6", 666);
	feed_iot_net(&rec);
	row_ends(" 0", " 0");
	rec = record_net(P, IOT_NET_SEND, 4, 1); /* MSG_FASTOPEN */
	put_remote(&rec.ends, "10.0.0.5", 5);
	feed_iot_net(&rec);
	row_ends(" 0", "10.0.0.5 5");
	ck_assert_uint_eq(unresolved(), 0);
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

START_TEST(read_and_write_of_a_socket_are_rows_of_nw)
{
	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_connect(3, "10.0.0.2", 80, 0);
	feed_call(P, IOT_WRITE, 3, 5, 9);
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
	feed_call(P, IOT_READ, 3, -ECONNRESET, 9);
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
	feed_call(P, IOT_NEWFD, -1, 3, 0); /* a pipe */
	feed_call(P, IOT_WRITE, 3, 5, 5);
	feed_socket(4, AF_UNIX, SOCK_STREAM);
	feed_call(P, IOT_WRITE, 4, 5, 5);
	ck_assert_uint_eq(out_of_scope(), 2);
	feed_open_file(P, "a", 5, O_RDWR);
	feed_call(P, IOT_WRITE, 5, 5, 5);
	feed_socket(6, AF_INET, SOCK_STREAM);
	feed_call(P, IOT_FSYNC, 6, -EINVAL, 0);
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
	feed_call(P, IOT_WRITE, 3, 5, 5);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

/* ---- the same and another one ---- */

START_TEST(socket_is_the_same_under_other_descriptors)
{
	feed_socket(3, AF_INET, SOCK_DGRAM);
	feed_bind(3, "10.0.0.1", 1000, 0);
	feed_call(P, IOT_DUP, 3, 9, 0);
	feed_task(IOT_FORK, P, CHILD, 0);
	feed_connect(9, "10.0.0.2", 80, 0);
	row_ends("10.0.0.1 1000", "10.0.0.2 80");
	feed_call(P, IOT_CLOSE, 9, 0, 0);
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
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_socket(3, AF_INET6, SOCK_DGRAM);
	row("protocol", "UDP");
	row_ends(" ", " ");
	feed_send(P, 3);
	row("ip_version", "6");
	row_ends(" 0", " 0");
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_send(P, 3);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 1);
}
END_TEST

/* Its making was lost: the ends of the one before it are not its own. */
START_TEST(socket_made_later_is_another_one)
{
	struct iot_net rec;
	struct iot_fs plain;
	struct iot_conn conn;

	feed_socket(3, AF_INET, SOCK_STREAM);
	feed_later(0, 3, 0);
	rec = record_net(P, IOT_NET_SEND, 3, 1);
	rec.ends.made = rec.head.ts - 10;
	feed_iot_net(&rec);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 0);
	ck_assert_uint_eq(unresolved(), 1);
	proc_socket(3, "udp", "0.0.0.0", 40000, "10.0.0.9", 53);
	rec = record_net(P, IOT_NET_SEND, 3, 1);
	rec.ends.made = rec.head.ts - 10; /* and another one */
	feed_iot_net(&rec);
	row("protocol", "UDP");
	row_ends("0.0.0.0 40000", "10.0.0.9 53");
	conn = record_conn(P, IOT_CONN_CONNECT, 3, 0);
	put_remote(&conn.ends, "10.0.0.3", 99);
	conn.ends.made = conn.head.ts - 5;
	fixture_fd_closed(P, 3);
	feed_iot_conn(&conn);
	row_ends(" ", "10.0.0.3 99");
	plain = record_fs(P, IOT_WRITE, 3, 1);
	plain.ino = plain.head.ts - 5; /* of a socket: when it was made */
	feed(&plain, sizeof(plain));
	feed_end();
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_nw], 1);
}
END_TEST

START_TEST(socket_of_which_an_older_one_is_known_is_the_followed_one)
{
	struct iot_net rec;
	struct iot_conn conn;

	feed_call(P, IOT_NEWFD, -1, 3, 0);
	conn = record_conn(P, IOT_CONN_SOCKET_CREATE, 3, 3);
	conn.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	conn.ends.made = conn.head.ts;
	feed_iot_conn(&conn);
	feed_connect(3, "10.0.0.2", 80, 0);
	rec = record_net(P, IOT_NET_SEND, 3, 1);
	rec.ends.made = conn.head.ts - 1; /* dup over one that was made earlier */
	feed_iot_net(&rec);
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
	struct iot_conn rec;

	feed_anew(&(struct feed_options){ .made = socket_made });
	procs_mntns(ev->procs, P);
	proc_socket(3, "tcp", "10.0.0.9", 1, "0.0.0.0", 0);
	proc_socket(4, "tcp", "10.0.0.9", 2, "10.0.0.8", 3);
	n_made_asked = 0;
	feed_call(P, IOT_NEWFD, -1, 3, 0);
	rec = record_conn(P, IOT_CONN_SOCKET_CREATE, 3, 3);
	rec.ends = socket_of(AF_INET, SOCK_STREAM, 0);
	rec.ends.made = rec.head.ts;
	feed_iot_conn(&rec);
	feed_bind(3, "10.0.0.1", 80, 0);
	feed_call(P, IOT_NEWFD, -1, 4, 0);
	rec = record_conn(P, IOT_CONN_ACCEPT, 4, 4);
	rec.listening = 3;
	rec.ends.made = rec.head.ts;
	put_remote(&rec.ends, "10.0.0.2", 5000);
	feed_iot_conn(&rec);
	row_ends("10.0.0.1 80", "10.0.0.2 5000");
	ck_assert_uint_eq(n_made_asked, 0);
}
END_TEST

/* What /proc has behind a number now is not what the record was about. */
START_TEST(port_of_the_next_socket_is_not_taken)
{
	feed_anew(&(struct feed_options){ .made = socket_made });
	procs_mntns(ev->procs, P);
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

static TCase *proc_case(void)
{
	TCase *tcase = tcase_create("what /proc tells");

	tcase_add_checked_fixture(tcase, feed_setup_followed, feed_teardown);
	tcase_add_test(tcase, connect_to_nobody_takes_the_peer_away);
	tcase_add_test(tcase, port_that_listen_chose_is_asked_of_proc);
	tcase_add_test(tcase, port_that_a_send_chose_is_asked_of_proc_once);
	tcase_add_test(tcase, proc_that_knows_no_port_is_asked_once);
	tcase_add_test(tcase, socket_that_was_there_before_is_asked_of_proc);
	tcase_add_test(tcase, accept_without_an_address_is_asked_of_proc);
	return tcase;
}

static TCase *scope_case(void)
{
	TCase *tcase = tcase_create("sockets and others");

	tcase_add_checked_fixture(tcase, feed_setup_followed, feed_teardown);
	tcase_add_test(tcase, descriptor_of_no_ip_socket_has_no_rows_of_nw);
	tcase_add_loop_test(tcase, socket_of_another_family_is_not_lost, 0, 5);
	tcase_add_test(tcase, pair_is_not_the_socket_before_it);
	tcase_add_test(tcase, descriptor_says_that_its_socket_is_of_another_family);
	tcase_add_test(tcase, address_that_the_kernel_left_alone_is_no_peer);
	tcase_add_test(tcase, bytes_of_a_socket_that_nobody_knows_are_lost);
	tcase_add_test(tcase, read_and_write_of_a_socket_are_rows_of_nw);
	tcase_add_test(tcase, read_and_write_of_others_are_no_rows_of_nw);
	tcase_add_test(tcase, read_and_write_of_a_socket_need_nw);
	return tcase;
}

static TCase *same_case(void)
{
	TCase *tcase = tcase_create("the same and another one");

	tcase_add_checked_fixture(tcase, feed_setup_followed, feed_teardown);
	tcase_add_test(tcase, socket_is_the_same_under_other_descriptors);
	tcase_add_test(tcase, next_socket_of_a_number_is_another_one);
	tcase_add_test(tcase, socket_made_later_is_another_one);
	tcase_add_test(tcase, socket_of_which_an_older_one_is_known_is_the_followed_one);
	tcase_add_test(tcase, proc_is_not_asked_of_a_socket_that_a_call_made);
	tcase_add_test(tcase, port_of_the_next_socket_is_not_taken);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of descriptors of sockets");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, proc_case());
	suite_add_tcase(suite, scope_case());
	suite_add_tcase(suite, same_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
