/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw: see nw.h. Without kernel headers the descriptor tells whose bytes they are. */
#include "events/nw.h"

#include <string.h>
#include <sys/socket.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/nw.def"
#include "row/flags_net.h"
#include "row/format.h"

/* With MSG_TRUNC a call returns how long the message was, however little of it the caller took. */
static u64 moved(const struct iot_net *rec)
{
	u64 returned = rec->ret > 0 ? (u64)rec->ret : 0;
	bool whole = !(rec->msg_flags & MSG_TRUNC) || rec->direction == IOT_NET_SEND;

	return whole || returned < rec->size ? returned : rec->size;
}

EVENTS_ROW(nw)

static void emit(struct events *ev, const struct iot_net *rec)
{
	struct nw_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.protocol = nw_ends_protocol(&rec->ends),
		.version = nw_ends_version(&rec->ends),
		.local = nw_ends_local(&rec->ends),
		.remote = nw_ends_remote(&rec->ends),
		.direction = rec->direction == IOT_NET_SEND ? "send" : "receive",
		.msg_flags = { rec->msg_flags ? &flags_msg : NULL, rec->msg_flags },
	};

	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw,
						   .operation = row.direction,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		nw_push(ev, row.start, &row);
}

bool nw_data(struct events *ev, const struct iot_fs *rec)
{
	const struct iot_ends *ends =
		ev->wanted[STREAM_nw] ? nw_ends_followed(ev, &rec->head, rec->fd, rec->sock_made) :
					NULL;
	struct iot_net net = {
		.head = rec->head,
		.size = rec->size,
		.latency = rec->latency,
		.ret = rec->ret,
		.fd = rec->fd,
		.direction = rec->op == IOT_WRITE ? IOT_NET_SEND : IOT_NET_RECEIVE,
	};

	if (!ends || !nw_ends_version(ends))
		return false;
	net.ends = *ends;
	emit(ev, &net);
	return true;
}

/*
 * The address that a call on a message was given is its peer's only where the
 * kernel looks at it: not where the socket is connected, and a stream leaves
 * alone what it was given to fill in.
 */
static void keep_peer(struct iot_net *rec, const struct iot_ends *kept)
{
	struct iot_ends *ends = &rec->ends;

	if (!ends->family || !(kept->known & IOT_ENDS_SOCKET))
		return;
	if (nw_ends_version(kept) && nw_ends_version(ends) && !kept->remote_port &&
	    (kept->type != SOCK_STREAM || rec->direction == IOT_NET_SEND))
		return;
	ends->family = 0;
	ends->remote_port = 0;
	ends->known &= ~IOT_ENDS_REMOTE;
	memset(ends->remote, 0, sizeof(ends->remote));
}

/* Whether nobody can tell (any more) which socket the bytes were of. kept: as find_ends has it. */
static bool nobody_knows(struct events *ev, const struct iot_net *rec, const struct iot_ends *kept)
{
	const struct desc *desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);

	if (!desc) /* no records of its making, or a socket that was sent here and is closed by now */
		return true;
	if (rec->maybe)
		return false;
	if (desc->scope == SCOPE_IN) /* its close was not seen */
		return true;
	/* another socket has the descriptor by now, or the making of this one was lost */
	return kept ? rec->ends.made : desc->ino;
}

/* Without kernel headers the descriptor tells whose bytes they are. False when they are not of the internet. */
static bool find_ends(struct events *ev, struct iot_net *rec)
{
	const struct iot_ends *kept = nw_ends_followed(ev, &rec->head, rec->fd, rec->ends.made);

	if (kept) {
		keep_peer(rec, kept);
		nw_ends_complete(&rec->ends, kept);
	}
	if (nw_ends_version(&rec->ends))
		return true;
	if (rec->ret < 0 || rec->ends.family || (kept && (kept->known & IOT_ENDS_OTHER)) ||
	    !nobody_knows(ev, rec, kept))
		ev->totals.out_of_scope++;
	else
		events_unresolved(ev, STREAM_nw, rec->head.ts);
	return false;
}

static void handle_call(struct events *ev, void *record, size_t len)
{
	struct iot_net *rec = record;

	(void)len;
	if (rec->direction != IOT_NET_SEND && rec->direction != IOT_NET_RECEIVE) {
		ev->totals.bad++;
		return;
	}
	/* a system call: its program adds up some pieces of a message only; what was moved was asked for */
	if (rec->fd >= 0 && rec->ret > 0 && (uint64_t)rec->ret > rec->size &&
	    !(rec->msg_flags & MSG_TRUNC))
		rec->size = rec->ret;
	if (ev->follow && rec->fd >= 0 && !(rec->ends.known & IOT_ENDS_SOCKET) &&
	    !find_ends(ev, rec))
		return;
	emit(ev, rec);
}

const struct stream_ops stream_nw = {
	.records = {
		{ .type = IOT_REC_NET, .least = sizeof(struct iot_net), .handle = handle_call },
	},
};
