/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening: the caller's string at entry, the file (or the error) at return.
 */
#ifdef IO_STREAM_fs

static __always_inline void io_open_begin(u16 via, s32 dirfd, u64 path, u32 flags)
{
	struct io_config *cfg = io_tracked();
	struct io_slot *s;

	if (!cfg)
		return;
	s = io_slot_begin(cfg, IO_SLOT_OPEN, IO_OPEN, via);
	if (!s)
		return;
	s->dirfd = dirfd;
	s->text = path;
	s->flags = flags;
}

#ifdef IO_HEADERS
/*
 * The path of the directory that a name starts at: the root of the process
 * (it may have changed it), its working directory, or dirfd.
 */
static __always_inline int io_start_dir(struct io_file *f, s32 dirfd, int absolute)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct inode *inode = 0;
	struct path path = {};

	if (absolute || dirfd == AT_FDCWD) {
		struct fs_struct *fs = 0;

		IO_GET(fs, task, fs);
		if (absolute)
			IO_READ_K(&path, sizeof(path), &fs->root);
		else
			IO_READ_K(&path, sizeof(path), &fs->pwd);
	} else {
		struct file *file = io_fd_file(dirfd);

		if (!file)
			return 0;
		IO_READ_K(&path, sizeof(path), (void *)file + offsetof(struct file, f_path));
	}
	if (!path.dentry)
		return 0;
	f->dentry = (u64)path.dentry;
	f->mnt = (u64)path.mnt;
	IO_READ_K(&inode, sizeof(inode), &path.dentry->d_inode);
	f->inode = (u64)inode;
	return 1;
}

/*
 * The open returned. With a file: its identity and name; without: the caller's
 * string and, for a relative one, where it starts. The event follows its names.
 */
static __always_inline void io_open_end(void *ctx, s64 ret, int kprobe)
{
	struct io_slot *s = io_slot_active(IO_SLOT_OPEN);
	struct io_config *cfg;
	struct io_scratch *sc;
	struct io_file f = {};
	u32 zero = 0;
	int row;

	if (!s)
		return;
	s->active = 0;
	cfg = io_cfg.lookup(&zero);
	sc = io_scratch_get();
	row = io_slot_verdict(s, ret);
	if (!cfg || !sc || row < 0)
		return;
	if (ret >= 0) {
		struct file *file = io_fd_file(ret);
		u32 given = s->flags;

		if (!file || !io_file_read(&f, file, cfg))
			return;
		io_file_name(&f);
		io_slot_file(s, &f);
		s->flags = given;
		s->fd = ret;
		io_fs_fill(&sc->event, s, ret);
	} else {
		u64 user = s->text;
		char first = 0;

		s->mntns = io_mntns();
		io_fs_fill(&sc->event, s, ret);
		IO_READ_U(&first, 1, (void *)user);
		sc->event.name = io_send_string(ctx, user);
		if (!sc->event.name)
			sc->event.status |= IO_ST_NO_TEXT;
		if (first && io_start_dir(&f, s->dirfd, first == '/')) {
			io_file_name(&f);
			sc->event.dir = f.id;
		}
	}
	io_current(&sc->event.head);
	sc->event.head.via = s->via;
	sc->event.latency = bpf_ktime_get_ns() - s->ts;
	sc->pending = row ? IO_PENDING_ROW : IO_PENDING_QUIET;
	if (f.walk)
		io_send_name(ctx, &f, kprobe);
	io_send_pending(ctx, sc);
}
#endif

#ifdef IO_USE_DO_SYS_OPENAT2
/* do_sys_openat2(int dfd, const char __user *filename, struct open_how *how); how starts with u64 flags */
int io_do_sys_openat2(struct pt_regs *ctx)
{
	u64 flags = 0;

	IO_READ_K(&flags, sizeof(flags), (void *)PT_REGS_PARM3(ctx));
	io_open_begin(IO_VIA_FS_OPEN, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), flags);
	return 0;
}
#endif

#ifdef IO_USE_DO_SYS_OPEN
/* do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode) */
int io_do_sys_open(struct pt_regs *ctx)
{
	io_open_begin(IO_VIA_FS_OPEN, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx));
	return 0;
}
#endif

#if defined(IO_USE_DO_SYS_OPENAT2) || defined(IO_USE_DO_SYS_OPEN)
int io_open_ret(struct pt_regs *ctx)
{
	io_open_end(ctx, (s32)PT_REGS_RC(ctx), 1);
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
