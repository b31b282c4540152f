/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream cache: pages of regular files that enter and leave the page cache, are
 * looked up, dirtied and written. These events come by the million, so the
 * cheapest questions stand first: is tracing on, is it one of our tasks, does
 * the sample keep it; only then is anything of the page read. What a page
 * belongs to is read from its own mapping; programs of plain tracepoints have
 * only their fields, and the reader decides whether the file is in scope.
 */
#ifdef IO_STREAM_cache

/* Pages of one file. */
struct io_pages {
	u64 ino;
	u64 index;
	u64 count;
	u64 size;    /* of the file, bytes; IO_CACHE_NO_SIZE */
	u32 dev;
	u32 flags;   /* IO_CACHE_KNOWN */
};

/* Whether the sample has this one. What it leaves out is counted. */
static __always_inline int io_cache_keeps(struct io_config *cfg)
{
	if (!cfg->cache_keep || bpf_get_prandom_u32() < cfg->cache_keep)
		return 1;
	io_miss(IO_SEQ_CACHE, IO_MISS_SAMPLED);
	return 0;
}

/* The config when an event of the current task is to be shown. */
static __always_inline struct io_config *io_cache_wanted(void)
{
	struct io_config *cfg = io_wanted();

	return cfg && io_cache_keeps(cfg) ? cfg : 0;
}

static __always_inline void io_cache_fill(struct io_cache *e, struct io_pages *p, u16 event, u16 via)
{
	e->ino = p->ino;
	e->index = p->index;
	e->count = p->count;
	e->size = p->size;
	e->dev = p->dev;
	e->event = event;
	e->flags = p->flags;
	e->cpu = bpf_get_smp_processor_id();
	e->pad = 0;
	io_stamp(&e->head, IO_SEQ_CACHE, IO_REC_CACHE, via);
}

static __always_inline void io_cache_send(void *ctx, struct io_pages *p, u16 event, u16 via)
{
	struct io_cache e;

	io_current(&e.head);
	io_cache_fill(&e, p, event, via);
	io_events.perf_submit(ctx, &e, sizeof(e));
}

/* ---- with kernel headers: from the page to its file ---- */

#ifdef IO_HEADERS

/* The file of a mapping; 0 when it is none of ours, as metadata of a block device. */
static __always_inline int io_mapping_read(struct io_pages *p, struct address_space *mapping,
					   struct io_config *cfg)
{
	struct inode *host = 0;
	struct super_block *sb = 0;
	unsigned long ino = 0;
	umode_t mode = 0;
	dev_t dev = 0;
	loff_t size = 0;

	IO_GET(host, mapping, host);
	if (!host)
		return 0;
	IO_GET(mode, host, i_mode);
	if (!S_ISREG(mode))
		return 0;
	IO_GET(sb, host, i_sb);
	if (!io_fs_wanted(sb, cfg))
		return 0;
	IO_READ_K(&ino, sizeof(ino), &host->i_ino);
	IO_GET(dev, sb, s_dev);
	IO_GET(size, host, i_size);
	p->ino = ino;
	p->dev = dev;
	p->size = size;
	p->flags = IO_CACHE_KNOWN;
	return 1;
}

/* Pages of a folio, or of a head page; both begin with the page's flags. */
static __always_inline u64 io_page_count(u64 page)
{
	u64 flags = 0;

	IO_READ_K(&flags, sizeof(flags), (void *)page);
	if (!(flags & 1UL << PG_head))
		return 1;
#if defined(IO_HAS_FOLIO_ORDER)
	{
		unsigned char order = 0;

		IO_READ_K(&order, sizeof(order), (void *)(page + offsetof(struct folio, _folio_order)));
		return 1UL << (order & 31);
	}
#elif defined(IO_HAS_FOLIO_FLAGS)
	{
		u64 order = 0;

		IO_READ_K(&order, sizeof(order), (void *)(page + offsetof(struct folio, _flags_1)));
		return 1UL << (order & 31);
	}
#else
	{
		typeof(((struct page *)0)->compound_order) order = 0;

		IO_READ_K(&order, sizeof(order),
			  (void *)(page + sizeof(struct page) + offsetof(struct page, compound_order)));
		return 1UL << (order & 31);
	}
#endif
}

