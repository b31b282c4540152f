/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of sockets from /proc/PID/net: lines as kernels write them, lines that
 * are none, and real sockets of this process, whose addresses the kernel tells.
 */
#include "base/clock.h"
#include "resolve/procnet.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"

#define ARRAY_SIZE(array) (int)(sizeof(array) / sizeof((array)[0]))

enum { PID = 5000001, INO = 4711 };

static struct iot_ends ends;
static struct procnet *net;

static void setup(void)
{
	memset(&ends, 0, sizeof(ends));
	net = procnet_open(fixture_resolve.procfs.root);
	ck_assert(net != NULL);
}

static void teardown(void)
{
	procnet_close(net);
}

static void expect_address(int family, const u8 addr[16], const char *text)
{
	char buf[INET6_ADDRSTRLEN];

	ck_assert_str_eq(inet_ntop(family, addr, buf, sizeof(buf)), text);
}

static void expect_ends(const struct socket_line *s)
{
	ck_assert_int_eq(ends.family, s->family);
	expect_address(s->family, ends.local, s->local);
	expect_address(s->family, ends.remote, s->remote);
	ck_assert_uint_eq(ends.local_port, s->local_port);
	ck_assert_uint_eq(ends.remote_port, s->remote_port);
	ck_assert_uint_eq(ends.known & (IOT_ENDS_LOCAL | IOT_ENDS_REMOTE),
			  IOT_ENDS_LOCAL | IOT_ENDS_REMOTE);
}

/* ---- lines ---- */

static const struct socket_line good[] = {
	{ AF_INET, "127.0.0.1", 8080, "10.1.2.3", 443, INO },
	{ AF_INET, "0.0.0.0", 1, "0.0.0.0", 0, INO },
	{ AF_INET, "255.254.253.252", 65535, "1.2.3.4", 65535, INO },
	{ AF_INET6, "::1", 8080, "2001:db8:1:2:3:4:5:6", 443, INO },
	{ AF_INET6, "::ffff:192.168.1.2", 80, "::ffff:10.0.0.1", 50000, INO },
	{ AF_INET6, "::", 53, "::", 0, INO },
	{ AF_INET6, "fe80::abcd:ef01:2345:6789", 9, "ff02::fb", 5353, INO },
};

START_TEST(line_tells_both_ends)
{
	ck_assert(
		procnet_line(socket_line_text(&good[_i]), INO, good[_i].family == AF_INET6, &ends));
	expect_ends(&good[_i]);
	ck_assert_uint_eq(ends.known & IOT_ENDS_SOCKET, 0); /* not told by a line */
}
END_TEST

