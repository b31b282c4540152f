/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of operations on descriptors: listing directories, allocating, moving
 * bytes between files and pipes, and telling the kernel how files are used.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_copy_file_range
#ifdef __x86_64__
#define SYS_copy_file_range 326
#else
#define SYS_copy_file_range 285
#endif
#endif

static struct file f, g, dir;
static struct file bad = { .fd = 999, .status = "n" };
static int ends[2]; /* of a pipe */

static void open_pipe(void)
{
	must(!pipe(ends), "pipe");
}

static void close_pipe(void)
{
	must(!close(ends[0]) && !close(ends[1]), "close");
}

/* ---- READDIR ---- */

/* Tier c sees where a listing starts, and not where it goes on. */
static int64_t position_in(int fd)
{
	int64_t pos = lseek(fd, 0, SEEK_CUR);

	/* the end of a directory may be at INT64_MAX, of which no more can be said */
	if (tier == TIER_C)
		return pos < INT64_MAX - 3 ? MAYBE_OFFSET(pos) : ANY_OFFSET;
	return pos;
}

static void list(struct file *file, long nr, size_t size)
{
	int64_t pos = position_in(file->fd);
	long rc = syscall(nr, file->fd, buf, size);

	expect_directory("READDIR", file, pos, file->flags, rc);
}

static void listings(void)
{
	char name[] = "0";

	for (int i = 0; i < 9; i++, name[0]++)
		make_file(name, 0);
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	list(&dir, SYS_getdents64, 4096);
	list(&dir, SYS_getdents64, 4096);
	must(!lseek(dir.fd, 0, SEEK_SET), "lseek");
	/* room for a few names, then for the others; too small for one */
	list(&dir, SYS_getdents64, 100);
	list(&dir, SYS_getdents64, 100);
	list(&dir, SYS_getdents64, 8);
#ifdef SYS_getdents
	list(&dir, SYS_getdents, 4096);
	list(&dir, SYS_getdents, 4096);
#endif
	close_file(&dir);
	open_file(&f, "0", O_RDONLY);
	/* not a directory */
	expect_directory("READDIR", &f, ANY_OFFSET, f.flags,
			 syscall(SYS_getdents64, f.fd, buf, 4096));
	close_file(&f);
	expect_fd("READDIR", &bad, 0, ANY_OFFSET, NULL, syscall(SYS_getdents64, 999, buf, 4096));
}

static void deleted_directory(void)
{
	make_dir(at("d"), NULL);
	open_at(&dir, AT_FDCWD, at("d"), NULL, O_RDONLY | O_DIRECTORY);
	settle();
	expect_path("RMDIR", at("d"), NULL, rmdir(at("d")));
	now_called(&dir, "d", "fd");
	list(&dir, SYS_getdents64, 4096);
	close_file(&dir);
}

/* ---- FALLOCATE ---- */

static void allocate(const struct file *file, int mode, int64_t from, uint64_t n, const char *names)
{
	expect_fd("FALLOCATE", file, n, from, names, fallocate(file->fd, mode, from, n));
}

static void allocating(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	allocate(&f, 0, 0, 10000, "NO_FLAGS");
	allocate(&f, 0, 4096, 100000, "NO_FLAGS");
	allocate(&f, FALLOC_FL_KEEP_SIZE, 0x180000000, 1, "FALLOC_FL_KEEP_SIZE");
	allocate(&f, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096,
		 "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE");
	/* not every file system has these: then that is the row */
	allocate(&f, FALLOC_FL_ZERO_RANGE, 0, 4096, "FALLOC_FL_ZERO_RANGE");
	allocate(&f, FALLOC_FL_COLLAPSE_RANGE, 0, 4096, "FALLOC_FL_COLLAPSE_RANGE");
	allocate(&f, FALLOC_FL_INSERT_RANGE, 0, 4096, "FALLOC_FL_INSERT_RANGE");
	allocate(&f, FALLOC_FL_PUNCH_HOLE, 0, 4096, "FALLOC_FL_PUNCH_HOLE");
	allocate(&f, 0x4000, 0, 4096, "0x4000");
	allocate(&f, 0, 100, 0, "NO_FLAGS");
	/* below zero is no offset of a file */
	allocate(&f, 0, ANY_OFFSET, 4096, "NO_FLAGS");
	close_file(&f);
	open_file(&f, "file", O_RDONLY);
	allocate(&f, 0, 0, 4096, "NO_FLAGS");
	close_file(&f);
	allocate(&bad, 0, 7, 4096, "NO_FLAGS");
}

