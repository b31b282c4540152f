/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a struct file to its identity, with kernel headers (tiers a and b): inode, device, open
 * file description, what the tracer was asked to leave out; and what hangs on the current
 * task. Its name is in fs_name.bpf.c.
 */
#if defined(IOT_HEADERS) && defined(IOT_FILE_TEXTS)

BPF_ARRAY(iot_epoch, u64, 1);
BPF_ARRAY(iot_named, u64, 1); /* names sent */

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
BPF_TABLE("lru_hash", struct iot_name_key, struct iot_name, iot_names, IOT_NAMES_KEPT);

#ifdef IOT_USE_SC_MOUNT
/*
 * What was found last on this CPU: the next operation is mostly one of the same thread on the same
 * file. A super block and a namespace stay what they are as long as nothing is mounted, unshared
 * or joined, which raises the epoch. Each part begins and ends with a key, and what it keeps is
 * written between them: a program that another one interrupts (7.2) must not take a mix of theirs.
 */
struct iot_recent {
	u64 sb_first;
	u64 sb_epoch;
	u64 sb_facts; /* device << 1 | asked for */
	u64 sb;
	u64 tid;
	u64 nsproxy;
	u64 ns_epoch;
	u64 mntns;
	u64 task;
	u64 mnt;
	struct iot_name name;
	u64 dentry;
};
BPF_TABLE("percpu_array", u32, struct iot_recent, iot_recents, 1);
#endif

#ifdef IOT_KPROBES
BPF_TABLE("prog", u32, u32, iot_to_walker_kp, 1);
#endif
#ifdef IOT_CALLS
BPF_TABLE("prog", u32, u32, iot_to_walker_sc, 1);
#endif

/* What an event needs of a file, read while the kernel surely holds it. */
struct iot_file {
	u64 dentry;
	u64 mnt;
	u64 inode;
	u64 ino;
	u64 id;      /* of the name */
	u32 dev;
	u32 flags;   /* O_* */
	u32 ofd;     /* 0: no open file */
	u16 mode;
	u16 status;
	u32 walk;    /* 1: the name is not sent yet */
	u32 looked;  /* 1: the dentry was read, to these three: */
	u32 hashed;  /* 0: unlinked, or never had a name */
	struct iot_name name; /* what is kept once it was sent */
};

/*
 * A read of kernel memory costs 75 instructions, each further word of it four (8 a word where
 * it can be cast): what lies close together is read at once. A span is the memory from the first
 * to the last of some members, which are then taken from it; where a kernel has
 * them far apart (randomised structs), each is read by itself.
 */
#define IOT_SPAN_MAX 120 /* IOT_CAST_MAX, less what comes before in the first word */
#define IOT_MIN(a, b) ((a) < (b) ? (a) : (b))
#define IOT_MAX(a, b) ((a) > (b) ? (a) : (b))
#define IOT_END_OF(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define IOT_FROM(type, a, b, c) IOT_MIN(IOT_MIN(offsetof(type, a), offsetof(type, b)), offsetof(type, c))
#define IOT_TO(type, a, b, c) IOT_MAX(IOT_MAX(IOT_END_OF(type, a), IOT_END_OF(type, b)), IOT_END_OF(type, c))
#ifdef IOT_HAS_RDONLY_CAST
#define IOT_WORD_OF(at) ((at) & ~7ul)
#define IOT_SPAN(span, from, to) const char *span
#define IOT_SPAN_READ(span, src, from, to) \
	do { \
		if ((to) - (from) <= IOT_SPAN_MAX) \
			span = iot_words((u64)(src) + IOT_WORD_OF(from), IOT_CAST_WORDS); \
	} while (0)
#define IOT_SPAN_TAKE(dst, span, src, from, to, type, member) \
	do { \
		if ((to) - (from) <= IOT_SPAN_MAX) \
			__builtin_memcpy(&(dst), \
					 __builtin_assume_aligned((span) + (offsetof(type, member) - IOT_WORD_OF(from)), \
								  IOT_ALIGNED(sizeof(dst))), \
					 sizeof(dst)); \
		else \
			IOT_LOAD(dst, (u64)(src) + offsetof(type, member)); \
	} while (0)
