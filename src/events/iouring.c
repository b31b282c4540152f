/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream iouring: see iouring.h. Rows get the names of their files. */
#include "events/iouring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/fs_uring.h"
#include "events/texts.h"
#include "probes/schema/iouring.def"
#include "resolve/procfs.h"
#include "row/flags_uring.h"
#include "row/format.h"

EVENTS_ROW(iouring)

/* The kernel knows no opcode here. */
#define NO_OPCODE 0xffff

static const char *const words[IOT_N_RING_EVENTS] = {
	[IOT_RING_ENTER] = "ENTER",
	[IOT_RING_CREATE] = "CREATE",
	[IOT_RING_REGISTER] = "REGISTER",
	[IOT_RING_SUBMIT] = "SUBMIT",
	[IOT_RING_QUEUE_ASYNC] = "QUEUE_ASYNC",
	[IOT_RING_POLL_ARM] = "POLL_ARM",
	[IOT_RING_COMPLETE] = "COMPLETE",
	[IOT_RING_DEFER] = "DEFER",
	[IOT_RING_LINK] = "LINK",
	[IOT_RING_FAIL_LINK] = "FAIL_LINK",
	[IOT_RING_CQE_OVERFLOW] = "CQE_OVERFLOW",
	[IOT_RING_SHORT_WRITE] = "SHORT_WRITE",
	[IOT_RING_FILE_GET] = "FILE_GET",
	[IOT_RING_CQRING_WAIT] = "CQRING_WAIT",
	[IOT_RING_TASK_WORK] = "TASK_WORK",
	[IOT_RING_LOCAL_WORK] = "LOCAL_WORK",
};

static bool is_request(const struct iot_ring *rec)
{
	return rec->event >= IOT_RING_SUBMIT && rec->event <= IOT_RING_FILE_GET;
}

/* What the event itself says of how it went; of a new ring there is nothing to say. */
static bool has_result(const struct iot_ring *rec)
{
	switch (rec->event) {
	case IOT_RING_ENTER:
	case IOT_RING_REGISTER:
	case IOT_RING_COMPLETE:
	case IOT_RING_CQE_OVERFLOW:
	case IOT_RING_SHORT_WRITE:
		return true;
	default:
		return rec->event == IOT_RING_CREATE && rec->result < 0;
	}
}

static u64 when_known(const struct iot_ring *rec, unsigned bit, u64 value)
{
	return rec->known & bit ? value : FORMAT_UNKNOWN;
}

/* Files whose descriptor was asked for their name; another one with the same place drives one out. */
enum { ASKED = 1024 };
struct asked {
	struct {
		uint64_t ino;
		uint32_t dev;
	} files[ASKED];
};

static int open_asked(void **state, const struct plan *plan)
{
	(void)plan;
	*state = calloc(1, sizeof(struct asked));
	return *state ? 0 : -ENOMEM;
}

/* A file that was open before the trace began has no name yet: /proc is asked, once. */
static const struct path *name_of_old(struct events *ev, const struct iot_ring *rec)
{
	struct asked *asked = ev->state[STREAM_iouring];
	unsigned place = (rec->ino ^ rec->dev) % ASKED;
	struct procfs_file file;
	struct path *path;

	if (rec->fd < 0 || !asked ||
	    (asked->files[place].ino == rec->ino && asked->files[place].dev == rec->dev))
		return NULL;
	asked->files[place].ino = rec->ino;
	asked->files[place].dev = rec->dev;
	/* by now the descriptor may be another file's */
	if (!procfs_fd(&ev->resolve->procfs, procs_number(ev->procs, rec->head.tgid), rec->fd,
		       false, &file) ||
	    file.ino != rec->ino || file.dev != rec->dev || file.deleted || file.scope == SCOPE_OUT)
		return NULL;
	path = procfs_name(&file, PATH_PROC);
	if (path)
		texts_learn_old(ev, rec->ino, rec->dev, path);
	path_put(path);
	return texts_of_file(ev, rec->ino, rec->dev);
}

