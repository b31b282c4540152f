/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a directory an answer looks at: all that pass each of these. */
#ifndef IOT_FILES_FILTER_H
#define IOT_FILES_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/wall.h"

enum { FILES_MAX_PIDS = 256, FILES_MAX_COMMANDS = 64, FILES_COMMAND_SIZE = 64 };

struct files_filter {
	const char *from; /* see wall_parse; NULL: not limited */
	const char *to;   /* exclusive */
	uint32_t pids[FILES_MAX_PIDS];
	unsigned n_pids;
	char commands[FILES_MAX_COMMANDS][FILES_COMMAND_SIZE]; /* names of threads */
	unsigned n_commands;
	const char *path; /* pattern */
};

/* pid_known: without one no list of processes has it. */
bool files_filter_has_thread(const struct files_filter *filter, bool pid_known, uint64_t pid,
			     const char *command, size_t len);
bool files_filter_has_path(const struct files_filter *filter, const char *path, size_t len);
/* Says that none of these rows matched, which were there, if anything was asked for but times. */
void files_filter_say_none(const struct files_filter *filter, const char *dir, uint64_t n_rows,
			   uint64_t n_chosen);
/* The times of the filter, as mono_ns. Returns 0, or -EINVAL (reported). */
int files_filter_times(const struct files_filter *filter, const struct wall *wall,
		       uint64_t *from_ns, uint64_t *to_ns);

#endif
