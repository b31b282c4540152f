/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network streams: records of sockets to rows. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "row/sockopt.h"

/* linux/in.h */
enum { PROTO_TCP = 6, PROTO_UDP = 17 };

unsigned events_ip_version(const struct iot_ends *ends)
{
	return ends->family == AF_INET ? 4 : ends->family == AF_INET6 ? 6 : 0;
}

/* What socket() was asked for may leave the protocol to the kernel. */
struct flags events_protocol(const struct iot_ends *ends)
{
	uint32_t protocol = ends->protocol;

	/* other families number their protocols anew: 4 is NETLINK_SOCK_DIAG, not IP-in-IP */
	if (!events_ip_version(ends))
		return (struct flags){ 0 };
	if (!protocol)
		protocol = ends->type == SOCK_STREAM ? PROTO_TCP :
			   ends->type == SOCK_DGRAM  ? PROTO_UDP :
						       0;
	return (struct flags){ protocol ? &flags_ip_proto : NULL, protocol };
}

/* An end that is known; no address and no port is a socket that has none yet. */
static struct end end_of(const struct iot_ends *ends, unsigned known, const u8 addr[16], u16 port)
{
	static const u8 none[16];
	struct end end = { .family = ends->family, .port = port };

	if ((ends->known & known) && events_ip_version(ends) &&
	    (port || memcmp(addr, none, sizeof(none))))
		end.addr = addr;
	return end;
}

struct end events_local_end(const struct iot_ends *ends)
{
	return end_of(ends, IOT_ENDS_LOCAL, ends->local, ends->local_port);
}

struct end events_remote_end(const struct iot_ends *ends)
{
	return end_of(ends, IOT_ENDS_REMOTE, ends->remote, ends->remote_port);
}

/* ::ffff:a.b.c.d: how an IPv6 socket has what it was given of IPv4. */
static void map(struct iot_ends *ends)
{
	u8 *const addrs[] = { ends->local, ends->remote };
	static const unsigned known[] = { IOT_ENDS_LOCAL, IOT_ENDS_REMOTE };

	for (int i = 0; i < 2; i++) {
		if (!(ends->known & known[i]))
			continue;
		memmove(addrs[i] + 12, addrs[i], 4);
		memset(addrs[i], 0, 10);
		memset(addrs[i] + 10, 0xff, 2);
	}
	ends->family = AF_INET6;
}

/* What one place does not know of a socket, the other may. */
static void complete(struct iot_ends *to, const struct iot_ends *from)
{
	if (!(to->known & IOT_ENDS_SOCKET) && (from->known & IOT_ENDS_SOCKET)) {
		if (to->family == AF_INET && from->family == AF_INET6)
			map(to);
		to->type = from->type;
		to->protocol = from->protocol;
		to->known |= IOT_ENDS_SOCKET;
	}
	if (!to->family)
		to->family = from->family;
	if (!to->made)
		to->made = from->made;
	if (!(to->known & IOT_ENDS_LOCAL) && (from->known & IOT_ENDS_LOCAL)) {
		memcpy(to->local, from->local, sizeof(to->local));
		to->local_port = from->local_port;
		to->known |= IOT_ENDS_LOCAL;
	}
	if (!(to->known & IOT_ENDS_REMOTE) && (from->known & IOT_ENDS_REMOTE)) {
		memcpy(to->remote, from->remote, sizeof(to->remote));
		to->remote_port = from->remote_port;
		to->known |= IOT_ENDS_REMOTE;
	}
}

/* ---- nw ---- */

/* iot_ends.asked of a followed socket */
enum { ASKED = 1, BOUND = 2 /* to a port, by a call */ };

/*
 * What is kept of a followed socket; NULL when it is none. One that was made
 * later than the socket that is followed under this number is another one, whose
 * making was lost.
 */
static struct iot_ends *kept_ends(struct events *ev, const struct iot_head *head, int fd, u64 made)
{
	struct iot_ends *ends = procs_socket(ev->procs, head->tgid, fd, head->ts);

	if (ends && made > ends->made && made <= head->ts) {
		*ends = (struct iot_ends){ .made = made };
		procs_socket_again(ev->procs, head->tgid, fd, head->ts, ends);
	}
	return ends;
}

/*
 * What is known of a followed socket. The port that the kernel chose, no call
 * tells: /proc is asked for it, once.
 */
static const struct iot_ends *followed(struct events *ev, const struct iot_head *head, int fd,
				       u64 made)
{
	struct iot_ends *ends = kept_ends(ev, head, fd, made);

	if (ends && events_ip_version(ends) && !ends->local_port && !(ends->asked & ASKED)) {
		ends->asked |= ASKED;
		procs_socket_again(ev->procs, head->tgid, fd, head->ts, ends);
	}
	return ends;
}

