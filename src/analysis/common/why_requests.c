/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns which request a sleep may have waited for: one that completed before it ended, and that is the
 * sleeper's own, its file's, or of a journal that writes for it. What it waited for in truth nobody
 * recorded; who woke it tells of a journal whether it was that one.
 */
#include "analysis/common/why_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum { FIRST_REQUESTS = 1024 };

/*
 * From the completion of a request to the wake-up of who waits for it, tens of microseconds: its interrupt is
 * served in the time of a thread that has nothing to do with it, and that counts as the waker.
 */
#define INTERRUPT_NS 100000

static struct why_request *at(const struct why_requests *r, uint64_t i)
{
	return &r->items[i & (r->max - 1)];
}

static bool make_room(struct why_requests *r)
{
	uint64_t max = r->max ? r->max * 2 : FIRST_REQUESTS;
	struct why_request *items;

	if (r->n < r->max)
		return true;
	if (r->max == r->most) {
		/* the oldest one, whose place the next one takes */
		r->forgotten_until = at(r, r->n)->completed;
		return true;
	}
	items = malloc(max * sizeof(*items));
	if (!items)
		return false;
	for (uint64_t i = 0; i < r->n; i++)
		items[i] = *at(r, i);
	free(r->items);
	r->items = items;
	r->max = max;
	return true;
}

bool why_requests_add(struct why_requests *r, const struct why_request *request)
{
	uint64_t i, first;

	if (!make_room(r))
		return false;
	i = r->n++;
	first = r->n > r->max ? r->n - r->max : 0;
	for (; i > first && at(r, i - 1)->completed > request->completed; i--)
		*at(r, i) = *at(r, i - 1);
	*at(r, i) = *request;
	return true;
}

static bool may_wait_for(const struct why_sleeper *s, const struct why_request *r)
{
	/* where both are known nothing needs to be guessed */
	if (s->uring && r->uring)
		return r->uring == s->uring;
	if (r->journal)
		return r->tid == s->tid || (s->waker && r->tid == s->waker) ||
		       (s->syncs && (r->shared || r->owner == s->pid));
	if (r->tid && r->tid == s->tid)
		return true;
	return r->inode && r->inode == s->inode &&
	       (r->path == s->path || !r->path || !s->path || r->owner == s->pid);
}

/* Time covered by intervals whose ends come from the last to the first. */
struct cover {
	uint64_t low, total;
};

static void cover_add(struct cover *c, uint64_t from, uint64_t to)
{
	if (to > c->low)
		to = c->low;
	if (from >= to)
		return;
	c->total += to - from;
	c->low = from;
}

static bool completed_until(const void *requests, uint64_t i, uint64_t ns)
{
	return at(requests, i)->completed <= ns;
}

/* The number of the first one that completed after a time. */
static uint64_t first_after(const struct why_requests *r, uint64_t ns)
{
	return search_first(r, r->n > r->max ? r->n - r->max : 0, r->n, completed_until, ns);
}

struct why_device_time why_requests_within(const struct why_requests *r,
					   const struct why_sleeper *sleeper, uint64_t from,
					   uint64_t to)
{
	/* each has what those before it have */
	struct cover device = { to, 0 }, queued = { to, 0 }, server = { to, 0 }, any = { to, 0 };
	struct why_device_time time = { .unknown = 0 };
	uint64_t first, i, issued, inserted;

	if (from < r->forgotten_until) {
		time.unknown = (r->forgotten_until < to ? r->forgotten_until : to) - from;
		from += time.unknown;
	}
	first = first_after(r, from);
	for (i = first_after(r, to); i-- > first;) {
		const struct why_request *request = at(r, i);

		if (!may_wait_for(sleeper, request))
			continue;
		issued = request->issued > from ? request->issued : from;
		inserted = request->inserted > from ? request->inserted : from;
		if (!request->remote) {
			cover_add(&device, issued, request->completed);
			cover_add(&queued, inserted, request->completed);
		}
		cover_add(&server, request->remote ? issued : inserted, request->completed);
		cover_add(&any, inserted, request->completed);
	}
	time.served = device.total;
	time.queued = queued.total - device.total;
	time.at_server = server.total - queued.total;
	time.server_queued = any.total - server.total;
	return time;
}

bool why_requests_woke(const struct why_requests *r, uint32_t tid, uint32_t waker, uint64_t ns)
{
	uint64_t low = r->n > r->max ? r->n - r->max : 0;

	for (uint64_t i = first_after(r, ns); i-- > low && at(r, i)->completed + INTERRUPT_NS > ns;)
		/* who takes a reply from the network wakes the thread itself */
		if (!at(r, i)->remote && (at(r, i)->tid == tid || at(r, i)->tid == waker))
			return at(r, i)->tid == tid;
	return false;
}

void why_requests_free(struct why_requests *r)
{
	free(r->items);
	memset(r, 0, sizeof(*r));
}
