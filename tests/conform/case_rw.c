/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of reading and writing: every call, sizes, positions, failures; and of
 * fsync. Files are opened and closed the plain way here.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RWF_APPEND
#define RWF_APPEND 0x10
#endif

static struct file f, g;

static void plain(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT | O_TRUNC);
	expect("WRITE", &f, 1, 0, write(f.fd, buf, 1));
	expect("WRITE", &f, 0, 1, write(f.fd, buf, 0));
	expect("WRITE", &f, 4096, 1, write(f.fd, buf, 4096));
	expect("WRITE", &f, 997, 4097, write(f.fd, buf, 997));
	expect("WRITE", &f, 65537, 5094, write(f.fd, buf, 65537));
	lseek(f.fd, 0, SEEK_SET);
	expect("READ", &f, 1, 0, read(f.fd, buf, 1));
	expect("READ", &f, 0, 1, read(f.fd, buf, 0));
	expect("READ", &f, 4099, 1, read(f.fd, buf, 4099));
	expect("READ", &f, sizeof(buf), 4100, read(f.fd, buf, sizeof(buf)));
	expect("READ", &f, 4096, 70631, read(f.fd, buf, 4096));
	close_file(&f);
}

static void positioned(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 101, 0, pwrite(f.fd, buf, 101, 0));
	expect("WRITE", &f, 7, 5000, pwrite(f.fd, buf, 7, 5000));
	expect("READ", &f, 64, 4990, pread(f.fd, buf, 64, 4990));
	expect("READ", &f, 64, 5007, pread(f.fd, buf, 64, 5007));
	expect("READ", &f, 64, 1 << 20, pread(f.fd, buf, 64, 1 << 20));
	/* the position of the file has not moved */
	expect("READ", &f, 13, 0, read(f.fd, buf, 13));
	close_file(&f);
}

/* Beyond what 31, 32 and 33 bits can say, on a file that has holes. */
static void far(void)
{
	static const int64_t places[] = { 0x7fffffff, 0x80000000, 0xfffffff3, 0x100000000,
					  0x300000001 };

	open_file(&f, "sparse", O_RDWR | O_CREAT);
	set_size(&f, 0x400000000);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		expect("WRITE", &f, 11, places[i], pwrite(f.fd, buf, 11, places[i]));
		expect("READ", &f, 4093, places[i] - 1, pread(f.fd, buf, 4093, places[i] - 1));
		lseek(f.fd, places[i] + 3, SEEK_SET);
		expect("READ", &f, 17, places[i] + 3, read(f.fd, buf, 17));
		expect("WRITE", &f, 3, places[i] + 20, write(f.fd, buf, 3));
	}
	close_file(&f);
}

static struct iovec *vec(int n, size_t len)
{
	static struct iovec iov[32];

	for (int i = 0; i < n; i++)
		iov[i] = (struct iovec){ .iov_base = buf + i * 4096, .iov_len = len + i };
	return iov;
}

static void vectored(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 33, 0, writev(f.fd, vec(3, 10), 3));
	expect("WRITE", &f, 5, 33, writev(f.fd, vec(1, 5), 1));
	expect("WRITE", &f, 0, 38, writev(f.fd, vec(0, 0), 0));
	expect("WRITE", &f, 33, 1000, pwritev(f.fd, vec(3, 10), 3, 1000));
	lseek(f.fd, 0, SEEK_SET);
	expect("READ", &f, 33, 0, readv(f.fd, vec(3, 10), 3));
	expect("READ", &f, 5, 33, readv(f.fd, vec(1, 5), 1));
	expect("READ", &f, 0, 38, readv(f.fd, vec(0, 0), 0));
	expect("READ", &f, 33, 1010, preadv(f.fd, vec(3, 10), 3, 1010));
	expect("READ", &f, 10, 0x200000000, preadv(f.fd, vec(1, 10), 1, 0x200000000));
	/* a short one: the bytes asked for stay 4106 */
	expect("READ", &f, 4106, 38, readv(f.fd, vec(1, 4106), 1));
	close_file(&f);
}

