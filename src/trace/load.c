/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image into the kernel: maps are created, map loads patched, programs given
 * to the verifier. What the verifier says is kept for -v; a rejected program
 * costs its probes and nothing else. Knows program types, not what they trace.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "trace/load.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/cast.h"
#include "compat/sys.h"
#include "trace/load_pad.h"

enum {
	LOG_SIZE = 1 << 20,
	LOG_SIZE_MAX = (16 << 20) - 1, /* more is EINVAL before 5.2 */
	LOG_LINES = 8,
};

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr vdso_ehdr;
typedef Elf64_Phdr vdso_phdr;
#else
typedef Elf32_Ehdr vdso_ehdr;
typedef Elf32_Phdr vdso_phdr;
#endif

/* The version in a block of notes: owner "Linux", type 0, or 0. */
static uint32_t note_version(const char *at, size_t size)
{
	Elf64_Nhdr head; /* the same in both classes */
	uint32_t version;

	while (size >= sizeof(head)) {
		size_t name, desc;

		memcpy(&head, at, sizeof(head));
		name = (head.n_namesz + 3ul) & ~3ul;
		desc = (head.n_descsz + 3ul) & ~3ul;
		if (name > size - sizeof(head) || desc > size - sizeof(head) - name)
			return 0;
		if (head.n_type == 0 && head.n_namesz == sizeof("Linux") &&
		    head.n_descsz == sizeof(version) &&
		    memcmp(at + sizeof(head), "Linux", sizeof("Linux")) == 0) {
			memcpy(&version, at + sizeof(head) + name, sizeof(version));
			return version;
		}
		at += sizeof(head) + name + desc;
		size -= sizeof(head) + name + desc;
	}
	return 0;
}

static uint32_t vdso_version(void)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const vdso_ehdr *ehdr = (const vdso_ehdr *)base;
	const vdso_phdr *phdr;
	uint32_t version = 0;

	if (!base)
		return 0;
	phdr = (const vdso_phdr *)(base + ehdr->e_phoff);
	for (unsigned i = 0; i < ehdr->e_phnum && !version; i++) {
		if (phdr[i].p_type == PT_NOTE)
			version = note_version(base + phdr[i].p_offset, phdr[i].p_filesz);
	}
	return version;
}

static uint32_t uname_version(void)
{
	struct utsname uts;
	unsigned a = 0, b = 0, c = 0;

	if (uname(&uts) || sscanf(uts.release, "%u.%u.%u", &a, &b, &c) < 2)
		return 0;
	return (a << 16) + (b << 8) + (c > 255 ? 255 : c);
}

/*
 * Distributions say one thing in uname and compile in another (Debian's 5.10.0
 * is 5.10.x, Ubuntu's 4.15.0 is 4.15.18): the vDSO has what was compiled in,
 * and that is what kprobe programs are compared with before 5.0.
 */
uint32_t load_kern_version(void)
{
	uint32_t version = vdso_version();

	return version ? version : uname_version();
}

static const char *eperm_reason(const struct plan *plan)
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

static const char *map_reason(int err, const struct plan *plan)
{
	switch (err) {
	case -EPERM:
		return eperm_reason(plan);
	case -ENOMEM:
		return "no memory, or the map is too large";
	case -ENOSYS:
		return "this kernel has no bpf system call (CONFIG_BPF_SYSCALL)";
	default:
		return strerror(-err);
	}
}

static const char *prog_reason(int err, const struct plan *plan)
{
	switch (err) {
	case -EPERM:
		return eperm_reason(plan);
	case -E2BIG:
		return "too long or too complex for this kernel";
	case -EACCES:
		return "rejected by the verifier";
	case -EINVAL:
		return "rejected by the verifier, or this kernel lacks something it uses";
	default:
		return strerror(-err);
	}
}

