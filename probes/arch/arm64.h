/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs from one architecture to another, of arm64: see x86_64.h. */

#define IOT_NR_NATIVE IOT_NR_arm64
#define IOT_NR_COMPAT IOT_NR_arm

/* struct user_pt_regs of uapi/asm/ptrace.h; IOT_REGS_NUMBER lies behind it, IOT_REGS_ASKED is x8. */
#define IOT_REGS_ARG(n) ((n) * 8)
#define IOT_REGS_ASKED (8 * 8)
#define IOT_REGS_PSTATE (33 * 8)
#define IOT_REGS_NUMBER (35 * 8)
#define IOT_REGS_FIRST (34 * 8) /* orig_x0: the first argument also when the call returns */

#define IOT_FIRST IOT_REGS_ARG(0)
#define IOT_FIRST32 IOT_FIRST

/* PSR_MODE32_BIT */
#define IOT_PSTATE_32 0x10

/* It is in a register. */
#define IOT_RETURN_ADDRESS 0

#ifdef IOT_LAYOUT
/* as libbcc's names for registers have it, in one version or another; what follows differs (IOT_SIZE_pt_regs) */
struct user_pt_regs {
	u64 regs[31], sp, pc, pstate;
};
struct pt_regs {
	u64 regs[31], sp, pc, pstate;
};
#define O_DIRECT 0200000
#define TIF_32BIT 22
/* twice that with KASAN; the call is not known then */
#define THREAD_SIZE (PAGE_SIZE > 16384 ? PAGE_SIZE : 16384)
#endif
