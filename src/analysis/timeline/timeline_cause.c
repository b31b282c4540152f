/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the way from a request of a device to the request of io_uring that it is a part of. Of
 * direct I/O the kernel names that one, where its structures are known. Else it is the only one
 * in flight that can be meant, or none: an arrow is never a guess.
 */
#include "analysis/timeline/timeline_cause.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/timeline/timeline_rows.h"

/* Some move data of a file in a way of their own, and some are not told. */
enum ring_does timeline_cause_does(const struct field *opcode)
{
	if (field_begins(opcode, "READ"))
		return DOES_READ;
	if (field_begins(opcode, "WRITE"))
		return DOES_WRITE;
	if (!opcode->len || field_begins(opcode, "SPLICE") || field_begins(opcode, "FADVISE") ||
	    field_begins(opcode, "MADVISE") || field_begins(opcode, "URING_CMD"))
		return DOES_ANYTHING;
	return DOES_NEITHER;
}

void timeline_cause_add(struct timeline *t, struct ring_request *request)
{
	struct timeline_place *process = timeline_find(&t->tracks, OWNER_PROCESS,
						       request->asked.pid);

	if (!process)
		return;
	request->asked.older = process->newest;
	if (process->newest)
		process->newest->asked.newer = request;
	process->newest = request;
}

void timeline_cause_forget(struct timeline *t, struct ring_request *request)
{
	struct ring_asked *asked = &request->asked;
	struct timeline_place *process = timeline_find(&t->tracks, OWNER_PROCESS, asked->pid);

	if (process && process->newest == request)
		process->newest = asked->older;
	if (asked->older)
		asked->older->asked.newer = asked->newer;
	if (asked->newer)
		asked->newer->asked.older = asked->older;
	asked->older = asked->newer = NULL;
}

/* More than it asked for: requests that lie side by side on the disk were put together. */
static bool is_larger(const struct timeline_part *part, const struct ring_asked *asked)
{
	return asked->length && part->size > asked->length;
}

static struct ring_request *named(struct timeline *t, const struct timeline_part *part)
{
	struct ring_request *request = NULL;

	/* the row has no ring, and a request is looked for by both */
	for (uint64_t i = 0; i < t->n_rings && !request; i++)
		request = ring_requests_find(&t->requests, t->rings[i], part->request);
	if (!request || request->asked.since_ns > part->ns || is_larger(part, &request->asked))
		return NULL;
	return request;
}

static bool may_be(const struct ring_asked *asked, const struct timeline_part *part)
{
	if (asked->since_ns > part->ns)
		return false;
	if (asked->does != DOES_ANYTHING && asked->does != (part->write ? DOES_WRITE : DOES_READ))
		return false;
	if (asked->inode && part->inode)
		return asked->inode == part->inode;
	return !asked->path || !part->path || asked->path == part->path;
}

/* In the call that submitted it, or in a thread of the kernel that does nothing else. */
static bool was_in(const struct ring_asked *asked, const struct timeline_part *part)
{
	/*
	 * the kernel's names of its workers (io_uring/io-wq.c) and of the thread that polls
	 * (sqpoll.c)
	 */
	if (field_begins(&part->command, "iou-wrk-"))
		return asked->queued;
	return asked->tid == part->tid &&
	       (field_begins(&part->command, "iou-sqp-") || part->ns <= asked->call_ends_ns);
}

/* Of a part of all requests, one may be the only one that is here. */
static struct ring_request *only_one(const struct timeline *t, const struct timeline_part *part)
{
	const struct timeline_place *process = timeline_find(&t->tracks, OWNER_PROCESS, part->pid);
	struct ring_request *one = NULL;

	/* one that is not here may be the one */
	if (!t->all_requests || !process || process->old_rings)
		return NULL;
	for (struct ring_request *r = process->newest; r; r = r->asked.older) {
		if (!may_be(&r->asked, part))
			continue;
		if (one)
			return NULL;
		one = r;
	}
	if (!one || one->asked.does == DOES_ANYTHING || !was_in(&one->asked, part))
		return NULL;
	/* what is read ahead is more */
	return part->direct && is_larger(part, &one->asked) ? NULL : one;
}

struct ring_request *timeline_cause_find(struct timeline *t, const struct timeline_part *part)
{
	return part->request ? named(t, part) : only_one(t, part);
}

/* ---- writes that may be written back later ---- */

uint64_t timeline_write_hash(const struct field *path)
{
	/* 0 is nobody's */
	return hash_text(1, path->text, path->len) | 1;
}

struct timeline_write *timeline_write_of(struct timeline *t, uint64_t hash)
{
	if (!t->writes)
		t->writes = calloc(TIMELINE_WRITES, sizeof(*t->writes));
	if (!t->writes) {
		t->tracks.no_memory = true;
		return NULL;
	}
	return &t->writes[hash >> 8 & (TIMELINE_WRITES - 1)];
}
