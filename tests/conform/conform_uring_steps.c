/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_uring_steps DIR: provokes what happens to requests between submission
 * and completion, and says so, between tabs, for tests/live/uring-steps.sh:
 *
 *   =EVENT ring user_data opcode offset length result link oldest
 *	a row that is there once; link: user_data of the request of that column,
 *	oldest: that of the first one of the chain
 *   +EVENT ring length	a row that is among others
 *   @WORKER user_data opcode kind	runs in a worker, and completes there or "elsewhere"
 *   @NO_WORKER user_data
 *   @IO_WQ tid		there was such a thread of io-wq
 *   @FILE user_data fixed	is of the file, as a descriptor or (1) as one that was registered
 *   @QUEUES event ring user_data sq_fill cq_fill cq_taken
 *
 * conform_uring_steps DIR many: many requests alone, "@SINGLE user_data", and
 * chains of three, "@CHAIN user_data" of the first, and requests that complete
 * several times, "@SHOTS user_data times".
 *
 * What rings and requests say of themselves (uring_ring.c) is in between.
 */
#include "conform/conform_uring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned long long last_data(void)
{
	return next_data - 1;
}

static void wait_for(const struct ring *r, unsigned n)
{
	must(syscall(SYS_io_uring_enter, r->fd, 0, n, ENTER_GETEVENTS, NULL, 0) >= 0,
	     "a call that waits");
}

/* Before the drained request completes, the one before it must. */
static void deferred(void)
{
	struct ring r;
	int ends[2];

	must(pipe(ends) == 0, "pipe");
	ring_open(&r, 0);
	put(&r, OP_POLL_ADD, ends[0], NULL, 0, 0)->op_flags = POLLIN;
	put(&r, OP_NOP, -1, NULL, 0, 0)->flags = SQE_IO_DRAIN;
	printf("=DEFER\t%d\t%llu\tNOP\t\t\t\t\t\n", r.fd, last_data());
	submit(&r, "");
	must(write(ends[1], "x", 1) == 1, "write");
	take(&r);
	take(&r);
}

static void link_rows(const struct ring *r, const char *const *ops, unsigned n)
{
	unsigned long long first = next_data - n;

	for (unsigned i = 1; i < n; i++)
		printf("=LINK\t%d\t%llu\t%s\t\t\t\t%llu\t%llu\n", r->fd, first + i, ops[i],
		       first + i - 1, first);
}

static void chains(void)
{
	static const char *const good[] = { "WRITEV", "READV", "NOP" };
	static const char *const bad[] = { "READV", "NOP", "NOP" };
	unsigned long long first;
	struct ring r;

	ring_open(&r, 0);
	put_file(&r, OP_WRITEV, 0)->flags = SQE_IO_LINK;
	put_file(&r, OP_READV, 0)->flags = SQE_IO_LINK;
	put(&r, OP_NOP, -1, NULL, 0, 0);
	link_rows(&r, good, 3);
	submit(&r, "");
	for (int i = 0; i < 3; i++)
		must(take(&r).res >= 0, "a chain");
	put(&r, OP_READV, write_only, two, 2, 0)->flags = SQE_IO_LINK;
	put(&r, OP_NOP, -1, NULL, 0, 0)->flags = SQE_IO_LINK;
	put(&r, OP_NOP, -1, NULL, 0, 0);
	link_rows(&r, bad, 3);
	first = next_data - 3;
	for (unsigned i = 1; i < 3; i++)
		printf("=FAIL_LINK\t%d\t%llu\tREADV\t\t\t\t%llu\t\n", r.fd, first, first + i);
	submit(&r, "chain");
	for (int i = 0; i < 3; i++)
		must(take(&r).res < 0, "a broken chain");
}

