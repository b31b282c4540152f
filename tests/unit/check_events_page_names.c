/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of pages, which have none of their own: those that others used their file by. */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

/* The name that a row of this file has now. */
static void expect_name_of(uint64_t ino, uint32_t dev, const char *name)
{
	struct iot_cache rec = record_cache(P, IOT_CACHE_HIT);

	rec.ino = ino;
	rec.dev = dev;
	feed_cache(&rec);
	feed_end();
	ck_assert_int_eq(seen[n_seen - 1].stream, STREAM_cache);
	expect(n_seen - 1, "filename", name);
}

static void expect_name(const char *name)
{
	expect_name_of(INO, DISK, name);
}

/* The same of a file of the fixture. */
static void expect_name_of_file(const char *file, const char *name)
{
	struct stat st;

	fixture_file_stat(file, &st);
	expect_name_of(st.st_ino, fixture_dev(&st), name);
}

static struct iot_more moved(uint16_t op, const char *from, const char *to, int64_t ret)
{
	struct iot_more rec = record_more(P, op, -1, ret);

	kernel_file(&rec.fs, 21, from);
	feed_text(22, IOT_TEXT_WALK, to, strlen(to) + 1);
	rec.fs.status |= IOT_ST_PATH;
	rec.name2 = 22;
	rec.status2 = IOT_ST_FILE;
	return rec;
}

static void feed_moved(uint16_t op, const char *from, const char *to, int64_t ret)
{
	struct iot_more rec = moved(op, from, to, ret);

	feed_more(&rec);
}

/* ---- files of the kernel ---- */

START_TEST(file_is_named_by_who_read_it)
{
	feed_read("a,b");
	expect_name("/a,b");
	expect_name_of(INO + 1, DISK, "");
}
END_TEST

START_TEST(same_number_on_another_device_is_another_file)
{
	struct iot_fs rec;

	feed_read("a");
	expect_name_of(INO, DISK + 1, "");
	rec = record_fs(P, IOT_READ, -1, 1);
	kernel_file(&rec, 23, "other");
	rec.dev = DISK + 1;
	feed_fs(&rec);
	expect_name_of(INO, DISK + 1, "/other");
	expect_name("/a");
}
END_TEST

START_TEST(last_name_is_the_one)
{
	feed_read("a");
	feed_read("b"); /* another link, say */
	expect_name("/b");
}
END_TEST

START_TEST(rename_is_a_new_name)
{
	feed_read("old");
	feed_moved(IOT_RENAME, "old", "failed", -18);
	expect_name("/old");
	feed_moved(IOT_RENAME, "old", "new", 0);
	expect_name("/new");
}
END_TEST

START_TEST(rename_names_what_nobody_opened)
{
	feed_moved(IOT_RENAME, "old", "new", 0);
	expect_name("/new");
}
END_TEST

START_TEST(rename_that_exchanges_names_both)
{
	struct iot_more rec = moved(IOT_RENAME, "one", "two", 0);

	rec.fs.flags = 2; /* RENAME_EXCHANGE */
	rec.ino2 = INO + 1;
	feed_more(&rec);
	expect_name("/two");
	expect_name_of(INO + 1, DISK, "/one");
	rec = moved(IOT_RENAME, "one", "two", 0);
	rec.ino2 = INO + 2; /* was replaced: has no name any more */
	feed_more(&rec);
	expect_name_of(INO + 2, DISK, "");
}
END_TEST

START_TEST(two_names_are_no_name)
{
	feed_anew(&(struct feed_options){ .kernel = true, .extra_ops = true });
	feed_moved(IOT_LINK, "a", "b", 0);
	expect_name("");
	feed_moved(IOT_COPY_FILE_RANGE, "a", "b", 1);
	expect_name("");
}
END_TEST

START_TEST(name_without_a_beginning_is_no_name)
{
	static struct iot_text text;
	struct iot_fs rec = record_fs(P, IOT_READ, -1, 1);

	kernel_file(&rec, 20, "x");
	record_text(&text, 20, IOT_TEXT_WALK, "c\0b", 4);
	text.flags = IOT_TEXT_CUT;
	feed(&text, IOT_TEXT_HEAD + 4);
	feed_fs(&rec);
	expect_name("");
}
END_TEST

START_TEST(file_without_a_number_gets_no_name)
{
	struct iot_fs rec = record_fs(P, IOT_READ, -1, 1);

	kernel_file(&rec, 20, "x");
	rec.ino = 0;
	feed_fs(&rec);
	rec = record_fs(P, IOT_READ, -1, 1);
	kernel_file(&rec, 20, "x");
	rec.dev = 0;
	feed_fs(&rec);
	expect_name_of(0, DISK, "");
	expect_name_of(INO, 0, "");
}
END_TEST

START_TEST(offered_name_counts_until_the_file_is_used)
{
	ck_assert(events_wants_names(ev));
	events_offer_name(ev, INO, DISK, "/a,b", 4);
	expect_name("/a,b");
	feed_read("used");
	expect_name("/used");
	events_offer_name(ev, INO, DISK, "/late", 5);
	expect_name("/used");
	events_offer_name(ev, 0, DISK, "/none", 5);
	feed_anew(&(struct feed_options){ .kernel = true, .only = "fs" });
	ck_assert(!events_wants_names(ev));
	events_offer_name(ev, INO, DISK, "/nobody", 7);
}
END_TEST

START_TEST(names_are_known_without_rows_of_fs)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	feed_read("old");
	expect_name("/old");
	feed_moved(IOT_RENAME, "old", "new", 0);
	expect_name("/new");
	ck_assert_uint_eq(n_seen, 2);
}
END_TEST

