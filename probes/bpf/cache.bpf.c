/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: pages that come, go, are looked up and dirtied, ranges that are taken away, reclaim. */
#ifdef IOT_STREAM_cache

/* ---- ranges that are invalidated, and drop_caches: kprobes ---- */

#ifdef IOT_USE_INVALIDATE

struct iot_range {
	u64 mapping;
	u64 first;
	u64 end;     /* behind the last page; IOT_RANGE_OPEN */
	u64 removed; /* behind the last page that went */
	u64 ino;
	u32 dev;
	u32 depth;   /* functions of this range inside one another */
};
#define IOT_RANGE_OPEN (~0ULL)
BPF_TABLE("lru_hash", u32, struct iot_range, iot_ranges, 4096);

#endif
#ifdef IOT_USE_DROP

BPF_TABLE("lru_hash", u32, u8, iot_dropping, 256);

/* (super_block, …): once for each file system, inside the write to drop_caches */
int iot_drop(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	u8 one = 1;

	if (iot_wanted())
		iot_dropping.update(&tid, &one);
	return 0;
}

int iot_drop_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();

	iot_dropping.delete(&tid);
	return 0;
}

#endif

/* Whether the current task drops caches. */
static __always_inline int iot_drops(void)
{
#ifdef IOT_USE_DROP
	u32 tid = bpf_get_current_pid_tgid();

	return iot_dropping.lookup(&tid) != 0;
#else
	return 0;
#endif
}

#ifdef IOT_USE_INVALIDATE

static __always_inline void iot_range_begin(u64 mapping, u64 first, u64 end)
{
	u32 tid = bpf_get_current_pid_tgid(), zero = 0;
	struct iot_config *cfg;
	struct iot_range *before, r = { .mapping = mapping, .first = first, .end = end };
	struct iot_pages p = {};
	unsigned long n = 0;

	if (!iot_wanted())
		return;
	/* most ranges are of files without pages: every inode that is forgotten is truncated */
	IOT_READ_K(&n, sizeof(n), &((struct address_space *)mapping)->nrpages);
	if (!n || end <= first)
		return;
	before = iot_ranges.lookup(&tid);
	if (before) {
		if (before->mapping == mapping) {
			before->depth += 1;
			return;
		}
		iot_miss(IOT_SEQ_cache, IOT_MISS_RETURN);
	}
	/* not what iot_wanted() said: the verifier of 4.14 does not know it when it comes back from the stack */
	cfg = iot_cfg.lookup(&zero);
	if (!cfg || iot_drops() || !iot_mapping_read(&p, (struct address_space *)mapping, cfg))
		return;
	r.ino = p.ino;
	r.dev = p.dev;
	r.depth = 1;
	iot_ranges.update(&tid, &r);
}

/* (mapping, first byte, last byte); only whole pages go */
int iot_truncate_range(struct pt_regs *ctx)
{
	u64 start = PT_REGS_PARM2(ctx), last = PT_REGS_PARM3(ctx);

	iot_range_begin(PT_REGS_PARM1(ctx), iot_size_pages(start),
		       (s64)last < 0 ? IOT_RANGE_OPEN : (last + 1) >> PAGE_SHIFT);
	return 0;
}

/* (mapping, first page, last page …) */
int iot_invalidate_range(struct pt_regs *ctx)
{
	u64 last = PT_REGS_PARM3(ctx);

	/* the last page of the largest file, or -1: to the end */
	iot_range_begin(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx),
		       last >= ~0ULL >> PAGE_SHIFT ? IOT_RANGE_OPEN : last + 1);
	return 0;
}

/*
 * An open range ends with the file. Who cuts a file has often set its size
 * before: then the last page that went tells how far it reached.
 */
int iot_range_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid(), zero = 0;
	struct iot_range *r = iot_ranges.lookup(&tid), copy = {};
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_pages p = {};
	u64 end;

	if (!r)
		return 0;
	if (r->depth > 1) {
		r->depth -= 1;
		return 0;
	}
	__builtin_memcpy(&copy, r, sizeof(copy));
	iot_ranges.delete(&tid);
	if (!cfg || !iot_mapping_read(&p, (struct address_space *)copy.mapping, cfg))
		return 0;
	end = copy.end;
	if (end == IOT_RANGE_OPEN) {
		end = iot_size_pages(p.size);
		if (end < copy.removed)
			end = copy.removed;
	}
	if (end <= copy.first)
		return 0;
	p.index = copy.first;
	p.count = end - copy.first;
	iot_cache_send(ctx, &p, IOT_CACHE_INVALIDATE, IOT_VIA_CACHE_INVALIDATE);
	return 0;
}

#endif /* IOT_USE_INVALIDATE */

/* ---- pages that come and go ---- */

static __always_inline void iot_cache_removed(void *ctx, struct iot_pages *p, struct iot_config *cfg)
{
#ifdef IOT_USE_INVALIDATE
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_range *r = iot_ranges.lookup(&tid);

	if (r && r->ino == p->ino && r->dev == p->dev && r->removed < p->index + p->count)
		r->removed = p->index + p->count;
#endif
	if (!iot_cache_keeps(cfg))
		return;
#ifdef IOT_USE_DROP
	if (iot_drops()) {
		iot_cache_send(ctx, p, IOT_CACHE_DROP, IOT_VIA_CACHE_DROP);
		return;
	}
#endif
	iot_cache_send(ctx, p, IOT_CACHE_EVICT, IOT_VIA_CACHE_EVICT);
}

#ifdef IOT_USE_CACHE_ADD_RAW
/* (page), from 5.17 on (folio) */
int iot_cache_add_raw(struct iot_raw *ctx)
{
	struct iot_config *cfg = iot_cache_wanted();
	struct iot_pages p = {};

	if (cfg && iot_page_read(&p, ctx->args[0], cfg))
		iot_cache_send(ctx, &p, IOT_CACHE_MISS, IOT_VIA_CACHE_MISS);
	return 0;
}
#endif

