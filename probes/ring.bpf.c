/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring, from the tracepoints of io_uring (5.5 on). A completion runs
 * in whatever context and says little: what the submission knew waits for it,
 * under the request where completions name it (5.18 on), else under ring and
 * user_data, which several requests may share. fs sees reads and writes by
 * some of the same events: one program serves both, 4.14 allows no second.
 */

#ifdef IO_STREAM_iouring

struct io_ring_key {
	u64 a;
	u64 b;
};

struct io_ring_req {
	u64 ts;
	u64 req;
	u64 offset;
	u64 length;
	u64 ino;
	u32 dev;
	s32 fd;
	u32 flags;
	u32 tgid;
	u32 tid;
	u16 opcode;
	u16 known;
	char comm[16];
};
BPF_TABLE("hash", struct io_ring_key, struct io_ring_req, io_ring_reqs, 16384);

/* Before 5.18 the file of a request is told before the request is. */
BPF_TABLE("lru_hash", u32, s32, io_ring_fds, 4096);

static __always_inline void io_ring_key(struct io_ring_key *key, u64 ring, u64 req, u64 user_data)
{
#ifdef IO_HAS_URING_COMPLETE_REQ
	key->a = req;
	key->b = 0;
#else
	key->a = ring;
	key->b = user_data;
#endif
}

static __always_inline void io_ring_send(void *ctx, struct io_ring *e, u16 event, u16 via)
{
	e->event = event;
	e->cpu = bpf_get_smp_processor_id();
	io_stamp(&e->head, IO_SEQ_IOURING, IO_REC_RING, via);
	io_events.perf_submit(ctx, e, sizeof(*e));
}

/* What the record of a request has from the request. */
static __always_inline void io_ring_fill(struct io_ring *e, struct io_ring_req *r)
{
	e->req = r->req;
	e->offset = r->offset;
	e->length = r->length;
	e->ino = r->ino;
	e->dev = r->dev;
	e->fd = r->fd;
	e->flags = r->flags;
	e->opcode = r->opcode;
	e->known = r->known;
}

#ifdef IO_HEADERS
/* The file behind a descriptor of the task that submits. */
static __always_inline void io_ring_file(struct io_ring_req *r, s32 fd)
{
	struct file *file = io_fd_file(fd);
	struct inode *inode = 0;
	struct super_block *sb = 0;
	unsigned long ino = 0;
	dev_t dev = 0;

	if (!file)
		return;
	IO_GET(inode, file, f_inode);
	if (!inode)
		return;
	IO_GET(sb, inode, i_sb);
	IO_READ_K(&ino, sizeof(ino), &inode->i_ino);
	IO_GET(dev, sb, s_dev);
	r->ino = ino;
	r->dev = dev;
}

/*
 * Position and bytes of reads and writes: the request begins with a kiocb,
 * behind which come the address and the length, in every version. READV, WRITEV
 * have a number of segments there. READ_FIXED 4, WRITE_FIXED 5, READ 22, WRITE 23.
 */
static __always_inline void io_ring_transfer(struct io_ring_req *r, u64 req)
{
	u32 op = r->opcode, length = 0;
	s64 offset = 0;

	if (op != 1 && op != 2 && op != 4 && op != 5 && op != 22 && op != 23)
		return;
	IO_READ_K(&offset, sizeof(offset), (void *)(req + offsetof(struct kiocb, ki_pos)));
	if (offset >= 0) {
		r->offset = offset;
		r->known |= IO_RING_OFFSET;
	}
	if (op < 3)
		return;
	IO_READ_K(&length, sizeof(length), (void *)(req + sizeof(struct kiocb) + 8));
	r->length = length;
	r->known |= IO_RING_LENGTH;
}
#endif

#if defined(IO_USE_RING_SUBMIT_REQ) || defined(IO_USE_RING_SUBMIT_SQE)
static __always_inline void io_ring_submitted(void *ctx, u64 ring, u64 req, u64 user_data, u32 opcode, u32 flags)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_ring_key key = {};
	struct io_ring_req r = { .fd = -1 }, *before;
	struct io_ring e = {};
	s32 *fd;

	if (!io_wanted())
		return;
	r.ts = bpf_ktime_get_ns();
	r.req = req;
	r.opcode = opcode;
	r.flags = flags & 0xff; /* REQ_F_* begins with IOSQE_*, in every version */
	r.tgid = bpf_get_current_pid_tgid() >> 32;
	r.tid = tid;
	bpf_get_current_comm(&r.comm, sizeof(r.comm));
#ifndef IO_HAS_URING_FILE_REQ
	fd = io_ring_fds.lookup(&tid);
	if (fd) {
		r.fd = *fd;
		io_ring_fds.delete(&tid);
	}
