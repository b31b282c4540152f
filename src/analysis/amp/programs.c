/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of forks and execs, and what a fork inherits. */
#include "analysis/amp/programs.h"

#include "row/row_words.h"

enum { MAX_FORKS = 64 };

/* clang-format off */
const struct read_column programs_columns[PROGRAMS_N_COLUMNS] = {
	[PROGRAMS_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
	[PROGRAMS_PID] = { .name = "pid", .kind = PARSE_UINT },
	[PROGRAMS_EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = exec_events },
	[PROGRAMS_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[PROGRAMS_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[PROGRAMS_PARENT] = { .name = "ppid", .kind = PARSE_UINT },
};
/* clang-format on */

static const struct read_query query = { STREAM_exec, programs_columns, PROGRAMS_N_COLUMNS };

enum programs_event programs_event(const struct field *f)
{
	if (!f[PROGRAMS_MONO].known || !f[PROGRAMS_PID].known)
		return PROGRAMS_OTHER;
	if (f[PROGRAMS_EVENT].u == EXEC_FORK)
		return f[PROGRAMS_PARENT].known ? PROGRAMS_FORK : PROGRAMS_OTHER;
	if (f[PROGRAMS_EVENT].u == EXEC_EXIT)
		return PROGRAMS_EXIT;
	return f[PROGRAMS_EVENT].u == EXEC_EXEC && f[PROGRAMS_PATH].len &&
			       !(f[PROGRAMS_RESULT].known && f[PROGRAMS_RESULT].s < 0) ?
		       PROGRAMS_EXEC :
		       PROGRAMS_OTHER;
}

/* What a process did; a fork runs what its parent runs. */
struct program {
	struct history_key key;
	uint64_t parent;  /* 0: not known */
	const char *path; /* NULL: not known */
};

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct history *programs = arg;
	enum programs_event event = programs_event(f);
	struct program *program;

	(void)task;
	if (event != PROGRAMS_FORK && event != PROGRAMS_EXEC)
		return;
	program = history_add(programs, sizeof(*program), f[PROGRAMS_PID].u, f[PROGRAMS_MONO].u);
	if (!program)
		return;
	program->parent = f[PROGRAMS_PARENT].known ? f[PROGRAMS_PARENT].u : 0;
	if (event == PROGRAMS_EXEC)
		program->path = pool_text(&programs->pool, f[PROGRAMS_PATH].text,
					  f[PROGRAMS_PATH].len);
	programs->no_memory = programs->no_memory || (event == PROGRAMS_EXEC && !program->path);
}

/* What the process did last until then; NULL: it began before the trace. */
static const struct program *last_of(const struct history *programs, uint64_t pid, uint64_t ns)
{
	uint64_t i = history_find(programs, pid, ns + 1);

	return i ? history_at(programs, i - 1, pid) : NULL;
}

/*
 * A fork runs what its parent ran then, which may be a fork itself. The list is by process,
 * so a parent may come after its child: hence the way up for each. Numbers are used again,
 * hence its bound.
 */
static void inherit(struct history *programs)
{
	struct program *list = programs->list;

	for (uint64_t i = 0; i < programs->n; i++) {
		const struct program *from = &list[i];

		for (unsigned n = 0; n < MAX_FORKS && from && !from->path && from->parent; n++)
			from = last_of(programs, from->parent, from->key.ns);
		list[i].path = from ? from->path : NULL;
	}
}

int programs_read(struct history *programs, const struct read_session *session)
{
	int err = history_read(programs, session, &query, take_row);

	inherit(programs);
	return err;
}

const char *programs_find(const struct history *programs, uint64_t pid, uint64_t mono_ns)
{
	const struct program *last = last_of(programs, pid, mono_ns);

	return last ? last->path : NULL;
}

uint64_t programs_parent(const struct history *programs, uint64_t pid, uint64_t mono_ns)
{
	const struct program *last = last_of(programs, pid, mono_ns);

	return last ? last->parent : 0;
}
