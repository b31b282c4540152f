/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring: rings, which are made, get files and buffers, and are entered.
 * A ring is known by its address in the kernel; the calls know its descriptor.
 */

#ifdef IOT_STREAM_iouring

#ifndef IOT_HEADERS
/* Rings by process and descriptor */
BPF_TABLE("lru_hash", u64, u64, iot_ring_by_fd, 4096);
#endif

/* The address of the ring behind a descriptor, when the call took it for one (EBADF 9, EOPNOTSUPP 95); 0 */
static __always_inline u64 iot_ring_of_fd(s32 fd, s64 result)
{
#ifdef IOT_HEADERS
	struct file *file = 0;
	void *ring = 0;

	if (result == -9 || result == -95)
		return 0;
	file = iot_fd_file(fd);
	if (file)
		IOT_GET(ring, file, private_data);
	/* EINVAL: arguments may be looked at before the descriptor, which can be anything's */
	if (result == -22 && !iot_ring_owners.lookup((u64 *)&ring))
		return 0;
	return (u64)ring;
#else
	u64 key = bpf_get_current_pid_tgid() >> 32 << 32 | (u32)fd;
	u64 *ring = iot_ring_by_fd.lookup(&key);

	return ring && result != -9 && result != -95 ? *ring : 0;
#endif
}

static __always_inline void iot_ring_made(u64 ring, s32 fd)
{
	struct iot_ring_owner owner = {};
	u64 id = bpf_get_current_pid_tgid();

	owner.tgid = id >> 32;
	owner.tid = id;
	bpf_get_current_comm(&owner.comm, sizeof(owner.comm));
	iot_ring_owners.update(&ring, &owner);
#ifndef IOT_HEADERS
	id = id >> 32 << 32 | (u32)fd;
	iot_ring_by_fd.update(&id, &ring);
#endif
}

#if defined(IOT_USE_RING_CREATE) || defined(IOT_USE_RING_SETUP)
#define IOT_RING_SETUPS
#endif
#if defined(IOT_USE_RING_REGISTER) || defined(IOT_USE_RING_REGISTER_CALL)
#define IOT_RING_REGISTERS
#endif

#ifdef IOT_RING_CALLS
/* A call on a ring begins, whose return makes a row of this event; NULL when it is not to be shown. */
static __always_inline struct iot_ring_call *iot_ring_begin(u32 event, u16 via)
{
	struct iot_ring_call *now;

	if (!iot_wanted())
		return 0;
	now = iot_pending_begin(IOT_KIND_RING, IOT_SEQ_iouring, event, via);
	if (now) {
		now->ts = bpf_ktime_get_ns();
		now->told = 0;
	}
	return now;
}

/* It returns. */
static __always_inline void iot_ring_took(struct iot_ring *e, struct iot_ring_call *now)
{
	e->latency = bpf_ktime_get_ns() - now->ts;
	e->known |= IOT_RING_LATENCY;
}

/* The call of this thread that has such a row still to send, or NULL. */
static __always_inline struct iot_ring_call *iot_ring_active(u32 event)
{
	struct iot_ring_call *now = iot_pending_active(IOT_KIND_RING);

	return now && now->op == event ? now : 0;
}
#endif

#ifdef IOT_USE_RING_ENTER
#define IOT_RING_REGISTERED 0x10 /* IORING_ENTER_REGISTERED_RING: an index, no descriptor */

#ifndef IO_RINGFD_REG_MAX
#define IO_RINGFD_REG_MAX 16
#endif
/* The ring of a call of io_uring_enter, as iot_ring_of_fd() */
static __always_inline u64 iot_ring_entered(struct iot_ring_call *now, s64 result)
{
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_INDEXED)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct io_uring_task *rings = 0;
	struct file *file = 0;
	void *ring = 0;

	if (now->flags & IOT_RING_REGISTERED) {
		if (result == -9 || result == -22 || (u32)now->fd >= IO_RINGFD_REG_MAX)
			return 0;
		IOT_GET(rings, task, io_uring);
		if (rings)
			IOT_LOAD(file, &rings->registered_rings[now->fd & (IO_RINGFD_REG_MAX - 1)]);
		if (file)
			IOT_GET(ring, file, private_data);
		return (u64)ring;
	}
