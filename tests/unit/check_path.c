/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths: walks of the kernel, what callers gave, joined by text alone, and
 * never longer than their room.
 */
#include "row/path.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 12288 };

static struct path *path;

static void teardown(void)
{
	path_put(path);
	path = NULL;
}

static const char *made(struct path *new)
{
	path_put(path);
	path = new;
	return path ? path->raw : "(null)";
}

#define WALK(parts) made(path_from_walk(parts, sizeof(parts) - 1, false))

START_TEST(walk_is_turned_around)
{
	ck_assert_str_eq(WALK("c\0bb\0aaa\0"), "/aaa/bb/c");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	ck_assert_uint_eq(path->raw_len, 9);
}
END_TEST

START_TEST(empty_walk_is_the_root)
{
	ck_assert_str_eq(WALK(""), "/");
	ck_assert_uint_eq(path->flags, PATH_FULL);
}
END_TEST

START_TEST(cut_walk_has_the_last_part_only)
{
	ck_assert_str_eq(made(path_from_walk("c\0b\0", 4, true)), "/b/c");
	ck_assert_uint_eq(path->flags, PATH_CUT | PATH_REST);
}
END_TEST

START_TEST(walk_that_ends_in_no_directory)
{
	ck_assert_str_eq(WALK("c\0b\0/\0"), "b/c");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(WALK("/\0"), "");
	ck_assert_uint_eq(path->flags, PATH_NONE);
}
END_TEST

START_TEST(walk_without_its_end_is_refused)
{
	ck_assert(path_from_walk("abc", 3, false) == NULL);
	ck_assert(path_from_walk("a\0b", 3, false) == NULL);
}
END_TEST

START_TEST(walk_longer_than_a_path_is_cut)
{
	static char parts[64 * 256];

	for (int i = 0; i < 64; i++)
		memset(parts + i * 256, 'a' + i % 26, 255);
	ck_assert_str_ne(made(path_from_walk(parts, sizeof(parts), false)), "(null)");
	ck_assert_uint_eq(path->flags, PATH_CUT | PATH_REST);
	ck_assert_uint_eq(path->raw_len, 48 * 256); /* whole components, the deepest ones */
	ck_assert_int_eq(path->raw[0], '/');
	ck_assert_int_eq(path->raw[path->raw_len - 1], 'a');
}
END_TEST

START_TEST(path_of_4095_bytes_is_whole)
{
	static char parts[4096];

	for (int i = 0; i < 16; i++)
		memset(parts + i * 256, 'a' + i, 255);
	made(path_from_walk(parts, sizeof(parts), false));
	ck_assert_uint_eq(path->raw_len, 4096);
	ck_assert_uint_eq(path->flags, PATH_FULL);
}
END_TEST

START_TEST(plain_path_is_its_own_csv)
{
	made(path_new("/a/b", 4, PATH_FULL));
	ck_assert_ptr_eq(path->csv, path->raw);
	ck_assert_uint_eq(path->csv_len, 4);
}
END_TEST

START_TEST(path_that_needs_it_is_quoted_once)
{
	ck_assert_str_eq(made(path_new("/a,b\n", 5, PATH_FULL)), "/a,b\n");
	ck_assert_uint_eq(path->csv_len, 8);
	ck_assert_int_eq(memcmp(path->csv, "\"/a,b\\n\"", 8), 0);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_ESCAPED);
	ck_assert_str_eq(made(path_new("/a,b", 4, PATH_FULL)), "/a,b");
	ck_assert_uint_eq(path->flags, PATH_FULL);
}
END_TEST

START_TEST(text_beyond_all_bounds_is_cut)
{
	static char text[16000];

	memset(text, 0xff, sizeof(text));
	made(path_new(text, sizeof(text), PATH_FULL));
	ck_assert_uint_eq(path->raw_len, LONGEST);
	ck_assert_uint_eq(path->csv_len, LONGEST * 4);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_CUT | PATH_ESCAPED);
}
END_TEST

START_TEST(references_keep_a_path)
{
	struct path *other;

	made(path_new("/a", 2, PATH_FULL));
	other = path_get(path);
	ck_assert_ptr_eq(other, path);
	path_put(other);
	ck_assert_str_eq(path->raw, "/a");
	ck_assert(path_get(NULL) == NULL);
	path_put(NULL);
}
END_TEST

