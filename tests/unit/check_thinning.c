/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers make of rows of which --budget left out others: sums over files are of all, a file's own are
 * its own, and say how large their error may be.
 */
#include "analysis/common/thinning.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_batches.h"
#include "analysis/files/files_read.h"
#include "analysis/files/files_weight.h"
#include "fixture/fixture_report.h"
#include "fixture/random.h"
#include "fixture/session.h"

static void make_manifest_of(unsigned changes, unsigned n, unsigned unlike)
{
	char text[1000];

	snprintf(
		text, sizeof(text),
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"started_ns\": 1, \"ended_ns\": 2, "
		"\"lost\": [], \"budget\": {\"changes\": %u, \"left_out\": [{\"stream\": \"fs\", "
		"\"count\": %u, \"largest_factor\": 8, \"not_represented\": %u}]}}",
		changes, n, unlike);
	session_write(dir, "manifest.json", text);
}

static void make_manifest(unsigned changes)
{
	make_manifest_of(changes, 700, 30);
}

static void lost_begin(void)
{
	rows_begin("lost", "timestamp,stream,cpu,reason,count,factor,kept,mono_ns");
}

static uint64_t weight_at(const struct thinning *t, enum stream_id stream, uint64_t ms)
{
	return thinning_weight(t, stream, ms * 1000000);
}

START_TEST(weights_are_of_the_time_before_their_row)
{
	struct read_session session = { .fd = -1 };
	struct thinning t = { .no_memory = false };

	make_manifest(3);
	lost_begin();
	/* the change took a while, in which the factor of after it was in force */
	rows_add(",fs,,budget,0,1,500,900000000");
	rows_add(",fs,,budget,150,4,50,1000000000");
	rows_add(",cache,,budget,0,2,,1000000000");
	rows_add(",fs,0,ring,12,,,1100000000");
	/* three of four, though one of four files was chosen: they differ */
	rows_add(",fs,,budget,300,4,100,2000000000");
	rows_add(",fs,,budget,40,8,0,2500000000");
	/* what was kept is not like what was left out: the factor counts */
	rows_add(",fs,,budget,7000,0,10,3000000000");
	rows_add(",fs,,budget,70,1,0,3500000000");
	rows_add(",cache,,budget,123,1,,3500000000");
	rows_end();
	ck_assert_int_eq(read_session_open(&session, dir), 0);
	ck_assert_int_eq(thinning_read(&t, &session), 0);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 0), THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 899), THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 999), 4 * THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 1000), 4 * THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 1999), 4 * THINNING_ONE);
	/* nothing was kept: what there is all the same counts as the factor says */
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 2400), 4 * THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 2700), 8 * THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 3000), THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 3600), THINNING_ONE);
	/* rows that are not to be compared with what was left out */
	ck_assert_uint_eq(weight_at(&t, STREAM_cache, 500), THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_cache, 1500), 2 * THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_cache, 3600), THINNING_ONE);
	ck_assert_uint_eq(weight_at(&t, STREAM_ds, 1500), THINNING_ONE);
	thinning_free(&t);
	read_session_close(&session);
}
END_TEST

START_TEST(recordings_without_a_budget_have_no_weights)
{
	struct read_session session = { .fd = -1 };
	struct thinning t = { .no_memory = false };

	session_write(dir, "manifest.json",
		      "{\"format\": \"iotracer\", \"schema_version\": 1, \"lost\": []}");
	rows_begin("lost", "timestamp,stream,cpu,reason,count,mono_ns");
	rows_add(",fs,0,ring,12,1100000000");
	rows_end();
	ck_assert_int_eq(read_session_open(&session, dir), 0);
	ck_assert_int_eq(thinning_read(&t, &session), 0);
	ck_assert_uint_eq(weight_at(&t, STREAM_fs, 1200), THINNING_ONE);
	thinning_free(&t);
	read_session_close(&session);
}
END_TEST

/* ---- files ---- */

static void io(const char *operation, const char *path, unsigned bytes, unsigned ms)
{
	rows_add("%s,7,dd,%s,%u,12,O_RDWR,0,2000,%u,8:1,4026531840,f,%u000000", operation, path,
		 bytes, bytes, ms);
}

