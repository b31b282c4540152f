/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what requests to servers count as, by server and operation. Their bytes are those of calls on files: no sum
 * of a process has them twice.
 */
#include "analysis/report/report_rows_servers.h"

#include <stdio.h>

#include "analysis/report/report_failed.h"
#include "analysis/report/report_fields.h"

static struct report_item *server_of(struct report_tally *tally, const struct field *f)
{
	struct report_key key = { .kind = REPORT_SERVER };
	char name[200];

	key.name = name;
	key.len = (size_t)snprintf(name, sizeof(name), "%.*s%c%.*s%c%.*s",
				   f[NETFS_SERVER].len > 64 ? 64 : (int)f[NETFS_SERVER].len,
				   f[NETFS_SERVER].text, '\0',
				   f[NETFS_PROTOCOL].len > 40 ? 40 : (int)f[NETFS_PROTOCOL].len,
				   f[NETFS_PROTOCOL].text, '\0',
				   f[NETFS_OPERATION].len > 40 ? 40 : (int)f[NETFS_OPERATION].len,
				   f[NETFS_OPERATION].text);
	return report_item(tally, &key);
}

void report_take_netfs(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	struct report_item *item = server_of(tally, f);
	bool failed = f[NETFS_ERROR].known;

	report_operation(tally, source->stream, f, &f[NETFS_OPERATION], &f[NETFS_LATENCY], failed,
			 over);
	if (failed)
		report_failed(tally, source->stream, f, &f[NETFS_OPERATION], NULL, 0,
			      &f[NETFS_ERROR]);
	if (!item)
		return;
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += failed;
	item->values[REPORT_RESENT] += f[NETFS_SENDS].u > 1 ? f[NETFS_SENDS].u - 1 : 0;
	report_move_bytes(item, f[NETFS_RECEIVED].known, false, f[NETFS_RECEIVED].u);
	report_move_bytes(item, false, f[NETFS_SENT].known, f[NETFS_SENT].u);
	item->values[REPORT_QUEUE_NS] += f[NETFS_QUEUE].u;
	item->values[REPORT_QUEUED] += f[NETFS_QUEUE].known;
	item->values[REPORT_SERVER_NS] += f[NETFS_TIME].u;
	if (f[NETFS_LATENCY].known) {
		report_item_time(item, f[NETFS_LATENCY].u);
		report_item_latency(tally, item, f[NETFS_LATENCY].u);
	}
}
