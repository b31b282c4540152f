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

#ifdef IO_STREAM_fs
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif

#if defined(IO_USE_SC_READ) || defined(IO_USE_SC_WRITE) || defined(IO_USE_SC_READV) || \
	defined(IO_USE_SC_WRITEV) || defined(IO_USE_SC_FSYNC) || defined(IO_USE_SC_FDATASYNC) || \
	defined(IO_USE_SC_CLOSE) || defined(IO_USE_SC_FOLLOW)
#define IO_SYSCALLS
#endif

#ifdef IO_SYSCALLS
/* The position argument of calls that use the file's own position, and of those that append. */
#define IO_OWN_POSITION (-0x7fffffffffffffffLL - 1)
#define IO_END_POSITION -1

static __always_inline void io_sc_begin(void *ctx, u16 op, u16 via, s32 fd, u64 size, s64 pos)
{
	struct io_config *cfg = io_tracked();
	struct io_slot *s;
#ifdef IO_HEADERS
	struct file *file;
#endif

	if (!cfg)
		return;
#ifdef IO_HEADERS
	file = io_fd_file(fd);
#ifdef IO_USE_SC_SEND
	if (file && (op == IO_READ || op == IO_WRITE) && io_net_rw(file, op, fd, size))
		return;
#endif
	if (file && op < IO_N_OPS) {
		u64 posp = 0;

		if ((op == IO_READ || op == IO_WRITE) && pos == IO_OWN_POSITION)
			posp = (u64)file + offsetof(struct file, f_pos);
		io_file_begin(ctx, IO_SLOT_CALL, op, via, file, size, posp, pos < 0 ? -1 : pos, fd,
			      IO_SYS_KPROBE);
		return;
	}
#endif
	s = io_slot_begin(cfg, IO_SLOT_CALL, op, via);
	if (!s)
		return;
	s->fd = fd;
	s->size = size;
#if defined(IO_USE_SC_SEND) && !defined(IO_HEADERS)
	if (op == IO_READ || op == IO_WRITE)
		s->ino = io_sock_made_at(fd);
#endif
	if (pos != IO_OWN_POSITION) {
		s->offset = pos;
		s->status = IO_ST_OFFSET;
	}
}

static __always_inline void io_sc_end(struct io_sys_exit *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CALL);
	s64 ret = IO_SYS_RET(ctx);

	if (!s) {
#if defined(IO_USE_SC_SEND) && defined(IO_HEADERS)
		io_net_rw_end(ctx, ret);
#endif
		return;
	}
#ifdef IO_HEADERS
	io_slot_append(s, ret);
#elif defined(IO_CONNS)
	if (ret >= 0 && (s->op == IO_DUP || s->op == IO_NEWFD))
		io_sock_forget(ret);
#endif
	io_fs_end(ctx, s, ret, s->op < IO_N_OPS ? IO_SEQ_FS : IO_SEQ_STATE);
}

int io_sc_exit(struct io_sys_exit *ctx)
{
	io_sc_end(ctx);
	return 0;
}
#endif

#ifdef IO_USE_SC_READ
int io_sc_read(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_READ, IO_VIA_FS_READ, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), IO_OWN_POSITION);
	return 0;
}

int io_sc_pread(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_READ, IO_VIA_FS_READ, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), IO_SYS_ARG(ctx, 3));
	return 0;
}
#endif

#ifdef IO_USE_SC_WRITE
int io_sc_write(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), IO_OWN_POSITION);
	return 0;
}

int io_sc_pwrite(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), IO_SYS_ARG(ctx, 3));
	return 0;
}
#endif

#ifdef IO_USE_SC_READV
int io_sc_readv(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_READ, IO_VIA_FS_READ_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), IO_OWN_POSITION);
	return 0;
}

int io_sc_preadv(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_READ, IO_VIA_FS_READ_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), IO_SYS_ARG(ctx, 3));
	return 0;
}

/* a position of -1 is the file's own */
int io_sc_preadv2(struct io_sys_enter *ctx)
{
	s64 pos = IO_SYS_ARG(ctx, 3);

	io_sc_begin(ctx, IO_READ, IO_VIA_FS_READ_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), pos == -1 ? IO_OWN_POSITION : pos);
	return 0;
}
#endif

#ifdef IO_USE_SC_WRITEV
int io_sc_writev(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), IO_OWN_POSITION);
	return 0;
}

int io_sc_pwritev(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), IO_SYS_ARG(ctx, 3));
	return 0;
}

/* likewise; with RWF_APPEND (0x10) the end of the file counts */
int io_sc_pwritev2(struct io_sys_enter *ctx)
{
	s64 pos = IO_SYS_ARG(ctx, 3);

	if (IO_SYS_ARG(ctx, 5) & 0x10)
		pos = IO_END_POSITION;
	else if (pos == -1)
		pos = IO_OWN_POSITION;
	io_sc_begin(ctx, IO_WRITE, IO_VIA_FS_WRITE_VECTORED, IO_SYS_ARG(ctx, 0),
		    io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2)), pos);
	return 0;
}
#endif

#ifdef IO_USE_SC_FSYNC
int io_sc_fsync(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_FSYNC, IO_VIA_FS_FSYNC, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	return 0;
}
#endif

#ifdef IO_USE_SC_FDATASYNC
int io_sc_fdatasync(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_FDATASYNC, IO_VIA_FS_FDATASYNC, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	return 0;
}
#endif

#ifdef IO_USE_SC_CLOSE
int io_sc_close(struct io_sys_enter *ctx)
{
#if defined(IO_CONNS) && !defined(IO_HEADERS)
	io_sock_forget(IO_SYS_ARG(ctx, 0));
#endif
	io_sc_begin(ctx, IO_CLOSE, IO_VIA_FS_CLOSE, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	return 0;
}
#endif

#ifdef IO_USE_SC_OPEN
int io_sc_open(struct io_sys_enter *ctx)
{
	io_open_begin(IO_VIA_FS_OPEN, AT_FDCWD, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1));
	return 0;
}

