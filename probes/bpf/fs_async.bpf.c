/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AIO and io_uring: the address of the request joins its submission and its
 * completion, which come in different contexts.
 */
#ifdef IOT_FILE_TEXTS

#if defined(IOT_USE_AIO_RW) || defined(IOT_USE_AIO_COMPLETE) || defined(IOT_USE_URING_REQ) || \
	defined(IOT_USE_URING_DATA) || defined(IOT_USE_URING_KIOCB)
#define IOT_ASYNC

BPF_TABLE("hash", u64, struct iot_request, iot_async, 16384);

/* The entry of a request, of what the thread has begun, once its file is known; may not return (tail call). */
static __always_inline void iot_async_file(void *ctx, struct iot_config *cfg, struct iot_slot *s, u64 req,
					  struct file *file)
{
	struct iot_request fresh = {};
	struct iot_file f = {};
	struct iot_own own;

	if (!cfg || !iot_file_read(&f, file, cfg))
		return;
	fresh.filters = s->filters;
#ifdef IOT_STREAM_layers
	if (iot_thin_file(cfg, IOT_SEQ_fs, f.ino, f.dev))
		fresh.filters |= IOT_COUNTS_NO_FS << IOT_COUNT_SHIFT;
	else
#endif
	if (!iot_counts_only(cfg->count, s->op))
		iot_file_name(&f);
	fresh.ts = s->ts;
	fresh.op = s->op;
	fresh.via = s->via;
	fresh.call = s->fs.call;
	fresh.size = IOT_SIZE_LATER;
	fresh.offset = -1;
	fresh.status = IOT_ST_ASYNC | f.status;
	fresh.name = f.id;
	fresh.ino = f.ino;
	fresh.dev = f.dev;
	fresh.flags = f.flags;
	fresh.ofd = f.ofd;
	fresh.tgid = bpf_get_current_pid_tgid() >> 32;
	fresh.tid = s->key;
	bpf_get_current_comm(&fresh.comm, sizeof(fresh.comm));
	iot_own_read(&own);
	fresh.mntns = iot_mntns(&own, s->key);
	if (iot_async.update(&req, &fresh) < 0)
		iot_miss(IOT_SEQ_fs, IOT_MISS_FULL);
	if (f.walk)
		iot_send_name(ctx, &f, 1);
}

#ifdef IOT_COUNTED_ALONE
/* It is counted by the file that it has at its end: nothing here sees rw_verify_area. */
static __always_inline void iot_async_later(struct iot_slot *s, u64 req)
{
	struct iot_request fresh = { .ts = s->ts, .op = s->op, .call = s->fs.call, .filters = s->filters };

	fresh.tgid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(&fresh.comm, sizeof(fresh.comm));
	if (iot_async.update(&req, &fresh) < 0)
		iot_miss(IOT_SEQ_layers, IOT_MISS_FULL);
}

/* Finds the file of an asynchronous request that has completed. Returns 0 when the file is not traced. */
static __always_inline int iot_async_found(struct iot_fs *fs, u64 iocb)
{
	struct iot_file f = {};
	struct file *file = 0;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	IOT_GET(file, (struct kiocb *)iocb, ki_filp);
	if (!cfg || !file || !iot_file_read(&f, file, cfg))
		return 0;
	fs->ino = f.ino;
	fs->dev = f.dev;
	return 1;
}
#endif

BPF_TABLE("prog", u32, u32, iot_to_request_kp, 1);

/*
 * A request starts in this thread. io_uring may start one twice (first without
 * blocking, then in a worker): the first start counts.
 */
static __always_inline int iot_async_begin(struct pt_regs *ctx, u16 op, u16 via, u16 call)
{
	u64 req = PT_REGS_PARM1(ctx);
	struct iot_request *entry = iot_async.lookup(&req);

	/* AIO starts one once: an entry that is still there has completed, and no program saw it */
	if (entry && call == IOT_CALL_io_submit) {
		iot_miss(IOT_SEQ_fs, IOT_MISS_RETURN);
		iot_async.delete(&req);
		entry = 0;
	}
	/* a request that is followed goes on in whatever worker (kernel threads up to 5.11) */
	if (!entry && !iot_wanted())
		return 0;
	iot_entered_as(op, via, call, entry != 0);
	iot_to_request_kp.call(ctx, 0);
	return 0;
}

