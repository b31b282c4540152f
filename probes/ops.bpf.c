/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How system calls of struct io_call begin (on a descriptor, a path or two, or
 * neither), and the one exit that serves them all. A name is the caller's
 * string, and, with headers, the directory that a relative one starts at; what
 * the kernel found there is filled in by named.bpf.c. 32-bit programs never
 * come here.
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
	struct io_config *cfg = io_tracked();
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
	c = io_call_begin(cfg, op, via, args);
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
	io_call_file(ctx, c, &f, IO_SYS_KPROBE);
#else
	c = io_call_begin(cfg, op, via, args);
	if (c)
		c->fd = fd;
#endif
}

/* A call that has nothing to do with files of ours: pipes, memory, everything. */
static __always_inline void io_bare_call(u16 op, u16 via, s32 fd, struct io_args *args)
{
	struct io_config *cfg = io_tracked();
	struct io_call *c = cfg ? io_call_begin(cfg, op, via, args) : 0;

	if (c)
		c->fd = fd;
}

/* A call on one path (text2 0) or two. */
static __always_inline void io_path_call(void *ctx, u16 op, u16 via, s32 dirfd, u64 text, u64 text2,
					 struct io_args *args)
{
	struct io_config *cfg = io_tracked();
	struct io_call *c;
	char first = 0;
#ifdef IO_HEADERS
	struct io_file f = {};
#endif

	if (!cfg)
		return;
	c = io_call_begin(cfg, op, via, args);
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
		io_send_name(ctx, &f, IO_SYS_KPROBE);
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
		c->ino2 = f->ino;
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

static __always_inline void io_op_end(struct io_sys_exit *ctx)
{
	struct io_call *c = io_call_find();
	s64 ret = IO_SYS_RET(ctx);
#ifdef IO_HEADERS
	struct io_file f = {};
#endif

	if (!c || !c->active)
		return;
#if defined(IO_HEADERS) && !defined(IO_USE_D_MOVE)
	/* what was renamed may be a directory: every name below it changed */
	if (c->op == IO_RENAME && ret == 0) {
		u32 zero = 0;
		u64 *epoch = io_epoch.lookup(&zero);

		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
#endif
	if (!io_call_ended(c, ret))
		return;
	if (c->offp)
		c->offset = io_start_offset(c->offp, ret);
	c->length = c->offp2 ? io_start_offset(c->offp2, ret) : c->length;
#ifdef IO_HEADERS
	if (c->op == IO_CHDIR && ret == 0)
		io_exit_cwd(c, &f);
	else
		io_exit_second(c, &f);
#endif
	io_call_texts(ctx, c);
#ifdef IO_HEADERS
	if (f.walk)
		io_send_name(ctx, &f, IO_SYS_KPROBE);
#endif
	io_call_send(ctx, c);
}

int io_op_exit(struct io_sys_exit *ctx)
{
	io_op_end(ctx);
	return 0;
}

#endif /* IO_STREAM_fs */
