/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loaded programs to live probes and back: which program goes onto which event
 * (attach_event.c makes these), why one did not, what the kernel missed on
 * them, and an end that nobody has to wait for.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "trace/attach_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys.h"
#include "trace/kprobe_events.h"

#define DETACH_NAME "iotracer-detach" /* 15 bytes: all of it is kept */

static const char *reason(const struct plan_probe *probe, int err)
{
	bool tracepoint = probe->kind == PROBE_TRACEPOINT || probe->kind == PROBE_RAW;

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

/* The process of an earlier run that still closes its tracepoints (see close_later). */
static bool detaching(void)
{
	char name[300], comm[32];
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	bool found = false;

	while (proc && !found && (entry = readdir(proc))) {
		FILE *in;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(name, sizeof(name), "/proc/%s/comm", entry->d_name);
		in = fopen(name, "re");
		found = in && fgets(comm, sizeof(comm), in) && !strcmp(comm, DETACH_NAME "\n");
		if (in)
			fclose(in);
	}
	if (proc)
		closedir(proc);
	return found;
}

/*
 * The kernel's EACCES here means a context access past the event's record.
 * 4.14 allows one program per event: an earlier run of ours may still hold it,
 * and may let go before it is looked for. So only what is refused when it was
 * gone already is another's.
 */
static int start(int perf_fd, int prog_fd)
{
	bool gone = false;

	while (ioctl(perf_fd, PERF_EVENT_IOC_SET_BPF, prog_fd)) {
		int err = errno;

		if (err != EEXIST || gone)
			return err == EACCES ? -ERANGE : -err;
		gone = !detaching();
		if (!gone)
			usleep(100000);
	}
	return ioctl(perf_fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
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
		err = start(link->perf_fd, prog_fd);
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
		*link = (struct attach_link){ .probe = i, .perf_fd = -1 };
		if (prog_fd < 0) {
			/* said by load already */
			snprintf(link->why, sizeof(link->why), "program not loaded");
		} else {
			err = -EINVAL;
			if (plan->probes[i].kind == PROBE_RAW)
				err = attach_older_form(link, plan, loaded, &pmu);
			if (err)
				err = attach_one(link, plan, prog_fd, &pmu, maxactive);
			if (err)
				report(&plan->probes[i], link);
		}
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
		if (!plan->probes[c->probes[i]].optional &&
		    attached->links[c->probes[i]].perf_fd < 0)
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

/*
 * Closing the event of a tracepoint waits for every CPU twice: 20 to 200 ms
 * each, one after the other, 7 s for the hundred of tier c. The programs are
 * switched off by now, so a process of its own waits instead of the user; it
 * holds nothing but these descriptors, and the kernel does the same when it is
 * killed.
 */
#define CLOSE_HERE 8

/* By the list in /proc: the limit on descriptors may be a million. */
static void close_all_but(const int *fds, unsigned n, int gate)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);
		bool keep = entry->d_name[0] == '.' || fd == gate || fd == dirfd(dir);

		for (unsigned i = 0; i < n && !keep; i++)
			keep = fds[i] == fd;
		if (!keep)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void __attribute__((noreturn)) close_later(const int *fds, unsigned n, int gate)
{
	char end;

	prctl(PR_SET_NAME, DETACH_NAME);
	setsid();
	if (fork() != 0)
		_exit(0);
	close_all_but(fds, n, gate);
	/* the tracer's copies go first: the last one to close has to wait */
	while (read(gate, &end, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static void close_tracepoints(int *fds, unsigned n)
{
	int gate[2] = { -1, -1 };
	pid_t child = -1;

	if (n > CLOSE_HERE && !pipe2(gate, O_CLOEXEC)) {
		child = fork();
		if (child == 0) {
			close(gate[1]);
			close_later(fds, n, gate[0]);
		}
	}
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	if (gate[0] >= 0) {
		close(gate[0]);
		close(gate[1]);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* All descriptors before the tracefs events: 4.14 keeps an event whose descriptor is open. */
void attach_close(struct attached *attached)
{
	int *later = calloc(attached->n_links + 1, sizeof(*later));
	unsigned n = 0;

	for (unsigned i = 0; i < attached->n_links; i++) {
		struct attach_link *link = &attached->links[i];
		enum probe_kind kind = attached->plan->probes[link->probe].kind;
		bool slow = kind != PROBE_KPROBE && kind != PROBE_KRETPROBE;

		if (link->perf_fd >= 0 && later && slow)
			later[n++] = link->perf_fd;
		else if (link->perf_fd >= 0)
			close(link->perf_fd);
		link->perf_fd = -1;
	}
	close_tracepoints(later, n);
	free(later);
	for (unsigned i = 0; i < attached->n_links; i++)
		attach_event_close(&attached->links[i], attached->plan->host->tracefs);
	free(attached->links);
	memset(attached, 0, sizeof(*attached));
}