/* More segments than a program without loops can add up: what was moved tells, when all was. */
static void many_vectors(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 390, 0, writev(f.fd, vec(20, 10), 20));
	expect("READ", &f, 390, 0, preadv(f.fd, vec(20, 10), 20, 0));
	close_file(&f);
}

static void vectored2(void)
{
#ifdef SYS_preadv2
	long n;

	open_file(&f, "file", O_RDWR | O_CREAT);
	n = syscall(SYS_pwritev2, f.fd, vec(2, 50), 2, -1L, 0L, 0);
	if (n < 0 && errno == ENOSYS) {
		expect_in(TIER_B | TIER_C, "WRITE", &f, 101, 0, n);
		skip("no preadv2 here");
		close_file(&f);
		return;
	}
	expect("WRITE", &f, 101, 0, n);
	expect("WRITE", &f, 101, 101, syscall(SYS_pwritev2, f.fd, vec(2, 50), 2, -1L, 0L, 0));
	expect("WRITE", &f, 101, 70, syscall(SYS_pwritev2, f.fd, vec(2, 50), 2, 70L, 0L, 0));
	lseek(f.fd, 1, SEEK_SET);
	expect("READ", &f, 101, 1, syscall(SYS_preadv2, f.fd, vec(2, 50), 2, -1L, 0L, 0));
	expect("READ", &f, 101, 77, syscall(SYS_preadv2, f.fd, vec(2, 50), 2, 77L, 0L, 0));
	expect("READ", &f, 5, 102, read(f.fd, buf, 5));
	/* the bit of one call that makes it an appending one; refused before 4.16 */
	n = syscall(SYS_pwritev2, f.fd, vec(1, 9), 1, 3L, 0L, RWF_APPEND);
	expect("WRITE", &f, 9, tier != TIER_C && n >= 0 ? 202 : ANY_OFFSET, n);
	close_file(&f);
#else
	skip("built without preadv2");
#endif
}

#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20
#endif

/* For one call; refused before 6.9 */
static void no_append(void)
{
#ifdef SYS_preadv2
	long n = syscall(SYS_pwritev2, f.fd, vec(1, 9), 1, 5L, 0L, RWF_NOAPPEND);

	if (n < 0 && errno == ENOSYS)
		return;
	expect("WRITE", &f, 9, n >= 0 ? 5 : ANY_OFFSET, n);
#endif
}

/* Tier c cannot know where the file ends: it must say nothing. */
static void append(void)
{
	bool knows = tier != TIER_C;

	open_file(&f, "file", O_WRONLY | O_CREAT | O_APPEND);
	expect("WRITE", &f, 10, knows ? 0 : NO_OFFSET, write(f.fd, buf, 10));
	set_size(&f, 100);
	expect("WRITE", &f, 7, knows ? 100 : NO_OFFSET, write(f.fd, buf, 7));
	lseek(f.fd, 0, SEEK_SET);
	expect("WRITE", &f, 9, knows ? 107 : NO_OFFSET, write(f.fd, buf, 9));
	/* Linux appends with pwrite, too */
	expect("WRITE", &f, 3, knows ? 116 : NO_OFFSET, pwrite(f.fd, buf, 3, 5));
	no_append();
	close_file(&f);
}

