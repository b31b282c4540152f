/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_calls a|b|c DIR: one operation by each system call that leaves rows of stream fs, in DIR,
 * and open files that are shared in every way. Prints for each row: operation, call, and which open
 * file description it went through: a number that rises with each open, "-" for none, "?" for one
 * whose open the tier cannot know.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static char tier;
static char *told;
static size_t told_len;
static FILE *out; /* in memory: a write to stdout would be a row itself */
static int n_opened;
static char bytes[8192];

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform_calls: %s: %s\n", what, strerror(errno));
	_exit(3);
}

/* through: as opened() gave it, -1: not known; 0: no description */
static void tell(const char *operation, const char *call, int through)
{
	fprintf(out, "%s\t%s\t", operation, call);
	if (through > 0)
		fprintf(out, "%d\n", through);
	else
		fputs(through ? "?\n" : "-\n", out);
}

static int opened(const char *call, int fd)
{
	must(fd >= 0, call);
	tell("OPEN", call, ++n_opened);
	return n_opened;
}

static void name_row(const char *operation, const char *call, long result)
{
	must(!result, call);
	tell(operation, call, 0);
}

static void fd_row(const char *operation, const char *call, int through, long result)
{
	must(result >= 0, call);
	tell(operation, call, through);
}

/* ---- reading and writing ---- */

static void move_bytes(int fd, int through)
{
	struct iovec iov = { .iov_base = bytes, .iov_len = 100 };

	fd_row("WRITE", "write", through, syscall(SYS_write, fd, bytes, 4096L));
	fd_row("WRITE", "pwrite64", through, syscall(SYS_pwrite64, fd, bytes, 10L, 5L));
	fd_row("WRITE", "writev", through, syscall(SYS_writev, fd, &iov, 1L));
	fd_row("WRITE", "pwritev", through, syscall(SYS_pwritev, fd, &iov, 1L, 7L, 0L));
	fd_row("READ", "read", through, syscall(SYS_read, fd, bytes, 10L));
	fd_row("READ", "pread64", through, syscall(SYS_pread64, fd, bytes, 10L, 5L));
	fd_row("READ", "readv", through, syscall(SYS_readv, fd, &iov, 1L));
	fd_row("READ", "preadv", through, syscall(SYS_preadv, fd, &iov, 1L, 7L, 0L));
#ifdef SYS_preadv2
	fd_row("WRITE", "pwritev2", through, syscall(SYS_pwritev2, fd, &iov, 1L, 7L, 0L, 0L));
	fd_row("READ", "preadv2", through, syscall(SYS_preadv2, fd, &iov, 1L, 7L, 0L, 0L));
#endif
	fd_row("FSYNC", "fsync", through, fsync(fd));
	fd_row("FDATASYNC", "fdatasync", through, fdatasync(fd));
}

static void asynchronous(int fd, int through)
{
	struct iocb cb = { .aio_lio_opcode = IOCB_CMD_PREAD,
			   .aio_fildes = fd,
			   .aio_buf = (uintptr_t)bytes,
			   .aio_nbytes = 10 };
	struct iocb *list[] = { &cb };
	struct io_event event;
	aio_context_t ctx = 0;

	must(!syscall(SYS_io_setup, 4L, &ctx), "io_setup");
	must(syscall(SYS_io_submit, ctx, 1L, list) == 1, "io_submit");
	must(syscall(SYS_io_getevents, ctx, 1L, 1L, &event, NULL) == 1, "io_getevents");
	if (tier == 'a')
		tell("READ", "aio", through);
	syscall(SYS_io_destroy, ctx);
}

static void between_files(int fd, int through)
{
	int pipes[2], other = syscall(SYS_openat, AT_FDCWD, "other", O_RDWR | O_CREAT, 0644),
		      to = opened("openat", other);
	loff_t from = 0;

	must(!pipe(pipes), "pipe");
	lseek(fd, 0, SEEK_SET);
	fd_row("SENDFILE", "sendfile", through, syscall(SYS_sendfile, other, fd, NULL, 10L));
	fd_row("SPLICE", "splice", through,
	       syscall(SYS_splice, fd, &from, pipes[1], NULL, 10L, 0L));
	fd_row("COPY_FILE_RANGE", "copy_file_range", through,
	       syscall(SYS_copy_file_range, fd, NULL, other, NULL, 10L, 0L));
	fd_row("CLOSE", "close", to, close(other));
	close(pipes[0]);
	close(pipes[1]);
}

