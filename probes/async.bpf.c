/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AIO and io_uring: the address of the request joins its submission and its
 * completion, which come in different contexts.
 */
#ifdef IO_STREAM_fs

#if defined(IO_USE_AIO_RW) || defined(IO_USE_AIO_COMPLETE) || defined(IO_USE_URING_REQ) || \
	defined(IO_USE_URING_DATA) || defined(IO_USE_URING_KIOCB)
#define IO_ASYNC

BPF_TABLE("hash", u64, struct io_slot, io_async, 16384);

/* The entry of a request, once its file is known; may not return (tail call). */
static __always_inline void io_async_file(void *ctx, u16 op, u16 via, u64 req, struct file *file,
					  u64 size, s64 offset, u16 status)
{
	struct io_config *cfg = io_wanted();
	struct io_slot fresh = {};
	struct io_file f = {};

	if (!cfg || !io_file_read(&f, file, cfg))
		return;
	io_file_name(&f);
	fresh.ts = bpf_ktime_get_ns();
	fresh.op = op;
	fresh.via = via;
	fresh.size = size;
	fresh.offset = offset;
	fresh.filters = cfg->filters & IO_FILTER_END;
	fresh.fd = -1;
	fresh.dirfd = -1;
	fresh.status = IO_ST_ASYNC | status;
	fresh.tgid = bpf_get_current_pid_tgid() >> 32;
	fresh.tid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(&fresh.comm, sizeof(fresh.comm));
	io_slot_file(&fresh, &f);
	if (io_async.update(&req, &fresh) < 0)
		io_miss(IO_SEQ_FS, IO_MISS_FULL);
	if (f.walk)
		io_send_name(ctx, &f, 1);
}

/*
 * A request starts in this thread. io_uring may start one twice (first without
 * blocking, then in a worker): the first start counts. On 4.18 and 4.19 aio_read
 * finds the file itself (aio_prep_rw): there rw_verify_area tells it.
 */
static __always_inline void io_async_begin(void *ctx, u16 op, u16 via, u64 req, struct file *file)
{
	struct io_slot *s, *entry = io_async.lookup(&req);
	struct io_config *cfg;
	u32 zero = 0;

	/* a request that is followed goes on in whatever worker (kernel threads up to 5.11) */
	cfg = entry ? io_cfg.lookup(&zero) : io_wanted();
	if (!cfg)
		return;
	s = io_slot_begin(cfg, IO_SLOT_ASYNC, op, via);
	if (!s)
		return;
	s->async = req;
	if (file && !entry)
		io_async_file(ctx, op, via, req, file, IO_SIZE_LATER, -1, 0);
}

/* The request ended, in whatever context: the event carries the submitter. */
static __always_inline void io_async_end(void *ctx, u64 req, s64 ret)
{
	struct io_slot *s = io_async.lookup(&req);
	struct io_fs e;
	int row;

	if (!s)
		return;
	row = s->filters ? io_fs_asked(s->op, ret, bpf_ktime_get_ns() - s->ts) : 1;
	if (row < 0) {
		io_async.delete(&req);
		return;
	}
	io_fs_fill(&e, s, ret);
	e.head.tgid = s->tgid;
	e.head.tid = s->tid;
	__builtin_memcpy(e.head.comm, s->comm, sizeof(e.head.comm));
	io_stamp_row(&e.head, IO_SEQ_FS, IO_REC_FS, s->via, row);
	e.latency = e.head.ts - s->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
	io_async.delete(&req);
}
#endif

#ifdef IO_USE_VERIFY_AREA
/*
 * rw_verify_area(int read_write, file, const loff_t *ppos, size_t count): the
 * one place that tells position and bytes of vectored, AIO and io_uring calls.
 */
int io_verify_area(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CALL);
	u64 posp = PT_REGS_PARM3(ctx), count = PT_REGS_PARM4(ctx);

	if (s && s->size == IO_SIZE_LATER) {
		s->size = count;
		return 0;
	}
#ifdef IO_ASYNC
	s = io_slot_active(IO_SLOT_ASYNC);
	if (s) {
		struct file *file = (struct file *)PT_REGS_PARM2(ctx);
		u64 req = s->async;
		s64 offset = -1;
		u16 status = 0, op = s->op, via = s->via;
		struct io_slot *entry = io_async.lookup(&req);
		unsigned int flags = 0;

		IO_GET(flags, file, f_flags);
		if (posp && !(op == IO_WRITE && (flags & O_APPEND)) &&
		    !IO_READ_K(&offset, sizeof(offset), (void *)posp))
			status = IO_ST_OFFSET;
		if (!entry) {
			io_async_file(ctx, op, via, req, file, count, offset, status);
		} else if (entry->size == IO_SIZE_LATER) {
			entry->size = count;
			entry->offset = offset;
			entry->status |= status;
		}
	}
