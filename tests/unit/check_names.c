/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of names: bounded, replacing, and honest about what it forgot. */
#include "resolve/names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct names *names;

static void setup(void)
{
	names = names_open(64);
	ck_assert(names != NULL);
}

static void teardown(void)
{
	names_close(names);
}

static void add(uint64_t id)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "/%llx", (unsigned long long)id);

	names_add(names, id, path_new(text, n, PATH_FULL));
}

static bool is(const struct path *path, uint64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "/%llx", (unsigned long long)id);
	return path && !strcmp(path->raw, text);
}

START_TEST(added_name_is_found_again_and_again)
{
	add(7);
	ck_assert(is(names_find(names, 7), 7));
	ck_assert(is(names_find(names, 7), 7));
	ck_assert_uint_eq(names_totals(names)->added, 1);
	ck_assert_uint_eq(names_totals(names)->unknown, 0);
}
END_TEST

START_TEST(unknown_name_is_counted)
{
	ck_assert(names_find(names, 7) == NULL);
	ck_assert(names_find(names, 0) == NULL);
	ck_assert(names_take(names, 8) == NULL);
	ck_assert_uint_eq(names_totals(names)->unknown, 3);
}
END_TEST

START_TEST(same_id_is_replaced)
{
	add(7);
	names_add(names, 7, path_new("/new", 4, PATH_FULL));
	ck_assert_str_eq(names_find(names, 7)->raw, "/new");
	ck_assert_uint_eq(names_totals(names)->evicted, 0);
	path_put(names_take(names, 7));
	ck_assert(names_find(names, 7) == NULL);
}
END_TEST

START_TEST(taken_name_belongs_to_the_caller)
{
	struct path *path;

	add(7);
	path = names_take(names, 7);
	ck_assert(is(path, 7));
	ck_assert(names_find(names, 7) == NULL);
	names_close(names);
	ck_assert(is(path, 7));
	path_put(path);
	names = NULL;
}
END_TEST

START_TEST(capacity_bounds_the_table_and_evictions_are_counted)
{
	unsigned found = 0;

	for (uint64_t id = 1; id <= 10000; id++)
		add(id);
	for (uint64_t id = 1; id <= 10000; id++)
		found += names_find(names, id) != NULL;
	ck_assert_uint_eq(found, 64);
	ck_assert_uint_eq(names_totals(names)->evicted, 10000 - found);
	ck_assert_uint_eq(names_totals(names)->unknown, 10000 - found);
}
END_TEST

/* Eight places: an id that is asked for stays, the longest unused goes. */
START_TEST(longest_unused_name_goes_first)
{
	names_close(names);
	names = names_open(1);
	for (uint64_t id = 1; id <= 8; id++)
		add(id);
	ck_assert(is(names_find(names, 1), 1));
	add(9);
	ck_assert(is(names_find(names, 1), 1));
	ck_assert(names_find(names, 2) == NULL);
	for (uint64_t id = 3; id <= 9; id++)
		ck_assert(is(names_find(names, id), id));
	ck_assert_uint_eq(names_totals(names)->evicted, 1);
}
END_TEST

START_TEST(taken_place_is_free_again)
{
	names_close(names);
	names = names_open(8);
	for (uint64_t id = 1; id <= 8; id++)
		add(id);
	path_put(names_take(names, 4));
	add(9);
	ck_assert_uint_eq(names_totals(names)->evicted, 0);
	ck_assert(is(names_find(names, 9), 9));
}
END_TEST

/* Ids as the kernel makes them (addresses, counters) spread well enough to use the room. */
START_TEST(regular_ids_use_the_room)
{
	unsigned found = 0;
	uint64_t step = 1ULL << _i;

	names_close(names);
	names = names_open(1024);
	for (uint64_t i = 1; i <= 512; i++)
		add(0xffff888000000000ULL + i * step);
	for (uint64_t i = 1; i <= 512; i++)
		found += names_find(names, 0xffff888000000000ULL + i * step) != NULL;
	ck_assert_uint_eq(found, 512);
}
END_TEST

START_TEST(no_capacity_is_still_a_table)
{
	names_close(names);
	names = names_open(0);
	add(1);
	ck_assert(is(names_find(names, 1), 1));
	names_close(NULL);
}
END_TEST

