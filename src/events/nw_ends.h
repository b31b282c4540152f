/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ends of a socket, for the network streams: as rows have them, and what is kept of a
 * followed one.
 */
#pragma once

#include "row/flags.h"
#include "row/format.h"
#include "row/records.h"

/* One end of a socket: an address, or the name of a Unix socket; neither: not known. */
struct end {
	const unsigned char *addr;
	uint16_t family;
	uint16_t port;
	struct format_text name;
};

static inline char *put_end(char *p, struct end end)
{
	return end.addr ? put_ip(p, end.family, end.addr) : put_path(p, end.name);
}

/* Of a socket or packet: 4, 6 or 0; what is not known of an end is empty. */
unsigned nw_ends_version(const struct iot_ends *ends);
struct flags nw_ends_protocol(const struct iot_ends *ends);
struct end nw_ends_local(const struct iot_ends *ends);
struct end nw_ends_remote(const struct iot_ends *ends);

/* iot_ends.asked of a followed socket */
enum { NW_ENDS_ASKED = 1, NW_ENDS_BOUND = 2 /* to a port, by a call */ };

/* What one place does not know of a socket, the other may. */
void nw_ends_complete(struct iot_ends *to, const struct iot_ends *from);

struct events;

/*
 * What is kept of a followed socket; NULL when it is none. One that was made
 * later than the socket that is followed under this number is another one, whose
 * making was lost.
 */
struct iot_ends *nw_ends_kept(struct events *ev, const struct iot_head *head, int fd, u64 made);

/*
 * The known ends of a followed socket. No call names the port that the kernel
 * chose: it is looked up in /proc, once.
 */
const struct iot_ends *nw_ends_followed(struct events *ev, const struct iot_head *head, int fd,
					u64 made);
