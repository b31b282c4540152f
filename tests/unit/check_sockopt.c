/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Socket options: each number of each level, written out once more; values in
 * all sizes, and the kernel's own where a socket here gives them.
 */
#include "row/sockopt.h"

#include <check.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fixture/fixture_csv.h"
#include "row/format.h"

/* Beyond the last number of any level. */
enum { N = 128 };

static const char *const socket_options[N] = { [1] = "SO_DEBUG",
					       "SO_REUSEADDR",
					       "SO_TYPE",
					       "SO_ERROR",
					       "SO_DONTROUTE",
					       "SO_BROADCAST",
					       "SO_SNDBUF",
					       "SO_RCVBUF",
					       "SO_KEEPALIVE",
					       "SO_OOBINLINE",
					       "SO_NO_CHECK",
					       "SO_PRIORITY",
					       "SO_LINGER",
					       "SO_BSDCOMPAT",
					       "SO_REUSEPORT",
#ifdef __powerpc__
					       [16] = "SO_RCVLOWAT",
					       "SO_SNDLOWAT",
					       "SO_RCVTIMEO",
					       "SO_SNDTIMEO",
					       "SO_PASSCRED",
					       "SO_PEERCRED",
#else
					       [16] = "SO_PASSCRED",
					       "SO_PEERCRED",
					       "SO_RCVLOWAT",
					       "SO_SNDLOWAT",
					       "SO_RCVTIMEO",
					       "SO_SNDTIMEO",
#endif
					       [22] = "SO_SECURITY_AUTHENTICATION",
					       "SO_SECURITY_ENCRYPTION_TRANSPORT",
					       "SO_SECURITY_ENCRYPTION_NETWORK",
					       "SO_BINDTODEVICE",
					       "SO_ATTACH_FILTER",
					       "SO_DETACH_FILTER",
					       "SO_PEERNAME",
					       "SO_TIMESTAMP",
					       "SO_ACCEPTCONN",
					       "SO_PEERSEC",
					       "SO_SNDBUFFORCE",
					       "SO_RCVBUFFORCE",
					       "SO_PASSSEC",
					       "SO_TIMESTAMPNS",
					       "SO_MARK",
					       "SO_TIMESTAMPING",
					       "SO_PROTOCOL",
					       "SO_DOMAIN",
					       "SO_RXQ_OVFL",
					       "SO_WIFI_STATUS",
					       "SO_PEEK_OFF",
					       "SO_NOFCS",
					       "SO_LOCK_FILTER",
					       "SO_SELECT_ERR_QUEUE",
					       "SO_BUSY_POLL",
					       "SO_MAX_PACING_RATE",
					       "SO_BPF_EXTENSIONS",
					       "SO_INCOMING_CPU",
					       "SO_ATTACH_BPF",
					       "SO_ATTACH_REUSEPORT_CBPF",
					       "SO_ATTACH_REUSEPORT_EBPF",
					       "SO_CNX_ADVICE",
					       [55] = "SO_MEMINFO",
					       "SO_INCOMING_NAPI_ID",
					       "SO_COOKIE",
					       [59] = "SO_PEERGROUPS",
					       "SO_ZEROCOPY",
					       "SO_TXTIME",
					       "SO_BINDTOIFINDEX",
					       "SO_TIMESTAMP_NEW",
					       "SO_TIMESTAMPNS_NEW",
					       "SO_TIMESTAMPING_NEW",
					       "SO_RCVTIMEO_NEW",
					       "SO_SNDTIMEO_NEW",
					       "SO_DETACH_REUSEPORT_BPF",
					       "SO_PREFER_BUSY_POLL",
					       "SO_BUSY_POLL_BUDGET",
					       "SO_NETNS_COOKIE",
					       "SO_BUF_LOCK",
					       "SO_RESERVE_MEM",
					       "SO_TXREHASH",
					       "SO_RCVMARK",
					       "SO_PASSPIDFD",
					       "SO_PEERPIDFD",
					       "SO_DEVMEM_LINEAR",
					       "SO_DEVMEM_DMABUF",
					       "SO_DEVMEM_DONTNEED",
					       "SCM_TS_OPT_ID",
					       "SO_RCVPRIORITY",
					       "SO_PASSRIGHTS",
					       "SO_INQ" };

