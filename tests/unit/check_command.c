/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: nothing of it runs before it is let go, and its end is told as a shell would. */
#include "session/command.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/sys/sys.h"
#include "fixture/session.h"

static char scratch[256];
static struct child child;

static void setup(void)
{
	setenv("PATH", "/usr/bin:/bin", 1); /* one with a closed directory in it says EACCES */
	session_scratch(scratch, sizeof(scratch));
	child = (struct child){ .gate = -1 };
}

static void teardown(void)
{
	session_remove(scratch);
}

static void start(char **command)
{
	struct child_signals signals;

	child_keep_signals(&signals);
	ck_assert_int_eq(child_start(&child, command, &signals), 0);
	ck_assert_int_gt(child.pid, 0);
}

static void wait_for_end(void)
{
	for (int i = 0; i < 5000 && !child_ended(&child); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	ck_assert(child_ended(&child));
}

static int status_of(char **command)
{
	start(command);
	child_release(&child);
	wait_for_end();
	return child_exit_status(&child);
}

#define SHELL(text) ((char *[]){ "sh", "-c", text, NULL })

START_TEST(exit_status_is_the_commands)
{
	ck_assert_int_eq(status_of(SHELL("exit 0")), 0);
}
END_TEST

START_TEST(failing_exit_status_is_kept)
{
	ck_assert_int_eq(status_of(SHELL("exit 42")), 42);
}
END_TEST

START_TEST(death_by_signal_is_128_and_the_signal)
{
	ck_assert_int_eq(status_of(SHELL("kill -9 $$")), 128 + SIGKILL);
}
END_TEST

START_TEST(command_that_is_not_found_is_127)
{
	ck_assert_int_eq(status_of((char *[]){ "no-such-command-anywhere", NULL }), 127);
}
END_TEST

START_TEST(command_that_is_not_executable_is_126)
{
	char path[512];

	session_write(scratch, "text", "echo\n");
	snprintf(path, sizeof(path), "%s/text", scratch);
	ck_assert_int_eq(chmod(path, 0644), 0);
	ck_assert_int_eq(status_of((char *[]){ path, NULL }), 126);
}
END_TEST

START_TEST(directory_as_command_is_126)
{
	ck_assert_int_eq(status_of((char *[]){ scratch, NULL }), 126);
}
END_TEST

START_TEST(nothing_runs_before_the_release)
{
	char text[512];

	snprintf(text, sizeof(text), "echo ran > %s/mark", scratch);
	start(SHELL(text));
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	ck_assert(!session_exists(scratch, "mark"));
	ck_assert(!child_ended(&child));
	child_release(&child);
	wait_for_end();
	ck_assert(session_exists(scratch, "mark"));
	child_release(&child); /* a second time does nothing */
}
END_TEST

START_TEST(cancelled_command_never_runs_and_leaves_no_process)
{
	char text[512];
	pid_t pid;

	snprintf(text, sizeof(text), "echo ran > %s/mark", scratch);
	start(SHELL(text));
	pid = child.pid;
	child_cancel(&child);
	ck_assert(child_ended(&child));
	ck_assert(!session_exists(scratch, "mark"));
	ck_assert_int_eq(kill(pid, 0), -1);
	ck_assert_int_eq(errno, ESRCH);
	child_cancel(&child); /* a second time does nothing */
}
END_TEST

START_TEST(cancel_of_none_does_nothing)
{
	child_cancel(&child);
	child_release(&child);
	ck_assert(!child_ended(&child));
}
END_TEST

START_TEST(cancel_after_the_release_leaves_the_command_alone)
{
	start(SHELL("exit 5"));
	child_release(&child);
	child_cancel(&child);
	wait_for_end();
	ck_assert_int_eq(child_exit_status(&child), 5);
}
END_TEST

START_TEST(command_has_the_given_signal_mask)
{
	char *command[] = { "grep", "-q", "^SigBlk:.0000000000000800$", "/proc/self/status", NULL };
	struct child_signals given;
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	child_keep_signals(&given);
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	/* not through a shell: some clear their mask */
	ck_assert_int_eq(child_start(&child, command, &given), 0);
	child_release(&child);
	wait_for_end();
	ck_assert_int_eq(child_exit_status(&child), 0);
}
END_TEST

/* What the tracer does to SIGPIPE and SIGCHLD between keeping and starting is not handed down. */
static int status_of_ignoring(int signo, bool kept)
{
	/* a bit of the last digits; others may be ignored by whoever runs the tests */
	char *set = signo == SIGPIPE ? "^SigIgn:.*[13579bdf]...$" : "^SigIgn:.*[13579bdf]....$";
	char *clear = signo == SIGPIPE ? "^SigIgn:.*[02468ace]...$" : "^SigIgn:.*[02468ace]....$";
	char *command[] = { "grep", "-q", kept ? set : clear, "/proc/self/status", NULL };
	struct child_signals given;

	signal(SIGPIPE, SIG_DFL);
	signal(signo, kept ? SIG_IGN : SIG_DFL);
	child_keep_signals(&given);
	signal(signo, signo == SIGPIPE ? SIG_IGN : SIG_DFL);
	ck_assert_int_eq(child_start(&child, command, &given), 0);
	child_release(&child);
	wait_for_end();
	return child_exit_status(&child);
}

START_TEST(ignored_signal_stays_ignored)
{
	ck_assert_int_eq(status_of_ignoring(SIGPIPE, true), 0);
	child = (struct child){ .gate = -1 };
	ck_assert_int_eq(status_of_ignoring(SIGCHLD, true), 0);
}
END_TEST

START_TEST(signal_that_the_tracer_ignores_is_not_ignored)
{
	ck_assert_int_eq(status_of_ignoring(SIGPIPE, false), 0);
}
END_TEST

START_TEST(command_has_the_limit_of_locked_memory_that_was_before)
{
	struct rlimit before = { .rlim_cur = 65536, .rlim_max = 65536 }, after;

	getrlimit(RLIMIT_MEMLOCK, &after);
	before.rlim_max = after.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &before), 0);
	memlock_raise();
	ck_assert_int_eq(status_of(SHELL("test \"$(ulimit -S -l)\" = 64")), 0);
}
END_TEST

