/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compile helper as a child process. Text, result and messages are
 * anonymous files rather than pipes: nobody ever waits for the other's reading,
 * and a helper that dies half way leaves nothing to unblock. The child has its
 * own process group, so that ^C reaches it through here, and is killed with
 * whatever it has started.
 */
#include "image/helper_run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

enum {
	N_CHILD_FDS = 5, /* stdin, stdout, stderr, image, alive */
	ABOVE_FDS = 16,
	EXEC_FAILED = 127,
	OUTPUT_MAX = 1 << 20,
	MAX_FILE = 256 << 20, /* a helper gone wild must not fill the memory */
	POLL_MS = 250,
	NOTICE_MS = 500, /* so long nobody wonders */
	POLL_ENDING_MS = 2,
};

struct files {
	int text;
	int image;
	int output;
	int alive[2]; /* closes when the child and its children are gone */
	int signals;  /* readable when one of the stop signals is pending */
	int exec_error[2];
};

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

static int open_files(struct files *files, const char *text)
{
	sigset_t set;

	stop_signals(&set);
	files->text = memory_file("text");
	files->image = memory_file("image");
	files->output = memory_file("output");
	files->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (files->text < 0 || files->image < 0 || files->output < 0 || files->signals < 0 ||
	    pipe2(files->alive, O_CLOEXEC) || pipe2(files->exec_error, O_CLOEXEC))
		return -errno;
	if (file_write_all(files->text, text, strlen(text), NULL))
		return -ENOMEM;
	lseek(files->text, 0, SEEK_SET);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_files(struct files *files)
{
	close_fd(&files->text);
	close_fd(&files->image);
	close_fd(&files->output);
	close_fd(&files->signals);
	for (int i = 0; i < 2; i++) {
		close_fd(&files->alive[i]);
		close_fd(&files->exec_error[i]);
	}
}

/*
 * Twice, because a descriptor may sit on a number that another one is to get. Each goes to
 * the number of its place in the list; --fd says 3, the image's.
 */
static int move_fds(const struct files *files)
{
	const int from[] = { files->text, files->output, files->output, files->image,
			     files->alive[1] };
	int high[N_CHILD_FDS];

	for (int i = 0; i < N_CHILD_FDS; i++) {
		high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ABOVE_FDS);
		if (high[i] < 0)
			return -errno;
	}
	for (int i = 0; i < N_CHILD_FDS; i++) {
		if (dup2(high[i], i) < 0)
			return -errno;
	}
	return 0;
}

static void limit(int what, rlim_t most)
{
	struct rlimit lim = { most, most };

	setrlimit(what, &lim);
}

/* In the child; returns the errno of what failed. */
static int become_helper(const struct files *files, const char **argv, pid_t parent)
{
	sigset_t stop;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || setpgid(0, 0))
		return errno;
	if (getppid() != parent)
		_exit(EXEC_FAILED); /* it died before it could be watched */
	/* LLVM's memory on a disk, after a crash that is only reported */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, MAX_FILE);
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	stop_signals(&stop);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	if (move_fds(files))
		return errno;
	execv(argv[0], (char **)argv);
	return errno;
}

static pid_t start(const struct files *files, const char **argv)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0) {
		int report = fcntl(files->exec_error[1], F_DUPFD_CLOEXEC, ABOVE_FDS);
		int err = become_helper(files, argv, parent);

		_exit(write(report, &err, sizeof(err)) < 0 ? EXEC_FAILED : 0);
	}
	return pid < 0 ? -errno : pid;
}

static void notify(struct helper_run *run, uint64_t began)
{
	if (run->said)
		log_waiting("compiling the programs");
	else if (run->notice && mono_ns() - began >= NOTICE_MS * (NS_PER_S / 1000)) {
		log_note("%s", run->notice);
		run->said = true;
	}
}

/*
 * Sleeps until the child has ended or something is to be done about it. The
 * pipe closes a moment before the child can be waited for.
 */
