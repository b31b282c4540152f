/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs from system-call tracepoints: with headers (tier b) the file is
 * found through the descriptor table, without (tier c) only the descriptor is
 * known and user space follows it. 32-bit programs never come here. The same
 * programs serve as kprobes where the kernel has no such tracepoints.
 *
 * One exit program serves every call: 4.14 allows one program per tracepoint,
 * but a program may serve many.
 */

#ifdef IOT_FILE_TEXTS
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif

#if defined(IOT_PROGRAM_iot_sc_exit) || defined(IOT_USE_SC_NEWFD)
#define IOT_SYSCALLS
#endif

#ifdef IOT_SYSCALLS
/* The position argument of calls that use the file's own position, and of those that append. */
#define IOT_OWN_POSITION (-0x7fffffffffffffffLL - 1)
#define IOT_END_POSITION -1

/*
 * NULL: no row begins with it. With headers it may not return: the name is sent by tail call. asks: IOT_APPENDS,
 * of LOCK its words.
 */
static __always_inline struct iot_slot *iot_sc_begin(void *ctx, struct iot_config *cfg, u16 op, u16 via, u16 call,
						    s32 fd, u64 size, s64 pos, u32 asks)
{
	struct iot_slot *s;
#ifdef IOT_HEADERS
	struct iot_own own;
	struct file *file;

	iot_own_read(&own);
	file = iot_own_file(&own, fd);
#ifdef IOT_USE_SC_SEND
	if (file && (op == IOT_READ || op == IOT_WRITE) && iot_net_rw(file, op, fd, size))
		return 0;
#endif
	if (file && op < IOT_N_OPS) {
		u64 posp = 0;

		if ((op == IOT_READ || op == IOT_WRITE) && pos == IOT_OWN_POSITION)
			posp = (u64)file + offsetof(struct file, f_pos);
		iot_file_begin_own(ctx, cfg, &own, IOT_KIND_RW, op, via, call, file, size, 0, 0, posp,
				   pos < 0 ? -1 : pos, fd, asks, IOT_SYS_KPROBE);
		return 0;
	}
#endif
	if (iot_counts_only(cfg->count, op))
		return 0; /* no such descriptor */
#ifdef IOT_STREAM_layers
	if (op < IOT_N_OPS && iot_thin(cfg, IOT_SEQ_fs, bpf_get_prandom_u32())) {
		s = iot_pending_active(IOT_KIND_RW);
		if (s)
			iot_pending_end(s);
		return 0;
	}
#endif
	s = iot_slot_begin(cfg, IOT_KIND_RW, op, via, call);
	if (!s)
		return 0;
	s->fs.fd = fd;
	s->fs.size = size;
	if (op == IOT_LOCK)
		s->fs.lock = asks;
#if defined(IOT_USE_SC_SEND) && !defined(IOT_HEADERS)
	if (op == IOT_READ || op == IOT_WRITE)
		s->fs.sock_made = iot_sock_made_at(fd);
#endif
	if (pos != IOT_OWN_POSITION) {
		s->fs.offset = pos;
		s->fs.status = IOT_ST_OFFSET;
	}
	return s;
}

static __always_inline void iot_sc_end(struct iot_sys_exit *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	s64 ret = IOT_SYS_RET(ctx);

	if (!s) {
#if defined(IOT_USE_SC_SEND) && defined(IOT_HEADERS)
		if (iot_net_pending(IOT_NET_WRITE))
			iot_to_net_end_sc.call(ctx, 0);
#endif
		return;
	}
#ifdef IOT_HEADERS
	iot_slot_append(s, ret);
#elif defined(IOT_CONNS)
	if (ret >= 0 && (s->op == IOT_DUP || s->op == IOT_NEWFD))
		iot_sock_forget(ret);
#endif
	iot_fs_end(ctx, s, ret, s->op < IOT_N_OPS ? IOT_SEQ_fs : IOT_SEQ_STATE);
}

#ifdef IOT_PROGRAM_iot_sc_exit
int iot_sc_exit(struct iot_sys_exit *ctx)
{
	iot_sc_end(ctx);
	return 0;
}
#endif
#endif

/*
 * What programs do all the time has programs of its own that are attached: no call from one to
 * another, and no more arguments than each of the calls has.
 */
