/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring, from the tracepoints of io_uring (5.5 on). fs sees reads and
 * writes by some of the same events: one program serves both, 4.14 allows no
 * second.
 */

#ifdef IOT_STREAM_iouring

#if defined(IOT_USE_RING_FILE_GET) && !defined(IOT_HAS_URING_FILE_REQ) && defined(IOT_HAS_URING_FILE_FIRST)
/* From 5.7 to 5.17 the file of a request is told before the request is. */
#define IOT_RING_FDS 1
BPF_TABLE("lru_hash", u32, s32, iot_ring_fds, 4096);

static __always_inline s32 iot_ring_told_fd(void)
{
	u32 tid = bpf_get_current_pid_tgid();
	s32 *told = iot_ring_fds.lookup(&tid), fd;

	if (!told)
		return -1;
	fd = *told;
	iot_ring_fds.delete(&tid);
	return fd;
}
#endif

#if defined(IOT_USE_RING_SUBMIT_REQ) || defined(IOT_USE_RING_SUBMIT_SQE)
/* Descriptor and file of a request that is submitted, as far as they are known by then */
static __always_inline void iot_ring_find_file(struct iot_ring_req *r, int has_file)
{
#ifdef IOT_RING_FDS
	s32 fd = iot_ring_told_fd();

	if (has_file)
		r->fd = fd;
#endif
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_KIOCB)
	if (has_file)
		IOT_READ_K(&r->fd, sizeof(r->fd), &((struct io_kiocb *)r->req)->cqe.fd);
#endif
	if (r->flags & 1) /* IOSQE_FIXED_FILE: an index, no descriptor */
		r->fd = -1;
#ifdef IOT_HEADERS
	if (r->fd >= 0)
		iot_ring_file(r, iot_fd_file(r->fd));
#ifndef IOT_HAS_URING_FILE_REQ
	else if (r->req && has_file)
		iot_ring_file_of(r, r->req);
#endif
#endif
}

#define IOT_RING_FAILED 0x100
static __always_inline void iot_ring_submit(void *ctx, u64 ring, u64 req, u64 user_data, u16 opcode, u32 flags,
					   int sq_thread)
{
	struct iot_ring_req r = { .fd = -1 };

	if (!iot_ring_submitter(&r, ring, sq_thread))
		return;
	r.ring = ring;
	r.req = req;
	r.user_data = user_data;
	r.opcode = opcode;
	r.flags = flags & 0xff; /* REQ_F_* begins with IOSQE_*, in every version */
	iot_ring_find_file(&r, iot_ring_has_file(opcode));
#if defined(IOT_HEADERS) && !defined(IOT_LEARNED)
	/*
	 * A read or write begins with a kiocb, behind which come address and length, in every version;
	 * not yet where it has failed already (REQ_F_FAIL: in a chain, 5.14 to 5.17).
	 */
	if (req && !(flags & IOT_RING_FAILED)) {
		s64 offset = -1;
		u64 addr = 0;
		u32 length = 0;

		IOT_READ_K(&offset, sizeof(offset), (void *)(req + offsetof(struct kiocb, ki_pos)));
		IOT_READ_K(&addr, sizeof(addr), (void *)(req + sizeof(struct kiocb)));
		IOT_READ_K(&length, sizeof(length), (void *)(req + sizeof(struct kiocb) + 8));
		iot_ring_bytes(&r, offset, addr, length);
	}
#endif
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_BUFFER)
	if (req && iot_ring_has_buffer(opcode)) {
		struct io_kiocb *kiocb = (struct io_kiocb *)req;

		IOT_GET(r.buffer, kiocb, buf_index);
		r.known |= IOT_RING_BUFFER;
	}
#endif
#ifdef IOT_RING_DATA
	struct iot_ring_key of = { .a = ring, .b = user_data };

	iot_ring_data.update(&req, &of);
#endif
	iot_ring_submitted(ctx, &r);
}
#endif

#ifdef IOT_USE_RING_REFUSED
/* What is wrong in itself is not submitted; it completes all the same. 5.18 on */
int iot_ring_refused(struct iot_tp_io_uring_io_uring_req_failed *ctx)
{
	struct iot_ring_req r = { .fd = -1 };

	if (!iot_ring_submitter(&r, (u64)ctx->ctx, 0))
		return 0;
	r.ring = (u64)ctx->ctx;
	r.req = (u64)ctx->req;
	r.user_data = ctx->user_data;
	r.opcode = ctx->opcode;
	r.flags = ctx->flags;
#ifdef IOT_HEADERS
	iot_ring_bytes(&r, ctx->off, ctx->addr, ctx->len);
#endif
	if (iot_ring_has_buffer(r.opcode)) {
		r.buffer = ctx->buf_index;
		r.known |= IOT_RING_BUFFER;
	}
	iot_ring_submitted(ctx, &r);
	return 0;
}
#endif

#ifdef IOT_USE_RING_COMPLETE
#define IOT_RING_MORE 2 /* IORING_CQE_F_MORE: this was not the last of the request */
static __always_inline void iot_ring_complete_event(struct iot_tp_io_uring_io_uring_complete *ctx)
{
	u32 more = 0;
	u64 req = 0;
	s32 fd = -1;

#ifdef IOT_RING_FDS
	/* what is told now was not submitted, and the next one must not have it */
	fd = iot_ring_told_fd();
#endif
#ifdef IOT_HAS_URING_COMPLETE_REQ
	req = (u64)ctx->req;
#endif
#ifdef IOT_HAS_URING_CFLAGS
	more = ctx->cflags & IOT_RING_MORE;
#endif
	iot_ring_completed(ctx, (u64)ctx->ctx, req, ctx->user_data, (s32)ctx->res, more, fd);
}
#endif

#endif /* IOT_STREAM_iouring */

/* ---- events that fs sees, too ---- */

#if defined(IOT_USE_URING_REQ) || defined(IOT_USE_URING_DATA) || defined(IOT_USE_RING_COMPLETE)
int iot_ring_complete(struct iot_tp_io_uring_io_uring_complete *ctx)
{
#if defined(IOT_USE_URING_REQ) || defined(IOT_USE_URING_DATA)
	iot_uring_done(ctx);
#endif
#ifdef IOT_USE_RING_COMPLETE
	iot_ring_complete_event(ctx);
#endif
	return 0;
}
#endif

#if defined(IOT_USE_URING_DATA) || defined(IOT_USE_RING_SUBMIT_SQE)
int iot_ring_submit_sqe(struct iot_tp_io_uring_io_uring_submit_sqe *ctx)
{
#ifdef IOT_USE_URING_DATA
	iot_uring_submit(ctx);
#endif
#ifdef IOT_USE_RING_SUBMIT_SQE
	u64 req = 0;
	u32 flags = 0, opcode = IOT_RING_NO_OPCODE;

#ifdef IOT_HAS_URING_SUBMIT_REQ
	req = (u64)ctx->req;
	flags = ctx->flags;
#endif
#ifdef IOT_HAS_URING_SUBMIT_OPCODE
	opcode = ctx->opcode;
#endif
	iot_ring_submit(ctx, (u64)ctx->ctx, req, ctx->user_data, opcode, flags, ctx->sq_thread);
#endif
	return 0;
}
#endif

#ifdef IOT_USE_RING_SUBMIT_REQ
int iot_ring_submit_req(struct iot_tp_io_uring_io_uring_submit_req *ctx)
{
	iot_ring_submit(ctx, (u64)ctx->ctx, (u64)ctx->req, ctx->user_data, ctx->opcode, ctx->flags, ctx->sq_thread);
	return 0;
}
#endif
