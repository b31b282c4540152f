/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_sockopt: see nw_sockopt.h. */
#include "events/nw_sockopt.h"

#include <string.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/nw_sockopt.def"
#include "row/anon.h"
#include "row/format.h"
#include "row/sockopt.h"

static char *put_option(char *p, const struct iot_opt *rec)
{
	return sockopt_text(p, rec->level, rec->name, rec->value, rec->known);
}

EVENTS_ROW(nw_sockopt)

static void handle_call(struct events *ev, void *record, size_t len)
{
	const struct iot_opt *rec = record;
	char level[SOCKOPT_NAME_MAX], name[SOCKOPT_NAME_MAX];
	struct nw_sockopt_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.event = rec->event == IOT_OPT_SET ? "SET" : "GET",
		.level = sockopt_level(level, sizeof(level), rec->level),
		.name = sockopt_name(name, sizeof(name), rec->level, rec->name),
		.value = FORMAT_NO_VALUE,
	};
	int32_t value;

	(void)len;
	if ((rec->event != IOT_OPT_SET && rec->event != IOT_OPT_GET) ||
	    rec->known > IOT_OPT_BYTES) {
		ev->totals.bad++;
		return;
	}
	if (rec->known >= sizeof(value) &&
	    !(anon_on() && sockopt_is_secret(rec->level, rec->name))) {
		memcpy(&value, rec->value, sizeof(value));
		row.value = value;
	}
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_sockopt,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		nw_sockopt_push(ev, row.start, &row);
}

const struct stream_ops stream_nw_sockopt = {
	.records = {
		{ .type = IOT_REC_OPT, .least = sizeof(struct iot_opt), .handle = handle_call },
	},
};
