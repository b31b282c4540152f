/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations of `make bench`: each operation of stream fs, a known number
 * of times, by bare system calls on files of its own below a directory. Prints
 * what a turn cost the thread that performed it. Knows nothing of tracing,
 * only how many rows a turn is worth. Where an operation cannot be repeated
 * alone, its partner belongs to the turn.
 */
#include "bench/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096
#define FILE_BYTES 65536
#define PIPE_BYTES                                                                                 \
	(256 * PAGE) /* what anybody may ask for: a chunk's turns, each in a page of its own */
_Static_assert(MAX_CHUNK *PAGE <= PIPE_BYTES, "a pipe takes a chunk");

/* What the operations work on; made once, below a directory of its own. */
struct place {
	char dir[PATH_MAX - 16];
	char file[PATH_MAX];
	char other[PATH_MAX];
	char names[2][PATH_MAX]; /* of what comes and goes */
	char sub[PATH_MAX];
	int fd;
	int other_fd;
	int sub_fd;
	int null_fd;
	int direct_fd; /* -1: not on this file system */
	int full[2];   /* a pipe with a byte in it: the source of tee */
	int pipe[2];   /* emptied after each chunk */
	char *map;
	char *buf; /* aligned, for direct reads */
};

/* ---- a turn of each: what the last call returned, -1 and errno on failure ---- */

static long turn_read(struct place *p, unsigned turn)
{
	return syscall(SYS_pread64, p->fd, p->buf, 1, turn % FILE_BYTES);
}

static long turn_write(struct place *p, unsigned turn)
{
	return syscall(SYS_pwrite64, p->fd, p->buf, 1, turn % FILE_BYTES);
}

static long turn_open(struct place *p, unsigned turn)
{
	long fd = syscall(SYS_openat, AT_FDCWD, p->file, O_RDONLY, 0);

	(void)turn;
	return fd < 0 ? fd : syscall(SYS_close, fd);
}

static long turn_fsync(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_fsync, p->fd);
}

static long turn_fdatasync(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_fdatasync, p->fd);
}

static long turn_mmap(struct place *p, unsigned turn)
{
	long map = syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_SHARED, p->fd, 0);

	(void)turn;
	return map == -1 ? map : syscall(SYS_munmap, map, PAGE);
}

static long turn_mremap(struct place *p, unsigned turn)
{
	size_t from = turn & 1 ? PAGE : 2 * PAGE, to = 3 * PAGE - from;
	long map = syscall(SYS_mremap, p->map, from, to, MREMAP_MAYMOVE);

	if (map != -1)
		p->map = (char *)map;
	return map;
}

static long turn_msync(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_msync, p->map, PAGE, MS_ASYNC);
}

static long turn_madvise(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_madvise, p->map, PAGE, MADV_NORMAL);
}

static long turn_getattr(struct place *p, unsigned turn)
{
	struct stat st;

	(void)turn;
	return syscall(SYS_newfstatat, AT_FDCWD, p->file, &st, 0);
}

static long turn_getattr_fd(struct place *p, unsigned turn)
{
	struct stat st;

	(void)turn;
	return syscall(SYS_fstat, p->fd, &st);
}

static long turn_setattr(struct place *p, unsigned turn)
{
	return syscall(SYS_fchmodat, AT_FDCWD, p->file, turn & 1 ? 0600 : 0644);
}

static long turn_chdir(struct place *p, unsigned turn)
{
	return syscall(SYS_chdir, turn & 1 ? p->dir : p->sub);
}

/* All but the first turn find the end of the directory. */
static long turn_readdir(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_getdents64, p->sub_fd, p->buf, PAGE);
}

static long turn_unlink(struct place *p, unsigned turn)
{
	long err = syscall(SYS_mknodat, AT_FDCWD, p->names[0], S_IFREG | 0600, 0);

	(void)turn;
	return err ? err : syscall(SYS_unlinkat, AT_FDCWD, p->names[0], 0);
}

static long turn_truncate(struct place *p, unsigned turn)
{
	return syscall(SYS_truncate, p->other, (long)(turn & 1 ? PAGE : 2 * PAGE));
}

/* sync itself would be the cost of whatever else is dirty */
static long turn_sync(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_syncfs, p->fd);
}

static long turn_rename(struct place *p, unsigned turn)
{
	return syscall(SYS_renameat2, AT_FDCWD, p->names[turn & 1], AT_FDCWD, p->names[!(turn & 1)],
		       0);
}

