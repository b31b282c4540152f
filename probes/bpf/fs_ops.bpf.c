/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How system calls of struct iot_call begin (on a descriptor, a path or two, or
 * neither), and the one exit that serves them all. A name is the caller's
 * string, and, with headers, the directory that a relative one starts at; what
 * the kernel found there is filled in by named.bpf.c. 32-bit programs never
 * come here.
 */
#ifdef IOT_STREAM_fs
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif
#define IOT_AT_REMOVEDIR 0x200
#define IOT_AT_EMPTY_PATH 0x1000

/* ---- beginnings ---- */

#ifdef IOT_HEADERS
/* Takes a file as what the call is about; its name is sent at last (by tail call: does not return). */
static __always_inline void iot_call_file(void *ctx, struct iot_call *c, struct iot_file *f,
					 struct iot_own *own, int kprobe)
{
	iot_file_name(f);
	c->more.fs.name = f->id;
	c->more.fs.ino = f->ino;
	c->more.fs.dev = f->dev;
	c->more.fs.ofd = f->ofd;
	c->more.fs.status |= f->status;
	c->more.fs.mntns = iot_mntns(own, c->key);
	if (f->walk)
		iot_send_name(ctx, f, kprobe);
}
#endif

/* A call on one descriptor, or (fd2) on two: then the second counts when the first is no file. */
static __always_inline void iot_fd_call(void *ctx, u16 op, u16 via, u16 call, s32 fd, struct iot_args *args)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call *c;
#ifdef IOT_HEADERS
	struct iot_file f = {};
	struct iot_own own;
	struct file *file;
	u64 swap;
#endif

	if (!cfg)
		return;
#ifdef IOT_HEADERS
	iot_own_read(&own);
	file = iot_own_file(&own, fd);
	if (file && !iot_file_read(&f, file, cfg)) {
		if (op != IOT_SPLICE)
			return;
		/* from a pipe: the file is the other one */
		swap = fd;
		fd = args->fd2;
		args->fd2 = swap;
		args->offp = args->offp2;
		args->offp2 = 0;
		args->flags |= IOT_SPLICE_TO_FILE;
		file = iot_own_file(&own, fd);
		if (!file || !iot_file_read(&f, file, cfg))
			return;
	}
	c = iot_call_begin(cfg, op, via, call, args);
	if (!c)
		return;
	c->more.fs.fd = fd;
	if (!file)
		return;
	if (op == IOT_READDIR)
		c->more.fs.flags = f.flags;
	/* without an offset of its own, the call uses the file's position */
	if (args->offset < 0 && !args->offp &&
	    (op == IOT_READDIR || op == IOT_SENDFILE || op == IOT_SPLICE || op == IOT_COPY_FILE_RANGE))
		IOT_LOAD(c->more.fs.offset, (u64)file + offsetof(struct file, f_pos));
	iot_call_file(ctx, c, &f, &own, IOT_SYS_KPROBE);
#else
	c = iot_call_begin(cfg, op, via, call, args);
	if (c)
		c->more.fs.fd = fd;
#endif
}

/* A call that has nothing to do with files of ours: pipes, memory, everything. */
static __always_inline void iot_bare_call(u16 op, u16 via, u16 call, s32 fd, struct iot_args *args)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call *c = cfg ? iot_call_begin(cfg, op, via, call, args) : 0;

	if (c)
		c->more.fs.fd = fd;
}

/* A call on one path (text2 0) or two. */
static __always_inline void iot_path_call(void *ctx, u16 op, u16 via, u16 call, s32 dirfd, u64 text, u64 text2,
					 struct iot_args *args)
{
	struct iot_config *cfg = iot_tracked();
	struct iot_call *c;
	char first = 0;
#ifdef IOT_HEADERS
	struct iot_file f = {};
	struct iot_own own;
#endif

	if (!cfg)
		return;
	c = iot_call_begin(cfg, op, via, call, args);
	if (!c)
		return;
	c->more.fs.dirfd = dirfd;
	c->text = text;
	c->text2 = text2;
	c->more.fs.status = IOT_ST_PATH | args->status;
	if (args->status & IOT_ST_SELF && dirfd >= 0 && !IOT_READ_U(&first, 1, (void *)text) && !first)
		c->more.fs.fd = dirfd;
#ifdef IOT_HEADERS
	iot_own_read(&own);
	c->more.fs.mntns = iot_mntns(&own, c->key);
	IOT_READ_U(&first, 1, (void *)text);
	/* the target of a symbolic link starts nowhere */
	if (op == IOT_SYMLINK || !iot_start_dir(&f, &own, dirfd, first == '/'))
		return;
	iot_file_name(&f);
	c->more.fs.dir = f.id;
	if (f.walk)
		iot_send_name(ctx, &f, IOT_SYS_KPROBE);
#endif
}

