/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One live set of probes: compile, load, rings, filters, attach, switch on and
 * off. Owns every kernel object of a run and closes them in reverse order.
 * What the records mean is events.c's business.
 */
#ifndef IOT_TRACE_H
#define IOT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/image.h"
#include "plan/filter.h"
#include "plan/plan.h"
#include "resolve/cgroup.h"
#include "resolve/fs_types.h"
#include "trace/attach.h"
#include "trace/drain.h"
#include "trace/ledger.h"
#include "trace/load.h"

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
	const struct cgroup *members; /* its processes are looked for now and then; NULL */
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

/* Reads options->image, if any, before there is a plan, which it carries. Returns 0 or -errno, reported. */
int trace_read_image(struct trace *trace, const struct trace_options *options);

/* A trace that is zero-filled or holds a read image. Returns 0 or -errno, reported. */
int trace_open(struct trace *trace, const struct plan *plan, const struct trace_options *options);

/* rows: IOT_CALL_ROWS, by a call's number on this machine, of the calls that the plan wants. */
struct iot_call_row;
void trace_call_rows(const struct plan *plan, struct iot_call_row *rows);

/* Tells the programs of system calls what each call is, by its number. Returns 0 or -errno, reported. */
int trace_fill_calls(struct trace *trace);

/* Attaches; nothing is let through yet. Returns 0 or -errno, reported. */
int trace_attach(struct trace *trace);

/*
 * Adds what did not attach, and could give way to another candidate, to a
 * request for the next plan. Returns how many.
 */
unsigned trace_pass_over(const struct trace *trace, struct plan_request *request);

/* Reports what is missing for want of a probe. Returns -ENOENT when no requested probe attached. */
int trace_report_attached(const struct trace *trace);

/* NULL, or why this probe of the plan is not attached. */
const char *trace_not_attached(const struct trace *trace, unsigned probe);

/*
 * Resets the count of losses and lets the events of the chosen processes
 * through; what an earlier call let through is not any more.
 */
int trace_switch_on(struct trace *trace, const struct trace_options *options);
void trace_switch_off(struct trace *trace);

/*
 * Before trace_stop: when the disks of requests that seem to be in flight have nothing in
 * flight. Waits for that a fifth of a second at most, and not at all when there is no request.
 */
void trace_look_for_idle(struct trace *trace);

/* Afterwards: the request has completed, whether or not a program saw it. */
bool trace_has_completed(const struct trace *trace, const struct iot_rq *rq);

/* Below a directory like /sys/dev/block; false also when that is unknown. */
bool trace_disk_is_idle(const char *sys_dev_block, uint32_t dev);

/* No event after this returns; probes are gone. What is in the rings can still be read. */
void trace_stop(struct trace *trace);
void trace_close(struct trace *trace);

/* Has the kernel send every name again. */
void trace_resend_names(struct trace *trace);
/* What the programs keep of names and file systems is not used any more; false: they keep nothing. */
bool trace_forget_names(struct trace *trace);

/* Hands the kernel's own counts of losses to the ledger; settle: the last time, tracing is off. */
void trace_account(struct trace *trace, struct ledger *ledger, bool settle);

/* Makes a request whose end was not seen a row; false: there are no such rows. */
typedef bool trace_unseen_fn(void *arg, const struct iot_rq *rq);

/*
 * At the end: finds the requests under way, and reports to unseen those that have
 * ended unseen. The ledger counts those that unseen does not take and, where nothing shows such an end,
 * those issued long ago; likewise asynchronous
 * reads and writes (also young ones, of processes that have ended), and pages
 * under write-back.
 */
void trace_pending_requests(struct trace *trace, struct ledger *ledger, trace_unseen_fn *unseen,
			    void *arg);

/* Now and then: removes from the kernel's tables what is left of tasks that are gone. */
void trace_sweep(struct trace *trace);

/* Whether nothing of a process is left but what its parent asks for; false where its number may be another's. */
bool trace_has_ended(uint32_t tgid);

/* Whether any process that the filter follows is left: one of -p or the command, a child of such a one. */
bool trace_follows_any(const struct trace *trace);

/* Processes that have come to a control group which the kernel cannot be asked about */
void trace_find_members(struct trace *trace);

/* When this descriptor was last given to or taken from a socket (CLOCK_MONOTONIC ns), 0 when that is not known. */
uint64_t trace_socket_made(const struct trace *trace, uint32_t tgid, int fd);

/* Places of the table of pending calls that are looked at in one go; it has a multiple of them. */
enum { TRACE_PLACES = 128 };

/* What has begun and not returned, by kind. */
void trace_count_pending(const struct trace *trace, uint64_t counts[IOT_N_KINDS]);

/* Entries in one of the kernel's tables ("iot_tasks"), 0 when it is not there: what a leak would show in. */
uint64_t trace_entries(const struct trace *trace, const char *map);

#endif
