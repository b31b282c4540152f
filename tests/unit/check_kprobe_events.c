/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of kprobe_events and kprobe_profile, in a folder of plain files; and what killed runs left there. */
#include "trace/kprobe_events.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture/session.h"

static char dir[256];

static void setup(void)
{
	session_scratch(dir, sizeof(dir));
}

static void teardown(void)
{
	session_remove(dir);
}

static void expect_events(const char *want)
{
	char *text = session_read(dir, "kprobe_events", NULL);

	ck_assert_str_eq(text, want);
	free(text);
}

static bool is_alive_4711(pid_t pid)
{
	return pid == 4711;
}

#define EVENTS                                                                                     \
	"p:iotracer_99/p0_vfs_read_99 vfs_read\n"                                                  \
	"r16:iotracer_99/r1_vfs_read_99 vfs_read\n"                                                \
	"p:iotracer_4711/p0_vfs_read_4711 vfs_read\n"                                              \
	"p:kprobes/my_own vfs_read arg=%di\n"                                                      \
	"p:iotracer_/x vfs_read\n"                                                                 \
	"p:iotracer_12x/y vfs_read\n"                                                              \
	"nonsense\n"                                                                               \
	"p:iotracer_98/"

START_TEST(only_events_of_processes_that_are_gone_are_removed)
{
	session_write(dir, "kprobe_events", EVENTS);
	ck_assert_int_eq(kprobe_events_clean(dir, is_alive_4711), 2);
	expect_events(EVENTS "-:iotracer_99/p0_vfs_read_99\n-:iotracer_99/r1_vfs_read_99\n");
}
END_TEST

START_TEST(without_kprobe_events_there_is_nothing_to_clean)
{
	ck_assert_int_eq(kprobe_events_clean(dir, is_alive_4711), -ENOENT);
	session_write(dir, "kprobe_events", "");
	ck_assert_int_eq(kprobe_events_clean(dir, is_alive_4711), 0);
}
END_TEST

START_TEST(added_events_are_one_line_each)
{
	char name[96], expected[512];
	int pid = (int)getpid();

	session_write(dir, "kprobe_events", "");
	kprobe_events_name(name, sizeof(name), true, 12, "do_it.isra.0");
	ck_assert_int_eq(kprobe_events_add(dir, true, 64, name, "do_it.isra.0"), 0);
	ck_assert_int_eq(kprobe_events_add(dir, true, 100000, "x", "y"), 0);
	ck_assert_int_eq(kprobe_events_add(dir, true, 0, "x", "y"), 0);
	ck_assert_int_eq(kprobe_events_add(dir, false, 64, "x", "y"), 0);
	snprintf(expected, sizeof(expected),
		 "r64:iotracer_%d/r12_do_it_isra_0_%d do_it.isra.0\n"
		 "r4096:iotracer_%d/x y\nr:iotracer_%d/x y\np:iotracer_%d/x y\n",
		 pid, pid, pid, pid, pid);
	expect_events(expected);
}
END_TEST

START_TEST(event_names_fit_the_kernels_63_characters)
{
	char name[96], symbol[200];

	memset(symbol, 'a', sizeof(symbol) - 1);
	symbol[sizeof(symbol) - 1] = '\0';
	kprobe_events_name(name, sizeof(name), false, 511, symbol);
	ck_assert_uint_lt(strlen(name), 64);
}
END_TEST

START_TEST(living_processes_of_this_program_are_spared)
{
	int ends[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		char c;

		close(ends[1]);
		_exit(read(ends[0], &c, 1) < 0);
	}
	ck_assert(kprobe_events_alive(pid));
	close(ends[1]);
	waitpid(pid, NULL, 0);
	ck_assert(!kprobe_events_alive(pid));
	ck_assert(!kprobe_events_alive(1) || geteuid() != 0);
	ck_assert(!kprobe_events_alive(getpid()));
}
END_TEST

static void note_missed(void *arg, const char *event, uint64_t missed)
{
	uint64_t *sum = arg;

	*sum += strcmp(event, "mine") == 0 ? missed : 0;
}

START_TEST(the_profile_is_read)
{
	uint64_t sum = 0;

	ck_assert_int_eq(kprobe_events_profile(dir, note_missed, &sum), -ENOENT);
	session_write(dir, "kprobe_profile",
		      "  mine          12       5\nbroken\n"
		      "  other   1  1\n  mine  3   2\n");
	ck_assert_int_eq(kprobe_events_profile(dir, note_missed, &sum), 0);
	ck_assert_uint_eq(sum, 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kprobe_events");
	TCase *tcase = tcase_create("files");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, only_events_of_processes_that_are_gone_are_removed);
	tcase_add_test(tcase, without_kprobe_events_there_is_nothing_to_clean);
	tcase_add_test(tcase, added_events_are_one_line_each);
	tcase_add_test(tcase, event_names_fit_the_kernels_63_characters);
	tcase_add_test(tcase, living_processes_of_this_program_are_spared);
	tcase_add_test(tcase, the_profile_is_read);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
