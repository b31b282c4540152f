/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from rows of fs, ds, layers and exec to the sums of processes: a table for each thread, joined in the end. */
#include "analysis/amp/amp_read.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/amp/amp_tasks.h"
#include "analysis/common/thinning.h"
#include "base/log.h"
#include "base/temporary.h"

enum { MAX_THREADS = 16 };

/* What a thread has read. */
struct part {
	struct amp_tasks tasks;
	struct unwritten unwritten; /* whose owners are the sums of a task, */
	struct amp_tasks owners;    /* or, when it was put aside, of the same one here */
	struct amp_spill spill;
	struct rows_seen streams[AMP_N_STREAMS];
};

struct job {
	struct amp_reading *reading;
	const struct row_filter *filter;
	const struct amp_options *options;
	uint64_t from_ns, to_ns;
	uint64_t share; /* bytes of the table of a thread; 0: no limit */
	struct read_query queries[AMP_N_STREAMS];
	enum amp_stream streams[AMP_N_STREAMS]; /* by query */
	unsigned n_queries;
	struct part parts[MAX_THREADS];
};

static uint64_t disk_of(const struct devices *devices, const struct field *device)
{
	const struct device *known = devices_find(devices, device->u);

	return known ? known->disk : device->u;
}

static struct amp_key key_of(const struct job *job, enum amp_stream stream, const struct field *f,
			     enum amp_direction direction)
{
	const struct amp_options *options = job->options;
	uint64_t ns = f[AMP_MONO].u;
	struct amp_caller caller = amp_row_caller(stream, f);
	struct amp_key key = {
		.pid = caller.pid,
		.comm = caller.comm,
		.comm_len = caller.comm_len,
		.interval = options->interval_ns ? ns / options->interval_ns : 0,
	};

	if (options->by == AMP_BY_FILE) {
		struct read_text file = amp_row_file(stream, f, direction);

		key.pid = 0;
		key.comm_len = file.len;
		key.comm = renames_last(&job->reading->renames, file.text, &key.comm_len, ns);
		return key;
	}
	if (options->by == AMP_BY_CGROUP) {
		const char *group = cgroups_find(&job->reading->cgroups, &job->reading->programs,
						 key.pid, ns);

		key.pid = 0;
		key.comm = group ? group : "(not known)";
		key.comm_len = strlen(key.comm);
		return key;
	}
	if (options->by == AMP_BY_CONTAINER) {
		key.comm = process_containers_find(job->filter->in, key.pid, ns);
		key.comm_len = strlen(key.comm);
		key.pid = 0;
		return key;
	}
	key.program = programs_find(&job->reading->programs, key.pid, ns);
	if (options->by == AMP_BY_DEVICE && amp_row_device(stream, f))
		key.device = disk_of(&job->reading->devices, amp_row_device(stream, f));
	return key;
}

static void *kept_owner(void *owners, void *owner)
{
	return amp_tasks_same(owners, owner);
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct job *job = arg;
	enum amp_stream stream = job->streams[task->query - job->queries];
	struct part *part = &job->parts[task->thread];
	uint64_t ns = f[AMP_MONO].u;
	struct amp_caller caller = amp_row_caller(stream, f);
	struct amp_sums *sums[AMP_N_DIRECTIONS];
	struct amp_key key, to;

	if (!f[AMP_MONO].known || ns < job->from_ns || ns >= job->to_ns ||
	    !row_filter_has_thread(job->filter, &(struct row_thread){ .pid_known = caller.known,
								      .pid = caller.pid,
								      .command = caller.comm,
								      .len = caller.comm_len,
								      .mono_ns = ns }) ||
	    !amp_row_counts(stream, f) ||
	    (amp_row_repeats(stream, f) && job->options->by != AMP_BY_DEVICE))
		return;
	rows_seen_row(&part->streams[stream], ns);
	key = key_of(job, stream, f, AMP_READ);
	sums[AMP_READ] = sums[AMP_WRITE] = amp_task_sums(&part->tasks, &key);
	if (job->options->by == AMP_BY_FILE) {
		/* of two files the second one is written */
		to = key_of(job, stream, f, AMP_WRITE);
		if (to.comm != key.comm)
			sums[AMP_WRITE] = amp_task_sums(&part->tasks, &to);
	}
	if (sums[AMP_READ] && sums[AMP_WRITE] && !amp_row_add(sums, stream, f))
		part->tasks.no_memory = true;
	if (job->reading->on[AMP_FS] && job->reading->on[AMP_DS])
		amp_row_unwritten(&part->unwritten, stream, f, sums[AMP_WRITE]);
	if (job->share && amp_spill_is_due(&part->spill, &part->tasks, job->share)) {
		unwritten_move(&part->unwritten, kept_owner, &part->owners);
		amp_spill_put(&part->spill, &part->tasks);
	}
}

