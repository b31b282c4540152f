/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns when /proc is asked for a socket, and keeps its answer. */
#include "resolve/fd_sockets.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "resolve/fd_table.h"
#include "resolve/procfs.h"
#include "resolve/procnet.h"

/*
 * /proc is read for at most a tenth of the time: its tables have a line for
 * every socket of the machine, and while one is read, records wait in the rings.
 * Of a socket whose descriptor is closed by now they mostly have no line and are
 * read to their ends for it (another process may have it): a hundredth.
 */
enum { OPEN_SHARE = 10, CLOSED_SHARE = 100 };
#define OPEN_NS 200000000LL /* at once */
#define CLOSED_NS 50000000LL

/* Time that may be spent: a share of what passes, with a limit of what adds up. */
struct budget {
	int64_t ns;
	int64_t most_ns;
	unsigned share; /* one in so many ns */
	uint64_t at;
};

struct fd_sockets {
	struct procs *procs;
	struct procnet *net;
	socket_made_fn *made;
	void *arg;
	struct budget open;   /* for questions about descriptors that are open */
	struct budget closed; /* and about those that are not any more */
};

struct fd_sockets *fd_sockets_open(struct procs *procs, socket_made_fn *made, void *arg)
{
	struct fd_sockets *sockets = calloc(1, sizeof(*sockets));

	if (!sockets)
		return NULL;
	*sockets = (struct fd_sockets){
		.procs = procs,
		.net = procnet_open(procs_procfs(procs)->root),
		.made = made,
		.arg = arg,
		.open = { OPEN_NS, OPEN_NS, OPEN_SHARE, mono_ns() },
		.closed = { CLOSED_NS, CLOSED_NS, CLOSED_SHARE, mono_ns() },
	};
	if (sockets->net)
		return sockets;
	free(sockets);
	return NULL;
}

void fd_sockets_close(struct fd_sockets *sockets)
{
	if (!sockets)
		return;
	procnet_close(sockets->net);
	free(sockets);
}

/* By now the descriptor is another socket's, made after the record. */
static bool is_another(const struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts)
{
	return sockets->made && sockets->made(sockets->arg, tgid, fd) > ts;
}

static uint64_t thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static bool has_budget(struct budget *budget, uint64_t now)
{
	budget->ns += (now - budget->at) / budget->share;
	if (budget->ns > budget->most_ns)
		budget->ns = budget->most_ns;
	budget->at = now;
	return budget->ns > 0;
}

/* The tables of the internet, which have a line for each of its sockets. */
static bool read_tables(struct fd_sockets *sockets, uint32_t tgid, uint64_t ino, uint64_t ts,
			bool closed, struct iot_ends *ends)
{
	struct budget *budget = closed ? &sockets->closed : &sockets->open;
	uint64_t began;
	bool found;

	if (sockets->made && !has_budget(budget, mono_ns()))
		return false;
	/* of our own time: on a busy machine a reading is interrupted for longer than it takes */
	began = thread_ns();
	found = procnet_ends(sockets->net, tgid, ino, ts, ends);
	budget->ns -= thread_ns() - began;
	return found;
}

static bool read_ends(struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts, uint64_t ino,
		      struct iot_ends *ends)
{
	const struct procfs *procfs = procs_procfs(sockets->procs);
	const uint32_t number = procs_number(sockets->procs, tgid);
	struct iot_ends now = *ends;
	bool found;

	if (!ino)
		return false;
	found = procnet_kind(sockets->net, number, fd, &now);
	/* of others there is no more to learn */
	if (!(now.known & IOT_ENDS_OTHER))
		found |= read_tables(sockets, number, ino, ts,
				     !found && !procfs_has_fd(procfs, number, fd), &now);
	if (!found || is_another(sockets, tgid, fd, ts))
		return false;
	*ends = now;
	return true;
}

struct iot_ends *fd_sockets_ends(struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts)
{
	struct desc *desc = procs_desc(sockets->procs, tgid, fd, ts);

	if (!desc || desc->scope == SCOPE_IN)
		return NULL;
	if (!desc->ends) {
		if (desc->ino && is_another(sockets, tgid, fd, ts))
			return NULL;
		desc->ends = calloc(1, sizeof(*desc->ends));
		/* made before it was followed */
		if (desc->ends)
			read_ends(sockets, tgid, fd, ts, desc->ino, desc->ends);
	}
	return desc->ends;
}

void fd_sockets_update(struct fd_sockets *sockets, uint32_t tgid, int fd, uint64_t ts,
		       struct iot_ends *ends)
{
	struct procfs_file file;

	if (procfs_fd(procs_procfs(sockets->procs), procs_number(sockets->procs, tgid), fd, false,
		      &file))
		read_ends(sockets, tgid, fd, ts, file.ino, ends);
}