/* ---- SENDFILE ---- */

/* A call that moves a position by what it returns: the tracer follows it, or says nothing. */
static int64_t moved_to(int64_t pos)
{
	return tier == TIER_C ? MAYBE_OFFSET(pos) : pos;
}

static void send_file(int to, const struct file *from, off_t *offset, size_t n, int64_t start)
{
	expect_fd("SENDFILE", from, n, start, NULL, syscall(SYS_sendfile, to, from->fd, offset, n));
}

/* To a file, which is named, too */
static void send_to(const struct file *to, const struct file *from, off_t *offset, size_t n,
		    int64_t start)
{
	static struct file both;

	name_two(&both, from->path, to->path);
	both.status = "f";
	both.fd = from->fd;
	expect_fd("SENDFILE", &both, n, start, NULL,
		  syscall(SYS_sendfile, to->fd, from->fd, offset, n));
}

static void sending(void)
{
	off_t offset = 100;

	make_file("source", 1000);
	open_file(&f, "source", O_RDWR);
	open_file(&g, "copy", O_RDWR | O_CREAT);
	send_to(&g, &f, NULL, 300, 0);
	send_to(&g, &f, NULL, 300, moved_to(300));
	send_to(&g, &f, &offset, 200, 100);
	send_to(&g, &f, &offset, 9000, 300);
	send_to(&g, &f, &offset, 9000, 1000);
	expect("READ", &f, 10, moved_to(600), read(f.fd, buf, 10));
	expect("WRITE", &g, 10, moved_to(1500), write(g.fd, buf, 10));
	lseek(f.fd, 5, SEEK_SET);
	send_to(&g, &f, NULL, 1, 5);
	open_pipe();
	offset = 0x180000000;
	send_file(ends[1], &f, &offset, 100, 0x180000000);
	offset = 0;
	send_file(ends[1], &f, &offset, 100, 0);
	/* a pipe cannot be the source, and it is no file */
	must(sendfile(g.fd, ends[0], NULL, 10) < 0 || true, "sendfile");
	close_pipe();
	send_file(999, &f, NULL, 8, ANY_OFFSET);
	send_file(f.fd, &bad, NULL, 9, ANY_OFFSET);
	send_to(&g, &f, (off_t *)8, 10, ANY_OFFSET);
	close_file(&g);
	open_file(&g, "copy", O_WRONLY);
	send_to(&f, &g, NULL, 11, ANY_OFFSET);
	close_file(&g);
	close_file(&f);
}

/* ---- SPLICE, VMSPLICE, TEE ---- */

static void splice_file(const struct file *file, int from, loff_t *off_in, int to, loff_t *off_out,
			unsigned flags, const char *names, int64_t start)
{
	expect_fd("SPLICE", file, 500, start, names, splice(from, off_in, to, off_out, 500, flags));
}

static void splicing(void)
{
	loff_t offset = 250;

	make_file("source", 1000);
	open_file(&f, "source", O_RDONLY);
	open_file(&g, "copy", O_RDWR | O_CREAT);
	open_pipe();
	splice_file(&f, f.fd, NULL, ends[1], NULL, 0, "NO_FLAGS", 0);
	splice_file(&g, ends[0], NULL, g.fd, NULL, SPLICE_F_MOVE, "SPLICE_F_MOVE|TO_FILE", 0);
	splice_file(&f, f.fd, NULL, ends[1], NULL, SPLICE_F_MORE, "SPLICE_F_MORE", moved_to(500));
	splice_file(&g, ends[0], NULL, g.fd, NULL, 0, "TO_FILE", moved_to(500));
	splice_file(&f, f.fd, &offset, ends[1], NULL, 3, "SPLICE_F_MOVE|SPLICE_F_NONBLOCK", 250);
	offset = 4000;
	splice_file(&g, ends[0], NULL, g.fd, &offset, 0, "TO_FILE", 4000);
	/* nothing there, then failures: an unknown flag, no pipe, a descriptor that is none */
	offset = 70000;
	splice_file(&f, f.fd, &offset, ends[1], NULL, 0, "NO_FLAGS", 70000);
	splice_file(&f, f.fd, NULL, ends[1], NULL, 0x100, "0x100", ANY_OFFSET);
	splice_file(&f, f.fd, NULL, g.fd, NULL, 0, "NO_FLAGS", ANY_OFFSET);
	splice_file(&bad, 999, NULL, ends[1], NULL, 0, "NO_FLAGS", ANY_OFFSET);
	expect("READ", &g, 5000, moved_to(1000), read(g.fd, buf, 5000));
	close_pipe();
	close_file(&g);
	close_file(&f);
}

