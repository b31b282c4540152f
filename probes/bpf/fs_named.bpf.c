/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel found under the name that a system call was given (tier a):
 * inode, device and the real path. Only the first hit inside a call counts: a
 * stacked file system repeats the operation on the one below.
 */
#if defined(IOT_FILE_TEXTS) && defined(IOT_USE_NAMED)

/*
 * The leading argument that came with id-mapped mounts (5.12, user_namespace;
 * 6.3, mnt_idmap) moved the others of every function at once, so one tells.
 */
#define IOT_DIR_FIRST __builtin_types_compatible_p(__typeof__(vfs_unlink), \
	int(struct inode *, struct dentry *, struct inode **))

/* The call of a task whose calls no system-call tracepoint shows, 32-bit ones and workers of io_uring; else none. */
static __always_inline u16 iot_untraced_syscall(struct pt_regs *ctx)
{
	u16 call = iot_task_call(ctx);

	if (iot_task_is_32())
		call |= IOT_CALL_COMPAT;
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
	if (iot_pending_active(IOT_KIND_OPEN) || !iot_wanted() || !iot_untraced_syscall(ctx))
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
 * What the attached programs call: of functions that take other arguments each has one, which does no more
 * than to find the call, and its operation says which arguments there are.
 */
BPF_TABLE("prog", u32, u32, iot_to_named_kp, 1);
BPF_TABLE("prog", u32, u32, iot_to_unseen_kp, 1);

/*
 * A function of this operation is entered: when it is the first in the call that it belongs to, the call is
 * about what it was given. Inside such a function all others count, too: they return through one program.
 */
static __always_inline int iot_named_enter(struct pt_regs *ctx, u16 op, u16 via)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	int makes = op == IOT_MKDIR || op == IOT_SYMLINK || op == IOT_LINK || op == IOT_RENAME;

	if (c) {
		if (c->op != op && !c->depth)
			return 0;
		c->depth += 1;
		/* on a descriptor its file is known */
		if (c->depth == 1 && (makes || !(c->more.fs.status & IOT_ST_FILE)))
			iot_to_named_kp.call(ctx, 0);
	} else if (iot_wanted()) {
		iot_entered_as(op, via, 0, 0);
		iot_to_unseen_kp.call(ctx, 0);
	}
	return 0;
}

/* The same of a caller whose system calls are not seen: it begins a call of its own. */
int iot_unseen_kp(struct pt_regs *ctx)
{
	struct iot_entered *in = iot_entered_get();
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_call *c;
	u16 call;

	if (!cfg || !in)
		return 0;
	call = iot_untraced_syscall(ctx);
	if (!call || iot_in_other_call())
		return 0;
	c = iot_call_begin(cfg, in->op, in->via, call);
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
	iot_to_named_kp.call(ctx, 0);
	return 0;
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

/* The dentry of functions that had it second until 5.11 and have it third since, and what comes behind it */
#define IOT_DENTRY_ARG(ctx) (IOT_DIR_FIRST ? PT_REGS_PARM2(ctx) : PT_REGS_PARM3(ctx))
#define IOT_BEHIND_DENTRY(ctx) (IOT_DIR_FIRST ? PT_REGS_PARM3(ctx) : PT_REGS_PARM4(ctx))

/* Both names; what the new one was until now. */
static __always_inline u64 iot_named_rename(struct pt_regs *ctx, struct iot_call *c)
{
	u64 dentry = 0, target = 0;
	u32 flags = 0;
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
	c->more.ino2 = iot_dentry_ino(target);
	/* the old name here, the new one when it has moved */
	c->dentry = dentry;
	return dentry;
}

/* The first function of a call is entered, and this is its context. */
int iot_named_kp(struct pt_regs *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	u64 dentry = IOT_DENTRY_ARG(ctx), behind = IOT_BEHIND_DENTRY(ctx), first = PT_REGS_PARM1(ctx);
	u64 second = PT_REGS_PARM2(ctx), mnt;
	struct path path = {};
	u16 op, own;

	if (!c)
		return 0;
	op = c->op;
	own = c->own;
	mnt = c->mnt;
	if (op == IOT_MKDIR || op == IOT_SYMLINK) {
		/* it has an inode when the function returns */
		c->dentry = dentry;
		if (own && op == IOT_MKDIR)
			c->more.fs.flags = behind & 07777;
		else if (own)
			c->more.fs.name = iot_send_kernel_string(ctx, behind);
		return 0;
	}
	if (op == IOT_GETATTR || op == IOT_TRUNCATE) {
		/* (const struct path *, …), and of vfs_truncate a length */
		if (own && op == IOT_TRUNCATE)
			c->more.fs.size = second;
		IOT_LOAD(path, first);
		dentry = (u64)path.dentry;
		mnt = (u64)path.mnt;
	} else if (op == IOT_SETATTR) {
		/* notify_change([idmap], dentry, iattr, …); ia_valid is the first member of iattr */
		if (own) {
			IOT_READ_K(&c->more.fs.flags, sizeof(c->more.fs.flags), (void *)dentry);
			/* as a call asks for: mode, owner, group, times */
			c->more.fs.flags &= 1 | 2 | 4 | 16 | 32;
		}
		dentry = IOT_DIR_FIRST ? first : second;
	} else if (op == IOT_LINK) {
		c->dentry = behind;
		dentry = first;
	} else if (op == IOT_RENAME) {
		dentry = iot_named_rename(ctx, c);
	}
	iot_named_first(ctx, c, dentry, mnt);
	return 0;
}

int iot_vfs_unlink(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_UNLINK, IOT_VIA_FS_UNLINK);
}

