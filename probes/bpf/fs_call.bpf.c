/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on names, mappings and descriptors, but for plain reads and
 * writes: what a call knows at entry waits in the thread's entry for the exit,
 * where its record is sent, after the texts it refers to.
 */
#ifdef IOT_FILE_TEXTS

/* The program at the end of these calls; others go on to it. */
#if defined(IOT_PROGRAM_iot_op_exit) || (defined(IOT_PROGRAM_iot_names_moved) && defined(IOT_PROGRAM_iot_sc_path))
#define IOT_OP_EXIT
#if defined(IOT_USE_SC_SEND) || defined(IOT_PROGRAM_iot_names_moved)
BPF_TABLE("prog", u32, u32, iot_to_op_exit, 1);
#endif
#endif

#ifdef IOT_KPROBES
/*
 * What an attached program tells the one that it calls, on this CPU: of which function it is, and whether
 * what begins there is known already. Nothing runs between the two.
 */
struct iot_entered {
	u16 op;
	u16 via;
	u16 call;
	u16 known;
};
BPF_TABLE("percpu_array", u32, struct iot_entered, iot_entered, 1);

static __always_inline struct iot_entered *iot_entered_get(void)
{
	u32 zero = 0;

	return iot_entered.lookup(&zero);
}

static __always_inline void iot_entered_as(u16 op, u16 via, u16 call, u16 known)
{
	struct iot_entered *in = iot_entered_get();

	if (!in)
		return;
	in->op = op;
	in->via = via;
	in->call = call;
	in->known = known;
}
#endif

/* Counted, whatever the filters of rows say */
static __always_inline int iot_call_counts(struct iot_config *cfg, u16 op)
{
#ifdef IOT_STREAM_layers
	return cfg->count && (op == IOT_SENDFILE || op == IOT_SPLICE || op == IOT_COPY_FILE_RANGE);
#else
	return 0;
#endif
}

/*
 * A call begins that is asked for, or NULL: of its arguments none is there yet, and what
 * iot_call_take() or iot_named_enter() fills has no value.
 */
static __always_inline struct iot_call *iot_call_begin(struct iot_config *cfg, u16 op, u16 via, u16 call)
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
	c->more.fs.dev = 0;
	c->more.fs.mntns = 0;
	c->dentry = c->mnt = 0;
	c->more.fs.status = c->more.status2 = 0;
	c->more.fs.fd = -1;
	c->more.fs.dirfd = -1;
	c->more.fs.call = call;
	c->more.fs.ofd = 0;
	c->more.fs.size = 0;
	c->more.fs.offset = -1;
	c->more.address = 0;
	c->more.offset2 = 0; /* or old_size */
	c->offp = 0;
	c->offp2 = 0;
	c->more.fs.op = op;
	c->more.fs.pad = 0;
	c->more.pad = 0;
	c->more.pad2 = 0;
	c->send = 0;
	c->depth = 0;
	c->own = 0;
	c->filters = iot_kept_filters(cfg);
	c->ts = bpf_ktime_get_ns();
	return c;
}

/* linux/fs.h, the same from 4.14 to 7.3 */
enum { IOT_ATTR_MODE = 1, IOT_ATTR_UID = 2, IOT_ATTR_GID = 4, IOT_ATTR_ATIME = 16, IOT_ATTR_MTIME = 32 };

/* Of two times those that are set: in place of nanoseconds, UTIME_OMIT says that one is not. */
static __always_inline u32 iot_attr_times(u64 times)
{
	const s64 omit = (1 << 30) - 2;
	s64 spec[4] = {}; /* seconds and nanoseconds of either */

	if (times)
		IOT_READ_U(spec, sizeof(spec), (void *)times);
	return (spec[1] != omit ? IOT_ATTR_ATIME : 0) | (spec[3] != omit ? IOT_ATTR_MTIME : 0);
}

/* Each argument goes to the member that the row names for it. */
static __always_inline void iot_call_place(struct iot_sys_enter *ctx, struct iot_call_row *row, struct iot_call *c)
{
	char *entry = (char *)c;

	/* where each takes a read of the kernel's memory: no more than are needed */
#ifndef IOT_SYS_ARG_IS_PLAIN
#define IOT_SYS_ARG_IS_PLAIN 0
#endif
#define IOT_PLACE(n) \
	do { \
		if (IOT_SYS_ARG_IS_PLAIN || row->to[n] != __builtin_offsetof(struct iot_call, more.IOT_GIVEN_NOTHING)) \
			*(u64 *)(entry + row->to[n]) = IOT_SYS_ARG(ctx, n); \
	} while (0)
	IOT_PLACE(0);
	if (row->placed > 1) {
		IOT_PLACE(1);
		IOT_PLACE(2);
		IOT_PLACE(3);
	}
	if (row->placed > 4) {
		IOT_PLACE(4);
		IOT_PLACE(5);
	}
#undef IOT_PLACE
}