static void on_descriptor(int fd, int through)
{
	struct stat st;
	char *map;

	fd_row("GETATTR", "fstat", through, syscall(SYS_fstat, fd, &st));
	fd_row("SETATTR", "fchmod", through, fchmod(fd, 0600));
	fd_row("SETATTR", "fchown", through, fchown(fd, getuid(), -1));
	fd_row("TRUNCATE", "ftruncate", through, ftruncate(fd, 8192));
	fd_row("FALLOCATE", "fallocate", through, fallocate(fd, 0, 0, 4096));
	fd_row("FADVISE", "fadvise64", through, posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM));
	fd_row("READAHEAD", "readahead", through, readahead(fd, 0, 4096));
	fd_row("SYNC_FILE_RANGE", "sync_file_range", through, sync_file_range(fd, 0, 0, 0));
	fd_row("SYNC", "syncfs", through, syncfs(fd));
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	tell("MMAP", "mmap", through);
	fd_row("MSYNC", "msync", 0, msync(map, 4096, MS_SYNC));
	fd_row("MADVISE", "madvise", 0, madvise(map, 4096, MADV_NORMAL));
	map = mremap(map, 8192, 4096, 0);
	must(map != MAP_FAILED, "mremap");
	tell("MREMAP", "mremap", 0);
	fd_row("MUNMAP", "munmap", 0, munmap(map, 4096));
}

/* ---- shared descriptions ---- */

static void read_in_child(int fd, int through)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid)
		_exit(read(fd, bytes, 1) < 0);
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	tell("READ", "read", through);
}

/* A descriptor that came over a socket. */
static int sent(int fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = bytes, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&msg);
	int ends[2], got = -1;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	must(sendmsg(ends[0], &msg, 0) == 1, "sendmsg");
	must(recvmsg(ends[1], &msg, 0) == 1, "recvmsg");
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(got));
	close(ends[0]);
	close(ends[1]);
	must(got >= 0, "SCM_RIGHTS");
	return got;
}

static void shared(void)
{
	int fd = syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY), one = opened("openat", fd);
	int again = syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY), two = opened("openat", again);
	int copy = dup(fd), third = fcntl(again, F_DUPFD, 100), got = sent(fd);
	pid_t pid;

	fd_row("READ", "read", one, read(copy, bytes, 1));
	fd_row("READ", "read", two, read(third, bytes, 1));
	fd_row("READ", "read", one, read(fd, bytes, 1));
	read_in_child(copy, one);
	fd_row("READ", "read", tier == 'c' ? -1 : one, read(got, bytes, 1));
	/* without kprobes nobody sees that it came: the other two are all that count, and /proc has to tell the file */
	if (tier == 'c')
		usleep(400000);
	must(!close(fd) && !close(copy), "close");
	if (tier != 'a')
		tell("CLOSE", "close", one);
	fd_row("CLOSE", "close", tier == 'c' ? -1 : one, close(got));
	/* reopened under the same number */
	fd = syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY);
	one = opened("openat", fd);
	fd_row("READ", "read", one, read(fd, bytes, 1));
	must(dup2(again, fd) == fd, "dup2");
#ifdef SYS_dup2
	tell("CLOSE", "dup2", one);
#else
	tell("CLOSE", "dup3", one); /* what the C library calls where there is no other */
#endif
	fd_row("READ", "read", two, read(fd, bytes, 1));
	if (!(pid = fork())) {
		/* nobody asks for a close by exit */
		_exit(syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY) < 0);
	}
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	tell("OPEN", "openat", ++n_opened);
	tell("CLOSE", "", n_opened);
	copy = syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY);
	one = opened("openat", copy);
	if (!syscall(SYS_close_range, copy, copy, 0L))
		tell("CLOSE", "close_range", one);
	else
		fd_row("CLOSE", "close", one, close(copy));
	must(!close(fd) && !close(third), "close");
	fd_row("CLOSE", "close", two, close(again));
}

/* ---- opening ---- */

static void open_and_close(const char *call, int fd)
{
	int through = opened(call, fd);

	fd_row("CLOSE", "close", through, close(fd));
}

static void opens(void)
{
	uint64_t how[3] = { O_RDONLY };
	long fd;

#ifdef SYS_open
	open_and_close("creat", syscall(SYS_creat, "file", 0644));
	open_and_close("open", syscall(SYS_open, "file", O_RDONLY));
	must(syscall(SYS_open, "no/such", O_RDONLY) < 0, "no/such");
	tell("OPEN", "open", 0);
#endif
	fd = syscall(SYS_openat2, AT_FDCWD, "file", how, sizeof(how));
	if (fd >= 0)
		open_and_close("openat2", fd);
}

/* ---- names ---- */

static void names(void)
{
	struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 2 } };
	char stat_space[512];

	name_row("GETATTR", "newfstatat",
		 syscall(SYS_newfstatat, AT_FDCWD, "file", stat_space, 0L));
