/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel found under the name that a system call was given (tier a):
 * inode, device and the real path. Only the first hit inside a call counts: a
 * stacked file system repeats the operation on the one below.
 */
#if defined(IOT_STREAM_fs) && defined(IOT_USE_NAMED)

/*
 * The leading argument that came with id-mapped mounts (5.12, user_namespace;
 * 6.3, mnt_idmap) moved the others of every function at once, so one tells.
 */
#define IOT_DIR_FIRST __builtin_types_compatible_p(__typeof__(vfs_unlink), \
	int(struct inode *, struct dentry *, struct inode **))

/* The call of a task whose calls no system-call tracepoint shows, 32-bit ones and workers of io_uring; else none. */
static __always_inline u16 iot_unseen_call(struct pt_regs *ctx)
{
	u16 call = iot_task_call(ctx);
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned long info = 0;

	/* where the number may be not known */
	IOT_READ_K(&info, sizeof(info), &task->thread_info.flags);
	if (info >> TIF_32BIT & 1)
		call |= IOT_CALL_COMPAT;
#endif
	return call == IOT_CALL_io_uring_enter || (call & IOT_CALL_COMPAT) ? call : IOT_NO_CALL;
}

int iot_mnt_want_write(struct pt_regs *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	struct iot_mount_written *w;

	if (c) {
		if (!(c->more.fs.status & IOT_ST_FILE) && !c->dentry)
			c->mnt = PT_REGS_PARM1(ctx);
		return 0;
	}
	/* mostly an open, which needs no mount */
	if (iot_pending_active(IOT_KIND_OPEN) || !iot_wanted() || !iot_unseen_call(ctx))
		return 0;
	w = iot_pending_active(IOT_KIND_MOUNT);
	if (!w)
		w = iot_pending_begin(IOT_KIND_MOUNT, IOT_SEQ_fs, 0, 0);
	if (!w)
		return 0;
	w->mnt = PT_REGS_PARM1(ctx);
	w->ts = bpf_ktime_get_ns();
	return 0;
}

/* The mount that this thread wrote to last, before a call of its own begins; 0: not known */
static __always_inline u64 iot_mount_written(void)
{
	struct iot_mount_written *w = iot_pending_active(IOT_KIND_MOUNT);
	u64 mnt = 0;

	if (w) {
		mnt = w->mnt;
		iot_pending_end(w);
	}
	return mnt;
}

/* Inside a read, write or open the same functions are part of that. */
static __always_inline int iot_in_other_call(void)
{
	return iot_pending_active(IOT_KIND_RW) || iot_pending_active(IOT_KIND_OPEN) || iot_pending_active(IOT_KIND_CLOSE);
}

/*
 * A function of this operation is entered: the call that it belongs to, when
 * it is the first in it. It begins a call of its own for a caller whose system
 * calls are not seen.
 */
static __always_inline struct iot_call *iot_named_enter(struct pt_regs *ctx, u16 op, u16 via)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	struct iot_config *cfg;
	u16 call;

	if (c) {
		if (c->op != op)
			return 0;
		c->depth += 1;
		return c->depth == 1 ? c : 0;
	}
	cfg = iot_wanted();
	if (!cfg)
		return 0;
	call = iot_unseen_call(ctx);
	if (!call || iot_in_other_call())
		return 0;
	c = iot_call_begin(cfg, op, via, call);
	if (!c)
		return 0;
	c->own = 1;
	c->more.start = c->ts;
	c->more.fs.flags = 0;
	c->more.fs.ino = c->more.ino2 = 0;
	c->more.prot = 0;
	c->more.fd2 = -1;
	c->depth = 1;
	c->mnt = iot_mount_written();
	c->more.fs.status = IOT_ST_PATH;
	return c;
}

/* Inode number behind a name, 0 when there is none. */
static __always_inline u64 iot_dentry_ino(u64 dentry)
{
	struct inode *inode = 0;
	unsigned long ino = 0;

	IOT_GET(inode, (struct dentry *)dentry, d_inode);
	if (inode)
		IOT_GET(ino, inode, i_ino);
	return ino;
}

