/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As check_read.c: rows of the streams of network and io_uring, written and read back. */
#include "read/rows_file.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "events/iouring.h"
#include "events/nw.h"
#include "events/nw_conn.h"
#include "events/nw_drop.h"
#include "events/nw_ends.h"
#include "events/nw_epoll.h"
#include "events/nw_sockopt.h"
#include "fixture/fixture_read.h"
#include "row/flags_net.h"
#include "row/flags_uring.h"

static const unsigned char v4[16] = { 10, 0, 0, 1 };
static const unsigned char v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

/* clang-format off */
#define IP4(port_) { .addr = v4, .family = 2, .port = port_ }
#define IP6(port_) { .addr = v6, .family = 10, .port = port_ }
/* clang-format on */

START_TEST(nw_rows)
{
	struct iot_net rec = {
		.head = { .tgid = UINT32_MAX, .tid = 1 },
		.size = BIG,
		.latency = BIG,
		.ret = INT64_MAX,
	};
	struct nw_row row = {
		.rec = &rec,
		.start = when,
		.protocol = { &flags_ip_proto, 6 },
		.version = 6,
		.local = IP6(65535),
		.remote = IP4(0),
		.direction = "send",
		.msg_flags = { &flags_msg, 0x4040 },
	};

	memcpy(rec.head.comm, hostile_comm, sizeof(hostile_comm));
	CHECK_ROW(nw, &row, TIMES, N(pid, UINT32_MAX), T(command, SHOWN_COMM), T(protocol, "TCP"),
		  N(ip_version, 6), T(source_addr, "2001:db8::1"), T(dest_addr, "10.0.0.1"),
		  N(source_port, 65535), N(dest_port, 0), N(size, INT64_MAX), T(direction, "send"),
		  N(latency_ns, BIG), NO(error_code), T(msg_flags, "MSG_DONTWAIT|MSG_NOSIGNAL"),
		  N(tid, 1), N(requested_size, BIG), N(return_value, INT64_MAX));
	rec = (struct iot_net){ .ret = -32 };
	row = (struct nw_row){ .rec = &rec, .start = when, .direction = "receive" };
	CHECK_ROW(nw, &row, TIMES, N(pid, 0), NO(command), NO(protocol), NO(ip_version),
		  NO(source_addr), NO(dest_addr), N(source_port, 0), N(dest_port, 0), N(size, 0),
		  T(direction, "receive"), N(latency_ns, 0), T(error_code, "EPIPE"), NO(msg_flags),
		  N(tid, 0), N(requested_size, 0), N(return_value, -32));
}
END_TEST

START_TEST(nw_conn_rows)
{
	struct iot_conn rec = { .head = { .tgid = 2, .tid = 3, .comm = "x" },
				.latency = 5,
				.fd = -1,
				.ret = INT64_MIN };
	struct nw_conn_row row = {
		.rec = &rec,
		.start = when,
		.event = "CONNECT",
		.domain = { &flags_af, 1 },
		.type = { &flags_sock_type, 3 },
		.version = 4,
		.local = IP4(80),
		.remote.name = hostile_text(),
		.local_port = 0,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = -1,
		.how = { &flags_shutdown, 2 },
		.protocol = { &flags_ip_proto, 65535 },
	};

	CHECK_ROW(nw_conn, &row, TIMES, T(event_type, "CONNECT"), N(pid, 2), N(tid, 3),
		  T(command, "x"), T(domain, "AF_UNIX"), T(sock_type, "SOCK_RAW"), N(ip_version, 4),
		  T(local_addr, "10.0.0.1"), T(remote_addr, SHOWN), N(local_port, 0),
		  NO(remote_port), NO(fd), N(backlog, -1), T(shutdown_how, "SHUT_RDWR"),
		  N(latency_ns, 5), N(return_value, INT64_MIN), T(protocol, "PROTO(65535)"));
}
END_TEST

static const struct {
	int64_t ns;
	int64_t read;
} timeouts[] = {
	{ IOT_POLL_FOREVER, -1 }, { 0, 0 }, { 1500000, 1500000 }, { 2000000, 2000000 },
	{ INT64_MAX, INT64_MAX },
};

