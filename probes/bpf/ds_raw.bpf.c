/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds where requests are known by their address. A program that interrupts
 * another one on its CPU is skipped by the kernel, and completions do interrupt.
 * Raw tracepoints are not skipped, and bring the request pointer, but no fields
 * that could be read without kernel headers: at insert and issue the record's
 * program leaves what it read for the raw one that the kernel calls next. From
 * there on the request itself is the key, so that those under way at one sector
 * together are told apart, whoever issues them.
 */
#ifdef IOT_USE_BLOCK_RAW

/* What the record's programs leave for the raw ones, on this CPU, in this very event; id 0: it is nobody's. */
BPF_TABLE("percpu_array", u32, struct iot_rq, iot_inserting, 1);
BPF_TABLE("percpu_array", u32, struct iot_rq, iot_issued, 1);
/* By request: inserted and not yet issued, least recent first, as nothing tells of all that are merged away */
BPF_TABLE("lru_hash", u64, struct iot_rq, iot_inserted, 16384);
BPF_TABLE("hash", u64, struct iot_rq, iot_flying, 16384);

int iot_rq_insert(struct iot_tp_block_block_rq_insert *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq rq = {};
	u32 zero = 0;

	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	if (iot_rq_new(&key, &rq))
		rq.insert_ts = bpf_ktime_get_ns();
	iot_inserting.update(&zero, &rq);
	return 0;
}

int iot_rq_issue(struct iot_tp_block_block_rq_issue *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq rq = {}, *left;
	u32 zero = 0;

	/*
	 * What is still there was never joined: the raw program of the request before was skipped, as a thread
	 * is preempted in it on this CPU (7.2 and later). That request is not followed, its end not seen.
	 */
	left = iot_issued.lookup(&zero);
	if (left && left->was_here && left->id)
		iot_rq_unseen(left, IOT_MISS_ENTRY);
	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	iot_rq_new(&key, &rq);
	iot_has_requests(key.dev);
	rq.was_here = 1;
	rq.issuer = bpf_get_current_pid_tgid();
	rq.issue_ts = bpf_ktime_get_ns();
	rq.sectors = ctx->nr_sector;
	rq.dev = key.dev;
	rq.sector = key.sector;
	rq.at = key.sector == IOT_NO_SECTOR ? ~0ULL : key.sector;
	IOT_READ_K(rq.rwbs, sizeof(ctx->rwbs), ctx->rwbs);
	iot_issued.update(&zero, &rq);
	return 0;
}

#if defined(IOT_HEADERS) && !defined(IOT_LEARNED)
/* What not every version has, by its headers (bits are macros, operations an enum) */
#ifndef REQ_CGROUP_PUNT
#define REQ_CGROUP_PUNT 0
#endif
#ifndef REQ_POLLED
#define REQ_POLLED 0
#endif
#ifndef REQ_HIPRI
#define REQ_HIPRI 0
#endif
#ifndef REQ_ALLOC_CACHE
#define REQ_ALLOC_CACHE 0
#endif
#ifndef REQ_SWAP
#define REQ_SWAP 0
#endif
#ifndef REQ_DRV
#define REQ_DRV 0
#endif
#ifndef REQ_FS_PRIVATE
#define REQ_FS_PRIVATE 0
#endif
#ifndef REQ_ATOMIC
#define REQ_ATOMIC 0
#endif
#ifndef REQ_P2PDMA
#define REQ_P2PDMA 0
#endif
#ifndef IOT_HAS_REQ_OP_SCSI
#define REQ_OP_SCSI_IN -1
#define REQ_OP_SCSI_OUT -1
#endif
#ifndef IOT_HAS_REQ_OP_WRITE_SAME
#define REQ_OP_WRITE_SAME -1
#endif
#ifndef IOT_HAS_REQ_OP_ZONE_REPORT
#define REQ_OP_ZONE_REPORT -1
#endif
#ifndef IOT_HAS_REQ_OP_ZONE_RESET_ALL
#define REQ_OP_ZONE_RESET_ALL -1
#endif
#ifndef IOT_HAS_REQ_OP_ZONE_OPEN
#define REQ_OP_ZONE_OPEN -1
#define REQ_OP_ZONE_CLOSE -1
#define REQ_OP_ZONE_FINISH -1
#endif
#ifndef IOT_HAS_REQ_OP_ZONE_APPEND
#define REQ_OP_ZONE_APPEND -1
#endif

