/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "session/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "events/events.h"
#include "session/uring_transfer.h"

#define BLOCK 4096

/* What the child did, shared with it. */
struct scratch {
	int fd;
	char *block;     /* aligned, for direct I/O */
	char name[4200]; /* empty: memory only */
	aio_context_t
		aio; /* 0: none yet; the child's end destroys it, which takes the kernel 30 ms */
};

/* ---- the operations; each returns true when the kernel performed it ---- */

static bool do_write(struct scratch *s)
{
	return pwrite(s->fd, s->block, 7, 0) == 7;
}
static bool do_read(struct scratch *s)
{
	return pread(s->fd, s->block, 7, 0) == 7;
}
static bool do_fsync(struct scratch *s)
{
	return fsync(s->fd) == 0;
}
static bool do_fdatasync(struct scratch *s)
{
	return fdatasync(s->fd) == 0;
}

static bool do_writev(struct scratch *s)
{
	struct iovec iov = { s->block, 7 };

	return pwritev(s->fd, &iov, 1, 0) == 7;
}

static bool do_readv(struct scratch *s)
{
	struct iovec iov = { s->block, 7 };

	return preadv(s->fd, &iov, 1, 0) == 7;
}

/* A file in memory is opened again by its link; the new description is closed. */
static bool do_open(struct scratch *s)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->fd);
	fd = open(s->name[0] ? s->name : link, O_RDWR | O_CLOEXEC);
	return fd >= 0 && close(fd) == 0;
}

static bool do_aio(struct scratch *s, uint16_t opcode)
{
	struct iocb cb = { .aio_lio_opcode = opcode,
			   .aio_fildes = s->fd,
			   .aio_nbytes = 7,
			   .aio_buf = (uintptr_t)s->block };
	struct iocb *list[] = { &cb };
	struct io_event event;

	if (!s->aio && syscall(__NR_io_setup, 1, &s->aio))
		return false;
	return syscall(__NR_io_submit, s->aio, 1, list) == 1 &&
	       syscall(__NR_io_getevents, s->aio, 1, 1, &event, NULL) == 1 && event.res == 7;
}

static bool do_aio_write(struct scratch *s)
{
	return do_aio(s, IOCB_CMD_PWRITE);
}
static bool do_aio_read(struct scratch *s)
{
	return do_aio(s, IOCB_CMD_PREAD);
}
static bool do_uring_write(struct scratch *s)
{
	return uring_transfer(s->fd, s->block, 7, true) == 7;
}
static bool do_uring_read(struct scratch *s)
{
	return uring_transfer(s->fd, s->block, 7, false) == 7;
}

/* On a device: the files of tmpfs and overlay have a number that is made up (major 0). */
static bool on_disk(struct scratch *s)
{
	struct stat st;

	return s->name[0] && !fstat(s->fd, &st) && major(st.st_dev) != 0;
}

/* A direct write reaches the device at once; tmpfs and overlay take direct writes without one. */
static bool do_request(struct scratch *s)
{
	bool done;
	int fd;

	if (!on_disk(s))
		return false;
	fd = open(s->name, O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = pwrite(fd, s->block, BLOCK, 0) == BLOCK;
	close(fd);
	return done;
}

/* The scratch file with one page, which is clean and in the cache. */
static bool make_page(struct scratch *s)
{
	return on_disk(s) && pwrite(s->fd, s->block, BLOCK, 0) == BLOCK && fsync(s->fd) == 0;
}

/* A page is added, dirtied and written. */
static bool do_page(struct scratch *s)
{
	return make_page(s) && ftruncate(s->fd, 0) == 0 && make_page(s);
}
static bool do_page_read(struct scratch *s)
{
	return make_page(s) && pread(s->fd, s->block, 7, 0) == 7;
}
static bool do_page_cut(struct scratch *s)
{
	return make_page(s) && ftruncate(s->fd, 0) == 0;
}

static bool do_read_ahead(struct scratch *s)
{
	return make_page(s) && posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
	       pread(s->fd, s->block, 7, 0) == 7;
}

static bool do_fault(struct scratch *s)
{
	volatile char *page;
	char touched;

	if (!make_page(s))
		return false;
	page = mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, s->fd, 0);
	if (page == MAP_FAILED)
		return false;
	touched = *page;
	return munmap((void *)page, BLOCK) == 0 && touched == 0;
}

