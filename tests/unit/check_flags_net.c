/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names around sockets, epoll and io_uring: in every table each bit or value,
 * all bits, none and what has no name, all written out once more.
 */
#include "row/flags.h"

#include <check.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fixture/fixture_flags.h"
#include "row/flags_net.h"
#include "row/flags_uring.h"

/* ---- sockets ---- */

START_TEST(message_flags_have_their_names)
{
	static const char *const bits[32] = {
		"MSG_OOB",
		"MSG_PEEK",
		"MSG_DONTROUTE",
		"MSG_CTRUNC",
		"MSG_PROBE",
		"MSG_TRUNC",
		"MSG_DONTWAIT",
		"MSG_EOR",
		"MSG_WAITALL",
		"MSG_FIN",
		"MSG_SYN",
		"MSG_CONFIRM",
		"MSG_RST",
		"MSG_ERRQUEUE",
		"MSG_NOSIGNAL",
		"MSG_MORE",
		"MSG_WAITFORONE",
		[18] = "MSG_BATCH",
		[25] = "MSG_SOCK_DEVMEM",
		"MSG_ZEROCOPY",
		"MSG_SPLICE_PAGES",
		[29] = "MSG_FASTOPEN",
		"MSG_CMSG_CLOEXEC",
	};
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x4040, "MSG_DONTWAIT|MSG_NOSIGNAL" },
		{ 0x8008000, "MSG_MORE|MSG_SPLICE_PAGES" },
		{ 0x20020, "MSG_TRUNC|0x20000" },
		{ 0x80080000, "0x80080000" },
		{ 0xffffffff, "MSG_OOB|MSG_PEEK|MSG_DONTROUTE|MSG_CTRUNC|MSG_PROBE|MSG_TRUNC|"
			      "MSG_DONTWAIT|MSG_EOR|MSG_WAITALL|MSG_FIN|MSG_SYN|MSG_CONFIRM|"
			      "MSG_RST|MSG_ERRQUEUE|MSG_NOSIGNAL|MSG_MORE|MSG_WAITFORONE|"
			      "MSG_BATCH|MSG_SOCK_DEVMEM|MSG_ZEROCOPY|MSG_SPLICE_PAGES|"
			      "MSG_FASTOPEN|MSG_CMSG_CLOEXEC|0x91fa0000" },
	};

	check_bits(&flags_msg, bits, "", "0x%x");
	check_samples(&flags_msg, samples, N_OF(samples));
}
END_TEST

START_TEST(address_family_has_one_name)
{
	static const char *const values[64] = {
		[1] = "AF_UNIX", "AF_INET",    "AF_AX25",    "AF_IPX",      "AF_APPLETALK",
		"AF_NETROM",     "AF_BRIDGE",  "AF_ATMPVC",  "AF_X25",      "AF_INET6",
		"AF_ROSE",       "AF_DECnet",  "AF_NETBEUI", "AF_SECURITY", "AF_KEY",
		"AF_NETLINK",    "AF_PACKET",  "AF_ASH",     "AF_ECONET",   "AF_ATMSVC",
		"AF_RDS",        "AF_SNA",     "AF_IRDA",    "AF_PPPOX",    "AF_WANPIPE",
		"AF_LLC",        "AF_IB",      "AF_MPLS",    "AF_CAN",      "AF_TIPC",
		"AF_BLUETOOTH",  "AF_IUCV",    "AF_RXRPC",   "AF_ISDN",     "AF_PHONET",
		"AF_IEEE802154", "AF_CAIF",    "AF_ALG",     "AF_NFC",      "AF_VSOCK",
		"AF_KCM",        "AF_QIPCRTR", "AF_SMC",     "AF_XDP",      "AF_MCTP"
	};
	static const struct sample samples[] = {
		{ 0, "AF(0)" },
		{ 46, "AF(46)" },
		{ 0x10002, "AF(65538)" },
		{ 0xffffffff, "AF(-1)" },
	};

	check_values(&flags_af, values, N_OF(values), "AF(%u)");
	check_samples(&flags_af, samples, N_OF(samples));
}
END_TEST

