/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of processes, and how they become those of systems. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/amp/amp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"

enum { MIN_SLOTS = 256 };

const char *const amp_by_names[AMP_N_BY + 1] = { "system", "process", "comm", "file",
						 "device", "cgroup",  "host", NULL };

/* ---- tasks ---- */

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

static bool has_key(const struct amp_task *task, const struct amp_key *key)
{
	return task->pid == key->pid && task->program == key->program &&
	       task->interval == key->interval && task->device == key->device &&
	       !strncmp(task->comm, key->comm, key->comm_len) && !task->comm[key->comm_len];
}

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

static struct amp_task *task_of(struct amp_tasks *tasks, const struct amp_key *key)
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
	struct amp_task *task = task_of(tasks, key);

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

/* ---- groups ---- */

static bool did_anything(const struct amp_sums *sums)
{
	uint64_t n = sums->syncs + sums->net[AMP_READ] + sums->net[AMP_WRITE];

	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			n += sums->sides[layer][d].count;
	return n;
}

/* Threads of the kernel have no program; these are the ones that submit requests for others. */
static bool is_kernel(const struct amp_task *task)
{
	static const char *const names[] = { "kworker/", "jbd2/",   "kswapd",  "xfsaild/",
					     "xfs",      "btrfs-",  "loop",    "md",
					     "dm",       "swapper", "kthread", "ksoftirqd/" };

	if (task->program)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(task->comm, names[i], strlen(names[i])))
			return true;
	return false;
}

/*
 * A process keeps its system, by whichever of its threads' names it was known. Returns the table of
 * those that have one.
 */
static struct amp_task *process_of(struct amp_tasks *known, const struct amp_task *task)
{
	const struct amp_key key = { .pid = task->pid, .program = task->program, .comm = "" };

	return task_of(known, &key);
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
	return is_kernel(task) || !task->pid ? "kernel" : "others";
}

/* Of a group: what tells it from others of its host. */
struct group_key {
	const char *name;
	uint64_t pid;
	uint64_t interval;
};

static bool has_room(struct amp_groups *groups)
{
	if (groups->n == groups->max) {
		uint64_t max = groups->max ? 2 * groups->max : 64;
		struct amp_group **list = realloc(groups->list, max * sizeof(*list));

		if (!list)
			return false;
		groups->list = list;
		groups->max = max;
	}
	return true;
}

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
	group = has_room(groups) ? pool_take(&groups->pool, sizeof(*group)) : NULL;
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
	struct amp_group *copy = has_room(groups) ? pool_take(&groups->pool, sizeof(*copy)) : NULL;

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

/* ---- factors ---- */

static bool ratio_of(uint64_t part, uint64_t whole, uint64_t *ratio)
{
	if (!whole)
		return false;
	*ratio = (uint64_t)((long double)part * 1000000 / (long double)whole + 0.5L);
	return true;
}

bool amp_by_count(const struct amp_group *group, enum amp_direction d, uint64_t *ratio)
{
	const struct amp_sums *s = &group->sums;

	return group->vfs && ratio_of(s->sides[AMP_VFS][d].count + s->sides[AMP_BLK][d].count,
				      s->sides[AMP_SYS][d].count, ratio);
}

bool amp_requests(const struct amp_group *group, enum amp_direction d, uint64_t *ratio)
{
	const struct amp_sums *s = &group->sums;

	return ratio_of(s->sides[AMP_BLK][d].count, s->sides[AMP_SYS][d].count, ratio);
}

bool amp_by_bytes(const struct amp_group *group, enum amp_direction d, uint64_t *ratio)
{
	const struct amp_sums *s = &group->sums;

	return ratio_of(s->sides[AMP_BLK][d].bytes, s->sides[AMP_SYS][d].bytes, ratio);
}

bool amp_waits(const struct amp_group *group, enum amp_direction d)
{
	return d == AMP_WRITE && group->sums.unwritten &&
	       group->sums.unwritten >= group->sums.sides[AMP_SYS][d].bytes / 10;
}

bool amp_by_net(const struct amp_group *group, uint64_t *ratio)
{
	return ratio_of(group->sums.net[AMP_WRITE], group->sums.net[AMP_READ], ratio);
}

bool amp_percentile(const struct amp_group *group, enum amp_layer layer,
		    enum amp_direction direction, unsigned per_mille, uint64_t *ns)
{
	const struct amp_sums *s = &group->sums;
	struct latencies times;

	if (!s->sides[layer][direction].timed || s->sides[layer][direction].summed ||
	    (layer == AMP_VFS && !group->vfs))
		return false;
	latency_set_take(&s->times, amp_kind(layer, direction), s->sides[layer][direction].max_ns,
			 &times);
	*ns = latencies_percentile(&times, per_mille);
	return true;
}

const char *amp_band(uint64_t ratio)
{
	return ratio <= 1000000  ? "perfect" :
	       ratio <= 3000000  ? "good" :
	       ratio <= 10000000 ? "moderate" :
				   "high";
}
