/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a terminal is never given, and that all else stays as it is. */
#include "base/plain.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *plain;
} cases[] = {
	{ "", "" },
	{ "as it is, \\n and all", "as it is, \\n and all" },
	{ "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80",
	  "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80" },
	{ "\033[2J", "\\x1b[2J" },
	{ "a\nb\rc\td", "a\\nb\\rc\\x09d" },
	{ "back\\slash\a", "back\\\\slash\\x07" },
	{ "\x7f", "\\x7f" },
	/* C1, as a character and as a byte */
	{ "\xc2\x9b"
	  "31m",
	  "\\xc2\\x9b31m" },
	{ "\x9b"
	  "31m",
	  "\\x9b31m" },
	{ "\xc2\xa0", "\xc2\xa0" },
	/* directions, isolates, and the separators of lines */
	{ "\xd8\x9c", "\\xd8\\x9c" },
	{ "\xe2\x80\x8e\xe2\x80\x8f", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f" },
	{ "a\xe2\x80\xae"
	  "b",
	  "a\\xe2\\x80\\xae"
	  "b" },
	{ "\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9" },
	{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" },
	{ "\xe2\x80\xa6", "\xe2\x80\xa6" },
	/* no UTF-8, or its begin */
	{ "\xff\xc0\x80", "\\xff\\xc0\\x80" },
	{ "x\xe2\x80", "x\\xe2\\x80" },
};

START_TEST(each_text)
{
	char out[256], *written = NULL;
	size_t len = plain_text(out, cases[_i].text, strlen(cases[_i].text)), size;
	FILE *file;

	out[len] = '\0';
	ck_assert_str_eq(out, cases[_i].plain);
	ck_assert_uint_le(len, PLAIN_ROOM(strlen(cases[_i].text)));
	file = open_memstream(&written, &size);
	plain_put(file, cases[_i].text);
	fputc('|', file);
	plain_printf(file, "%s", cases[_i].text);
	plain_put(file, NULL);
	fclose(file);
	ck_assert_uint_eq(size, 2 * len + 1);
	ck_assert_int_eq(memcmp(written, out, len), 0);
	ck_assert_str_eq(written + len + 1, out);
	free(written);
}
END_TEST

START_TEST(a_long_text_has_room)
{
	size_t len = 100000, size;
	char *text = malloc(len), *written = NULL;
	FILE *file = open_memstream(&written, &size);

	memset(text, 27, len);
	plain_write(file, text, len);
	fclose(file);
	ck_assert_uint_eq(size, 4 * len);
	free(text);
	free(written);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plain");
	TCase *tcase = tcase_create("plain");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, each_text, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, a_long_text_has_room);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
