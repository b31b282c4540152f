/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a session directory is written, and the limits it keeps to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/packing.h"
#include "row/schema.h"

struct write_options {
	const char *dir;
	uint64_t rotate_size;   /* bytes before compression; 0: never */
	unsigned rotate_time_s; /* 0: never */
	uint64_t rotate_rows;   /* 0: never */
	enum packing packing;
	struct schema_omitted omitted; /* columns that the rows do not have */
	uint64_t max_disk;             /* bytes of the whole directory; 0: no limit */
	uint64_t min_free;             /* bytes to leave on the file system; 0: no limit */
	bool shared;                   /* what is written may be read by this group */
	gid_t group;
};
