/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings as /proc tells them: a made-up one in text with odd names, and what this
 * process has itself.
 */
#include "resolve/mappings.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_mappings.h"
#include "fixture/fixture_proc.h"

/* ---- /proc ---- */

START_TEST(process_that_is_gone_has_no_mappings)
{
	add(1, 1, 1, 0);
	ck_assert(!mappings_read(maps, PROC, GONE));
	ALL("");
}
END_TEST

START_TEST(file_that_is_called_deleted_is_not)
{
	char text[PATH_MAX + 300];
	struct stat st;

	fixture_file_stat("is (deleted)", &st);
	snprintf(text, sizeof(text), "1000-2000 r--s 00000000 fe:01 %llu %s\n",
		 (unsigned long long)st.st_ino, fixture_file("is (deleted)"));
	fixture_proc_text(TGID, "maps", text);
	ck_assert(mappings_read(maps, PROC, TGID));
	ck_assert(!mappings_find(maps, P, 2 * P)->deleted);
	ck_assert_str_eq(mappings_find(maps, P, 2 * P)->path->raw, fixture_file("is (deleted)"));
}
END_TEST

START_TEST(link_of_a_mapping_tells_more_than_its_line)
{
	const struct mapping *found;
	struct stat st;

	fixture_proc_text(TGID, "maps",
			  "00001000-00002000 r--s 00000000 fe:01 101 /a\\012b\n"
			  "00002000-00003000 r--s 00001000 fe:01 101 /a\\012b\n"
			  "00006000-00007000 r--s 00002000 fe:01 101 /other/name\n"
			  "00003000-00004000 r--s 00000000 00:05 102 /dev/null\n"
			  "00004000-00005000 r--s 00000000 fe:01 101 /c\n"
			  "00005000-00006000 r--s 00000000 fe:01 101 /d (deleted)\n");
	fixture_file_stat("a\\012b", &st);
	link_mapping("1000-2000", fixture_file("a\\012b"));
	link_mapping("3000-4000", "/dev/null");
	ck_assert(mappings_read(maps, PROC, TGID));
	found = mappings_find(maps, P, 3 * P);
	ck_assert_uint_eq(found->ino, st.st_ino);
	ck_assert_uint_eq(found->dev, fixture_dev(&st));
	ck_assert_str_eq(found->path->raw, fixture_file("a\\012b"));
	ck_assert_uint_eq(found->end, 3 * P);
	ck_assert(!mappings_find(maps, 3 * P, 4 * P));
	ck_assert_str_eq(mappings_find(maps, 4 * P, 5 * P)->path->raw, "/c");
	found = mappings_find(maps, 5 * P, 6 * P);
	ck_assert_str_eq(found->path->raw, "/d");
	ck_assert(found->deleted);
	ck_assert_str_eq(mappings_find(maps, 6 * P, 7 * P)->path->raw, "/other/name");
}
END_TEST

START_TEST(many_files_are_taken_by_their_text)
{
	enum { N = 5000 };
	char *text = malloc(N * 80), *at = text;

	for (int i = 1; i <= N; i++)
		at += sprintf(at, "%x-%x r--s 00000000 fe:01 %d /f%d\n", i << 12, (i + 1) << 12, i,
			      i);
	fixture_proc_text(TGID, "maps", text);
	link_mapping("2000-3000", "/dev/null");
	link_mapping("1388000-1389000", "/dev/null");
	ck_assert(mappings_read(maps, PROC, TGID));
	ck_assert(mappings_find(maps, P, 2 * P));
	ck_assert(!mappings_find(maps, 2 * P, 3 * P));
	ck_assert_str_eq(mappings_find(maps, N * P, (N + 1) * P)->path->raw, "/f5000");
	free(text);
}
END_TEST

START_TEST(reading_replaces_all_and_leaves_out_what_is_no_file)
{
	const struct mapping *found;

	add(1, 1, 1, 0);
	maps_are("odd.txt");
	ck_assert(mappings_read(maps, PROC, TGID));
	ck_assert(!mappings_find(maps, P, 2 * P));
	found = mappings_find(maps, 0, UINT64_MAX);
	ck_assert_uint_eq(found->start, 0x400000);
	ck_assert_uint_eq(found->end, 0x402000);
	ck_assert_uint_eq(found->dev, 0xfe << 20 | 1);
	ck_assert_uint_ne(found->as_of, 0);
	ck_assert_uint_eq(found->path->flags, PATH_FULL | PATH_PROC);
	ck_assert(!mappings_find(maps, 0x7f0000003000, 0x7f0000006000));
	ck_assert(!mappings_find(maps, 0x1000000, 0x1021000));
	ck_assert(mappings_find(maps, 0x7f0000002000, 0x7f0000003000)->deleted);
}
END_TEST

/* ---- this process ---- */

static char scratch[PATH_MAX];
static int scratch_fd;

