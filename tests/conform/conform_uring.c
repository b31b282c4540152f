/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_uring DIR: requests of io_uring by system calls alone, and for each
 * call, request and completion the row that it must leave, one a line, as seen
 * from here: event, ring (its descriptor), user_data, opcode, fd, offset,
 * length, result, flags, inode, name, and a word on what is special, between
 * tabs. tests/live/uring-ways.sh knows which columns a kernel and a tier have.
 * "+EVENT" is a row that must be among others. Knows nothing of tracing. What
 * the kernel lacks is a line "SKIP: …"; exit 77 without io_uring.
 */
#include "conform/conform_uring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct probe probe;

static bool has(uint8_t op)
{
	/* 5.1 to 5.5 cannot be asked; 5.4 has these */
	return probe.last_op ? op <= probe.last_op && probe.ops[op].flags & 1 : op <= OP_TIMEOUT;
}

/* ---- ways ---- */

static void ask(void)
{
	struct ring r;

	if (!ring_open(&r, 0))
		exit(77);
	if (ring_register(&r, REGISTER_PROBE, "REGISTER_PROBE", &probe, 256))
		memset(&probe, 0, sizeof(probe));
}

static void plain(void)
{
	struct ring r;

	ring_open(&r, 0);
	put_file(&r, OP_WRITEV, 0);
	must(result_of_one(&r) == 123, "WRITEV");
	put(&r, OP_FSYNC, file, NULL, 0, 0);
	must(result_of_one(&r) == 0, "FSYNC");
	put_file(&r, OP_READV, 7);
	must(result_of_one(&r) == 123, "READV");
	put(&r, OP_NOP, 77, NULL, 0, 0);
	must(result_of_one(&r) == 0, "NOP");
	if (!has(OP_READ)) {
		printf("SKIP: READ, WRITE: not in this kernel (5.6)\n");
		return;
	}
	put(&r, OP_WRITE, file, buffer, 4096, 0x180000000);
	must(result_of_one(&r) == 4096, "WRITE");
	put(&r, OP_READ, file, buffer, 997, 0x180000008);
	must(result_of_one(&r) == 997, "READ");
}

static void several_at_once(void)
{
	struct ring r;

	ring_open(&r, 0);
	for (int i = 0; i < 4; i++)
		put_file(&r, OP_READV, i);
	submit(&r, "");
	for (int i = 0; i < 4; i++)
		take(&r);
}

static void linked(void)
{
	struct ring r;
	int cancelled = 0;

	ring_open(&r, 0);
	put_file(&r, OP_WRITEV, 0)->flags = SQE_IO_LINK;
	put_file(&r, OP_READV, 0)->flags = SQE_IO_LINK;
	put(&r, OP_NOP, -1, NULL, 0, 0);
	submit(&r, "");
	for (int i = 0; i < 3; i++)
		must(take(&r).res >= 0, "a chain");
	put(&r, OP_READV, write_only, two, 2, 0)->flags = SQE_IO_LINK;
	put_file(&r, OP_READV, 0)->flags = SQE_IO_LINK;
	put_file(&r, OP_WRITEV, 5);
	submit(&r, "chain");
	for (int i = 0; i < 3; i++)
		cancelled += take(&r).res == -ECANCELED;
	must(cancelled >= 2, "a broken chain"); /* 5.10.44 says so of the first one, too */
}

/* On what is no ring: the kernel does not get as far as its event. */
static void register_on(int fd, int error)
{
	int ret = syscall(SYS_io_uring_register, fd, REGISTER_FILES, &file, 1) < 0 ? -errno : 0;

	must(ret == error, "io_uring_register of no ring");
	printf("REGISTER\t\t\tREGISTER_FILES\t%d\t\t\t%d\t\t\t\t\n", fd, ret);
}

static void refused_registers(struct ring *r)
{
	must(ring_register(r, 9999, "REGISTER(9999)", NULL, 0) == -EINVAL,
	     "nothing of that number");
	register_on(file, -EOPNOTSUPP);
	register_on(999, -EBADF);
}

