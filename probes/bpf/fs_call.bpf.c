/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on names, mappings and descriptors, but for plain reads and
 * writes: what a call knows at entry waits in the thread's entry for the exit,
 * where its record is sent, after the texts it refers to.
 */
#ifdef IOT_STREAM_fs

struct iot_call {
	u64 ts;
	u64 end;
	u64 text;     /* user address of the first path string; 0: none */
	u64 text2;
	u64 name;
	u64 dir;      /* where a relative first path starts */
	u64 name2;
	u64 dir2;
	u64 ino;
	u64 ino2;     /* of the second file */
	u64 size;
	u64 address;
	u64 length;
	u64 offp;     /* user address of the offset, read at exit; 0: none */
	u64 offp2;
	u64 dentry;   /* of a name that is made by this call */
	u64 mnt;
	u64 mnt_before; /* written to before a call began */
	s64 offset;
	s64 ret;
	u32 dev;
	u32 flags;
	u32 mntns;
	u32 prot;
	u32 ofd;
	s32 fd;
	s32 dirfd;
	s32 fd2;      /* second descriptor, or where a relative second path starts */
	u16 op;
	u16 status;
	u16 status2;
	u16 call;
	u16 via;
	u16 active;
	u16 pending;  /* IOT_PENDING_*: the record is sent when the walk of a name ends */
	u16 depth;    /* functions of this operation inside one another */
	u16 own;      /* begun by such a function: no system call was seen */
	u32 filters;  /* IOT_FILTER_END of the config */
};
BPF_TABLE("hash", u32, struct iot_call, iot_calls, 16384);

/* What a call gives beside its files. */
struct iot_args {
	u64 size;
	s64 offset;
	u64 address;
	u64 length;
	u64 offp;
	u64 offp2;
	u32 flags;
	u32 prot;
	s32 fd2;
	u16 status;
};
#define IOT_ARGS { .offset = -1, .fd2 = -1 }

static __always_inline struct iot_call *iot_call_find(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	return iot_calls.lookup(&tid);
}

/* An entry for the calls of this thread, that keeps the mount until one begins; NULL when the table is full. */
static __always_inline struct iot_call *iot_call_make(u64 mnt)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_call fresh = { .mnt_before = mnt };

	if (iot_calls.update(&tid, &fresh) < 0) {
		iot_miss(IOT_SEQ_fs, IOT_MISS_FULL);
		return 0;
	}
	return iot_calls.lookup(&tid);
}

static __always_inline struct iot_call *iot_call_begin(struct iot_config *cfg, u16 op, u16 via, u16 call,
						      struct iot_args *args)
{
	struct iot_call *c = iot_call_find();

	if (!iot_fs_any(cfg, op)) {
		if (c)
			c->active = 0;
		return 0;
	}
	if (!c)
		c = iot_call_make(0);
	if (!c)
		return 0;
	if (c->active)
		iot_miss(IOT_SEQ_fs, IOT_MISS_RETURN);
	c->text = c->text2 = 0;
	c->name = c->dir = c->name2 = c->dir2 = 0;
	c->ino = c->ino2 = 0;
	c->dev = 0;
	c->mntns = 0;
	c->dentry = c->mnt = 0;
	c->status = c->status2 = 0;
	c->fd = -1;
	c->dirfd = -1;
	c->op = op;
	c->call = call;
	c->ofd = 0;
	c->via = via;
	c->size = args->size;
	c->offset = args->offset;
	c->address = args->address;
	c->length = args->length;
	c->offp = args->offp;
	c->offp2 = args->offp2;
	c->flags = args->flags;
	c->prot = args->prot;
	c->fd2 = args->fd2;
	c->pending = 0;
	c->depth = 0;
	c->own = 0;
	c->filters = cfg->filters & IOT_FILTER_END;
	c->active = 1;
	c->ts = bpf_ktime_get_ns();
	return c;
}

/* The call has ended; false when there is nothing to send of it. */
static __always_inline int iot_call_ended(struct iot_call *c, s64 ret)
{
	int row = 1;

	c->active = 0;
	c->end = bpf_ktime_get_ns();
	c->ret = ret;
	if (c->filters)
		row = iot_fs_verdict(c->op, ret, c->end - c->ts);
	if (row >= 0)
		c->pending = row ? IOT_PENDING_ROW : IOT_PENDING_QUIET;
	return row >= 0;
}

/* Sends the record of a call that has ended, when it is not sent yet. */
static __always_inline void iot_call_send(void *ctx, struct iot_call *c)
{
	struct iot_more e = {};
	int row = c->pending == IOT_PENDING_ROW;

	if (!c->pending)
		return;
	c->pending = 0;
	e.fs.name = c->name;
	e.fs.dir = c->dir;
	e.fs.ino = c->ino;
	e.fs.size = c->size;
	e.fs.offset = c->offset;
	e.fs.latency = c->end - c->ts;
	e.fs.ret = c->ret;
	e.fs.dev = c->dev;
	e.fs.fd = c->fd;
	e.fs.flags = c->flags;
	e.fs.mntns = c->mntns;
	e.fs.dirfd = c->dirfd;
	e.fs.ofd = c->ofd;
	e.fs.op = c->op;
	e.fs.status = c->status;
	e.fs.call = c->call;
	e.start = c->ts;
	e.name2 = c->name2;
	e.dir2 = c->dir2;
	e.ino2 = c->ino2;
	e.address = c->address;
	e.length = c->length;
	e.fd2 = c->fd2;
	e.prot = c->prot;
	e.status2 = c->status2;
	iot_current(&e.fs.head);
	iot_stamp_row(&e.fs.head, IOT_SEQ_fs, IOT_REC_MORE, c->via, row);
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* The same of the current thread, at the end of a walk. */
static __always_inline void iot_call_pending(void *ctx)
{
	struct iot_call *c = iot_call_find();

	if (c)
		iot_call_send(ctx, c);
}

#endif /* IOT_STREAM_fs */
