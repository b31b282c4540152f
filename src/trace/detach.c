/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of tracepoints are closed here, which the kernel makes long: the last
 * close of an event waits for a grace period of RCU (14 ms at 250 Hz) with a
 * lock held (event_mutex), and from 6.13 on, where programs on system calls
 * may fault, for one of RCU Tasks Trace as well (some 20 ms). Nothing makes
 * these waits overlap, whoever closes. A link that holds a program waits as
 * well then, but with no lock held: many are closed in the time of one, so
 * that no program of ours runs any more while the empty events go. Grace
 * periods that the kernel expedites are over in microseconds:
 * /sys/kernel/rcu_expedited asks for that, for as long as the events are
 * closed.
 *
 * The programs are switched off by now, so processes of their own do it instead
 * of the user's: the closer holds nothing but the descriptors, and its guard
 * sets the switch and sets it back, also when the closer is killed.
 */
#include "trace/detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DETACH_NAME "iotracer-detach" /* 15 bytes: all of it is kept */
#define CLOSE_HERE 8                  /* so few take no time */
#define SIDE_BY_SIDE 16               /* links that are closed at a time */
#define LOOK_US 20000                 /* how often the guard looks whether another one is done */

bool detach_goes_on(void)
{
	char name[300], comm[32];
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	bool found = false;

	while (proc && !found && (entry = readdir(proc))) {
		FILE *in;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(name, sizeof(name), "/proc/%s/comm", entry->d_name);
		in = fopen(name, "re");
		found = in && fgets(comm, sizeof(comm), in) && !strcmp(comm, DETACH_NAME "\n");
		if (in)
			fclose(in);
	}
	if (proc)
		closedir(proc);
	return found;
}

/* ---- grace periods ---- */

/* The first byte of a small file, 0 without one. */
static char first_byte(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &byte, 1) != 1)
		byte = 0;
	close(fd);
	return byte;
}

/* Is a list of CPUs there, and not empty? "(null)" is empty, too. */
static bool names_cpus(const char *path)
{
	char byte = first_byte(path);

	return byte >= '0' && byte <= '9';
}

/*
 * The switch, where it may be touched, else -1: not where the machine wants normal grace periods, or
 * has CPUs that are to be left alone, which an expedited one interrupts.
 */
static int open_switch(void)
{
	if (first_byte("/sys/kernel/rcu_normal") == '1' ||
	    names_cpus("/sys/devices/system/cpu/isolated") ||
	    names_cpus("/sys/devices/system/cpu/nohz_full"))
		return -1;
	return open("/sys/kernel/rcu_expedited", O_RDWR | O_CLOEXEC);
}

/* Sets it. False while another tracer has set it, who holds the lock, and where it was set before. */
static bool expedite(int fd)
{
	char now = 0;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return false;
	if (pread(fd, &now, 1, 0) == 1 && now == '0' && pwrite(fd, "1", 1, 0) == 1)
		return true;
	flock(fd, LOCK_UN);
	return false;
}

/* ---- the two processes ---- */

/* By the list in /proc: the limit on descriptors may be a million. */
static void close_all_but(const int *fds, unsigned n, int other)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);
		bool keep = entry->d_name[0] == '.' || fd == other || fd == dirfd(dir);

		for (unsigned i = 0; i < n && !keep; i++)
			keep = fds[i] == fd;
		if (!keep)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

struct share {
	const int *fds;
	unsigned n;
	unsigned first;
};

static void *close_share(void *arg)
{
	const struct share *share = arg;

	for (unsigned i = share->first; i < share->n; i += SIDE_BY_SIDE)
		close(share->fds[i]);
	return NULL;
}

static void close_side_by_side(const int *fds, unsigned n)
{
	struct share shares[SIDE_BY_SIDE];
	pthread_t threads[SIDE_BY_SIDE];
	bool runs[SIDE_BY_SIDE];

	for (unsigned i = 0; i < SIDE_BY_SIDE; i++) {
		shares[i] = (struct share){ fds, n, i };
		runs[i] = i < n && !pthread_create(&threads[i], NULL, close_share, &shares[i]);
		if (!runs[i])
			close_share(&shares[i]);
	}
	for (unsigned i = 0; i < SIDE_BY_SIDE; i++)
		if (runs[i])
			pthread_join(threads[i], NULL);
}

/* The copies of the others go first: the last one to close has to wait. */
static void __attribute__((noreturn))
run_closer(const int *fds, unsigned n, unsigned n_links, int gate)
{
	char end;

	close_all_but(fds, n, gate);
	while (read(gate, &end, 1) < 0 && errno == EINTR)
		;
	close_side_by_side(fds, n_links);
	for (unsigned i = n_links; i < n; i++)
		close(fds[i]);
	_exit(0);
}

/* Until all is closed; whoever set the switch before us may be done earlier. */
static void guard(pid_t closer, int fd)
{
	bool set = false;

	while (fd >= 0 && !set && waitpid(closer, NULL, WNOHANG) == 0) {
		set = expedite(fd);
		if (!set)
			usleep(LOOK_US);
	}
	while (waitpid(closer, NULL, 0) < 0 && errno == EINTR)
		;
	if (set)
		while (pwrite(fd, "0", 1, 0) < 0 && errno == EINTR)
			;
}

static void __attribute__((noreturn))
run_guard(const int *fds, unsigned n, unsigned n_links, const int gate[2])
{
	pid_t closer;
	int fd;

	prctl(PR_SET_NAME, DETACH_NAME);
	setsid();
	if (fork() != 0)
		_exit(0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	closer = fork();
	if (closer == 0)
		run_closer(fds, n, n_links, gate[0]);
	if (closer < 0)
		_exit(0); /* and the kernel closes them */
	fd = open_switch();
	close_all_but(NULL, 0, fd);
	guard(closer, fd);
	_exit(0);
}

static void close_all(const int *fds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
}

void detach_close(const int *fds, unsigned n, unsigned n_links)
{
	int gate[2];
	pid_t child;

	if (n <= CLOSE_HERE || pipe2(gate, O_CLOEXEC)) {
		close_all(fds, n);
		return;
	}
	child = fork();
	if (child == 0)
		run_guard(fds, n, n_links, gate);
	close_all(fds, n);
	close(gate[0]);
	close(gate[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