/* The queue of completions has twice the room of that of submissions. */
static void overflown(void)
{
	struct ring r;
	unsigned n;

	ring_open(&r, 0);
	n = r.p.sq_entries;
	if (!(r.p.features & FEAT_NODROP)) {
		printf("SKIP: CQE_OVERFLOW: completions are dropped (5.5)\n");
		return;
	}
	for (unsigned i = 0; i < 2 * n; i++) {
		put(&r, OP_NOP, -1, NULL, 0, 0);
		if (i % n == n - 1)
			submit(&r, "");
	}
	for (unsigned i = 0; i < 2; i++) {
		put(&r, OP_NOP, -1, NULL, 0, 0);
		printf("=CQE_OVERFLOW\t%d\t%llu\t\t\t\t0\t\t\n", r.fd, last_data());
	}
	submit(&r, "");
	for (unsigned i = 0; i < 2 * n + 2; i++)
		must(take(&r).res == 0, "NOP");
	/* their memory is used again, and nothing was missed */
	for (unsigned i = 0; i < n; i++)
		put(&r, OP_NOP, -1, NULL, 0, 0);
	submit(&r, "");
	for (unsigned i = 0; i < n; i++)
		must(take(&r).res == 0, "NOP");
}

/* The second page of the buffer cannot be read. */
static void short_write(const struct probe *probe)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ring r;

	must(at != MAP_FAILED && mprotect(at + page, page, PROT_NONE) == 0, "half a buffer");
	memset(at, 'x', page);
	if (probe->last_op < OP_WRITE) {
		printf("SKIP: SHORT_WRITE: no WRITE in this kernel (5.6)\n");
		return;
	}
	ring_open(&r, 0);
	put(&r, OP_WRITE, file, at, 2 * page, 3 * page);
	submit(&r, "");
	must(take(&r).res == (int)page, "half a write");
	printf("=SHORT_WRITE\t%d\t\t\t%zu\t%zu\t%zu\t\t\n", r.fd, 3 * page, 2 * page, page);
}

/* Each of these looks up its descriptor once. */
static void files(void)
{
	struct ring r;

	ring_open(&r, 0);
	put_file(&r, OP_READV, 5);
	printf("=FILE_GET\t%d\t%llu\tREADV\t\t\t\t\t\n", r.fd, last_data());
	must(result_of_one(&r) == 123, "READV");
	put(&r, OP_NOP, -1, NULL, 0, 0);
	must(result_of_one(&r) == 0, "NOP");
}

/* One request of each opcode that has a descriptor of a file, which is -1 for one that was registered */
static void named(const struct probe *probe, struct ring *r, bool fixed)
{
	static const struct {
		uint8_t op;
		uint32_t len;
	} ops[] = {
		{ OP_READV, 2 },   { OP_WRITEV, 2 },      { OP_FSYNC, 0 },
		{ OP_READ, 100 },  { OP_WRITE, 100 },     { OP_SYNC_FILE_RANGE, 4096 },
		{ OP_SPLICE, 1 },  { OP_READ_FIXED, 10 }, { OP_FALLOCATE, 0 },
		{ OP_FADVISE, 0 }, { OP_FTRUNCATE, 0 },   { OP_READV_FIXED, 1 },
	};
	static struct iovec one = { buffer, 50 };
	int ends[2];

	must(pipe(ends) == 0 && write(ends[1], "x", 1) == 1, "pipe");
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		uint8_t op = ops[i].op;
		bool sized = op == OP_FALLOCATE || op == OP_FTRUNCATE;
		void *addr = op <= OP_WRITEV	  ? (void *)two :
			     op == OP_READV_FIXED ? (void *)&one :
			     op == OP_SPLICE	  ? (void *)-1 : /* the pipe has no position */
			     op == OP_FALLOCATE	  ? (void *)65536 :
			     op == OP_FSYNC || op == OP_FTRUNCATE || op == OP_FADVISE ||
					     op == OP_SYNC_FILE_RANGE ?
						    NULL :
						    buffer;
		struct uring_sqe *e;

		if (op > probe->last_op || !(probe->ops[op].flags & 1))
			continue;
		e = put(r, op, fixed ? 0 : file, addr, ops[i].len, sized ? 65536 : 0);
		if (op == OP_FALLOCATE)
			e->off = 0;
		if (op == OP_SPLICE)
			e->file_index = ends[0];
		if (fixed)
			e->flags = SQE_FIXED_FILE;
		printf("@FILE\t%llu\t%d\n", last_data(), fixed);
		if (op == OP_READ_FIXED || op == OP_READV_FIXED)
			printf("@BUFFER\t%llu\t0\n", last_data());
		must(result_of_one(r) >= 0, "a request on the file");
	}
}

