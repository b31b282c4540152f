/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a directory an answer looks at: all that pass each of these. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/common/wall.h"

enum { ROW_FILTER_PIDS = 256, ROW_FILTER_COMMANDS = 64, ROW_FILTER_COMMAND_SIZE = 64 };

struct row_filter {
	const char *from; /* see wall_parse; NULL: not limited */
	const char *to;   /* exclusive */
	uint32_t pids[ROW_FILTER_PIDS];
	unsigned n_pids;
	char commands[ROW_FILTER_COMMANDS][ROW_FILTER_COMMAND_SIZE]; /* names of threads */
	unsigned n_commands;
	const char *path; /* pattern */
};

/* pid_known: without one no list of processes has it. */
bool row_filter_has_thread(const struct row_filter *filter, bool pid_known, uint64_t pid,
			   const char *command, size_t len);
bool row_filter_has_path(const struct row_filter *filter, const char *path, size_t len);
/* Says that none of these rows matched, which were there, if anything was asked for but times. */
void row_filter_say_none(const struct row_filter *filter, const char *dir, uint64_t n_rows,
			 uint64_t n_chosen);
/* The times of the filter, as mono_ns. Returns 0, or -EINVAL (reported). */
int row_filter_times(const struct row_filter *filter, const struct wall *wall, uint64_t *from_ns,
		     uint64_t *to_ns);
