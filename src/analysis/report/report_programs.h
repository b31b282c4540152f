/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of one name together: a build or a server has hundreds of them. */
#pragma once

#include "analysis/report/report_sections.h"

struct program {
	const char *name; /* not NUL-terminated */
	size_t len;
	uint64_t pid;     /* of the first of them */
	uint64_t last_ns; /* when something of it was last known */
	uint64_t n;       /* processes; not those that are but named in a journal's request */
	bool has_life;    /* exec has something of it */
	bool is_life;     /* it is what exec has of a process; of both it is not asked for */
	uint64_t ended, failed;
	uint64_t lives, lived_ns; /* of those that began and ended in the trace */
	uint64_t values[N_REPORT_MEASURES];
	uint64_t habits[N_REPORT_HABITS];
};

struct programs {
	struct program *list;
	uint64_t n;
};

/* In the order of their names, added up once; none without memory. */
const struct programs *report_programs(struct report_answer *answer);
/* Of the same name. */
bool report_program_is(const struct program *program, const char *name, size_t len);
/* Add the sections; that of containers has rows where some process was in one. */
void report_add_programs(struct report_answer *answer);
void report_add_containers(struct report_answer *answer);
