/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be traced, and through which probes, best first. The table in
 * candidates.c, with its .def files, is the only place that knows which kernel offers what; the
 * planner walks it.
 */
#ifndef IOT_COMPAT_CANDIDATES_H
#define IOT_COMPAT_CANDIDATES_H

#include <stddef.h>

/* a: kprobes and headers, b: tracepoints and headers, c: tracepoints alone */
enum tier { TIER_NONE = 0, TIER_A = 1, TIER_B = 2, TIER_C = 4 };

/*
 * PROBE_RAW is a tracepoint without its record: it gets the arguments of the
 * kernel's own call. Its programs run even when they interrupt another one,
 * where those of the other kinds are skipped (bpf_prog_active). When a program
 * NAME_q exists it is tried first: it takes the older form of the arguments,
 * with the queue in front.
 */
enum probe_kind { PROBE_END, PROBE_KPROBE, PROBE_KRETPROBE, PROBE_TRACEPOINT, PROBE_RAW };

enum probe_flags {
	PROBE_OPTIONAL = 1, /* its absence does not disqualify the candidate */
	PROBE_SUFFIXES = 2, /* accept NAME.isra.N and NAME.constprop.N */
	PROBE_PARTS = 4,    /* attach to every NAME.part.N as well */
	PROBE_NO_ARGS = 8,  /* a system call without arguments */
};

struct probe {
	enum probe_kind kind;
	unsigned flags;
	const char *target;  /* kernel function, or "category:event" */
	const char *program; /* BPF function in probes/ */
};

enum need_kind {
	NEED_END,
	NEED_FACT, /* name of a fact in kernel.def that must hold */
	NEED_NO_FACT,
	NEED_TRACEPOINT, /* "category:event" */
	NEED_NO_TRACEPOINT,
	NEED_FIELD, /* "category:event:field" */
	NEED_NO_FIELD,
	NEED_SYMBOL,
	NEED_NO_SYMBOL,
};

struct need {
	enum need_kind kind;
	const char *what;
};

#define MAX_PROBES 40
#define MAX_NEEDS 6

/* Something that a kernel has or has not: one that has none of the signs is told so once, in these words. */
struct feature {
	const char *absent;
	struct need signs[MAX_NEEDS];
};

struct candidate {
	const char *name;   /* IOT_USE_<name> is defined in the BPF text when chosen */
	unsigned tiers;     /* the tiers it can serve */
	const char *limits; /* what it cannot see, for doctor; or NULL */
	struct probe probes[MAX_PROBES];
	struct need needs[MAX_NEEDS];
	const struct feature *
		feature; /* of the first one of a capability: what the kernel must have for any; or NULL */
};

struct capability {
	const char *stream;    /* "fs"; "-" is internal, needed by others */
	const char *operation; /* "READ" */
	const char *path;      /* "vectored": which way into the kernel; "" for the plain one */
	/*
	 * NULL, or the candidate names (blank-separated) of which one must be
	 * chosen for this capability to be wanted at all; or an option that
	 * must be given ("--drops").
	 */
	const char *only_with;
	const char *doc;
	const struct candidate *candidates; /* ended by an entry without a name */
};

extern const struct capability capabilities[];
extern const size_t n_capabilities;

#endif