static const struct {
	const char *base, *text, *joined;
} joins[] = {
	{ "/home/me", "file", "/home/me/file" },
	{ "/home/me", "./file", "/home/me/file" },
	{ "/home/me", "../file", "/home/file" },
	{ "/home/me", "../../../../file", "/file" },
	{ "/home/me", "..", "/home" },
	{ "/home/me", "../..", "/" },
	{ "/home/me", ".", "/home/me" },
	{ "/home/me", "a//b///c", "/home/me/a/b/c" },
	{ "/home/me", "a/b/", "/home/me/a/b" },
	{ "/home/me", "a/./b/../c", "/home/me/a/c" },
	{ "/home/me", "...", "/home/me/..." },
	{ "/home/me", "..a/.b", "/home/me/..a/.b" },
	{ "/home/me", "/etc/passwd", "/etc/passwd" },
	{ "/home/me", "//etc//passwd", "/etc/passwd" },
	{ "/home/me", "/", "/" },
	{ "/home/me", "/..", "/" },
	{ "/home/me", "/../etc/.", "/etc" },
	{ "/", "file", "/file" },
	{ "/", "..", "/" },
	{ "/", ".", "/" },
	{ NULL, "/a/../b", "/b" },
};

START_TEST(join_resolves_by_text)
{
	struct path *base = joins[_i].base ?
				    path_new(joins[_i].base, strlen(joins[_i].base), PATH_FULL) :
				    NULL;

	ck_assert_str_eq(made(path_join(base, joins[_i].text, strlen(joins[_i].text), false)),
			 joins[_i].joined);
	ck_assert_uint_eq(path->flags, PATH_FULL);
	path_put(base);
}
END_TEST

START_TEST(empty_text_is_no_name)
{
	struct path *base = path_new("/home", 5, PATH_FULL);

	ck_assert_str_eq(made(path_join(base, "", 0, false)), "");
	ck_assert_uint_eq(path->flags, PATH_NONE);
	ck_assert_str_eq(made(path_join(NULL, "", 0, true)), "");
	ck_assert_uint_eq(path->flags, PATH_NONE);
	path_put(base);
}
END_TEST

START_TEST(base_that_was_cut_leads_nowhere)
{
	struct path *base = path_new("/cut", 4, PATH_FULL | PATH_CUT);

	ck_assert_str_eq(made(path_join(base, "a/b", 3, false)), "a/b");
	ck_assert_uint_eq(path->flags, PATH_REST | PATH_CUT);
	path_put(base);
}
END_TEST

START_TEST(relative_path_without_base_is_the_rest)
{
	ck_assert_str_eq(made(path_join(NULL, "../a", 4, false)), "../a");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(made(path_join(NULL, "a", 1, true)), "a");
	ck_assert_uint_eq(path->flags, PATH_REST | PATH_CUT);
}
END_TEST

START_TEST(base_that_is_not_whole_is_no_base)
{
	struct path *base = path_new("me", 2, PATH_REST);

	ck_assert_str_eq(made(path_join(base, "file", 4, false)), "file");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(made(path_join(base, "/file", 5, false)), "/file");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	path_put(base);
}
END_TEST

START_TEST(base_from_proc_leaves_its_mark_on_relative_paths_only)
{
	struct path *base = path_new("/run", 4, PATH_FULL | PATH_PROC);

	made(path_join(base, "a", 1, false));
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_PROC);
	made(path_join(base, "/a", 2, false));
	ck_assert_uint_eq(path->flags, PATH_FULL);
	path_put(base);
}
END_TEST

START_TEST(cut_text_stays_cut)
{
	made(path_join(NULL, "/a", 2, true));
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_CUT);
}
END_TEST

START_TEST(longest_base_and_text_stay_inside)
{
	static char text[LONGEST];
	struct path *base;

	memset(text, 'x', sizeof(text));
	text[0] = '/';
	base = path_new(text, sizeof(text), PATH_FULL);
	made(path_join(base, text + 1, 4097, false));
	ck_assert_uint_eq(path->raw_len, LONGEST);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_CUT);
	path_put(base);
}
END_TEST

