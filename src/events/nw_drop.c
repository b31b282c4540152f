/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_drop: see nw_drop.h. Reasons and places are told by tables of the host. */
#include "events/nw_drop.h"

#include <errno.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/nw_drop.def"
#include "resolve/drop_reasons.h"
#include "row/flags_net.h"
#include "row/format.h"

EVENTS_ROW(nw_drop)

static void retransmit(struct events *ev, struct nw_drop_row *row)
{
	row->event = "TCP_RETRANSMIT";
	if (events_keeps(ev,
			 &(struct filter_row){ .stream = STREAM_nw_drop, .operation = row->event }))
		nw_drop_push(ev, row->rec->head.ts, row);
}

static void packet(struct events *ev, struct nw_drop_row *row)
{
	struct drops *drops = ev->state[STREAM_nw_drop];
	const struct iot_drop *rec = row->rec;

	row->event = "PACKET_DROP";
	if (drops && !drops_is_drop(drops, rec->reason)) {
		ev->totals.out_of_scope++;
		return;
	}
	if (drops) {
		row->reason = drops_reason(drops, rec->reason);
		row->place = drops_place(drops, rec->location, rec->caller);
	}
	if (events_keeps(ev,
			 &(struct filter_row){ .stream = STREAM_nw_drop, .operation = row->event }))
		nw_drop_push(ev, rec->head.ts, row);
}

static void handle_drop(struct events *ev, void *record, size_t len)
{
	const struct iot_drop *rec = record;
	bool ports = rec->known & IOT_DROP_PORTS;
	struct nw_drop_row row = {
		.rec = rec,
		.protocol = nw_ends_protocol(&rec->ends),
		.version = nw_ends_version(&rec->ends),
		.local = nw_ends_local(&rec->ends),
		.remote = nw_ends_remote(&rec->ends),
		.local_port = ports ? rec->ends.local_port : FORMAT_UNKNOWN,
		.remote_port = ports ? rec->ends.remote_port : FORMAT_UNKNOWN,
		.size = rec->known & IOT_DROP_SIZE ? rec->size : FORMAT_UNKNOWN,
		.state = { rec->state ? &flags_tcp_state : NULL, rec->state },
		.reason = "",
		.place = "",
	};

	(void)len;
	if (rec->event != IOT_DROP_RETRANSMIT && rec->event != IOT_DROP_PACKET)
		ev->totals.bad++;
	else if (!ev->wanted[STREAM_nw_drop])
		return;
	else if (rec->event == IOT_DROP_RETRANSMIT)
		retransmit(ev, &row);
	else
		packet(ev, &row);
}

/* Where dropped packets are traced: what the kernel calls the reasons. */
static int open_reasons(void **state, const struct plan *plan)
{
	if (!plan_needs(plan, USES_DROP_REASONS))
		return 0;
	*state = drops_open(plan->host);
	return *state ? 0 : -ENOMEM;
}

static void close_reasons(void *state)
{
	drops_close(state);
}

const struct stream_ops stream_nw_drop = {
	.records = {
		{ .type = IOT_REC_DROP, .least = sizeof(struct iot_drop), .handle = handle_drop },
	},
	.open = open_reasons,
	.close = close_reasons,
};
