/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loaded programs to live probes and back: which program goes onto which event
 * (attach_event.c makes these), why one did not, what the kernel missed on
 * them, and an end that nobody has to wait for.
 */
#include "trace/attach.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/bpf.h"
#include "row/calls.h"
#include "trace/attach_event.h"
#include "trace/detach.h"
#include "trace/kprobe_events.h"
#include "trace/load.h"

static const char *reason(const struct plan_probe *probe, int err)
{
	bool tracepoint = probe->kind == PROBE_TRACEPOINT || probe->kind == PROBE_RAW;

	if (probe->kind == PROBE_NUMBER && err == -E2BIG)
		return "the number of this call is not known";

	switch (err) {
	case -EEXIST:
		return "another program is attached to it, and this kernel (before 4.15) allows one";
	case -ENOENT:
		return tracepoint ? "no such tracepoint, or tracefs cannot be read" :
				    "no such function in this kernel";
	case -ENODEV:
		return "this kernel has no kprobes";
	case -EINVAL:
		return tracepoint ? "rejected by the kernel" : "the kernel forbids probes there";
	case -ERANGE:
		return "the program reads beyond the tracepoint's fields";
	case -EADDRNOTAVAIL:
		return "the function's name is not unique in this kernel";
	case -EBUSY:
	case -EILSEQ:
		return "the kernel forbids probes there";
	case -EACCES:
	case -EPERM:
		return "not permitted (needs root, and no lockdown)";
	case -E2BIG:
		return "too many programs on it already";
	default:
		return strerror(-err);
	}
}

/*
 * A tracepoint's event takes long to close (detach.c). A program that is attached by a link of its own
 * need not wait for that; where the kernel has none, the event holds it.
 */
static void start_by_link(struct attach_link *link, int prog_fd)
{
	int fd = bpf_perf_link_fd(link->perf_fd, prog_fd);

	link->prog_link = fd < 0 ? -1 : fd;
}

/*
 * The kernel's EACCES here means a context access past the event's record.
 * 4.14 allows one program per event: an earlier run of ours may still hold it,
 * and may let go before it is looked for. So only what is refused when it was
 * gone already is another's.
 */
