/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much CPU processes used in the last seconds, minutes and hour: samples
 * of their counters, taken every few seconds and kept the more sparsely the
 * older they are. A bounded number of processes; the others have no history.
 */
#pragma once

#include <stdint.h>

#include "snapshot/snap_proc.h"

#define SNAP_CPU_EVERY_NS 5000000000ULL
#define SNAP_CPU_MAX 32768

struct snap_cpu;

/* NULL without memory. */
struct snap_cpu *snap_cpu_open(void);
void snap_cpu_close(struct snap_cpu *cpu);

/* Reads all processes below proc ("/proc") once, by CLOCK_MONOTONIC. */
void snap_cpu_sample(struct snap_cpu *cpu, const char *proc);

/*
 * The same, fed process by process. now: ns of a clock that only rises. With the end, those
 * that were not added since the beginning are forgotten.
 */
void snap_cpu_begin(struct snap_cpu *cpu);
void snap_cpu_add(struct snap_cpu *cpu, const struct snap_proc *process, uint64_t now);
void snap_cpu_end(struct snap_cpu *cpu);

/*
 * Hundredths of a per cent of one CPU from the sample (or the start of the
 * process, age_ns ago) that is nearest to window_ns before now; -1 when there is
 * none within. cpu may be NULL.
 */
int32_t snap_cpu_use(const struct snap_cpu *cpu, const struct snap_proc *process, uint64_t now,
		     uint64_t age_ns, uint64_t window_ns);
