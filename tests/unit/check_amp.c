/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification: the factors of worked examples, who is which system, and from rows of a directory
 * to CSV, with what cannot be known left empty.
 */
#include "analysis/amp/amp_print.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/amp/amp_factors.h"
#include "fixture/fixture_amp.h"
#include "fixture/fixture_rows.h"
#include "fixture/session.h"

/* ---- factors ---- */

static struct amp_group example(const uint64_t counts[6])
{
	struct amp_group group = { .vfs = true };

	for (unsigned i = 0; i < 6; i++)
		group.sums.sides[i / 2][i % 2].count = counts[i];
	return group;
}

START_TEST(factors_of_worked_examples)
{
	static const struct {
		uint64_t counts[6];
		double read, write;
	} examples[] = {
		{ { 45, 120, 67, 145, 89, 178 }, 3.47, 2.69 },
		{ { 23, 85, 78, 234, 95, 267 }, 7.52, 5.89 },
		{ { 156, 89, 234, 156, 267, 189 }, 3.21, 3.88 },
	};

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct amp_group group = example(examples[i].counts);
		uint64_t read, write;

		ck_assert(amp_by_count(&group, AMP_READ, &read));
		ck_assert(amp_by_count(&group, AMP_WRITE, &write));
		ck_assert_double_eq_tol((double)read / 1e6, examples[i].read, 0.005);
		ck_assert_double_eq_tol((double)write / 1e6, examples[i].write, 0.005);
	}
}
END_TEST

START_TEST(bytes_are_divided_apart)
{
	struct amp_group group = { .vfs = false };
	uint64_t ratio;

	group.sums.sides[AMP_SYS][AMP_WRITE].bytes = 1048576;
	group.sums.sides[AMP_BLK][AMP_WRITE].bytes = 8716288;
	ck_assert(amp_by_bytes(&group, AMP_WRITE, &ratio));
	ck_assert_uint_eq(ratio, 8312500);
	/* division by nothing, and what is not counted */
	ck_assert(!amp_by_bytes(&group, AMP_READ, &ratio));
	group.sums.sides[AMP_SYS][AMP_READ].count = 5;
	ck_assert(!amp_by_count(&group, AMP_READ, &ratio));
}
END_TEST

START_TEST(every_number_falls_in_a_band)
{
	ck_assert_str_eq(amp_band(0), "perfect");
	ck_assert_str_eq(amp_band(1000000), "perfect");
	ck_assert_str_eq(amp_band(1000001), "good");
	ck_assert_str_eq(amp_band(3000000), "good");
	ck_assert_str_eq(amp_band(3000001), "moderate");
	ck_assert_str_eq(amp_band(10000000), "moderate");
	ck_assert_str_eq(amp_band(10000001), "high");
	ck_assert_str_eq(amp_band(UINT64_MAX), "high");
}
END_TEST

/* ---- a directory ---- */

START_TEST(rows_become_sums_of_systems)
{
	make_amp_rows();
	amp_make();
	/* the manifest that says which tier there was is missing: what reached file systems is not known */
	amp_is("h,PostgreSQL,,,,1.653213,0,4,,,0,2,0,12388,,,0,20480,16384,4096,0,,200,,,,2000000,6\n"
	       "h,kernel,,,,,0,0,,,0,2,0,0,,,0,12800,512,0,12288,,,,,,500000,2\n"
	       "h,MinIO,,,5.007335,,3,0,,,1,0,1636,0,,,8192,0,0,0,0,50,,,,500000,,4\n"
	       "h,others,,,0.000000,0.000000,4,2,,,0,0,2050,57,,,0,0,0,0,0,27,20,,,,,6\n");
	ck_assert_uint_eq(reading.first_ns, 1000);
	ck_assert_uint_eq(reading.last_ns, 2005);
	amp_done();
}
END_TEST

