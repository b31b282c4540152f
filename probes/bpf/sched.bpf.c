/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream sched: a record for each stay of a traced thread on a CPU, sent when it
 * leaves. What is known before it is kept by thread: since when it was off, who woke
 * it and when, since when it is on. sched_switch comes while the leaving thread
 * is current, so that the filters judge it as they judge all others; threads that
 * never left a CPU under these eyes cost a look-up that fails.
 */
#ifdef IOT_STREAM_sched

struct iot_waker {
	u32 tid; /* 0: nobody, or an interrupt of a CPU that idled */
	u32 comes;
	char comm[16];
};

struct iot_turn {
	u64 off;   /* left a CPU; 0: not seen */
	u64 woken; /* runnable since; 0: sleeps, or not known */
	u64 on;    /* got a CPU; 0: is off, or not known */
	struct iot_waker waker;
	struct iot_waker next; /* comes: wakes it while it is still on its CPU */
};
BPF_TABLE("hash", u32, struct iot_turn, iot_turns, 65536);

/* Of a thread: for each one the same */
static __always_inline u32 iot_turn_hash(u32 tid)
{
	return (tid * 0x9e3779b97f4a7c15ULL) >> 32;
}

static __always_inline void iot_turn_send(void *ctx, struct iot_turn *t, u32 priority, u32 state, u64 now)
{
	struct iot_run e = {};

	if (t->on) {
		e.known = IOT_RUN_TIME;
		e.run = now - t->on;
		if (t->woken) {
			e.known |= IOT_RUN_DELAY;
			e.delay = t->on - t->woken;
		}
		/* a wake-up that was passed over is not told from the wait that followed it */
		if (t->off) {
			e.known |= IOT_RUN_SLEEP;
			e.sleep = (t->woken ? t->woken : t->on) - t->off;
		}
	}
	if (iot_thinned(IOT_SEQ_sched, iot_turn_hash(bpf_get_current_pid_tgid())))
		return;
	e.waker = t->waker.tid;
	__builtin_memcpy(e.waker_comm, t->waker.comm, sizeof(e.waker_comm));
	e.cpu = bpf_get_smp_processor_id();
	e.priority = priority;
	e.state = state;
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_sched, IOT_REC_RUN, IOT_VIA_SCHED_RUN);
	e.head.ts = now;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

static __always_inline void iot_leaves(void *ctx, u32 tid, u32 priority, u32 state, u64 now)
{
	struct iot_turn *t, fresh = {};

	if (!iot_wanted())
		return;
	t = iot_turns.lookup(&tid);
	if (!t) {
		iot_turns.update(&tid, &fresh);
		t = iot_turns.lookup(&tid);
		if (!t) {
			iot_miss(IOT_SEQ_sched, IOT_MISS_FULL);
			return;
		}
	}
	/*
	 * Before 5.18 (fa2c3254d7cf) the event reads the state anew: of a thread that leaves to sleep, and that
	 * another CPU is waking, that is TASK_WAKING by then, and told as runnable.
	 */
	if (!state && t->next.comes)
		state = IOT_RUN_WAKING;
	iot_turn_send(ctx, t, priority, state, now);
	t->off = now;
	t->woken = IOT_STAYS_RUNNABLE(state) ? now : 0;
	__builtin_memset(&t->waker, 0, sizeof(t->waker));
	if (t->next.comes && !IOT_STAYS_RUNNABLE(state))
		t->waker = t->next;
	t->next.comes = 0;
	t->on = 0;
}

static __always_inline void iot_arrives(u32 tid, u64 now)
{
	struct iot_turn *t = iot_turns.lookup(&tid);

	if (t)
		t->on = now;
}

static __always_inline void iot_wakes(struct iot_waker *waker)
{
	waker->tid = bpf_get_current_pid_tgid();
	waker->comes = 1;
	bpf_get_current_comm(&waker->comm, sizeof(waker->comm));
}

/*
 * In the thread that wakes another one. That one may still be on its CPU, about to
 * sleep or never to: iot_woken, which comes when it is runnable, decides.
 */
int iot_waking(struct iot_tp_sched_sched_waking *ctx)
{
	u32 tid = ctx->pid;
	struct iot_turn *t = iot_turns.lookup(&tid);

	if (!t)
		return 0;
	if (t->on)
		iot_wakes(&t->next);
	else
		iot_wakes(&t->waker);
	return 0;
}

int iot_woken(struct iot_tp_sched_sched_wakeup *ctx)
{
	u32 tid = ctx->pid;
	struct iot_turn *t = iot_turns.lookup(&tid);

	if (!t)
		return 0;
	/* it was woken before it slept */
	if (t->on)
		t->next.comes = 0;
	else if (!t->woken)
		t->woken = bpf_ktime_get_ns();
	return 0;
}

/* In the parent. Whether the child is traced shows when it leaves its CPU. */
int iot_woken_new(struct iot_tp_sched_sched_wakeup_new *ctx)
{
	u32 tid = ctx->pid;
	struct iot_turn fresh = {};

	if (!iot_wanted())
		return 0;
	fresh.woken = bpf_ktime_get_ns();
	iot_wakes(&fresh.waker);
	if (iot_turns.update(&tid, &fresh) < 0)
		iot_miss(IOT_SEQ_sched, IOT_MISS_FULL);
	return 0;
}

#endif /* IOT_STREAM_sched */

#ifdef IOT_PROGRAM_iot_switch
int iot_switch(struct iot_tp_sched_sched_switch *ctx)
{
	u32 zero = 0, prev = ctx->prev_pid, next = ctx->next_pid;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	u64 now;

	if (!cfg || !cfg->on)
		return 0;
	now = bpf_ktime_get_ns();
#ifdef IOT_STREAM_stacks
	if (prev)
		iot_stack_sleeps(ctx, prev, ctx->prev_state, now);
	if (next)
		iot_stack_wakes(next, now);
#endif
#ifdef IOT_STREAM_sched
	if (prev)
		iot_leaves(ctx, prev, ctx->prev_prio, ctx->prev_state, now);
	if (next)
		iot_arrives(next, now);
#endif
	return 0;
}
#endif
