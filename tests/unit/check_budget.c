/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule of --budget, with loads that are made up: files of very different use, costs as measured on a
 * machine with 2 CPUs, and noise. What it costs stays below the budget and the level comes to rest.
 */
#include "trace/budget.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/random.h"

enum { FILES = 4000, PER_SECOND = 2 };

/* Measured in tier b */
#define OWN_OF_A_ROW 0.33e-6
#define PROGRAMS_OF_A_ROW 0.55e-6
#define PROGRAMS_OF_A_COUNT 0.38e-6
#define IDLE 0.004
#define BYTES_OF_A_ROW 155.0

static struct budget b;
static uint64_t chance;
static double share[FILES]; /* of the events, by file */
static uint32_t hash[FILES];
static double spread; /* how much use and cost differ from one interval to the next */
static double cost;   /* CPUs, and */
static double bytes;  /* bytes per second, of the last interval */
static unsigned n_changes;

static double random_1(void)
{
	return (double)(random_u64(&chance) % 1000000) / 1e6;
}

/* The more uneven, the more of all events the first files have. */
static void make_files(double uneven)
{
	double sum = 0;

	for (unsigned i = 0; i < FILES; i++) {
		double use = 1;

		for (double left = uneven; left >= 1; left--)
			use /= i + 1;
		share[i] = use + random_1() / FILES;
		sum += share[i];
		hash[i] = (uint32_t)random_u64(&chance);
	}
	for (unsigned i = 0; i < FILES; i++)
		share[i] /= sum;
}

static double kept_share(uint32_t factor)
{
	double sum = 0;

	for (unsigned i = 0; factor && i < FILES; i++)
		sum += hash[i] & (factor - 1) ? 0 : share[i];
	return sum;
}

static void interval(double events)
{
	double kept = kept_share(budget_factor(&b, b.level, BUDGET_ROWS));
	double noise = 1 + spread * (2 * random_1() - 1);
	unsigned before = b.level;
	struct budget_cost c = { .seconds = 1.0 / PER_SECOND };

	c.rows[BUDGET_ROWS] = events * kept;
	c.left_out[BUDGET_ROWS] = events * (1 - kept);
	c.own = IDLE + c.rows[BUDGET_ROWS] * OWN_OF_A_ROW * noise;
	c.programs = (c.rows[BUDGET_ROWS] * PROGRAMS_OF_A_ROW +
		      c.left_out[BUDGET_ROWS] * PROGRAMS_OF_A_COUNT) *
		     noise;
	c.bytes = c.rows[BUDGET_ROWS] * BYTES_OF_A_ROW;
	cost = c.own + c.programs;
	bytes = c.bytes;
	budget_next(&b, &c);
	n_changes += b.level != before;
}

/* The mean cost of so many seconds */
static double run(double events, unsigned seconds)
{
	double sum = 0;

	n_changes = 0;
	for (unsigned i = 0; i < seconds * PER_SECOND; i++) {
		interval(events);
		sum += cost;
	}
	return sum / (seconds * PER_SECOND);
}

static void begin(double cpus, double bytes_per_second)
{
	const struct budget_limits limits = { cpus, bytes_per_second };

	chance = 42;
	spread = 0.1;
	make_files(1);
	budget_begin(&b, &limits, false);
}

START_TEST(without_need_nothing_is_left_out)
{
	begin(0.1, 1e6);
	run(0, 60);
	ck_assert_uint_eq(n_changes, 0);
	run(5000, 60);
	ck_assert_uint_eq(n_changes, 0);
	/* 0 is no limit */
	begin(0, 0);
	run(10e6, 60);
	ck_assert_uint_eq(n_changes, 0);
}
END_TEST

START_TEST(levels_give_up_detail_in_order)
{
	const struct budget_limits limits = { 1, 0 };

	budget_begin(&b, &limits, true);
	ck_assert_uint_eq(budget_last(&b), 13);
	for (unsigned level = 0; level < budget_last(&b); level++) {
		uint32_t detail = budget_factor(&b, level, BUDGET_DETAIL);
		uint32_t rows = budget_factor(&b, level, BUDGET_ROWS);

		ck_assert_uint_eq(detail, level < 3 ? 1u << 3 * level : 1u << (level + 4));
		ck_assert_uint_eq(rows, level < 3 ? 1 : 1u << (level - 2));
	}
	ck_assert_uint_eq(budget_factor(&b, 13, BUDGET_DETAIL), 0);
	ck_assert_uint_eq(budget_factor(&b, 13, BUDGET_ROWS), 0);
	budget_begin(&b, &limits, false);
	ck_assert_uint_eq(budget_last(&b), 11);
	ck_assert_uint_eq(budget_factor(&b, 1, BUDGET_ROWS), 2);
	ck_assert_int_eq(budget_group_of(STREAM_exec), N_BUDGET_GROUPS);
	ck_assert_int_eq(budget_group_of(STREAM_layers), N_BUDGET_GROUPS);
	ck_assert_int_eq(budget_group_of(STREAM_lost), N_BUDGET_GROUPS);
}
END_TEST

