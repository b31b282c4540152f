/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how a name and a number become safe text of a page. */
#include "analysis/report/report_page.h"

#include <string.h>

#include "analysis/common/xml_text.h"

void report_page_text(struct report_page *page, const char *text, size_t len)
{
	const char *plain = table_escaped(&page->text, text, len, &len);

	if (len > REPORT_PAGE_NAME) {
		plain += len - REPORT_PAGE_NAME;
		len = REPORT_PAGE_NAME;
		/* not within a character */
		for (; len && ((unsigned char)*plain & 0xc0) == 0x80; plain++)
			len--;
		fputs("…", page->out);
	}
	xml_text(page->out, plain, len);
}

void report_page_string(struct report_page *page, const char *text)
{
	report_page_text(page, text, strlen(text));
}

void report_page_number(struct report_page *page, enum table_type type, uint64_t u)
{
	char number[TABLE_NUMBER_SIZE];

	table_for_people(number, type, u);
	fputs(number, page->out);
}
