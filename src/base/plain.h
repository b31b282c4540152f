/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for people, from anybody: names of files and threads, manifests of others. What could move
 * a terminal's cursor, change its colours or the order of what is shown does not get there: control
 * characters (C0, DEL, C1), marks of direction, line separators and bytes that are no UTF-8 become
 * \xHH, line ends \n and \r; a text that needs that has its backslashes doubled.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Length of the valid UTF-8 sequence at s (RFC 3629), 0 when there is none. */
static inline size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n;
	unsigned char low = 0x80, high = 0xbf;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (left < n)
		return 0;
	/*
	 * Of the second byte: no longer form than needed (e0, f0), no half of a surrogate
	 * pair (ed), nothing beyond U+10FFFF (f4).
	 */
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* A byte that is not text: \\n, \\r or \\xHH. Returns its end. */
char *plain_put_byte(char *p, unsigned char c);

/* Bytes that out needs for a text of len. */
#define PLAIN_ROOM(len) (4 * (len))

/* Returns how many were written; no NUL. out and text do not overlap. */
size_t plain_text(char *out, const char *text, size_t len);

/*
 * Bytes of a character at s that is one of these, and which it is; 0: it is none, or no character.
 * JSON has another way to write it, \uXXXX, and means the same.
 */
size_t plain_harmful(const char *s, size_t left, unsigned *code);

void plain_write(FILE *out, const char *text, size_t len);
/* NULL: nothing */
void plain_put(FILE *out, const char *text);
/* Printf, and the result as above, its line ends as well. */
void plain_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
