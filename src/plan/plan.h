/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From host facts and wishes to a plan: for every capability the chosen probes
 * and their tier, or why there are none. A pure function, so that saved hosts
 * can be planned offline. Holds pointers into static tables and the host only.
 */
#ifndef IOT_PLAN_H
#define IOT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/candidates/candidates.h"
#include "compat/host/kernel.h"

#define PLAN_MAX_CHOICES N_CAPABILITIES
#define PLAN_MAX_PROBES 512
#define PLAN_MAX_PASSED 8
#define PLAN_MAX_SILENT 64
#define PLAN_MAX_CHOICE_PROBES 64

struct plan_request {
	uint32_t streams; /* STREAM_BIT of those that are wanted; 0: every one */
	/* Candidates that attached but never fired (self-test): passed over. */
	const struct candidate *silent[PLAN_MAX_SILENT];
	unsigned n_silent;
	/* Those that did not attach and have another one after them. */
	const struct candidate *unattached[PLAN_MAX_SILENT];
	unsigned n_unattached;
	unsigned options; /* enum capability_option: those that are given */
};

struct plan_probe {
	enum probe_kind kind;
	bool optional;
	char target[128]; /* as in kallsyms, suffix included, or "category:event" */
	const char *program;
	unsigned flags;  /* enum probe_flags, as in the table */
	unsigned choice; /* index of the choice that first asked for it */
			 /* optional: no choice needs it */
};

struct plan_passed {
	const struct candidate *candidate;
	char why[160];
};

struct plan_choice {
	const struct capability *capability;
	const struct candidate *chosen; /* NULL: off or not wanted, see why */
	enum tier tier;
	bool wanted;   /* false: stream not requested, or nothing uses it */
	bool absent;   /* the kernel does not have what this is about */
	char why[512]; /* why off, and what would help */
	struct plan_passed passed[PLAN_MAX_PASSED];
	unsigned n_passed;
	uint16_t probes[PLAN_MAX_CHOICE_PROBES]; /* indices into plan->probes, shared ones too */
	unsigned n_probes;
};

struct plan {
	const struct host *host;
	bool headers; /* BPF text may use the kernel's structures: from headers, or host->layout */
	enum layout_source layouts; /* of the host, or what the image was built with */
	bool syscall_functions; /* no system-call tracepoints: kprobes on what they would tell of */
	struct plan_choice choices[PLAN_MAX_CHOICES];
	unsigned n_choices;
	struct plan_probe probes[PLAN_MAX_PROBES]; /* each (kind, target) once */
	unsigned n_probes;
	unsigned n_conflicts; /* one target, two programs: the table is wrong */
};

/* Returns 0, or -ENOENT when nothing at all can be traced (plan is filled all the same). */
int plan_make(struct plan *plan, const struct host *host, const struct plan_request *request);

/* The same from any table, for tests of the rules. */
int plan_make_from(struct plan *plan, const struct host *host, const struct plan_request *request,
		   const struct capability *table, size_t n);

/*
 * What the request wants of a plan that was made for more, probes and all.
 * Returns 0, or -ENOENT when nothing is left.
 */
int plan_narrow(struct plan *plan, const struct plan_request *request);

/* The choice for a capability; NULL in a plan that was made from another table. */
const struct plan_choice *plan_find(const struct plan *plan, enum capability_id id);

/* Whether a candidate that uses any of this (enum use) is chosen for a wanted capability. */
bool plan_needs(const struct plan *plan, unsigned uses);

/* Whether another candidate could take the place of the one that is chosen. */
bool plan_has_next(const struct plan *plan, unsigned choice, const struct plan_request *request);

/* Whether a wanted choice is off because the self-test heard nothing of its candidates. */
bool plan_lost_to_silence(const struct plan *plan, unsigned choice,
			  const struct plan_request *request);

/* What the kernel must have for any candidate of the choice; NULL: nothing in particular. */
const struct feature *plan_feature(const struct plan_choice *choice);

/* NULL when a capability of the stream is on, or none wanted; else why not, in the words of the first. */
const char *plan_stream_off(const struct plan *plan, enum stream_id stream);

/* True when any wanted capability of the stream is on. */
bool plan_has_stream(const struct plan *plan, enum stream_id stream);

/* Whether the capability sees its operation inside the kernel, where it reaches a file system: tier a. */
bool plan_sees_kernel(const struct plan *plan, enum capability_id id);

/* Whether the choice needs, or has, the plan's probe of this index. */
bool plan_uses_probe(const struct plan_choice *choice, unsigned probe);

/* Whether any probe is of one of these two kinds. */
bool plan_has_kind(const struct plan *plan, enum probe_kind a, enum probe_kind b);

/* True for any stream with one of these traits. */
bool plan_has_trait(const struct plan *plan, unsigned traits);

char tier_letter(enum tier tier); /* 'a', 'b', 'c', '-' */

#endif
