/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loaded programs to live probes and back. Every probe ends as one perf event
 * descriptor with a program on it; how the event comes to be differs: an
 * existing tracepoint, the perf kprobe PMU, or a kprobe event made in tracefs.
 * The program then runs on every CPU, although the event is opened on one.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "attach.h"

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

#include "kprobe_events.h"
#include "log.h"
#include "sys.h"

#define DETACH_NAME "iotracer-detach" /* 15 bytes: all of it is kept */

#define PMU "/sys/bus/event_source/devices/kprobe/"

struct kprobe_pmu {
	uint32_t type;      /* 0: this kernel has none */
	uint64_t retprobe;  /* the bit of config that asks for a kretprobe */
};

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

static struct kprobe_pmu find_pmu(void)
{
	long type = read_number(PMU "type", "");
	long bit = read_number(PMU "format/retprobe", "config:");

	if (type <= 0 || bit < 0 || bit > 63)
		return (struct kprobe_pmu){ 0 };
	return (struct kprobe_pmu){ (uint32_t)type, 1ull << bit };
}

/* CPU 0 can be off on some machines; any that is on will do. */
static int some_cpu(void)
{
	long cpu = read_number("/sys/devices/system/cpu/online", "");

	return cpu < 0 ? 0 : (int)cpu;
}

static int open_event(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	return sys_perf_event_open(attr, -1, some_cpu(), -1, PERF_FLAG_FD_CLOEXEC);
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
	kprobe_events_name(link->event, sizeof(link->event), is_return, link->probe,
			   probe->target);
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
		       const struct plan_probe *probe, unsigned maxactive,
		       struct attach_link *link)
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
		return "this kernel offers no kprobes";
	case -EINVAL:
		return tracepoint ? "the kernel refused the program" :
				    "the kernel does not allow a probe there";
	case -ERANGE:
		return "the program reads more than this tracepoint has";
	case -EADDRNOTAVAIL:
		return "the function's name is not unique in this kernel";
	case -EBUSY:
	case -EILSEQ:
		return "the kernel does not allow a probe there";
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
 * 4.14 allows one program per event: an earlier run of ours may still hold it.
 */
static int start(int perf_fd, int prog_fd)
{
	while (ioctl(perf_fd, PERF_EVENT_IOC_SET_BPF, prog_fd)) {
		if (errno != EEXIST || !detaching())
			return errno == EACCES ? -ERANGE : -errno;
		usleep(100000);
	}
	return ioctl(perf_fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static void link_close(struct attach_link *link, const char *tracefs)
{
	char group[32];
	int err;

	if (link->perf_fd >= 0)
		close(link->perf_fd);
	link->perf_fd = -1;
	if (!link->event[0])
		return;
	kprobe_events_group(group, sizeof(group));
	err = kprobe_events_remove(tracefs, group, link->event);
	if (err)
		log_warn("probe %s/%s stays in kprobe_events: %s", group, link->event,
			 strerror(-err));
	link->event[0] = '\0';
}

static int attach_one(struct attach_link *link, const struct plan *plan, int prog_fd,
		      const struct kprobe_pmu *pmu, unsigned maxactive)
{
	const struct plan_probe *probe = &plan->probes[link->probe];
	const char *tracefs = plan->host->tracefs;
	int err;

	if (probe->kind == PROBE_RAW) {
		/* the attachment is the descriptor; nothing is to be started */
		link->perf_fd = bpf_raw_tracepoint_fd(strchr(probe->target, ':') + 1, prog_fd);
		err = link->perf_fd < 0 ? link->perf_fd : 0;
		if (err)
			snprintf(link->why, sizeof(link->why), "%s", reason(probe, err));
		return err;
	}
	if (probe->kind == PROBE_TRACEPOINT)
		link->perf_fd = open_target(tracefs, probe->target);
	else
		link->perf_fd = open_kprobe(tracefs, pmu, probe, maxactive, link);
	err = link->perf_fd < 0 ? link->perf_fd : start(link->perf_fd, prog_fd);
	if (!err)
		return 0;
	snprintf(link->why, sizeof(link->why), "%s", reason(probe, err));
	link_close(link, tracefs);
	return err;
}

static void report(const struct plan_probe *probe, const struct attach_link *link)
{
	static const char *const kinds[] = {
		[PROBE_KPROBE] = "kprobe",
		[PROBE_KRETPROBE] = "kretprobe",
		[PROBE_TRACEPOINT] = "tracepoint",
		[PROBE_RAW] = "raw tracepoint",
	};
	void (*say)(const char *fmt, ...) = probe->optional ? log_detail : log_warn;

	say("%s %s is not attached: %s", kinds[probe->kind], probe->target, link->why);
}

/*
 * The kernel refuses a raw program that reads more arguments than the event
 * has: so the form with one more goes first, where there is one.
 */
static int attach_older_form(struct attach_link *link, const struct plan *plan,
			     const struct loaded *loaded, const struct kprobe_pmu *pmu)
{
	char name[IMAGE_NAME_SIZE];
	int prog_fd;

	snprintf(name, sizeof(name), "%s_q", plan->probes[link->probe].program);
	prog_fd = load_prog(loaded, name);
	return prog_fd < 0 ? prog_fd : attach_one(link, plan, prog_fd, pmu, 0);
}

int attach_all(struct attached *attached, const struct plan *plan, const struct loaded *loaded,
	       unsigned maxactive)
{
	struct kprobe_pmu pmu = find_pmu();
	int first_err = 0;

	*attached = (struct attached){ .plan = plan, .n_links = plan->n_probes };
	attached->links = calloc(plan->n_probes + 1, sizeof(*attached->links));
	if (!attached->links) {
		attached->n_links = 0;
		return -ENOMEM;
	}
	for (unsigned i = 0; i < plan->n_probes; i++) {
		struct attach_link *link = &attached->links[i];
		int prog_fd = load_prog(loaded, plan->probes[i].program);
		int err = -ENOEXEC;

		*link = (struct attach_link){ .probe = i, .perf_fd = -1 };
		if (prog_fd < 0) {
			/* said by load already */
			snprintf(link->why, sizeof(link->why), "its program did not load");
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
	return attached->n_attached ? 0 : first_err ? first_err : -ENOENT;
}

int attach_clean_stale(const struct host *host)
{
	int n;

	if (!host->tracefs[0])
		return -ENOENT;
	n = kprobe_events_clean(host->tracefs, kprobe_events_alive);
	if (n > 0)
		log_note("%d probe%s of an earlier run that ended early removed", n,
			 n == 1 ? "" : "s");
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
		bool tracepoint = kind == PROBE_TRACEPOINT || kind == PROBE_RAW;

		if (link->perf_fd >= 0 && later && tracepoint)
			later[n++] = link->perf_fd;
		else if (link->perf_fd >= 0)
			close(link->perf_fd);
		link->perf_fd = -1;
	}
	close_tracepoints(later, n);
	free(later);
	for (unsigned i = 0; i < attached->n_links; i++)
		link_close(&attached->links[i], attached->plan->host->tracefs);
	free(attached->links);
	memset(attached, 0, sizeof(*attached));
}
