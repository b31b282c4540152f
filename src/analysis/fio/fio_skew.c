/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how wide zones are, and from how many calls on they tell anything. */
#include "analysis/fio/fio_skew.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_WIDTH = 4096,
	/* of a few calls that are spread evenly, some zone has many by chance */
	LEAST_CALLS = 10 * FIO_ZONES,
	MILLION = 1000000,
};

void fio_skew_add(struct fio_skew *skew, uint64_t offset)
{
	if (!skew->width)
		skew->width = FIRST_WIDTH;
	while (offset / skew->width >= FIO_ZONES) {
		for (unsigned i = 0; i < FIO_ZONES / 2; i++)
			skew->n[i] = skew->n[2 * i] + skew->n[2 * i + 1];
		memset(skew->n + FIO_ZONES / 2, 0, sizeof(skew->n) / 2);
		skew->width *= 2;
	}
	skew->n[offset / skew->width]++;
}

static int most_first(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a < b) - (a > b);
}

void fio_skew_rank(const struct fio_skew *skew, uint64_t end, uint64_t tenths[FIO_TENTHS])
{
	uint64_t zones = skew->width && end ? (end - 1) / skew->width + 1 : 0;
	uint32_t n[FIO_ZONES];

	if (zones > FIO_ZONES)
		zones = FIO_ZONES;
	memcpy(n, skew->n, sizeof(n));
	if (zones >= FIO_TENTHS) {
		qsort(n, zones, sizeof(*n), most_first);
		for (unsigned i = 0; i < zones; i++)
			tenths[i * FIO_TENTHS / zones] += n[i];
		return;
	}
	/* a file of a few zones has no tenths: it is as if it were even */
	for (unsigned i = 0; i < zones; i++)
		for (unsigned t = 0; t < FIO_TENTHS; t++)
			tenths[t] += n[i] / FIO_TENTHS;
}

uint64_t fio_skew_share(const uint64_t tenths[FIO_TENTHS])
{
	uint64_t all = 0;

	for (unsigned t = 0; t < FIO_TENTHS; t++)
		all += tenths[t];
	return all < LEAST_CALLS ? 0 : (uint64_t)((double)tenths[0] / (double)all * MILLION + .5);
}
