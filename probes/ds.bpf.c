/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds: one record per completed request (or piece of one), from the
 * block tracepoints. They carry no request pointer, so a request is known by
 * device and first sector while it waits; merges, splits and requeues move or
 * end that entry. Completion runs in whatever task was interrupted: the row
 * names who submitted, taken when the bio was queued.
 *
 * A program that interrupts another one on its CPU is skipped by the kernel,
 * and completions do interrupt. Raw tracepoints are not skipped, and bring the
 * request pointer, but no fields that could be read without kernel headers: at
 * issue the record's program leaves what it read for the raw one that the
 * kernel calls next, and completion finds it by the request.
 */
#if defined(IO_USE_BLOCK) || defined(IO_USE_BLOCK_RAW)

struct io_rq_key {
	u64 sector;
	u64 dev;
};

/* Least recent first: before 5.9 nothing tells of a request that was merged away, and its entry stays */
BPF_TABLE("lru_hash", struct io_rq_key, struct io_rq, io_rqs, 16384);
/* Who queued a bio; ended by issue or merge, least recent first when they pile up */
BPF_TABLE("lru_hash", struct io_rq_key, struct io_rq, io_bios, 16384);
/* partition -> whole disk, from user space: from 5.12 on a bio carries its partition */
BPF_TABLE("hash", u32, u32, io_parts, 1024);
BPF_TABLE("percpu_array", u32, u64, io_rq_count, 1);

/* Flushes and commands have no sector (0 at issue, -1 at completion). */
#define IO_NO_SECTOR (1ULL << 63)

/* op: first letter of rwbs. An empty flush has the sector that its bio happened to have, an operation on a zone its own. */
static __always_inline void io_rq_key(struct io_rq_key *key, u32 dev, u64 sector, u32 nr, char op)
{
	key->dev = dev;
	key->sector = sector == ~0ULL || (nr == 0 && (sector == 0 || op == 'F')) ? IO_NO_SECTOR : sector;
}

static __always_inline u32 io_whole_disk(u32 dev)
{
	u32 *disk = io_parts.lookup(&dev);

	return disk ? *disk : dev;
}

static __always_inline void io_rq_owner(struct io_rq *rq)
{
	u64 id = bpf_get_current_pid_tgid();

	rq->tgid = id >> 32;
	rq->tid = id;
	bpf_get_current_comm(&rq->comm, sizeof(rq->comm));
}

