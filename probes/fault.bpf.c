/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream pagefault: faults on mappings of files. With kprobes each is seen from
 * its beginning to the end that counts: a fault that has to wait for the disk
 * drops the lock of the address space and is taken again, which is one fault
 * still. Without, there are the address and the kind of access, and the reader
 * finds the file.
 */
#ifdef IO_STREAM_pagefault

static __always_inline u32 io_fault_via(u32 flags)
{
	return flags & IO_FAULT_MAJOR ? IO_VIA_PAGEFAULT_MAJOR : IO_VIA_PAGEFAULT_MINOR;
}

#ifdef IO_USE_HANDLE_MM_FAULT

struct io_faulting {
	u64 ts;
	u64 address;
	u64 name;
	u64 ino;
	u64 index;
	u32 dev;
	u16 flags;   /* IO_FAULT_* */
	u16 again;   /* the last attempt is to be repeated */
};
BPF_TABLE("hash", u32, struct io_faulting, io_faultings, 16384);

/*
 * What getrusage counts as major: up to 5.8 (bc022bd9a30f, 5.9) when any attempt
 * read from the disk, since then when there was a second attempt, too.
 */
#define IO_FAULT_TRIED_IS_MAJOR \
	__builtin_types_compatible_p(typeof(&handle_mm_fault), \
				     vm_fault_t (*)(struct vm_area_struct *, unsigned long, unsigned int, \
						    struct pt_regs *))
#ifndef IO_HAS_VM_FAULT_T
#define vm_fault_t int
#endif

/* (vma, address, flags …) */
int io_mm_fault(struct pt_regs *ctx)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)PT_REGS_PARM1(ctx);
	struct io_faulting *before, e = {};
	struct io_config *cfg = io_wanted();
	u32 tid = bpf_get_current_pid_tgid(), how = PT_REGS_PARM3(ctx);
	unsigned long start = 0, pgoff = 0;
	struct file *file = 0;
	struct io_file f = {};

	if (!cfg)
		return 0;
	IO_GET(file, vma, vm_file);
	if (!file || !io_file_read(&f, file, cfg))
		return 0;
	e.address = PT_REGS_PARM2(ctx);
	IO_READ_K(&start, sizeof(start), &vma->vm_start);
	IO_READ_K(&pgoff, sizeof(pgoff), &vma->vm_pgoff);
	io_file_name(&f);
	e.ts = bpf_ktime_get_ns();
	e.name = f.id;
	e.ino = f.ino;
	e.dev = f.dev;
	e.index = pgoff + ((e.address - start) >> PAGE_SHIFT);
	e.flags = IO_FAULT_FILE | IO_FAULT_RESULT;
	if (how & FAULT_FLAG_WRITE)
		e.flags |= IO_FAULT_WRITE;
	if (IO_FAULT_TRIED_IS_MAJOR && (how & FAULT_FLAG_TRIED))
		e.flags |= IO_FAULT_MAJOR;
	before = io_faultings.lookup(&tid);
	if (before && before->again && before->address == e.address) {
		e.ts = before->ts;
		e.flags |= before->flags;
	}
	if (io_faultings.update(&tid, &e) < 0) {
		io_miss(IO_SEQ_PAGEFAULT, IO_MISS_FULL);
		return 0;
	}
	if (f.walk)
		io_send_name(ctx, &f, 1);
	return 0;
}

int io_mm_fault_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid(), result = PT_REGS_RC(ctx);
	struct io_faulting *now = io_faultings.lookup(&tid), copy = {};
	struct io_fault e = {};

	if (!now)
		return 0;
	if (result & VM_FAULT_MAJOR)
		now->flags |= IO_FAULT_MAJOR;
	if (result & VM_FAULT_RETRY) {
		now->again = 1;
		return 0;
	}
	__builtin_memcpy(&copy, now, sizeof(copy));
	io_faultings.delete(&tid);
	/* a signal follows, no memory */
	if (result & VM_FAULT_ERROR)
		return 0;
	if (!io_row_asked(0, copy.ts))
		return 0;
	io_current(&e.head);
	e.name = copy.name;
	e.ino = copy.ino;
	e.index = copy.index;
	e.address = copy.address;
	e.dev = copy.dev;
	e.flags = copy.flags;
	io_stamp(&e.head, IO_SEQ_PAGEFAULT, IO_REC_FAULT, io_fault_via(e.flags));
	e.latency = e.head.ts - copy.ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}

#endif
#ifdef IO_USE_PAGE_FAULT_USER

/* arch/x86, error code of a page fault */
#define IO_X86_PF_WRITE 2
#define IO_X86_PF_INSTR 16

static __always_inline void io_fault_send(void *ctx, u64 address, u64 code)
{
	struct io_fault e = {};

	if (!io_wanted())
		return;
	io_current(&e.head);
	e.address = address;
	e.flags = (code & IO_X86_PF_WRITE ? IO_FAULT_WRITE : 0) | (code & IO_X86_PF_INSTR ? IO_FAULT_FETCH : 0);
	io_stamp(&e.head, IO_SEQ_PAGEFAULT, IO_REC_FAULT, io_fault_via(e.flags));
	io_events.perf_submit(ctx, &e, sizeof(e));
}

int io_fault_user(struct io_tp_exceptions_page_fault_user *ctx)
{
	io_fault_send(ctx, ctx->address, ctx->error_code);
	return 0;
}

/* The kernel itself, at an address of user space: it copies to or from there. */
int io_fault_kernel(struct io_tp_exceptions_page_fault_kernel *ctx)
{
	if ((s64)ctx->address > 0)
		io_fault_send(ctx, ctx->address, ctx->error_code);
	return 0;
}

#endif

#endif /* IO_STREAM_pagefault */
