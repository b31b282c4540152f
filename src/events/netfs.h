/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream netfs: requests to the servers of network file systems to rows. */
#pragma once

#include <stddef.h>

#include "events/nw_ends.h"

struct netfs_row {
	const struct iot_netfs *rec;
	const char *protocol;
	const char *operation;
	struct end server;
	u64 size; /* FORMAT_UNKNOWN, and so the next ones */
	u64 offset;
	u64 sent;
	u64 received;
	u64 sends;
	u64 ino; /* 0: none, as dev */
	u32 dev;
	int error;
	struct format_text path;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t netfs_row(char *out, const struct netfs_row *row);