static void end_segment(void *arg, const struct read_task *task, const struct rows_file *file)
{
	struct job *job = arg;

	rows_seen_segment(&job->parts[task->thread]
				   .streams[job->streams[task->query - job->queries]],
			  task, file);
}

/* ---- the directory ---- */

static void note_stream(struct amp_reading *r, const struct job *job, enum amp_stream stream)
{
	struct gaps *gaps = &r->gaps[stream];
	struct rows_seen seen = { .rows = 0 };

	for (unsigned i = 0; i < MAX_THREADS; i++)
		rows_seen_join(&seen, &job->parts[i].streams[stream]);
	*gaps = rows_seen_gaps(&seen, &r->session, r->host, &amp_queries[stream],
			       amp_column_meanings);
	if (gaps->chosen && (!r->last_ns || gaps->first_ns < r->first_ns))
		r->first_ns = gaps->first_ns;
	if (gaps->last_ns > r->last_ns)
		r->last_ns = gaps->last_ns;
}

/* Nothing is told twice: counters have all, rows of fs and ds together more of each. */
static bool is_read(const struct amp_reading *r, const struct amp_options *options,
		    enum amp_stream stream)
{
	switch (stream) {
	case AMP_FS:
	case AMP_DS:
		return r->on[stream] && !r->counted;
	case AMP_LAYERS:
		return r->counted;
	default:
		return r->on[stream] && options->net;
	}
}

static void add_to_owner(void *owner, uint64_t bytes)
{
	struct amp_sums *sums = owner;

	if (sums)
		sums->unwritten += bytes;
}

/* To the tasks of all threads, before these are joined. */
static uint64_t add_unwritten(struct job *job)
{
	struct unwritten *all = &job->parts[0].unwritten;
	uint64_t bytes;

	for (unsigned i = 1; i < MAX_THREADS; i++) {
		unwritten_join(all, &job->parts[i].unwritten);
		unwritten_free(&job->parts[i].unwritten);
	}
	bytes = unwritten_end(all, add_to_owner);
	unwritten_free(all);
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		amp_tasks_join(&job->parts[i].tasks, &job->parts[i].owners);
		amp_tasks_free(&job->parts[i].owners);
	}
	return bytes;
}

static bool is_spilled(const struct job *job)
{
	for (unsigned i = 0; i < MAX_THREADS; i++)
		if (job->parts[i].spill.file.open || job->parts[i].spill.file.err)
			return true;
	return false;
}

static int say_error(const struct amp_reading *r, int err)
{
	if (err && err != -ENOMEM)
		log_error("%s: a temporary file in %s: %s", r->session.dir, temporary_folder(),
			  strerror(-err));
	return err;
}

