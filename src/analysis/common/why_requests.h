/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of devices and to servers that have completed, in the order of their completion, and which time of
 * a sleep lies within those that a sleeper may have waited for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Times in ns of CLOCK_MONOTONIC; 0 of a number: not known. */
struct why_request {
	uint64_t inserted; /* into the queue; issued, when it never was in one */
	uint64_t issued;   /* to a server: sent */
	uint64_t completed;
	uint64_t inode;
	uint64_t path;  /* hash of the file's name */
	uint64_t uring; /* hash of the request of io_uring that it belongs to */
	uint32_t tid;   /* that submitted it */
	uint32_t owner; /* process that caused it */
	bool remote;    /* to a server */
	bool journal;
	bool shared; /* also for others than its owner */
};

/* Who slept. */
struct why_sleeper {
	uint64_t inode;
	uint64_t path;
	uint64_t uring; /* that is a request of io_uring */
	uint32_t tid;
	uint32_t pid;
	uint32_t waker; /* thread that woke it */
	bool syncs;     /* it waits for a journal that has something of it */
};

struct why_requests {
	struct why_request *items; /* of a ring, the last ones */
	uint64_t max;              /* a power of two */
	uint64_t n;                /* that there have been */
	uint64_t most;             /* that are kept; a power of two */
	uint64_t forgotten_until;  /* those that completed until then are not here any more */
};

/* False without memory. A little late is in time: its place is found from the end. */
bool why_requests_add(struct why_requests *requests, const struct why_request *request);

struct why_device_time {
	uint64_t queued; /* ns: one of them was in the queue, none in the device */
	uint64_t served;
	uint64_t
		server_queued; /* none of these, and one to a server was not sent yet, none at a server */
	uint64_t at_server;
	uint64_t unknown; /* at the beginning, before the first that is still here */
};

/* Of the time from from to to, at whose end it was woken. */
struct why_device_time why_requests_within(const struct why_requests *requests,
					   const struct why_sleeper *sleeper, uint64_t from,
					   uint64_t to);

/*
 * Whether what woke a thread at that time was the completion of its own request: one completed shortly before,
 * and none of the waker's after it.
 */
bool why_requests_woke(const struct why_requests *requests, uint32_t tid, uint32_t waker,
		       uint64_t ns);

void why_requests_free(struct why_requests *requests);
