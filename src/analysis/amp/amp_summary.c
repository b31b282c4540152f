/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the sums of processes that are fed while rows are on their way to the disk. Rows come in the
 * order of time, so that what a process runs is what was said of it last. Processes that have ended
 * are added to their systems after a while, which bounds the memory by those that run.
 */
#include "analysis/amp/amp_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/amp/amp_alert.h"
#include "analysis/amp/amp_print.h"
#include "analysis/amp/amp_rows.h"
#include "analysis/amp/amp_tasks.h"
#include "analysis/amp/live_processes.h"
#include "analysis/amp/programs.h"
#include "base/clock.h"
#include "read/layout.h"

enum {
	HEADER_SIZE = 4096,
	FORGET_AFTER = 1024, /* processes have ended */
	FORGET_EVERY_S = 30,
};

/* One stream's rows as text, to fields. */
struct row_reader {
	struct layout layout;
	struct split split;
	struct field fields[LAYOUT_MAX_COLUMNS];
};

struct amp_live {
	struct row_reader readers[N_STREAMS];
	const char *host;
	bool vfs;
	struct systems systems;
	struct live_processes processes;
	uint64_t now_ns, forgot_ns;
	struct amp_tasks tasks;
	struct amp_tasks second; /* of this second, for alerts */
	uint64_t second_ends;
	struct amp_alerts alerts;
	struct amp_groups done;   /* of processes that are forgotten */
	struct amp_groups groups; /* while tables are printed */
	bool no_memory;
	char scratch[SUMMARY_ROW_MAX];
};

/* ---- forgetting ---- */

static struct amp_host host_of(const struct amp_live *l, const struct amp_tasks *tasks)
{
	return (struct amp_host){ .name = l->host, .tasks = tasks, .vfs = l->vfs };
}

/* Sums of processes that are over go to their systems, the others to a table of their own size. */
static void forget(struct amp_live *l)
{
	struct amp_tasks over = { .n = 0 }, rest = { .n = 0 };
	struct amp_host host = host_of(l, &over);

	for (uint64_t i = 0; i < l->tasks.n_slots; i++)
		for (const struct amp_task *task = l->tasks.slots[i]; task; task = task->next)
			amp_tasks_put(live_process_is_over(&l->processes, task->pid, l->now_ns) ?
					      &over :
					      &rest,
				      task);
	l->no_memory = l->no_memory || l->tasks.no_memory || over.no_memory || rest.no_memory ||
		       amp_groups_add(&l->done, &host);
	amp_tasks_free(&over);
	amp_tasks_free(&l->tasks);
	l->tasks = rest;
	live_processes_drop(&l->processes, l->now_ns);
	l->forgot_ns = l->now_ns;
}

/* ---- rows ---- */

static void make_reader(struct row_reader *reader, enum stream_id stream,
			const struct read_column *columns, unsigned n)
{
	char header[HEADER_SIZE];
	size_t len = schema_header(stream, 0, header, sizeof(header) - SPLIT_PAD);

	split_row(header, len, &reader->split);
	layout_make(&reader->layout, columns, n, header, len - 1, &reader->split);
}

static void *open_amp(const struct summary_room *room)
{
	struct amp_live *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	if (systems_read_all(&l->systems, NULL)) {
		free(l);
		/* not for want of memory, and reported */
		errno = EINVAL;
		return NULL;
	}
	l->host = room->host;
	l->vfs = room->vfs;
	l->alerts.options = room->alerts;
	l->done.systems = l->groups.systems = &l->systems;
	/* no devices */
	for (unsigned i = AMP_FS; i <= AMP_DS; i++)
		make_reader(&l->readers[amp_queries[i].stream], amp_queries[i].stream,
			    amp_queries[i].columns, amp_queries[i].n_columns - 1);
	make_reader(&l->readers[STREAM_exec], STREAM_exec, programs_columns, PROGRAMS_N_COLUMNS);
	return l;
}

/* A second without rows is one in which nobody did anything. */
static void end_second(struct amp_live *l)
{
	static const struct amp_groups nothing;
	struct amp_groups groups = { .systems = &l->systems };
	const struct amp_host host = host_of(l, &l->second);

	if (l->second_ends && !amp_groups_add(&groups, &host))
		amp_alerts_look(&l->alerts, &groups);
	if (l->second_ends && l->now_ns >= l->second_ends + NS_PER_S)
		amp_alerts_look(&l->alerts, &nothing);
	amp_groups_free(&groups);
	amp_tasks_free(&l->second);
	l->second_ends = l->now_ns - l->now_ns % NS_PER_S + NS_PER_S;
}

