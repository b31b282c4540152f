/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes the kernel's own counts of losses, and what is pending at the end, to the ledger. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/records.h"
#include "trace/ledger.h"

struct trace;

/* Hands the kernel's own counts of losses to the ledger; settle: the last time, tracing is off. */
void trace_account(struct trace *trace, struct ledger *ledger, bool settle);

/* How many events of each class the budget left out until now; of io_uring also a sample rate. */
void trace_left_out(const struct trace *trace, uint64_t left_out[IOT_N_SEQ]);
/* How many records of a class programs have tried to send. */
uint64_t trace_sent(const struct trace *trace, unsigned class);

/* Of a request that has ended, which no program saw. */
typedef void trace_unseen_fn(void *arg, struct iot_rq *rq);

/*
 * At the end: finds the requests under way, and reports to unseen those that have
 * ended unseen, also of those that others submitted, which may carry what a traced process wrote. Where
 * nothing shows such an end the ledger counts those issued long ago; likewise asynchronous reads and writes (also young ones, of processes
 * that have ended), and pages under write-back.
 */
void trace_pending_requests(struct trace *trace, struct ledger *ledger, trace_unseen_fn *unseen,
			    void *arg);

/*
 * When this descriptor was last given to or taken from a socket (CLOCK_MONOTONIC ns), 0 when that
 * is not known.
 */
uint64_t trace_socket_made(const struct trace *trace, uint32_t tgid, int fd);

/* What has begun and not returned, by kind. */
void trace_count_pending(const struct trace *trace, uint64_t counts[IOT_N_KINDS]);

/*
 * Entries in one of the kernel's tables ("iot_tasks"), 0 when it is not there: what a leak would
 * show in.
 */
uint64_t trace_entries(const struct trace *trace, const char *map);
