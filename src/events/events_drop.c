/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_drop: segments sent again and dropped packets to rows. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include "resolve/drop_reasons.h"

static void retransmit(struct events *ev, struct nw_drop_row *row)
{
	row->event = "TCP_RETRANSMIT";
	if (events_keeps(ev,
			 &(struct filter_row){ .stream = STREAM_nw_drop, .operation = row->event }))
		events_push(ev, STREAM_nw_drop, row->rec->head.ts, row_nw_drop(ev->text, row));
}

static void packet(struct events *ev, struct nw_drop_row *row)
{
	const struct iot_drop *rec = row->rec;

	row->event = "PACKET_DROP";
	if (ev->drops && !drops_is_drop(ev->drops, rec->reason)) {
		ev->totals.out_of_scope++;
		return;
	}
	if (ev->drops) {
		row->reason = drops_reason(ev->drops, rec->reason);
		row->place = drops_place(ev->drops, rec->location);
	}
	if (events_keeps(ev,
			 &(struct filter_row){ .stream = STREAM_nw_drop, .operation = row->event }))
		events_push(ev, STREAM_nw_drop, rec->head.ts, row_nw_drop(ev->text, row));
}

void events_drop(struct events *ev, const struct iot_drop *rec)
{
	bool ports = rec->known & IOT_DROP_PORTS;
	struct nw_drop_row row = {
		.rec = rec,
		.protocol = events_protocol(&rec->ends),
		.version = events_ip_version(&rec->ends),
		.local = events_local_end(&rec->ends),
		.remote = events_remote_end(&rec->ends),
		.local_port = ports ? rec->ends.local_port : FORMAT_UNKNOWN,
		.remote_port = ports ? rec->ends.remote_port : FORMAT_UNKNOWN,
		.size = rec->known & IOT_DROP_SIZE ? rec->size : FORMAT_UNKNOWN,
		.state = { rec->state ? &flags_tcp_state : NULL, rec->state },
		.reason = "",
		.place = "",
	};

	if (rec->event != IOT_DROP_RETRANSMIT && rec->event != IOT_DROP_PACKET)
		ev->totals.bad++;
	else if (!ev->wanted[STREAM_nw_drop])
		return;
	else if (rec->event == IOT_DROP_RETRANSMIT)
		retransmit(ev, &row);
	else
		packet(ev, &row);
}
