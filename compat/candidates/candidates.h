/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be traced, and through which probes, best first. The table in
 * candidates.c, with its .def files, is the only place that knows which kernel offers what; the
 * planner walks it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/host/kernel.h"
#include "probes/schema/stream_id.h"

/* a: kprobes and layouts, b: tracepoints and layouts, c: tracepoints alone */
enum tier { TIER_NONE = 0, TIER_A = 1, TIER_B = 2, TIER_C = 4 };

/*
 * PROBE_RAW is a tracepoint without its record: it gets the arguments of the
 * kernel's own call. Its programs run even when they interrupt another one,
 * where those of the other kinds are skipped (bpf_prog_active). When a program
 * NAME_q exists it is tried first: it takes the older form of the arguments,
 * with the queue in front. PROBE_FENTRY and PROBE_FEXIT are a function that calls
 * the program itself (compat/sys/trampoline.h), with its arguments and, at the end, its
 * result behind them.
 * PROBE_NUMBER is one end of a system call, whose program is called by the
 * call's number: from the raw programs that every call of the machine runs (calls_by_number).
 */
enum probe_kind {
	PROBE_END,
	PROBE_KPROBE,
	PROBE_KRETPROBE,
	PROBE_TRACEPOINT,
	PROBE_RAW,
	PROBE_FENTRY,
	PROBE_FEXIT,
	PROBE_NUMBER,
	N_PROBE_KINDS
};

static inline bool probe_is_trampoline(enum probe_kind kind)
{
	return kind == PROBE_FENTRY || kind == PROBE_FEXIT;
}

/* On a function of the kernel, not on an event */
static inline bool probe_is_on_function(enum probe_kind kind)
{
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE || probe_is_trampoline(kind);
}

/* On an event of a system call, "syscalls:sys_enter_NAME" or "syscalls:sys_exit_NAME" */
static inline bool probe_is_syscall(enum probe_kind kind, const char *target)
{
	return kind == PROBE_TRACEPOINT && !strncmp(target, "syscalls:", 9);
}

/* On what every system call of the machine runs */
static inline bool probe_is_of_all_calls(enum probe_kind kind, const char *target)
{
	return kind == PROBE_RAW && !strncmp(target, "raw_syscalls:", 13);
}

enum probe_flags {
	PROBE_OPTIONAL = 1, /* its absence does not disqualify the candidate */
	PROBE_SUFFIXES = 2, /* accept NAME.isra.N and NAME.constprop.N */
	PROBE_PARTS = 4,    /* attach to every NAME.part.N as well */
	PROBE_NO_ARGS = 8,  /* a system call without arguments */
	/*
	 * What it means that the kernel skipped the program, because it would have interrupted
	 * another one. Without these, an event of the stream is lost.
	 */
	PROBE_SKIP_SHOWS =
		16, /* it shows in what comes before or after: an entry without its return */
	PROBE_INTERRUPTS =
		32,      /* it runs in interrupts: what is skipped is mostly of traced processes */
	PROBE_CALL = 64, /* the target is a system call, whatever its function is called here */
	PROBE_CALL32 = 128 /* likewise, of 32-bit programs; where these have it */
};

struct probe {
	enum probe_kind kind;
	unsigned flags;
	const char *target;  /* kernel function, or "category:event" */
	const char *program; /* BPF function in probes/ */
};

enum need_kind {
	NEED_END,
	NEED_FACT, /* of kernel.def, that must hold */
	NEED_NO_FACT,
	NEED_TRACEPOINT, /* "category:event" */
	NEED_NO_TRACEPOINT,
	NEED_FIELD, /* "category:event:field" */
	NEED_NO_FIELD,
	NEED_SYMBOL,
	NEED_NO_SYMBOL,
	NEED_MEMBERS, /* "struct.member struct.member …", where the layout was learned */
};

struct need {
	enum need_kind kind;
	const char *what; /* NULL of facts */
	enum fact fact;   /* of facts */
};

#define MAX_PROBES 40
#define MAX_NEEDS 6

/*
 * Something that a kernel has or has not: without any of its signs, one message says so in these
 * words.
 */
struct feature {
	const char *absent;
	struct need signs[MAX_NEEDS];
};

/*
 * What a candidate uses besides its own probes. A capability that provides it is
 * wanted when any candidate that uses it is chosen; some are only asked about (plan_needs).
 */
