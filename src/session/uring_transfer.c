/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the two mappings of the ring, and gives them back whatever fails. */
#include "session/uring_transfer.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "compat/sys/uring_abi.h"

static void *map_ring(int ring, size_t size, off_t what)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, what);

	return mem == MAP_FAILED ? NULL : mem;
}

static int transfer(int ring, const struct uring_params *p, char *sq, char *cq,
		    struct uring_sqe *sqes, const struct uring_sqe *request)
{
	uint32_t *tail = (uint32_t *)(sq + p->sq.tail), *array = (uint32_t *)(sq + p->sq.array);
	struct uring_cqe *cqes = (struct uring_cqe *)(cq + p->cq.cqes);

	sqes[0] = *request;
	array[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, ENTER_GETEVENTS, NULL, 0) != 1)
		return -errno;
	if (__atomic_load_n((uint32_t *)(cq + p->cq.tail), __ATOMIC_ACQUIRE) == 0)
		return -EIO;
	return cqes[0].res;
}

int uring_transfer(int fd, void *data, size_t len, bool write)
{
	struct uring_params p = { 0 };
	struct iovec iov = { data, len };
	struct uring_sqe request = { .opcode = write ? OP_WRITEV : OP_READV,
				     .fd = fd,
				     .addr = (uintptr_t)&iov,
				     .len = 1,
				     .user_data = 0x696f };
	int ring = syscall(SYS_io_uring_setup, 1, &p), err = -ENOMEM;
	size_t sq_size = p.sq.array + p.sq_entries * sizeof(uint32_t);
	size_t cq_size = p.cq.cqes + p.cq_entries * sizeof(struct uring_cqe);
	char *sq, *cq;
	struct uring_sqe *sqes;

	if (ring < 0)
		return -errno;
	sq = map_ring(ring, sq_size, 0);
	cq = map_ring(ring, cq_size, MAP_CQ);
	sqes = map_ring(ring, p.sq_entries * sizeof(*sqes), MAP_SQES);
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