static void setup_refused(unsigned entries, void *params, int error)
{
	int ret = syscall(SYS_io_uring_setup, entries, params) < 0 ? -errno : 0;

	must(ret == error, "io_uring_setup that is refused");
	printf("CREATE\t\t\t\t\t\t%u\t%d\t\t\t\t\n", entries, ret);
}

static void refused_setups(void)
{
	uint64_t params[15] = { 0 }; /* struct io_uring_params */

	setup_refused(0, params, -EINVAL);
	setup_refused(8, (void *)1, -EFAULT);
}

static void registered(void)
{
	struct iovec iov = { buffer, sizeof(buffer) };
	int files[2] = { -1, file };
	struct ring r;
	struct uring_sqe *e;

	ring_open(&r, 0);
	files[0] = file;
	must(ring_register(&r, REGISTER_FILES, "REGISTER_FILES", files, 2) == 0,
	     "IORING_REGISTER_FILES");
	e = put(&r, OP_READV, 1, two, 2, 3);
	e->flags = SQE_FIXED_FILE;
	must(result_of_one(&r) == 123, "READV of a registered file");
	must(ring_register(&r, UNREGISTER_FILES, "UNREGISTER_FILES", NULL, 0) == 0,
	     "IORING_UNREGISTER_FILES");
	must(ring_register(&r, UNREGISTER_FILES, "UNREGISTER_FILES", NULL, 0) < 0,
	     "nothing to unregister");
	refused_registers(&r);
	refused_setups();
	must(ring_register(&r, REGISTER_BUFFERS, "REGISTER_BUFFERS", &iov, 1) == 0,
	     "IORING_REGISTER_BUFFERS");
	put(&r, OP_WRITE_FIXED, file, buffer + 10, 3000, 0);
	must(result_of_one(&r) == 3000, "WRITE_FIXED");
	put(&r, OP_READ_FIXED, file, buffer + 4096, 1000, 500);
	must(result_of_one(&r) == 1000, "READ_FIXED");
}

/* On 5.4 only registered files can be had so, and the thread is a kernel's. */
static void polled_by_the_kernel(void)
{
	struct ring r;

	if (!ring_open(&r, SETUP_SQPOLL))
		return;
	must(ring_register(&r, REGISTER_FILES, "REGISTER_FILES", &file, 1) == 0,
	     "IORING_REGISTER_FILES");
	for (int i = 0; i < 3; i++) {
		put(&r, OP_READV, 0, two, 2, i)->flags = SQE_FIXED_FILE;
		must(result_of_one(&r) == 123, "READV by the kernel's thread");
	}
}

static void two_rings(void)
{
	struct ring r[2];

	for (int i = 0; i < 2; i++)
		ring_open(&r[i], 0);
	for (int i = 0; i < 2; i++) {
		put_file(&r[i], OP_READV, 11 * i)->user_data = 7;
		submit(&r[i], "");
	}
	for (int i = 0; i < 2; i++)
		take(&r[i]);
}

/* Requests that wait for different pipes under one user_data: nobody but the kernel knows which is which. */
static void shared_data(void)
{
	int pipes[2][2];
	struct ring r;

	ring_open(&r, 0);
	for (int i = 0; i < 2; i++) {
		struct uring_sqe *e;

		must(pipe(pipes[i]) == 0, "pipe");
		e = put(&r, OP_POLL_ADD, pipes[i][0], NULL, 0, 0);
		e->op_flags = POLLIN;
		e->user_data = 5;
	}
	submit(&r, "shared");
	for (int i = 0; i < 2; i++) {
		expected = &requests[n_requests - 1 - i];
		must(write(pipes[1 - i][1], "x", 1) == 1, "write");
		must(take(&r).res & POLLIN, "POLL_ADD"); /* 5.4 says more than was asked */
	}
	expected = NULL;
	put_file(&r, OP_READV, 1)->user_data = 5;
	must(result_of_one(&r) == 123, "READV");
}

