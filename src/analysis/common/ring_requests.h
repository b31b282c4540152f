/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requests of io_uring that are in flight, found by ring and request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RING_BUCKETS = 65536 };

struct ring_request;

/* What a request of io_uring asks for; the zeroed one may ask for anything. */
enum ring_does { DOES_ANYTHING, DOES_READ, DOES_WRITE, DOES_NEITHER };

struct ring_asked {
	uint32_t pid;
	uint32_t tid;
	uint64_t since_ns; /* its submission, */
	uint64_t
		call_ends_ns; /* and the end of the call that it was in; 0: no such call was seen */
	uint64_t inode;       /* 0: not known; and so the next two */
	uint64_t path;        /* hash */
	uint64_t length;
	enum ring_does does;
	bool queued; /* to a worker */
	/* of its process, those in flight */
	struct ring_request *older;
	struct ring_request *newer;
};

struct ring_request {
	uint64_t ring;
	uint64_t id;
	uint64_t flow;  /* of its arrows */
	unsigned lane;  /* of the ring */
	uint64_t ns;    /* of its submission, or of its last completion */
	unsigned steps; /* bits of whoever follows it */
	unsigned group;
	struct ring_asked asked; /* where it is drawn */
	struct ring_request *next;
};

struct ring_requests {
	struct ring_request **buckets; /* NULL before the first one */
	struct ring_request *spare;
};

/* Not in any order; NULL without memory. */
struct ring_request *ring_requests_add(struct ring_requests *requests, uint64_t ring, uint64_t id);
/*
 * Returns NULL when there is no such request. Of several with one id it is the one that was
 * added last.
 */
struct ring_request *ring_requests_find(const struct ring_requests *requests, uint64_t ring,
					uint64_t id);
void ring_requests_remove(struct ring_requests *requests, struct ring_request *request);
/*
 * Any of those that are left; NULL: none is. *bucket: where to go on looking, 0 at first;
 * remove the request before the next call.
 */
struct ring_request *ring_requests_any(const struct ring_requests *requests, unsigned *bucket);
void ring_requests_free(struct ring_requests *requests);
