/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows a second of each stream, losses and disk, on a line of the terminal that is written over. */
#pragma once

#include <stdint.h>

#include "events/events.h"
#include "write/write.h"

/* What the line before said; zero-filled: nothing yet. */
struct status_line {
	uint64_t shown_ns;
	uint64_t rows[N_STREAMS];
};

void status_line_show(struct status_line *line, struct events *events,
		      const struct write_totals *written, uint64_t now_ns);