#ifdef __mips__
enum { STREAM = 2, DGRAM = 1 };
#else
enum { STREAM = 1, DGRAM = 2 };
#endif

static const char *const socket_types[32] = {
	[STREAM] = "SOCK_STREAM", [DGRAM] = "SOCK_DGRAM", [3] = "SOCK_RAW",     [4] = "SOCK_RDM",
	[5] = "SOCK_SEQPACKET",   [6] = "SOCK_DCCP",      [10] = "SOCK_PACKET",
};

START_TEST(socket_type_has_one_name)
{
	static const struct sample samples[] = {
		{ 0, "TYPE(0)" },
		{ 0x100, "TYPE(256)" },
		{ 0xffffffff, "TYPE(-1)" },
	};

	check_values(&flags_sock_type, socket_types, N_OF(socket_types), "TYPE(%u)");
	check_samples(&flags_sock_type, samples, N_OF(samples));
}
END_TEST

static const char *type_text(uint32_t type)
{
	struct flags flags = flags_of_type(type);

	return text_of(flags.set, flags.value);
}

/* Other bits stay: no kernel takes such a type. */
START_TEST(socket_type_does_not_count_its_flags)
{
	ck_assert_str_eq(type_text(SOCK_STREAM), "SOCK_STREAM");
	ck_assert_str_eq(type_text(SOCK_STREAM | SOCK_NONBLOCK), "SOCK_STREAM");
	ck_assert_str_eq(type_text(SOCK_DGRAM | SOCK_CLOEXEC), "SOCK_DGRAM");
	ck_assert_str_eq(type_text(SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC), "SOCK_RAW");
	ck_assert_str_eq(type_text(11 | SOCK_NONBLOCK), "TYPE(11)");
	ck_assert_str_eq(type_text(SOCK_CLOEXEC), "TYPE(0)");
	ck_assert_str_eq(type_text(SOCK_RAW | 0x100), "TYPE(259)");
}
END_TEST

/* Reading is 0, and no empty cell. */
START_TEST(shutdown_has_one_name)
{
	static const char *const values[16] = { "SHUT_RD", "SHUT_WR", "SHUT_RDWR" };
	static const struct sample samples[] = {
		{ 0, "SHUT_RD" },
		{ 3, "HOW(3)" },
		{ 0xffffffff, "HOW(-1)" },
	};

	check_values(&flags_shutdown, values, N_OF(values), "HOW(%u)");
	check_samples(&flags_shutdown, samples, N_OF(samples));
}
END_TEST

START_TEST(protocol_has_one_name)
{
	static const char *const values[300] = {
		"HOPOPT",
		"ICMP",
		"IGMP",
		"GGP",
		"IP-in-IP",
		[6] = "TCP",
		[8] = "EGP",
		"IGP",
		[17] = "UDP",
		[27] = "RDP",
		[33] = "DCCP",
		[41] = "IPv6",
		[43] = "IPv6-Route",
		"IPv6-Frag",
		[47] = "GRE",
		[50] = "ESP",
		"AH",
		[58] = "ICMPv6",
		"IPv6-NoNxt",
		"IPv6-Opts",
		[89] = "OSPF",
		[103] = "PIM",
		[108] = "IPComp",
		[112] = "VRRP",
		[115] = "L2TP",
		[132] = "SCTP",
		[136] = "UDPLite",
		"MPLS-in-IP",
		[262] = "MPTCP",
	};
	static const struct sample samples[] = {
		{ 0, "HOPOPT" },
		{ 255, "PROTO(255)" },
		{ 0x10006, "PROTO(65542)" },
		{ 0xffffffff, "PROTO(-1)" },
	};

	check_values(&flags_ip_proto, values, N_OF(values), "PROTO(%u)");
	check_samples(&flags_ip_proto, samples, N_OF(samples));
}
END_TEST

