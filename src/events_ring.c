/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream iouring: records of rings and requests to rows, with the names of their files. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events_private.h"

/* The kernel knows no opcode here. */
#define NO_OPCODE 0xffff

static const char *const words[IO_N_RING_EVENTS] = {
	[IO_RING_ENTER] = "ENTER", [IO_RING_CREATE] = "CREATE", [IO_RING_REGISTER] = "REGISTER",
	[IO_RING_SUBMIT] = "SUBMIT", [IO_RING_QUEUE_ASYNC] = "QUEUE_ASYNC", [IO_RING_POLL_ARM] = "POLL_ARM",
	[IO_RING_COMPLETE] = "COMPLETE",
};

static bool is_request(const struct io_ring *rec)
{
	return rec->event >= IO_RING_SUBMIT;
}

/* Where the kernel could not look, the descriptor tells, if it is followed. */
static void find_file(struct events *ev, const struct io_ring *rec, struct iouring_row *row)
{
	const struct desc *desc = NULL;

	row->ino = rec->ino;
	if (rec->ino)
		row->path = events_text(names_of_file(ev->files, rec->ino, rec->dev));
	else if (ev->follow && is_request(rec) && rec->fd >= 0)
		desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
	if (desc && desc->scope != SCOPE_OUT) {
		row->ino = desc->ino;
		row->path = events_text(desc->path);
	}
}

void events_ring(struct events *ev, const struct io_ring *rec)
{
	bool request = is_request(rec);
	struct iouring_row row = {
		.rec = rec, .start = rec->head.ts,
		.user_data = request ? rec->user_data : FORMAT_UNKNOWN,
		.offset = rec->known & IO_RING_OFFSET ? rec->offset : FORMAT_UNKNOWN,
		.length = rec->known & IO_RING_LENGTH ? rec->length : FORMAT_UNKNOWN,
		.latency = rec->known & IO_RING_LATENCY ? rec->latency : FORMAT_UNKNOWN,
		.result = FORMAT_NO_VALUE,
	};

	if (rec->event == 0 || rec->event >= IO_N_RING_EVENTS) {
		ev->totals.bad++;
		return;
	}
	if (!ev->wanted[STREAM_iouring])
		return;
	row.event = words[rec->event];
	if (request && rec->opcode != NO_OPCODE)
		row.opcode = (struct flags){ &flags_uring_op, rec->opcode };
	if (rec->flags)
		row.flags = (struct flags){
			request ? &flags_uring_sqe : rec->event == IO_RING_ENTER ? &flags_uring_enter : NULL, rec->flags,
		};
	if (rec->event == IO_RING_COMPLETE || rec->event == IO_RING_ENTER || rec->event == IO_RING_REGISTER)
		row.result = rec->result;
	if (rec->event == IO_RING_ENTER)
		row.start -= rec->latency;
	find_file(ev, rec, &row);
	events_push(ev, STREAM_iouring, row.start, row_iouring(ev->text, &row));
}
