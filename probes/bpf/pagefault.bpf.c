/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream pagefault: faults on mappings of files. With kprobes each is seen from
 * its beginning to the end that counts: a fault that has to wait for the disk
 * drops the lock of the address space and is taken again, which is one fault
 * still. Without, there are the address and the kind of access, and the reader
 * finds the file.
 */
#ifdef IOT_STREAM_pagefault

static __always_inline u32 iot_fault_via(u32 flags)
{
	return flags & IOT_FAULT_MAJOR ? IOT_VIA_PAGEFAULT_MAJOR : IOT_VIA_PAGEFAULT_MINOR;
}

#if defined(IOT_USE_HANDLE_MM_FAULT) || defined(IOT_USE_FAULT_PAGES)

/*
 * What getrusage counts as major: up to 5.8 (bc022bd9a30f, 5.9) when any attempt
 * read from the disk, since then when there was a second attempt, too.
 */
#define IOT_FAULT_TRIED_IS_MAJOR \
	__builtin_types_compatible_p(typeof(&handle_mm_fault), \
				     vm_fault_t (*)(struct vm_area_struct *, unsigned long, unsigned int, \
						    struct pt_regs *))
#ifndef IOT_HAS_VM_FAULT_T
#define vm_fault_t int
#endif

/* linux/mm.h */
#define IOT_VM_SHARED 8

/*
 * Pages of files that the thread has mapped. Before 6.2 (f1a7941243c1) it counts them by itself, and gives them to its
 * address space when it has counted 64 times, at the beginning of a fault; then it begins again. Later that is
 * a counter of each CPU, and set_pte_range tells.
 */
#if !defined(IOT_USE_FAULT_PAGES) && defined(IOT_HAS_TASK_RSS) && (defined(IOT_LAYOUT) || defined(SPLIT_RSS_COUNTING))
#define IOT_FAULT_BY_TASK
#endif

#ifdef IOT_FAULT_BY_TASK
/* linux/mm_types_task.h: MM_FILEPAGES, MM_SHMEMPAGES */
static __always_inline u32 iot_task_pages(u32 *events)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	s32 counts[4] = {};

	IOT_READ_K(counts, sizeof(counts), &task->rss_stat.count);
	IOT_READ_K(events, sizeof(*events), &task->rss_stat.events);
	return counts[0] + counts[3];
}
#endif

/* (vma, address, flags …) */
int iot_mm_fault(struct pt_regs *ctx)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)PT_REGS_PARM1(ctx);
	struct iot_config *cfg = iot_wanted();
	u64 address = PT_REGS_PARM2(ctx);
	u32 how = PT_REGS_PARM3(ctx);
	unsigned long start = 0, pgoff = 0, mapped = 0;
	struct iot_faulting *now;
	u16 flags = IOT_FAULT_FILE | IOT_FAULT_RESULT;
	struct file *file = 0;
	struct iot_file f = {};

	if (!cfg)
		return 0;
	IOT_GET(file, vma, vm_file);
	if (!file || !iot_file_read(&f, file, cfg) || iot_thin_file(cfg, IOT_SEQ_pagefault, f.ino, f.dev))
		return 0;
	IOT_READ_K(&start, sizeof(start), &vma->vm_start);
	IOT_READ_K(&pgoff, sizeof(pgoff), &vma->vm_pgoff);
	iot_file_name(&f);
	if (how & FAULT_FLAG_WRITE)
		flags |= IOT_FAULT_WRITE;
#ifdef IOT_HAS_VMA_FLAGS
	IOT_READ_K(&mapped, sizeof(mapped), &vma->vm_flags);
	flags |= mapped & IOT_VM_SHARED ? IOT_FAULT_SHARED : IOT_FAULT_PRIVATE;
#endif
	if (IOT_FAULT_TRIED_IS_MAJOR && (how & FAULT_FLAG_TRIED))
		flags |= IOT_FAULT_MAJOR;
	now = iot_pending_active(IOT_KIND_FAULT);
	if (now && now->again && now->address == address) {
		flags |= now->flags;
	} else {
		/* one that is left was given up, for a signal */
		if (!now)
			now = iot_pending_begin(IOT_KIND_FAULT, IOT_SEQ_pagefault, 0, 0);
		if (!now)
			return 0;
		now->ts = bpf_ktime_get_ns();
		now->pages = 0;
	}
	now->name = f.id;
	now->ino = f.ino;
	now->dev = f.dev;
	now->address = address;
	now->index = pgoff + ((address - start) >> PAGE_SHIFT);
	now->flags = flags;
	now->again = 0;