#endif
#ifdef IO_HEADERS
#ifdef IO_HAS_URING_KIOCB
	IO_READ_K(&r.fd, sizeof(r.fd), &((struct io_kiocb *)req)->cqe.fd);
	if (r.flags & 1) /* IOSQE_FIXED_FILE: an index, no descriptor */
		r.fd = -1;
#endif
	if (r.fd >= 0)
		io_ring_file(&r, r.fd);
	if (req)
		io_ring_transfer(&r, req);
#endif
	io_ring_key(&key, ring, req, user_data);
	before = io_ring_reqs.lookup(&key);
#ifndef IO_HAS_URING_COMPLETE_REQ
	if (before)
		r.known |= IO_RING_AMBIGUOUS;
#else
	if (before)
		io_miss(IO_SEQ_IOURING, IO_MISS_RETURN);
#endif
	if (io_ring_reqs.update(&key, &r) < 0)
		io_miss(IO_SEQ_IOURING, IO_MISS_FULL);
	io_ring_fill(&e, &r);
	e.ring = ring;
	e.user_data = user_data;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_SUBMIT, IO_VIA_IOURING_SUBMIT);
}
#endif

#ifdef IO_USE_RING_COMPLETE
/* The completion of a request; more of them follow when it is a multishot one (IORING_CQE_F_MORE). */
#define IO_RING_MORE 2
static __always_inline void io_ring_completed(struct io_tp_io_uring_io_uring_complete *ctx)
{
	struct io_ring_key key = {};
	struct io_ring_req *r, copy = {};
	struct io_ring e = {};
	u32 zero = 0, more = 0;
	u64 req = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

#ifdef IO_HAS_URING_COMPLETE_REQ
	req = (u64)ctx->req;
#endif
#ifdef IO_HAS_URING_CFLAGS
	more = ctx->cflags & IO_RING_MORE;
#endif
	io_ring_key(&key, (u64)ctx->ctx, req, ctx->user_data);
	r = io_ring_reqs.lookup(&key);
	if (r) {
		__builtin_memcpy(&copy, r, sizeof(copy));
		if (more)
			r->ts = bpf_ktime_get_ns();
		else
			io_ring_reqs.delete(&key);
		io_ring_fill(&e, &copy);
		e.head.tgid = copy.tgid;
		e.head.tid = copy.tid;
		__builtin_memcpy(e.head.comm, copy.comm, sizeof(e.head.comm));
		e.latency = bpf_ktime_get_ns() - copy.ts;
		e.known |= IO_RING_LATENCY;
	} else {
		/* submitted before we began, or an auxiliary one: of whoever runs now */
		if (!cfg || !cfg->on || !io_wanted())
			return;
		io_current(&e.head);
		e.fd = -1;
		e.req = req;
		e.opcode = 0xffff;
	}
	e.ring = (u64)ctx->ctx;
	e.user_data = ctx->user_data;
	e.result = (s32)ctx->res;
	io_ring_send(ctx, &e, IO_RING_COMPLETE, IO_VIA_IOURING_COMPLETE);
}
#endif

#ifdef IO_USE_RING_FILE_GET
int io_ring_file_get(struct io_tp_io_uring_io_uring_file_get *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	s32 fd = ctx->fd;
#ifdef IO_HAS_URING_FILE_REQ
	struct io_ring_key key = {};
	struct io_ring_req *r;

	io_ring_key(&key, (u64)ctx->ctx, (u64)ctx->req, ctx->user_data);
	r = io_ring_reqs.lookup(&key);
	if (!r)
		return 0;
	r->fd = fd;
#ifdef IO_HEADERS
	io_ring_file(r, fd);
#endif
#else
	if (io_wanted())
		io_ring_fds.update(&tid, &fd);
#endif
	return 0;
}
#endif

/* A request that goes to a worker, or waits for its file to be ready */
static __always_inline void io_ring_step(void *ctx, u64 ring, u64 req, u64 user_data, u16 event, u16 via)
{
	struct io_ring_key key = {};
	struct io_ring_req *r;
	struct io_ring e = { .fd = -1, .opcode = 0xffff };

	if (!io_wanted())
		return;
	io_ring_key(&key, ring, req, user_data);
	r = io_ring_reqs.lookup(&key);
	if (r)
		io_ring_fill(&e, r);
	e.ring = ring;
	e.req = req;
	e.user_data = user_data;
	io_current(&e.head);
	io_ring_send(ctx, &e, event, via);
}

#ifdef IO_USE_RING_QUEUE_ASYNC
int io_ring_queue_async(struct io_tp_io_uring_io_uring_queue_async_work *ctx)
{
	u64 user_data = 0;

#ifdef IO_HAS_URING_QUEUE_DATA
	user_data = ctx->user_data;
#endif
	io_ring_step(ctx, (u64)ctx->ctx, (u64)ctx->req, user_data, IO_RING_QUEUE_ASYNC,
		     IO_VIA_IOURING_QUEUE_ASYNC);
	return 0;
}
#endif

