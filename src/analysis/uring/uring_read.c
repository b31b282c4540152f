/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from a directory to the sums of its rings: rows of iouring in their order. */
#include "analysis/uring/uring_read.h"

#include <errno.h>
#include <string.h>

#include "analysis/common/rows_seen.h"
#include "base/log.h"
#include "read/read_merge.h"

static const struct column_meaning meanings[] = {
	{ "sq_fill", "how full submission queues were is not known" },
	{ "cq_fill", "how full completion queues were is not known" },
	{ "worker", "of a chain that a worker ran, only its first request counts for it" },
	{ "sqe_flags", "links are not known" },
	{ "filename", "files are not known" },
	{ "latency_ns", "requests with several completions count as several" },
	{ NULL, NULL },
};

static int column(const char *name)
{
	unsigned i = 0;

	while (strcmp(uring_query.columns[i].name, name))
		i++;
	return (int)i;
}

static int read_rows(struct uring_reading *r, const struct row_filter *filter, uint64_t from,
		     uint64_t to, struct uring *u)
{
	struct read_merge *merge = read_merge_open(&r->session, &uring_query, 1);
	int pid = column("pid"), command = column("command");
	struct rows_seen seen = { .rows = 0 };
	struct read_merged row;

	if (!merge)
		return -ENOMEM;
	while (!u->no_memory && read_merge_next(merge, &row)) {
		const struct field *f = row.fields;

		if (row.mono_ns < from || row.mono_ns >= to ||
		    !row_filter_has_thread(filter, &(struct row_thread){ .pid_known = f[pid].known,
									 .pid = f[pid].u,
									 .command = f[command].text,
									 .len = f[command].len,
									 .mono_ns = row.mono_ns }))
			continue;
		rows_seen_row(&seen, row.mono_ns);
		uring_row(u, f);
	}
	read_merge_totals(merge, 0, &seen.totals, &seen.columns);
	r->gaps = rows_seen_gaps(&seen, &r->session, r->host, &uring_query, meanings);
	read_merge_close(merge);
	/* requests of the next directory are others, whatever their addresses */
	uring_end(u);
	return u->no_memory ? -ENOMEM : 0;
}

/*
 * Rings and processes of two directories are not the same ones; files, opcodes and hosts may
 * be. Groups are found by the address of their host's name.
 */
static const char *host_of(struct uring *u, const char *host)
{
	for (unsigned i = 0; u->by != URING_BY_RING && u->by != URING_BY_PROCESS &&
			     u->by != URING_BY_CONTAINER && i < u->n_groups;
	     i++)
		if (!strcmp(u->groups[i].host, host))
			return u->groups[i].host;
	return pool_text(&u->pool, host, strlen(host));
}

int uring_reading_open(struct uring_reading *r, const char *dir, const struct row_filter *filter,
		       struct uring *u)
{
	uint64_t from, to;
	struct wall wall;
	int err = read_session_open(&r->session, dir);

	if (err)
		return err;
	read_session_host(&r->session, r->host);
	if (!r->session.streams[STREAM_iouring].on) {
		log_error("%s: iouring was not recorded there; record with -e iouring", dir);
		return -ENOENT;
	}
	wall_make(&wall, &r->session);
	err = row_filter_begin(filter, &wall, &from, &to);
	if (err)
		return err;
	u->in = filter->in;
	u->host = host_of(u, r->host);
	err = u->host ? read_rows(r, filter, from, to, u) : -ENOMEM;
	if (err)
		log_error("%s: %s", dir, strerror(-err));
	return err;
}
