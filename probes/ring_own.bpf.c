/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring: rings, which are made, get files and buffers, and are entered.
 * A ring is known by its address in the kernel; the calls know its descriptor.
 */

#ifdef IO_STREAM_iouring

#ifndef IO_HEADERS
/* Rings by process and descriptor */
BPF_TABLE("lru_hash", u64, u64, io_ring_by_fd, 4096);
#endif

/* The address of the ring behind a descriptor, when the call took it for one (EBADF 9, EOPNOTSUPP 95); 0 */
static __always_inline u64 io_ring_of_fd(s32 fd, s64 result)
{
#ifdef IO_HEADERS
	struct file *file = 0;
	void *ring = 0;

	if (result == -9 || result == -95)
		return 0;
	file = io_fd_file(fd);
	if (file)
		IO_GET(ring, file, private_data);
	/* EINVAL: arguments may be looked at before the descriptor, which can be anything's */
	if (result == -22 && !io_ring_owners.lookup((u64 *)&ring))
		return 0;
	return (u64)ring;
#else
	u64 key = bpf_get_current_pid_tgid() >> 32 << 32 | (u32)fd;
	u64 *ring = io_ring_by_fd.lookup(&key);

	return ring && result != -9 && result != -95 ? *ring : 0;
#endif
}

static __always_inline void io_ring_made(u64 ring, s32 fd)
{
	struct io_ring_owner owner = {};
	u64 id = bpf_get_current_pid_tgid();

	owner.tgid = id >> 32;
	owner.tid = id;
	bpf_get_current_comm(&owner.comm, sizeof(owner.comm));
	io_ring_owners.update(&ring, &owner);
#ifndef IO_HEADERS
	id = id >> 32 << 32 | (u32)fd;
	io_ring_by_fd.update(&id, &ring);
#endif
}

#if defined(IO_USE_RING_CREATE) || defined(IO_USE_RING_SETUP)
#define IO_RING_SETUPS
#endif
#if defined(IO_USE_RING_REGISTER) || defined(IO_USE_RING_REGISTER_CALL)
#define IO_RING_REGISTERS
#endif

#if defined(IO_USE_RING_ENTER) || defined(IO_RING_SETUPS) || defined(IO_RING_REGISTERS)
/* What a call on a ring was given, until it returns; a thread makes one at a time. */
struct io_ring_call {
	u64 ts;
	u64 params; /* io_uring_setup: address of struct io_uring_params */
	s32 fd;
	u32 number; /* io_uring_setup: entries; io_uring_enter: to_submit; io_uring_register: opcode */
	u32 flags;
	u32 active; /* IO_RING_* of the row that the return makes, or 0 */
};
#define IO_RING_CALLS
BPF_TABLE("hash", u32, struct io_ring_call, io_ring_calls, 16384);

static __always_inline void io_ring_call(struct io_ring_call *now, u32 event)
{
	u32 tid = bpf_get_current_pid_tgid();

	if (!io_wanted())
		return;
	now->active = event;
	now->ts = bpf_ktime_get_ns();
	if (io_ring_calls.update(&tid, now) < 0)
		io_miss(IO_SEQ_IOURING, IO_MISS_FULL);
}

static __always_inline struct io_ring_call *io_ring_called(u32 event)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_ring_call *now = io_ring_calls.lookup(&tid);

	if (!now || now->active != event)
		return 0;
	now->active = 0;
	return now;
}
#endif

#ifdef IO_USE_RING_ENTER
#define IO_RING_REGISTERED 0x10 /* IORING_ENTER_REGISTERED_RING: an index, no descriptor */

/* io_uring_enter(fd, to_submit, min_complete, flags …) */
int io_ring_enter(struct io_sys_enter *ctx)
{
	struct io_ring_call now = {};

	now.fd = IO_SYS_ARG(ctx, 0);
	now.number = IO_SYS_ARG(ctx, 1);
	now.flags = IO_SYS_ARG(ctx, 3);
	io_ring_call(&now, IO_RING_ENTER);
	return 0;
}

int io_ring_enter_exit(struct io_sys_exit *ctx)
{
	struct io_ring_call *now = io_ring_called(IO_RING_ENTER);
	struct io_ring e = { .opcode = IO_RING_NO_OPCODE };

	if (!now)
		return 0;
	e.fd = now->flags & IO_RING_REGISTERED ? -1 : now->fd;
	e.length = now->number;
	e.flags = now->flags;
	e.result = IO_SYS_RET(ctx);
	if (e.fd >= 0)
		e.ring = io_ring_of_fd(e.fd, e.result);
	e.latency = bpf_ktime_get_ns() - now->ts;
	e.known = IO_RING_LENGTH | IO_RING_LATENCY;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_ENTER, IO_VIA_IOURING_ENTER);
	return 0;
}
#endif

