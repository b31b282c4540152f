/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns nothing: each record is made, fed and forgotten. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_net.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "fixture_events.h"
#include "fixture_record.h"

/* ---- records ---- */

#define FEED(type) \
	void feed_##type(const struct type *rec) \
	{ \
		struct type copy = *rec; \
\
		feed(&copy, sizeof(copy)); \
		feed_end(); \
	}
FEED(io_net)
FEED(io_conn)
FEED(io_poll)
FEED(io_opt)
FEED(io_drop)
FEED(io_ring)

struct io_ends socket_of(int family, int type, int protocol)
{
	return (struct io_ends){
		.family = family, .type = type, .protocol = protocol, .known = IO_ENDS_SOCKET,
	};
}

void put_local(struct io_ends *ends, const char *addr, uint16_t port)
{
	ends->family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	ck_assert_int_eq(inet_pton(ends->family, addr, ends->local), 1);
	ends->local_port = port;
	ends->known |= IO_ENDS_LOCAL;
}

void put_remote(struct io_ends *ends, const char *addr, uint16_t port)
{
	ends->family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	ck_assert_int_eq(inet_pton(ends->family, addr, ends->remote), 1);
	ends->remote_port = port;
	ends->known |= IO_ENDS_REMOTE;
}

struct io_ends connected(void)
{
	struct io_ends ends = socket_of(AF_INET, SOCK_STREAM, IPPROTO_TCP);

	put_local(&ends, "10.0.0.1", 1000);
	put_remote(&ends, "10.0.0.2", 80);
	return ends;
}

/* ---- followed sockets ---- */

void feed_setup_followed(void)
{
	feed_setup();
	procs_mntns(events_procs(ev), P);
}

void feed_conn_call(uint16_t event, int fd, int64_t ret)
{
	struct io_conn rec = record_conn(P, event, fd, ret);

	feed_io_conn(&rec);
}

void feed_socket(int fd, int family, int type)
{
	struct io_conn rec;

	feed_call(P, IO_NEWFD, -1, fd, 0);
	rec = record_conn(P, IO_CONN_SOCKET_CREATE, fd, fd);
	rec.ends = socket_of(family, type, 0);
	feed_io_conn(&rec);
}

void feed_bind(int fd, const char *addr, uint16_t port, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_BIND, fd, ret);

	put_local(&rec.ends, addr, port);
	rec.arg = 16;
	feed_io_conn(&rec);
}

void feed_connect(int fd, const char *addr, uint16_t port, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, fd, ret);

	put_remote(&rec.ends, addr, port);
	rec.arg = 16;
	feed_io_conn(&rec);
}

void feed_accept(int listening, int fd, const char *addr, uint16_t port)
{
	struct io_conn rec;

	feed_call(P, IO_NEWFD, -1, fd, 0);
	rec = record_conn(P, IO_CONN_ACCEPT, fd, fd);
	rec.arg = listening;
	if (addr)
		put_remote(&rec.ends, addr, port);
	feed_io_conn(&rec);
}

void feed_send(uint32_t tgid, int fd)
{
	struct io_net rec = record_net(tgid, IO_NET_SEND, fd, 1);

	feed_io_net(&rec);
}

void feed_later(uint16_t waited, int fd, int64_t ret)
{
	struct io_conn rec = record_conn(P, IO_CONN_CONNECT, fd, ret);

	rec.ends = connected();
	rec.flags = IO_CONN_LATER | waited;
	feed_io_conn(&rec);
}

/* ---- looking: the last row ---- */

void row(const char *column, const char *value)
{
	ck_assert_uint_gt(n_seen, 0);
	expect(n_seen - 1, column, value);
}

void row_of(enum stream_id stream)
{
	ck_assert_uint_gt(n_seen, 0);
	ck_assert_int_eq(seen[n_seen - 1].stream, stream);
}

void row_number(const char *column, uint64_t value)
{
	ck_assert_uint_gt(n_seen, 0);
	expect_number(n_seen - 1, column, value);
}

void row_ends(const char *local, const char *remote)
{
	bool conn = seen[n_seen - 1].stream == STREAM_nw_conn;
	char text[200];

	snprintf(text, sizeof(text), "%s %s", seen_field(n_seen - 1, conn ? "local_addr" : "source_addr"),
		 seen_field(n_seen - 1, conn ? "local_port" : "source_port"));
	ck_assert_str_eq(text, local);
	snprintf(text, sizeof(text), "%s %s", seen_field(n_seen - 1, conn ? "remote_addr" : "dest_addr"),
		 seen_field(n_seen - 1, conn ? "remote_port" : "dest_port"));
	ck_assert_str_eq(text, remote);
}
