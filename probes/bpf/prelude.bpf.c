/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every program uses: explicit reads, filters and numbering.
 * Reads are never left to libbcc's rewriter (macros, u64 pointers and unions
 * defeat it). Everything is inlined: 4.14 has neither calls nor loops.
 */

/*
 * By number (include/uapi/linux/bpf.h), not by libbcc's names: for these it reads all of /proc/kallsyms to
 * see what the kernel that it runs on has, which is not always the one that the image is for.
 */
#ifdef IOT_HAS_PROBE_READ_KERNEL
static long (*iot_read_kernel)(void *dst, u32 size, const void *from) = (void *)113;
static long (*iot_read_kernel_str)(void *dst, u32 size, const void *from) = (void *)115;
static long (*iot_read_user)(void *dst, u32 size, const void *from) = (void *)112;
static long (*iot_read_user_str)(void *dst, u32 size, const void *from) = (void *)114;
#else
static long (*iot_read_kernel)(void *dst, u32 size, const void *from) = (void *)4;
static long (*iot_read_kernel_str)(void *dst, u32 size, const void *from) = (void *)45;
#define iot_read_user iot_read_kernel
#define iot_read_user_str iot_read_kernel_str
#endif

#define IOT_READ_K iot_read_kernel
#define IOT_READ_STR_K iot_read_kernel_str
#define IOT_READ_U iot_read_user
#define IOT_READ_STR_U iot_read_user_str

#ifdef IOT_HAS_CGROUP_ID
/* Of the current task, in the hierarchy of version 2 */
static u64 (*iot_cgroup_id)(void) = (void *)80;
#endif

/*
 * dst: so many bytes (8 at most, or whole words) from an address in the kernel that is a multiple of
 * their size, 0 when the memory cannot be read. iot_words() makes of an address a pointer to IOT_CAST_MAX
 * bytes that plain instructions may load; what cannot be read is 0 to these, too.
 */
#ifdef IOT_HAS_RDONLY_CAST
static void *(*iot_words)(u64 address, u32 words) = (void *)IOT_CAST_CALL;

#define IOT_ALIGNED(size) ((size) >= 8 ? 8 : (size))
#define IOT_LOAD(dst, from) \
	__builtin_memcpy(&(dst), __builtin_assume_aligned(iot_words((u64)(from), IOT_CAST_WORDS), IOT_ALIGNED(sizeof(dst))), \
			 sizeof(dst))
#else
#define IOT_LOAD(dst, from) IOT_READ_K(&(dst), sizeof(dst), (void *)(from))
#endif

/* dst = src->member, 0 when the memory cannot be read */
#define IOT_GET(dst, src, member) IOT_LOAD(dst, &(src)->member)

/*
 * Where the kernel takes loops they stay such: IOT_REPEAT stands before one, IOT_COUNTED first in it and
 * IOT_LAST where no more is to be done. The compiler must not see how often it is done: of several limits it
 * makes one, which the verifier cannot follow; nor, to unroll it, that it may end early.
 */
#ifdef IOT_HAS_LOOPS
#define IOT_REPEAT _Pragma("clang loop unroll(disable)")
#define IOT_COUNTED(i) asm volatile("" : "+r"(i))
#define IOT_LAST break
#else
#define IOT_REPEAT _Pragma("unroll")
#define IOT_COUNTED(i) do { } while (0)
#define IOT_LAST continue
#endif

/*
 * A value that waits in a map, read once more: what a comparison says of it is forgotten with it, else the
 * verifier follows all that comes after once for each outcome.
 */
#define IOT_AGAIN(member) (*(volatile __typeof__(member) *)&(member))

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* What a raw tracepoint gives: the arguments of the event. */
struct iot_raw {
	u64 args[3];
};

/*
 * Arguments and result of a system call: of its tracepoints (struct iot_sys_enter, struct iot_sys_exit),
 * of the raw ones that all calls have (struct iot_raw: the caller's registers, then the number of the call,
 * or what it returns), or, on kernels without these, of the kernel's function for it (struct pt_regs). The
 * first two names stand for what it is.
 */
#if defined(IOT_SYSCALL_FUNCTIONS) || defined(IOT_USE_CALLS_BY_NUMBER)
static __always_inline u64 iot_regs_arg(u64 regs, int n)
{
	u64 value = 0;

	IOT_LOAD(value, regs + IOT_REGS_ARG(n));
	return value;
}
#endif

