/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who closes events in our stead (a closer, and its guard) leaves the kernel as it was, also when the closer
 * is killed. In place of events a socket is closed that has to wait for its peer. Without the right to set
 * /sys/kernel/rcu_expedited, or where it is not to be touched, only that both of them go away is looked at.
 */
#include "trace/detach.h"

#include <arpa/inet.h>
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWITCH "/sys/kernel/rcu_expedited"

enum { N_FDS = 12 }; /* fewer are closed at once */

static bool says(const char *path, const char *text)
{
	FILE *in = fopen(path, "re");
	char line[64] = "";
	bool same = in && fgets(line, sizeof(line), in) && !strncmp(line, text, strlen(text));

	if (in)
		fclose(in);
	return same;
}

/* A child of this process that has the name of a detacher, or 0. */
static pid_t detacher_below(pid_t parent)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	ck_assert(proc != NULL);
	while (!found && (entry = readdir(proc))) {
		char path[300], line[512] = "";
		int pid = 0, its_parent = 0;
		FILE *in;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		in = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		if (in && fgets(line, sizeof(line), in) &&
		    sscanf(line, "%d (iotracer-detach) %*c %d", &pid, &its_parent) == 2 &&
		    its_parent == parent)
			found = pid;
		if (in)
			fclose(in);
	}
	closedir(proc);
	return found;
}

static pid_t wait_for_detacher_below(pid_t parent)
{
	pid_t found;

	while (!(found = detacher_below(parent)))
		usleep(10000);
	return found;
}

/* Has the process the lock on the switch, which it holds for as long as it is set? */
static bool holds_switch(pid_t pid)
{
	FILE *in = fopen("/proc/locks", "re");
	unsigned long inode;
	struct stat st;
	char line[256];
	int owner;
	bool found = false;

	ck_assert(in != NULL);
	ck_assert_int_eq(stat(SWITCH, &st), 0);
	while (!found && fgets(line, sizeof(line), in))
		found = sscanf(line, "%*d: FLOCK %*s WRITE %d %*x:%*x:%lu", &owner, &inode) == 2 &&
			owner == pid && inode == st.st_ino;
	fclose(in);
	return found;
}

/* Has the process the descriptor of its parent still? */
static bool has_copy(pid_t pid, int fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	return !lstat(path, &st);
}

/* What the switch is while no tracer has set it, or -1 when it cannot be set here. */
static int switch_at_rest(void)
{
	int fd = open(SWITCH, O_RDWR | O_CLOEXEC);
	char value = 0;

	if (fd < 0)
		return -1;
	ck_assert_int_eq(flock(fd, LOCK_SH), 0);
	ck_assert_int_eq(pread(fd, &value, 1, 0), 1);
	close(fd);
	return value;
}

static bool can_be_set(void)
{
	return switch_at_rest() == '0' && !says("/sys/kernel/rcu_normal", "1") &&
	       (says("/sys/devices/system/cpu/isolated", "\n") ||
		says("/sys/devices/system/cpu/isolated", "(null)")) &&
	       (access("/sys/devices/system/cpu/nohz_full", F_OK) ||
		says("/sys/devices/system/cpu/nohz_full", "\n") ||
		says("/sys/devices/system/cpu/nohz_full", " (null)") ||
		says("/sys/devices/system/cpu/nohz_full", "(null)"));
}

/* One end of a connection whose close waits, as more was written than the other end, *peer, takes. */
static int slow_to_close(int *peer)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 300 };
	struct sockaddr_in address = { .sin_family = AF_INET };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static const char data[65536];
	socklen_t len = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	*peer = accept(listener, NULL, NULL);
	ck_assert_int_ge(*peer, 0);
	close(listener);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	return fd;
}

static pid_t guard, closer;
static int peer;
static bool set;

/* Both are there, and the switch is set, where it can be. */
static void begin_detaching(void)
{
	int fds[N_FDS];

	/* the guard leaves its parent: to us */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	set = can_be_set();
	if (!set)
		puts("the switch cannot be set here");
	fds[0] = slow_to_close(&peer);
	for (int i = 1; i < N_FDS; i++)
		fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	detach_close(fds, N_FDS, N_FDS / 2);
	for (int i = 0; i < N_FDS; i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD), -1);
	guard = wait_for_detacher_below(getpid());
	closer = wait_for_detacher_below(guard);
	ck_assert(detach_goes_on());
	/* or it would close the socket in the place of a closer that is killed, and wait as long */
	while (has_copy(guard, fds[0]))
		usleep(10000);
	/* another tracer may have set it before, and has it for as long as it detaches */
	while (set && !(holds_switch(guard) && says(SWITCH, "1")))
		usleep(10000);
}

static void expect_all_as_before(void)
{
	int status;

	ck_assert_int_eq(waitpid(guard, &status, 0), guard);
	ck_assert_int_eq(status, 0);
	ck_assert(kill(closer, 0) && errno == ESRCH);
	if (set)
		ck_assert_int_eq(switch_at_rest(), '0');
}

START_TEST(switch_is_set_back_when_all_is_closed)
{
	char data[65536];

	begin_detaching();
	while (read(peer, data, sizeof(data)) > 0)
		;
	close(peer);
	expect_all_as_before();
}
END_TEST

START_TEST(switch_is_set_back_when_the_closer_is_killed)
{
	begin_detaching();
	ck_assert_int_eq(kill(closer, SIGKILL), 0);
	expect_all_as_before();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("detach");
	TCase *tcase = tcase_create("switch");
	SRunner *runner;
	int n_failed;

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, switch_is_set_back_when_all_is_closed);
	tcase_add_test(tcase, switch_is_set_back_when_the_closer_is_killed);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
