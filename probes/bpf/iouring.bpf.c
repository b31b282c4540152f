/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring: requests of io_uring. A completion runs in whatever context
 * and says little: what the submission knew waits for it, under the request
 * where completions name it (5.18 on), else under ring and user_data, which
 * several requests may share. What those differ in is not known then, and the
 * row says so. Here is what the programs share; those of the tracepoints (5.5
 * on) are in iouring_event.bpf.c and iouring_step.bpf.c, those of the kernel's
 * functions (5.1 to 5.4) in iouring_func.bpf.c, rings themselves in
 * iouring_ring.bpf.c.
 *
 * Of a sample, requests that are not in it stand in the tables only where
 * another one may have their key, so that a completion can be told from theirs.
 */
#ifdef IOT_STREAM_iouring

#define IOT_RING_NO_OPCODE 0xffff
#define IOT_RING_CQE_SKIP 0x40 /* IOSQE_CQE_SKIP_SUCCESS, 5.17: no completion may come */

#ifdef IOT_USE_RING_CQE_OVERFLOW
/* Completions that found no room, by ring and user_data: nobody told which request they were of. */
BPF_TABLE("lru_hash", struct iot_ring_key, u8, iot_ring_overflown, 16384);
#endif

#ifdef IOT_HAS_URING_COMPLETE_REQ
/* Requests that may complete more than once: all but the last completion name none. */
BPF_TABLE("hash", struct iot_ring_key, struct iot_ring_req, iot_ring_shots, 16384);

/* POLL_ADD, RECVMSG, TIMEOUT, ACCEPT, RECV, URING_CMD, SEND_ZC, SENDMSG_ZC, READ_MULTISHOT, RECV_ZC */
#define IOT_RING_SHOTS \
	(1ULL << 6 | 1ULL << 10 | 1ULL << 11 | 1ULL << 13 | 1ULL << 27 | 1ULL << 46 | 1ULL << 47 | \
	 1ULL << 48 | 1ULL << 49 | 1ULL << 58)
static __always_inline int iot_ring_may_repeat(u16 opcode)
{
	return opcode < 64 && (IOT_RING_SHOTS >> opcode & 1);
}
#endif

/*
 * Requests on no file: NOP, POLL_REMOVE, TIMEOUT and its kin, ASYNC_CANCEL, what opens, closes,
 * names or makes something, buffers, futexes. Where others have a descriptor they have anything.
 */
#define IOT_RING_FILELESS \
	(1ULL << 0 | 1ULL << 7 | 1ULL << 11 | 1ULL << 12 | 1ULL << 14 | 1ULL << 15 | 1ULL << 18 | \
	 1ULL << 19 | 1ULL << 20 | 1ULL << 21 | 1ULL << 25 | 1ULL << 28 | 1ULL << 29 | 1ULL << 31 | \
	 1ULL << 32 | 1ULL << 35 | 1ULL << 36 | 1ULL << 37 | 1ULL << 38 | 1ULL << 39 | 1ULL << 42 | \
	 1ULL << 44 | 1ULL << 45 | 1ULL << 50 | 1ULL << 51 | 1ULL << 52 | 1ULL << 53 | 1ULL << 62 | 1ULL << 63)
static __always_inline int iot_ring_has_file(u16 opcode)
{
	return opcode < 64 ? !(IOT_RING_FILELESS >> opcode & 1) : opcode == 64; /* URING_CMD128 is the last of 7.2 */
}

/* Whether a buffer that was registered is the only one it can have: READ_FIXED 4, WRITE_FIXED 5, READV_FIXED 60, WRITEV_FIXED 61 */
#define IOT_RING_BUFFERED (1ULL << 4 | 1ULL << 5 | 1ULL << 60 | 1ULL << 61)
static __always_inline int iot_ring_has_buffer(u16 opcode)
{
	return opcode < 64 && (IOT_RING_BUFFERED >> opcode & 1);
}

/* Who made a ring: what a kernel thread submits for it (SQPOLL up to 5.11) is theirs. */
struct iot_ring_owner {
	u32 tgid;
	u32 tid;
	char comm[16];
};
BPF_TABLE("lru_hash", u64, struct iot_ring_owner, iot_ring_owners, 4096);