#ifdef IO_RING_REGISTERS
#define IO_RING_REGISTER_INDEX (1U << 31) /* IORING_REGISTER_USE_REGISTERED_RING: an index, no descriptor */

/* io_uring_register(fd, opcode, …) */
int io_ring_register_call(struct io_sys_enter *ctx)
{
	struct io_ring_call now = {};

	now.fd = IO_SYS_ARG(ctx, 0);
	now.number = IO_SYS_ARG(ctx, 1);
	if (now.number & IO_RING_REGISTER_INDEX)
		now.fd = -1;
	io_ring_call(&now, IO_RING_REGISTER);
	return 0;
}

/* Where there is an event of it, it is that of a call on a ring: what is left here was refused before. */
int io_ring_register_exit(struct io_sys_exit *ctx)
{
	struct io_ring_call *now = io_ring_called(IO_RING_REGISTER);
	struct io_ring e = {};

	if (!now)
		return 0;
	e.fd = now->fd;
	e.opcode = now->number;
	e.result = IO_SYS_RET(ctx);
	if (e.fd >= 0)
		e.ring = io_ring_of_fd(e.fd, e.result);
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_REGISTER, IO_VIA_IOURING_REGISTER);
	return 0;
}
#endif

#ifdef IO_USE_RING_REGISTER
/* Inside the call, whose descriptor it does not tell */
int io_ring_register(struct io_tp_io_uring_io_uring_register *ctx)
{
	struct io_ring_call *now = io_ring_called(IO_RING_REGISTER);
	struct io_ring e = { .fd = -1 };

	if (!io_wanted())
		return 0;
	if (now)
		e.fd = now->fd;
	e.ring = (u64)ctx->ctx;
	e.opcode = ctx->opcode;
	e.result = ctx->ret;
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_REGISTER, IO_VIA_IOURING_REGISTER);
	return 0;
}
#endif

#ifdef IO_RING_SETUPS
/*
 * struct io_uring_params begins with sq_entries, cq_entries and flags; the kernel fills in
 * the first. Where there is an event of it, what is left here was refused.
 */
static __always_inline void io_ring_setup_end(void *ctx, s64 result)
{
	struct io_ring_call *now = io_ring_called(IO_RING_CREATE);
	struct io_ring e = { .opcode = IO_RING_NO_OPCODE, .fd = -1 };
	u32 params[3] = {};

	if (!now)
		return;
	e.length = now->number;
	e.known = IO_RING_LENGTH;
	if (!IO_READ_U(params, sizeof(params), (void *)now->params)) {
		e.flags = params[2];
		if (result >= 0)
			e.length = params[0];
	}
	if (result >= 0) {
		e.fd = result;
		e.ring = io_ring_of_fd(e.fd, 0);
	} else {
		e.result = result;
	}
	if (e.ring)
		io_ring_made(e.ring, e.fd);
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_CREATE, IO_VIA_IOURING_CREATE);
}
#endif

#ifdef IO_USE_RING_CREATE
/* Inside the call */
int io_ring_create(struct io_tp_io_uring_io_uring_create *ctx)
{
	struct io_ring e = { .opcode = IO_RING_NO_OPCODE };

	io_ring_called(IO_RING_CREATE);
	if (!io_wanted())
		return 0;
	e.ring = (u64)ctx->ctx;
	e.fd = ctx->fd;
	e.flags = ctx->flags;
	e.length = ctx->sq_entries;
	e.known = IO_RING_LENGTH;
	io_ring_made(e.ring, e.fd);
	io_current(&e.head);
	io_ring_send(ctx, &e, IO_RING_CREATE, IO_VIA_IOURING_CREATE);
	return 0;
}
#endif

#endif /* IO_STREAM_iouring */

/* ---- the call that makes a ring also makes a descriptor that is no file's ---- */

#if defined(IO_RING_SETUPS) || defined(IO_USE_SC_NEWFD)
/* io_uring_setup(entries, params) */
int io_ring_setup(struct io_sys_enter *ctx)
{
#ifdef IO_USE_SC_NEWFD
	io_newfd_begin(ctx);
#endif
#ifdef IO_RING_SETUPS
	struct io_ring_call now = {};

	now.number = IO_SYS_ARG(ctx, 0);
	now.params = IO_SYS_ARG(ctx, 1);
	io_ring_call(&now, IO_RING_CREATE);
#endif
	return 0;
}

int io_ring_setup_exit(struct io_sys_exit *ctx)
{
#ifdef IO_RING_SETUPS
	io_ring_setup_end(ctx, IO_SYS_RET(ctx));
#endif
#ifdef IO_USE_SC_NEWFD
	io_sc_end(ctx);
#endif
	return 0;
}
#endif
