/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a timeline is made of, whichever file it becomes: tracks, and events on
 * them in any order of time. Events with the same time on one track keep the
 * order in which they were given.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TIMELINE_MAX_ARGUMENTS = 15, TIMELINE_MAX_FLOWS = 2 };

/* Any bytes: an encoder makes valid UTF-8 of them. */
struct timeline_text {
	const char *text;
	size_t len;
};

enum timeline_track_kind { TIMELINE_PROCESS, TIMELINE_THREAD, TIMELINE_GROUP, TIMELINE_COUNTER };

struct timeline_track {
	uint64_t id;     /* not 0 */
	uint64_t parent; /* 0: none */
	enum timeline_track_kind kind;
	uint32_t pid;
	uint32_t tid;
	struct timeline_text name; /* of a counter: a constant */
};

struct timeline_argument {
	const char *name; /* a constant */
	const char *text; /* NULL: a number */
	size_t len;
	int64_t number;
};

enum timeline_kind { TIMELINE_BEGIN = 1, TIMELINE_END, TIMELINE_INSTANT, TIMELINE_VALUE };

struct timeline_event {
	uint64_t ns;
	uint64_t track;
	enum timeline_kind kind;
	int64_t value;
	struct timeline_text name;
	uint64_t flows[TIMELINE_MAX_FLOWS]; /* arrows that begin here or go on; 0: none */
	uint64_t ended;                     /* an arrow that ends here; 0: none */
	unsigned n_arguments;
	struct timeline_argument arguments[TIMELINE_MAX_ARGUMENTS];
};

/* A thread's stay on a CPU. */
struct timeline_run {
	uint64_t ns;
	uint64_t run_ns;
	uint64_t woken_ns; /* 0: not known */
	uint32_t cpu;
	uint32_t tid;
	uint32_t waker;
	int32_t priority;
	uint32_t state; /* the kernel's bit, 0: runnable */
	struct timeline_text name;
};

/* Where a thread was at a time: frames, the outermost first, separated by semicolons; those of the kernel end in _[k]. */
struct timeline_stack {
	uint64_t ns;
	uint32_t pid;
	uint32_t tid;
	struct timeline_text frames;
};

struct wall;

/* A track comes before its events, and before the tracks below it; start comes first. */
struct timeline_encoder {
	/* Each writes to out; whether that went well is what ferror says of it. */
	void (*start)(struct timeline_encoder *encoder, const char *release);
	void (*track)(struct timeline_encoder *encoder, const struct timeline_track *track);
	void (*event)(struct timeline_encoder *encoder, const struct timeline_event *event);
	void (*run)(struct timeline_encoder *encoder, const struct timeline_run *run);
	/* NULL: it has no place for them */
	void (*stack)(struct timeline_encoder *encoder, const struct timeline_stack *stack);
	/* After the last of them. Returns 0 or -errno (reported); NULL: nothing is left to do. */
	int (*finish)(struct timeline_encoder *encoder);
	void (*free)(struct timeline_encoder *encoder);
	FILE *out;
	const struct wall *wall; /* borrowed: of the trace; NULL: not known */
	bool full;               /* it takes no more, and finish says why */
};
