/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs from kprobes: one record per operation, sent when it returns. The
 * file itself is at hand, kept by the call that is traced.
 */
#ifdef IOT_FILE_TEXTS

#ifdef IOT_HEADERS

/* __FMODE_EXEC (linux/fs.h): the kernel itself opened the file, for exec */
#define IOT_FMODE_EXEC 0x20

static __always_inline void iot_fs_file(struct iot_fs *fs, struct iot_file *f, struct iot_own *own, u32 tid)
{
	fs->name = f->id;
	fs->ino = f->ino;
	fs->dev = f->dev;
	fs->flags = f->flags;
	fs->status |= f->status;
	fs->mntns = iot_mntns(own, tid);
	fs->ofd = f->ofd;
}

/* What is counted needs no more than this. count: IOT_COUNTS_* beside those of the config */
static __always_inline void iot_file_begin_counted(struct iot_config *cfg, struct iot_file *f, u32 kind, u16 op,
						   u16 via, u16 call, u32 count)
{
	struct iot_slot *s = iot_pending_begin(kind, IOT_SEQ_layers, op, via);

	if (!s)
		return;
	s->fs.ino = f->ino;
	s->fs.dev = f->dev;
	s->fs.flags = f->flags;
	s->fs.status = f->status;
	s->fs.fd = -1;
	s->fs.op = op;
	s->fs.call = call;
	s->fs.size = 0;
	s->posp = 0;
	s->filters = iot_kept_filters(cfg) | count << IOT_COUNT_SHIFT;
	s->ts = bpf_ktime_get_ns();
}

/* An operation on a file that is left out is counted, if it is one of those; true: no row begins with it. */
static __always_inline int iot_file_left_out(void *ctx, struct iot_config *cfg, struct iot_file *f, u32 kind, u16 op,
					     u16 via, u16 call, int kprobe)
{
	struct iot_slot *s;

	if (!iot_thin_file(cfg, IOT_SEQ_fs, f->ino, f->dev))
		return 0;
	if (iot_slot_counts(cfg, op)) {
		iot_file_begin_counted(cfg, f, kind, op, via, iot_call_of(ctx, call, kprobe), IOT_COUNTS_NO_FS);
		return 1;
	}
	/* the end of this one must not be taken for that of an earlier one */
	s = iot_pending_active(kind);
	if (s)
		iot_pending_end(s);
	return 1;
}

static __always_inline int iot_appends(u32 flags, u32 append)
{
	return ((flags & O_APPEND) || (append & IOT_APPENDS)) && !(append & IOT_APPENDS_NOT);
}

/*
 * An operation on an open file begins; may not return (the name is sent by tail
 * call). iov, n_iov: the size, should nothing tell it later; 0: none. asks: IOT_APPENDS where the
 * call itself asks for the end of the file, of LOCK its words. call: or IOT_CALL_ASKED, IOT_CALL_OF_TASK.
 */
static __always_inline void iot_file_begin_own(void *ctx, struct iot_config *cfg, struct iot_own *own,
					       u32 kind, u16 op, u16 via, u16 call, struct file *file,
						u64 size, u64 iov, u64 n_iov, u64 posp, s64 offset, s32 fd,
						u32 asks, int kprobe)
{
	struct iot_file f = {};
	struct iot_slot *s;

	if (!file || !iot_file_read(&f, file, cfg))
		return;
	/* exec's own files are nobody's OPEN; up to 5.9 it reads headers through vfs_read, nobody's READ */
	if (f.flags & IOT_FMODE_EXEC)
		return;
	if (iot_counted_elsewhere(cfg->count, op))
		return;
	if (iot_counts_only(cfg->count, op)) {
		iot_file_begin_counted(cfg, &f, kind, op, via, iot_call_of(ctx, call, kprobe), 0);
		return;
	}
	if (iot_file_left_out(ctx, cfg, &f, kind, op, via, call, kprobe))
		return;
	s = iot_slot_begin(cfg, kind, op, via, iot_call_of(ctx, call, kprobe));
	if (!s)
		return;
	iot_file_name(&f);
	iot_fs_file(&s->fs, &f, own, s->key);
	s->fs.size = size;
	if (iov) /* read only of what is traced */
		s->asked = iot_iov_bytes(iov, n_iov);
	s->fs.fd = fd;
	/* a call that appends has no position to tell where it ended; the end of the file does */
	if (!posp && op == IOT_WRITE && !kprobe && iot_appends(f.flags, asks))
		posp = f.inode + offsetof(struct inode, i_size);
	s->posp = posp;
	s->fs.offset = offset;
	if (posp)
		IOT_LOAD(s->fs.offset, posp);
	if (s->fs.offset >= 0)
		s->fs.status |= IOT_ST_OFFSET;
	s->append = asks;
	if (op == IOT_LOCK)
		s->fs.lock = asks;
	if (f.walk)
		iot_send_name(ctx, &f, kprobe);
}

