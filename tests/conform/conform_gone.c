/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_gone: opens a file in a namespace of mounts that is gone soon, then one on copies of a directory that are on no
 * other mount, which may get the places in memory of what is gone; again and again, in the working directory.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
enum { TREE_CLONE = 1, ROUNDS = 150, COPIES = 40, NO_SUCH_CALL = 77, US = 20000 };

static int open_once(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT, 0600);

	return fd < 0 || close(fd);
}

static int in_namespace(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		      open_once(AT_FDCWD, "seen"));
	return waitpid(pid, &status, 0) != pid || status;
}

static int on_copies(const char *dir)
{
	int trees[COPIES], failed = 0;

	for (int i = 0; i < COPIES; i++) {
		trees[i] = (int)syscall(SYS_open_tree, AT_FDCWD, dir, TREE_CLONE | O_CLOEXEC);
		failed = failed || trees[i] < 0 || open_once(trees[i], "copied");
	}
	for (int i = 0; i < COPIES; i++)
		close(trees[i]);
	return failed;
}

int main(void)
{
	if (mkdir("copy", 0700))
		return 1;
	if (syscall(SYS_open_tree, -1, "", 0) >= 0 || on_copies("copy"))
		return NO_SUCH_CALL;
	for (int i = 0; i < ROUNDS; i++) {
		if (in_namespace())
			return 1;
		/* memory that is still read is free some time later */
		usleep((useconds_t)(i % 3 * US));
		if (on_copies("copy"))
			return 1;
	}
	return 0;
}
