/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests whose completion no program saw. The kernel passes over a raw program
 * that would interrupt itself, and some kernels run none while certain tasks are
 * interrupted. Such a request looks as if it were in flight for ever; but when its
 * disk has nothing in flight, it has completed.
 */
#include "trace/trace_idle.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "compat/sys/bpf.h"
#include "trace/load.h"
#include "trace/trace_set.h"

enum { LOOKS = 100, LOOK_MS = 2, SETTLE_MS = 20 };

static bool read_line(const char *root, uint32_t dev, const char *name, char line[64])
{
	char path[4200];
	FILE *f;
	bool got;

	snprintf(path, sizeof(path), "%s/%u:%u/%s", root, dev >> 20, dev & 0xfffff, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	got = fgets(line, 64, f) != NULL;
	fclose(f);
	return got;
}

bool trace_disk_is_idle(const char *sys_dev_block, uint32_t dev)
{
	unsigned long long reads, writes;
	char line[64];

	/* requests without statistics are not counted as in flight */
	return read_line(sys_dev_block, dev, "queue/iostats", line) && line[0] == '1' &&
	       read_line(sys_dev_block, dev, "inflight", line) &&
	       sscanf(line, "%llu %llu", &reads, &writes) == 2 && !reads && !writes;
}

static struct trace_idle *idle_of(struct trace *trace, uint32_t dev)
{
	for (unsigned i = 0; i < trace->n_idle; i++)
		if (trace->idle[i].dev == dev)
			return &trace->idle[i];
	if (trace->n_idle == TRACE_MAX_IDLE)
		return NULL;
	trace->idle[trace->n_idle] = (struct trace_idle){ .dev = dev };
	return &trace->idle[trace->n_idle++];
}

/* The disks of what seems to be in flight */
static void find_disks(struct trace *trace, int fd)
{
	uint64_t key, next;
	bool first = true;
	struct iot_rq rq;

	while (!bpf_map_next(fd, first ? NULL : &key, &next)) {
		key = next;
		first = false;
		if (!bpf_map_get(fd, &key, &rq) && rq.issue_ts)
			idle_of(trace, (uint32_t)rq.dev);
	}
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* True when each disk has been idle since this began. */
static bool look_at_disks(struct trace *trace)
{
	bool all = true;

	for (unsigned i = 0; i < trace->n_idle; i++) {
		uint64_t now = mono_ns();

		if (trace->idle[i].at_ns)
			continue;
		if (trace_disk_is_idle("/sys/dev/block", trace->idle[i].dev))
			trace->idle[i].at_ns = now;
		else
			all = false;
	}
	return all;
}

void trace_look_for_idle(struct trace *trace)
{
	int fd = load_map(&trace->loaded, "iot_flying");

	trace->n_idle = 0;
	if (fd >= 0)
		find_disks(trace, fd);
	if (!trace->n_idle)
		return;
	for (int i = 0; i < LOOKS && !look_at_disks(trace); i++)
		pause_ms(LOOK_MS);
	/* what is not in flight any more may wait for its program, in a soft interrupt */
	pause_ms(SETTLE_MS);
}

bool trace_has_completed(const struct trace *trace, const struct iot_rq *rq)
{
	if (rq->at == UINT64_MAX) /* a flush, which has no statistics */
		return false;
	for (unsigned i = 0; i < trace->n_idle; i++)
		if (trace->idle[i].dev == rq->dev)
			return rq->issue_ts < trace->idle[i].at_ns;
	return false;
}