/* The call is about this dentry; without its mount the caller's string names it. */
static __always_inline void iot_named_first(void *ctx, struct iot_call *c, u64 dentry, u64 mnt)
{
	struct iot_file f = {};
	struct iot_own own;

	if ((c->more.fs.status & IOT_ST_FILE) || !iot_dentry_read(&f, dentry, mnt))
		return;
	if (mnt) {
		iot_own_read(&own);
		iot_call_file(ctx, c, &f, &own, 1);
		return;
	}
	c->more.fs.ino = f.ino;
	c->more.fs.dev = f.dev;
	c->more.fs.status |= f.status & IOT_ST_PSEUDO;
}

/* The second name of a call, once it is in the directory. */
static __always_inline void iot_named_second(void *ctx, struct iot_call *c, u64 dentry)
{
	struct iot_file f = {};

	if ((c->more.status2 & IOT_ST_FILE) || !c->mnt || !iot_dentry_read(&f, dentry, c->mnt))
		return;
	if (c->op == IOT_LINK)
		c->more.ino2 = f.ino;
	if (c->op == IOT_SYMLINK) {
		c->more.fs.ino = f.ino;
		c->more.fs.dev = f.dev;
		c->more.fs.status |= f.status & IOT_ST_PSEUDO;
	}
	iot_file_name(&f);
	c->more.name2 = f.id;
	c->more.status2 = IOT_ST_FILE;
	if (f.walk)
		iot_send_name(ctx, &f, 1);
}

/*
 * The first function of the call returns: one that made a name has made it
 * now, and a call of its own ends here. An int, or (vfs_mkdir of 6.17 and
 * later) a dentry or error pointer: the upper half tells.
 */
static __always_inline void iot_named_return(void *ctx, u16 op, u64 value)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	u32 upper = value >> 32;
	s64 ret = upper == 0 || upper == ~0U ? (s32)value : 0;
	u64 dentry;

	if (!c || c->op != op || !c->depth)
		return;
	c->depth -= 1;
	if (c->depth)
		return;
	dentry = c->dentry;
	if (c->own && !iot_call_ended(c, ret))
		return;
	if (op == IOT_MKDIR && dentry)
		iot_named_first(ctx, c, dentry, c->mnt);
	else if (dentry && ret == 0)
		iot_named_second(ctx, c, dentry);
	iot_call_send(ctx, c);
}

/* The dentry of functions that had it second until 5.11 and have it third since. */
#define IOT_DENTRY_ARG(ctx) (IOT_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx))

/* ---- what goes ---- */

int iot_vfs_unlink(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_UNLINK, IOT_VIA_FS_UNLINK);

	if (c)
		iot_named_first(ctx, c, IOT_DENTRY_ARG(ctx), c->mnt);
	return 0;
}

int iot_vfs_unlink_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_UNLINK, PT_REGS_RC(ctx));
	return 0;
}

int iot_vfs_rmdir(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_RMDIR, IOT_VIA_FS_RMDIR);

	if (c)
		iot_named_first(ctx, c, IOT_DENTRY_ARG(ctx), c->mnt);
	return 0;
}

int iot_vfs_rmdir_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_RMDIR, PT_REGS_RC(ctx));
	return 0;
}

/* ---- what comes: it has an inode when the function returns ---- */

int iot_vfs_mkdir(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_MKDIR, IOT_VIA_FS_MKDIR);

	if (!c)
		return 0;
	c->dentry = IOT_DENTRY_ARG(ctx);
	if (c->own)
		c->more.fs.flags = (IOT_DIR_FIRST ? PT_REGS_PARM3(ctx) : PT_REGS_PARM4(ctx)) & 07777;
	return 0;
}

int iot_vfs_mkdir_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_MKDIR, PT_REGS_RC(ctx));
	return 0;
}