/* Whatever the load and however uneven the files: 5 s after a step it is kept, and it comes to rest. */
START_TEST(steady_loads_are_kept_without_oscillation)
{
	static const double loads[] = { 50e3, 100e3, 200e3, 400e3, 700e3, 1e6 };
	static const double limits[] = { 0.06, 0.1, 0.2, 0.4 };

	for (unsigned i = 0; i < 6; i++)
		for (unsigned j = 0; j < 4; j++)
			for (double uneven = 0; uneven < 3; uneven++) {
				double least = IDLE + loads[i] * PROGRAMS_OF_A_COUNT, mean;

				begin(limits[j], 0);
				make_files(uneven);
				run(0, 5);
				run(loads[i], 6);
				mean = run(loads[i], 600);
				/* it cannot cost less than counting */
				if (least * 1.1 > limits[j]) {
					ck_assert_uint_eq(b.level, budget_last(&b));
					continue;
				}
				ck_assert_msg(mean < limits[j] * 1.2,
					      "%.0f events, budget %.2f, uneven %.0f: %.3f",
					      loads[i], limits[j], uneven, mean);
				/* tries, each after twice the time of the one before: 2 s to 2 min */
				ck_assert_msg(n_changes <= 2 * 11,
					      "%.0f events, budget %.2f, uneven %.0f: %u changes",
					      loads[i], limits[j], uneven, n_changes);
				n_changes = 0;
				for (unsigned s = 0; s < 120 * PER_SECOND; s++)
					interval(loads[i]);
				ck_assert_uint_le(n_changes, 4);
			}
}
END_TEST

/* A file with most of the events comes back with more detail: that is tried, but less and less often. */
START_TEST(one_file_too_many_is_tried_seldom)
{
	double mean;

	begin(0.36, 0);
	make_files(0);
	for (unsigned i = 1; i < FILES; i++)
		share[i] *= 0.2;
	share[0] = 1;
	for (unsigned i = 1; i < FILES; i++)
		share[0] -= share[i];
	hash[0] = 4; /* kept by one of 4, and not by one of 8 */
	run(500e3, 10);
	mean = run(500e3, 600);
	ck_assert_double_le(mean, 0.36 * 1.2);
	ck_assert_uint_ge(n_changes, 2);
	ck_assert_uint_le(n_changes, 20);
	/* with less to do it is welcome at once */
	run(100e3, 8);
	ck_assert_uint_eq(b.level, 0);
}
END_TEST

START_TEST(from_idle_to_a_million_and_back)
{
	double mean;

	begin(0.45, 0);
	run(100, 10);
	ck_assert_uint_eq(b.level, 0);
	/* a step */
	run(1e6, 5);
	mean = run(1e6, 30);
	ck_assert_double_le(mean, 0.45 * 1.2);
	ck_assert_double_ge(mean, 0.38);
	ck_assert_uint_gt(b.level, 0);
	ck_assert(!b.too_small);
	/* and back: all of it within 5 s */
	run(100, 5);
	ck_assert_uint_eq(b.level, 0);
	ck_assert_uint_le(n_changes, 2);
	/* slowly up and down, without going back and forth */
	n_changes = 0;
	for (unsigned s = 0; s < 120 * PER_SECOND; s++)
		interval(s * 1e6 / (120 * PER_SECOND));
	ck_assert_uint_le(n_changes, 14);
	ck_assert_double_le(run(1e6, 10), 0.45 * 1.2);
	n_changes = 0;
	for (unsigned s = 120 * PER_SECOND; s; s--)
		interval(s * 1e6 / (120 * PER_SECOND));
	ck_assert_uint_le(n_changes, 14);
	run(100, 10);
	ck_assert_uint_eq(b.level, 0);
}
END_TEST

/* What comes and goes faster than detail would be worth coming back does not pull it along. */
START_TEST(bursts_do_not_pull_the_level_along)
{
	unsigned most = 0;

	begin(0.3, 0);
	for (unsigned minute = 0; minute < 20; minute++) {
		n_changes = 0;
		for (unsigned s = 0; s < 60; s++) {
			interval(s % 2 ? 600e3 : 10e3);
			interval(s % 2 ? 600e3 : 10e3);
		}
		if (minute >= 3 && n_changes > most)
			most = n_changes;
	}
	ck_assert_uint_le(most, 6);
	/* minutes of each are followed */
	begin(0.3, 0);
	for (unsigned i = 0; i < 10; i++) {
		run(600e3, 120);
		ck_assert_uint_gt(b.level, 0);
		run(1000, 120);
		ck_assert_uint_eq(b.level, 0);
	}
}
END_TEST

START_TEST(bytes_have_a_limit_of_their_own)
{
	double sum = 0;

	begin(0, 5e6);
	run(200e3, 6);
	for (unsigned i = 0; i < 600; i++) {
		interval(200e3);
		sum += bytes;
	}
	ck_assert_double_le(sum / 600, 5e6 * 1.2);
	ck_assert_uint_gt(b.level, 1);
	ck_assert_uint_lt(b.level, 6);
	/* of two the one that is reached first */
	begin(10, 5e6);
	run(200e3, 20);
	ck_assert_uint_gt(b.level, 1);
	begin(0.11, 1e12);
	run(200e3, 20);
	ck_assert_uint_gt(b.level, 1);
}
END_TEST

START_TEST(what_cannot_be_kept_is_known)
{
	begin(0.02, 0);
	run(1e6, 20);
	ck_assert_uint_eq(b.level, budget_last(&b));
	ck_assert(b.too_small);
	run(100, 20);
	ck_assert(!b.too_small);
	ck_assert_uint_eq(b.level, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("budget");
	TCase *tcase = tcase_create("rule");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tcase, without_need_nothing_is_left_out);
	tcase_add_test(tcase, levels_give_up_detail_in_order);
	tcase_add_test(tcase, steady_loads_are_kept_without_oscillation);
	tcase_add_test(tcase, one_file_too_many_is_tried_seldom);
	tcase_add_test(tcase, from_idle_to_a_million_and_back);
	tcase_add_test(tcase, bursts_do_not_pull_the_level_along);
	tcase_add_test(tcase, bytes_have_a_limit_of_their_own);
	tcase_add_test(tcase, what_cannot_be_kept_is_known);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