/* A descriptor begins to append, and ends it: the description does, so its copy does. */
static void append_later(void)
{
	bool knows = tier != TIER_C;
	int copy;

	open_file(&f, "file", O_WRONLY | O_CREAT);
	expect("WRITE", &f, 10, 0, write(f.fd, buf, 10));
	expect("WRITE", &f, 2, 4, pwrite(f.fd, buf, 2, 4));
	copy = dup(f.fd);
	fcntl(copy, F_SETFL, O_APPEND);
	strcpy(f.flags, "O_WRONLY|O_APPEND");
	set_size(&f, 50);
	expect("WRITE", &f, 7, knows ? 50 : NO_OFFSET, write(f.fd, buf, 7));
	expect("WRITE", &f, 3, knows ? 57 : NO_OFFSET, pwrite(f.fd, buf, 3, 5));
	fcntl(f.fd, F_SETFL, 0);
	strcpy(f.flags, "O_WRONLY");
	expect("WRITE", &f, 3, 5, pwrite(f.fd, buf, 3, 5));
	close(copy);
	close_file(&f);
}

static void failing(void)
{
	static struct file dir;

	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 100, 0, write(f.fd, buf, 100));
	lseek(f.fd, 10, SEEK_SET);
	expect("READ", &f, 20, 10, syscall(SYS_read, f.fd, (void *)8, 20L));
	expect("WRITE", &f, 20, 10, syscall(SYS_write, f.fd, (void *)8, 20L));
	expect("READ", &f, 20, 10, read(f.fd, buf, 20));
	expect("READ", &f, 20, 7, syscall(SYS_pread64, f.fd, (void *)8, 20L, 7L));
	open_file(&g, "file", O_RDONLY);
	expect("WRITE", &g, 5, 0, write(g.fd, buf, 5));
	close_file(&g);
	open_file(&g, "file", O_WRONLY);
	expect("READ", &g, 5, 0, read(g.fd, buf, 5));
	close_file(&g);
	close_file(&f);
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	expect("READ", &dir, 64, ANY_OFFSET, read(dir.fd, buf, 64));
	close_file(&dir);
	must(read(999, buf, 5) < 0, "descriptor 999");
	expect_bad_fd("READ", 999, 5);
	must(write(999, buf, 6) < 0, "descriptor 999");
	expect_bad_fd("WRITE", 999, 6);
	must(pread(-1, buf, 7, 3) < 0, "descriptor -1");
	expect_bad_fd("READ", -1, 7);
}

/* A position below zero is refused before a file system sees it; it is no offset of the file. */
static void negative(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect_in(TIER_B | TIER_C, "READ", &f, 4, ANY_OFFSET,
		  syscall(SYS_pread64, f.fd, buf, 4L, -5L));
	expect("WRITE", &f, 4, 0, write(f.fd, buf, 4));
	close_file(&f);
}

/* What is read or written past the page cache has a second row that says so. */
static void expect_both(const char *op, const struct file *file, uint64_t size, int64_t offset,
			long rc)
{
	int err = errno;

	expect(op, file, size, offset, rc);
	errno = err;
	expect(*op == 'R' ? "DIO_READ" : "DIO_WRITE", file, size, offset, rc);
}

static void direct(void)
{
	char *page = aligned_alloc(4096, 8192);
	int fd = open(at("file"), O_RDWR | O_CREAT | O_DIRECT, 0644);

	must(page, "memory");
	if (fd < 0) {
		expect_open_failed(at("file"), "f", O_RDWR | O_CREAT | O_DIRECT);
		skip("this file system has no O_DIRECT");
		return;
	}
	memset(page, 'x', 8192);
	expect_open(&f, at("file"), O_RDWR | O_CREAT | O_DIRECT, fd);
	expect_both("WRITE", &f, 8192, 0, write(f.fd, page, 8192));
	expect_both("READ", &f, 4096, 4096, pread(f.fd, page, 4096, 4096));
	expect_both("WRITE", &f, 4096, 1 << 20, pwrite(f.fd, page, 4096, 1 << 20));
	expect_both("READ", &f, 100, 1, pread(f.fd, page + 1, 100, 1));
	expect_both("READ", &f, 4096, 8192, readv(f.fd, &(struct iovec){ page, 4096 }, 1));
	close_file(&f);
	free(page);
}