static void watch_row(struct amp_live *l, const struct amp_key *key, enum amp_stream stream,
		      const struct field *f)
{
	struct amp_sums *sums;

	if (l->now_ns >= l->second_ends)
		end_second(l);
	sums = amp_task_sums(&l->second, key);
	if (sums)
		amp_row_add((struct amp_sums *const[]){ sums, sums }, stream, f);
}

static void take_row(struct amp_live *l, enum amp_stream stream, const struct field *f)
{
	struct amp_caller caller = amp_row_caller(stream, f);
	struct amp_key key = {
		.pid = caller.pid,
		.comm = caller.comm,
		.comm_len = caller.comm_len,
	};
	struct amp_sums *sums;

	if (!f[AMP_MONO].known || !amp_row_counts(stream, f) || amp_row_repeats(stream, f))
		return;
	if (f[AMP_MONO].u > l->now_ns)
		l->now_ns = f[AMP_MONO].u;
	key.program = live_processes_program(&l->processes, key.pid);
	sums = amp_task_sums(&l->tasks, &key);
	if (sums && !amp_row_add((struct amp_sums *const[]){ sums, sums }, stream, f))
		l->no_memory = true;
	if (l->alerts.options && l->alerts.options->n)
		watch_row(l, &key, stream, f);
}

static bool feed(void *self, enum stream_id stream, const char *row, size_t len)
{
	struct amp_live *l = self;
	struct row_reader *reader = &l->readers[stream];

	if (split_row(row, len, &reader->split) < 0 ||
	    !layout_row(&reader->layout, row, &reader->split, l->scratch, reader->fields))
		return false;
	if (stream == STREAM_exec)
		live_processes_take(&l->processes, reader->fields);
	else
		take_row(l, stream == STREAM_fs ? AMP_FS : AMP_DS, reader->fields);
	if (l->processes.n_ended >= FORGET_AFTER &&
	    l->now_ns > l->forgot_ns + FORGET_EVERY_S * NS_PER_S)
		forget(l);
	return true;
}

/* ---- tables ---- */

static int begin(void *self)
{
	struct amp_live *l = self;
	const struct amp_host host = host_of(l, &l->tasks);
	int err = amp_groups_join(&l->groups, &l->done, &host);

	if (!err)
		err = amp_groups_add(&l->groups, &host);
	amp_groups_sort(&l->groups);
	return l->no_memory || l->processes.no_memory || l->tasks.no_memory ? -ENOMEM : err;
}

static int print(void *self, unsigned table, FILE *out)
{
	const struct amp_view all = { .top = 0 };
	struct amp_live *l = self;

	(void)table;
	return amp_print_exact(out, &l->groups, &all, TABLE_CSV);
}

static void end(void *self)
{
	struct amp_live *l = self;

	amp_groups_free(&l->groups);
	l->groups.systems = &l->systems;
}

static json_t *schema(unsigned table)
{
	(void)table;
	return amp_print_schema();
}

static uint64_t room_taken(void *self)
{
	(void)self;
	return 0;
}

static json_t *account(void *self)
{
	const struct amp_live *l = self;

	return json_pack("{s:I, s:I}", "processes", (json_int_t)l->processes.n, "ended",
			 (json_int_t)l->processes.n_ended);
}

static void close_amp(void *self)
{
	struct amp_live *l = self;

	if (!l)
		return;
	live_processes_free(&l->processes);
	amp_tasks_free(&l->tasks);
	amp_tasks_free(&l->second);
	amp_alerts_free(&l->alerts);
	amp_groups_free(&l->done);
	systems_free(&l->systems);
	free(l);
}

const struct summary_kind amp_summary = {
	.name = "amp",
	.streams = { STREAM_fs, STREAM_ds, STREAM_exec },
	.n_streams = 3,
	.n_needed = 2,
	.tables = { { "amp", "what devices did for what applications asked, by storage system" } },
	.n_tables = 1,
	.open = open_amp,
	.row = feed,
	.begin = begin,
	.print = print,
	.end = end,
	.schema = schema,
	.room_taken = room_taken,
	.account = account,
	.close = close_amp,
};
