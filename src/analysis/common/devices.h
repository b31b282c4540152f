/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The block devices of the host of a trace, as its manifest lists them. */
#pragma once

#include <stdint.h>

#include "read/read_session.h"

/* Numbers are major << 20 | minor. */
struct device {
	uint64_t number;
	uint64_t disk; /* itself, or the one that it is a partition of */
	const char *name;
};

/* The zeroed one has none. */
struct devices {
	struct device *list; /* by number */
	size_t n;
};

/* Names stay the session's. Returns 0 or -ENOMEM. To be freed in any case. */
int devices_read(struct devices *devices, const struct read_session *session);
/* NULL: it is not listed. */
const struct device *devices_find(const struct devices *devices, uint64_t number);
void devices_free(struct devices *devices);