START_TEST(nw_epoll_rows)
{
	struct iot_poll rec = {
		.head = { .tgid = 2, .tid = 3, .comm = "x" },
		.latency = BIG,
		.fd = 0,
		.target = INT32_MAX,
		.timeout = timeouts[_i].ns,
		.ret = -4,
	};
	struct nw_epoll_row row = {
		.rec = &rec,
		.start = when,
		.event = "POLL",
		.op = { &flags_epoll_op, 1 },
		.mask = { &flags_epoll, 0x80000001u },
		.max_events = BIG,
		.ready = -4,
		.nfds = 0,
	};

	CHECK_ROW(nw_epoll, &row, TIMES, T(event_type, "POLL"), N(pid, 2), N(tid, 3),
		  T(command, "x"), N(epoll_fd, 0), N(target_fd, INT32_MAX),
		  T(operation, "EPOLL_CTL_ADD"), T(event_mask, "EPOLLIN|EPOLLET"),
		  N(max_events, BIG), N(ready_count, -4), N(timeout_ms, timeouts[_i].read),
		  N(latency_ns, BIG), N(nfds, 0), N(return_value, -4));
	rec.fd = rec.target = -1;
	rec.timeout = IOT_POLL_NO_TIMEOUT;
	row = (struct nw_epoll_row){
		.rec = &rec, .start = when, .event = "SELECT", .nfds = FORMAT_UNKNOWN
	};
	CHECK_ROW(nw_epoll, &row, TIMES, T(event_type, "SELECT"), N(pid, 2), N(tid, 3),
		  T(command, "x"), NO(epoll_fd), NO(target_fd), NO(operation), NO(event_mask),
		  NO(max_events), N(ready_count, 0), NO(timeout_ms), N(latency_ns, BIG), NO(nfds),
		  N(return_value, -4));
}
END_TEST

START_TEST(nw_sockopt_rows)
{
	struct iot_opt rec = {
		.head = { .tgid = 2, .tid = 3, .comm = "x" },
		.latency = 7,
		.fd = -1,
		.level = 1,
		.name = 13,
		.len = UINT32_MAX,
		.known = 8,
		.ret = -9,
	};
	struct nw_sockopt_row row = {
		.rec = &rec,
		.start = when,
		.event = "SET",
		.level = "LEVEL(9)",
		.name = "\"OPT(1,13)\"",
		.value = INT32_MIN,
	};

	memcpy(rec.value, (int[]){ 1, 30 }, 8);
	CHECK_ROW(nw_sockopt, &row, TIMES, T(event_type, "SET"), N(pid, 2), T(command, "x"),
		  N(fd, -1), T(level, "LEVEL(9)"), T(option_name, "OPT(1,13)"),
		  N(option_value, INT32_MIN), N(return_value, -9), N(tid, 3),
		  N(option_len, UINT32_MAX), T(option_text, "1,30"), N(latency_ns, 7));
	rec.known = 0;
	row.value = FORMAT_NO_VALUE;
	CHECK_ROW(nw_sockopt, &row, TIMES, T(event_type, "SET"), N(pid, 2), T(command, "x"),
		  N(fd, -1), T(level, "LEVEL(9)"), T(option_name, "OPT(1,13)"), NO(option_value),
		  N(return_value, -9), N(tid, 3), N(option_len, UINT32_MAX), NO(option_text),
		  N(latency_ns, 7));
}
END_TEST

START_TEST(nw_drop_rows)
{
	struct iot_drop rec = { .head = { .ts = when, .tgid = 2, .comm = "x" },
				.reason = UINT32_MAX };
	struct nw_drop_row row = {
		.rec = &rec,
		.event = "PACKET_DROP",
		.protocol = { &flags_ip_proto, 17 },
		.version = 4,
		.local = IP4(1),
		.remote = IP6(2),
		.local_port = 0,
		.remote_port = 65535,
		.size = 0,
		.state = { &flags_tcp_state, 1 },
		.reason = "NO_SOCKET",
		.place = "f+0x1",
	};

	CHECK_ROW(nw_drop, &row, TIMES, T(event_type, "PACKET_DROP"), N(pid, 2), T(command, "x"),
		  T(protocol, "UDP"), N(ip_version, 4), T(source_addr, "10.0.0.1"),
		  T(dest_addr, "2001:db8::1"), N(source_port, 0), N(dest_port, 65535),
		  N(packet_size, 0), N(drop_reason, UINT32_MAX), T(tcp_state, "ESTABLISHED"),
		  T(drop_reason_name, "NO_SOCKET"), T(location, "f+0x1"));
}
END_TEST