#else
#define IOT_SPAN(span, from, to) \
	char span[(to) - (from) <= IOT_SPAN_MAX ? (to) - (from) : 1] __attribute__((aligned(8)))
#define IOT_SPAN_READ(span, src, from, to) \
	do { \
		if ((to) - (from) <= IOT_SPAN_MAX) \
			IOT_READ_K(span, sizeof(span), (void *)(src) + (from)); \
	} while (0)
#define IOT_SPAN_TAKE(dst, span, src, from, to, type, member) \
	do { \
		if ((to) - (from) <= IOT_SPAN_MAX) \
			__builtin_memcpy(&(dst), (span) + (offsetof(type, member) - (from)), sizeof(dst)); \
		else \
			IOT_READ_K(&(dst), sizeof(dst), (void *)(src) + offsetof(type, member)); \
	} while (0)
#endif

/* What hangs on the current task: its directories, its descriptors, its namespaces. */
struct iot_own {
	u64 fs;
	u64 files;
	u64 nsproxy;
};

#define IOT_TASK_FROM IOT_FROM(struct task_struct, fs, files, nsproxy)
#define IOT_TASK_TO IOT_TO(struct task_struct, fs, files, nsproxy)

static __always_inline void iot_own_read(struct iot_own *own)
{
	u64 task = bpf_get_current_task();
	IOT_SPAN(span, IOT_TASK_FROM, IOT_TASK_TO);

	IOT_SPAN_READ(span, task, IOT_TASK_FROM, IOT_TASK_TO);
	IOT_SPAN_TAKE(own->fs, span, task, IOT_TASK_FROM, IOT_TASK_TO, struct task_struct, fs);
	IOT_SPAN_TAKE(own->files, span, task, IOT_TASK_FROM, IOT_TASK_TO, struct task_struct, files);
	IOT_SPAN_TAKE(own->nsproxy, span, task, IOT_TASK_FROM, IOT_TASK_TO, struct task_struct, nsproxy);
}

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

/* What --fs-type and --exclude-fs-type say of the type: 1 traced, 0 not, -1 nothing. */
static __always_inline int iot_fs_rule(u64 type, struct iot_config *cfg)
{
	struct iot_fs_type key = {};
	const char *name = 0;
	u8 *rule;

	IOT_LOAD(name, type + offsetof(struct file_system_type, name));
	IOT_READ_STR_K(key.name, sizeof(key.name), name);
	rule = iot_fs_types.lookup(&key);
	if (rule)
		return *rule == IOT_FS_INCLUDE;
	return cfg->fs_types & IOT_FS_INCLUDE ? 0 : -1;
}

#define IOT_SB_FROM IOT_FROM(struct super_block, s_dev, s_type, s_magic)
#define IOT_SB_TO IOT_TO(struct super_block, s_dev, s_type, s_magic)

/* The device of a file system, and whether it is among those asked for: mounts.c decides likewise. */
static __always_inline int iot_sb_look(struct iot_file *f, u64 sb, struct iot_config *cfg)
{
	u64 type = 0, magic = 0;
	IOT_SPAN(span, IOT_SB_FROM, IOT_SB_TO);
	int rule;

	IOT_SPAN_READ(span, sb, IOT_SB_FROM, IOT_SB_TO);
	IOT_SPAN_TAKE(f->dev, span, sb, IOT_SB_FROM, IOT_SB_TO, struct super_block, s_dev);
	if (cfg->fs_types) {
		IOT_SPAN_TAKE(type, span, sb, IOT_SB_FROM, IOT_SB_TO, struct super_block, s_type);
		rule = iot_fs_rule(type, cfg);
		if (rule >= 0)
			return rule;
	}
	if (cfg->all_fs)
		return 1;
	IOT_SPAN_TAKE(magic, span, sb, IOT_SB_FROM, IOT_SB_TO, struct super_block, s_magic);
	return !iot_pseudo_fs(magic);
}