/* Where the kernel could not look, the descriptor tells, if it is followed. */
static const struct path *find_file(struct events *ev, const struct iot_ring *rec,
				    struct iouring_row *row)
{
	const struct desc *desc = NULL;
	const struct path *path = NULL;

	row->ino = rec->ino;
	if (rec->ino) {
		path = texts_of_file(ev, rec->ino, rec->dev);
		if (!path && is_request(rec))
			path = name_of_old(ev, rec);
	} else if (ev->follow && is_request(rec) && rec->fd >= 0) {
		desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
	}
	if (desc && desc->scope != SCOPE_OUT) {
		row->ino = desc->ino;
		path = desc->path;
	}
	row->path = texts_cell(path);
	return path;
}

static struct flags opcode_of(const struct iot_ring *rec)
{
	if (rec->event == IOT_RING_REGISTER)
		return (struct flags){ &flags_uring_register, rec->opcode };
	if (is_request(rec) && rec->opcode != NO_OPCODE)
		return (struct flags){ &flags_uring_op, rec->opcode };
	return (struct flags){ 0 };
}

static struct flags flags_of(const struct iot_ring *rec)
{
	static const struct flag_set *const sets[IOT_N_RING_EVENTS] = {
		[IOT_RING_ENTER] = &flags_uring_enter,
		[IOT_RING_CREATE] = &flags_uring_setup,
	};
	const struct flag_set *set = is_request(rec) ? &flags_uring_sqe : sets[rec->event];
	uint32_t flags = is_request(rec)              ? rec->sqe_flags :
			 rec->event == IOT_RING_ENTER ? rec->enter_flags :
							rec->setup_flags;

	if (is_request(rec) && rec->known & IOT_RING_AMBIGUOUS)
		flags |= FLAGS_URING_AMBIGUOUS;
	return set && flags ? (struct flags){ set, flags } : (struct flags){ 0 };
}

static void handle_ring(struct events *ev, void *record, size_t len)
{
	const struct iot_ring *rec = record;
	bool request = is_request(rec);
	const struct path *path;
	struct iouring_row row = {
		.rec = rec,
		.start = rec->head.ts,
		.user_data = request && !(rec->known & IOT_RING_NO_DATA) ? rec->user_data :
									   FORMAT_UNKNOWN,
		.offset = when_known(rec, IOT_RING_OFFSET, rec->offset),
		.length = when_known(rec, IOT_RING_LENGTH, rec->length),
		.latency = when_known(rec, IOT_RING_LATENCY, rec->latency),
		.buffer = when_known(rec, IOT_RING_BUFFER, rec->buffer),
		.sq_fill = when_known(rec, IOT_RING_FILLS, rec->sq_fill),
		.cq_fill = when_known(rec, IOT_RING_FILLS, rec->cq_fill),
		.cq_taken = when_known(rec, IOT_RING_FILLS, rec->cq_taken),
		.result = FORMAT_NO_VALUE,
	};

	(void)len;
	if (rec->event == 0 || rec->event >= IOT_N_RING_EVENTS) {
		ev->totals.bad++;
		return;
	}
	if (!ev->wanted[STREAM_iouring])
		return;
	row.event = words[rec->event];
	row.opcode = opcode_of(rec);
	row.flags = flags_of(rec);
	if (has_result(rec))
		row.result = rec->result;
	/* a call: it is told of when it returns */
	if (rec->event <= IOT_RING_REGISTER && rec->known & IOT_RING_LATENCY)
		row.start -= rec->latency;
	path = find_file(ev, rec, &row);
	if (rec->event == IOT_RING_COMPLETE)
		fs_request(ev, rec, path);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_iouring,
						   .operation = row.event,
						   .failed = row.result != FORMAT_NO_VALUE &&
							     row.result < 0,
						   .latency = row.latency,
						   .path = path }))
		iouring_push(ev, row.start, &row);
}

const struct stream_ops stream_iouring = {
	.open = open_asked,
	.close = free,
	.records = {
		{ .type = IOT_REC_RING, .least = sizeof(struct iot_ring), .handle = handle_ring },
	},
};