static void in_a_worker(void)
{
	struct ring r;
	struct uring_sqe *e;

	if (!has(OP_READ)) {
		printf("SKIP: IOSQE_ASYNC: not in this kernel (5.6)\n");
		return;
	}
	ring_open(&r, 0);
	e = put(&r, OP_READ, file, buffer, 100, 0);
	e->flags = SQE_ASYNC;
	printf("+QUEUE_ASYNC\t%d\t%llu\tREAD\n", r.fd, (unsigned long long)e->user_data);
	must(result_of_one(&r) == 100, "READ");
}

static void waiting(void)
{
	struct timespec ms10 = { 0, 10000000 };
	uint64_t poll_data, read_data;
	struct ring r;
	int ends[2];

	must(pipe(ends) == 0, "pipe");
	ring_open(&r, 0);
	put(&r, OP_TIMEOUT, -1, &ms10, 1, 0);
	must(result_of_one(&r) == -ETIME, "TIMEOUT");
	if (!(r.p.features & FEAT_FAST_POLL)) {
		/* 5.4.59 keeps a removed poll in a list, and falls over it when the program ends (io_cancel_async_work) */
		printf("SKIP: POLL_REMOVE, POLL_ARM, ASYNC_CANCEL: before 5.7 requests wait in workers, or harm the kernel\n");
		return;
	}
	put(&r, OP_POLL_ADD, ends[0], NULL, 0, 0)->op_flags = POLLIN;
	poll_data = next_data - 1;
	submit(&r, "");
	put(&r, OP_POLL_REMOVE, -1, (void *)(uintptr_t)poll_data, 0, 0);
	submit(&r, "");
	for (int i = 0; i < 2; i++)
		take(&r);
	/* 5.10.44 gives reads of pipes to workers, too */
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
	for (int i = 0; i < 2; i++) {
		put(&r, OP_READ, ends[0], buffer, 10, 0);
		read_data = next_data - 1;
		printf("+POLL_ARM\t%d\t%llu\tREAD\n", r.fd, (unsigned long long)read_data);
		submit(&r, "");
		if (i == 0) {
			must(write(ends[1], "abc", 3) == 3, "write");
			must(take(&r).res == 3, "READ");
		}
	}
	put(&r, OP_ASYNC_CANCEL, -1, (void *)(uintptr_t)read_data, 0, 0);
	submit(&r, "");
	for (int i = 0; i < 2; i++)
		take(&r);
}

static void wrong(void)
{
	struct ring r;

	ring_open(&r, 0);
	put(&r, OP_READV, 9999, two, 2, 0);
	submit(&r, "badfd");
	must(take(&r).res == -EBADF, "READV of nothing");
	/* what was told of the descriptor is not this one's */
	put(&r, OP_NOP, 0, NULL, 0, 0);
	must(result_of_one(&r) == 0, "NOP");
	put(&r, OP_BAD, 0, NULL, 0, 0);
	submit(&r, "refused");
	must(take(&r).res == -EINVAL, "an opcode that is none");
}

/* ---- one request, several completions ---- */

static void poll_again(void)
{
	uint64_t data;
	struct ring r;
	int ends[2];
	char byte;

	must(pipe(ends) == 0, "pipe");
	ring_open(&r, 0);
	if (!(r.p.features & FEAT_RSRC_TAGS)) {
		printf("SKIP: POLL_ADD that completes more than once: not in this kernel (5.13)\n");
		return;
	}
	put(&r, OP_POLL_ADD, ends[0], NULL, POLL_ADD_MULTI, 0)->op_flags = POLLIN;
	data = next_data - 1;
	submit(&r, "");
	for (int i = 0; i < 3; i++) {
		must(write(ends[1], "x", 1) == 1, "write");
		must(take(&r).flags & CQE_MORE, "more of POLL_ADD");
		must(read(ends[0], &byte, 1) == 1, "read");
	}
	put(&r, OP_POLL_REMOVE, -1, (void *)(uintptr_t)data, 0, 0);
	submit(&r, "");
	for (int i = 0; i < 2; i++)
		take(&r);
}