START_TEST(operations_that_are_no_rows_name_files_all_the_same)
{
	struct iot_more rec = record_more(P, IOT_FADVISE, 3, 0);

	kernel_file(&rec.fs, 20, "a");
	feed_more(&rec);
	expect_name("/a");
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

START_TEST(name_outlives_the_text_it_came_by)
{
	feed_read("first");
	feed_text(20, IOT_TEXT_WALK, "second", 7); /* the number is given anew */
	for (uint64_t id = 1000; id < 3000; id++)
		feed_text(id, IOT_TEXT_WALK, "x", 2);
	expect_name("/first");
}
END_TEST

START_TEST(more_files_than_there_is_room_for_keep_the_latest)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	for (unsigned i = 0; i < 5000; i++) {
		struct iot_fs rec = record_fs(P, IOT_READ, -1, 1);
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		kernel_file(&rec, 20, name);
		rec.ino = 100 + i;
		feed_fs(&rec);
	}
	expect_name_of(100 + 4999, DISK, "/4999");
}
END_TEST

/* What a mapping or a descriptor was called when it was made may be long ago. */
START_TEST(mapping_does_not_bring_an_old_name_back)
{
	struct iot_more rec = record_more(P, IOT_MMAP, 3, 0x40000000);

	kernel_file(&rec.fs, 20, "old");
	rec.fs.size = page;
	rec.fs.offset = 0;
	feed_more(&rec);
	expect_name("/old");
	feed_moved(IOT_RENAME, "old", "new", 0);
	rec = record_more(P, IOT_MUNMAP, -1, 0);
	rec.address = 0x40000000;
	rec.fs.size = page;
	feed_more(&rec);
	expect_name("/new");
}
END_TEST

START_TEST(fault_names_the_file_of_its_pages)
{
	struct iot_fault rec = record_fault(P, 0);

	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	feed_text(7, IOT_TEXT_WALK, "c\0b", 4);
	rec.head.seq = 1;
	rec.flags = IOT_FAULT_FILE;
	rec.name = 7;
	rec.ino = INO;
	rec.dev = DISK;
	feed_fault(&rec);
	expect_name("/b/c");
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

/* ---- files of descriptors ---- */

START_TEST(file_is_named_by_who_opened_it)
{
	expect_name_of_file("a", "");
	feed_open_file(P, "a", 3, O_RDONLY);
	expect_name_of_file("a", fixture_file("a"));
	expect_name_of_file("b", "");
}
END_TEST

START_TEST(failed_open_names_nothing)
{
	feed_open(P, fixture_file("a"), -13, O_RDONLY);
	expect_name_of_file("a", "");
}
END_TEST

START_TEST(opened_names_are_known_without_rows_of_fs)
{
	feed_anew(&(struct feed_options){ .only = "cache" });
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	expect_name_of_file("a", fixture_file("a"));
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

START_TEST(name_outlives_who_used_it)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_task(IOT_EXIT, P, 0, IOT_TASK_STATUS);
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

START_TEST(descriptor_does_not_bring_an_old_name_back)
{
	struct iot_more rec;
	struct stat st;

	fixture_file_stat("a", &st);
	feed_open_file(P, "a", 3, O_RDWR);
	rec = moved(IOT_RENAME, "a", "new", 0);
	rec.fs.ino = st.st_ino;
	rec.fs.dev = fixture_dev(&st);
	feed_more(&rec);
	feed_call(P, IOT_WRITE, 3, 1, 1);
	expect_name_of_file("a", "/new");
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	expect_name_of_file("a", "/new");
	feed_open_file(P, "a", 3, O_RDWR); /* somebody else gave it back */
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

/* Opened before we came: the descriptor is all there is. */
START_TEST(descriptor_names_what_nobody_named)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	feed_call(P, IOT_WRITE, 3, 1, 1);
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

static TCase *names_case(void)
{
	TCase *tcase = tcase_create("names of the kernel");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, file_is_named_by_who_read_it);
	tcase_add_test(tcase, same_number_on_another_device_is_another_file);
	tcase_add_test(tcase, last_name_is_the_one);
	tcase_add_test(tcase, rename_is_a_new_name);
	tcase_add_test(tcase, rename_names_what_nobody_opened);
	tcase_add_test(tcase, rename_that_exchanges_names_both);
	tcase_add_test(tcase, two_names_are_no_name);
	tcase_add_test(tcase, name_without_a_beginning_is_no_name);
	tcase_add_test(tcase, file_without_a_number_gets_no_name);
	tcase_add_test(tcase, offered_name_counts_until_the_file_is_used);
	tcase_add_test(tcase, names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, operations_that_are_no_rows_name_files_all_the_same);
	tcase_add_test(tcase, name_outlives_the_text_it_came_by);
	tcase_add_test(tcase, more_files_than_there_is_room_for_keep_the_latest);
	tcase_add_test(tcase, mapping_does_not_bring_an_old_name_back);
	tcase_add_test(tcase, fault_names_the_file_of_its_pages);
	return tcase;
}

static TCase *followed_case(void)
{
	TCase *tcase = tcase_create("names of descriptors");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, file_is_named_by_who_opened_it);
	tcase_add_test(tcase, failed_open_names_nothing);
	tcase_add_test(tcase, opened_names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, name_outlives_who_used_it);
	tcase_add_test(tcase, descriptor_does_not_bring_an_old_name_back);
	tcase_add_test(tcase, descriptor_names_what_nobody_named);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("names of pages");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, names_case());
	suite_add_tcase(suite, followed_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
