/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of devices. */
#pragma once

#include "analysis/report/report_take.h"

void report_take_ds(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over);
void report_take_bio(struct report_tally *tally, const struct report_source *source,
		     const struct field *f, uint64_t *over);
