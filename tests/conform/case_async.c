/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of asynchronous reading and writing, by raw system calls: rows of tier
 * a only, because elsewhere nothing joins a request to its file. One request
 * at a time, so that rows have an order.
 */
#include "conform/conform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#endif

static struct file f, g;

/* Told about by the request, not by a descriptor. */
static void expect_async(const char *op, const struct file *file, uint64_t size, int64_t offset,
			 long rc)
{
	expect_in(TIER_A, op, file, size, offset, rc);
}

static long aio(aio_context_t ctx, int opcode, int fd, void *data, size_t n, int64_t offset)
{
	struct iocb cb = {
		.aio_lio_opcode = opcode, .aio_fildes = fd, .aio_buf = (uintptr_t)data,
		.aio_nbytes = n, .aio_offset = offset,
	}, *list[] = { &cb };
	struct io_event event;

	if (syscall(SYS_io_submit, ctx, 1L, list) != 1)
		return -1;
	must(syscall(SYS_io_getevents, ctx, 1L, 1L, &event, NULL) == 1, "io_getevents");
	errno = event.res < 0 ? -event.res : 0;
	return event.res < 0 ? -1 : event.res;
}

static bool kernel_is(const char *start)
{
	struct utsname name;

	return !uname(&name) && !strncmp(name.release, start, strlen(start));
}

static void libaio(void)
{
	struct iovec iov[2] = { { buf, 100 }, { buf + 4096, 23 } };
	aio_context_t ctx = 0;

	if (syscall(SYS_io_setup, 4L, &ctx)) {
		skip("io_setup: %s", strerror(errno));
		return;
	}
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect_async("WRITE", &f, 4096, 0, aio(ctx, IOCB_CMD_PWRITE, f.fd, buf, 4096, 0));
	expect_async("WRITE", &f, 123, 0x180000000,
		     aio(ctx, IOCB_CMD_PWRITEV, f.fd, iov, 2, 0x180000000));
	expect_async("READ", &f, 997, 10, aio(ctx, IOCB_CMD_PREAD, f.fd, buf, 997, 10));
	expect_async("READ", &f, 123, 4000, aio(ctx, IOCB_CMD_PREADV, f.fd, iov, 2, 4000));
	expect_async("READ", &f, 4096, 0x190000000,
		     aio(ctx, IOCB_CMD_PREAD, f.fd, buf, 4096, 0x190000000));
	/* refused before its bytes are looked at; 4.18 and 4.19 ask for the file only then */
	if (kernel_is("4.18.") || kernel_is("4.19.")) {
		skip("refused requests are not seen on this kernel");
	} else {
		open_file(&g, "file", O_WRONLY);
		expect_async("READ", &g, SIZE_ANY, ANY_OFFSET,
			     aio(ctx, IOCB_CMD_PREAD, g.fd, buf, 10, 0));
		close_file(&g);
	}
	close_file(&f);
	syscall(SYS_io_destroy, ctx);
}

/* ---- io_uring: the parts of linux/io_uring.h that are used, for old headers ---- */

enum { NOP, READV, WRITEV, READ = 22, WRITE };

struct sqe {
	uint8_t opcode, flags;
	uint16_t ioprio;
	int32_t fd;
	uint64_t off, addr;
	uint32_t len, rw_flags;
	uint64_t user_data;
	uint64_t pad[3];
};

struct cqe {
	uint64_t user_data;
	int32_t res;
	uint32_t flags;
};

struct uring_params {
	uint32_t sq_entries, cq_entries, flags, cpu, idle, features, wq_fd, resv[3];
	uint32_t sq_head, sq_tail, sq_mask, sq_size, sq_flags, sq_dropped, sq_array, sq_resv[3];
	uint32_t cq_head, cq_tail, cq_mask, cq_size, cq_overflow, cq_cqes, cq_flags, cq_resv[3];
};

struct uring {
	struct uring_params p;
	int fd;
	char *sq, *cq;
	struct sqe *sqes;
};

static void *map(const struct uring *u, size_t size, off_t what)
{
	void *at_map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, what);

	must(at_map != MAP_FAILED, "mmap");
	return at_map;
}

/* Forbidden as RHEL 9 ships it (6.6; el9.3), for a skip that says so. */
static const char *forbidden(void)
{
	FILE *in = fopen("/proc/sys/kernel/io_uring_disabled", "r");
	int n = in ? getc(in) : EOF;

	if (in)
		fclose(in);
	return n == '2' ? " (kernel.io_uring_disabled is 2)" :
	       n == '1' ? " (kernel.io_uring_disabled is 1)" :
			  "";
}

static bool uring_open(struct uring *u)
{
	memset(u, 0, sizeof(*u));
	u->fd = syscall(SYS_io_uring_setup, 4L, &u->p);
	if (u->fd < 0) {
		skip("io_uring_setup: %s%s", strerror(errno), forbidden());
		return false;
	}
	u->sq = map(u, u->p.sq_array + u->p.sq_entries * 4, 0);
	u->cq = map(u, u->p.cq_cqes + u->p.cq_entries * sizeof(struct cqe), 0x8000000);
	u->sqes = map(u, u->p.sq_entries * sizeof(struct sqe), 0x10000000);
	return true;
}