static __always_inline void iot_file_begin(void *ctx, u32 kind, u16 op, u16 via, u16 call, struct file *file,
					  u64 size, u64 posp, s64 offset, s32 fd, int kprobe)
{
	struct iot_config *cfg = iot_wanted();
	struct iot_own own;

	if (!cfg)
		return;
	iot_own_read(&own);
	iot_file_begin_own(ctx, cfg, &own, kind, op, via, call, file, size, 0, 0, posp, offset, fd, 0, kprobe);
}

/*
 * An appending write starts where the file ended, which only its position at
 * return tells (measured on 4.14: the position at entry is the old one).
 */
static __always_inline void iot_slot_append(struct iot_slot *s, s64 ret)
{
	s64 end = 0;

	if (s->op != IOT_WRITE || !iot_appends(s->fs.flags, s->append) || !s->posp)
		return;
	if (ret > 0 && !IOT_READ_K(&end, sizeof(end), (void *)s->posp) && end >= ret) {
		s->fs.offset = end - ret;
		s->fs.status |= IOT_ST_APPEND;
	} else {
		s->fs.offset = -1;
	}
}
#endif /* IOT_HEADERS */

#ifdef IOT_USE_VFS_READ
int iot_vfs_read(struct pt_regs *ctx)
{
	iot_file_begin(ctx, IOT_KIND_RW, IOT_READ, IOT_VIA_FS_READ, IOT_CALL_ASKED, (struct file *)PT_REGS_PARM1(ctx),
		      PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), -1, -1, 1);
	return 0;
}
#endif

#ifdef IOT_USE_VFS_WRITE
int iot_vfs_write(struct pt_regs *ctx)
{
	iot_file_begin(ctx, IOT_KIND_RW, IOT_WRITE, IOT_VIA_FS_WRITE, IOT_CALL_ASKED, (struct file *)PT_REGS_PARM1(ctx),
		      PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), -1, -1, 1);
	return 0;
}
#endif

#if defined(IOT_USE_VFS_READV) || defined(IOT_USE_VFS_WRITEV)
BPF_TABLE("prog", u32, u32, iot_to_vectored_kp, 1);

static __always_inline int iot_vectored_enter(struct pt_regs *ctx, u16 op, u16 via)
{
	if (iot_wanted()) {
		iot_entered_as(op, via, 0, 0);
		iot_to_vectored_kp.call(ctx, 0);
	}
	return 0;
}

/*
 * (file, array of iovec, its length, position, rwf_t), where RWF_APPEND is 0x10. rw_verify_area tells the
 * size; where it is inlined in what reads and writes, the array does.
 */
int iot_vectored_kp(struct pt_regs *ctx)
{
	struct iot_entered *in = iot_entered_get();
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_own own;

	if (!cfg || !in)
		return 0;
	iot_own_read(&own);
	iot_file_begin_own(ctx, cfg, &own, IOT_KIND_RW, in->op, in->via, IOT_CALL_ASKED,
			   (struct file *)PT_REGS_PARM1(ctx), IOT_SIZE_LATER, PT_REGS_PARM2(ctx),
			   PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), -1, -1,
			   PT_REGS_PARM5(ctx) & (IOT_APPENDS | IOT_APPENDS_NOT), 1);
	return 0;
}
#endif

#ifdef IOT_USE_VFS_READV
int iot_vfs_readv(struct pt_regs *ctx)
{
	return iot_vectored_enter(ctx, IOT_READ, IOT_VIA_FS_READ_VECTORED);
}
#endif

#ifdef IOT_USE_VFS_WRITEV
int iot_vfs_writev(struct pt_regs *ctx)
{
	return iot_vectored_enter(ctx, IOT_WRITE, IOT_VIA_FS_WRITE_VECTORED);
}
#endif