START_TEST(tcp_state_has_one_name)
{
	static const char *const values[32] = {
		[1] = "ESTABLISHED", "SYN_SENT",     "SYN_RECV",       "FIN_WAIT1", "FIN_WAIT2",
		"TIME_WAIT",         "CLOSE",        "CLOSE_WAIT",     "LAST_ACK",  "LISTEN",
		"CLOSING",           "NEW_SYN_RECV", "BOUND_INACTIVE",
	};
	static const struct sample samples[] = {
		{ 0, "STATE(0)" },
		{ 14, "STATE(14)" },
		{ 255, "STATE(255)" },
	};

	check_values(&flags_tcp_state, values, N_OF(values), "STATE(%u)");
	check_samples(&flags_tcp_state, samples, N_OF(samples));
}
END_TEST

/* ---- epoll ---- */

/* NONE says that there is a mask; its bits are not lost. */
START_TEST(epoll_mask_has_its_names)
{
	static const char *const bits[32] = { "EPOLLIN",
					      "EPOLLPRI",
					      "EPOLLOUT",
					      "EPOLLERR",
					      "EPOLLHUP",
					      "EPOLLNVAL",
					      "EPOLLRDNORM",
					      "EPOLLRDBAND",
					      "EPOLLWRNORM",
					      "EPOLLWRBAND",
					      "EPOLLMSG",
					      [13] = "EPOLLRDHUP",
					      [27] = "EPOLL_URING_WAKE",
					      "EPOLLEXCLUSIVE",
					      "EPOLLWAKEUP",
					      "EPOLLONESHOT",
					      "EPOLLET" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x80002001, "EPOLLIN|EPOLLRDHUP|EPOLLET" },
		{ 0x1001, "EPOLLIN|0x1000" },
		{ 0x1800, "NONE|0x1800" },
		{ 0xffffffff, "EPOLLIN|EPOLLPRI|EPOLLOUT|EPOLLERR|EPOLLHUP|EPOLLNVAL|"
			      "EPOLLRDNORM|EPOLLRDBAND|EPOLLWRNORM|EPOLLWRBAND|EPOLLMSG|"
			      "EPOLLRDHUP|EPOLL_URING_WAKE|EPOLLEXCLUSIVE|EPOLLWAKEUP|"
			      "EPOLLONESHOT|EPOLLET|0x7ffd800" },
	};

	check_bits(&flags_epoll, bits, "", "NONE|0x%x");
	check_samples(&flags_epoll, samples, N_OF(samples));
}
END_TEST

START_TEST(epoll_operation_has_one_name)
{
	static const char *const values[16] = {
		[1] = "EPOLL_CTL_ADD",
		"EPOLL_CTL_DEL",
		"EPOLL_CTL_MOD",
	};
	static const struct sample samples[] = {
		{ 0, "OP(0)" },
		{ 4, "OP(4)" },
		{ 0xffffffff, "OP(-1)" },
	};

	check_values(&flags_epoll_op, values, N_OF(values), "OP(%u)");
	check_samples(&flags_epoll_op, samples, N_OF(samples));
}
END_TEST

/* ---- io_uring ---- */