#ifdef IOT_FAULT_BY_TASK
	now->task_pages = iot_task_pages(&now->task_events);
#endif
	if (f.walk)
		iot_send_name(ctx, &f, 1);
	return 0;
}

/* After an attempt */
static __always_inline void iot_fault_count(struct iot_faulting *now)
{
#ifdef IOT_FAULT_BY_TASK
	u32 events = 0, pages = iot_task_pages(&events);

	/* it began again within this fault */
	now->pages += events < now->task_events ? pages : pages - now->task_pages;
#endif
#if defined(IOT_FAULT_BY_TASK) || defined(IOT_USE_FAULT_PAGES)
	now->flags |= IOT_FAULT_COUNTED;
#endif
}

#ifdef IOT_USE_FAULT_PAGES
/* (vmf, folio, page, number of pages, address): a copy that a private mapping writes to is no page of the file */
int iot_fault_pages(struct pt_regs *ctx)
{
	struct iot_faulting *now = iot_pending_active(IOT_KIND_FAULT);

	if (now && !((now->flags & IOT_FAULT_WRITE) && (now->flags & IOT_FAULT_PRIVATE)))
		now->pages += (u32)PT_REGS_PARM4(ctx);
	return 0;
}
#endif

int iot_mm_fault_ret(struct pt_regs *ctx)
{
	struct iot_faulting *now = iot_pending_active(IOT_KIND_FAULT);
	u32 result = PT_REGS_RC(ctx);
	struct iot_fault e = {};
	struct iot_own own;
	u64 begun;

	if (!now)
		return 0;
	if (result & VM_FAULT_MAJOR)
		now->flags |= IOT_FAULT_MAJOR;
	iot_fault_count(now);
	if (result & VM_FAULT_RETRY) {
		now->again = 1;
		return 0;
	}
	begun = now->ts;
	e.name = now->name;
	e.ino = now->ino;
	e.index = now->index;
	e.address = now->address;
	e.dev = now->dev;
	e.flags = now->flags;
	e.pages = now->pages;
	iot_pending_end(now);
	/* a signal follows, no memory */
	if (result & VM_FAULT_ERROR)
		return 0;
	if (!iot_row_asked(0, begun))
		return 0;
	iot_current(&e.head);
	iot_own_read(&own);
	e.mntns = iot_mntns(&own, e.head.tid);
	iot_stamp(&e.head, IOT_SEQ_pagefault, IOT_REC_FAULT, iot_fault_via(e.flags));
	e.latency = e.head.ts - begun;
	iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}

#endif
#ifdef IOT_USE_PAGE_FAULT_USER

/* arch/x86, error code of a page fault */
#define IOT_X86_PF_WRITE 2
#define IOT_X86_PF_INSTR 16

static __always_inline void iot_fault_send(void *ctx, u64 address, u64 code)
{
	struct iot_fault e = {};

	if (!iot_wanted() || iot_thinned(IOT_SEQ_pagefault, bpf_get_prandom_u32()))
		return;
	iot_current(&e.head);
	e.address = address;
	e.flags = (code & IOT_X86_PF_WRITE ? IOT_FAULT_WRITE : 0) | (code & IOT_X86_PF_INSTR ? IOT_FAULT_FETCH : 0);
	iot_stamp(&e.head, IOT_SEQ_pagefault, IOT_REC_FAULT, iot_fault_via(e.flags));
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

int iot_fault_user(struct iot_tp_exceptions_page_fault_user *ctx)
{
	iot_fault_send(ctx, ctx->address, ctx->error_code);
	return 0;
}

/* The kernel itself, at an address of user space: it copies to or from there. */
int iot_fault_kernel(struct iot_tp_exceptions_page_fault_kernel *ctx)
{
	if ((s64)ctx->address > 0)
		iot_fault_send(ctx, ctx->address, ctx->error_code);
	return 0;
}

#endif

#endif /* IOT_STREAM_pagefault */
