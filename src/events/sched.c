/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream sched: see sched.h. */
#include "events/sched.h"

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/sched.def"
#include "row/format.h"

EVENTS_ROW(sched)

static u64 known(const struct iot_run *rec, u32 what, u64 value)
{
	return rec->known & what ? value : FORMAT_UNKNOWN;
}

static void handle_run(struct events *ev, void *record, size_t len)
{
	const struct iot_run *rec = record;
	struct sched_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->run,
		.state = { &flags_task_state, rec->state },
		.run = known(rec, IOT_RUN_TIME, rec->run),
		.sleep = known(rec, IOT_RUN_SLEEP, rec->sleep),
		.delay = known(rec, IOT_RUN_DELAY, rec->delay),
	};

	(void)len;
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_sched, .operation = "RUN" }))
		sched_push(ev, row.start, &row);
}

const struct stream_ops stream_sched = {
	.records = {
		{ .type = IOT_REC_RUN, .least = sizeof(struct iot_run), .handle = handle_run },
	},
};
