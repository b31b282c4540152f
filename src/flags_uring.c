/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring, up to Linux 7.2: names without the IORING_OP_, IOSQE_ and IORING_ENTER_ of its header. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "flags.h"

#include "flags_private.h"

/* clang-format off */
static const struct flag_name uring_op_names[] = {
	VALUE(0, "NOP"),
	VALUE(1, "READV"),
	VALUE(2, "WRITEV"),
	VALUE(3, "FSYNC"),
	VALUE(4, "READ_FIXED"),
	VALUE(5, "WRITE_FIXED"),
	VALUE(6, "POLL_ADD"),
	VALUE(7, "POLL_REMOVE"),
	VALUE(8, "SYNC_FILE_RANGE"),
	VALUE(9, "SENDMSG"),
	VALUE(10, "RECVMSG"),
	VALUE(11, "TIMEOUT"),
	VALUE(12, "TIMEOUT_REMOVE"),
	VALUE(13, "ACCEPT"),
	VALUE(14, "ASYNC_CANCEL"),
	VALUE(15, "LINK_TIMEOUT"),
	VALUE(16, "CONNECT"),
	VALUE(17, "FALLOCATE"),
	VALUE(18, "OPENAT"),
	VALUE(19, "CLOSE"),
	VALUE(20, "FILES_UPDATE"),
	VALUE(21, "STATX"),
	VALUE(22, "READ"),
	VALUE(23, "WRITE"),
	VALUE(24, "FADVISE"),
	VALUE(25, "MADVISE"),
	VALUE(26, "SEND"),
	VALUE(27, "RECV"),
	VALUE(28, "OPENAT2"),
	VALUE(29, "EPOLL_CTL"),
	VALUE(30, "SPLICE"),
	VALUE(31, "PROVIDE_BUFFERS"),
	VALUE(32, "REMOVE_BUFFERS"),
	VALUE(33, "TEE"),
	VALUE(34, "SHUTDOWN"),
	VALUE(35, "RENAMEAT"),
	VALUE(36, "UNLINKAT"),
	VALUE(37, "MKDIRAT"),
	VALUE(38, "SYMLINKAT"),
	VALUE(39, "LINKAT"),
	VALUE(40, "MSG_RING"),
	VALUE(41, "FSETXATTR"),
	VALUE(42, "SETXATTR"),
	VALUE(43, "FGETXATTR"),
	VALUE(44, "GETXATTR"),
	VALUE(45, "SOCKET"),
	VALUE(46, "URING_CMD"),
	VALUE(47, "SEND_ZC"),
	VALUE(48, "SENDMSG_ZC"),
	VALUE(49, "READ_MULTISHOT"),
	VALUE(50, "WAITID"),
	VALUE(51, "FUTEX_WAIT"),
	VALUE(52, "FUTEX_WAKE"),
	VALUE(53, "FUTEX_WAITV"),
	VALUE(54, "FIXED_FD_INSTALL"),
	VALUE(55, "FTRUNCATE"),
	VALUE(56, "BIND"),
	VALUE(57, "LISTEN"),
	VALUE(58, "RECV_ZC"),
	VALUE(59, "EPOLL_WAIT"),
	VALUE(60, "READV_FIXED"),
	VALUE(61, "WRITEV_FIXED"),
	VALUE(62, "PIPE"),
	VALUE(63, "NOP128"),
	VALUE(64, "URING_CMD128"),
	/* no opcode: the rows of the system call itself */
	VALUE(255, "IO_URING_ENTER"),
	END
};
const struct flag_set flags_uring_op = { .names = uring_op_names, .unknown = "OP(%u)" };

static const struct flag_name uring_sqe_names[] = {
	BITS(0x1, "FIXED_FILE"),
	BITS(0x2, "IO_DRAIN"),
	BITS(0x4, "IO_LINK"),
	BITS(0x8, "IO_HARDLINK"),
	BITS(0x10, "ASYNC"),
	BITS(0x20, "BUFFER_SELECT"),
	BITS(0x40, "CQE_SKIP_SUCCESS"),
	END
};
const struct flag_set flags_uring_sqe = { .names = uring_sqe_names };

static const struct flag_name uring_enter_names[] = {
	BITS(0x1, "GETEVENTS"),
	BITS(0x2, "SQ_WAKEUP"),
	BITS(0x4, "SQ_WAIT"),
	BITS(0x8, "EXT_ARG"),
	BITS(0x10, "REGISTERED_RING"),
	BITS(0x20, "ABS_TIMER"),
	BITS(0x40, "EXT_ARG_REG"),
	BITS(0x80, "NO_IOWAIT"),
	END
};
const struct flag_set flags_uring_enter = { .names = uring_enter_names };
/* clang-format on */
