/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums by key, and which operations were the slowest. */
#include "analysis/why/why.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/heap.h"
#include "analysis/common/hash.h"
#include "row/fs_ops.h"

enum { FIRST_GROUPS = 256 };

const char *const why_by_names[N_WHY_BY + 1] = {
	[WHY_BY_OPERATION] = "op",  [WHY_BY_FILE] = "file",   [WHY_BY_PROCESS] = "process",
	[WHY_BY_THREAD] = "thread", [WHY_BY_WAKER] = "waker", [WHY_BY_CONTAINER] = "container",
};

const char *why_operation_name(const struct why_operation *o)
{
	unsigned kind = o->kind;

	return o->name           ? o->name :
	       kind == WHY_FAULT ? "FAULT" :
	       kind < IOT_N_OPS  ? fs_ops[kind].name :
				   "?";
}

/* ---- groups ---- */

/* What a group is of; name has no end. */
struct key {
	const char *host;
	const char *name;
	size_t len;
	uint32_t pid, tid;
};

static uint64_t hash_of(const struct key *key)
{
	uint64_t hash = hash_mix((uint64_t)(uintptr_t)key->host,
				 (uint64_t)key->pid << 32 | key->tid);

	return hash_text(hash, key->name, key->len);
}

/* Hosts by address: each directory has its own text. */
static bool is_of(const void *owner, uint32_t item, const void *of)
{
	const struct why_group *g = &((const struct why *)owner)->groups[item];
	const struct key *key = of;
	size_t len = g->name ? strlen(g->name) : 0;

	return g->host == key->host && g->pid == key->pid && g->tid == key->tid &&
	       len == key->len && !memcmp(g->name ? g->name : "", key->name ? key->name : "", len);
}

/* Made unless it is there; the rest, when it finds no room. */
static struct why_group *group_of(struct why *why, const struct key *key)
{
	uint64_t hash = hash_of(key);
	int64_t found = hash_index_find(&why->index, hash, is_of, why, key);
	struct why_group *g;

	if (found >= 0)
		return &why->groups[found];
	if (why->most_groups && why->n_groups >= why->most_groups)
		return &why->rest;
	if (!grow(&why->groups, &why->max_groups, why->n_groups + 1, FIRST_GROUPS, sizeof(*g)) ||
	    !hash_index_room(&why->index)) {
		why->no_memory = true;
		return &why->rest;
	}
	g = &why->groups[why->n_groups];
	*g = (struct why_group){ .host = key->host, .pid = key->pid, .tid = key->tid };
	g->name = key->len ? pool_text(&why->pool, key->name, key->len) : NULL;
	why->no_memory = why->no_memory || (key->len && !g->name);
	hash_index_add(&why->index, hash, why->n_groups++);
	return g;
}

static struct key key_of(const struct why *why, const struct why_operation *o,
			 const struct why_split *split)
{
	const char *name = NULL;

	switch (why->by) {
	case WHY_BY_FILE:
		return (struct key){ .host = why->host, .name = o->path, .len = o->path_len };
	case WHY_BY_PROCESS:
		return (struct key){ .host = why->host, .pid = o->who.pid };
	case WHY_BY_THREAD:
		return (struct key){ .host = why->host, .pid = o->who.pid, .tid = o->who.tid };
	case WHY_BY_WAKER:
		name = split->wakers.n ? split->wakers.list[0].name : NULL;
		break;
	case WHY_BY_CONTAINER:
		name = process_containers_find(why->in, o->who.pid, o->start);
		break;
	default:
		name = why_operation_name(o);
	}
	return (struct key){ .host = why->host, .name = name, .len = name ? strlen(name) : 0 };
}

/* ---- the slowest ---- */

static bool is_slower(const struct why_slow *a, const struct why_slow *b)
{
	return a->operation.latency != b->operation.latency ?
		       a->operation.latency > b->operation.latency :
		       a->operation.start < b->operation.start;
}

/* The quickest is the heap's first. */
static bool is_quicker(const void *a, const void *b)
{
	return is_slower(b, a);
}

static bool put_slow(struct why *why, struct why_slow *slow, const struct why_operation *o,
		     const struct why_split *split)
{
	uint64_t room = slow->path_room;

	if (!grow(&slow->path, &room, o->path_len + 1, 64, 1)) {
		why->no_memory = true;
		return false;
	}
	slow->path_room = room;
	memcpy(slow->path, o->path, o->path_len + 1);
	slow->host = why->host;
	slow->operation = *o;
	slow->operation.path = slow->path;
	slow->split = *split;
	return true;
}