#ifdef IOT_PROGRAM_iot_sc_rw
int iot_sc_rw(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call_row *row = cfg ? iot_row_of(ctx) : 0;

	if (row)
		iot_sc_begin(ctx, cfg, row->op, row->via, row->call, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2),
			     IOT_OWN_POSITION, 0);
	return 0;
}
#endif

#ifdef IOT_PROGRAM_iot_sc_rw_at
int iot_sc_rw_at(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call_row *row = cfg ? iot_row_of(ctx) : 0;

	if (row)
		iot_sc_begin(ctx, cfg, row->op, row->via, row->call, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2),
			     IOT_SYS_ARG(ctx, 3), 0);
	return 0;
}
#endif

/* dup2 may close the last descriptor of a file: such a CLOSE has its call, as that of dup3 and close_range */
#ifdef IOT_PROGRAM_iot_sc_fd
int iot_sc_fd(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call_row *row = cfg ? iot_row_of(ctx) : 0;

	if (!row)
		return 0;
#if defined(IOT_CONNS) && !defined(IOT_HEADERS)
	if (row->op == IOT_CLOSE)
		iot_sock_forget(IOT_SYS_ARG(ctx, 0));
#endif
	iot_sc_begin(ctx, cfg, row->op, row->via, row->call, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION, 0);
	return 0;
}
#endif

/* ---- the others that wait in a slot ---- */

#ifdef IOT_PROGRAM_iot_sc_slot
BPF_TABLE("prog", u32, u32, iot_to_slot_sc, 1);

int iot_sc_slot(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_slot_sc.call(ctx, 0);
	return 0;
}

int iot_slot_sc(struct iot_sys_enter *ctx)
{
	u32 zero = 0, begin, flags = 0, append = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_call_row *row = iot_row_of(ctx);
	s64 pos = IOT_OWN_POSITION;
	struct iot_slot *s;
	s32 fd = IOT_SYS_ARG(ctx, 0);
	u64 size = 0, text = 0;
	u16 op;

	if (!cfg || !row)
		return 0;
	begin = row->begin;
	op = row->op;
	if (begin >= IOT_BEGIN_IOV && begin <= IOT_BEGIN_IOV_AT2) {
		size = iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
		if (begin != IOT_BEGIN_IOV)
			pos = IOT_SYS_ARG(ctx, 3);
		if (begin == IOT_BEGIN_IOV_AT2) {
			/* with RWF_APPEND the end of the file counts; a position of -1 is the file's own */
			if (op == IOT_WRITE)
				append = IOT_SYS_ARG(ctx, 5) & (IOT_APPENDS | IOT_APPENDS_NOT);
			if (append & IOT_APPENDS)
				pos = IOT_END_POSITION;
			else if (pos == -1)
				pos = IOT_OWN_POSITION;
		}
	} else if (begin == IOT_BEGIN_DUP3) {
		flags = IOT_SYS_ARG(ctx, 2);
	} else if (begin == IOT_BEGIN_CLOSE_RANGE) {
		size = IOT_SYS_ARG(ctx, 1);
		flags = IOT_SYS_ARG(ctx, 2);
	} else if (begin == IOT_BEGIN_MEMFD) {
		/* memfd_create(name, flags); MFD_CLOEXEC is 1 */
		fd = -1;
		flags = IOT_SYS_ARG(ctx, 1) & 1 ? 02000000 : 0;
	} else {
		/* what returns a descriptor of something that is no file, or fills an array of two at its return */
		fd = -1;
		if (begin == IOT_BEGIN_PIPE)
			text = IOT_SYS_ARG(ctx, 0);
		if (begin == IOT_BEGIN_SOCKETPAIR) {
			size = (u32)IOT_SYS_ARG(ctx, 0);
			text = IOT_SYS_ARG(ctx, 3);
		}
	}
	s = iot_sc_begin(ctx, cfg, op, row->via, row->call, fd, size, pos, append);
	if (!s)
		return 0;
	if (append & IOT_APPENDS_NOT)
		s->fs.status |= IOT_ST_NO_APPEND;
	s->fs.flags = flags;
	s->text = text;
	return 0;
}
#endif

