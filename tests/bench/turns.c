/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns of `make bench`: see turns.h. Knows nothing of tracing. */
#include "base/clock.h"
#include "bench/turns.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS_AT_ONCE 4000 /* then a pause, or a busy machine's reader falls behind */
#define PAUSE_NS 20000000

struct times {
	uint64_t cpu_ns;  /* of all chunks */
	uint64_t best_ns; /* a chunk that nothing disturbed took no longer than its CPU time */
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

bool turns_asked(int argc, char **argv, const char *program, struct asked *asked)
{
	*asked = (struct asked){ .program = program, .name = argc == 5 ? argv[1] : "" };
	if (argc == 5) {
		asked->chunks = (unsigned)strtoul(argv[2], NULL, 10);
		asked->size = (unsigned)strtoul(argv[3], NULL, 10);
		asked->dir = argv[4];
	}
	if (asked->chunks && asked->size && asked->size <= MAX_CHUNK && asked->dir[0] == '/')
		return true;
	fprintf(stderr,
		"usage: %s OPERATION|all CHUNKS TURNS DIR\n"
		"       TURNS: of a chunk, at most %d; DIR: from the root\n",
		program, MAX_CHUNK);
	return false;
}

bool turns_wanted(const struct asked *asked, const struct operation *op)
{
	return !strcmp(asked->name, "all") || !strcmp(asked->name, op->name);
}

void turns_pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	/* a machine without CPU 0 runs it unpinned */
	sched_setaffinity(0, sizeof(set), &set);
}

/* The best by the clock: CPU time goes in ticks where the TSC is not trusted. */
static int chunk(struct place *p, const struct operation *op, unsigned from, unsigned n,
		 struct times *times)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), begun = clock_ns(CLOCK_MONOTONIC), took;
	long ret = 0;

	for (unsigned turn = from; turn < from + n && ret >= 0; turn++)
		ret = op->turn(p, turn);
	if (ret < 0)
		return -errno;
	took = clock_ns(CLOCK_MONOTONIC) - begun;
	times->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	if (took < times->best_ns)
		times->best_ns = took;
	return 0;
}

int turns_perform(struct place *p, const struct operation *op, const struct asked *asked,
		  void (*after)(struct place *p))
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct times times = { .best_ns = UINT64_MAX };
	unsigned n = asked->chunks * asked->size, done;
	int err = 0;

	for (done = 0; done < n && !err; done += asked->size) {
		if (done % TURNS_AT_ONCE < asked->size)
			nanosleep(&pause, NULL);
		err = chunk(p, op, done, asked->size, &times);
		if (after)
			after(p);
	}
	if (err) {
		fprintf(stderr, "%s: %s: %s\n", asked->program, op->what, strerror(-err));
		return err;
	}
	printf("%s %u %u %.1f %.1f %s\n", op->name, op->rows, done, (double)times.cpu_ns / done,
	       (double)times.best_ns / asked->size, op->what);
	return 0;
}
