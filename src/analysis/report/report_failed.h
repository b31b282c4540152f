/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What failed: each kind of failure of each process on each file is an item of the tally. */
#pragma once

#include "analysis/report/report_fields.h"
#include "analysis/report/report_tally.h"
#include "row/parse.h"

/* So many of a tally by file and process; more are added up without these. */
enum { REPORT_MOST_FAILED = 16384 };

/* The parts of an item's name, in their order. */
enum report_failed_part { FAILED_OPERATION, FAILED_CALL, FAILED_ERROR, FAILED_PATH };

/* A row of the stream that failed: with this negative errno, or this name of one (0: it). call may be NULL. */
void report_failed(struct report_tally *tally, enum stream_id stream, const struct field *fields,
		   const struct field *operation, const struct field *call, int error,
		   const struct field *error_name);
