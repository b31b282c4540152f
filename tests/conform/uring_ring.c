/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conform_uring: rings by system calls, and the rows of what is done with them. See conform_uring.h. */
#include "conform/conform_uring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES 8
#define WAIT_S 20

struct request requests[MAX_REQUESTS];
unsigned n_requests;
struct request *expected;
char file_name[4096];
struct stat file_stat;
int file, write_only;
char buffer[16384] __attribute__((aligned(4096)));
struct iovec two[2] = { { buffer, 100 }, { buffer + 100, 23 } };
uint64_t next_data = 1000;

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform_uring: %s: %s\n", what, strerror(errno));
	exit(1);
}

void open_file_in(const char *dir)
{
	snprintf(file_name, sizeof(file_name), "%s/uring-file", dir);
	file = open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	write_only = open(file_name, O_WRONLY);
	must(file >= 0 && write_only >= 0 && fstat(file, &file_stat) == 0 &&
		     ftruncate(file, 1 << 16) == 0,
	     file_name);
}

/* ---- rows ---- */

static const char *op_name(uint8_t op)
{
	static const char *const names[] = {
		[OP_NOP] = "NOP",
		[OP_READV] = "READV",
		[OP_WRITEV] = "WRITEV",
		[OP_FSYNC] = "FSYNC",
		[OP_READ_FIXED] = "READ_FIXED",
		[OP_WRITE_FIXED] = "WRITE_FIXED",
		[OP_POLL_ADD] = "POLL_ADD",
		[OP_POLL_REMOVE] = "POLL_REMOVE",
		[OP_TIMEOUT] = "TIMEOUT",
		[OP_ACCEPT] = "ACCEPT",
		[OP_ASYNC_CANCEL] = "ASYNC_CANCEL",
		[OP_SYNC_FILE_RANGE] = "SYNC_FILE_RANGE",
		[OP_FALLOCATE] = "FALLOCATE",
		[OP_FADVISE] = "FADVISE",
		[OP_SPLICE] = "SPLICE",
		[OP_FTRUNCATE] = "FTRUNCATE",
		[OP_READV_FIXED] = "READV_FIXED",
		[OP_READ] = "READ",
		[OP_WRITE] = "WRITE",
		[OP_RECV] = "RECV",
		[OP_PROVIDE_BUFFERS] = "PROVIDE_BUFFERS",
		[OP_SEND_ZC] = "SEND_ZC",
		[OP_BAD] = "OP(200)",
	};

	return names[op];
}

static const char *flag_names(uint8_t flags)
{
	static char text[128];
	static const struct {
		uint8_t bit;
		const char *name;
	} names[] = {
		{ SQE_FIXED_FILE, "FIXED_FILE" },
		{ SQE_IO_LINK, "IO_LINK" },
		{ SQE_ASYNC, "ASYNC" },
		{ SQE_BUFFER_SELECT, "BUFFER_SELECT" },
		{ SQE_CQE_SKIP, "CQE_SKIP_SUCCESS" },
	};

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].bit)
			sprintf(text + strlen(text), "%s%s", text[0] ? "|" : "", names[i].name);
	return text;
}

static bool is_transfer(uint8_t op)
{
	return op == OP_READV || op == OP_WRITEV || op == OP_READ_FIXED || op == OP_WRITE_FIXED ||
	       op == OP_READ || op == OP_WRITE;
}

static bool is_fileless(uint8_t op)
{
	return op == OP_NOP || op == OP_POLL_REMOVE || op == OP_TIMEOUT || op == OP_ASYNC_CANCEL ||
	       op == OP_PROVIDE_BUFFERS || op == OP_BAD;
}

static void request_row(const char *event, const struct request *r, const char *result)
{
	const struct uring_sqe *e = &r->sqe;
	bool fixed = e->flags & SQE_FIXED_FILE;
	char fd[16] = "", range[64] = "\t", of[4200] = "\t";
	const char *name = "";
	struct stat st;

	if (!fixed && !is_fileless(e->opcode))
		snprintf(fd, sizeof(fd), "%d", e->fd);
	if (is_transfer(e->opcode) && e->opcode <= OP_WRITEV)
		snprintf(range, sizeof(range), "%llu\t%zu", (unsigned long long)e->off,
			 two[0].iov_len + two[1].iov_len);
	else if (is_transfer(e->opcode))
		snprintf(range, sizeof(range), "%llu\t%u", (unsigned long long)e->off, e->len);
	if (fixed || e->fd == file || e->fd == write_only)
		name = file_name;
	if (!is_fileless(e->opcode) && (fixed || !fstat(e->fd, &st)))
		snprintf(of, sizeof(of), "%llu\t%s",
			 (unsigned long long)(fixed ? file_stat : st).st_ino, name);
	printf("%s\t%d\t%llu\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", event, r->ring,
	       (unsigned long long)e->user_data, op_name(e->opcode), fd, range, result,
	       flag_names(e->flags), of, e->fd == write_only && !fixed ? "unreadable" : r->word);
}

static struct request *find(const struct ring *ring, uint64_t data)
{
	for (unsigned i = n_requests; i-- > 0;)
		if (requests[i].ring == ring->fd && requests[i].sqe.user_data == data)
			return &requests[i];
	must(false, "a completion of nothing");
	return NULL;
}

