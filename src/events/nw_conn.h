/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_conn: the life of connections to rows. */
#pragma once

#include <stddef.h>

#include "events/nw_ends.h"
#include "row/flags.h"
#include "row/records.h"

struct nw_conn_row {
	const struct iot_conn *rec;
	u64 start;
	const char *event;
	struct flags domain;
	struct flags type;
	unsigned version;
	struct end local;
	struct end remote;
	u64 local_port; /* FORMAT_UNKNOWN */
	u64 remote_port;
	s64 backlog; /* FORMAT_NO_VALUE */
	struct flags how;
	struct flags protocol;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t nw_conn_row(char *out, const struct nw_conn_row *row);
