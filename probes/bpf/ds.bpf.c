/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds: one record per completed request (or piece of one), from the
 * block tracepoints. Merges, splits and requeues move or end the entry of a request that waits.
 */
#ifdef IOT_BLOCK
#if defined(IOT_USE_BLOCK_RAW) || defined(IOT_USE_BIO_PAGES)
/*
 * A request is issued. The event has (request) since 5.11 (a54895fa057c), in late 5.10.y, el8.10 and el9; before
 * (queue, request), as in el8.1. The release does not tell: the kernel does, by
 * refusing a program that reads an argument which the event has not. What both forms call is one.
 */
BPF_TABLE("prog", u32, u32, iot_to_issue_rt, 1);
BPF_TABLE("percpu_array", u32, u64, iot_raw_request, 1);

static __always_inline int iot_raw_issued(struct iot_raw *ctx, u64 request)
{
	u32 zero = 0;
	u64 *kept = iot_raw_request.lookup(&zero);

	if (kept) {
		*kept = request;
		iot_to_issue_rt.call(ctx, 0);
	}
	return 0;
}

int iot_raw_issue(struct iot_raw *ctx)
{
	return iot_raw_issued(ctx, ctx->args[0]);
}

int iot_raw_issue_q(struct iot_raw *ctx)
{
	return iot_raw_issued(ctx, ctx->args[1]);
}
#endif

#if defined(IOT_USE_BIO_PAGES) && !defined(IOT_REQUESTS)
/* Of bios alone the pages are looked at when they are queued. */
int iot_issue_rt(struct iot_raw *ctx)
{
	return 0;
}
#endif
#endif

#ifdef IOT_REQUESTS
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

	if (!count || !cfg || !cfg->on)
		return 0;
	if (bio && (bio->owner.found & IOT_OWNER_MERGED)) {
		iot_bios.delete(key);
		bio = 0;
	}
	if (bio) {
		rq->tgid = bio->tgid;
		rq->tid = bio->tid;
		rq->above = bio->above;
		rq->above_dev = bio->above_dev;
		__builtin_memcpy(rq->comm, bio->comm, sizeof(rq->comm));
		__builtin_memcpy(&rq->owner, &bio->owner, sizeof(rq->owner));
		iot_bios.delete(key);
		/* the bio of another thread may be waiting here as well: who comes is who submits */
		if (!rq->above && rq->tgid == (u32)(bpf_get_current_pid_tgid() >> 32))
			iot_rq_owner(rq);
	} else if (iot_wanted()) {
		iot_rq_owner(rq);
		iot_owner_call(&rq->owner);
	} else {
		return 0;
	}
	rq->id = *count * cfg->n_cpus + bpf_get_smp_processor_id() + 1;
	*count += 1;
	return 1;
}

#ifndef IOT_USE_BLOCK_RAW
#ifdef IOT_USE_BIO_PAGES
/* The request that is being issued on this CPU */
struct iot_issue {
	struct iot_rq_key key;
	u32 was_here;
	u32 write;
};
BPF_TABLE("percpu_array", u32, struct iot_issue, iot_issuing, 1);
#endif

/*
 * The entry of a request at insert or issue, made when there is none. At insert one is kept for an
 * untraced process, too (id 0), so that a traced thread that issues the request is not taken for its owner.
 */
static __always_inline struct iot_rq *iot_rq_get(struct iot_rq_key *key, int insert)
{
	struct iot_rq *rq = iot_rqs.lookup(key), fresh = {};
	u64 issued = 0;

	if (rq) {
		if (!iot_bios.lookup(key))
			return rq;
		issued = rq->issue_ts;
	}
	if (!iot_rq_new(key, &fresh) && (!insert || key->sector == IOT_NO_SECTOR))
		return 0;
	/*
	 * Queued anew, so the request before has ended unseen. It is looked up again: the verifier of 4.14
	 * does not know a pointer that may be 0 when it comes back from the stack.
	 */
	if (issued && key->sector != IOT_NO_SECTOR) {
		rq = iot_rqs.lookup(key);
		if (rq)
			iot_rq_missed(rq);
	}
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
	rq = iot_rq_get(&key, 1);
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
	rq = iot_rq_get(&key, 0);
	if (!rq)
		return 0;
	if (!rq->id) {
		iot_rqs.delete(&key);
		return 0;
	}
	/* issued before, neither completed nor requeued as far as was seen */
	if (rq->issue_ts && key.sector != IOT_NO_SECTOR)
		iot_rq_missed(rq);
	rq->issue_ts = bpf_ktime_get_ns();
	rq->sectors = ctx->nr_sector;
	iot_has_requests(key.dev);
	iot_owner_bios(&rq->owner, &key, ctx->nr_sector);
#ifdef IOT_USE_BIO_PAGES
	u32 zero = 0;
	struct iot_issue now = { .key = key, .was_here = 1, .write = ctx->rwbs[0] != 'R' };

	iot_issuing.update(&zero, &now);
#endif
	return 0;
}