static void note_slow(struct why *why, const struct why_operation *o, const struct why_split *split)
{
	if (!why->top)
		return;
	if (why->n_slowest == why->top) {
		if (o->latency > why->slowest[0].operation.latency &&
		    put_slow(why, &why->slowest[0], o, split))
			heap_sink(why->slowest, why->n_slowest, sizeof(*why->slowest), is_quicker);
		return;
	}
	if (!grow(&why->slowest, &why->max_slowest, why->n_slowest + 1, 16,
		  sizeof(*why->slowest))) {
		why->no_memory = true;
		return;
	}
	memset(&why->slowest[why->n_slowest], 0, sizeof(*why->slowest));
	if (put_slow(why, &why->slowest[why->n_slowest], o, split))
		heap_rise(why->slowest, ++why->n_slowest, sizeof(*why->slowest), is_quicker);
}

/* ---- what comes ---- */

void why_settled(void *arg, const struct why_operation *o, const struct why_split *split)
{
	struct why *why = arg;
	struct key key = key_of(why, o, split);
	struct why_group *g = group_of(why, &key);

	g->count++;
	if (o->command)
		g->command = o->command;
	/* a thread's other parts are those of its whole time */
	for (unsigned i = why->by == WHY_BY_THREAD ? WHY_DEVICE_QUEUE : 0; i < WHY_PARTS; i++)
		g->ns[i] += split->ns[i];
	if (why->by != WHY_BY_THREAD) {
		g->latency += o->latency;
		why_wakers_join(&g->wakers, &split->wakers);
	}
	note_slow(why, o, split);
}

void why_thread_seen(void *arg, const struct why_thread *thread)
{
	struct why *why = arg;
	struct key key = { .host = why->host, .pid = thread->pid, .tid = thread->tid };
	struct why_group *g;

	if (why->by != WHY_BY_THREAD || !thread->seen_to)
		return;
	g = group_of(why, &key);
	g->command = thread->name;
	g->latency += thread->seen_to - thread->seen_from;
	g->ns[WHY_RUN] += thread->on_cpu;
	g->ns[WHY_RUNQUEUE] += thread->ready;
	g->elsewhere += thread->asleep;
	why_wakers_join(&g->wakers, &thread->wakers);
}

/* ---- order ---- */

/* Down to the numbers, so that the order is the same in every run. */
static int by_latency(const void *a, const void *b)
{
	const struct why_group *x = a, *y = b;
	int order = x->latency == y->latency ? 0 : x->latency < y->latency ? 1 : -1;

	if (!order && x->host != y->host && x->host && y->host)
		order = strcmp(x->host, y->host);
	if (!order)
		order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
	if (!order)
		order = x->pid < y->pid ? -1 : x->pid > y->pid;
	return order ? order : x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int by_slowness(const void *a, const void *b)
{
	return is_slower(a, b) ? -1 : is_slower(b, a);
}

/* Sleep is in operations or elsewhere; time that no row covers is not known. */
static void complete_thread(struct why_group *g)
{
	uint64_t inside = g->ns[WHY_DEVICE_QUEUE] + g->ns[WHY_DEVICE] + g->ns[WHY_SERVER_QUEUE] +
			  g->ns[WHY_SERVER] + g->ns[WHY_WAIT];
	uint64_t known;

	g->elsewhere = g->elsewhere > inside ? g->elsewhere - inside : 0;
	known = g->ns[WHY_RUN] + g->ns[WHY_RUNQUEUE] + inside + g->elsewhere;
	g->ns[WHY_UNKNOWN] = g->latency > known ? g->latency - known : 0;
}

void why_sort(struct why *why)
{
	for (uint64_t i = 0; why->by == WHY_BY_THREAD && i < why->n_groups; i++)
		complete_thread(&why->groups[i]);
	if (why->n_groups)
		qsort(why->groups, why->n_groups, sizeof(*why->groups), by_latency);
	if (why->n_slowest)
		qsort(why->slowest, why->n_slowest, sizeof(*why->slowest), by_slowness);
}

void why_free(struct why *why)
{
	for (uint64_t i = 0; i < why->n_slowest; i++)
		free(why->slowest[i].path);
	free(why->slowest);
	free(why->groups);
	hash_index_close(&why->index);
	why_names_free(&why->names);
	pool_free(&why->pool);
	memset(why, 0, sizeof(*why));
}