static bool do_sleep(struct scratch *s)
{
	(void)s;
	return usleep(1000) == 0;
}

static const struct operation {
	enum stream_id stream;
	const char *operation;
	const char *path;
	bool (*perform)(struct scratch *s);
} operations[] = {
	{ STREAM_fs, "WRITE", "", do_write },
	{ STREAM_fs, "READ", "", do_read },
	{ STREAM_fs, "WRITE", "vectored", do_writev },
	{ STREAM_fs, "READ", "vectored", do_readv },
	{ STREAM_fs, "WRITE", "aio", do_aio_write },
	{ STREAM_fs, "READ", "aio", do_aio_read },
	{ STREAM_fs, "WRITE", "io_uring", do_uring_write },
	{ STREAM_fs, "READ", "io_uring", do_uring_read },
	{ STREAM_fs, "OPEN", "", do_open },
	{ STREAM_fs, "CLOSE", "", do_open },
	{ STREAM_fs, "FSYNC", "", do_fsync },
	{ STREAM_fs, "FDATASYNC", "", do_fdatasync },
	{ STREAM_ds, "REQUEST", "", do_request },
	/* not DROP and RECLAIM, which cost the whole machine, nor MAJOR, which the disk decides */
	{ STREAM_cache, "MISS", "", do_page },
	{ STREAM_cache, "DIRTY", "", do_page },
	{ STREAM_cache, "WRITEBACK_START", "", do_page },
	{ STREAM_cache, "WRITEBACK_END", "", do_page },
	{ STREAM_cache, "HIT", "", do_page_read },
	{ STREAM_cache, "EVICT", "", do_page_cut },
	{ STREAM_cache, "INVALIDATE", "", do_page_cut },
	{ STREAM_cache, "READAHEAD", "", do_read_ahead },
	{ STREAM_pagefault, "MINOR", "", do_fault },
	{ STREAM_sched, "RUN", "", do_sleep },
	{ STREAM_iouring, "CREATE", "", do_uring_read },
	{ STREAM_iouring, "ENTER", "", do_uring_read },
	{ STREAM_iouring, "SUBMIT", "", do_uring_read },
	{ STREAM_iouring, "COMPLETE", "", do_uring_read },
};

#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static int open_scratch(struct scratch *s, const char *dir)
{
	if (posix_memalign((void **)&s->block, BLOCK, BLOCK))
		return -ENOMEM;
	memset(s->block, 0, BLOCK);
	if (!dir) {
		s->fd = syscall(__NR_memfd_create, "iotracer-self-test", 1 /* MFD_CLOEXEC */);
	} else {
		snprintf(s->name, sizeof(s->name), "%s/iotracer-self-test-XXXXXX", dir);
		s->fd = mkostemp(s->name, O_CLOEXEC);
	}
	return s->fd < 0 ? -errno : 0;
}

static void close_scratch(struct scratch *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->name[0])
		unlink(s->name);
	free(s->block);
}

static const struct plan_choice *choice_of(const struct plan *plan, const struct operation *op)
{
	const struct plan_choice *c = plan_find(plan, op->stream, op->operation, op->path);

	return c && c->chosen ? c : NULL;
}

static void __attribute__((noreturn))
perform_all(struct scratch *s, const struct plan *plan, int gate, volatile bool *done)
{
	char go;

	alarm(10); /* a hung file system must not hang the start */
	if (read(gate, &go, 1) != 1)
		_exit(1);
	for (size_t i = 0; i < N_OPERATIONS; i++)
		done[i] = choice_of(plan, &operations[i]) && operations[i].perform(s);
	_exit(0);
}

/* ---- the look ---- */

static void no_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	(void)arg;
	(void)stream;
	(void)row;
	(void)len;
	(void)key;
}

/* What the ring had no room for says nothing of the probe that sent it. */
static bool lost_some(struct trace *trace, struct ledger *ledger)
{
	trace_account(trace, ledger, true);
	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		if (ledger_lost(ledger, class, LOST_RING))
			return true;
	return false;
}

