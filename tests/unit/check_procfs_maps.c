/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of maps, with odd names and long lines, and what the links of map_files add to it. */
#include "resolve/procfs_maps.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_mappings.h"
#include "fixture/fixture_proc.h"

/* ---- text ---- */

static char told[8192];

static void tell(void *arg, const struct procfs_mapping *mapping)
{
	size_t at = strlen(told);

	(void)arg;
	snprintf(told + at, sizeof(told) - at, "%llx-%llx %llx %x %llu %d%s %s|",
		 (unsigned long long)mapping->start, (unsigned long long)mapping->end,
		 (unsigned long long)mapping->offset, mapping->dev,
		 (unsigned long long)mapping->ino, mapping->scope, mapping->deleted ? "d" : "",
		 mapping->path);
}

static void setup_told(void)
{
	fixture_mappings_setup_proc();
	told[0] = '\0';
}

START_TEST(odd_names_are_told_as_they_are)
{
	maps_are("odd.txt");
	ck_assert(procfs_each_mapping(PROC, TGID, tell, NULL));
	ck_assert_str_eq(told,
			 "400000-401000 0 fe00001 101 0 /opt/a b|"
			 "401000-402000 1000 fe00001 101 0 /opt/a b|"
			 "600000-601000 0 fe00001 102 0 /opt/new\nline: 5 [x]|"
			 "601000-603000 7ffffffff000 103abcde 18446744073709551615 0d /opt/gone|"
			 "603000-604000 0 fe00001 104 0d /opt/twice (deleted)|"
			 "604000-605000 0 fe00001 105 0 /opt/back\\slash\\|"
			 "605000-606000 0 fe00001 106 0 /opt/x|"
			 "7f0000002000-7f0000003000 0 1 1025 0d /memfd:ring: 1|"
			 "7f0000003000-7f0000004000 0 e 11 2 |"
			 "7f0000004000-7f0000005000 0 a 12 2 |"
			 "7f0000005000-7f0000006000 0 15 13 2 /sys/kernel/btf/vmlinux|"
			 "7f0000006000-7f0000007000 0 5 14 0 /dev/shm/é|"
			 "ffffffffff700000-ffffffffff701000 0 fe00001 108 0 /opt/last|");
}
END_TEST

