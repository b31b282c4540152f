/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows in the order of their start: within the window sorted, beyond it late
 * and counted, never lost.
 */
#include "events/order.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct order *order;
static uint64_t n_left, last_key, n_back;
static size_t bytes_left;

/* A row is its key in text, then filling. */
static void leaves(void *arg, const char *row, size_t len, uint64_t key)
{
	ck_assert_ptr_eq(arg, &n_left);
	ck_assert_uint_ge(len, 20);
	ck_assert(strtoull(row, NULL, 10) == key);
	ck_assert_int_eq(row[len - 1], '\n');
	n_back += n_left && key < last_key;
	last_key = key;
	n_left++;
	bytes_left += len;
}

static void setup(void)
{
	n_left = n_back = last_key = bytes_left = 0;
	order = order_open(leaves, &n_left);
	ck_assert(order != NULL);
}

static void teardown(void)
{
	order_close(order);
}

static void push(uint64_t key, size_t len)
{
	static char row[200000];

	ck_assert_uint_lt(len, sizeof(row));
	memset(row, 'x', len);
	row[snprintf(row, 32, "%llu", (unsigned long long)key)] = ' ';
	row[len - 1] = '\n';
	order_push(order, key, row, len);
}

START_TEST(row_waits_for_the_window)
{
	push(1000, 40);
	order_flush(order, 1000 + ORDER_HOLD_NS - 1);
	ck_assert_uint_eq(n_left, 0);
	order_flush(order, 1000 + ORDER_HOLD_NS);
	ck_assert_uint_eq(n_left, 1);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 1);
}
END_TEST

START_TEST(clock_younger_than_the_window_flushes_nothing)
{
	push(0, 40);
	push(5, 40);
	order_flush(order, 3);
	ck_assert_uint_eq(n_left, 1); /* key 0 is at the limit */
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 2);
}
END_TEST

START_TEST(equal_keys_keep_the_order_of_arrival)
{
	order_push(order, 5, "5 aaaaaaaaaaaaaaaaa\n", 20);
	order_push(order, 5, "5 bbbbbbbbbbbbbbbbbb\n", 21);
	order_push(order, 4, "4 cccccccccccccccccccc\n", 23);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 3);
	ck_assert_uint_eq(n_back, 0);
	ck_assert_uint_eq(bytes_left, 20 + 21 + 23);
}
END_TEST

static void counts(void *arg, const char *row, size_t len, uint64_t key)
{
	*(uint64_t *)arg += key;
	ck_assert_int_eq(row[len - 1], '\n');
}

/* Those that left before were never news. */
START_TEST(news_are_rows_that_wait_each_once)
{
	uint64_t sum = 0;

	order_news(order, counts, &sum);
	push(1, 40);
	push(100, 40);
	push(30, 40);
	order_flush(order, 1 + ORDER_HOLD_NS);
	order_news(order, counts, &sum);
	ck_assert_uint_eq(sum, 130);
	push(2000, 40);
	push(50, 40); /* between the others */
	order_news(order, counts, &sum);
	ck_assert_uint_eq(sum, 130 + 2050);
	order_flush(order, 100 + ORDER_HOLD_NS);
	ck_assert_uint_eq(n_left, 4);
	order_news(order, counts, &sum);
	ck_assert_uint_eq(sum, 130 + 2050);
	ck_assert_uint_eq(n_back, 0);
}
END_TEST

START_TEST(what_leaves_soon_is_no_news)
{
	uint64_t sum = 0, key = 1;

	for (int i = 0; i < ORDER_ROWS + 1; i++)
		push(key++, 40);
	order_news(order, counts, &sum);
	ck_assert_uint_eq(sum, 0);
	order_news(order, counts, &sum); /* unless it does not */
	ck_assert_uint_eq(sum, (uint64_t)ORDER_ROWS * (ORDER_ROWS + 3) / 2);
}
END_TEST

