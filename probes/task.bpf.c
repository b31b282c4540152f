/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream exec, and the set of traced processes: a child of a traced process is
 * traced from its first instruction, because the set grows here, in the kernel.
 */

#define IO_CLONE_THREAD 0x00010000

static __always_inline void io_task_send(void *ctx, struct io_task *e)
{
	io_current(&e->head);
	/* in the order of enum io_task_event */
	io_stamp_row(&e->head, IO_SEQ_EXEC, IO_REC_TASK, IO_VIA_EXEC_FORK + e->event - IO_FORK,
		     io_shown());
	io_events.perf_submit(ctx, e, sizeof(*e));
}

#if defined(IO_USE_NEWTASK) || defined(IO_USE_EXIT)
/*
 * Nothing is left of a task. It is told when its memory is freed, often in an
 * interrupt, and the kernel passes over a program that would interrupt another
 * one: so a number is forgotten when it is given to a new task, too, and the
 * tracer removes what is left of tasks that are gone (trace_sweep).
 */
static __always_inline void io_forget(u32 tid)
{
#ifdef IO_SLOTS
	u64 key = tid;

#pragma unroll
	for (int i = 0; i < IO_N_SLOTS; i++) {
		io_slots.delete(&key);
		key += 1ULL << 32;
	}
#endif
#ifdef IO_STREAM_fs
	io_calls.delete(&tid);
#endif
#ifdef IO_USE_HANDLE_MM_FAULT
	io_faultings.delete(&tid);
#endif
#ifdef IO_SOCK_CALLS
	io_sock_calls.delete(&tid);
#endif
#ifdef IO_USE_SOCK_FUNCTIONS
	io_net_calls.delete(&tid);
#endif
#ifdef IO_RING_CALLS
	io_ring_calls.delete(&tid);
#endif
	io_tasks.delete(&tid);
	io_members.delete(&tid);
}
#endif

#ifdef IO_USE_NEWTASK
/* task:task_newtask runs in the parent, before the child does */
int io_newtask(struct io_tp_task_task_newtask *ctx)
{
	u32 child = ctx->pid;
	struct io_config *cfg = io_on();
	struct io_task e = {};
	u8 one = 1;

	io_forget(child);
	if (!cfg || (ctx->clone_flags & IO_CLONE_THREAD))
		return 0;
	/* whatever user and name the parent has now: the child may have others */
	if ((cfg->filters & (IO_FILTER_FORKS | IO_FILTER_CGROUP)) && io_followed(cfg)) {
		if ((cfg->filters & IO_FILTER_FORKS) && io_tasks.update(&child, &one) < 0)
			io_miss(IO_SEQ_EXEC, IO_MISS_FULL);
		if ((cfg->filters & IO_FILTER_CGROUP) && !cfg->by_group && io_members.update(&child, &one) < 0)
			io_miss(IO_SEQ_EXEC, IO_MISS_FULL);
	}
	if (!io_tracked())
		return 0;
	e.event = IO_FORK;
	e.ret = child;
	e.flags = ctx->clone_flags;
	io_task_send(ctx, &e);
	return 0;
}
#endif

#ifdef IO_USE_SC_EXECVE
/*
 * Without headers the arguments are the caller's own, read before the call;
 * the reader keeps them until the call ended. A failed exec is a row, too.
 */
struct io_exec_wait {
	u64 name;
	u64 args;
};
BPF_TABLE("hash", u32, struct io_exec_wait, io_execs, 1024);
#endif

#if defined(IO_USE_EXEC) || defined(IO_USE_SC_EXECVE)
/* Sends one text built in the scratch buffer; its id, or 0. */
static __always_inline u64 io_exec_text(void *ctx, struct io_scratch *s, u16 kind, int n, int max)
{
	u64 id;

	if (n <= 0)
		return 0;
	id = io_new_id();
	s->mark = id;
	s->text.id = id;
	s->text.kind = kind;
	s->text.flags = n >= max ? IO_TEXT_CUT : 0;
	s->text.len = kind == IO_TEXT_STRING ? n - 1 : n;
	io_send_text(ctx, s, id);
	return id;
}

/*
 * With headers the arguments are read from the new program's own memory, as
 * the kernel laid them out (a script's interpreter included).
 */
#ifdef IO_HEADERS
static __always_inline u64 io_exec_args(void *ctx, struct io_scratch *s)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = 0;
	unsigned long start = 0, end = 0;
	u32 n;

	IO_GET(mm, task, mm);
	if (!mm)
		return 0;
	IO_READ_K(&start, sizeof(start), &mm->arg_start);
	IO_READ_K(&end, sizeof(end), &mm->arg_end);
	if (!start || end <= start)
		return 0;
	n = end - start;
	if (end - start > IO_TEXT_MAX - 1)
		n = IO_TEXT_MAX - 1;
	n &= IO_TEXT_MAX - 1;
	if (IO_READ_U(s->text.data, n + 1, (void *)start) < 0)
		return 0;
	return io_exec_text(ctx, s, IO_TEXT_ARGS, n, IO_TEXT_MAX - 1);
}
#endif

