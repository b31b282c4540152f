/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names around sockets and epoll, as numbers for the reason that flags.c gives.
 * They are those of Linux 7.2 and the same in 4.14 as far as 4.14 has them. A
 * 0 that is known and has no name is printed: an empty cell says not known.
 */
#include "row/flags_net.h"

#include <sys/socket.h>

#include "row/flags_private.h"

/* clang-format off */
static const struct flag_name msg_names[] = {
	BITS(0x1, "MSG_OOB"),
	BITS(0x2, "MSG_PEEK"),
	BITS(0x4, "MSG_DONTROUTE"),
	BITS(0x8, "MSG_CTRUNC"),
	BITS(0x10, "MSG_PROBE"),
	BITS(0x20, "MSG_TRUNC"),
	BITS(0x40, "MSG_DONTWAIT"),
	BITS(0x80, "MSG_EOR"),
	BITS(0x100, "MSG_WAITALL"),
	BITS(0x200, "MSG_FIN"),
	BITS(0x400, "MSG_SYN"),
	BITS(0x800, "MSG_CONFIRM"),
	BITS(0x1000, "MSG_RST"),
	BITS(0x2000, "MSG_ERRQUEUE"),
	BITS(0x4000, "MSG_NOSIGNAL"),
	BITS(0x8000, "MSG_MORE"),
	BITS(0x10000, "MSG_WAITFORONE"),
	BITS(0x40000, "MSG_BATCH"),
	BITS(0x2000000, "MSG_SOCK_DEVMEM"),
	BITS(0x4000000, "MSG_ZEROCOPY"),
	BITS(0x8000000, "MSG_SPLICE_PAGES"),
	BITS(0x20000000, "MSG_FASTOPEN"),
	BITS(0x40000000, "MSG_CMSG_CLOEXEC"),
	END
};
const struct flag_set flags_msg = { .names = msg_names };

static const struct flag_name af_names[] = {
	VALUE(0, "AF(0)"),
	VALUE(1, "AF_UNIX"),
	VALUE(2, "AF_INET"),
	VALUE(3, "AF_AX25"),
	VALUE(4, "AF_IPX"),
	VALUE(5, "AF_APPLETALK"),
	VALUE(6, "AF_NETROM"),
	VALUE(7, "AF_BRIDGE"),
	VALUE(8, "AF_ATMPVC"),
	VALUE(9, "AF_X25"),
	VALUE(10, "AF_INET6"),
	VALUE(11, "AF_ROSE"),
	VALUE(12, "AF_DECnet"),
	VALUE(13, "AF_NETBEUI"),
	VALUE(14, "AF_SECURITY"),
	VALUE(15, "AF_KEY"),
	VALUE(16, "AF_NETLINK"),
	VALUE(17, "AF_PACKET"),
	VALUE(18, "AF_ASH"),
	VALUE(19, "AF_ECONET"),
	VALUE(20, "AF_ATMSVC"),
	VALUE(21, "AF_RDS"),
	VALUE(22, "AF_SNA"),
	VALUE(23, "AF_IRDA"),
	VALUE(24, "AF_PPPOX"),
	VALUE(25, "AF_WANPIPE"),
	VALUE(26, "AF_LLC"),
	VALUE(27, "AF_IB"),
	VALUE(28, "AF_MPLS"),
	VALUE(29, "AF_CAN"),
	VALUE(30, "AF_TIPC"),
	VALUE(31, "AF_BLUETOOTH"),
	VALUE(32, "AF_IUCV"),
	VALUE(33, "AF_RXRPC"),
	VALUE(34, "AF_ISDN"),
	VALUE(35, "AF_PHONET"),
	VALUE(36, "AF_IEEE802154"),
	VALUE(37, "AF_CAIF"),
	VALUE(38, "AF_ALG"),
	VALUE(39, "AF_NFC"),
	VALUE(40, "AF_VSOCK"),
	VALUE(41, "AF_KCM"),
	VALUE(42, "AF_QIPCRTR"),
	VALUE(43, "AF_SMC"),
	VALUE(44, "AF_XDP"),
	VALUE(45, "AF_MCTP"),
	END
};
const struct flag_set flags_af = { .names = af_names, .unknown = "AF(%d)" };

#ifdef __mips__
enum { STREAM = 2, DGRAM = 1 };
#else
enum { STREAM = 1, DGRAM = 2 };
#endif

static const struct flag_name sock_type_names[] = {
	VALUE(0, "TYPE(0)"),
	VALUE(STREAM, "SOCK_STREAM"),
	VALUE(DGRAM, "SOCK_DGRAM"),
	VALUE(3, "SOCK_RAW"),
	VALUE(4, "SOCK_RDM"),
	VALUE(5, "SOCK_SEQPACKET"),
	VALUE(6, "SOCK_DCCP"),
	VALUE(10, "SOCK_PACKET"),
	END
};
const struct flag_set flags_sock_type = { .names = sock_type_names, .unknown = "TYPE(%d)" };