START_TEST(in_tier_a_file_systems_are_counted)
{
	make_amp_rows();
	amp_make();
	for (uint64_t i = 0; i < groups.n; i++)
		groups.list[i]->vfs = true;
	amp_is("h,PostgreSQL,,1.500000,,1.653213,0,4,0,4,0,2,0,12388,0,12388,0,20480,16384,4096,0,,200,,200,,2000000,10\n"
	       "h,kernel,,,,,0,0,0,0,0,2,0,0,0,0,0,12800,512,0,12288,,,,,,500000,2\n"
	       "h,MinIO,1.666667,,5.007335,,3,0,4,0,1,0,1636,0,3684,0,8192,0,0,0,0,50,,50,,500000,,8\n"
	       "h,others,1.000000,1.000000,0.000000,0.000000,4,2,4,2,0,0,2050,57,2050,57,0,0,0,0,0,27,20,27,20,,,12\n");
	amp_done();
}
END_TEST

static const struct amp_group *group_called(const char *name)
{
	for (uint64_t i = 0; i < groups.n; i++)
		if (!strcmp(groups.list[i]->name, name))
			return groups.list[i];
	ck_abort_msg("no %s", name);
	return NULL;
}

START_TEST(percentiles_are_those_of_all_processes)
{
	const struct amp_group *group;
	uint64_t ns;

	make_amp_rows();
	amp_make();
	group = group_called("PostgreSQL");
	/* of 100, 300, 300, 100: a 32nd too high at most, and never above the highest */
	ck_assert(amp_percentile(group, AMP_SYS, AMP_WRITE, 500, &ns));
	ck_assert_uint_eq(ns, 101);
	ck_assert(amp_percentile(group, AMP_SYS, AMP_WRITE, 750, &ns));
	ck_assert_uint_eq(ns, 300);
	ck_assert(amp_percentile(group, AMP_BLK, AMP_WRITE, 990, &ns));
	ck_assert_uint_eq(ns, 3000000);
	ck_assert(!amp_percentile(group, AMP_SYS, AMP_READ, 500, &ns));
	ck_assert(!amp_percentile(group, AMP_VFS, AMP_WRITE, 500, &ns));
	amp_done();
}
END_TEST

START_TEST(sets_of_times_are_those_of_all_of_them)
{
	static const unsigned kinds[] = { 0, 7, LATENCY_SET_KINDS - 1 };
	static struct latencies all[3], got;
	struct latency_set halves[2] = { { .n = 0 }, { .n = 0 } };
	uint64_t value = 88172645463325252ull;

	for (unsigned i = 0; i < 30000; i++) {
		uint64_t ns;

		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
		ns = value >> (10 + value % 50);
		latencies_add(&all[i % 3], ns);
		ck_assert(latency_set_add(&halves[i / 15000], kinds[i % 3], ns));
	}
	ck_assert(latency_set_join(&halves[0], &halves[1]));
	for (unsigned k = 0; k < 3; k++) {
		latency_set_take(&halves[0], kinds[k], all[k].max, &got);
		got.sum = all[k].sum;
		ck_assert_int_eq(memcmp(&got, &all[k], sizeof(got)), 0);
	}
	latency_set_take(&halves[0], 3, 5, &got);
	ck_assert_uint_eq(got.n, 0);
	latency_set_free(&halves[0]);
	latency_set_free(&halves[1]);
}
END_TEST

START_TEST(a_row_for_each_interval)
{
	make_amp_rows();
	options.interval_ns = 100;
	amp_make();
	/* three of its calls: one from 1000 on, two from 1100 on, one from 1300 on */
	for (uint64_t i = 0, seen = 0; i < groups.n; i++) {
		const struct amp_group *group = groups.list[i];

		ck_assert_ptr_nonnull(group->time);
		if (strcmp(group->name, "PostgreSQL") != 0)
			continue;
		ck_assert_uint_eq(group->sums.sides[AMP_SYS][AMP_WRITE].count,
				  group->interval == 10 ? 1 :
				  group->interval == 11 ? 2 :
				  group->interval == 13 ? 1 :
							  0);
		seen += group->sums.sides[AMP_SYS][AMP_WRITE].count;
		ck_assert(i + 1 < groups.n || seen == 4);
	}
	amp_done();
}
END_TEST

