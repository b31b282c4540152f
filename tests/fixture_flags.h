/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every table of names is asked, by the suites of them. */
#ifndef IO_TESTS_FIXTURE_FLAGS_H
#define IO_TESTS_FIXTURE_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#include "flags.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

struct sample {
	uint32_t value;
	const char *text;
};

/* What put_flags writes, until the next call. */
const char *text_of(const struct flag_set *set, uint32_t value);

/* Twice: decoded, and again after all the others. */
void check_samples(const struct flag_set *set, const struct sample *samples, size_t n);

/*
 * Every bit alone, one without a name as a number in that format. The prefix is
 * an access mode of open, whose two bits are no flags.
 */
void check_bits(const struct flag_set *set, const char *const names[32], const char *prefix,
		const char *number);

/* What has a name among the first n values, and nothing else has. */
void check_values(const struct flag_set *set, const char *const *names, size_t n,
		  const char *number);

/* Values of all sizes are text without blanks, commas, quotes or empty names. */
void check_any_value(const struct flag_set *set);

#endif
