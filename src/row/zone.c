/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns a copy of the time zone's rules, found out by asking for one time a week
 * and halving each week that changes something. What changed twice within one
 * week is not seen; before the first year and after the last their rule goes on.
 */
#include "row/zone.h"

#include <time.h>

#include "row/format.h"

#define DAY 86400
#define WEEK (7 * DAY)
#define LAST (100LL * 365 * DAY)

static int32_t offset_at(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

/* The first second that has not the offset which holds at low. */
static int64_t find_change(int64_t low, int64_t high, int32_t offset)
{
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (offset_at(middle) == offset)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void add_step(struct zone *zone, int64_t from, int32_t offset)
{
	if (zone->n < ZONE_MAX_STEPS)
		zone->steps[zone->n++] = (struct zone_step){ .from = from, .offset = offset };
}

void zone_make(struct zone *zone)
{
	int32_t offset = offset_at(0);

	zone->n = 0;
	add_step(zone, INT64_MIN, offset);
	for (int64_t t = 0; t < LAST; t += WEEK) {
		/* a week may hold a change to a third offset: as many as there are */
		for (int64_t low = t; offset_at(t + WEEK) != offset;) {
			low = find_change(low, t + WEEK, offset);
			offset = offset_at(low);
			add_step(zone, low, offset);
		}
	}
}

static int32_t offset_of(const struct zone *zone, int64_t seconds)
{
	unsigned low = 0, high = zone->n;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (zone->steps[middle].from <= seconds)
			low = middle;
		else
			high = middle;
	}
	return zone->n ? zone->steps[low].offset : 0;
}

/* Days since 1970 to a date of the Gregorian calendar; years are counted from March. */
static void date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	unsigned of_era = (unsigned)(z - era * 146097);
	unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	unsigned from_march = (5 * of_year + 2) / 153;

	*day = of_year - (153 * from_march + 2) / 5 + 1;
	*month = from_march < 10 ? from_march + 3 : from_march - 9;
	*year = (int64_t)year_of_era + era * 400 + (*month <= 2);
}

static char *two(char *p, unsigned v)
{
	return put_bytes(p, format_digits + v * 2, 2);
}

void zone_text(const struct zone *zone, int64_t seconds, char text[ZONE_TEXT_SIZE])
{
	int64_t local, days, year;
	unsigned month, day, rest;
	char *p = text;

	text[0] = '\0';
	/* 34,000 years: no sum below overflows */
	if (seconds < -(1LL << 40) || seconds > 1LL << 40)
		return;
	local = seconds + offset_of(zone, seconds);
	days = local / DAY - (local % DAY < 0);
	rest = (unsigned)(local - days * DAY);
	date_of(days, &year, &month, &day);
	if (year < 0 || year > 9999)
		return;
	p = two(two(p, (unsigned)year / 100), (unsigned)year % 100);
	*p++ = '-';
	p = two(p, month);
	*p++ = '-';
	p = two(p, day);
	*p++ = ' ';
	p = two(p, rest / 3600);
	*p++ = ':';
	p = two(p, rest / 60 % 60);
	*p++ = ':';
	p = two(p, rest % 60);
	*p = '\0';
}
