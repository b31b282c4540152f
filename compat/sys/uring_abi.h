/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and layouts of include/uapi/linux/io_uring.h, since 5.1 unless a line
 * says otherwise, for who uses rings by system calls. Headers of older kernels
 * have none; what is in here never changes.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

/* The same on every architecture; C libraries before 2.29 lack them. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif

/* IORING_ and IOSQE_, without the front of their names */
enum {
	OP_NOP = 0,
	OP_READV = 1,
	OP_WRITEV = 2,
	OP_FSYNC = 3,
	OP_READ_FIXED = 4,
	OP_WRITE_FIXED = 5,
	OP_POLL_ADD = 6,
	OP_POLL_REMOVE = 7,
	OP_SYNC_FILE_RANGE = 8,
	OP_TIMEOUT = 11,
	OP_ACCEPT = 13,
	OP_ASYNC_CANCEL = 14,
	OP_FALLOCATE = 17,
	OP_READ = 22,
	OP_WRITE = 23,
	OP_FADVISE = 24,
	OP_RECV = 27,
	OP_SPLICE = 30, /* 5.7 */
	OP_PROVIDE_BUFFERS = 31,
	OP_SOCKET = 45,      /* 5.19: so are several completions of ACCEPT */
	OP_SEND_ZC = 47,     /* 6.0: and of RECV */
	OP_FTRUNCATE = 55,   /* 6.9 */
	OP_READV_FIXED = 60, /* 6.15 */
	OP_WRITEV_FIXED = 61,
};

enum {
	SQE_FIXED_FILE = 1,
	SQE_IO_DRAIN = 2,
	SQE_IO_LINK = 4,
	SQE_ASYNC = 16,
	SQE_BUFFER_SELECT = 32,
	SQE_CQE_SKIP = 64,
	ENTER_GETEVENTS = 1,
	ENTER_SQ_WAKEUP = 2,
	ENTER_REGISTERED_RING = 16, /* 5.18 */
	SETUP_SQPOLL = 2,
	SETUP_SINGLE_ISSUER = 1 << 12, /* 6.0 */
	SETUP_DEFER_TASKRUN = 1 << 13, /* 6.1 */
	SQ_NEED_WAKEUP = 1,
	CQE_MORE = 2,
	POLL_ADD_MULTI = 1,
	ACCEPT_MULTISHOT = 1,
	RECV_MULTISHOT = 2,
	REGISTER_BUFFERS = 0,
	REGISTER_FILES = 2,
	UNREGISTER_FILES = 3,
	REGISTER_PROBE = 8,
	REGISTER_RING_FDS = 20,   /* 5.18 */
	FEAT_NODROP = 1 << 1,     /* 5.5 */
	FEAT_FAST_POLL = 1 << 5,  /* 5.7 */
	FEAT_RSRC_TAGS = 1 << 10, /* 5.13: so are several completions of POLL_ADD */
	FEAT_CQE_SKIP = 1 << 11,  /* 5.17 */
	MAP_CQ = 0x8000000,
	MAP_SQES = 0x10000000
};

struct uring_sq_offsets {
	uint32_t head, tail, mask, entries, flags, dropped, array, pad;
	uint64_t pad2;
};
struct uring_cq_offsets {
	uint32_t head, tail, mask, entries, overflow, cqes;
	uint64_t pad[2];
};
struct uring_params {
	uint32_t sq_entries, cq_entries, flags, thread_cpu, thread_idle, features, wq_fd, pad[3];
	struct uring_sq_offsets sq;
	struct uring_cq_offsets cq;
};

struct uring_sqe {
	uint8_t opcode, flags;
	uint16_t ioprio;
	int32_t fd;
	uint64_t off, addr;
	uint32_t len, op_flags;
	uint64_t user_data;
	uint16_t buf;         /* index or group (5.7) */
	uint16_t personality; /* 5.6 */
	uint32_t file_index;  /* 5.15 */
	uint64_t pad[2];
};

/* struct io_uring_rsrc_update, of 5.13 */
struct uring_rsrc_update {
	uint32_t offset, pad;
	uint64_t data;
};

struct uring_cqe {
	uint64_t user_data;
	int32_t res;
	uint32_t flags;
};
