/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the history. Every sample is written into the slots of those tiers whose
 * turn it is; a new table takes over the processes that are still there, so
 * that ended ones go by themselves.
 */
#include "snapshot/snap_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define LEAST_NS NS_PER_S /* a shorter time tells more of the clock's ticks than of the process */

/* Samples 5 s, 30 s and 5 min apart: enough of each to reach the window and one more. */
static const struct tier {
	unsigned every; /* samples */
	unsigned first; /* slot */
	unsigned n;
} tiers[] = {
	{ 1, 0, 3 },
	{ 6, 3, 6 },
	{ 60, 9, 14 },
};

enum { SLOTS = 23, FEWEST = 256 };

struct history {
	uint32_t pid; /* 0: free */
	uint64_t start;
	struct {
		uint64_t ns, ticks;
	} slots[SLOTS]; /* ns 0: no sample */
};

struct table {
	struct history *places; /* open addressing */
	uint32_t mask;
	uint32_t n;
};

struct snap_cpu {
	struct table table;
	struct table next; /* being filled */
	uint64_t n_samples;
};

/* At most half full with n, so that find() always comes to a free place. */
static int make_table(struct table *table, uint32_t n)
{
	uint32_t size = FEWEST;

	while (size < n * 2)
		size *= 2;
	*table = (struct table){ .places = calloc(size, sizeof(*table->places)), .mask = size - 1 };
	return table->places ? 0 : -1;
}

/* The place of the process, or the free one where it would be. */
static struct history *find(const struct table *table, uint32_t pid)
{
	uint32_t at = pid * 0x9e3779b1u >> 8;

	while (table->places[at & table->mask].pid && table->places[at & table->mask].pid != pid)
		at++;
	return &table->places[at & table->mask];
}

static const struct history *known(const struct table *table, const struct snap_proc *process)
{
	const struct history *h = table->places ? find(table, process->pid) : NULL;

	return h && h->pid && h->start == process->start ? h : NULL;
}

struct snap_cpu *snap_cpu_open(void)
{
	return calloc(1, sizeof(struct snap_cpu));
}

void snap_cpu_close(struct snap_cpu *cpu)
{
	if (!cpu)
		return;
	free(cpu->table.places);
	free(cpu->next.places);
	free(cpu);
}

void snap_cpu_begin(struct snap_cpu *cpu)
{
	free(cpu->next.places);
	/* without memory nothing is kept of this sample */
	make_table(&cpu->next, cpu->table.n);
}

static void grow(struct table *table)
{
	struct table larger;

	/* one more than its half: make_table() takes twice the size */
	if (make_table(&larger, (table->mask + 1) / 2 + 1))
		return;
	for (uint32_t i = 0; i <= table->mask; i++)
		if (table->places[i].pid)
			*find(&larger, table->places[i].pid) = table->places[i];
	larger.n = table->n;
	free(table->places);
	*table = larger;
}

void snap_cpu_add(struct snap_cpu *cpu, const struct snap_proc *process, uint64_t now)
{
	struct table *next = &cpu->next;
	const struct history *old = known(&cpu->table, process);
	struct history *h;

	if (!next->places || next->n >= SNAP_CPU_MAX)
		return;
	if (next->n * 2 > next->mask)
		grow(next);
	/* it could not grow: the last free place is what ends a search */
	if (next->n >= next->mask)
		return;
	h = find(next, process->pid);
	next->n += !h->pid;
	*h = old ? *old : (struct history){ .pid = process->pid, .start = process->start };
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		const struct tier *tier = &tiers[i];
		unsigned slot = tier->first + cpu->n_samples / tier->every % tier->n;

		if (cpu->n_samples % tier->every)
			continue;
		h->slots[slot].ns = now;
		h->slots[slot].ticks = process->ticks;
	}
}

void snap_cpu_end(struct snap_cpu *cpu)
{
	if (!cpu->next.places)
		return;
	free(cpu->table.places);
	cpu->table = cpu->next;
	cpu->next = (struct table){ 0 };
	cpu->n_samples++;
}

static void add_one(void *arg, const struct snap_proc *process)
{
	snap_cpu_add(arg, process, process->read_ns);
}

void snap_cpu_sample(struct snap_cpu *cpu, const char *proc)
{
	snap_cpu_begin(cpu);
	/* what could not be read is no sample */
	if (!snap_proc_each(proc, add_one, cpu))
		snap_cpu_end(cpu);
}

/* ---- use ---- */

struct nearest {
	uint64_t age_ns;
	uint64_t ticks;
	uint64_t off_ns; /* distance to the window */
};

static void consider(struct nearest *best, uint64_t age_ns, uint64_t ticks, uint64_t window_ns)
{
	uint64_t off = age_ns > window_ns ? age_ns - window_ns : window_ns - age_ns;

	/* half a window more is still called by its name; a process of another hour is not */
	if (age_ns < LEAST_NS || age_ns > window_ns + window_ns / 2 ||
	    (best->age_ns && off >= best->off_ns))
		return;
	*best = (struct nearest){ .age_ns = age_ns, .ticks = ticks, .off_ns = off };
}

int32_t snap_cpu_use(const struct snap_cpu *cpu, const struct snap_proc *process, uint64_t now,
		     uint64_t age_ns, uint64_t window_ns)
{
	const struct history *h = cpu ? known(&cpu->table, process) : NULL;
	struct nearest best = { 0 };
	double use;

	consider(&best, age_ns, 0, window_ns);
	for (unsigned i = 0; h && i < SLOTS; i++)
		if (h->slots[i].ns && h->slots[i].ns < now)
			consider(&best, now - h->slots[i].ns, h->slots[i].ticks, window_ns);
	if (!best.age_ns || process->ticks < best.ticks)
		return -1;
	use = (double)(process->ticks - best.ticks) * snap_proc_tick_ns() / (double)best.age_ns *
	      10000;
	return use < INT32_MAX ? (int32_t)(use + 0.5) : INT32_MAX;
}
