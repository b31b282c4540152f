/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring: what happens to requests between submission and completion,
 * and to the threads that wait for them or do their work. What an event says of
 * the request differs between versions; the rest is that of the submission.
 */
#ifdef IOT_STREAM_iouring

/* Ring and user_data of a request that was seen to be submitted, by its address; 0: not known */
static __always_inline int iot_ring_at(struct iot_ring_key *of, u64 req)
{
#ifdef IOT_HAS_URING_COMPLETE_REQ
	struct iot_ring_key key = { .a = req };
	struct iot_ring_req *r = iot_ring_reqs.lookup(&key);

	if (!r)
		return 0;
	of->a = r->ring;
	of->b = r->user_data;
	return 1;
#elif defined(IOT_RING_DATA)
	struct iot_ring_key *told = iot_ring_data.lookup(&req);

	if (!told)
		return 0;
	*of = *told;
	return 1;
#else
	return 0;
#endif
}

/* What an event does not say of its request */
static __always_inline void iot_ring_find_data(struct iot_ring *e)
{
	struct iot_ring_key of = {};

	if (!iot_ring_at(&of, e->req)) {
		e->known |= IOT_RING_NO_DATA;
		return;
	}
	e->ring = of.a;
	e->user_data = of.b;
}

/* The request of an event, when its submission was seen, and it is the one by this user_data */
static __always_inline struct iot_ring_req *iot_ring_request(struct iot_ring *e)
{
	struct iot_ring_key key = {};
	struct iot_ring_req *r;

	if (e->known & IOT_RING_NO_DATA)
		return 0;
	iot_ring_key(&key, e->ring, e->req, e->user_data);
	r = iot_ring_reqs.lookup(&key);
	return r && r->user_data == e->user_data ? r : 0;
}

/* The request that is cancelled because another one failed, which may have completed before */
static __always_inline struct iot_ring_req *iot_ring_cancelled(struct iot_ring *e)
{
	struct iot_ring other = { .ring = e->ring, .req = e->link };

	iot_ring_find_data(&other);
	return iot_ring_request(&other);
}

/* Something happens to a request. Of a sample, what is not known to be in it is not shown. */
static __always_inline void iot_ring_step(void *ctx, struct iot_ring *e, u16 event, u16 via)
{
	struct iot_ring_req *r = iot_ring_request(e);
	u32 worker = iot_ring_io_worker(), zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	u64 req = e->req;
	u16 opcode = e->opcode;
	s32 fd = e->fd;

	if (!cfg || !cfg->on)
		return;
	if (r) {
		if (!r->kept)
			return;
		iot_ring_fill(e, r);
		if (event == IOT_RING_QUEUE_ASYNC)
			r->queued = 1;
		else if (worker)
			r->worker = worker;
	} else {
		if (event == IOT_RING_FAIL_LINK)
			r = iot_ring_cancelled(e);
		if (r ? !r->kept : cfg->uring_keep || !iot_wanted())
			return;
		iot_current(&e->head);
		if (r) {
			e->head.tgid = r->tgid;
			e->head.tid = r->tid;
			__builtin_memcpy(e->head.comm, r->comm, sizeof(e->head.comm));
			r = 0;
		}
	}
	e->req = req;
	e->opcode = opcode == IOT_RING_NO_OPCODE && r ? e->opcode : opcode;
	if (fd >= 0)
		e->fd = fd;
	e->worker = worker;
	iot_ring_send(ctx, e, event, via);
}

#if defined(IOT_USE_RING_QUEUE_ASYNC) || defined(IOT_USE_RING_POLL_ARM) || defined(IOT_USE_RING_DEFER) || \
	defined(IOT_USE_RING_LINK) || defined(IOT_USE_RING_FAIL_LINK) || defined(IOT_USE_RING_FILE_GETS)