/* ---- files ---- */

enum { DISK = 8 << 20 | 1, OTHER_DISK = 8 << 20 | 2 };

/* A name of no other owner: the table holds what it needs by itself. */
static void learn(uint64_t ino, uint32_t dev, const char *name)
{
	struct path *path = path_new(name, strlen(name), PATH_FULL);

	names_learn(names, ino, dev, path);
	path_put(path);
}

static void expect_file(uint64_t ino, uint32_t dev, const char *name)
{
	const struct path *path = names_of_file(names, ino, dev);

	ck_assert_str_eq(path ? path->raw : "(none)", name);
}

START_TEST(file_has_the_name_it_was_used_by_last)
{
	expect_file(7, DISK, "(none)");
	learn(7, DISK, "/a");
	expect_file(7, DISK, "/a");
	learn(7, DISK, "/b");
	expect_file(7, DISK, "/b");
	expect_file(7, DISK, "/b");
	ck_assert_uint_eq(names_totals(names)->added, 2);
	ck_assert_uint_eq(names_totals(names)->evicted, 0);
}
END_TEST

/* To be without a name is nothing that the kernel could help with. */
START_TEST(file_without_a_name_is_not_counted)
{
	expect_file(7, DISK, "(none)");
	ck_assert_uint_eq(names_totals(names)->unknown, 0);
}
END_TEST

START_TEST(same_path_again_is_nothing_new)
{
	struct path *path = path_new("/a", 2, PATH_FULL);

	for (int i = 0; i < 1000; i++)
		names_learn(names, 7, DISK, path);
	ck_assert_uint_eq(path->refs, 2);
	ck_assert_uint_eq(names_totals(names)->added, 1);
	ck_assert_ptr_eq(names_of_file(names, 7, DISK), path);
	names_learn(names, 8, DISK, path); /* a link */
	ck_assert_uint_eq(path->refs, 3);
	learn(7, DISK, "/b");
	learn(8, DISK, "/b");
	ck_assert_uint_eq(path->refs, 1);
	path_put(path);
}
END_TEST

START_TEST(files_of_one_number_on_two_devices_are_two)
{
	learn(7, DISK, "/a");
	expect_file(7, OTHER_DISK, "(none)");
	learn(7, OTHER_DISK, "/b");
	expect_file(7, DISK, "/a");
	expect_file(7, OTHER_DISK, "/b");
}
END_TEST

/* What tells them apart is the whole key, not where it is kept. */
START_TEST(files_and_texts_of_one_number_do_not_meet)
{
	names_close(names);
	names = names_open(1);
	learn(7, DISK, "/file");
	ck_assert(names_find(names, 7) == NULL);
	ck_assert(names_take(names, 7) == NULL);
	add(7);
	expect_file(7, DISK, "/file");
	ck_assert(is(names_find(names, 7), 7));
	path_put(names_take(names, 7));
	expect_file(7, DISK, "/file");
	add(9);
	expect_file(9, DISK, "(none)");
}
END_TEST

static bool offer(uint64_t ino, const char *name)
{
	struct path *path = path_new(name, strlen(name), PATH_FULL);
	bool taken = names_offer(names, ino, DISK, path);

	path_put(path);
	return taken;
}

START_TEST(an_offered_name_counts_where_no_other_is_known)
{
	ck_assert(offer(7, "/offered"));
	expect_file(7, DISK, "/offered");
	ck_assert(!offer(7, "/again"));
	expect_file(7, DISK, "/offered");
	learn(7, DISK, "/used");
	expect_file(7, DISK, "/used");
	ck_assert(!offer(7, "/offered"));
	expect_file(7, DISK, "/used");
}
END_TEST

START_TEST(an_offered_name_takes_no_place_and_goes_first)
{
	names_close(names);
	names = names_open(1);
	for (uint64_t ino = 1; ino <= 7; ino++)
		learn(ino, DISK, "/used");
	ck_assert(offer(8, "/offered"));
	ck_assert(!offer(9, "/offered"));
	expect_file(9, DISK, "(none)");
	ck_assert_uint_eq(names_totals(names)->evicted, 0);
	learn(10, DISK, "/new");
	for (uint64_t ino = 1; ino <= 7; ino++)
		expect_file(ino, DISK, "/used");
	expect_file(10, DISK, "/new");
}
END_TEST

