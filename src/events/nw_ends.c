/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See nw_ends.h. */
#include "events/nw_ends.h"

#include <string.h>
#include <sys/socket.h>

#include "events/events_private.h"
#include "row/flags_net.h"

/* linux/in.h */
enum { PROTO_TCP = 6, PROTO_UDP = 17 };

unsigned nw_ends_version(const struct iot_ends *ends)
{
	return ends->family == AF_INET ? 4 : ends->family == AF_INET6 ? 6 : 0;
}

/* What socket() was asked for may leave the protocol to the kernel. */
struct flags nw_ends_protocol(const struct iot_ends *ends)
{
	uint32_t protocol = ends->protocol;

	/* other families number their protocols anew: 4 is NETLINK_SOCK_DIAG, not IP-in-IP */
	if (!nw_ends_version(ends))
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

	if ((ends->known & known) && nw_ends_version(ends) &&
	    (port || memcmp(addr, none, sizeof(none))))
		end.addr = addr;
	return end;
}

struct end nw_ends_local(const struct iot_ends *ends)
{
	return end_of(ends, IOT_ENDS_LOCAL, ends->local, ends->local_port);
}

struct end nw_ends_remote(const struct iot_ends *ends)
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

void nw_ends_complete(struct iot_ends *to, const struct iot_ends *from)
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

/* ---- what is kept ---- */

struct iot_ends *nw_ends_kept(struct events *ev, const struct iot_head *head, int fd, u64 made)
{
	struct iot_ends *ends = fd_sockets_ends(ev->sockets, head->tgid, fd, head->ts);

	if (ends && made > ends->made && made <= head->ts) {
		*ends = (struct iot_ends){ .made = made };
		fd_sockets_update(ev->sockets, head->tgid, fd, head->ts, ends);
	}
	return ends;
}

const struct iot_ends *nw_ends_followed(struct events *ev, const struct iot_head *head, int fd,
					u64 made)
{
	struct iot_ends *ends = nw_ends_kept(ev, head, fd, made);

	if (ends && nw_ends_version(ends) && !ends->local_port && !(ends->asked & NW_ENDS_ASKED)) {
		ends->asked |= NW_ENDS_ASKED;
		fd_sockets_update(ev->sockets, head->tgid, fd, head->ts, ends);
	}
	return ends;
}
