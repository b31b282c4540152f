/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rings of conform_uring, and what it asks of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "compat/sys/uring_abi.h"

enum { OP_BAD = 200 }; /* none of the kernel's */

/* struct io_uring_probe of 5.6 */
struct probe {
	uint8_t last_op, ops_len;
	uint16_t pad;
	uint32_t pad2[3];
	struct {
		uint8_t op, pad;
		uint16_t flags;
		uint32_t pad2;
	} ops[256];
};

/* ---- conform_uring_ring.c ---- */

#define MAX_REQUESTS 512

struct ring {
	struct uring_params p;
	int fd;
	char *sq, *cq;
	struct uring_sqe *sqes;
	uint32_t queued;
};

/* What was asked, until the program ends; the newest of a (ring, user_data) counts. */
struct request {
	int ring;
	struct uring_sqe sqe;
	const char *word;
};
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
void open_file_in(const char *dir);

/* Rings stay open, so that a descriptor stands for one of them only. False (said) when the kernel refuses. */
bool ring_open(struct ring *r, uint32_t flags);

/* 0, or -errno */
int ring_register(struct ring *r, unsigned opcode, const char *name, void *arg, unsigned n);

/* The next request, with a user_data of its own; the caller may change what it likes. */
struct uring_sqe *put(struct ring *r, uint8_t op, int fd, void *addr, uint32_t len, uint64_t off);
struct uring_sqe *put_file(struct ring *r, uint8_t op, uint64_t off);

/* Submits what was put, and says so; word: what is special about it. */
void submit(struct ring *r, const char *word);

/* The next completion, which is waited for, and its row */
struct uring_cqe take(struct ring *r);
int result_of_one(struct ring *r);
