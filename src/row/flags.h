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
extern const struct flag_set flags_fadvise;    /* a value */
extern const struct flag_set flags_task_state; /* a value of sched_switch, in letters */
extern const struct flag_set flags_req;        /* REQ_*, 1 << IOT_REQ_* of record.h */
extern const struct flag_set flags_req_op;     /* REQ_OP_*, a value of record.h */

/*
 * Names joined by bars, then what has none as one 0x…; below FORMAT_FIELD_MAX
 * bytes. For the reader's thread alone, as the whole of format.h.
 */
char *put_flags(char *p, struct flags flags);