/* A path, or (NULL, or empty where the flags allow it) the descriptor itself. */
static __always_inline void iot_at_call(void *ctx, u16 op, u16 via, u16 call, s32 dirfd, u64 text, u32 at_flags,
				       struct iot_args *args)
{
	char first = 1;

	if (text && (at_flags & IOT_AT_EMPTY_PATH))
		IOT_READ_U(&first, 1, (void *)text);
	/* "" from the working directory is that directory, not a descriptor */
	if (!first && dirfd == AT_FDCWD)
		args->status = IOT_ST_SELF;
	if (!text || (!first && dirfd != AT_FDCWD))
		iot_fd_call(ctx, op, via, call, dirfd, args);
	else
		iot_path_call(ctx, op, via, call, dirfd, text, 0, args);
}

/* ---- the end of all ---- */

#ifdef IOT_HEADERS
/* The working directory after chdir, by its real name. */
static __always_inline void iot_exit_cwd(struct iot_call *c, struct iot_file *f)
{
	struct iot_own own;

	iot_own_read(&own);
	if (!iot_start_dir(f, &own, AT_FDCWD, 0) || !iot_dentry_read(f, f->dentry, f->mnt))
		return;
	iot_file_name(f);
	c->more.fs.ino = f->ino;
	c->more.fs.dev = f->dev;
	c->more.fs.name = f->id;
	c->more.fs.status = IOT_ST_PATH | f->status;
}

/* The second file of copy_file_range, or where a relative second path starts. */
static __always_inline void iot_exit_second(struct iot_call *c, struct iot_file *f)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_own own;
	struct file *file;
	char first = 0;

	if (c->op == IOT_COPY_FILE_RANGE) {
		file = iot_fd_file(c->more.fd2);
		if (!file || !cfg || !iot_file_read(f, file, cfg))
			return;
		iot_file_name(f);
		c->more.name2 = f->id;
		c->more.ino2 = f->ino;
		c->more.status2 = IOT_ST_FILE | (f->status & IOT_ST_DELETED);
		return;
	}
	if (!c->text2 || (c->more.status2 & IOT_ST_FILE))
		return;
	IOT_READ_U(&first, 1, (void *)c->text2);
	iot_own_read(&own);
	if (!iot_start_dir(f, &own, c->more.fd2, first == '/'))
		return;
	iot_file_name(f);
	c->more.dir2 = f->id;
}
#endif

static __always_inline s64 iot_start_offset(u64 user, s64 ret)
{
	s64 end = -1;

	if (IOT_READ_U(&end, sizeof(end), (void *)user) < 0)
		return -1;
	return ret > 0 ? end - ret : end;
}

static __always_inline void iot_call_texts(void *ctx, struct iot_call *c)
{
	u64 text = c->text;

	if (text && !(c->more.fs.status & IOT_ST_FILE)) {
		c->more.fs.name = iot_send_string(ctx, text);
		if (!c->more.fs.name)
			c->more.fs.status |= IOT_ST_NO_TEXT;
	}
	text = c->text2;
	if (text && !(c->more.status2 & IOT_ST_FILE)) {
		c->more.name2 = iot_send_string(ctx, text);
		if (!c->more.name2)
			c->more.status2 |= IOT_ST_NO_TEXT;
	}
}

static __always_inline void iot_op_end(struct iot_sys_exit *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	s64 ret = IOT_SYS_RET(ctx);
#ifdef IOT_HEADERS
	struct iot_file f = {};
#endif

	if (!c)
		return;
#if defined(IOT_HEADERS) && !defined(IOT_USE_D_MOVE)
	/* what was renamed may be a directory: every name below it changed */
	if (c->op == IOT_RENAME && ret == 0) {
		u32 zero = 0;
		u64 *epoch = iot_epoch.lookup(&zero);

		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
#endif
	if (!iot_call_ended(c, ret))
		return;
	if (c->offp)
		c->more.fs.offset = iot_start_offset(c->offp, ret);
	if (c->offp2)
		c->more.offset2 = iot_start_offset(c->offp2, ret);
#ifdef IOT_HEADERS
	if (c->op == IOT_CHDIR && ret == 0)
		iot_exit_cwd(c, &f);
	else
		iot_exit_second(c, &f);
#endif
	iot_call_texts(ctx, c);
#ifdef IOT_HEADERS
	if (f.walk)
		iot_send_name(ctx, &f, IOT_SYS_KPROBE);
#endif
	iot_call_send(ctx, c);
}

int iot_op_exit(struct iot_sys_exit *ctx)
{
	iot_op_end(ctx);
	return 0;
}

#endif /* IOT_STREAM_fs */