START_TEST(iouring_rows)
{
	struct iot_ring rec = {
		.head = { .tgid = 2, .tid = 3, .comm = "fio" },
		.ring = 0xffff888100000000,
		.req = BIG,
		.fd = 5,
		.cpu = UINT32_MAX,
		.link = BIG - 2,
		.worker = 7,
	};
	struct iouring_row row = {
		.rec = &rec,
		.start = when,
		.event = "COMPLETE",
		.opcode = { &flags_uring_op, 22 },
		.flags = { &flags_uring_sqe, 4 },
		.path = hostile_text(),
		.user_data = 0,
		.offset = BIG - 1,
		.length = BIG - 1,
		.latency = BIG - 1,
		.result = INT32_MIN,
		.ino = BIG,
		.buffer = 0,
		.sq_fill = UINT32_MAX,
		.cq_fill = 2,
		.cq_taken = 0,
	};

	CHECK_ROW(iouring, &row, TIMES, T(event_type, "COMPLETE"), N(pid, 2), N(tid, 3),
		  T(command, "fio"), N(cpu_id, UINT32_MAX), N(ring, 0xffff888100000000),
		  N(req, BIG), N(user_data, 0), T(opcode, "READ"), N(fd, 5), N(offset, BIG - 1),
		  N(length, BIG - 1), N(result, INT32_MIN), N(latency_ns, BIG - 1),
		  N(latency_ms, BIG - 1), T(sqe_flags, "IO_LINK"), N(inode, BIG),
		  T(filename, SHOWN), N(link, BIG - 2), N(worker, 7), N(buf_index, 0),
		  N(sq_fill, UINT32_MAX), N(cq_fill, 2), N(cq_taken, 0));
	rec = (struct iot_ring){ .fd = -1 };
	row = (struct iouring_row){ .rec = &rec,
				    .start = when,
				    .event = "CREATE",
				    .path = no_text(),
				    .user_data = FORMAT_UNKNOWN,
				    .offset = FORMAT_UNKNOWN,
				    .length = FORMAT_UNKNOWN,
				    .latency = FORMAT_UNKNOWN,
				    .buffer = FORMAT_UNKNOWN,
				    .sq_fill = FORMAT_UNKNOWN,
				    .cq_fill = FORMAT_UNKNOWN,
				    .cq_taken = FORMAT_UNKNOWN,
				    .result = FORMAT_NO_VALUE };
	CHECK_ROW(iouring, &row, TIMES, T(event_type, "CREATE"), N(pid, 0), N(tid, 0), NO(command),
		  N(cpu_id, 0), NO(ring), NO(req), NO(user_data), NO(opcode), NO(fd), NO(offset),
		  NO(length), NO(result), NO(latency_ns), NO(latency_ms), NO(sqe_flags), NO(inode),
		  NO(filename), NO(link), NO(worker), NO(buf_index), NO(sq_fill), NO(cq_fill),
		  NO(cq_taken));
}
END_TEST

static Suite *read_net_suite(void)
{
	Suite *suite = suite_create("read_net");
	TCase *tcase = tcase_create("streams");

	tcase_add_checked_fixture(tcase, fixture_read_setup, fixture_read_teardown);
	tcase_add_test(tcase, nw_rows);
	tcase_add_test(tcase, nw_conn_rows);
	tcase_add_loop_test(tcase, nw_epoll_rows, 0, sizeof(timeouts) / sizeof(timeouts[0]));
	tcase_add_test(tcase, nw_sockopt_rows);
	tcase_add_test(tcase, nw_drop_rows);
	tcase_add_test(tcase, iouring_rows);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(read_net_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