/* Whatever is joined is absolute, has no "." or ".." and no empty component. */
START_TEST(random_joins_are_clean)
{
	static const char letters[] = "..//ab";
	struct path *base = path_new("/u/v/w", 6, PATH_FULL);
	unsigned seed = 5;
	char text[24];

	for (int i = 0; i < 100000; i++) {
		size_t len = 1 + rand_r(&seed) % (sizeof(text) - 1);

		for (size_t k = 0; k < len; k++)
			text[k] = letters[rand_r(&seed) % 6];
		made(path_join(base, text, len, false));
		ck_assert_int_eq(path->raw[0], '/');
		ck_assert(!strstr(path->raw, "//") && !strstr(path->raw, "/./") &&
			  !strstr(path->raw, "/../"));
		ck_assert(path->raw_len == 1 || path->raw[path->raw_len - 1] != '/');
	}
	path_put(base);
}
END_TEST

/* ---- two paths ---- */

static const char *pair(const char *first, uint32_t first_flags, const char *second,
			uint32_t second_flags, bool given)
{
	struct path *a = first ? path_new(first, strlen(first), first_flags) : NULL;
	struct path *b = second ? path_new(second, strlen(second), second_flags) : NULL;
	const char *text = made(path_pair(a, b, given));

	path_put(a);
	path_put(b);
	return text;
}

START_TEST(pair_of_whole_paths_is_whole)
{
	ck_assert_str_eq(pair("/a", PATH_FULL, "/b", PATH_FULL, false), "/a -> /b");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	ck_assert_ptr_eq(path->csv, path->raw);
}
END_TEST

START_TEST(pair_bears_the_marks_of_both)
{
	pair("/a", PATH_FULL | PATH_PROC, "/b", PATH_FULL | PATH_CUT, false);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_PROC | PATH_CUT);
}
END_TEST

START_TEST(pair_that_is_known_in_part_is_not_whole)
{
	ck_assert_str_eq(pair("a", PATH_REST, "/b", PATH_FULL, false), "a -> /b");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(pair("/a", PATH_FULL, NULL, 0, false), "/a -> ");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(pair(NULL, 0, "/b", PATH_FULL, false), " -> /b");
	ck_assert_uint_eq(path->flags, PATH_REST);
}
END_TEST

START_TEST(pair_of_nothing_is_nothing)
{
	ck_assert(path_pair(NULL, NULL, false) == NULL);
	ck_assert(path_pair(NULL, NULL, true) == NULL);
}
END_TEST

/* An empty string given to a call is no name. */
START_TEST(pair_with_an_empty_name_is_known_in_part)
{
	ck_assert_str_eq(pair("", PATH_NONE, "/b", PATH_FULL, false), " -> /b");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(pair("/t", 0, "", PATH_NONE, true), "/t -> ");
	ck_assert_uint_eq(path->flags, PATH_REST);
	ck_assert_str_eq(pair("", 0, "/b", PATH_FULL, true), " -> /b");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	ck_assert_str_eq(pair("", PATH_NONE, "", PATH_NONE, false), " -> ");
	ck_assert_uint_eq(path->flags, PATH_REST);
}
END_TEST

/* A symbolic link may lead anywhere: what it was given is no path of ours. */
START_TEST(given_text_has_no_weight)
{
	ck_assert_str_eq(pair("../up", 0, "/b", PATH_FULL, true), "../up -> /b");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	ck_assert_str_eq(pair(NULL, 0, "/b", PATH_FULL, true), " -> /b");
	ck_assert_uint_eq(path->flags, PATH_FULL);
	ck_assert_str_eq(pair("/t", PATH_FULL, "b", PATH_REST, true), "/t -> b");
	ck_assert_uint_eq(path->flags, PATH_REST);
}
END_TEST

START_TEST(pair_is_quoted_as_one_field)
{
	ck_assert_str_eq(pair("/a,\"", PATH_FULL, "/b\n", PATH_FULL | PATH_ESCAPED, false),
			 "/a,\" -> /b\n");
	ck_assert_uint_eq(path->csv_len, strlen("\"/a,\"\" -> /b\\n\""));
	ck_assert_int_eq(memcmp(path->csv, "\"/a,\"\" -> /b\\n\"", path->csv_len), 0);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_ESCAPED);
	pair("/a\n", PATH_FULL | PATH_ESCAPED, "/b", PATH_FULL, true);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_ESCAPED);
}
END_TEST