int io_exec(struct io_tp_sched_sched_process_exec *ctx)
{
	struct io_scratch *s = io_scratch_get();
	struct io_task e = {};
	int n;

	if (!io_tracked() || !s)
		return 0;
#ifdef IO_USE_SC_EXECVE
	{
		/* the thread that called, which now has its leader's number */
		u32 tid = ctx->old_pid;
		struct io_exec_wait *w = io_execs.lookup(&tid);

		if (w) {
			e.name = w->name;
			e.args = w->args;
			io_execs.delete(&tid);
		}
	}
#endif
	if (!e.name) {
		n = IO_READ_STR_K(s->text.data, IO_TEXT_MAX, (void *)ctx + (ctx->filename & 0xffff));
		e.name = io_exec_text(ctx, s, IO_TEXT_STRING, n, IO_TEXT_MAX);
	}
#ifdef IO_HEADERS
	e.args = io_exec_args(ctx, s);
#endif
	e.event = IO_EXEC;
	io_task_send(ctx, &e);
	return 0;
}
#endif

#ifdef IO_USE_SC_EXECVE
static __always_inline u64 io_argv(void *ctx, struct io_scratch *s, u64 argv)
{
	u32 off, at;
	u64 arg;
	int n;

	/* What the verifier cannot look into, a map's value, makes one state of each turn's many. */
	s->text.len = 0;
	s->text.flags = IO_TEXT_CUT;
#pragma unroll
	for (int i = 0; i < 24; i++) {
		arg = 0;
		IO_READ_U(&arg, sizeof(arg), (void *)(argv + i * 8));
		if (!arg) {
			s->text.flags = 0;
			break;
		}
		off = s->text.len;
		if (off >= IO_TEXT_MAX - 1)
			break;
		/* the barrier keeps the mask, and with it the bound, where LLVM 11 drops it */
		at = off;
		asm volatile("" : "+r"(at));
		at &= IO_TEXT_MAX - 1;
		/* the tail of the buffer takes what the last argument overshoots */
		n = IO_READ_STR_U(s->text.data + at, 2048, (void *)arg);
		if (n > 0)
			s->text.len = off + n;
	}
	off = s->text.len;
	if (!off)
		return 0;
	if (off > IO_TEXT_MAX)
		s->text.len = IO_TEXT_MAX;
	s->mark = io_new_id();
	s->text.id = s->mark;
	s->text.kind = IO_TEXT_ARGS;
	io_send_text(ctx, s, s->mark);
	return s->mark;
}

static __always_inline void io_execve_begin(void *ctx, u64 path, u64 argv)
{
	struct io_scratch *s = io_scratch_get();
	u32 tid = bpf_get_current_pid_tgid();
	struct io_exec_wait w = {};

	if (!io_tracked() || !s)
		return;
	w.name = io_send_string(ctx, path);
	w.args = io_argv(ctx, s, argv);
	io_execs.update(&tid, &w);
}

int io_sc_execve(struct io_sys_enter *ctx)
{
	io_execve_begin(ctx, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1));
	return 0;
}

int io_sc_execveat(struct io_sys_enter *ctx)
{
	io_execve_begin(ctx, IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2));
	return 0;
}

/* Only a call that failed is left here: success was told by sched_process_exec. */
int io_sc_execve_exit(struct io_sys_exit *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_exec_wait *w = io_execs.lookup(&tid);
	struct io_task e = {};

	if (!w)
		return 0;
	e.name = w->name;
	e.args = w->args;
	e.ret = IO_SYS_RET(ctx);
	e.event = IO_EXEC;
	io_execs.delete(&tid);
	io_task_send(ctx, &e);
	return 0;
}
#endif

#ifdef IO_USE_SC_EXIT
/* Without headers the exit status is what the process asked for. */
BPF_TABLE("lru_hash", u32, u32, io_exits, 4096);

int io_sc_exit_group(struct io_sys_enter *ctx)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	u32 status = (IO_SYS_ARG(ctx, 0) & 0xff) << 8;

	if (io_tracked())
		io_exits.update(&tgid, &status);
	return 0;
}
#endif

#ifdef IO_USE_EXIT
/*
 * A task is gone. Only now: files are closed after sched_process_exit, and
 * these closes are the process's own.
 */
int io_free(struct io_tp_sched_sched_process_free *ctx)
{
	io_forget(ctx->pid);
	return 0;
}

/* The last thread of the process: the kernel's own word, else its count, else the leader. */
static __always_inline int io_last_thread(struct io_tp_sched_sched_process_exit *ctx)
{
#if defined(IO_HAS_GROUP_DEAD)
	return ctx->group_dead;
#elif defined(IO_HEADERS)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct signal_struct *sig = 0;
	int live = 1;

	IO_GET(sig, task, signal);
	IO_READ_K(&live, sizeof(live), &sig->live);
	return live == 0;
#else
	u64 id = bpf_get_current_pid_tgid();

	return id >> 32 == (u32)id;
#endif
}

int io_exit(struct io_tp_sched_sched_process_exit *ctx)
{
	struct io_task e = {};

	if (!io_tracked())
		return 0;
	if (!io_last_thread(ctx))
		return 0;
	e.event = IO_EXIT;
#ifdef IO_HEADERS
	{
		struct task_struct *task = (struct task_struct *)bpf_get_current_task();
		int code = 0;

		IO_GET(code, task, exit_code);
		e.ret = code;
		e.flags = IO_TASK_STATUS;
	}
#elif defined(IO_USE_SC_EXIT)
	{
		u32 tgid = bpf_get_current_pid_tgid() >> 32, *status = io_exits.lookup(&tgid);

		if (status) {
			e.ret = *status;
			e.flags = IO_TASK_STATUS;
			io_exits.delete(&tgid);
		}
	}
#endif
	io_task_send(ctx, &e);
	return 0;
}
#endif
