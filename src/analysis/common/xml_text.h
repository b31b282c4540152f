/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valid UTF-8 as the text, or as a quoted attribute, of an XML or HTML document. What XML has no
 * way to say (control characters, U+FFFE and U+FFFF), and a name may have, becomes U+FFFD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define XML_REPLACEMENT "\xef\xbf\xbd"

static inline bool xml_is_noncharacter(const char *text, size_t left)
{
	return left >= 3 && (!memcmp(text, "\xef\xbf\xbe", 3) || !memcmp(text, "\xef\xbf\xbf", 3));
}

static inline bool xml_is_control(char c)
{
	return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r';
}

static inline void xml_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			if (xml_is_noncharacter(&text[i], len - i)) {
				fputs(XML_REPLACEMENT, out);
				i += 2;
			} else if (xml_is_control(text[i])) {
				fputs(XML_REPLACEMENT, out);
			} else {
				fputc(text[i], out);
			}
		}
}

/* The end of a name, which tells more than its beginning: at most so many characters, behind an ellipsis. */
static inline void xml_text_end(FILE *out, const char *text, size_t len, size_t chars)
{
	const char *from = text + len;
	size_t n = 0;

	while (from > text && n < chars)
		n += ((unsigned char)*--from & 0xc0) != 0x80;
	if (from > text)
		fputs("…", out);
	xml_text(out, from, (size_t)(text + len - from));
}
