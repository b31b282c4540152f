/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of processes. Of one that has ended and was never seen nobody can say where it was. */
#include "analysis/top/top_containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/process_containers.h"
#include "compat/sys/sys.h"
#include "resolve/containers.h"

/* Half of the slots are free, so that a search ends soon; with more processes all are forgotten. */
enum { SLOTS = 1 << 16, MOST = SLOTS / 2 };

struct process {
	uint32_t pid; /* 0: free */
	const char *name;
};

struct top_containers {
	const char *proc;
	struct containers *runtimes;
	struct interned names;
	struct pool pool;
	struct process slots[SLOTS];
	unsigned n;
	bool told; /* events of exec come */
};

struct top_containers *top_containers_open(const char *proc, const char *root)
{
	struct top_containers *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->proc = proc;
	c->runtimes = containers_open(root);
	if (c->runtimes)
		return c;
	top_containers_close(c);
	return NULL;
}

void top_containers_close(struct top_containers *c)
{
	if (!c)
		return;
	containers_close(c->runtimes);
	interned_free(&c->names);
	pool_free(&c->pool);
	free(c);
}

static void forget(struct top_containers *c)
{
	memset(c->slots, 0, sizeof(c->slots));
	c->n = 0;
}

void top_containers_reset(struct top_containers *c)
{
	/* numbers of processes come again */
	if (!c->told || c->n >= MOST)
		forget(c);
}

static struct process *process_of(struct top_containers *c, uint32_t pid)
{
	uint32_t at = pid * 2654435761u % SLOTS;

	while (c->slots[at].pid && c->slots[at].pid != pid)
		at = (at + 1) % SLOTS;
	return &c->slots[at];
}

/* "": on the host. Names stay until the table is closed, also when processes are forgotten. */
static const char *name_of(struct top_containers *c, const char *text, size_t len)
{
	const char *name = len ? interned_text(&c->names, &c->pool, text, len) :
				 process_containers_host;

	return name ? name : process_containers_unknown;
}

static const char *ask(struct top_containers *c, uint32_t pid)
{
	char path[300], text[16384], group[4096];
	const struct container *container;

	snprintf(path, sizeof(path), "%s/%u/cgroup", c->proc, pid);
	if (!sys_read_text(path, text, sizeof(text)))
		return process_containers_unknown;
	containers_group(text, group, sizeof(group));
	container = containers_find(c->runtimes, group);
	return container && container->name ?
		       name_of(c, container->name->raw, container->name->raw_len) :
		       process_containers_host;
}

static bool is_told(const struct operation *op)
{
	return op->stream == STREAM_exec && op->parts[OP_CONTAINER].text && op->parts[OP_PID].known;
}

const char *top_containers_of(struct top_containers *c, const struct operation *op)
{
	const struct field *owner = &op->parts[OP_OWNER_PID], *pid = &op->parts[OP_PID];
	struct process *process;

	/* a request is of who caused it; its own process may be a thread of the kernel */
	pid = op->stream == STREAM_ds && owner->known && owner->u ? owner : pid;
	if (!pid->known || !pid->u)
		return process_containers_host;
	process = process_of(c, (uint32_t)pid->u);
	if (process->pid && !is_told(op))
		return process->name;
	if (!process->pid && c->n >= MOST) {
		forget(c);
		process = process_of(c, (uint32_t)pid->u);
	}
	c->n += !process->pid;
	process->pid = (uint32_t)pid->u;
	c->told = c->told || is_told(op);
	process->name = is_told(op) ? name_of(c, op->parts[OP_CONTAINER].text,
					      op->parts[OP_CONTAINER].len) :
				      ask(c, process->pid);
	return process->name;
}
