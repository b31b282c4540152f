/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds: one record per completed request (or piece of one), from the
 * block tracepoints. They carry no request pointer, so a request is known by
 * device and first sector while it waits; merges, splits and requeues move or
 * end that entry. Completion runs in whatever task was interrupted: the row
 * names who submitted, taken when the bio was queued.
 */
#if defined(IOT_USE_BLOCK) || defined(IOT_USE_BLOCK_RAW)

struct iot_rq_key {
	u64 sector;
	u64 dev;
};

#ifndef IOT_USE_BLOCK_RAW
/* Least recent first: before 5.9 nothing tells of a request that was merged away, and its entry stays */
BPF_TABLE("lru_hash", struct iot_rq_key, struct iot_rq, iot_rqs, 16384);
#endif
/* Who queued a bio; ended by issue or merge, least recent first when they pile up */
BPF_TABLE("lru_hash", struct iot_rq_key, struct iot_rq, iot_bios, 16384);
/* partition -> whole disk, from user space: from 5.12 on a bio carries its partition */
BPF_TABLE("hash", u32, u32, iot_parts, 1024);
BPF_TABLE("percpu_array", u32, u64, iot_rq_count, 1);

/* Flushes and commands have no sector (0 at issue, -1 at completion). */
#define IOT_NO_SECTOR (1ULL << 63)

/* op: first letter of rwbs. An empty flush has the sector that its bio happened to have, an operation on a zone its own. */
static __always_inline void iot_rq_key(struct iot_rq_key *key, u32 dev, u64 sector, u32 nr, char op)
{
	key->dev = dev;
	key->sector = sector == ~0ULL || (nr == 0 && (sector == 0 || op == 'F')) ? IOT_NO_SECTOR : sector;
}

static __always_inline u32 iot_whole_disk(u32 dev)
{
	u32 *disk = iot_parts.lookup(&dev);

	return disk ? *disk : dev;
}

static __always_inline void iot_rq_owner(struct iot_rq *rq)
{
	u64 id = bpf_get_current_pid_tgid();

	rq->tgid = id >> 32;
	rq->tid = id;
	bpf_get_current_comm(&rq->comm, sizeof(rq->comm));
}

int iot_bio_queue(struct iot_tp_block_block_bio_queue *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq rq = {};

	if (!iot_wanted())
		return 0;
	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	iot_rq_owner(&rq);
	iot_bios.update(&key, &rq);
	return 0;
}

/* Merged into a request: that request's first bio names the owner. */
int iot_bio_backmerge(struct iot_tp_block_block_bio_backmerge *ctx)
{
	struct iot_rq_key key = {};

	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	iot_bios.delete(&key);
	return 0;
}

/* Merged in front: the request now starts at the bio's sector. */
int iot_bio_frontmerge(struct iot_tp_block_block_bio_frontmerge *ctx)
{
	struct iot_rq_key key = {}, old = {};

	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	old.dev = key.dev;
	old.sector = ctx->sector + ctx->nr_sector;
#ifndef IOT_USE_BLOCK_RAW
	struct iot_rq *rq = iot_rqs.lookup(&old), copy = {};

	if (rq) {
		__builtin_memcpy(&copy, rq, sizeof(copy));
		iot_rqs.delete(&old);
		iot_rqs.update(&key, &copy);
	}
#endif
	iot_bios.delete(&old);
	return 0;
}

/* The rest of a bio that was too large goes on under its own sector. */
int iot_bio_split(struct iot_tp_block_block_split *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *bio, copy = {};

	key.dev = iot_whole_disk(ctx->dev);
	key.sector = ctx->sector;
	bio = iot_bios.lookup(&key);
	if (!bio)
		return 0;
	__builtin_memcpy(&copy, bio, sizeof(copy));
	key.sector = ctx->new_sector;
	iot_bios.update(&key, &copy);
	return 0;
}

/*
 * Whose a request is at insert or issue: that of a bio of ours, else the current
 * task's, if that one is traced. Returns 0 when it is nobody's.
 */
static __always_inline int iot_rq_new(struct iot_rq_key *key, struct iot_rq *rq)
{
	struct iot_rq *bio = iot_bios.lookup(key);
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	u64 *count = iot_rq_count.lookup(&zero);

	if (!count || !cfg)
		return 0;
	if (bio) {
		rq->tgid = bio->tgid;
		rq->tid = bio->tid;
		__builtin_memcpy(rq->comm, bio->comm, sizeof(rq->comm));
		iot_bios.delete(key);
		/* the bio of another thread may be waiting here as well: who comes is who submits */
		if (rq->tgid == (u32)(bpf_get_current_pid_tgid() >> 32))
			iot_rq_owner(rq);
	} else if (iot_wanted()) {
		iot_rq_owner(rq);
	} else {
		return 0;
	}
	rq->id = *count * cfg->n_cpus + bpf_get_smp_processor_id() + 1;
	*count += 1;
	return 1;
}

