/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a load was, and what fio made of its profile, side by side. */
#pragma once

#include <stdio.h>

#include "analysis/common/table.h"
#include "analysis/fio/fio_read.h"

/* Sums of a trace that was read twice. */
struct fio_sums {
	struct fio_shape shape;
	/* from the first call to the end of the last one */
	uint64_t span_ns;
	bool has_devices; /* ds was recorded: */
	uint64_t requests, request_bytes, request_ns;
};

/* Returns 0 or -ENOMEM. */
int fio_sums_make(struct fio_sums *sums, const struct fio_reading *reading);
/* How many of the measures are not within 10 % goes to *apart. Returns 0 or -ENOMEM. */
int fio_check_print(FILE *out, const struct fio_sums *before, const struct fio_sums *after,
		    unsigned *apart);