static void setup_own(void)
{
	const char *tmp = getenv("TMPDIR");

	fixture_mappings_setup();
	fixture_proc_real();
	snprintf(scratch, sizeof(scratch), "%.4000s/iotracer-maps\n-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	scratch_fd = mkstemp(scratch);
	ck_assert_int_ge(scratch_fd, 0);
	ck_assert_int_eq(ftruncate(scratch_fd, 1 << 20), 0);
}

static void teardown_own(void)
{
	close(scratch_fd);
	unlink(scratch);
	fixture_mappings_teardown();
}

START_TEST(own_mapping_is_told_with_its_file)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 8 * page, PROT_READ, MAP_SHARED, scratch_fd, 2 * page);
	uint64_t start = (uintptr_t)at;
	const struct mapping *found;
	struct stat st;

	ck_assert(at != MAP_FAILED && !munmap(at + 3 * page, page));
	ck_assert_int_eq(fstat(scratch_fd, &st), 0);
	ck_assert(mappings_read(maps, PROC, getpid()));
	found = mappings_find(maps, start, start + 1);
	ck_assert(found && found->start == start && found->end == start + 3 * page);
	ck_assert_uint_eq(found->ino, st.st_ino);
	ck_assert_uint_eq(found->offset, 2 * page);
	ck_assert_str_eq(found->path->raw, scratch);
	ck_assert(!found->deleted);
	ck_assert(!mappings_find(maps, start + 3 * page, start + 4 * page));
	found = mappings_find(maps, start + 4 * page, start + 5 * page);
	ck_assert(found && found->end == start + 8 * page && found->offset == 6 * page);
	unlink(scratch);
	ck_assert(mappings_read(maps, PROC, getpid()));
	found = mappings_find(maps, start, start + 1);
	ck_assert(found && found->deleted);
	ck_assert_str_eq(found->path->raw, scratch);
	munmap(at, 8 * page);
}
END_TEST

START_TEST(own_memory_and_devices_are_no_files)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	void *shared = mmap(NULL, page, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t local = (uintptr_t)&page, at = (uintptr_t)shared;
	int fd = open("/dev/zero", O_RDWR);
	void *zero = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);

	ck_assert(shared != MAP_FAILED && zero != MAP_FAILED);
	ck_assert(mappings_read(maps, PROC, getpid()));
	ck_assert(!mappings_find(maps, at, at + 1));
	ck_assert(!mappings_find(maps, local, local + 1));
	ck_assert(geteuid() || !mappings_find(maps, (uintptr_t)zero, (uintptr_t)zero + 1));
	/* the text of this very function is a file's */
	at = (uintptr_t)setup_own;
	ck_assert(mappings_find(maps, at, at + 1));
	munmap(shared, page);
	munmap(zero, page);
	close(fd);
}
END_TEST

/* Every change is done for real and followed; in the end /proc says the same. */
START_TEST(followed_changes_lead_to_what_proc_says)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	char *base = mmap(NULL, 64 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mappings *followed = mappings_new(0), *read = mappings_new(0);
	uint64_t start = (uintptr_t)base;

	seed = _i + 77;
	ck_assert(base != MAP_FAILED && mappings_read(followed, PROC, getpid()));
	for (int i = 0; i < 300; i++) {
		uint64_t at = draw(60), n = draw(4) + 1, offset = draw(2) ? at : draw(100);
		struct mapping *fresh = &(struct mapping){
			.start = start + at * page,
			.end = start + (at + n) * page,
			.offset = offset * page,
		};

		if (draw(3)) {
			ck_assert(mmap(base + at * page, n * page, PROT_READ,
				       MAP_SHARED | MAP_FIXED, scratch_fd,
				       offset * page) != MAP_FAILED);
			mappings_add(followed, fresh);
		} else {
			ck_assert(!munmap(base + at * page, n * page));
			mappings_remove(followed, start + at * page, start + (at + n) * page);
		}
	}
	ck_assert(mappings_read(read, PROC, getpid()));
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t at = start + i * page;
		const struct mapping *a = mappings_find(followed, at, at + 1);
		const struct mapping *b = mappings_find(read, at, at + 1);

		ck_assert_int_eq(a != NULL, b != NULL);
		if (a)
			ck_assert_uint_eq(at - a->start + a->offset, at - b->start + b->offset);
	}
	mappings_free(followed);
	mappings_free(read);
	munmap(base, 64 * page);
}
END_TEST

static TCase *proc_case(void)
{
	TCase *tcase = tcase_create("proc");

	tcase_add_checked_fixture(tcase, fixture_mappings_setup_proc,
				  fixture_mappings_teardown_proc);
	tcase_add_test(tcase, process_that_is_gone_has_no_mappings);
	tcase_add_test(tcase, file_that_is_called_deleted_is_not);
	tcase_add_test(tcase, link_of_a_mapping_tells_more_than_its_line);
	tcase_add_test(tcase, many_files_are_taken_by_their_text);
	tcase_add_test(tcase, reading_replaces_all_and_leaves_out_what_is_no_file);
	return tcase;
}

static TCase *own_case(void)
{
	TCase *tcase = tcase_create("own");

	tcase_add_checked_fixture(tcase, setup_own, teardown_own);
	tcase_add_test(tcase, own_mapping_is_told_with_its_file);
	tcase_add_test(tcase, own_memory_and_devices_are_no_files);
	tcase_add_loop_test(tcase, followed_changes_lead_to_what_proc_says, 0, 4);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("mappings of /proc");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, proc_case());
	suite_add_tcase(suite, own_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
