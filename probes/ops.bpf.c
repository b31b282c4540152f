/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls of struct io_call: what each begins with, and the one exit
 * that serves them all. A name is the caller's string, and, with headers, the
 * directory that a relative one starts at; what the kernel found there is
 * filled in by named.bpf.c. 32-bit programs never come here.
 */
#ifdef IO_STREAM_fs
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif
#define IO_AT_REMOVEDIR 0x200
#define IO_AT_EMPTY_PATH 0x1000

/* ---- beginnings ---- */

#ifdef IO_HEADERS
/* Takes a file as what the call is about; its name is sent at last (by tail call: does not return). */
static __always_inline void io_call_file(void *ctx, struct io_call *c, struct io_file *f, int kprobe)
{
	io_file_name(f);
	c->name = f->id;
	c->ino = f->ino;
	c->dev = f->dev;
	c->status |= f->status;
	c->mntns = io_mntns();
	if (f->walk)
		io_send_name(ctx, f, kprobe);
}
#endif

/* A call on one descriptor, or (fd2) on two: then the second counts when the first is no file. */
static __always_inline void io_fd_call(void *ctx, u16 op, u16 via, s32 fd, struct io_args *args)
{
	struct io_config *cfg = io_wanted();
	struct io_call *c;
#ifdef IO_HEADERS
	struct io_file f = {};
	struct file *file;
	u64 swap;
#endif

	if (!cfg)
		return;
#ifdef IO_HEADERS
	file = io_fd_file(fd);
	if (file && !io_file_read(&f, file, cfg)) {
		if (op != IO_SPLICE)
			return;
		/* from a pipe: the file is the other one */
		swap = fd;
		fd = args->fd2;
		args->fd2 = swap;
		args->offp = args->offp2;
		args->offp2 = 0;
		file = io_fd_file(fd);
		if (!file || !io_file_read(&f, file, cfg))
			return;
	}
	c = io_call_begin(op, via, args);
	if (!c)
		return;
	c->fd = fd;
	if (!file)
		return;
	if (op == IO_READDIR)
		c->flags = f.flags;
	/* without an offset of its own, the call uses the file's position */
	if (args->offset < 0 && !args->offp &&
	    (op == IO_READDIR || op == IO_SENDFILE || op == IO_SPLICE || op == IO_COPY_FILE_RANGE))
		IO_READ_K(&c->offset, sizeof(c->offset), (void *)file + offsetof(struct file, f_pos));
	io_call_file(ctx, c, &f, 0);
#else
	c = io_call_begin(op, via, args);
	if (c)
		c->fd = fd;
#endif
}

/* A call that has nothing to do with files of ours: pipes, memory, everything. */
static __always_inline void io_bare_call(u16 op, u16 via, s32 fd, struct io_args *args)
{
	struct io_call *c = io_wanted() ? io_call_begin(op, via, args) : 0;

	if (c)
		c->fd = fd;
}

/* A call on one path (text2 0) or two. */
static __always_inline void io_path_call(void *ctx, u16 op, u16 via, s32 dirfd, u64 text, u64 text2,
					 struct io_args *args)
{
	struct io_call *c;
	char first = 0;
#ifdef IO_HEADERS
	struct io_file f = {};
#endif

	if (!io_wanted())
		return;
	c = io_call_begin(op, via, args);
	if (!c)
		return;
	c->dirfd = dirfd;
	c->text = text;
	c->text2 = text2;
	c->status = IO_ST_PATH | args->status;
	if (args->status & IO_ST_SELF && dirfd >= 0 && !IO_READ_U(&first, 1, (void *)text) && !first)
		c->fd = dirfd;
#ifdef IO_HEADERS
	c->mntns = io_mntns();
	IO_READ_U(&first, 1, (void *)text);
	/* the target of a symbolic link starts nowhere */
	if (op == IO_SYMLINK || !io_start_dir(&f, dirfd, first == '/'))
		return;
	io_file_name(&f);
	c->dir = f.id;
	if (f.walk)
		io_send_name(ctx, &f, 0);
#endif
}

/* A path, or (NULL, or empty where the flags allow it) the descriptor itself. */
static __always_inline void io_at_call(void *ctx, u16 op, u16 via, s32 dirfd, u64 text, u32 at_flags,
				       struct io_args *args)
{
	char first = 1;

	if (text && (at_flags & IO_AT_EMPTY_PATH))
		IO_READ_U(&first, 1, (void *)text);
	/* "" from the working directory is that directory, not a descriptor */
	if (!first && dirfd == AT_FDCWD)
		args->status = IO_ST_SELF;
	if (!text || (!first && dirfd != AT_FDCWD))
		io_fd_call(ctx, op, via, dirfd, args);
	else
		io_path_call(ctx, op, via, dirfd, text, 0, args);
}

