/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every program uses: explicit reads, filters, numbering and sending.
 * Reads are never left to libbcc's rewriter (macros, u64 pointers and unions
 * defeat it). Everything is inlined: 4.14 has neither calls nor loops.
 */

#ifdef IO_HAS_PROBE_READ_KERNEL
/*
 * By number (include/uapi/linux/bpf.h), not by libbcc's names: at each call of the latter two
 * it reads all of /proc/kallsyms to see whether the kernel has them (0.26; half of a cold start).
 */
static long (*io_read_user)(void *dst, u32 size, const void *from) = (void *)112;
static long (*io_read_user_str)(void *dst, u32 size, const void *from) = (void *)114;

#define IO_READ_K bpf_probe_read_kernel
#define IO_READ_STR_K bpf_probe_read_kernel_str
#define IO_READ_U io_read_user
#define IO_READ_STR_U io_read_user_str
#else
#define IO_READ_K bpf_probe_read
#define IO_READ_STR_K bpf_probe_read_str
#define IO_READ_U bpf_probe_read
#define IO_READ_STR_U bpf_probe_read_str
#endif

/* dst = src->member, 0 when the memory cannot be read */
#define IO_GET(dst, src, member) IO_READ_K(&(dst), sizeof(dst), &(src)->member)

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/*
 * Arguments and result of a system call: of its tracepoints (struct io_sys_enter,
 * struct io_sys_exit), or, on kernels without these, of the kernel's function for it.
 * The two names stand for struct pt_regs then.
 */
#ifdef IO_SYSCALL_FUNCTIONS
#define IO_SYS_KPROBE 1
#define IO_SYS_RET(ctx) ((s64)PT_REGS_RC(ctx))
#ifdef IO_HAS_SYSCALL_WRAPPER
/* The function gets the caller's registers, in which the fourth argument is not where C has it. */
static __always_inline u64 io_sys_arg(struct pt_regs *ctx, int n)
{
	struct pt_regs *user = (struct pt_regs *)PT_REGS_PARM1(ctx);
	u64 value = 0;
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
	u64 at = (u64)user + offsetof(struct user_pt_regs, regs) + n * sizeof(u64);
#else
	u64 at = (u64)user + (n == 0 ? offsetof(struct pt_regs, di) : n == 1 ? offsetof(struct pt_regs, si) :
			      n == 2 ? offsetof(struct pt_regs, dx) : n == 3 ? offsetof(struct pt_regs, r10) :
			      n == 4 ? offsetof(struct pt_regs, r8) : offsetof(struct pt_regs, r9));
#endif

	IO_READ_K(&value, sizeof(value), (void *)at);
	return value;
}
#define IO_SYS_ARG(ctx, n) io_sys_arg(ctx, n)
#else
#define IO_SYS_ARG_0(ctx) PT_REGS_PARM1(ctx)
#define IO_SYS_ARG_1(ctx) PT_REGS_PARM2(ctx)
#define IO_SYS_ARG_2(ctx) PT_REGS_PARM3(ctx)
#define IO_SYS_ARG_3(ctx) PT_REGS_PARM4(ctx)
#define IO_SYS_ARG_4(ctx) PT_REGS_PARM5(ctx)
#define IO_SYS_ARG_5(ctx) PT_REGS_PARM6(ctx)
#define IO_SYS_ARG(ctx, n) IO_SYS_ARG_##n(ctx)
#endif
#else
#define IO_SYS_KPROBE 0
#define IO_SYS_RET(ctx) ((ctx)->ret)
#define IO_SYS_ARG(ctx, n) ((ctx)->args[n])
#endif

/* What a raw tracepoint gives: the arguments of the event. */
struct io_raw {
	u64 args[3];
};

BPF_PERF_OUTPUT(io_events);
BPF_ARRAY(io_cfg, struct io_config, 1);
BPF_TABLE("percpu_array", u32, u64, io_seq, 16);
/* All in one value: one look-up reads them, and each look-up can make the kernel skip a program. */
struct io_misses {
	u64 n[IO_N_SEQ * IO_N_MISS];
};
BPF_TABLE("percpu_array", u32, struct io_misses, io_missed, 1);
BPF_TABLE("hash", u32, u8, io_tasks, 16384);

struct io_comm {
	char text[16];
};
/* 1: only such threads, 0: none of them */
BPF_TABLE("hash", struct io_comm, u8, io_comms, 128);
#ifdef IO_HAS_CGROUPS
/* A control group of version 2 */
BPF_CGROUP_ARRAY(io_cgroup, 1);
#endif
/* Processes of one of version 1 */
BPF_TABLE("hash", u32, u8, io_members, 16384);

static __always_inline void io_miss(u32 class, u32 reason)
{
	u32 zero = 0;
	struct io_misses *misses = io_missed.lookup(&zero);

	if (misses)
		misses->n[class * IO_N_MISS + reason] += 1;
}