#ifdef IOT_USE_CACHE_DELETE_RAW
int iot_cache_delete_raw(struct iot_raw *ctx)
{
	struct iot_config *cfg = iot_wanted();
	struct iot_pages p = {};

	if (cfg && iot_page_read(&p, ctx->args[0], cfg))
		iot_cache_removed(ctx, &p, cfg);
	return 0;
}
#endif

#ifdef IOT_USE_CACHE_DELETE
int iot_cache_delete(struct iot_tp_filemap_mm_filemap_delete_from_page_cache *ctx)
{
	struct iot_config *cfg = iot_wanted();
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };

	if (!cfg)
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = IOT_PAGE_COUNT(ctx);
	iot_cache_removed(ctx, &p, cfg);
	return 0;
}
#endif

/* ---- look-ups ---- */

#ifdef IOT_USE_MARK_ACCESSED
/* folio_mark_accessed(folio), mark_page_accessed(page): also of buffers of a block device */
int iot_cache_hit(struct pt_regs *ctx)
{
	struct iot_config *cfg = iot_cache_wanted();
	struct iot_pages p = {};

	if (cfg && iot_page_read(&p, PT_REGS_PARM1(ctx), cfg))
		iot_cache_send(ctx, &p, IOT_CACHE_HIT, IOT_VIA_CACHE_HIT);
	return 0;
}
#endif

#ifdef IOT_USE_FILEMAP_GET

struct iot_lookup {
	u64 ino;
	u64 index;
	u64 last;
	u32 dev;
	u32 pad;
};
BPF_TABLE("lru_hash", u32, struct iot_lookup, iot_lookups, 4096);

/*
 * last_index is the last page asked for (seen in 6.18). A read that finds no
 * more than some pages at a time asks again for the rest, up to the same last one: all
 * of it was in the first event.
 */
int iot_cache_lookup(struct iot_tp_filemap_mm_filemap_get_pages *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };
	struct iot_lookup *before, now = {};
	u64 from;

	if (!iot_cache_wanted())
		return 0;
	now.ino = p.ino = ctx->i_ino;
	now.dev = p.dev = ctx->s_dev;
	now.index = p.index = ctx->index;
	now.last = ctx->last_index;
	p.count = now.last - p.index + 1;
	before = iot_lookups.lookup(&tid);
	if (before) {
		int same = before->ino == now.ino && before->dev == now.dev && before->last == now.last;

		from = before->index;
		__builtin_memcpy(before, &now, sizeof(now));
		if (same && from < now.index)
			return 0;
	} else {
		iot_lookups.update(&tid, &now);
	}
	iot_cache_send(ctx, &p, IOT_CACHE_HIT, IOT_VIA_CACHE_HIT);
	return 0;
}
#endif

/* ---- dirty pages ---- */

#ifdef IOT_USE_DIRTY_RAW
/* writeback_dirty_page(page, mapping), from 5.16 on writeback_dirty_folio(folio, mapping) */
int iot_cache_dirty_raw(struct iot_raw *ctx)
{
	struct iot_config *cfg = iot_cache_wanted();
	struct iot_pages p = {};

	if (cfg && iot_page_read(&p, ctx->args[0], cfg))
		iot_cache_send(ctx, &p, IOT_CACHE_DIRTY, IOT_VIA_CACHE_DIRTY);
	return 0;
}
#endif

#ifdef IOT_USE_ACCOUNT_DIRTIED
int iot_account_dirtied(struct pt_regs *ctx)
{
	struct iot_config *cfg = iot_cache_wanted();
	struct iot_pages p = {};

	if (cfg && iot_page_read(&p, PT_REGS_PARM1(ctx), cfg))
		iot_cache_send(ctx, &p, IOT_CACHE_DIRTY, IOT_VIA_CACHE_DIRTY);
	return 0;
}
#endif

#if defined(IOT_USE_DIRTY_FOLIO) || defined(IOT_USE_DIRTY_PAGE)

#ifdef IOT_USE_DIRTY_FOLIO
#define iot_tp_dirty iot_tp_writeback_writeback_dirty_folio
#else
#define iot_tp_dirty iot_tp_writeback_writeback_dirty_page
#endif

int iot_cache_dirty(struct iot_tp_dirty *ctx)
{
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE, .count = 1, .flags = IOT_CACHE_DISK };
	char name[12];

	if (!iot_cache_wanted())
		return 0;
	IOT_READ_K(name, sizeof(name), ctx->name);
	p.dev = iot_bdi_dev(name);
	p.ino = ctx->ino;
	p.index = ctx->index;
	iot_cache_send(ctx, &p, IOT_CACHE_DIRTY, IOT_VIA_CACHE_DIRTY);
	return 0;
}
#endif

/* ---- reclaim ---- */

#ifdef IOT_USE_SHRINK_INACTIVE
#define IOT_RECLAIM_FILE 2 /* RECLAIM_WB_FILE, trace/events/vmscan.h, 4.14–7.2 */

/* One pass over the list of inactive file pages. */
int iot_shrink_inactive(struct iot_tp_vmscan_mm_vmscan_lru_shrink_inactive *ctx)
{
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };

	if (!iot_wanted() || !(ctx->reclaim_flags & IOT_RECLAIM_FILE))
		return 0;
	p.count = ctx->nr_reclaimed;
	iot_cache_send(ctx, &p, IOT_CACHE_RECLAIM, IOT_VIA_CACHE_RECLAIM);
	return 0;
}
#endif

#endif /* IOT_STREAM_cache */
