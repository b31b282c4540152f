/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out whether a request that seems to be in flight has completed: its disk has nothing
 * in flight.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct iot_rq;
struct trace;

/*
 * Before trace_stop: when the disks of requests that seem to be in flight have nothing in
 * flight. Waits for that a fifth of a second at most, and not at all when there is no request.
 */
void trace_look_for_idle(struct trace *trace);

/* Afterwards: the request has completed, whether or not a program saw it. */
bool trace_has_completed(const struct trace *trace, const struct iot_rq *rq);

/* Below a directory like /sys/dev/block; false also when that is unknown. */
bool trace_disk_is_idle(const char *sys_dev_block, uint32_t dev);
