/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of sums: each is known when it should be, adds up as its row says, and is read back as it was printed. */
#include "analysis/files/files_columns.h"

#include <check.h>
#include <stdint.h>

/* Calls that took 2, 4, ... ns, of which the first began at the given time. */
static struct files_calls calls(uint64_t n, uint64_t first_ns)
{
	return (struct files_calls){
		.calls = n,
		.errors = 1,
		.ns = n * (n + 1),
		.max_ns = 2 * n,
		.timed = n,
		.first_ns = first_ns,
		.last_ns = first_ns + 1000 * n,
	};
}

static struct files_cell cell(uint64_t n, uint64_t first_ns)
{
	return (struct files_cell){
		.opens = n + 1,
		.closes = n,
		.moved = { { calls(n, first_ns), 8000 * n, 4000 * n, 4000 * n, 1000 * n, 9000 * n },
			   { calls(2 * n, first_ns + 5), 16000 * n, 400 * n, 400 * n, 300 * n,
			     500 * n } },
		.rewrites = n,
		.located_writes = 2 * n,
		.completed_writes = 2 * n,
		.syncs = calls(n + 2, first_ns + 7),
		.synced_bytes = 300 * n,
		.locks = calls(n + 3, first_ns + 9),
		.lock_waits = n,
		.metadata = n,
		.n_pids = n,
		.mapped = { 4096 * n, 8192 * n },
		.faults_known = n,
	};
}

static struct files_cell without_times(void)
{
	struct files_cell c = cell(3, 500);
	struct files_calls *of[] = { &c.moved[0].calls, &c.moved[1].calls, &c.syncs };

	for (unsigned i = 0; i < 3; i++)
		of[i]->ns = of[i]->max_ns = of[i]->timed = of[i]->last_ns = 0;
	return c;
}

static struct files_cell without_offsets(void)
{
	struct files_cell c = cell(3, 500);

	c.rewrites = c.located_writes = 0;
	c.moved[0].located = c.moved[0].sequential = 0;
	c.moved[1].located = c.moved[1].sequential = 0;
	return c;
}

static struct files_cell opened(void)
{
	return (struct files_cell){ .opens = 1, .n_pids = 1 };
}

static struct files_cell some(unsigned which)
{
	return which == 0 ? cell(3, 500) :
	       which == 1 ? without_times() :
	       which == 2 ? without_offsets() :
			    opened();
}

static void same_value(const struct files_cell *a, const struct files_cell *b, unsigned column)
{
	struct table_value x = files_sum_value(a, (enum files_sum_column)column),
			   y = files_sum_value(b, (enum files_sum_column)column);

	ck_assert_msg(x.known == y.known && x.u == y.u, "%s: %d %llu is not %d %llu",
		      files_sum_columns[column].name, x.known, (unsigned long long)x.u, y.known,
		      (unsigned long long)y.u);
}

static void expect(const struct files_cell *c, enum files_sum_column column, uint64_t u)
{
	struct table_value value = files_sum_value(c, column);

	ck_assert(value.known);
	ck_assert_uint_eq(value.u, u);
}

START_TEST(each_is_found_by_its_name)
{
	for (unsigned i = 0; i < N_FILES_SUMS; i++)
		if (files_sum_columns[i].name)
			ck_assert_uint_eq(files_sum_find(files_sum_columns[i].name), i);
	ck_assert_uint_eq(files_sum_find("filename"), N_FILES_SUMS);
}
END_TEST

START_TEST(times_are_those_called_first_and_last)
{
	for (unsigned i = 0; i < N_FILES_SUM_COLUMNS; i++) {
		const char *name = files_sum_columns[i].name;
		bool is_time = !strncmp(name, "first_", 6) || !strncmp(name, "last_", 5);

		ck_assert_msg(files_sum_is_time((enum files_sum_column)i) == is_time, "%s", name);
	}
}
END_TEST

START_TEST(each_is_read_back_as_it_was_printed)
{
	struct files_cell printed = some((unsigned)_i), back = { .opens = 0 };
	struct field fields[N_FILES_SUM_COLUMNS] = { { .u = 0 } };

	for (unsigned i = 0; i < N_FILES_SUM_COLUMNS; i++) {
		struct table_value value = files_sum_value(&printed, (enum files_sum_column)i);

		fields[i].known = value.known;
		fields[i].u = value.u;
	}
	files_sums_set(&back, fields);
	for (unsigned i = 0; i < N_FILES_SUM_COLUMNS; i++)
		same_value(&printed, &back, i);
}
END_TEST