#ifdef IOT_SYSCALL_FUNCTIONS
#define IOT_SYS_KPROBE 1
#define IOT_SYS_RET(ctx) ((s64)PT_REGS_RC(ctx))
#ifdef IOT_HAS_SYSCALL_WRAPPER
#define IOT_SYS_ARG(ctx, n) iot_regs_arg(PT_REGS_PARM1(ctx), n)

/* Of a native call; x32 calls have bit 30. */
static __always_inline u32 iot_sys_number(struct pt_regs *ctx)
{
	u64 value = 0;

	IOT_LOAD(value, PT_REGS_PARM1(ctx) + IOT_REGS_ASKED);
	return (u32)value & ~(1u << 30);
}
#define IOT_SYS_NUMBER(ctx) iot_sys_number(ctx)
#else
/* The caller's registers tell it (fs_caller.bpf.c); 32-bit programs have other numbers. */
static __always_inline u16 iot_syscall_from_regs(struct pt_regs *ctx);
static __always_inline u32 iot_sys_number(struct pt_regs *ctx)
{
	u16 call = iot_syscall_from_regs(ctx);

	return call & IOT_CALL_COMPAT ? IOT_CALL_ROWS : call & IOT_CALL_MASK;
}
#define IOT_SYS_NUMBER(ctx) iot_sys_number(ctx)
#define IOT_SYS_ARG_0(ctx) PT_REGS_PARM1(ctx)
#define IOT_SYS_ARG_1(ctx) PT_REGS_PARM2(ctx)
#define IOT_SYS_ARG_2(ctx) PT_REGS_PARM3(ctx)
#define IOT_SYS_ARG_3(ctx) PT_REGS_PARM4(ctx)
#define IOT_SYS_ARG_4(ctx) PT_REGS_PARM5(ctx)
#define IOT_SYS_ARG_5(ctx) PT_REGS_PARM6(ctx)
#define IOT_SYS_ARG(ctx, n) IOT_SYS_ARG_##n(ctx)
#endif
#elif defined(IOT_USE_CALLS_BY_NUMBER)
#define IOT_SYS_KPROBE 0
#define IOT_SYS_RET(ctx) ((s64)(ctx)->args[1])
#define IOT_SYS_ARG(ctx, n) iot_regs_arg((ctx)->args[0], n)
#define IOT_SYS_NUMBER(ctx) ((u32)(ctx)->args[1])
#else
#define IOT_SYS_KPROBE 0
#define IOT_SYS_RET(ctx) ((ctx)->ret)
/*
 * volatile, and read before branches that depend on which argument it is: of reads in several branches
 * the compiler makes one, of an address that the verifier does not know.
 */
#define IOT_SYS_ARG(ctx, n) (*(volatile u64 *)&(ctx)->args[n])
#define IOT_SYS_NUMBER(ctx) ((ctx)->number)
#define IOT_SYS_ARG_IS_PLAIN 1
#endif

BPF_PERF_OUTPUT(iot_events);
BPF_ARRAY(iot_cfg, struct iot_config, 1);
BPF_TABLE("percpu_array", u32, u64, iot_seq, IOT_N_SEQ);
/* All in one value: one look-up reads them, and each look-up can make the kernel skip a program. */
struct iot_misses {
	u64 n[IOT_N_SEQ * IOT_MISS_ROOM];
};
BPF_TABLE("percpu_array", u32, struct iot_misses, iot_missed, 1);
BPF_TABLE("hash", u32, u8, iot_tasks, 16384);

struct iot_comm {
	char text[16];
};
/* 1: only such threads, 0: none of them */
BPF_TABLE("hash", struct iot_comm, u8, iot_comms, 128);
#ifdef IOT_HAS_CGROUPS
/* A control group of version 2 */
BPF_CGROUP_ARRAY(iot_cgroup, 1);
#endif
/* Processes of one of version 1 */
BPF_TABLE("hash", u32, u8, iot_members, 16384);

static __always_inline void iot_miss(u32 class, u32 reason)
{
	u32 zero = 0;
	struct iot_misses *misses = iot_missed.lookup(&zero);

	if (misses)
		misses->n[class * IOT_MISS_ROOM + reason] += 1;
}

/* The config when tracing is on and the process is not the tracer, else NULL. */
static __always_inline struct iot_config *iot_on(u32 tgid)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	return cfg && cfg->on && tgid != cfg->self ? cfg : 0;
}

