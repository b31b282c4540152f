/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of an image: map loads are patched, and the verifier gets them, of several
 * threads. What it says is kept for -v; a rejected program costs its probes and nothing
 * else. Knows program types, not what they trace.
 */
#include "trace/load_programs.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/layout/cast.h"
#include "compat/layout/kernel_ids.h"
#include "compat/sys/bpf.h"
#include "plan/plan_probes.h"
#include "trace/load_pad.h"
#include "trace/load_version.h"
#include "trace/loaded.h"

enum {
	LOG_SIZE = 1 << 20,
	LOG_SIZE_MAX = (16 << 20) - 1, /* more is EINVAL before 5.2 */
	LOG_LINES = 8,
	CALLS_DEEP = 3, /* programs that one after the other call the next */
};

const char *load_eperm_reason(const struct plan *plan)
{
	struct rlimit lim;

	if (geteuid() != 0)
		return "needs root (or CAP_BPF and CAP_PERFMON, before Linux 5.8 CAP_SYS_ADMIN)";
	if (plan->host && plan->host->lockdown == LOCKDOWN_CONFIDENTIALITY)
		return "kernel lockdown (confidentiality) forbids tracing with BPF";
	if (getrlimit(RLIMIT_MEMLOCK, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY)
		return "the locked-memory limit is too small: raise it (ulimit -l unlimited)";
	return "not permitted here (a container without CAP_SYS_ADMIN, or a security module)";
}

static const char *prog_reason(int err, const struct plan *plan)
{
	switch (err) {
	case -EPERM:
		return load_eperm_reason(plan);
	case -E2BIG:
		return "too long or too complex for this kernel";
	case -EACCES:
		return "rejected by the verifier";
	case -ENOENT:
		return "the kernel's BTF has no such function";
	case -EINVAL:
		return "rejected by the verifier, or this kernel lacks something it uses";
	default:
		return strerror(-err);
	}
}

static bool ends_with(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a >= b && strcmp(name + a - b, end) == 0;
}

/* The other form of a raw program has the same name and _q. */
static bool is_program_of(const struct plan_probe *probe, const char *name)
{
	size_t len = strlen(probe->program);

	if (strncmp(probe->program, name, len) != 0)
		return false;
	return !name[len] || (probe->kind == PROBE_RAW && !strcmp(name + len, "_q"));
}

static const struct plan_probe *probe_of(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (is_program_of(&plan->probes[i], name))
			return &plan->probes[i];
	return NULL;
}

/* Of a program that only others call: by the end of its name. */
static uint32_t called_type(const struct plan *plan, const char *name)
{
	if (ends_with(name, "_tp"))
		return BPF_PROG_TYPE_TRACEPOINT;
	if (ends_with(name, "_rt"))
		return RAW_TRACEPOINT_TYPE;
	/* by programs of system calls */
	if (ends_with(name, "_sc"))
		return plan->syscall_functions                         ? BPF_PROG_TYPE_KPROBE :
		       plan_has_kind(plan, PROBE_NUMBER, PROBE_NUMBER) ? RAW_TRACEPOINT_TYPE :
									 BPF_PROG_TYPE_TRACEPOINT;
	return ends_with(name, "_kp") ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_UNSPEC;
}

static bool refers_to(const struct image_prog *prog, int map)
{
	for (uint32_t r = 0; r < prog->n_relocs; r++)
		if (prog->relocs[r].map == (uint32_t)map)
			return true;
	return false;
}

/* Whether one that is attached calls it, or one that such a one calls. */
static bool is_called(const struct image *image, const struct plan *plan,
		      const struct image_prog *prog, int depth)
{
	char way[IMAGE_NAME_SIZE + sizeof(LOAD_WAY)];
	int map;

	snprintf(way, sizeof(way), LOAD_WAY "%s",
		 prog->name + (strncmp(prog->name, "iot_", 4) ? 0 : 4));
	map = image_find_map(image, way);
	if (map < 0)
		return true; /* nobody says who calls it */
	for (uint32_t i = 0; i < image->n_progs; i++) {
		const struct image_prog *caller = &image->progs[i];

		if (caller == prog || !refers_to(caller, map))
			continue;
		if (probe_of(plan, caller->name) ||
		    (depth > 0 && called_type(plan, caller->name) != BPF_PROG_TYPE_UNSPEC &&
		     is_called(image, plan, caller, depth - 1)))
			return true;
	}
	return false;
}

/* One that only others call stays away when none of these is there. */
bool load_needs(const struct image *image, const struct plan *plan, const struct image_prog *prog)
{
	if (probe_of(plan, prog->name))
		return true;
	return called_type(plan, prog->name) != BPF_PROG_TYPE_UNSPEC &&
	       is_called(image, plan, prog, CALLS_DEEP);
}

/* BPF_PROG_TYPE_UNSPEC: nothing needs this program, or each function that calls it needs its own. */
static uint32_t prog_type(const struct image *image, const struct plan *plan,
			  const struct image_prog *prog)
{
	const struct plan_probe *probe = probe_of(plan, prog->name);

	if (!probe)
		return load_needs(image, plan, prog) ? called_type(plan, prog->name) :
						       BPF_PROG_TYPE_UNSPEC;
	if (probe->kind == PROBE_RAW || probe->kind == PROBE_NUMBER)
		return RAW_TRACEPOINT_TYPE;
	if (probe_is_trampoline(probe->kind))
		return BPF_PROG_TYPE_UNSPEC;
	return probe->kind == PROBE_TRACEPOINT ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;
}

/* The end of the verifier's log, where the reason is; before it comes the whole program. */
static void show_log(const char *name, char *log)
{
	char *line = log + strlen(log);
	int n = 0;

	while (line > log && n <= LOG_LINES) {
		line--;
		if (*line == '\n' && line[1])
			n++;
	}
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"))
		log_detail("%s: %s", name, line);
}

/* The load again, for its log; kernels before 6.4 keep the beginning and answer ENOSPC. */
static void explain(const struct image_prog *prog, const struct bpf_place *place,
		    const struct bpf_insn *insns, uint32_t kern_version)
{
	static const uint32_t sizes[] = { LOG_SIZE, LOG_SIZE_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *log = calloc(1, sizes[i]);
		int fd;

		if (!log)
			return;
		fd = bpf_prog_load_at_fd(place, prog->name, insns, prog->n_insns, kern_version, log,
					 sizes[i]);
		if (fd >= 0)
			close(fd);
		if (fd != -ENOSPC || i == 1)
			show_log(prog->name, log);
		free(log);
		if (fd != -ENOSPC)
			return;
	}
}

/*
 * Programs are taken one by one by several threads: the verifier is most of a
 * cached start. It has no lock for those who may load anything from 5.1 on
 * (kernel/bpf/verifier.c); before, they wait for each other.
 */
struct loading {
	struct loaded *loaded;
	const struct plan *plan;
	uint32_t kern_version;
	struct cast_ids casts;
	struct kernel_id *functions; /* per probe: that of a function that calls its program */
	uint32_t next;               /* these two by all threads */
	uint32_t n_loaded;
};

enum { MAX_LOADERS = 4, NOT_TRIED = INT_MIN };

/* Its instructions with the descriptors of our maps and this kernel's ids, to be freed. */
static struct bpf_insn *relocated(const struct loading *l, const struct image_prog *prog)
{
	size_t size = prog->n_insns * sizeof(*prog->insns);
	struct bpf_insn *insns = malloc(size);

	if (!insns)
		return NULL;
	memcpy(insns, prog->insns, size);
	for (uint32_t r = 0; r < prog->n_relocs; r++)
		insns[prog->relocs[r].insn].imm = l->loaded->map_fd[prog->relocs[r].map];
	cast_patch(insns, prog->n_insns, &l->casts);
	return insns;
}

/* What the verifier took and the JIT did not, with other distances (load_pad.c). */
static int load_padded(const struct loading *l, const struct image_prog *prog,
		       const struct bpf_insn *insns, const struct bpf_place *place)
{
	int fd = -EINVAL;

	for (unsigned which = 0; fd < 0 && which < LOAD_PADDINGS; which++) {
		uint32_t n = prog->n_insns;
		struct bpf_insn *padded = load_pad(insns, &n, which);

		if (!padded)
			return -ENOMEM;
		fd = bpf_prog_load_at_fd(place, prog->name, padded, n, l->kern_version, NULL, 0);
		free(padded);
	}
	return fd;
}

static int load_one(const struct loading *l, const struct image_prog *prog,
		    const struct bpf_place *place)
{
	struct bpf_insn *insns;
	int fd;

	if (place->prog_type == TRACING_TYPE && !place->attach_id)
		return -ENOENT;
	insns = relocated(l, prog);
	if (!insns)
		return -ENOMEM;
	fd = bpf_prog_load_at_fd(place, prog->name, insns, prog->n_insns, l->kern_version, NULL, 0);
	if (fd == -EINVAL)
		fd = load_padded(l, prog, insns, place);
	free(insns);
	return fd;
}

/*
 * Work comes in this order: the programs of the image, then those of functions that call them.
 * NULL: there is nothing to load.
 */
static const struct image_prog *nth(const struct loading *l, uint32_t i, struct bpf_place *place)
{
	const struct image *image = l->loaded->image;
	const struct plan_probe *probe;

	*place = (struct bpf_place){ 0 };
	if (i < image->n_progs) {
		place->prog_type = prog_type(image, l->plan, &image->progs[i]);
		return place->prog_type == BPF_PROG_TYPE_UNSPEC ? NULL : &image->progs[i];
	}
	i -= image->n_progs;
	probe = &l->plan->probes[i];
	if (!probe_is_trampoline(probe->kind))
		return NULL;
	place->prog_type = TRACING_TYPE;
	place->attach_type = probe->kind == PROBE_FENTRY ? TRACE_FENTRY : TRACE_FEXIT;
	place->attach_id = l->functions[i].id;
	return image_find_prog(image, probe->program);
}

static uint32_t n_to_load(const struct loading *l)
{
	return l->loaded->image->n_progs + l->loaded->n_probes;
}

static int *nth_fd(const struct loading *l, uint32_t i)
{
	uint32_t n = l->loaded->image->n_progs;

	return i < n ? &l->loaded->prog_fd[i] : &l->loaded->probe_fd[i - n];
}

/* False when there is no more. */
static bool load_next(struct loading *l)
{
	uint32_t i = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
	const struct image_prog *prog;
	struct bpf_place place;
	int fd;

	if (i >= n_to_load(l))
		return false;
	prog = nth(l, i, &place);
	fd = prog ? load_one(l, prog, &place) : NOT_TRIED;
	*nth_fd(l, i) = fd;
	if (fd >= 0)
		__atomic_fetch_add(&l->n_loaded, 1, __ATOMIC_RELAXED);
	/* the others would fail for the same reason; a kernel may permit all but those that functions call */
	if (fd == -EPERM && place.prog_type != TRACING_TYPE &&
	    !__atomic_load_n(&l->n_loaded, __ATOMIC_RELAXED))
		__atomic_store_n(&l->next, n_to_load(l), __ATOMIC_RELAXED);
	return true;
}

static void *load_some(void *arg)
{
	while (load_next(arg))
		;
	return NULL;
}

static void load_together(struct loading *l)
{
	pthread_t threads[MAX_LOADERS - 1];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int n = 0;

	/* this thread is one of them */
	while (n + 1 < cpus && n + 1 < MAX_LOADERS &&
	       !pthread_create(&threads[n], NULL, load_some, l))
		n++;
	while (load_next(l))
		log_waiting("loading the programs");
	while (n > 0)
		pthread_join(threads[--n], NULL);
	log_waiting(NULL);
}

static void report_rejected(const struct loading *l, uint32_t i, int err)
{
	struct bpf_place place;
	const struct image_prog *prog = nth(l, i, &place);
	uint32_t n = l->loaded->image->n_progs;
	struct bpf_insn *insns;

	log_warn("program %s%s%s (%u instructions) does not load: %s", prog->name,
		 i < n ? "" : " of ", i < n ? "" : l->plan->probes[i - n].target, prog->n_insns,
		 prog_reason(err, l->plan));
	if (err == -EPERM || err == -ENOENT || log_get_level() < LOG_VERBOSE)
		return;
	insns = relocated(l, prog);
	if (insns)
		explain(prog, &place, insns, l->kern_version);
	free(insns);
}

/* Only where a program has use for it: the kernel's types are 6 MB to look through. */
static int find_casts(struct loading *l)
{
	const struct image *image = l->loaded->image;

	for (uint32_t i = 0; i < image->n_progs; i++) {
		if (!cast_is_in(image->progs[i].insns, image->progs[i].n_insns))
			continue;
		l->casts = l->plan->host->casts;
		if ((l->casts.function && l->casts.words) || cast_find(&l->casts))
			return 0;
		log_error(
			"these programs need bpf_rdonly_cast, which this kernel lacks, or which its "
			"BTF does not have: build them with the facts of this host");
		return -ENOTSUP;
	}
	return 0;
}

/* Likewise. What the kernel does not know stays 0, and its program is not loaded. */
static int find_functions(struct loading *l)
{
	bool any = false;

	l->functions = calloc(l->plan->n_probes + 1, sizeof(*l->functions));
	if (!l->functions)
		return -ENOMEM;
	for (unsigned i = 0; i < l->plan->n_probes; i++) {
		const struct plan_probe *probe = &l->plan->probes[i];

		if (!probe_is_trampoline(probe->kind))
			continue;
		l->functions[i] = (struct kernel_id){ .kind = BTF_FUNC, .name = probe->target };
		any = true;
	}
	if (any)
		kernel_ids_find(l->functions, l->plan->n_probes);
	return 0;
}

/* Tells what was rejected and makes it -1. Returns the first reason. */
static int settle(struct loading *l)
{
	int first_err = 0;

	for (uint32_t i = 0; i < n_to_load(l); i++) {
		int *place = nth_fd(l, i), fd = *place;

		if (fd >= 0)
			continue;
		*place = -1;
		if (fd == NOT_TRIED)
			continue;
		l->loaded->n_rejected++;
		/* without privilege each thread may have met the same refusal */
		if (fd != -EPERM || l->n_loaded || !first_err)
			report_rejected(l, i, fd);
		if (!first_err)
			first_err = fd;
	}
	return first_err;
}

int load_programs(struct loaded *loaded, const struct plan *plan)
{
	struct loading l = { .loaded = loaded, .plan = plan, .kern_version = load_kern_version() };
	int err = find_casts(&l);

	if (!err)
		err = find_functions(&l);
	if (err)
		return err;
	for (uint32_t i = 0; i < n_to_load(&l); i++)
		*nth_fd(&l, i) = NOT_TRIED;
	load_together(&l);
	err = settle(&l);
	free(l.functions);
	if (l.n_loaded)
		return 0;
	log_error("none of the programs could be loaded");
	return err ? err : -ENOENT;
}
