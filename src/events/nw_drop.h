/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_drop: retransmitted segments and dropped packets to rows. */
#pragma once

#include <stddef.h>

#include "events/nw_ends.h"
#include "row/flags.h"
#include "row/records.h"

struct nw_drop_row {
	const struct iot_drop *rec;
	const char *event;
	struct flags protocol;
	unsigned version;
	struct end local;
	struct end remote;
	u64 local_port; /* FORMAT_UNKNOWN */
	u64 remote_port;
	u64 size; /* FORMAT_UNKNOWN */
	struct flags state;
	const char *reason;
	const char *place;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t nw_drop_row(char *out, const struct nw_drop_row *row);