#ifdef IOT_USE_SC_NEWFD
/* Calls that return a descriptor of something that is no file */
static __always_inline void iot_newfd_begin(void *ctx)
{
	struct iot_config *cfg = iot_tracked();

	if (cfg)
		iot_sc_begin(ctx, cfg, IOT_NEWFD, 0, IOT_NO_CALL, -1, 0, IOT_OWN_POSITION, 0);
}

int iot_sc_pair_exit(struct iot_sys_exit *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	s32 pair[2] = { -1, -1 };

	if (!s)
		return 0;
	if (IOT_SYS_RET(ctx) < 0 || IOT_READ_U(pair, sizeof(pair), (void *)s->text) < 0) {
		iot_pending_end(s);
		return 0;
	}
	s->fs.dirfd = pair[1];
#if defined(IOT_CONNS) && !defined(IOT_HEADERS)
	iot_sock_forget(pair[0]);
	iot_sock_forget(pair[1]);
#endif
	iot_fs_end_uncounted(ctx, s, pair[0], IOT_SEQ_STATE);
	return 0;
}
#endif

/* ---- opening ---- */

#ifdef IOT_PROGRAM_iot_sc_open
BPF_TABLE("prog", u32, u32, iot_to_open_sc, 1);

int iot_sc_open(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_open_sc.call(ctx, 0);
	return 0;
}

static __always_inline void iot_open_row(struct iot_sys_enter *ctx, struct iot_config *cfg, struct iot_call_row *row)
{
	u32 begin;
	u64 path = IOT_SYS_ARG(ctx, 0), flags = IOT_SYS_ARG(ctx, 1);
	struct iot_open_how how = {};
	s32 dirfd = AT_FDCWD;

	begin = row->begin;
	if (begin == IOT_BEGIN_OPENAT || begin == IOT_BEGIN_OPENAT2) {
		dirfd = path;
		path = flags;
		flags = IOT_SYS_ARG(ctx, 2);
		if (begin == IOT_BEGIN_OPENAT2) {
			IOT_READ_U(&how, sizeof(how), (void *)flags);
			flags = how.flags;
		}
	} else if (begin == IOT_BEGIN_OPEN_HANDLE) {
		/* whose name is the file's, where the kernel tells it */
		path = 0;
		flags = IOT_SYS_ARG(ctx, 2);
	} else if (begin == IOT_BEGIN_CREAT) {
		flags = 01 | 0100 | 01000; /* O_WRONLY, O_CREAT, O_TRUNC */
	}
	iot_open_asked(cfg, row->via, row->call, dirfd, path, flags, how.resolve);
}

int iot_open_sc(struct iot_sys_enter *ctx)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_call_row *row = iot_row_of(ctx);

	if (cfg && row)
		iot_open_row(ctx, cfg, row);
	return 0;
}

int iot_sc_open_exit(struct iot_sys_exit *ctx)
{
#ifdef IOT_UNBEGUN
	struct iot_sys_exit ended = iot_sys_exit_copy(ctx);
	struct iot_config *cfg = 0;
	struct iot_call_row *row = 0;

	if (!iot_pending_active(IOT_KIND_OPEN))
		row = iot_unbegun(&ended, &cfg);
	if (row) {
		struct iot_slot *s;

		iot_open_row(&ended, cfg, row);
		s = iot_pending_active(IOT_KIND_OPEN);
		if (s)
			s->fs.status |= IOT_ST_UNBEGUN;
	}
#endif
#ifdef IOT_HEADERS
	iot_open_end(ctx, IOT_SYS_RET(ctx), IOT_SYS_KPROBE);
#else
	struct iot_slot *s = iot_pending_active(IOT_KIND_OPEN);
	u64 text;

	if (!s)
		return 0;
	if (iot_slot_verdict(s, IOT_SYS_RET(ctx)) < 0) {
		iot_pending_end(s);
		return 0;
	}
	text = s->text;
	s->fs.name = iot_send_string(ctx, text);
	if (!s->fs.name)
		s->fs.status |= IOT_ST_NO_TEXT;
	if (IOT_SYS_RET(ctx) >= 0)
		s->fs.fd = IOT_SYS_RET(ctx);
	iot_fs_end_uncounted(ctx, s, IOT_SYS_RET(ctx), IOT_SEQ_fs);
#endif
	return 0;
}
#endif
#endif /* IOT_FILE_TEXTS */
