/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that are performed a known number of times; what the best and the mean turn cost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MAX_CHUNK 250 /* turns */

struct place; /* what the operations of a program work on */

struct operation {
	const char *name; /* as rows have it */
	unsigned rows;    /* of a turn */
	long (*turn)(struct place *p,
		     unsigned turn); /* what the last call returned; -1 and errno on failure */
	const char *what;            /* for people */
};

/* "all", or the name of those to be performed; how often; where (an absolute directory) */
struct asked {
	const char *program;
	const char *name;
	unsigned chunks, size; /* turns: of a chunk */
	const char *dir;
};

/* The arguments OPERATION|all CHUNKS TURNS DIR; false: the usage was printed */
bool turns_asked(int argc, char **argv, const char *program, struct asked *asked);
bool turns_wanted(const struct asked *asked, const struct operation *op);

/* On one CPU, where the machine lets us */
void turns_pin(void);

/*
 * Prints a line: "OPERATION rows-a-turn turns mean-ns best-ns what"; after may be NULL, and is
 * called behind each chunk. Returns 0 or -errno of the turn that failed, which is said.
 */
int turns_perform(struct place *p, const struct operation *op, const struct asked *asked,
		  void (*after)(struct place *p));
