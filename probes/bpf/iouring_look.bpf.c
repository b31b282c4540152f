/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream iouring: what programs look up beside the event: requests, the thread, how full
 * the queues are, and whether a request is in the sample. Those of ds ask here, too.
 */
#ifdef IOT_STREAM_iouring

struct iot_ring_key {
	u64 a;
	u64 b;
};

struct iot_ring_req {
	u64 ts;
	u64 ring;
	u64 req;
	u64 user_data;
	u64 offset;
	u64 length;
	u64 ino;
	u32 dev;
	s32 fd;
	u32 flags;
	u32 tgid;
	u32 tid;
	u32 n;       /* requests under this key that have not completed */
	u16 opcode;
	u16 known;
	u16 buffer;
	u16 queued;  /* it went to a worker */
	u32 worker;  /* tid of the thread of io-wq that ran it last; 0 */
	u32 kept;    /* of n, those in the sample */
	char comm[16];
};
BPF_TABLE("hash", struct iot_ring_key, struct iot_ring_req, iot_ring_reqs, 16384);

#if defined(IOT_HAS_URING_SUBMIT_REQ) && !defined(IOT_HAS_URING_QUEUE_DATA)
/* 5.14 to 5.17: what goes to a worker, follows another one or makes it fail is told by its address alone */
#define IOT_RING_DATA 1
BPF_TABLE("lru_hash", u64, struct iot_ring_key, iot_ring_data, 16384);
#endif

#if defined(IOT_HAS_URING_COMPLETE_REQ) || defined(IOT_RING_DATA)
#define IOT_RING_REQUESTS 1
/* The struct kiocb of a call is where its request is, if io_uring made the call; else 0. */
static __always_inline u64 iot_ring_request_at(u64 kiocb)
{
#ifdef IOT_HAS_URING_COMPLETE_REQ
	struct iot_ring_key key = { .a = kiocb };

	return iot_ring_reqs.lookup(&key) ? kiocb : 0;
#else
	return iot_ring_data.lookup(&kiocb) ? kiocb : 0;
#endif
}
#endif

/*
 * The current thread when it is one of io-wq, else 0. By its name, which is there in every
 * tier and version: iou-wrk-PID (5.12, late 5.10.y), io_wqe_worker-N (5.5 to 5.11).
 */
static __always_inline u32 iot_ring_io_worker(void)
{
	u64 comm[2] = {};

	bpf_get_current_comm(&comm, sizeof(comm));
	if (__builtin_memcmp(comm, "iou-wrk-", 8) && __builtin_memcmp(comm, "io_wqe_w", 8))
		return 0;
	return bpf_get_current_pid_tgid();
}

/*
 * A ring has its indices in memory that the program maps, and beside them how far the kernel
 * is in it: what it takes and completes now is published later.
 */
static __always_inline void iot_ring_queues(struct iot_ring *e, u64 ring)
{
#if defined(IOT_HEADERS) && defined(IOT_HAS_URING_QUEUES)
	struct io_ring_ctx *ctx = (struct io_ring_ctx *)ring;
	struct io_rings *rings = 0;
	u32 sq_head = 0, sq_tail = 0, cq_tail = 0;

	IOT_GET(rings, ctx, rings);
	if (!rings)
		return;
	IOT_GET(sq_head, ctx, cached_sq_head);
	IOT_GET(cq_tail, ctx, cached_cq_tail);
	IOT_GET(sq_tail, rings, sq.tail);
	IOT_GET(e->cq_taken, rings, cq.head);
	e->sq_fill = sq_tail - sq_head;
	e->cq_fill = cq_tail - e->cq_taken;
	e->known |= IOT_RING_FILLS;
#endif
}

/* Who has IOSQE_IO_LINK or IOSQE_IO_HARDLINK is followed by more of its chain, within one call. */
#define IOT_RING_LINKED (4 | 8)
struct iot_ring_chain {
	u64 call;
	u32 linked;
	u32 kept;
};
BPF_TABLE("lru_hash", u64, struct iot_ring_chain, iot_ring_chains, 4096);

/* When the call began in which this thread submits; 0: it is the kernel's */
static __always_inline u64 iot_ring_call_time(void)
{
#ifdef IOT_RING_CALLS
	struct iot_ring_call *now = iot_pending_active(IOT_KIND_RING);

	return now ? now->ts : 0;
#else
	return 0;
#endif
}

/* Whether a request that is submitted is in the sample: a chain is as a whole, or not. */
static __always_inline int iot_ring_keeps(struct iot_config *cfg, u64 ring, u32 flags)
{
	u32 below = cfg->uring_keep;
	u64 call;

	if (!below)
		return 1;
	call = iot_ring_call_time();
#if defined(IOT_HAS_URING_SUBMIT_REQ) || defined(IOT_USE_RING_SUBMIT_FN)
	struct iot_ring_chain *before = iot_ring_chains.lookup(&ring), now = {};

	now.call = call;
	now.linked = flags & IOT_RING_LINKED;
	if (before && before->linked && before->call == call)
		now.kept = before->kept;
	else
		now.kept = bpf_get_prandom_u32() < below;
	if (now.linked || (before && before->linked))
		iot_ring_chains.update(&ring, &now);
	return now.kept;
#else
	/* flags are not told (5.5 to 5.13): what one call submits, or the kernel's thread within 16 ms, is kept or not */
	if (!call)
		call = bpf_ktime_get_ns() >> 24;
	call = (call ^ ring) * 0x9e3779b97f4a7c15ULL;
	return (u32)(call >> 32) < below;
#endif
}

#endif /* IOT_STREAM_iouring */