/* What the programs of these events fill in, on this CPU, for the one that they call */
struct iot_ring_told {
	struct iot_ring e;
	u16 event;
	u16 via;
	u32 find; /* the event does not say ring and user_data */
};
BPF_TABLE("percpu_array", u32, struct iot_ring_told, iot_ring_told, 1);
BPF_TABLE("prog", u32, u32, iot_to_ring_step_tp, 1);

static __always_inline struct iot_ring_told *iot_ring_tell(u16 event, u16 via, u64 ring, u64 req)
{
	u32 zero = 0;
	struct iot_ring_told *told = iot_ring_told.lookup(&zero);

	if (!told)
		return 0;
	__builtin_memset(&told->e, 0, sizeof(told->e));
	told->e.ring = ring;
	told->e.req = req;
	told->e.opcode = IOT_RING_NO_OPCODE;
	told->e.fd = -1;
	told->event = event;
	told->via = via;
	told->find = 0;
	return told;
}

int iot_ring_step_tp(void *ctx)
{
	u32 zero = 0;
	struct iot_ring_told *told = iot_ring_told.lookup(&zero);

	if (!told)
		return 0;
	if (told->find)
		iot_ring_find_data(&told->e);
	iot_ring_step(ctx, &told->e, told->event, told->via);
	return 0;
}
#endif

#ifdef IOT_USE_RING_RUN
/* How far the work of a request is from its beginning */
BPF_TABLE("array", u32, u64, iot_ring_work_at, 1);

/* io_wq_submit_work(struct io_wq_work *): in the thread that takes up a request */
int iot_ring_run(struct pt_regs *ctx)
{
	u32 zero = 0;
	u64 *at = iot_ring_work_at.lookup(&zero);
	struct iot_ring_key key = {};
	struct iot_ring_req *r;

	if (!at || !*at)
		return 0;
	key.a = PT_REGS_PARM1(ctx) - *at;
	r = iot_ring_reqs.lookup(&key);
	if (r)
		r->worker = bpf_get_current_pid_tgid();
	return 0;
}
#endif

#ifdef IOT_USE_RING_QUEUE_ASYNC
int iot_ring_queue_async(struct iot_tp_io_uring_io_uring_queue_async_work *ctx)
{
	struct iot_ring_told *told = iot_ring_tell(IOT_RING_QUEUE_ASYNC, IOT_VIA_IOURING_QUEUE_ASYNC, (u64)ctx->ctx,
						   (u64)ctx->req);
#ifdef IOT_USE_RING_RUN
	u32 zero = 0;
	u64 at = (u64)ctx->work - (u64)ctx->req;

	iot_ring_work_at.update(&zero, &at);
#endif
	if (!told)
		return 0;
#ifdef IOT_HAS_URING_QUEUE_DATA
	told->e.user_data = ctx->user_data;
	told->e.opcode = ctx->opcode;
#else
	told->find = 1;
#endif
	iot_to_ring_step_tp.call(ctx, 0);
	return 0;
}
#endif

#ifdef IOT_USE_RING_POLL_ARM
int iot_ring_poll_arm(struct iot_tp_io_uring_io_uring_poll_arm *ctx)
{
	struct iot_ring_told *told = iot_ring_tell(IOT_RING_POLL_ARM, IOT_VIA_IOURING_POLL_ARM, (u64)ctx->ctx, 0);

	if (!told)
		return 0;
	told->e.user_data = ctx->user_data;
	told->e.opcode = ctx->opcode;
#ifdef IOT_HAS_URING_POLL_REQ
	told->e.req = (u64)ctx->req;
#endif
	iot_to_ring_step_tp.call(ctx, 0);
	return 0;
}
#endif

#ifdef IOT_USE_RING_DEFER
/* Until all that were submitted before it have completed (IOSQE_IO_DRAIN) */
int iot_ring_defer(struct iot_tp_io_uring_io_uring_defer *ctx)
{
	struct iot_ring_told *told = iot_ring_tell(IOT_RING_DEFER, IOT_VIA_IOURING_DEFER, (u64)ctx->ctx,
						   (u64)ctx->req);

	if (!told)
		return 0;
	told->e.user_data = ctx->data;
	iot_to_ring_step_tp.call(ctx, 0);
	return 0;
}
#endif

