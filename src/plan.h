/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From host facts and wishes to a plan: for every capability the chosen probes
 * and their tier, or why there are none. A pure function, so that saved hosts
 * can be planned offline. Holds pointers into static tables and the host only.
 */
#ifndef IO_PLAN_H
#define IO_PLAN_H

#include <stdbool.h>

#include "candidates.h"
#include "kernel.h"

#define PLAN_MAX_CHOICES 128
#define PLAN_MAX_PROBES 512
#define PLAN_MAX_PASSED 8
#define PLAN_MAX_SILENT 64

struct plan_request {
	/* Wanted streams by name, NULL-terminated; NULL means every stream. */
	const char *const *streams;
	/* Candidates that attached but never fired (self-test): passed over. */
	const struct candidate *silent[PLAN_MAX_SILENT];
	unsigned n_silent;
};

struct plan_probe {
	enum probe_kind kind;
	bool optional;
	char target[128];    /* as in kallsyms, suffix included, or "category:event" */
	const char *program;
	unsigned choice;     /* index of the choice that first asked for it */
};

struct plan_passed {
	const struct candidate *candidate;
	char why[160];
};

struct plan_choice {
	const struct capability *capability;
	const struct candidate *chosen; /* NULL: off, see why */
	enum tier tier;
	bool wanted;                    /* false: stream not asked for, or only_with not met */
	char why[256];                  /* why off, and what would help */
	struct plan_passed passed[PLAN_MAX_PASSED];
	unsigned n_passed;
};

struct plan {
	const struct host *host;
	bool headers;                   /* BPF text may use kernel headers */
	struct plan_choice choices[PLAN_MAX_CHOICES];
	unsigned n_choices;
	struct plan_probe probes[PLAN_MAX_PROBES]; /* each (kind, target) once */
	unsigned n_probes;
};

/* Returns 0, or -ENOENT when nothing at all can be traced (plan is filled all the same). */
int plan_make(struct plan *plan, const struct host *host, const struct plan_request *request);

/* The choice for (stream, operation, path), or NULL. */
const struct plan_choice *plan_find(const struct plan *plan, const char *stream,
				    const char *operation, const char *path);

/* True when any wanted capability of the stream is on. */
bool plan_has_stream(const struct plan *plan, const char *stream);

char tier_letter(enum tier tier); /* 'a', 'b', 'c', '-' */

#endif