static const char *const ip_options[N] = { [1] = "IP_TOS",
					   "IP_TTL",
					   "IP_HDRINCL",
					   "IP_OPTIONS",
					   "IP_ROUTER_ALERT",
					   "IP_RECVOPTS",
					   "IP_RETOPTS",
					   "IP_PKTINFO",
					   "IP_PKTOPTIONS",
					   "IP_MTU_DISCOVER",
					   "IP_RECVERR",
					   "IP_RECVTTL",
					   "IP_RECVTOS",
					   "IP_MTU",
					   "IP_FREEBIND",
					   "IP_IPSEC_POLICY",
					   "IP_XFRM_POLICY",
					   "IP_PASSSEC",
					   "IP_TRANSPARENT",
					   "IP_ORIGDSTADDR",
					   "IP_MINTTL",
					   "IP_NODEFRAG",
					   "IP_CHECKSUM",
					   "IP_BIND_ADDRESS_NO_PORT",
					   "IP_RECVFRAGSIZE",
					   "IP_RECVERR_RFC4884",
					   [32] = "IP_MULTICAST_IF",
					   "IP_MULTICAST_TTL",
					   "IP_MULTICAST_LOOP",
					   "IP_ADD_MEMBERSHIP",
					   "IP_DROP_MEMBERSHIP",
					   "IP_UNBLOCK_SOURCE",
					   "IP_BLOCK_SOURCE",
					   "IP_ADD_SOURCE_MEMBERSHIP",
					   "IP_DROP_SOURCE_MEMBERSHIP",
					   "IP_MSFILTER",
					   [49] = "IP_MULTICAST_ALL",
					   "IP_UNICAST_IF",
					   "IP_LOCAL_PORT_RANGE",
					   "IP_PROTOCOL" };

static const char *const tcp_options[N] = { [1] = "TCP_NODELAY",
					    "TCP_MAXSEG",
					    "TCP_CORK",
					    "TCP_KEEPIDLE",
					    "TCP_KEEPINTVL",
					    "TCP_KEEPCNT",
					    "TCP_SYNCNT",
					    "TCP_LINGER2",
					    "TCP_DEFER_ACCEPT",
					    "TCP_WINDOW_CLAMP",
					    "TCP_INFO",
					    "TCP_QUICKACK",
					    "TCP_CONGESTION",
					    "TCP_MD5SIG",
					    [16] = "TCP_THIN_LINEAR_TIMEOUTS",
					    "TCP_THIN_DUPACK",
					    "TCP_USER_TIMEOUT",
					    "TCP_REPAIR",
					    "TCP_REPAIR_QUEUE",
					    "TCP_QUEUE_SEQ",
					    "TCP_REPAIR_OPTIONS",
					    "TCP_FASTOPEN",
					    "TCP_TIMESTAMP",
					    "TCP_NOTSENT_LOWAT",
					    "TCP_CC_INFO",
					    "TCP_SAVE_SYN",
					    "TCP_SAVED_SYN",
					    "TCP_REPAIR_WINDOW",
					    "TCP_FASTOPEN_CONNECT",
					    "TCP_ULP",
					    "TCP_MD5SIG_EXT",
					    "TCP_FASTOPEN_KEY",
					    "TCP_FASTOPEN_NO_COOKIE",
					    "TCP_ZEROCOPY_RECEIVE",
					    "TCP_INQ",
					    "TCP_TX_DELAY",
					    "TCP_AO_ADD_KEY",
					    "TCP_AO_DEL_KEY",
					    "TCP_AO_INFO",
					    "TCP_AO_GET_KEYS",
					    "TCP_AO_REPAIR",
					    "TCP_IS_MPTCP",
					    "TCP_RTO_MAX_MS",
					    "TCP_RTO_MIN_US",
					    "TCP_DELACK_MAX_US" };

static const char *const udp_options[N] = { [1] = "UDP_CORK",   [100] = "UDP_ENCAP",
					    "UDP_NO_CHECK6_TX", "UDP_NO_CHECK6_RX",
					    "UDP_SEGMENT",      "UDP_GRO" };