static int listening(struct sockaddr_in *a)
{
	socklen_t len = sizeof(*a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*a = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	must(fd >= 0 && bind(fd, (struct sockaddr *)a, len) == 0 && listen(fd, 8) == 0 &&
		     getsockname(fd, (struct sockaddr *)a, &len) == 0,
	     "a socket that listens");
	return fd;
}

static int connected(const struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	must(fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0, "connect");
	return fd;
}

static void accept_again(void)
{
	struct sockaddr_in a;
	int listener = listening(&a);
	uint64_t data;
	struct ring r;

	if (!has(OP_SOCKET)) {
		printf("SKIP: ACCEPT that completes more than once: not in this kernel (5.19)\n");
		return;
	}
	ring_open(&r, 0);
	put(&r, OP_ACCEPT, listener, NULL, 0, 0)->ioprio = ACCEPT_MULTISHOT;
	data = next_data - 1;
	submit(&r, "");
	for (int i = 0; i < 2; i++) {
		connected(&a);
		must(take(&r).flags & CQE_MORE, "more of ACCEPT");
	}
	put(&r, OP_ASYNC_CANCEL, -1, (void *)(uintptr_t)data, 0, 0);
	submit(&r, "");
	for (int i = 0; i < 2; i++)
		take(&r);
}

static void receive_again(void)
{
	struct ring r;
	struct uring_sqe *e;
	int pair[2];

	if (!has(OP_SEND_ZC)) {
		printf("SKIP: RECV that completes more than once: not in this kernel (6.0)\n");
		return;
	}
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	ring_open(&r, 0);
	put(&r, OP_PROVIDE_BUFFERS, 8, buffer, 512, 0)->buf = 1;
	must(result_of_one(&r) >= 0, "PROVIDE_BUFFERS");
	e = put(&r, OP_RECV, pair[0], NULL, 0, 0);
	e->flags = SQE_BUFFER_SELECT;
	e->ioprio = RECV_MULTISHOT;
	e->buf = 1;
	submit(&r, "");
	for (int i = 0; i < 3; i++) {
		must(send(pair[1], "hello", 2 + i, 0) == 2 + i, "send");
		must(take(&r).res == 2 + i, "RECV");
	}
	close(pair[1]);
	must(take(&r).res == 0, "the last RECV");
}

/* The second completion says that the buffer is free again, and is another request's inside the kernel. */
static void send_without_copy(void)
{
	struct sockaddr_in a;
	int listener = listening(&a), fd = connected(&a), other = accept(listener, NULL, NULL);
	struct uring_cqe cqe;
	struct ring r;

	if (!has(OP_SEND_ZC)) {
		printf("SKIP: SEND_ZC: not in this kernel (6.0)\n");
		return;
	}
	ring_open(&r, 0);
	for (int i = 0; i < 4; i++) {
		put(&r, OP_SEND_ZC, fd, buffer, 700, 0);
		submit(&r, "");
		cqe = take(&r);
		must(cqe.res == 700, "SEND_ZC");
		must(recv(other, buffer + 8192, 700, MSG_WAITALL) == 700, "recv");
		if (cqe.flags & CQE_MORE)
			take(&r);
	}
}

/* Nothing tells of the end of these, and that is no loss. */
static void without_completion(void)
{
	struct ring r;

	ring_open(&r, 0);
	if (!(r.p.features & FEAT_CQE_SKIP)) {
		printf("SKIP: IOSQE_CQE_SKIP_SUCCESS: not in this kernel (5.17)\n");
		return;
	}
	for (int i = 0; i < 4; i++) {
		put(&r, OP_NOP, -1, NULL, 0, 0)->flags = SQE_CQE_SKIP;
		submit(&r, "");
		put(&r, OP_NOP, -1, NULL, 0, 0);
		must(result_of_one(&r) == 0, "NOP");
	}
}

int main(int argc, char **argv)
{
	static char path[4000];

	if (argc != 2 || !realpath(argv[1], path)) {
		fprintf(stderr, "usage: conform_uring DIR\n");
		return 2;
	}
	open_file_in(path);
	printf("PID\t%d\n", getpid());
	ask();
	plain();
	several_at_once();
	linked();
	registered();
	polled_by_the_kernel();
	two_rings();
	shared_data();
	in_a_worker();
	waiting();
	wrong();
	poll_again();
	accept_again();
	receive_again();
	send_without_copy();
	without_completion();
	fflush(stdout);
	return 0;
}