/* The config when tracing is on and the current task is not the tracer's, else NULL. */
static __always_inline struct io_config *io_on(void)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	return cfg && cfg->on && bpf_get_current_pid_tgid() >> 32 != cfg->self ? cfg : 0;
}

/* In the process tree and the control group that are asked for */
static __always_inline int io_followed(struct io_config *cfg)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if ((cfg->filters & IO_FILTER_TASKS) && !io_tasks.lookup(&tgid))
		return 0;
	if (!(cfg->filters & IO_FILTER_CGROUP))
		return 1;
#ifdef IO_HAS_CGROUPS
	/* in the group or below it */
	if (cfg->by_group)
		return io_cgroup.check_current_task(0) == 1;
#endif
	return io_members.lookup(&tgid) != 0;
}

/* What the task is at this moment: its user and its name */
static __always_inline int io_passes(struct io_config *cfg)
{
	struct io_comm comm = {};
	u8 *only;

	if (!(cfg->filters & IO_FILTER_NOW))
		return 1;
	if ((cfg->filters & IO_FILTER_UID) && (u32)bpf_get_current_uid_gid() != cfg->uid)
		return 0;
	if (!(cfg->filters & (IO_FILTER_COMM | IO_FILTER_NOT_COMM)))
		return 1;
	bpf_get_current_comm(&comm, sizeof(comm));
	only = io_comms.lookup(&comm);
	return only ? *only : !(cfg->filters & IO_FILTER_COMM);
}

/* The config when the current task is to be traced, else NULL. */
static __always_inline struct io_config *io_wanted(void)
{
	struct io_config *cfg = io_on();

	if (!cfg || !(cfg->filters & IO_FILTER_WHO))
		return cfg;
	return io_followed(cfg) && io_passes(cfg) ? cfg : 0;
}

/*
 * The same where descriptors are followed by the reader: of a process tree it
 * must know what tasks did before they had the user or the name asked for.
 */
static __always_inline struct io_config *io_tracked(void)
{
#ifdef IO_USE_SC_FOLLOW
	struct io_config *cfg = io_on();

	if (!cfg || !(cfg->filters & IO_FILTER_WHO))
		return cfg;
	if (!io_followed(cfg))
		return 0;
	return cfg->filters & (IO_FILTER_TASKS | IO_FILTER_CGROUP) || io_passes(cfg) ? cfg : 0;
#else
	return io_wanted();
#endif
}

/* Numbers the attempt and stamps it: call right before sending. */
static __always_inline void io_stamp(struct io_head *head, u32 class, u32 type, u32 via)
{
	u64 *seq = io_seq.lookup(&class);

	head->ts = bpf_ktime_get_ns();
	head->seq = seq ? (*seq += 1) : 0;
	head->type = type;
	head->class = class;
	head->via = via;
}

/* The same of a record that is a row, or only followed by the reader. */
static __always_inline void io_stamp_row(struct io_head *head, u32 class, u32 type, u32 via, int row)
{
	io_stamp(head, row ? class : IO_SEQ_STATE, type, row ? via : via | IO_VIA_QUIET);
}

/* Whether a task that is tracked is to be shown, too */
static __always_inline int io_shown(void)
{
#ifdef IO_USE_SC_FOLLOW
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	return !cfg || io_passes(cfg);
#else
	return 1;
#endif
}

/*
 * The filters that decide at the end of an operation. Each operation keeps them
 * from its beginning, where the config is at hand: without filters, which is
 * mostly, its end has no look-up and no clock to pay for.
 */
#ifdef IO_USE_SC_FOLLOW
#define IO_FILTER_END (IO_FILTER_ROWS | IO_FILTER_NOW)
#else
#define IO_FILTER_END IO_FILTER_ROWS
#endif

/* Whether the filters of operations leave any use for this one, at its beginning */
static __always_inline int io_fs_any(struct io_config *cfg, u16 op)
{
	if (!(cfg->filters & IO_FILTER_ROWS) || op >= IO_N_OPS)
		return 1;
	return ((cfg->fs_rows | cfg->fs_state) >> (op & 63)) & 1;
}

/* At its end, whoever's it is: 1 a row, 0 no row but to be followed, -1 neither. */
static __always_inline int io_fs_asked(u16 op, s64 ret, u64 latency)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !(cfg->filters & IO_FILTER_ROWS) || op >= IO_N_OPS)
		return 1;
	if (((cfg->fs_rows >> (op & 63)) & 1) && (ret < 0 || !cfg->errors) && latency >= cfg->min_latency)
		return 1;
	/* a close that fails has closed all the same */
	return ((cfg->fs_state >> (op & 63)) & 1) && (ret >= 0 || op == IO_CLOSE) ? 0 : -1;
}