static int start(struct attach_link *link, enum probe_kind kind, int prog_fd)
{
	bool gone = false;

	if (kind == PROBE_TRACEPOINT)
		start_by_link(link, prog_fd);
	while (link->prog_link < 0 && ioctl(link->perf_fd, PERF_EVENT_IOC_SET_BPF, prog_fd)) {
		int err = errno;

		if (err != EEXIST || gone)
			return err == EACCES ? -ERANGE : -err;
		gone = !detach_goes_on();
		if (!gone)
			usleep(100000);
	}
	return ioctl(link->perf_fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* Into the table of those that every call runs (probes/bpf/calls.bpf.c), which are attached later. */
static int put_by_number(const struct loaded *loaded, const struct plan_probe *probe, int prog_fd)
{
	static const char enter[] = "syscalls:sys_enter_", exit[] = "syscalls:sys_exit_";
	bool begins = !strncmp(probe->target, enter, strlen(enter));
	int map = load_map(loaded, begins ? "iot_enter_of" : "iot_exit_of");
	int number = calls_event_number(probe->target + strlen(begins ? enter : exit));

	if (map < 0)
		return map;
	return number < 0 ? -E2BIG : bpf_map_put(map, &number, &prog_fd);
}

static int attach_one(struct attach_link *link, const struct plan *plan, int prog_fd,
		      const struct kprobe_pmu *pmu, unsigned maxactive)
{
	const struct plan_probe *probe = &plan->probes[link->probe];
	int err;

	if (probe->kind == PROBE_RAW || probe_is_trampoline(probe->kind)) {
		const char *colon = strchr(probe->target, ':');

		/* the attachment is the descriptor; nothing is to be started */
		link->perf_fd = bpf_raw_tracepoint_fd(colon ? colon + 1 : NULL, prog_fd);
		err = link->perf_fd < 0 ? link->perf_fd : 0;
		if (err)
			snprintf(link->why, sizeof(link->why), "%s", reason(probe, err));
		return err;
	}
	err = attach_event_open(link, plan, pmu, maxactive);
	if (!err)
		err = start(link, probe->kind, prog_fd);
	if (!err)
		return 0;
	snprintf(link->why, sizeof(link->why), "%s", reason(probe, err));
	attach_event_close(link, plan->host->tracefs);
	return err;
}

static void report(const struct plan_probe *probe, const struct attach_link *link)
{
	static const char *const kinds[] = {
		[PROBE_KPROBE] = "kprobe",         [PROBE_KRETPROBE] = "kretprobe",
		[PROBE_TRACEPOINT] = "tracepoint", [PROBE_RAW] = "raw tracepoint",
		[PROBE_FENTRY] = "beginning of",   [PROBE_FEXIT] = "end of",
		[PROBE_NUMBER] = "system call",
	};
	void (*say)(const char *fmt, ...) = probe->optional ? log_detail : log_warn;

	say("%s %s not attached: %s", kinds[probe->kind], probe->target, link->why);
}

/*
 * The kernel refuses a raw program that reads more arguments than the event
 * has: so the form with one more goes first, where there is one.
 */
static int attach_older_form(struct attach_link *link, const struct plan *plan,
			     const struct loaded *loaded, const struct kprobe_pmu *pmu)
{
	char name[IMAGE_NAME_SIZE];
	int prog_fd, err;

	snprintf(name, sizeof(name), "%s_q", plan->probes[link->probe].program);
	prog_fd = load_prog(loaded, name);
	if (prog_fd < 0)
		return prog_fd;
	err = attach_one(link, plan, prog_fd, pmu, 0);
	log_detail("raw tracepoint %s: its arguments have the %s form",
		   plan->probes[link->probe].target, err ? "newer" : "older");
	return err;
}

static int attach_program(struct attach_link *link, const struct plan *plan,
			  const struct loaded *loaded, int prog_fd, const struct kprobe_pmu *pmu,
			  unsigned maxactive)
{
	const struct plan_probe *probe = &plan->probes[link->probe];
	int err;

	if (probe->kind == PROBE_NUMBER) {
		err = put_by_number(loaded, probe, prog_fd);
		if (err)
			snprintf(link->why, sizeof(link->why), "%s", reason(probe, err));
		return err;
	}
	if (probe->kind == PROBE_RAW && !attach_older_form(link, plan, loaded, pmu))
		return 0;
	return attach_one(link, plan, prog_fd, pmu, maxactive);
}

int attach_all(struct attached *attached, const struct plan *plan, const struct loaded *loaded,
	       unsigned maxactive)
{
	struct kprobe_pmu pmu = attach_find_pmu();
	int first_err = 0;

	*attached = (struct attached){ .plan = plan, .n_links = plan->n_probes };
	attached->links = calloc(plan->n_probes + 1, sizeof(*attached->links));
	if (!attached->links) {
		attached->n_links = 0;
		return -ENOMEM;
	}
	for (unsigned i = 0; i < plan->n_probes; i++) {
		struct attach_link *link = &attached->links[i];
		int prog_fd = load_probe(loaded, plan, i);
		int err = -ENOEXEC;

		log_waiting("attaching the probes");
		*link = (struct attach_link){ .probe = i, .perf_fd = -1, .prog_link = -1 };
		if (prog_fd < 0) {
			/* said by load already */
			snprintf(link->why, sizeof(link->why), "program not loaded");
		} else {
			err = attach_program(link, plan, loaded, prog_fd, &pmu, maxactive);
			if (err)
				report(&plan->probes[i], link);
		}
		link->live = !err;
		attached->n_attached += !err;
		if (!first_err)
			first_err = err;
	}
	log_waiting(NULL);
	return attached->n_attached ? 0 : first_err ? first_err : -ENOENT;
}

int attach_clean_stale(const struct host *host)
{
	int n;

	if (!host->tracefs[0])
		return -ENOENT;
	n = kprobe_events_clean(host->tracefs, kprobe_events_alive);
	if (n > 0)
		log_note("removed %d probe%s left by a run that was killed", n, n == 1 ? "" : "s");
	return n;
}

bool attach_complete(const struct attached *attached, unsigned choice)
{
	const struct plan *plan = attached->plan;
	const struct plan_choice *c = plan && choice < plan->n_choices ? &plan->choices[choice] :
									 NULL;

	if (!c || !c->chosen)
		return false;
	for (unsigned i = 0; i < c->n_probes; i++) {
		if (!plan->probes[c->probes[i]].optional && !attached->links[c->probes[i]].live)
			return false;
	}
	return true;
}

struct missed {
	const struct attached *attached;
	attach_missed_fn *fn;
	void *arg;
	uint64_t total;
};

static void count_missed(void *arg, const char *event, uint64_t n)
{
	struct missed *missed = arg;

	for (unsigned i = 0; n && i < missed->attached->n_links; i++) {
		const struct attach_link *link = &missed->attached->links[i];

		if (strcmp(link->event, event) != 0)
			continue;
		missed->total += n;
		if (missed->fn)
			missed->fn(missed->arg, &missed->attached->plan->probes[link->probe], n);
	}
}

uint64_t attach_missed(const struct attached *attached, attach_missed_fn *fn, void *arg)
{
	struct missed missed = { attached, fn, arg, 0 };

	if (attached->plan && attached->plan->host->tracefs[0])
		kprobe_events_profile(attached->plan->host->tracefs, count_missed, &missed);
	return missed.total;
}

/* What the kernel takes long to close */
static bool is_slow(const struct attached *attached, const struct attach_link *link)
{
	enum probe_kind kind = attached->plan->probes[link->probe].kind;

	return kind == PROBE_TRACEPOINT || probe_is_trampoline(kind);
}

/* All descriptors before the tracefs events: 4.14 keeps an event whose descriptor is open. */
void attach_close(struct attached *attached)
{
	int *later = calloc(2 * attached->n_links + 1, sizeof(*later));
	bool listed = later != NULL; /* else each is closed by itself below */
	unsigned n = 0, n_links;

	for (unsigned i = 0; listed && i < attached->n_links; i++)
		if (attached->links[i].prog_link >= 0)
			later[n++] = attached->links[i].prog_link;
	n_links = n;
	for (unsigned i = 0; listed && i < attached->n_links; i++)
		if (attached->links[i].perf_fd >= 0 && is_slow(attached, &attached->links[i]))
			later[n++] = attached->links[i].perf_fd;
		else if (attached->links[i].perf_fd >= 0)
			close(attached->links[i].perf_fd);
	detach_close(later, n, n_links);
	free(later);
	for (unsigned i = 0; i < attached->n_links; i++) {
		if (listed)
			attached->links[i].perf_fd = attached->links[i].prog_link = -1;
		attach_event_close(&attached->links[i], attached->plan->host->tracefs);
	}
	free(attached->links);
	memset(attached, 0, sizeof(*attached));
}
