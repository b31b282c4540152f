/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the bytes of tasks and groups outside of the memory, for the process that wrote them. */
#include "analysis/amp/amp_spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/amp/amp_tasks.h"
#include "analysis/common/hash.h"
#include "base/temporary.h"

enum { LOOKS = 8, HEAD = 16, WRITE_AT_ONCE = 1 << 18 };

/* ---- tasks ---- */

/*
 * With a place of a list of times (latency_set.h) and what malloc adds to each of its two
 * blocks.
 */
static uint64_t bytes_of(const struct amp_tasks *tasks)
{
	uint64_t bytes = tasks->pool.total + tasks->n_slots * sizeof(*tasks->slots);

	for (uint64_t i = 0; i < tasks->n_slots; i++)
		for (const struct amp_task *task = tasks->slots[i]; task; task = task->next)
			bytes += task->sums.times.size * 10 + 2 * HEAD;
	return bytes;
}

bool amp_spill_is_due(struct amp_spill *spill, const struct amp_tasks *tasks, uint64_t share)
{
	if (tasks->pool.total < spill->look_at)
		return false;
	/*
	 * adding up the table looks at all of it: not before it has grown by an eighth of its
	 * share
	 */
	spill->look_at = tasks->pool.total + share / LOOKS;
	return bytes_of(tasks) >= share;
}

static unsigned part_of(const struct amp_task *task)
{
	uint64_t hash = hash_text(hash_mix(1, task->interval), task->comm, strlen(task->comm));

	return (unsigned)(hash_mix(hash, task->pid) >> 32) % PARTS_N;
}

/*
 * With the pointers as they are: program is valid as long as the reading is, comm and the
 * lists of times follow it, and the others are set when it is taken back.
 */
static void put_task(struct parts_file *file, const struct amp_task *task)
{
	const struct latency_set *times = &task->sums.times;
	uint64_t comm_len = strlen(task->comm);
	unsigned part = part_of(task);

	parts_put(file, part, task, sizeof(*task));
	parts_put(file, part, &comm_len, sizeof(comm_len));
	parts_put(file, part, task->comm, comm_len);
	parts_put(file, part, times->keys, times->size * sizeof(*times->keys));
	parts_put(file, part, times->counts, times->size * sizeof(*times->counts));
}

void amp_spill_put(struct amp_spill *spill, struct amp_tasks *tasks)
{
	bool no_memory = tasks->no_memory;

	if (!spill->file.open && !spill->file.err)
		parts_open(&spill->file);
	for (uint64_t i = 0; i < tasks->n_slots; i++)
		for (const struct amp_task *task = tasks->slots[i]; task; task = task->next)
			put_task(&spill->file, task);
	amp_tasks_free(tasks);
	tasks->no_memory = no_memory;
	spill->look_at = 0;
}

/* A task as it was put, in memory of its own. */
static int take_task(struct parts_reader *in, struct amp_task *task)
{
	struct latency_set *times = &task->sums.times;
	uint64_t comm_len;
	char *comm;
	int err = parts_take(in, task, sizeof(*task));

	err = err ? err : parts_take(in, &comm_len, sizeof(comm_len));
	times->keys = NULL;
	times->counts = NULL;
	task->comm = NULL;
	if (err)
		return err;
	comm = calloc(1, comm_len + 1);
	times->keys = calloc(times->size + 1, sizeof(*times->keys));
	times->counts = calloc(times->size + 1, sizeof(*times->counts));
	task->comm = comm;
	if (!comm || !times->keys || !times->counts)
		return -ENOMEM;
	err = parts_take(in, comm, comm_len);
	err = err ? err : parts_take(in, times->keys, times->size * sizeof(*times->keys));
	return err ? err : parts_take(in, times->counts, times->size * sizeof(*times->counts));
}

int amp_spill_take(const struct amp_spill *spill, unsigned part, struct amp_tasks *tasks)
{
	struct parts_reader *in = malloc(sizeof(*in));
	int err = in ? parts_begin(in, &spill->file, part) : -ENOMEM;

	while (!err && !parts_end(in)) {
		struct amp_task task;

		err = take_task(in, &task);
		if (!err)
			amp_tasks_put(tasks, &task);
		free((char *)task.comm);
		latency_set_free(&task.sums.times);
	}
	free(in);
	return err ? err : tasks->no_memory ? -ENOMEM : 0;
}

void amp_spill_close(struct amp_spill *spill)
{
	parts_close(&spill->file);
}

/* ---- groups ---- */

/* What follows it: name, time, keys and counts, each from a multiple of 8 on. */
struct head {
	uint64_t bytes; /* all of it */
	uint64_t name, time;
	struct amp_group group;
};

struct amp_run {
	uint64_t at, end; /* in the file, of what was not read yet */
	char *bytes;      /* of its first group */
	size_t room;
	bool has;
	struct amp_group group;
};

