/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a struct file to its identity and its name, with kernel headers (tiers
 * a and b). A name is walked and sent once per (dentry, mount); later events
 * carry its id. Four things make a kept name stale, and all are looked at on
 * every event: the dentry was reused (inode), renamed (hash, length, parent),
 * or anything above it moved (the epoch, raised by probes on directory renames
 * and mounts, and by user space after a loss).
 */
#if defined(IOT_HEADERS) && defined(IOT_STREAM_fs)

BPF_ARRAY(iot_epoch, u64, 1);

struct iot_name_key {
	u64 dentry;
	u64 mnt;
};

struct iot_name {
	u64 id;
	u64 parent;
	u64 hash_len;
	u64 inode;
	u64 epoch;
};
BPF_TABLE("lru_hash", struct iot_name_key, struct iot_name, iot_names, 16384);

BPF_TABLE("prog", u32, u32, iot_walk_kp, 1);
BPF_TABLE("prog", u32, u32, iot_walk_tp, 1);

/* What an event needs of a file, read while the kernel surely holds it. */
struct iot_file {
	u64 dentry;
	u64 mnt;
	u64 inode;
	u64 ino;
	u64 id;      /* of the name */
	u32 dev;
	u32 flags;   /* O_* */
	u16 mode;
	u16 status;
	u32 walk;    /* 1: the name is not sent yet */
	struct iot_name name; /* what is kept once it was sent */
};

/* Pseudo file systems: not traced unless asked for. */
static __always_inline int iot_pseudo_fs(u64 magic)
{
	switch ((u32)magic) {
#define IOT_PSEUDO_CASE(magic, name) case magic:
	IOT_PSEUDO_FS(IOT_PSEUDO_CASE)
		return 1;
	}
	return 0;
}

struct iot_fs_type {
	char name[16];
};
BPF_TABLE("hash", struct iot_fs_type, u8, iot_fs_types, 64);

/* What --fs-type and --exclude-fs-type say of the type: IOT_FS_*, 0 when it is not named. */
static __always_inline u8 iot_fs_rule(struct super_block *sb)
{
	struct file_system_type *fs = 0;
	struct iot_fs_type key = {};
	const char *name = 0;
	u8 *rule;

	IOT_GET(fs, sb, s_type);
	IOT_GET(name, fs, name);
	IOT_READ_STR_K(key.name, sizeof(key.name), name);
	rule = iot_fs_types.lookup(&key);
	return rule ? *rule : 0;
}

/* Whether the file system is among those asked for: mounts.c decides likewise. */
static __always_inline int iot_fs_wanted(struct super_block *sb, struct iot_config *cfg)
{
	unsigned long magic = 0;
	u8 rule;

	if (cfg->fs_types) {
		rule = iot_fs_rule(sb);
		if (rule)
			return rule == IOT_FS_INCLUDE;
		if (cfg->fs_types & IOT_FS_INCLUDE)
			return 0;
	}
	if (cfg->all_fs)
		return 1;
	IOT_GET(magic, sb, s_magic);
	return !iot_pseudo_fs(magic);
}

/* Identity of a file; 0 when it is none of ours (sockets, pipes, pseudo file systems …). */
static __always_inline int iot_file_read(struct iot_file *f, struct file *file, struct iot_config *cfg)
{
	struct inode *inode = 0;
	struct super_block *sb = 0;
	struct path path = {};
	umode_t mode = 0;
	unsigned long ino = 0;
	dev_t dev = 0;

	IOT_GET(inode, file, f_inode);
	if (!inode)
		return 0;
	IOT_GET(mode, inode, i_mode);
	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISBLK(mode))
		return 0;
	IOT_GET(sb, inode, i_sb);
	if (!iot_fs_wanted(sb, cfg))
		return 0;
	IOT_READ_K(&path, sizeof(path), (void *)file + offsetof(struct file, f_path));
	IOT_READ_K(&ino, sizeof(ino), &inode->i_ino);
	IOT_GET(dev, sb, s_dev);
	IOT_GET(f->flags, file, f_flags);
	f->dentry = (u64)path.dentry;
	f->mnt = (u64)path.mnt;
	f->inode = (u64)inode;
	f->ino = ino;
	f->dev = dev;
	f->mode = mode;
	f->status = IOT_ST_FILE | IOT_ST_REGULAR;
	return 1;
}