static void judge(struct selftest *test, const struct plan *plan, const volatile bool *done,
		  struct events *events, bool lost)
{
	const struct events_totals *totals = events_totals(events);

	for (size_t i = 0; i < N_OPERATIONS; i++) {
		const struct operation *op = &operations[i];
		const struct plan_choice *c = choice_of(plan, op);
		size_t n = c ? c - plan->choices : 0;

		if (!c || !done[i])
			continue;
		if (lost && !totals->via[n + 1])
			continue;
		test->verdict[n] = totals->via[n + 1] ? SELFTEST_FIRES : SELFTEST_SILENT;
		if (test->verdict[n] == SELFTEST_FIRES) {
			test->n_fires++;
			continue;
		}
		test->n_silent++;
		log_detail("self-test: %s %s %s through %s did not fire", streams[op->stream].name,
			   op->operation, op->path, c->chosen->name);
	}
}

static int watch(struct selftest *test, struct trace *trace, const struct plan *plan, pid_t child,
		 int gate, const volatile bool *done)
{
	struct resolve resolve;
	struct events_options options = { .plan = plan,
					  .resolve = &resolve,
					  .names = 64,
					  .n_cpus = trace->n_cpus,
					  .row = no_row };
	struct trace_options only;
	struct events *events;
	int err;

	resolve_init(&resolve, &(struct resolve_options){ .all_fs = false });
	events = events_open(&options);
	if (!events)
		return -ENOMEM;
	only = (struct trace_options){ .n_pids = 1, .pids = { child } };
	err = trace_switch_on(trace, &only);
	if (!err && write(gate, "g", 1) != 1)
		err = -errno;
	while (!err && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	trace_switch_off(trace);
	drain_run(trace->drain, true, events_record, events);
	if (!err)
		judge(test, plan, done, events, lost_some(trace, events_ledger(events)));
	events_close(events);
	resolve_close(&resolve);
	return err;
}

int selftest_run(struct selftest *test, struct trace *trace, const struct plan *plan,
		 const char *dir)
{
	struct scratch scratch = { .fd = -1 };
	bool *done = mmap(NULL, N_OPERATIONS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	int gate[2] = { -1, -1 }, err;
	pid_t child = -1;

	memset(test, 0, sizeof(*test));
	err = done == MAP_FAILED ? -ENOMEM : open_scratch(&scratch, dir);
	if (!err && pipe2(gate, O_CLOEXEC))
		err = -errno;
	if (!err)
		child = fork();
	if (child == 0)
		perform_all(&scratch, plan, gate[0], done);
	if (!err && child < 0)
		err = -errno;
	if (!err)
		err = watch(test, trace, plan, child, gate[1], done);
	if (child > 0 && err) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	if (err)
		log_warn("the self-test could not run: %s", strerror(-err));
	if (gate[0] >= 0) {
		close(gate[0]);
		close(gate[1]);
	}
	close_scratch(&scratch);
	if (done != MAP_FAILED)
		munmap(done, N_OPERATIONS);
	return err;
}

unsigned selftest_pass_over(const struct selftest *test, const struct plan *plan,
			    struct plan_request *request)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_choices; i++)
		if (test->verdict[i] == SELFTEST_SILENT && request->n_silent < PLAN_MAX_SILENT) {
			request->silent[request->n_silent++] = plan->choices[i].chosen;
			n++;
		}
	return n;
}

void selftest_report(const struct selftest *test, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct capability *c = plan->choices[i].capability;

		if (test->verdict[i] == SELFTEST_SILENT)
			log_warn(
				"rows of %s will be missing: %s%s%s through %s did not fire in the self-test",
				capability_stream(c), c->operation, c->path[0] ? " " : "", c->path,
				plan->choices[i].chosen->name);
	}
}

int selftest_blind(void)
{
	log_error(
		"no probe fired in the self-test, so nothing is recorded (--no-self-test records anyway)");
	return -EIO;
}

const char *selftest_word(enum selftest_verdict verdict)
{
	static const char *const words[] = { "not tried", "fires", "silent" };

	return words[verdict];
}