/* So that numbers can be read where they lie. */
static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static void put(FILE *out, const void *bytes, size_t len)
{
	static const char zeroes[8];

	fwrite(bytes, 1, len, out);
	fwrite(zeroes, 1, padded(len) - len, out);
}

static void put_group(FILE *out, const struct amp_group *group)
{
	const struct latency_set *times = &group->sums.times;
	size_t keys = times->size * sizeof(*times->keys),
	       counts = times->size * sizeof(*times->counts);
	struct head head = { .name = strlen(group->name) + 1,
			     .time = group->time ? strlen(group->time) + 1 : 0,
			     .group = *group };

	head.bytes = sizeof(head) + padded(head.name) + padded(head.time) + padded(keys) +
		     padded(counts);
	put(out, &head, sizeof(head));
	put(out, group->name, head.name);
	if (head.time)
		put(out, group->time, head.time);
	if (keys) {
		put(out, times->keys, keys);
		put(out, times->counts, counts);
	}
}

/* Behind what the file has. */
static int write_groups(struct amp_runs *runs, const struct amp_groups *groups)
{
	/* fclose() closes the copy; both have one offset */
	int fd = dup(runs->fd);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err = 0;
	off_t end;

	if (!out) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	setvbuf(out, NULL, _IOFBF, WRITE_AT_ONCE);
	for (uint64_t i = 0; i < groups->n && !ferror(out); i++)
		put_group(out, groups->list[i]);
	if (fflush(out))
		err = -errno;
	end = lseek(runs->fd, 0, SEEK_CUR);
	if (fclose(out) && !err)
		err = -errno;
	runs->bytes = end < 0 ? 0 : (uint64_t)end;
	return err ? err : end < 0 ? -EIO : 0;
}

int amp_runs_add(struct amp_runs *runs, const struct amp_groups *groups)
{
	struct amp_run *more;
	int err;

	if (!runs->open) {
		runs->fd = temporary_open();
		if (runs->fd < 0)
			return runs->fd;
		runs->open = true;
	}
	more = realloc(runs->runs, (runs->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	runs->runs = more;
	more[runs->n] = (struct amp_run){ .at = runs->bytes };
	err = write_groups(runs, groups);
	more[runs->n++].end = runs->bytes;
	return err;
}

static const void *take(const char **at, size_t len)
{
	const char *bytes = *at;

	*at += padded(len);
	return bytes;
}

static int read_at(const struct amp_runs *runs, struct amp_run *run, void *to, size_t len)
{
	ssize_t n = pread(runs->fd, to, len, (off_t)run->at);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

/* The next group of the run is ready, if there is one. */
static int advance(const struct amp_runs *runs, struct amp_run *run)
{
	struct latency_set *times = &run->group.sums.times;
	struct head head;
	const char *at;
	int err;

	if (run->at == run->end)
		return 0;
	err = read_at(runs, run, &head, sizeof(head));
	if (err)
		return err;
	if (head.bytes > run->room) {
		char *more = realloc(run->bytes, 2 * head.bytes);

		if (!more)
			return -ENOMEM;
		run->bytes = more;
		run->room = 2 * head.bytes;
	}
	err = read_at(runs, run, run->bytes, head.bytes);
	if (err)
		return err;
	run->at += head.bytes;
	run->group = head.group;
	at = run->bytes + sizeof(head);
	run->group.name = take(&at, head.name);
	run->group.time = head.time ? take(&at, head.time) : NULL;
	times->keys = (uint16_t *)take(&at, times->size * sizeof(*times->keys));
	times->counts = (uint64_t *)take(&at, times->size * sizeof(*times->counts));
	run->has = true;
	return 0;
}

const struct amp_group *amp_runs_next(void *arg)
{
	struct amp_runs *runs = arg;
	struct amp_run *first = NULL;

	for (unsigned i = 0; i < runs->n && !runs->err; i++) {
		struct amp_run *run = &runs->runs[i];

		/* the one that was given last, or all at first */
		if (!run->has)
			runs->err = advance(runs, run);
		if (run->has && (!first || amp_group_compare(&run->group, &first->group) < 0))
			first = run;
	}
	if (!first || runs->err)
		return NULL;
	first->has = false;
	return &first->group;
}

int amp_runs_take(struct amp_runs *runs, struct amp_groups *groups, uint64_t top)
{
	const struct amp_group *group;

	while ((!top || groups->n < top) && (group = amp_runs_next(runs)))
		if (amp_groups_put(groups, group))
			return -ENOMEM;
	return runs->err;
}

void amp_runs_close(struct amp_runs *runs)
{
	for (unsigned i = 0; i < runs->n; i++)
		free(runs->runs[i].bytes);
	free(runs->runs);
	if (runs->open)
		close(runs->fd);
	*runs = (struct amp_runs){ .n = 0 };
}