/* Identity of a dentry, on whatever file system; 0 when it has no inode. */
static __always_inline int iot_dentry_read(struct iot_file *f, u64 dentry, u64 mnt)
{
	struct dentry *d = (struct dentry *)dentry;
	struct inode *inode = 0;
	struct super_block *sb = 0;
	unsigned long ino = 0;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	dev_t dev = 0;

	IOT_READ_K(&inode, sizeof(inode), &d->d_inode);
	if (!inode || !cfg)
		return 0;
	IOT_GET(sb, inode, i_sb);
	IOT_READ_K(&ino, sizeof(ino), &inode->i_ino);
	IOT_GET(dev, sb, s_dev);
	f->dentry = dentry;
	f->mnt = mnt;
	f->inode = (u64)inode;
	f->ino = ino;
	f->dev = dev;
	f->status = IOT_ST_FILE;
	if (!iot_fs_wanted(sb, cfg))
		f->status |= IOT_ST_PSEUDO;
	return 1;
}

/* The id of the name of (f->dentry, f->mnt), made anew (f->walk) when the kept one is stale. */
static __always_inline void iot_file_name(struct iot_file *f)
{
	struct iot_name_key key = { .dentry = f->dentry, .mnt = f->mnt };
	struct dentry *d = (struct dentry *)f->dentry;
	struct iot_name *kept;
	struct hlist_bl_node hash = {};
	struct dentry *parent = 0, *root = 0;
	u32 zero = 0;
	u64 *epoch = iot_epoch.lookup(&zero);

	IOT_GET(parent, d, d_parent);
	IOT_READ_K(&f->name.hash_len, sizeof(f->name.hash_len), (void *)d + offsetof(struct dentry, d_name));
	IOT_READ_K(&hash, sizeof(hash), (void *)d + offsetof(struct dentry, d_hash));
	f->name.parent = (u64)parent;
	f->name.inode = f->inode;
	f->name.epoch = epoch ? *epoch : 0;
	/* An unhashed dentry was unlinked or never had a name (memfd), but for the root of a mount. */
	if (!hash.pprev && parent == d)
		IOT_READ_K(&root, sizeof(root), &((struct vfsmount *)f->mnt)->mnt_root);
	if (!hash.pprev && root != d)
		f->status |= IOT_ST_DELETED;
	kept = iot_names.lookup(&key);
	if (kept && kept->parent == f->name.parent && kept->hash_len == f->name.hash_len &&
	    kept->inode == f->name.inode && kept->epoch == f->name.epoch) {
		f->id = kept->id;
		return;
	}
	f->id = iot_new_id();
	f->name.id = f->id;
	f->walk = 1;
}

/*
 * The inode number of the current task's mount namespace. struct mnt_namespace
 * is private: its ns_common is at 0 from 5.11 on and at 8 before and on all of
 * el8. These numbers start at 0xeffffff8; at offset 0 an old kernel has half a
 * kernel image pointer there, which is below.
 */
static __always_inline u32 iot_mntns(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct nsproxy *ns = 0;
	void *mnt = 0;
	u32 inum = 0;

	IOT_GET(ns, task, nsproxy);
	if (!ns)
		return 0;
	IOT_READ_K(&mnt, sizeof(mnt), &ns->mnt_ns);
	IOT_READ_K(&inum, sizeof(inum), mnt + offsetof(struct ns_common, inum));
	if (inum < 0xefffff00)
		IOT_READ_K(&inum, sizeof(inum), mnt + 8 + offsetof(struct ns_common, inum));
	return inum;
}

/* The open file behind a descriptor of the current task, or NULL. */
static __always_inline struct file *iot_fd_file(s32 fd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct files_struct *files = 0;
	struct fdtable *fdt = 0;
	struct file **array = 0, *file = 0;
	u32 max = 0;

	IOT_GET(files, task, files);
	if (!files)
		return 0;
	IOT_READ_K(&fdt, sizeof(fdt), &files->fdt);
	IOT_GET(max, fdt, max_fds);
	if ((u32)fd >= max)
		return 0;
	IOT_READ_K(&array, sizeof(array), &fdt->fd);
	IOT_READ_K(&file, sizeof(file), array + (u32)fd);
	return file;
}

