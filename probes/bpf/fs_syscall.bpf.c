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

#ifdef IOT_STREAM_fs
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif

#if defined(IOT_USE_SC_READ) || defined(IOT_USE_SC_WRITE) || defined(IOT_USE_SC_READV) || \
	defined(IOT_USE_SC_WRITEV) || defined(IOT_USE_SC_FSYNC) || defined(IOT_USE_SC_FDATASYNC) || \
	defined(IOT_USE_SC_CLOSE) || defined(IOT_USE_SC_FOLLOW)
#define IOT_SYSCALLS
#endif

#ifdef IOT_SYSCALLS
/* The position argument of calls that use the file's own position, and of those that append. */
#define IOT_OWN_POSITION (-0x7fffffffffffffffLL - 1)
#define IOT_END_POSITION -1

static __always_inline void iot_sc_begin(void *ctx, u16 op, u16 via, u16 call, s32 fd, u64 size, s64 pos)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_slot *s;
#ifdef IOT_HEADERS
	struct iot_own own;
	struct file *file;
#endif

	if (!cfg)
		return;
#ifdef IOT_HEADERS
	iot_own_read(&own);
	file = iot_own_file(&own, fd);
#ifdef IOT_USE_SC_SEND
	if (file && (op == IOT_READ || op == IOT_WRITE) && iot_net_rw(file, op, fd, size))
		return;
#endif
	if (file && op < IOT_N_OPS) {
		u64 posp = 0;

		if ((op == IOT_READ || op == IOT_WRITE) && pos == IOT_OWN_POSITION)
			posp = (u64)file + offsetof(struct file, f_pos);
		iot_file_begin_own(ctx, cfg, &own, IOT_KIND_RW, op, via, call, file, size, 0, 0, posp,
				   pos < 0 ? -1 : pos, fd, 0, IOT_SYS_KPROBE);
		return;
	}
#endif
	if (iot_counts_only(cfg->count, op))
		return; /* no such descriptor */
	s = iot_slot_begin(cfg, IOT_KIND_RW, op, via, call);
	if (!s)
		return;
	s->fs.fd = fd;
	s->fs.size = size;
#if defined(IOT_USE_SC_SEND) && !defined(IOT_HEADERS)
	if (op == IOT_READ || op == IOT_WRITE)
		s->fs.sock_made = iot_sock_made_at(fd);
#endif
	if (pos != IOT_OWN_POSITION) {
		s->fs.offset = pos;
		s->fs.status = IOT_ST_OFFSET;
	}
}

static __always_inline void iot_sc_end(struct iot_sys_exit *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	s64 ret = IOT_SYS_RET(ctx);

	if (!s) {
#if defined(IOT_USE_SC_SEND) && defined(IOT_HEADERS)
		iot_net_rw_end(ctx, ret);
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

int iot_sc_exit(struct iot_sys_exit *ctx)
{
	iot_sc_end(ctx);
	return 0;
}
#endif

#ifdef IOT_USE_SC_READ
int iot_sc_read(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_READ, IOT_VIA_FS_READ, IOT_CALL_read, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), IOT_OWN_POSITION);
	return 0;
}

int iot_sc_pread(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_READ, IOT_VIA_FS_READ, IOT_CALL_pread64, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), IOT_SYS_ARG(ctx, 3));
	return 0;
}
#endif

#ifdef IOT_USE_SC_WRITE
int iot_sc_write(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE, IOT_CALL_write, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), IOT_OWN_POSITION);
	return 0;
}

int iot_sc_pwrite(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE, IOT_CALL_pwrite64, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), IOT_SYS_ARG(ctx, 3));
	return 0;
}
#endif

#ifdef IOT_USE_SC_READV
int iot_sc_readv(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_READ, IOT_VIA_FS_READ_VECTORED, IOT_CALL_readv, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), IOT_OWN_POSITION);
	return 0;
}