static uint32_t map_entries(const struct image_map *map, const struct load_map_size *sizes)
{
	for (; sizes && sizes->name; sizes++) {
		if (strcmp(sizes->name, map->name) == 0)
			return sizes->max_entries;
	}
	if (map->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && map->max_entries <= 1)
		return (uint32_t)cpus_possible();
	return map->max_entries;
}

static int create_maps(struct loaded *loaded, const struct plan *plan,
		       const struct load_map_size *sizes)
{
	for (uint32_t i = 0; i < loaded->image->n_maps; i++) {
		const struct image_map *map = &loaded->image->maps[i];
		uint32_t n = map_entries(map, sizes);
		int fd = bpf_map_create_fd(map->type, map->name, map->key_size, map->value_size, n,
					   map->flags);

		if (fd < 0) {
			log_error("map %s (%u entries of %u bytes): %s", map->name, n,
				  map->key_size + map->value_size, map_reason(fd, plan));
			return fd;
		}
		loaded->map_fd[i] = fd;
	}
	return 0;
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

/* BPF_PROG_TYPE_UNSPEC: nothing needs this program. */
static uint32_t prog_type(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		if (!is_program_of(&plan->probes[i], name))
			continue;
		if (plan->probes[i].kind == PROBE_RAW)
			return RAW_TRACEPOINT_TYPE;
		return plan->probes[i].kind == PROBE_TRACEPOINT ? BPF_PROG_TYPE_TRACEPOINT :
								  BPF_PROG_TYPE_KPROBE;
	}
	if (ends_with(name, "_tp"))
		return BPF_PROG_TYPE_TRACEPOINT;
	return ends_with(name, "_kp") ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_UNSPEC;
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
static void explain(const struct image_prog *prog, uint32_t type, const struct bpf_insn *insns,
		    uint32_t kern_version)
{
	static const uint32_t sizes[] = { LOG_SIZE, LOG_SIZE_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *log = calloc(1, sizes[i]);
		int fd;

		if (!log)
			return;
		fd = bpf_prog_load_fd(type, prog->name, insns, prog->n_insns, kern_version, log,
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
	uint32_t next; /* these two by all threads */
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
		       const struct bpf_insn *insns, uint32_t type)
{
	int fd = -EINVAL;

	for (unsigned which = 0; fd < 0 && which < LOAD_PADDINGS; which++) {
		uint32_t n = prog->n_insns;
		struct bpf_insn *padded = load_pad(insns, &n, which);

		if (!padded)
			return -ENOMEM;
		fd = bpf_prog_load_fd(type, prog->name, padded, n, l->kern_version, NULL, 0);
		free(padded);
	}
	return fd;
}

static int load_one(const struct loading *l, uint32_t i, uint32_t type)
{
	const struct image_prog *prog = &l->loaded->image->progs[i];
	struct bpf_insn *insns = relocated(l, prog);
	int fd;

	if (!insns)
		return -ENOMEM;
	fd = bpf_prog_load_fd(type, prog->name, insns, prog->n_insns, l->kern_version, NULL, 0);
	if (fd == -EINVAL)
		fd = load_padded(l, prog, insns, type);
	free(insns);
	return fd;
}

/* False when there is no more. */
static bool load_next(struct loading *l)
{
	uint32_t n = l->loaded->image->n_progs,
		 i = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED), type;
	int fd;

	if (i >= n)
		return false;
	type = prog_type(l->plan, l->loaded->image->progs[i].name);
	fd = type == BPF_PROG_TYPE_UNSPEC ? NOT_TRIED : load_one(l, i, type);
	l->loaded->prog_fd[i] = fd;
	if (fd >= 0)
		__atomic_fetch_add(&l->n_loaded, 1, __ATOMIC_RELAXED);
	/* the others would fail for the same reason */
	if (fd == -EPERM && !__atomic_load_n(&l->n_loaded, __ATOMIC_RELAXED))
		__atomic_store_n(&l->next, n, __ATOMIC_RELAXED);
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
	const struct image_prog *prog = &l->loaded->image->progs[i];
	struct bpf_insn *insns;

	log_warn("program %s (%u instructions) does not load: %s", prog->name, prog->n_insns,
		 prog_reason(err, l->plan));
	if (err == -EPERM || log_get_level() < LOG_VERBOSE)
		return;
	insns = relocated(l, prog);
	if (insns)
		explain(prog, prog_type(l->plan, prog->name), insns, l->kern_version);
	free(insns);
}

/* Only where a program has use for it: the kernel's types are 6 MB to look through. */
static int find_casts(struct loading *l)
{
	const struct image *image = l->loaded->image;

	for (uint32_t i = 0; i < image->n_progs; i++) {
		if (!cast_is_in(image->progs[i].insns, image->progs[i].n_insns))
			continue;
		if (cast_find(&l->casts))
			return 0;
		log_error(
			"these programs need bpf_rdonly_cast, which this kernel does not have, or "
			"no BTF that tells where it is: build them with the facts of this host");
		return -ENOTSUP;
	}
	return 0;
}

static int load_progs(struct loaded *loaded, const struct plan *plan)
{
	struct loading l = { .loaded = loaded, .plan = plan, .kern_version = load_kern_version() };
	int first_err = find_casts(&l);

	if (first_err)
		return first_err;
	for (uint32_t i = 0; i < loaded->image->n_progs; i++)
		loaded->prog_fd[i] = NOT_TRIED;
	load_together(&l);
	for (uint32_t i = 0; i < loaded->image->n_progs; i++) {
		int fd = loaded->prog_fd[i];

		if (fd >= 0)
			continue;
		loaded->prog_fd[i] = -1;
		if (fd == NOT_TRIED)
			continue;
		loaded->n_rejected++;
		/* without privilege each thread may have met the same refusal */
		if (fd != -EPERM || l.n_loaded || !first_err)
			report_rejected(&l, i, fd);
		if (!first_err)
			first_err = fd;
	}
	if (l.n_loaded)
		return 0;
	log_error("none of the programs could be loaded");
	return first_err ? first_err : -ENOENT;
}

static int *closed_fds(uint32_t n)
{
	int *fds = malloc((n + 1) * sizeof(*fds));

	for (uint32_t i = 0; fds && i < n; i++)
		fds[i] = -1;
	return fds;
}

int load_image(struct loaded *loaded, const struct image *image, const struct plan *plan,
	       const struct load_map_size *sizes)
{
	int err = 0;

	*loaded = (struct loaded){
		.image = image,
		.map_fd = closed_fds(image->n_maps),
		.prog_fd = closed_fds(image->n_progs),
	};
	if (!loaded->map_fd || !loaded->prog_fd)
		err = -ENOMEM;
	memlock_raise();
	if (!err)
		err = create_maps(loaded, plan, sizes);
	if (!err)
		err = load_progs(loaded, plan);
	if (err)
		load_close(loaded);
	return err;
}

static void close_fds(int *fds, uint32_t n)
{
	for (uint32_t i = 0; fds && i < n; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free(fds);
}

void load_close(struct loaded *loaded)
{
	if (!loaded->image)
		return;
	close_fds(loaded->prog_fd, loaded->image->n_progs);
	close_fds(loaded->map_fd, loaded->image->n_maps);
	memset(loaded, 0, sizeof(*loaded));
}

int load_map(const struct loaded *loaded, const char *name)
{
	int i = loaded->image ? image_find_map(loaded->image, name) : -1;

	return i >= 0 && loaded->map_fd[i] >= 0 ? loaded->map_fd[i] : -ENOENT;
}

int load_prog(const struct loaded *loaded, const char *name)
{
	const struct image_prog *prog = loaded->image ? image_find_prog(loaded->image, name) : NULL;
	int fd = prog ? loaded->prog_fd[prog - loaded->image->progs] : -1;

	return fd >= 0 ? fd : -ENOENT;
}
