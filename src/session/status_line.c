/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the line's text and when it is written again. */
#include "session/status_line.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

void status_line_show(struct status_line *line, struct events *events,
		      const struct write_totals *written, uint64_t now_ns)
{
	double seconds = line->shown_ns ? (double)(now_ns - line->shown_ns) / NS_PER_S : 1;
	const struct events_totals *totals = events_totals(events);
	struct ledger *ledger = events_ledger(events);
	uint64_t lost = 0;
	char text[256];
	int n = 0;

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (!schema_has(i, ALWAYS_RECORDED) && totals->rows[i])
			n += snprintf(text + n, sizeof(text) - n, "%s %.0f/s  ", streams[i].name,
				      (totals->rows[i] - line->rows[i]) / seconds);
	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		lost += ledger_lost(ledger, class, LOST_RING);
	snprintf(text + n, sizeof(text) - n, "lost %llu  disk %.1f MB", (unsigned long long)lost,
		 written->disk_bytes / 1e6);
	log_status("%s", text);
	line->shown_ns = now_ns;
	memcpy(line->rows, totals->rows, sizeof(line->rows));
}
