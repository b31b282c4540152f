/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring on 5.1 to 5.4, which have no tracepoints of it: the functions
 * that take an entry from the submission ring and write one to the completion
 * ring (fs/io_uring.c of 5.4.59). The entry is that of include/uapi.
 */
#if defined(IOT_STREAM_iouring) && defined(IOT_HEADERS)

#ifdef IOT_USE_RING_SUBMIT_FN
/* struct io_uring_sqe of 5.1, which never changed */
struct iot_ring_entry {
	u8 opcode;
	u8 flags;
	u16 ioprio;
	s32 fd;
	u64 off;
	u64 addr;
	u32 len;
	u32 op_flags;
	u64 user_data;
	u16 buf_index;
};

/* io_submit_sqe(struct io_ring_ctx *, struct sqe_submit *, …), where the second begins with the entry */
int iot_ring_submit_fn(struct pt_regs *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	u64 ring = PT_REGS_PARM1(ctx), at = 0;
	struct iot_ring_req r = { .fd = -1 };
	struct iot_ring_entry entry = {};
	unsigned int kind = 0;

	IOT_GET(kind, task, flags);
	if (!iot_ring_submitter(&r, ring, kind & PF_KTHREAD))
		return 0;
	IOT_READ_K(&at, sizeof(at), (void *)PT_REGS_PARM2(ctx));
	if (IOT_READ_K(&entry, sizeof(entry), (void *)at) < 0)
		return 0;
	r.ring = ring;
	r.user_data = entry.user_data;
	r.opcode = entry.opcode;
	r.flags = entry.flags;
	if (iot_ring_has_file(entry.opcode) && !(entry.flags & 1)) {
		r.fd = entry.fd;
		if (!(kind & PF_KTHREAD))
			iot_ring_file(&r, iot_fd_file(r.fd));
	}
	iot_ring_bytes(&r, entry.off, entry.addr, entry.len);
	if (iot_ring_has_buffer(entry.opcode)) {
		r.buffer = entry.buf_index;
		r.known |= IOT_RING_BUFFER;
	}
	iot_ring_submitted(ctx, &r);
	return 0;
}
#endif

#ifdef IOT_USE_RING_ISSUE_FN
/* The current thread when it is one of the kernel's work queues, which 5.1 to 5.4 have for workers, else 0 */
static __always_inline u32 iot_ring_work_queue(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned int kind = 0;

	IOT_GET(kind, task, flags);
	return kind & PF_WQ_WORKER ? bpf_get_current_pid_tgid() : 0;
}

/*
 * __io_submit_sqe(struct io_ring_ctx *, struct io_kiocb *, const struct sqe_submit *, …):
 * the request has its address and its file by now. It may come here twice.
 */
int iot_ring_issue_fn(struct pt_regs *ctx)
{
	struct iot_ring_key key = { .a = PT_REGS_PARM1(ctx) };
	u64 req = PT_REGS_PARM2(ctx), at = 0;
	struct iot_ring_req *r;

	IOT_READ_K(&at, sizeof(at), (void *)PT_REGS_PARM3(ctx));
	IOT_READ_K(&key.b, sizeof(key.b), (void *)(at + offsetof(struct iot_ring_entry, user_data)));
	r = iot_ring_reqs.lookup(&key);
	if (!r || r->n != 1)
		return 0;
	r->req = req;
	r->worker = iot_ring_work_queue();
	if (!r->ino && iot_ring_has_file(r->opcode))
		iot_ring_file_of(r, req);
	return 0;
}
#endif

#ifdef IOT_USE_RING_COMPLETE_FN
/* io_cqring_fill_event(struct io_ring_ctx *, u64 user_data, long res): one for each entry of the completion ring */
int iot_ring_complete_fn(struct pt_regs *ctx)
{
	iot_ring_completed(ctx, PT_REGS_PARM1(ctx), 0, PT_REGS_PARM2(ctx), (s32)PT_REGS_PARM3(ctx), 0, -1);
	return 0;
}
#endif

#endif