#endif
	return now->flags & IOT_RING_REGISTERED ? 0 : iot_ring_of_fd(now->fd, result);
}

/* io_uring_enter(fd, to_submit, min_complete, flags …) */
int iot_ring_enter(struct iot_sys_enter *ctx)
{
	struct iot_ring_call *now = iot_ring_begin(IOT_RING_ENTER, IOT_VIA_IOURING_ENTER);


	if (!now)
		return 0;
	now->fd = IOT_SYS_ARG(ctx, 0);
	now->to_submit = IOT_SYS_ARG(ctx, 1);
	now->flags = IOT_SYS_ARG(ctx, 3);
	now->sq_fill = 0;
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_QUEUES)
	struct iot_ring e = {};

	iot_ring_queues(&e, iot_ring_entered(now, 0));
	now->sq_fill = e.sq_fill;
#endif
	return 0;
}

int iot_ring_enter_exit(struct iot_sys_exit *ctx)
{
	struct iot_ring_call *now = iot_ring_active(IOT_RING_ENTER);
	struct iot_ring e = { .opcode = IOT_RING_NO_OPCODE };

	if (!now)
		return 0;
	e.fd = now->flags & IOT_RING_REGISTERED ? -1 : now->fd;
	e.length = now->to_submit;
	e.enter_flags = now->flags;
	e.result = IOT_SYS_RET(ctx);
	e.ring = iot_ring_entered(now, e.result);
	e.known = IOT_RING_LENGTH;
	iot_ring_took(&e, now);
	if (e.ring)
		iot_ring_queues(&e, e.ring);
	e.sq_fill = now->sq_fill;
	iot_pending_end(now);
	iot_current(&e.head);
	iot_ring_send(ctx, &e, IOT_RING_ENTER, IOT_VIA_IOURING_ENTER);
	return 0;
}
#endif

#ifdef IOT_RING_REGISTERS
#define IOT_RING_REGISTER_INDEX (1U << 31) /* IORING_REGISTER_USE_REGISTERED_RING: an index, no descriptor */

/* io_uring_register(fd, opcode, …) */
int iot_ring_register_call(struct iot_sys_enter *ctx)
{
	struct iot_ring_call *now = iot_ring_begin(IOT_RING_REGISTER, IOT_VIA_IOURING_REGISTER);

	if (!now)
		return 0;
	now->fd = IOT_SYS_ARG(ctx, 0);
	now->opcode = IOT_SYS_ARG(ctx, 1);
	if (now->opcode & IOT_RING_REGISTER_INDEX)
		now->fd = -1;
	return 0;
}

int iot_ring_register_exit(struct iot_sys_exit *ctx)
{
	struct iot_ring_call *now = iot_ring_active(IOT_RING_REGISTER);
	struct iot_ring e = {};

	if (!now)
		return 0;
	e.fd = now->fd;
	e.opcode = now->opcode;
	e.result = IOT_SYS_RET(ctx);
	iot_ring_took(&e, now);
	if (now->told)
		e.ring = now->ring;
	iot_pending_end(now);
	/* where there is an event, it is that of every call that reached a ring */
	if (!e.ring && e.fd >= 0)
		e.ring = iot_ring_of_fd(e.fd, e.result);
	iot_current(&e.head);
	iot_ring_send(ctx, &e, IOT_RING_REGISTER, IOT_VIA_IOURING_REGISTER);
	return 0;
}
#endif

#ifdef IOT_USE_RING_REGISTER
/* Inside the call, whose descriptor it does not tell, nor how long it takes: where its return is seen, that has the row. */
int iot_ring_register(struct iot_tp_io_uring_io_uring_register *ctx)
{
	struct iot_ring_call *now = iot_ring_active(IOT_RING_REGISTER);
	struct iot_ring e = { .fd = -1 };

	if (now) {
		now->ring = (u64)ctx->ctx;
		now->opcode = ctx->opcode;
		now->told = 1;
		return 0;
	}
	if (!iot_wanted())
		return 0;
	e.ring = (u64)ctx->ctx;
	e.opcode = ctx->opcode;
	e.result = ctx->ret;
	iot_current(&e.head);
	iot_ring_send(ctx, &e, IOT_RING_REGISTER, IOT_VIA_IOURING_REGISTER);
	return 0;
}
#endif

