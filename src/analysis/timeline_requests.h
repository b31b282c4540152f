/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requests of io_uring that are in flight, found by ring and request. */
#ifndef IOT_TIMELINE_REQUESTS_H
#define IOT_TIMELINE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMELINE_BUCKETS = 65536 };

struct timeline_request {
	uint64_t ring;
	uint64_t id;
	uint64_t flow;  /* of its arrows */
	unsigned lane;  /* of the ring */
	uint64_t ns;    /* of its submission, or of its last completion */
	unsigned steps; /* bits of whoever follows it */
	unsigned group;
	struct timeline_request *next;
};

struct timeline_requests {
	struct timeline_request **buckets; /* NULL before the first one */
	struct timeline_request *spare;
};

/* Not in any order; NULL without memory. */
struct timeline_request *timeline_requests_add(struct timeline_requests *requests, uint64_t ring,
					       uint64_t id);
/* NULL: there is none. */
struct timeline_request *timeline_requests_find(const struct timeline_requests *requests,
						uint64_t ring, uint64_t id);
void timeline_requests_remove(struct timeline_requests *requests, struct timeline_request *request);
/* Any of those that are left; NULL: none is. */
struct timeline_request *timeline_requests_any(const struct timeline_requests *requests,
					       unsigned *bucket);
void timeline_requests_free(struct timeline_requests *requests);

#endif
