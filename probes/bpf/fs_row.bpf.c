/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of system calls (call_row.h), and how one program serves all calls of a kind. What is
 * attached looks only whether the task is traced; the rest is in a program that it calls
 * (iot_to_X is the way to program X). The kernel lets an event have a program that reads no more
 * than its arguments, but does not look at what that one calls: so one program reads all six of
 * every call. What lies behind the last one is the kernel's stack, and goes nowhere.
 */
#if defined(IOT_FILE_TEXTS) || defined(IOT_SOCK_CALLS)

BPF_ARRAY(iot_calls, struct iot_call_rows, 1);

/* The row of a call; one without any (op and sock_class are 0), or NULL */
static __always_inline struct iot_call_row *iot_row_at(u32 number)
{
	u32 zero = 0;
	struct iot_call_rows *rows = iot_calls.lookup(&zero);

	if (!rows || number >= IOT_CALL_ROWS)
		return 0;
	/* 5.10 takes no address that was reckoned before the look-up was found to be one */
	asm volatile("" : "+r"(rows));
	return (struct iot_call_row *)&rows->bytes[(number & (IOT_CALL_ROWS - 1)) * sizeof(struct iot_call_row)];
}

static __always_inline struct iot_call_row *iot_row_of(struct iot_sys_enter *ctx)
{
	return iot_row_at(IOT_SYS_NUMBER(ctx));
}

#if defined(IOT_USE_CALLS_BY_NUMBER) && defined(IOT_HEADERS)
#define IOT_UNBEGUN
static __always_inline int iot_is_native(u64 regs);

/* Its members are read at once: the compiler would keep the address of one for later, which a verifier refuses. */
static __always_inline struct iot_sys_exit iot_sys_exit_copy(struct iot_sys_exit *ctx)
{
	struct iot_sys_exit copy = {};

	copy.args[0] = *(volatile u64 *)&ctx->args[0];
	copy.args[1] = *(volatile u64 *)&ctx->args[1];
	return copy;
}

/*
 * The row of a call that failed without having begun, as one that seccomp refuses: its arguments are still in the
 * registers. Whatever else kept its beginning from being seen, it is a call that failed like that. Not
 * those that will be restarted (ERESTARTSYS …).
 */
static __always_inline struct iot_call_row *iot_unbegun(struct iot_sys_exit *ctx, struct iot_config **cfg)
{
	s64 ret = IOT_SYS_RET(ctx);
	s32 number = -1;

	if (ret >= 0 || ret <= -512)
		return 0;
	*cfg = iot_tracked();
	if (!*cfg || !iot_is_native(ctx->args[0]))
		return 0;
	IOT_LOAD(number, ctx->args[0] + IOT_REGS_NUMBER);
	return iot_row_at(number);
}
#endif

#endif