START_TEST(longest_pair_is_cut)
{
	static char text[LONGEST];
	struct path *longest;

	memset(text, '\n', sizeof(text));
	longest = path_new(text, sizeof(text), PATH_FULL);
	made(path_pair(longest, longest, false));
	ck_assert_uint_eq(path->raw_len, LONGEST);
	ck_assert_uint_eq(path->flags, PATH_FULL | PATH_CUT | PATH_ESCAPED);
	path_put(longest);
}
END_TEST

START_TEST(letters_stand_in_their_order)
{
	ck_assert_str_eq(path_letters(0), "");
	ck_assert_str_eq(path_letters(PATH_FULL), "f");
	ck_assert_str_eq(path_letters(PATH_NONE), "n");
	ck_assert_str_eq(path_letters(PATH_CUT | PATH_REST), "rt");
	ck_assert_str_eq(path_letters(PATH_ESCAPED | PATH_DELETED | PATH_PROC | PATH_FULL), "fmde");
	ck_assert_str_eq(path_letters(127), "frtmden");
	ck_assert_str_eq(path_letters(PATH_FULL | PATH_OTHER),
			 "o"); /* whole, but not as the host sees it */
	ck_assert_str_eq(path_letters(PATH_ESCAPED | PATH_DELETED | PATH_PROC | PATH_FULL |
				      PATH_OTHER),
			 "mdoe");
	ck_assert_str_eq(path_letters(PATH_FULL | 1 << 20), "f");
	ck_assert_ptr_eq(path_letters(PATH_FULL), path_letters(PATH_FULL));
}
END_TEST

static Suite *path_suite(void)
{
	Suite *suite = suite_create("path");
	TCase *tcase = tcase_create("path");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, walk_is_turned_around);
	tcase_add_test(tcase, empty_walk_is_the_root);
	tcase_add_test(tcase, cut_walk_has_the_last_part_only);
	tcase_add_test(tcase, walk_that_ends_in_no_directory);
	tcase_add_test(tcase, walk_without_its_end_is_refused);
	tcase_add_test(tcase, walk_longer_than_a_path_is_cut);
	tcase_add_test(tcase, path_of_4095_bytes_is_whole);
	tcase_add_test(tcase, plain_path_is_its_own_csv);
	tcase_add_test(tcase, path_that_needs_it_is_quoted_once);
	tcase_add_test(tcase, text_beyond_all_bounds_is_cut);
	tcase_add_test(tcase, references_keep_a_path);
	tcase_add_loop_test(tcase, join_resolves_by_text, 0, sizeof(joins) / sizeof(joins[0]));
	tcase_add_test(tcase, empty_text_is_no_name);
	tcase_add_test(tcase, base_that_was_cut_leads_nowhere);
	tcase_add_test(tcase, relative_path_without_base_is_the_rest);
	tcase_add_test(tcase, base_that_is_not_whole_is_no_base);
	tcase_add_test(tcase, base_from_proc_leaves_its_mark_on_relative_paths_only);
	tcase_add_test(tcase, cut_text_stays_cut);
	tcase_add_test(tcase, longest_base_and_text_stay_inside);
	tcase_add_test(tcase, random_joins_are_clean);
	tcase_add_test(tcase, pair_of_whole_paths_is_whole);
	tcase_add_test(tcase, pair_bears_the_marks_of_both);
	tcase_add_test(tcase, pair_that_is_known_in_part_is_not_whole);
	tcase_add_test(tcase, pair_of_nothing_is_nothing);
	tcase_add_test(tcase, pair_with_an_empty_name_is_known_in_part);
	tcase_add_test(tcase, given_text_has_no_weight);
	tcase_add_test(tcase, pair_is_quoted_as_one_field);
	tcase_add_test(tcase, longest_pair_is_cut);
	tcase_add_test(tcase, letters_stand_in_their_order);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(path_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
