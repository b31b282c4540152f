/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of closing: one CLOSE for each open file description, by whoever
 * gives up the last descriptor, and however.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static struct file f, g, h;

static void duplicates(void)
{
	struct file twin;

	open_file(&f, "one", O_RDWR | O_CREAT);
	twin = f;
	twin.fd = dup(f.fd);
	must(!close(f.fd), "close");
	expect("WRITE", &twin, 5, 0, write(twin.fd, buf, 5));
	close_file(&twin);
	open_file(&f, "two", O_RDWR | O_CREAT);
	twin = f;
	twin.fd = fcntl(f.fd, F_DUPFD_CLOEXEC, 50);
	must(twin.fd >= 50 && !close(f.fd), "F_DUPFD_CLOEXEC");
	expect("WRITE", &twin, 6, 0, write(twin.fd, buf, 6));
	close_file(&twin);
	must(close(999) < 0, "close");
	expect_bad_fd("CLOSE", 999, 0);
}

static void dup_over(void)
{
	struct file moved;

	open_file(&f, "under", O_RDWR | O_CREAT);
	open_file(&g, "over", O_RDWR | O_CREAT);
	must(dup2(g.fd, f.fd) == f.fd, "dup2");
	expect_silent_close(&f);
	moved = g;
	moved.fd = f.fd;
	expect("WRITE", &moved, 7, 0, write(moved.fd, buf, 7));
	must(!close(g.fd), "close");
	expect("WRITE", &moved, 8, 7, write(moved.fd, buf, 8));
	must(dup2(moved.fd, moved.fd) == moved.fd, "dup2 to itself");
	close_file(&moved);
	/* dup3, and onto a number that was free */
	open_file(&f, "under", O_RDWR);
	moved = f;
	moved.fd = dup3(f.fd, 60, O_CLOEXEC);
	must(moved.fd == 60 && !close(f.fd), "dup3");
	close_file(&moved);
}

static void close_it(void *arg)
{
	struct file *file = arg;

	if (close(file->fd))
		_exit(1);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void pause_then_write(void *arg)
{
	struct file *file = arg;

	/* 100 ms after the parent gave its descriptor up */
	usleep(100000);
	if (write(file->fd, buf, 9) != 9)
		_exit(1);
}

static void forked(void)
{
	pid_t pid;

	open_file(&f, "file", O_RDWR | O_CREAT);
	in_child(close_it, &f);
	in_child(nothing, &f);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	close_file(&f);
	/* the child is the last one to have it */
	open_file(&f, "last", O_RDWR | O_CREAT);
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		pause_then_write(&f);
		_exit(0);
	}
	must(!close(f.fd), "close");
	await(pid);
	expect_as(pid, 0);
	expect("WRITE", &f, 9, 0, 9);
	expect_silent_close(&f);
}

static void leave_open(void *arg)
{
	struct file *files = arg;

	if (open(files[0].path, O_RDONLY) != files[0].fd ||
	    open(files[1].path, O_RDONLY) != files[1].fd)
		_exit(1);
}

static void die(void *arg)
{
	leave_open(arg);
	raise(SIGKILL);
}

/* Prepares two files and tells what a child that opens them will show. */
static void two_files(struct file files[2])
{
	open_file(&files[0], "one", O_RDWR | O_CREAT);
	open_file(&files[1], "two", O_RDWR | O_CREAT);
	close_file(&files[0]);
	close_file(&files[1]);
}

static void expect_leaving(struct file files[2], pid_t pid)
{
	int fd[2] = { files[0].fd, files[1].fd };

	expect_as(pid, 0);
	for (int i = 0; i < 2; i++)
		expect_open(&files[i], at(i ? "two" : "one"), O_RDONLY, fd[i]);
	expect_silent_close(&files[0]);
	expect_silent_close(&files[1]);
	expect_as(0, 0);
}

static void at_exit(void)
{
	static struct file files[2];

	two_files(files);
	expect_leaving(files, in_child(leave_open, files));
	expect_leaving(files, in_child(die, files));
}

static void execute(void *arg)
{
	int fd = open(arg, O_RDONLY | O_CLOEXEC);

	if (fd == f.fd)
		execl(program, program, "--child", h.path, (char *)NULL);
	_exit(1);
}