/*
 * One step towards the root: the name of the current dentry goes to the text,
 * or, at the root of a mount, the walk continues where it is mounted. A file
 * that is in no directory (memfd) is its own parent.
 * struct mount is private; its members before the embedded vfsmount have been
 * the same from 4.14 to 7.3: parent at -16, mountpoint at -8, vfsmount at +32.
 * Returns 0 at the end.
 */
static __always_inline int iot_walk_step(struct iot_scratch *s)
{
	struct dentry *d = (struct dentry *)s->dentry, *root = 0, *parent = 0;
	struct vfsmount *m = (struct vfsmount *)s->mnt;
	const unsigned char *text = 0;
	u32 off;
	int n;

	IOT_GET(root, m, mnt_root);
	IOT_GET(parent, d, d_parent);
	if (d == root) {
		void *above = 0, *point = 0;

		IOT_READ_K(&above, sizeof(above), (void *)m - 16);
		IOT_READ_K(&point, sizeof(point), (void *)m - 8);
		if (!above || above + 32 == (void *)m)
			return 0;
		s->mnt = (u64)(above + 32);
		s->dentry = (u64)point;
		return 1;
	}
	off = s->text.len;
	if (off >= IOT_TEXT_MAX) {
		s->text.flags = IOT_TEXT_CUT;
		return 0;
	}
	IOT_READ_K(&text, sizeof(text), (void *)d + offsetof(struct dentry, d_name) + offsetof(struct qstr, name));
	n = IOT_READ_STR_K(&s->text.data[off & (IOT_TEXT_MAX - 1)], IOT_NAME_MAX, text);
	if (n <= 0) {
		s->text.flags = IOT_TEXT_CUT;
		return 0;
	}
	s->text.len = off + n;
	s->dentry = (u64)parent;
	return d != parent;
}

static __always_inline void iot_send_pending(void *ctx, struct iot_scratch *s)
{
	int row = s->pending == IOT_PENDING_ROW;

	if (!s->pending)
		return;
	s->pending = 0;
	iot_stamp_row(&s->event.head, IOT_SEQ_fs, IOT_REC_FS, s->event.head.via, row);
	iot_events.perf_submit(ctx, &s->event, sizeof(s->event));
}

/*
 * A part of a walk: 24 levels, then itself again by tail call (at most 33
 * times). The type of a tail-called program must be its caller's, hence two.
 */
static __always_inline void iot_walk(void *ctx, int kprobe)
{
	struct iot_scratch *s = iot_scratch_get();
	u32 more = 1;

	if (!s)
		return;
#pragma unroll
	for (int i = 0; i < 24; i++)
		if (more)
			more = iot_walk_step(s);
	if (more) {
		if (kprobe)
			iot_walk_kp.call(ctx, 0);
		else
			iot_walk_tp.call(ctx, 0);
		s->text.flags = IOT_TEXT_CUT; /* only here when the tail call was refused */
	}
	/* Kept only now: another CPU must not use the id of a name that is still on its way. */
	if (iot_send_text(ctx, s, s->mark) == 0) {
		struct iot_name_key key = { .dentry = s->kept[0], .mnt = s->kept[1] };
		struct iot_name name = {
			.id = s->kept[2], .parent = s->kept[3], .hash_len = s->kept[4],
			.inode = s->kept[5], .epoch = s->kept[6],
		};

		iot_names.update(&key, &name);
	}
	iot_send_pending(ctx, s);
	iot_call_pending(ctx);
}

int iot_walker_kp(void *ctx)
{
	iot_walk(ctx, 1);
	return 0;
}

int iot_walker_tp(void *ctx)
{
	iot_walk(ctx, 0);
	return 0;
}

/* Sends the name of f by tail call: does not return unless that is refused. */
static __always_inline void iot_send_name(void *ctx, struct iot_file *f, int kprobe)
{
	struct iot_scratch *s = iot_scratch_get();

	if (!s)
		return;
	s->mark = f->id;
	s->dentry = s->kept[0] = f->dentry;
	s->mnt = s->kept[1] = f->mnt;
	s->kept[2] = f->name.id;
	s->kept[3] = f->name.parent;
	s->kept[4] = f->name.hash_len;
	s->kept[5] = f->name.inode;
	s->kept[6] = f->name.epoch;
	s->text.id = f->id;
	s->text.kind = IOT_TEXT_WALK;
	s->text.flags = 0;
	s->text.len = 0;
	if (kprobe)
		iot_walk_kp.call(ctx, 0);
	else
		iot_walk_tp.call(ctx, 0);
}

#endif
