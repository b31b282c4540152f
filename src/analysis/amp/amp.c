/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of processes, and how they become those of systems. */
#include "analysis/amp/amp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/amp/amp_tasks.h"
#include "analysis/common/grow.h"
#include "analysis/common/hash.h"

const char *const amp_by_names[AMP_N_BY + 1] = { "system", "process", "comm",      "file", "device",
						 "cgroup", "host",    "container", NULL };

static bool did_anything(const struct amp_sums *sums)
{
	uint64_t n = sums->syncs + sums->net[AMP_READ] + sums->net[AMP_WRITE];

	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			n += sums->sides[layer][d].count;
	return n;
}

/*
 * A process keeps its system, by whichever of its threads' names it was known. Returns the table of
 * those that have one.
 */
static struct amp_task *process_of(struct amp_tasks *known, const struct amp_task *task)
{
	const struct amp_key key = { .pid = task->pid, .program = task->program, .comm = "" };

	return amp_tasks_of(known, &key);
}

static struct amp_tasks find_systems(const struct amp_groups *groups, const struct amp_tasks *tasks)
{
	struct amp_tasks known = { .n = 0 };

	for (uint64_t i = 0; i < tasks->n_slots; i++)
		for (const struct amp_task *task = tasks->slots[i]; task; task = task->next) {
			const char *system = systems_find(groups->systems, task->comm,
							  task->program);
			struct amp_task *process = system ? process_of(&known, task) : NULL;

			/* of several the first by name, whatever the order of the table */
			if (process && (!process->system || strcmp(system, process->system) < 0))
				process->system = system;
		}
	return known;
}

static const char *known_system(struct amp_tasks *known, const struct amp_task *task)
{
	const struct amp_task *process = process_of(known, task);

	return process ? process->system : NULL;
}

static const char *system_of(const struct amp_groups *groups, struct amp_tasks *known,
			     const struct amp_task *task)
{
	const char *system = systems_find(groups->systems, task->comm, task->program);

	if (!system)
		system = known_system(known, task);
	if (system)
		return system;
	return systems_is_kernel(task->comm, task->program) || !task->pid ? "kernel" : "others";
}

/* Of a group: what tells it from others of its host. */
struct group_key {
	const char *name;
	uint64_t pid;
	uint64_t interval;
};

static bool set_time(struct amp_groups *groups, struct amp_group *group, const struct wall *wall)
{
	char text[WALL_TEXT_SIZE];

	if (!groups->interval_ns)
		return true;
	wall_text(wall, group->interval * groups->interval_ns, text);
	group->time = pool_text(&groups->pool, text, strlen(text));
	return group->time;
}