/* The same of the current task's. */
static __always_inline int io_fs_verdict(u16 op, s64 ret, u64 latency)
{
	int row = io_fs_asked(op, ret, latency);

	return row > 0 ? io_shown() : row;
}

/* Of streams that nothing follows: whether the result and the latency (from ts on) are asked for. */
static __always_inline int io_row_asked(s64 ret, u64 ts)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !(cfg->filters & IO_FILTER_ROWS))
		return 1;
	return (ret < 0 || !cfg->errors) && bpf_ktime_get_ns() - ts >= cfg->min_latency;
}

static __always_inline void io_current(struct io_head *head)
{
	u64 id = bpf_get_current_pid_tgid();

	head->tgid = id >> 32;
	head->tid = id;
	bpf_get_current_comm(&head->comm, sizeof(head->comm));
}

/*
 * A unique id for a text: the clock of this CPU and the CPU itself. A counter
 * would need an atomic read-back that 4.14 does not have.
 */
static __always_inline u64 io_new_id(void)
{
	return bpf_ktime_get_ns() << 10 | (bpf_get_smp_processor_id() & 1023);
}

/* A record that waits for the end of a walk; 0: none does */
enum { IO_PENDING_ROW = 1, IO_PENDING_QUIET };

/*
 * Texts are built in a per-CPU buffer. Programs do not nest on a CPU, but from
 * 7.2 on syscall tracepoints are preemptible: the owner's mark tells whether
 * another task wrote here meanwhile, and then the text is counted, not sent.
 */
struct io_scratch {
	u64 mark;
	/* state of a walk towards the root of the mount tree */
	u64 dentry;
	u64 mnt;
	u64 pending;       /* IO_PENDING_*: event below is sent after the text */
	u64 kept[7];       /* struct io_name_key and struct io_name of the walk */
	struct io_fs event;
	struct io_text text;
	char tail[4096]; /* the verifier's bound of a send is a mask, 8 KiB */
};
BPF_TABLE("percpu_array", u32, struct io_scratch, io_scratch, 1);

static __always_inline struct io_scratch *io_scratch_get(void)
{
	u32 zero = 0;

	return io_scratch.lookup(&zero);
}

/* Sends the scratch text with its real length; 0, or negative when the kernel says it was lost. */
static __always_inline int io_send_text(void *ctx, struct io_scratch *s, u64 mark)
{
	u32 len;

	if (s->mark != mark) {
		io_miss(IO_SEQ_STATE, IO_MISS_SCRATCH);
		return -1;
	}
	io_current(&s->text.head);
	io_stamp(&s->text.head, IO_SEQ_STATE, IO_REC_TEXT, 0);
	/* 4.14 wants proof that the size is bounded and above zero. */
	len = (s->text.len & 0x1fff) + IO_TEXT_HEAD;
	return io_events.perf_submit(ctx, &s->text, len);
}

/* Sends a string (n as the reading helper returned it) that stands in the scratch buffer; 0 when it was not read. */
static __always_inline u64 io_send_scratch(void *ctx, struct io_scratch *s, u64 id, int n)
{
	if (n < 0)
		return 0;
	s->text.id = id;
	s->text.kind = IO_TEXT_STRING;
	s->text.flags = n == IO_TEXT_MAX ? IO_TEXT_CUT : 0;
	/* an empty string counts 1 with its NUL, or (5.10 to 6.12, seen) 0 */
	s->text.len = n > 0 ? n - 1 : 0;
	io_send_text(ctx, s, id);
	return id;
}

/* Sends the caller's path string under a new id; 0 when it cannot be read. */
static __always_inline u64 io_send_string(void *ctx, u64 user)
{
	struct io_scratch *s = io_scratch_get();
	u64 id = io_new_id();

	if (!s || !user)
		return 0;
	s->mark = id;
	return io_send_scratch(ctx, s, id, IO_READ_STR_U(s->text.data, IO_TEXT_MAX, (void *)user));
}

/* The same of a string in the kernel. */
static __always_inline u64 io_send_kernel_string(void *ctx, u64 text)
{
	struct io_scratch *s = io_scratch_get();
	u64 id = io_new_id();

	if (!s || !text)
		return 0;
	s->mark = id;
	return io_send_scratch(ctx, s, id, IO_READ_STR_K(s->text.data, IO_TEXT_MAX, (void *)text));
}

/* Bytes asked for by an array of iovec; beyond 32 entries what the call moved has to do. */
static __always_inline u64 io_iov_bytes(u64 iov, u64 n)
{
	u64 sum = 0, len;

#pragma unroll
	for (int i = 0; i < 32; i++) {
		if (i < n) {
			len = 0;
			IO_READ_U(&len, sizeof(len), (void *)(iov + i * 16 + 8));
			sum += len;
		}
	}
	return sum;
}
