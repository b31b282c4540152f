/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which request of io_uring a request of a device is a part of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/ring_requests.h"
#include "row/parse.h"

struct timeline;

/* A request of a device. */
struct timeline_part {
	uint64_t request; /* of io_uring, where the kernel tells; 0 */
	uint32_t pid;     /* its owner, */
	uint32_t tid;     /* and the thread that submitted it, */
	struct field command;
	uint64_t ns; /* then */
	uint64_t inode;
	uint64_t path;
	uint64_t size;
	bool write;
	bool direct;
};

/* The request is in flight from here, by a thread of a process, to where it is forgotten. */
void timeline_cause_add(struct timeline *timeline, struct ring_request *request);
void timeline_cause_forget(struct timeline *timeline, struct ring_request *request);
/* NULL: none, or nobody can tell which. */
struct ring_request *timeline_cause_find(struct timeline *timeline,
					 const struct timeline_part *part);

enum ring_does timeline_cause_does(const struct field *opcode);