#endif
	return 0;
}
#endif

#if defined(IO_USE_AIO_RW) || defined(IO_USE_AIO_COMPLETE)
/* aio_read(struct kiocb *req, …): arg 0 stays through .isra */
/* AIO starts a request once: an entry that is still there has completed, and no program saw it. */
static __always_inline void io_aio_unseen(u64 req)
{
	if (!io_async.lookup(&req))
		return;
	io_miss(IO_SEQ_FS, IO_MISS_RETURN);
	io_async.delete(&req);
}

int io_aio_read(struct pt_regs *ctx)
{
	struct kiocb *req = (struct kiocb *)PT_REGS_PARM1(ctx);
	struct file *file = 0;

	io_aio_unseen((u64)req);
	IO_GET(file, req, ki_filp);
	io_async_begin(ctx, IO_READ, IO_VIA_FS_READ_AIO, (u64)req, file);
	return 0;
}

int io_aio_write(struct pt_regs *ctx)
{
	struct kiocb *req = (struct kiocb *)PT_REGS_PARM1(ctx);
	struct file *file = 0;

	io_aio_unseen((u64)req);
	IO_GET(file, req, ki_filp);
	io_async_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE_AIO, (u64)req, file);
	return 0;
}

/* Refused before it was queued: no completion will come. -529 is EIOCBQUEUED. */
int io_aio_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_ASYNC);
	s64 ret = (s32)PT_REGS_RC(ctx);

	if (!s)
		return 0;
	s->active = 0;
	if (ret < 0 && ret != -529)
		io_async_end(ctx, s->async, ret);
	return 0;
}

/* aio_complete_rw(kiocb, res…) and, up to 4.17, aio_complete(kiocb, res, res2) */
int io_aio_complete(struct pt_regs *ctx)
{
	io_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

#if defined(IO_USE_URING_REQ) || defined(IO_USE_URING_DATA) || defined(IO_USE_URING_KIOCB)
/* io_read(struct io_kiocb *req, …): the request begins with its file, in every version */
int io_uring_read(struct pt_regs *ctx)
{
	struct file *file = 0;

	IO_READ_K(&file, sizeof(file), (void *)PT_REGS_PARM1(ctx));
	io_async_begin(ctx, IO_READ, IO_VIA_FS_READ_IO_URING, PT_REGS_PARM1(ctx), file);
	return 0;
}

int io_uring_write(struct pt_regs *ctx)
{
	struct file *file = 0;

	IO_READ_K(&file, sizeof(file), (void *)PT_REGS_PARM1(ctx));
	io_async_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE_IO_URING, PT_REGS_PARM1(ctx), file);
	return 0;
}

int io_uring_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_ASYNC);

	if (s)
		s->active = 0;
	return 0;
}
#endif

#ifdef IO_USE_URING_REQ
static __always_inline void io_uring_done(struct io_tp_io_uring_io_uring_complete *ctx)
{
	io_async_end(ctx, (u64)ctx->req, (s32)ctx->res);
}
#endif

#ifdef IO_USE_URING_DATA
/* Before 5.18 a completion carries user_data only: the submission tells whose it is. */
struct io_uring_key {
	u64 ctx;
	u64 user_data;
};
BPF_TABLE("lru_hash", struct io_uring_key, u64, io_uring_reqs, 16384);

static __always_inline void io_uring_submit(struct io_tp_io_uring_io_uring_submit_sqe *ctx)
{
	struct io_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 req = (u64)ctx->req;

	if (io_wanted())
		io_uring_reqs.update(&key, &req);
}

static __always_inline void io_uring_done(struct io_tp_io_uring_io_uring_complete *ctx)
{
	struct io_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 *req = io_uring_reqs.lookup(&key);

	if (req) {
		io_async_end(ctx, *req, (s32)ctx->res);
		io_uring_reqs.delete(&key);
	}
}
#endif

#ifdef IO_USE_URING_KIOCB
/* io_complete_rw(kiocb, res…) on 5.1–5.4: a request begins with its kiocb */
int io_uring_kiocb_done(struct pt_regs *ctx)
{
	io_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
