/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the registers of a caller say, on x86-64. Each of the other machines has the same functions. */

/* A code segment of user space. The upper bits are FRED's. */
static __always_inline int iot_user_code(u64 cs)
{
	return (u16)cs == IOT_USER_CS || (u16)cs == IOT_USER32_CS;
}

#ifdef IOT_HEADERS
/*
 * What the caller had in its registers lies at the top of the task's stack, on which the probe runs,
 * too. Kernel threads have zeros there.
 */
static __always_inline u16 iot_syscall_from_regs(struct pt_regs *ctx)
{
	u64 top = (PT_REGS_SP(ctx) & ~(u64)(THREAD_SIZE - 1)) + THREAD_SIZE;
	/* orig_ax, ip and cs, before flags, sp and ss; where the kernel can use FRED (6.9), 16 bytes lower */
	u64 words[3] = {};

	IOT_LOAD(words, top - 6 * sizeof(u64));
	if (!iot_user_code(words[2]))
		IOT_LOAD(words, top - 8 * sizeof(u64));
	if (!iot_user_code(words[2]))
		return IOT_NO_CALL;
	return iot_call_number(words[0], (u16)words[2] == IOT_USER32_CS);
}
#endif

/* Whether the current task is a 32-bit program, where iot_syscall_from_regs() does not know. */
static __always_inline int iot_task_is_32(void)
{
	return 0;
}

/*
 * Whether a call that begins is one of 64-bit programs. 32-bit ones have other numbers, and a 64-bit one can make their
 * calls, too, by int 0x80: after a native call cx is where the program goes on, but for CPUs with FRED, which keep cx.
 */
static __always_inline int iot_is_native(u64 regs)
{
	/* cx, dx, si, di, orig_ax, ip, cs */
	u64 words[7] = {};
	u16 code = 0;

	IOT_LOAD(words, regs + IOT_REGS_CX);
	if ((u16)words[6] == IOT_USER32_CS)
		return 0;
	if (words[0] == words[5])
		return 1;
	return IOT_READ_U(&code, sizeof(code), (void *)(words[5] - sizeof(code))) < 0 || code != 0x80cd;
}

#ifdef IOT_USE_CALLS_RAW
/* A call that returns */
static __always_inline void iot_counted_read(struct iot_counted *c, u64 regs)
{
	/* di, orig_ax, ip, cs */
	u64 words[4] = {};

	IOT_LOAD(words, regs + IOT_REGS_ARG(0));
	c->fd = words[0];
	if ((u16)words[3] == IOT_USER32_CS) {
		c->kind = iot_counted_kind(words[1], 1);
		IOT_LOAD(words[0], regs + IOT_REGS_BX);
		c->fd = words[0];
		return;
	}
	c->kind = iot_counted_kind(words[1], 0);
}
#endif

/*
 * A function that makes a system call has mostly no frame of its own, and its caller is not among the frames: but
 * the address that it returns to is near its stack pointer. Registers of the program lie at the top of the
 * task's stack (sp before ss; where the kernel can use FRED, 16 bytes lower).
 */
static __always_inline void iot_stack_words(u64 *words)
{
#if defined(IOT_STREAM_stacks) && defined(IOT_HAS_TASK_STACK)
	u64 at = 0, regs[5] = {};

	IOT_LOAD(at, bpf_get_current_task() + offsetof(struct task_struct, stack));
	if (!at)
		return;
	at += THREAD_SIZE;
	/* ip, cs, flags, sp, ss */
	IOT_READ_K(regs, sizeof(regs), (void *)(at - sizeof(regs)));
	if (!iot_user_code(regs[1]))
		IOT_READ_K(regs, sizeof(regs), (void *)(at - sizeof(regs) - 16));
	if ((u16)regs[1] == IOT_USER_CS)
		IOT_READ_U(words, IOT_STACK_WORDS * sizeof(*words), (void *)regs[3]);
#endif
}