START_TEST(longest_unused_file_goes_first)
{
	char name[32];

	names_close(names);
	names = names_open(1);
	for (uint64_t ino = 1; ino <= 8; ino++) {
		snprintf(name, sizeof(name), "/%u", (unsigned)ino);
		learn(ino, DISK + ino, name);
	}
	expect_file(1, DISK + 1, "/1"); /* asked for */
	learn(2, DISK + 2, "/new");     /* used */
	learn(9, DISK, "/9");
	ck_assert_uint_eq(names_totals(names)->evicted, 1);
	expect_file(3, DISK + 3, "(none)");
	expect_file(1, DISK + 1, "/1");
	expect_file(2, DISK + 2, "/new");
	expect_file(9, DISK, "/9");
}
END_TEST

START_TEST(file_used_by_the_same_path_is_not_the_one_to_go)
{
	struct path *path = path_new("/a", 2, PATH_FULL);

	names_close(names);
	names = names_open(1);
	names_learn(names, 1, DISK, path);
	for (uint64_t ino = 2; ino <= 8; ino++)
		learn(ino, DISK, "/x");
	names_learn(names, 1, DISK, path);
	learn(9, DISK, "/9");
	expect_file(1, DISK, "/a");
	expect_file(2, DISK, "(none)");
	path_put(path);
}
END_TEST

START_TEST(more_files_than_there_is_room_for_are_forgotten)
{
	unsigned found = 0;

	for (uint64_t ino = 1; ino <= 10000; ino++)
		learn(ino, DISK, "/x");
	for (uint64_t ino = 1; ino <= 10000; ino++)
		found += names_of_file(names, ino, DISK) != NULL;
	ck_assert_uint_eq(found, 64);
	ck_assert_uint_eq(names_totals(names)->evicted, 10000 - found);
}
END_TEST

/* Inode numbers of one file system, of many, and the same ones on many: all use the room. */
START_TEST(files_of_many_devices_use_the_room)
{
	unsigned found = 0;

	names_close(names);
	names = names_open(1024);
	for (unsigned i = 0; i < 512; i++)
		learn(_i == 2 ? 2 : 100 + i, _i ? DISK + i : DISK, "/x");
	for (unsigned i = 0; i < 512; i++)
		found += names_of_file(names, _i == 2 ? 2 : 100 + i, _i ? DISK + i : DISK) != NULL;
	ck_assert_uint_eq(found, 512);
}
END_TEST

static Suite *names_suite(void)
{
	Suite *suite = suite_create("names");
	TCase *tcase = tcase_create("names"), *files = tcase_create("files");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, added_name_is_found_again_and_again);
	tcase_add_test(tcase, unknown_name_is_counted);
	tcase_add_test(tcase, same_id_is_replaced);
	tcase_add_test(tcase, taken_name_belongs_to_the_caller);
	tcase_add_test(tcase, capacity_bounds_the_table_and_evictions_are_counted);
	tcase_add_test(tcase, longest_unused_name_goes_first);
	tcase_add_test(tcase, taken_place_is_free_again);
	tcase_add_loop_test(tcase, regular_ids_use_the_room, 0, 12);
	tcase_add_test(tcase, no_capacity_is_still_a_table);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(files, setup, teardown);
	tcase_add_test(files, file_has_the_name_it_was_used_by_last);
	tcase_add_test(files, file_without_a_name_is_not_counted);
	tcase_add_test(files, same_path_again_is_nothing_new);
	tcase_add_test(files, files_of_one_number_on_two_devices_are_two);
	tcase_add_test(files, files_and_texts_of_one_number_do_not_meet);
	tcase_add_test(files, an_offered_name_counts_where_no_other_is_known);
	tcase_add_test(files, an_offered_name_takes_no_place_and_goes_first);
	tcase_add_test(files, longest_unused_file_goes_first);
	tcase_add_test(files, file_used_by_the_same_path_is_not_the_one_to_go);
	tcase_add_test(files, more_files_than_there_is_room_for_are_forgotten);
	tcase_add_loop_test(files, files_of_many_devices_use_the_room, 0, 3);
	suite_add_tcase(suite, files);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(names_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
