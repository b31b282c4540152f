/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of files: each change by itself, and many against a model of one entry per page. */
#include "resolve/mappings.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture/fixture_mappings.h"

static void add_told(uint64_t start, uint64_t n, uint64_t ino, uint64_t at, uint64_t as_of)
{
	struct mapping mapping = file_pages(start, n, ino, at);

	mapping.as_of = as_of;
	mappings_add(maps, &mapping);
}

static void move(uint64_t from, uint64_t n, uint64_t to, uint64_t n_to, uint64_t ts, bool keep)
{
	struct mappings_move moved = {
		.from = from * P,
		.from_len = n * P,
		.to = to * P,
		.to_len = n_to * P,
		.ts = ts,
		.keep_old = keep,
	};

	mappings_move(maps, &moved);
}

/* ---- adding and removing ---- */

START_TEST(nothing_is_found_in_nothing)
{
	ck_assert(!mappings_find(maps, 0, UINT64_MAX));
	mappings_remove(maps, 0, UINT64_MAX);
	move(1, 1, 2, 1, 0, false);
	ALL("");
	mappings_free(NULL);
}
END_TEST

START_TEST(new_mapping_gives_way_to_newer_ones)
{
	add(10, 10, 1, 0);
	add(12, 2, 2, 5);
	ALL("10+2:1@0 12+2:2@5 14+6:1@4");
	add(11, 4, 3, 0);
	ALL("10+1:1@0 11+4:3@0 15+5:1@5");
	add(0, 100, 2, 1);
	ALL("0+100:2@1");
}
END_TEST

START_TEST(neighbours_join_only_when_the_file_goes_on)
{
	add(10, 2, 1, 0);
	add(14, 2, 1, 4);
	add(12, 2, 1, 2);
	ALL("10+6:1@0");
	add(16, 1, 1, 5);
	ALL("10+6:1@0 16+1:1@5");
	add(17, 1, 2, 6);
	ALL("10+6:1@0 16+1:1@5 17+1:2@6");
	add(9, 1, 1, 0);
	ALL("9+1:1@0 10+6:1@0 16+1:1@5 17+1:2@6");
}
END_TEST

START_TEST(neighbours_of_other_name_device_state_or_time_stay_apart)
{
	struct mapping next = file_pages(11, 1, 1, 1);

	add(10, 1, 1, 0);
	next.path = paths[1];
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next.path = NULL;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next = file_pages(11, 1, 1, 1);
	next.dev++;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next = file_pages(11, 1, 1, 1);
	next.deleted = true;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	add_told(11, 1, 1, 1, 5);
	ALL("10+1:1@0 11+1:1@1");
	/* the same name in other memory is the same name */
	next = file_pages(11, 1, 1, 1);
	next.path = paths[3];
	mappings_add(maps, &next);
	ALL("10+2:1@0");
}
END_TEST

START_TEST(hole_trims_and_splits)
{
	add(10, 10, 1, 0);
	add(30, 2, 2, 0);
	mappings_remove(maps, 14 * P, 15 * P);
	ALL("10+4:1@0 15+5:1@5 30+2:2@0");
	mappings_remove(maps, 12 * P, 16 * P);
	ALL("10+2:1@0 16+4:1@6 30+2:2@0");
	mappings_remove(maps, 19 * P, 31 * P);
	ALL("10+2:1@0 16+3:1@6 31+1:2@1");
	mappings_remove(maps, 0, 10 * P);
	mappings_remove(maps, 13 * P, 13 * P);
	mappings_remove(maps, 17 * P, 17 * P);
	ALL("10+2:1@0 16+3:1@6 31+1:2@1");
}
END_TEST

