/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a directory must have, and how much of it there is. */
#include "analysis/why/why_read.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

static int read_all(struct why_reading *r, const struct row_filter *filter, uint64_t memory,
		    struct why *why)
{
	struct why_rows rows = {
		.filter = filter,
		.min_latency = why->min_latency,
		.names = &why->names,
		.model = { .settled = why_settled, .thread = why_thread_seen, .arg = why }
	};
	struct wall wall;
	int err;

	why->in = filter->in;
	wall_make(&wall, &r->session);
	err = row_filter_begin(filter, &wall, &rows.from, &rows.to);
	if (err)
		return err;
	err = why_rows_open(&rows, &r->session, memory, wall.start_ns);
	while (!err && !why->no_memory && why_rows_next(&rows))
		;
	if (!err) {
		r->gaps = why_rows_gaps(&rows, r->host);
		r->early = rows.model.early;
		r->n_alone = rows.n_alone;
		err = why_rows_no_memory(&rows) || why->no_memory ? -ENOMEM : 0;
	}
	why_rows_close(&rows);
	return err;
}

int why_reading_open(struct why_reading *r, const char *dir, const struct row_filter *filter,
		     uint64_t memory, struct why *why)
{
	int err = read_session_open(&r->session, dir);

	if (err)
		return err;
	read_session_host(&r->session, r->host);
	if (!r->session.streams[STREAM_fs].on) {
		log_error("%s: fs was not recorded there; record with -e why", dir);
		return -ENOENT;
	}
	r->has_sched = r->session.streams[STREAM_sched].on;
	r->has_ds = r->session.streams[STREAM_ds].on;
	why->has_servers = why->has_servers || r->session.streams[STREAM_netfs].on;
	why->host = pool_text(&why->pool, r->host, strlen(r->host));
	err = why->host ? read_all(r, filter, memory, why) : -ENOMEM;
	if (err == -ENOMEM)
		log_error("%s: %s", dir, strerror(ENOMEM));
	return err;
}