START_TEST(process_that_is_gone_has_none)
{
	ck_assert(!procfs_each_mapping(PROC, GONE, tell, NULL));
	ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(no_text_is_no_mappings)
{
	fixture_proc_text(TGID, "maps", "");
	ck_assert(procfs_each_mapping(PROC, TGID, tell, NULL));
	fixture_proc_text(TGID, "maps", "1000-2000 r--s 00000000 fe:01 101 /without/its/end");
	ck_assert(procfs_each_mapping(PROC, TGID, tell, NULL));
	ck_assert_str_eq(told, "");
}
END_TEST

static void length_of_path(void *arg, const struct procfs_mapping *mapping)
{
	size_t *sum = arg;

	*sum = *sum * 10 + strlen(mapping->path);
}

/* Longer than any buffer to start with, and lines on its borders. */
START_TEST(line_of_any_length_is_read)
{
	static const size_t lengths[] = { 5000, 65450, 65486, 65487, 65535, 65536, 300000 };
	size_t len = lengths[_i], sum = 0;
	char *text = malloc(len + 400), *at = text;

	at += sprintf(at, "1000-2000 r--s 00000000 fe:01 101 /ab\n2000-3000 r--s 0 fe:01 102 /");
	memset(at, 'x', len - 1);
	at += len - 1;
	sprintf(at, "\n3000-4000 r--s 00000000 fe:01 103 /abcd e\n");
	fixture_proc_text(TGID, "maps", text);
	ck_assert(procfs_each_mapping(PROC, TGID, length_of_path, &sum));
	ck_assert_uint_eq(sum, 3 * 100 + len * 10 + 7);
	free(text);
}
END_TEST

static const struct {
	const char *line;
	const char *told;
} texts[] = {
	{ "1000-2000 r--s 3000 08:01 7 /a", "1000-2000 3000 800001 7 0 /a|" },
	{ "1000-2000 r--s 0 08:01 7", "1000-2000 0 800001 7 2 |" },
	{ "1000-2000 r--s 0 08:01 0 /a", "" }, /* memory has no inode */
	{ "2000-1000 r--s 0 08:01 7 /a", "" },
	{ "1000-1000 r--s 0 08:01 7 /a", "" },
	{ "1000 r--s 0 08:01 7 /a", "" },
	{ "1000-2000 r--s 0 0801 7 /a", "" },
	{ "1000-2000 r--s 0 08:01 x /a", "" },
	{ "", "" },
	{ "1000-2000 rw-s 0 00:01 7 /dev/zero (deleted)", "" },
	{ "1000-2000 rw-s 0 00:05 7 /dev/zero", "1000-2000 0 5 7 0 /dev/zero|" },
	{ "1000-2000 rw-s 0 00:01 7 /SYSV00000000 (deleted)", "" },
	{ "1000-2000 rw-s 0 08:01 7 /SYS", "1000-2000 0 800001 7 0 /SYS|" },
	{ "1000-2000 rw-s 0 08:01 7 /a\\012\\012b", "1000-2000 0 800001 7 0 /a\n\nb|" },
	{ "1000-2000 rw-s 0 08:01 7 /a\\01", "1000-2000 0 800001 7 0 /a\\01|" },
	{ "1000-2000 rw-s 0 08:01 7 (deleted)", "1000-2000 0 800001 7 2 |" },
	{ "1000-2000 rw-s 0 08:01 7 /a(deleted)", "1000-2000 0 800001 7 0 /a(deleted)|" },
	{ "1000-2000 rw-s 0 00:15 7 /proc/1/maps", "1000-2000 0 15 7 2 /proc/1/maps|" },
};

START_TEST(line_is_a_mapping_of_a_file_or_nothing)
{
	char text[200];

	snprintf(text, sizeof(text), "%s\n", texts[_i].line);
	fixture_proc_text(TGID, "maps", text);
	ck_assert(procfs_each_mapping(PROC, TGID, tell, NULL));
	ck_assert_msg(!strcmp(told, texts[_i].told), "'%s': '%s'", texts[_i].line, told);
}
END_TEST

/* ---- links ---- */

struct seen {
	unsigned n;
	struct procfs_mapping mappings[4];
	char paths[4][300];
};

static void keep(void *arg, const struct procfs_mapping *mapping)
{
	struct seen *seen = arg;

	ck_assert_uint_lt(seen->n, 4);
	snprintf(seen->paths[seen->n], sizeof(seen->paths[0]), "%s", mapping->path);
	seen->mappings[seen->n++] = *mapping;
}

static struct seen read_all(const char *text)
{
	struct seen seen = { .n = 0 };

	fixture_proc_text(TGID, "maps", text);
	ck_assert(procfs_each_mapping(PROC, TGID, keep, &seen));
	return seen;
}

START_TEST(file_of_a_link_goes_before_that_of_the_line)
{
	struct seen seen;
	struct stat st;

	fixture_file_stat("real", &st);
	link_mapping("1000-2000", fixture_file("real"));
	seen = read_all("00001000-00002000 r--s 00003000 fe:01 101 /shown\n");
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.mappings[0].ino, st.st_ino);
	ck_assert_uint_eq(seen.mappings[0].dev, fixture_dev(&st));
	ck_assert_int_eq(seen.mappings[0].scope, SCOPE_IN);
	ck_assert_uint_eq(seen.mappings[0].offset, 0x3000);
	ck_assert_str_eq(seen.paths[0], fixture_file("real"));
}
END_TEST

START_TEST(what_is_no_file_behind_its_link_is_out_of_scope)
{
	struct seen seen;

	link_mapping("1000-2000", "/dev/null");
	seen = read_all("1000-2000 rw-s 0 00:05 101 /dev/null\n");
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_int_eq(seen.mappings[0].scope, SCOPE_OUT);
}
END_TEST

