/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One segment: limits, flushes, and above all what is left when a write ends in
 * the middle of a row. A file-size limit stands in for the full disk.
 */
#include "write/segment.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/session.h"

static char scratch[256];
static int dir_fd;
static struct segment seg;

static void setup(void)
{
	session_scratch(scratch, sizeof(scratch));
	dir_fd = open(scratch, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir_fd, 0);
	segment_init(&seg, STREAM_lost, 0);
}

static void teardown(void)
{
	segment_free(&seg);
	close(dir_fd);
	session_remove(scratch);
}

static void start(uint64_t size, uint64_t rows)
{
	struct segment_limits limits = { .size = size, .rows = rows };

	ck_assert_int_eq(segment_start(&seg, 1, &limits, 5), 0);
}

static bool add(int i)
{
	char row[64];
	int len = snprintf(row, sizeof(row), "%08d,fs,0,ring,1,,,%08d\n", i, i);

	return segment_add(&seg, row, (size_t)len, 1000u + (uint64_t)i);
}

enum { ROW = 8 + 1 + 2 + 1 + 1 + 1 + 4 + 1 + 1 + 1 + 1 + 1 + 8 + 1 };

START_TEST(name_holds_stream_time_and_number)
{
	int year, day;
	unsigned long long number;
	char part[SEGMENT_PATH_SIZE];
	struct segment_limits limits = { 0 };

	ck_assert(!segment_is_started(&seg));
	ck_assert_int_eq(segment_start(&seg, 12345, &limits, 5), 0);
	ck_assert(segment_is_started(&seg));
	ck_assert_int_eq(sscanf(seg.path, "lost/lost_%8d_%6d_%*3d_%llu.csv", &year, &day, &number),
			 3);
	ck_assert_uint_eq(number, 12345);
	segment_part_path("lost/lost_1.csv", part);
	ck_assert_str_eq(part, "lost/.lost_1.csv.part");
	segment_part_path("plain.csv", part);
	ck_assert_str_eq(part, ".plain.csv.part");
}
END_TEST

START_TEST(no_file_before_the_first_flush)
{
	ck_assert(!add(0)); /* not started */
	start(0, 0);
	ck_assert(add(0));
	ck_assert_int_eq(seg.fd, -1);
	ck_assert(!session_exists(scratch, "lost"));
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert_int_ge(seg.fd, 0);
	ck_assert_uint_eq(session_count(scratch, "lost", ".csv.part", true), 1);
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0); /* nothing to do */
	ck_assert_uint_eq(seg.n_rows, 1);
	ck_assert_uint_eq(seg.n_bytes, schema_header(STREAM_lost, 0, NULL, 0) + ROW);
}
END_TEST

START_TEST(limits_are_asked_about)
{
	size_t header = schema_header(STREAM_lost, 0, NULL, 0);

	start(header + 3 * ROW, 0);
	ck_assert(!segment_is_full(&seg, 1 << 20)); /* never without rows */
	ck_assert(add(0) && add(1) && add(2));
	ck_assert(!add(3));
	ck_assert(segment_is_full(&seg, ROW));
	ck_assert_uint_eq(segment_drop(&seg), 3);
	start(0, 2);
	ck_assert(add(0) && add(1));
	ck_assert(!add(2));
	ck_assert(segment_is_full(&seg, ROW));
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert(segment_is_full(&seg, ROW));
	ck_assert_uint_eq(segment_rows(&seg), 2);
}
END_TEST

START_TEST(buffer_is_bounded_and_can_grow)
{
	unsigned n = 0;

	start(0, 0);
	while (add((int)n))
		n++;
	ck_assert_uint_le(n, SEGMENT_BUFFER_ROWS);
	ck_assert_uint_gt(n, 7000);
	ck_assert(!segment_is_full(&seg, ROW)); /* the buffer is, the segment is not */
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert(add(1));
	ck_assert_int_eq(segment_reserve(&seg, 3 * SEGMENT_BUFFER_SIZE), 0);
	ck_assert_uint_eq(seg.capacity, 3 * SEGMENT_BUFFER_SIZE);
	ck_assert_int_eq(segment_reserve(&seg, (size_t)1 << 40), -EMSGSIZE);
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert_uint_eq(seg.n_rows, n + 1);
}
END_TEST

