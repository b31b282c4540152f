/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each task did, by process, thread name, file and device; sums of several are added up. */
#include "analysis/amp/amp_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

enum { MIN_SLOTS = 256 };

static uint64_t key_hash(const struct amp_key *key)
{
	uint64_t hash = hash_mix(hash_mix(1, key->pid), (uintptr_t)key->program);

	hash = hash_mix(hash_mix(hash, key->interval), key->device);
	return hash_text(hash, key->comm, key->comm_len);
}

static struct amp_key key_of(const struct amp_task *task)
{
	return (struct amp_key){ .pid = task->pid,
				 .program = task->program,
				 .comm = task->comm,
				 .comm_len = strlen(task->comm),
				 .interval = task->interval,
				 .device = task->device };
}

/* Programs by address: one that was begun by two execs makes two tasks, which the groups join. */
static bool has_key(const struct amp_task *task, const struct amp_key *key)
{
	return task->pid == key->pid && task->program == key->program &&
	       task->interval == key->interval && task->device == key->device &&
	       !strncmp(task->comm, key->comm, key->comm_len) && !task->comm[key->comm_len];
}

/* As many slots as tasks at least. Tasks stay where they are: others have pointers to their sums. */
static bool grow(struct amp_tasks *tasks)
{
	uint64_t n_slots = tasks->n_slots ? 2 * tasks->n_slots : MIN_SLOTS;
	struct amp_task **slots = calloc(n_slots, sizeof(struct amp_task *));

	if (!slots)
		return false;
	for (uint64_t i = 0; i < tasks->n_slots; i++)
		for (struct amp_task *task = tasks->slots[i], *next; task; task = next) {
			const struct amp_key key = key_of(task);
			uint64_t at = key_hash(&key) % n_slots;

			next = task->next;
			task->next = slots[at];
			slots[at] = task;
		}
	free(tasks->slots);
	tasks->slots = slots;
	tasks->n_slots = n_slots;
	return true;
}

struct amp_task *amp_tasks_of(struct amp_tasks *tasks, const struct amp_key *key)
{
	uint64_t hash = key_hash(key);
	struct amp_task *task = tasks->n_slots ? tasks->slots[hash % tasks->n_slots] : NULL;

	for (; task; task = task->next)
		if (has_key(task, key))
			return task;
	task = tasks->n < tasks->n_slots || grow(tasks) ? pool_take(&tasks->pool, sizeof(*task)) :
							  NULL;
	if (task) {
		memset(task, 0, sizeof(*task));
		task->comm = pool_text(&tasks->pool, key->comm, key->comm_len);
	}
	/* one that was taken stays in the pool until all are freed */
	if (!task || !task->comm) {
		tasks->no_memory = true;
		return NULL;
	}
	task->pid = key->pid;
	task->program = key->program;
	task->interval = key->interval;
	task->device = key->device;
	task->next = tasks->slots[hash % tasks->n_slots];
	tasks->slots[hash % tasks->n_slots] = task;
	tasks->n++;
	return task;
}

struct amp_sums *amp_task_sums(struct amp_tasks *tasks, const struct amp_key *key)
{
	struct amp_task *task = amp_tasks_of(tasks, key);

	return task ? &task->sums : NULL;
}

bool amp_sums_add(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		  uint64_t bytes, bool failed, bool timed, uint64_t ns)
{
	struct amp_side *side = &sums->sides[layer][direction];

	side->count++;
	side->bytes += bytes;
	side->errors += failed;
	if (!timed)
		return true;
	side->timed++;
	side->ns += ns;
	if (ns > side->max_ns)
		side->max_ns = ns;
	return latency_set_add(&sums->times, amp_kind(layer, direction), ns);
}

static void join_side(struct amp_side *side, const struct amp_side *other)
{
	side->count += other->count;
	side->bytes += other->bytes;
	side->errors += other->errors;
	side->timed += other->timed;
	side->summed += other->summed;
	side->ns += other->ns;
	if (other->max_ns > side->max_ns)
		side->max_ns = other->max_ns;
}

void amp_sums_count(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		    const struct amp_side *side)
{
	join_side(&sums->sides[layer][direction], side);
}

bool amp_sums_join(struct amp_sums *sums, const struct amp_sums *other)
{
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			join_side(&sums->sides[layer][d], &other->sides[layer][d]);
	for (unsigned i = 0; i < AMP_N_CLASSES; i++)
		sums->classes[i] += other->classes[i];
	sums->small_writes += other->small_writes;
	sums->syncs += other->syncs;
	sums->unwritten += other->unwritten;
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		sums->net[d] += other->net[d];
	return latency_set_join(&sums->times, &other->times);
}

void amp_tasks_put(struct amp_tasks *tasks, const struct amp_task *task)
{
	const struct amp_key key = key_of(task);
	struct amp_sums *sums = amp_task_sums(tasks, &key);

	if (!sums || !amp_sums_join(sums, &task->sums))
		tasks->no_memory = true;
}

struct amp_sums *amp_tasks_same(struct amp_tasks *tasks, struct amp_sums *sums)
{
	/* sums of a table are always a part of their task */
	const char *task = (const char *)sums - offsetof(struct amp_task, sums);
	const struct amp_key key = key_of((const struct amp_task *)task);
	struct amp_sums *same = amp_task_sums(tasks, &key);

	tasks->no_memory = tasks->no_memory || !same;
	return same;
}

void amp_tasks_join(struct amp_tasks *tasks, const struct amp_tasks *other)
{
	for (uint64_t i = 0; i < other->n_slots; i++)
		for (const struct amp_task *task = other->slots[i]; task; task = task->next)
			amp_tasks_put(tasks, task);
	tasks->no_memory = tasks->no_memory || other->no_memory;
}

void amp_tasks_free(struct amp_tasks *tasks)
{
	for (uint64_t i = 0; i < tasks->n_slots; i++)
		for (struct amp_task *task = tasks->slots[i]; task; task = task->next)
			latency_set_free(&task->sums.times);
	pool_free(&tasks->pool);
	free(tasks->slots);
	memset(tasks, 0, sizeof(*tasks));
}
