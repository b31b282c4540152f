/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as characters of a screen: none of them leaves its cells. */
#include "screen/screen_text.h"

#include <check.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static wchar_t text[SCREEN_TEXT_MAX];

static const wchar_t *shown(const char *name, unsigned cells)
{
	screen_text(text, name, strlen(name), cells);
	return text;
}

static bool in_utf8(void)
{
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

START_TEST(what_fits_is_shown_as_it_is)
{
	if (!in_utf8())
		return;
	ck_assert_int_eq(wcscmp(shown("/d\xc3\xa4ta", 6), L"/d\u00e4ta"), 0);
	ck_assert_int_eq(wcscmp(shown("/d\xc3\xa4ta", 5), L"/d\u00e4ta"), 0);
	ck_assert_int_eq(wcscmp(shown("", 5), L""), 0);
}
END_TEST

START_TEST(of_a_longer_name_the_end_is_shown)
{
	if (!in_utf8())
		return;
	ck_assert_int_eq(wcscmp(shown("abcdef", 4), L"\u2026def"), 0);
	ck_assert_int_eq(wcscmp(shown("abcdef", 1), L"\u2026"), 0);
	ck_assert_int_eq(wcscmp(shown("abcdef", 0), L""), 0);
	/* two cells each: half of one is never shown */
	ck_assert_int_eq(wcscmp(shown("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5", 4), L"\u2026\u65e5"),
			 0);
}
END_TEST

START_TEST(nothing_moves_the_cursor_or_turns_the_line)
{
	if (!in_utf8())
		return;
	ck_assert_int_eq(wcscmp(shown("a\033[2Jb\n\r\b\x7f\xc2\x9b", 20), L"a?[2Jb?????"), 0);
	ck_assert_int_eq(wcscmp(shown("a\xe2\x80\xae\xe2\x80\x8b"
				      "b",
				      20),
				L"a??b"),
			 0);
	ck_assert_int_eq(wcscmp(shown("\xff\xfe\xe2\x80", 20), L"????"), 0);
}
END_TEST

START_TEST(without_utf8_only_ascii_is_shown)
{
	setlocale(LC_CTYPE, "C");
	for (const wchar_t *c = shown("d\xc3\xa4ta", 20); *c; c++)
		ck_assert_int_lt((int)*c, 128);
	ck_assert_int_eq(wcscmp(shown("abcdef", 4), L"<def"), 0);
}
END_TEST

START_TEST(a_name_of_any_length_has_its_end)
{
	char name[9000];
	size_t n;

	memset(name, 'x', sizeof(name));
	for (unsigned cells = 0; cells < 5000; cells += 7) {
		screen_text(text, name, sizeof(name), cells);
		n = wcslen(text);
		ck_assert_uint_le(n, cells);
		ck_assert_uint_lt(n, SCREEN_TEXT_MAX);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("screen");
	TCase *names = tcase_create("names");
	SRunner *runner;
	int failed;

	tcase_add_test(names, what_fits_is_shown_as_it_is);
	tcase_add_test(names, of_a_longer_name_the_end_is_shown);
	tcase_add_test(names, nothing_moves_the_cursor_or_turns_the_line);
	tcase_add_test(names, without_utf8_only_ascii_is_shown);
	tcase_add_test(names, a_name_of_any_length_has_its_end);
	suite_add_tcase(suite, names);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