#ifdef IOT_RING_SETUPS
/* struct io_uring_params begins with sq_entries, cq_entries and flags; the kernel fills in the first. */
static __always_inline void iot_ring_params(struct iot_ring *e, u64 given, s64 result)
{
	u32 params[3] = {};

	if (IOT_READ_U(params, sizeof(params), (void *)given))
		return;
	e->setup_flags = params[2];
	if (result >= 0)
		e->length = params[0];
}

static __always_inline void iot_ring_setup_end(void *ctx, s64 result)
{
	struct iot_ring_call *now = iot_ring_active(IOT_RING_CREATE);
	struct iot_ring e = { .opcode = IOT_RING_NO_OPCODE, .fd = -1 };

	if (!now)
		return;
	e.length = now->entries;
	e.known = IOT_RING_LENGTH;
	iot_ring_took(&e, now);
	if (now->told) {
		e.ring = now->ring;
		e.setup_flags = now->flags;
		e.fd = now->fd;
	} else {
		iot_ring_params(&e, now->params, result);
	}
	if (result < 0) {
		e.result = result;
		e.fd = -1;
	} else if (!now->told) {
		e.fd = result;
		e.ring = iot_ring_of_fd(e.fd, 0);
		if (e.ring)
			iot_ring_made(e.ring, e.fd);
	}
	iot_pending_end(now);
	iot_current(&e.head);
	iot_ring_send(ctx, &e, IOT_RING_CREATE, IOT_VIA_IOURING_CREATE);
}
#endif

#ifdef IOT_USE_RING_CREATE
/* Inside the call: where its return is seen, that has the row. */
int iot_ring_create(struct iot_tp_io_uring_io_uring_create *ctx)
{
	struct iot_ring_call *now = iot_ring_active(IOT_RING_CREATE);
	struct iot_ring e = { .opcode = IOT_RING_NO_OPCODE };

	e.ring = (u64)ctx->ctx;
	/* a ring of a traced process may have had this address before */
	if (!now && !iot_wanted()) {
		iot_ring_owners.delete(&e.ring);
		return 0;
	}
	e.fd = ctx->fd;
	e.setup_flags = ctx->flags;
	e.length = ctx->sq_entries;
	e.known = IOT_RING_LENGTH;
	iot_ring_made(e.ring, e.fd);
	if (now) {
		now->ring = e.ring;
		now->fd = e.fd;
		now->flags = e.setup_flags;
		now->entries = e.length;
		now->told = 1;
		return 0;
	}
	iot_current(&e.head);
	iot_ring_send(ctx, &e, IOT_RING_CREATE, IOT_VIA_IOURING_CREATE);
	return 0;
}
#endif

#endif /* IOT_STREAM_iouring */

/* ---- the call that makes a ring also makes a descriptor that is no file's ---- */

#if defined(IOT_RING_SETUPS) || defined(IOT_USE_SC_NEWFD)
/* io_uring_setup(entries, params) */
int iot_ring_setup(struct iot_sys_enter *ctx)
{
#ifdef IOT_USE_SC_NEWFD
	iot_newfd_begin(ctx);
#endif
#ifdef IOT_RING_SETUPS
	struct iot_ring_call *now = iot_ring_begin(IOT_RING_CREATE, IOT_VIA_IOURING_CREATE);

	if (!now)
		return 0;
	now->entries = IOT_SYS_ARG(ctx, 0);
	now->params = IOT_SYS_ARG(ctx, 1);
#endif
	return 0;
}

int iot_ring_setup_exit(struct iot_sys_exit *ctx)
{
#ifdef IOT_RING_SETUPS
	iot_ring_setup_end(ctx, IOT_SYS_RET(ctx));
#endif
#ifdef IOT_USE_SC_NEWFD
	iot_sc_end(ctx);
#endif
	return 0;
}
#endif
