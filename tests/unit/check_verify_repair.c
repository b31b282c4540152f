/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer verify --repair`: what a killed run left is closed, what the manifest
 * missed is entered, and what cannot be helped stays as it is.
 */
#include "read/verify.h"

#include <check.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "write/write.h"
#include "write/write_session.h"

START_TEST(killed_run_is_unfinished_and_closed)
{
	json_t *m, *fs;

	make_killed_session();
	expect_verify(false, VERIFY_UNFINISHED, "the tracer was killed");
	ck_assert(strstr(said, ".part: still open") != NULL);
	expect_verify(true, VERIFY_WHOLE, "closed with");
	ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 0);
	ck_assert_uint_eq(session_count(dir, ".", "", true), 0); /* the reserve is gone */
	m = manifest();
	ck_assert_str_eq(json_string_value(json_object_get(m, "state")), "stopped");
	ck_assert_int_eq(session_int(m, "rows_until_ns"), (int64_t)(T0 + 21 * 1000000ull));
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(m, "reason")),
				     json_string_value(json_object_get(m, "rows_until"))));
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "rows"), 22);
	ck_assert_uint_eq(session_verify(dir, m), 25);
	/* its times are those that the tracer would have entered */
	fs = json_array_get(json_object_get(fs, "segments"), 2);
	ck_assert_int_eq(session_int(fs, "first_ns"), (int64_t)(T0 + 20 * 1000000ull));
	ck_assert_int_eq(session_int(fs, "last_ns"), (int64_t)(T0 + 21 * 1000000ull));
	json_decref(m);
	expect_verify(false, VERIFY_WHOLE, "whole: 4 segments, 25 rows");
}
END_TEST

/* dir becomes another copy of what it was at first. */
static void copy_again(const char *from, unsigned n)
{
	char command[900];

	snprintf(dir, sizeof(dir), "%s/copy%u", scratch, n);
	snprintf(command, sizeof(command), "cp -a %s %s", from, dir);
	ck_assert_int_eq(system(command), 0);
}

/* The two rows that were open, cut at any byte: those that are whole stay. */
START_TEST(part_ends_with_its_last_complete_row)
{
	char from[300], part[600], *text;
	size_t len, header, first;
	json_t *m;

	make_killed_session();
	strcpy(from, dir);
	strcpy(part, file_of("fs", 3, ".csv.part"));
	text = session_read(dir, part, &len);
	header = (size_t)(strchr(text, '\n') + 1 - text);
	first = (size_t)(strchr(text + header, '\n') + 1 - text);
	for (size_t left = 0; left <= len; left += left + 1 < header ? header / 2 :
						   left + 9 < len    ? 7 :
								       1) {
		copy_again(from, (unsigned)left);
		shorten(part, (long)(len - left));
		expect_verify(true, VERIFY_WHOLE, NULL);
		m = manifest();
		ck_assert_int_eq(session_int(session_stream(m, "fs"), "rows"),
				 20 + (left == len) + (left >= first));
		ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 0);
		ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), left >= first ? 3 : 2);
		json_decref(m);
		session_remove(dir);
	}
	free(text);
}
END_TEST

START_TEST(part_with_a_damaged_row_inside_stays)
{
	char part[600], *text;
	size_t len;

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	text = session_read(dir, part, &len);
	*strchr(strchr(text, '\n') + 1, ',') = '.';
	session_write(dir, part, text);
	expect_verify(false, VERIFY_DAMAGED, "still open, and damaged: row 1: ");
	expect_verify(true, VERIFY_DAMAGED, "left as it is: row 1: ");
	expect_verify(false, VERIFY_DAMAGED, "still open, and damaged: row 1: ");
	ck_assert(session_exists(dir, part));
	free(text);
}
END_TEST

START_TEST(part_whose_copy_is_there_is_removed)
{
	char part[600], copy[600], command[2000];

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	snprintf(command, sizeof(command),
		 "cd %s && f=%s && g=${f#fs/.} && gzip -c $f > fs/%s${g%%.part}.gz%s", dir, part,
		 _i ? "." : "", _i ? ".part" : "");
	ck_assert_int_eq(system(command), 0);
	strcpy(copy, file_of("fs", 3, _i ? ".csv.gz.part" : ".csv.gz"));
	expect_verify(true, VERIFY_WHOLE,
		      _i ? "an unfinished copy" : "its compressed copy is whole");
	ck_assert(session_exists(dir, copy) == !_i);
	ck_assert(!session_exists(dir, part));
	expect_verify(false, VERIFY_WHOLE, "whole: 4 segments, 25 rows");
}
END_TEST

START_TEST(segment_that_the_manifest_missed_is_entered)
{
	json_t *m;

	make_session(PACKING_NONE);
	m = manifest();
	json_array_remove(json_object_get(session_stream(m, "fs"), "segments"), 1);
	write_json("manifest.json", m);
	expect_verify(false, VERIFY_DAMAGED, "not in the manifest; its 10 rows are intact");
	expect_verify(true, VERIFY_WHOLE, "added to the manifest with 10 rows");
	m = manifest();
	ck_assert_uint_eq(session_verify(dir, m), 39);
	json_decref(m);
}
END_TEST

START_TEST(evicted_just_before_the_end_is_no_loss_of_repair)
{
	json_t *m, *fs;

	make_killed_session();
	m = manifest();
	json_object_set_new(json_object_get(m, "options"), "max_disk", json_integer(1 << 20));
	write_json("manifest.json", m);
	remove_in(file_of("fs", 1, ".csv"));
	expect_verify(true, VERIFY_WHOLE,
		      "1 segments of fs, 10 rows, were removed to keep to --max-disk");
	m = manifest();
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "evicted_rows"), 10);
	ck_assert_int_eq(session_int(fs, "rows"), 12);
	json_decref(m);
}
END_TEST

/* The manifest is seconds old: neither these segments nor that they went is in it. */
START_TEST(evicted_after_the_last_account_is_counted)
{
	json_t *m, *fs;

	make_killed_session();
	m = manifest();
	json_object_set_new(json_object_get(m, "options"), "max_disk", json_integer(1 << 20));
	json_array_clear(json_object_get(session_stream(m, "fs"), "segments"));
	write_json("manifest.json", m);
	remove_in(file_of("fs", 1, ".csv"));
	remove_in(file_of("fs", 2, ".csv"));
	expect_verify(true, VERIFY_WHOLE,
		      "2 segments of fs were removed to keep to --max-disk just before");
	m = manifest();
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "evicted_segments"), 2);
	ck_assert_int_eq(session_int(fs, "rows"), 2);
	json_decref(m);
	expect_verify(false, VERIFY_WHOLE, "2 segments of fs, 0 rows, were removed");
}
END_TEST

/* As a tracer that had no room for it leaves it. */
START_TEST(package_that_lists_too_little_is_written_again)
{
	json_t *package;

	make_session(PACKING_NONE);
	package = session_json(dir, "datapackage.json");
	json_array_remove(json_object_get(package, "resources"), 0);
	write_json("datapackage.json", package);
	expect_verify(false, VERIFY_DAMAGED, "datapackage.json: does not list fs/");
	expect_verify(true, VERIFY_WHOLE, "whole: ");
	expect_verify(false, VERIFY_WHOLE, "whole: ");
}
END_TEST

/* One that is damaged so is nobody's to repair, and no crash. */
START_TEST(segment_without_a_name_is_told)
{
	json_t *m, *segment;

	make_session(PACKING_NONE);
	m = manifest();
	segment = json_array_get(json_object_get(session_stream(m, "fs"), "segments"), 0);
	json_object_del(segment, "file");
	if (_i)
		json_object_set_new(segment, "file", json_integer(7));
	write_json("manifest.json", m);
	expect_verify(true, VERIFY_DAMAGED, "damaged");
}
END_TEST

/* Late rows and losses of its last seconds are not in the account of a killed run. */
START_TEST(account_of_a_killed_run_may_be_older_than_its_rows)
{
	struct writer *w;
	char row[512];
	pid_t pid = fork();
	int status;

	if (!pid) {
		w = begin_session(PACKING_NONE);
		put_rows(w, STREAM_fs, 5, 5);
		put_rows(w, STREAM_fs, 0, 5); /* late */
		add_members(w, 100);
		write_rotate(w);
		write_row(w, STREAM_lost, row, make_row(row, STREAM_lost, T0, MONO0, 0), T0);
		write_rotate(w);
		json_decref(session_wait_for_segments(dir, "fs", 1));
		json_decref(session_wait_for_segments(dir, "lost", 1));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	expect_verify(true, VERIFY_WHOLE, "lost 100 of fs: ring");
}
END_TEST

START_TEST(directory_in_use_is_not_repaired)
{
	struct writer *w = begin_session(PACKING_NONE);
	char *before, *after;

	put_rows(w, STREAM_fs, 0, 5);
	before = session_read(dir, "manifest.json", NULL);
	expect_verify(false, VERIFY_UNFINISHED, "still being recorded");
	expect_verify(true, VERIFY_DAMAGED, "not repaired: still being recorded");
	after = session_read(dir, "manifest.json", NULL);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	ck_assert_int_eq(write_finish(w), 0);
	expect_verify(false, VERIFY_WHOLE, "5 rows");
}
END_TEST

/* Two that looked at once took one another for the recorder. */
START_TEST(several_may_look_at_once)
{
	struct writer *w = begin_session(PACKING_NONE);
	int other;

	put_rows(w, STREAM_fs, 0, 5);
	ck_assert_int_eq(write_finish(w), 0);
	other = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(flock(other, LOCK_SH), 0);
	expect_verify(false, VERIFY_WHOLE, "5 rows");
	close(other);
	expect_verify(true, VERIFY_WHOLE, "5 rows");
}
END_TEST

/* A copy that went in made a whole trace damaged for good: nothing is changed before it is gone. */
START_TEST(a_copied_segment_is_refused)
{
	static const char *const copies[] = {
		"fs/fs_20300101_000000_000_0002.csv", /* the number of another */
		"fs/fs_20300101_000000_000_0009.csv", /* the rows */
		"fs/.fs_20300101_000000_000_0009.csv.part",
	};
	char command[1400], *before, *after, *package;

	make_killed_session();
	if (_i / 3)
		remove_in("manifest.json");
	snprintf(command, sizeof(command), "cd %s && cp %s %s", dir, file_of("fs", 2, ".csv"),
		 copies[_i % 3]);
	ck_assert_int_eq(system(command), 0);
	before = session_read(dir, "manifest.json", NULL);
	package = session_read(dir, "datapackage.json", NULL);
	expect_verify(true, VERIFY_DAMAGED, ": a copy, with the ");
	after = session_read(dir, "manifest.json", NULL);
	ck_assert_int_eq(!before, !after);
	if (before)
		ck_assert_str_eq(before, after);
	free(after);
	after = session_read(dir, "datapackage.json", NULL);
	ck_assert_str_eq(package, after);
	ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 1 + (_i % 3 == 2));
	remove_in(copies[_i % 3]);
	expect_verify(true, VERIFY_WHOLE, "closed with");
	free(before);
	free(after);
	free(package);
}
END_TEST

/* A damaged manifest is put aside, but not for a repair that is refused. */
START_TEST(a_damaged_manifest_stays_where_a_copy_is)
{
	char command[1400];

	make_killed_session();
	snprintf(command, sizeof(command), "cd %s && cp %s fs/fs_20300101_000000_000_0009.csv", dir,
		 file_of("fs", 2, ".csv"));
	ck_assert_int_eq(system(command), 0);
	session_write(dir, "manifest.json", "{ no");
	expect_verify(true, VERIFY_DAMAGED, ": a copy, with the rows of fs/fs_");
	ck_assert(session_exists(dir, "manifest.json"));
	ck_assert(!session_exists(dir, "manifest.json.damaged"));
}
END_TEST

/* Who owns the directory chooses what its links and second names lead to. */
START_TEST(a_directory_of_others_is_not_repaired)
{
	make_killed_session();
	if (geteuid())
		return;
	ck_assert_int_eq(chmod(dir, 0777), 0);
	expect_verify(true, VERIFY_DAMAGED, "not repaired: the directory others can write there");
	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(chown(dir, 12345, 12345), 0);
	expect_verify(true, VERIFY_DAMAGED, "not repaired: the directory belongs to another user");
	ck_assert_int_eq(chown(dir, 0, 0), 0);
	expect_verify(true, VERIFY_WHOLE, "closed with");
}
END_TEST

START_TEST(what_has_a_second_name_is_not_cut)
{
	char part[600], path[1000], other[400], *before, *after;

	make_killed_session();
	strcpy(part, file_of("fs", 3, ".csv.part"));
	shorten(part, 3);
	snprintf(path, sizeof(path), "%s/%s", dir, part);
	snprintf(other, sizeof(other), "%s/precious", scratch);
	ck_assert_int_eq(link(path, other), 0);
	before = session_read(scratch, "precious", NULL);
	expect_verify(true, VERIFY_DAMAGED, "a second name");
	after = session_read(scratch, "precious", NULL);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
}
END_TEST

START_TEST(a_link_in_place_of_a_folder_is_not_followed)
{
	char from[400], elsewhere[400];

	make_killed_session();
	snprintf(from, sizeof(from), "%s/fs", dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", scratch);
	ck_assert_int_eq(rename(from, elsewhere), 0);
	ck_assert_int_eq(symlink(elsewhere, from), 0);
	expect_verify(true, VERIFY_DAMAGED, NULL);
	ck_assert_uint_eq(session_count(elsewhere, ".", ".part", true), 1);
}
END_TEST

static TCase *repair_case(void)
{
	TCase *tcase = tcase_create("repair");

	tcase_add_checked_fixture(tcase, fixture_verify_setup, fixture_verify_teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, killed_run_is_unfinished_and_closed);
	tcase_add_test(tcase, part_ends_with_its_last_complete_row);
	tcase_add_test(tcase, part_with_a_damaged_row_inside_stays);
	tcase_add_loop_test(tcase, part_whose_copy_is_there_is_removed, 0, 2);
	tcase_add_test(tcase, segment_that_the_manifest_missed_is_entered);
	tcase_add_test(tcase, evicted_just_before_the_end_is_no_loss_of_repair);
	tcase_add_test(tcase, evicted_after_the_last_account_is_counted);
	tcase_add_test(tcase, package_that_lists_too_little_is_written_again);
	tcase_add_loop_test(tcase, segment_without_a_name_is_told, 0, 2);
	tcase_add_test(tcase, account_of_a_killed_run_may_be_older_than_its_rows);
	tcase_add_test(tcase, directory_in_use_is_not_repaired);
	tcase_add_test(tcase, several_may_look_at_once);
	tcase_add_test(tcase, a_directory_of_others_is_not_repaired);
	tcase_add_loop_test(tcase, a_copied_segment_is_refused, 0, 6);
	tcase_add_test(tcase, a_damaged_manifest_stays_where_a_copy_is);
	tcase_add_test(tcase, what_has_a_second_name_is_not_cut);
	tcase_add_test(tcase, a_link_in_place_of_a_folder_is_not_followed);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("verify: repair");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, repair_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