static struct amp_group *group_of(struct amp_groups *groups, const struct amp_host *host,
				  const struct group_key *key)
{
	uint64_t hash = hash_text(hash_mix(hash_mix(1, key->pid), key->interval), host->name,
				  strlen(host->name));
	struct amp_group **slot, *group;

	hash = hash_text(hash, key->name, strlen(key->name));
	slot = &groups->slots[hash % AMP_GROUP_SLOTS];
	for (group = *slot; group; group = group->next)
		if (group->pid == key->pid && group->interval == key->interval &&
		    !strcmp(group->name, key->name) && !strcmp(group->host, host->name))
			return group;
	group = grow(&groups->list, &groups->max, groups->n + 1, 64, sizeof(*groups->list)) ?
			pool_take(&groups->pool, sizeof(*group)) :
			NULL;
	if (!group)
		return NULL;
	*group = (struct amp_group){
		.host = host->name, .pid = key->pid, .interval = key->interval, .vfs = true
	};
	group->name = pool_text(&groups->pool, key->name, strlen(key->name));
	if (!group->name || !set_time(groups, group, host->wall))
		return NULL;
	group->next = *slot;
	*slot = group;
	groups->list[groups->n++] = group;
	return group;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct amp_group *group_of_task(struct amp_groups *groups, const struct amp_host *host,
				       struct amp_tasks *known, const struct amp_task *task)
{
	struct group_key key = { .interval = task->interval };

	switch (groups->by) {
	case AMP_BY_PROCESS:
		key.name = task->program ? last_part(task->program) : task->comm;
		key.pid = task->pid;
		break;
	case AMP_BY_COMM:
	case AMP_BY_FILE:
	case AMP_BY_CGROUP:
	case AMP_BY_CONTAINER:
		key.name = task->comm;
		break;
	case AMP_BY_DEVICE:
		key.name = host->device_name(host->arg, task->device);
		break;
	case AMP_BY_HOST:
		key.name = host->name;
		break;
	default:
		key.name = system_of(groups, known, task);
		break;
	}
	return group_of(groups, host, &key);
}

int amp_groups_add(struct amp_groups *groups, const struct amp_host *host)
{
	const struct amp_tasks *tasks = host->tasks;
	struct amp_tasks known = { .n = 0 };
	bool ok = true;

	if (groups->by == AMP_BY_SYSTEM)
		known = find_systems(groups, tasks);
	for (uint64_t i = 0; i < tasks->n_slots && ok; i++)
		for (const struct amp_task *task = tasks->slots[i]; task && ok; task = task->next) {
			struct amp_group *group;

			if (!did_anything(&task->sums))
				continue;
			group = group_of_task(groups, host, &known, task);
			ok = group && amp_sums_join(&group->sums, &task->sums);
			/* of several hosts all must have counted it, or the sum would be of some */
			if (group)
				group->vfs = group->vfs && host->vfs;
		}
	ok = ok && !known.no_memory;
	amp_tasks_free(&known);
	return ok ? 0 : -ENOMEM;
}

int amp_groups_join(struct amp_groups *groups, const struct amp_groups *other,
		    const struct amp_host *host)
{
	for (uint64_t i = 0; i < other->n; i++) {
		const struct amp_group *from = other->list[i];
		const struct group_key key = { from->name, from->pid, from->interval };
		struct amp_group *group = group_of(groups, host, &key);

		if (!group || !amp_sums_join(&group->sums, &from->sums))
			return -ENOMEM;
		group->vfs = group->vfs && from->vfs;
	}
	return 0;
}

static uint64_t moved(const struct amp_group *group)
{
	uint64_t bytes = 0;

	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		bytes += group->sums.sides[AMP_SYS][d].bytes + group->sums.sides[AMP_BLK][d].bytes +
			 group->sums.net[d];
	return bytes;
}

int amp_group_compare(const struct amp_group *x, const struct amp_group *y)
{
	uint64_t m = moved(x), n = moved(y);
	int order = x->time && y->time ? strcmp(x->time, y->time) : 0;

	if (order)
		return order;
	if (m != n)
		return m > n ? -1 : 1;
	order = strcmp(x->host, y->host);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

static int compare_groups(const void *a, const void *b)
{
	return amp_group_compare(*(const struct amp_group *const *)a,
				 *(const struct amp_group *const *)b);
}

int amp_groups_put(struct amp_groups *groups, const struct amp_group *group)
{
	struct amp_group *copy = grow(&groups->list, &groups->max, groups->n + 1, 64,
				      sizeof(*groups->list)) ?
					 pool_take(&groups->pool, sizeof(*copy)) :
					 NULL;

	if (!copy)
		return -ENOMEM;
	*copy = *group;
	copy->next = NULL;
	copy->sums.times = (struct latency_set){ .n = 0 };
	copy->name = pool_text(&groups->pool, group->name, strlen(group->name));
	if (group->time)
		copy->time = pool_text(&groups->pool, group->time, strlen(group->time));
	if (!copy->name || (group->time && !copy->time))
		return -ENOMEM;
	groups->list[groups->n++] = copy;
	return latency_set_join(&copy->sums.times, &group->sums.times) ? 0 : -ENOMEM;
}

void amp_groups_sort(struct amp_groups *groups)
{
	if (groups->n)
		qsort(groups->list, groups->n, sizeof(struct amp_group *), compare_groups);
}

void amp_groups_free(struct amp_groups *groups)
{
	for (uint64_t i = 0; i < groups->n; i++)
		latency_set_free(&groups->list[i]->sums.times);
	free(groups->list);
	pool_free(&groups->pool);
	memset(groups, 0, sizeof(*groups));
}
