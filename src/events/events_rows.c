/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every stream does with a row that it made. */
#include "events/events_rows.h"

#include "events/order.h"

void events_push(struct events *ev, enum stream_id stream, uint64_t key, size_t len)
{
	if (ev->quiet && !schema_has(stream, ALWAYS_RECORDED))
		return;
	ev->totals.rows[stream]++;
	order_push(ev->outlets[stream].order, key, ev->text, len);
}

void events_push_values(struct events *ev, enum stream_id stream)
{
	const struct events_values *wanted = ev->wanted_values;

	if (ev->quiet && !schema_has(stream, ALWAYS_RECORDED))
		return;
	ev->totals.rows[stream]++;
	wanted->fn(wanted->arg, stream, ev->values[stream]);
}

void events_note_time(struct events *ev, enum stream_id stream, const struct slowest *operation,
		      const struct format_text *path)
{
	struct slowest *s = &ev->slowest[stream];

	if (!ev->quiet && slowest_is(s, operation->latency_ns, operation->mono_ns))
		slowest_set(s, operation, path);
}

bool events_keeps(struct events *ev, const struct filter_row *row)
{
	if (!ev->wanted[row->stream] || ev->quiet)
		return false;
	if (!ev->filter || filter_row(ev->filter, row))
		return true;
	ev->totals.filtered++;
	return false;
}

void events_unresolved(struct events *ev, enum stream_id stream, uint64_t ts)
{
	ledger_missed(ev->ledger, stream, LOST_UNRESOLVED, -1, ++ev->unresolved[stream], ts);
}

/* Files of mappings are closed after a process has left its namespaces. */
uint32_t events_mntns(struct events *ev, uint32_t tgid, uint32_t seen)
{
	uint32_t at = tgid * 2654435761u >> (32 - EVENTS_MNTNS_BITS);

	if (seen) {
		ev->last_mntns[at].tgid = tgid;
		ev->last_mntns[at].mntns = seen;
	} else if (ev->last_mntns[at].tgid == tgid) {
		seen = ev->last_mntns[at].mntns;
	}
	return seen;
}
