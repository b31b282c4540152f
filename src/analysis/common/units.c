/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where a number changes its unit. Exact forms print numbers as they are. */
#include "analysis/common/units.h"

#include <inttypes.h>
#include <stdio.h>

char *units_bytes(char text[UNITS_SIZE], uint64_t bytes)
{
	static const char suffixes[] = "KMGTPE";
	double value = (double)bytes;
	int at = -1;

	/* what would print as 1024.0 is the next unit's */
	while (value >= (at < 0 ? 1024.0 : 1023.95) && at < 5) {
		value /= 1024;
		at++;
	}
	if (at < 0)
		snprintf(text, UNITS_SIZE, "%" PRIu64, bytes);
	else
		snprintf(text, UNITS_SIZE, "%.1f%c", value, suffixes[at]);
	return text;
}

char *units_ns(char text[UNITS_SIZE], uint64_t ns)
{
	static const char *const suffixes[] = { "us", "ms", "s" };
	double value = (double)ns;
	int at = -1;

	while (value >= (at < 0 ? 1000.0 : 999.995) && at < 2) {
		value /= 1000;
		at++;
	}
	if (at < 0)
		snprintf(text, UNITS_SIZE, "%" PRIu64 "ns", ns);
	else
		snprintf(text, UNITS_SIZE, "%.2f%s", value, suffixes[at]);
	return text;
}
