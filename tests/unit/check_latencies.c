/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles of times and how sure they are, and spans of time that double as it goes on. */
#include "analysis/common/latencies.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/time_bins.h"
#include "fixture/random.h"

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

START_TEST(percentiles_are_at_most_a_32nd_too_high)
{
	static const unsigned per_mille[] = { 1, 500, 950, 990, 999, 1000 };
	static uint64_t values[9973];
	static struct latencies l, halves[2];
	uint64_t state = 7, low, high;

	for (unsigned i = 0; i < 9973; i++) {
		values[i] = random_u64(&state) >> random_u64(&state) % 53;
		latencies_add(&l, values[i]);
		latencies_add(&halves[i % 2], values[i]);
	}
	qsort(values, 9973, sizeof(values[0]), compare_u64);
	latencies_join(&halves[0], &halves[1]);
	ck_assert_int_eq(memcmp(&halves[0], &l, sizeof(l)), 0);
	for (unsigned i = 0; i < sizeof(per_mille) / sizeof(per_mille[0]); i++) {
		uint64_t rank = (9973ull * per_mille[i] + 999) / 1000, exact = values[rank - 1];
		uint64_t told = latencies_percentile(&l, per_mille[i]);

		ck_assert_uint_ge(told, exact);
		ck_assert_uint_le(told - exact, exact / 32);
	}
	ck_assert_uint_eq(latencies_percentile(&l, 1000), values[9972]);
	ck_assert(latencies_interval(&l, 500, 1, &low, &high));
	ck_assert_uint_le(low, latencies_percentile(&l, 500));
	ck_assert_uint_ge(high, latencies_percentile(&l, 500));
}
END_TEST

START_TEST(few_values_have_no_interval)
{
	static struct latencies l;
	uint64_t low = 1, high = 2;

	ck_assert_uint_eq(latencies_percentile(&l, 500), 0);
	for (uint64_t i = 1; i <= 20; i++)
		latencies_add(&l, i);
	ck_assert_uint_eq(latencies_percentile(&l, 500), 10);
	ck_assert(latencies_interval(&l, 500, 1, &low, &high));
	ck_assert(low < 10 && high > 10);
	ck_assert(!latencies_interval(&l, 990, 1, &low, &high));
}
END_TEST

/* 95 % of 126 are 119.7, give or take 4.8: from the 114th to the last one, behind the 125th, which may be below it */
START_TEST(ends_of_the_interval_are_rounded_outwards)
{
	static struct latencies l;
	uint64_t low, high;

	for (unsigned rank = 1; rank <= 126; rank++)
		latencies_add(&l, rank < 114 ? 1 : rank == 114 ? 2 : rank < 126 ? 3 : 4);
	ck_assert(latencies_interval(&l, 950, 1, &low, &high));
	ck_assert_uint_eq(low, 2);
	ck_assert_uint_eq(high, 4);
}
END_TEST

/* 95 of 100 samples of a known distribution have their median in the interval, or nearly. */
START_TEST(the_interval_holds_the_true_percentile)
{
	uint64_t state = 3, low, high;
	unsigned hits = 0;

	for (unsigned round = 0; round < 200; round++) {
		static struct latencies l;

		memset(&l, 0, sizeof(l));
		for (unsigned i = 0; i < 500; i++)
			latencies_add(&l, random_u64(&state) % 1000000);
		ck_assert(latencies_interval(&l, 900, 1, &low, &high));
		hits += low <= 900000 && high >= 900000;
	}
	ck_assert_uint_ge(hits, 184);
}
END_TEST

/* ---- time ---- */

START_TEST(spans_double_and_nothing_is_lost)
{
	static const uint64_t times[] = { 5000000000, 4999000000, 5200000000, 5700000000,
					  4000000000, 9000000000, 8999999999, 86400000000000 };
	struct time_bins bins = { .n = 0 };
	uint64_t counts[TIME_BINS][2] = { { 0 } };
	struct time_move move;

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t sum[2] = { 0, 0 };
		int at;

		if (time_bins_find(&bins, times[i]) < 0 &&
		    time_bins_reach(&bins, times[i], 0, &move))
			ck_assert(time_move_numbers(&move, counts[0], sizeof(counts[0][0]), 2));
		at = time_bins_find(&bins, times[i]);
		ck_assert(at >= 0 && at < TIME_BINS);
		ck_assert(times[i] - time_bins_start(&bins, (unsigned)at) < time_bins_width(&bins));
		counts[at][0]++;
		counts[at][1] += times[i];
		for (unsigned b = 0; b < TIME_BINS; b++) {
			sum[0] += counts[b][0];
			sum[1] += counts[b][1];
			/* whatever moved lies where it belongs */
			if (counts[b][0] == 1)
				ck_assert_int_eq(time_bins_find(&bins, counts[b][1]), (int)b);
		}
		ck_assert_uint_eq(sum[0], i + 1);
	}
	ck_assert_uint_le(bins.n, TIME_BINS);
	ck_assert_uint_gt(bins.n, TIME_BINS / 2 - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("latencies");
	TCase *tcase = tcase_create("numbers");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tcase, percentiles_are_at_most_a_32nd_too_high);
	tcase_add_test(tcase, few_values_have_no_interval);
	tcase_add_test(tcase, ends_of_the_interval_are_rounded_outwards);
	tcase_add_test(tcase, the_interval_holds_the_true_percentile);
	tcase_add_test(tcase, spans_double_and_nothing_is_lost);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