START_TEST(parts_of_one_file_need_one_link)
{
	struct seen seen;

	link_mapping("1000-2000", fixture_file("real"));
	seen = read_all("1000-2000 r--s 0 fe:01 101 /shown\n"
			"2000-3000 r--s 1000 fe:01 101 /shown\n"
			"3000-4000 r--s 0 fe:01 102 /shown\n"
			"4000-5000 r--s 0 fe:01 101 /shown\n");
	ck_assert_uint_eq(seen.n, 4);
	ck_assert_str_eq(seen.paths[1], fixture_file("real"));
	ck_assert_uint_eq(seen.mappings[1].ino, seen.mappings[0].ino);
	ck_assert_uint_eq(seen.mappings[1].start, 0x2000);
	/* another file came between: each has to show its own */
	ck_assert_str_eq(seen.paths[2], "/shown");
	ck_assert_uint_eq(seen.mappings[2].ino, 102);
	ck_assert_str_eq(seen.paths[3], "/shown");
	ck_assert_uint_eq(seen.mappings[3].ino, 101);
}
END_TEST

/* After a line of fe:01, inode 101 and the name /shown, whose link is there. */
static const char *const others[] = {
	"2000-3000 r--s 0 fe:01 101 /other\n",
	"2000-3000 r--s 0 fe:02 101 /shown\n",
	"2000-3000 r--s 0 fe:01 102 /shown\n",
};

START_TEST(another_name_device_or_inode_is_another_file)
{
	char text[200];
	struct seen seen;

	link_mapping("1000-2000", fixture_file("real"));
	snprintf(text, sizeof(text), "1000-2000 r--s 0 fe:01 101 /shown\n%s", others[_i]);
	seen = read_all(text);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_str_eq(seen.paths[0], fixture_file("real"));
	ck_assert_str_ne(seen.paths[1], fixture_file("real"));
}
END_TEST

START_TEST(mark_of_an_unlinked_file_is_part_of_the_name_of_one_that_is_there)
{
	char text[PATH_MAX + 100];
	struct seen seen;
	struct stat st;

	fixture_file_stat("is (deleted)", &st);
	snprintf(text, sizeof(text), "1000-2000 r--s 0 fe:01 %llu %.300s\n",
		 (unsigned long long)st.st_ino, fixture_file("is (deleted)"));
	seen = read_all(text);
	ck_assert(!seen.mappings[0].deleted);
	ck_assert_str_eq(seen.paths[0], fixture_file("is (deleted)"));
	snprintf(text, sizeof(text), "1000-2000 r--s 0 fe:01 %llu %.300s\n",
		 (unsigned long long)st.st_ino + 1, fixture_file("is (deleted)"));
	seen = read_all(text);
	ck_assert(seen.mappings[0].deleted);
	ck_assert(!strstr(seen.paths[0], "(deleted)"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("procfs_maps");
	TCase *text = tcase_create("text"), *links = tcase_create("links");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(text, setup_told, fixture_mappings_teardown_proc);
	tcase_add_test(text, odd_names_are_told_as_they_are);
	tcase_add_test(text, process_that_is_gone_has_none);
	tcase_add_test(text, no_text_is_no_mappings);
	tcase_add_loop_test(text, line_of_any_length_is_read, 0, 7);
	tcase_add_loop_test(text, line_is_a_mapping_of_a_file_or_nothing, 0,
			    sizeof(texts) / sizeof(texts[0]));
	suite_add_tcase(suite, text);
	tcase_add_checked_fixture(links, fixture_mappings_setup_proc,
				  fixture_mappings_teardown_proc);
	tcase_add_test(links, file_of_a_link_goes_before_that_of_the_line);
	tcase_add_test(links, what_is_no_file_behind_its_link_is_out_of_scope);
	tcase_add_test(links, parts_of_one_file_need_one_link);
	tcase_add_loop_test(links, another_name_device_or_inode_is_another_file, 0, 3);
	tcase_add_test(links, mark_of_an_unlinked_file_is_part_of_the_name_of_one_that_is_there);
	suite_add_tcase(suite, links);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