static __always_inline void iot_ring_key(struct iot_ring_key *key, u64 ring, u64 req, u64 user_data)
{
#ifdef IOT_HAS_URING_COMPLETE_REQ
	key->a = req;
	key->b = 0;
#else
	key->a = ring;
	key->b = user_data;
#endif
}

static __always_inline void iot_ring_send(void *ctx, struct iot_ring *e, u16 event, u16 via)
{
	e->event = event;
	e->cpu = bpf_get_smp_processor_id();
	iot_stamp(&e->head, IOT_SEQ_iouring, IOT_REC_RING, via);
	iot_events.perf_submit(ctx, e, sizeof(*e));
}

/* What the record of a request has from the request. */
static __always_inline void iot_ring_fill(struct iot_ring *e, struct iot_ring_req *r)
{
	e->head.tgid = r->tgid;
	e->head.tid = r->tid;
	__builtin_memcpy(e->head.comm, r->comm, sizeof(e->head.comm));
	e->req = r->req;
	e->offset = r->offset;
	e->length = r->length;
	e->ino = r->ino;
	e->dev = r->dev;
	e->fd = r->fd;
	e->sqe_flags = r->flags;
	e->opcode = r->opcode;
	e->known = r->known;
	e->buffer = r->buffer;
}

#ifdef IOT_HEADERS
static __always_inline void iot_ring_file(struct iot_ring_req *r, struct file *file)
{
	struct inode *inode = 0;
	struct super_block *sb = 0;
	unsigned long ino = 0;
	dev_t dev = 0;

	if (!file)
		return;
	IOT_GET(inode, file, f_inode);
	if (!inode)
		return;
	IOT_GET(sb, inode, i_sb);
	IOT_READ_K(&ino, sizeof(ino), &inode->i_ino);
	IOT_GET(dev, sb, s_dev);
	r->ino = ino;
	r->dev = dev;
}

/* A request begins with its file, in every version. */
static __always_inline void iot_ring_file_of(struct iot_ring_req *r, u64 req)
{
	struct file *file = 0;

	IOT_READ_K(&file, sizeof(file), (void *)req);
	iot_ring_file(r, file);
}

/*
 * Position and bytes of reads and writes. READV 1, WRITEV 2, READ_FIXED 4, WRITE_FIXED 5, READ 22, WRITE 23,
 * READV_FIXED 60, WRITEV_FIXED 61
 */
static __always_inline void iot_ring_bytes(struct iot_ring_req *r, s64 offset, u64 addr, u32 length)
{
	u32 op = r->opcode;

	if (op != 1 && op != 2 && op != 4 && op != 5 && op != 22 && op != 23 && op != 60 && op != 61)
		return;
	if (offset >= 0) { /* -1: that of the file */
		r->offset = offset;
		r->known |= IOT_RING_OFFSET;
	}
	if (op > 2 && op < 60)
		r->length = length;
	else if (length <= 32)
		r->length = iot_iov_bytes(addr, length);
	else
		return;
	r->known |= IOT_RING_LENGTH;
}
#endif

/* The submitter's thread and name; 0 when it is not to be traced. */
static __always_inline int iot_ring_submitter(struct iot_ring_req *r, u64 ring, int sq_thread)
{
	u64 id = bpf_get_current_pid_tgid();
	struct iot_ring_owner *owner = 0;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	if (sq_thread)
		owner = iot_ring_owners.lookup(&ring);
	if (!owner && !iot_wanted())
		return 0;
	r->tgid = owner ? owner->tgid : id >> 32;
	r->tid = id;
	bpf_get_current_comm(&r->comm, sizeof(r->comm));
	return 1;
}

/* Another one under the same key: known is what they have in common. */
static __always_inline void iot_ring_merge(struct iot_ring_req *r, struct iot_ring_req *before)
{
	r->n += before->n;
	r->kept += before->kept;
	r->known |= IOT_RING_AMBIGUOUS;
	r->req = 0;
	if (before->opcode != r->opcode)
		r->opcode = IOT_RING_NO_OPCODE;
	if (before->fd != r->fd)
		r->fd = -1;
	if (before->ino != r->ino || before->dev != r->dev)
		r->ino = 0;
	if (before->flags != r->flags)
		r->flags = 0;
	if (before->offset != r->offset || !(before->known & IOT_RING_OFFSET))
		r->known &= ~IOT_RING_OFFSET;
	if (before->length != r->length || !(before->known & IOT_RING_LENGTH))
		r->known &= ~IOT_RING_LENGTH;
	if (before->buffer != r->buffer || !(before->known & IOT_RING_BUFFER))
		r->known &= ~IOT_RING_BUFFER;
}

