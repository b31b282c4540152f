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

#endif /* IO_STREAM_cache */
