/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on names, mappings and descriptors, but for plain reads and
 * writes: what a call knows at entry waits in the thread's entry for the exit,
 * where its record is sent, after the texts it refers to.
 */
#ifdef IOT_STREAM_fs

/* What a call gives beside its files. */
struct iot_args {
	u64 size;
	s64 offset;
	u64 address;
	union {
		u64 old_size; /* as in iot_more */
		s64 offset2;
	};
	u64 offp;
	u64 offp2;
	u32 flags;
	u32 prot;
	s32 fd2;
	u16 status;
};
#define IOT_ARGS { .offset = -1, .fd2 = -1 }

static __always_inline struct iot_call *iot_call_begin(struct iot_config *cfg, u16 op, u16 via, u16 call,
						      struct iot_args *args)
{
	struct iot_call *c;

	if (!iot_fs_any(cfg, op)) {
		c = iot_pending_active(IOT_KIND_CALL);
		if (c)
			iot_pending_end(c);
		return 0;
	}
	c = iot_pending_begin(IOT_KIND_CALL, IOT_SEQ_fs, op, via);
	if (!c)
		return 0;
	c->text = c->text2 = 0;
	c->name = c->dir = c->name2 = c->dir2 = 0;
	c->ino = c->ino2 = 0;
	c->dev = 0;
	c->mntns = 0;
	c->dentry = c->mnt = 0;
	c->status = c->status2 = 0;
	c->fd = -1;
	c->dirfd = -1;
	c->call = call;
	c->ofd = 0;
	c->size = args->size;
	c->offset = args->offset;
	c->address = args->address;
	c->offset2 = args->offset2; /* or old_size */
	c->offp = args->offp;
	c->offp2 = args->offp2;
	c->flags = args->flags;
	c->prot = args->prot;
	c->fd2 = args->fd2;
	c->send = 0;
	c->depth = 0;
	c->own = 0;
	c->filters = cfg->filters & IOT_FILTER_END;
	c->ts = bpf_ktime_get_ns();
	return c;
}

/* The call has returned; false when there is nothing to send of it, and it is over. */
static __always_inline int iot_call_ended(struct iot_call *c, s64 ret)
{
	int row = 1;

	c->end = bpf_ktime_get_ns();
	c->ret = ret;
	if (c->filters)
		row = iot_fs_verdict(c->op, ret, c->end - c->ts);
	if (row < 0) {
		iot_pending_end(c);
		return 0;
	}
	c->send = row ? IOT_SEND_ROW : IOT_SEND_QUIET;
	return 1;
}

/* Sends the record of a call that has returned, which ends it. */
static __always_inline void iot_call_send(void *ctx, struct iot_call *c)
{
	struct iot_more e = {};
	int row = c->send == IOT_SEND_ROW;
	u16 via = c->via;

	if (!c->send)
		return;
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
	e.offset2 = c->offset2; /* or old_size */
	e.fd2 = c->fd2;
	e.prot = c->prot;
	e.status2 = c->status2;
	iot_pending_end(c);
	iot_current(&e.fs.head);
	iot_stamp_row(&e.fs.head, IOT_SEQ_fs, IOT_REC_MORE, via, row);
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* The same of the current thread, at the end of a walk. */
static __always_inline void iot_call_send_own(void *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);

	if (c)
		iot_call_send(ctx, c);
}

#endif /* IOT_STREAM_fs */