START_TEST(command_inherits_no_descriptor_of_the_gate)
{
	int first_free = dup(0);
	char text[64];

	close(first_free);
	snprintf(text, sizeof(text), "! [ -e /proc/self/fd/%d ]", first_free);
	ck_assert_int_eq(status_of(SHELL(text)), 0);
}
END_TEST

START_TEST(without_descriptors_left_it_is_emfile)
{
	struct child_signals none;

	child_keep_signals(&none);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	ck_assert_int_eq(child_start(&child, SHELL("exit 0"), &none), -EMFILE);
	ck_assert_int_eq(child.pid, 0);
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
}
END_TEST

static Suite *child_suite(void)
{
	Suite *suite = suite_create("child");
	TCase *tcase = tcase_create("child");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, exit_status_is_the_commands);
	tcase_add_test(tcase, failing_exit_status_is_kept);
	tcase_add_test(tcase, death_by_signal_is_128_and_the_signal);
	tcase_add_test(tcase, command_that_is_not_found_is_127);
	tcase_add_test(tcase, command_that_is_not_executable_is_126);
	tcase_add_test(tcase, directory_as_command_is_126);
	tcase_add_test(tcase, nothing_runs_before_the_release);
	tcase_add_test(tcase, cancelled_command_never_runs_and_leaves_no_process);
	tcase_add_test(tcase, cancel_of_none_does_nothing);
	tcase_add_test(tcase, cancel_after_the_release_leaves_the_command_alone);
	tcase_add_test(tcase, command_has_the_given_signal_mask);
	tcase_add_test(tcase, ignored_signal_stays_ignored);
	tcase_add_test(tcase, signal_that_the_tracer_ignores_is_not_ignored);
	tcase_add_test(tcase, command_has_the_limit_of_locked_memory_that_was_before);
	tcase_add_test(tcase, command_inherits_no_descriptor_of_the_gate);
	tcase_add_test(tcase, without_descriptors_left_it_is_emfile);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(child_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
