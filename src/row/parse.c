/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the parser of each kind of field. Strict: what the printers of format.c
 * never print is refused, so that damage is not taken for a value.
 */
#include "row/parse.h"

#include <string.h>

bool field_has(const struct field *field, const char *word)
{
	return field->len && memmem(field->text, field->len, word, strlen(word));
}

/* ---- numbers ---- */

static bool parse_int(const char *text, size_t len, int64_t *value)
{
	bool negative = len && text[0] == '-';
	uint64_t v;

	if (!parse_uint(text + negative, len - negative, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool parse_hex_digits(const char *text, size_t len, uint64_t *value)
{
	uint64_t v = 0;

	if (!len || len > 16)
		return false;
	for (size_t i = 0; i < len; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0)
			return false;
		v = v << 4 | (unsigned)digit;
	}
	*value = v;
	return true;
}

/* "0x" and digits */
static bool parse_hex(const char *text, size_t len, uint64_t *value)
{
	return len > 2 && text[0] == '0' && text[1] == 'x' &&
	       parse_hex_digits(text + 2, len - 2, value);
}

static bool parse_addresses(struct field *f)
{
	static const char arrow[] = " -> ";
	const size_t n = sizeof(arrow) - 1;
	const char *blank = memchr(f->text, ' ', f->len);
	size_t first = blank ? (size_t)(blank - f->text) : f->len;

	if (!blank)
		return parse_hex(f->text, f->len, &f->u) || parse_uint(f->text, f->len, &f->u);
	return f->len - first > n && !memcmp(blank, arrow, n) && parse_hex(f->text, first, &f->u) &&
	       parse_hex(blank + n, f->len - first - n, &f->second);
}

static bool parse_dev(struct field *f)
{
	const char *colon = memchr(f->text, ':', f->len);
	uint64_t major, minor;

	if (!colon || !parse_uint(f->text, (size_t)(colon - f->text), &major) ||
	    !parse_uint(colon + 1, (size_t)(f->text + f->len - colon - 1), &minor) ||
	    /* 12 and 20 bits, as the kernel's dev_t has them (include/linux/kdev_t.h) */
	    major > 0xfff || minor > 0xfffff)
		return false;
	f->u = major << 20 | minor;
	return true;
}

static bool parse_octal(struct field *f)
{
	uint64_t v = 0;

	if (f->len > 6)
		return false;
	for (uint32_t i = 0; i < f->len; i++) {
		if (f->text[i] < '0' || f->text[i] > '7')
			return false;
		v = v << 3 | (unsigned)(f->text[i] - '0');
	}
	f->u = v;
	return true;
}

/* "12.345678" with so many decimals as one number of the smallest unit */
static bool parse_fixed(const char *text, size_t len, size_t decimals, uint64_t *value)
{
	uint64_t whole, rest;
	size_t point = len - decimals - 1;
	uint64_t unit = 1;

	if (len < decimals + 2 || text[point] != '.' || !parse_uint(text, point, &whole) ||
	    !parse_uint(text + point + 1, decimals, &rest))
		return false;
	while (decimals--)
		unit *= 10;
	return !__builtin_mul_overflow(whole, unit, &whole) &&
	       !__builtin_add_overflow(whole, rest, value);
}

static bool parse_timeout(struct field *f)
{
	uint64_t ns;

	if (f->len == 2 && !memcmp(f->text, "-1", 2)) {
		f->s = -1;
		return true;
	}
	if (!parse_fixed(f->text, f->len, 6, &ns) &&
	    (!parse_uint(f->text, f->len, &ns) || __builtin_mul_overflow(ns, 1000000u, &ns)))
		return false;
	f->s = (int64_t)ns;
	return ns <= INT64_MAX;
}

/* ---- time ---- */

/* Days from 1970 to a date of the Gregorian calendar; years are counted from March. */
static int64_t days_of(unsigned year, unsigned month, unsigned day)
{
	unsigned y = year - (month <= 2), of_era = y % 400;
	unsigned of_year = (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1;

	return (int64_t)(y / 400) * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
	       719468;
}

static bool digits_as(const char *text, const char *form, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	return true;
}

static unsigned two(const char *text)
{
	return (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
}

static bool parse_second(const char *text, int64_t *seconds)
{
	unsigned year, month, day, hour, minute, second;

	if (!digits_as(text, "0000-00-00 00:00:00", 19))
		return false;
	year = two(text) * 100 + two(text + 2);
	month = two(text + 5);
	day = two(text + 8);
	hour = two(text + 11);
	minute = two(text + 14);
	second = two(text + 17);
	if (!year || !month || month > 12 || !day || day > 31 || hour > 23 || minute > 59 ||
	    second > 60)
		return false;
	*seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	return true;
}

/* "YYYY-MM-DD HH:MM:SS", with or without ".ffffff" */
static bool parse_time(struct parse_clock *clock, struct field *f)
{
	uint64_t us = 0;

	if (f->len != 19 && f->len != 26)
		return false;
	/* zeroed at first, which is like no text: the first one is always read */
	if (memcmp(clock->text, f->text, 19)) {
		if (!parse_second(f->text, &clock->seconds))
			return false;
		memcpy(clock->text, f->text, 19);
	}
	if (f->len == 26 && (f->text[19] != '.' || !parse_uint(f->text + 20, 6, &us)))
		return false;
	f->s = clock->seconds * 1000000 + (int64_t)us;
	return true;
}

/* ---- fields ---- */

bool parse_field(enum parse_kind kind, struct parse_clock *clock, struct field *f)
{
	switch (kind) {
	case PARSE_TEXT:
	case PARSE_PATH:
		return true;
	case PARSE_UINT:
		return parse_uint(f->text, f->len, &f->u);
	case PARSE_INT:
		return parse_int(f->text, f->len, &f->s);
	case PARSE_HEX:
		return parse_hex(f->text, f->len, &f->u);
	case PARSE_ADDRESSES:
		return parse_addresses(f);
	case PARSE_DEV:
		return parse_dev(f);
	case PARSE_OCTAL:
		return parse_octal(f);
	case PARSE_TIME:
		return parse_time(clock, f);
	case PARSE_MS:
		return parse_fixed(f->text, f->len, 6, &f->u);
	case PARSE_TIMEOUT:
		return parse_timeout(f);
	case PARSE_PERCENT:
		return parse_fixed(f->text, f->len, 2, &f->u);
	}
	return false;
}

const char *parse_expected(enum parse_kind kind)
{
	static const char *const words[] = {
		[PARSE_TEXT] = "a text",
		[PARSE_PATH] = "a path with valid escapes",
		[PARSE_UINT] = "an unsigned number",
		[PARSE_INT] = "a number",
		[PARSE_HEX] = "a hexadecimal number",
		[PARSE_ADDRESSES] = "an address, two addresses or an inode",
		[PARSE_DEV] = "major:minor",
		[PARSE_OCTAL] = "an octal number",
		[PARSE_TIME] = "a time (YYYY-MM-DD HH:MM:SS.ffffff)",
		[PARSE_MS] = "milliseconds with six decimals",
		[PARSE_TIMEOUT] = "milliseconds or -1",
		[PARSE_PERCENT] = "a number with two decimals",
	};

	return words[kind];
}

/* ---- texts ---- */

bool parse_unquote(const char *text, size_t len, char *out, uint32_t *out_len)
{
	char *p = out;

	if (len < 2 || text[0] != '"' || text[len - 1] != '"')
		return false;
	for (size_t i = 1; i < len - 1; i++) {
		if (text[i] == '"' && (i + 1 >= len - 1 || text[++i] != '"'))
			return false;
		*p++ = text[i];
	}
	*out_len = (uint32_t)(p - out);
	return true;
}

/* The byte of the escape behind a backslash; *used: its characters. False: none of ours. */
static bool escaped_byte(const char *text, size_t left, char *byte, size_t *used)
{
	int high, low;

	*used = 1;
	/* strchr() finds the NUL at its end, too */
	if (left && strchr("\\nr", text[0]) && text[0]) {
		*byte = text[0] == 'n' ? '\n' : text[0] == 'r' ? '\r' : '\\';
		return true;
	}
	if (left < 3 || text[0] != 'x')
		return false;
	high = hex_digit(text[1]);
	low = hex_digit(text[2]);
	*byte = (char)(high * 16 + low);
	*used = 3;
	return high >= 0 && low >= 0;
}

bool parse_unescape(const char *text, size_t len, char *out, uint32_t *out_len)
{
	char *p = out;
	size_t used;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\\') {
			*p++ = text[i];
			continue;
		}
		if (!escaped_byte(text + i + 1, len - i - 1, p, &used))
			return false;
		p++;
		i += used;
	}
	*out_len = (uint32_t)(p - out);
	return true;
}
