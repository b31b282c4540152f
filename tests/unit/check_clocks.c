/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of clocks of long sessions: steps of the wall clock stay, whatever else goes. */
#include "write/clocks.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

#define MINUTE 60000000000ULL
#define HOUR (60 * MINUTE)
#define REAL0 1790000000000000000ULL

static struct clocks clocks;

static void setup(void)
{
	memset(&clocks, 0, sizeof(clocks));
}

/* A pair a minute; the wall clock is so much ahead of where it began. */
static void add(unsigned minute, int64_t ahead)
{
	struct format_clock pair = { .mono_ns = minute * MINUTE };

	pair.real_ns = REAL0 + pair.mono_ns + (uint64_t)ahead;
	clocks_add(&clocks, &pair);
}

/* How far the wall clock was ahead by what is kept, as a reader finds it: the last pair before. */
static int64_t ahead_at(unsigned minute)
{
	unsigned i = 0;

	while (i + 1 < clocks.n && clocks.pairs[i + 1].mono_ns <= minute * MINUTE)
		i++;
	return (int64_t)(clocks.pairs[i].real_ns - clocks.pairs[i].mono_ns - REAL0);
}

/* Asked for each of thousands of pairs, and each ck_assert is a message to another process. */
static void check_order(void)
{
	bool ordered = clocks.n <= CLOCKS_MAX;

	for (unsigned i = 1; i < clocks.n; i++)
		ordered = ordered && clocks.pairs[i - 1].mono_ns < clocks.pairs[i].mono_ns;
	ck_assert(ordered);
}

START_TEST(few_are_all_there)
{
	for (unsigned i = 0; i < CLOCKS_MAX; i++)
		add(i, 0);
	ck_assert_uint_eq(clocks.n, CLOCKS_MAX);
	for (unsigned i = 0; i < CLOCKS_MAX; i++)
		ck_assert_uint_eq(clocks.pairs[i].mono_ns, i * MINUTE);
}
END_TEST

START_TEST(a_week_has_its_steps)
{
	const int64_t hour = (int64_t)HOUR;

	/* odd and even, early and late; the clock drifts by 5 ms an hour */
	for (unsigned i = 0; i < 10080; i++) {
		int64_t step = i < 101 ? 0 : i < 700 ? -hour : i < 9999 ? 0 : hour;

		add(i, step + i * 5000000 / 60);
		check_order();
	}
	for (unsigned i = 0; i < 10080; i++) {
		int64_t step = i < 101 ? 0 : i < 700 ? -hour : i < 9999 ? 0 : hour;
		int64_t off = ahead_at(i) - step;

		ck_assert_msg(off >= 0 && off < 1000000000, "minute %u: %lld ns off", i,
			      (long long)off);
	}
	ck_assert_uint_eq(clocks.pairs[0].mono_ns, 0);
	ck_assert_uint_eq(clocks.pairs[clocks.n - 1].mono_ns, 10079 * MINUTE);
	ck_assert_uint_ge(clocks.n, CLOCKS_MAX / 2);
}
END_TEST

START_TEST(nothing_but_steps_leaves_the_latest)
{
	for (unsigned i = 0; i < 1000; i++)
		add(i, i % 2 ? (int64_t)HOUR : 0);
	check_order();
	ck_assert_uint_eq(clocks.pairs[0].mono_ns, 0);
	for (unsigned i = 1; i < clocks.n; i++)
		ck_assert_uint_eq(clocks.pairs[clocks.n - i].mono_ns, (1000 - i) * MINUTE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clocks");
	TCase *tcase = tcase_create("kept");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, few_are_all_there);
	tcase_add_test(tcase, a_week_has_its_steps);
	tcase_add_test(tcase, nothing_but_steps_leaves_the_latest);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
