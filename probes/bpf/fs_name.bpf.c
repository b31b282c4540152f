/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of a file, with kernel headers. It is walked and sent once per (dentry, mount); later
 * events carry its id. Five things make a kept name stale, and all are looked at on
 * every event: the dentry was reused (inode), renamed (hash, length, parent),
 * anything above it moved (the epoch, raised by probes on directory renames
 * and mounts, and by user space after a loss), or IOT_NAMES_ROUND names were sent since
 * at most: user space keeps twice as many, and an LRU map may keep one for much longer
 * (what a CPU inserted last is out of the others' reach).
 */
#if defined(IOT_HEADERS) && defined(IOT_FILE_TEXTS)

#define IOT_DENTRY_FROM IOT_MIN(IOT_FROM(struct dentry, d_hash, d_parent, d_name), offsetof(struct dentry, d_inode))
#define IOT_DENTRY_TO IOT_MAX(IOT_TO(struct dentry, d_hash, d_parent, d_name), IOT_END_OF(struct dentry, d_inode))

/* What the name depends on; the inode behind it */
static __always_inline u64 iot_dentry_look(struct iot_file *f)
{
	struct hlist_bl_node hash = {};
	u64 dentry = f->dentry, inode = 0;
	IOT_SPAN(span, IOT_DENTRY_FROM, IOT_DENTRY_TO);

	IOT_SPAN_READ(span, dentry, IOT_DENTRY_FROM, IOT_DENTRY_TO);
	IOT_SPAN_TAKE(f->name.parent, span, dentry, IOT_DENTRY_FROM, IOT_DENTRY_TO, struct dentry, d_parent);
	/* hash and length are the first word of d_name */
	IOT_SPAN_TAKE(f->name.hash_len, span, dentry, IOT_DENTRY_FROM, IOT_DENTRY_TO, struct dentry, d_name);
	IOT_SPAN_TAKE(hash, span, dentry, IOT_DENTRY_FROM, IOT_DENTRY_TO, struct dentry, d_hash);
	IOT_SPAN_TAKE(inode, span, dentry, IOT_DENTRY_FROM, IOT_DENTRY_TO, struct dentry, d_inode);
	f->hashed = hash.pprev != 0;
	f->looked = 1;
	return inode;
}

/* Identity of a dentry, on whatever file system; 0 when it has no inode. */
static __always_inline int iot_dentry_read(struct iot_file *f, u64 dentry, u64 mnt)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	f->dentry = dentry;
	f->mnt = mnt;
	f->inode = iot_dentry_look(f);
	if (!f->inode || !cfg)
		return 0;
	f->status = IOT_ST_FILE;
	if (!iot_sb_read(f, iot_inode_read(f), cfg))
		f->status |= IOT_ST_PSEUDO;
	return 1;
}

static __always_inline int iot_same_name(const volatile struct iot_name *kept, const struct iot_name *name)
{
	return kept->parent == name->parent && kept->hash_len == name->hash_len && kept->inode == name->inode &&
	       kept->epoch == name->epoch;
}

/* The id of a name that was sent; 0: it was not. */
static __always_inline u64 iot_name_kept(struct iot_file *f)
{
	struct iot_name_key key = { .dentry = f->dentry, .mnt = f->mnt };
	struct iot_name *kept;
	u64 id;
#ifdef IOT_USE_SC_MOUNT
	u32 zero = 0;
	volatile struct iot_recent *recent = iot_recents.lookup(&zero);

	if (!recent)
		return 0;
	if (recent->mnt == key.mnt && iot_same_name(&recent->name, &f->name)) {
		/* between two looks at what it is of: another task may come in between (7.2) */
		id = recent->name.id;
		if (recent->dentry == key.dentry)
			return id;
	}
#endif
	kept = iot_names.lookup(&key);
	if (!kept || !iot_same_name(kept, &f->name))
		return 0;
	id = kept->id;
#ifdef IOT_USE_SC_MOUNT
	recent->dentry = 0;
	recent->mnt = key.mnt;
	recent->name.parent = f->name.parent;
	recent->name.hash_len = f->name.hash_len;
	recent->name.inode = f->name.inode;
	recent->name.epoch = f->name.epoch;
	recent->name.id = id;
	recent->dentry = key.dentry;
#endif
	return id;
}

