/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream cache: pages of regular files that enter and leave the page cache, are
 * looked up, dirtied and written. These events come by the million, so the
 * cheapest questions stand first: is tracing on, is it one of our tasks, does
 * the sample keep it; only then is anything of the page read. What a page
 * belongs to is read from its own mapping; programs of plain tracepoints have
 * only their fields, and the reader decides whether the file is in scope.
 */
#ifdef IOT_STREAM_cache

/* Pages of one file. */
struct iot_pages {
	u64 ino;
	u64 index;
	u64 count;
	u64 size;    /* of the file, bytes; IOT_CACHE_NO_SIZE */
	u32 dev;
	u32 flags;   /* IOT_CACHE_KNOWN */
};

/* Whether the sample has this one. What it leaves out is counted. */
static __always_inline int iot_cache_keeps(struct iot_config *cfg)
{
	if (!cfg->cache_keep || bpf_get_prandom_u32() < cfg->cache_keep)
		return 1;
	iot_miss(IOT_SEQ_cache, IOT_MISS_SAMPLED);
	return 0;
}

/* The config when an event of the current task is to be shown. */
static __always_inline struct iot_config *iot_cache_wanted(void)
{
	struct iot_config *cfg = iot_wanted();

	return cfg && iot_cache_keeps(cfg) ? cfg : 0;
}

static __always_inline void iot_cache_fill(struct iot_cache *e, struct iot_pages *p, u16 event, u16 via)
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
	iot_stamp(&e->head, IOT_SEQ_cache, IOT_REC_CACHE, via);
}

/* The file is left out to keep to the budget. */
static __always_inline int iot_cache_thinned(struct iot_pages *p)
{
#ifdef IOT_STREAM_layers
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	return cfg && iot_thin_file(cfg, IOT_SEQ_cache, p->ino, p->dev);
#else
	return 0;
#endif
}

static __always_inline void iot_cache_send(void *ctx, struct iot_pages *p, u16 event, u16 via)
{
	struct iot_cache e;

	if (iot_cache_thinned(p))
		return;
	iot_current(&e.head);
	iot_cache_fill(&e, p, event, via);
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* ---- with kernel headers: from the page to its file ---- */

#if defined(IOT_HEADERS) && !defined(IOT_LEARNED)

/* The file of a mapping; 0 when it is none of ours, as metadata of a block device. */
static __always_inline int iot_mapping_read(struct iot_pages *p, struct address_space *mapping,
					   struct iot_config *cfg)
{
	struct inode *host = 0;
	struct iot_file f = {};
	loff_t size = 0;
	u64 sb;

	IOT_GET(host, mapping, host);
	if (!host)
		return 0;
	f.inode = (u64)host;
	sb = iot_inode_read(&f);
	if (!S_ISREG(f.mode) || !iot_sb_read(&f, sb, cfg))
		return 0;
	IOT_GET(size, host, i_size);
	p->ino = f.ino;
	p->dev = f.dev;
	p->size = size;
	p->flags = IOT_CACHE_KNOWN;
	return 1;
}

/* Pages of a folio, or of a head page; both begin with the page's flags. */
static __always_inline u64 iot_page_count(u64 page)
{
	u64 flags = 0;

	IOT_READ_K(&flags, sizeof(flags), (void *)page);
	if (!(flags & 1UL << PG_head))
		return 1;
#if defined(IOT_HAS_FOLIO_ORDER)
	{
		unsigned char order = 0;

		IOT_READ_K(&order, sizeof(order), (void *)(page + offsetof(struct folio, _folio_order)));
		return 1UL << (order & 31);
	}
#elif defined(IOT_HAS_FOLIO_FLAGS)
	{
		u64 order = 0;

		IOT_READ_K(&order, sizeof(order), (void *)(page + offsetof(struct folio, _flags_1)));
		return 1UL << (order & 31);
	}
#else
	{
		typeof(((struct page *)0)->compound_order) order = 0;

		IOT_READ_K(&order, sizeof(order),
			  (void *)(page + sizeof(struct page) + offsetof(struct page, compound_order)));
		return 1UL << (order & 31);
	}
#endif
}

/*
 * A page or folio of a regular file; 0 for anonymous ones and others. Low bits
 * of the mapping say that it is none (PAGE_MAPPING_ANON 1, MOVABLE 2).
 */
static __always_inline int iot_page_read(struct iot_pages *p, u64 page, struct iot_config *cfg)
{
	struct address_space *mapping = 0;
	pgoff_t index = 0;
#ifdef IOT_HAS_FOLIO
	IOT_READ_K(&mapping, sizeof(mapping), (void *)(page + offsetof(struct folio, mapping)));
	IOT_READ_K(&index, sizeof(index), (void *)(page + offsetof(struct folio, index)));
#else
	unsigned long head = 0;

	/* a page inside a compound one names its head */
	IOT_READ_K(&head, sizeof(head), (void *)(page + offsetof(struct page, compound_head)));
	if (head & 1)
		page = head - 1;
	IOT_READ_K(&mapping, sizeof(mapping), (void *)(page + offsetof(struct page, mapping)));
	IOT_READ_K(&index, sizeof(index), (void *)(page + offsetof(struct page, index)));
#endif
	if (!mapping || ((u64)mapping & 3) || !iot_mapping_read(p, mapping, cfg))
		return 0;
	p->index = index;
	p->count = iot_page_count(page);
	return 1;
}

static __always_inline u64 iot_size_pages(u64 bytes)
{
	return (bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

#endif /* IOT_HEADERS */

#endif /* IOT_STREAM_cache */
