/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mounts of other namespaces than ours, as a process there sees them; kept for a tenth of a second. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/mountinfo.h"

/* The mounts that a process sees. Returns 0 or -errno; mountinfo_free() it. proc: "/proc" */
int mountinfo_of_process(struct mountinfo *theirs, const char *proc, uint32_t tgid);

/* Inode number of its mount namespace, 0 when not readable. */
uint32_t mntns_of_process(const char *proc, uint32_t tgid);

enum { OTHER_MOUNTS_KEPT = 8 };

/* Zero-filled: nothing is known yet. */
struct other_mounts {
	struct other_mounts_of {
		uint32_t mntns; /* 0: none */
		uint64_t read_at;
		struct mountinfo table;
	} kept[OTHER_MOUNTS_KEPT];
	unsigned next;
};

void other_mounts_free(struct other_mounts *others);

/* What process tgid sees; NULL: it is gone, or cannot be asked. Until the next call. */
const struct mountinfo *other_mounts_of(struct other_mounts *others, const char *proc,
					uint32_t tgid);

/* The mount with this number there; read again when it is not among those that are kept. */
const struct mount_point *other_mounts_id(struct other_mounts *others, const char *proc,
					  uint32_t tgid, uint32_t id);
