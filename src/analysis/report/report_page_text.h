/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of the page, which are files of the source. */
#pragma once

extern const char report_page_css[], report_page_js[];