/* A read or write of a socket that is followed is a row here. True when it was one. */
bool events_nw_data(struct events *ev, const struct iot_fs *rec)
{
	const struct iot_ends *ends = ev->wanted[STREAM_nw] ?
					      followed(ev, &rec->head, rec->fd, rec->ino) :
					      NULL;
	struct iot_net net = {
		.head = rec->head,
		.size = rec->size,
		.latency = rec->latency,
		.ret = rec->ret,
		.fd = rec->fd,
		.direction = rec->op == IOT_WRITE ? IOT_NET_SEND : IOT_NET_RECEIVE,
	};

	if (!ends || !events_ip_version(ends))
		return false;
	net.ends = *ends;
	events_nw(ev, &net);
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
	if (events_ip_version(kept) && events_ip_version(ends) && !kept->remote_port &&
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
	const struct iot_ends *kept = followed(ev, &rec->head, rec->fd, rec->ends.made);

	if (kept) {
		keep_peer(rec, kept);
		complete(&rec->ends, kept);
	}
	if (events_ip_version(&rec->ends))
		return true;
	if (rec->ret < 0 || rec->ends.family || (kept && (kept->known & IOT_ENDS_OTHER)) ||
	    !nobody_knows(ev, rec, kept))
		ev->totals.out_of_scope++;
	else
		ledger_missed(ev->ledger, IOT_SEQ_nw, LOST_UNRESOLVED, -1, ++ev->nw_unresolved,
			      rec->head.ts);
	return false;
}

void events_nw_call(struct events *ev, struct iot_net *rec)
{
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
	events_nw(ev, rec);
}

void events_nw(struct events *ev, const struct iot_net *rec)
{
	struct nw_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.protocol = events_protocol(&rec->ends),
		.version = events_ip_version(&rec->ends),
		.local = events_local_end(&rec->ends),
		.remote = events_remote_end(&rec->ends),
		.direction = rec->direction == IOT_NET_SEND ? "send" : "receive",
		.msg_flags = { rec->msg_flags ? &flags_msg : NULL, rec->msg_flags },
	};

	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw,
						   .operation = row.direction,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		events_push(ev, STREAM_nw, row.start, row_nw(ev->text, &row));
}

/* ---- nw_conn ---- */

/*
 * The name of a Unix socket; "@name" when it is not in the file system. It ends
 * with the address, not with a NUL. A new reference.
 */
static struct path *unix_name(struct events *ev, const struct iot_conn *rec)
{
	struct path *text = rec->name ? names_take(ev->names, rec->name) : NULL, *name;
	bool abstract = rec->flags & IOT_CONN_ABSTRACT;
	size_t room = rec->arg - offsetof(struct sockaddr_un, sun_path), len;
	char with_at[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1] = "@";

	if (!text || rec->arg < (int)offsetof(struct sockaddr_un, sun_path))
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
	const struct iot_ends *from = procs_socket(ev->procs, rec->head.tgid, rec->arg,
						   rec->head.ts);

	if (from) {
		*kept = *from;
		kept->known &= ~IOT_ENDS_REMOTE;
	}
	kept->asked = 0;
	kept->made = rec->ends.made;
	/* accept(fd, NULL) */
	if (!(rec->ends.known & IOT_ENDS_REMOTE) && events_ip_version(kept))
		procs_socket_again(ev->procs, rec->head.tgid, rec->fd, rec->head.ts, kept);
}

/* The call has failed, or what it began: the socket has no peer, and no port that it was not bound to. */
static bool came_to_nothing(const struct iot_conn *rec, const struct iot_ends *kept)
{
	return rec->event == IOT_CONN_CONNECT && kept->type == SOCK_STREAM && rec->ret < 0 &&
	       rec->ret != -EINPROGRESS && rec->ret != -EALREADY && rec->ret != -EISCONN &&
	       rec->ret != -EINTR && rec->ret > -512 /* ERESTARTSYS: it goes on */ &&
	       (!(rec->flags & IOT_CONN_LATER) || (rec->flags & IOT_CONN_WAITED));
}

static void disconnected(struct iot_ends *kept)
{
	kept->known &= kept->asked & BOUND ? ~IOT_ENDS_REMOTE : ~(IOT_ENDS_REMOTE | IOT_ENDS_LOCAL);
	if (!(kept->asked & BOUND))
		kept->local_port = 0;
}