static bool must_stop(struct helper_run *run, struct files *files, uint64_t began)
{
	uint64_t deadline = began + run->timeout_s * NS_PER_S;
	struct pollfd fds[] = { { .fd = files->alive[0], .events = POLLIN },
				{ .fd = files->signals, .events = POLLIN } };

	notify(run, began);
	poll(fds, 2, files->alive[0] < 0 ? POLL_ENDING_MS : POLL_MS);
	if (fds[0].revents)
		close_fd(&files->alive[0]);
	if (fds[1].revents)
		run->end = RUN_INTERRUPTED;
	else if (mono_ns() >= deadline)
		run->end = RUN_TIMEOUT;
	return run->end != RUN_EXITED;
}

static void wait_for_child(struct helper_run *run, struct files *files, pid_t pid)
{
	uint64_t began = mono_ns();
	int status = 0;

	run->end = RUN_EXITED;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!must_stop(run, files, began))
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL); /* it may not have its group yet */
		waitpid(pid, &status, 0);
		return;
	}
	kill(-pid, SIGKILL); /* what it may have started */
	if (WIFSIGNALED(status)) {
		run->end = RUN_SIGNALLED;
		run->status = WTERMSIG(status);
	} else {
		run->status = WEXITSTATUS(status);
	}
}

static void supervise(struct helper_run *run, struct files *files, pid_t pid)
{
	wait_for_child(run, files, pid);
	if (run->said)
		log_waiting(NULL);
}

static char *read_output(int fd)
{
	char *text = malloc(OUTPUT_MAX + 1);
	ssize_t n = text ? pread(fd, text, OUTPUT_MAX, 0) : 0;

	for (ssize_t i = 0; i < n; i++) {
		/* find_error() and show_output() take it as one string */
		if (!text[i])
			text[i] = '?';
	}
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

static int run_child(struct helper_run *run, struct files *files, const char **argv)
{
	pid_t pid = start(files, argv);
	int err = 0;

	close_fd(&files->alive[1]);
	close_fd(&files->exec_error[1]);
	if (pid < 0)
		return pid;
	/* the pipe closes at exec: then nothing comes, and the helper runs */
	if (read(files->exec_error[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(pid, NULL, 0);
		run->end = RUN_NOT_STARTED;
		run->status = err;
	} else {
		supervise(run, files, pid);
	}
	run->output = read_output(files->output);
	run->image_fd = files->image;
	files->image = -1;
	return run->output ? 0 : -ENOMEM;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0;
}

/* A private directory for the helper's temporary files, whatever becomes of it. */
static int make_work(char path[PATH_MAX])
{
	const char *tmp = secure_getenv("TMPDIR");

	snprintf(path, PATH_MAX, "%s/iotracer-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	return mkdtemp(path) ? 0 : -errno;
}

void helper_hold_signals(sigset_t *before)
{
	sigset_t stop;

	stop_signals(&stop);
	pthread_sigmask(SIG_BLOCK, &stop, before);
}

static int run_in(struct helper_run *run, const char **argv, const char *text)
{
	struct files files = { -1, -1, -1, { -1, -1 }, -1, { -1, -1 } };
	sigset_t mask;
	int err;

	/* Stop signals wait until the helper is gone; the caller's handlers run after. */
	helper_hold_signals(&mask);
	err = open_files(&files, text);
	if (!err)
		err = run_child(run, &files, argv);
	close_files(&files);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return err;
}

int helper_run(struct helper_run *run, const char **argv, const char *text)
{
	char work[PATH_MAX];
	sigset_t mask;
	int n = 0, err;

	run->image_fd = -1;
	/* a stop signal waits until the directory is gone, too */
	helper_hold_signals(&mask);
	err = make_work(work);
	if (!err) {
		while (argv[n])
			n++;
		argv[n++] = "--work";
		argv[n++] = work;
		argv[n++] = "--fd";
		argv[n++] = "3";
		argv[n] = NULL;
		err = run_in(run, argv, text);
		nftw(work, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (err)
		log_error("cannot start the compile helper: %s", strerror(-err));
	return err;
}

void helper_run_free(struct helper_run *run)
{
	close_fd(&run->image_fd);
	free(run->output);
	run->output = NULL;
}
