/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order in which these are opened and closed. */
#include "resolve/resolve.h"

void resolve_init(struct resolve *resolve, const struct resolve_options *options)
{
	const char *proc = options->proc ? options->proc : "/proc";

	*resolve = (struct resolve){
		.mounts = { .proc = proc, .all_fs = options->all_fs },
		.procfs = { .root = proc,
			    .mounts = &resolve->mounts,
			    .files = options->proc ? NULL : "" },
		.disks = { .root = options->sys_block ? options->sys_block : "/sys/block" },
		.loops = { .root = options->sys_block ? options->sys_block : "/sys/block" },
	};
	if (options->fs_types)
		resolve->mounts.types = *options->fs_types;
}

void resolve_open(struct resolve *resolve, const struct resolve_options *options)
{
	resolve_init(resolve, options);
	mounts_open(&resolve->mounts);
	disks_open(&resolve->disks, resolve->disks.root);
}

void resolve_refresh_loops(struct resolve *resolve, uint64_t age_ns)
{
	loops_look(&resolve->loops,
		   &(struct loops_host){ .disks = &resolve->disks, .mounts = &resolve->mounts },
		   age_ns);
}

void resolve_close(struct resolve *resolve)
{
	mounts_close(&resolve->mounts);
	disks_close(&resolve->disks);
	loops_close(&resolve->loops);
}