static void pipe_row(const char *op, int fd, uint64_t size, const char *names, long rc)
{
	struct file none = { .fd = fd, .status = "n" };

	expect_fd(op, &none, size, NO_OFFSET, names, rc);
}

static void pipes_alone(void)
{
	struct iovec iov[3] = { { buf, 10 }, { buf + 4096, 20 }, { buf + 8192, 3 } };
	int more[2];

	open_pipe();
	must(!pipe(more), "pipe");
	pipe_row("VMSPLICE", ends[1], 33, "NO_FLAGS", vmsplice(ends[1], iov, 3, 0));
	pipe_row("VMSPLICE", ends[1], 10, "SPLICE_F_GIFT",
		 vmsplice(ends[1], iov, 1, SPLICE_F_GIFT));
	pipe_row("TEE", ends[0], 20, "NO_FLAGS", tee(ends[0], more[1], 20, 0));
	pipe_row("TEE", ends[0], 4096, "SPLICE_F_NONBLOCK",
		 tee(ends[0], more[1], 4096, SPLICE_F_NONBLOCK));
	/* from one pipe into the other: no file has a part in it */
	must(splice(ends[0], NULL, more[1], NULL, 1, 0) == 1, "splice");
	must(!close(more[0]) && !close(more[1]), "close");
	close_pipe();
	pipe_row("VMSPLICE", 999, 10, "NO_FLAGS", vmsplice(999, iov, 1, 0));
	pipe_row("TEE", 998, 10, "NO_FLAGS", tee(998, 999, 10, 0));
}

/* ---- COPY_FILE_RANGE ---- */

static void copy_range(const struct file *from, loff_t *off_in, const struct file *to,
		       loff_t *off_out, size_t n, int64_t start)
{
	static struct file both;
	long rc = syscall(SYS_copy_file_range, from->fd, off_in, to->fd, off_out, n, 0);

	if (*from->path || *to->path) {
		name_two(&both, from->path, to->path);
		both.status = "f";
	} else {
		both.path[0] = '\0';
		both.status = "n";
	}
	both.fd = from->fd;
	expect_fd("COPY_FILE_RANGE", &both, n, start, NULL, rc);
}

static void copying(void)
{
	loff_t in = 200, to = 5000;

	make_file("source", 1000);
	open_file(&f, "source", O_RDONLY);
	open_file(&g, "copy", O_RDWR | O_CREAT);
	copy_range(&f, NULL, &g, NULL, 300, 0);
	copy_range(&f, NULL, &g, NULL, 300, moved_to(300));
	copy_range(&f, &in, &g, &to, 400, 200);
	copy_range(&f, &in, &g, NULL, 4000, 600);
	expect("READ", &f, 10, moved_to(600), read(f.fd, buf, 10));
	copy_range(&g, NULL, &f, NULL, 10, ANY_OFFSET);
	copy_range(&bad, NULL, &bad, NULL, 10, ANY_OFFSET);
	close_file(&g);
	close_file(&f);
}

/* ---- CLONE ---- */

/* Where the file system cannot, the row has its error; rc is an expression of the call. */
static void clone_row(const struct file *from, const struct file *to, int64_t start, uint64_t n,
		      long rc)
{
	static struct file both;

	name_two(&both, from->path, to->path);
	both.status = "f";
	both.fd = from->fd;
	expect_fd("CLONE", &both, n, start, NULL, rc);
}