/* Without kernel headers: what this call says of its socket is kept, and what others said is added. */
static void follow(struct events *ev, struct iot_conn *rec)
{
	bool makes = rec->ret >= 0 &&
		     (rec->event == IOT_CONN_SOCKET_CREATE || rec->event == IOT_CONN_ACCEPT);
	/* of a socket that this call makes, /proc knows no more than the call */
	struct iot_ends *kept = makes ? procs_socket(ev->procs, rec->head.tgid, rec->fd,
						     rec->head.ts) :
					kept_ends(ev, &rec->head, rec->fd, rec->ends.made);
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
		procs_socket_again(ev->procs, rec->head.tgid, rec->fd, rec->head.ts, kept);
	complete(&rec->ends, kept);
	if (rec->event == IOT_CONN_BIND && rec->ret == 0 && rec->ends.local_port)
		asked |= BOUND;
	if (rec->ret >= 0 || rec->ret == -EINPROGRESS)
		*kept = rec->ends;
	kept->asked = asked;
	if (came_to_nothing(rec, kept))
		disconnected(kept);
}

void events_conn(struct events *ev, struct iot_conn *rec)
{
	static const char *const words[IOT_N_CONN_EVENTS] = {
		[IOT_CONN_SOCKET_CREATE] = "SOCKET_CREATE",
		[IOT_CONN_BIND] = "BIND",
		[IOT_CONN_LISTEN] = "LISTEN",
		[IOT_CONN_ACCEPT] = "ACCEPT",
		[IOT_CONN_CONNECT] = "CONNECT",
		[IOT_CONN_SHUTDOWN] = "SHUTDOWN",
	};
	const struct iot_ends *ends = &rec->ends;
	struct nw_conn_row row;
	struct path *name;

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
		.version = events_ip_version(ends),
		.local = events_local_end(ends),
		.remote = events_remote_end(ends),
		.local_port = FORMAT_UNKNOWN,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = FORMAT_NO_VALUE,
		.protocol = events_protocol(ends),
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
		row.backlog = rec->arg;
	else if (rec->event == IOT_CONN_SHUTDOWN)
		row.how = (struct flags){ &flags_shutdown, rec->arg };
	name = unix_name(ev, rec);
	if (rec->event == IOT_CONN_CONNECT)
		row.remote.name = events_text(name);
	else
		row.local.name = events_text(name);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_conn,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		events_push(ev, STREAM_nw_conn, row.start, row_nw_conn(ev->text, &row));
	path_put(name);
}

/* ---- nw_epoll ---- */

void events_poll(struct events *ev, const struct iot_poll *rec)
{
	static const char *const words[IOT_N_POLL_EVENTS] = {
		[IOT_POLL_CREATE] = "EPOLL_CREATE", [IOT_POLL_CTL] = "EPOLL_CTL",
		[IOT_POLL_WAIT] = "EPOLL_WAIT",     [IOT_POLL_POLL] = "POLL",
		[IOT_POLL_SELECT] = "SELECT",
	};
	bool waits = rec->event >= IOT_POLL_WAIT;
	struct nw_epoll_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.op = { rec->event == IOT_POLL_CTL ? &flags_epoll_op : NULL, rec->op },
		.mask = { rec->mask ? &flags_epoll : NULL, rec->mask },
		.max_events = rec->event == IOT_POLL_WAIT ? rec->max : 0,
		.ready = waits ? rec->ret : 0,
		.nfds = rec->event > IOT_POLL_WAIT ? rec->max : FORMAT_UNKNOWN,
	};

	if (rec->event == 0 || rec->event >= IOT_N_POLL_EVENTS) {
		ev->totals.bad++;
		return;
	}
	row.event = words[rec->event];
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_epoll,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		events_push(ev, STREAM_nw_epoll, row.start, row_nw_epoll(ev->text, &row));
}

/* ---- nw_sockopt ---- */

void events_opt(struct events *ev, const struct iot_opt *rec)
{
	char level[SOCKOPT_NAME_MAX], name[SOCKOPT_NAME_MAX];
	struct nw_sockopt_row row = {
		.rec = rec,
		.start = rec->head.ts - rec->latency,
		.event = rec->event == IOT_OPT_SET ? "SET" : "GET",
		.level = sockopt_level(level, sizeof(level), rec->level),
		.name = sockopt_name(name, sizeof(name), rec->level, rec->name),
		.value = FORMAT_NO_VALUE,
	};
	int32_t value;

	if ((rec->event != IOT_OPT_SET && rec->event != IOT_OPT_GET) ||
	    rec->known > IOT_OPT_BYTES) {
		ev->totals.bad++;
		return;
	}
	if (rec->known >= sizeof(value)) {
		memcpy(&value, rec->value, sizeof(value));
		row.value = value;
	}
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_nw_sockopt,
						   .operation = row.event,
						   .failed = rec->ret < 0,
						   .latency = rec->latency }))
		events_push(ev, STREAM_nw_sockopt, row.start, row_nw_sockopt(ev->text, &row));
}
