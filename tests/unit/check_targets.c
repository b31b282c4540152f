/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of -p: which have a name, and when the last one has ended. */
#include "resolve/targets.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture/session.h"

static char proc[256];

static void setup(void)
{
	session_scratch(proc, sizeof(proc));
}

static void teardown(void)
{
	session_remove(proc);
}

static void process(unsigned pid, const char *comm, char state, int threads, unsigned ppid,
		    unsigned started)
{
	char path[512], text[512], name[64];

	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	mkdir(path, 0755);
	snprintf(name, sizeof(name), "%u/comm", pid);
	snprintf(text, sizeof(text), "%s\n", comm);
	session_write(proc, name, text);
	snprintf(name, sizeof(name), "%u/stat", pid);
	snprintf(text, sizeof(text),
		 "%u (%s) %c %u 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 %d 0 %u 1 2\n", pid, comm, state,
		 ppid, threads, started);
	session_write(proc, name, text);
}

static void made_up(unsigned pid, const char *comm, char state, int threads)
{
	process(pid, comm, state, threads, 1, 1000 + pid);
}

START_TEST(all_processes_of_a_name_are_found)
{
	uint32_t pids[4] = { 0 };

	made_up(10, "postgres", 'S', 1);
	made_up(11, "postgres", 'R', 4);
	made_up(12, "postgresql", 'S', 1);
	made_up(13, "post) R 1 (gres", 'S', 1);
	made_up(14, "postgres", 'Z', 1);
	ck_assert_uint_eq(targets_named(proc, "postgres", pids, 4), 2);
	ck_assert_uint_eq(pids[0] + pids[1], 21);
	ck_assert_uint_eq(targets_named(proc, "post) R 1 (gres", pids, 4), 1);
	ck_assert_uint_eq(pids[0], 13);
	ck_assert_uint_eq(targets_named(proc, "nobody", pids, 4), 0);
	ck_assert_uint_eq(targets_named("/no/such/proc", "postgres", pids, 4), 0);
}
END_TEST

START_TEST(of_a_long_name_15_bytes_count)
{
	uint32_t pid;

	made_up(10, "a-name-of-15-by", 'S', 1);
	ck_assert_uint_eq(targets_named(proc, "a-name-of-15-bytes-and-more", &pid, 1), 1);
}
END_TEST

START_TEST(more_than_there_is_room_for_are_counted)
{
	uint32_t pids[2] = { 0, 77 };

	made_up(10, "x", 'S', 1);
	made_up(11, "x", 'S', 1);
	ck_assert_uint_eq(targets_named(proc, "x", pids, 1), 2);
	ck_assert_uint_eq(pids[1], 77);
}
END_TEST

START_TEST(leader_that_ended_before_its_threads_lives)
{
	made_up(10, "x", 'Z', 3);
	made_up(11, "x", 'Z', 1);
	ck_assert(targets_alive(proc, 10));
	ck_assert(!targets_alive(proc, 11));
	ck_assert(!targets_alive(proc, 12));
}
END_TEST

static void child(unsigned pid, unsigned ppid, unsigned started)
{
	process(pid, "a) S 7 b", 'S', 1, ppid, started);
}

enum { NUMBERS = 64 };

static bool is_in(void *arg, uint32_t pid)
{
	return pid < NUMBERS && ((bool *)arg)[pid];
}

static bool add(void *arg, uint32_t pid)
{
	if (pid == 50)
		return false;
	((bool *)arg)[pid] = true;
	return true;
}

START_TEST(children_since_then_are_found_and_theirs)
{
	bool in[NUMBERS] = { [20] = true, [21] = true };
	const struct targets_set set = { .has = is_in, .add = add, .arg = in };

	child(20, 1, 100);
	child(21, 20, 500); /* known */
	child(30, 20, 500);
	child(12, 30, 501); /* with a lower number */
	child(31, 12, 502);
	child(40, 20, 499); /* made earlier: not followed */
	child(41, 40, 600);
	child(42, 1, 600);
	child(50, 20, 600); /* there is no room */
	ck_assert_uint_eq(targets_children(proc, 500, &set), 3);
	ck_assert(in[30] && in[12] && in[31]);
	ck_assert(!in[40] && !in[41] && !in[42] && !in[50]);
	ck_assert_uint_eq(targets_children(proc, 500, &set), 0);
	ck_assert_uint_eq(targets_children("/no/such/proc", 0, &set), 0);
}
END_TEST

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static bool ends_soon(struct targets *targets)
{
	for (int i = 0; i < 5000; i++) {
		if (targets_ended(targets))
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return false;
}

/* _i: without pidfd, as before 5.3 */
START_TEST(it_is_over_with_the_last_of_them)
{
	uint32_t pids[2] = { sleeper(), sleeper() };
	struct targets targets = { 0 };

	ck_assert_int_eq(targets_open(&targets, pids, 2), 0);
	for (unsigned i = 0; i < 2 && _i; i++) {
		close(targets.list[i].fd);
		targets.list[i].fd = -1;
	}
	ck_assert(!targets_ended(&targets));
	kill(pids[0], SIGKILL);
	waitpid(pids[0], NULL, 0);
	ck_assert(!targets_ended(&targets));
	ck_assert_uint_eq(targets.n, 1);
	/* nobody has waited for it */
	kill(pids[1], SIGKILL);
	ck_assert(ends_soon(&targets));
	waitpid(pids[1], NULL, 0);
	ck_assert(targets_ended(&targets));
	targets_close(&targets);
	targets_close(&targets);
}
END_TEST

START_TEST(without_processes_it_is_never_over)
{
	struct targets targets = { 0 };

	ck_assert(!targets_ended(&targets));
	ck_assert_int_eq(targets_open(&targets, NULL, 0), 0);
	ck_assert(!targets_ended(&targets));
	targets_close(&targets);
}
END_TEST

START_TEST(process_that_is_not_there_is_refused)
{
	uint32_t pid = sleeper();
	struct targets targets = { 0 };

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(targets_open(&targets, &pid, 1), -ESRCH);
	targets_close(&targets);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("targets");
	TCase *tcase = tcase_create("targets");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, all_processes_of_a_name_are_found);
	tcase_add_test(tcase, of_a_long_name_15_bytes_count);
	tcase_add_test(tcase, more_than_there_is_room_for_are_counted);
	tcase_add_test(tcase, leader_that_ended_before_its_threads_lives);
	tcase_add_test(tcase, children_since_then_are_found_and_theirs);
	tcase_add_loop_test(tcase, it_is_over_with_the_last_of_them, 0, 2);
	tcase_add_test(tcase, without_processes_it_is_never_over);
	tcase_add_test(tcase, process_that_is_not_there_is_refused);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