START_TEST(ranges_are_rounded_out_to_pages)
{
	struct mapping odd = file_pages(10, 1, 1, 3);

	odd.end = odd.start + P + 1;
	mappings_add(maps, &odd);
	ALL("10+2:1@3");
	ck_assert(mappings_find(maps, 12 * P - 1, 12 * P));
	ck_assert(mappings_find(maps, 9 * P, 10 * P + 1));
	ck_assert(!mappings_find(maps, 9 * P, 10 * P));
	ck_assert(!mappings_find(maps, 11 * P, 11 * P));
	ck_assert(!mappings_find(maps, 11 * P + 5, 11 * P + 5));
	mappings_remove(maps, 11 * P, 11 * P + 1);
	ALL("10+1:1@3");
	mappings_remove(maps, 10 * P + 9, 10 * P + 10);
	ALL("");
}
END_TEST

START_TEST(page_size_is_the_machines_unless_given)
{
	struct mappings *big = mappings_new(65536), *own = mappings_new(0);
	struct mapping mapping = file_pages(0, 1, 1, 0);

	mappings_add(big, &mapping);
	mappings_add(own, &mapping);
	ck_assert_uint_eq(mappings_find(big, 0, 1)->end, 65536);
	ck_assert_uint_eq(mappings_find(own, 0, 1)->end, sysconf(_SC_PAGESIZE));
	mappings_free(big);
	mappings_free(own);
}
END_TEST

START_TEST(end_below_the_start_is_the_end_of_all)
{
	struct mapping last = file_pages(0, 1, 1, 0);

	last.start = ~(P - 1) - P;
	last.end = ~(P - 1);
	mappings_add(maps, &last);
	ck_assert(mappings_find(maps, 5 * P, 4 * P));
	ck_assert(mappings_find(maps, 5 * P, 0));
	ck_assert(mappings_find(maps, last.start, UINT64_MAX));
	ck_assert(!mappings_find(maps, last.end, UINT64_MAX));
	ck_assert(!mappings_find(maps, UINT64_MAX, UINT64_MAX));
	mappings_remove(maps, P, 0);
	ALL("");
}
END_TEST

START_TEST(borrowed_path_survives_what_it_was_borrowed_from)
{
	struct path *own = path_new("/own", 4, PATH_FULL);
	struct mapping mapping = file_pages(10, 2, 1, 0);

	mapping.path = own;
	mappings_add(maps, &mapping);
	path_put(own);
	mapping = *mappings_find(maps, 10 * P, 11 * P);
	mapping.offset = 7 * P;
	mappings_add(maps, &mapping);
	ck_assert_str_eq(mappings_find(maps, 10 * P, 11 * P)->path->raw, "/own");
	ALL("10+2:1@7");
}
END_TEST

START_TEST(copy_lives_on_its_own)
{
	struct mappings *copy;

	add(10, 2, 1, 0);
	copy = mappings_copy(maps);
	mappings_remove(maps, 10 * P, 11 * P);
	ck_assert_str_eq(all_of(copy), "10+2:1@0");
	ALL("11+1:1@1");
	mappings_free(copy);
}
END_TEST

START_TEST(first_of_many_is_found)
{
	for (uint64_t i = 0; i < 65530; i++)
		add(2 * i, 1, 1 + i % 3, i);
	for (uint64_t i = 0; i < 65530; i++) {
		const struct mapping *found = mappings_find(maps, 2 * i * P, (2 * i + 4) * P);

		ck_assert(found && found->start == 2 * i * P && found->offset == i * P);
		ck_assert(!mappings_find(maps, (2 * i + 1) * P, (2 * i + 2) * P));
	}
	mappings_remove(maps, 3 * P, 131057 * P);
	ALL("0+1:1@0 2+1:2@1 131058+1:1@65529");
}
END_TEST

/* ---- mremap ---- */