/* In the process tree and the control group that are asked for */
static __always_inline int iot_followed(struct iot_config *cfg, u32 tgid)
{
	if ((cfg->filters & IOT_FILTER_TASKS) && !iot_tasks.lookup(&tgid))
		return 0;
	if (!(cfg->filters & IOT_FILTER_CGROUP))
		return 1;
#ifdef IOT_HAS_CGROUPS
	/* in the group or below it */
	if (cfg->by_group)
		return iot_cgroup.check_current_task(0) == 1;
#endif
	return iot_members.lookup(&tgid) != 0;
}

/* What the task is at this moment: its user and its name */
static __always_inline int iot_passes(struct iot_config *cfg)
{
	struct iot_comm comm = {};
	u8 *only;

	if (!(cfg->filters & IOT_FILTER_NOW))
		return 1;
	if ((cfg->filters & IOT_FILTER_UID) && (u32)bpf_get_current_uid_gid() != cfg->uid)
		return 0;
	if (!(cfg->filters & (IOT_FILTER_COMM | IOT_FILTER_NOT_COMM)))
		return 1;
	bpf_get_current_comm(&comm, sizeof(comm));
	only = iot_comms.lookup(&comm);
	return only ? *only : !(cfg->filters & IOT_FILTER_COMM);
}

/* The config when the current task is to be traced, else NULL. */
static __always_inline struct iot_config *iot_wanted(void)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct iot_config *cfg = iot_on(tgid);

	if (!cfg || !(cfg->filters & IOT_FILTER_WHO))
		return cfg;
	return iot_followed(cfg, tgid) && iot_passes(cfg) ? cfg : 0;
}

/*
 * The same where descriptors are followed by the reader: of a process tree it
 * must know what tasks did before they had the user or the name asked for.
 */
static __always_inline struct iot_config *iot_tracked(void)
{
#ifdef IOT_USE_SC_FOLLOW
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct iot_config *cfg = iot_on(tgid);

	if (!cfg || !(cfg->filters & IOT_FILTER_WHO))
		return cfg;
	if (!iot_followed(cfg, tgid))
		return 0;
	return cfg->filters & (IOT_FILTER_TASKS | IOT_FILTER_CGROUP) || iot_passes(cfg) ? cfg : 0;
#else
	return iot_wanted();
#endif
}

/* Numbers the attempt: call right before sending. ts: of the event, whose clock costs as much as the rest. */
static __always_inline void iot_stamp_at(struct iot_head *head, u64 ts, u32 class, u32 type, u32 via)
{
	u64 *seq = iot_seq.lookup(&class);

	head->ts = ts;
	head->seq = seq ? (*seq += 1) : 0;
	head->type = type;
	head->class = class;
	head->via = via;
}

static __always_inline void iot_stamp(struct iot_head *head, u32 class, u32 type, u32 via)
{
	iot_stamp_at(head, bpf_ktime_get_ns(), class, type, via);
}

/* The same of a record that is a row, or only followed by the reader. */
static __always_inline void iot_stamp_row(struct iot_head *head, u32 class, u32 type, u32 via, int row)
{
	iot_stamp(head, row ? class : IOT_SEQ_STATE, type, row ? via : via | IOT_VIA_QUIET);
}

/* Whether a task that is tracked is to be shown, too */
static __always_inline int iot_shown(void)
{
#ifdef IOT_USE_SC_FOLLOW
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	return !cfg || iot_passes(cfg);
#else
	return 1;
#endif
}

/*
 * The filters that decide at the end of an operation. Each operation keeps them
 * from its beginning, where the config is at hand: without filters, which is
 * mostly, its end has no look-up and no clock to pay for.
 */
#ifdef IOT_USE_SC_FOLLOW
#define IOT_FILTER_END (IOT_FILTER_ROWS | IOT_FILTER_NOW)
#else
#define IOT_FILTER_END IOT_FILTER_ROWS
#endif

/* What an operation keeps of the config: what decides at its end, and whether it is counted */
static __always_inline u32 iot_kept_filters(struct iot_config *cfg)
{
	u32 kept = cfg->filters & IOT_FILTER_END;

#ifdef IOT_STREAM_layers
	kept |= cfg->count << IOT_COUNT_SHIFT;
#endif
	return kept;
}
#define IOT_KEPT_FILTERS(kept) ((kept) & ((1u << IOT_COUNT_SHIFT) - 1))
#define IOT_KEPT_COUNT(kept) ((u32)(kept) >> IOT_COUNT_SHIFT)

/* Whether the filters of operations leave any use for this one, at its beginning */
static __always_inline int iot_fs_any(struct iot_config *cfg, u16 op)
{
	if (!(cfg->filters & IOT_FILTER_ROWS) || op >= IOT_N_OPS)
		return 1;
	return ((cfg->fs_rows | cfg->fs_state) >> (op & 63)) & 1;
}