static const struct flag_name shutdown_names[] = {
	VALUE(0, "SHUT_RD"),
	VALUE(1, "SHUT_WR"),
	VALUE(2, "SHUT_RDWR"),
	END
};
const struct flag_set flags_shutdown = { .names = shutdown_names, .unknown = "HOW(%d)" };

/* Bits without a name leave no empty cell, which would say that there is no mask. */
static const struct flag_name epoll_names[] = {
	BITS(0x1, "EPOLLIN"),
	BITS(0x2, "EPOLLPRI"),
	BITS(0x4, "EPOLLOUT"),
	BITS(0x8, "EPOLLERR"),
	BITS(0x10, "EPOLLHUP"),
	BITS(0x20, "EPOLLNVAL"),
	BITS(0x40, "EPOLLRDNORM"),
	BITS(0x80, "EPOLLRDBAND"),
	BITS(0x100, "EPOLLWRNORM"),
	BITS(0x200, "EPOLLWRBAND"),
	BITS(0x400, "EPOLLMSG"),
	BITS(0x2000, "EPOLLRDHUP"),
	BITS(0x8000000, "EPOLL_URING_WAKE"),
	BITS(0x10000000, "EPOLLEXCLUSIVE"),
	BITS(0x20000000, "EPOLLWAKEUP"),
	BITS(0x40000000, "EPOLLONESHOT"),
	BITS(0x80000000, "EPOLLET"),
	END
};
const struct flag_set flags_epoll = { .names = epoll_names, .unknown = "NONE|0x%x" };

static const struct flag_name epoll_op_names[] = {
	VALUE(0, "OP(0)"),
	VALUE(1, "EPOLL_CTL_ADD"),
	VALUE(2, "EPOLL_CTL_DEL"),
	VALUE(3, "EPOLL_CTL_MOD"),
	END
};
const struct flag_set flags_epoll_op = { .names = epoll_op_names, .unknown = "OP(%d)" };

/* Spelled as readers of these columns know them, not as the headers have it. */
static const struct flag_name ip_proto_names[] = {
	VALUE(0, "HOPOPT"),
	VALUE(1, "ICMP"),
	VALUE(2, "IGMP"),
	VALUE(3, "GGP"),
	VALUE(4, "IP-in-IP"),
	VALUE(6, "TCP"),
	VALUE(8, "EGP"),
	VALUE(9, "IGP"),
	VALUE(17, "UDP"),
	VALUE(27, "RDP"),
	VALUE(33, "DCCP"),
	VALUE(41, "IPv6"),
	VALUE(43, "IPv6-Route"),
	VALUE(44, "IPv6-Frag"),
	VALUE(47, "GRE"),
	VALUE(50, "ESP"),
	VALUE(51, "AH"),
	VALUE(58, "ICMPv6"),
	VALUE(59, "IPv6-NoNxt"),
	VALUE(60, "IPv6-Opts"),
	VALUE(89, "OSPF"),
	VALUE(103, "PIM"),
	VALUE(108, "IPComp"),
	VALUE(112, "VRRP"),
	VALUE(115, "L2TP"),
	VALUE(132, "SCTP"),
	VALUE(136, "UDPLite"),
	VALUE(137, "MPLS-in-IP"),
	VALUE(262, "MPTCP"),
	END
};
const struct flag_set flags_ip_proto = { .names = ip_proto_names, .unknown = "PROTO(%d)" };

static const struct flag_name tcp_state_names[] = {
	VALUE(0, "STATE(0)"),
	VALUE(1, "ESTABLISHED"),
	VALUE(2, "SYN_SENT"),
	VALUE(3, "SYN_RECV"),
	VALUE(4, "FIN_WAIT1"),
	VALUE(5, "FIN_WAIT2"),
	VALUE(6, "TIME_WAIT"),
	VALUE(7, "CLOSE"),
	VALUE(8, "CLOSE_WAIT"),
	VALUE(9, "LAST_ACK"),
	VALUE(10, "LISTEN"),
	VALUE(11, "CLOSING"),
	VALUE(12, "NEW_SYN_RECV"),
	VALUE(13, "BOUND_INACTIVE"),
	END
};
const struct flag_set flags_tcp_state = { .names = tcp_state_names, .unknown = "STATE(%u)" };
/* clang-format on */

struct flags flags_of_type(uint32_t type)
{
	return (struct flags){ &flags_sock_type, type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC) };
}
