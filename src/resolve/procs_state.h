/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All processes, with what their descriptors, directories and names have in common. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/fd_table.h"
#include "resolve/links.h"
#include "resolve/mountinfo.h"
#include "resolve/proc.h"
#include "resolve/proc_view.h"
#include "resolve/procfs.h"

enum {
	PROCS_BUCKETS = 16384,
	PROCS_NAMESPACES = 16, /* whose mounts are kept */
};

struct procs {
	struct proc *buckets[PROCS_BUCKETS];
	uint32_t n_procs;
	const struct procfs *procfs;
	struct links *links;
	struct theirs {
		uint32_t mntns; /* 0: none */
		uint32_t moves; /* as they were then */
		struct mountinfo mounts;
	} theirs[PROCS_NAMESPACES];
	unsigned next_theirs;
	struct own_view own;
	uint32_t losses;  /* how often records were lost that descriptors depend on */
	uint32_t renames; /* that were seen: each may be of a directory above others */
	uint32_t moves;   /* of mounts */
	uint32_t changes; /* of them, those that the table of mounts showed */
	uint64_t moved_at;
	bool follow;
	uint32_t last_ofd; /* the last number given to an open file description */
	struct {
		uint32_t tgid, tid;
	} caller;
	struct desc_listener listener;
};
