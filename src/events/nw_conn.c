/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_conn: see nw_conn.h. What a call says of a socket is kept, for it and for stream nw. */
#include "events/nw_conn.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/texts.h"
#include "probes/schema/nw_conn.def"
#include "row/flags_net.h"
#include "row/format.h"

EVENTS_ROW(nw_conn)

/*
 * The name of a Unix socket; "@name" when it is not in the file system. It ends
 * with the address, not with a NUL. A new reference.
 */
static struct path *unix_name(struct events *ev, const struct iot_conn *rec)
{
	struct path *text = rec->name ? names_take(ev->names, rec->name) : NULL, *name;
	bool abstract = rec->flags & IOT_CONN_ABSTRACT;
	size_t room = rec->address_bytes - offsetof(struct sockaddr_un, sun_path), len;
	char with_at[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1] = "@";

	if (!text || rec->address_bytes < (int)offsetof(struct sockaddr_un, sun_path))
		return text;
	if (room > sizeof(with_at) - 1)
		room = sizeof(with_at) - 1;
	room -= abstract && room; /* for the NUL in front */
	len = text->raw_len < room ? text->raw_len : room;
	/* many give the whole structure as the address: NULs at the end are a part of the name that nobody writes */
	while (abstract && len && !text->raw[len - 1])
		len--;
	memcpy(with_at + 1, text->raw, len);
	name = abstract ? path_new(with_at, len + 1, 0) : path_new(with_at + 1, len, 0);
	path_put(text);
	return name;
}

/* The accepted socket, of which nothing is kept yet: of the kind that listens, at its end. */
static void accepted(struct events *ev, const struct iot_conn *rec, struct iot_ends *kept)
{
	const struct iot_ends *from = fd_sockets_ends(ev->sockets, rec->head.tgid, rec->listening,
						      rec->head.ts);

	if (from) {
		*kept = *from;
		kept->known &= ~IOT_ENDS_REMOTE;
	}
	kept->asked = 0;
	kept->made = rec->ends.made;
	/* accept(fd, NULL) */
	if (!(rec->ends.known & IOT_ENDS_REMOTE) && nw_ends_version(kept))
		fd_sockets_update(ev->sockets, rec->head.tgid, rec->fd, rec->head.ts, kept);
}

/* The call has failed, or what it began: the socket has no peer, and no port that it was not bound to. */
static bool connect_failed(const struct iot_conn *rec, const struct iot_ends *kept)
{
	return rec->event == IOT_CONN_CONNECT && kept->type == SOCK_STREAM && rec->ret < 0 &&
	       rec->ret != -EINPROGRESS && rec->ret != -EALREADY && rec->ret != -EISCONN &&
	       rec->ret != -EINTR && rec->ret > -512 /* ERESTARTSYS: it goes on */ &&
	       (!(rec->flags & IOT_CONN_LATER) || (rec->flags & IOT_CONN_WAITED));
}

static void disconnected(struct iot_ends *kept)
{
	kept->known &= kept->asked & NW_ENDS_BOUND ? ~IOT_ENDS_REMOTE :
						     ~(IOT_ENDS_REMOTE | IOT_ENDS_LOCAL);
	if (!(kept->asked & NW_ENDS_BOUND))
		kept->local_port = 0;
}

