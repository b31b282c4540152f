/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buckets of powers of two, sums of them, and numbers for people. */
#include "analysis/files/histogram.h"

#include <check.h>
#include <stdlib.h>

#include "analysis/common/units.h"

START_TEST(value_is_within_its_bucket)
{
	static const uint64_t values[] = {
		0,         1, 2, 3, 4, 7, 8, 4095, 4096, 4097, UINT64_MAX / 2, UINT64_MAX / 2 + 1,
		UINT64_MAX
	};
	uint64_t value = values[_i], to;
	unsigned bucket = histogram_bucket_of(value);

	ck_assert_uint_lt(bucket, HISTOGRAM_BUCKETS);
	ck_assert_uint_ge(value, histogram_from(bucket));
	if (histogram_to(bucket, &to))
		ck_assert_uint_lt(value, bucket ? to : 1);
	else
		ck_assert_uint_ge(value, 1ull << 63);
}
END_TEST

START_TEST(buckets_count_and_sum)
{
	struct histogram h = { 0 }, other = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		ck_assert(histogram_add(&h, 1 + i % 3, i));
	ck_assert(histogram_add(&other, 7, 5));
	ck_assert(histogram_add(&other, 1, 3));
	ck_assert(histogram_join(&other, &h, NULL, NULL));
	uint64_t count = 0, sum = 0, of_7 = 0, small = 0;
	for (unsigned i = 0; i < other.n; i++) {
		count += other.buckets[i].count;
		sum += other.buckets[i].sum;
		of_7 += other.keys[i] >> 8 == 7 ? other.buckets[i].count : 0;
		/* [2,4) of tag 1: 3 of the loop, and another 3 */
		small += other.keys[i] == (1u << 8 | 2) ? other.buckets[i].sum : 0;
		for (unsigned j = 0; j < i; j++)
			ck_assert_uint_ne(other.keys[i], other.keys[j]);
	}
	ck_assert_uint_eq(count, 1002);
	ck_assert_uint_eq(sum, 999 * 1000 / 2 + 8);
	ck_assert_uint_eq(of_7, 1);
	ck_assert_uint_eq(small, 6);
	histogram_free(&h);
	histogram_free(&other);
	histogram_free(&other);
}
END_TEST

START_TEST(units_of_people)
{
	static const struct {
		uint64_t value;
		const char *bytes, *ns;
	} cases[] = {
		{ 0, "0", "0ns" },
		{ 999, "999", "999ns" },
		{ 1000, "1000", "1.00us" },
		{ 1023, "1023", "1.02us" },
		{ 4096, "4.0K", "4.10us" },
		{ 1048575, "1.0M", "1.05ms" },
		{ 1250000, "1.2M", "1.25ms" },
		{ 999995000, "953.7M", "1.00s" },
		{ 5000000000, "4.7G", "5.00s" },
		{ UINT64_MAX, "16.0E", "18446744073.71s" },
	};
	char text[UNITS_SIZE];

	ck_assert_str_eq(units_bytes(text, cases[_i].value), cases[_i].bytes);
	ck_assert_str_eq(units_ns(text, cases[_i].value), cases[_i].ns);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("histogram");
	TCase *tcase = tcase_create("histogram");
	SRunner *runner;
	int n_failed;

	tcase_add_loop_test(tcase, value_is_within_its_bucket, 0, 13);
	tcase_add_test(tcase, buckets_count_and_sum);
	tcase_add_loop_test(tcase, units_of_people, 0, 10);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
