/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_epoll: see nw_epoll.h. */
#include "events/nw_epoll.h"

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/nw_epoll.def"
#include "row/flags_net.h"
#include "row/format.h"

/* ns as ms: whole ones mostly, for ever as -1 */
static char *put_timeout(char *p, s64 ns)
{
	if (ns == IOT_POLL_NO_TIMEOUT)
		return p;
	if (ns < 0)
		return put_word(p, "-1");
	return ns % 1000000 ? put_ms_opt(p, ns) : put_u(p, ns / 1000000);
}

EVENTS_ROW(nw_epoll)

static void handle_call(struct events *ev, void *record, size_t len)
{
	static const char *const words[IOT_N_POLL_EVENTS] = {
		[IOT_POLL_CREATE] = "EPOLL_CREATE", [IOT_POLL_CTL] = "EPOLL_CTL",
		[IOT_POLL_WAIT] = "EPOLL_WAIT",     [IOT_POLL_POLL] = "POLL",
		[IOT_POLL_SELECT] = "SELECT",
	};
	const struct iot_poll *rec = record;
	bool waits = rec->event >= IOT_POLL_WAIT;
	struct nw_epoll_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.op = { rec->event == IOT_POLL_CTL ? &flags_epoll_op : NULL, rec->op },
		.mask = { rec->mask ? &flags_epoll : NULL, rec->mask },
		.max_events = rec->event == IOT_POLL_WAIT ? rec->max_events : 0,
		.ready = waits ? rec->ret : 0,
		.nfds = rec->event > IOT_POLL_WAIT ? rec->nfds : FORMAT_UNKNOWN,
	};

	(void)len;
	if (rec->event == 0 || rec->event >= IOT_N_POLL_EVENTS) {
		ev->totals.bad++;
		return;
	}
	row.event = words[rec->event];
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_epoll,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		nw_epoll_push(ev, row.start, &row);
}

const struct stream_ops stream_nw_epoll = {
	.records = {
		{ .type = IOT_REC_POLL, .least = sizeof(struct iot_poll), .handle = handle_call },
	},
};
