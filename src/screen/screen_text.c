/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what stands in place of a character that would move anything. */
#include "screen/screen_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

/* Marks that change the direction of what follows, and characters that cannot be seen. */
static bool is_hidden(wchar_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x061c;
}

/* Bytes taken */
static size_t take(const char *text, size_t len, wchar_t *c, int *width)
{
	mbstate_t state;
	size_t n;

	memset(&state, 0, sizeof(state));
	n = mbrtowc(c, text, len, &state);
	*width = 1;
	/* 0 is a NUL; errors of mbrtowc() are larger than any length */
	if (!n || n > len) {
		*c = L'?';
		return 1;
	}
	*width = wcwidth(*c);
	if (*width < 0 || is_hidden(*c) || (!*width && !iswprint((wint_t)*c))) {
		*c = L'?';
		*width = 1;
	}
	return n;
}

static unsigned width_of(const char *text, size_t len)
{
	unsigned width = 0;
	wchar_t c;
	int more;

	for (size_t at = 0; at < len; width += (unsigned)more)
		at += take(text + at, len - at, &c, &more);
	return width;
}

void screen_text(wchar_t out[SCREEN_TEXT_MAX], const char *text, size_t len, unsigned cells)
{
	unsigned all = width_of(text, len), n = 0, skip, skipped = 0;
	wchar_t c;
	int width;

	if (cells > SCREEN_TEXT_MAX / 2)
		cells = SCREEN_TEXT_MAX / 2;
	/* one cell more, for the mark that something is missing */
	skip = all > cells ? all - cells + 1 : 0;
	if (skip && cells)
		out[n++] = MB_CUR_MAX > 1 ? L'\x2026' : L'<';
	for (size_t at = 0; at < len && cells && n < SCREEN_TEXT_MAX - 1;) {
		at += take(text + at, len - at, &c, &width);
		if (skipped < skip)
			skipped += (unsigned)width;
		else
			out[n++] = c;
	}
	out[n] = L'\0';
}