START_TEST(line_of_another_socket_tells_nothing)
{
	struct iot_ends none = { 0 };

	for (int i = 0; i < ARRAY_SIZE(good); i++) {
		ck_assert(!procnet_line(socket_line_text(&good[i]), INO + 1,
					good[i].family == AF_INET6, &ends));
		ck_assert(!procnet_line(socket_line_text(&good[i]), INO / 10,
					good[i].family == AF_INET6, &ends));
		ck_assert(!procnet_line(socket_line_text(&good[i]), 0, good[i].family == AF_INET6,
					&ends));
	}
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

START_TEST(line_of_another_table_tells_nothing)
{
	struct iot_ends none = { 0 };

	for (int i = 0; i < ARRAY_SIZE(good); i++)
		ck_assert(!procnet_line(socket_line_text(&good[i]), INO, good[i].family != AF_INET6,
					&ends));
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

/* Byte order is this machine's: text that a little-endian one wrote. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* clang-format off */
static const struct { const char *line; struct socket_line is; } verbatim[] = {
	/* tcp */
	{ "   0: 0100007F:0277 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0\n",
	  { AF_INET, "127.0.0.1", 631, "0.0.0.0", 0, INO } },
	{ "12345: 0B01A8C0:8CBE 0404080A:01BB 01 00000000:00000000 02:000003E8 00000000  1000        0 4711 2 ffff8a9b4c7d0000 24 4 31 10 -1   \n",
	  { AF_INET, "192.168.1.11", 36030, "10.8.4.4", 443, INO } },
	/* tcp6 */
	{ "   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 20 4 0 10 -1\n",
	  { AF_INET6, "::ffff:127.0.0.1", 8080, "::ffff:127.0.0.2", 54321, INO } },
	/* udp */
	{ "  329: 3500007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 4711 2 0000000000000000 0          \n",
	  { AF_INET, "127.0.0.53", 53, "0.0.0.0", 0, INO } },
	/* udp6 */
	{ " 2905: B80D0120000000000000000001000000:14E9 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 0\n",
	  { AF_INET6, "2001:db8::1", 5353, "::", 0, INO } },
};
/* clang-format on */

START_TEST(line_as_it_was_seen)
{
	ck_assert(procnet_line(verbatim[_i].line, INO, verbatim[_i].is.family == AF_INET6, &ends));
	expect_ends(&verbatim[_i].is);
}
END_TEST
#endif

START_TEST(line_that_is_cut_tells_nothing)
{
	struct iot_ends none = { 0 };
	char line[512];

	for (int i = 0; i < ARRAY_SIZE(good); i++) {
		const char *ino;
		size_t end;

		strcpy(line, socket_line_text(&good[i]));
		ino = strstr(line, " 4711 ");
		ck_assert_ptr_nonnull(ino);
		for (end = ino + 4 - line; end > 0; end--) { /* "471" is another socket */
			line[end] = '\0';
			ck_assert_msg(!procnet_line(line, INO, good[i].family == AF_INET6, &ends),
				      "%s", line);
		}
	}
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

#define REST " 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n"

/* clang-format off */
static const struct { bool v6; const char *line; } garbage[] = {
	{ false, "" },
	{ false, "\n" },
	{ false, "4711\n" },
	{ false, ": 4711 4711 4711 4711 4711 4711 4711 4711 4711\n" },
	{ false, "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" },
	{ true, "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" },
	{ false, "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n" },
	{ false, "   0: 0100007F 00000000:0000" REST },            /* no port */
	{ false, "   0: 0100007F:0277 00000000" REST },
	{ false, "   0: 0100007:0277 00000000:0000" REST },        /* a digit short */
	{ false, "   0: 0100007F0:0277 00000000:0000" REST },      /* a digit long */
	{ false, "   0: 0100007F:0277 0000000:0000" REST },
	{ false, "   0: 0100007G:0277 00000000:0000" REST },
	{ false, "   0: 0100007F:0277 xxxxxxxx:0000" REST },
	{ false, "   0: -100007F:0277 00000000:0000" REST },
	{ false, "   0: 0x00007F:0277 00000000:0000" REST },
	{ false, "   0: 0100007F: 00000000:0000" REST },
	{ false, "   0: 0100007F:0277 00000000:" REST },
	{ false, "   0: 0100007F:02x7 00000000:0000" REST },
	{ false, "   0: 0100007F:10277 00000000:0000" REST },
	{ false, "   0: 0100007F:-277 00000000:0000" REST },
	{ true, "   0: 0000000000000000FFFF00000100007:1F90 00000000000000000000000000000000:0000" REST },
	{ true, "   0: 0000000000000000FFFF00000100007F0:1F90 00000000000000000000000000000000:0000" REST },
	{ true, "   0: 0000000000000000FFFF0000:1F90 00000000000000000000000000000000:0000" REST },
	{ false, "   0: 0100007F:0277 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 inode 1\n" },
};
/* clang-format on */

START_TEST(line_of_garbage_tells_nothing)
{
	struct iot_ends none = { 0 };

	ck_assert_msg(!procnet_line(garbage[_i].line, INO, garbage[_i].v6, &ends), "%s",
		      garbage[_i].line);
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

START_TEST(random_lines_are_survived)
{
	unsigned seed = 1;
	char line[400];

	for (int i = 0; i < 50000; i++) {
		strcpy(line, socket_line_text(&good[i % ARRAY_SIZE(good)]));
		for (int k = 0; k < 3; k++)
			line[rand_r(&seed) % strlen(line)] =
				rand_r(&seed) % 4 ? "0:F \n4711"[rand_r(&seed) % 9] :
						    rand_r(&seed) % 255 + 1;
		procnet_line(line, INO, i % 2, &ends);
	}
}
END_TEST

/* ---- tables ---- */

static void setup_proc(void)
{
	fixture_proc_open();
	setup();
	fixture_process(PID, 1, "prog");
}

static void teardown_proc(void)
{
	fixture_proc_close();
	teardown();
}

static const struct {
	const char *name;
	int line;
	uint16_t type;
	uint16_t protocol;
} tables[] = {
	{ "tcp", 0, SOCK_STREAM, IPPROTO_TCP },
	{ "tcp6", 3, SOCK_STREAM, IPPROTO_TCP },
	{ "udp", 0, SOCK_DGRAM, IPPROTO_UDP },
	{ "udp6", 4, SOCK_DGRAM, IPPROTO_UDP },
};

START_TEST(table_tells_what_the_socket_is)
{
	struct socket_line other = good[tables[_i].line];
	char lines[1024], *p = lines;

	other.ino = INO + 1;
	p = stpcpy(p, socket_line_text(&other));
	p = stpcpy(p, socket_line_text(&good[tables[_i].line]));
	other.ino = INO - 1;
	stpcpy(p, socket_line_text(&other));
	fixture_socket_table(PID, tables[_i].name, lines);
	ck_assert(procnet_ends(net, PID, INO, UINT64_MAX, &ends));
	expect_ends(&good[tables[_i].line]);
	ck_assert_uint_eq(ends.known, IOT_ENDS_SOCKET | IOT_ENDS_LOCAL | IOT_ENDS_REMOTE);
	ck_assert_uint_eq(ends.type, tables[_i].type);
	ck_assert_uint_eq(ends.protocol, tables[_i].protocol);
	ck_assert(procnet_ends(net, PID, INO + 1, UINT64_MAX, &ends));
	ck_assert(procnet_ends(net, PID, INO - 1, UINT64_MAX, &ends));
}
END_TEST

START_TEST(one_reading_answers_for_all_before_it)
{
	uint64_t before = mono_ns();

	fixture_socket_table(PID, "tcp", socket_line_text(&good[0]));
	ck_assert(procnet_ends(net, PID, INO, before, &ends));
	fixture_socket_table(PID, "tcp", "");
	ck_assert(procnet_ends(net, PID, INO, before, &ends));
	ck_assert(!procnet_ends(net, PID, INO, mono_ns(), &ends));
	/* and that one answers from then on */
	ck_assert(!procnet_ends(net, PID, INO, before, &ends));
}
END_TEST

START_TEST(socket_of_no_table_is_not_known)
{
	struct iot_ends none = { 0 };

	ck_assert(!procnet_ends(net, PID, INO, UINT64_MAX, &ends)); /* no tables at all */
	for (int i = 0; i < ARRAY_SIZE(tables); i++)
		fixture_socket_table(PID, tables[i].name,
				     i % 2 ? socket_line_text(&good[tables[i].line]) : "");
	ck_assert(!procnet_ends(net, PID, INO + 1, UINT64_MAX, &ends));
	fixture_socket_table(PID, "unix",
			     socket_line_text(&(struct socket_line){ AF_INET, "1.2.3.4", 1,
								     "1.2.3.4", 1, INO + 1 }));
	ck_assert(!procnet_ends(net, PID, INO + 1, UINT64_MAX, &ends));
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

/* What is known of the socket says which table has it: no other is read, whatever stands in it. */
START_TEST(only_the_table_of_its_kind_is_read)
{
	static const int families[] = { AF_INET, AF_INET6, AF_INET, AF_INET6 };

	for (int i = 0; i < ARRAY_SIZE(tables); i++) {
		ends = (struct iot_ends){ .known = IOT_ENDS_SOCKET,
					  .family = families[_i],
					  .type = tables[_i].type };
		fixture_socket_table(PID, tables[i].name, socket_line_text(&good[tables[i].line]));
		ck_assert_int_eq(procnet_ends(net, PID, INO, UINT64_MAX, &ends), i == _i);
		fixture_socket_table(PID, tables[i].name, "");
	}
	ends.type = SOCK_SEQPACKET;
	fixture_socket_table(PID, tables[_i].name, socket_line_text(&good[tables[_i].line]));
	ck_assert(!procnet_ends(net, PID, INO, UINT64_MAX, &ends));
}
END_TEST

START_TEST(no_such_process_has_no_sockets)
{
	struct iot_ends none = { 0 };

	fixture_socket_table(PID, "tcp", socket_line_text(&good[0]));
	ck_assert(!procnet_ends(net, PID + 1, INO, UINT64_MAX, &ends));
	fixture_process_gone(PID);
	ck_assert(!procnet_ends(net, PID, INO, UINT64_MAX, &ends));
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
}
END_TEST

/* ---- real sockets ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address(union address *a, int family, const char *text)
{
	memset(a, 0, sizeof(*a));
	a->any.sa_family = family;
	if (family == AF_INET) {
		ck_assert_int_eq(inet_pton(family, text, &a->v4.sin_addr), 1);
		return sizeof(a->v4);
	}
	ck_assert_int_eq(inet_pton(family, text, &a->v6.sin6_addr), 1);
	return sizeof(a->v6);
}

static void expect_end(const union address *a, const u8 addr[16], unsigned port)
{
	if (a->any.sa_family == AF_INET) {
		ck_assert_mem_eq(addr, &a->v4.sin_addr, 4);
		ck_assert_uint_eq(port, ntohs(a->v4.sin_port));
		return;
	}
	ck_assert_mem_eq(addr, &a->v6.sin6_addr, 16);
	ck_assert_uint_eq(port, ntohs(a->v6.sin6_port));
}

/* What /proc says is what the kernel says. */
static void expect_told(int fd, int family, int type)
{
	union address local, remote;
	socklen_t len = sizeof(local);
	struct stat st;

	setup();
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert(procnet_ends(net, getpid(), st.st_ino, UINT64_MAX, &ends));
	ck_assert_uint_eq(ends.known, IOT_ENDS_SOCKET | IOT_ENDS_LOCAL | IOT_ENDS_REMOTE);
	ck_assert_int_eq(ends.family, family);
	ck_assert_int_eq(ends.type, type);
	ck_assert_int_eq(ends.protocol, type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP);
	ck_assert_int_eq(getsockname(fd, &local.any, &len), 0);
	expect_end(&local, ends.local, ends.local_port);
	len = sizeof(remote);
	if (getpeername(fd, &remote.any, &len))
		address(&remote, family, family == AF_INET ? "0.0.0.0" : "::");
	expect_end(&remote, ends.remote, ends.remote_port);
}

/* v4-mapped: a listener of IPv6 that a socket of IPv4 comes to */
static const struct {
	int type, family, peer_family;
	const char *bound, *to;
} real[] = {
	{ SOCK_STREAM, AF_INET, AF_INET, "127.0.0.1", "127.0.0.1" },
	{ SOCK_STREAM, AF_INET6, AF_INET6, "::1", "::1" },
	{ SOCK_STREAM, AF_INET6, AF_INET, "::ffff:127.0.0.1", "127.0.0.1" },
	{ SOCK_DGRAM, AF_INET, AF_INET, "127.0.0.1", "127.0.0.1" },
	{ SOCK_DGRAM, AF_INET6, AF_INET6, "::1", "::1" },
	{ SOCK_DGRAM, AF_INET6, AF_INET, "::ffff:127.0.0.1", "127.0.0.1" },
};

START_TEST(real_sockets_are_told_as_they_are)
{
	union address a, b;
	socklen_t len = sizeof(a);
	int bound, to, in;

	bound = socket(real[_i].family, real[_i].type, 0);
	to = socket(real[_i].peer_family, real[_i].type, 0);
	if (bound < 0 || to < 0 ||
	    bind(bound, &a.any, address(&a, real[_i].family, real[_i].bound))) {
		puts("SKIP: no loopback of this family here");
		return;
	}
	if (real[_i].type == SOCK_STREAM)
		ck_assert_int_eq(listen(bound, 1), 0);
	expect_told(bound, real[_i].family, real[_i].type);
	ck_assert_int_eq(getsockname(bound, &a.any, &len), 0);
	len = address(&b, real[_i].peer_family, real[_i].to);
	if (real[_i].peer_family == AF_INET)
		b.v4.sin_port = real[_i].family == AF_INET ? a.v4.sin_port : a.v6.sin6_port;
	else
		b.v6.sin6_port = a.v6.sin6_port;
	ck_assert_int_eq(connect(to, &b.any, len), 0);
	expect_told(to, real[_i].peer_family, real[_i].type);
	if (real[_i].type == SOCK_STREAM) {
		in = accept(bound, NULL, NULL);
		ck_assert_int_ge(in, 0);
		expect_told(in, real[_i].family, SOCK_STREAM);
		close(in);
	}
	close(bound);
	close(to);
}
END_TEST

/* ---- what a descriptor says ---- */

static const struct {
	int family, type, protocol;
	struct iot_ends told;
} told_kinds[] = {
	{ AF_INET,
	  SOCK_STREAM,
	  0,
	  { .family = AF_INET, .type = SOCK_STREAM, .protocol = 6, .known = IOT_ENDS_SOCKET } },
	{ AF_INET6,
	  SOCK_DGRAM,
	  0,
	  { .family = AF_INET6, .type = SOCK_DGRAM, .protocol = 17, .known = IOT_ENDS_SOCKET } },
	{ AF_UNIX, SOCK_STREAM, 0, { .family = AF_UNIX, .known = IOT_ENDS_OTHER } },
	{ AF_UNIX, SOCK_SEQPACKET, 0, { .family = AF_UNIX, .known = IOT_ENDS_OTHER } },
	{ AF_NETLINK, SOCK_RAW, 4, { .family = AF_NETLINK, .known = IOT_ENDS_OTHER } },
};

static void use_real_proc(void)
{
	procnet_close(net);
	net = procnet_open("/proc");
}

START_TEST(descriptor_tells_its_kind)
{
	int fd = socket(told_kinds[_i].family, told_kinds[_i].type, told_kinds[_i].protocol);

	use_real_proc();
	if (fd >= 0) { /* a container may have no IPv6 */
		ck_assert(procnet_kind(net, getpid(), fd, &ends));
		ck_assert_mem_eq(&ends, &told_kinds[_i].told, sizeof(ends));
		close(fd);
	}
	ck_assert(!procnet_kind(net, getpid(), 9999, &ends));
}
END_TEST

START_TEST(descriptor_of_no_socket_tells_nothing)
{
	struct iot_ends none = { 0 };
	int pair[2];

	use_real_proc();
	ck_assert_int_eq(pipe(pair), 0);
	ck_assert(!procnet_kind(net, getpid(), pair[0], &ends));
	ck_assert_mem_eq(&ends, &none, sizeof(ends));
	close(pair[0]);
	close(pair[1]);
}
END_TEST

static TCase *lines_case(void)
{
	TCase *tcase = tcase_create("lines");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, line_tells_both_ends, 0, ARRAY_SIZE(good));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	tcase_add_loop_test(tcase, line_as_it_was_seen, 0, ARRAY_SIZE(verbatim));
#endif
	tcase_add_test(tcase, line_of_another_socket_tells_nothing);
	tcase_add_test(tcase, line_of_another_table_tells_nothing);
	tcase_add_test(tcase, line_that_is_cut_tells_nothing);
	tcase_add_loop_test(tcase, line_of_garbage_tells_nothing, 0, ARRAY_SIZE(garbage));
	tcase_add_test(tcase, random_lines_are_survived);
	return tcase;
}

static TCase *tables_case(void)
{
	TCase *tcase = tcase_create("tables");

	tcase_add_checked_fixture(tcase, setup_proc, teardown_proc);
	tcase_add_loop_test(tcase, table_tells_what_the_socket_is, 0, ARRAY_SIZE(tables));
	tcase_add_loop_test(tcase, only_the_table_of_its_kind_is_read, 0, ARRAY_SIZE(tables));
	tcase_add_test(tcase, one_reading_answers_for_all_before_it);
	tcase_add_test(tcase, socket_of_no_table_is_not_known);
	tcase_add_test(tcase, no_such_process_has_no_sockets);
	return tcase;
}

static TCase *real_case(void)
{
	TCase *tcase = tcase_create("real sockets");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, real_sockets_are_told_as_they_are, 0, ARRAY_SIZE(real));
	tcase_add_loop_test(tcase, descriptor_tells_its_kind, 0, ARRAY_SIZE(told_kinds));
	tcase_add_test(tcase, descriptor_of_no_socket_tells_nothing);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("procnet");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, lines_case());
	suite_add_tcase(suite, tables_case());
	suite_add_tcase(suite, real_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
