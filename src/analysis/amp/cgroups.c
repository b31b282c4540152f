/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what snapshots tell of control groups, and the way from a process to its ancestors. */
#include "analysis/amp/cgroups.h"

enum { MAX_FORKS = 64 };
/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(SEEN_MONO, "mono_ns", UINT) \
	COLUMN(SEEN_PID, "pid", UINT) \
	COLUMN(SEEN_CGROUP, "cgroup", PATH)
/* clang-format on */
READ_COLUMNS(columns, N_SEEN, COLUMNS);

static const struct read_query query = { STREAM_process, columns, N_SEEN };

struct cgroup_seen {
	struct history_key key;
	const char *path;
};

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct history *cgroups = arg;
	struct cgroup_seen *seen;

	(void)task;
	if (!f[SEEN_MONO].known || !f[SEEN_PID].known || !f[SEEN_CGROUP].len)
		return;
	seen = history_add(cgroups, sizeof(*seen), f[SEEN_PID].u, f[SEEN_MONO].u);
	if (seen)
		seen->path = pool_text(&cgroups->pool, f[SEEN_CGROUP].text, f[SEEN_CGROUP].len);
	cgroups->no_memory = cgroups->no_memory || (seen && !seen->path);
}

/* A trace without snapshots of processes has no control groups; that is not an error. */
int cgroups_read(struct history *cgroups, const struct read_session *session)
{
	return session->streams[STREAM_process].on ?
		       history_read(cgroups, session, &query, take_row) :
		       0;
}

/* The last look at the process until then, else the first one after; NULL: no snapshot has it. */
static const char *seen(const struct history *cgroups, uint64_t pid, uint64_t ns)
{
	uint64_t i = history_find(cgroups, pid, ns + 1);
	const struct cgroup_seen *last = i ? history_at(cgroups, i - 1, pid) : NULL;

	last = last ? last : history_at(cgroups, i, pid);
	return last ? last->path : NULL;
}

const char *cgroups_find(const struct history *cgroups, const struct history *programs,
			 uint64_t pid, uint64_t mono_ns)
{
	const char *path = seen(cgroups, pid, mono_ns);

	/* numbers of processes are used again, so that ancestors may go round */
	for (unsigned n = 0; n < MAX_FORKS && !path && pid; n++) {
		pid = programs_parent(programs, pid, mono_ns);
		path = pid ? seen(cgroups, pid, mono_ns) : NULL;
	}
	return path;
}