static const char *const ipv6_options[N] = { [1] = "IPV6_ADDRFORM",
					     "IPV6_2292PKTINFO",
					     "IPV6_2292HOPOPTS",
					     "IPV6_2292DSTOPTS",
					     "IPV6_2292RTHDR",
					     "IPV6_2292PKTOPTIONS",
					     "IPV6_CHECKSUM",
					     "IPV6_2292HOPLIMIT",
					     "IPV6_NEXTHOP",
					     "IPV6_AUTHHDR",
					     "IPV6_FLOWINFO",
					     [16] = "IPV6_UNICAST_HOPS",
					     "IPV6_MULTICAST_IF",
					     "IPV6_MULTICAST_HOPS",
					     "IPV6_MULTICAST_LOOP",
					     "IPV6_ADD_MEMBERSHIP",
					     "IPV6_DROP_MEMBERSHIP",
					     "IPV6_ROUTER_ALERT",
					     "IPV6_MTU_DISCOVER",
					     "IPV6_MTU",
					     "IPV6_RECVERR",
					     "IPV6_V6ONLY",
					     "IPV6_JOIN_ANYCAST",
					     "IPV6_LEAVE_ANYCAST",
					     "IPV6_MULTICAST_ALL",
					     "IPV6_ROUTER_ALERT_ISOLATE",
					     "IPV6_RECVERR_RFC4884",
					     "IPV6_FLOWLABEL_MGR",
					     [34] = "IPV6_IPSEC_POLICY",
					     "IPV6_XFRM_POLICY",
					     "IPV6_HDRINCL",
					     [49] = "IPV6_RECVPKTINFO",
					     "IPV6_PKTINFO",
					     "IPV6_RECVHOPLIMIT",
					     "IPV6_HOPLIMIT",
					     "IPV6_RECVHOPOPTS",
					     "IPV6_HOPOPTS",
					     "IPV6_RTHDRDSTOPTS",
					     "IPV6_RECVRTHDR",
					     "IPV6_RTHDR",
					     "IPV6_RECVDSTOPTS",
					     "IPV6_DSTOPTS",
					     "IPV6_RECVPATHMTU",
					     "IPV6_PATHMTU",
					     "IPV6_DONTFRAG",
					     [66] = "IPV6_RECVTCLASS",
					     "IPV6_TCLASS",
					     [70] = "IPV6_AUTOFLOWLABEL",
					     [72] = "IPV6_ADDR_PREFERENCES",
					     "IPV6_MINHOPCOUNT",
					     "IPV6_ORIGDSTADDR",
					     "IPV6_TRANSPARENT",
					     "IPV6_UNICAST_IF",
					     "IPV6_RECVFRAGSIZE",
					     "IPV6_FREEBIND" };

static const struct {
	int level;
	const char *name;
	const char *const *options;
} levels[] = {
	{ 0, "IPPROTO_IP", ip_options },      { 1, "SOL_SOCKET", socket_options },
	{ 6, "IPPROTO_TCP", tcp_options },    { 17, "IPPROTO_UDP", udp_options },
	{ 41, "IPPROTO_IPV6", ipv6_options }, { 282, "SOL_TLS", NULL },
	{ 284, "SOL_MPTCP", NULL },
};

/* ---- names ---- */

static const char *name_of(int level, int option)
{
	static char buf[SOCKOPT_NAME_MAX];

	return sockopt_name(buf, sizeof(buf), level, option);
}

START_TEST(each_option_of_a_level_has_its_name)
{
	const char *const *names = levels[_i].options;
	char number[64];

	for (int option = 0; option < N; option++) {
		snprintf(number, sizeof(number), "\"OPT(%d,%d)\"", levels[_i].level, option);
		ck_assert_str_eq(name_of(levels[_i].level, option),
				 names && names[option] ? names[option] : number);
	}
}
END_TEST

START_TEST(options_without_a_name_are_numbers)
{
	ck_assert_str_eq(name_of(1, -1), "\"OPT(1,-1)\"");
	ck_assert_str_eq(name_of(6, 1 << 16 | 1), "\"OPT(6,65537)\"");
	ck_assert_str_eq(name_of(282, 1), "\"OPT(282,1)\"");
	ck_assert_str_eq(name_of(132, 9), "\"OPT(132,9)\"");
	ck_assert_str_eq(name_of(-1, 1), "\"OPT(-1,1)\"");
	ck_assert_str_eq(name_of(INT32_MIN, INT32_MIN), "\"OPT(-2147483648,-2147483648)\"");
}
END_TEST

