/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every system call of the machine runs where many are traced: it calls the program of this call, by
 * its number. What is attached to a call elsewhere is in these tables instead, and is of their type.
 */
#ifdef IOT_USE_CALLS_BY_NUMBER

BPF_TABLE("prog", u32, u32, iot_enter_of, IOT_CALL_ROWS);
BPF_TABLE("prog", u32, u32, iot_exit_of, IOT_CALL_ROWS);

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
