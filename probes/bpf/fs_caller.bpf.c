/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which system call a probe of a function inside the kernel was reached from. Probes of the calls
 * themselves know that.
 */
#if defined(IOT_FILE_TEXTS) || defined(IOT_SYSCALL_FUNCTIONS)

/* In place of a call: the caller's registers tell it; also in tasks that have none, or run no call any more. */
enum { IOT_CALL_ASKED = 0xffff, IOT_CALL_OF_TASK = 0xfffe };

#ifdef IOT_HEADERS
/* twice that with KASAN; then, on a host whose layout is known from elsewhere than headers, no call is told */
#ifndef THREAD_SIZE
#define THREAD_SIZE 16384
#endif

static __always_inline u16 iot_call_number(u64 number, int compat)
{
	/* -1: an exception or interrupt of user space. x32 calls have bit 30, and numbers of their own. */
	if ((s32)number < 0)
		return IOT_NO_CALL;
	return IOT_CALL_NUMBER | (compat ? IOT_CALL_COMPAT : 0) | (number & IOT_CALL_MASK);
}

/* A code segment of user space. The upper bits are FRED's. */
static __always_inline int iot_user_code(u64 cs)
{
	return (u16)cs == IOT_USER_CS || (u16)cs == IOT_USER32_CS;
}

/*
 * What the caller had in its registers lies at the top of the task's stack, on which the probe runs,
 * too. Kernel threads have zeros there.
 */
static __always_inline u16 iot_syscall_from_regs(struct pt_regs *ctx)
{
	u64 top = (PT_REGS_SP(ctx) & ~(u64)(THREAD_SIZE - 1)) + THREAD_SIZE;
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#ifdef IOT_LAYOUT
	return IOT_NO_CALL; /* the size of struct pt_regs is not the same everywhere */
#else
	struct pt_regs *regs = (struct pt_regs *)top - 1;
	u64 pstate = 0;
	s32 number = -1;

	IOT_LOAD(number, (void *)regs + offsetof(struct pt_regs, syscallno));
	IOT_LOAD(pstate, (void *)regs + offsetof(struct pt_regs, pstate));
	return iot_call_number(number, (pstate & IOT_PSTATE_32) != 0);
#endif
#else
	/* orig_ax, ip and cs, before flags, sp and ss; where the kernel can use FRED (6.9), 16 bytes lower */
	u64 words[3] = {};

	IOT_LOAD(words, top - 6 * sizeof(u64));
	if (!iot_user_code(words[2]))
		IOT_LOAD(words, top - 8 * sizeof(u64));
	if (!iot_user_code(words[2]))
		return IOT_NO_CALL;
	return iot_call_number(words[0], (u16)words[2] == IOT_USER32_CS);
#endif
}

/*
 * The same where the task may be a worker of io_uring, whose registers are copies of those of some
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