#ifdef IO_USE_RING_POLL_ARM
int io_ring_poll_arm(struct io_tp_io_uring_io_uring_poll_arm *ctx)
{
	u64 req = 0;

#ifdef IO_HAS_URING_POLL_REQ
	req = (u64)ctx->req;
#endif
	io_ring_step(ctx, (u64)ctx->ctx, req, ctx->user_data, IO_RING_POLL_ARM, IO_VIA_IOURING_POLL_ARM);
	return 0;
}
#endif

#ifdef IO_USE_RING_CREATE
int io_ring_create(struct io_tp_io_uring_io_uring_create *ctx)
{
	struct io_ring e = { .opcode = 0xffff };

	if (!io_wanted())
		return 0;
	e.ring = (u64)ctx->ctx;
	e.fd = ctx->fd;
	e.flags = ctx->flags;
	e.length = ctx->sq_entries;
	e.known = IO_RING_LENGTH;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_CREATE, IO_VIA_IOURING_CREATE);
	return 0;
}
#endif

#ifdef IO_USE_RING_REGISTER
int io_ring_register(struct io_tp_io_uring_io_uring_register *ctx)
{
	struct io_ring e = { .fd = -1 };

	if (!io_wanted())
		return 0;
	e.ring = (u64)ctx->ctx;
	e.opcode = ctx->opcode;
	e.result = ctx->ret;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_REGISTER, IO_VIA_IOURING_REGISTER);
	return 0;
}
#endif

#ifdef IO_USE_RING_ENTER
struct io_ring_enter {
	u64 ts;
	s32 fd;
	u32 submit;
	u32 flags;
	u32 active;
};
BPF_TABLE("hash", u32, struct io_ring_enter, io_ring_enters, 16384);

/* io_uring_enter(fd, to_submit, min_complete, flags …) */
int io_ring_enter(struct io_sys_enter *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_ring_enter now = { .active = 1 };

	if (!io_wanted())
		return 0;
	now.fd = IO_SYS_ARG(ctx, 0);
	now.submit = IO_SYS_ARG(ctx, 1);
	now.flags = IO_SYS_ARG(ctx, 3);
	now.ts = bpf_ktime_get_ns();
	if (io_ring_enters.update(&tid, &now) < 0)
		io_miss(IO_SEQ_IOURING, IO_MISS_FULL);
	return 0;
}

int io_ring_enter_exit(struct io_sys_exit *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_ring_enter *now = io_ring_enters.lookup(&tid);
	struct io_ring e = { .opcode = 0xffff };

	if (!now || !now->active)
		return 0;
	now->active = 0;
	e.fd = now->fd;
	e.length = now->submit;
	e.flags = now->flags;
	e.result = IO_SYS_RET(ctx);
	e.latency = bpf_ktime_get_ns() - now->ts;
	e.known = IO_RING_LENGTH | IO_RING_LATENCY;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_ENTER, IO_VIA_IOURING_ENTER);
	return 0;
}
#endif

#endif /* IO_STREAM_iouring */

/* ---- events that fs sees, too ---- */

#if defined(IO_USE_URING_REQ) || defined(IO_USE_URING_DATA) || defined(IO_USE_RING_COMPLETE)
int io_ring_complete(struct io_tp_io_uring_io_uring_complete *ctx)
{
#if defined(IO_USE_URING_REQ) || defined(IO_USE_URING_DATA)
	io_uring_done(ctx);
#endif
#ifdef IO_USE_RING_COMPLETE
	io_ring_completed(ctx);
#endif
	return 0;
}
#endif

#if defined(IO_USE_URING_DATA) || defined(IO_USE_RING_SUBMIT_SQE)
int io_ring_submit_sqe(struct io_tp_io_uring_io_uring_submit_sqe *ctx)
{
#ifdef IO_USE_URING_DATA
	io_uring_submit(ctx);
#endif
#ifdef IO_USE_RING_SUBMIT_SQE
	u64 req = 0;
	u32 flags = 0;

#ifdef IO_HAS_URING_SUBMIT_REQ
	req = (u64)ctx->req;
	flags = ctx->flags;
#endif
	io_ring_submitted(ctx, (u64)ctx->ctx, req, ctx->user_data, ctx->opcode, flags);
#endif
	return 0;
}
#endif

#ifdef IO_USE_RING_SUBMIT_REQ
int io_ring_submit_req(struct io_tp_io_uring_io_uring_submit_req *ctx)
{
	io_ring_submitted(ctx, (u64)ctx->ctx, (u64)ctx->req, ctx->user_data, ctx->opcode, ctx->flags);
	return 0;
}
#endif
