/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket whose creation was not seen: its kind and its addresses, from /proc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/records.h"

/*
 * Copies of the kernel's tables. Reading one takes a millisecond and more, however few
 * sockets there are, and one that was read after a record answers for all before it.
 */
struct procnet;
/* proc: "/proc", borrowed. NULL without memory */
struct procnet *procnet_open(const char *proc);
void procnet_close(struct procnet *net);

/*
 * Fills the ends of the TCP or UDP socket with this inode number, as the network
 * namespace of the process had it at ts (CLOCK_MONOTONIC ns; UINT64_MAX: has it now) or
 * later. False when it is not there.
 */
bool procnet_ends(struct procnet *net, uint32_t tgid, uint64_t ino, uint64_t ts,
		  struct iot_ends *ends);

/*
 * What the descriptor says of its own socket: family, type and protocol of one of
 * the internet, IOT_ENDS_OTHER of another. False when it is none, or the kernel
 * does not say.
 */
bool procnet_kind(const struct procnet *net, uint32_t tgid, int fd, struct iot_ends *ends);

/* One line of /proc/net/tcp, udp and so on; false when it is another socket or no such line. */
bool procnet_line(const char *line, uint64_t ino, bool v6, struct iot_ends *ends);
