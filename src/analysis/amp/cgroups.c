/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what snapshots tell of control groups, and the way from a process to its ancestors. */
#include "analysis/amp/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"

enum { MAX_FORKS = 64 };
/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(SEEN_MONO, "mono_ns", UINT) \
	COLUMN(SEEN_PID, "pid", UINT) \
	COLUMN(SEEN_CGROUP, "cgroup", PATH)
/* clang-format on */
READ_COLUMNS(columns, N_SEEN, COLUMNS);

static const struct read_query query = { STREAM_process, columns, N_SEEN };

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct cgroups *cgroups = arg;
	const char *path;

	(void)task;
	if (!f[SEEN_MONO].known || !f[SEEN_PID].known || !f[SEEN_CGROUP].len)
		return;
	path = grow(&cgroups->list, &cgroups->max, cgroups->n + 1, 256, sizeof(*cgroups->list)) ?
		       pool_text(&cgroups->pool, f[SEEN_CGROUP].text, f[SEEN_CGROUP].len) :
		       NULL;
	if (!path) {
		cgroups->no_memory = true;
		return;
	}
	cgroups->list[cgroups->n++] = (struct cgroup_seen){ .pid = f[SEEN_PID].u,
							    .mono_ns = f[SEEN_MONO].u,
							    .path = path };
}

static int compare(const void *a, const void *b)
{
	const struct cgroup_seen *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->mono_ns > y->mono_ns) - (x->mono_ns < y->mono_ns);
}

/* By one thread: they are few. */
int cgroups_read(struct cgroups *cgroups, const struct read_session *session)
{
	struct read_parallel read = {
		.session = session,
		.queries = &query,
		.n_queries = 1,
		.n_threads = 1,
		.arg = cgroups,
		.row = take_row,
	};
	struct read_totals totals;
	int err;

	if (!session->streams[STREAM_process].on)
		return 0;
	err = read_parallel(&read, &totals);
	if (cgroups->n)
		qsort(cgroups->list, cgroups->n, sizeof(*cgroups->list), compare);
	return err;
}

/* The last look at the process until then, else the first one after; NULL: no snapshot has it. */
static const char *seen(const struct cgroups *cgroups, uint64_t pid, uint64_t ns)
{
	uint64_t low = 0, high = cgroups->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct cgroup_seen *c = &cgroups->list[middle];

		if (c->pid < pid || (c->pid == pid && c->mono_ns <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && cgroups->list[low - 1].pid == pid)
		return cgroups->list[low - 1].path;
	return low < cgroups->n && cgroups->list[low].pid == pid ? cgroups->list[low].path : NULL;
}

const char *cgroups_find(const struct cgroups *cgroups, const struct programs *programs,
			 uint64_t pid, uint64_t mono_ns)
{
	const char *path = seen(cgroups, pid, mono_ns);

	for (unsigned n = 0; n < MAX_FORKS && !path && pid; n++) {
		pid = programs_parent(programs, pid, mono_ns);
		path = pid ? seen(cgroups, pid, mono_ns) : NULL;
	}
	return path;
}

void cgroups_free(struct cgroups *cgroups)
{
	free(cgroups->list);
	pool_free(&cgroups->pool);
	memset(cgroups, 0, sizeof(*cgroups));
}
