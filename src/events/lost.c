/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream lost: see lost.h. It has no records of its own. */
#include "events/lost.h"

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/lost.def"

EVENTS_ROW(lost)

static void handle_loss(struct events *ev, unsigned class, enum lost_reason reason, int cpu,
			uint64_t count, uint64_t ts)
{
	struct lost_row row = {
		.when = ts,
		.stream = ledger_class_name(class),
		.reason = ledger_reason_name(reason),
		.count = count,
		.cpu = cpu,
		.factor = FORMAT_UNKNOWN,
		.kept = FORMAT_UNKNOWN,
	};

	lost_push(ev, ts, &row);
}

void events_thinned(struct events *ev, enum stream_id stream, const struct events_thin *thin,
		    uint64_t ts)
{
	struct lost_row row = {
		.when = ts,
		.stream = streams[stream].name,
		.reason = ledger_reason_name(LOST_BUDGET),
		.count = thin->left_out,
		.cpu = -1,
		.factor = thin->factor,
		.kept = thin->kept,
	};

	lost_push(ev, ts, &row);
}

const struct stream_ops stream_lost = {
	.loss = handle_loss,
};
