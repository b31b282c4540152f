/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "resolve/fd_table.h"
#include "resolve/mappings.h"
#include "resolve/procfs.h"
#include "resolve/procfs_maps.h"
#include "resolve/procnet.h"
#include "resolve/procs.h"
#include "resolve/resolve.h"
#include "resolve/targets.h"
#include "snapshot/snap_proc.h"

static void see_mapping(void *arg, const struct procfs_mapping *mapping)
{
	(void)arg;
	FUZZ_CLAIM(mapping->path && mapping->start < mapping->end);
}

static void see_fd(void *arg, int fd)
{
	struct procfs_file file;

	procfs_fd(arg, 1, fd, true, &file);
}

static void see_process(void *arg, const struct snap_proc *process)
{
	char text[300];
	uint32_t ns[SNAP_NS];

	(void)arg;
	snap_proc_uid(process);
	snap_proc_args(process, text, sizeof(text));
	snap_proc_cgroup(process, text, sizeof(text));
	snap_proc_namespaces(process, ns);
}

static void see_close(void *arg, const struct desc_close *closed)
{
	(void)arg;
	(void)closed;
}

static void look(const struct resolve *resolve)
{
	static uint32_t pids[4];
	const struct procfs *proc = &resolve->procfs;
	struct procs *procs = procs_open(proc, true, true, see_close, NULL);
	struct procnet *net = procnet_open(proc->root);
	struct mappings *maps = mappings_new(0);
	struct iot_ends ends;

	procfs_ppid(proc, 1);
	procfs_mntns(proc, 1);
	procfs_each_fd(proc, 1, see_fd, (void *)(uintptr_t)proc);
	procfs_each_mapping(proc, 1, see_mapping, NULL);
	mappings_read(maps, proc, 1);
	procnet_ends(net, 1, 7, UINT64_MAX, &ends);
	procnet_kind(net, 1, 3, &ends);
	procs_seed(procs, 1, true);
	procs_sees_our_paths(procs, 1);
	procs_desc(procs, 1, 3, 0);
	targets_named(proc->root, "a", pids, 4);
	targets_process(proc->root, 1);
	targets_alive(proc->root, 1);
	snap_proc_each(proc->root, see_process, NULL);
	mappings_free(maps);
	procnet_close(net);
	procs_close(procs);
}

void fuzz_proc(const uint8_t *data, size_t size)
{
	static struct resolve resolve;
	const char *dir = fuzz_tree(data, size);

	resolve_init(&resolve, &(struct resolve_options){ .proc = dir, .sys_block = dir });
	resolve_open(&resolve, &(struct resolve_options){ .proc = dir, .sys_block = dir });
	resolve_refresh_loops(&resolve, 0);
	look(&resolve);
	resolve_close(&resolve);
}
