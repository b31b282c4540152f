/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of Linux 7.2, for the reason that flags.c gives; 4.14 has the same as
 * far as it goes. MIPS, PA-RISC, SPARC and Alpha have their own ones for sockets
 * and a level of their own, 0xffff, so there these stay numbers.
 */
#include "row/sockopt.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row/format.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { SOCKET = 1, TCP = 6 };

/* arch/powerpc/include/uapi/asm/socket.h has these six in another order. */
#ifdef __powerpc__
enum { RCVLOWAT = 16, SNDLOWAT, RCVTIMEO, SNDTIMEO, PASSCRED, PEERCRED };
#else
enum { PASSCRED = 16, PEERCRED, RCVLOWAT, SNDLOWAT, RCVTIMEO, SNDTIMEO };
#endif

enum { LINGER = 13, BINDTODEVICE = 25, RCVTIMEO_NEW = 66, SNDTIMEO_NEW = 67 };
enum { CONGESTION = 13 }; /* of TCP */

/* clang-format off */
static const char *const socket_options[] = {
	[1] = "SO_DEBUG", [2] = "SO_REUSEADDR", [3] = "SO_TYPE", [4] = "SO_ERROR",
	[5] = "SO_DONTROUTE", [6] = "SO_BROADCAST", [7] = "SO_SNDBUF", [8] = "SO_RCVBUF",
	[9] = "SO_KEEPALIVE", [10] = "SO_OOBINLINE", [11] = "SO_NO_CHECK", [12] = "SO_PRIORITY",
	[13] = "SO_LINGER", [14] = "SO_BSDCOMPAT", [15] = "SO_REUSEPORT",
	[PASSCRED] = "SO_PASSCRED", [PEERCRED] = "SO_PEERCRED",
	[RCVLOWAT] = "SO_RCVLOWAT", [SNDLOWAT] = "SO_SNDLOWAT",
	[RCVTIMEO] = "SO_RCVTIMEO", [SNDTIMEO] = "SO_SNDTIMEO",
	[22] = "SO_SECURITY_AUTHENTICATION", [23] = "SO_SECURITY_ENCRYPTION_TRANSPORT",
	[24] = "SO_SECURITY_ENCRYPTION_NETWORK", [25] = "SO_BINDTODEVICE",
	[26] = "SO_ATTACH_FILTER", [27] = "SO_DETACH_FILTER", [28] = "SO_PEERNAME",
	[29] = "SO_TIMESTAMP", [30] = "SO_ACCEPTCONN", [31] = "SO_PEERSEC",
	[32] = "SO_SNDBUFFORCE", [33] = "SO_RCVBUFFORCE", [34] = "SO_PASSSEC",
	[35] = "SO_TIMESTAMPNS", [36] = "SO_MARK", [37] = "SO_TIMESTAMPING", [38] = "SO_PROTOCOL",
	[39] = "SO_DOMAIN", [40] = "SO_RXQ_OVFL", [41] = "SO_WIFI_STATUS", [42] = "SO_PEEK_OFF",
	[43] = "SO_NOFCS", [44] = "SO_LOCK_FILTER", [45] = "SO_SELECT_ERR_QUEUE",
	[46] = "SO_BUSY_POLL", [47] = "SO_MAX_PACING_RATE", [48] = "SO_BPF_EXTENSIONS",
	[49] = "SO_INCOMING_CPU", [50] = "SO_ATTACH_BPF", [51] = "SO_ATTACH_REUSEPORT_CBPF",
	[52] = "SO_ATTACH_REUSEPORT_EBPF", [53] = "SO_CNX_ADVICE", [55] = "SO_MEMINFO",
	[56] = "SO_INCOMING_NAPI_ID", [57] = "SO_COOKIE", [59] = "SO_PEERGROUPS",
	[60] = "SO_ZEROCOPY", [61] = "SO_TXTIME", [62] = "SO_BINDTOIFINDEX",
	[63] = "SO_TIMESTAMP_NEW", [64] = "SO_TIMESTAMPNS_NEW", [65] = "SO_TIMESTAMPING_NEW",
	[66] = "SO_RCVTIMEO_NEW", [67] = "SO_SNDTIMEO_NEW", [68] = "SO_DETACH_REUSEPORT_BPF",
	[69] = "SO_PREFER_BUSY_POLL", [70] = "SO_BUSY_POLL_BUDGET", [71] = "SO_NETNS_COOKIE",
	[72] = "SO_BUF_LOCK", [73] = "SO_RESERVE_MEM", [74] = "SO_TXREHASH", [75] = "SO_RCVMARK",
	[76] = "SO_PASSPIDFD", [77] = "SO_PEERPIDFD", [78] = "SO_DEVMEM_LINEAR",
	[79] = "SO_DEVMEM_DMABUF", [80] = "SO_DEVMEM_DONTNEED", [81] = "SCM_TS_OPT_ID",
	[82] = "SO_RCVPRIORITY", [83] = "SO_PASSRIGHTS", [84] = "SO_INQ",
};

