/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Losses as they go into stream lost: those of one class, reason and CPU are one
 * row a second, however many there were.
 */
#pragma once

#include <stdint.h>

#include "trace/ledger.h"

#define LOSSES_SPAN_NS 1000000000ULL

struct losses;

/* fn hears of all that was lost in a span at once; ts is that of the first loss in it. */
struct losses *losses_open(int n_cpus, ledger_fn *fn, void *arg);
void losses_close(struct losses *losses); /* what was not flushed is dropped */

/* A ledger_fn. */
void losses_add(struct losses *losses, unsigned class, enum lost_reason reason, int cpu,
		uint64_t count, uint64_t ts);

/* now: no older loss is outstanding. UINT64_MAX: everything leaves. */
void losses_flush(struct losses *losses, uint64_t now);
