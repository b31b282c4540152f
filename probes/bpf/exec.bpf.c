/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream exec, and the set of traced processes: a child of a traced process is
 * traced from its first instruction, because the set grows here, in the kernel.
 */

#define IOT_CLONE_THREAD 0x00010000
#define IOT_CLONE_SHARED 0x00000600 /* CLONE_FS and CLONE_FILES, as all threads of libraries have them */

static __always_inline void iot_task_send(void *ctx, struct iot_task *e)
{
	iot_current(&e->head);
	/* in the order of enum iot_task_event */
	iot_stamp_row(&e->head, IOT_SEQ_exec, IOT_REC_TASK, IOT_VIA_EXEC_FORK + e->event - IOT_FORK,
		     iot_shown());
	iot_events.perf_submit(ctx, e, sizeof(*e));
}

#if defined(IOT_USE_NEWTASK) || defined(IOT_USE_EXIT)
/*
 * Nothing is left of a task. It is told when its memory is freed, often in an
 * interrupt, and the kernel passes over a program that would interrupt another
 * one: so a number is forgotten when it is given to a new task, too, and the
 * tracer removes what is left of tasks that are gone (trace_sweep).
 */
static __always_inline void iot_forget(u32 tid)
{
#ifdef IOT_PENDING
	iot_pending_forget(tid);
#endif
#if defined(IOT_STREAM_sched) && defined(IOT_USE_SWITCHES)
	iot_turns.delete(&tid);
#endif
	iot_tasks.delete(&tid);
	iot_members.delete(&tid);
}
#endif

#if defined(IOT_USE_NEWTASK) && defined(IOT_USE_SC_THREADS)
/* A thread that does not share all with the one that made it */
static __always_inline void iot_new_thread(void *ctx, u32 tid, u64 flags)
{
	struct iot_fs e = {};

	if (!iot_tracked())
		return;
	iot_current(&e.head);
	iot_stamp_row(&e.head, IOT_SEQ_STATE, IOT_REC_FS, 0, 1);
	e.op = IOT_THREAD;
	e.ret = tid;
	e.size = flags;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}
#endif

#ifdef IOT_USE_NEWTASK
/* task:task_newtask runs in the parent, before the child does */
int iot_newtask(struct iot_tp_task_task_newtask *ctx)
{
	u32 child = ctx->pid;
	struct iot_task e = {};
	struct iot_config *cfg;
	u8 one = 1;

	iot_forget(child);
	cfg = iot_on(bpf_get_current_pid_tgid() >> 32);
#ifdef IOT_USE_SC_THREADS
	if (cfg && (ctx->clone_flags & IOT_CLONE_THREAD) && (ctx->clone_flags & IOT_CLONE_SHARED) != IOT_CLONE_SHARED)
		iot_new_thread(ctx, child, ctx->clone_flags);
#endif
	if (!cfg || (ctx->clone_flags & IOT_CLONE_THREAD))
		return 0;
	/* whatever user and name the parent has now: the child may have others */
	if ((cfg->filters & (IOT_FILTER_FORKS | IOT_FILTER_CGROUP)) && iot_followed(cfg, bpf_get_current_pid_tgid() >> 32)) {
		if ((cfg->filters & IOT_FILTER_FORKS) && iot_tasks.update(&child, &one) < 0)
			iot_miss(IOT_SEQ_exec, IOT_MISS_FULL);
		if ((cfg->filters & IOT_FILTER_CGROUP) && !cfg->by_group && iot_members.update(&child, &one) < 0)
			iot_miss(IOT_SEQ_exec, IOT_MISS_FULL);
	}
	if (!iot_tracked())
		return 0;
	e.event = IOT_FORK;
	e.child = child;
	e.clone_flags = ctx->clone_flags;
	iot_task_send(ctx, &e);
	return 0;
}
#endif

#if defined(IOT_USE_EXEC) || defined(IOT_USE_SC_EXECVE) || defined(IOT_USE_GROUP)
/* Sends one text built in the scratch buffer; its id, or 0. */
static __always_inline u64 iot_exec_text(void *ctx, struct iot_scratch *s, u16 kind, int n, int max)
{
	u64 id;

	if (n <= 0)
		return 0;
	id = iot_new_id();
	s->mark = id;
	s->text.id = id;
	s->text.kind = kind;
	s->text.flags = n >= max ? IOT_TEXT_CUT : 0;
	s->text.len = kind == IOT_TEXT_STRING ? n - 1 : n;
	iot_send_text(ctx, s, id);
	return id;
}
#endif

#ifdef IOT_USE_GROUP
/*
 * The current task is who moves: a runtime of containers, systemd. The row is of the process that is moved, whose user is
 * not at hand, so that a filter by users and names lets none of these rows pass.
 */
