/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets behind followed descriptors, and what /proc says of them: without
 * kernel headers that is where a port comes from that no call names.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/sys.h"
#include "base/clock.h"
#include "resolve/procnet.h"
#include "resolve/procs_private.h"

#include <stdlib.h>
#include <time.h>

/*
 * /proc is asked for at most a tenth of the time: its tables have a line for
 * every socket of the machine, and while one is read, records wait in the rings.
 * Of a socket whose descriptor is closed by now they mostly know nothing and are
 * read to their ends for it (another process may have it): a hundredth.
 */
enum { ASK_SHARE = 10, ASK_CLOSED_SHARE = 100 };
#define ASK_NS 200000000LL /* at once */
#define ASK_CLOSED_NS 50000000LL

void procs_sockets(struct procs *procs, procs_made_fn *made, void *arg)
{
	procs->made = made;
	procs->made_arg = arg;
	procs->open_credit = (struct credit){ ASK_NS, ASK_NS, ASK_SHARE, mono_ns() };
	procs->closed_credit = (struct credit){ ASK_CLOSED_NS, ASK_CLOSED_NS, ASK_CLOSED_SHARE,
						mono_ns() };
}

/* By now the descriptor is another socket's, made after the record. */
static bool is_another(const struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	return procs->made && procs->made(procs->made_arg, tgid, fd) > ts;
}

static uint64_t thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static bool has_credit(struct credit *credit, uint64_t now)
{
	credit->ns += (now - credit->at) / credit->share;
	if (credit->ns > credit->most_ns)
		credit->ns = credit->most_ns;
	credit->at = now;
	return credit->ns > 0;
}

/* The tables of the internet, which have a line for each of its sockets. */
static bool ask_tables(struct procs *procs, uint32_t tgid, uint64_t ino, uint64_t ts, bool closed,
		       struct iot_ends *ends)
{
	struct credit *credit = closed ? &procs->closed_credit : &procs->open_credit;
	uint64_t began;
	bool found;

	if (procs->made && !has_credit(credit, mono_ns()))
		return false;
	/* of our own time: on a busy machine a reading is interrupted for longer than it takes */
	began = thread_ns();
	found = procnet_ends(procs->net, tgid, ino, ts, ends);
	credit->ns -= thread_ns() - began;
	return found;
}

static bool ask(struct procs *procs, uint32_t tgid, int fd, uint64_t ts, uint64_t ino,
		struct iot_ends *ends)
{
	struct iot_ends told = *ends;
	bool found;

	if (!ino)
		return false;
	found = procnet_kind(tgid, fd, &told);
	/* of others there is no more to learn */
	if (!(told.known & IOT_ENDS_OTHER))
		found |= ask_tables(procs, tgid, ino, ts, !found && !procfs_has_fd(tgid, fd),
				    &told);
	if (!found || is_another(procs, tgid, fd, ts))
		return false;
	*ends = told;
	return true;
}

struct iot_ends *procs_socket(struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
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

void procs_socket_again(struct procs *procs, uint32_t tgid, int fd, uint64_t ts,
			struct iot_ends *ends)
{
	struct procfs_file file;

	if (procfs_fd(tgid, fd, false, &file))
		ask(procs, tgid, fd, ts, file.ino, ends);
}