/* All in one table, or none. */
static int keep_tasks(struct amp_reading *r, struct job *job)
{
	bool spilled = is_spilled(job);
	int err = 0;

	if (spilled)
		r->spills = calloc(MAX_THREADS, sizeof(*r->spills));
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		struct part *part = &job->parts[i];

		if (r->spills && part->tasks.n)
			amp_spill_put(&part->spill, &part->tasks);
		if (!spilled)
			amp_tasks_join(&r->tasks, &part->tasks);
		r->tasks.no_memory = r->tasks.no_memory || part->tasks.no_memory;
		amp_tasks_free(&part->tasks);
		err = err ? err : part->spill.file.err;
		if (r->spills)
			r->spills[r->n_spills++] = part->spill;
		else
			amp_spill_close(&part->spill);
	}
	if (spilled && !r->spills)
		return -ENOMEM;
	if (spilled && !err)
		log_note("%s: more files than fit in memory: sums of files go to %s",
			 r->session.dir, temporary_folder());
	return say_error(r, err);
}

int amp_reading_spill(struct amp_reading *r)
{
	if (r->spills)
		return 0;
	r->spills = calloc(1, sizeof(*r->spills));
	if (!r->spills)
		return -ENOMEM;
	r->n_spills = 1;
	amp_spill_put(&r->spills[0], &r->tasks);
	return say_error(r, r->spills[0].file.err);
}

int amp_reading_take(struct amp_reading *r, unsigned part)
{
	int err = 0;

	amp_tasks_free(&r->tasks);
	for (unsigned i = 0; i < r->n_spills && !err; i++)
		if (parts_has(&r->spills[i].file, part))
			err = amp_spill_take(&r->spills[i], part, &r->tasks);
	return say_error(r, err);
}

static int read_rows(struct amp_reading *r, struct job *job)
{
	unsigned n = read_threads();
	struct read_parallel read = {
		.session = &r->session,
		.queries = job->queries,
		.n_threads = n < MAX_THREADS ? n : MAX_THREADS,
		.arg = job,
		.row = take_row,
		.end = end_segment,
	};
	struct read_totals totals;
	int err;

	for (unsigned i = 0; i < AMP_N_STREAMS; i++) {
		if (!is_read(r, job->options, (enum amp_stream)i))
			continue;
		job->streams[job->n_queries] = (enum amp_stream)i;
		job->queries[job->n_queries] = amp_queries[i];
		/*
		 * the last column, which only that table needs: without it there is less to
		 * parse
		 */
		if (job->options->by != AMP_BY_DEVICE && amp_has_device((enum amp_stream)i))
			job->queries[job->n_queries].n_columns--;
		job->n_queries++;
	}
	read.n_queries = job->n_queries;
	/* what is joined is there twice */
	if (job->options->by == AMP_BY_FILE)
		job->share = (job->options->memory ? job->options->memory : AMP_MEMORY) / 3 /
				     read.n_threads +
			     1;
	log_status("%s: reading", r->session.dir);
	err = read_parallel(&read, &totals);
	log_status("%s", "");
	r->unwritten = add_unwritten(job);
	err = err ? err : keep_tasks(r, job);
	for (unsigned i = 0; i < AMP_N_STREAMS; i++)
		note_stream(r, job, (enum amp_stream)i);
	return err;
}