#ifndef IOT_USE_BLOCK_RAW
/* The entry of a request at insert or issue, made when there is none */
static __always_inline struct iot_rq *iot_rq_get(struct iot_rq_key *key)
{
	struct iot_rq *rq = iot_rqs.lookup(key), fresh = {};

	if (rq && !iot_bios.lookup(key))
		return rq;
	if (!iot_rq_new(key, &fresh))
		return 0;
	/* queued anew, so the request before has ended unseen */
	if (rq && rq->issue_ts && key->sector != IOT_NO_SECTOR)
		iot_miss(IOT_SEQ_ds, IOT_MISS_RETURN);
	if (iot_rqs.update(key, &fresh) < 0) {
		iot_miss(IOT_SEQ_ds, IOT_MISS_FULL);
		return 0;
	}
	return iot_rqs.lookup(key);
}

int iot_rq_insert(struct iot_tp_block_block_rq_insert *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *rq;

	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = iot_rq_get(&key);
	if (rq) {
		rq->insert_ts = bpf_ktime_get_ns();
		rq->issue_ts = 0;
	}
	return 0;
}

int iot_rq_issue(struct iot_tp_block_block_rq_issue *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *rq;

	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = iot_rq_get(&key);
	if (!rq)
		return 0;
	/* issued before, neither completed nor requeued as far as was seen */
	if (rq->issue_ts && key.sector != IOT_NO_SECTOR)
		iot_miss(IOT_SEQ_ds, IOT_MISS_RETURN);
	rq->issue_ts = bpf_ktime_get_ns();
	rq->sectors = ctx->nr_sector;
	return 0;
}

/* Back to the queue: the time of the last issue counts, the entry stays. */
int iot_rq_requeue(struct iot_tp_block_block_rq_requeue *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *rq;

	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = iot_rqs.lookup(&key);
	if (rq) {
		if (!rq->insert_ts)
			rq->insert_ts = bpf_ktime_get_ns();
		rq->issue_ts = 0;
	}
	return 0;
}
#endif

#ifdef IOT_USE_BLOCK_MERGE
/* A queued request was merged into another one and ends here. */
int iot_rq_merge(struct iot_tp_block_block_rq_merge *ctx)
{
	struct iot_rq_key key = {};

	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
#ifndef IOT_USE_BLOCK_RAW
	iot_rqs.delete(&key);
#endif
	iot_bios.delete(&key);
	return 0;
}
#endif

#ifdef IOT_USE_BLOCK
int iot_rq_complete(struct iot_tp_block_block_rq_complete *ctx)
{
	struct iot_rq_key key = {}, rest = {};
	struct iot_rq *rq, copy = {};
	struct iot_ds e = {};
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = iot_rqs.lookup(&key);
	if (!rq) {
		/*
		 * Under way since before the start, or its issue was suppressed:
		 * a row without owner, unless a filter asks for owners. A flush
		 * that was answered without the device never was issued: no row.
		 */
		if ((cfg->filters & ~IOT_FILTER_FORKS) || key.sector == IOT_NO_SECTOR)
			return 0;
	} else {
		__builtin_memcpy(&copy, rq, sizeof(copy));
		iot_rqs.delete(&key);
		e.flags = IOT_DS_OWNER;
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
	IOT_READ_K(e.rwbs, sizeof(((struct iot_tp_block_block_rq_complete *)0)->rwbs), ctx->rwbs);
	iot_stamp(&e.head, IOT_SEQ_ds, IOT_REC_DS, IOT_VIA_DS_REQUEST);
	if (copy.issue_ts) {
		e.flags |= IOT_DS_ISSUED;
		e.issue_ns = e.head.ts - copy.issue_ts;
		if (copy.insert_ts && copy.insert_ts <= copy.issue_ts) {
			e.flags |= IOT_DS_QUEUED;
			e.queue_ns = copy.issue_ts - copy.insert_ts;
		}
	}
	/* A piece: the rest of the request goes on where this one ended. */
	if (rq && copy.sectors > e.nr_sector && key.sector != IOT_NO_SECTOR) {
		e.flags |= IOT_DS_PART;
		copy.sectors -= e.nr_sector;
		rest.dev = key.dev;
		rest.sector = key.sector + e.nr_sector;
		iot_rqs.update(&rest, &copy);
	}
	iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}
#endif
#endif
