/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening: the caller's string at entry, the file (or the error) at return.
 */
#ifdef IOT_FILE_TEXTS

/* openat2's argument, as it grew from there on (uapi/linux/openat2.h) */
struct iot_open_how {
	u64 flags, mode, resolve;
};
#define IOT_RESOLVE_IN_ROOT 0x10

static __always_inline void iot_open_asked(struct iot_config *cfg, u16 via, u16 call, s32 dirfd, u64 path, u32 flags,
					  u64 resolve)
{
	struct iot_slot *s;

	s = iot_slot_begin(cfg, IOT_KIND_OPEN, IOT_OPEN, via, call);
	if (!s)
		return;
	s->fs.dirfd = dirfd;
	s->text = path;
	s->fs.flags = flags;
	if (resolve & IOT_RESOLVE_IN_ROOT)
		s->fs.status = IOT_ST_IN_ROOT;
}

#if defined(IOT_USE_DO_SYS_OPENAT2) || defined(IOT_USE_DO_SYS_OPEN)
static __always_inline void iot_open_begin(u16 via, u16 call, s32 dirfd, u64 path, u32 flags, u64 resolve)
{
	struct iot_config *cfg = iot_tracked();

	if (cfg)
		iot_open_asked(cfg, via, call, dirfd, path, flags, resolve);
}
#endif

#ifdef IOT_HEADERS
/*
 * The path of the directory that a name starts at: the root of the process
 * (it may have changed it), its working directory, or dirfd.
 */
static __always_inline int iot_start_dir(struct iot_file *f, struct iot_own *own, s32 dirfd, int absolute)
{
	struct path path = {};

	if (absolute || dirfd == AT_FDCWD) {
		IOT_LOAD(path, own->fs + (absolute ? offsetof(struct fs_struct, root) : offsetof(struct fs_struct, pwd)));
	} else {
		struct file *file = iot_own_file(own, dirfd);

		if (!file)
			return 0;
		IOT_LOAD(path, (u64)file + offsetof(struct file, f_path));
	}
	if (!path.dentry)
		return 0;
	f->dentry = (u64)path.dentry;
	f->mnt = (u64)path.mnt;
	f->inode = iot_dentry_look(f);
	return 1;
}

/* The event follows the name: does not return unless the tail call is refused. */
static __always_inline void iot_open_walk(void *ctx, struct iot_slot *s, struct iot_file *f, s64 ret, int row, int kprobe)
{
	struct iot_scratch *sc = iot_scratch_get();

	if (!sc) {
		iot_pending_end(s);
		return;
	}
	iot_slot_returned(s, ret);
	if (row)
		iot_stack_send(ctx, s->op, s->ts);
	iot_current(&s->fs.head);
	s->fs.head.via = s->via;
	s->fs.head.ts = bpf_ktime_get_ns();
	s->fs.latency = s->fs.head.ts - s->ts;
	sc->owner = bpf_get_current_pid_tgid();
	sc->event = s->fs;
	sc->send = row ? IOT_SEND_ROW : IOT_SEND_QUIET;
	iot_pending_end(s);
	if (IOT_AGAIN(sc->owner) != bpf_get_current_pid_tgid()) {
		iot_miss(IOT_SEQ_fs, IOT_MISS_SCRATCH);
		return;
	}
	iot_send_name(ctx, f, kprobe);
	iot_send_event(ctx, sc);
}

/*
 * The open returned. With a file: its identity and name; without: the caller's
 * string and, for a relative one, where it starts. The event follows its names.
 */
static __always_inline void iot_open_end(void *ctx, s64 ret, int kprobe)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_OPEN);
	struct iot_config *cfg;
	struct iot_file f = {};
	struct iot_own own;
	u32 zero = 0;
	int row;

	if (!s)
		return;
	cfg = iot_cfg.lookup(&zero);
	row = iot_slot_verdict(s, ret);
	if (!cfg || row < 0) {
		iot_pending_end(s);
		return;
	}
	iot_own_read(&own);
	if (ret >= 0) {
		struct file *file = iot_own_file(&own, ret);
		u32 given = s->fs.flags;

		if (!file || !iot_file_read(&f, file, cfg) || iot_thin_file(cfg, IOT_SEQ_fs, f.ino, f.dev)) {
			iot_pending_end(s);
			return;
		}
		if (row)
			iot_send_given(ctx, s->text, IOT_TEXT_GIVEN);
		iot_file_name(&f);
		iot_fs_file(&s->fs, &f, &own, s->key);
		s->fs.flags = given;
		s->fs.fd = ret;
	} else if (iot_thin(cfg, IOT_SEQ_fs, bpf_get_prandom_u32())) {
		iot_pending_end(s);
		return;
	} else {
		u64 user = s->text;
		char first = 0;

		s->fs.mntns = iot_mntns(&own, s->key);
		IOT_READ_U(&first, 1, (void *)user);
		s->fs.name = iot_send_string(ctx, user);
		if (!s->fs.name)
			s->fs.status |= IOT_ST_NO_TEXT;
		if (first && iot_start_dir(&f, &own, s->fs.dirfd, first == '/' && !(s->fs.status & IOT_ST_IN_ROOT))) {
			iot_file_name(&f);
			s->fs.dir = f.id;
		}
	}
	if (f.walk)
		iot_open_walk(ctx, s, &f, ret, row, kprobe);
	else
		iot_slot_send(ctx, s, ret, IOT_SEQ_fs, row);
}
#endif

#ifdef IOT_USE_DO_SYS_OPENAT2
/* do_sys_openat2(int dfd, const char __user *filename, struct open_how *how) */
int iot_do_sys_openat2(struct pt_regs *ctx)
{
	struct iot_open_how how = {};

	IOT_LOAD(how, PT_REGS_PARM3(ctx));
	iot_open_begin(IOT_VIA_FS_OPEN, iot_syscall_from_regs(ctx), PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), how.flags, how.resolve);
	return 0;
}
#endif

#ifdef IOT_USE_DO_SYS_OPEN
/* do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode) */
int iot_do_sys_open(struct pt_regs *ctx)
{
	iot_open_begin(IOT_VIA_FS_OPEN, iot_syscall_from_regs(ctx), PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx), 0);
	return 0;
}
#endif

#if defined(IOT_USE_DO_SYS_OPENAT2) || defined(IOT_USE_DO_SYS_OPEN)
int iot_open_ret(struct pt_regs *ctx)
{
	iot_open_end(ctx, (s32)PT_REGS_RC(ctx), 1);
	return 0;
}
#endif

#endif /* IOT_FILE_TEXTS */
