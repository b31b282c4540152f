/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every system call of the machine runs where many are traced: it calls the program of this call, by
 * its number. What is attached to a call elsewhere is in these tables instead, and is of their type.
 */
#ifdef IOT_USE_CALLS_BY_NUMBER

BPF_TABLE("prog", u32, u32, iot_enter_of, IOT_CALL_ROWS);
BPF_TABLE("prog", u32, u32, iot_exit_of, IOT_CALL_ROWS);

/*
 * 32-bit programs have other numbers. On x86 a 64-bit one can make their calls, too, by int 0x80: after a
 * native call cx is where the program goes on, but for CPUs with FRED, which keep cx.
 */
static __always_inline int iot_is_native(u64 regs)
{
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
	u64 pstate = 0;

	IOT_LOAD(pstate, regs + IOT_REGS_PSTATE);
	return !(pstate & IOT_PSTATE_32);
#else
	/* cx, dx, si, di, orig_ax, ip, cs */
	u64 words[7] = {};
	u16 code = 0;

	IOT_LOAD(words, regs + IOT_REGS_CX);
	if ((u16)words[6] == IOT_USER32_CS)
		return 0;
	if (words[0] == words[5])
		return 1;
	return IOT_READ_U(&code, sizeof(code), (void *)(words[5] - sizeof(code))) < 0 || code != 0x80cd;
#endif
}

/* args: the caller's registers, the number of the call */
int iot_number_enter(struct iot_raw *ctx)
{
	if (iot_is_native(ctx->args[0]))
		iot_enter_of.call(ctx, ctx->args[1]);
	return 0;
}

/* args: the caller's registers, what the call returns. What it ends has begun as a native call. */
int iot_number_exit(struct iot_raw *ctx)
{
	s32 number = -1;

	IOT_LOAD(number, ctx->args[0] + IOT_REGS_NUMBER);
	iot_exit_of.call(ctx, number);
	return 0;
}

#endif
