/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of CPU over three windows, from samples that a test feeds. */
#include "base/clock.h"
#include "snapshot/snap_cpu.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#define S 1000000000ULL
#define T0 (1000000 * S)

static struct snap_cpu *cpu;
static uint64_t hz;

static void setup(void)
{
	cpu = snap_cpu_open();
	hz = (uint64_t)sysconf(_SC_CLK_TCK);
}

static void teardown(void)
{
	snap_cpu_close(cpu);
}

static struct snap_proc process(uint32_t pid, uint64_t ticks)
{
	return (struct snap_proc){ .pid = pid, .start = 5, .ticks = ticks };
}

/* Sample number n, 5 s after the one before: two processes with 10 and 75 per cent, and idle ones. */
static void sample(uint64_t n, uint32_t n_idle)
{
	struct snap_proc p;

	snap_cpu_begin(cpu);
	p = process(100, n * 5 * hz / 10);
	snap_cpu_add(cpu, &p, T0 + n * 5 * S);
	p = process(200, n * 5 * hz * 3 / 4);
	snap_cpu_add(cpu, &p, T0 + n * 5 * S);
	for (uint32_t i = 0; i < n_idle; i++) {
		p = process(1000 + i, 0);
		snap_cpu_add(cpu, &p, T0 + n * 5 * S);
	}
	snap_cpu_end(cpu);
}

static int32_t use(const struct snap_proc *p, uint64_t now, uint64_t window_s)
{
	return snap_cpu_use(cpu, p, now, 1000000 * S, window_s * S);
}

START_TEST(one_sample_is_no_use)
{
	struct snap_proc p = process(100, 0);

	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, 1000000 * S, 5 * S), -1);
	sample(0, 0);
	ck_assert_int_eq(use(&p, T0, 5), -1);
	ck_assert_int_eq(use(&p, T0 + S / 2, 5), -1);
	ck_assert_int_eq(use(&p, T0 + 5 * S, 5), 0);
}
END_TEST

START_TEST(steady_use_is_the_same_in_all_windows)
{
	static const uint64_t windows[] = { 5, 120, 3600 };
	struct snap_proc a, b, idle = process(1001, 0), stranger = process(77, 0);

	for (uint64_t n = 0; n <= 2000; n++)
		sample(n, 3);
	a = process(100, 2000 * 5 * hz / 10 + hz / 5);
	b = process(200, 2000 * 5 * hz * 3 / 4 + hz * 3 / 2);
	for (int i = 0; i < 3; i++) {
		uint64_t now = T0 + 10002 * S;

		ck_assert_int_le(abs(use(&a, now, windows[i]) - 1000), 30);
		ck_assert_int_le(abs(use(&b, now, windows[i]) - 7500), 30);
		ck_assert_int_eq(use(&idle, now, windows[i]), 0);
		ck_assert_int_eq(use(&stranger, now, windows[i]), -1);
	}
}
END_TEST

START_TEST(a_window_holds_what_happened_in_it)
{
	uint64_t ticks = 0, now = T0;
	struct snap_proc p;

	/* busy up to 60 s before the end, and for a second at the very end */
	for (uint64_t n = 0; n <= 800; n++) {
		snap_cpu_begin(cpu);
		p = process(100, ticks);
		now = T0 + n * 5 * S;
		snap_cpu_add(cpu, &p, now);
		snap_cpu_end(cpu);
		if (n < 788)
			ticks += 5 * hz;
	}
	p = process(100, ticks + hz);
	now += 5 * S;
	/* one of five seconds; one minute and one second of two; all but a minute of an hour */
	ck_assert_int_le(abs(use(&p, now, 5) - 2000), 100);
	ck_assert_int_ge(use(&p, now, 120), 4000);
	ck_assert_int_le(use(&p, now, 120), 6500);
	ck_assert_int_ge(use(&p, now, 3600), 9700);
	ck_assert_int_le(use(&p, now, 3600), 9900);
}
END_TEST

START_TEST(the_start_of_a_process_is_a_sample)
{
	struct snap_proc p = process(300, 2 * hz);

	/* two seconds of CPU in four of life */
	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, 4 * S, 5 * S), 5000);
	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, 4 * S, 120 * S), 5000);
	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, 100 * S, 5 * S), -1);
	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, 100 * S, 120 * S), 200);
	ck_assert_int_eq(snap_cpu_use(NULL, &p, T0, S / 100, 5 * S), -1);
}
END_TEST

START_TEST(a_number_that_is_used_again_is_another_process)
{
	struct snap_proc p;

	sample(0, 0);
	sample(1, 0);
	p = process(200, 1);
	p.start = 6;
	ck_assert_int_eq(use(&p, T0 + 10 * S, 5), -1);
}
END_TEST

START_TEST(processes_come_and_go_by_the_thousand)
{
	struct snap_proc p;

	for (uint64_t n = 0; n < 12; n++)
		sample(n, n % 2 ? 20000 : 10);
	p = process(100, 12 * 5 * hz / 10);
	ck_assert_int_le(abs(use(&p, T0 + 60 * S, 5) - 1000), 30);
	/* far beyond what is kept */
	sample(12, SNAP_CPU_MAX + 1000);
	p = process(1000 + SNAP_CPU_MAX + 500, 0);
	ck_assert_int_eq(use(&p, T0 + 65 * S, 5), -1);
	p = process(1000, 0);
	ck_assert_int_eq(use(&p, T0 + 65 * S, 5), 0);
}
END_TEST

static void find_self(void *arg, const struct snap_proc *p)
{
	if (p->pid == (uint32_t)getpid())
		*(struct snap_proc *)arg = *p;
}

static uint64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

START_TEST(the_real_machine_is_sampled)
{
	struct snap_proc self = { 0 };
	uint64_t began = mono_ns(), busy = own_cpu_ns(), now;
	int is, want;

	snap_cpu_sample(cpu, "/proc");
	snap_cpu_sample(cpu, "/nonexistent");
	while (mono_ns() - began < 2 * S)
		;
	ck_assert_int_eq(snap_proc_each("/proc", find_self, &self), 0);
	now = mono_ns();
	is = use(&self, now, 5);
	/* of that time what others left of the machine; /proc counts in ticks of 10 ms */
	want = (int)((own_cpu_ns() - busy) * 10000 / (now - began));
	ck_assert_int_ge(is, want - 500);
	ck_assert_int_le(is, want + 500);
	ck_assert_int_gt(is, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snap_cpu");
	TCase *tcase = tcase_create("snap_cpu");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_sample_is_no_use);
	tcase_add_test(tcase, steady_use_is_the_same_in_all_windows);
	tcase_add_test(tcase, a_window_holds_what_happened_in_it);
	tcase_add_test(tcase, the_start_of_a_process_is_a_sample);
	tcase_add_test(tcase, a_number_that_is_used_again_is_another_process);
	tcase_add_test(tcase, processes_come_and_go_by_the_thousand);
	tcase_add_test(tcase, the_real_machine_is_sampled);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
