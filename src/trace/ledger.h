/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of losses: by class (stream) and reason, noticed while it
 * happens. A record's number in its class on its CPU shows what is missing
 * before it; the kernel's last numbers show what is missing at the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/records.h"

enum lost_reason {
	LOST_RING,       /* a gap in the numbers: the ring was full */
	LOST_NO_ENTRY,   /* a return without its entry */
	LOST_NO_RETURN,  /* an entry whose return never came */
	LOST_TABLE_FULL, /* a table in the kernel was full */
	LOST_SCRATCH,    /* two tasks met in one buffer (preemptible programs) */
	LOST_SKIPPED,    /* the program would have interrupted another one */
	LOST_PROBE,      /* the kernel ran out of kretprobe instances */
	LOST_UNRESOLVED, /* its process had ended before the reader could ask what it was about */
	LOST_SAMPLED,    /* no loss: a sample rate left it out */
	LOST_BUDGET,     /* nor this: left out to keep to --budget */
	LOST_DISK_FULL,  /* made, but there was no room to write it */
	LOST_DISK_ERROR, /* made, but the disk failed to take it (EIO) */
	N_LOST_REASONS,
};

struct ledger;

/* Hears of each loss; cpu -1 when not known. */
typedef void ledger_fn(void *arg, unsigned class, enum lost_reason reason, int cpu, uint64_t count,
		       uint64_t ts);

struct ledger *ledger_open(int n_cpus, ledger_fn *fn, void *arg);
void ledger_close(struct ledger *ledger);

/* A record arrived. */
void ledger_record(struct ledger *ledger, const struct iot_head *head, int cpu);

/* Attempts that the kernel counted on cpu for class, at the end: what never arrived is lost. */
void ledger_settle(struct ledger *ledger, unsigned class, int cpu, uint64_t attempts, uint64_t ts);

/* A loss that no number shows; total so far, the growth is accounted. */
void ledger_missed(struct ledger *ledger, unsigned class, enum lost_reason reason, int cpu,
		   uint64_t total, uint64_t ts);

uint64_t ledger_lost(const struct ledger *ledger, unsigned class, enum lost_reason reason);
/* Whether events with this reason were left out by our choice, and so not lost. */
bool ledger_is_choice(enum lost_reason reason);

/* How many records of the class arrived. */
uint64_t ledger_arrived(const struct ledger *ledger, unsigned class);

/* "ring", "no-entry" …; "fs", "state" … */
const char *ledger_reason_name(enum lost_reason reason);
const char *ledger_class_name(unsigned class);