int iot_sc_preadv(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_READ, IOT_VIA_FS_READ_VECTORED, IOT_CALL_preadv, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), IOT_SYS_ARG(ctx, 3));
	return 0;
}

/* a position of -1 is the file's own */
int iot_sc_preadv2(struct iot_sys_enter *ctx)
{
	s64 pos = IOT_SYS_ARG(ctx, 3);

	iot_sc_begin(ctx, IOT_READ, IOT_VIA_FS_READ_VECTORED, IOT_CALL_preadv2, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), pos == -1 ? IOT_OWN_POSITION : pos);
	return 0;
}
#endif

#ifdef IOT_USE_SC_WRITEV
int iot_sc_writev(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_VECTORED, IOT_CALL_writev, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), IOT_OWN_POSITION);
	return 0;
}

int iot_sc_pwritev(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_VECTORED, IOT_CALL_pwritev, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), IOT_SYS_ARG(ctx, 3));
	return 0;
}

/* likewise; with RWF_APPEND (0x10) the end of the file counts */
int iot_sc_pwritev2(struct iot_sys_enter *ctx)
{
	s64 pos = IOT_SYS_ARG(ctx, 3);

	if (IOT_SYS_ARG(ctx, 5) & 0x10)
		pos = IOT_END_POSITION;
	else if (pos == -1)
		pos = IOT_OWN_POSITION;
	iot_sc_begin(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_VECTORED, IOT_CALL_pwritev2, IOT_SYS_ARG(ctx, 0),
		    iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2)), pos);
	return 0;
}
#endif

#ifdef IOT_USE_SC_FSYNC
int iot_sc_fsync(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_FSYNC, IOT_VIA_FS_FSYNC, IOT_CALL_fsync, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}
#endif

#ifdef IOT_USE_SC_FDATASYNC
int iot_sc_fdatasync(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_FDATASYNC, IOT_VIA_FS_FDATASYNC, IOT_CALL_fdatasync, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}
#endif

#ifdef IOT_USE_SC_CLOSE
int iot_sc_close(struct iot_sys_enter *ctx)
{
#if defined(IOT_CONNS) && !defined(IOT_HEADERS)
	iot_sock_forget(IOT_SYS_ARG(ctx, 0));
#endif
	iot_sc_begin(ctx, IOT_CLOSE, IOT_VIA_FS_CLOSE, IOT_CALL_close, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}
#endif

#ifdef IOT_USE_SC_OPEN
int iot_sc_open(struct iot_sys_enter *ctx)
{
	iot_open_begin(IOT_VIA_FS_OPEN, IOT_CALL_open, AT_FDCWD, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1));
	return 0;
}

/* creat is open with these flags */
int iot_sc_creat(struct iot_sys_enter *ctx)
{
	iot_open_begin(IOT_VIA_FS_OPEN, IOT_CALL_creat, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 01 | 0100 | 01000);
	return 0;
}

int iot_sc_openat(struct iot_sys_enter *ctx)
{
	iot_open_begin(IOT_VIA_FS_OPEN, IOT_CALL_openat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	return 0;
}

/* openat2's third argument points to struct open_how, which begins with u64 flags */
int iot_sc_openat2(struct iot_sys_enter *ctx)
{
	u64 flags = 0;

	IOT_READ_U(&flags, sizeof(flags), (void *)IOT_SYS_ARG(ctx, 2));
	iot_open_begin(IOT_VIA_FS_OPEN, IOT_CALL_openat2, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), flags);
	return 0;
}

int iot_sc_open_exit(struct iot_sys_exit *ctx)
{
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
		s->fs.status = IOT_ST_NO_TEXT;
	if (IOT_SYS_RET(ctx) >= 0)
		s->fs.fd = IOT_SYS_RET(ctx);
	iot_fs_end(ctx, s, IOT_SYS_RET(ctx), IOT_SEQ_fs);
#endif
	return 0;
}
#endif