#ifdef IOT_HAS_URING_COMPLETE_REQ
/* A request whose place another one has now: it has completed, and mostly nobody saw it */
static __always_inline void iot_ring_unseen(struct iot_ring_req *before)
{
	if ((before->flags & IOT_RING_CQE_SKIP) || iot_ring_may_repeat(before->opcode))
		return;
#ifdef IOT_USE_RING_CQE_OVERFLOW
	struct iot_ring_key key = { .a = before->ring, .b = before->user_data };

	if (iot_ring_overflown.lookup(&key)) {
		iot_ring_overflown.delete(&key);
		return;
	}
#endif
	iot_miss(IOT_SEQ_iouring, IOT_MISS_RETURN);
}

/* Keeps r for what becomes of it; one that is not in the sample, only among those that share user_data. */
static __always_inline void iot_ring_remember(struct iot_ring_req *r)
{
	struct iot_ring_key key = { .a = r->req };
	struct iot_ring_req *before = iot_ring_reqs.lookup(&key);

	if (before)
		iot_ring_unseen(before);
	if (!r->kept) {
		if (before)
			iot_ring_reqs.delete(&key);
	} else if (iot_ring_reqs.update(&key, r) < 0) {
		iot_miss(IOT_SEQ_iouring, IOT_MISS_FULL);
	}
	if (!iot_ring_may_repeat(r->opcode))
		return;
	key.a = r->ring;
	key.b = r->user_data;
	before = iot_ring_shots.lookup(&key);
	if (before)
		iot_ring_merge(r, before);
	if (iot_ring_shots.update(&key, r) < 0)
		iot_miss(IOT_SEQ_iouring, IOT_MISS_FULL);
}
#else
static __always_inline void iot_ring_remember(struct iot_ring_req *r)
{
	struct iot_ring_key key = { .a = r->ring, .b = r->user_data };
	struct iot_ring_req *before = iot_ring_reqs.lookup(&key);

	if (before)
		iot_ring_merge(r, before);
	if (!(r->flags & IOT_RING_CQE_SKIP) && iot_ring_reqs.update(&key, r) < 0)
		iot_miss(IOT_SEQ_iouring, IOT_MISS_FULL);
}
#endif

/* Sends the submission r, unless it is not in the sample, and keeps it for what becomes of it. */
static __always_inline void iot_ring_submitted(void *ctx, struct iot_ring_req *r)
{
	struct iot_ring e = {};
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	int kept;

	if (!cfg)
		return;
	r->ts = bpf_ktime_get_ns();
	r->n = 1;
	r->kept = kept = iot_ring_keeps(cfg, r->ring, r->flags);
	iot_ring_fill(&e, r);
	e.ring = r->ring;
	e.user_data = r->user_data;
	iot_ring_remember(r);
	if (kept)
		iot_ring_send(ctx, &e, IOT_RING_SUBMIT, IOT_VIA_IOURING_SUBMIT);
	else
		iot_miss(IOT_SEQ_iouring, IOT_MISS_SAMPLED);
}

/* One request of those under a key is over, of those in the sample if any is; 1 when none is left. */
static __always_inline int iot_ring_last(struct iot_ring_req *r)
{
	if (r->n < 2)
		return 1;
	r->n -= 1;
	if (r->kept)
		r->kept -= 1;
	return 0;
}

/* What a completion belongs to, as iot_ring_join() finds it */
enum { IOT_RING_UNKNOWN, IOT_RING_JOINED, IOT_RING_LEFT_OUT /* not in the sample */ };

