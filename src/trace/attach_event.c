/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe's event, made and removed. Every event ends as one perf event
 * descriptor; how it comes to be differs: an existing tracepoint, the perf
 * kprobe PMU, or a kprobe event made in tracefs. A program on it runs on every
 * CPU, although the event is opened on one.
 */
#include "trace/attach_event.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/sys.h"
#include "trace/kprobe_events.h"

#define PMU "/sys/bus/event_source/devices/kprobe/"

/* The first number in a file, after skip; -errno without one. */
static long read_number(const char *path, const char *skip)
{
	char text[64], *at, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	long value;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	at = strstr(text, skip);
	if (!at)
		return -EIO;
	at += strlen(skip);
	value = strtol(at, &end, 10);
	return end == at || value < 0 ? -EIO : value;
}

struct kprobe_pmu attach_find_pmu(void)
{
	long type = read_number(PMU "type", "");
	long bit = read_number(PMU "format/retprobe", "config:");

	if (type <= 0 || bit < 0 || bit > 63)
		return (struct kprobe_pmu){ 0 };
	return (struct kprobe_pmu){ (uint32_t)type, 1ull << bit };
}

/*
 * On whatever CPU we are: the program runs on all of them, but another CPU would have to be
 * interrupted for each event (a third of a start). Should it go off, the event stays.
 */
static int open_event(struct perf_event_attr *attr)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	fd = sys_perf_event_open(attr, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == ENODEV) /* it has just gone */
		fd = sys_perf_event_open(attr, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);
	return fd;
}

static int open_tracepoint(const char *tracefs, const char *category, const char *event)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	char path[PATH_MAX];
	long id;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, category, event);
	id = read_number(path, "");
	if (id < 0)
		return (int)id;
	attr.config = (uint64_t)id;
	return open_event(&attr);
}

/* target: "category:event" */
static int open_target(const char *tracefs, const char *target)
{
	char copy[128];
	char *colon;

	snprintf(copy, sizeof(copy), "%s", target);
	colon = strchr(copy, ':');
	if (!colon)
		return -EINVAL;
	*colon = '\0';
	return open_tracepoint(tracefs, copy, colon + 1);
}

static int open_pmu(const struct kprobe_pmu *pmu, const struct plan_probe *probe)
{
	struct perf_event_attr attr = { .type = pmu->type };

	if (!pmu->type)
		return -ENODEV;
	if (probe->kind == PROBE_KRETPROBE)
		attr.config = pmu->retprobe;
	attr.config1 = (uintptr_t)probe->target; /* symbol; config2, the offset, is 0 */
	return open_event(&attr);
}

static int open_tracefs(const char *tracefs, const struct plan_probe *probe, unsigned maxactive,
			struct attach_link *link)
{
	bool is_return = probe->kind == PROBE_KRETPROBE;
	char group[32];
	int err, fd;

	if (!tracefs[0])
		return -ENODEV;
	kprobe_events_name(link->event, sizeof(link->event), is_return, link->probe, probe->target);
	err = kprobe_events_add(tracefs, is_return, maxactive, link->event, probe->target);
	if (err) {
		link->event[0] = '\0';
		return err;
	}
	kprobe_events_group(group, sizeof(group));
	fd = open_tracepoint(tracefs, group, link->event);
	if (fd < 0) {
		kprobe_events_remove(tracefs, group, link->event);
		link->event[0] = '\0';
	}
	return fd;
}

/*
 * A kprobe has nothing to tune, so the PMU, which cleans up by itself, comes
 * first. A kretprobe wants room for concurrent calls, which only tracefs takes.
 */
static int open_kprobe(const char *tracefs, const struct kprobe_pmu *pmu,
		       const struct plan_probe *probe, unsigned maxactive, struct attach_link *link)
{
	bool tracefs_first = probe->kind == PROBE_KRETPROBE && maxactive;
	int by_tracefs = -ENODEV, by_pmu;

	if (tracefs_first)
		by_tracefs = open_tracefs(tracefs, probe, maxactive, link);
	if (by_tracefs >= 0)
		return by_tracefs;
	by_pmu = open_pmu(pmu, probe);
	if (by_pmu >= 0)
		return by_pmu;
	if (!tracefs_first)
		by_tracefs = open_tracefs(tracefs, probe, maxactive, link);
	/* the PMU tells apart what tracefs calls EINVAL */
	return by_tracefs >= 0 || by_pmu == -ENODEV ? by_tracefs : by_pmu;
}

int attach_event_open(struct attach_link *link, const struct plan *plan,
		      const struct kprobe_pmu *pmu, unsigned maxactive)
{
	const struct plan_probe *probe = &plan->probes[link->probe];
	const char *tracefs = plan->host->tracefs;

	if (probe->kind == PROBE_TRACEPOINT)
		link->perf_fd = open_target(tracefs, probe->target);
	else
		link->perf_fd = open_kprobe(tracefs, pmu, probe, maxactive, link);
	return link->perf_fd < 0 ? link->perf_fd : 0;
}

void attach_event_close(struct attach_link *link, const char *tracefs)
{
	char group[32];
	int err;

	if (link->prog_link >= 0)
		close(link->prog_link);
	if (link->perf_fd >= 0)
		close(link->perf_fd);
	link->prog_link = link->perf_fd = -1;
	if (!link->event[0])
		return;
	kprobe_events_group(group, sizeof(group));
	err = kprobe_events_remove(tracefs, group, link->event);
	if (err)
		log_warn("cannot remove probe %s/%s from kprobe_events: %s", group, link->event,
			 strerror(-err));
	link->event[0] = '\0';
}