/*
 * A page or folio of a regular file; 0 for anonymous ones and others. Low bits
 * of the mapping say that it is none (PAGE_MAPPING_ANON 1, MOVABLE 2).
 */
static __always_inline int io_page_read(struct io_pages *p, u64 page, struct io_config *cfg)
{
	struct address_space *mapping = 0;
	pgoff_t index = 0;
#ifdef IO_HAS_FOLIO
	IO_READ_K(&mapping, sizeof(mapping), (void *)(page + offsetof(struct folio, mapping)));
	IO_READ_K(&index, sizeof(index), (void *)(page + offsetof(struct folio, index)));
#else
	unsigned long head = 0;

	/* a page inside a compound one names its head */
	IO_READ_K(&head, sizeof(head), (void *)(page + offsetof(struct page, compound_head)));
	if (head & 1)
		page = head - 1;
	IO_READ_K(&mapping, sizeof(mapping), (void *)(page + offsetof(struct page, mapping)));
	IO_READ_K(&index, sizeof(index), (void *)(page + offsetof(struct page, index)));
#endif
	if (!mapping || ((u64)mapping & 3) || !io_mapping_read(p, mapping, cfg))
		return 0;
	p->index = index;
	p->count = io_page_count(page);
	return 1;
}

static __always_inline u64 io_size_pages(u64 bytes)
{
	return (bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

#endif /* IO_HEADERS */

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

/* ---- write-back: kprobes ---- */

#ifdef IO_USE_WRITEBACK

/*
 * Pages under write-back, by their address: the end comes in an interrupt, in
 * whatever task, and belongs to who began it. So an end is shown when its
 * beginning was, whatever filters and sample are.
 */
struct io_writing {
	u64 ts;
	struct io_pages pages;
	u32 tgid;
	u32 tid;
	char comm[16];
};
BPF_TABLE("hash", u64, struct io_writing, io_writing, 32768);

/* (page or folio, keep): its flag PG_writeback is being set */
int io_writeback_start(struct pt_regs *ctx)
{
	struct io_config *cfg = io_cache_wanted();
	u64 page = PT_REGS_PARM1(ctx), id = bpf_get_current_pid_tgid();
	struct io_writing w = { .ts = bpf_ktime_get_ns(), .tgid = id >> 32, .tid = id };

	if (!cfg || !io_page_read(&w.pages, page, cfg))
		return 0;
	bpf_get_current_comm(&w.comm, sizeof(w.comm));
	if (io_writing.lookup(&page))
		io_miss(IO_SEQ_CACHE, IO_MISS_RETURN);
	if (io_writing.update(&page, &w) < 0)
		io_miss(IO_SEQ_CACHE, IO_MISS_FULL);
	io_cache_send(ctx, &w.pages, IO_CACHE_WRITEBACK_START, IO_VIA_CACHE_WRITEBACK_START);
	return 0;
}

int io_writeback_end(struct pt_regs *ctx)
{
	u64 page = PT_REGS_PARM1(ctx);
	struct io_writing *w = io_writing.lookup(&page), copy = {};
	struct io_cache e;

	if (!w)
		return 0;
	__builtin_memcpy(&copy, w, sizeof(copy));
	io_writing.delete(&page);
	e.head.tgid = copy.tgid;
	e.head.tid = copy.tid;
	__builtin_memcpy(e.head.comm, copy.comm, sizeof(e.head.comm));
	io_cache_fill(&e, &copy.pages, IO_CACHE_WRITEBACK_END, IO_VIA_CACHE_WRITEBACK_END);
	io_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}

#endif

/* ---- read-ahead ---- */

#if defined(IO_USE_RA_CONTROL) || defined(IO_USE_RA_PAGES)

/* Pages asked for ahead, as far as the file goes. */
static __always_inline void io_ra_send(void *ctx, u64 mapping, u64 index, u64 n, struct io_config *cfg)
{
	struct io_pages p = {};
	u64 end;

	if (!mapping || !io_mapping_read(&p, (struct address_space *)mapping, cfg))
		return;
	end = io_size_pages(p.size);
	if (index >= end || !n)
		return;
	p.index = index;
	p.count = n < end - index ? n : end - index;
	io_cache_send(ctx, &p, IO_CACHE_READAHEAD, IO_VIA_CACHE_READAHEAD);
}

#endif
#ifdef IO_USE_RA_PAGES
/* (mapping, file, index, pages, lookahead), up to 5.9 */
int io_ra_pages(struct pt_regs *ctx)
{
	struct io_config *cfg = io_wanted();

	if (cfg)
		io_ra_send(ctx, PT_REGS_PARM1(ctx), PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), cfg);
	return 0;
}
#endif
#ifdef IO_USE_RA_CONTROL

/*
 * A request for large folios: where the file system has none it goes on in
 * page_cache_ra_unbounded, which knows the exact number. So this one is told at
 * its return, unless the other was.
 */
struct io_ra {
	u64 mapping;
	u64 index;
	u64 n;
};
BPF_TABLE("lru_hash", u32, struct io_ra, io_ras, 4096);

/* (readahead_control, pages, lookahead), from 5.10 on */
int io_ra_unbounded(struct pt_regs *ctx)
{
	struct readahead_control *ractl = (struct readahead_control *)PT_REGS_PARM1(ctx);
	struct io_config *cfg = io_wanted();
	u32 tid = bpf_get_current_pid_tgid();
	struct address_space *mapping = 0;
	pgoff_t index = 0;

	if (!cfg)
		return 0;
	io_ras.delete(&tid);
	IO_READ_K(&mapping, sizeof(mapping), &ractl->mapping);
	IO_READ_K(&index, sizeof(index), &ractl->_index);
	io_ra_send(ctx, (u64)mapping, index, PT_REGS_PARM2(ctx), cfg);
	return 0;
}

/* (readahead_control, file_ra_state …), from 5.18 on */
int io_ra_order(struct pt_regs *ctx)
{
	struct readahead_control *ractl = (struct readahead_control *)PT_REGS_PARM1(ctx);
	struct file_ra_state *state = (struct file_ra_state *)PT_REGS_PARM2(ctx);
	u32 tid = bpf_get_current_pid_tgid();
	struct address_space *mapping = 0;
	struct io_ra ra = {};
	pgoff_t index = 0;
	unsigned int n = 0;

	if (!io_wanted())
		return 0;
	IO_READ_K(&mapping, sizeof(mapping), &ractl->mapping);
	IO_READ_K(&index, sizeof(index), &ractl->_index);
	IO_GET(n, state, size);
	ra.mapping = (u64)mapping;
	ra.index = index;
	ra.n = n;
	io_ras.update(&tid, &ra);
	return 0;
}

int io_ra_order_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_ra *ra = io_ras.lookup(&tid), copy = {};
	struct io_config *cfg = io_wanted();

	if (!ra)
		return 0;
	__builtin_memcpy(&copy, ra, sizeof(copy));
	io_ras.delete(&tid);
	if (cfg)
		io_ra_send(ctx, copy.mapping, copy.index, copy.n, cfg);
	return 0;
}