#ifdef IOT_HAS_URING_COMPLETE_REQ
/* A completion of a request that may have several, of which the request itself knows only some. */
static __always_inline int iot_ring_join_shot(struct iot_ring *e, u64 ring, u64 user_data, u32 more, u64 now, int found)
{
	struct iot_ring_key key = { .a = ring, .b = user_data };
	struct iot_ring_req *r = iot_ring_shots.lookup(&key);

	if (!r)
		return found;
	if (found == IOT_RING_UNKNOWN) {
		found = r->kept ? IOT_RING_JOINED : IOT_RING_LEFT_OUT;
		iot_ring_fill(e, r);
		e->worker = r->worker;
		e->latency = now - r->ts;
	} else if (r->n == 1) {
		e->latency = now - r->ts;
	}
	r->ts = now;
	if (more || !iot_ring_last(r))
		return found;
	iot_ring_shots.delete(&key);
	/* the request itself may not have been told of, so look for it under its address, too */
	key.a = e->req;
	key.b = 0;
	r = iot_ring_reqs.lookup(&key);
	if (r && r->user_data == user_data)
		iot_ring_reqs.delete(&key);
	return found;
}
#endif

/* Fills in the request that a completion belongs to; more follow it, or not. */
static __always_inline int iot_ring_join(struct iot_ring *e, u64 ring, u64 req, u64 user_data, u32 more)
{
	struct iot_ring_key key = {};
	struct iot_ring_req *r;
	u64 now = bpf_ktime_get_ns();
	int found = IOT_RING_UNKNOWN;

	iot_ring_key(&key, ring, req, user_data);
	r = iot_ring_reqs.lookup(&key);
	/* the address may be that of another one, whose end was not seen */
	if (r && r->user_data == user_data) {
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_COMPLETE_REQ)
		if (!r->ino && (r->flags & 1)) /* IOSQE_FIXED_FILE: found when it ran */
			iot_ring_file_of(r, req);
#endif
		found = r->kept ? IOT_RING_JOINED : IOT_RING_LEFT_OUT;
		iot_ring_fill(e, r);
		e->worker = r->worker ? r->worker : r->queued ? iot_ring_io_worker() : 0;
		e->latency = now - r->ts;
		if (more)
			r->ts = now;
		else if (iot_ring_last(r))
			iot_ring_reqs.delete(&key);
	}
#ifdef IOT_HAS_URING_COMPLETE_REQ
	if (found == IOT_RING_UNKNOWN || iot_ring_may_repeat(e->opcode))
		return iot_ring_join_shot(e, ring, user_data, more, now, found);
#endif
	return found;
}

/* Of a request that nobody saw begin, or another ring's: who made the ring, or runs now; 0: not to be shown */
static __always_inline int iot_ring_stranger(struct iot_ring *e, u64 ring)
{
	struct iot_ring_owner *owner = iot_ring_owners.lookup(&ring);

	if (!owner && !iot_wanted())
		return 0;
	iot_current(&e->head);
	if (owner) {
		e->head.tgid = owner->tgid;
		e->head.tid = owner->tid;
		__builtin_memcpy(e->head.comm, owner->comm, sizeof(e->head.comm));
	}
	e->opcode = IOT_RING_NO_OPCODE;
	return 1;
}

/* fd: of one that was never submitted, or -1 */
static __always_inline void iot_ring_completed(void *ctx, u64 ring, u64 req, u64 user_data, s64 result, u32 more,
					      s32 fd)
{
	struct iot_ring e = {};
	u32 zero = 0;
	int found;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return;
	found = iot_ring_join(&e, ring, req, user_data, more);
	if (found == IOT_RING_LEFT_OUT)
		return;
	if (found == IOT_RING_JOINED) {
		/* several have it, and whose start this is nobody knows */
		if (!(e.known & IOT_RING_AMBIGUOUS))
			e.known |= IOT_RING_LATENCY;
	} else {
		if (cfg->uring_keep || !iot_ring_stranger(&e, ring))
			return;
		e.fd = fd;
		e.req = req;
	}
	/* what follows in a chain runs in the worker of the one before it, unless it is cancelled */
	if (!e.worker && result != -125)
		e.worker = iot_ring_io_worker();
	e.ring = ring;
	e.user_data = user_data;
	e.result = result;
	iot_ring_queues(&e, ring);
#ifndef IOT_HAS_URING_PLACED
	e.cq_fill += 1;
#endif
	iot_ring_send(ctx, &e, IOT_RING_COMPLETE, IOT_VIA_IOURING_COMPLETE);
}

#endif /* IOT_STREAM_iouring */
