/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream ds: why a request was made, of which file, and who caused it. */
#pragma once

#include <stdbool.h>

#include "resolve/writers.h"
#include "row/path.h"
#include "row/records.h"

struct events;

/* Facts about a request that are not in its record. */
struct ds_request {
	const struct iot_ds *rec;
	const char *operation; /* words of the columns */
	const char *flags;
	u32 ppid;
	bool is_bio; /* of a device above: what is below it goes to the disk */
};

struct ds_owner {
	const char *cause;       /* a constant; "" */
	u64 inode;               /* 0: none, or several */
	u32 dev;                 /* of its file system */
	const struct path *file; /* NULL: not known; borrowed */
	struct writer writer;    /* pid 0: not known */
};

/*
 * What is not known stays empty: never a guess. False when the request is nobody's that is traced.
 */
bool ds_owner_find(struct events *ev, const struct ds_request *request, struct ds_owner *owner);
