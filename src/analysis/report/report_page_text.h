/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of the page, which are files of the source. */
#ifndef IOT_REPORT_PAGE_TEXT_H
#define IOT_REPORT_PAGE_TEXT_H

extern const char report_page_css[], report_page_js[];

#endif