int iot_group(struct iot_tp_cgroup_cgroup_attach_task *ctx)
{
	struct iot_config *cfg = iot_on(bpf_get_current_pid_tgid() >> 32);
	struct iot_scratch *s = iot_scratch_get();
	struct iot_task e = {};
	u32 pid = ctx->pid;
	int n;

	if (!cfg || !s)
		return 0;
	if ((cfg->filters & IOT_FILTER_TASKS) && !iot_tasks.lookup(&pid))
		return 0;
	n = IOT_READ_STR_K(s->text.data, IOT_TEXT_MAX, (void *)ctx + (ctx->dst_path & 0xffff));
	e.name = iot_exec_text(ctx, s, IOT_TEXT_STRING, n, IOT_TEXT_MAX);
	e.event = IOT_GROUP;
	e.hierarchy = ctx->dst_root;
	e.head.tgid = e.head.tid = pid;
	IOT_READ_STR_K(e.head.comm, sizeof(e.head.comm), (void *)ctx + (ctx->comm & 0xffff));
	iot_stamp_row(&e.head, IOT_SEQ_exec, IOT_REC_TASK, IOT_VIA_EXEC_GROUP,
		      !(cfg->filters & (IOT_FILTER_CGROUP | IOT_FILTER_NOW)));
	iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}
#endif

#if defined(IOT_USE_EXEC) || defined(IOT_USE_SC_EXECVE)
/*
 * With headers the arguments are read from the new program's own memory, as
 * the kernel laid them out (a script's interpreter included).
 */
#ifdef IOT_HEADERS
static __always_inline u64 iot_exec_args(void *ctx, struct iot_scratch *s)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = 0;
	unsigned long start = 0, end = 0;
	u32 n;

	IOT_GET(mm, task, mm);
	if (!mm)
		return 0;
	IOT_READ_K(&start, sizeof(start), &mm->arg_start);
	IOT_READ_K(&end, sizeof(end), &mm->arg_end);
	if (!start || end <= start)
		return 0;
	n = end - start;
	if (end - start > IOT_TEXT_MAX - 1)
		n = IOT_TEXT_MAX - 1;
	n &= IOT_TEXT_MAX - 1;
	if (IOT_READ_U(s->text.data, n + 1, (void *)start) < 0)
		return 0;
	return iot_exec_text(ctx, s, IOT_TEXT_ARGS, n, IOT_TEXT_MAX - 1);
}
#endif

int iot_exec(struct iot_tp_sched_sched_process_exec *ctx)
{
	struct iot_scratch *s = iot_scratch_get();
	struct iot_task e = {};
	int n;

	if (!iot_tracked() || !s)
		return 0;
#ifdef IOT_USE_SC_EXECVE
	{
		/* the thread that called, which now has its leader's number */
		struct iot_exec_call *c = iot_pending_of(IOT_KIND_EXEC, ctx->old_pid);

		if (c) {
			e.name = c->name;
			e.args = c->args;
			iot_pending_end(c);
		}
	}
#endif
	if (!e.name) {
		n = IOT_READ_STR_K(s->text.data, IOT_TEXT_MAX, (void *)ctx + (ctx->filename & 0xffff));
		e.name = iot_exec_text(ctx, s, IOT_TEXT_STRING, n, IOT_TEXT_MAX);
	}
#ifdef IOT_HEADERS
	e.args = iot_exec_args(ctx, s);
#endif
	e.event = IOT_EXEC;
	iot_task_send(ctx, &e);
	return 0;
}
#endif

#ifdef IOT_USE_SC_EXECVE
/* 0 when not all of them can be read (yet) */
static __always_inline u64 iot_argv(void *ctx, struct iot_scratch *s, u64 argv)
{
	u32 off, at, missing = 0;
	u64 arg;
	int n;

	/* What the verifier cannot look into, a map's value, makes one state of each turn's many. */
	s->text.len = 0;
	s->text.flags = IOT_TEXT_CUT;
	IOT_REPEAT
	for (u64 i = 0; i < 24; i++) {
		IOT_COUNTED(i);
		arg = 0;
		if (IOT_READ_U(&arg, sizeof(arg), (void *)(argv + i * 8)) < 0) {
			missing = 1;
			break;
		}
		if (!arg) {
			s->text.flags = 0;
			break;
		}
		off = s->text.len;
		if (off >= IOT_TEXT_MAX - 1)
			break;
		/* the barrier keeps the mask, and with it the bound, where LLVM 11 drops it */
		at = off;
		asm volatile("" : "+r"(at));
		at &= IOT_TEXT_MAX - 1;
		/* the tail of the buffer takes what the last argument overshoots */
		n = IOT_READ_STR_U(s->text.data + at, 2048, (void *)arg);
		if (n < 0) {
			missing = 1;
			break;
		}
		s->text.len = off + n;
	}
	off = s->text.len;
	if (!off || missing)
		return 0;
	if (off > IOT_TEXT_MAX)
		s->text.len = IOT_TEXT_MAX;
	s->mark = iot_new_id();
	s->text.id = s->mark;
	s->text.kind = IOT_TEXT_ARGS;
	iot_send_text(ctx, s, s->mark);
	return s->mark;
}

