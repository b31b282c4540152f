/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of what was read and written was in memory. */
#pragma once

#include "analysis/report/report.h"

struct report_memory {
	uint64_t asked;   /* bytes that applications read of files */
	uint64_t came;    /* of these, from devices */
	uint64_t unnamed; /* devices read so many for files that are not known */
	uint64_t written; /* by applications */
	uint64_t waiting; /* of these, at most so many had not reached a device at the end */
};

/* False: it is not known. */
bool report_memory(const struct report *r, struct report_memory *memory);