/* But for processes, which files_cell_join() adds. */
START_TEST(nothing_added_changes_nothing)
{
	struct files_cell nothing = { .opens = 0 }, of = some((unsigned)_i), sum = of;

	files_sums_add(&sum, &nothing);
	files_sums_add(&nothing, &of);
	for (unsigned i = 0; i < N_FILES_SUMS; i++) {
		same_value(&sum, &of, i);
		if (i != FILES_PIDS)
			same_value(&nothing, &of, i);
	}
}
END_TEST

START_TEST(two_add_up_in_either_order)
{
	struct files_cell one = cell(2, 900), two = cell(5, 400), sum = _i ? two : one;
	uint64_t first = 0, last = 0;

	files_sums_add(&sum, _i ? &one : &two);
	expect(&sum, FILES_OPENS, 9);
	expect(&sum, FILES_READ_BYTES, 28000);
	expect(&sum, FILES_READ_NS, 36);
	expect(&sum, FILES_READ_MAX_NS, 10);
	expect(&sum, FILES_READ_MEAN, 5);
	expect(&sum, FILES_FIRST_READ, 400);
	expect(&sum, FILES_LAST_READ, 5400);
	expect(&sum, FILES_FIRST_WRITE, 405);
	expect(&sum, FILES_LAST_WRITE, 10405);
	expect(&sum, FILES_LAST_SYNC, 7407);
	expect(&sum, FILES_READ_SEQUENTIAL, 250000);
	expect(&sum, FILES_BYTES, 30800);
	expect(&sum, FILES_MAPPED_READ, 7 * 4096);
	expect(&sum, FILES_MAPPED_WRITTEN, 7 * 8192);
	files_sums_span(&one, &first, &last);
	files_sums_span(&two, &first, &last);
	ck_assert_uint_eq(first, 400);
	ck_assert_uint_eq(last, 10405);
}
END_TEST

START_TEST(what_was_requested_ends_at_the_highest_number)
{
	struct files_cell one = cell(1, 1), sum = cell(1, 1);

	one.moved[FILES_READ].requested = UINT64_MAX - 5;
	files_sums_add(&sum, &one);
	expect(&sum, FILES_READ_REQUESTED, UINT64_MAX);
}
END_TEST

START_TEST(bytes_through_mappings_stand_for_all_already)
{
	const struct files_ratio eight[N_FILES_CALL_KINDS] = { [FILES_OF_READS] = { 1, 8 } };
	struct files_cell of = cell(3, 500);

	files_sums_scale(&of, eight);
	expect(&of, FILES_READ_BYTES, 8 * 3 * 4000);
	expect(&of, FILES_MAPPED_READ, 3 * 4096);
}
END_TEST

static void unknown(const struct files_cell *c, enum files_sum_column column)
{
	ck_assert_msg(!files_sum_value(c, column).known, "%s", files_sum_columns[column].name);
}

START_TEST(what_nothing_tells_is_not_known)
{
	struct files_cell none = opened(), times = without_times(), places = without_offsets();

	expect(&none, FILES_READ_NS, 0);
	expect(&none, FILES_REWRITES, 0);
	unknown(&none, FILES_READ_MAX_NS);
	unknown(&none, FILES_FIRST_READ);
	unknown(&none, FILES_READ_SEQUENTIAL);
	unknown(&none, FILES_READ_MEAN);
	unknown(&none, FILES_MAPPED_READ);
	expect(&times, FILES_FIRST_READ, 500);
	unknown(&times, FILES_READ_NS);
	unknown(&times, FILES_SYNC_MAX_NS);
	unknown(&times, FILES_LAST_WRITE);
	unknown(&times, FILES_WRITE_MEAN);
	unknown(&places, FILES_REWRITES);
	places.located_writes = 1;
	expect(&places, FILES_REWRITES, 0);
	unknown(&places, FILES_WRITE_SEQUENTIAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("files_columns");
	TCase *tcase = tcase_create("sums");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, each_is_found_by_its_name);
	tcase_add_test(tcase, times_are_those_called_first_and_last);
	tcase_add_loop_test(tcase, each_is_read_back_as_it_was_printed, 0, 4);
	tcase_add_loop_test(tcase, nothing_added_changes_nothing, 0, 4);
	tcase_add_loop_test(tcase, two_add_up_in_either_order, 0, 2);
	tcase_add_test(tcase, what_was_requested_ends_at_the_highest_number);
	tcase_add_test(tcase, what_nothing_tells_is_not_known);
	tcase_add_test(tcase, bytes_through_mappings_stand_for_all_already);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