/* Of four files one was kept for the last second; then of all but one what is told is exact. */
static void make_rows(void)
{
	make_manifest(2);
	lost_begin();
	rows_add(",fs,,budget,0,4,4,2000000000");
	rows_add(",fs,,budget,6,1,2,3000000000");
	rows_end();
	rows_begin("fs", report_fs_header);
	io("READ", "/d/a", 100, 1000);
	io("WRITE", "/d/a", 1000, 1001);
	io("READ", "/d/b", 100, 1002);
	io("READ", "/e/c", 100, 1003);
	io("READ", "/d/a", 100, 2500);
	io("WRITE", "/d/a", 1000, 2600);
	io("READ", "/d/b", 100, 3500);
	rows_end();
}

static const struct files_cell *cell_of(const struct files_answer *a, const char *name)
{
	for (uint64_t i = 0; i < a->n; i++)
		if (a->entries[i].len == strlen(name) &&
		    !memcmp(a->entries[i].name, name, a->entries[i].len))
			return a->entries[i].cell;
	ck_abort_msg("there is no %s", name);
	return NULL;
}

static uint64_t requests_of(const struct files_cell *cell)
{
	const struct histogram *h = &cell->histogram;
	uint64_t n = 0;

	for (unsigned i = 0; i < h->n; i++)
		if (h->keys[i] >> 16 == FILES_READ_REQUEST)
			n += h->buckets[i].count;
	return n;
}

START_TEST(sums_over_files_are_of_all_of_them)
{
	const struct files_options options = { .split = FILES_TOGETHER };
	const struct row_filter filter = { .from = NULL };
	static struct files_reading r;
	struct files_answer dirs = { .by = FILES_BY_DIR }, files = { .by = FILES_BY_FILE };
	struct files_source source;
	const struct files_cell *cell;

	make_rows();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	source = (struct files_source){ r.host, r.models, r.n_models };
	ck_assert_int_eq(files_answer_make(&files, &source, 1), 0);
	cell = cell_of(&files, "/d/a");
	ck_assert_uint_eq(cell->moved[FILES_READ].calls.calls, 2);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].bytes, 2000);
	ck_assert_int_eq(files_answer_make(&dirs, &source, 1), 0);
	/* of /d/a two rows for one each and two for four: 2.5 for each on average */
	cell = cell_of(&dirs, "/d");
	ck_assert_uint_eq(cell->moved[FILES_READ].calls.calls, 5 + 2);
	ck_assert_uint_eq(cell->moved[FILES_READ].bytes, 700);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].calls.calls, 5);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].bytes, 5000);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].calls.max_ns, 2000);
	ck_assert_uint_eq(requests_of(cell), 7);
	ck_assert_uint_eq(cell_of(&dirs, "/")->moved[FILES_READ].calls.calls, 8);
	ck_assert_uint_eq(cell_of(&dirs, "/e")->moved[FILES_READ].calls.calls, 1);
	ck_assert(r.gaps.estimated && r.gaps.error_known);
	ck_assert_double_gt(r.gaps.share_error, 1);
	files_answer_free(&dirs);
	files_answer_free(&files);
	files_reading_close(&r);
}
END_TEST

/* A file that is read while all is recorded, and written and synced when one of four files is. */
START_TEST(each_kind_of_calls_has_its_own_weight)
{
	const struct files_options options = { .split = FILES_TOGETHER };
	const struct row_filter filter = { .from = NULL };
	static struct files_reading r;
	struct files_answer dirs = { .by = FILES_BY_DIR };
	struct files_source source;
	const struct files_cell *cell;
	uint64_t errors[N_FILES_CALL_KINDS] = { 0 };

	make_manifest(2);
	lost_begin();
	rows_add(",fs,,budget,0,4,4,2000000000");
	rows_add(",fs,,budget,21,1,7,3000000000");
	rows_end();
	rows_begin("fs", report_fs_header);
	io("READ", "/d/a", 100, 1000);
	io("READ", "/d/a", 200, 1001);
	rows_add("READ,7,dd,/d/a,,12,O_RDWR,300,2000,-5,8:1,4026531840,f,1002000000");
	rows_add("OPEN,7,dd,/d/a,,12,O_RDWR,,2000,3,8:1,4026531840,f,1003000000");
	io("WRITE", "/d/a", 1000, 2500);
	io("WRITE", "/d/a", 1000, 2600);
	rows_add("WRITE,7,dd,/d/a,,12,O_RDWR,2000,2000,-28,8:1,4026531840,f,2650000000");
	rows_add("FSYNC,7,dd,/d/a,,12,O_RDWR,,2000,0,8:1,4026531840,f,2700000000");
	rows_end();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	source = (struct files_source){ r.host, r.models, r.n_models };
	ck_assert_int_eq(files_answer_make(&dirs, &source, 1), 0);
	cell = cell_of(&dirs, "/d");
	ck_assert_uint_eq(cell->moved[FILES_READ].calls.calls, 3);
	ck_assert_uint_eq(cell->moved[FILES_READ].bytes, 300);
	ck_assert_uint_eq(requests_of(cell), 3);
	ck_assert_uint_eq(cell->opens, 1);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].calls.calls, 12);
	ck_assert_uint_eq(cell->moved[FILES_WRITE].bytes, 8000);
	ck_assert_uint_eq(cell->syncs.calls, 4);
	ck_assert_uint_eq(cell->synced_bytes, 8000);
	for (unsigned i = 0; i < cell->n_errors; i++)
		errors[cell->errors[i].kind] += cell->errors[i].count;
	ck_assert_uint_eq(errors[FILES_OF_READS], 1);
	ck_assert_uint_eq(errors[FILES_OF_WRITES], 4);
	files_answer_free(&dirs);
	files_reading_close(&r);
}
END_TEST