/* It was called TCP_DEFER_ACCEPT once, which is 9. */
START_TEST(levels_are_found_by_name_and_number)
{
	static const char *const wrong[] = { "",   "SOL", "SOL_SOCKET ", "tcp",
					     "1x", "-1",  "99999999999", "2147483648" };
	char name[SOCKOPT_NAME_MAX];
	int32_t level;

	ck_assert(sockopt_find_level("SOL_SOCKET", &level));
	ck_assert_int_eq(level, 1);
	for (int i = 0; i < 300; i++) {
		ck_assert(sockopt_find_level(sockopt_level(name, sizeof(name), i), &level) ||
			  name[0] == 'L');
		if (strncmp(sockopt_level(name, sizeof(name), i), "LEVEL", 5))
			ck_assert_int_eq(level, i);
	}
	ck_assert(sockopt_find_level("4711", &level));
	ck_assert_int_eq(level, 4711);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!sockopt_find_level(wrong[i], &level), "%s", wrong[i]);
}
END_TEST

START_TEST(fastopen_is_itself)
{
	ck_assert_str_eq(name_of(6, 23), "TCP_FASTOPEN");
	ck_assert_str_eq(name_of(6, 9), "TCP_DEFER_ACCEPT");
}
END_TEST

START_TEST(levels_have_their_names)
{
	char buf[SOCKOPT_NAME_MAX];

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		ck_assert_str_eq(sockopt_level(buf, sizeof(buf), levels[i].level), levels[i].name);
	ck_assert_str_eq(sockopt_level(buf, sizeof(buf), 2), "LEVEL(2)");
	ck_assert_str_eq(sockopt_level(buf, sizeof(buf), 0xffff), "LEVEL(65535)");
	ck_assert_str_eq(sockopt_level(buf, sizeof(buf), -1), "LEVEL(-1)");
}
END_TEST

/* A socket's options by the macros of this system, where its numbers are those. */
START_TEST(names_are_those_of_this_system)
{
	ck_assert_str_eq(name_of(SOL_SOCKET, SO_PASSCRED), "SO_PASSCRED");
	ck_assert_str_eq(name_of(SOL_SOCKET, SO_PEERCRED), "SO_PEERCRED");
	ck_assert_str_eq(name_of(SOL_SOCKET, SO_RCVLOWAT), "SO_RCVLOWAT");
	ck_assert_str_eq(name_of(SOL_SOCKET, SO_SNDLOWAT), "SO_SNDLOWAT");
	ck_assert_str_eq(name_of(SOL_SOCKET, SO_BINDTODEVICE), "SO_BINDTODEVICE");
	ck_assert_str_eq(name_of(IPPROTO_TCP, TCP_CONGESTION), "TCP_CONGESTION");
	ck_assert_str_eq(name_of(IPPROTO_IP, IP_TTL), "IP_TTL");
	ck_assert_str_eq(name_of(IPPROTO_IPV6, IPV6_V6ONLY), "IPV6_V6ONLY");
}
END_TEST

/* ---- values ---- */

enum { LINGER = 13, BINDTODEVICE = 25, RCVTIMEO_NEW = 66, SNDTIMEO_NEW = 67, CONGESTION = 13 };
#ifdef __powerpc__
enum { RCVTIMEO = 18, SNDTIMEO = 19 };
#else
enum { RCVTIMEO = 20, SNDTIMEO = 21 };
#endif

/* Read from a block of that size, at an odd address: no byte more, none aligned. */
static const char *value_text(int level, int option, const void *value, size_t len)
{
	static char field[FORMAT_FIELD_MAX + 1];
	char *copy = malloc(len + 1), *end;

	ck_assert_ptr_ne(copy, NULL);
	memcpy(copy + 1, value, len);
	end = sockopt_text(field, level, option, copy + 1, len);
	ck_assert(end >= field && end < field + FORMAT_FIELD_MAX);
	*end = '\0';
	free(copy);
	return field;
}

START_TEST(linger_is_a_switch_and_seconds)
{
	int32_t value[3] = { 1, 30, 7 };

	ck_assert_str_eq(value_text(1, LINGER, value, 8), "\"1,30\"");
	ck_assert_str_eq(value_text(1, LINGER, value, 12), "\"1,30\"");
	ck_assert_str_eq(value_text(1, LINGER, value, 7), "");
	ck_assert_str_eq(value_text(1, LINGER, value, 0), "");
	value[0] = 0;
	value[1] = 0;
	ck_assert_str_eq(value_text(1, LINGER, value, 8), "\"0,0\"");
	value[0] = value[1] = INT32_MIN;
	ck_assert_str_eq(value_text(1, LINGER, value, 8), "\"-2147483648,-2147483648\"");
}
END_TEST

static const int times[] = { RCVTIMEO, SNDTIMEO, RCVTIMEO_NEW, SNDTIMEO_NEW };

