/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long snapshots may go on after a trace, on a machine that is busy or not. */
#include "snapshot/snap_grace.h"

#include <check.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int tid, quit; /* both threads */
static pthread_t thread;
static struct snap_grace grace;

static void *sleep_on(void *arg)
{
	__atomic_store_n(&tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE))
		poll(NULL, 0, 5);
	return arg;
}

static void *work_on(void *arg)
{
	__atomic_store_n(&tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE))
		;
	return arg;
}

/* Beside the one that is waited for. */
static void *disturb(void *arg)
{
	while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE))
		;
	return arg;
}

static void begin(void *(*run)(void *))
{
	tid = quit = 0;
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void end(void)
{
	__atomic_store_n(&quit, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

/* Asks until it is over; returns how long that took. */
static uint64_t wait_until_over(void)
{
	uint64_t began = mono_ns();

	while (!snap_grace_over(&grace, tid)) {
		struct timespec turn = { .tv_nsec = SNAP_GRACE_TURN_NS };

		nanosleep(&turn, NULL);
	}
	return mono_ns() - began;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;
	clockid_t clock;

	ck_assert_int_eq(pthread_getcpuclockid(thread, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &ts), 0);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static const struct {
	uint64_t traced_ns;
	uint64_t left_ns;
} shares[] = {
	{ 0, SNAP_GRACE_LEAST_NS },
	{ NS_PER_S, SNAP_GRACE_LEAST_NS },
	{ 5 * NS_PER_S, NS_PER_S / 2 },
	{ 20 * NS_PER_S, SNAP_GRACE_MOST_NS },
	{ 86400 * NS_PER_S, SNAP_GRACE_MOST_NS },
};

START_TEST(it_is_a_tenth_of_the_trace_within_limits)
{
	snap_grace_start(&grace, pthread_self(), shares[_i].traced_ns);
	ck_assert_uint_eq(grace.left_ns, shares[_i].left_ns);
}
END_TEST

START_TEST(a_thread_that_sleeps_spends_it)
{
	uint64_t before, ran, took;

	begin(sleep_on);
	before = cpu_ns();
	snap_grace_start(&grace, thread, 0);
	took = wait_until_over();
	ran = cpu_ns() - before;
	end();
	ck_assert_uint_ge(took, SNAP_GRACE_LEAST_NS);
	ck_assert_uint_lt(ran, SNAP_GRACE_LEAST_NS / 2);
}
END_TEST

START_TEST(a_thread_that_has_no_cpu_does_not_spend_it)
{
	enum { N = 3 };
	pthread_t others[N];
	uint64_t before, ran;
	cpu_set_t one;

	/* all on one CPU, which each has for a quarter of the time */
	ck_assert_int_eq(sched_getaffinity(0, sizeof(one), &one), 0);
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &one) && n++)
			CPU_CLR(cpu, &one);
	begin(work_on);
	pthread_setaffinity_np(thread, sizeof(one), &one);
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(pthread_create(&others[i], NULL, disturb, NULL), 0);
		pthread_setaffinity_np(others[i], sizeof(one), &one);
	}
	before = cpu_ns();
	snap_grace_start(&grace, thread, 0);
	wait_until_over();
	ran = cpu_ns() - before;
	end();
	for (int i = 0; i < N; i++)
		pthread_join(others[i], NULL);
	ck_assert_uint_ge(ran, SNAP_GRACE_LEAST_NS);
}
END_TEST

START_TEST(states_are_those_of_proc)
{
	char state = 0;

	ck_assert_int_eq(snap_thread_state((int)syscall(SYS_gettid)), 'R');
	begin(sleep_on);
	for (int i = 0; i < 5000 && state != 'S'; i++) {
		state = snap_thread_state(tid);
		poll(NULL, 0, 1);
	}
	end();
	ck_assert_int_eq(state, 'S');
	ck_assert_int_eq(snap_thread_state(1 << 30), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snap_grace");
	TCase *tcase = tcase_create("grace");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, it_is_a_tenth_of_the_trace_within_limits, 0,
			    sizeof(shares) / sizeof(shares[0]));
	tcase_add_test(tcase, a_thread_that_sleeps_spends_it);
	tcase_add_test(tcase, a_thread_that_has_no_cpu_does_not_spend_it);
	tcase_add_test(tcase, states_are_those_of_proc);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
