/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the names of functions on a timeline: those that the recording has, and what can be looked up here, for which
 * the rows are read once before.
 */
#include "analysis/timeline/timeline_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/common/stack_names.h"
#include "read/read_parallel.h"

/* clang-format off */
#define STACK_COLUMNS(COLUMN) \
	COLUMN(STACK_PID, "pid", UINT) \
	COLUMN(STACK_TID, "tid", UINT) \
	COLUMN(STACK_COMMAND, "command", TEXT) \
	COLUMN(STACK_USER, "user_stack", TEXT) \
	COLUMN(STACK_MODULES, "modules", TEXT) \
	COLUMN(STACK_KERNEL, "kernel_stack", TEXT) \
	COLUMN(STACK_MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, STACK_N, STACK_COLUMNS);

static struct stack_cells cells_of(const struct field *f)
{
	return (struct stack_cells){ .user = f[STACK_USER].text,
				     .modules = f[STACK_MODULES].text,
				     .kernel = f[STACK_KERNEL].text,
				     .user_len = f[STACK_USER].len,
				     .modules_len = f[STACK_MODULES].len,
				     .kernel_len = f[STACK_KERNEL].len };
}

static void stack_row(struct timeline *t, const struct field *f)
{
	const struct stack_cells cells = cells_of(f);
	struct timeline_stack stack = { .ns = f[STACK_MONO].u,
					.pid = (uint32_t)f[STACK_PID].u,
					.tid = (uint32_t)f[STACK_TID].u };
	char *text = NULL;
	size_t size;
	FILE *out;

	/* a sample is on the track of its thread, which the first row of that thread makes */
	if (!t->names || (!cells.user_len && !cells.kernel_len) ||
	    !timeline_thread(&t->tracks, stack.pid, stack.tid, timeline_text(&f[STACK_COMMAND])))
		return;
	out = open_memstream(&text, &size);
	if (out) {
		stack_names_put(t->names, &cells, out);
		if (!fclose(out)) {
			stack.frames = (struct timeline_text){ text, size };
			t->encoder->stack(t->encoder, &stack);
		}
	}
	free(text);
}

const struct timeline_source timeline_stacks = { { STREAM_stacks, columns, STACK_N },
						 STACK_PID,
						 -1U,
						 stack_row };

/* ---- names ---- */

struct reading {
	struct stack_names *names;
	bool no_memory;
};

static void add_stack(void *arg, const struct read_task *task, const struct field *f)
{
	struct reading *reading = arg;
	const struct stack_cells cells = cells_of(f);

	(void)task;
	if (!stack_names_add(reading->names, &cells))
		reading->no_memory = true;
}

int timeline_stacks_open(struct timeline *t, const struct read_session *session)
{
	struct reading reading;
	const struct read_parallel read = { .session = session,
					    .queries = &timeline_stacks.query,
					    .n_queries = 1,
					    .n_threads = 1,
					    .arg = &reading,
					    .row = add_stack };
	struct read_totals totals;
	int err;

	/* other formats have no place for them, so that nothing is looked up */
	if (!session->streams[STREAM_stacks].n_segments || !t->encoder->stack)
		return 0;
	t->names = stack_names_new();
	if (!t->names)
		return -ENOMEM;
	reading = (struct reading){ .names = t->names };
	err = stack_names_read(t->names, session);
	if (!err)
		err = read_parallel(&read, &totals);
	if (!err && reading.no_memory)
		err = -ENOMEM;
	if (!err)
		stack_names_ask(t->names);
	return err;
}

void timeline_stacks_close(struct timeline *t)
{
	stack_names_free(t->names);
}
