/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a row is, and whether the filters leave it. */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/report/report.h"
#include "read/layout.h"

/* Whose a row is: the caller, or who caused a request. */
struct report_caller {
	const struct field *pid;
	const struct field *command;
};

struct report_caller report_caller(enum stream_id stream, const struct field *f);

/* The row passes all filters except that of paths. */
bool report_chooses(const struct report *report, const struct row_filter *filter,
		    enum stream_id stream, const struct field *fields);
