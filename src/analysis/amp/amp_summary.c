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
#include "analysis/common/hash.h"
#include "analysis/amp/programs.h"
#include "base/clock.h"
#include "read/layout.h"

enum {
	HEADER_SIZE = 4096,
	MIN_SLOTS = 256,
	FORGET_AFTER = 1024, /* processes have ended */
	LINGER_S = 60,       /* its last requests complete, and its last calls are told */
	FORGET_EVERY_S = 30,
};

/* One stream's rows as text, to fields. */
struct row_reader {
	struct layout layout;
	struct split split;
	struct field fields[LAYOUT_MAX_COLUMNS];
};

struct process {
	struct process *next; /* in its slot */
	uint64_t pid;
	const char *program; /* NULL: not known */
	uint64_t ended_ns;   /* 0: it has not */
};

/* A path that some process ran; each has one place. */
struct path {
	struct path *next;
	char text[];
};

struct amp_live {
	struct row_reader readers[N_STREAMS];
	const char *host;
	bool vfs;
	struct systems systems;
	struct process **processes;
	uint64_t n_processes, n_slots, n_ended, now_ns, forgot_ns;
	struct path *paths[1024];
	struct amp_tasks tasks;
	struct amp_tasks second; /* of this second, for alerts */
	uint64_t second_ends;
	struct amp_alerts alerts;
	struct amp_groups done;   /* of processes that are forgotten */
	struct amp_groups groups; /* while tables are printed */
	bool no_memory;
	char scratch[SUMMARY_ROW_MAX];
};

/* ---- processes ---- */

static bool grow(struct amp_live *l)
{
	uint64_t n_slots = l->n_slots ? 2 * l->n_slots : MIN_SLOTS;
	struct process **slots = calloc(n_slots, sizeof(struct process *));

	if (!slots)
		return false;
	for (uint64_t i = 0; i < l->n_slots; i++)
		for (struct process *process = l->processes[i], *next; process; process = next) {
			uint64_t at = hash_mix(1, process->pid) % n_slots;

			next = process->next;
			process->next = slots[at];
			slots[at] = process;
		}
	free(l->processes);
	l->processes = slots;
	l->n_slots = n_slots;
	return true;
}

static struct process *find_process(const struct amp_live *l, uint64_t pid)
{
	struct process *process = l->n_slots ? l->processes[hash_mix(1, pid) % l->n_slots] : NULL;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct process *process_of(struct amp_live *l, uint64_t pid)
{
	struct process *process = find_process(l, pid);

	if (process)
		return process;
	process = l->n_processes < l->n_slots || grow(l) ? calloc(1, sizeof(*process)) : NULL;
	if (!process) {
		l->no_memory = true;
		return NULL;
	}
	process->pid = pid;
	process->next = l->processes[hash_mix(1, pid) % l->n_slots];
	l->processes[hash_mix(1, pid) % l->n_slots] = process;
	l->n_processes++;
	return process;
}

static const char *keep_path(struct amp_live *l, const char *text, size_t len)
{
	struct path **slot =
		&l->paths[hash_text(1, text, len) % (sizeof(l->paths) / sizeof(l->paths[0]))];
	struct path *path;

	for (path = *slot; path; path = path->next)
		if (!strncmp(path->text, text, len) && !path->text[len])
			return path->text;
	path = malloc(sizeof(*path) + len + 1);
	if (!path) {
		l->no_memory = true;
		return NULL;
	}
	memcpy(path->text, text, len);
	path->text[len] = '\0';
	path->next = *slot;
	*slot = path;
	return path->text;
}

static void take_exec(struct amp_live *l, const struct field *f)
{
	enum programs_event event = programs_event(f);
	struct process *process, *parent;

	if (event == PROGRAMS_OTHER)
		return;
	process = process_of(l, f[PROGRAMS_PID].u);
	if (!process)
		return;
	if (event == PROGRAMS_EXIT) {
		l->n_ended += !process->ended_ns;
		process->ended_ns = f[PROGRAMS_MONO].u;
		return;
	}
	/* the number is that of another process by now, if it was one's that has ended */
	l->n_ended -= process->ended_ns != 0;
	process->ended_ns = 0;
	parent = event == PROGRAMS_FORK ? find_process(l, f[PROGRAMS_PARENT].u) : NULL;
	process->program = event == PROGRAMS_EXEC ?
				   keep_path(l, f[PROGRAMS_PATH].text, f[PROGRAMS_PATH].len) :
			   parent ? parent->program :
				    NULL;
}

/* ---- forgetting ---- */

static struct amp_host host_of(const struct amp_live *l, const struct amp_tasks *tasks)
{
	return (struct amp_host){ .name = l->host, .tasks = tasks, .vfs = l->vfs };
}

static bool is_over(const struct amp_live *l, const struct process *process)
{
	return process && process->ended_ns && l->now_ns > process->ended_ns + LINGER_S * NS_PER_S;
}

static void drop_processes(struct amp_live *l)
{
	for (uint64_t i = 0; i < l->n_slots; i++)
		for (struct process **at = &l->processes[i], *process; (process = *at);) {
			if (!is_over(l, process)) {
				at = &process->next;
				continue;
			}
			*at = process->next;
			free(process);
			l->n_processes--;
			l->n_ended--;
		}
}

/* Sums of processes that are over go to their systems, the others to a table of their own size. */
static void forget(struct amp_live *l)
{
	struct amp_tasks over = { .n = 0 }, rest = { .n = 0 };
	struct amp_host host = host_of(l, &over);

	for (uint64_t i = 0; i < l->tasks.n_slots; i++)
		for (const struct amp_task *task = l->tasks.slots[i]; task; task = task->next)
			amp_tasks_put(is_over(l, find_process(l, task->pid)) ? &over : &rest, task);
	l->no_memory = l->no_memory || l->tasks.no_memory || over.no_memory || rest.no_memory ||
		       amp_groups_add(&l->done, &host);
	amp_tasks_free(&over);
	amp_tasks_free(&l->tasks);
	l->tasks = rest;
	drop_processes(l);
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
	const struct process *process = find_process(l, key.pid);
	struct amp_sums *sums;

	if (!f[AMP_MONO].known || !amp_row_counts(stream, f) || amp_row_repeats(stream, f))
		return;
	if (f[AMP_MONO].u > l->now_ns)
		l->now_ns = f[AMP_MONO].u;
	key.program = process ? process->program : NULL;
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
		take_exec(l, reader->fields);
	else
		take_row(l, stream == STREAM_fs ? AMP_FS : AMP_DS, reader->fields);
	if (l->n_ended >= FORGET_AFTER && l->now_ns > l->forgot_ns + FORGET_EVERY_S * NS_PER_S)
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
	return l->no_memory || l->tasks.no_memory ? -ENOMEM : err;
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

	return json_pack("{s:I, s:I}", "processes", (json_int_t)l->n_processes, "ended",
			 (json_int_t)l->n_ended);
}

static void close_amp(void *self)
{
	struct amp_live *l = self;

	if (!l)
		return;
	for (uint64_t i = 0; i < l->n_slots; i++)
		for (struct process *process = l->processes[i], *next; process; process = next) {
			next = process->next;
			free(process);
		}
	for (size_t i = 0; i < sizeof(l->paths) / sizeof(l->paths[0]); i++)
		for (struct path *path = l->paths[i], *next; path; path = next) {
			next = path->next;
			free(path);
		}
	free(l->processes);
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