/* The write ends _i bytes after the third row: in a row, at its end, in the header. */
START_TEST(failed_write_is_cut_back_to_a_row)
{
	static const int ends[] = { 0, 1, ROW - 1, ROW, ROW + 1, -ROW, -3 * ROW, -3 * ROW - 1 };
	size_t header = schema_header(STREAM_lost, 0, NULL, 0);
	size_t end = header + 3 * ROW + (size_t)(ssize_t)ends[_i];
	struct rlimit old, limit;
	uint64_t rows = end < header ? 0 : (end - header) / ROW;
	char part[SEGMENT_PATH_SIZE];
	size_t len = 0;
	char *text;

	signal(SIGXFSZ, SIG_IGN);
	start(0, 0);
	for (int i = 0; i < 20; i++)
		ck_assert(add(i));
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = end, .rlim_max = old.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(segment_flush(&seg, dir_fd), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);

	ck_assert_uint_eq(seg.n_rows, rows);
	ck_assert_uint_eq(seg.n_buffered, 20 - rows);
	ck_assert_uint_eq(seg.used, (20 - rows) * ROW);
	segment_part_path(seg.path, part);
	text = session_read(scratch, part, &len);
	if (end < header) {
		ck_assert(text == NULL); /* not even a header: no file */
		return;
	}
	ck_assert_uint_eq(len, header + rows * ROW);
	ck_assert_int_eq(text[len - 1], '\n');
	free(text);
	if (rows) {
		ck_assert_uint_eq(seg.first_ns, 1000);
		ck_assert_uint_eq(seg.last_ns, 1000 + rows - 1);
	}
	/* with room again, the rest follows without a gap */
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert_uint_eq(session_csv_rows(scratch, part, streams[STREAM_lost].n_columns), 20);
	ck_assert_uint_eq(seg.last_ns, 1019);
}
END_TEST

START_TEST(released_segment_keeps_its_buffered_rows)
{
	int fd;

	start(0, 0);
	ck_assert_int_eq(segment_release(&seg), -1);
	start(0, 0);
	ck_assert(add(0));
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert(add(1) && add(2));
	fd = segment_release(&seg);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert(!segment_is_started(&seg));
	ck_assert(!add(3));
	ck_assert_uint_eq(segment_rows(&seg), 2);
	ck_assert_int_eq(segment_start(&seg, 2, &(struct segment_limits){ 0 }, 6), 0);
	ck_assert_int_eq(segment_flush(&seg, dir_fd), 0);
	ck_assert_uint_eq(seg.n_rows, 2);
	ck_assert_uint_eq(seg.first_ns, 1001);
}
END_TEST

START_TEST(missing_directory_is_enoent)
{
	start(0, 0);
	ck_assert(add(0));
	session_remove(scratch);
	ck_assert_int_eq(segment_flush(&seg, dir_fd), -ENOENT);
	ck_assert_uint_eq(segment_drop(&seg), 1);
}
END_TEST

static Suite *segment_suite(void)
{
	Suite *suite = suite_create("segment");
	TCase *tcase = tcase_create("segment");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, name_holds_stream_time_and_number);
	tcase_add_test(tcase, no_file_before_the_first_flush);
	tcase_add_test(tcase, limits_are_asked_about);
	tcase_add_test(tcase, buffer_is_bounded_and_can_grow);
	tcase_add_loop_test(tcase, failed_write_is_cut_back_to_a_row, 0, 8);
	tcase_add_test(tcase, released_segment_keeps_its_buffered_rows);
	tcase_add_test(tcase, missing_directory_is_enoent);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(segment_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