#ifdef IOT_USE_SC_MOUNT
static __always_inline int iot_sb_read(struct iot_file *f, u64 sb, struct iot_config *cfg)
{
	u32 zero = 0;
	volatile struct iot_recent *recent = iot_recents.lookup(&zero);
	u64 *epoch = iot_epoch.lookup(&zero);
	u64 facts;

	if (!recent || !epoch)
		return iot_sb_look(f, sb, cfg);
	facts = recent->sb_facts;
	if (recent->sb_first == sb && recent->sb_epoch == *epoch && recent->sb == sb) {
		f->dev = facts >> 1;
		return facts & 1;
	}
	facts = iot_sb_look(f, sb, cfg);
	facts |= (u64)f->dev << 1;
	recent->sb = 0;
	recent->sb_first = sb;
	recent->sb_epoch = *epoch;
	recent->sb_facts = facts;
	recent->sb = sb;
	return facts & 1;
}
#else
static __always_inline int iot_sb_read(struct iot_file *f, u64 sb, struct iot_config *cfg)
{
	return iot_sb_look(f, sb, cfg);
}
#endif

#define IOT_INODE_FROM IOT_FROM(struct inode, i_mode, i_sb, i_ino)
#define IOT_INODE_TO IOT_TO(struct inode, i_mode, i_sb, i_ino)

/* Number and mode of f->inode; its super block */
static __always_inline u64 iot_inode_read(struct iot_file *f)
{
	u64 inode = f->inode, sb = 0;
	unsigned long ino = 0;
	IOT_SPAN(span, IOT_INODE_FROM, IOT_INODE_TO);

	IOT_SPAN_READ(span, inode, IOT_INODE_FROM, IOT_INODE_TO);
	IOT_SPAN_TAKE(f->mode, span, inode, IOT_INODE_FROM, IOT_INODE_TO, struct inode, i_mode);
	IOT_SPAN_TAKE(sb, span, inode, IOT_INODE_FROM, IOT_INODE_TO, struct inode, i_sb);
	IOT_SPAN_TAKE(ino, span, inode, IOT_INODE_FROM, IOT_INODE_TO, struct inode, i_ino);
	f->ino = ino;
	return sb;
}

/*
 * The same number for every record of an open file description, another one for another that is open
 * at the same time, but for one pair in four thousand million. Nobody who reads it learns where
 * in the kernel's memory that is: two secret keys, with a fold between them.
 */
static __always_inline u32 iot_ofd(struct file *file, struct iot_config *cfg)
{
	u64 hash = ((u64)file ^ cfg->ofd_keys[0]) * (cfg->ofd_keys[1] | 1);
	u32 ofd;

	hash ^= hash >> 32;
	ofd = (hash * 0x9e3779b97f4a7c15ULL) >> 32;
	return ofd ? ofd : 1;
}

#define IOT_OPEN_FROM IOT_FROM(struct file, f_inode, f_path, f_flags)
#define IOT_OPEN_TO IOT_TO(struct file, f_inode, f_path, f_flags)

/* Not sockets, pipes and devices of characters; a symbolic link itself is opened with O_PATH | O_NOFOLLOW */
static __always_inline int iot_mode_counts(u16 mode)
{
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode) || S_ISLNK(mode);
}

/* Identity of a file; 0 when it is none of ours (sockets, pipes, pseudo file systems …). */
static __always_inline int iot_file_read(struct iot_file *f, struct file *file, struct iot_config *cfg)
{
	struct path path = {};
	IOT_SPAN(span, IOT_OPEN_FROM, IOT_OPEN_TO);
	u64 sb;

	IOT_SPAN_READ(span, file, IOT_OPEN_FROM, IOT_OPEN_TO);
	IOT_SPAN_TAKE(f->inode, span, file, IOT_OPEN_FROM, IOT_OPEN_TO, struct file, f_inode);
	if (!f->inode)
		return 0;
	sb = iot_inode_read(f);
	if (!iot_mode_counts(f->mode))
		return 0;
	if (!iot_sb_read(f, sb, cfg))
		return 0;
	IOT_SPAN_TAKE(path, span, file, IOT_OPEN_FROM, IOT_OPEN_TO, struct file, f_path);
	IOT_SPAN_TAKE(f->flags, span, file, IOT_OPEN_FROM, IOT_OPEN_TO, struct file, f_flags);
	f->dentry = (u64)path.dentry;
	f->mnt = (u64)path.mnt;
	f->ofd = iot_ofd(file, cfg);
	f->status = IOT_ST_FILE | IOT_ST_REGULAR;
	return 1;
}