static bool has_summary(const struct amp_reading *r)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/summary/amp.csv", r->session.dir) <
		       (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int check_rows(const struct amp_reading *r, const struct amp_options *options)
{
	if (json_array_size(json_object_get(r->session.manifest, "not_kept"))) {
		log_error(
			"%s: its rows were not kept (--no-rows), and amplification is computed from rows%s",
			r->session.dir,
			has_summary(r) ? "; the answer of --summary=amp is in summary/amp.csv" :
					 "");
		return -ENOENT;
	}
	if (r->counted && (options->by == AMP_BY_FILE || options->by == AMP_BY_DEVICE)) {
		log_error(
			"%s: stream layers counts by process; for tables of files and devices record with -e fs,ds,exec",
			r->session.dir);
		return -ENOENT;
	}
	if (r->on[AMP_FS] || r->on[AMP_DS] || r->counted)
		return 0;
	log_error("%s: neither fs and ds nor layers was recorded there; record with -e fs,ds,exec",
		  r->session.dir);
	return -ENOENT;
}

/* With a budget, rows of fs and ds are a sample, and counters still have all. */
static bool counts_instead(const struct amp_reading *r, const struct amp_options *options)
{
	if (!(r->on[AMP_FS] && r->on[AMP_DS]))
		return true;
	return thinning_is_on(&r->session) && options->by != AMP_BY_FILE &&
	       options->by != AMP_BY_DEVICE;
}

static void look_at_streams(struct amp_reading *r, const struct amp_options *options)
{
	for (unsigned i = 0; i < AMP_N_STREAMS; i++)
		r->on[i] = r->session.streams[amp_queries[i].stream].on;
	r->counted = r->on[AMP_LAYERS] && counts_instead(r, options);
}

int amp_reading_open(struct amp_reading *r, const char *dir, const struct row_filter *filter,
		     const struct amp_options *options)
{
	struct job *job = calloc(1, sizeof(*job));
	int err = job ? read_session_open(&r->session, dir) : -ENOMEM;

	if (err) {
		free(job);
		return err;
	}
	job->reading = r;
	job->filter = filter;
	job->options = options;
	read_session_host(&r->session, r->host);
	wall_make(&r->wall, &r->session);
	err = row_filter_begin(filter, &r->wall, &job->from_ns, &job->to_ns);
	look_at_streams(r, options);
	if (!err)
		err = check_rows(r, options);
	if (!err)
		err = devices_read(&r->devices, &r->session);
	r->exec = r->session.streams[STREAM_exec].on;
	if (!err && r->exec)
		err = programs_read(&r->programs, &r->session);
	if (!err && options->by == AMP_BY_FILE && r->on[AMP_FS])
		err = renames_read(&r->renames, &r->session);
	if (!err && options->by == AMP_BY_CGROUP)
		err = cgroups_read(&r->cgroups, &r->session);
	if (!err)
		err = read_rows(r, job);
	if (!err && (r->tasks.no_memory || r->cgroups.no_memory || r->programs.no_memory))
		err = -ENOMEM;
	if (err == -ENOMEM)
		log_error("%s: %s", dir, strerror(ENOMEM));
	free(job);
	return err;
}

static bool is_member(const json_t *item, const char *name, const char *value)
{
	const char *text = json_string_value(json_object_get(item, name));

	return text && !strcmp(text, value);
}

/* Other operations may be seen through system calls all the same. */
bool amp_reading_counts_vfs(const struct amp_reading *r)
{
	const json_t *plan = json_object_get(r->session.manifest, "plan");
	unsigned n_seen = 0;

	for (size_t i = 0; (r->on[AMP_FS] || r->counted) && i < json_array_size(plan); i++) {
		const json_t *item = json_array_get(plan, i);

		if (is_member(item, "stream", r->counted ? "layers" : "fs") &&
		    is_member(item, "path", "") &&
		    (is_member(item, "operation", "READ") || is_member(item, "operation", "WRITE")))
			n_seen += is_member(item, "tier", "a");
	}
	return n_seen == 2;
}

static const char *device_name(void *arg, uint64_t number)
{
	struct amp_reading *r = arg;
	const struct device *known = devices_find(&r->devices, number);

	if (known)
		return known->name;
	if (!number)
		return "not known";
	table_exact(r->number, TABLE_DEVICE, number);
	return r->number;
}

int amp_reading_add(struct amp_reading *r, struct amp_groups *groups)
{
	const struct amp_host host = {
		.name = r->host,
		.tasks = &r->tasks,
		.wall = &r->wall,
		.device_name = device_name,
		.arg = r,
		.vfs = amp_reading_counts_vfs(r),
	};

	return amp_groups_add(groups, &host);
}

void amp_reading_close(struct amp_reading *r)
{
	devices_free(&r->devices);
	history_free(&r->renames);
	amp_tasks_free(&r->tasks);
	for (unsigned i = 0; i < r->n_spills; i++)
		amp_spill_close(&r->spills[i]);
	free(r->spills);
	r->spills = NULL;
	r->n_spills = 0;
	history_free(&r->programs);
	history_free(&r->cgroups);
	read_session_close(&r->session);
}
