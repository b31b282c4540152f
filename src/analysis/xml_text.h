/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valid UTF-8 as the text, or as a quoted attribute, of an XML or HTML document. */
#ifndef IOT_XML_TEXT_H
#define IOT_XML_TEXT_H

#include <stddef.h>
#include <stdio.h>

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
			fputc(text[i], out);
		}
}

#endif