/* ---- the end of all ---- */

#ifdef IO_HEADERS
/* The working directory after chdir, by its real name. */
static __always_inline void io_exit_cwd(struct io_call *c, struct io_file *f)
{
	if (!io_start_dir(f, AT_FDCWD, 0) || !io_dentry_read(f, f->dentry, f->mnt))
		return;
	io_file_name(f);
	c->ino = f->ino;
	c->dev = f->dev;
	c->name = f->id;
	c->status = IO_ST_PATH | f->status;
}

/* The second file of copy_file_range, or where a relative second path starts. */
static __always_inline void io_exit_second(struct io_call *c, struct io_file *f)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);
	struct file *file;
	char first = 0;

	if (c->op == IO_COPY_FILE_RANGE) {
		file = io_fd_file(c->fd2);
		if (!file || !cfg || !io_file_read(f, file, cfg))
			return;
		io_file_name(f);
		c->name2 = f->id;
		c->status2 = IO_ST_FILE | (f->status & IO_ST_DELETED);
		return;
	}
	if (!c->text2 || (c->status2 & IO_ST_FILE))
		return;
	IO_READ_U(&first, 1, (void *)c->text2);
	if (!io_start_dir(f, c->fd2, first == '/'))
		return;
	io_file_name(f);
	c->dir2 = f->id;
}
#endif

static __always_inline s64 io_start_offset(u64 user, s64 ret)
{
	s64 end = -1;

	if (IO_READ_U(&end, sizeof(end), (void *)user) < 0)
		return -1;
	return ret > 0 ? end - ret : end;
}

static __always_inline void io_call_texts(void *ctx, struct io_call *c)
{
	u64 text = c->text;

	if (text && !(c->status & IO_ST_FILE)) {
		c->name = io_send_string(ctx, text);
		if (!c->name)
			c->status |= IO_ST_NO_TEXT;
	}
	text = c->text2;
	if (text && !(c->status2 & IO_ST_FILE)) {
		c->name2 = io_send_string(ctx, text);
		if (!c->name2)
			c->status2 |= IO_ST_NO_TEXT;
	}
}

