/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a terminal is never given. The one place that decides it, for every text that people read. */
#include "base/plain.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned code_of(const unsigned char *s, size_t n)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned code = s[0] & masks[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

/* Controls, separators of lines, and marks of direction (Unicode's Bidi_Control). */
static bool is_harmful(unsigned c)
{
	return c < ' ' || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* The character's length; *harmful: it is none, or must not be shown. */
static size_t next(const unsigned char *s, size_t left, bool *harmful)
{
	size_t n = utf8_length(s, left);

	*harmful = !n || is_harmful(code_of(s, n));
	return n ? n : 1;
}

size_t plain_harmful(const char *text, size_t left, unsigned *code)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = utf8_length(s, left);

	*code = n ? code_of(s, n) : 0;
	return n && is_harmful(*code) ? n : 0;
}

static bool is_plain(const unsigned char *s, size_t len)
{
	bool harmful = false;

	for (size_t i = 0; i < len && !harmful;)
		i += next(s + i, len - i, &harmful);
	return !harmful;
}

char *plain_put_byte(char *p, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	*p++ = '\\';
	if (c == '\n' || c == '\r') {
		*p++ = c == '\n' ? 'n' : 'r';
		return p;
	}
	*p++ = 'x';
	*p++ = hex[c >> 4];
	*p++ = hex[c & 15];
	return p;
}

size_t plain_text(char *out, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	bool harmful;
	char *p = out;
	size_t n;

	if (!len)
		return 0;
	if (is_plain(s, len)) {
		memcpy(out, text, len);
		return len;
	}
	for (size_t i = 0; i < len; i += n) {
		n = next(s + i, len - i, &harmful);
		for (size_t j = i; harmful && j < i + n; j++)
			p = plain_put_byte(p, s[j]);
		if (harmful)
			continue;
		if (s[i] == '\\')
			*p++ = '\\';
		memcpy(p, s + i, n);
		p += n;
	}
	return (size_t)(p - out);
}

void plain_write(FILE *out, const char *text, size_t len)
{
	char small[1024], *room = small;

	if (!len)
		return;
	if (is_plain((const unsigned char *)text, len)) {
		fwrite(text, 1, len, out);
		return;
	}
	if (PLAIN_ROOM(len) > sizeof(small))
		room = malloc(PLAIN_ROOM(len));
	if (room)
		fwrite(room, 1, plain_text(room, text, len), out);
	else
		fputc('?', out);
	if (room != small)
		free(room);
}

void plain_put(FILE *out, const char *text)
{
	if (text)
		plain_write(out, text, strlen(text));
}

void plain_printf(FILE *out, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	plain_write(out, text, (size_t)n);
	free(text);
}
