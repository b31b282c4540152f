/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns times as people write them. The zone is that of the trace, not that of the reader. */
#include "analysis/common/wall.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "read/members.h"

/* The distance to UTC of "2026-11-22T22:42:16.516610778+05:30" */
static int64_t zone_of(const char *started)
{
	unsigned hours, minutes;
	size_t len = started ? strlen(started) : 0;
	char sign;

	if (len < 6 || sscanf(started + len - 6, "%c%2u:%2u", &sign, &hours, &minutes) != 3 ||
	    (sign != '+' && sign != '-'))
		return 0;
	return (sign == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
}

/* By the pair of clocks that was measured last before it; 0: not known. */
static uint64_t mono_of(const struct read_session *session, uint64_t real_ns)
{
	uint64_t mono, real, found = 0;
	const json_t *clock;
	size_t i;

	json_array_foreach(session->clocks, i, clock)
	{
		if (member_number(clock, "mono_ns", &mono) &&
		    member_number(clock, "real_ns", &real) && (!i || real <= real_ns))
			found = real_ns + (mono - real);
	}
	return found;
}

/* Of the manifest's segments, of all streams: when their last row began. */
static uint64_t last_row(const struct read_session *session)
{
	const json_t *stream, *segment;
	uint64_t last = 0, ns;
	size_t i, j;

	json_array_foreach(json_object_get(session->manifest, "streams"), i, stream)
		json_array_foreach(json_object_get(stream, "segments"), j,
				   segment) if (member_number(segment, "last_ns", &ns) && ns > last)
			last = ns;
	return last;
}

void wall_make(struct wall *wall, const struct read_session *session)
{
	uint64_t ns;

	*wall = (struct wall){ .session = session };
	wall->offset = zone_of(member_text(session->manifest, "started"));
	if (member_number(session->manifest, "started_ns", &ns))
		wall->start_ns = mono_of(session, ns);
	if (!member_number(session->manifest, "ended_ns", &ns))
		ns = last_row(session);
	wall->end_ns = ns ? mono_of(session, ns) : 0;
}

bool wall_text(const struct wall *wall, uint64_t mono_ns, char text[WALL_TEXT_SIZE])
{
	uint64_t real = read_session_real_ns(wall->session->clocks, mono_ns);
	time_t seconds = (time_t)(real / NS_PER_S) + wall->offset;
	struct tm tm;
	size_t n;

	text[0] = '\0';
	if (!real || !gmtime_r(&seconds, &tm))
		return false;
	n = strftime(text, WALL_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + n, WALL_TEXT_SIZE - n, ".%09" PRIu64, (uint64_t)(real % NS_PER_S));
	return true;
}

/* "10s", "1.5s" is none */
static bool parse_distance(const char *text, uint64_t *ns)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", NS_PER_S },
		      { "m", 60 * NS_PER_S },
		      { "h", 3600 * NS_PER_S },
		      { "d", 86400 * NS_PER_S } };
	size_t n = strspn(text, "0123456789");

	if (!parse_uint(text, n, ns))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text + n, units[i].suffix) && *ns <= UINT64_MAX / units[i].ns) {
			*ns *= units[i].ns;
			return true;
		}
	return false;
}

static bool parse_fraction(const char *text, uint64_t *ns)
{
	uint64_t unit = NS_PER_S;

	*ns = 0;
	if (!*text)
		return true;
	if (*text++ != '.' || !*text)
		return false;
	for (; *text >= '0' && *text <= '9' && unit > 1; text++) {
		unit /= 10;
		*ns += unit * (uint64_t)(*text - '0');
	}
	return !*text;
}

/* Reads "23:59:59" or "23:59". Returns what follows it, or NULL where the text is no time of day. */
static const char *parse_day_time(const char *text, struct tm *tm)
{
	int n = 0, seconds = 0;

	tm->tm_sec = 0;
	if (sscanf(text, "%2d:%2d%n", &tm->tm_hour, &tm->tm_min, &n) != 2 || !n)
		return NULL;
	if (text[n] == ':' && (sscanf(text + n, ":%2d%n", &tm->tm_sec, &seconds) != 1 || !seconds))
		return NULL;
	if (tm->tm_hour < 0 || tm->tm_hour > 24 || tm->tm_min < 0 || tm->tm_min > 59 ||
	    tm->tm_sec < 0 || tm->tm_sec > 60 || (!seconds && text[n]))
		return NULL;
	return text + n + seconds;
}

/* Nanoseconds since 1970 by the clock on the trace's wall. */
static bool parse_wall(const struct wall *wall, const char *text, uint64_t *real_ns)
{
	uint64_t started = 0, fraction;
	struct tm tm = { .tm_mday = 0 };
	time_t day;
	int n = 0;

	member_number(wall->session->manifest, "started_ns", &started);
	day = (time_t)(started / NS_PER_S) + wall->offset;
	if (sscanf(text, "%4d-%2d-%2d%*1[ T]%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &n) == 3 &&
	    n) {
		tm.tm_year -= 1900;
		tm.tm_mon -= 1;
	} else if (!started || !gmtime_r(&day, &tm)) {
		return false;
	}
	text = parse_day_time(text + n, &tm);
	if (!text || !parse_fraction(text, &fraction))
		return false;
	*real_ns = (uint64_t)(timegm(&tm) - wall->offset) * NS_PER_S + fraction;
	return true;
}

bool wall_parse(const struct wall *wall, const char *text, uint64_t *mono_ns, const char **why)
{
	bool relative = text[0] == '+' || text[0] == '-';
	uint64_t ns, from = text[0] == '+' ? wall->start_ns : wall->end_ns;

	*why = "not a time (e.g. +10s, -1m, 23:59, 23:59:59, \"2026-11-20 23:59:59\")";
	if (relative ? !parse_distance(text + 1, &ns) : !parse_wall(wall, text, &ns))
		return false;
	if (!relative)
		from = mono_of(wall->session, ns);
	*why = "the start and end of this trace are unknown";
	if (!from)
		return false;
	*mono_ns = !relative ? from : text[0] == '+' ? from + ns : from > ns ? from - ns : 0;
	return true;
}
