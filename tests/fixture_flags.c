/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_flags.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

const char *text_of(const struct flag_set *set, uint32_t value)
{
	static char field[FORMAT_FIELD_MAX + 1];
	char *end = put_flags(field, (struct flags){ set, value });

	ck_assert(end >= field && end < field + FORMAT_FIELD_MAX);
	*end = '\0';
	return field;
}

void check_samples(const struct flag_set *set, const struct sample *samples, size_t n)
{
	for (size_t i = 0; i < 2 * n; i++)
		ck_assert_str_eq(text_of(set, samples[i % n].value), samples[i % n].text);
}

void check_bits(const struct flag_set *set, const char *const names[32], const char *prefix,
		const char *number)
{
	char expected[64];

	for (int bit = prefix[0] ? 2 : 0; bit < 32; bit++) {
		size_t n = snprintf(expected, sizeof(expected), "%s", prefix);

		if (names[bit])
			snprintf(expected + n, sizeof(expected) - n, "%s", names[bit]);
		else
			snprintf(expected + n, sizeof(expected) - n, number, 1U << bit);
		ck_assert_str_eq(text_of(set, 1U << bit), expected);
	}
}

void check_values(const struct flag_set *set, const char *const *names, size_t n,
		  const char *number)
{
	char expected[64];

	for (unsigned value = 0; value < n; value++) {
		snprintf(expected, sizeof(expected), number, value);
		ck_assert_str_eq(text_of(set, value), names[value] ? names[value] : expected);
	}
}

void check_any_value(const struct flag_set *set)
{
	unsigned seed = 3;

	for (int i = 0; i < 20000; i++) {
		uint32_t value = (uint32_t)rand_r(&seed) << 8 ^ rand_r(&seed);
		const char *text = text_of(set, value);
		size_t len = strlen(text);

		ck_assert(!strpbrk(text, ", \"") && !strstr(text, "||"));
		ck_assert(!len || (text[0] != '|' && text[len - 1] != '|'));
	}
}