static void names(const struct probe *probe)
{
	struct iovec iov = { buffer, sizeof(buffer) };
	struct ring r;

	ring_open(&r, 0);
	must(ring_register(&r, REGISTER_FILES, "REGISTER_FILES", &file, 1) == 0 &&
		     ring_register(&r, REGISTER_BUFFERS, "REGISTER_BUFFERS", &iov, 1) == 0,
	     "io_uring_register");
	named(probe, &r, false);
	named(probe, &r, true);
}

/* ---- threads ---- */

static void threads_of_io_wq(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	must(dir, "/proc/self/task");
	while ((entry = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *comm;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		comm = fopen(path, "r");
		if (comm && fgets(name, sizeof(name), comm) && !strncmp(name, "iou-wrk-", 8))
			printf("@IO_WQ\t%s\n", entry->d_name);
		if (comm)
			fclose(comm);
	}
	closedir(dir);
}

static void in_workers(const struct probe *probe)
{
	struct ring r;

	if (probe->last_op < OP_READ) {
		printf("SKIP: worker: no IOSQE_ASYNC in this kernel (5.6)\n");
		return;
	}
	ring_open(&r, 0);
	put(&r, OP_READ, file, buffer, 100, 0)->flags = SQE_ASYNC;
	printf("@WORKER\t%llu\tREAD\tthere\n", last_data());
	must(result_of_one(&r) == 100, "READ");
	threads_of_io_wq();
	put(&r, OP_NOP, -1, NULL, 0, 0);
	printf("@NO_WORKER\t%llu\n", last_data());
	must(result_of_one(&r) == 0, "NOP");
}

/* With these flags all that ends is done in the one thread that may submit. */
static void in_the_own_thread(void)
{
	struct ring r;
	int ends[2];

	if (!ring_open(&r, SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN)) {
		printf("SKIP: LOCAL_WORK: no IORING_SETUP_DEFER_TASKRUN in this kernel (6.1)\n");
		return;
	}
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
	put(&r, OP_READ, ends[0], buffer, 10, 0);
	submit(&r, "");
	must(write(ends[1], "abc", 3) == 3, "write");
	printf("+LOCAL_WORK\t%d\t1\n", r.fd);
	wait_for(&r, 1);
	must(take(&r).res == 3, "READ");
	put(&r, OP_READ, file, buffer, 100, 0)->flags = SQE_ASYNC;
	printf("@WORKER\t%llu\tREAD\telsewhere\n", last_data());
	submit(&r, "");
	wait_for(&r, 1);
	must(take(&r).res == 100, "READ");
	threads_of_io_wq();
}

static void waiting(void)
{
	struct timespec ms10 = { 0, 10000000 };
	struct ring r;
	int ends[2];

	ring_open(&r, 0);
	put(&r, OP_TIMEOUT, -1, &ms10, 1, 0);
	submit(&r, "");
	printf("+CQRING_WAIT\t%d\t1\n", r.fd);
	wait_for(&r, 1);
	must(take(&r).res == -ETIME, "TIMEOUT");
	if (!(r.p.features & FEAT_FAST_POLL))
		return;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
	put(&r, OP_READ, ends[0], buffer, 10, 0);
	submit(&r, "");
	printf("+TASK_WORK\t\t1\n");
	must(write(ends[1], "abc", 3) == 3, "write");
	must(take(&r).res == 3, "READ");
}

/* ---- how full the queues are ---- */

static void queues(void)
{
	struct ring r;

	ring_open(&r, 0);
	for (int i = 0; i < 3; i++) {
		put(&r, OP_NOP, -1, NULL, 0, 0);
		printf("@QUEUES\tCOMPLETE\t%d\t%llu\t\t%d\t0\n", r.fd, last_data(), i + 1);
	}
	printf("@QUEUES\tENTER\t%d\t\t3\t3\t0\n", r.fd);
	submit(&r, "");
	for (int i = 0; i < 3; i++)
		take(&r);
	put(&r, OP_NOP, -1, NULL, 0, 0);
	printf("@QUEUES\tCOMPLETE\t%d\t%llu\t\t1\t3\n", r.fd, last_data());
	printf("@QUEUES\tENTER\t%d\t\t1\t1\t3\n", r.fd);
	submit(&r, "");
	take(&r);
}

/* What was registered is an index: of a ring in a call, of a buffer in a request. */
static void registered(void)
{
	struct uring_rsrc_update own = { .offset = 2 };
	struct iovec iov[2] = { { buffer, 4096 }, { buffer + 4096, 4096 } };
	struct ring r;

	ring_open(&r, 0);
	must(ring_register(&r, REGISTER_BUFFERS, "REGISTER_BUFFERS", iov, 2) == 0,
	     "IORING_REGISTER_BUFFERS");
	put(&r, OP_READ_FIXED, file, buffer + 4096, 1000, 500)->buf = 1;
	printf("@BUFFER\t%llu\t1\n", last_data());
	must(result_of_one(&r) == 1000, "READ_FIXED");
	own.data = r.fd;
	if (syscall(SYS_io_uring_register, r.fd, REGISTER_RING_FDS, &own, 1) != 1) {
		printf("SKIP: a ring's index: not in this kernel (5.18)\n");
		return;
	}
	must(syscall(SYS_io_uring_enter, 2, 0, 0, ENTER_REGISTERED_RING, NULL, 0) == 0,
	     "io_uring_enter of an index");
	printf("@INDEXED\t%d\n", r.fd);
}

/* Requests whose completions but the last do not name them */
static void many_shots(void)
{
	enum { POLLS = 10, SHOTS = 2 };
	struct ring r;
	int ends[2];
	char byte;

	ring_open(&r, 0);
	if (!(r.p.features & FEAT_RSRC_TAGS))
		return;
	for (int i = 0; i < POLLS; i++) {
		unsigned long long data = next_data;

		must(pipe(ends) == 0, "pipe");
		put(&r, OP_POLL_ADD, ends[0], NULL, POLL_ADD_MULTI, 0)->op_flags = POLLIN;
		submit(&r, "");
		for (int j = 0; j < SHOTS; j++) {
			must(write(ends[1], "x", 1) == 1, "write");
			must(take(&r).flags & CQE_MORE, "more of POLL_ADD");
			must(read(ends[0], &byte, 1) == 1, "read");
		}
		put(&r, OP_POLL_REMOVE, -1, (void *)(uintptr_t)data, 0, 0);
		submit(&r, "");
		take(&r);
		take(&r);
		printf("@SHOTS\t%llu\t%d\n", data, SHOTS + 1);
	}
}

/* Two requests alone and two chains at a time, of which some go to workers */
static void many(const struct probe *probe)
{
	enum { ROUNDS = 60, N = 8 };
	struct ring r;

	ring_open(&r, 0);
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < N; j++) {
			bool alone = j % 4 == 3;
			struct uring_sqe *e = probe->last_op < OP_READ ?
						      put_file(&r, OP_READV, j) :
						      put(&r, OP_READ, file, buffer + 512 * j, 100,
							  j);

			if (alone && i % 2 && probe->last_op >= OP_READ)
				e->flags = SQE_ASYNC;
			else if (j % 4 < 2)
				e->flags = SQE_IO_LINK;
			if (j % 4 == 0 || alone)
				printf("@%s\t%llu\n", alone ? "SINGLE" : "CHAIN", last_data());
		}
		submit(&r, "");
		for (int j = 0; j < N; j++)
			must(take(&r).res > 0, "a read");
	}
}

int main(int argc, char **argv)
{
	static struct probe probe;
	static char path[4000];
	struct ring r;

	if (argc < 2 || argc > 3 || !realpath(argv[1], path)) {
		fprintf(stderr, "usage: conform_uring_steps DIR [many]\n");
		return 2;
	}
	open_file_in(path);
	printf("PID\t%d\n", getpid());
	if (!ring_open(&r, 0))
		return 77;
	if (ring_register(&r, REGISTER_PROBE, "REGISTER_PROBE", &probe, 256))
		memset(&probe, 0, sizeof(probe));
	if (argc > 2) {
		many(&probe);
		many_shots();
		fflush(stdout);
		return 0;
	}
	deferred();
	chains();
	overflown();
	short_write(&probe);
	files();
	names(&probe);
	in_workers(&probe);
	in_the_own_thread();
	waiting();
	queues();
	registered();
	fflush(stdout);
	return 0;
}