static __always_inline void iot_rq_command(struct iot_rq *rq, u64 request)
{
	u32 cmd = 0, rest, op;

	if (IOT_READ_K(&cmd, sizeof(cmd), &((struct request *)request)->cmd_flags) < 0)
		return;
	op = cmd & 255;
	rest = cmd & ~255;
	rq->op = op;
#define IOT_REQ_OP_IS(name) \
	if (op == (u32)REQ_OP_##name) \
		rq->op = IOT_REQ_OP_##name;
	IOT_REQ_OPS(IOT_REQ_OP_IS)
	rq->cmd_flags = 0;
#define IOT_REQ_HAS(name) \
	if (cmd & (u32)REQ_##name) \
		rq->cmd_flags |= 1U << IOT_REQ_##name; \
	rest &= ~(u32)REQ_##name;
	IOT_REQ_FLAGS(IOT_REQ_HAS)
	rq->cmd_rest = rest;
}
#else
static __always_inline void iot_rq_command(struct iot_rq *rq, u64 request)
{
}
#endif

static __always_inline int iot_raw_queue(u64 request)
{
	u32 zero = 0;
	struct iot_rq *slot = iot_inserting.lookup(&zero), copy = {};
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!slot || !cfg || !cfg->on)
		return 0;
	/* that of an untraced process is kept, too (id 0): a traced thread that issues it is not its owner */
	__builtin_memcpy(&copy, slot, sizeof(copy));
	slot->id = 0;
	iot_inserted.update(&request, &copy);
	return 0;
}

/* Who a request belongs to, and since when: what is known of it by itself comes before what its sector says. */
static __always_inline void iot_rq_inherit(struct iot_rq *rq, struct iot_rq *known)
{
	rq->insert_ts = known->insert_ts;
	rq->id = known->id;
	rq->above = known->above;
	rq->above_dev = known->above_dev;
	rq->tgid = known->tgid;
	rq->tid = known->tid;
	__builtin_memcpy(rq->comm, known->comm, sizeof(rq->comm));
	__builtin_memcpy(&rq->owner, &known->owner, sizeof(rq->owner));
}

BPF_TABLE("prog", u32, u32, iot_to_unseen_rt, 1);

/*
 * A request is issued whose last use was not seen to end: a kernel may run no program for a completion, as
 * while one of its own is preempted (7.2 and later), or in threads that it shows to nobody. It has ended, or
 * it could not be used again, with all its bytes: they are a row, without the time that they took.
 */
int iot_unseen_rt(struct iot_raw *ctx)
{
	u32 zero = 0;
	u64 *kept = iot_raw_request.lookup(&zero), request = kept ? *kept : 0;
	struct iot_rq *rq = iot_flying.lookup(&request);
	int counted;

	if (!rq || !rq->issue_ts)
		return 0;
	counted = iot_count_unseen(rq) || iot_rq_thinned(rq);

	struct iot_ds e = {};

	iot_ds_of(&e, rq);
	e.cpu = bpf_get_smp_processor_id();
	iot_flying.delete(&request);
	if (!counted) {
		/* no number of this stream's: the program at completions, which interrupts this one, has them */
		iot_stamp(&e.head, IOT_SEQ_STATE, IOT_REC_DS, IOT_VIA_DS_REQUEST);
		iot_events.perf_submit(ctx, &e, sizeof(e));
	}
	iot_to_issue_rt.call(ctx, 0);
	return 0;
}

/* The request is one that we follow from now on; false: it is not. */
static __always_inline int iot_raw_follow(struct iot_raw *ctx, u64 request)
{
	u32 zero = 0;
	struct iot_rq *slot = iot_issued.lookup(&zero), copy = {}, *known;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_rq_key key = {};

	if (!slot || !cfg)
		return 0;
	if (!cfg->on) {
		slot->was_here = 0;
		return 0;
	}
	/*
	 * The record's program did not run before this one, in this thread: it would
	 * have interrupted another. Nothing is known of the request but that.
	 */
	if (!slot->was_here || slot->issuer != (u32)bpf_get_current_pid_tgid()) {
		iot_miss(IOT_SEQ_ds, IOT_MISS_ENTRY);
		iot_flying.delete(&request);
		return 0;
	}
	known = iot_flying.lookup(&request);
	if (known && known->issue_ts) {
		/* not requeued: told first, and then back here */
		iot_to_unseen_rt.call(ctx, 0);
		iot_rq_missed(known);
		known = NULL;
	}
	__builtin_memcpy(&copy, slot, sizeof(copy));
	slot->was_here = 0;
	if (!known)
		known = iot_inserted.lookup(&request);
	if (known)
		iot_rq_inherit(&copy, known);
	iot_inserted.delete(&request);
	if (!copy.id) {
		iot_flying.delete(&request);
		return 0;
	}
	iot_rq_command(&copy, request);
	key.dev = copy.dev;
	key.sector = copy.sector;
	iot_owner_bios(&copy.owner, &key, copy.sectors);
	if (iot_flying.update(&request, &copy) < 0)
		iot_miss(IOT_SEQ_ds, IOT_MISS_FULL);
	return 1;
}

int iot_issue_rt(struct iot_raw *ctx)
{
	u32 zero = 0;
	u64 *kept = iot_raw_request.lookup(&zero), request = kept ? *kept : 0;
	struct iot_rq *known;

	if (!iot_raw_follow(ctx, request))
		return 0;
	/* its pages are looked at there: the stack has no room for both, and gets it back from a function */
	known = iot_flying.lookup(&request);
	if (!known)
		return 0;
	iot_owner_pages(&known->owner, request, known->rwbs[0] != 'R');
	if (!iot_carries(&known->owner))
		iot_flying.delete(&request);
	return 0;
}

/* Back to the queue, to be issued again: not what was used before and ended unseen */
static __always_inline int iot_raw_back(u64 request)
{
	struct iot_rq *rq = iot_flying.lookup(&request);

	if (!rq)
		return 0;
	if (!rq->insert_ts)
		rq->insert_ts = bpf_ktime_get_ns();
	rq->issue_ts = 0;
	return 0;
}

/* Both forms, as of iot_raw_issue() */
int iot_raw_insert(struct iot_raw *ctx)
{
	return iot_raw_queue(ctx->args[0]);
}

int iot_raw_insert_q(struct iot_raw *ctx)
{
	return iot_raw_queue(ctx->args[1]);
}

int iot_raw_requeue(struct iot_raw *ctx)
{
	return iot_raw_back(ctx->args[0]);
}

int iot_raw_requeue_q(struct iot_raw *ctx)
{
	return iot_raw_back(ctx->args[1]);
}

/* (request, error, bytes); error is a negative errno up to 5.15, a blk_status_t since */
int iot_raw_complete(struct iot_raw *ctx)
{
	u64 request = ctx->args[0], bytes = (u32)ctx->args[2];
	struct iot_rq *rq = iot_flying.lookup(&request);
	u32 sectors = bytes >> 9;
	int counted;

	if (!rq)
		return 0;
	/* before the record is there: the stack has no room for both */
	counted = iot_count_request(rq, rq->rwbs, rq->dev, rq->sector, bytes, ctx->args[1]) || iot_rq_thinned(rq);

	struct iot_ds e = {};

	iot_ds_of(&e, rq);
	e.cpu = bpf_get_smp_processor_id();
	e.nr_sector = sectors;
	e.error = ctx->args[1];
	if (!counted)
		iot_stamp(&e.head, IOT_SEQ_ds, IOT_REC_DS, IOT_VIA_DS_REQUEST);
	if (rq->issue_ts) {
		e.flags |= IOT_DS_ISSUED;
		e.issue_ns = e.head.ts - rq->issue_ts;
	}
	if (rq->sectors > sectors && rq->sector != IOT_NO_SECTOR) {
		e.flags |= IOT_DS_PART;
		rq->sectors -= sectors;
		rq->at += sectors;
	} else {
		iot_flying.delete(&request);
	}
	if (!counted)
		iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}
#endif /* IOT_USE_BLOCK_RAW */