/*
 * Files of a known use, kept by chance as the programs do: what is told is off by its standard error on
 * average.
 */
START_TEST(the_error_that_is_told_is_the_one_that_is_made)
{
	enum { FILES = 2000, TIMES = 400 };
	static double calls[FILES], bytes[FILES];
	double all_calls = 0, all_bytes = 0, made = 0, told = 0, made_share = 0, told_share = 0;
	double of_even = 0;
	uint64_t chance = 3;

	for (unsigned i = 0; i < FILES; i++) {
		calls[i] = 1 + (double)(random_u64(&chance) % 100);
		bytes[i] = calls[i] * (double)(random_u64(&chance) % 8192);
		all_calls += calls[i];
		all_bytes += bytes[i];
		of_even += i % 2 ? 0 : calls[i];
	}
	for (unsigned t = 0; t < TIMES; t++) {
		struct files_estimate e = { .calls = 0 };
		double kept = 0, even = 0, weight, off;

		for (unsigned round = 0; round < 2; round++) {
			weight = round ? all_calls / kept : 0;
			chance = 1000 + t;
			for (unsigned i = 0; i < FILES; i++) {
				struct files_cell cell = { .opens = 0 };

				if ((random_u64(&chance) >> 20) % 8)
					continue;
				kept += round ? 0 : calls[i];
				even += round && i % 2 == 0 ? weight * calls[i] : 0;
				cell.n_rows = (uint64_t)calls[i] * THINNING_ONE;
				cell.stands = (uint64_t)(weight * (double)cell.n_rows);
				cell.moved[FILES_READ].bytes = (uint64_t)bytes[i];
				if (round)
					files_estimate_add(&e, &cell);
			}
		}
		off = 100 * (e.bytes / all_bytes - 1);
		made += off * off;
		told += files_estimate_bytes(&e) * files_estimate_bytes(&e);
		off = 100 * (even - of_even) / all_calls;
		made_share += off * off;
		told_share += files_estimate_share(&e) * files_estimate_share(&e);
		ck_assert_double_eq_tol(e.calls / all_calls, 1, 0.01);
	}
	ck_assert_double_ge(told / made, 0.8);
	ck_assert_double_le(told / made, 1.25);
	/* of one half of the calls, for which it is right; of other shares it is less */
	ck_assert_double_ge(told_share / made_share, 0.8);
	ck_assert_double_le(told_share / made_share, 1.25);
}
END_TEST

/* ---- report ---- */

static bool missing_says(const char *words)
{
	char *csv = section_csv("missing");
	bool found = strstr(csv, words) != NULL;

	free(csv);
	return found;
}

START_TEST(a_report_counts_for_what_was_left_out)
{
	make_rows();
	report_make();
	/* calls, failures, bytes read and written, time, mean, percentiles, slowest */
	section_is("operations", "fs,READ,8,0,800,,16000,2000,2000,2000,2000,2000,2000\n"
				 "fs,WRITE,5,0,,5000,10000,2000,2000,2000,2000,2000,2000\n");
	ck_assert(missing_says("fs,budget,700,"));
	ck_assert(missing_says("one of up to 8 was kept, which does not stand for 30 of them"));
	ck_assert(missing_says("standard error"));
	report_done();
}
END_TEST

static uint64_t reads_below_d(const struct files_entry *entry)
{
	return entry->len == 2 && !memcmp(entry->name, "/d", 2) ?
		       entry->cell->moved[FILES_READ].calls.calls :
		       0;
}

