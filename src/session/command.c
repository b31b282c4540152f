/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the gate that the child waits at. What is traced of it, it does not know. */
#include "session/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/sys.h"

/* as a shell has them */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* The program that execvp would find, searched here so that its failures are no rows of the trace. */
static const char *find_program(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	struct stat st;

	while (path && *path && !strchr(name, '/')) {
		size_t n = strcspn(path, ":");

		snprintf(out, size, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (!stat(out, &st) && S_ISREG(st.st_mode) && !access(out, X_OK))
			return out;
		path += n + (path[n] == ':');
	}
	return name;
}

/*
 * What exec would close, hundreds of probes, goes before /proc is asked what this process has
 * open. What the user handed down stays.
 */
static void close_ours(int gate)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFD);

		if (fd > STDERR_FILENO && fd != gate && fd != dirfd(dir) && flags >= 0 &&
		    flags & FD_CLOEXEC)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

void child_keep_signals(struct child_signals *signals)
{
	sigprocmask(SIG_SETMASK, NULL, &signals->mask);
	sigaction(SIGPIPE, NULL, &signals->pipe);
	sigaction(SIGCHLD, NULL, &signals->chld);
}

/* Last, so that none of them ends this process where the tracer would not expect it. */
static void restore_signals(const struct child_signals *signals)
{
	memlock_restore();
	nofile_restore();
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGCHLD, &signals->chld, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static void __attribute__((noreturn))
run(char **command, int gate, const struct child_signals *signals)
{
	char go = 'r', found[PATH_MAX + NAME_MAX];
	const char *program = find_program(command[0], found, sizeof(found));
	ssize_t n;
	int err;

	close_ours(gate);
	if (write(gate, &go, 1) != 1)
		_exit(NOT_FOUND);
	do
		n = read(gate, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(NOT_FOUND); /* the tracer gave up, and said why */
	restore_signals(signals);
	execvp(program, command);
	err = errno;
	log_error("%s: %s", command[0], strerror(err));
	_exit(err == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

int child_start(struct child *child, char **command, const struct child_signals *signals)
{
	int gate[2], err;
	char ready;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate)) {
		err = -errno;
		log_error("socketpair: %s", strerror(-err));
		return err;
	}
	child->pid = fork();
	if (child->pid < 0) {
		err = -errno;
		log_error("fork: %s", strerror(-err));
		close(gate[0]);
		close(gate[1]);
		child->pid = 0;
		return err;
	}
	if (child->pid == 0) {
		close(gate[1]);
		run(command, gate[0], signals);
	}
	close(gate[0]);
	child->gate = gate[1];
	/* From here on it stands still, and what /proc says of it stays right. */
	while (read(child->gate, &ready, 1) < 0 && errno == EINTR)
		;
	return 0;
}

void child_release(struct child *child)
{
	if (child->pid && child->gate >= 0) {
		while (send(child->gate, "g", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
			;
		close(child->gate);
		child->gate = -1;
	}
}

bool child_ended(struct child *child)
{
	if (child->pid && !child->ended &&
	    waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

int child_exit_status(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

void child_cancel(struct child *child)
{
	if (!child->pid || child->ended || child->gate < 0)
		return;
	close(child->gate);
	child->gate = -1;
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
	child->ended = true;
}
