/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One live set of probes and what was requested of it: trace.c owns it, the files beside it
 * (trace_X.c) read and fill in parts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "image/image.h"
#include "plan/filter.h"
#include "plan/plan.h"
#include "resolve/cgroup.h"
#include "resolve/fs_types.h"
#include "trace/attach.h"
#include "trace/drain.h"
#include "trace/loaded.h"

#define TRACE_MAX_PIDS 1024
#define TRACE_MAX_COMMS 64

struct trace_options {
	unsigned pages;    /* data pages per CPU, a power of two; 0: chosen by the number of CPUs */
	const char *image; /* a file of `iotracer build`, or NULL */
	bool no_cache;
	uint32_t pids[TRACE_MAX_PIDS];
	unsigned n_pids; /* 0: every process */
	char comms[TRACE_MAX_COMMS][16];
	unsigned n_comms;
	char not_comms[TRACE_MAX_COMMS][16];
	unsigned n_not_comms;
	struct cgroup cgroup; /* path "": any */
	struct filter rows;
	bool by_uid;
	uint32_t uid;
	bool all_fs;
	bool all_drops;             /* dropped packets that are not IP, too */
	bool uring_files;           /* rows FILE_GET */
	uint32_t cache_sample_rate; /* one of so many events of stream cache; 0: every one */
	uint32_t uring_sample_rate; /* one of so many requests of io_uring; 0: every one */
	struct trace_stacks {
		bool asked;   /* by --stacks */
		uint64_t ops; /* 1 << op: all of these */
		bool slow; /* those that filters call slow; without --min-latency, of a millisecond */
		uint32_t rate; /* one of so many; 0: none */
	} stacks;
	struct fs_types fs_types;
	int32_t opt_levels[IOT_OPT_LEVELS]; /* of stream nw_sockopt */
	unsigned n_opt_levels;              /* 0: SOL_SOCKET and IPPROTO_TCP */
	bool all_opt_levels;
	uint32_t count; /* IOT_COUNTS_* */
};

enum { TRACE_MAX_REQUESTS = 64, TRACE_MAX_IDLE = 16 };

struct trace {
	const struct plan *plan;
	struct image image;
	struct loaded loaded;
	struct attached attached;
	struct drain *drain;
	unsigned pages;
	int n_cpus;
	bool cached;
	uint32_t cache_sample_rate;  /* 1: every event */
	uint32_t uring_sample_rate;  /* 1: every request */
	bool live[PLAN_MAX_CHOICES]; /* attached with every probe it needs; kept after the end */
	char *not_attached[PLAN_MAX_PROBES]; /* why; NULL: it is */
	uint8_t tested[PLAN_MAX_CHOICES];    /* enum selftest_verdict of each */
	uint64_t names_sent_again;
	struct skip_watch {
		int prog_fd;
		unsigned class;  /* IOT_SEQ_* of what is lost when the kernel skips it */
		bool interrupts; /* it runs in interrupts: what is skipped is mostly ours */
		uint64_t before; /* skipped before tracing was switched on */
	} * watches;
	unsigned n_watches;
	struct {
		int prog_fd;        /* of the program at task_newtask; 0: none */
		uint64_t skipped;   /* by the kernel, when it was looked at last */
		uint64_t looked_at; /* then, in clock ticks since boot */
		uint64_t found;     /* children that were followed late, see trace_find_forks() */
	} forks;
	const struct cgroup *members; /* its processes are looked for now and then; NULL */
	struct iot_config config;     /* that the programs have */
	bool filtered;                /* only some processes are traced */
	uint64_t skipped_any;  /* then: programs that the kernel skipped, for whatever process */
	uint64_t unprobed_any; /* and hits of kprobes that it passed over */
	uint64_t swept;        /* entries of tasks that were gone, see trace_sweep() */
	uint32_t next_place;   /* of the table of pending calls, where the sweep goes on */
	uint64_t pending;      /* requests under way at the end, and the first of them */
	struct iot_rq requests[TRACE_MAX_REQUESTS];
	unsigned n_requests;
	struct trace_idle {
		uint32_t dev;
		uint64_t at_ns; /* nothing was in flight then; 0: never seen so */
	} idle[TRACE_MAX_IDLE]; /* disks of requests that seem to be in flight */
	unsigned n_idle;
};

/* Places of the table of pending calls that are looked at in one go; it has a multiple of them. */
enum { TRACE_PLACES = 128 };
