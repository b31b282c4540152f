/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that get into the cache: a row of stream cache, and for stream ds the file that this thread is
 * going to read. One program for both: up to 4.14 an event takes no more.
 */

/* Large folios tell their order, in kernels that have them. */
#ifdef IOT_HAS_CACHE_ORDER
#define IOT_PAGE_COUNT(ctx) (1ULL << ((ctx)->order & 31))
#else
#define IOT_PAGE_COUNT(ctx) 1
#endif

#if defined(IOT_USE_CACHE_ADD) || defined(IOT_USE_READ_FILES)
int iot_page_added(struct iot_tp_filemap_mm_filemap_add_to_page_cache *ctx)
{
	u32 pages = IOT_PAGE_COUNT(ctx);

	if (!iot_wanted())
		return 0;
#if defined(IOT_USE_READ_FILES) && defined(IOT_USE_FLUSHED_FILES)
	iot_doing_read(ctx->i_ino, ctx->s_dev, pages);
#endif
#ifdef IOT_USE_CACHE_ADD
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };

	if (!iot_cache_wanted())
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = pages;
	iot_cache_send(ctx, &p, IOT_CACHE_MISS, IOT_VIA_CACHE_MISS);
#endif
	return 0;
}
#endif