#ifdef IOT_USE_RING_LINK
int iot_ring_link(struct iot_tp_io_uring_io_uring_link *ctx)
{
	struct iot_ring_told *told = iot_ring_tell(IOT_RING_LINK, IOT_VIA_IOURING_LINK, (u64)ctx->ctx, (u64)ctx->req);

	if (!told)
		return 0;
	told->e.link = (u64)ctx->target_req;
	told->find = 1;
	iot_to_ring_step_tp.call(ctx, 0);
	return 0;
}
#endif

#ifdef IOT_USE_RING_FAIL_LINK
int iot_ring_fail_link(struct iot_tp_io_uring_io_uring_fail_link *ctx)
{
	struct iot_ring_told *told = iot_ring_tell(IOT_RING_FAIL_LINK, IOT_VIA_IOURING_FAIL_LINK, 0, (u64)ctx->req);

	if (!told)
		return 0;
	told->e.link = (u64)ctx->link;
#ifdef IOT_HAS_URING_FAIL_DATA
	told->e.ring = (u64)ctx->ctx;
	told->e.user_data = ctx->user_data;
	told->e.opcode = ctx->opcode;
#else
	told->find = 1;
#endif
	iot_to_ring_step_tp.call(ctx, 0);
	return 0;
}
#endif

#if defined(IOT_USE_RING_FILE_GET) || defined(IOT_USE_RING_FILE_GETS)
/* What the descriptor of a request says of it, and of all under its user_data */
static __always_inline void iot_ring_got_file(struct iot_tp_io_uring_io_uring_file_get *ctx)
{
	s32 fd = ctx->fd;
#ifdef IOT_HAS_URING_FILE_REQ
	struct iot_ring_key key = {};
	struct iot_ring_req *r, *shot;

	iot_ring_key(&key, (u64)ctx->ctx, (u64)ctx->req, ctx->user_data);
	r = iot_ring_reqs.lookup(&key);
	/* SPLICE and TEE look up a second one, that they read */
	if (!r || r->fd >= 0 || (r->flags & 1)) /* IOSQE_FIXED_FILE */
		return;
	r->fd = fd;
#ifdef IOT_HEADERS
	if (!r->ino)
		iot_ring_file(r, iot_fd_file(fd));
#endif
#ifdef IOT_HAS_URING_COMPLETE_REQ
	if (!iot_ring_may_repeat(r->opcode))
		return;
	key.a = (u64)ctx->ctx;
	key.b = ctx->user_data;
	shot = iot_ring_shots.lookup(&key);
	if (shot && shot->n == 1) {
		shot->fd = r->fd;
		shot->ino = r->ino;
		shot->dev = r->dev;
	}
#endif
#elif defined(IOT_RING_FDS)
	u32 tid = bpf_get_current_pid_tgid();

	iot_ring_fds.update(&tid, &fd);
#endif
}

int iot_ring_file_get(struct iot_tp_io_uring_io_uring_file_get *ctx)
{
#ifdef IOT_USE_RING_FILE_GET
	iot_ring_got_file(ctx);
#endif
#ifdef IOT_USE_RING_FILE_GETS
	struct iot_ring_told *told;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->uring_files)
		return 0;
	told = iot_ring_tell(IOT_RING_FILE_GET, IOT_VIA_IOURING_FILE_GET, (u64)ctx->ctx, 0);
	if (!told)
		return 0;
	told->e.fd = ctx->fd;
#ifdef IOT_HAS_URING_FILE_REQ
	told->e.req = (u64)ctx->req;
	told->e.user_data = ctx->user_data;
#else
	told->e.known = IOT_RING_NO_DATA;