static long turn_mkdir(struct place *p, unsigned turn)
{
	long err = syscall(SYS_mkdirat, AT_FDCWD, p->names[0], 0700);

	(void)turn;
	return err ? err : syscall(SYS_unlinkat, AT_FDCWD, p->names[0], AT_REMOVEDIR);
}

static long turn_link(struct place *p, unsigned turn)
{
	long err = syscall(SYS_linkat, AT_FDCWD, p->file, AT_FDCWD, p->names[0], 0);

	(void)turn;
	return err ? err : syscall(SYS_unlinkat, AT_FDCWD, p->names[0], 0);
}

static long turn_symlink(struct place *p, unsigned turn)
{
	long err = syscall(SYS_symlinkat, p->file, AT_FDCWD, p->names[0]);

	(void)turn;
	return err ? err : syscall(SYS_unlinkat, AT_FDCWD, p->names[0], 0);
}

static long turn_fallocate(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_fallocate, p->fd, 0, 0L, (long)PAGE);
}

static long turn_sendfile(struct place *p, unsigned turn)
{
	off_t at = turn % FILE_BYTES;

	return syscall(SYS_sendfile, p->null_fd, p->fd, &at, 1L);
}

static long turn_splice(struct place *p, unsigned turn)
{
	loff_t at = turn % FILE_BYTES;

	return syscall(SYS_splice, p->fd, &at, p->pipe[1], NULL, 1L, SPLICE_F_NONBLOCK);
}

static long turn_vmsplice(struct place *p, unsigned turn)
{
	struct iovec iov = { .iov_base = p->buf, .iov_len = 1 };

	(void)turn;
	return syscall(SYS_vmsplice, p->pipe[1], &iov, 1L, SPLICE_F_NONBLOCK);
}

static long turn_copy(struct place *p, unsigned turn)
{
	loff_t in = turn % FILE_BYTES, out = 0;

	return syscall(SYS_copy_file_range, p->fd, &in, p->other_fd, &out, 1L, 0);
}

static long turn_tee(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_tee, p->full[0], p->pipe[1], 1L, SPLICE_F_NONBLOCK);
}

static long turn_sync_range(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_sync_file_range, p->fd, 0L, (long)PAGE, SYNC_FILE_RANGE_WRITE);
}

static long turn_fadvise(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_fadvise64, p->fd, 0L, (long)PAGE, POSIX_FADV_NORMAL);
}

static long turn_readahead(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_readahead, p->fd, 0L, (long)PAGE);
}

static long turn_direct(struct place *p, unsigned turn)
{
	(void)turn;
	return syscall(SYS_pread64, p->direct_fd, p->buf, (long)PAGE, 0L);
}

static const struct operation operations[] = {
	{ "READ", 1, turn_read, "READ, pread of 1 byte" },
	{ "WRITE", 1, turn_write, "WRITE, pwrite of 1 byte" },
	{ "OPEN", 2, turn_open, "OPEN and CLOSE" },
	{ "FSYNC", 1, turn_fsync, "FSYNC" },
	{ "FDATASYNC", 1, turn_fdatasync, "FDATASYNC" },
	{ "MMAP", 2, turn_mmap, "MMAP and MUNMAP" },
	{ "MREMAP", 1, turn_mremap, "MREMAP" },
	{ "MSYNC", 1, turn_msync, "MSYNC" },
	{ "MADVISE", 1, turn_madvise, "MADVISE" },
	{ "GETATTR", 1, turn_getattr, "GETATTR of a path" },
	{ "GETATTR", 1, turn_getattr_fd, "GETATTR of a descriptor" },
	{ "SETATTR", 1, turn_setattr, "SETATTR of a path" },
	{ "CHDIR", 1, turn_chdir, "CHDIR" },
	{ "READDIR", 1, turn_readdir, "READDIR at the end" },
	{ "UNLINK", 2, turn_unlink, "UNLINK (after mknod)" },
	{ "TRUNCATE", 1, turn_truncate, "TRUNCATE of a path" },
	{ "SYNC", 1, turn_sync, "SYNC (syncfs)" },
	{ "RENAME", 1, turn_rename, "RENAME" },
	{ "MKDIR", 2, turn_mkdir, "MKDIR and RMDIR" },
	{ "LINK", 2, turn_link, "LINK and UNLINK" },
	{ "SYMLINK", 2, turn_symlink, "SYMLINK and UNLINK" },
	{ "FALLOCATE", 1, turn_fallocate, "FALLOCATE" },
	{ "SENDFILE", 1, turn_sendfile, "SENDFILE of 1 byte" },
	{ "SPLICE", 1, turn_splice, "SPLICE of 1 byte" },
	{ "VMSPLICE", 1, turn_vmsplice, "VMSPLICE of 1 byte" },
	{ "COPY_FILE_RANGE", 1, turn_copy, "COPY_FILE_RANGE of 1 byte" },
	{ "TEE", 1, turn_tee, "TEE of 1 byte" },
	{ "SYNC_FILE_RANGE", 1, turn_sync_range, "SYNC_FILE_RANGE" },
	{ "FADVISE", 1, turn_fadvise, "FADVISE" },
	{ "READAHEAD", 1, turn_readahead, "READAHEAD" },
	{ "DIO_READ", 2, turn_direct, "READ and DIO_READ of 4096 bytes" },
};