/*
 * The inode number of the current task's mount namespace. struct mnt_namespace
 * is private: its ns_common is at 0 from 5.11 on and at 8 before and on all of
 * el8. These numbers start at 0xeffffff8; at offset 0 an old kernel has half a
 * kernel image pointer there, which is below.
 */
static __always_inline u32 iot_read_mntns(u64 nsproxy)
{
	void *mnt = 0;
	u32 inum = 0;

	if (!nsproxy)
		return 0;
	IOT_LOAD(mnt, nsproxy + offsetof(struct nsproxy, mnt_ns));
	IOT_LOAD(inum, mnt + offsetof(struct ns_common, inum));
	if (inum < 0xefffff00)
		IOT_LOAD(inum, mnt + 8 + offsetof(struct ns_common, inum));
	return inum;
}

#ifdef IOT_USE_SC_MOUNT
/*
 * That of the thread that asked last on this CPU. It is the same as long as
 * the thread has the same nsproxy, and no call has changed one in place or freed it
 * and put another there: unshare and setns raise the epoch, too.
 */
static __always_inline u32 iot_mntns(struct iot_own *own, u32 tid)
{
	u64 task = bpf_get_current_task();
	u32 zero = 0, mntns;
	u64 *epoch = iot_epoch.lookup(&zero);
	volatile struct iot_recent *last = iot_recents.lookup(&zero);

	if (!epoch || !last)
		return 0;
	mntns = last->mntns;
	if (last->tid == tid && last->nsproxy == own->nsproxy && last->ns_epoch == *epoch && last->task == task)
		return mntns;
	mntns = iot_read_mntns(own->nsproxy);
	last->task = 0;
	last->tid = tid;
	last->nsproxy = own->nsproxy;
	last->ns_epoch = *epoch;
	last->mntns = mntns;
	last->task = task;
	return mntns;
}
#else
static __always_inline u32 iot_mntns(struct iot_own *own, u32 tid)
{
	return iot_read_mntns(own->nsproxy);
}
#endif

#define IOT_FDT_TO IOT_MAX(IOT_END_OF(struct fdtable, max_fds), IOT_END_OF(struct fdtable, fd))
#define IOT_FILES_FROM IOT_MIN(offsetof(struct files_struct, fdt), offsetof(struct files_struct, fdtab))
#define IOT_FILES_TO IOT_MAX(IOT_END_OF(struct files_struct, fdt), offsetof(struct files_struct, fdtab) + IOT_FDT_TO)

/* The open file behind a descriptor of the current task, or NULL. */
static __always_inline struct file *iot_own_file(struct iot_own *own, s32 fd)
{
	u64 fdt = 0, array = 0;
	struct file *file = 0;
	u32 max = 0;
	IOT_SPAN(span, IOT_FILES_FROM, IOT_FILES_TO);
	IOT_SPAN(table, 0, IOT_FDT_TO);

	if (!own->files)
		return 0;
	IOT_SPAN_READ(span, own->files, IOT_FILES_FROM, IOT_FILES_TO);
	IOT_SPAN_TAKE(fdt, span, own->files, IOT_FILES_FROM, IOT_FILES_TO, struct files_struct, fdt);
	/* up to 64 descriptors are in the table that files_struct has in itself */
	if (fdt == own->files + offsetof(struct files_struct, fdtab)) {
		IOT_SPAN_TAKE(max, span, own->files, IOT_FILES_FROM, IOT_FILES_TO, struct files_struct, fdtab.max_fds);
		IOT_SPAN_TAKE(array, span, own->files, IOT_FILES_FROM, IOT_FILES_TO, struct files_struct, fdtab.fd);
	} else {
		IOT_SPAN_READ(table, fdt, 0, IOT_FDT_TO);
		IOT_SPAN_TAKE(max, table, fdt, 0, IOT_FDT_TO, struct fdtable, max_fds);
		IOT_SPAN_TAKE(array, table, fdt, 0, IOT_FDT_TO, struct fdtable, fd);
	}
	if ((u32)fd < max)
		IOT_LOAD(file, array + (u64)(u32)fd * sizeof(file));
	return file;
}

static __always_inline struct file *iot_fd_file(s32 fd)
{
	struct iot_own own;

	iot_own_read(&own);
	return iot_own_file(&own, fd);
}

#endif