static const struct {
	uint64_t from, n, to, n_to;
	bool keep;
	const char *all;
} moves[] = {
	/* before: "10+4:1@0 14+2:2@8 20+2:3@0" */
	{ 10, 4, 40, 4, false, "14+2:2@8 20+2:3@0 40+4:1@0" },
	{ 11, 2, 40, 2, false, "10+1:1@0 13+1:1@3 14+2:2@8 20+2:3@0 40+2:1@1" },
	{ 10, 4, 40, 6, false, "14+2:2@8 20+2:3@0 40+6:1@0" },
	{ 10, 4, 40, 1, false, "14+2:2@8 20+2:3@0 40+1:1@0" },
	{ 20, 2, 20, 5, false, "10+4:1@0 14+2:2@8 20+5:3@0" },
	{ 10, 4, 10, 2, false, "10+2:1@0 14+2:2@8 20+2:3@0" },
	{ 20, 2, 13, 2, false, "10+3:1@0 13+2:3@0 15+1:2@9" },
	{ 10, 4, 40, 4, true, "10+4:1@0 14+2:2@8 20+2:3@0 40+4:1@0" },
	{ 12, 4, 40, 4, false, "10+2:1@0 20+2:3@0 40+2:1@2 42+2:2@8" },
	{ 12, 4, 40, 5, false, "10+2:1@0 20+2:3@0 40+2:1@2 42+3:2@8" },
	{ 11, 0, 40, 2, false, "10+4:1@0 14+2:2@8 20+2:3@0 40+2:1@1" },
	{ 30, 2, 20, 1, false, "10+4:1@0 14+2:2@8 21+1:3@1" }, /* memory over a file */
	{ 15, 3, 40, 5, false, "10+4:1@0 14+1:2@8 20+2:3@0 40+1:2@9" },
};

START_TEST(move_takes_its_file_along)
{
	add(10, 4, 1, 0);
	add(14, 2, 2, 8);
	add(20, 2, 3, 0);
	move(moves[_i].from, moves[_i].n, moves[_i].to, moves[_i].n_to, 0, moves[_i].keep);
	ALL(moves[_i].all);
}
END_TEST

START_TEST(move_that_proc_has_told_of_already_is_kept)
{
	add_told(40, 2, 1, 0, 1000);
	move(10, 2, 40, 2, 999, false);
	ALL("40+2:1@0");
	/* afterwards it is memory that comes there */
	move(10, 2, 40, 2, 1001, false);
	ALL("");
}
END_TEST

START_TEST(what_came_to_the_old_place_later_is_not_moved)
{
	add_told(10, 2, 2, 0, 1000);
	add_told(40, 2, 1, 0, 1000);
	move(10, 2, 40, 2, 999, false);
	ck_assert_uint_eq(mappings_find(maps, 40 * P, 41 * P)->ino, 1);
}
END_TEST

START_TEST(removed_range_is_not_what_proc_told_later)
{
	add_told(10, 2, 1, 0, 1000);
	add(12, 2, 2, 0);
	ck_assert_uint_eq(mappings_find(maps, 10 * P, 14 * P)->ino, 1);
	ck_assert_uint_eq(mappings_find_old(maps, 10 * P, 14 * P, 1000)->ino, 1);
	ck_assert_uint_eq(mappings_find_old(maps, 10 * P, 14 * P, 999)->ino, 2);
	ck_assert(!mappings_find_old(maps, 10 * P, 12 * P, 999));
}
END_TEST

/* ---- the model ---- */

enum { N_PAGES = 48 };

struct page {
	uint64_t ino; /* 0: no file */
	uint64_t at;
};
static struct page model[N_PAGES];

static void model_move(uint64_t from, uint64_t n, uint64_t to, uint64_t n_to, bool keep)
{
	struct page taken[N_PAGES] = { { .ino = 0 } };
	uint64_t whole = n ? n : 1;

	for (uint64_t i = 0; i < n_to; i++) {
		if (i < whole)
			taken[i] = model[from + i];
		else if (taken[whole - 1].ino)
			taken[i] = (struct page){ taken[i - 1].ino, taken[i - 1].at + 1 };
	}
	for (uint64_t i = 0; i < n && !keep; i++)
		model[from + i].ino = 0;
	memcpy(model + to, taken, n_to * sizeof(*taken));
}