START_TEST(time_has_six_decimals)
{
	int64_t value[2] = { 5, 0 };

	ck_assert_str_eq(value_text(1, times[_i], value, 16), "5.000000");
	value[0] = 0;
	value[1] = 250000;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "0.250000");
	value[1] = 1;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "0.000001");
	value[0] = INT64_MAX;
	value[1] = 999999;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "9223372036854775807.999999");
	value[0] = INT64_MIN;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "-9223372036854775808.999999");
	ck_assert_str_eq(value_text(1, times[_i], value, 7), "");
	ck_assert_str_eq(value_text(1, times[_i], value, 0), "");
}
END_TEST

START_TEST(microseconds_of_no_time_are_no_text)
{
	int64_t value[2] = { 5, 1000000 };

	ck_assert_str_eq(value_text(1, times[_i], value, 16), "");
	value[1] = -1;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "");
	value[1] = INT64_MIN;
	ck_assert_str_eq(value_text(1, times[_i], value, 16), "");
}
END_TEST

START_TEST(old_time_of_32_bits_is_read)
{
	int32_t value[2] = { 5, 250000 };

	ck_assert_str_eq(value_text(1, RCVTIMEO, value, 8), "5.250000");
	ck_assert_str_eq(value_text(1, SNDTIMEO, value, 8), "5.250000");
	ck_assert_str_eq(value_text(1, RCVTIMEO_NEW, value, 8), "");
	ck_assert_str_eq(value_text(1, SNDTIMEO_NEW, value, 8), "");
	value[0] = -2;
	ck_assert_str_eq(value_text(1, RCVTIMEO, value, 8), "-2.250000");
	value[1] = -1;
	ck_assert_str_eq(value_text(1, RCVTIMEO, value, 8), "");
}
END_TEST

static const int names_of[][2] = { { 1, BINDTODEVICE }, { 6, CONGESTION } };

START_TEST(names_end_at_a_nul_or_at_15_bytes)
{
	int level = names_of[_i][0], option = names_of[_i][1];

	ck_assert_str_eq(value_text(level, option, "cubic", 5), "cubic");
	ck_assert_str_eq(value_text(level, option, "bbr\0cubic", 9), "bbr");
	ck_assert_str_eq(value_text(level, option, "0123456789abcdef", 16), "0123456789abcde");
	ck_assert_str_eq(value_text(level, option, "0123456789abcdefghij", 20), "0123456789abcde");
	ck_assert_str_eq(value_text(level, option, "\0eth0", 5), "");
	ck_assert_str_eq(value_text(level, option, "", 0), "");
}
END_TEST

START_TEST(names_are_escaped_and_quoted)
{
	int level = names_of[_i][0], option = names_of[_i][1];

	ck_assert_str_eq(value_text(level, option, "a,b", 3), "\"a,b\"");
	ck_assert_str_eq(value_text(level, option, "a\"b", 3), "\"a\"\"b\"");
	ck_assert_str_eq(value_text(level, option, "a\nb\001", 4), "a\\nb\\x01");
	ck_assert_str_eq(value_text(level, option, "\xff\xfe", 2), "\\xff\\xfe");
	ck_assert_str_eq(value_text(level, option, "gr\xc3\xbcn", 5), "gr\xc3\xbcn");
	ck_assert_str_eq(value_text(level, option, "0123456789abcd\xc3\xbc", 16),
			 "0123456789abcd\\xc3");
}
END_TEST

/* Also of the same number at another level. */
START_TEST(plain_numbers_have_no_text)
{
	char value[64];

	memset(value, 1, sizeof(value));
	for (int level = -1; level < 300; level++)
		for (int option = -1; option < N; option++) {
			if (level == 1 && (option == LINGER || option == BINDTODEVICE ||
					   option == RCVTIMEO || option == SNDTIMEO ||
					   option == RCVTIMEO_NEW || option == SNDTIMEO_NEW))
				continue;
			if (level == 6 && option == CONGESTION)
				continue;
			ck_assert_str_eq(value_text(level, option, value, sizeof(value)), "");
		}
	ck_assert_ptr_eq(sockopt_text(value, 6, CONGESTION, NULL, 0), value);
}
END_TEST

