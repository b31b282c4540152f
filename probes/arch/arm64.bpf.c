/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the registers of a caller say, on arm64: see x86_64.bpf.c. */

/* struct pt_regs has not the same size in all kernels. */
#ifdef IOT_SIZE_pt_regs
#define IOT_REGS_SIZE IOT_SIZE_pt_regs
#elif defined(IOT_HEADERS) && !defined(IOT_LAYOUT)
#define IOT_REGS_SIZE sizeof(struct pt_regs)
#endif

#ifdef IOT_HEADERS
static __always_inline u16 iot_syscall_from_regs(struct pt_regs *ctx)
{
#ifdef IOT_REGS_SIZE
	u64 top = (PT_REGS_SP(ctx) & ~(u64)(THREAD_SIZE - 1)) + THREAD_SIZE;
	u64 regs = top - IOT_REGS_SIZE, pstate = 0;
	s32 number = -1;

	IOT_LOAD(number, regs + IOT_REGS_NUMBER);
	IOT_LOAD(pstate, regs + IOT_REGS_PSTATE);
	return iot_call_number(number, (pstate & IOT_PSTATE_32) != 0);
#else
	return IOT_NO_CALL;
#endif
}
#endif

static __always_inline int iot_task_is_32(void)
{
#if defined(IOT_HEADERS) && !defined(IOT_REGS_SIZE)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned long info = 0;

	IOT_READ_K(&info, sizeof(info), &task->thread_info.flags);
	return info >> TIF_32BIT & 1;
#else
	return 0;
#endif
}

static __always_inline int iot_is_native(u64 regs)
{
	u64 pstate = 0;

	IOT_LOAD(pstate, regs + IOT_REGS_PSTATE);
	return !(pstate & IOT_PSTATE_32);
}

#ifdef IOT_USE_CALLS_RAW
static __always_inline void iot_counted_read(struct iot_counted *c, u64 regs)
{
	u64 first = 0, pstate = 0;
	s32 number = -1;

	/* x0 is what the call returns */
	IOT_LOAD(first, regs + IOT_REGS_FIRST);
	IOT_LOAD(number, regs + IOT_REGS_NUMBER);
	IOT_LOAD(pstate, regs + IOT_REGS_PSTATE);
	c->kind = iot_counted_kind(number, (pstate & IOT_PSTATE_32) != 0);
	c->fd = first;
}
#endif

/* The address to return to is in a register, which src/code/unwind.c does not read. */
static __always_inline void iot_stack_words(u64 *words)
{
}