/* creat is open with these flags */
int io_sc_creat(struct io_sys_enter *ctx)
{
	io_open_begin(IO_VIA_FS_OPEN, AT_FDCWD, IO_SYS_ARG(ctx, 0), 01 | 0100 | 01000);
	return 0;
}

int io_sc_openat(struct io_sys_enter *ctx)
{
	io_open_begin(IO_VIA_FS_OPEN, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2));
	return 0;
}

/* openat2's third argument points to struct open_how, which begins with u64 flags */
int io_sc_openat2(struct io_sys_enter *ctx)
{
	u64 flags = 0;

	IO_READ_U(&flags, sizeof(flags), (void *)IO_SYS_ARG(ctx, 2));
	io_open_begin(IO_VIA_FS_OPEN, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), flags);
	return 0;
}

int io_sc_open_exit(struct io_sys_exit *ctx)
{
#ifdef IO_HEADERS
	io_open_end(ctx, IO_SYS_RET(ctx), IO_SYS_KPROBE);
#else
	struct io_slot *s = io_slot_active(IO_SLOT_OPEN);
	u64 text;

	if (!s)
		return 0;
	if (io_slot_verdict(s, IO_SYS_RET(ctx)) < 0) {
		s->active = 0;
		return 0;
	}
	text = s->text;
	s->name = io_send_string(ctx, text);
	if (!s->name)
		s->status = IO_ST_NO_TEXT;
	if (IO_SYS_RET(ctx) >= 0)
		s->fd = IO_SYS_RET(ctx);
	io_fs_end(ctx, s, IO_SYS_RET(ctx), IO_SEQ_FS);
#endif
	return 0;
}
#endif

/* ---- what user space needs to follow descriptors, positions and directories ---- */
#ifdef IO_USE_SC_FOLLOW
int io_sc_lseek(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_LSEEK, 0, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	return 0;
}

int io_sc_dup(struct io_sys_enter *ctx)
{
	io_sc_begin(ctx, IO_DUP, 0, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	return 0;
}

int io_sc_dup3(struct io_sys_enter *ctx)
{
	struct io_slot *s;

	io_sc_begin(ctx, IO_DUP, 0, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->flags = IO_SYS_ARG(ctx, 2);
	return 0;
}

/* F_DUPFD 0, F_SETFD 2, F_DUPFD_CLOEXEC 1030 */
int io_sc_fcntl(struct io_sys_enter *ctx)
{
	u32 cmd = IO_SYS_ARG(ctx, 1);
	struct io_slot *s;

	if (cmd != 0 && cmd != 2 && cmd != 1030)
		return 0;
	io_sc_begin(ctx, cmd == 2 ? IO_CLOEXEC : IO_DUP, 0, IO_SYS_ARG(ctx, 0), 0, IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->flags = cmd == 1030 ? 02000000 : cmd == 2 ? IO_SYS_ARG(ctx, 2) : 0;
	return 0;
}

int io_sc_close_range(struct io_sys_enter *ctx)
{
	struct io_slot *s;

	io_sc_begin(ctx, IO_CLOSE_RANGE, 0, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->flags = IO_SYS_ARG(ctx, 2);
	return 0;
}
#endif

#ifdef IO_USE_SC_FOLLOW
/* memfd_create(name, flags); MFD_CLOEXEC is 1 */
int io_sc_memfd(struct io_sys_enter *ctx)
{
	struct io_slot *s;

	io_sc_begin(ctx, IO_MEMFD, 0, -1, 0, IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->flags = IO_SYS_ARG(ctx, 1) & 1 ? 02000000 : 0;
	return 0;
}
#endif

#ifdef IO_USE_SC_NEWFD
/* Calls that return a descriptor of something that is no file */
static __always_inline void io_newfd_begin(void *ctx)
{
	io_sc_begin(ctx, IO_NEWFD, 0, -1, 0, IO_OWN_POSITION);
}

int io_sc_newfd(struct io_sys_enter *ctx)
{
	io_newfd_begin(ctx);
	return 0;
}

/* pipe and pipe2 fill an array of two at return */
int io_sc_pipe(struct io_sys_enter *ctx)
{
	struct io_slot *s;

	io_sc_begin(ctx, IO_NEWFD, 0, -1, 0, IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->text = IO_SYS_ARG(ctx, 0);
	return 0;
}

/* socketpair (family, type, protocol, array) */
int io_sc_socketpair(struct io_sys_enter *ctx)
{
	struct io_slot *s;

	io_sc_begin(ctx, IO_NEWFD, 0, -1, (u32)IO_SYS_ARG(ctx, 0), IO_OWN_POSITION);
	s = io_slot_active(IO_SLOT_CALL);
	if (s)
		s->text = IO_SYS_ARG(ctx, 3);
	return 0;
}

int io_sc_pair_exit(struct io_sys_exit *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CALL);
	s32 pair[2] = { -1, -1 };

	if (!s)
		return 0;
	if (IO_SYS_RET(ctx) < 0 || IO_READ_U(pair, sizeof(pair), (void *)s->text) < 0) {
		s->active = 0;
		return 0;
	}
	s->dirfd = pair[1];
#if defined(IO_CONNS) && !defined(IO_HEADERS)
	io_sock_forget(pair[0]);
	io_sock_forget(pair[1]);
#endif
	io_fs_end(ctx, s, pair[0], IO_SEQ_STATE);
	return 0;
}
#endif
#endif /* IO_STREAM_fs */
