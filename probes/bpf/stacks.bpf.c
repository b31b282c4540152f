/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream stacks: where in the program an operation of fs was called, and where in the kernel it slept.
 * The kernel keeps stacks in tables, once each, and programs send their numbers. At the end of a
 * call its own stack of the kernel is the way out and tells nothing: so it is taken
 * where the thread leaves its CPU, and that of the longest sleep is kept. Without --stacks
 * no program takes a stack.
 */
/* As prev_state has it, 4.14 to 7.3: 0 runs on, 0x100 was preempted */
#define IOT_STAYS_RUNNABLE(state) (!((state) & (0xff | IOT_RUN_WAKING)))

#ifdef IOT_STREAM_stacks
#ifdef IOT_PENDING

BPF_TABLE("stacktrace", int, struct bpf_stacktrace, iot_user_stacks, IOT_USER_STACKS);
BPF_TABLE("stacktrace", int, struct bpf_stacktrace, iot_kernel_stacks, IOT_KERNEL_STACKS);

/* linux/bpf.h */
#define IOT_USER_STACK (1ULL << 8)
#define IOT_NO_STACK (-2) /* -ENOENT */

/* Of a thread that sleeps, or did, in its operation */
struct iot_slept {
	u64 begun;  /* of which operation: when it began */
	u64 off;    /* off its CPU since; 0: it is on one, or did not sleep */
	u64 wait;   /* the longest time */
	s32 kernel; /* and the stack then */
	s32 now;    /* stack of the sleep since off */
};
BPF_TABLE("lru_hash", u32, struct iot_slept, iot_slept, 16384);

static __always_inline int iot_stack_asked(struct iot_config *cfg, u16 op, u64 latency)
{
	if ((cfg->stack_ops >> (op & 63)) & 1)
		return 1;
	if (cfg->stack_latency && latency >= cfg->stack_latency)
		return 1;
	return cfg->stack_keep == ~0U || (cfg->stack_keep && bpf_get_prandom_u32() < cfg->stack_keep);
}

/* An operation of the current task ends that is a row; its record is sent next. */
static __always_inline void iot_stack_send(void *ctx, u16 op, u64 begun)
{
	u32 zero = 0, tid = bpf_get_current_pid_tgid();
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_stack e = {};
	struct iot_slept *slept;

	if (!cfg || op >= IOT_N_OPS || !iot_stack_asked(cfg, op, bpf_ktime_get_ns() - begun))
		return;
	e.user = iot_user_stacks.get_stackid(ctx, IOT_USER_STACK);
	e.kernel = IOT_NO_STACK;
	iot_stack_words(e.words);
	slept = iot_slept.lookup(&tid);
	if (slept && slept->begun == begun && slept->wait) {
		e.kernel = slept->kernel;
		e.wait = slept->wait;
	}
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_stacks, IOT_REC_STACK, IOT_VIA_STACKS_STACK);
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* When the operation that a thread is in began, or 0 */
static __always_inline u64 iot_stack_begun(u32 tid)
{
	struct iot_pending_head *p = iot_pending_of(IOT_KIND_RW, tid);

	if (!p)
		p = iot_pending_of(IOT_KIND_CALL, tid);
	if (!p)
		p = iot_pending_of(IOT_KIND_OPEN, tid);
	return p ? p->ts : 0;
}

/* The current thread leaves its CPU. */
static __always_inline void iot_stack_sleeps(void *ctx, u32 tid, u32 state, u64 now)
{
	struct iot_slept *s, fresh = {};
	u64 begun;

	if (IOT_STAYS_RUNNABLE(state))
		return;
	begun = iot_stack_begun(tid);
	if (!begun)
		return;
	s = iot_slept.lookup(&tid);
	if (!s) {
		iot_slept.update(&tid, &fresh);
		s = iot_slept.lookup(&tid);
		if (!s)
			return;
	}
	if (s->begun != begun) {
		s->begun = begun;
		s->wait = 0;
	}
	s->now = iot_kernel_stacks.get_stackid(ctx, 0);
	s->off = now;
}

static __always_inline void iot_stack_wakes(u32 tid, u64 now)
{
	struct iot_slept *s = iot_slept.lookup(&tid);

	if (!s || !s->off)
		return;
	if (now - s->off > s->wait) {
		s->wait = now - s->off;
		s->kernel = s->now;
	}
	s->off = 0;
}

#endif
#else
static __always_inline void iot_stack_send(void *ctx, u16 op, u64 begun)
{
}
#endif