int io_bio_queue(struct io_tp_block_block_bio_queue *ctx)
{
	struct io_rq_key key = {};
	struct io_rq rq = {};

	if (!io_wanted())
		return 0;
	io_rq_key(&key, io_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	io_rq_owner(&rq);
	io_bios.update(&key, &rq);
	return 0;
}

/* Merged into a request: that request's first bio names the owner. */
int io_bio_backmerge(struct io_tp_block_block_bio_backmerge *ctx)
{
	struct io_rq_key key = {};

	io_rq_key(&key, io_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	io_bios.delete(&key);
	return 0;
}

/* Merged in front: the request now starts at the bio's sector. */
int io_bio_frontmerge(struct io_tp_block_block_bio_frontmerge *ctx)
{
	struct io_rq_key key = {}, old = {};
	struct io_rq *rq, copy = {};

	io_rq_key(&key, io_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	old.dev = key.dev;
	old.sector = ctx->sector + ctx->nr_sector;
	rq = io_rqs.lookup(&old);
	if (rq) {
		__builtin_memcpy(&copy, rq, sizeof(copy));
		io_rqs.delete(&old);
		io_rqs.update(&key, &copy);
	}
	io_bios.delete(&old);
	return 0;
}

/* The rest of a bio that was too large goes on under its own sector. */
int io_bio_split(struct io_tp_block_block_split *ctx)
{
	struct io_rq_key key = {};
	struct io_rq *bio, copy = {};

	key.dev = io_whole_disk(ctx->dev);
	key.sector = ctx->sector;
	bio = io_bios.lookup(&key);
	if (!bio)
		return 0;
	__builtin_memcpy(&copy, bio, sizeof(copy));
	key.sector = ctx->new_sector;
	io_bios.update(&key, &copy);
	return 0;
}

/*
 * The entry of a request at insert or issue, made when there is none. Without
 * a bio of ours it belongs to the current task, if that one is traced.
 */
static __always_inline struct io_rq *io_rq_get(struct io_rq_key *key)
{
	struct io_rq *rq = io_rqs.lookup(key), *bio, fresh = {};
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);
	u64 *count;

	bio = io_bios.lookup(key);
	if (rq && !bio)
		return rq;
	if (bio) {
		__builtin_memcpy(&fresh, bio, sizeof(fresh));
		io_bios.delete(key);
	} else if (io_wanted()) {
		io_rq_owner(&fresh);
	} else {
		return 0;
	}
#ifndef IO_USE_BLOCK_RAW
	/* queued anew, so the request before has ended unseen */
	if (rq && rq->issue_ts && key->sector != IO_NO_SECTOR)
		io_miss(IO_SEQ_DS, IO_MISS_RETURN);
#endif
	count = io_rq_count.lookup(&zero);
	if (count && cfg) {
		fresh.id = *count * cfg->n_cpus + bpf_get_smp_processor_id() + 1;
		*count += 1;
	}
	if (io_rqs.update(key, &fresh) < 0) {
		io_miss(IO_SEQ_DS, IO_MISS_FULL);
		return 0;
	}
	return io_rqs.lookup(key);
}

int io_rq_insert(struct io_tp_block_block_rq_insert *ctx)
{
	struct io_rq_key key = {};
	struct io_rq *rq;

	io_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = io_rq_get(&key);
	if (rq) {
		rq->insert_ts = bpf_ktime_get_ns();
		rq->issue_ts = 0;
	}
	return 0;
}

#ifdef IO_USE_BLOCK_RAW
/* What the record's program leaves for the raw one, on this CPU, in this very event. */
BPF_TABLE("percpu_array", u32, struct io_rq, io_issued, 1);
BPF_TABLE("hash", u64, struct io_rq, io_flying, 16384);

static __always_inline void io_rq_was_here(void)
{
	u32 zero = 0;
	struct io_rq *slot = io_issued.lookup(&zero);

	if (slot)
		slot->was_here = 1;
}

static __always_inline void io_rq_hand_over(struct io_tp_block_block_rq_issue *ctx,
					    struct io_rq_key *key, struct io_rq *rq)
{
	u32 zero = 0;
	struct io_rq *slot = io_issued.lookup(&zero);

	if (!slot)
		return;
	__builtin_memcpy(slot, rq, sizeof(*slot));
	slot->was_here = 1;
	slot->dev = key->dev;
	slot->sector = key->sector;
	slot->at = key->sector == IO_NO_SECTOR ? ~0ULL : key->sector;
	IO_READ_K(slot->rwbs, sizeof(ctx->rwbs), ctx->rwbs);
}

#ifdef IO_HEADERS
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
#ifndef IO_HAS_REQ_OP_SCSI
#define REQ_OP_SCSI_IN -1
#define REQ_OP_SCSI_OUT -1
#endif
#ifndef IO_HAS_REQ_OP_WRITE_SAME
#define REQ_OP_WRITE_SAME -1
#endif
#ifndef IO_HAS_REQ_OP_ZONE_REPORT
#define REQ_OP_ZONE_REPORT -1
#endif
#ifndef IO_HAS_REQ_OP_ZONE_RESET_ALL
#define REQ_OP_ZONE_RESET_ALL -1
#endif
#ifndef IO_HAS_REQ_OP_ZONE_OPEN
#define REQ_OP_ZONE_OPEN -1
#define REQ_OP_ZONE_CLOSE -1
#define REQ_OP_ZONE_FINISH -1
#endif
#ifndef IO_HAS_REQ_OP_ZONE_APPEND
#define REQ_OP_ZONE_APPEND -1
#endif

static __always_inline void io_rq_command(struct io_rq *rq, u64 request)
{
	u32 cmd = 0, rest, op;

	if (IO_GET(cmd, (struct request *)request, cmd_flags) < 0)
		return;
	op = cmd & 255;
	rest = cmd & ~255;
	rq->op = op;
#define IO_REQ_OP_IS(name) \
	if (op == (u32)REQ_OP_##name) \
		rq->op = IO_REQ_OP_##name;
	IO_REQ_OPS(IO_REQ_OP_IS)
	rq->cmd_flags = 0;
#define IO_REQ_HAS(name) \
	if (cmd & (u32)REQ_##name) \
		rq->cmd_flags |= 1U << IO_REQ_##name; \
	rest &= ~(u32)REQ_##name;
	IO_REQ_FLAGS(IO_REQ_HAS)
	rq->cmd_rest = rest;
}
#else
static __always_inline void io_rq_command(struct io_rq *rq, u64 request)
{
}
#endif

static __always_inline int io_raw_join(u64 request)
{
	u32 zero = 0;
	struct io_rq *slot = io_issued.lookup(&zero), copy = {}, *before;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!slot || !cfg || !cfg->on)
		return 0;
	/*
	 * The record's program did not run before this one: it would have
	 * interrupted another. Nothing is known of the request but that.
	 */
	if (!slot->was_here)
		io_miss(IO_SEQ_DS, IO_MISS_ENTRY);
	slot->was_here = 0;
	if (!slot->issue_ts)
		return 0;
	__builtin_memcpy(&copy, slot, sizeof(copy));
	slot->issue_ts = 0;
	io_rq_command(&copy, request);
	/* The last use of this request ended unseen, unless it is the same one, requeued. */
	before = io_flying.lookup(&request);
	if (before && before->id != copy.id)
		io_miss(IO_SEQ_DS, IO_MISS_RETURN);
	if (io_flying.update(&request, &copy) < 0)
		io_miss(IO_SEQ_DS, IO_MISS_FULL);
	return 0;
}

/*
 * (request) since 5.11 (a54895fa057c), in late 5.10.y, el8.10 and el9; before
 * (queue, request), as in el8.1. The release does not tell: the kernel does, by
 * refusing a program that reads an argument which the event has not.
 */
int io_raw_issue(struct io_raw *ctx)
{
	return io_raw_join(ctx->args[0]);
}

int io_raw_issue_q(struct io_raw *ctx)
{
	return io_raw_join(ctx->args[1]);
}

/* (request, error, bytes); error is a negative errno up to 5.15, a blk_status_t since */
int io_raw_complete(struct io_raw *ctx)
{
	u64 request = ctx->args[0], bytes = (u32)ctx->args[2];
	struct io_rq *rq = io_flying.lookup(&request);
	u32 zero = 0, sectors = bytes >> 9;
	struct io_rq_key key = {};
	struct io_ds e = {};

	if (!rq)
		return 0;
	e.flags = IO_DS_OWNER | IO_DS_ISSUED;
	e.head.tgid = rq->tgid;
	e.head.tid = rq->tid;
	__builtin_memcpy(e.head.comm, rq->comm, sizeof(e.head.comm));
	e.id = rq->id;
	e.sector = rq->at;
	e.nr_sector = sectors;
	e.dev = rq->dev;
	e.error = ctx->args[1];
	e.cpu = bpf_get_smp_processor_id();
	e.cmd_flags = rq->cmd_flags;
	e.cmd_rest = rq->cmd_rest;
	e.op = rq->op;
	__builtin_memcpy(e.rwbs, rq->rwbs, sizeof(e.rwbs));
	io_stamp(&e.head, IO_SEQ_DS, IO_REC_DS, IO_VIA_DS_REQUEST);
	e.issue_ns = e.head.ts - rq->issue_ts;
	if (rq->insert_ts && rq->insert_ts <= rq->issue_ts) {
		e.flags |= IO_DS_QUEUED;
		e.queue_ns = rq->issue_ts - rq->insert_ts;
	}
	if (rq->sectors > sectors && rq->sector != IO_NO_SECTOR) {
		e.flags |= IO_DS_PART;
		rq->sectors -= sectors;
		rq->at += sectors;
	} else {
		key.dev = rq->dev;
		key.sector = rq->sector;
		io_rqs.delete(&key);
		io_flying.delete(&request);
	}
	io_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}
#endif

int io_rq_issue(struct io_tp_block_block_rq_issue *ctx)
{
	struct io_rq_key key = {};
	struct io_rq *rq;

#ifdef IO_USE_BLOCK_RAW
	io_rq_was_here();
#endif
	io_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = io_rq_get(&key);
	if (!rq)
		return 0;
#ifndef IO_USE_BLOCK_RAW
	/* issued before, neither completed nor requeued as far as was seen; raw ones tell two at one sector apart */
	if (rq->issue_ts && key.sector != IO_NO_SECTOR)
		io_miss(IO_SEQ_DS, IO_MISS_RETURN);
#endif
	rq->issue_ts = bpf_ktime_get_ns();
	rq->sectors = ctx->nr_sector;
#ifdef IO_USE_BLOCK_RAW
	io_rq_hand_over(ctx, &key, rq);
#endif
	return 0;
}

/* Back to the queue: the time of the last issue counts, the entry stays. */
int io_rq_requeue(struct io_tp_block_block_rq_requeue *ctx)
{
	struct io_rq_key key = {};
	struct io_rq *rq;

	io_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = io_rqs.lookup(&key);
	if (rq) {
		if (!rq->insert_ts)
			rq->insert_ts = bpf_ktime_get_ns();
		rq->issue_ts = 0;
	}
	return 0;
}

#ifdef IO_USE_BLOCK_MERGE
/* A queued request was merged into another one and ends here. */
int io_rq_merge(struct io_tp_block_block_rq_merge *ctx)
{
	struct io_rq_key key = {};

	io_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	io_rqs.delete(&key);
	io_bios.delete(&key);
	return 0;
}
#endif

#ifdef IO_USE_BLOCK
int io_rq_complete(struct io_tp_block_block_rq_complete *ctx)
{
	struct io_rq_key key = {}, rest = {};
	struct io_rq *rq, copy = {};
	struct io_ds e = {};
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	io_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = io_rqs.lookup(&key);
	if (!rq) {
		/*
		 * Under way since before the start, or its issue was suppressed:
		 * a row without owner, unless a filter asks for owners. A flush
		 * that was answered without the device never was issued: no row.
		 */
		if ((cfg->filters & ~IO_FILTER_FORKS) || key.sector == IO_NO_SECTOR)
			return 0;
	} else {
		__builtin_memcpy(&copy, rq, sizeof(copy));
		io_rqs.delete(&key);
		e.flags = IO_DS_OWNER;
		e.head.tgid = copy.tgid;
		e.head.tid = copy.tid;
		__builtin_memcpy(e.head.comm, copy.comm, sizeof(e.head.comm));
		e.id = copy.id;
	}
	e.sector = ctx->sector;
	e.nr_sector = ctx->nr_sector;
	e.dev = ctx->dev;
	e.error = ctx->error;
	e.cpu = bpf_get_smp_processor_id();
	IO_READ_K(e.rwbs, sizeof(((struct io_tp_block_block_rq_complete *)0)->rwbs), ctx->rwbs);
	io_stamp(&e.head, IO_SEQ_DS, IO_REC_DS, IO_VIA_DS_REQUEST);
	if (copy.issue_ts) {
		e.flags |= IO_DS_ISSUED;
		e.issue_ns = e.head.ts - copy.issue_ts;
		if (copy.insert_ts && copy.insert_ts <= copy.issue_ts) {
			e.flags |= IO_DS_QUEUED;
			e.queue_ns = copy.issue_ts - copy.insert_ts;
		}
	}
	/* A piece: the rest of the request goes on where this one ended. */
	if (rq && copy.sectors > e.nr_sector && key.sector != IO_NO_SECTOR) {
		e.flags |= IO_DS_PART;
		copy.sectors -= e.nr_sector;
		rest.dev = key.dev;
		rest.sector = key.sector + e.nr_sector;
		io_rqs.update(&rest, &copy);
	}
	io_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}
#endif
#endif