int iot_vfs_symlink(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_SYMLINK, IOT_VIA_FS_SYMLINK);

	if (!c)
		return 0;
	c->dentry = IOT_DENTRY_ARG(ctx);
	if (c->own)
		c->more.fs.name = iot_send_kernel_string(ctx, IOT_DIR_FIRST ? PT_REGS_PARM3(ctx) : PT_REGS_PARM4(ctx));
	return 0;
}

int iot_vfs_symlink_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_SYMLINK, PT_REGS_RC(ctx));
	return 0;
}

int iot_vfs_link(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_LINK, IOT_VIA_FS_LINK);

	if (!c)
		return 0;
	c->dentry = IOT_DIR_FIRST ? PT_REGS_PARM3(ctx) : PT_REGS_PARM4(ctx);
	iot_named_first(ctx, c, PT_REGS_PARM1(ctx), c->mnt);
	return 0;
}

int iot_vfs_link_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_LINK, PT_REGS_RC(ctx));
	return 0;
}

int iot_vfs_rename(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_RENAME, IOT_VIA_FS_RENAME);
	u64 dentry = 0, target = 0;
	u32 flags = 0;

	if (!c)
		return 0;
#ifdef IOT_HAS_RENAMEDATA
	struct renamedata *data = (struct renamedata *)PT_REGS_PARM1(ctx);

	IOT_GET(dentry, data, old_dentry);
	IOT_GET(target, data, new_dentry);
	IOT_GET(flags, data, flags);
#else
	dentry = PT_REGS_PARM2(ctx);
	target = PT_REGS_PARM4(ctx);
	flags = PT_REGS_PARM6(ctx);
#endif
	if (c->own)
		c->more.fs.flags = flags;
	/* what the new name was until now */
	c->more.ino2 = iot_dentry_ino(target);
	/* the old name here, the new one when it has moved */
	c->dentry = dentry;
	iot_named_first(ctx, c, dentry, c->mnt);
	return 0;
}

int iot_vfs_rename_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_RENAME, PT_REGS_RC(ctx));
	return 0;
}

/* ---- what stays ---- */

/* vfs_getattr_nosec(const struct path *, kstat, u32 request_mask, …) */
int iot_vfs_getattr(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR);
	struct path path = {};

	if (!c)
		return 0;
	IOT_LOAD(path, PT_REGS_PARM1(ctx));
	iot_named_first(ctx, c, (u64)path.dentry, (u64)path.mnt);
	return 0;
}

int iot_vfs_getattr_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_GETATTR, PT_REGS_RC(ctx));
	return 0;
}

/* vfs_truncate(const struct path *, loff_t) */
int iot_vfs_truncate(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_TRUNCATE, IOT_VIA_FS_TRUNCATE);
	struct path path = {};

	if (!c)
		return 0;
	if (c->own)
		c->more.fs.size = PT_REGS_PARM2(ctx);
	IOT_LOAD(path, PT_REGS_PARM1(ctx));
	iot_named_first(ctx, c, (u64)path.dentry, (u64)path.mnt);
	return 0;
}

int iot_vfs_truncate_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_TRUNCATE, PT_REGS_RC(ctx));
	return 0;
}

/* notify_change([idmap], dentry, iattr, …); ia_valid is the first member of iattr */
int iot_notify_change(struct pt_regs *ctx)
{
	struct iot_call *c = iot_named_enter(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR);

	if (!c)
		return 0;
	if (c->own) {
		IOT_READ_K(&c->more.fs.flags, sizeof(c->more.fs.flags), (void *)IOT_DENTRY_ARG(ctx));
		/* as a call asks for: mode, owner, group, times */
		c->more.fs.flags &= 1 | 2 | 4 | 16 | 32;
	}
	iot_named_first(ctx, c, IOT_DIR_FIRST ? PT_REGS_PARM1(ctx) : PT_REGS_PARM2(ctx), c->mnt);
	return 0;
}

int iot_notify_change_ret(struct pt_regs *ctx)
{
	iot_named_return(ctx, IOT_SETATTR, PT_REGS_RC(ctx));
	return 0;
}
#endif