static long uring(struct uring *u, int opcode, int fd, void *addr, unsigned n, int64_t off)
{
	uint32_t *tail = (uint32_t *)(u->sq + u->p.sq_tail),
		 *head = (uint32_t *)(u->cq + u->p.cq_head);
	uint32_t slot = *tail & (u->p.sq_entries - 1);
	struct cqe *cqe;

	u->sqes[slot] = (struct sqe){
		.opcode = opcode,
		.fd = fd,
		.off = off,
		.addr = (uintptr_t)addr,
		.len = n,
		.user_data = 7,
	};
	((uint32_t *)(u->sq + u->p.sq_array))[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, u->fd, 1, 1, 1, NULL, 0) == 1, "io_uring_enter");
	cqe = (struct cqe *)(u->cq + u->p.cq_cqes) + (*head & (u->p.cq_entries - 1));
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	errno = cqe->res < 0 ? -cqe->res : 0;
	return cqe->res < 0 ? -1 : cqe->res;
}

static bool worker_runs(const char *thread)
{
	char path[300], text[64] = "", *state;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", thread);
	in = fopen(path, "r");
	if (!in)
		return false;
	state = fgets(text, sizeof(text), in) && strstr(text, "(iou-wrk") ? strchr(text, ')') :
									    NULL;
	fclose(in);
	return state && state[2] == 'R';
}

/* A worker (a thread since 5.12) posts the completion first and then lets go of the file; a close in between is not the last one. */
static void await_workers(void)
{
	struct timespec t = { .tv_nsec = 1000 * 1000 };
	bool runs = true;

	while (runs) {
		DIR *tasks = opendir("/proc/self/task");
		struct dirent *task;

		must(tasks != NULL, "/proc/self/task");
		for (runs = false; !runs && (task = readdir(tasks));)
			runs = worker_runs(task->d_name);
		closedir(tasks);
		if (runs)
			nanosleep(&t, NULL);
	}
}

static void io_uring(void)
{
	struct iovec iov[2] = { { buf, 100 }, { buf + 4096, 23 } };
	struct uring u;
	long n;

	if (!uring_open(&u))
		return;
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect_async("WRITE", &f, 123, 0, uring(&u, WRITEV, f.fd, iov, 2, 0));
	expect_async("WRITE", &f, 123, 0x180000000, uring(&u, WRITEV, f.fd, iov, 2, 0x180000000));
	expect_async("READ", &f, 123, 7, uring(&u, READV, f.fd, iov, 2, 7));
	/* READ and WRITE came with 5.6; before, the opcode itself is wrong */
	n = uring(&u, WRITE, f.fd, buf, 4096, 8192);
	if (n < 0) {
		skip("READ and WRITE: %s", strerror(errno));
	} else {
		expect_async("WRITE", &f, 4096, 8192, n);
		expect_async("READ", &f, 997, 8200, uring(&u, READ, f.fd, buf, 997, 8200));
		expect_async("READ", &f, 64, 0x190000000,
			     uring(&u, READ, f.fd, buf, 64, 0x190000000));
	}
	await_workers();
	close_file(&f);
	close(u.fd);
}

/*
 * Not a case: the rows are of threads that the kernel made. RENAMEAT came with
 * 5.11, the others with 5.15.
 */
int uring_names(void)
{
	enum { RENAMEAT = 35, UNLINKAT, MKDIRAT, SYMLINKAT, LINKAT };
	struct uring u;
	int fd = open("file", O_CREAT | O_WRONLY, 0644);

	if (fd < 0 || close(fd))
		return 1;
	if (!uring_open(&u))
		return 77;
	if (uring(&u, RENAMEAT, AT_FDCWD, "file", AT_FDCWD, (uintptr_t) "second") ||
	    uring(&u, LINKAT, AT_FDCWD, "second", AT_FDCWD, (uintptr_t) "third") ||
	    uring(&u, UNLINKAT, AT_FDCWD, "second", 0, 0) ||
	    uring(&u, UNLINKAT, AT_FDCWD, "third", 0, 0) ||
	    uring(&u, SYMLINKAT, AT_FDCWD, "target", 0, (uintptr_t) "link") ||
	    uring(&u, UNLINKAT, AT_FDCWD, "link", 0, 0) ||
	    uring(&u, MKDIRAT, AT_FDCWD, "dir", 0750, 0))
		/* before 5.6 the descriptor is looked at before the operation */
		return errno == EINVAL || errno == EBADF ? 77 : 1;
	return 0;
}

const struct conform_case async_cases[] = {
	{ "libaio", libaio },
	{ "io_uring", io_uring },
	{ 0 },
};