/*
 * The request is one that is asked for. On 4.18 and 4.19 aio_read finds the file itself (aio_prep_rw): there
 * rw_verify_area tells it. One of io_uring begins with its file, in every version.
 */
int iot_request_kp(struct pt_regs *ctx)
{
	struct iot_entered *in = iot_entered_get();
	u64 req = PT_REGS_PARM1(ctx);
	struct file *file = 0;
	struct iot_config *cfg;
	struct iot_slot *s;
	u32 zero = 0, known;
	u16 op, call;

	cfg = iot_cfg.lookup(&zero);
	if (!cfg || !in)
		return 0;
	op = in->op;
	call = in->call;
	known = in->known;
	s = iot_slot_begin(cfg, IOT_KIND_ASYNC, op, in->via, call);
	if (!s)
		return 0;
	s->async = req;
	if (known)
		return 0;
	IOT_LOAD(file, req + (call == IOT_CALL_io_submit ? offsetof(struct kiocb, ki_filp) : 0));
	if (file)
		iot_async_file(ctx, cfg, s, req, file);
#ifdef IOT_COUNTED_ALONE
	else if (call == IOT_CALL_io_submit && iot_counts_only(cfg->count, op))
		iot_async_later(s, req);
#endif
	return 0;
}

/* As iot_slot_count(). Who submitted it was asked for then. */
static __always_inline int iot_async_count(struct iot_request *r, u64 req, s64 ret)
{
#ifdef IOT_STREAM_layers
	u32 count = IOT_KEPT_COUNT(r->filters);
	struct iot_fs fs = { .op = r->op, .call = r->call, .ino = r->ino, .dev = r->dev };
	u64 comm[2];

	if (!count || !iot_count_kind(r->op))
		return 0;
#ifdef IOT_COUNTED_ALONE
	if (!(r->status & IOT_ST_FILE) && !iot_async_found(&fs, req))
		return 1;
#endif
	__builtin_memcpy(comm, r->comm, sizeof(comm));
	iot_count_file(r->tgid, comm, &fs, ret, bpf_ktime_get_ns() - r->ts);
	return count & IOT_COUNTS_NO_FS;
#else
	return 0;
#endif
}

/* Its row, in the submitter's name, if it is asked for */
static __always_inline void iot_async_send(void *ctx, struct iot_request *r, s64 ret)
{
	struct iot_fs e = {};
	int row = IOT_KEPT_FILTERS(r->filters) ? iot_fs_asked(r->op, ret, bpf_ktime_get_ns() - r->ts) : 1;

	if (row < 0)
		return;
	e.name = r->name;
	e.ino = r->ino;
	e.size = r->size == IOT_SIZE_LATER ? 0 : r->size;
	e.offset = r->offset;
	e.ret = ret;
	e.dev = r->dev;
	e.fd = e.dirfd = -1;
	e.flags = r->flags;
	e.mntns = r->mntns;
	e.ofd = r->ofd;
	e.op = r->op;
	e.status = r->status;
	e.call = r->call;
	e.head.tgid = r->tgid;
	e.head.tid = r->tid;
	__builtin_memcpy(e.head.comm, r->comm, sizeof(e.head.comm));
	iot_stamp_row(&e.head, IOT_SEQ_fs, IOT_REC_FS, r->via, row);
	e.latency = e.head.ts - r->ts;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* The request ended, in whatever context. */
static __always_inline void iot_async_end(void *ctx, u64 req, s64 ret)
{
	struct iot_request *r = iot_async.lookup(&req);

	if (!r)
		return;
#ifdef IOT_COUNTED_ALONE
	/* without fs it is counted and nothing else */
	iot_async_count(r, req, ret);
#else
	if (!iot_async_count(r, req, ret))
		iot_async_send(ctx, r, ret);
#endif
	iot_async.delete(&req);
}
#endif

#ifdef IOT_USE_VERIFY_AREA
/*
 * rw_verify_area(int read_write, file, const loff_t *ppos, size_t count): the
 * one place that tells position and bytes of vectored, AIO and io_uring calls.
 */
int iot_verify_area(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	u64 posp = PT_REGS_PARM3(ctx), count = PT_REGS_PARM4(ctx);

	if (s) {
		if (s->fs.size == IOT_SIZE_LATER)
			s->fs.size = count;
		return 0;
	}
#ifdef IOT_ASYNC
	s = iot_pending_active(IOT_KIND_ASYNC);
	if (s) {
		struct file *file = (struct file *)PT_REGS_PARM2(ctx);
		u64 req = s->async;
		struct iot_request *entry = iot_async.lookup(&req);

		/* size and place afterwards: kept on the stack meanwhile they are too much for it */
		if (!entry) {
			struct iot_config *cfg = iot_wanted();

			if (cfg)
				iot_async_file(ctx, cfg, s, req, file);
			entry = iot_async.lookup(&req);
		}
		if (entry && entry->size == IOT_SIZE_LATER) {
			unsigned int flags = 0;
			s64 offset = -1;

			IOT_GET(flags, file, f_flags);
			if (posp && !(entry->op == IOT_WRITE && (flags & O_APPEND)) &&
			    !IOT_READ_K(&offset, sizeof(offset), (void *)posp))
				entry->status |= IOT_ST_OFFSET;
			entry->size = count;
			entry->offset = offset;
		}
	}
#endif
	return 0;
}
#endif

#if defined(IOT_USE_AIO_RW) || defined(IOT_USE_AIO_COMPLETE)
/* aio_read(struct kiocb *req, …): arg 0 stays through .isra */
int iot_aio_read(struct pt_regs *ctx)
{
	return iot_async_begin(ctx, IOT_READ, IOT_VIA_FS_READ_AIO, IOT_CALL_io_submit);
}

int iot_aio_write(struct pt_regs *ctx)
{
	return iot_async_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_AIO, IOT_CALL_io_submit);
}