int iot_vfs_rmdir(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_RMDIR, IOT_VIA_FS_RMDIR);
}

int iot_vfs_mkdir(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_MKDIR, IOT_VIA_FS_MKDIR);
}

int iot_vfs_symlink(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_SYMLINK, IOT_VIA_FS_SYMLINK);
}

int iot_vfs_link(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_LINK, IOT_VIA_FS_LINK);
}

int iot_vfs_rename(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_RENAME, IOT_VIA_FS_RENAME);
}

/* vfs_getattr_nosec(const struct path *, kstat, u32 request_mask, …) */
int iot_vfs_getattr(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR);
}

int iot_vfs_truncate(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_TRUNCATE, IOT_VIA_FS_TRUNCATE);
}

int iot_notify_change(struct pt_regs *ctx)
{
	return iot_named_enter(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR);
}

/*
 * Of calls that make nothing, and no call begins here: ([idmap], dentry, …), of vfs_listxattr and vfs_readlink without the
 * first, and without the mount that the others write to. Not vfs_getxattr: an overlay calls it while it looks up the
 * name of the call, for its own attributes of other files.
 */
int iot_vfs_attribute(struct pt_regs *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	u64 first = PT_REGS_PARM1(ctx), second = PT_REGS_PARM2(ctx);

	if (!c || c->more.fs.ino)
		return 0;
	if (c->op == IOT_LISTXATTR || c->op == IOT_READLINK)
		iot_named_first(ctx, c, first, 0);
	else if (c->op == IOT_SETXATTR || c->op == IOT_REMOVEXATTR)
		iot_named_first(ctx, c, IOT_DIR_FIRST ? first : second, c->mnt);
	return 0;
}

/* What the call has made: the directory that it is about; of the others their second name. */
static __always_inline void iot_named_made(void *ctx, struct iot_call *c, s64 ret)
{
	u64 dentry = c->dentry, mnt = c->mnt;
	u16 op = c->op, made = op == IOT_MKDIR;
	struct iot_file f = {};
	struct iot_own own;

	if (!dentry || (!made && (ret || !mnt)) || ((made ? c->more.fs.status : c->more.status2) & IOT_ST_FILE))
		return;
	if (!iot_dentry_read(&f, dentry, mnt))
		return;
	if (made || op == IOT_SYMLINK) {
		c->more.fs.ino = f.ino;
		c->more.fs.dev = f.dev;
		c->more.fs.status |= f.status & IOT_ST_PSEUDO;
	}
	if (!mnt)
		return;
	iot_file_name(&f);
	if (made) {
		iot_own_read(&own);
		c->more.fs.name = f.id;
		c->more.fs.status |= f.status;
		c->more.fs.mntns = iot_mntns(&own, c->key);
	} else {
		if (op == IOT_LINK)
			c->more.ino2 = f.ino;
		c->more.name2 = f.id;
		c->more.status2 = IOT_ST_FILE;
	}
	if (f.walk)
		iot_send_name(ctx, &f, 1);
}

/*
 * One of the functions returns, and when it is the first of the call, what that makes is made, and a call
 * of its own ends. An int, or (vfs_mkdir of 6.17 and later) a dentry or error pointer: the upper half tells.
 */
int iot_named_ret(struct pt_regs *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	u64 value = PT_REGS_RC(ctx);
	u32 upper = value >> 32;
	s64 ret = upper == 0 || upper == ~0U ? (s32)value : 0;

	if (!c || !c->depth)
		return 0;
	c->depth -= 1;
	if (c->depth || (c->own && !iot_call_ended(c, ret, 0)))
		return 0;
	iot_named_made(ctx, c, ret);
	iot_call_send(ctx, c);
	return 0;
}
#endif