#endif
#ifdef IO_USE_RA_EVENTS

/* The event of a request that goes on with single pages comes first: it is the same one. */
struct io_ra_last {
	u64 ino;
	u64 index;
	u32 dev;
	u32 pad;
};
BPF_TABLE("lru_hash", u32, struct io_ra_last, io_ra_lasts, 4096);

int io_ra_order_event(struct io_tp_readahead_page_cache_ra_order *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };
	struct io_ra_last last = {};

	if (!io_wanted())
		return 0;
	last.ino = p.ino = ctx->i_ino;
	last.dev = p.dev = ctx->s_dev;
	last.index = p.index = ctx->index;
	p.count = ctx->size;
	io_ra_lasts.update(&tid, &last);
	io_cache_send(ctx, &p, IO_CACHE_READAHEAD, IO_VIA_CACHE_READAHEAD);
	return 0;
}

int io_ra_unbounded_event(struct io_tp_readahead_page_cache_ra_unbounded *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_pages p = { .size = IO_CACHE_NO_SIZE };
	struct io_ra_last *last;

	if (!io_wanted())
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = ctx->nr_to_read;
	last = io_ra_lasts.lookup(&tid);
	if (last) {
		int same = last->ino == p.ino && last->dev == p.dev && last->index == p.index;

		io_ra_lasts.delete(&tid);
		if (same)
			return 0;
	}
	io_cache_send(ctx, &p, IO_CACHE_READAHEAD, IO_VIA_CACHE_READAHEAD);
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
