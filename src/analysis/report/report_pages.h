/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file the pages are of that rows of stream cache tell by an inode. */
#pragma once

#include "analysis/report/report.h"

/* After all rows, with the session still open: those of an inode that was several files are read again. */
void report_join_pages(struct report *report, const struct row_filter *filter);
