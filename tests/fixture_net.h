/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of sockets, each fed by itself: what is known of a socket, the calls on
 * one that is followed, and a look at the row that came of the last.
 */
#ifndef IO_TESTS_FIXTURE_NET_H
#define IO_TESTS_FIXTURE_NET_H

#include <stdint.h>

#include "records.h"
#include "schema.h"

/* A record goes in as a copy, since the reader completes it, and its row leaves at once. */
void feed_io_net(const struct io_net *rec);
void feed_io_conn(const struct io_conn *rec);
void feed_io_poll(const struct io_poll *rec);
void feed_io_opt(const struct io_opt *rec);
void feed_io_drop(const struct io_drop *rec);
void feed_io_ring(const struct io_ring *rec);

struct io_ends socket_of(int family, int type, int protocol);
void put_local(struct io_ends *ends, const char *addr, uint16_t port);
void put_remote(struct io_ends *ends, const char *addr, uint16_t port);
/* TCP, connected from 10.0.0.1:1000 to 10.0.0.2:80 */
struct io_ends connected(void);

/* Checked fixture, with feed_teardown: /proc is read before anything happens. */
void feed_setup_followed(void);

/* Calls of P of which no more is known than what they gave */
void feed_conn_call(uint16_t event, int fd, int64_t ret);
void feed_socket(int fd, int family, int type);
void feed_bind(int fd, const char *addr, uint16_t port, int64_t ret);
void feed_connect(int fd, const char *addr, uint16_t port, int64_t ret);
/* addr NULL: the caller did not want to know */
void feed_accept(int listening, int fd, const char *addr, uint16_t port);
void feed_send(uint32_t tgid, int fd);
/* What becomes of a connection, with the ends of connected(), which the kernel has by then. */
void feed_later(uint16_t waited, int fd, int64_t ret);

/* The last row */
void row(const char *column, const char *value);
void row_of(enum stream_id stream);
void row_number(const char *column, uint64_t value);
/* "ADDRESS PORT" of each end; nw and nw_drop have other names for them than nw_conn */
void row_ends(const char *local, const char *remote);

#endif
