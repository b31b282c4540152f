/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the two positions and the order in which each side reads and writes them. */
#include "snapshot/snap_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct message {
	uint32_t kind;
	uint32_t len;
};

int snap_ring_open(struct snap_ring *ring, size_t size)
{
	*ring = (struct snap_ring){ .data = malloc(size), .mask = size - 1 };
	return ring->data ? 0 : -ENOMEM;
}

void snap_ring_close(struct snap_ring *ring)
{
	free(ring->data);
	*ring = (struct snap_ring){ 0 };
}

/*
 * Positions only grow; where they are in data is what the mask leaves. A message may go round
 * its end.
 */
static uint64_t copy_in(struct snap_ring *ring, uint64_t at, const void *data, size_t len)
{
	size_t place = at & ring->mask, first = ring->mask + 1 - place;

	if (first > len)
		first = len;
	if (len) {
		memcpy(ring->data + place, data, first);
		memcpy(ring->data, (const char *)data + first, len - first);
	}
	return at + len;
}

static uint64_t copy_out(const struct snap_ring *ring, uint64_t at, void *data, size_t len)
{
	size_t place = at & ring->mask, first = ring->mask + 1 - place;

	if (first > len)
		first = len;
	memcpy(data, ring->data + place, first);
	memcpy((char *)data + first, ring->data, len - first);
	return at + len;
}

bool snap_ring_put(struct snap_ring *ring, uint32_t kind, const void *head, size_t head_len,
		   const void *body, size_t body_len)
{
	/*
	 * head is this side's own; tail can only have grown since it was read: there is more
	 * room, not less
	 */
	struct message message = { .kind = kind, .len = (uint32_t)(head_len + body_len) };
	uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE), at = ring->head;

	if (message.len > SNAP_RING_MESSAGE_MAX ||
	    at - tail + sizeof(message) + message.len > ring->mask + 1)
		return false;
	at = copy_in(ring, at, &message, sizeof(message));
	at = copy_in(ring, at, head, head_len);
	at = copy_in(ring, at, body, body_len);
	__atomic_store_n(&ring->head, at, __ATOMIC_RELEASE);
	return true;
}

bool snap_ring_get(struct snap_ring *ring, uint32_t *kind, void *out, size_t *len)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), at = ring->tail;
	struct message message;

	if (at == head)
		return false;
	at = copy_out(ring, at, &message, sizeof(message));
	at = copy_out(ring, at, out, message.len);
	*kind = message.kind;
	*len = message.len;
	__atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
	return true;
}
