/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which rows of a directory are repeated, and what goes wrong on the way. */
#include "analysis/fio/fio_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/rows_seen.h"
#include "base/below.h"
#include "base/log.h"
#include "read/read_merge.h"

static const struct column_meaning meanings[] = {
	{ "ofd",
	  "open files go by process and descriptor, which dup, fork and passed descriptors confuse" },
	{ "offset", "reads and writes cannot be repeated" },
	{ "latency_ns", "how many calls ran at once is not known" },
	{ "call", "AIO and io_uring are not told apart from calls that wait" },
	{ NULL, NULL },
};

/* One reading of all rows. Both have the same filter, so that numbers of rows mean the same in both. */
struct pass {
	struct fio_reading *reading;
	const struct row_filter *filter;
	uint64_t from, to;
	struct rows_seen seen;
};

static bool is_chosen(const struct pass *p, const struct fio_row *row)
{
	return row->ns >= p->from && row->ns < p->to &&
	       row_filter_has_thread(p->filter, &(struct row_thread){ .pid_known = true,
								      .pid = row->pid,
								      .command = row->command,
								      .len = row->command_len,
								      .mono_ns = row->ns }) &&
	       row_filter_has_path(p->filter, row->path, row->path_len);
}

/* again: jobs are known by now, and rows become lines of their logs. The first error ends it. */
static int read_rows(struct pass *p, bool again)
{
	struct fio_reading *r = p->reading;
	struct read_merge *merge = read_merge_open(&r->session, &fio_query, 1);
	struct read_merged merged;
	struct fio_row row;

	if (!merge)
		return -ENOMEM;
	while (!r->fio.no_memory && !r->replay.no_memory && !r->replay.logs.err &&
	       read_merge_next(merge, &merged)) {
		if (!fio_row(merged.fields, &row) || !is_chosen(p, &row))
			continue;
		rows_seen_row(&p->seen, row.ns);
		if (again)
			fio_replay_row(&r->replay, &row);
		else
			fio_add(&r->fio, &row);
	}
	read_merge_totals(merge, 0, &p->seen.totals, &p->seen.columns);
	read_merge_close(merge);
	return r->fio.no_memory || r->replay.no_memory ? -ENOMEM : r->replay.logs.err;
}

static int begin(struct pass *p)
{
	struct wall wall;

	wall_make(&wall, &p->reading->session);
	return row_filter_begin(p->filter, &wall, &p->from, &p->to);
}

static int report_error(const char *dir, int err)
{
	if (err == -E2BIG)
		log_error(
			"%s: more than %d threads at once, which is as many jobs as fio takes: choose with -p, -c, --path, --from and --to",
			dir, FIO_MAX_JOBS);
	else
		log_error("%s: %s", dir, strerror(-err));
	return err;
}

int fio_reading_open(struct fio_reading *r, const char *dir, const struct row_filter *filter)
{
	struct pass p = { .reading = r, .filter = filter };
	int err = read_session_open(&r->session, dir);

	if (err)
		return err;
	read_session_host(&r->session, r->host);
	if (!r->session.streams[STREAM_fs].on) {
		log_error("%s: fs was not recorded there; record with -e fs", dir);
		return -ENOENT;
	}
	err = begin(&p);
	if (err)
		return err;
	err = read_rows(&p, false);
	if (!err)
		err = fio_make_jobs(&r->fio);
	r->gaps = rows_seen_gaps(&p.seen, &r->session, r->host, &fio_query, meanings);
	if (!err && !r->fio.n_jobs) {
		log_error("%s: no reads, writes or syncs of files to repeat", dir);
		return -ENOENT;
	}
	return err ? report_error(dir, err) : 0;
}

static int write_all(struct pass *p, const struct fio_plan *plan)
{
	struct fio_reading *r = p->reading;
	int logs_fd = below_folder(plan->out_fd, "logs");
	int err = logs_fd < 0 ? logs_fd : fio_logs_open(&r->replay.logs, logs_fd, r->fio.n_jobs);

	r->replay.fio = &r->fio;
	r->replay.logs.format = plan->format;
	/* one for all logs, so that jobs keep their distance in time */
	r->replay.logs.first_ns = r->fio.first_ns;
	r->replay.logs.into = plan->into;
	if (!err)
		err = read_rows(p, true);
	if (!err)
		err = fio_replay_end(&r->replay);
	if (logs_fd >= 0)
		close(logs_fd);
	return err ? err : fio_write(plan, &r->replay, &r->gaps, &r->laid);
}

int fio_reading_write(struct fio_reading *r, const struct row_filter *filter,
		      const struct fio_plan *plan)
{
	struct pass p = { .reading = r, .filter = filter };
	int err = begin(&p);

	if (!err) {
		err = write_all(&p, plan);
		if (err)
			log_error("%s: %s", plan->out, strerror(-err));
	}
	if (err)
		/* half of the jobs would run all the same, and repeat another load */
		fio_unwrite(plan, r->fio.n_jobs);
	return err;
}

int fio_reading_count(struct fio_reading *r, const struct row_filter *filter)
{
	struct pass p = { .reading = r, .filter = filter };
	int err = begin(&p);

	r->replay.fio = &r->fio;
	if (!err)
		err = fio_logs_open(&r->replay.logs, -1, r->fio.n_jobs);
	if (!err)
		err = read_rows(&p, true);
	return err ? report_error(r->session.dir, err) : 0;
}

void fio_reading_close(void *reading)
{
	struct fio_reading *r = reading;

	fio_replay_free(&r->replay);
	fio_free(&r->fio);
	read_session_close(&r->session);
}
