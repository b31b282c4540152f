/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a directory an answer looks at: all that pass each of these. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/process_containers.h"
#include "analysis/common/replayed.h"
#include "analysis/common/wall.h"

enum {
	ROW_FILTER_PIDS = 256,
	ROW_FILTER_COMMANDS = 64,
	ROW_FILTER_COMMAND_SIZE = 64,
	ROW_FILTER_CONTAINERS = 16,
	ROW_FILTER_CONTAINER_SIZE = 768
};

struct row_filter {
	const char *from; /* see wall_parse; NULL: not limited */
	const char *to;   /* exclusive */
	uint32_t pids[ROW_FILTER_PIDS];
	unsigned n_pids;
	char commands[ROW_FILTER_COMMANDS][ROW_FILTER_COMMAND_SIZE]; /* names of threads */
	unsigned n_commands;
	const char *path; /* pattern */
	char containers[ROW_FILTER_CONTAINERS]
		       [ROW_FILTER_CONTAINER_SIZE]; /* as process_container_is() has them */
	unsigned n_containers;
	const struct replayed *replayed; /* its files and calls alone; NULL: all */
	enum replayed_side side;         /* names are those of this side */
	/* Of the session that is being read; NULL: no answer needs them. */
	struct process_containers *in;
};

/*
 * Before the rows of a session: the times of the filter, as mono_ns, and in which containers its
 * processes were, where that is needed. Returns 0, -EINVAL (a time, reported) or what a stream that
 * cannot be read gives (reported).
 */
int row_filter_begin(const struct row_filter *filter, const struct wall *wall, uint64_t *from_ns,
		     uint64_t *to_ns);
/* A thread of a row, at its time. */
struct row_thread {
	bool pid_known; /* without one no list of processes has it */
	uint64_t pid;
	const char *command;
	size_t len;
	uint64_t mono_ns;
};
bool row_filter_has_thread(const struct row_filter *filter, const struct row_thread *thread);
bool row_filter_has_path(const struct row_filter *filter, const char *path, size_t len);
/* A row of fs by its operation; effects: fs_row_effects(). */
static inline bool row_filter_has_call(const struct row_filter *filter, unsigned op,
				       unsigned effects, int64_t result)
{
	return !filter->replayed || replayed_call(op, effects, result);
}
/* Says that none of these rows matched, which were there, if anything was asked for but times. */
void row_filter_say_none(const struct row_filter *filter, const char *dir, uint64_t n_rows,
			 uint64_t n_chosen);
