/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What conform-uring needs of linux/io_uring.h, which old distributions do not
 * have (numbers and layouts are the kernel's, and never change), and its rings.
 */
#ifndef CONFORM_URING_H
#define CONFORM_URING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* The same on every architecture; C libraries before 2.29 lack them. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif

enum {
	OP_NOP = 0, OP_READV = 1, OP_WRITEV = 2, OP_FSYNC = 3, OP_READ_FIXED = 4, OP_WRITE_FIXED = 5,
	OP_POLL_ADD = 6, OP_POLL_REMOVE = 7, OP_TIMEOUT = 11, OP_ACCEPT = 13, OP_ASYNC_CANCEL = 14,
	OP_READ = 22, OP_WRITE = 23, OP_RECV = 27, OP_PROVIDE_BUFFERS = 31,
	OP_SOCKET = 45,       /* 5.19: so are several completions of ACCEPT */
	OP_SEND_ZC = 47,      /* 6.0: and of RECV */
	OP_BAD = 200,
};

enum {
	SQE_FIXED_FILE = 1, SQE_IO_LINK = 4, SQE_ASYNC = 16, SQE_BUFFER_SELECT = 32, SQE_CQE_SKIP = 64,
	ENTER_GETEVENTS = 1, ENTER_SQ_WAKEUP = 2,
	SETUP_SQPOLL = 2, SQ_NEED_WAKEUP = 1,
	CQE_MORE = 2,
	POLL_ADD_MULTI = 1, ACCEPT_MULTISHOT = 1, RECV_MULTISHOT = 2,
	REGISTER_BUFFERS = 0, REGISTER_FILES = 2, UNREGISTER_FILES = 3, REGISTER_PROBE = 8,
	FEAT_FAST_POLL = 1 << 5, /* 5.7 */
	FEAT_RSRC_TAGS = 1 << 10, /* 5.13: so are several completions of POLL_ADD */
	FEAT_CQE_SKIP = 1 << 11, /* 5.17 */
	MAP_CQ = 0x8000000, MAP_SQES = 0x10000000,
};

struct sq_offsets { uint32_t head, tail, mask, entries, flags, dropped, array, pad; uint64_t pad2; };
struct cq_offsets { uint32_t head, tail, mask, entries, overflow, cqes; uint64_t pad[2]; };
struct params {
	uint32_t sq_entries, cq_entries, flags, thread_cpu, thread_idle, features, wq_fd, pad[3];
	struct sq_offsets sq;
	struct cq_offsets cq;
};

struct sqe {
	uint8_t opcode, flags;
	uint16_t ioprio;
	int32_t fd;
	uint64_t off, addr;
	uint32_t len, op_flags;
	uint64_t user_data;
	uint16_t buf;     /* index or group */
	uint16_t personality;
	uint32_t file_index;
	uint64_t pad[2];
};

struct cqe { uint64_t user_data; int32_t res; uint32_t flags; };

struct probe {
	uint8_t last_op, ops_len;
	uint16_t pad;
	uint32_t pad2[3];
	struct { uint8_t op, pad; uint16_t flags; uint32_t pad2; } ops[256];
};

/* ---- conform_uring_ring.c ---- */

#define MAX_REQUESTS 512

struct ring {
	struct params p;
	int fd;
	char *sq, *cq;
	struct sqe *sqes;
	uint32_t queued;
};

/* What was asked, until the program ends; the newest of a (ring, user_data) counts. */
struct request { int ring; struct sqe sqe; const char *word; };
extern struct request requests[MAX_REQUESTS];
extern unsigned n_requests;
extern struct request *expected; /* whose completion comes next; NULL: the one that it says */

extern char file_name[4096];
extern struct stat file_stat;
extern int file, write_only; /* the same file */
extern char buffer[16384];
extern struct iovec two[2];
extern uint64_t next_data;

void must(bool ok, const char *what);

/* Rings stay open, so that a descriptor stands for one of them only. False (said) when the kernel refuses. */
bool ring_open(struct ring *r, uint32_t flags);

/* 0, or -errno */
int ring_register(struct ring *r, unsigned opcode, const char *name, void *arg, unsigned n);

/* The next request, with a user_data of its own; the caller may change what it likes. */
struct sqe *put(struct ring *r, uint8_t op, int fd, void *addr, uint32_t len, uint64_t off);
struct sqe *put_file(struct ring *r, uint8_t op, uint64_t off);

/* Submits what was put, and says so; word: what is special about it. */
void submit(struct ring *r, const char *word);

/* The next completion, which is waited for, and its row */
struct cqe take(struct ring *r);
int result_of_one(struct ring *r);

#endif
