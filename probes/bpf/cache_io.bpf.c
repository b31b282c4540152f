/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: pages on their way to and from the disk, write-back and read-ahead. */
#ifdef IOT_STREAM_cache

/* ---- write-back: kprobes ---- */

#ifdef IOT_USE_WRITEBACK

/*
 * Pages under write-back, by their address: the end comes in an interrupt, in
 * whatever task, and belongs to who began it. So an end is shown when its
 * beginning was, whatever filters and sample are.
 */
struct iot_writing {
	u64 ts;
	struct iot_pages pages;
	u32 tgid;
	u32 tid;
	char comm[16];
};
BPF_TABLE("hash", u64, struct iot_writing, iot_writing, 32768);

/* (page or folio, keep): its flag PG_writeback is being set */
int iot_writeback_start(struct pt_regs *ctx)
{
	struct iot_config *cfg = iot_cache_wanted();
	u64 page = PT_REGS_PARM1(ctx), id = bpf_get_current_pid_tgid();
	struct iot_writing w = { .ts = bpf_ktime_get_ns(), .tgid = id >> 32, .tid = id };

	if (!cfg || !iot_page_read(&w.pages, page, cfg) || iot_cache_thinned(&w.pages))
		return 0;
	bpf_get_current_comm(&w.comm, sizeof(w.comm));
	if (iot_writing.lookup(&page))
		iot_miss(IOT_SEQ_cache, IOT_MISS_RETURN);
	if (iot_writing.update(&page, &w) < 0)
		iot_miss(IOT_SEQ_cache, IOT_MISS_FULL);
	iot_cache_send(ctx, &w.pages, IOT_CACHE_WRITEBACK_START, IOT_VIA_CACHE_WRITEBACK_START);
	return 0;
}

int iot_writeback_end(struct pt_regs *ctx)
{
	u64 page = PT_REGS_PARM1(ctx);
	struct iot_writing *w = iot_writing.lookup(&page), copy = {};
	struct iot_cache e;

	if (!w)
		return 0;
	__builtin_memcpy(&copy, w, sizeof(copy));
	iot_writing.delete(&page);
	e.head.tgid = copy.tgid;
	e.head.tid = copy.tid;
	__builtin_memcpy(e.head.comm, copy.comm, sizeof(e.head.comm));
	iot_cache_fill(&e, &copy.pages, IOT_CACHE_WRITEBACK_END, IOT_VIA_CACHE_WRITEBACK_END);
	iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}

#endif

/* ---- read-ahead ---- */

#if defined(IOT_USE_RA_CONTROL) || defined(IOT_USE_RA_PAGES)

/* Pages asked for ahead, as far as the file goes. */
static __always_inline void iot_ra_send(void *ctx, u64 mapping, u64 index, u64 n, struct iot_config *cfg)
{
	struct iot_pages p = {};
	u64 end;

	if (!mapping || !iot_mapping_read(&p, (struct address_space *)mapping, cfg))
		return;
	end = iot_size_pages(p.size);
	if (index >= end || !n)
		return;
	p.index = index;
	p.count = n < end - index ? n : end - index;
	iot_cache_send(ctx, &p, IOT_CACHE_READAHEAD, IOT_VIA_CACHE_READAHEAD);
}

#endif
#ifdef IOT_USE_RA_PAGES
/* (mapping, file, index, pages, lookahead), up to 5.9 */
int iot_ra_pages(struct pt_regs *ctx)
{
	struct iot_config *cfg = iot_wanted();

	if (cfg)
		iot_ra_send(ctx, PT_REGS_PARM1(ctx), PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), cfg);
	return 0;
}
#endif
#ifdef IOT_USE_RA_CONTROL

/*
 * A request for large folios: where the file system has none it goes on in
 * page_cache_ra_unbounded, which knows the exact number. So this one is told at
 * its return, unless the other was.
 */
struct iot_ra {
	u64 mapping;
	u64 index;
	u64 n;
};
BPF_TABLE("lru_hash", u32, struct iot_ra, iot_ras, 4096);