enum use {
	USES_FILE_NAMES = 1 << 0, /* names of files that others open and close */
	USES_PATHS = 1 << 1, /* names that the kernel walked, which move with their directories */
	USES_NAMED_FILES = 1 << 2,     /* inode and resolved path of the file a call names */
	USES_SIZES = 1 << 3,           /* bytes and position, from rw_verify_area */
	USES_DESCRIPTORS = 1 << 4,     /* descriptors are followed from system calls */
	USES_MAPPINGS = 1 << 5,        /* files at addresses */
	USES_SOCKETS = 1 << 6,         /* sockets of descriptors, from their making on */
	USES_SOCKET_CLOSES = 1 << 7,   /* that they are closed */
	USES_SOCKET_STATES = 1 << 8,   /* what becomes of a connection */
	USES_UDP_SOURCES = 1 << 9,     /* peers of sockets that are not connected */
	USES_REQUEST_EVENTS = 1 << 10, /* files and refusals of requests of io_uring */
	USES_REQUEST_ISSUES = 1 << 11, /* the same from functions */
	USES_EXIT_STATUS = 1 << 12,
	USES_MERGES = 1 << 13,          /* requests merged into others */
	USES_DROP_MARKS = 1 << 14,      /* that drop_caches is at work */
	USES_DROP_REASONS = 1 << 15,    /* the kernel's words for why a packet was dropped */
	USES_SUBMITTED_FILES = 1 << 16, /* for which files a thread submits requests */
	USES_JOURNALS = 1 << 17,        /* for whom a journal commits */
	USES_MOUNTS = 1 << 18,          /* until when what a CPU has read of a file system is so */
	USES_NUMBERS = 1 << 19,         /* calls have programs by number: the planner decides */
	USES_BIOS = 1 << 20,            /* what requests are parts of above */
};

/* What must be asked for on the command line. */
/* What is compiled only where it is asked for; the last one is no capability, but a member of the plan. */
enum capability_option { OPTION_DROPS = 1, OPTION_GIVEN = 2 };

/* A bit for each group of compat/candidates/call_groups.h */
typedef unsigned __int128 call_set;

struct candidate {
	const char *name;   /* IOT_USE_<name> is defined in the BPF text when chosen */
	unsigned tiers;     /* the tiers it can serve */
	const char *limits; /* what it cannot see, for doctor; or NULL */
	struct probe probes[MAX_PROBES];
	call_set calls;   /* CALLS(): probes on each of these system calls, too, */
	call_set follows; /* and on these, where there are any, for no rows */
	call_set rows_of; /* calls whose rows its own probes make */
	struct need needs[MAX_NEEDS];
	unsigned uses; /* enum use */
	/*
	 * What its programs take of the functions' arguments is the same from 4.14 to 7.3, so
	 * that no prototype is needed.
	 */
	bool fixed_arguments;
	bool only_counts; /* serves only where no stream of trait ROW_PER_CALL is recorded */
	/* Its tasks are followed before they have the name or the user that is asked for. */
	bool follows_tasks;
	const struct feature *
		feature; /* of the first one of a capability: what the kernel must have for any; or NULL */
	const struct candidate
		*more; /* of an entry without a name: where the list goes on; or NULL */
};

/* The one to try after this one, or NULL. */
static inline const struct candidate *candidate_next(const struct candidate *c)
{
	c++;
	if (!c->name)
		c = c->more;
	return c && c->name ? c : NULL;
}

/* In the order of the table, so that one indexes the other, and a plan's choices. */
enum capability_id {
#define CAPABILITY(id, ...) CAP_##id,
#include "compat/candidates/capabilities.def"
	N_CAPABILITIES
};

struct capability {
	const char *id;        /* "FS_READ_VECTORED", as in IOT_VIA_FS_READ_VECTORED */
	enum stream_id stream; /* STREAM_INTERNAL: of use to others only */
	const char *operation; /* "READ" */
	const char *path;      /* "vectored": which way into the kernel; "" for the plain one */
	const char *doc;
	const struct candidate
		*candidates; /* see candidate_next(); ended by an entry without a name */
	unsigned provides;   /* enum use: wanted only with what uses any of it; 0: always */
	unsigned
		option; /* enum capability_option: wanted only when it is given; 0: none is needed */
};

extern const struct capability capabilities[N_CAPABILITIES];

/* "fs"; "-" of an internal one */
const char *capability_stream(const struct capability *capability);

static inline bool capability_is_internal(const struct capability *capability)
{
	return capability->stream == STREAM_INTERNAL;
}

/* "--drops", the option that turns it on; NULL: it needs none. */
const char *capability_option(const struct capability *capability);