static void after_chunk(struct place *p)
{
	while (read(p->pipe[0], p->buf, FILE_BYTES) > 0)
		;
}

/* ---- the place ---- */

static int open_at(char *path, const struct place *p, const char *name, int flags)
{
	int fd;

	snprintf(path, PATH_MAX, "%s/%s", p->dir, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	return !(flags & O_CREAT) || fd < 0 || !ftruncate(fd, FILE_BYTES) ? fd : -1;
}

static bool make_pipes(struct place *p)
{
	return !pipe2(p->full, O_CLOEXEC) && write(p->full[1], "x", 1) == 1 &&
	       !pipe2(p->pipe, O_CLOEXEC | O_NONBLOCK) &&
	       fcntl(p->pipe[1], F_SETPIPE_SZ, PIPE_BYTES) >= PIPE_BYTES;
}

static bool make_place(struct place *p, const char *dir)
{
	snprintf(p->dir, sizeof(p->dir), "%s", dir);
	snprintf(p->names[0], PATH_MAX, "%s/here", p->dir);
	snprintf(p->names[1], PATH_MAX, "%s/there", p->dir);
	snprintf(p->sub, PATH_MAX, "%s/sub", p->dir);
	if ((mkdir(p->dir, 0700) && errno != EEXIST) || (mkdir(p->sub, 0700) && errno != EEXIST))
		return false;
	p->fd = open_at(p->file, p, "file", O_RDWR | O_CREAT);
	p->other_fd = open_at(p->other, p, "other", O_RDWR | O_CREAT);
	p->direct_fd = open(p->file, O_RDONLY | O_DIRECT | O_CLOEXEC);
	p->sub_fd = open(p->sub, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	p->map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (posix_memalign((void **)&p->buf, PAGE, FILE_BYTES))
		return false;
	memset(p->buf, 'x', FILE_BYTES);
	return p->fd >= 0 && p->other_fd >= 0 && p->sub_fd >= 0 && p->null_fd >= 0 &&
	       p->map != MAP_FAILED && write(p->fd, p->buf, FILE_BYTES) == FILE_BYTES &&
	       make_pipes(p);
}

/* The first of the two names exists when an operation begins that needs one. */
static bool prepare(struct place *p, const struct operation *op)
{
	int fd;

	if (op->turn == turn_direct && p->direct_fd < 0) {
		fprintf(stderr, "ops: %s: not on this file system\n", op->what);
		return false;
	}
	if (op->turn != turn_rename)
		return true;
	unlink(p->names[1]);
	fd = open(p->names[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void clean(struct place *p, const struct operation *op)
{
	if (op->turn != turn_rename)
		return;
	unlink(p->names[0]);
	unlink(p->names[1]);
}

int main(int argc, char **argv)
{
	static struct place place;
	struct asked asked;
	unsigned known = 0;

	/* an absolute directory, because chdir is among the operations */
	if (!turns_asked(argc, argv, "ops", &asked))
		return 2;
	turns_pin();
	if (!make_place(&place, asked.dir)) {
		fprintf(stderr, "ops: %s: %s\n", asked.dir, strerror(errno));
		return 1;
	}
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (!turns_wanted(&asked, &operations[i]))
			continue;
		known++;
		/* what this kernel or place does not have is left out, and said */
		if (prepare(&place, &operations[i]))
			turns_perform(&place, &operations[i], &asked, after_chunk);
		clean(&place, &operations[i]);
	}
	if (!known)
		fprintf(stderr, "ops: %s: no such operation\n", asked.name);
	return known ? 0 : 2;
}