#ifdef IOT_HEADERS
/* Return of any function whose entry filled the thread's call slot. */
int iot_call_ret(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	s64 ret = PT_REGS_RC(ctx);

	if (!s)
		return 0;
	/* these return int: the upper half of the register is not theirs */
	if (s->op == IOT_FSYNC || s->op == IOT_FDATASYNC)
		ret = (s32)ret;
	iot_slot_append(s, ret);
	iot_fs_end(ctx, s, ret, IOT_SEQ_fs);
	return 0;
}
#endif

#ifdef IOT_USE_DO_FSYNC
/* do_fsync(unsigned int fd, int datasync) */
int iot_do_fsync(struct pt_regs *ctx)
{
	s32 fd = PT_REGS_PARM1(ctx);
	u32 data = PT_REGS_PARM2(ctx);
	u16 op = data ? IOT_FDATASYNC : IOT_FSYNC, via = data ? IOT_VIA_FS_FDATASYNC : IOT_VIA_FS_FSYNC;
	struct file *file = iot_fd_file(fd);
	struct iot_config *cfg;
	struct iot_slot *s;

	if (file) {
		iot_file_begin(ctx, IOT_KIND_RW, op, via, IOT_CALL_ASKED, file, 0, 0, -1, fd, 1);
		return 0;
	}
	/* no such descriptor: the call fails, and that is a row */
	cfg = iot_wanted();
	s = cfg ? iot_slot_begin(cfg, IOT_KIND_RW, op, via, iot_syscall_from_regs(ctx)) : 0;
	if (s)
		s->fs.fd = fd;
	return 0;
}
#endif

#ifdef IOT_USE_VFS_FSYNC_RANGE
/* vfs_fsync_range(file, start, end, datasync) */
int iot_vfs_fsync_range(struct pt_regs *ctx)
{
	u32 data = PT_REGS_PARM4(ctx);

	iot_file_begin(ctx, IOT_KIND_RW, data ? IOT_FDATASYNC : IOT_FSYNC,
		      data ? IOT_VIA_FS_FDATASYNC : IOT_VIA_FS_FSYNC, IOT_CALL_OF_TASK,
		      (struct file *)PT_REGS_PARM1(ctx), 0, 0, -1, -1, 1);
	return 0;
}
#endif

#ifdef IOT_USE_FPUT
/*
 * FMODE_NOACCOUNT (linux/fs.h, 4.19 to 7.3): no call opened it. Such is what overlayfs opens for itself below
 * each file of its own.
 */
#define IOT_FMODE_NO_CALL 0x20000000

/* Of all architectures (asm-generic/fcntl.h) */
#define IOT_O_NOATIME 01000000

/*
 * What overlayfs opens for itself without that mode, the directories that it reads and the files that it copies up, has
 * O_NOATIME (ovl_path_open), where the mounter may ask for it, and is on a mount of its own, which is on no other one
 * (fs_name.bpf.c has the places). The last reference goes behind the call, so that it is not seen as a part of it.
 */
static __always_inline int iot_opened_by_overlay(struct file *file)
{
	u32 flags = 0;
	u64 mnt = 0, parent = 0;

	IOT_GET(flags, file, f_flags);
	if (!(flags & IOT_O_NOATIME))
		return 0;
	IOT_GET(mnt, file, f_path.mnt);
	IOT_LOAD(parent, mnt - 16);
	return parent == mnt - 32;
}

/* The last reference goes: once per open file description, whoever shared it. */
int iot_fput(struct pt_regs *ctx)
{
	struct file *file = (struct file *)PT_REGS_PARM1(ctx);
#ifdef FMODE_OPENED
	fmode_t mode = 0;

	IOT_GET(mode, file, f_mode);
	if (!(mode & FMODE_OPENED) || mode & IOT_FMODE_NO_CALL)
		return 0;
#endif
	if (iot_opened_by_overlay(file))
		return 0;
	iot_file_begin(ctx, IOT_KIND_CLOSE, IOT_CLOSE, IOT_VIA_FS_CLOSE, IOT_CALL_OF_TASK, file, 0, 0, -1, -1, 1);
	return 0;
}

int iot_fput_ret(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_CLOSE);

	if (s)
		iot_fs_end_uncounted(ctx, s, 0, IOT_SEQ_fs);
	return 0;
}
#endif

#endif /* IOT_FILE_TEXTS */