static void seeking(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 1000, 0, write(f.fd, buf, 1000));
	lseek(f.fd, -100, SEEK_END);
	expect("READ", &f, 10, 900, read(f.fd, buf, 10));
	lseek(f.fd, 5, SEEK_CUR);
	expect("READ", &f, 10, 915, read(f.fd, buf, 10));
	must(lseek(f.fd, -1, SEEK_SET) < 0, "lseek");
	expect("READ", &f, 10, 925, read(f.fd, buf, 10));
	lseek(f.fd, 5000, SEEK_SET);
	expect("WRITE", &f, 10, 5000, write(f.fd, buf, 10));
	close_file(&f);
}

static void read_13(void *arg)
{
	struct file *file = arg;

	if (read(file->fd, buf, 13) != 13)
		_exit(1);
}

/* One position for a descriptor, its duplicate and a child. */
static void shared_position(void)
{
	struct file twin;
	pid_t child;

	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 1000, 0, write(f.fd, buf, 1000));
	twin = f;
	twin.fd = dup(f.fd);
	lseek(twin.fd, 20, SEEK_SET);
	expect("READ", &f, 30, 20, read(f.fd, buf, 30));
	expect("READ", &twin, 30, 50, read(twin.fd, buf, 30));
	child = in_child(read_13, &f);
	expect_as(child, 0);
	expect("READ", &f, 13, 80, 13);
	expect_as(0, 0);
	expect("READ", &twin, 30, 93, read(twin.fd, buf, 30));
	close(twin.fd);
	close_file(&f);
	/* two opens have two positions */
	open_file(&f, "file", O_RDONLY);
	open_file(&g, "file", O_RDONLY);
	expect("READ", &f, 100, 0, read(f.fd, buf, 100));
	expect("READ", &g, 50, 0, read(g.fd, buf, 50));
	expect("READ", &f, 100, 100, read(f.fd, buf, 100));
	close_file(&g);
	close_file(&f);
}

static void *read_in_thread(void *arg)
{
	pid_t *tid = arg;

	*tid = syscall(SYS_gettid);
	for (int i = 0; i < 5; i++)
		if (pread(f.fd, buf, 19, i * 100) != 19)
			*tid = 0;
	return NULL;
}

static void threads(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 1000, 0, write(f.fd, buf, 1000));
	for (int n = 0; n < 2; n++) {
		pthread_t thread;
		pid_t tid = 0;

		must(!pthread_create(&thread, NULL, read_in_thread, &tid), "thread");
		pthread_join(thread, NULL);
		must(tid != 0, "pread");
		expect_as(getpid(), tid);
		for (int i = 0; i < 5; i++)
			expect("READ", &f, 19, i * 100, 19);
		expect_as(0, 0);
	}
	close_file(&f);
}

static void syncing(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 10, 0, write(f.fd, buf, 10));
	expect("FSYNC", &f, 0, NO_OFFSET, fsync(f.fd));
	expect("FDATASYNC", &f, 0, NO_OFFSET, fdatasync(f.fd));
	close_file(&f);
	open_at(&g, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	expect("FSYNC", &g, 0, NO_OFFSET, fsync(g.fd));
	close_file(&g);
	must(fsync(999) < 0, "fsync");
	expect_bad_fd("FSYNC", 999, 0);
	must(fdatasync(999) < 0, "fdatasync");
	expect_bad_fd("FDATASYNC", 999, 0);
}

const struct conform_case rw_cases[] = {
	{ "plain", plain },
	{ "positioned", positioned },
	{ "far", far },
	{ "vectored", vectored },
	{ "many_vectors", many_vectors },
	{ "vectored2", vectored2 },
	{ "append", append },
	{ "append_later", append_later },
	{ "failing", failing },
	{ "negative", negative },
	{ "direct", direct },
	{ "seeking", seeking },
	{ "shared_position", shared_position },
	{ "threads", threads },
	{ "syncing", syncing },
	{ 0 },
};
