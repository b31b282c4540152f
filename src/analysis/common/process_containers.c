/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which row tells of what time. */
#include "analysis/common/process_containers.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "row/row_words.h"

const char process_containers_host[] = "(host)", process_containers_unknown[] = "(not known)";

/* clang-format off */
#define EXEC_COLUMNS(COLUMN) \
	COLUMN(MONO, "mono_ns", UINT) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(CONTAINER, "container", PATH) \
	COLUMN(EVENT, "event_type", TEXT, .words = exec_events)
/* clang-format on */
READ_COLUMNS(exec_columns, N_EXEC, EXEC_COLUMNS);

/* Of snapshots, all but the last. */
static const struct read_query exec_query = { STREAM_exec, exec_columns, N_EXEC },
			       snapshot_query = { STREAM_process, exec_columns, EVENT };

struct seen {
	struct history_key key;
	const char *name;
	bool begins; /* before it, the process was not there, or elsewhere */
};

static void take(struct process_containers *c, const struct field *f, bool begins)
{
	struct seen *seen;

	if (!f[MONO].known || !f[PID].known || layout_lacks(&f[CONTAINER]))
		return;
	c->recorded = true;
	seen = history_add(&c->seen, sizeof(*seen), f[PID].u, f[MONO].u);
	if (!seen)
		return;
	seen->begins = begins;
	seen->name = process_containers_host;
	if (f[CONTAINER].len)
		seen->name = interned_text(&c->names, &c->seen.pool, f[CONTAINER].text,
					   f[CONTAINER].len);
	c->seen.no_memory = c->seen.no_memory || !seen->name;
}

static void take_exec(void *arg, const struct read_task *task, const struct field *f)
{
	(void)task;
	/* history_read() is given the first member of c */
	take(arg, f, f[EVENT].u == EXEC_FORK || f[EVENT].u == EXEC_GROUP);
}

static void take_snapshot(void *arg, const struct read_task *task, const struct field *f)
{
	(void)task;
	take(arg, f, false);
}

int process_containers_look(struct process_containers *c, const struct read_session *session)
{
	int err = 0;

	process_containers_free(c);
	if (session->streams[STREAM_exec].on)
		err = history_read(&c->seen, session, &exec_query, take_exec);
	if (!err && session->streams[STREAM_process].on)
		err = history_read(&c->seen, session, &snapshot_query, take_snapshot);
	if (!err && c->seen.no_memory) {
		log_error("%s: %s", session->dir, strerror(ENOMEM));
		err = -ENOMEM;
	}
	return err;
}

int process_containers_read(struct process_containers *c, const struct read_session *session)
{
	int err = process_containers_look(c, session);

	if (!err && !c->recorded) {
		log_error(
			"%s: it does not have the containers of processes: record with -e exec,fs",
			session->dir);
		err = -ENOENT;
	}
	return err;
}

const char *process_containers_find(const struct process_containers *c, uint64_t pid, uint64_t ns)
{
	uint64_t i = c ? history_find(&c->seen, pid, ns + 1) : 0;
	const struct seen *seen = i ? history_at(&c->seen, i - 1, pid) : NULL;

	if (!c)
		return process_containers_unknown;
	if (seen)
		return seen->name;
	/*
	 * its first row came later, and says where the process was before, too, unless it is of a fork
	 * or a move
	 */
	seen = history_at(&c->seen, i, pid);
	return seen && !seen->begins ? seen->name : process_containers_unknown;
}

void process_containers_free(struct process_containers *c)
{
	history_free(&c->seen);
	interned_free(&c->names);
	*c = (struct process_containers){ .recorded = false };
}

bool process_container_is(const char *name, const char *called)
{
	const char *last = strrchr(name, '/');

	return !strcmp(name, called) || (last && (!strcmp(last + 1, called) ||
						  (strlen(called) == (size_t)(last - name) &&
						   !strncmp(name, called, (size_t)(last - name)))));
}