static void cloning(void)
{
	struct file_clone_range range = { .src_offset = 4096, .src_length = 8192 };
	uint64_t bytes[(sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)) /
		       sizeof(uint64_t)] = { 0 };
	struct file_dedupe_range *same = (struct file_dedupe_range *)bytes;

	make_file("source", 65536);
	open_file(&f, "source", O_RDWR);
	open_file(&g, "clone", O_RDWR | O_CREAT);
	clone_row(&f, &g, 0, 0, ioctl(g.fd, FICLONE, f.fd));
	range.src_fd = f.fd;
	clone_row(&f, &g, 4096, 8192, ioctl(g.fd, FICLONERANGE, &range));
	same->src_length = 4096;
	same->dest_count = 1;
	same->info[0].dest_fd = g.fd;
	clone_row(&f, &g, 0, 4096, ioctl(f.fd, FIDEDUPERANGE, same));
	/* another command of ioctl is no row */
	ioctl(f.fd, FIONREAD, &(int){ 0 });
	close_file(&g);
	close_file(&f);
}

/* ---- SYNC, and hints ---- */

static void syncing_all(void)
{
	struct file none = { .fd = -1, .status = "n" };

	sync();
	expect_fd("SYNC", &none, 0, NO_OFFSET, NULL, 0);
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect_fd("SYNC", &f, 0, NO_OFFSET, NULL, syncfs(f.fd));
	expect_fd("SYNC", &bad, 0, NO_OFFSET, NULL, syncfs(999));
	close_file(&f);
}

static void sync_range(const struct file *file, int64_t from, uint64_t n, unsigned flags,
		       const char *names)
{
	expect_fd("SYNC_FILE_RANGE", file, n, from, names,
		  sync_file_range(file->fd, from, n, flags));
}

static void syncing_ranges(void)
{
	make_file("file", 10000);
	open_file(&f, "file", O_RDWR);
	sync_range(&f, 0, 4096, SYNC_FILE_RANGE_WRITE, "SYNC_FILE_RANGE_WRITE");
	sync_range(&f, 4096, 0, 7,
		   "SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|"
		   "SYNC_FILE_RANGE_WAIT_AFTER");
	sync_range(&f, 100, 200, 0, "NO_FLAGS");
	sync_range(&f, 1, 2, 0x40, "0x40");
	close_file(&f);
	sync_range(&bad, 3, 4, 0, "NO_FLAGS");
}

static void advise(const struct file *file, int64_t from, uint64_t n, int advice, const char *name)
{
	expect_fd("FADVISE", file, n, from, name,
		  syscall(SYS_fadvise64, file->fd, from, n, advice));
}

static void hints(void)
{
	static const char *const names[] = { "POSIX_FADV_NORMAL",     "POSIX_FADV_RANDOM",
					     "POSIX_FADV_SEQUENTIAL", "POSIX_FADV_WILLNEED",
					     "POSIX_FADV_DONTNEED",   "POSIX_FADV_NOREUSE" };

	make_file("file", 10000);
	open_file(&f, "file", O_RDONLY);
	for (int i = 0; i < 6; i++)
		advise(&f, i * 10, i * 1000, i, names[i]);
	expect_fd("READAHEAD", &f, 8192, 0, NULL, readahead(f.fd, 0, 8192));
	expect_fd("READAHEAD", &f, 4096, 0x180000000, NULL, readahead(f.fd, 0x180000000, 4096));
	close_file(&f);
	advise(&bad, 1, 2, 1, names[1]);
	expect_fd("READAHEAD", &bad, 5, 6, NULL, readahead(999, 6, 5));
}

const struct conform_case fd_cases[] = {
	{ "listings", listings },
	{ "deleted_directory", deleted_directory },
	{ "allocating", allocating },
	{ "sending", sending },
	{ "splicing", splicing },
	{ "pipes_alone", pipes_alone },
	{ "copying", copying },
	{ "cloning", cloning },
	{ "syncing_all", syncing_all },
	{ "syncing_ranges", syncing_ranges },
	{ "hints", hints },
	{ 0 },
};
