/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: pages that come, go, are looked up and dirtied, ranges that are taken away, reclaim. */
#ifdef IO_STREAM_cache

/* ---- ranges that are invalidated, and drop_caches: kprobes ---- */

#ifdef IO_USE_INVALIDATE

struct io_range {
	u64 mapping;
	u64 first;
	u64 end;     /* behind the last page; IO_RANGE_OPEN */
	u64 removed; /* behind the last page that went */
	u64 ino;
	u32 dev;
	u32 depth;   /* functions of this range inside one another */
};
#define IO_RANGE_OPEN (~0ULL)
BPF_TABLE("lru_hash", u32, struct io_range, io_ranges, 4096);

#endif
#ifdef IO_USE_DROP

BPF_TABLE("lru_hash", u32, u8, io_dropping, 256);

/* (super_block, …): once for each file system, inside the write to drop_caches */
int io_drop(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	u8 one = 1;

	if (io_wanted())
		io_dropping.update(&tid, &one);
	return 0;
}

int io_drop_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();

	io_dropping.delete(&tid);
	return 0;
}

#endif

/* Whether the current task drops caches. */
static __always_inline int io_drops(void)
{
#ifdef IO_USE_DROP
	u32 tid = bpf_get_current_pid_tgid();

	return io_dropping.lookup(&tid) != 0;
#else
	return 0;
#endif
}

#ifdef IO_USE_INVALIDATE

static __always_inline void io_range_begin(u64 mapping, u64 first, u64 end)
{
	struct io_config *cfg = io_wanted();
	u32 tid = bpf_get_current_pid_tgid();
	struct io_range *before, r = { .mapping = mapping, .first = first, .end = end };
	struct io_pages p = {};
	unsigned long n = 0;

	if (!cfg)
		return;
	/* most ranges are of files without pages: every inode that is forgotten is truncated */
	IO_READ_K(&n, sizeof(n), &((struct address_space *)mapping)->nrpages);
	if (!n || end <= first)
		return;
	before = io_ranges.lookup(&tid);
	if (before) {
		if (before->mapping == mapping) {
			before->depth += 1;
			return;
		}
		io_miss(IO_SEQ_CACHE, IO_MISS_RETURN);
	}
	if (io_drops() || !io_mapping_read(&p, (struct address_space *)mapping, cfg))
		return;
	r.ino = p.ino;
	r.dev = p.dev;
	r.depth = 1;
	io_ranges.update(&tid, &r);
}

/* (mapping, first byte, last byte); only whole pages go */
int io_truncate_range(struct pt_regs *ctx)
{
	u64 start = PT_REGS_PARM2(ctx), last = PT_REGS_PARM3(ctx);

	io_range_begin(PT_REGS_PARM1(ctx), io_size_pages(start),
		       (s64)last < 0 ? IO_RANGE_OPEN : (last + 1) >> PAGE_SHIFT);
	return 0;
}

/* (mapping, first page, last page …) */
int io_invalidate_range(struct pt_regs *ctx)
{
	u64 last = PT_REGS_PARM3(ctx);

	/* the last page of the largest file, or -1: to the end */
	io_range_begin(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx),
		       last >= ~0ULL >> PAGE_SHIFT ? IO_RANGE_OPEN : last + 1);
	return 0;
}

/*
 * An open range ends with the file. Who cuts a file has often set its size
 * before: then the last page that went tells how far it reached.
 */
int io_range_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid(), zero = 0;
	struct io_range *r = io_ranges.lookup(&tid), copy = {};
	struct io_config *cfg = io_cfg.lookup(&zero);
	struct io_pages p = {};
	u64 end;

	if (!r)
		return 0;
	if (r->depth > 1) {
		r->depth -= 1;
		return 0;
	}
	__builtin_memcpy(&copy, r, sizeof(copy));
	io_ranges.delete(&tid);
	if (!cfg || !io_mapping_read(&p, (struct address_space *)copy.mapping, cfg))
		return 0;
	end = copy.end;
	if (end == IO_RANGE_OPEN) {
		end = io_size_pages(p.size);
		if (end < copy.removed)
			end = copy.removed;
	}
	if (end <= copy.first)
		return 0;
	p.index = copy.first;
	p.count = end - copy.first;
	io_cache_send(ctx, &p, IO_CACHE_INVALIDATE, IO_VIA_CACHE_INVALIDATE);
	return 0;
}

