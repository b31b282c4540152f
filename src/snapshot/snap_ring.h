/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages from one thread to another without a lock: the thread that takes
 * snapshots may stand still at any instruction, and the one that drains the
 * rings must not notice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAP_RING_MESSAGE_MAX 16384

struct snap_ring {
	char *data;
	uint64_t mask; /* bytes - 1 */
	uint64_t head; /* written by the sender */
	uint64_t tail; /* written by the receiver */
};

/* size: a power of two, a few times SNAP_RING_MESSAGE_MAX. Returns 0 or -ENOMEM. */
int snap_ring_open(struct snap_ring *ring, size_t size);
void snap_ring_close(struct snap_ring *ring);

/* head and body become one message; false when there is no room for it now. */
bool snap_ring_put(struct snap_ring *ring, uint32_t kind, const void *head, size_t head_len,
		   const void *body, size_t body_len);

/* The next message into out (SNAP_RING_MESSAGE_MAX bytes); false when there is none. */
bool snap_ring_get(struct snap_ring *ring, uint32_t *kind, void *out, size_t *len);