static void random_move(void)
{
	uint64_t from = draw(N_PAGES), n = draw(N_PAGES - from < 9 ? N_PAGES - from : 9);
	uint64_t to = draw(3) ? draw(N_PAGES) : from;
	uint64_t n_to = draw(N_PAGES - to < 9 ? N_PAGES - to : 9) + 1;
	bool keep = draw(4) == 0, in_place = to == from && n;

	if (to + n_to > N_PAGES)
		return;
	/* what the kernel refuses */
	if ((!in_place && from < to + n_to && to < from + (n ? n : 1)) || (in_place && keep))
		return;
	model_move(from, n, to, n_to, keep);
	move(from, n, to, n_to, 0, keep);
}

static void random_change(void)
{
	uint64_t start = draw(N_PAGES), n = draw(N_PAGES - start) % 12 + 1;
	uint64_t ino = draw(3) + 1, at = draw(2) ? start : draw(8);

	switch (draw(4)) {
	case 0:
		mappings_remove(maps, start * P, (start + n) * P - draw(P));
		memset(model + start, 0, n * sizeof(*model));
		break;
	case 1:
		random_move();
		break;
	default:
		add(start, n, ino, at);
		for (uint64_t i = 0; i < n; i++)
			model[start + i] = (struct page){ ino, at + i };
	}
}

/* As all_of tells it. Equal texts are equal pages, and joined as far as can be. */
static const char *model_text(void)
{
	static char text[4096];
	size_t at = 0;

	text[0] = '\0';
	for (uint64_t i = 0, n; i < N_PAGES; i += n) {
		for (n = 1; i + n < N_PAGES && model[i].ino && model[i + n].ino == model[i].ino &&
			    model[i + n].at == model[i].at + n;)
			n++;
		if (model[i].ino)
			at += sprintf(text + at, "%s%llu+%llu:%llu@%llu", at ? " " : "",
				      (unsigned long long)i, (unsigned long long)n,
				      (unsigned long long)model[i].ino,
				      (unsigned long long)model[i].at);
	}
	return text;
}

static void compare_find(void)
{
	uint64_t start = draw(N_PAGES), end = start + 1 + draw(N_PAGES - start), first = start;
	const struct mapping *found = mappings_find(maps, start * P, end * P);

	while (first < end && !model[first].ino)
		first++;
	ck_assert_int_eq(found != NULL, first < end);
	if (found)
		ck_assert(found->start <= first * P && found->end > first * P &&
			  found->ino == model[first].ino && found->path == paths[found->ino - 1]);
}

START_TEST(random_changes_are_those_of_a_model)
{
	seed = _i;
	memset(model, 0, sizeof(model));
	for (int i = 0; i < 5000; i++) {
		random_change();
		ck_assert_str_eq(all_of(maps), model_text());
		compare_find();
	}
}
END_TEST

static TCase *array_case(void)
{
	TCase *tcase = tcase_create("array");

	tcase_add_checked_fixture(tcase, fixture_mappings_setup, fixture_mappings_teardown);
	tcase_add_test(tcase, nothing_is_found_in_nothing);
	tcase_add_test(tcase, new_mapping_gives_way_to_newer_ones);
	tcase_add_test(tcase, neighbours_join_only_when_the_file_goes_on);
	tcase_add_test(tcase, neighbours_of_other_name_device_state_or_time_stay_apart);
	tcase_add_test(tcase, hole_trims_and_splits);
	tcase_add_test(tcase, ranges_are_rounded_out_to_pages);
	tcase_add_test(tcase, page_size_is_the_machines_unless_given);
	tcase_add_test(tcase, end_below_the_start_is_the_end_of_all);
	tcase_add_test(tcase, borrowed_path_survives_what_it_was_borrowed_from);
	tcase_add_test(tcase, copy_lives_on_its_own);
	tcase_add_test(tcase, first_of_many_is_found);
	tcase_add_loop_test(tcase, move_takes_its_file_along, 0, sizeof(moves) / sizeof(moves[0]));
	tcase_add_test(tcase, move_that_proc_has_told_of_already_is_kept);
	tcase_add_test(tcase, what_came_to_the_old_place_later_is_not_moved);
	tcase_add_test(tcase, removed_range_is_not_what_proc_told_later);
	tcase_add_loop_test(tcase, random_changes_are_those_of_a_model, 0, 8);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("mappings");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, array_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