/* Of 120 files 30 were kept; memory 1: each of them is put aside and read again. */
START_TEST(weights_are_kept_of_files_that_do_not_fit_in_memory)
{
	const struct files_options options = { .split = FILES_TOGETHER, .memory = (uint64_t)_i };
	const struct row_filter filter = { .from = NULL };
	static struct files_reading r;
	struct files_answer dirs = { .by = FILES_BY_DIR };
	struct files_runs runs = { 0 };
	struct files_source source;
	struct files_entry entry;
	uint64_t calls = 0;
	char path[40];

	make_manifest(2);
	lost_begin();
	rows_add(",fs,,budget,0,4,0,2000000000");
	rows_add(",fs,,budget,90,1,30,3000000000");
	rows_end();
	rows_begin("fs", report_fs_header);
	for (unsigned i = 0; i < 30; i++) {
		snprintf(path, sizeof(path), "/d/f%u", i);
		io("READ", path, 100, 2100 + i);
	}
	rows_end();
	setenv("TMPDIR", dir, 1);
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	ck_assert_int_eq(r.n_spilled > 0, _i);
	source = (struct files_source){ r.host, r.models, r.n_models };
	ck_assert_int_eq(files_batches_answer(&dirs, &runs, &source, &r, 1), 0);
	/* with so little memory the answer is put aside, too */
	for (uint64_t i = 0; i < dirs.n; i++)
		calls += reads_below_d(&dirs.entries[i]);
	while (files_runs_next(&runs, &entry))
		calls += reads_below_d(&entry);
	ck_assert_int_eq(runs.err, 0);
	ck_assert_uint_eq(calls, 120);
	files_runs_close(&runs);
	files_answer_free(&dirs);
	files_reading_close(&r);
	unsetenv("TMPDIR");
}
END_TEST

/* 300 rows that stand for 5.5 each: as four or eight, so that it is that on average. */
START_TEST(weights_between_powers_of_two_are_kept_on_average)
{
	char *csv;
	unsigned long long n;

	make_manifest(2);
	lost_begin();
	rows_add(",fs,,budget,0,4,0,1000000000");
	rows_add(",fs,,budget,13500,1,3000,9000000000");
	rows_end();
	rows_begin("fs", report_fs_header);
	for (unsigned i = 0; i < 3000; i++)
		io("READ", i % 3 ? "/d/a" : "/d/b", 10, 1000 + i);
	rows_end();
	report_make();
	csv = section_csv("operations");
	ck_assert_int_eq(sscanf(strchr(csv, '\n') + 1, "fs,READ,%llu", &n), 1);
	ck_assert_uint_ge(n, 16500 - 330);
	ck_assert_uint_le(n, 16500 + 330);
	free(csv);
	report_done();
}
END_TEST

/* Reads of a byte of 800 files, half of them kept */
static char *findings_of(unsigned unlike)
{
	char path[40], *csv;

	make_manifest_of(2, 20000, unlike);
	lost_begin();
	rows_add(",fs,,budget,0,2,0,1000000000");
	rows_add(",fs,,budget,20000,1,20000,90000000000");
	rows_end();
	rows_begin("fs", report_fs_header);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(path, sizeof(path), "/d/f%u", i % 400);
		io("READ", path, 1, 1000 + i);
	}
	rows_end();
	report_make();
	csv = section_csv("findings");
	report_done();
	return csv;
}

START_TEST(findings_need_rows_that_stand_for_the_others)
{
	char *csv = findings_of(100);

	ck_assert_msg(strstr(csv, "one-byte-calls") != NULL, "%s", csv);
	free(csv);
}
END_TEST

START_TEST(without_these_nothing_is_found)
{
	char *csv = findings_of(5000);

	ck_assert_msg(strstr(csv, "one-byte-calls") == NULL, "%s", csv);
	free(csv);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("thinning");
	TCase *tcase = tcase_create("readers");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_test(tcase, weights_are_of_the_time_before_their_row);
	tcase_add_test(tcase, recordings_without_a_budget_have_no_weights);
	tcase_add_test(tcase, sums_over_files_are_of_all_of_them);
	tcase_add_test(tcase, each_kind_of_calls_has_its_own_weight);
	tcase_add_loop_test(tcase, weights_are_kept_of_files_that_do_not_fit_in_memory, 0, 2);
	tcase_add_test(tcase, the_error_that_is_told_is_the_one_that_is_made);
	tcase_add_test(tcase, a_report_counts_for_what_was_left_out);
	tcase_add_test(tcase, weights_between_powers_of_two_are_kept_on_average);
	tcase_add_test(tcase, findings_need_rows_that_stand_for_the_others);
	tcase_add_test(tcase, without_these_nothing_is_found);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
