/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which program a process ran when, from the rows of exec of a directory. */
#pragma once

#include "analysis/common/history.h"

/* The columns of exec that tell of programs. */
enum {
	PROGRAMS_MONO,
	PROGRAMS_PID,
	PROGRAMS_EVENT,
	PROGRAMS_PATH,
	PROGRAMS_RESULT,
	PROGRAMS_PARENT,
	PROGRAMS_N_COLUMNS
};
extern const struct read_column programs_columns[PROGRAMS_N_COLUMNS];

enum programs_event { PROGRAMS_OTHER, PROGRAMS_FORK, PROGRAMS_EXEC, PROGRAMS_EXIT };
/* What a row tells; PROGRAMS_OTHER: nothing, as an exec that failed. */
enum programs_event programs_event(const struct field *fields);

/* Returns 0, or what a stream that cannot be read gives (reported). To be freed in any case. */
int programs_read(struct history *programs, const struct read_session *session);
/*
 * The path of what it ran then, the list's; the same path has one place alone for one exec. NULL:
 * not known.
 */
const char *programs_find(const struct history *programs, uint64_t pid, uint64_t mono_ns);
/* Who started the process, as far as its forks and execs tell; 0: not known. */
uint64_t programs_parent(const struct history *programs, uint64_t pid, uint64_t mono_ns);
