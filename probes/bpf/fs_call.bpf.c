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

/* Counted, whatever the filters of rows say */
static __always_inline int iot_call_counts(struct iot_config *cfg, u16 op)
{
#ifdef IOT_STREAM_layers
	return cfg->count && (op == IOT_SENDFILE || op == IOT_SPLICE || op == IOT_COPY_FILE_RANGE);
#else
	return 0;
#endif
}

static __always_inline struct iot_call *iot_call_begin(struct iot_config *cfg, u16 op, u16 via, u16 call,
						      struct iot_args *args)
{
	struct iot_call *c;

	if (!iot_fs_any(cfg, op) && !iot_call_counts(cfg, op)) {
		c = iot_pending_active(IOT_KIND_CALL);
		if (c)
			iot_pending_end(c);
		return 0;
	}
	c = iot_pending_begin(IOT_KIND_CALL, IOT_SEQ_fs, op, via);
	if (!c)
		return 0;
	c->text = c->text2 = 0;
	c->more.fs.name = c->more.fs.dir = c->more.name2 = c->more.dir2 = 0;
	c->more.fs.ino = c->more.ino2 = 0;
	c->more.fs.dev = 0;
	c->more.fs.mntns = 0;
	c->dentry = c->mnt = 0;
	c->more.fs.status = c->more.status2 = 0;
	c->more.fs.fd = -1;
	c->more.fs.dirfd = -1;
	c->more.fs.call = call;
	c->more.fs.ofd = 0;
	c->more.fs.size = args->size;
	c->more.fs.offset = args->offset;
	c->more.address = args->address;
	c->more.offset2 = args->offset2; /* or old_size */
	c->offp = args->offp;
	c->offp2 = args->offp2;
	c->more.fs.flags = args->flags;
	c->more.prot = args->prot;
	c->more.fd2 = args->fd2;
	c->more.fs.op = op;
	c->more.fs.pad = 0;
	c->more.pad = 0;
	c->more.pad2 = 0;
	c->send = 0;
	c->depth = 0;
	c->own = 0;
	c->filters = iot_kept_filters(cfg);
	c->ts = c->more.start = bpf_ktime_get_ns();
	return c;
}

#if defined(IOT_STREAM_layers) && defined(IOT_HEADERS)
/* The file behind a descriptor has been written to. */
static __always_inline void iot_count_target(u32 tgid, u64 *comm, s32 fd)
{
	struct file *file = iot_fd_file(fd);
	struct inode *inode = 0;
	struct super_block *sb = 0;
	struct iot_inode target = {};
	unsigned long ino = 0;
	u32 dev = 0;

	IOT_GET(inode, file, f_inode);
	IOT_GET(ino, inode, i_ino);
	IOT_GET(sb, inode, i_sb);
	IOT_GET(dev, sb, s_dev);
	target.ino = ino;
	target.dev = dev;
	if (ino)
		iot_count_writer(tgid, comm, &target);
}
#endif

/* Counts a call that moves bytes between files; true: that is all that is wanted of it. */
static __always_inline int iot_call_count(struct iot_call *c, s64 ret)
{
#ifdef IOT_STREAM_layers
	u32 count = IOT_KEPT_COUNT(c->filters), tgid = bpf_get_current_pid_tgid() >> 32;
	u8 kind = c->op == IOT_COPY_FILE_RANGE ? IOT_COUNT_COPY : c->op == IOT_SENDFILE ? IOT_COUNT_READ : 0;
	u64 comm[2];

	if (c->op == IOT_SPLICE)
		kind = c->more.fs.flags & IOT_SPLICE_TO_FILE ? IOT_COUNT_WRITE : IOT_COUNT_READ;
	if (!count || !kind)
		return 0;
	if ((c->more.fs.status & IOT_ST_FILE) && iot_shown()) {
		iot_comm_read(comm);
		iot_count_moved(tgid, comm, 1, kind, ret, c->more.fs.latency);
#ifdef IOT_HEADERS
		if (kind != IOT_COUNT_READ && ret > 0)
			iot_count_target(tgid, comm, c->op == IOT_SPLICE ? c->more.fs.fd : c->more.fd2);
#endif
	}
	return count & IOT_COUNTS_NO_FS;
#else
	return 0;
#endif
}

/* The call has returned; false when there is nothing to send of it, and it is over. */
static __always_inline int iot_call_ended(struct iot_call *c, s64 ret)
{
	int row = 1;

	c->more.fs.latency = bpf_ktime_get_ns() - c->ts;
	c->more.fs.ret = ret;
	if (iot_call_count(c, ret))
		row = -1;
	else if (IOT_KEPT_FILTERS(c->filters))
		row = iot_fs_verdict(c->op, ret, c->more.fs.latency);
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
	if (!c->send)
		return;
	iot_current(&c->more.fs.head);
	iot_stamp_row(&c->more.fs.head, IOT_SEQ_fs, IOT_REC_MORE, c->via, c->send == IOT_SEND_ROW);
	iot_events.perf_submit(ctx, &c->more, sizeof(c->more));
	iot_pending_end(c);
}

/* The same of the current thread, at the end of a walk. */
static __always_inline void iot_call_send_own(void *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);

	if (c)
		iot_call_send(ctx, c);
}

#endif /* IOT_STREAM_fs */