/* The same, and from there to where they stay. fd, fd2: those of a call that gives none. Returns the first. */
static __always_inline s32 iot_call_take(struct iot_sys_enter *ctx, struct iot_call_row *row, struct iot_call *c,
					s32 fd, s32 fd2)
{
	u32 flags, prot, rules = row->rules;

	c->more.IOT_GIVEN_FD = fd;
	c->more.IOT_GIVEN_FD2 = fd2;
	c->more.IOT_GIVEN_FLAGS = 0;
	c->more.IOT_GIVEN_PROT = 0;
	iot_call_place(ctx, row, c);
	flags = c->more.IOT_GIVEN_FLAGS;
	prot = c->more.IOT_GIVEN_PROT;
	if (rules & IOT_RULE_OWNER) {
		flags = (flags != ~0U ? IOT_ATTR_UID : 0) | (prot != ~0U ? IOT_ATTR_GID : 0);
		prot = 0;
	} else if (rules & IOT_RULE_TIMES) {
		flags = iot_attr_times(c->more.IOT_GIVEN_FLAGS);
	}
	c->more.fs.flags = (flags & ~row->no_flags) | row->flags;
	c->more.prot = prot;
	c->more.fd2 = c->more.IOT_GIVEN_FD2;
	fd = c->more.IOT_GIVEN_FD;
	c->more.IOT_GIVEN_FD = c->more.IOT_GIVEN_FD2 = 0;
	c->more.start = c->ts;
	return fd;
}

/* AT_* of a call that has them */
static __always_inline u32 iot_call_at(struct iot_sys_enter *ctx, struct iot_call_row *row)
{
	u32 second, third, fourth;

	if (!row->at)
		return 0;
	/* all of them, before it is known which: see IOT_SYS_ARG */
	second = IOT_SYS_ARG(ctx, 2);
	third = IOT_SYS_ARG(ctx, 3);
	fourth = IOT_SYS_ARG(ctx, 4);
	return row->at == 2 ? second : row->at == 3 ? third : fourth;
}

#if defined(IOT_STREAM_layers) && defined(IOT_HEADERS)
/* The file behind a descriptor; ino stays 0 where it is not one that is traced. */
static __always_inline void iot_count_target(struct iot_inode *target, s32 fd)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct file *file = iot_fd_file(fd);
	struct iot_file f = {};

	if (!file || !cfg || !iot_file_read(&f, file, cfg))
		return;
	target->ino = f.ino;
	target->dev = f.dev;
}
#endif

/* Counts a call that moves bytes between files; true: that is all that is wanted of it. */
static __always_inline int iot_call_count(struct iot_call *c, s64 ret)
{
#ifdef IOT_STREAM_layers
	u32 count = IOT_KEPT_COUNT(c->filters), tgid = bpf_get_current_pid_tgid() >> 32;
	u8 kind = c->op == IOT_COPY_FILE_RANGE || c->op == IOT_SENDFILE ? IOT_COUNT_COPY : 0;
	struct iot_inode target = {};
	u64 comm[2];

	if (c->op == IOT_SPLICE)
		kind = c->more.fs.flags & IOT_SPLICE_TO_FILE ? IOT_COUNT_WRITE : IOT_COUNT_READ;
	if (!count || !kind)
		return 0;
	if ((c->more.fs.status & IOT_ST_FILE) && iot_shown()) {
		iot_comm_read(comm);
#ifdef IOT_HEADERS
		if (kind != IOT_COUNT_READ)
			iot_count_target(&target, c->op == IOT_SPLICE ? c->more.fs.fd : c->more.fd2);
#endif
		/* to a socket nothing is written that is a file's */
		if (c->op == IOT_SENDFILE && !target.ino)
			kind = IOT_COUNT_READ;
		iot_count_moved(tgid, comm, 1, kind, ret, c->more.fs.latency);
		if (kind != IOT_COUNT_READ && ret > 0 && target.ino)
			iot_count_writer(tgid, comm, &target);
	}
	return count & IOT_COUNTS_NO_FS;
#else
	return 0;
#endif
}

/* What becomes of a row to keep to the budget: as iot_fs_verdict(). What has no file is left out call by call. */
static __always_inline int iot_call_thin(struct iot_call *c, int row)
{
#ifdef IOT_STREAM_layers
	u32 zero = 0, hash;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (row <= 0 || !cfg || !cfg->thin[IOT_SEQ_fs])
		return row;
	hash = c->more.fs.ino ? iot_thin_hash(cfg, c->more.fs.ino, c->more.fs.dev) : bpf_get_prandom_u32();
	if (iot_thin(cfg, IOT_SEQ_fs, hash))
		return (IOT_THIN_FOLLOWED >> (c->op & 63)) & 1 ? 0 : -1;
#endif
	return row;
}

/*
 * The call has returned; false when there is nothing to send of it, and it is over. may_count: its
 * operation may be one that is counted.
 */
static __always_inline int iot_call_ended(struct iot_call *c, s64 ret, int may_count)
{
	int row = 1;

	c->more.fs.latency = bpf_ktime_get_ns() - c->ts;
	c->more.fs.ret = ret;
	if (may_count && iot_call_count(c, ret))
		row = -1;
	else if (IOT_KEPT_FILTERS(c->filters))
		row = iot_fs_verdict(c->op, ret, c->more.fs.latency);
	row = iot_call_thin(c, row);
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
	int row = c->send == IOT_SEND_ROW;

	if (!c->send)
		return;
	if (row)
		iot_stack_send(ctx, c->op, c->ts);
	iot_current(&c->more.fs.head);
	/* when it returned, whatever names were sent since */
	iot_stamp_at(&c->more.fs.head, c->ts + c->more.fs.latency, row ? IOT_SEQ_fs : IOT_SEQ_STATE, IOT_REC_MORE,
		     row ? c->via : c->via | IOT_VIA_QUIET);
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

#endif /* IOT_FILE_TEXTS */
