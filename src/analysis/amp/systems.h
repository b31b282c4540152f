/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which storage system a process belongs to: rules of files, in their order, by
 * the name of a thread or the path of its program. The first that matches wins.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/common/pool.h"

struct systems_rule {
	const char *system;
	const char *pattern; /* with a slash: of the path of the program */
	bool plain;          /* it has no wildcards */
};

/* The zeroed list is empty. */
struct systems {
	struct systems_rule *rules;
	unsigned n;
	uint64_t max;
	struct pool pool;
};

/*
 * Adds the rules of a file behind those that are there. Returns 0 or -errno, reported with the
 * line and the reason; the list is then to be freed.
 */
int systems_read(struct systems *systems, const char *file);
/*
 * FILE (NULL: none), the user's own and the installed ones, in this order. Returns 0 or -errno,
 * reported.
 */
int systems_read_all(struct systems *systems, const char *file);
/* The same of an open file, which stays the caller's. */
int systems_parse(struct systems *systems, FILE *in, const char *name);
/* comm and program may be NULL: not known. NULL: none of them. */
const char *systems_find(const struct systems *systems, const char *comm, const char *program);
/* Threads of the kernel have no program; these are the ones that submit requests for others. */
bool systems_is_kernel(const char *comm, const char *program);
void systems_free(struct systems *systems);