/* Refused before it was queued: no completion will come. -529 is EIOCBQUEUED. */
int iot_aio_ret(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_ASYNC);
	s64 ret = (s32)PT_REGS_RC(ctx);
	u64 req;

	if (!s)
		return 0;
	req = s->async;
	iot_pending_end(s);
	if (ret < 0 && ret != -529)
		iot_async_end(ctx, req, ret);
	return 0;
}

/* aio_complete_rw(kiocb, res…) and, up to 4.17, aio_complete(kiocb, res, res2) */
int iot_aio_complete(struct pt_regs *ctx)
{
	iot_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

#if defined(IOT_USE_URING_REQ) || defined(IOT_USE_URING_DATA) || defined(IOT_USE_URING_KIOCB)
/* io_read(struct io_kiocb *req, …) */
int iot_uring_read(struct pt_regs *ctx)
{
	return iot_async_begin(ctx, IOT_READ, IOT_VIA_FS_READ_IO_URING, IOT_CALL_io_uring_enter);
}

int iot_uring_write(struct pt_regs *ctx)
{
	return iot_async_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_IO_URING, IOT_CALL_io_uring_enter);
}

int iot_uring_ret(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_ASYNC);

	if (s)
		iot_pending_end(s);
	return 0;
}
#endif

#ifdef IOT_USE_URING_REQ
static __always_inline void iot_uring_done(struct iot_tp_io_uring_io_uring_complete *ctx)
{
	iot_async_end(ctx, (u64)ctx->req, (s32)ctx->res);
}
#endif

#ifdef IOT_USE_URING_DATA
/* Before 5.18 a completion carries user_data only: the submission tells whose it is. */
struct iot_uring_key {
	u64 ctx;
	u64 user_data;
};
BPF_TABLE("lru_hash", struct iot_uring_key, u64, iot_uring_reqs, 16384);

static __always_inline void iot_uring_submit(struct iot_tp_io_uring_io_uring_submit_sqe *ctx)
{
	struct iot_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 req = (u64)ctx->req;

	if (iot_wanted())
		iot_uring_reqs.update(&key, &req);
}

static __always_inline void iot_uring_done(struct iot_tp_io_uring_io_uring_complete *ctx)
{
	struct iot_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 *req = iot_uring_reqs.lookup(&key);

	if (req) {
		iot_async_end(ctx, *req, (s32)ctx->res);
		iot_uring_reqs.delete(&key);
	}
}
#endif

#ifdef IOT_USE_URING_KIOCB
/* io_complete_rw(kiocb, res…) on 5.1–5.4: a request begins with its kiocb */
int iot_uring_kiocb_done(struct pt_regs *ctx)
{
	iot_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

#endif /* IOT_FILE_TEXTS */