/* The id of the name of (f->dentry, f->mnt), made anew (f->walk) when the kept one is stale. */
static __always_inline void iot_file_name(struct iot_file *f)
{
	u64 root = 0;
	u32 zero = 0;
	u64 *epoch = iot_epoch.lookup(&zero), *named = iot_named.lookup(&zero);

	if (!f->looked)
		iot_dentry_look(f);
	f->name.inode = f->inode;
	/* both only grow: a sum does not come again */
	f->name.epoch = (epoch ? *epoch : 0) + (named ? *named & ~(u64)(IOT_NAMES_ROUND - 1) : 0);
	/* An unhashed dentry was unlinked or never had a name (memfd), but for the root of a mount. */
	if (!f->hashed && f->name.parent == f->dentry)
		IOT_LOAD(root, f->mnt + offsetof(struct vfsmount, mnt_root));
	if (!f->hashed && root != f->dentry)
		f->status |= IOT_ST_DELETED;
	f->id = iot_name_kept(f);
	if (f->id)
		return;
	f->id = iot_new_id();
	f->name.id = f->id;
	f->walk = 1;
}

/*
 * One step towards the root: the name of the current dentry goes to the text,
 * or, at the root of a mount, the walk continues where it is mounted. A file
 * that is in no directory (memfd) is its own parent.
 * struct mount is private; its members before the embedded vfsmount have been
 * the same from 4.14 to 7.3: parent at -16, mountpoint at -8, vfsmount at +32.
 * Returns 0 at the end; s->top is the mount that it came to, if any.
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
		if (!above || above + 32 == (void *)m) {
			s->top = (u64)m - 32;
			return 0;
		}
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

/* What a mount is of, and where in its namespace it is said that it is the root */
struct iot_root {
	u64 dentry, inode;
	u64 at;
};
BPF_TABLE("lru_hash", u64, struct iot_root, iot_roots, 256);

/*
 * How many words of a namespace there are to the end of its root, as found so far; 0: not yet. What is behind it is
 * of others: the next object may be the namespace that open_tree makes for a copy, whose root that is.
 */
BPF_TABLE("array", u32, u32, iot_root_end, 1);

#ifdef IOT_HAS_LOOPS
#define IOT_MNTNS_WORDS 64
#else
#define IOT_MNTNS_WORDS 8 /* the older a kernel, the less is before its root */
#endif

/*
 * Whether a mount that is on no other one is the root of a namespace: of the task's own, or of one that a
 * task was seen in before. What fsmount, open_tree or a lazy umount left on no other one is not. struct
 * mnt_namespace is private; of its words only the root is the address of a mount. A namespace that is gone
 * still says so where it was, and its mount's address may be that of another one by then: of the same
 * directory names are right all the same.
 */
static __always_inline int iot_is_root(u64 top)
{
	struct vfsmount *m = (struct vfsmount *)(top + 32);
	struct iot_root *known = iot_roots.lookup(&top), root = {};
	u64 word = 0, nsproxy = 0, mntns = 0;
	u32 zero = 0, *end = iot_root_end.lookup(&zero), words = end && *end ? *end : IOT_MNTNS_WORDS;
	u32 found = 0; /* not root.at, which the verifier takes for 0 still: it would follow the rest of the words as often as there are */

	IOT_GET(root.dentry, m, mnt_root);
	IOT_GET(root.inode, (struct dentry *)root.dentry, d_inode);
	if (known && known->dentry == root.dentry && known->inode == root.inode)
		IOT_READ_K(&word, sizeof(word), (void *)known->at);
	if (word == top)
		return 1;
	IOT_LOAD(nsproxy, bpf_get_current_task() + offsetof(struct task_struct, nsproxy));
	IOT_LOAD(mntns, nsproxy + offsetof(struct nsproxy, mnt_ns));
	IOT_REPEAT
	for (u64 i = 0; i < IOT_MNTNS_WORDS; i++) {
		IOT_COUNTED(i);
		if (found || i >= words)
			IOT_LAST;
		IOT_READ_K(&word, sizeof(word), (void *)(mntns + i * sizeof(word)));
		if (word == top) {
			root.at = mntns + i * sizeof(word);
			found = 1;
		}
	}
	if (!found)
		return 0;
	words = (root.at - mntns) / sizeof(word) + 1;
	if (end && (!*end || words < *end))
		*end = words;
	iot_roots.update(&top, &root);
	return 1;
}