#endif
	iot_to_ring_step_tp.call(ctx, 0);
#endif
	return 0;
}
#endif

#ifdef IOT_USE_RING_CQE_OVERFLOW
/*
 * A completion that finds no room: the kernel keeps it until the program has made some, and tells no more
 * of it. The event does not name its request; only of one that may complete again user_data tells.
 */
int iot_ring_cqe_overflow(struct iot_tp_io_uring_io_uring_cqe_overflow *ctx)
{
	struct iot_ring_key key = { .a = (u64)ctx->ctx, .b = ctx->user_data };
	struct iot_ring e = {};
	u8 one = 1;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	iot_ring_overflown.update(&key, &one);
	if (!iot_ring_stranger(&e, key.a))
		return 0;
	e.ring = key.a;
	e.user_data = key.b;
	e.result = ctx->res;
	e.fd = -1;
	e.worker = iot_ring_io_worker();
	iot_ring_queues(&e, key.a);
	iot_ring_send(ctx, &e, IOT_RING_CQE_OVERFLOW, IOT_VIA_IOURING_CQE_OVERFLOW);
	return 0;
}
#endif

#ifdef IOT_USE_RING_SHORT_WRITE
/* A write to a file got only so far; the rest is tried next. The event does not name its request. */
int iot_ring_short_write(struct iot_tp_io_uring_io_uring_short_write *ctx)
{
	struct iot_ring e = { .ring = (u64)ctx->ctx, .opcode = IOT_RING_NO_OPCODE, .fd = -1 };

	if (!iot_wanted())
		return 0;
	iot_current(&e.head);
	e.offset = ctx->fpos;
	e.length = ctx->wanted;
	e.result = ctx->got;
	e.known = IOT_RING_OFFSET | IOT_RING_LENGTH | IOT_RING_NO_DATA;
	e.worker = iot_ring_io_worker();
	iot_ring_send(ctx, &e, IOT_RING_SHORT_WRITE, IOT_VIA_IOURING_SHORT_WRITE);
	return 0;
}
#endif

/* ---- threads ---- */

static __always_inline void iot_ring_of_thread(void *ctx, u64 ring, u64 count, u16 event, u16 via)
{
	struct iot_ring e = { .ring = ring, .length = count, .known = IOT_RING_LENGTH, .opcode = IOT_RING_NO_OPCODE,
			      .fd = -1 };

	if (!iot_wanted())
		return;
	iot_current(&e.head);
	if (ring)
		iot_ring_queues(&e, ring);
	iot_ring_send(ctx, &e, event, via);
}

#ifdef IOT_USE_RING_CQRING_WAIT
int iot_ring_cqring_wait(struct iot_tp_io_uring_io_uring_cqring_wait *ctx)
{
	iot_ring_of_thread(ctx, (u64)ctx->ctx, (u32)ctx->min_events, IOT_RING_CQRING_WAIT,
			   IOT_VIA_IOURING_CQRING_WAIT);
	return 0;
}
#endif

#ifdef IOT_USE_RING_TASK_WORK
/* Of all rings of the thread together. A thread that polls a ring (SQPOLL) looks all the time, and mostly in vain. */
int iot_ring_task_work(struct iot_tp_io_uring_io_uring_task_work_run *ctx)
{
	if (ctx->count)
		iot_ring_of_thread(ctx, 0, ctx->count, IOT_RING_TASK_WORK, IOT_VIA_IOURING_TASK_WORK);
	return 0;
}
#endif

#ifdef IOT_USE_RING_LOCAL_WORK
int iot_ring_local_work(struct iot_tp_io_uring_io_uring_local_work_run *ctx)
{
	if (ctx->count)
		iot_ring_of_thread(ctx, (u64)ctx->ctx, (u32)ctx->count, IOT_RING_LOCAL_WORK, IOT_VIA_IOURING_LOCAL_WORK);
	return 0;
}
#endif

#endif /* IOT_STREAM_iouring */
