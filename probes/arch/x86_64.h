/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs from one architecture to another, of x86-64, for both sides of the ring. What of it has to read
 * memory is in x86_64.bpf.c. Each of the other machines has two files of the same words.
 */

/* Of the numbers of a call (record.h): those of 64-bit callers, and of 32-bit ones. */
#define IOT_NR_NATIVE IOT_NR_x86_64
#define IOT_NR_COMPAT IOT_NR_i386

/*
 * A caller's registers, struct pt_regs of uapi/asm/ptrace.h: the fourth argument is not where C has it.
 * IOT_REGS_NUMBER is the number of the call also when it returns, IOT_REGS_ASKED before its function runs.
 */
#define IOT_REGS_ARG(n) \
	((n) == 0 ? 112 : (n) == 1 ? 104 : (n) == 2 ? 96 : (n) == 3 ? 56 : (n) == 4 ? 72 : 64)
#define IOT_REGS_BX 40
#define IOT_REGS_CX 88
#define IOT_REGS_NUMBER 120
#define IOT_REGS_ASKED IOT_REGS_NUMBER

/* Where programs find the first argument of a call in its registers; and that of a 32-bit program. */
#define IOT_FIRST offsetof(struct pt_regs, di)
#define IOT_FIRST32 offsetof(struct pt_regs, bx)

/* What a caller's registers say of its kind: __USER_CS, __USER32_CS */
#define IOT_USER_CS 0x33
#define IOT_USER32_CS 0x23

/* So far above the stack pointer at a function's beginning is that at its return: the address to return to. */
#define IOT_RETURN_ADDRESS 8

#ifdef IOT_LAYOUT
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#define O_DIRECT 040000
/* twice that with KASAN; the call is not known then */
#define THREAD_SIZE 16384
#endif