/* The end of a name that begins in no directory, as the walk of one that was opened by its handle (NFS) has it */
static __always_inline void iot_walk_nowhere(struct iot_scratch *s)
{
	u32 off = s->text.len;

	if (off >= IOT_TEXT_MAX)
		return;
	s->text.data[off & (IOT_TEXT_MAX - 1)] = '/';
	s->text.data[(off & (IOT_TEXT_MAX - 1)) + 1] = 0;
	s->text.len = off + 2;
}

static __always_inline void iot_send_event(void *ctx, struct iot_scratch *s)
{
	int row = s->send == IOT_SEND_ROW;

	if (!s->send)
		return;
	s->send = 0;
	/* when it returned, whatever was sent since */
	iot_stamp_at(&s->event.head, s->event.head.ts, row ? IOT_SEQ_fs : IOT_SEQ_STATE, IOT_REC_FS,
		     row ? s->event.head.via : s->event.head.via | IOT_VIA_QUIET);
	iot_events.perf_submit(ctx, &s->event, sizeof(s->event));
}

static __always_inline void iot_walk_on(void *ctx, int kprobe)
{
#ifdef IOT_KPROBES
	if (kprobe)
		iot_to_walker_kp.call(ctx, 0);
#endif
#ifdef IOT_CALLS
	if (!kprobe)
		iot_to_walker_sc.call(ctx, 0);
#endif
}

/*
 * A part of a walk: 24 levels, then itself again by tail call (at most 33
 * times). The type of a tail-called program must be its caller's, hence two.
 */
static __always_inline void iot_walk(void *ctx, int kprobe)
{
	struct iot_scratch *s = iot_scratch_get();
	u32 more = 1, rooted;

	if (!s)
		return;
	IOT_REPEAT
	for (u64 i = 0; i < 24; i++) {
		IOT_COUNTED(i);
		if (!more)
			IOT_LAST;
		more = iot_walk_step(s);
	}
	if (more) {
		iot_walk_on(ctx, kprobe);
		s->text.flags = IOT_TEXT_CUT; /* only here when the tail call was refused */
	}
	/* another one's walk began here: the name, and the row that was to follow it, are gone */
	if (s->owner != bpf_get_current_pid_tgid()) {
		iot_miss(IOT_SEQ_fs, IOT_MISS_SCRATCH);
		iot_call_send_own(ctx);
		return;
	}
	rooted = !s->top || iot_is_root(s->top);
	if (!rooted)
		iot_walk_nowhere(s);
	/* Kept only now: another CPU must not use the id of a name that is still on its way. */
	if (iot_send_text(ctx, s, s->kept[2]) == 0) {
		struct iot_name_key key = { .dentry = s->kept[0], .mnt = s->kept[1] };
		struct iot_name name = {
			.id = s->kept[2], .parent = s->kept[3], .hash_len = s->kept[4],
			.inode = s->kept[5], .epoch = s->kept[6],
		};
		u32 zero = 0;
		u64 *named = iot_named.lookup(&zero);

		/* another task may know where its mount is */
		if (rooted)
			iot_names.update(&key, &name);
		if (named)
			__sync_fetch_and_add(named, 1);
	}
	iot_send_event(ctx, s);
	iot_call_send_own(ctx);
}

#ifdef IOT_KPROBES
int iot_walker_kp(void *ctx)
{
	iot_walk(ctx, 1);
	return 0;
}
#endif

#ifdef IOT_CALLS
int iot_walker_sc(void *ctx)
{
	iot_walk(ctx, 0);
	return 0;
}
#endif

/* Sends the name of f by tail call: does not return unless that is refused. */
static __always_inline void iot_send_name(void *ctx, struct iot_file *f, int kprobe)
{
	struct iot_scratch *s = iot_scratch_get();

	if (!s)
		return;
	s->owner = bpf_get_current_pid_tgid();
	s->mark = f->id;
	s->top = 0;
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
	iot_walk_on(ctx, kprobe);
}

#endif
