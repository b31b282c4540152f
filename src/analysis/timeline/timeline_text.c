/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is a character of UTF-8. */
#include "analysis/timeline/timeline_text.h"

#include <string.h>

/* Length of the UTF-8 character at text; 0: there is none, or one that ends texts. */
static size_t character(const unsigned char *text, size_t len)
{
	size_t n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : 4;

	if (n == 1)
		return text[0] != 0;
	if (n > len || text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (text[i] >> 6 != 2)
			return 0;
	/* too long a form, surrogates, and what is above U+10FFFF */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return n;
}

size_t timeline_utf8(char *to, size_t size, const char *text, size_t len)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t used = 0;

	for (size_t i = 0, n; i < len; i += n) {
		n = character(t + i, len - i);
		if (used + (n ? n : 3) > size)
			break;
		memcpy(to + used, n ? text + i : "\xef\xbf\xbd", n ? n : 3);
		used += n ? n : 3;
		n += !n;
	}
	return used;
}
