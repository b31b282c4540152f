/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel found under the name that a system call was given (tier a):
 * inode, device and the real path. Only the first hit inside a call counts: a
 * stacked file system repeats the operation on the one below.
 */
#if defined(IO_STREAM_fs) && defined(IO_USE_NAMED)

/*
 * The leading argument that came with id-mapped mounts (5.12, user_namespace;
 * 6.3, mnt_idmap) moved the others of every function at once, so one tells.
 */
#define IO_DIR_FIRST __builtin_types_compatible_p(__typeof__(vfs_unlink), \
	int(struct inode *, struct dentry *, struct inode **))

int io_mnt_want_write(struct pt_regs *ctx)
{
	struct io_call *c = io_call_find();

	if (c && c->active && !(c->status & IO_ST_FILE) && !c->dentry)
		c->mnt = PT_REGS_PARM1(ctx);
	return 0;
}

static __always_inline struct io_call *io_named_call(u16 op)
{
	struct io_call *c = io_call_find();

	return c && c->active && c->op == op ? c : 0;
}

/* The call is about this dentry; without its mount the caller's string names it. */
static __always_inline void io_named_first(void *ctx, struct io_call *c, u64 dentry, u64 mnt)
{
	struct io_file f = {};

	if ((c->status & IO_ST_FILE) || !io_dentry_read(&f, dentry, mnt))
		return;
	if (mnt) {
		io_call_file(ctx, c, &f, 1);
		return;
	}
	c->ino = f.ino;
	c->dev = f.dev;
	c->status |= f.status & IO_ST_PSEUDO;
}

/* The second name of a call, once it is in the directory. */
static __always_inline void io_named_second(void *ctx, struct io_call *c, u64 dentry)
{
	struct io_file f = {};

	if ((c->status2 & IO_ST_FILE) || !c->mnt || !io_dentry_read(&f, dentry, c->mnt))
		return;
	if (c->op == IO_SYMLINK) {
		c->ino = f.ino;
		c->dev = f.dev;
		c->status |= f.status & IO_ST_PSEUDO;
	}
	io_file_name(&f);
	c->name2 = f.id;
	c->status2 = IO_ST_FILE;
	if (f.walk)
		io_send_name(ctx, &f, 1);
}

/* ---- what goes ---- */

int io_vfs_unlink(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_UNLINK);

	if (c)
		io_named_first(ctx, c, IO_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx), c->mnt);
	return 0;
}

int io_vfs_rmdir(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_RMDIR);

	if (c)
		io_named_first(ctx, c, IO_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx), c->mnt);
	return 0;
}

/* ---- what comes: it has an inode when the function returns ---- */

static __always_inline void io_named_wait(struct io_call *c, u64 dentry)
{
	if (c && !c->dentry)
		c->dentry = dentry;
}

int io_vfs_mkdir(struct pt_regs *ctx)
{
	io_named_wait(io_named_call(IO_MKDIR), IO_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx));
	return 0;
}

int io_vfs_symlink(struct pt_regs *ctx)
{
	io_named_wait(io_named_call(IO_SYMLINK), IO_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx));
	return 0;
}

int io_vfs_link(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_LINK);

	if (!c || c->dentry)
		return 0;
	c->dentry = IO_DIR_FIRST ? PT_REGS_PARM3(ctx) : PT_REGS_PARM4(ctx);
	io_named_first(ctx, c, PT_REGS_PARM1(ctx), c->mnt);
	return 0;
}

int io_vfs_rename(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_RENAME);
	u64 dentry = 0;

	if (!c || c->dentry)
		return 0;
#ifdef IO_HAS_RENAMEDATA
	struct renamedata *data = (struct renamedata *)PT_REGS_PARM1(ctx);

	IO_READ_K(&dentry, sizeof(dentry), &data->old_dentry);
#else
	dentry = PT_REGS_PARM2(ctx);
#endif
	c->dentry = dentry;
	io_named_first(ctx, c, dentry, c->mnt);
	return 0;
}

/*
 * Return of the four above: the dentry that waits has its (new) name now. A
 * link that failed left it without an inode; a rename that failed, in its place.
 */
int io_named_ret(struct pt_regs *ctx)
{
	struct io_call *c = io_call_find();
	u64 dentry;

	if (!c || !c->active || c->dentry <= 1)
		return 0;
	dentry = c->dentry;
	c->dentry = 1;
	if (c->op == IO_MKDIR)
		io_named_first(ctx, c, dentry, c->mnt);
	else if (c->op != IO_RENAME || (s32)PT_REGS_RC(ctx) == 0)
		io_named_second(ctx, c, dentry);
	return 0;
}

/* ---- what stays ---- */

/* vfs_getattr_nosec(const struct path *, …) */
int io_vfs_getattr(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_GETATTR);
	struct path path = {};

	if (!c)
		return 0;
	IO_READ_K(&path, sizeof(path), (void *)PT_REGS_PARM1(ctx));
	io_named_first(ctx, c, (u64)path.dentry, (u64)path.mnt);
	return 0;
}

/* vfs_truncate(const struct path *, loff_t) */
int io_vfs_truncate(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_TRUNCATE);
	struct path path = {};

	if (!c)
		return 0;
	IO_READ_K(&path, sizeof(path), (void *)PT_REGS_PARM1(ctx));
	io_named_first(ctx, c, (u64)path.dentry, (u64)path.mnt);
	return 0;
}

/* notify_change([idmap], dentry, iattr, …) */
int io_notify_change(struct pt_regs *ctx)
{
	struct io_call *c = io_named_call(IO_SETATTR);

	if (c)
		io_named_first(ctx, c, IO_DIR_FIRST ? PT_REGS_PARM1(ctx) : PT_REGS_PARM2(ctx), c->mnt);
	return 0;
}
#endif
