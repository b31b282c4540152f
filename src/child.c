/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "sys.h"

/* as a shell has them */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static void __attribute__((noreturn)) run(char **command, int gate, const sigset_t *mask)
{
	char go;
	ssize_t n;

	do
		n = read(gate, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(NOT_FOUND); /* the tracer gave up, and said why */
	sigprocmask(SIG_SETMASK, mask, NULL);
	memlock_restore();
	execvp(command[0], command);
	log_error("%s: %s", command[0], strerror(errno));
	_exit(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

int child_start(struct child *child, char **command, const sigset_t *mask)
{
	int gate[2];

	if (pipe2(gate, O_CLOEXEC)) {
		log_error("pipe: %s", strerror(errno));
		return -errno;
	}
	child->pid = fork();
	if (child->pid < 0) {
		int err = -errno;

		log_error("fork: %s", strerror(-err));
		close(gate[0]);
		close(gate[1]);
		child->pid = 0;
		return err;
	}
	if (child->pid == 0) {
		close(gate[1]);
		run(command, gate[0], mask);
	}
	close(gate[0]);
	child->gate = gate[1];
	return 0;
}

void child_release(struct child *child)
{
	if (child->pid && child->gate >= 0) {
		while (write(child->gate, "g", 1) < 0 && errno == EINTR)
			;
		close(child->gate);
		child->gate = -1;
	}
}

bool child_ended(struct child *child)
{
	if (child->pid && !child->ended && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
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