int io_op_exit(struct io_sys_exit *ctx)
{
	struct io_call *c = io_call_find();
	s64 ret = ctx->ret;
#ifdef IO_HEADERS
	struct io_file f = {};
#endif

	if (!c || !c->active)
		return 0;
	c->active = 0;
	c->end = bpf_ktime_get_ns();
	c->ret = ret;
	if (c->offp)
		c->offset = io_start_offset(c->offp, ret);
	c->length = c->offp2 ? io_start_offset(c->offp2, ret) : c->length;
#ifdef IO_HEADERS
	if (c->op == IO_CHDIR && ret == 0)
		io_exit_cwd(c, &f);
	else
		io_exit_second(c, &f);
#ifndef IO_USE_D_MOVE
	/* what was renamed may be a directory: every name below it changed */
	if (c->op == IO_RENAME && ret == 0) {
		u32 zero = 0;
		u64 *epoch = io_epoch.lookup(&zero);

		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
#endif
#endif
	io_call_texts(ctx, c);
	c->pending = 1;
#ifdef IO_HEADERS
	if (f.walk)
		io_send_name(ctx, &f, 0);
#endif
	io_call_send(ctx, c);
	return 0;
}

/* ---- names ---- */

#ifdef IO_USE_SC_UNLINK
int io_sc_unlink(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_UNLINK, IO_VIA_UNLINK, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}
#endif

#if defined(IO_USE_SC_UNLINK) || defined(IO_USE_SC_RMDIR)
int io_sc_unlinkat(struct io_sys_enter *ctx)
{
	int dir = !!(ctx->args[2] & IO_AT_REMOVEDIR);
	struct io_args a = IO_ARGS;

	io_path_call(ctx, dir ? IO_RMDIR : IO_UNLINK, dir ? IO_VIA_RMDIR : IO_VIA_UNLINK, ctx->args[0],
		     ctx->args[1], 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_RMDIR
int io_sc_rmdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_RMDIR, IO_VIA_RMDIR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MKDIR
int io_sc_mkdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = ctx->args[1] & 07777;
	io_path_call(ctx, IO_MKDIR, IO_VIA_MKDIR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_mkdirat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = ctx->args[2] & 07777;
	io_path_call(ctx, IO_MKDIR, IO_VIA_MKDIR, ctx->args[0], ctx->args[1], 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYMLINK
int io_sc_symlink(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_SYMLINK, IO_VIA_SYMLINK, AT_FDCWD, ctx->args[0], ctx->args[1], &a);
	return 0;
}

int io_sc_symlinkat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[1];
	io_path_call(ctx, IO_SYMLINK, IO_VIA_SYMLINK, AT_FDCWD, ctx->args[0], ctx->args[2], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_LINK
int io_sc_link(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_LINK, IO_VIA_LINK, AT_FDCWD, ctx->args[0], ctx->args[1], &a);
	return 0;
}

int io_sc_linkat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[2];
	a.status = ctx->args[4] & IO_AT_EMPTY_PATH ? IO_ST_SELF : 0;
	io_path_call(ctx, IO_LINK, IO_VIA_LINK, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_RENAME
int io_sc_rename(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_RENAME, IO_VIA_RENAME, AT_FDCWD, ctx->args[0], ctx->args[1], &a);
	return 0;
}

int io_sc_renameat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[2];
	io_path_call(ctx, IO_RENAME, IO_VIA_RENAME, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}

int io_sc_renameat2(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[2];
	a.flags = ctx->args[4];
	io_path_call(ctx, IO_RENAME, IO_VIA_RENAME, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_TRUNCATE
int io_sc_truncate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = ctx->args[1];
	io_path_call(ctx, IO_TRUNCATE, IO_VIA_TRUNCATE, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_ftruncate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = ctx->args[1];
	io_fd_call(ctx, IO_TRUNCATE, IO_VIA_TRUNCATE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_CHDIR
int io_sc_chdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_CHDIR, IO_VIA_CHDIR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_fchdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_CHDIR, IO_VIA_CHDIR, ctx->args[0], &a);
	return 0;
}
#endif

/* ---- attributes ---- */

#ifdef IO_USE_SC_GETATTR
/* stat, lstat: the path is the first argument */
int io_sc_stat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_GETATTR, IO_VIA_GETATTR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_fstat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_GETATTR, IO_VIA_GETATTR, ctx->args[0], &a);
	return 0;
}

/* newfstatat(dirfd, path, stat, flags) */
int io_sc_fstatat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_at_call(ctx, IO_GETATTR, IO_VIA_GETATTR, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}

/* statx(dirfd, path, flags, mask, statx) */
int io_sc_statx(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = ctx->args[3];
	io_at_call(ctx, IO_GETATTR, IO_VIA_GETATTR, ctx->args[0], ctx->args[1], ctx->args[2], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SETATTR
/* linux/fs.h, the same from 4.14 to 7.3 */
enum { IO_ATTR_MODE = 1, IO_ATTR_UID = 2, IO_ATTR_GID = 4, IO_ATTR_ATIME = 16, IO_ATTR_MTIME = 32 };

static __always_inline u32 io_attr_owner(u64 uid, u64 gid)
{
	return ((u32)uid != ~0U ? IO_ATTR_UID : 0) | ((u32)gid != ~0U ? IO_ATTR_GID : 0);
}

int io_sc_chmod(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_path_call(ctx, IO_SETATTR, IO_VIA_SETATTR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_fchmod(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_fd_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], &a);
	return 0;
}

int io_sc_fchmodat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_path_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], ctx->args[1], 0, &a);
	return 0;
}

/* fchmodat2(dirfd, path, mode, flags) */
int io_sc_fchmodat2(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_at_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}

/* chown and lchown */
int io_sc_chown(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(ctx->args[1], ctx->args[2]);
	io_path_call(ctx, IO_SETATTR, IO_VIA_SETATTR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

int io_sc_fchown(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(ctx->args[1], ctx->args[2]);
	io_fd_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], &a);
	return 0;
}

/* fchownat(dirfd, path, uid, gid, flags) */
int io_sc_fchownat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(ctx->args[2], ctx->args[3]);
	io_at_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], ctx->args[1], ctx->args[4], &a);
	return 0;
}

/* utime and utimes */
int io_sc_utime(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_ATIME | IO_ATTR_MTIME;
	io_path_call(ctx, IO_SETATTR, IO_VIA_SETATTR, AT_FDCWD, ctx->args[0], 0, &a);
	return 0;
}

/* utimensat(dirfd, path or NULL, times, flags), futimesat without flags */
int io_sc_utimensat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_ATIME | IO_ATTR_MTIME;
	io_at_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], ctx->args[1], ctx->args[3], &a);
	return 0;
}

