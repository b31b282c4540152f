/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs that perform network calls share: addresses on loopback, and
 * the rows that a call must leave. A row is one line: the stream, then the
 * columns that tests/live/net.sh names for it, between tabs.
 */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static inline void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static inline void row(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* ---- addresses ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static inline socklen_t loopback(union address *a, int family, unsigned port)
{
	memset(a, 0, sizeof(*a));
	a->any.sa_family = family;
	if (family == AF_INET) {
		a->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		a->v4.sin_port = htons(port);
		return sizeof(a->v4);
	}
	a->v6.sin6_addr = in6addr_loopback;
	a->v6.sin6_port = htons(port);
	return sizeof(a->v6);
}

static inline unsigned port_of(int fd)
{
	union address a;
	socklen_t len = sizeof(a);

	must(getsockname(fd, &a.any, &len) == 0, "getsockname");
	return ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}

static inline const char *text_of(int family)
{
	return family == AF_INET ? "127.0.0.1" : "::1";
}

static inline int version_of(int family)
{
	return family == AF_INET ? 4 : 6;
}

/* ---- rows ---- */

struct link {
	int family;
	const char *protocol;
	unsigned local;
	unsigned remote;
};

/* direction protocol version source port dest port size requested return flags */
static inline void nw(const struct link *l, bool send, long ret, size_t asked, const char *flags)
{
	row("nw\t%s\t%s\t%d\t%s\t%u\t%s\t%u\t%ld\t%zu\t%ld\t%s", send ? "send" : "receive",
	    l->protocol, version_of(l->family), text_of(l->family), l->local,
	    l->remote ? text_of(l->family) : "", l->remote, ret > 0 ? ret : 0, asked, ret, flags);
}

/* event domain type version local port remote port fd backlog how return protocol */
static inline void conn(const char *event, const struct link *l, const char *type, int fd, long ret)
{
	char local[80] = "\t", remote[80] = "\t";

	if (l->local)
		snprintf(local, sizeof(local), "%s\t%u", text_of(l->family), l->local);
	if (l->remote)
		snprintf(remote, sizeof(remote), "%s\t%u", text_of(l->family), l->remote);
	row("nw_conn\t%s\t%s\t%s\t%d\t%s\t%s\t%d\t%s\t%s\t%ld\t%s", event,
	    l->family == AF_INET ? "AF_INET" : "AF_INET6", type, version_of(l->family), local,
	    remote, fd, !strcmp(event, "LISTEN") ? "7" : "",
	    !strcmp(event, "SHUTDOWN") ? "SHUT_WR" : "", ret, l->protocol);
}
