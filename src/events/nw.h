/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw: bytes sent and received to rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events/nw_ends.h"
#include "row/flags.h"
#include "row/records.h"

struct nw_row {
	const struct iot_net *rec;
	u64 start;
	struct flags protocol;
	unsigned version;
	struct end local;
	struct end remote;
	const char *direction;
	struct flags msg_flags;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t nw_row(char *out, const struct nw_row *row);

struct events;

/* A read or write of a socket that is followed is a row here. True when it was one. */
bool nw_data(struct events *ev, const struct iot_fs *rec);
