/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requests of io_uring that are in flight, found by ring and request. */
#ifndef IOT_TIMELINE_REQUESTS_H
#define IOT_TIMELINE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMELINE_BUCKETS = 65536 };

struct timeline_request;

/* What a request of io_uring asks for; the zeroed one may ask for anything. */
enum timeline_does { DOES_ANYTHING, DOES_READ, DOES_WRITE, DOES_NEITHER };

struct timeline_asked {
	uint32_t pid;
	uint32_t tid;
	uint64_t since_ns; /* its submission, */
	uint64_t
		call_ends_ns; /* and the end of the call that it was in; 0: no such call was seen */
	uint64_t inode;       /* 0: not known; and so the next two */
	uint64_t path;        /* hash */
	uint64_t length;
	enum timeline_does does;
	bool queued; /* to a worker */
	/* of its process, those in flight */
	struct timeline_request *older;
	struct timeline_request *newer;
};

struct timeline_request {
	uint64_t ring;
	uint64_t id;
	uint64_t flow;  /* of its arrows */
	unsigned lane;  /* of the ring */
	uint64_t ns;    /* of its submission, or of its last completion */
	unsigned steps; /* bits of whoever follows it */
	unsigned group;
	struct timeline_asked asked; /* where it is drawn */
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