static const char *const ip_options[] = {
	[1] = "IP_TOS", [2] = "IP_TTL", [3] = "IP_HDRINCL", [4] = "IP_OPTIONS",
	[5] = "IP_ROUTER_ALERT", [6] = "IP_RECVOPTS", [7] = "IP_RETOPTS", [8] = "IP_PKTINFO",
	[9] = "IP_PKTOPTIONS", [10] = "IP_MTU_DISCOVER", [11] = "IP_RECVERR", [12] = "IP_RECVTTL",
	[13] = "IP_RECVTOS", [14] = "IP_MTU", [15] = "IP_FREEBIND", [16] = "IP_IPSEC_POLICY",
	[17] = "IP_XFRM_POLICY", [18] = "IP_PASSSEC", [19] = "IP_TRANSPARENT",
	[20] = "IP_ORIGDSTADDR", [21] = "IP_MINTTL", [22] = "IP_NODEFRAG", [23] = "IP_CHECKSUM",
	[24] = "IP_BIND_ADDRESS_NO_PORT", [25] = "IP_RECVFRAGSIZE", [26] = "IP_RECVERR_RFC4884",
	[32] = "IP_MULTICAST_IF", [33] = "IP_MULTICAST_TTL", [34] = "IP_MULTICAST_LOOP",
	[35] = "IP_ADD_MEMBERSHIP", [36] = "IP_DROP_MEMBERSHIP", [37] = "IP_UNBLOCK_SOURCE",
	[38] = "IP_BLOCK_SOURCE", [39] = "IP_ADD_SOURCE_MEMBERSHIP",
	[40] = "IP_DROP_SOURCE_MEMBERSHIP", [41] = "IP_MSFILTER", [49] = "IP_MULTICAST_ALL",
	[50] = "IP_UNICAST_IF", [51] = "IP_LOCAL_PORT_RANGE", [52] = "IP_PROTOCOL",
};

static const char *const tcp_options[] = {
	[1] = "TCP_NODELAY", [2] = "TCP_MAXSEG", [3] = "TCP_CORK", [4] = "TCP_KEEPIDLE",
	[5] = "TCP_KEEPINTVL", [6] = "TCP_KEEPCNT", [7] = "TCP_SYNCNT", [8] = "TCP_LINGER2",
	[9] = "TCP_DEFER_ACCEPT", [10] = "TCP_WINDOW_CLAMP", [11] = "TCP_INFO",
	[12] = "TCP_QUICKACK", [13] = "TCP_CONGESTION", [14] = "TCP_MD5SIG",
	[16] = "TCP_THIN_LINEAR_TIMEOUTS", [17] = "TCP_THIN_DUPACK", [18] = "TCP_USER_TIMEOUT",
	[19] = "TCP_REPAIR", [20] = "TCP_REPAIR_QUEUE", [21] = "TCP_QUEUE_SEQ",
	[22] = "TCP_REPAIR_OPTIONS", [23] = "TCP_FASTOPEN", [24] = "TCP_TIMESTAMP",
	[25] = "TCP_NOTSENT_LOWAT", [26] = "TCP_CC_INFO", [27] = "TCP_SAVE_SYN",
	[28] = "TCP_SAVED_SYN", [29] = "TCP_REPAIR_WINDOW", [30] = "TCP_FASTOPEN_CONNECT",
	[31] = "TCP_ULP", [32] = "TCP_MD5SIG_EXT", [33] = "TCP_FASTOPEN_KEY",
	[34] = "TCP_FASTOPEN_NO_COOKIE", [35] = "TCP_ZEROCOPY_RECEIVE", [36] = "TCP_INQ",
	[37] = "TCP_TX_DELAY", [38] = "TCP_AO_ADD_KEY", [39] = "TCP_AO_DEL_KEY",
	[40] = "TCP_AO_INFO", [41] = "TCP_AO_GET_KEYS", [42] = "TCP_AO_REPAIR",
	[43] = "TCP_IS_MPTCP", [44] = "TCP_RTO_MAX_MS", [45] = "TCP_RTO_MIN_US",
	[46] = "TCP_DELACK_MAX_US",
};

static const char *const udp_options[] = {
	[1] = "UDP_CORK", [100] = "UDP_ENCAP", [101] = "UDP_NO_CHECK6_TX",
	[102] = "UDP_NO_CHECK6_RX", [103] = "UDP_SEGMENT", [104] = "UDP_GRO",
};