/* _i: seed; as many as may wait, in any order */
START_TEST(any_permutation_comes_out_sorted)
{
	static uint64_t keys[ORDER_ROWS];
	unsigned seed = _i;

	for (uint64_t i = 0; i < ORDER_ROWS; i++)
		keys[i] = i * 3;
	for (uint64_t i = ORDER_ROWS - 1; i; i--) {
		uint64_t k = rand_r(&seed) % (i + 1), t = keys[i];

		keys[i] = keys[k];
		keys[k] = t;
	}
	for (uint64_t i = 0; i < ORDER_ROWS; i++)
		push(keys[i], 20 + rand_r(&seed) % 200);
	ck_assert_uint_eq(n_left, 0);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, ORDER_ROWS);
	ck_assert_uint_eq(n_back, 0);
	ck_assert_uint_eq(order_late(order), 0);
}
END_TEST

/* A stream of rows that end in order and began up to half a window before. */
START_TEST(hundred_thousand_rows_stay_sorted)
{
	const uint64_t step = ORDER_HOLD_NS / 10000;
	unsigned seed = 3;
	uint64_t now = 10 * ORDER_HOLD_NS;

	for (int i = 0; i < 100000; i++, now += step) {
		push(now - rand_r(&seed) % (ORDER_HOLD_NS / 2), 100 + rand_r(&seed) % 100);
		if (i % 100 == 0)
			order_flush(order, now);
	}
	ck_assert_uint_ge(n_left, 100000 - 16384);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 100000);
	ck_assert_uint_eq(n_back, 0);
	ck_assert_uint_eq(order_late(order), 0);
}
END_TEST

START_TEST(late_row_leaves_at_once_and_is_counted)
{
	push(5000, 40);
	order_flush(order, UINT64_MAX);
	push(4999, 40);
	ck_assert_uint_eq(n_left, 2);
	ck_assert_uint_eq(order_late(order), 1);
	push(5000, 40); /* as old as the last is not late */
	ck_assert_uint_eq(order_late(order), 1);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 3);
}
END_TEST

START_TEST(full_window_lets_the_oldest_go)
{
	for (uint64_t i = 0; i < ORDER_ROWS + 5; i++)
		push(1000 + i, 40);
	ck_assert_uint_eq(n_left, 5);
	ck_assert_uint_eq(last_key, 1004);
	push(1002, 40);
	ck_assert_uint_eq(order_late(order), 1);
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, ORDER_ROWS + 6);
}
END_TEST

/* Rows longer than a chunk, among short ones, in random order and with random flushes. */
START_TEST(long_rows_keep_their_text)
{
	unsigned seed = 9;
	size_t pushed = 0;

	for (uint64_t i = 0; i < 3000; i++) {
		size_t len = rand_r(&seed) % 10 ? 20 + (size_t)rand_r(&seed) % 500 :
						  60000 + (size_t)rand_r(&seed) % 100000;

		push(20 * ORDER_HOLD_NS + i * 1000 + rand_r(&seed) % 5000, len);
		pushed += len;
		if (rand_r(&seed) % 20 == 0)
			order_flush(order, 21 * ORDER_HOLD_NS + (i > 10 ? i - 10 : 0) * 1000);
	}
	order_flush(order, UINT64_MAX);
	ck_assert_uint_eq(n_left, 3000);
	ck_assert_uint_eq(bytes_left, pushed);
	ck_assert_uint_eq(n_back, order_late(order));
}
END_TEST

START_TEST(closing_with_rows_waiting_frees_them)
{
	for (uint64_t i = 0; i < 5000; i++)
		push(i, i % 100 ? 100 : 100000);
	order_close(order);
	order = NULL;
	ck_assert_uint_eq(n_left, 0);
	order_close(NULL);
}
END_TEST

static Suite *order_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *tcase = tcase_create("order");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, row_waits_for_the_window);
	tcase_add_test(tcase, clock_younger_than_the_window_flushes_nothing);
	tcase_add_test(tcase, news_are_rows_that_wait_each_once);
	tcase_add_test(tcase, what_leaves_soon_is_no_news);
	tcase_add_test(tcase, equal_keys_keep_the_order_of_arrival);
	tcase_add_loop_test(tcase, any_permutation_comes_out_sorted, 0, 5);
	tcase_add_test(tcase, hundred_thousand_rows_stay_sorted);
	tcase_add_test(tcase, late_row_leaves_at_once_and_is_counted);
	tcase_add_test(tcase, full_window_lets_the_oldest_go);
	tcase_add_test(tcase, long_rows_keep_their_text);
	tcase_add_test(tcase, closing_with_rows_waiting_frees_them);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(order_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