#endif /* IO_USE_INVALIDATE */

/* ---- pages that come and go ---- */

static __always_inline void io_cache_removed(void *ctx, struct io_pages *p, struct io_config *cfg)
{
#ifdef IO_USE_INVALIDATE
	u32 tid = bpf_get_current_pid_tgid();
	struct io_range *r = io_ranges.lookup(&tid);

	if (r && r->ino == p->ino && r->dev == p->dev && r->removed < p->index + p->count)
		r->removed = p->index + p->count;
#endif
	if (!io_cache_keeps(cfg))
		return;
#ifdef IO_USE_DROP
	if (io_drops()) {
		io_cache_send(ctx, p, IO_CACHE_DROP, IO_VIA_CACHE_DROP);
		return;
	}
#endif
	io_cache_send(ctx, p, IO_CACHE_EVICT, IO_VIA_CACHE_EVICT);
}

#ifdef IO_USE_CACHE_ADD_RAW
/* (page), from 5.17 on (folio) */
int io_cache_add_raw(struct io_raw *ctx)
{
	struct io_config *cfg = io_cache_wanted();
	struct io_pages p = {};

	if (cfg && io_page_read(&p, ctx->args[0], cfg))
		io_cache_send(ctx, &p, IO_CACHE_MISS, IO_VIA_CACHE_MISS);
	return 0;
}
#endif

#ifdef IO_USE_CACHE_DELETE_RAW
int io_cache_delete_raw(struct io_raw *ctx)
{
	struct io_config *cfg = io_wanted();
	struct io_pages p = {};

	if (cfg && io_page_read(&p, ctx->args[0], cfg))
		io_cache_removed(ctx, &p, cfg);
	return 0;
}
#endif

/* Large folios tell their order, in kernels that have them. */
#ifdef IO_HAS_CACHE_ORDER
#define IO_CACHE_COUNT(ctx) (1ULL << ((ctx)->order & 31))
#else
#define IO_CACHE_COUNT(ctx) 1
#endif

#ifdef IO_USE_CACHE_ADD
int io_cache_add(struct io_tp_filemap_mm_filemap_add_to_page_cache *ctx)
{
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };

	if (!io_cache_wanted())
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = IO_CACHE_COUNT(ctx);
	io_cache_send(ctx, &p, IO_CACHE_MISS, IO_VIA_CACHE_MISS);
	return 0;
}
#endif

#ifdef IO_USE_CACHE_DELETE
int io_cache_delete(struct io_tp_filemap_mm_filemap_delete_from_page_cache *ctx)
{
	struct io_config *cfg = io_wanted();
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };

	if (!cfg)
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = IO_CACHE_COUNT(ctx);
	io_cache_removed(ctx, &p, cfg);
	return 0;
}
#endif

/* ---- look-ups ---- */

#ifdef IO_USE_MARK_ACCESSED
/* folio_mark_accessed(folio), mark_page_accessed(page): also of buffers of a block device */
int io_cache_hit(struct pt_regs *ctx)
{
	struct io_config *cfg = io_cache_wanted();
	struct io_pages p = {};

	if (cfg && io_page_read(&p, PT_REGS_PARM1(ctx), cfg))
		io_cache_send(ctx, &p, IO_CACHE_HIT, IO_VIA_CACHE_HIT);
	return 0;
}
#endif

#ifdef IO_USE_FILEMAP_GET

struct io_lookup {
	u64 ino;
	u64 index;
	u64 last;
	u32 dev;
	u32 pad;
};
BPF_TABLE("lru_hash", u32, struct io_lookup, io_lookups, 4096);

/*
 * last_index is the last page asked for (seen in 6.18). A read that finds no
 * more than some pages at a time asks again for the rest, up to the same last one: all
 * of it was in the first event.
 */