START_TEST(uring_opcode_has_one_name)
{
	static const char *const values[256] = { "NOP",
						 "READV",
						 "WRITEV",
						 "FSYNC",
						 "READ_FIXED",
						 "WRITE_FIXED",
						 "POLL_ADD",
						 "POLL_REMOVE",
						 "SYNC_FILE_RANGE",
						 "SENDMSG",
						 "RECVMSG",
						 "TIMEOUT",
						 "TIMEOUT_REMOVE",
						 "ACCEPT",
						 "ASYNC_CANCEL",
						 "LINK_TIMEOUT",
						 "CONNECT",
						 "FALLOCATE",
						 "OPENAT",
						 "CLOSE",
						 "FILES_UPDATE",
						 "STATX",
						 "READ",
						 "WRITE",
						 "FADVISE",
						 "MADVISE",
						 "SEND",
						 "RECV",
						 "OPENAT2",
						 "EPOLL_CTL",
						 "SPLICE",
						 "PROVIDE_BUFFERS",
						 "REMOVE_BUFFERS",
						 "TEE",
						 "SHUTDOWN",
						 "RENAMEAT",
						 "UNLINKAT",
						 "MKDIRAT",
						 "SYMLINKAT",
						 "LINKAT",
						 "MSG_RING",
						 "FSETXATTR",
						 "SETXATTR",
						 "FGETXATTR",
						 "GETXATTR",
						 "SOCKET",
						 "URING_CMD",
						 "SEND_ZC",
						 "SENDMSG_ZC",
						 "READ_MULTISHOT",
						 "WAITID",
						 "FUTEX_WAIT",
						 "FUTEX_WAKE",
						 "FUTEX_WAITV",
						 "FIXED_FD_INSTALL",
						 "FTRUNCATE",
						 "BIND",
						 "LISTEN",
						 "RECV_ZC",
						 "EPOLL_WAIT",
						 "READV_FIXED",
						 "WRITEV_FIXED",
						 "PIPE",
						 "NOP128",
						 "URING_CMD128",
						 [255] = "IO_URING_ENTER" };
	static const struct sample samples[] = {
		{ 0, "NOP" },
		{ 65, "OP(65)" },
		{ 256, "OP(256)" },
		{ 0xffffffff, "OP(4294967295)" },
	};

	check_values(&flags_uring_op, values, N_OF(values), "OP(%u)");
	check_samples(&flags_uring_op, samples, N_OF(samples));
}
END_TEST

START_TEST(uring_submission_flags_have_their_names)
{
	static const char *const bits[32] = { "FIXED_FILE",       "IO_DRAIN",       "IO_LINK",
					      "IO_HARDLINK",      "ASYNC",          "BUFFER_SELECT",
					      "CQE_SKIP_SUCCESS", [8] = "AMBIGUOUS" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x11, "FIXED_FILE|ASYNC" },
		{ 0x84, "IO_LINK|0x80" },
		{ 0x100, "AMBIGUOUS" },
		{ 0xffffffff, "FIXED_FILE|IO_DRAIN|IO_LINK|IO_HARDLINK|ASYNC|BUFFER_SELECT|"
			      "CQE_SKIP_SUCCESS|AMBIGUOUS|0xfffffe80" },
	};

	check_bits(&flags_uring_sqe, bits, "", "0x%x");
	check_samples(&flags_uring_sqe, samples, N_OF(samples));
}
END_TEST

START_TEST(uring_enter_flags_have_their_names)
{
	static const char *const bits[32] = { "GETEVENTS",   "SQ_WAKEUP",       "SQ_WAIT",
					      "EXT_ARG",     "REGISTERED_RING", "ABS_TIMER",
					      "EXT_ARG_REG", "NO_IOWAIT" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x9, "GETEVENTS|EXT_ARG" },
		{ 0x101, "GETEVENTS|0x100" },
		{ 0xffffffff, "GETEVENTS|SQ_WAKEUP|SQ_WAIT|EXT_ARG|REGISTERED_RING|ABS_TIMER|"
			      "EXT_ARG_REG|NO_IOWAIT|0xffffff00" },
	};

	check_bits(&flags_uring_enter, bits, "", "0x%x");
	check_samples(&flags_uring_enter, samples, N_OF(samples));
}
END_TEST

START_TEST(uring_setup_flags_have_their_names)
{
	static const char *const bits[32] = {
		"IOPOLL",        "SQPOLL",        "SQ_AFF",     "CQSIZE",
		"CLAMP",         "ATTACH_WQ",     "R_DISABLED", "SUBMIT_ALL",
		"COOP_TASKRUN",  "TASKRUN_FLAG",  "SQE128",     "CQE32",
		"SINGLE_ISSUER", "DEFER_TASKRUN", "NO_MMAP",    "REGISTERED_FD_ONLY",
		"NO_SQARRAY",    "HYBRID_IOPOLL", "CQE_MIXED",  "SQE_MIXED",
		"SQ_REWIND"
	};
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x3, "IOPOLL|SQPOLL" },
		{ 0x80200000, "0x80200000" },
	};

	check_bits(&flags_uring_setup, bits, "", "0x%x");
	check_samples(&flags_uring_setup, samples, N_OF(samples));
}
END_TEST