static const char *const ipv6_options[] = {
	[1] = "IPV6_ADDRFORM", [2] = "IPV6_2292PKTINFO", [3] = "IPV6_2292HOPOPTS",
	[4] = "IPV6_2292DSTOPTS", [5] = "IPV6_2292RTHDR", [6] = "IPV6_2292PKTOPTIONS",
	[7] = "IPV6_CHECKSUM", [8] = "IPV6_2292HOPLIMIT", [9] = "IPV6_NEXTHOP",
	[10] = "IPV6_AUTHHDR", [11] = "IPV6_FLOWINFO", [16] = "IPV6_UNICAST_HOPS",
	[17] = "IPV6_MULTICAST_IF", [18] = "IPV6_MULTICAST_HOPS", [19] = "IPV6_MULTICAST_LOOP",
	[20] = "IPV6_ADD_MEMBERSHIP", [21] = "IPV6_DROP_MEMBERSHIP", [22] = "IPV6_ROUTER_ALERT",
	[23] = "IPV6_MTU_DISCOVER", [24] = "IPV6_MTU", [25] = "IPV6_RECVERR", [26] = "IPV6_V6ONLY",
	[27] = "IPV6_JOIN_ANYCAST", [28] = "IPV6_LEAVE_ANYCAST", [29] = "IPV6_MULTICAST_ALL",
	[30] = "IPV6_ROUTER_ALERT_ISOLATE", [31] = "IPV6_RECVERR_RFC4884",
	[32] = "IPV6_FLOWLABEL_MGR", [34] = "IPV6_IPSEC_POLICY", [35] = "IPV6_XFRM_POLICY",
	[36] = "IPV6_HDRINCL", [49] = "IPV6_RECVPKTINFO", [50] = "IPV6_PKTINFO",
	[51] = "IPV6_RECVHOPLIMIT", [52] = "IPV6_HOPLIMIT", [53] = "IPV6_RECVHOPOPTS",
	[54] = "IPV6_HOPOPTS", [55] = "IPV6_RTHDRDSTOPTS", [56] = "IPV6_RECVRTHDR",
	[57] = "IPV6_RTHDR", [58] = "IPV6_RECVDSTOPTS", [59] = "IPV6_DSTOPTS",
	[60] = "IPV6_RECVPATHMTU", [61] = "IPV6_PATHMTU", [62] = "IPV6_DONTFRAG",
	[66] = "IPV6_RECVTCLASS", [67] = "IPV6_TCLASS", [70] = "IPV6_AUTOFLOWLABEL",
	[72] = "IPV6_ADDR_PREFERENCES", [73] = "IPV6_MINHOPCOUNT", [74] = "IPV6_ORIGDSTADDR",
	[75] = "IPV6_TRANSPARENT", [76] = "IPV6_UNICAST_IF", [77] = "IPV6_RECVFRAGSIZE",
	[78] = "IPV6_FREEBIND",
};

static const struct level {
	int level;
	unsigned n_options;
	const char *name;
	const char *const *options;
} levels[] = {
	{ 0, N_OF(ip_options), "IPPROTO_IP", ip_options },
	{ SOCKET, N_OF(socket_options), "SOL_SOCKET", socket_options },
	{ TCP, N_OF(tcp_options), "IPPROTO_TCP", tcp_options },
	{ 17, N_OF(udp_options), "IPPROTO_UDP", udp_options },
	{ 41, N_OF(ipv6_options), "IPPROTO_IPV6", ipv6_options },
	{ 282, 0, "SOL_TLS", NULL },
	{ 284, 0, "SOL_MPTCP", NULL },
};
/* clang-format on */

static const struct level *find_level(int level)
{
	for (size_t i = 0; i < N_OF(levels); i++)
		if (levels[i].level == level)
			return &levels[i];
	return NULL;
}

bool sockopt_find_level(const char *text, int32_t *level)
{
	char *end;
	long n;

	for (size_t i = 0; i < N_OF(levels); i++) {
		if (strcmp(levels[i].name, text) == 0) {
			*level = levels[i].level;
			return true;
		}
	}
	errno = 0;
	n = strtol(text, &end, 10);
	*level = n;
	return isdigit((unsigned char)text[0]) && !*end && !errno && n <= INT32_MAX;
}

const char *sockopt_level(char *buf, size_t size, int level)
{
	const struct level *known = find_level(level);

	if (known)
		return known->name;
	snprintf(buf, size, "LEVEL(%d)", level);
	return buf;
}

const char *sockopt_name(char *buf, size_t size, int level, int option)
{
	const struct level *known = find_level(level);
	/* a negative number is larger than any that has a name */
	unsigned n = option;

	if (known && n < known->n_options && known->options[n])
		return known->options[n];
	snprintf(buf, size, "\"OPT(%d,%d)\"", level, option);
	return buf;
}

/* ---- secrets ---- */