int io_cache_lookup(struct io_tp_filemap_mm_filemap_get_pages *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };
	struct io_lookup *before, now = {};
	u64 from;

	if (!io_cache_wanted())
		return 0;
	now.ino = p.ino = ctx->i_ino;
	now.dev = p.dev = ctx->s_dev;
	now.index = p.index = ctx->index;
	now.last = ctx->last_index;
	p.count = now.last - p.index + 1;
	before = io_lookups.lookup(&tid);
	if (before) {
		int same = before->ino == now.ino && before->dev == now.dev && before->last == now.last;

		from = before->index;
		__builtin_memcpy(before, &now, sizeof(now));
		if (same && from < now.index)
			return 0;
	} else {
		io_lookups.update(&tid, &now);
	}
	io_cache_send(ctx, &p, IO_CACHE_HIT, IO_VIA_CACHE_HIT);
	return 0;
}
#endif

/* ---- dirty pages ---- */

#ifdef IO_USE_DIRTY_RAW
/* writeback_dirty_page(page, mapping), from 5.16 on writeback_dirty_folio(folio, mapping) */
int io_cache_dirty_raw(struct io_raw *ctx)
{
	struct io_config *cfg = io_cache_wanted();
	struct io_pages p = {};

	if (cfg && io_page_read(&p, ctx->args[0], cfg))
		io_cache_send(ctx, &p, IO_CACHE_DIRTY, IO_VIA_CACHE_DIRTY);
	return 0;
}
#endif

#ifdef IO_USE_ACCOUNT_DIRTIED
int io_account_dirtied(struct pt_regs *ctx)
{
	struct io_config *cfg = io_cache_wanted();
	struct io_pages p = {};

	if (cfg && io_page_read(&p, PT_REGS_PARM1(ctx), cfg))
		io_cache_send(ctx, &p, IO_CACHE_DIRTY, IO_VIA_CACHE_DIRTY);
	return 0;
}
#endif

#if defined(IO_USE_DIRTY_FOLIO) || defined(IO_USE_DIRTY_PAGE)

#ifdef IO_USE_DIRTY_FOLIO
#define io_tp_dirty io_tp_writeback_writeback_dirty_folio
#else
#define io_tp_dirty io_tp_writeback_writeback_dirty_page
#endif

/*
 * The event names what the pages are written to: "8:16" for a whole disk, or
 * something else ("btrfs-1", "0:45"). No digits, no device.
 */
static __always_inline u32 io_bdi_dev(const char *name)
{
	u32 part[2] = { 0, 0 }, colon = 0, end = 0;

#pragma unroll
	for (int i = 0; i < 12; i++) {
		char c = name[i];

		if (end || c == 0)
			end = 1;
		else if (c == ':')
			colon++;
		else if (c < '0' || c > '9')
			colon = 9;
		else if (colon == 0)
			part[0] = part[0] * 10 + (c - '0');
		else
			part[1] = part[1] * 10 + (c - '0');
	}
	return colon == 1 ? part[0] << 20 | part[1] : 0;
}

int io_cache_dirty(struct io_tp_dirty *ctx)
{
	struct io_pages p = { .size = IO_CACHE_NO_SIZE, .count = 1, .flags = IO_CACHE_DISK };
	char name[12];

	if (!io_cache_wanted())
		return 0;
	IO_READ_K(name, sizeof(name), ctx->name);
	p.dev = io_bdi_dev(name);
	p.ino = ctx->ino;
	p.index = ctx->index;
	io_cache_send(ctx, &p, IO_CACHE_DIRTY, IO_VIA_CACHE_DIRTY);
	return 0;
}
#endif

/* ---- reclaim ---- */

#ifdef IO_USE_SHRINK_INACTIVE
#define IO_RECLAIM_FILE 2 /* RECLAIM_WB_FILE, trace/events/vmscan.h, 4.14–7.2 */

/* One pass over the list of inactive file pages. */
int io_shrink_inactive(struct io_tp_vmscan_mm_vmscan_lru_shrink_inactive *ctx)
{
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };

	if (!io_wanted() || !(ctx->reclaim_flags & IO_RECLAIM_FILE))
		return 0;
	p.count = ctx->nr_reclaimed;
	io_cache_send(ctx, &p, IO_CACHE_RECLAIM, IO_VIA_CACHE_RECLAIM);
	return 0;
}
#endif

#endif /* IO_STREAM_cache */
