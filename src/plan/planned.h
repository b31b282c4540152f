/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan is: its probes, and for every capability the choice among its candidates. */
#pragma once

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

/* Some 370 KB, which is too much for a stack. */
struct plan {
	const struct host *host;
	bool headers; /* BPF text may use the kernel's structures: from headers, or host->layout */
	enum layout_source layouts; /* of the host, or what the image was built with */
	bool syscall_functions; /* no system-call tracepoints: kprobes on what they would tell of */
	bool given;             /* OPTION_GIVEN: programs of fs send the caller's strings, too */
	struct plan_choice choices[PLAN_MAX_CHOICES];
	unsigned n_choices;
	struct plan_probe probes[PLAN_MAX_PROBES]; /* each (kind, target) once */
	unsigned n_probes;
	unsigned n_conflicts; /* one target, two programs: the table is wrong */
};