START_TEST(uring_registration_has_one_name)
{
	static const char *const values[] = {
		"REGISTER_BUFFERS",       "UNREGISTER_BUFFERS",        "REGISTER_FILES",
		"UNREGISTER_FILES",       "REGISTER_EVENTFD",          "UNREGISTER_EVENTFD",
		"REGISTER_FILES_UPDATE",  "REGISTER_EVENTFD_ASYNC",    "REGISTER_PROBE",
		"REGISTER_PERSONALITY",   "UNREGISTER_PERSONALITY",    "REGISTER_RESTRICTIONS",
		"REGISTER_ENABLE_RINGS",  "REGISTER_FILES2",           "REGISTER_FILES_UPDATE2",
		"REGISTER_BUFFERS2",      "REGISTER_BUFFERS_UPDATE",   "REGISTER_IOWQ_AFF",
		"UNREGISTER_IOWQ_AFF",    "REGISTER_IOWQ_MAX_WORKERS", "REGISTER_RING_FDS",
		"UNREGISTER_RING_FDS",    "REGISTER_PBUF_RING",        "UNREGISTER_PBUF_RING",
		"REGISTER_SYNC_CANCEL",   "REGISTER_FILE_ALLOC_RANGE", "REGISTER_PBUF_STATUS",
		"REGISTER_NAPI",          "UNREGISTER_NAPI",           "REGISTER_CLOCK",
		"REGISTER_CLONE_BUFFERS", "REGISTER_SEND_MSG_RING",    "REGISTER_ZCRX_IFQ",
		"REGISTER_RESIZE_RINGS",  "REGISTER_MEM_REGION",       "REGISTER_QUERY",
		"REGISTER_ZCRX_CTRL",     "REGISTER_BPF_FILTER"
	};
	static const struct sample samples[] = {
		{ 38, "REGISTER(38)" },
		{ 0x80000002, "REGISTER(2147483650)" },
	};

	check_values(&flags_uring_register, values, N_OF(values), "REGISTER(%u)");
	check_samples(&flags_uring_register, samples, N_OF(samples));
}
END_TEST

/* ---- every table ---- */

static const struct flag_set *const sets[] = {
	&flags_msg,           &flags_af,        &flags_sock_type,   &flags_ip_proto,
	&flags_tcp_state,     &flags_shutdown,  &flags_epoll,       &flags_epoll_op,
	&flags_uring_op,      &flags_uring_sqe, &flags_uring_enter, &flags_uring_setup,
	&flags_uring_register
};

START_TEST(any_value_is_one_field)
{
	check_any_value(sets[_i]);
}
END_TEST

static TCase *sockets_case(void)
{
	TCase *tcase = tcase_create("sockets");

	tcase_add_test(tcase, message_flags_have_their_names);
	tcase_add_test(tcase, address_family_has_one_name);
	tcase_add_test(tcase, socket_type_has_one_name);
	tcase_add_test(tcase, socket_type_does_not_count_its_flags);
	tcase_add_test(tcase, shutdown_has_one_name);
	tcase_add_test(tcase, protocol_has_one_name);
	tcase_add_test(tcase, tcp_state_has_one_name);
	tcase_add_test(tcase, epoll_mask_has_its_names);
	tcase_add_test(tcase, epoll_operation_has_one_name);
	return tcase;
}

static TCase *uring_case(void)
{
	TCase *tcase = tcase_create("uring");

	tcase_add_test(tcase, uring_opcode_has_one_name);
	tcase_add_test(tcase, uring_submission_flags_have_their_names);
	tcase_add_test(tcase, uring_enter_flags_have_their_names);
	tcase_add_test(tcase, uring_setup_flags_have_their_names);
	tcase_add_test(tcase, uring_registration_has_one_name);
	return tcase;
}

static TCase *any_case(void)
{
	TCase *tcase = tcase_create("any");

	tcase_add_loop_test(tcase, any_value_is_one_field, 0, N_OF(sets));
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("flags_net");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, sockets_case());
	suite_add_tcase(suite, uring_case());
	suite_add_tcase(suite, any_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