/* Counters in place of rows: sums without percentiles; beside both of fs and ds, these tell more. */
START_TEST(of_counters)
{
	uint64_t ns;

	session_write(
		dir, "manifest.json",
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"plan\": ["
		"{\"stream\": \"layers\", \"operation\": \"READ\", \"path\": \"\", \"tier\": \"a\"},"
		"{\"stream\": \"layers\", \"operation\": \"WRITE\", \"path\": \"\", \"tier\": \"a\"}]}");
	rows_begin("layers",
		   "pid,command,layer,operation,class,count,bytes,errors,latency_ns,mono_ns");
	rows_add("10,a,SYSCALL,READ,,45,4500,1,900,1000");
	rows_add("10,a,SYSCALL,WRITE,,67,6700,0,670,1000");
	rows_add("10,a,VFS,READ,,120,4500,1,900,1000");
	rows_add("10,a,VFS,WRITE,,145,6700,0,670,1000");
	rows_add("10,a,BLOCK,READ,data,36,36000,0,3600,1000");
	rows_add("10,a,SYSCALL,SYNC,,2,0,0,10,1000");
	rows_add("10,a,BLOCK,WRITE,data,10,1000,0,100,1000");
	rows_add("10,a,BLOCK,WRITE,journal,20,2000,0,100,2000");
	rows_add("10,a,BLOCK,WRITE,metadata,4,400,0,100,2000");
	rows_add("10,a,BLOCK,WRITE,swap,1,40,0,100,2000");
	/* counted by a loop device */
	rows_add("10,a,BLOCK,WRITE,loop,7,70000,0,100,2000");
	rows_add("10,a,BLOCK,READ,loop,7,70000,0,100,2000");
	rows_end();
	amp_make();
	ck_assert(reading.counted);
	ck_assert_uint_eq(groups.n, 1);
	ck_assert_uint_eq(groups.list[0]->sums.syncs, 2);
	ck_assert_uint_eq(groups.list[0]->sums.sides[AMP_SYS][AMP_READ].errors, 1);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_DATA], 1040);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_METADATA], 400);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_JOURNAL], 2000);
	ck_assert(!amp_percentile(groups.list[0], AMP_SYS, AMP_READ, 500, &ns));
	amp_is("h,others,3.466667,2.686567,8.000000,0.513433,45,67,120,145,36,35,4500,6700,4500,6700,"
	       "36000,3440,1040,400,2000,20,10,7,4,100,11,448\n");
	amp_done();
}
END_TEST

START_TEST(rows_are_chosen_by_process_and_time)
{
	make_amp_rows();
	filter.pids[0] = 10;
	filter.n_pids = 1;
	snprintf(filter.commands[0], sizeof(filter.commands[0]), "checkpointer");
	filter.n_commands = 1;
	amp_make();
	/* nothing but its name tells what it is, now that the others are left out */
	amp_is("h,others,,,,0.000000,0,1,,,0,0,0,4096,,,0,0,0,0,0,,100,,,,,1\n");
	amp_done();
}
END_TEST

START_TEST(without_streams_there_is_no_answer)
{
	rows_begin("exec", "event_type,pid,ppid,command,filename,return_value,mono_ns");
	rows_end();
	said_begin();
	ck_assert_int_eq(amp_reading_open(&reading, dir, &filter, &options), -ENOENT);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "neither fs and ds nor layers was recorded"));
	amp_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("amp");
	TCase *tcase = tcase_create("factors");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tcase, factors_of_worked_examples);
	tcase_add_test(tcase, bytes_are_divided_apart);
	tcase_add_test(tcase, every_number_falls_in_a_band);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("rows");
	tcase_add_checked_fixture(tcase, fixture_amp_setup, fixture_amp_teardown);
	tcase_add_test(tcase, rows_become_sums_of_systems);
	tcase_add_test(tcase, in_tier_a_file_systems_are_counted);
	tcase_add_test(tcase, percentiles_are_those_of_all_processes);
	tcase_add_test(tcase, sets_of_times_are_those_of_all_of_them);
	tcase_add_test(tcase, a_row_for_each_interval);
	tcase_add_test(tcase, of_counters);
	tcase_add_test(tcase, rows_are_chosen_by_process_and_time);
	tcase_add_test(tcase, without_streams_there_is_no_answer);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
