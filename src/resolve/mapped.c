/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that are known to have mappings of files, used last first: a
 * bounded number of them.
 */
#include "resolve/mapped.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "resolve/exec_image.h"

/* linux/sched.h */
#define CLONE_VM_FLAG 0x100

#define BUCKETS 4096
#define MAX_PROCESSES 4096 /* with a hundred mappings each about 25 MB */

struct process {
	struct process *next; /* in its bucket */
	TAILQ_ENTRY(process) by_use;
	uint32_t tgid;
	struct mappings *maps;
	struct exec_image image; /* for what exec mapped, where /proc came too late */
};

struct mapped {
	const struct procfs *proc;
	struct process *buckets[BUCKETS];
	TAILQ_HEAD(process_list, process) by_use; /* used last comes first */
	uint32_t n_processes;
	uint32_t max;
	uint64_t page_size;
};

struct mapped *mapped_open(const struct procfs *proc, uint32_t max, uint64_t page_size)
{
	struct mapped *mapped = calloc(1, sizeof(*mapped));

	if (!mapped)
		return NULL;
	TAILQ_INIT(&mapped->by_use);
	mapped->proc = proc;
	mapped->max = max ? max : MAX_PROCESSES;
	mapped->page_size = page_size;
	return mapped;
}

static struct process **place_of(struct mapped *mapped, uint32_t tgid)
{
	struct process **at = &mapped->buckets[tgid * 2654435761u >> 20];

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	return at;
}

/* The process if it is known; it counts as used now. */
static struct process *process_find(struct mapped *mapped, uint32_t tgid)
{
	struct process *process = *place_of(mapped, tgid);

	if (process && process != TAILQ_FIRST(&mapped->by_use)) {
		TAILQ_REMOVE(&mapped->by_use, process, by_use);
		TAILQ_INSERT_HEAD(&mapped->by_use, process, by_use);
	}
	return process;
}

void mapped_exit(struct mapped *mapped, uint32_t tgid)
{
	struct process **at = place_of(mapped, tgid);
	struct process *process = *at;

	if (!process)
		return;
	*at = process->next;
	TAILQ_REMOVE(&mapped->by_use, process, by_use);
	mappings_free(process->maps);
	exec_image_clear(&process->image);
	free(process);
	mapped->n_processes--;
}

/* A process with these mappings (taken over), in place of one of that number; NULL: no memory. */
static struct process *process_new(struct mapped *mapped, uint32_t tgid, struct mappings *maps)
{
	struct process *process;

	mapped_exit(mapped, tgid);
	process = maps ? calloc(1, sizeof(*process)) : NULL;
	if (!process) {
		mappings_free(maps);
		return NULL;
	}
	if (mapped->n_processes >= mapped->max)
		mapped_exit(mapped, TAILQ_LAST(&mapped->by_use, process_list)->tgid);
	process->tgid = tgid;
	process->maps = maps;
	process->next = NULL;
	*place_of(mapped, tgid) = process;
	TAILQ_INSERT_HEAD(&mapped->by_use, process, by_use);
	mapped->n_processes++;
	return process;
}

struct mappings *mapped_of(struct mapped *mapped, uint32_t tgid)
{
	struct process *process = process_find(mapped, tgid);
	struct mappings *maps;

	if (process)
		return process->maps;
	maps = mappings_new(mapped->page_size);
	if (!process_new(mapped, tgid, maps))
		return NULL;
	mappings_read(maps, mapped->proc, tgid);
	return maps;
}

const struct mapping *mapped_find(struct mapped *mapped, uint32_t tgid, uint64_t start,
				  uint64_t end, uint64_t removed)
{
	struct mappings *maps = mapped_of(mapped, tgid);
	const struct mapping *found;

	if (!maps)
		return NULL;
	if (removed)
		return mappings_find_old(maps, start, end, removed);
	found = mappings_find(maps, start, end);
	if (found || !mappings_read_rest(maps, mapped->proc, tgid))
		return found;
	return mappings_find(maps, start, end);
}

/*
 * After an exec the files that it mapped tell more than /proc, which tells of
 * the time when it is read: that may be after forks and calls yet to arrive.
 */
enum mapped_kind mapped_fault(struct mapped *mapped, uint32_t tgid, uint64_t address, bool fetch,
			      const struct mapping **found)
{
	struct mappings *maps = mapped_of(mapped, tgid);
	struct process *process = process_find(mapped, tgid);

	*found = maps ? mappings_find(maps, address, address + 1) : NULL;
	if (*found)
		return MAPPED_FILE;
	if (!process)
		return MAPPED_UNKNOWN;
	if (mappings_complete(maps))
		return MAPPED_MEMORY;
	exec_image_fault(&process->image, mapped->proc, maps, address, fetch);
	*found = mappings_find(maps, address, address + 1);
	if (!*found && !exec_image_may_hold(&process->image, address))
		return MAPPED_MEMORY;
	if (!*found && mappings_read_rest(maps, mapped->proc, tgid))
		*found = mappings_find(maps, address, address + 1);
	return *found ? MAPPED_FILE : mappings_complete(maps) ? MAPPED_MEMORY : MAPPED_UNKNOWN;
}

void mapped_fork(struct mapped *mapped, uint32_t parent, uint32_t child, uint64_t clone_flags,
		 uint64_t ts)
{
	struct process *from = process_find(mapped, parent), *made = NULL;
	struct exec_image image = { 0 };

	if (parent == child)
		return;
	mapped_exit(mapped, child);
	if (from) /* which may give way to its child */
		exec_image_copy(&image, &from->image);
	if (from && (clone_flags & CLONE_VM_FLAG))
		made = process_new(mapped, child, mappings_get(from->maps));
	/* what was read of the parent after the fork is not the child's: that is read itself */
	else if (from && mappings_known_at(from->maps, ts))
		made = process_new(mapped, child, mappings_copy(from->maps));
	if (made)
		made->image = image;
	else
		exec_image_clear(&image);
}

void mapped_exec(struct mapped *mapped, uint32_t tgid, struct path *program)
{
	struct mappings *maps = mappings_new(mapped->page_size);
	struct process *process;

	if (maps)
		mappings_set_unread(maps);
	process = process_new(mapped, tgid, maps);
	if (process)
		exec_image_set(&process->image, program);
}

void mapped_lost(struct mapped *mapped)
{
	while (!TAILQ_EMPTY(&mapped->by_use))
		mapped_exit(mapped, TAILQ_FIRST(&mapped->by_use)->tgid);
}

void mapped_close(struct mapped *mapped)
{
	if (!mapped)
		return;
	mapped_lost(mapped);
	free(mapped);
}
