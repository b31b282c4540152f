/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own local time against the C library's, where clocks change and where they do not. */
#include "row/zone.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether the database is installed or not, these are understood. */
static const char *const zones[] = { "UTC0",
				     "CET-1CEST,M3.5.0,M10.5.0/3",
				     "EST5EDT,M3.2.0,M11.1.0",
				     "<+0545>-5:45",
				     "NZST-12NZDT,M9.5.0,M4.1.0/3",
				     "<-03>3",
				     "Europe/London",
				     "America/St_Johns",
				     "Australia/Lord_Howe",
				     "Africa/Casablanca",
				     "Asia/Tehran",
				     "Pacific/Apia" };

enum { N_ZONES = sizeof(zones) / sizeof(zones[0]) };

static struct zone zone;

static void check_at(int64_t seconds)
{
	char ours[ZONE_TEXT_SIZE], theirs[64];
	time_t t = (time_t)seconds;
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(theirs, sizeof(theirs), "%Y-%m-%d %H:%M:%S", &tm);
	zone_text(&zone, seconds, ours);
	ck_assert_msg(!strcmp(ours, theirs), "%s, %lld: %s is %s", getenv("TZ"), (long long)seconds,
		      ours, theirs);
}

static void use(int i)
{
	setenv("TZ", zones[i], 1);
	tzset();
	zone_make(&zone);
}

START_TEST(random_times_are_those_of_the_library)
{
	unsigned short seed[3] = { 1, 2, (unsigned short)_i };

	use(_i);
	/* to 2050, and the days of all years to 2068 */
	for (int i = 0; i < 20000; i++)
		check_at((int64_t)(erand48(seed) * 2524608000.0));
	for (int64_t t = 0; t < 98LL * 365 * 86400; t += 86400)
		check_at(t + 43200);
}
END_TEST

START_TEST(the_seconds_around_each_change_are_right)
{
	use(_i);
	for (unsigned i = 1; i < zone.n; i++)
		for (int64_t d = -2; d <= 2; d++)
			check_at(zone.steps[i].from + d);
}
END_TEST

START_TEST(changes_are_found)
{
	use(1);
	/* two a year */
	ck_assert_uint_gt(zone.n, 190);
	ck_assert_uint_lt(zone.n, 210);
	use(0);
	ck_assert_uint_eq(zone.n, 1);
}
END_TEST

START_TEST(years_without_four_digits_are_no_text)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01 00:00:00" },
		{ -1, "1969-12-31 23:59:59" },
		{ 951782400, "2000-02-29 00:00:00" },
		{ 4107542400, "2100-03-01 00:00:00" },
		{ 253402300799, "9999-12-31 23:59:59" },
		{ 253402300800, "" },
		{ -62135596800, "0001-01-01 00:00:00" },
		{ -62167219200, "0000-01-01 00:00:00" },
		{ -62167219201, "" },
		{ INT64_MAX, "" },
		{ INT64_MIN, "" },
	};
	char text[ZONE_TEXT_SIZE];

	use(0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		zone_text(&zone, cases[i].seconds, text);
		ck_assert_str_eq(text, cases[i].text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("zone");
	TCase *tcase = tcase_create("zone");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, random_times_are_those_of_the_library, 0, N_ZONES);
	tcase_add_loop_test(tcase, the_seconds_around_each_change_are_right, 0, N_ZONES);
	tcase_add_test(tcase, changes_are_found);
	tcase_add_test(tcase, years_without_four_digits_are_no_text);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
