/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_epoll: waiting for descriptors to rows. */
#pragma once

#include <stddef.h>

#include "row/flags.h"
#include "row/records.h"

struct nw_epoll_row {
	const struct iot_poll *rec;
	u64 start;
	const char *event;
	struct flags op;
	struct flags mask;
	u64 max_events;
	s64 ready;
	u64 nfds; /* FORMAT_UNKNOWN */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t nw_epoll_row(char *out, const struct nw_epoll_row *row);