int io_sc_futimesat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_ATIME | IO_ATTR_MTIME;
	io_at_call(ctx, IO_SETATTR, IO_VIA_SETATTR, ctx->args[0], ctx->args[1], 0, &a);
	return 0;
}
#endif

/* ---- descriptors ---- */

#ifdef IO_USE_SC_READDIR
int io_sc_getdents(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_READDIR, IO_VIA_READDIR, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FALLOCATE
/* fallocate(fd, mode, offset, len) */
int io_sc_fallocate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = ctx->args[1];
	a.offset = ctx->args[2];
	a.size = ctx->args[3];
	io_fd_call(ctx, IO_FALLOCATE, IO_VIA_FALLOCATE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC
int io_sc_sync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_bare_call(IO_SYNC, IO_VIA_SYNC, -1, &a);
	return 0;
}

int io_sc_syncfs(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_SYNC, IO_VIA_SYNC, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SENDFILE
/* sendfile(out, in, offset, count) */
int io_sc_sendfile(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[2];
	a.size = ctx->args[3];
	a.fd2 = ctx->args[0];
	a.length = ~0ULL;
	io_fd_call(ctx, IO_SENDFILE, IO_VIA_SENDFILE, ctx->args[1], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SPLICE
/* splice(in, off_in, out, off_out, len, flags) */
int io_sc_splice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[1];
	a.fd2 = ctx->args[2];
	a.offp2 = ctx->args[3];
	a.length = ~0ULL;
	a.size = ctx->args[4];
	a.flags = ctx->args[5];
	io_fd_call(ctx, IO_SPLICE, IO_VIA_SPLICE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_COPY_FILE_RANGE
/* copy_file_range(in, off_in, out, off_out, len, flags) */
int io_sc_copy_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[1];
	a.fd2 = ctx->args[2];
	a.offp2 = ctx->args[3];
	a.length = ~0ULL;
	a.size = ctx->args[4];
	io_fd_call(ctx, IO_COPY_FILE_RANGE, IO_VIA_COPY_FILE_RANGE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_TEE
/* tee(in, out, len, flags): between pipes */
int io_sc_tee(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_bare_call(IO_TEE, IO_VIA_TEE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_VMSPLICE
/* vmsplice(pipe, iov, n, flags) */
int io_sc_vmsplice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = io_iov_bytes(ctx->args[1], ctx->args[2]);
	a.flags = ctx->args[3];
	io_bare_call(IO_VMSPLICE, IO_VIA_VMSPLICE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC_FILE_RANGE
/* sync_file_range(fd, offset, nbytes, flags) */
int io_sc_sync_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_fd_call(ctx, IO_SYNC_FILE_RANGE, IO_VIA_SYNC_FILE_RANGE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FADVISE
/* fadvise64(fd, offset, len, advice) */
int io_sc_fadvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_fd_call(ctx, IO_FADVISE, IO_VIA_FADVISE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_READAHEAD
int io_sc_readahead(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	io_fd_call(ctx, IO_READAHEAD, IO_VIA_READAHEAD, ctx->args[0], &a);
	return 0;
}
#endif

/* ---- memory ---- */

#ifdef IO_USE_SC_MMAP
/*
 * mmap(addr, len, prot, flags, fd, offset). Memory without a file is sent only
 * where it may replace a mapping (MAP_FIXED): the reader follows those of files.
 */
int io_sc_mmap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.prot = ctx->args[2];
	a.flags = ctx->args[3];
	if (!(a.flags & 0x20 /* MAP_ANONYMOUS */)) {
		a.offset = ctx->args[5];
		io_fd_call(ctx, IO_MMAP, IO_VIA_MMAP, ctx->args[4], &a);
	} else if (a.flags & 0x10 /* MAP_FIXED */) {
		io_bare_call(IO_MMAP, IO_VIA_MMAP, -1, &a);
	}
	return 0;
}
#endif

#ifdef IO_USE_SC_MUNMAP
int io_sc_munmap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	io_bare_call(IO_MUNMAP, IO_VIA_MUNMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MREMAP
/* mremap(old, old_len, new_len, flags, new) */
int io_sc_mremap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.length = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_bare_call(IO_MREMAP, IO_VIA_MREMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MSYNC
int io_sc_msync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.flags = ctx->args[2];
	io_bare_call(IO_MSYNC, IO_VIA_MSYNC, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MADVISE
int io_sc_madvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.flags = ctx->args[2];
	io_bare_call(IO_MADVISE, IO_VIA_MADVISE, -1, &a);
	return 0;
}
#endif
#endif /* IO_STREAM_fs */
