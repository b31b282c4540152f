/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all programs and the reader share besides records: the config that programs read, and the
 * losses that they count.
 */
#ifndef IOT_CONTROL_H
#define IOT_CONTROL_H

enum { IOT_OPT_LEVELS = 8 };

/* One for all programs; user space writes it before it switches tracing on. */
struct iot_config {
	u64 min_latency; /* ns */
	u64 fs_rows;     /* 1 << op: operations of fs that may be rows, where filters has IOT_FILTER_ROWS */
	u64 fs_state;    /* those whose success the reader follows, rows or not */
	u64 ofd_keys[2]; /* random: no address of the kernel can be told from iot_fs.ofd */
	u32 on;
	u32 filters;    /* IOT_FILTER_* */
	u32 self;       /* tgid that never appears */
	u32 uid;
	u32 n_cpus;
	u32 all_fs;     /* 1: pseudo file systems too */
	u32 fs_types;   /* rules that iot_fs_types has: IOT_FS_*; 0: none */
	u32 cache_keep; /* an event of cache is kept when a random number is below; 0: every one */
	u32 all_drops;  /* 1: dropped packets that are not IP, too */
	u32 errors;     /* 1: failed operations only */
	u32 uring_keep; /* a request of io_uring is kept when a random number is below; 0: every one */
	u32 uring_files; /* 1: rows FILE_GET */
	u32 by_group;   /* 1: iot_cgroup has the control group; 0: iot_members has its processes */
	u32 n_opt_levels; /* 0: socket options of every level */
	s32 opt_levels[IOT_OPT_LEVELS];
	u32 count;      /* IOT_COUNTS_* */
	u32 pad;
	u32 thin[IOT_N_SEQ]; /* by class, see iot_thin(); 0: every row, IOT_THIN_ALL: none */
	/* of which operations of fs there are stacks: any of these is enough */
	u64 stack_ops;     /* 1 << op */
	u64 stack_latency; /* of those that took so many ns, or longer; 0: no matter */
	u32 stack_keep;    /* when a random number is below; ~0: every one */
	u32 pad2;
};

/* No row; any other value but 0 keeps one of so many files, requests or threads, less one: a power of two */
#define IOT_THIN_ALL 0xffffffffU

/* Rule of a type of file systems: only such ones, or none of them. */
enum { IOT_FS_INCLUDE = 1, IOT_FS_EXCLUDE = 2 };

enum {
	IOT_FILTER_TASKS = 1, IOT_FILTER_COMM = 2, IOT_FILTER_UID = 4, IOT_FILTER_FORKS = 8,
	IOT_FILTER_NOT_COMM = 16, IOT_FILTER_CGROUP = 32,
	/* below 1 << IOT_COUNT_SHIFT */
	IOT_FILTER_ROWS = 64, /* of operation, result or latency */
	/* whose records */
	IOT_FILTER_WHO = IOT_FILTER_TASKS | IOT_FILTER_COMM | IOT_FILTER_UID | IOT_FILTER_NOT_COMM | IOT_FILTER_CGROUP,
	/* what a task is now: it may come to be traced later, and its descriptors with it */
	IOT_FILTER_NOW = IOT_FILTER_COMM | IOT_FILTER_UID | IOT_FILTER_NOT_COMM,
};

/* In iot_head.via: a filter left it out, but the reader follows what it did. Its class is IOT_SEQ_STATE. */
enum { IOT_VIA_QUIET = 0x8000 };

/* Losses that no sequence number sees; one counter per CPU and class. */
enum iot_miss {
	IOT_MISS_ENTRY,   /* a return without its entry: the entry was suppressed or began before us */
	IOT_MISS_RETURN,  /* an entry whose return never came */
	IOT_MISS_FULL,    /* a table was full */
	IOT_MISS_SCRATCH, /* two tasks shared a scratch buffer (kernels with preemptible programs) */
	IOT_MISS_SAMPLED, /* not a loss: the sample left it out */
	IOT_MISS_BUDGET,  /* nor this: left out to keep to --budget */
	IOT_N_MISS,
	/*
	 * Numbers of a class, a power of two: LLVM 11 puts class and reason together by an OR, of which the verifier
	 * knows the bounds only where their bits lie apart.
	 */
	IOT_MISS_ROOM = 8,
};

#endif
