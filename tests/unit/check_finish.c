/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The background thread and the small parts below it: complete writes, atomic
 * replacement, checksums, compression.
 */
#include "write/finish.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/packing_copy.h"
#include "base/sha256.h"
#include "fixture/session.h"

static char scratch[256];
static int dir_fd;

static void setup(void)
{
	session_scratch(scratch, sizeof(scratch));
	dir_fd = open(scratch, O_RDONLY | O_DIRECTORY);
}

static void teardown(void)
{
	close(dir_fd);
	session_remove(scratch);
}

/* ---- files ---- */

static void nothing(int signal)
{
	(void)signal;
}

/* A pipe takes 64 KiB at a time, and a timer interrupts: both must not be seen. */
START_TEST(write_all_survives_short_writes_and_signals)
{
	struct sigaction action = { .sa_handler = nothing };
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };
	enum { SIZE = 1 << 20 };
	char *data = calloc(1, SIZE);
	size_t done = 0, got = 0;
	int fds[2];
	pid_t pid;
	ssize_t n;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &timer, NULL);
		_exit(file_write_all(fds[1], data, SIZE, &done) || done != SIZE);
	}
	close(fds[1]);
	while ((n = read(fds[0], data, 3000)) > 0) {
		got += (size_t)n;
		if (got % 50 == 0)
			usleep(200);
	}
	ck_assert_uint_eq(got, SIZE);
	close(fds[0]);
	free(data);
}
END_TEST

START_TEST(write_all_reports_what_it_could_not_write)
{
	int fd = open("/dev/full", O_WRONLY);
	size_t done = 1;

	ck_assert_int_eq(file_write_all(fd, "x", 1, &done), -ENOSPC);
	ck_assert_uint_eq(done, 0);
	close(fd);
	ck_assert_int_eq(file_write_all(-1, "x", 1, NULL), -EBADF);
}
END_TEST

START_TEST(replace_is_all_or_nothing)
{
	char *text;

	ck_assert_int_eq(file_replace(dir_fd, "a", "one", 3), 0);
	ck_assert_int_eq(file_replace(dir_fd, "a", "two!", 4), 0);
	text = session_read(scratch, "a", NULL);
	ck_assert_str_eq(text, "two!");
	free(text);
	ck_assert_int_eq(mkdirat(dir_fd, "d", 0755), 0);
	ck_assert_int_eq(file_replace(dir_fd, "d", "x", 1), -EISDIR);
	ck_assert_uint_eq(session_count(scratch, ".", ".part", true), 0);
	file_sync_dir(dir_fd, "not there"); /* no harm */
}
END_TEST

/* ---- checksums: the examples of FIPS 180 and RFC 4231 ---- */