/* Without kernel headers: what this call says of its socket is kept, and what others said is added. */
static void follow(struct events *ev, struct iot_conn *rec)
{
	bool makes = rec->ret >= 0 &&
		     (rec->event == IOT_CONN_SOCKET_CREATE || rec->event == IOT_CONN_ACCEPT);
	/* of a socket that this call makes, /proc knows no more than the call */
	struct iot_ends *kept = makes ? fd_sockets_ends(ev->sockets, rec->head.tgid, rec->fd,
							rec->head.ts) :
					nw_ends_kept(ev, &rec->head, rec->fd, rec->ends.made);
	u32 asked;

	if (!kept)
		return;
	if (makes)
		memset(kept, 0, sizeof(*kept));
	if (makes && rec->event == IOT_CONN_ACCEPT)
		accepted(ev, rec, kept);
	asked = kept->asked;
	/* told by the kernel: more than what calls gave, as the port that was chosen */
	if ((rec->flags & IOT_CONN_LATER) && (rec->ends.known & IOT_ENDS_LOCAL))
		*kept = rec->ends;
	/* connected to AF_UNSPEC */
	if (rec->event == IOT_CONN_CONNECT && rec->ret == 0 && !rec->ends.family &&
	    !(rec->flags & IOT_CONN_LATER))
		disconnected(kept);
	/* bound to whatever port is free */
	if (rec->ret == 0 && !kept->local_port &&
	    (rec->event == IOT_CONN_LISTEN ||
	     (rec->event == IOT_CONN_CONNECT && kept->type == SOCK_DGRAM)))
		fd_sockets_update(ev->sockets, rec->head.tgid, rec->fd, rec->head.ts, kept);
	nw_ends_complete(&rec->ends, kept);
	if (rec->event == IOT_CONN_BIND && rec->ret == 0 && rec->ends.local_port)
		asked |= NW_ENDS_BOUND;
	if (rec->ret >= 0 || rec->ret == -EINPROGRESS)
		*kept = rec->ends;
	kept->asked = asked;
	if (connect_failed(rec, kept))
		disconnected(kept);
}

static void handle_call(struct events *ev, void *record, size_t len)
{
	static const char *const words[IOT_N_CONN_EVENTS] = {
		[IOT_CONN_SOCKET_CREATE] = "SOCKET_CREATE",
		[IOT_CONN_BIND] = "BIND",
		[IOT_CONN_LISTEN] = "LISTEN",
		[IOT_CONN_ACCEPT] = "ACCEPT",
		[IOT_CONN_CONNECT] = "CONNECT",
		[IOT_CONN_SHUTDOWN] = "SHUTDOWN",
	};
	struct iot_conn *rec = record;
	const struct iot_ends *ends = &rec->ends;
	struct nw_conn_row row;
	struct path *name;

	(void)len;
	if (rec->event == 0 || rec->event >= IOT_N_CONN_EVENTS) {
		ev->totals.bad++;
		return;
	}
	if (ev->follow)
		follow(ev, rec);
	row = (struct nw_conn_row){
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.event = words[rec->event],
		.domain = { ends->family || (ends->known & IOT_ENDS_SOCKET) ? &flags_af : NULL,
			    ends->family },
		.version = nw_ends_version(ends),
		.local = nw_ends_local(ends),
		.remote = nw_ends_remote(ends),
		.local_port = FORMAT_UNKNOWN,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = FORMAT_NO_VALUE,
		.protocol = nw_ends_protocol(ends),
	};
	if ((rec->flags & IOT_CONN_LATER) && !(rec->flags & IOT_CONN_WAITED))
		return; /* the call itself is the row */
	if (ends->known & IOT_ENDS_SOCKET)
		row.type = flags_of_type(ends->type);
	if (row.local.addr)
		row.local_port = ends->local_port;
	if (row.remote.addr)
		row.remote_port = ends->remote_port;
	if (rec->event == IOT_CONN_LISTEN)
		row.backlog = rec->backlog;
	else if (rec->event == IOT_CONN_SHUTDOWN)
		row.how = (struct flags){ &flags_shutdown, rec->how };
	name = unix_name(ev, rec);
	if (rec->event == IOT_CONN_CONNECT)
		row.remote.name = texts_cell(name);
	else
		row.local.name = texts_cell(name);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_conn,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		nw_conn_push(ev, row.start, &row);
	path_put(name);
}

const struct stream_ops stream_nw_conn = {
	.records = {
		{ .type = IOT_REC_CONN, .least = sizeof(struct iot_conn), .handle = handle_call },
	},
};
