/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "uring.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The same numbers on every architecture; C libraries before 2.29 lack them. */
#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#define __NR_io_uring_enter 426
#endif

/* include/uapi/linux/io_uring.h of 5.1: headers of older kernels have none */
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
	uint32_t len, rw_flags;
	uint64_t user_data, pad[3];
};
struct cqe { uint64_t user_data; int32_t res; uint32_t flags; };

enum { OP_READV = 1, OP_WRITEV = 2, ENTER_GETEVENTS = 1, OFF_SQES = 0x10000000, OFF_CQ = 0x8000000 };

static void *map_ring(int ring, size_t size, off_t what)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, what);

	return mem == MAP_FAILED ? NULL : mem;
}

static int transfer(int ring, const struct params *p, char *sq, char *cq, struct sqe *sqes,
		    const struct sqe *request)
{
	uint32_t *tail = (uint32_t *)(sq + p->sq.tail), *array = (uint32_t *)(sq + p->sq.array);
	struct cqe *cqes = (struct cqe *)(cq + p->cq.cqes);

	sqes[0] = *request;
	array[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 1, ENTER_GETEVENTS, NULL, 0) != 1)
		return -errno;
	if (__atomic_load_n((uint32_t *)(cq + p->cq.tail), __ATOMIC_ACQUIRE) == 0)
		return -EIO;
	return cqes[0].res;
}

int uring_transfer(int fd, void *data, size_t len, bool write)
{
	struct params p = { 0 };
	struct iovec iov = { data, len };
	struct sqe request = { .opcode = write ? OP_WRITEV : OP_READV, .fd = fd,
			       .addr = (uintptr_t)&iov, .len = 1, .user_data = 0x696f };
	int ring = syscall(__NR_io_uring_setup, 1, &p), err = -ENOMEM;
	size_t sq_size = p.sq.array + p.sq_entries * sizeof(uint32_t);
	size_t cq_size = p.cq.cqes + p.cq_entries * sizeof(struct cqe);
	char *sq, *cq;
	struct sqe *sqes;

	if (ring < 0)
		return -errno;
	sq = map_ring(ring, sq_size, 0);
	cq = map_ring(ring, cq_size, OFF_CQ);
	sqes = map_ring(ring, p.sq_entries * sizeof(*sqes), OFF_SQES);
	if (sq && cq && sqes)
		err = transfer(ring, &p, sq, cq, sqes, &request);
	if (sq)
		munmap(sq, sq_size);
	if (cq)
		munmap(cq, cq_size);
	if (sqes)
		munmap(sqes, p.sq_entries * sizeof(*sqes));
	close(ring);
	return err;
}