/* ---- rings ---- */

static void *map(int fd, size_t size, off_t what)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);

	must(at != MAP_FAILED, "mmap of a ring");
	return at;
}

bool ring_open(struct ring *r, uint32_t flags)
{
	*r = (struct ring){ .p = { .flags = flags, .thread_idle = 1000 } };
	r->fd = syscall(SYS_io_uring_setup, ENTRIES, &r->p);
	if (r->fd < 0) {
		printf("SKIP: io_uring_setup: %s\n", strerror(errno));
		return false;
	}
	printf("CREATE\t%d\t\t\t%d\t\t%u\t\t%s\t\t\t\n", r->fd, r->fd, r->p.sq_entries,
	       flags & SETUP_SQPOLL ? "SQPOLL" : "");
	r->sq = map(r->fd, r->p.sq.array + r->p.sq_entries * sizeof(uint32_t), 0);
	r->cq = map(r->fd, r->p.cq.cqes + r->p.cq_entries * sizeof(struct uring_cqe), MAP_CQ);
	r->sqes = map(r->fd, r->p.sq_entries * sizeof(struct uring_sqe), MAP_SQES);
	return true;
}

int ring_register(struct ring *r, unsigned opcode, const char *name, void *arg, unsigned n)
{
	int ret = syscall(SYS_io_uring_register, r->fd, opcode, arg, n);

	if (ret < 0)
		ret = -errno;
	printf("REGISTER\t%d\t\t%s\t%d\t\t\t%d\t\t\t\t\n", r->fd, name, r->fd, ret);
	return ret;
}

static int enter(struct ring *r, unsigned submit, unsigned wait, unsigned flags)
{
	static const char *const names[] = { "", "GETEVENTS", "SQ_WAKEUP", "GETEVENTS|SQ_WAKEUP" };
	int ret = syscall(SYS_io_uring_enter, r->fd, submit, wait, flags, NULL, 0);

	if (ret < 0)
		ret = -errno;
	printf("ENTER\t%d\t\t\t%d\t\t%u\t%d\t%s\t\t\t\n", r->fd, r->fd, submit, ret, names[flags]);
	return ret;
}

struct uring_sqe *put(struct ring *r, uint8_t op, int fd, void *addr, uint32_t len, uint64_t off)
{
	uint32_t *tail = (uint32_t *)(r->sq + r->p.sq.tail),
		 *array = (uint32_t *)(r->sq + r->p.sq.array);
	uint32_t at = (*tail + r->queued++) % r->p.sq_entries;

	array[at] = at;
	r->sqes[at] = (struct uring_sqe){
		.opcode = op,
		.fd = fd,
		.addr = (uintptr_t)addr,
		.len = len,
		.off = off,
		.user_data = next_data++,
	};
	return &r->sqes[at];
}

struct uring_sqe *put_file(struct ring *r, uint8_t op, uint64_t off)
{
	return put(r, op, file, two, 2, off);
}

void submit(struct ring *r, const char *word)
{
	uint32_t *tail = (uint32_t *)(r->sq + r->p.sq.tail), n = r->queued;
	uint32_t *flags = (uint32_t *)(r->sq + r->p.sq.flags);

	for (uint32_t i = 0; i < n; i++) {
		must(n_requests < MAX_REQUESTS, "room for requests");
		requests[n_requests] =
			(struct request){ r->fd, r->sqes[(*tail + i) % r->p.sq_entries], word };
		request_row("SUBMIT", &requests[n_requests++], "");
	}
	r->queued = 0;
	__atomic_store_n(tail, *tail + n, __ATOMIC_RELEASE);
	__sync_synchronize();
	if (!(r->p.flags & SETUP_SQPOLL))
		must(enter(r, n, 0, 0) == (int)n, "io_uring_enter");
	else if (__atomic_load_n(flags, __ATOMIC_ACQUIRE) & SQ_NEED_WAKEUP)
		enter(r, n, 0, ENTER_SQ_WAKEUP);
}

struct uring_cqe take(struct ring *r)
{
	uint32_t *head = (uint32_t *)(r->cq + r->p.cq.head),
		 *tail = (uint32_t *)(r->cq + r->p.cq.tail);
	struct uring_cqe *cqes = (struct uring_cqe *)(r->cq + r->p.cq.cqes), cqe;
	struct request *request;
	char result[16];

	for (int i = 0; *head == __atomic_load_n(tail, __ATOMIC_ACQUIRE); i++) {
		must(i < WAIT_S * 1000, "a completion in time");
		/* requests that wait are run where their program enters */
		if (i % 100 == 50 && !(r->p.flags & SETUP_SQPOLL))
			enter(r, 0, 0, ENTER_GETEVENTS);
		usleep(1000);
	}
	cqe = cqes[*head & (r->p.cq_entries - 1)];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	request = expected ? expected : find(r, cqe.user_data);
	snprintf(result, sizeof(result), "%d", cqe.res);
	request_row("COMPLETE", request, result);
	return cqe;
}

int result_of_one(struct ring *r)
{
	submit(r, "");
	return take(r).res;
}
