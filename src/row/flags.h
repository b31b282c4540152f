/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of flag bits and of values that are one of a list: what the kernel
 * calls them, how several are joined, and how one without a name is shown.
 */
#pragma once

#include <stdint.h>

/* Has its name where value & mask is bits; these bits are then taken as said. */
struct flag_name {
	uint32_t mask;
	uint32_t bits;
	const char *name;
};

struct flag_set {
	const struct flag_name *names; /* in the order printed, up to a NULL name */
	const char *unknown;           /* format for a value without any name; NULL: 0x%x */
};

/* Beside the flags of move_mount, in a bit that mount is never given */
enum { MOUNT_MOVES = 0x40000000 };

/* Beside the events of flags_watch, in bits that neither inotify nor fanotify has: what fanotify_mark is asked */
enum {
	WATCH_FANOTIFY = 0x2000,
	WATCH_REMOVES = 0x80000,
	WATCH_FLUSHES = 0x200000,
	WATCH_MOUNT = 0x400000,
	WATCH_FILESYSTEM = 0x800000,
	WATCH_IGNORES = 0x4000000,
};

/* A cell: a value and what its bits are. Without a set it is empty. */
struct flags {
	const struct flag_set *set;
	uint32_t value;
};

extern const struct flag_set flags_open; /* O_*, as the kernel has them */
extern const struct flag_set flags_mmap_prot;
extern const struct flag_set flags_mmap_map;
extern const struct flag_set flags_fallocate;
extern const struct flag_set flags_msync;
extern const struct flag_set flags_mremap;
extern const struct flag_set flags_splice;
extern const struct flag_set flags_rename;
extern const struct flag_set flags_madvise; /* a value */
extern const struct flag_set flags_mode;    /* S_* */
extern const struct flag_set flags_statx;   /* STATX_*, the mask asked for */
extern const struct flag_set flags_attr;    /* ATTR_*, inside the kernel */
extern const struct flag_set flags_sync_range;
extern const struct flag_set flags_fadvise; /* a value */
extern const struct flag_set flags_lock;    /* IOT_LOCK_* of record.h */
extern const struct flag_set flags_access;
extern const struct flag_set flags_xattr;
extern const struct flag_set flags_mount; /* MS_*, or MOUNT_MOVES and MOVE_MOUNT_* */
extern const struct flag_set flags_umount;
extern const struct flag_set flags_watch;      /* IN_*, or WATCH_FANOTIFY and FAN_* */
extern const struct flag_set flags_task_state; /* a value of sched_switch, in letters */
extern const struct flag_set flags_req;        /* REQ_*, 1 << IOT_REQ_* of record.h */
extern const struct flag_set flags_req_op;     /* REQ_OP_*, a value of record.h */

/*
 * Names joined by bars, then what has none as one 0x…; below FORMAT_FIELD_MAX
 * bytes. For the reader's thread alone, as the whole of format.h.
 */
char *put_flags(char *p, struct flags flags);