/* (readahead_control, pages, lookahead), from 5.10 on */
int iot_ra_unbounded(struct pt_regs *ctx)
{
	struct readahead_control *ractl = (struct readahead_control *)PT_REGS_PARM1(ctx);
	struct iot_config *cfg = iot_wanted();
	u32 tid = bpf_get_current_pid_tgid();
	struct address_space *mapping = 0;
	pgoff_t index = 0;

	if (!cfg)
		return 0;
	iot_ras.delete(&tid);
	IOT_READ_K(&mapping, sizeof(mapping), &ractl->mapping);
	IOT_READ_K(&index, sizeof(index), &ractl->_index);
	iot_ra_send(ctx, (u64)mapping, index, PT_REGS_PARM2(ctx), cfg);
	return 0;
}

/* (readahead_control, file_ra_state …), from 5.18 on */
int iot_ra_order(struct pt_regs *ctx)
{
	struct readahead_control *ractl = (struct readahead_control *)PT_REGS_PARM1(ctx);
	struct file_ra_state *state = (struct file_ra_state *)PT_REGS_PARM2(ctx);
	u32 tid = bpf_get_current_pid_tgid();
	struct address_space *mapping = 0;
	struct iot_ra ra = {};
	pgoff_t index = 0;
	unsigned int n = 0;

	if (!iot_wanted())
		return 0;
	IOT_READ_K(&mapping, sizeof(mapping), &ractl->mapping);
	IOT_READ_K(&index, sizeof(index), &ractl->_index);
	IOT_GET(n, state, size);
	ra.mapping = (u64)mapping;
	ra.index = index;
	ra.n = n;
	iot_ras.update(&tid, &ra);
	return 0;
}

int iot_ra_order_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_ra *ra = iot_ras.lookup(&tid), copy = {};
	struct iot_config *cfg = iot_wanted();

	if (!ra)
		return 0;
	__builtin_memcpy(&copy, ra, sizeof(copy));
	iot_ras.delete(&tid);
	if (cfg)
		iot_ra_send(ctx, copy.mapping, copy.index, copy.n, cfg);
	return 0;
}

#endif
#ifdef IOT_USE_RA_EVENTS

/* The event of a request that goes on with single pages comes first: it is the same one. */
struct iot_ra_last {
	u64 ino;
	u64 index;
	u32 dev;
	u32 pad;
};
BPF_TABLE("lru_hash", u32, struct iot_ra_last, iot_ra_lasts, 4096);

int iot_ra_order_event(struct iot_tp_readahead_page_cache_ra_order *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };
	struct iot_ra_last last = {};

	if (!iot_wanted())
		return 0;
	last.ino = p.ino = ctx->i_ino;
	last.dev = p.dev = ctx->s_dev;
	last.index = p.index = ctx->index;
	p.count = ctx->size;
	iot_ra_lasts.update(&tid, &last);
	iot_cache_send(ctx, &p, IOT_CACHE_READAHEAD, IOT_VIA_CACHE_READAHEAD);
	return 0;
}

int iot_ra_unbounded_event(struct iot_tp_readahead_page_cache_ra_unbounded *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_pages p = { .size = IOT_CACHE_NO_SIZE };
	struct iot_ra_last *last;

	if (!iot_wanted())
		return 0;
	p.ino = ctx->i_ino;
	p.dev = ctx->s_dev;
	p.index = ctx->index;
	p.count = ctx->nr_to_read;
	last = iot_ra_lasts.lookup(&tid);
	if (last) {
		int same = last->ino == p.ino && last->dev == p.dev && last->index == p.index;

		iot_ra_lasts.delete(&tid);
		if (same)
			return 0;
	}
	iot_cache_send(ctx, &p, IOT_CACHE_READAHEAD, IOT_VIA_CACHE_READAHEAD);
	return 0;
}

#endif

#endif /* IOT_STREAM_cache */