#ifdef IOT_USE_BIO_PAGES
/* The kernel calls this one next, and says which request it is. */
int iot_issue_rt(struct iot_raw *ctx)
{
	u32 zero = 0;
	u64 *request = iot_raw_request.lookup(&zero);
	struct iot_issue *slot = iot_issuing.lookup(&zero);
	struct iot_rq *rq = slot && slot->was_here ? iot_rqs.lookup(&slot->key) : 0;

	if (slot)
		slot->was_here = 0;
	if (rq && request)
		iot_owner_pages(&rq->owner, *request, slot->write);
	return 0;
}
#endif

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
static __always_inline int iot_rq_goes_on(struct iot_rq *rq, struct iot_rq_key *key, u32 done)
{
	return rq->sectors > done && key->sector != IOT_NO_SECTOR;
}

int iot_rq_complete(struct iot_tp_block_block_rq_complete *ctx)
{
	struct iot_rq_key key = {};
	char rwbs[IOT_RWBS] = {};
	struct iot_rq *rq;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	iot_rq_key(&key, ctx->dev, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	rq = iot_rqs.lookup(&key);
	/*
	 * Under way since before the start, or its issue was suppressed:
	 * a row without owner, unless a filter asks for owners. A flush
	 * that was answered without the device never was issued: no row.
	 */
	if (!rq && ((cfg->filters & ~IOT_FILTER_FORKS) || key.sector == IOT_NO_SECTOR))
		return 0;
	IOT_READ_K(rwbs, sizeof(((struct iot_tp_block_block_rq_complete *)0)->rwbs), ctx->rwbs);
	if (rq && !iot_carries(&rq->owner)) {
		iot_rqs.delete(&key);
		return 0;
	}
	/* counted, recorded, ended: one after the other, since the stack has no room for two of them */
	if (!iot_count_request(rq, rwbs, ctx->dev, ctx->sector, ctx->nr_sector << 9, ctx->error) && !iot_rq_thinned(rq)) {
		struct iot_ds e = {};

		if (rq) {
			e.flags = IOT_DS_OWNER;
			e.head.tgid = rq->tgid;
			e.head.tid = rq->tid;
			__builtin_memcpy(e.head.comm, rq->comm, sizeof(e.head.comm));
			e.id = rq->id;
			e.above = rq->above;
			e.above_dev = rq->above_dev;
			__builtin_memcpy(&e.owner, &rq->owner, sizeof(e.owner));
			if (iot_rq_goes_on(rq, &key, ctx->nr_sector))
				e.flags |= IOT_DS_PART;
		}
		e.sector = ctx->sector;
		e.nr_sector = ctx->nr_sector;
		e.dev = ctx->dev;
		e.error = ctx->error;
		e.cpu = bpf_get_smp_processor_id();
		__builtin_memcpy(e.rwbs, rwbs, sizeof(e.rwbs));
		iot_stamp(&e.head, IOT_SEQ_ds, IOT_REC_DS, IOT_VIA_DS_REQUEST);
		if (rq && rq->issue_ts) {
			e.flags |= IOT_DS_ISSUED;
			e.issue_ns = e.head.ts - rq->issue_ts;
			if (rq->insert_ts && rq->insert_ts <= rq->issue_ts) {
				e.flags |= IOT_DS_QUEUED;
				e.queue_ns = rq->issue_ts - rq->insert_ts;
			}
		}
		iot_events.perf_submit(ctx, &e, sizeof(e));
	}
	if (!rq)
		return 0;
	/* A piece: the rest of the request goes on where this one ended. */
	if (iot_rq_goes_on(rq, &key, ctx->nr_sector)) {
		struct iot_rq copy = *rq;
		struct iot_rq_key rest = { .sector = key.sector + ctx->nr_sector, .dev = key.dev };

		copy.sectors -= ctx->nr_sector;
		iot_rqs.delete(&key);
		iot_rqs.update(&rest, &copy);
	} else {
		iot_rqs.delete(&key);
	}
	return 0;
}
#endif
#endif
