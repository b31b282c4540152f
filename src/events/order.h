/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the rows of one stream in the order of their start. Records arrive in
 * the order of their end; a row waits here until nothing that began earlier
 * can still arrive, within bounds: a row whose operation lasted longer than
 * the window comes late and is counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ORDER_ROWS 16384            /* at most this many rows wait */
#define ORDER_HOLD_NS 1000000000ULL /* at most this long */

struct order;

typedef void order_fn(void *arg, const char *row, size_t len, uint64_t key);

struct order *order_open(order_fn *fn, void *arg);
void order_close(struct order *order); /* rows still waiting are dropped: order_flush first */

/* Takes a copy of the row. key: its time, ns. */
void order_push(struct order *order, uint64_t key, const char *row, size_t len);

/* now: no record that ended before it is outstanding. UINT64_MAX: everything leaves. */
void order_flush(struct order *order, uint64_t now);

/*
 * Calls fn (not that of order_open) for each waiting row that no earlier call passed to it. If more
 * rows came since the last call than can wait, passes none: most will have left before the next
 * call, which passes the rest.
 */
void order_news(struct order *order, order_fn *fn, void *arg);

/* Key of the row that leaves next; UINT64_MAX: none waits. */
uint64_t order_first(const struct order *order);
uint64_t order_late(const struct order *order);