#ifdef SYS_statx
	name_row("GETATTR", "statx", syscall(SYS_statx, AT_FDCWD, "file", 0L, 0x7ffL, stat_space));
#endif
#ifdef SYS_stat
	name_row("GETATTR", "stat", syscall(SYS_stat, "file", stat_space));
	name_row("GETATTR", "lstat", syscall(SYS_lstat, "file", stat_space));
	name_row("SETATTR", "chmod", syscall(SYS_chmod, "file", 0600L));
	name_row("SETATTR", "chown", syscall(SYS_chown, "file", (long)getuid(), -1L));
	name_row("SETATTR", "lchown", syscall(SYS_lchown, "file", (long)getuid(), -1L));
	name_row("SETATTR", "utime", syscall(SYS_utime, "file", NULL));
	name_row("SETATTR", "utimes", syscall(SYS_utimes, "file", NULL));
	name_row("SETATTR", "futimesat", syscall(SYS_futimesat, AT_FDCWD, "file", NULL));
	name_row("MKDIR", "mkdir", syscall(SYS_mkdir, "dir", 0755L));
	name_row("RMDIR", "rmdir", syscall(SYS_rmdir, "dir"));
	name_row("LINK", "link", syscall(SYS_link, "file", "second"));
	name_row("RENAME", "rename", syscall(SYS_rename, "second", "third"));
	name_row("UNLINK", "unlink", syscall(SYS_unlink, "third"));
	name_row("SYMLINK", "symlink", syscall(SYS_symlink, "file", "symbolic"));
	name_row("UNLINK", "unlink", syscall(SYS_unlink, "symbolic"));
	name_row("RENAME", "renameat", syscall(SYS_renameat, AT_FDCWD, "file", AT_FDCWD, "moved"));
	name_row("RENAME", "rename", syscall(SYS_rename, "moved", "file"));
#endif
	name_row("SETATTR", "fchmodat", syscall(SYS_fchmodat, AT_FDCWD, "file", 0644L));
	name_row("SETATTR", "fchownat",
		 syscall(SYS_fchownat, AT_FDCWD, "file", (long)getuid(), -1L, 0L));
	name_row("SETATTR", "utimensat", syscall(SYS_utimensat, AT_FDCWD, "file", times, 0L));
	if (!syscall(SYS_fchmodat2, AT_FDCWD, "file", 0644L, 0L))
		tell("SETATTR", "fchmodat2", 0);
	name_row("TRUNCATE", "truncate", truncate("file", 4096));
	name_row("MKDIR", "mkdirat", syscall(SYS_mkdirat, AT_FDCWD, "dir", 0755L));
	name_row("RMDIR", "unlinkat", syscall(SYS_unlinkat, AT_FDCWD, "dir", (long)AT_REMOVEDIR));
	name_row("LINK", "linkat", syscall(SYS_linkat, AT_FDCWD, "file", AT_FDCWD, "second", 0L));
	name_row("RENAME", "renameat2",
		 syscall(SYS_renameat2, AT_FDCWD, "second", AT_FDCWD, "third", 0L));
	name_row("UNLINK", "unlinkat", syscall(SYS_unlinkat, AT_FDCWD, "third", 0L));
	name_row("SYMLINK", "symlinkat", syscall(SYS_symlinkat, "file", AT_FDCWD, "symbolic"));
	name_row("UNLINK", "unlinkat", syscall(SYS_unlinkat, AT_FDCWD, "symbolic", 0L));
}

static void directories(const char *dir)
{
	int fd = syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY),
	    through = opened("openat", fd);

	fd_row("CHDIR", "fchdir", through, fchdir(fd));
	fd_row("READDIR", "getdents64", through, syscall(SYS_getdents64, fd, bytes, sizeof(bytes)));
#ifdef SYS_getdents
	fd_row("READDIR", "getdents", through, syscall(SYS_getdents, fd, bytes, sizeof(bytes)));
#endif
	fd_row("CLOSE", "close", through, close(fd));
}

int main(int argc, char **argv)
{
	int fd, through;

	if (argc != 3 || !strchr("abc", argv[1][0]))
		return 2;
	tier = argv[1][0];
	out = open_memstream(&told, &told_len);
	must(out != NULL, "memory");
	name_row("CHDIR", "chdir", chdir(argv[2]));
	fd = syscall(SYS_openat, AT_FDCWD, "file", O_RDWR | O_CREAT, 0644);
	through = opened("openat", fd);
	move_bytes(fd, through);
	asynchronous(fd, through);
	between_files(fd, through);
	on_descriptor(fd, through);
	fd_row("CLOSE", "close", through, close(fd));
	opens();
	shared();
	names();
	directories(argv[2]);
	fclose(out);
	return fwrite(told, 1, told_len, stdout) != told_len;
}