/* At its end, whoever's it is: 1 a row, 0 no row but to be followed, -1 neither. */
static __always_inline int iot_fs_asked(u16 op, s64 ret, u64 latency)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !(cfg->filters & IOT_FILTER_ROWS) || op >= IOT_N_OPS)
		return 1;
	if (((cfg->fs_rows >> (op & 63)) & 1) && (ret < 0 || !cfg->errors) && latency >= cfg->min_latency)
		return 1;
	/* a close that fails has closed all the same */
	return ((cfg->fs_state >> (op & 63)) & 1) && (ret >= 0 || op == IOT_CLOSE) ? 0 : -1;
}

/* The same of the current task's. */
static __always_inline int iot_fs_verdict(u16 op, s64 ret, u64 latency)
{
	int row = iot_fs_asked(op, ret, latency);

	return row > 0 ? iot_shown() : row;
}

/* Of streams that nothing follows: whether the result and the latency (from ts on) are asked for. */
static __always_inline int iot_row_asked(s64 ret, u64 ts)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !(cfg->filters & IOT_FILTER_ROWS))
		return 1;
	return (ret < 0 || !cfg->errors) && bpf_ktime_get_ns() - ts >= cfg->min_latency;
}

/*
 * The current task's name, for those who look at it up to its NUL: behind that may be the end of an
 * earlier one. The helper takes 140 instructions, this 85 and, where memory can be cast, 20.
 */
static __always_inline void iot_comm_read(u64 *comm)
{
#ifdef IOT_HAS_TASK_COMM
	if (offsetof(struct task_struct, comm) % sizeof(*comm) == 0) {
		u64 name[2] = {};

		IOT_LOAD(name, bpf_get_current_task() + offsetof(struct task_struct, comm));
		comm[0] = name[0];
		comm[1] = name[1];
		return;
	}
#endif
	bpf_get_current_comm(comm, 2 * sizeof(*comm));
}

static __always_inline void iot_current(struct iot_head *head)
{
	u64 id = bpf_get_current_pid_tgid();

	head->tgid = id >> 32;
	head->tid = id;
	iot_comm_read((u64 *)&head->comm);
}

/* Bytes asked for by an array of iovec; beyond 32 entries what the call moved has to do. */
static __always_inline u64 iot_iov_bytes(u64 iov, u64 n)
{
	u64 sum = 0, len;

	IOT_REPEAT
	for (u64 i = 0; i < 32; i++) {
		IOT_COUNTED(i);
		if (i >= n)
			IOT_LAST;
		len = 0;
		IOT_READ_U(&len, sizeof(len), (void *)(iov + i * 16 + 8));
		sum += len;
	}
	return sum;
}

/*
 * An event of writeback names what pages are written to: "8:16" for a whole disk, or something else
 * ("btrfs-1", "0:45"). No digits, no device. What was met is reckoned and not branched on: of each count
 * that it knows the verifier follows the rest once (51,000 instructions in a program of 100).
 */
static __always_inline u32 iot_bdi_dev(const char *name)
{
	u32 major = 0, value = 0, colons = 0, others = 0, end = 0;

	IOT_REPEAT
	for (u64 i = 0; i < 12; i++) {
		u32 c, is_colon;

		IOT_COUNTED(i);
		c = (u8)name[i];
		if (end || c == 0) {
			end = 1;
			IOT_LAST;
		}
		if (c - '0' < 10) {
			value = value * 10 + c - '0';
		} else {
			is_colon = (c ^ ':') - 1;
			is_colon >>= 31;
			asm volatile("" : "+r"(is_colon)); /* or the compiler makes a branch of it */
			others |= (is_colon ^ 1) | (colons & is_colon);
			colons |= is_colon;
			major = value;
			value = 0;
		}
	}
	return colons && !others ? major << 20 | value : 0;
}

/* ---- what probes/arch tells of a caller ---- */

static __always_inline u16 iot_call_number(u64 number, int compat)
{
	/* -1: an exception or interrupt of user space. x32 calls have bit 30, and numbers of their own. */
	if ((s32)number < 0)
		return IOT_NO_CALL;
	return IOT_CALL_NUMBER | (compat ? IOT_CALL_COMPAT : 0) | (number & IOT_CALL_MASK);
}

#ifdef IOT_USE_CALLS_RAW
/* A call that layers_calls.bpf.c counts */
struct iot_counted {
	s32 fd;
	u8 kind;
};
static __always_inline u8 iot_counted_kind(u32 number, int compat);
#endif
