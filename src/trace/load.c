/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image into the kernel: its maps here, its programs in load_programs.c. */
#include "trace/load.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "trace/load_programs.h"

static const char *map_reason(int err, const struct plan *plan, const struct image_map *map)
{
	if (err == -EINVAL && map->type == BPF_MAP_TYPE_STACK_TRACE)
		return "stacks need kernel.perf_event_max_stack to be 127 or more (sysctl)";
	switch (err) {
	case -EPERM:
		return load_eperm_reason(plan);
	case -ENOMEM:
		return "no memory, or the map is too large";
	case -ENOSYS:
		return "this kernel has no bpf system call (CONFIG_BPF_SYSCALL)";
	default:
		return strerror(-err);
	}
}

/* A ring needs a place for each CPU that may be there, which who compiled the image could not know. */
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

/*
 * An image may be for more streams: what only its other programs use would be memory for nothing.
 * Per map, to be freed; NULL without memory.
 */
static bool *find_unused(const struct image *image, const struct plan *plan)
{
	bool *unused = calloc(image->n_maps + 1, sizeof(*unused));

	/* those of the programs that stay away first: a map of no program is for the reader */
	for (int needed = 0; unused && needed < 2; needed++) {
		for (uint32_t i = 0; i < image->n_progs; i++) {
			const struct image_prog *prog = &image->progs[i];

			if (load_needs(image, plan, prog) != needed)
				continue;
			for (uint32_t r = 0; r < prog->n_relocs; r++)
				unused[prog->relocs[r].map] = !needed;
		}
	}
	return unused;
}

static int create_maps(struct loaded *loaded, const struct plan *plan,
		       const struct load_map_size *sizes, const bool *unused)
{
	for (uint32_t i = 0; i < loaded->image->n_maps; i++) {
		const struct image_map *map = &loaded->image->maps[i];
		uint32_t n = map_entries(map, sizes);
		int fd;

		if (unused[i])
			continue;
		fd = bpf_map_create_fd(map->type, map->name, map->key_size, map->value_size, n,
				       map->flags);
		if (fd < 0) {
			log_error("map %s (%u entries of %u bytes): %s", map->name, n,
				  map->key_size + map->value_size, map_reason(fd, plan, map));
			return fd;
		}
		loaded->map_fd[i] = fd;
	}
	return 0;
}

/* -1, so that what was never opened is not closed: 0 is a descriptor. */
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
	bool *unused = find_unused(image, plan);
	int err = 0;

	*loaded = (struct loaded){
		.image = image,
		.map_fd = closed_fds(image->n_maps),
		.prog_fd = closed_fds(image->n_progs),
		.probe_fd = closed_fds(plan->n_probes),
		.n_probes = plan->n_probes,
	};
	if (!unused || !loaded->map_fd || !loaded->prog_fd || !loaded->probe_fd)
		err = -ENOMEM;
	memlock_raise();
	if (!err)
		err = create_maps(loaded, plan, sizes, unused);
	if (!err)
		err = load_programs(loaded, plan);
	free(unused);
	/* all or nothing: who gets an error has nothing to close */
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
	close_fds(loaded->probe_fd, loaded->n_probes);
	close_fds(loaded->prog_fd, loaded->image->n_progs);
	close_fds(loaded->map_fd, loaded->image->n_maps);
	memset(loaded, 0, sizeof(*loaded));
}

int load_map(const struct loaded *loaded, const char *name)
{
	int i = loaded->image ? image_find_map(loaded->image, name) : -1;

	return i >= 0 && loaded->map_fd[i] >= 0 ? loaded->map_fd[i] : -ENOENT;
}

/* Not loaded, where the plan has no use for it: -ENOENT as well. */
int load_prog(const struct loaded *loaded, const char *name)
{
	const struct image_prog *prog = loaded->image ? image_find_prog(loaded->image, name) : NULL;
	int fd = prog ? loaded->prog_fd[prog - loaded->image->progs] : -1;

	return fd >= 0 ? fd : -ENOENT;
}

int load_probe(const struct loaded *loaded, const struct plan *plan, unsigned probe)
{
	const struct plan_probe *p = &plan->probes[probe];

	if (!probe_is_trampoline(p->kind))
		return load_prog(loaded, p->program);
	return loaded->image && loaded->probe_fd[probe] >= 0 ? loaded->probe_fd[probe] : -ENOENT;
}
