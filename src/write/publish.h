/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One closed segment from its .part name to its final one: durable, with a
 * checksum, compressed when that works out.
 */
#pragma once

#include <stdbool.h>

#include "base/packing_copy.h"
#include "write/manifest.h"

struct publish_options {
	const char *dir; /* for messages */
	int dir_fd;
	enum packing packing;
	bool sync;                      /* through to the disk, names included */
	packing_go_on_fn *may_compress; /* asked before and during compression */
	void *arg;
};

/*
 * segment->file is the final name of a plain segment and becomes the real one;
 * bytes, sha256 and compressed are filled in. fd (left open) reads the .part.
 * Returns 0, or -errno when the file could not get its name (not reported).
 * *sync_err is 0 or -errno of the sync alone (reported): the file is there, but
 * may not be whole after a power cut.
 */
int publish_segment(const struct publish_options *options, struct manifest_segment *segment, int fd,
		    int *sync_err);