/* What this kernel gives back for what was set. */
START_TEST(kernel_gives_values_of_that_form)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 12 };
	struct timeval tv = { .tv_sec = 3, .tv_usec = 500000 };
	char value[64];
	socklen_t len = sizeof(value);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	ck_assert_int_eq(getsockopt(fd, SOL_SOCKET, SO_LINGER, value, &len), 0);
	ck_assert_str_eq(value_text(SOL_SOCKET, SO_LINGER, value, len), "\"1,12\"");
	len = sizeof(value);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	ck_assert_int_eq(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, value, &len), 0);
	ck_assert_str_eq(value_text(SOL_SOCKET, SO_RCVTIMEO, value, len), "3.500000");
	len = sizeof(value);
	ck_assert_int_eq(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, value, &len), 0);
	ck_assert_str_eq(value_text(IPPROTO_TCP, TCP_CONGESTION, value, len), value);
	ck_assert_str_ne(value, "");
	close(fd);
}
END_TEST

/* ---- fields ---- */

START_TEST(numbers_and_pairs_are_one_field_each)
{
	int32_t linger[2] = { 1, 30 };
	char line[256];
	struct csv_row row;
	int n = snprintf(line, sizeof(line), "%s,%s,y\n", name_of(6, 99),
			 value_text(1, LINGER, linger, sizeof(linger)));

	csv_parse(&row, line, n);
	ck_assert_int_eq(row.n, 3);
	ck_assert_str_eq(row.field[0], "OPT(6,99)");
	ck_assert_str_eq(row.field[1], "1,30");
	csv_free(&row);
}
END_TEST

static TCase *names_case(void)
{
	TCase *tcase = tcase_create("names");

	tcase_add_loop_test(tcase, each_option_of_a_level_has_its_name, 0,
			    sizeof(levels) / sizeof(levels[0]));
	tcase_add_test(tcase, options_without_a_name_are_numbers);
	tcase_add_test(tcase, fastopen_is_itself);
	tcase_add_test(tcase, levels_have_their_names);
	tcase_add_test(tcase, levels_are_found_by_name_and_number);
	if (SOL_SOCKET == 1)
		tcase_add_test(tcase, names_are_those_of_this_system);
	return tcase;
}

/* Addresses, keys, and whatever has no name here; numbers, times and names of interfaces stay. */
START_TEST(secrets_are_known)
{
	static const int secret[][2] = {
		{ IPPROTO_IP, IP_MULTICAST_IF },
		{ IPPROTO_IP, IP_ADD_MEMBERSHIP },
		{ IPPROTO_IP, IP_DROP_MEMBERSHIP },
		{ IPPROTO_IP, 39 },
		{ IPPROTO_IP, 41 },
		{ IPPROTO_IP, 42 },
		{ IPPROTO_IP, 80 },
		{ IPPROTO_IPV6, 20 },
		{ IPPROTO_IPV6, 50 },
		{ IPPROTO_TCP, 14 },
		{ IPPROTO_TCP, 33 },
		{ IPPROTO_TCP, 38 },
		{ 282, 1 },
		{ 99, 1 },
	};
	static const int open[][2] = {
		{ SOL_SOCKET, SO_RCVBUF },
		{ SOL_SOCKET, SO_LINGER },
		{ SOL_SOCKET, SO_BINDTODEVICE },
		{ IPPROTO_TCP, 1 },
		{ IPPROTO_TCP, 13 },
		{ IPPROTO_IP, IP_TTL },
		{ IPPROTO_IPV6, 26 },
	};

	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		ck_assert_msg(sockopt_is_secret(secret[i][0], secret[i][1]), "%zu", i);
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		ck_assert_msg(!sockopt_is_secret(open[i][0], open[i][1]), "%zu", i);
}
END_TEST

static TCase *values_case(void)
{
	TCase *tcase = tcase_create("values");

	tcase_add_test(tcase, linger_is_a_switch_and_seconds);
	tcase_add_loop_test(tcase, time_has_six_decimals, 0, 4);
	tcase_add_loop_test(tcase, microseconds_of_no_time_are_no_text, 0, 4);
	tcase_add_test(tcase, old_time_of_32_bits_is_read);
	tcase_add_loop_test(tcase, names_end_at_a_nul_or_at_15_bytes, 0, 2);
	tcase_add_loop_test(tcase, names_are_escaped_and_quoted, 0, 2);
	tcase_add_test(tcase, plain_numbers_have_no_text);
	if (SOL_SOCKET == 1)
		tcase_add_test(tcase, secrets_are_known);
	if (SOL_SOCKET == 1)
		tcase_add_test(tcase, kernel_gives_values_of_that_form);
	tcase_add_test(tcase, numbers_and_pairs_are_one_field_each);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("sockopt");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, names_case());
	suite_add_tcase(suite, values_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
