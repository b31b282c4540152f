/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets behind followed descriptors, and what /proc says of them: without
 * kernel headers that is where a port comes from that no call names.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "procnet.h"
#include "procs_private.h"
#include "sys.h"

#include <stdlib.h>

/*
 * /proc is asked for at most a tenth of the time: its tables have a line for
 * every socket of the machine, and while one is read, records wait in the rings.
 */
#define ASK_SHARE 10

void procs_sockets(struct procs *procs, procs_made_fn *made, void *arg)
{
	procs->made = made;
	procs->made_arg = arg;
	procs->credit_ns = PROCS_CREDIT_NS;
	procs->credited_at = mono_ns();
}

/* By now the descriptor is another socket's, made after the record. */
static bool is_another(const struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	return procs->made && procs->made(procs->made_arg, tgid, fd) > ts;
}

static bool may_ask(struct procs *procs, uint64_t now)
{
	procs->credit_ns += (now - procs->credited_at) / ASK_SHARE;
	if (procs->credit_ns > PROCS_CREDIT_NS)
		procs->credit_ns = PROCS_CREDIT_NS;
	procs->credited_at = now;
	return !procs->made || procs->credit_ns > 0;
}

static bool ask(struct procs *procs, uint32_t tgid, int fd, uint64_t ts, uint64_t ino, struct io_ends *ends)
{
	uint64_t began = mono_ns();
	struct io_ends told = *ends;
	bool found;

	if (!ino || !may_ask(procs, began))
		return false;
	found = procnet_kind(tgid, fd, &told);
	/* of others there is no more to learn; the tables of the internet have a line for each of its sockets */
	if (!(told.known & IO_ENDS_OTHER))
		found |= procnet_ends(tgid, ino, &told);
	procs->credit_ns -= mono_ns() - began;
	if (!found || is_another(procs, tgid, fd, ts))
		return false;
	*ends = told;
	return true;
}

struct io_ends *procs_socket(struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	struct desc *desc = procs_desc(procs, tgid, fd, ts);

	if (!desc || desc->scope == SCOPE_IN)
		return NULL;
	if (!desc->ends) {
		if (desc->ino && is_another(procs, tgid, fd, ts))
			return NULL;
		desc->ends = calloc(1, sizeof(*desc->ends));
		/* made before it was followed */
		if (desc->ends)
			ask(procs, tgid, fd, ts, desc->ino, desc->ends);
	}
	return desc->ends;
}

void procs_socket_again(struct procs *procs, uint32_t tgid, int fd, uint64_t ts, struct io_ends *ends)
{
	struct procfs_file file;

	if (procfs_fd(tgid, fd, false, &file))
		ask(procs, tgid, fd, ts, file.ino, ends);
}
