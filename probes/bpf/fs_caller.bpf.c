/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which system call a probe of a function inside the kernel was reached from. Probes of the calls
 * themselves know that.
 */
#if defined(IOT_FILE_TEXTS) || defined(IOT_SYSCALL_FUNCTIONS)

/* In place of a call: the caller's registers tell it; also in tasks that have none, or run no call any more. */
enum { IOT_CALL_ASKED = 0xffff, IOT_CALL_OF_TASK = 0xfffe };

#ifdef IOT_HEADERS
/*
 * iot_syscall_from_regs() where the task may be a worker of io_uring, whose registers are copies of those of some
 * call of its process, or one that exits, by a call or by a signal in the middle of one.
 */
static __always_inline u16 iot_task_call(struct pt_regs *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned int flags = 0;

	IOT_GET(flags, task, flags);
#ifdef PF_IO_WORKER
	if (flags & PF_IO_WORKER)
		return IOT_CALL_io_uring_enter;
#endif
	return flags & PF_EXITING ? IOT_NO_CALL : iot_syscall_from_regs(ctx);
}

/* A tracepoint program already knows its call, and its context has no kernel registers. */
static __always_inline u16 iot_call_of(void *ctx, u16 call, int kprobe)
{
	if (!kprobe)
		return call;
	if (call == IOT_CALL_ASKED)
		return iot_syscall_from_regs(ctx);
	return call == IOT_CALL_OF_TASK ? iot_task_call(ctx) : call;
}
#endif
#endif /* IOT_FILE_TEXTS */