/* What of the caller's strings is not sent yet. */
static __always_inline void iot_execve_strings(void *ctx, struct iot_exec_call *c)
{
	struct iot_scratch *s = iot_scratch_get();

	if (!s)
		return;
	if (!c->name)
		c->name = iot_send_string(ctx, c->path);
	if (!c->args)
		c->args = iot_argv(ctx, s, c->argv);
}

/*
 * Without headers the arguments are the caller's own, read before the call;
 * the reader keeps them until the call ended. A failed exec is a row, too.
 */
static __always_inline void iot_execve_begin(void *ctx, u64 path, u64 argv)
{
	struct iot_exec_call *c;

	if (!iot_tracked())
		return;
	c = iot_pending_begin(IOT_KIND_EXEC, IOT_SEQ_exec, IOT_EXEC, 0);
	if (!c)
		return;
	c->name = c->args = 0;
	c->path = path;
	c->argv = argv;
	c->ts = bpf_ktime_get_ns();
	iot_execve_strings(ctx, c);
}

/*
 * Pages of strings may not have been mapped when the call began, as those of a program's own file after a fork. By
 * now the kernel has copied them, and the old memory is still there.
 */
int iot_prepare_exec(void *ctx)
{
	struct iot_exec_call *c = iot_pending_active(IOT_KIND_EXEC);

	if (c)
		iot_execve_strings(ctx, c);
	return 0;
}

int iot_sc_execve(struct iot_sys_enter *ctx)
{
	iot_execve_begin(ctx, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1));
	return 0;
}

int iot_sc_execveat(struct iot_sys_enter *ctx)
{
	iot_execve_begin(ctx, IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	return 0;
}

/* Only a call that failed is left here: success was told by sched_process_exec. */
int iot_sc_execve_exit(struct iot_sys_exit *ctx)
{
	struct iot_exec_call *c = iot_pending_active(IOT_KIND_EXEC);
	struct iot_task e = {};

	if (!c)
		return 0;
	iot_execve_strings(ctx, c);
	e.name = c->name;
	e.args = c->args;
	e.ret = IOT_SYS_RET(ctx);
	e.event = IOT_EXEC;
	iot_pending_end(c);
	iot_task_send(ctx, &e);
	return 0;
}
#endif

#ifdef IOT_USE_SC_EXIT
/* Without headers the exit status is what the process asked for. */
BPF_TABLE("lru_hash", u32, u32, iot_exits, 4096);

int iot_sc_exit_group(struct iot_sys_enter *ctx)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	u32 status = (IOT_SYS_ARG(ctx, 0) & 0xff) << 8;

	if (iot_tracked())
		iot_exits.update(&tgid, &status);
	return 0;
}
#endif

#ifdef IOT_USE_EXIT
/*
 * A task is gone. Only now: files are closed after sched_process_exit, and
 * these closes are the process's own.
 */
int iot_free(struct iot_tp_sched_sched_process_free *ctx)
{
	iot_forget(ctx->pid);
	return 0;
}

/* The last thread of the process: the kernel's own word, else its count, else the leader. */
static __always_inline int iot_last_thread(struct iot_tp_sched_sched_process_exit *ctx)
{
#if defined(IOT_HAS_GROUP_DEAD)
	return ctx->group_dead;
#elif defined(IOT_HEADERS)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct signal_struct *sig = 0;
	int live = 1;

	IOT_GET(sig, task, signal);
	IOT_READ_K(&live, sizeof(live), &sig->live);
	return live == 0;
#else
	u64 id = bpf_get_current_pid_tgid();

	return id >> 32 == (u32)id;
#endif
}

int iot_exit(struct iot_tp_sched_sched_process_exit *ctx)
{
	struct iot_task e = {};

	if (!iot_tracked())
		return 0;
	if (!iot_last_thread(ctx))
		return 0;
	e.event = IOT_EXIT;
#ifdef IOT_HEADERS
	{
		struct task_struct *task = (struct task_struct *)bpf_get_current_task();
		int code = 0;

		IOT_GET(code, task, exit_code);
		e.status = code;
		e.known = IOT_TASK_STATUS;
	}
#elif defined(IOT_USE_SC_EXIT)
	{
		u32 tgid = bpf_get_current_pid_tgid() >> 32, *status = iot_exits.lookup(&tgid);

		if (status) {
			e.status = *status;
			e.known = IOT_TASK_STATUS;
			iot_exits.delete(&tgid);
		}
	}
#endif
	iot_task_send(ctx, &e);
	return 0;
}
#endif
