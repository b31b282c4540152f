/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses as rows: one for each class, reason, CPU and second, and all of them counted. */
#include "events/losses.h"

#include <check.h>
#include <stdlib.h>

#include "fixture/fixture_losses.h"

enum { CPUS = 4 };
#define SECOND 1000000000ULL

static struct losses *losses;

static void setup(void)
{
	n_told = 0;
	losses = losses_open(CPUS, hear_loss, told);
	ck_assert(losses != NULL);
}

static void teardown(void)
{
	losses_close(losses);
}

START_TEST(losses_of_a_second_are_one_row)
{
	for (unsigned i = 0; i < 1000; i++)
		losses_add(losses, IOT_SEQ_fs, LOST_RING, 2, 3, 5 * SECOND + i);
	losses_flush(losses, 6 * SECOND - 1);
	ck_assert_uint_eq(n_told, 0);
	losses_flush(losses, 6 * SECOND);
	ck_assert_uint_eq(n_told, 1);
	expect_told(0, IOT_SEQ_fs, LOST_RING, 2, 3000, 5 * SECOND);
	losses_flush(losses, UINT64_MAX);
	ck_assert_uint_eq(n_told, 1);
}
END_TEST

START_TEST(next_second_is_another_row)
{
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 1, 5 * SECOND + 7);
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 2, 6 * SECOND + 6);
	ck_assert_uint_eq(n_told, 0);
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 4, 6 * SECOND + 7);
	ck_assert_uint_eq(n_told, 1);
	expect_told(0, IOT_SEQ_fs, LOST_RING, 0, 3, 5 * SECOND + 7);
	losses_flush(losses, UINT64_MAX);
	expect_told(1, IOT_SEQ_fs, LOST_RING, 0, 4, 6 * SECOND + 7);
}
END_TEST

START_TEST(older_loss_joins_the_row_that_is_open)
{
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 1, 5 * SECOND);
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 1, 3 * SECOND);
	losses_flush(losses, UINT64_MAX);
	ck_assert_uint_eq(n_told, 1);
	expect_told(0, IOT_SEQ_fs, LOST_RING, 0, 2, 5 * SECOND);
}
END_TEST

/* Every class, reason and CPU, and those of no CPU, has its own row. */
START_TEST(classes_reasons_and_cpus_are_apart)
{
	unsigned n = 0;

	for (unsigned class = 0; class < IOT_N_SEQ; class += 10)
		for (int reason = 0; reason < N_LOST_REASONS; reason += 4)
			for (int cpu = -1; cpu < CPUS; cpu++)
				losses_add(losses, class, reason, cpu, ++n, SECOND);
	ck_assert_uint_le(n, 64);
	losses_flush(losses, UINT64_MAX);
	ck_assert_uint_eq(n_told, n);
	n = 0;
	for (unsigned class = 0; class < IOT_N_SEQ; class += 10)
		for (int reason = 0; reason < N_LOST_REASONS; reason += 4)
			for (int cpu = -1; cpu < CPUS; cpu++, n++)
				expect_told(n, class, reason, cpu, n + 1, SECOND);
}
END_TEST

START_TEST(row_leaves_when_its_own_second_is_over)
{
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 0, 1, 5 * SECOND);
	losses_add(losses, IOT_SEQ_fs, LOST_RING, 1, 2, 5 * SECOND + 400);
	losses_flush(losses, 6 * SECOND + 100);
	ck_assert_uint_eq(n_told, 1);
	losses_flush(losses, 6 * SECOND + 400);
	ck_assert_uint_eq(n_told, 2);
	expect_told(1, IOT_SEQ_fs, LOST_RING, 1, 2, 5 * SECOND + 400);
}
END_TEST

START_TEST(random_losses_add_up)
{
	uint64_t added = 0, sum = 0, last[2] = { 0 }, now = SECOND;
	unsigned seed = 7;

	for (int i = 0; i < 5000; i++) {
		now += rand_r(&seed) % 2000000;
		losses_add(losses, IOT_SEQ_nw, LOST_UNRESOLVED, i % 2, i % 9 + 1, now);
		added += i % 9 + 1;
		if (i % 17 == 0)
			losses_flush(losses, now);
	}
	losses_flush(losses, UINT64_MAX);
	for (unsigned i = 0; i < n_told; i++) {
		ck_assert(!last[told[i].cpu] || told[i].ts >= last[told[i].cpu] + SECOND);
		last[told[i].cpu] = told[i].ts;
		sum += told[i].count;
	}
	ck_assert_uint_eq(sum, added);
}
END_TEST

static Suite *losses_suite(void)
{
	Suite *suite = suite_create("losses");
	TCase *tcase = tcase_create("losses");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, losses_of_a_second_are_one_row);
	tcase_add_test(tcase, next_second_is_another_row);
	tcase_add_test(tcase, older_loss_joins_the_row_that_is_open);
	tcase_add_test(tcase, classes_reasons_and_cpus_are_apart);
	tcase_add_test(tcase, row_leaves_when_its_own_second_is_over);
	tcase_add_test(tcase, random_losses_add_up);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(losses_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
