/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of system calls (call_row.h), and how one program serves all calls of a kind. What is
 * attached looks only whether the task is traced; the rest is in a program that it calls
 * (iot_to_X is the way to program X). The kernel lets an event have a program that reads no more
 * than its arguments, but does not look at what that one calls: so one program reads all six of
 * every call. What lies behind the last one is the kernel's stack, and goes nowhere.
 */
#if defined(IOT_STREAM_fs) || defined(IOT_SOCK_CALLS)

BPF_ARRAY(iot_calls, struct iot_call_rows, 1);

/* The row of a call; one without any (op and sock_class are 0), or NULL */
static __always_inline struct iot_call_row *iot_row_of(struct iot_sys_enter *ctx)
{
	u32 zero = 0, number = IOT_SYS_NUMBER(ctx);
	struct iot_call_rows *rows = iot_calls.lookup(&zero);

	if (!rows || number >= IOT_CALL_ROWS)
		return 0;
	/* 5.10 takes no address that was reckoned before the look-up was found to be one */
	asm volatile("" : "+r"(rows));
	return (struct iot_call_row *)&rows->bytes[(number & (IOT_CALL_ROWS - 1)) * sizeof(struct iot_call_row)];
}

#endif