START_TEST(sha256_of_known_texts)
{
	char hex[SHA256_HEX_SIZE];
	struct sha256 *sum = sha256_new();

	ck_assert_int_eq(sha256_text("abc", 3, hex), 0);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_update(sum, "a", 1);
	sha256_update(sum, "bc", 2);
	ck_assert_int_eq(sha256_final(sum, hex), 0);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_int_eq(sha256_final(NULL, hex), -ENOMEM);
	ck_assert_str_eq(hex, "");
	ck_assert_int_eq(sha256_keyed("Jefe", 4, "what do ya want for nothing?", 28, hex), 0);
	ck_assert_str_eq(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
END_TEST

START_TEST(sha256_of_a_file_does_not_move_it)
{
	char hex[SHA256_HEX_SIZE];
	int fd;

	session_write(scratch, "f", "abc");
	fd = openat(dir_fd, "f", O_RDONLY);
	lseek(fd, 2, SEEK_SET);
	ck_assert_int_eq(sha256_file(fd, hex), 0);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 2);
	close(fd);
	ck_assert_int_eq(sha256_file(-1, hex), -EBADF);
}
END_TEST

/* ---- compression ---- */

static bool may_continue(void *arg)
{
	int *pieces = arg;

	return (*pieces)-- > 0;
}

static int compress_into(enum packing packing, const char *name, int in, char *hex, uint64_t *n,
			 int pieces)
{
	int out = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct sha256 *sum = sha256_new();
	int err = packing_copy(packing, in, out, sum, n, pieces ? may_continue : NULL, &pieces);

	ck_assert_int_eq(sha256_final(sum, hex), 0);
	close(out);
	return err;
}

START_TEST(packed_copy_is_whole_and_repeatable)
{
	enum { SIZE = 700001 };
	char a[SHA256_HEX_SIZE], b[SHA256_HEX_SIZE];
	char *data = malloc(SIZE + 1), *back;
	uint64_t n = 0;
	size_t len;
	enum packing p = (enum packing)_i;
	char name[16];
	int in;

	snprintf(name, sizeof(name), "a%s", packings[p].ending);
	for (int i = 0; i < SIZE; i++)
		data[i] = (char)('a' + ((unsigned)i * 7919u >> 5) % 23);
	data[SIZE] = '\0';
	session_write(scratch, "in", data);
	in = openat(dir_fd, "in", O_RDONLY);
	ck_assert_int_eq(compress_into(p, name, in, a, &n, 0), 0);
	ck_assert_int_eq(compress_into(p, "b", in, b, &n, 0), 0);
	ck_assert_str_eq(a, b); /* no time stamp */
	back = session_read(scratch, name, &len);
	ck_assert_uint_eq(len, SIZE);
	ck_assert(!memcmp(back, data, SIZE));
	ck_assert_uint_gt(n, 20);
	free(back);
	ck_assert_int_eq(compress_into(p, "c", in, b, &n, 2), -ECANCELED);
	close(in);
	session_write(scratch, "in", "");
	in = openat(dir_fd, "in", O_RDONLY);
	ck_assert_int_eq(compress_into(p, name, in, a, &n, 0), 0);
	close(in);
	ck_assert_int_eq(compress_into(p, name, -1, a, &n, 0), -EBADF);
	free(data);
}
END_TEST

/* ---- the thread ---- */

static int make_part(enum stream_id stream, const char *file, struct manifest_segment *segment)
{
	char part[SEGMENT_PATH_SIZE], text[4096], header[2048];

	memset(segment, 0, sizeof(*segment));
	segment->stream = stream;
	segment->rows = 1;
	segment->first_ns = segment->last_ns = 5;
	snprintf(segment->file, sizeof(segment->file), "%s", file);
	schema_header(stream, 0, header, sizeof(header));
	snprintf(text, sizeof(text), "%s1,,,,,,,\n", header);
	segment->csv_bytes = strlen(text);
	segment_part_path(file, part);
	mkdirat(dir_fd, streams[stream].name, 0755);
	session_write(scratch, part, text);
	return openat(dir_fd, part, O_RDWR);
}

START_TEST(thread_publishes_what_it_is_given)
{
	struct write_options options = { .dir = scratch, .packing = (enum packing)_i };
	struct finish_progress progress = { .open_bytes = 100 };
	struct finish_totals totals;
	struct manifest_segment segment;
	struct finish *f;
	char ending[16];
	json_t *m;
	int err, fd;

	snprintf(ending, sizeof(ending), ".csv%s", packings[_i].ending);
	f = finish_open(&options, dir_fd, &err);
	ck_assert(f != NULL);
	progress.counts.rows[STREAM_lost] = 200;
	finish_progress(f, &progress);
	for (int i = 0; i < 200; i++) { /* more than it keeps descriptors for */
		char file[64];

		snprintf(file, sizeof(file), "lost/lost_%d.csv", i);
		fd = make_part(STREAM_lost, file, &segment);
		finish_segment(f, &segment, fd);
	}
	finish_totals(f, &totals);
	ck_assert_uint_gt(totals.disk_bytes, 100);
	m = json_pack("{s:s}", "host", "x");
	finish_members(f, m);
	finish_members(f, m);
	json_decref(m);
	ck_assert_int_eq(finish_close(f, &progress, &totals), 0);
	ck_assert_uint_eq(totals.segments, 200);
	m = session_json(scratch, "manifest.json");
	ck_assert_uint_eq(session_verify(scratch, m), 200);
	ck_assert(json_object_get(m, "host") != NULL);
	json_decref(m);
	ck_assert_uint_eq(session_count(scratch, "lost", "", true), 0);
	ck_assert_uint_eq(session_count(scratch, "lost", ending, false), 200);
}
END_TEST

START_TEST(segment_that_vanished_is_counted)
{
	struct write_options options = { .dir = scratch };
	struct finish_progress progress = { .open_bytes = 0 };
	struct finish_totals totals;
	struct manifest_segment segment;
	struct finish *f;
	char ending[16];
	json_t *m;
	int err, fd;

	snprintf(ending, sizeof(ending), ".csv%s", packings[_i].ending);
	f = finish_open(&options, dir_fd, &err);
	fd = make_part(STREAM_lost, "lost/lost_1.csv", &segment);
	unlinkat(dir_fd, "lost/.lost_1.csv.part", 0);
	progress.counts.rows[STREAM_lost] = 1;
	finish_segment(f, &segment, fd);
	ck_assert_int_eq(finish_close(f, &progress, &totals), -ENOENT);
	ck_assert_uint_eq(totals.lost_rows[STREAM_lost], 1);
	ck_assert_uint_eq(totals.segments, 0);
	m = session_json(scratch, "manifest.json");
	ck_assert_int_eq(session_int(session_stream(m, "lost"), "rows"), 0);
	ck_assert_int_eq(session_int(session_stream(m, "lost"), "unwritable"), 1);
	json_decref(m);
}
END_TEST

static Suite *finish_suite(void)
{
	Suite *suite = suite_create("finish");
	TCase *parts = tcase_create("parts");
	TCase *thread = tcase_create("thread");

	tcase_add_checked_fixture(parts, setup, teardown);
	tcase_add_test(parts, write_all_survives_short_writes_and_signals);
	tcase_add_test(parts, write_all_reports_what_it_could_not_write);
	tcase_add_test(parts, replace_is_all_or_nothing);
	tcase_add_test(parts, sha256_of_known_texts);
	tcase_add_test(parts, sha256_of_a_file_does_not_move_it);
	tcase_add_loop_test(parts, packed_copy_is_whole_and_repeatable, 1, N_BUILT_IN);
	suite_add_tcase(suite, parts);
	tcase_add_checked_fixture(thread, setup, teardown);
	tcase_add_loop_test(thread, thread_publishes_what_it_is_given, 0, N_BUILT_IN);
	tcase_add_test(thread, segment_that_vanished_is_counted);
	tcase_set_timeout(thread, 60);
	suite_add_tcase(suite, thread);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(finish_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
