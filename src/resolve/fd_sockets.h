/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets behind followed descriptors, and what /proc says of them: without
 * kernel headers that is where a port comes from that no call names.
 */
#pragma once

#include <stdint.h>

#include "resolve/procs.h"
#include "row/records.h"

/*
 * When a call last made a socket and gave it this descriptor (CLOCK_MONOTONIC
 * ns; 0: not known). A record is read later than it was made: what /proc says
 * of a descriptor by then may be of the next socket.
 */
typedef uint64_t socket_made_fn(void *arg, uint32_t tgid, int fd);

struct fd_sockets;

/*
 * procs is borrowed; made NULL: not known, and /proc is read without a limit. NULL without memory.
 */
struct fd_sockets *fd_sockets_open(struct procs *procs, socket_made_fn *made, void *arg);
void fd_sockets_close(struct fd_sockets *sockets);

/*
 * The ends of the socket behind a descriptor, as far as they are known, to be
 * read and changed; NULL when there is none, or it is not followed. Those of one that
 * was there before are read from /proc.
 */
struct iot_ends *fd_sockets_ends(struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts);

/* The same, of one that was bound meanwhile: /proc is read, once for each call of this. */
void fd_sockets_update(struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts,
		       struct iot_ends *ends);