/* clang-format off */
static const struct secret {
	unsigned char level, option;
} secrets[] = {
	/* routes and what came with a packet; addresses of groups, interfaces and sources; policies */
	{ 0, 4 }, { 0, 7 }, { 0, 8 }, { 0, 9 }, { 0, 16 }, { 0, 17 }, { 0, 32 }, { 0, 35 },
	{ 0, 36 }, { 0, 37 }, { 0, 38 }, { 0, 39 }, { 0, 40 }, { 0, 41 },
	/* SO_SECURITY_*, the peer's address and label */
	{ SOCKET, 22 }, { SOCKET, 23 }, { SOCKET, 24 }, { SOCKET, 28 }, { SOCKET, 31 },
	/* keys of MD5, of fast open and of TCP-AO, each with its peer; a packet that was kept */
	{ TCP, 14 }, { TCP, 28 }, { TCP, 32 }, { TCP, 33 }, { TCP, 38 }, { TCP, 39 }, { TCP, 40 },
	{ TCP, 41 }, { TCP, 42 },
	/* the same of IPv6: packet information, headers, next hop, groups, flow labels, policies */
	{ 41, 2 }, { 41, 3 }, { 41, 4 }, { 41, 5 }, { 41, 6 }, { 41, 9 }, { 41, 10 }, { 41, 20 },
	{ 41, 21 }, { 41, 27 }, { 41, 28 }, { 41, 32 }, { 41, 34 }, { 41, 35 }, { 41, 50 },
	{ 41, 54 }, { 41, 55 }, { 41, 57 }, { 41, 59 }, { 41, 61 },
};
/* clang-format on */

bool sockopt_is_secret(int level, int option)
{
	const struct level *known = find_level(level);
	unsigned n = option;

	if (!known || n >= known->n_options || !known->options[n])
		return true;
	for (size_t i = 0; i < N_OF(secrets); i++)
		if (secrets[i].level == level && secrets[i].option == option)
			return true;
	return false;
}

/* ---- values ---- */

static char *put_linger(char *p, const void *value, size_t len)
{
	int32_t linger[2]; /* on, seconds */

	if (len < sizeof(linger))
		return p;
	memcpy(linger, value, sizeof(linger));
	*p++ = '"';
	p = put_s(p, linger[0]);
	*p++ = ',';
	p = put_s(p, linger[1]);
	*p++ = '"';
	return p;
}

/* The kernel refuses other microseconds (EDOM), which would read as another time. */
static char *put_seconds(char *p, int64_t sec, int64_t usec)
{
	if (usec < 0 || usec > 999999)
		return p;
	p = put_s(p, sec);
	*p++ = '.';
	p = put_bytes(p, format_digits + usec / 10000 * 2, 2);
	p = put_bytes(p, format_digits + usec / 100 % 100 * 2, 2);
	return put_bytes(p, format_digits + usec % 100 * 2, 2);
}

static char *put_timeval(char *p, const void *value, size_t len)
{
	int64_t tv[2];

	if (len < sizeof(tv))
		return p;
	memcpy(tv, value, sizeof(tv));
	return put_seconds(p, tv[0], tv[1]);
}

/* Eight bytes come from a task of 32 bits: others are refused with so few (EINVAL). */
static char *put_old_timeval(char *p, const void *value, size_t len)
{
	int32_t tv[2];

	if (len >= 2 * sizeof(int64_t))
		return put_timeval(p, value, len);
	if (len < sizeof(tv))
		return p;
	memcpy(tv, value, sizeof(tv));
	return put_seconds(p, tv[0], tv[1]);
}

/* The kernel takes 15 bytes of a name (IFNAMSIZ, TCP_CA_NAME_MAX), no NUL needed. */
static char *put_name(char *p, const void *value, size_t len)
{
	bool escaped;

	return p + format_quote(p, value, strnlen(value, len < 15 ? len : 15), &escaped);
}

/* clang-format off */
static const struct decoder {
	int level;
	int option;
	char *(*put)(char *p, const void *value, size_t len);
} decoders[] = {
	{ SOCKET, LINGER, put_linger },
	{ SOCKET, RCVTIMEO, put_old_timeval },
	{ SOCKET, SNDTIMEO, put_old_timeval },
	{ SOCKET, RCVTIMEO_NEW, put_timeval },
	{ SOCKET, SNDTIMEO_NEW, put_timeval },
	{ SOCKET, BINDTODEVICE, put_name },
	{ TCP, CONGESTION, put_name },
};
/* clang-format on */

char *sockopt_text(char *p, int level, int option, const void *value, size_t len)
{
	if (!len)
		return p;
	for (size_t i = 0; i < N_OF(decoders); i++)
		if (decoders[i].level == level && decoders[i].option == option)
			return decoders[i].put(p, value, len);
	return p;
}
