/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of requests to servers of network file systems. */
#pragma once

#include "analysis/report/report_take.h"

/* Parts of the name of an item REPORT_SERVER */
enum { SERVER_ADDRESS, SERVER_PROTOCOL, SERVER_OPERATION };

void report_take_netfs(struct report_tally *tally, const struct report_source *source,
		       const struct field *fields, uint64_t *over);