/* ---- what user space needs to follow descriptors, positions and directories ---- */
#ifdef IOT_USE_SC_FOLLOW
int iot_sc_lseek(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_LSEEK, 0, IOT_NO_CALL, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}

int iot_sc_dup(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_DUP, 0, IOT_CALL_dup, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}

/* it may close the last descriptor of a file: such a CLOSE has its call, as that of dup3 and close_range */
int iot_sc_dup2(struct iot_sys_enter *ctx)
{
	iot_sc_begin(ctx, IOT_DUP, 0, IOT_CALL_dup2, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	return 0;
}

int iot_sc_dup3(struct iot_sys_enter *ctx)
{
	struct iot_slot *s;

	iot_sc_begin(ctx, IOT_DUP, 0, IOT_CALL_dup3, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->fs.flags = IOT_SYS_ARG(ctx, 2);
	return 0;
}

/* F_DUPFD 0, F_SETFD 2, F_DUPFD_CLOEXEC 1030 */
int iot_sc_fcntl(struct iot_sys_enter *ctx)
{
	u32 cmd = IOT_SYS_ARG(ctx, 1);
	struct iot_slot *s;

	if (cmd != 0 && cmd != 2 && cmd != 1030)
		return 0;
	iot_sc_begin(ctx, cmd == 2 ? IOT_CLOEXEC : IOT_DUP, 0, IOT_NO_CALL, IOT_SYS_ARG(ctx, 0), 0, IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->fs.flags = cmd == 1030 ? 02000000 : cmd == 2 ? IOT_SYS_ARG(ctx, 2) : 0;
	return 0;
}

int iot_sc_close_range(struct iot_sys_enter *ctx)
{
	struct iot_slot *s;

	iot_sc_begin(ctx, IOT_CLOSE_RANGE, 0, IOT_CALL_close_range, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->fs.flags = IOT_SYS_ARG(ctx, 2);
	return 0;
}
#endif

#ifdef IOT_USE_SC_FOLLOW
/* memfd_create(name, flags); MFD_CLOEXEC is 1 */
int iot_sc_memfd(struct iot_sys_enter *ctx)
{
	struct iot_slot *s;

	iot_sc_begin(ctx, IOT_MEMFD, 0, IOT_NO_CALL, -1, 0, IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->fs.flags = IOT_SYS_ARG(ctx, 1) & 1 ? 02000000 : 0;
	return 0;
}
#endif

#ifdef IOT_USE_SC_NEWFD
/* Calls that return a descriptor of something that is no file */
static __always_inline void iot_newfd_begin(void *ctx)
{
	iot_sc_begin(ctx, IOT_NEWFD, 0, IOT_NO_CALL, -1, 0, IOT_OWN_POSITION);
}

int iot_sc_newfd(struct iot_sys_enter *ctx)
{
	iot_newfd_begin(ctx);
	return 0;
}

/* pipe and pipe2 fill an array of two at return */
int iot_sc_pipe(struct iot_sys_enter *ctx)
{
	struct iot_slot *s;

	iot_sc_begin(ctx, IOT_NEWFD, 0, IOT_NO_CALL, -1, 0, IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->text = IOT_SYS_ARG(ctx, 0);
	return 0;
}

/* socketpair (family, type, protocol, array) */
int iot_sc_socketpair(struct iot_sys_enter *ctx)
{
	struct iot_slot *s;

	iot_sc_begin(ctx, IOT_NEWFD, 0, IOT_NO_CALL, -1, (u32)IOT_SYS_ARG(ctx, 0), IOT_OWN_POSITION);
	s = iot_pending_active(IOT_KIND_RW);
	if (s)
		s->text = IOT_SYS_ARG(ctx, 3);
	return 0;
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
	iot_fs_end(ctx, s, pair[0], IOT_SEQ_STATE);
	return 0;
}
#endif
#endif /* IOT_STREAM_fs */