/* exec closes what is marked and keeps the rest; the new program leaves its file to its exit. */
static void executed(void)
{
	pid_t pid;
	int fd;

	open_file(&h, "used", O_WRONLY | O_CREAT);
	close_file(&h);
	open_file(&g, "kept", O_RDWR | O_CREAT);
	open_file(&f, "marked", O_RDWR | O_CREAT);
	close_file(&f);
	fd = f.fd;
	pid = in_child(execute, f.path);
	expect_as(pid, 0);
	expect_open(&f, at("marked"), O_RDONLY | O_CLOEXEC, fd);
	expect_silent_close(&f);
	expect_open(&h, at("used"), O_WRONLY, fd);
	expect("WRITE", &h, 5, 0, 5);
	expect_silent_close(&h);
	expect_as(0, 0);
	expect("WRITE", &g, 4, 0, write(g.fd, buf, 4));
	close_file(&g);
}

/* A mark that fcntl took off again, and one that it put on. */
static void marks(void)
{
	pid_t pid;

	open_file(&h, "used", O_WRONLY | O_CREAT);
	close_file(&h);
	open_file(&f, "on", O_RDWR | O_CREAT);
	open_file(&g, "off", O_RDWR | O_CREAT | O_CLOEXEC);
	must(!fcntl(f.fd, F_SETFD, FD_CLOEXEC) && !fcntl(g.fd, F_SETFD, 0), "F_SETFD");
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		usleep(100000);
		execl(program, program, "--child", h.path, (char *)NULL);
		_exit(1);
	}
	must(!close(f.fd) && !close(g.fd), "close");
	await(pid);
	expect_as(pid, 0);
	expect_silent_close(&f);
	h.fd = f.fd;
	expect_open(&h, at("used"), O_WRONLY, h.fd);
	expect("WRITE", &h, 5, 0, 5);
	/* in the order of the numbers */
	expect_silent_close(&h);
	expect_silent_close(&g);
}

static void ranges(void)
{
	struct file *files[] = { &f, &g, &h };
	static const char *const names[] = { "a", "b", "c" };

	for (int i = 0; i < 3; i++)
		open_file(files[i], names[i], O_RDWR | O_CREAT);
	if (syscall(SYS_close_range, f.fd, g.fd, 0)) {
		/* some vendor has another call of that number */
		must(errno == ENOSYS || errno == ENOENT, "close_range");
		skip("no close_range here");
		close_file(&f);
		close_file(&g);
	} else {
		expect_silent_close(&f);
		expect_silent_close(&g);
	}
	expect("WRITE", &h, 5, 0, write(h.fd, buf, 5));
	close_file(&h);
}

static void vforked(void)
{
	pid_t pid;
	int fd;

	open_file(&h, "used", O_WRONLY | O_CREAT);
	fd = h.fd;
	close_file(&h);
	pid = vfork();
	must(pid >= 0, "vfork");
	if (pid == 0) {
		execl(program, program, "--child", h.path, (char *)NULL);
		_exit(1);
	}
	await(pid);
	expect_as(pid, 0);
	expect_open(&h, at("used"), O_WRONLY, fd);
	expect("WRITE", &h, 5, 0, 5);
	expect_silent_close(&h);
}

/* Two processes with one table: what one opens is the other's, too. */
static void shared_table(void)
{
	long pid;

	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 100, 0, write(f.fd, buf, 100));
	close_file(&f);
	pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	must(pid >= 0, "clone");
	if (pid == 0)
		_exit(open(f.path, O_RDONLY) != f.fd || read(f.fd, buf, 10) != 10);
	await(pid);
	expect_as(pid, 0);
	expect_open(&f, at("file"), O_RDONLY, f.fd);
	expect("READ", &f, 10, 0, 10);
	expect_as(0, 0);
	expect("READ", &f, 10, 10, read(f.fd, buf, 10));
	close_file(&f);
}

const struct conform_case close_cases[] = {
	{ "duplicates", duplicates },
	{ "dup_over", dup_over },
	{ "forked", forked },
	{ "at_exit", at_exit },
	{ "executed", executed },
	{ "marks", marks },
	{ "ranges", ranges },
	{ "vforked", vforked },
	{ "shared_table", shared_table },
	{ 0 },
};
