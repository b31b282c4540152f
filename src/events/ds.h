/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream ds: block requests to rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events/ds_owner.h"
#include "probes/schema/stream_id.h"
#include "row/format.h"
#include "row/records.h"

struct ds_row {
	const struct iot_ds *rec;
	u64 sector; /* UINT64_MAX: none */
	const char *operation;
	const char *flags;
	u64 issue_ns; /* FORMAT_UNKNOWN */
	u64 queue_ns;
	u32 ppid;
	u32 dev; /* the disk, or the partition */
	const char *error;
	struct ds_owner owner;
	struct format_text path; /* of its file */
	u64 cgroup;              /* 0: not known */
	u64 uring_req;           /* 0: none, or not known */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t ds_row(char *out, const struct ds_row *row);

struct events;
struct plan;

/*
 * Fills in the row of a request, or (stream bio) of a bio, which has the same. False when it is nobody's that is
 * traced, or a filter leaves it out.
 */
bool ds_row_of(struct events *ev, enum stream_id stream, const struct iot_ds *rec,
	       struct ds_row *row);
/* Whether they are charged to control groups of version 2: struct stream_ops, open */
int ds_look_at_groups(void **state, const struct plan *plan);

/*
 * The words of the ds columns operation and flags from the kernel's rwbs text,
 * read by position (an F in front of an operation is a preflush); the operation
 * itself (IOT_REQ_OP_*, 0: not known) has precedence. Constant strings.
 */
const char *ds_operation(const char rwbs[IOT_RWBS], unsigned known_op);
const char *ds_flags(const char rwbs[IOT_RWBS]);

/*
 * Where the request begins: the kernel's record has no sector for the first
 * one when the request has no length, as an operation on a zone.
 */
u64 ds_sector(const struct iot_ds *rec, const char *operation);

/*
 * errno name of a completion's error: a negative errno, or the kernel's
 * blk_status_t (positive; 5.16 and later); "" for success. Valid until the next call.
 */
const char *ds_error(int error);
