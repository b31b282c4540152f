/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: rows of requests of io_uring, made of their completions where fs has no probe that sees
 * them (tiers b and c). So their bytes count as those of every other call, whoever adds them up.
 */
#include "events/fs_uring.h"

#include <errno.h>

#include "compat/sys/uring_abi.h"
#include "events/fs_private.h"
#include "row/fs_ops.h"

/* By opcode, as far as they read, write or sync files. */
static unsigned operation_of(unsigned opcode)
{
	switch (opcode) {
	case OP_READV:
	case OP_READ_FIXED:
	case OP_READ:
	case OP_READV_FIXED:
		return IOT_READ;
	case OP_WRITEV:
	case OP_WRITE_FIXED:
	case OP_WRITE:
	case OP_WRITEV_FIXED:
		return IOT_WRITE;
	case OP_FSYNC:
		return IOT_FSYNC;
	case OP_SYNC_FILE_RANGE:
		return IOT_SYNC_FILE_RANGE;
	default:
		return 0;
	}
}

/* The followed descriptor; of a file of the ring's own table there is none. */
static struct desc *desc_of(struct events *ev, const struct iot_ring *request)
{
	if (!ev->follow || request->fd < 0 || (request->sqe_flags & SQE_FIXED_FILE))
		return NULL;
	return procs_desc(ev->procs, request->head.tgid, request->fd, request->head.ts);
}

static struct iot_fs record_of(struct events *ev, const struct iot_ring *request, unsigned op)
{
	struct iot_fs rec = {
		.head = request->head,
		.size = request->known & IOT_RING_LENGTH ? request->length : 0,
		.offset = -1,
		.ret = request->result,
		.latency = request->known & IOT_RING_LATENCY ? request->latency : FORMAT_UNKNOWN,
		.fd = request->sqe_flags & SQE_FIXED_FILE ? -1 : request->fd,
		.op = (u16)op,
		.call = IOT_CALL_io_uring_enter,
	};

	if (ev->follow)
		rec.mntns = procs_mntns(ev->procs, rec.head.tgid);
	if (rec.ret > 0 && (uint64_t)rec.ret > rec.size && (fs_ops[op].traits & FS_DATA))
		rec.size = (uint64_t)rec.ret;
	if (request->known & IOT_RING_OFFSET) {
		rec.offset = (s64)request->offset;
		rec.status = IOT_ST_OFFSET;
	}
	return rec;
}

void fs_request(struct events *ev, const struct iot_ring *request, const struct path *path)
{
	unsigned op = operation_of(request->opcode);
	struct desc *desc = desc_of(ev, request);
	struct fs_subject s = fs_no_subject;
	struct iot_fs rec;

	/* one that was cancelled did nothing to its file */
	if (!(ev->of_requests >> op & 1) || request->result == -ECANCELED ||
	    (desc && desc->scope != SCOPE_IN) || (!desc && !path))
		return;
	rec = record_of(ev, request, op);
	if (desc) {
		s = fs_subject_of_desc(desc);
	} else {
		s.ino = request->ino;
		s.dev = request->dev;
	}
	s.path = path ? path : s.path;
	s.remembered = true;
	s.offset = -1; /* not known, or that of the file, which is the same here */
	if (rec.status & IOT_ST_OFFSET)
		s.offset = rec.offset;
	fs_emit_data(ev, &rec, &s);
}
