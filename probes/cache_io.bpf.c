/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream cache: pages on their way to and from the disk, write-back and read-ahead. */
#ifdef IO_STREAM_cache

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

#endif /* IO_STREAM_cache */
