/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of forks and execs, and what a fork inherits. */
#include "analysis/amp/programs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "read/read_parallel.h"
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

static struct program *add_program(struct programs *programs)
{
	if (!grow(&programs->list, &programs->max, programs->n + 1, 256, sizeof(*programs->list))) {
		programs->no_memory = true;
		return NULL;
	}
	return &programs->list[programs->n++];
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct programs *programs = arg;
	enum programs_event event = programs_event(f);
	struct program *program;

	(void)task;
	if (event != PROGRAMS_FORK && event != PROGRAMS_EXEC)
		return;
	program = add_program(programs);
	if (!program)
		return;
	*program = (struct program){ .pid = f[PROGRAMS_PID].u,
				     .mono_ns = f[PROGRAMS_MONO].u,
				     .parent = f[PROGRAMS_PARENT].known ? f[PROGRAMS_PARENT].u :
									  0 };
	if (event == PROGRAMS_EXEC)
		program->path = pool_text(&programs->pool, f[PROGRAMS_PATH].text,
					  f[PROGRAMS_PATH].len);
	programs->no_memory = programs->no_memory || (event == PROGRAMS_EXEC && !program->path);
}

static int compare(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->mono_ns > y->mono_ns) - (x->mono_ns < y->mono_ns);
}

/* What the process did last until then; NULL: it began before the trace. */
static const struct program *last_of(const struct programs *programs, uint64_t pid, uint64_t ns)
{
	uint64_t low = 0, high = programs->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct program *p = &programs->list[middle];

		if (p->pid < pid || (p->pid == pid && p->mono_ns <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && programs->list[low - 1].pid == pid ? &programs->list[low - 1] : NULL;
}

/* A fork runs what its parent ran then, which may be a fork itself. */
static void inherit(struct programs *programs)
{
	for (uint64_t i = 0; i < programs->n; i++) {
		const struct program *from = &programs->list[i];

		for (unsigned n = 0; n < MAX_FORKS && from && !from->path && from->parent; n++)
			from = last_of(programs, from->parent, from->mono_ns);
		programs->list[i].path = from ? from->path : NULL;
	}
}

/* By one thread: they are few. */
int programs_read(struct programs *programs, const struct read_session *session)
{
	struct read_parallel read = {
		.session = session,
		.queries = &query,
		.n_queries = 1,
		.n_threads = 1,
		.arg = programs,
		.row = take_row,
	};
	struct read_totals totals;
	int err = read_parallel(&read, &totals);

	if (programs->n)
		qsort(programs->list, programs->n, sizeof(*programs->list), compare);
	inherit(programs);
	return err;
}

const char *programs_find(const struct programs *programs, uint64_t pid, uint64_t mono_ns)
{
	const struct program *last = last_of(programs, pid, mono_ns);

	return last ? last->path : NULL;
}

uint64_t programs_parent(const struct programs *programs, uint64_t pid, uint64_t mono_ns)
{
	const struct program *last = last_of(programs, pid, mono_ns);

	return last ? last->parent : 0;
}

void programs_free(struct programs *programs)
{
	free(programs->list);
	pool_free(&programs->pool);
	memset(programs, 0, sizeof(*programs));
}
