/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: one record per operation, sent when it returns. What a program
 * knows at entry waits in the thread's slot; the slot is found, not allocated,
 * from the second operation on.
 */

#ifdef IO_STREAM_fs
#define IO_SLOTS

enum { IO_SLOT_CALL, IO_SLOT_OPEN, IO_SLOT_CLOSE, IO_SLOT_ASYNC, IO_N_SLOTS };

/* Requested bytes not known yet: rw_verify_area tells. */
#define IO_SIZE_LATER (~0ULL)

struct io_slot {
	u64 ts;
	u64 size;
	s64 offset;
	u64 posp;    /* kernel address of the position, read again at return */
	u64 text;    /* user address of a path string */
	u64 async;   /* address that names an asynchronous request */
	u64 name;
	u64 ino;
	u32 dev;
	u32 flags;
	u32 mntns;
	s32 fd;
	s32 dirfd;
	u32 tgid;
	u32 tid;
	u16 op;
	u16 status;
	u16 via;
	u16 active;
	u32 append;  /* RWF_APPEND: as O_APPEND, for this call */
	char comm[16];
};
BPF_TABLE("hash", u64, struct io_slot, io_slots, 16384);

static __always_inline u64 io_slot_key(u32 kind)
{
	return (u64)kind << 32 | (u32)bpf_get_current_pid_tgid();
}

/* The thread's slot, made on first use and marked active; NULL when the table is full. */
static __always_inline struct io_slot *io_slot_begin(u32 kind, u16 op, u16 via)
{
	u64 key = io_slot_key(kind);
	struct io_slot *s = io_slots.lookup(&key);

	if (!s) {
		struct io_slot fresh = {};

		if (io_slots.update(&key, &fresh) < 0) {
			io_miss(IO_SEQ_FS, IO_MISS_FULL);
			return 0;
		}
		s = io_slots.lookup(&key);
		if (!s)
			return 0;
	}
	if (s->active)
		io_miss(IO_SEQ_FS, IO_MISS_RETURN);
	s->op = op;
	s->via = via;
	s->name = 0;
	s->ino = 0;
	s->dev = 0;
	s->flags = 0;
	s->mntns = 0;
	s->status = 0;
	s->size = 0;
	s->offset = -1;
	s->posp = 0;
	s->append = 0;
	s->fd = -1;
	s->dirfd = -1;
	s->active = 1;
	s->ts = bpf_ktime_get_ns();
	return s;
}

static __always_inline struct io_slot *io_slot_active(u32 kind)
{
	u64 key = io_slot_key(kind);
	struct io_slot *s = io_slots.lookup(&key);

	return s && s->active ? s : 0;
}

static __always_inline void io_fs_fill(struct io_fs *e, struct io_slot *s, s64 ret)
{
	e->name = s->name;
	e->dir = 0;
	e->ino = s->ino;
	e->size = s->size == IO_SIZE_LATER ? 0 : s->size;
	e->offset = s->offset;
	e->ret = ret;
	e->dev = s->dev;
	e->fd = s->fd;
	e->flags = s->flags;
	e->mntns = s->mntns;
	e->dirfd = s->dirfd;
	e->op = s->op;
	e->status = s->status;
}

/* Sends the operation of an ended slot in the current task's name. */
static __always_inline void io_fs_end(void *ctx, struct io_slot *s, s64 ret, u32 class)
{
	struct io_fs e;

	io_fs_fill(&e, s, ret);
	s->active = 0;
	io_current(&e.head);
	io_stamp(&e.head, class, IO_REC_FS, s->via);
	e.latency = e.head.ts - s->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
}

/* ---- with kernel headers: the file itself is at hand ---- */
#ifdef IO_HEADERS

static __always_inline void io_slot_file(struct io_slot *s, struct io_file *f)
{
	s->name = f->id;
	s->ino = f->ino;
	s->dev = f->dev;
	s->flags = f->flags;
	s->status |= f->status;
	s->mntns = io_mntns();
}

/*
 * An operation on an open file begins; may not return (the name is sent by tail
 * call). append: the call itself asks for the end of the file.
 */
static __always_inline void io_file_begin_flags(void *ctx, u32 kind, u16 op, u16 via, struct file *file,
						u64 size, u64 posp, s64 offset, s32 fd, u32 append,
						int kprobe)
{
	struct io_config *cfg = io_wanted();
	struct io_file f = {};
	struct io_slot *s;

	if (!cfg || !file || !io_file_read(&f, file, cfg))
		return;
	s = io_slot_begin(kind, op, via);
	if (!s)
		return;
	io_file_name(&f);
	io_slot_file(s, &f);
	s->size = size;
	s->fd = fd;
	s->posp = posp;
	s->offset = offset;
	if (posp)
		IO_READ_K(&s->offset, sizeof(s->offset), (void *)posp);
	if (s->offset >= 0)
		s->status |= IO_ST_OFFSET;
	s->append = append;
	if (f.walk)
		io_send_name(ctx, &f, kprobe);
}

static __always_inline void io_file_begin(void *ctx, u32 kind, u16 op, u16 via, struct file *file,
					  u64 size, u64 posp, s64 offset, s32 fd, int kprobe)
{
	io_file_begin_flags(ctx, kind, op, via, file, size, posp, offset, fd, 0, kprobe);
}

/*
 * An appending write starts where the file ended, which only its position at
 * return tells (measured on 4.14: the position at entry is the old one).
 */
static __always_inline void io_slot_append(struct io_slot *s, s64 ret)
{
	s64 end = 0;

	if (s->op != IO_WRITE || !((s->flags & O_APPEND) || s->append) || !s->posp)
		return;
	if (ret > 0 && !IO_READ_K(&end, sizeof(end), (void *)s->posp) && end >= ret) {
		s->offset = end - ret;
		s->status |= IO_ST_APPEND;
	} else {
		s->offset = -1;
	}
}
#endif /* IO_HEADERS */

#ifdef IO_USE_VFS_READ
int io_vfs_read(struct pt_regs *ctx)
{
	io_file_begin(ctx, IO_SLOT_CALL, IO_READ, IO_VIA_READ, (struct file *)PT_REGS_PARM1(ctx),
		      PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), -1, -1, 1);
	return 0;
}
#endif

#ifdef IO_USE_VFS_WRITE
int io_vfs_write(struct pt_regs *ctx)
{
	io_file_begin(ctx, IO_SLOT_CALL, IO_WRITE, IO_VIA_WRITE, (struct file *)PT_REGS_PARM1(ctx),
		      PT_REGS_PARM3(ctx), PT_REGS_PARM4(ctx), -1, -1, 1);
	return 0;
}
#endif

#ifdef IO_USE_VFS_READV
int io_vfs_readv(struct pt_regs *ctx)
{
	io_file_begin(ctx, IO_SLOT_CALL, IO_READ, IO_VIA_READ_VECTORED, (struct file *)PT_REGS_PARM1(ctx),
		      IO_SIZE_LATER, PT_REGS_PARM4(ctx), -1, -1, 1);
	return 0;
}
#endif

#ifdef IO_USE_VFS_WRITEV
int io_vfs_writev(struct pt_regs *ctx)
{
	/* the fifth argument is rwf_t; RWF_APPEND is 0x10 */
	io_file_begin_flags(ctx, IO_SLOT_CALL, IO_WRITE, IO_VIA_WRITE_VECTORED,
			    (struct file *)PT_REGS_PARM1(ctx), IO_SIZE_LATER, PT_REGS_PARM4(ctx), -1, -1,
			    PT_REGS_PARM5(ctx) & 0x10, 1);
	return 0;
}
#endif

#ifdef IO_HEADERS
/* Return of any function whose entry filled the thread's call slot. */
int io_call_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CALL);
	s64 ret = PT_REGS_RC(ctx);

	if (!s)
		return 0;
	io_slot_append(s, ret);
	io_fs_end(ctx, s, ret, IO_SEQ_FS);
	return 0;
}
#endif

#ifdef IO_USE_DO_FSYNC
/* do_fsync(unsigned int fd, int datasync) */
int io_do_fsync(struct pt_regs *ctx)
{
	s32 fd = PT_REGS_PARM1(ctx);
	u32 data = PT_REGS_PARM2(ctx);
	u16 op = data ? IO_FDATASYNC : IO_FSYNC, via = data ? IO_VIA_FDATASYNC : IO_VIA_FSYNC;
	struct file *file = io_fd_file(fd);
	struct io_slot *s;

	if (file) {
		io_file_begin(ctx, IO_SLOT_CALL, op, via, file, 0, 0, -1, fd, 1);
		return 0;
	}
	/* no such descriptor: the call fails, and that is a row */
	s = io_wanted() ? io_slot_begin(IO_SLOT_CALL, op, via) : 0;
	if (s)
		s->fd = fd;
	return 0;
}
#endif

#ifdef IO_USE_VFS_FSYNC_RANGE
/* vfs_fsync_range(file, start, end, datasync) */
int io_vfs_fsync_range(struct pt_regs *ctx)
{
	u32 data = PT_REGS_PARM4(ctx);

	io_file_begin(ctx, IO_SLOT_CALL, data ? IO_FDATASYNC : IO_FSYNC,
		      data ? IO_VIA_FDATASYNC : IO_VIA_FSYNC, (struct file *)PT_REGS_PARM1(ctx),
		      0, 0, -1, -1, 1);
	return 0;
}
#endif

#ifdef IO_USE_FPUT
/* The last reference goes: once per open file description, whoever shared it. */
int io_fput(struct pt_regs *ctx)
{
	struct file *file = (struct file *)PT_REGS_PARM1(ctx);
	unsigned int flags = 0;
	fmode_t mode = 0;

	IO_GET(mode, file, f_mode);
	IO_GET(flags, file, f_flags);
	/* opened by the kernel for exec (__FMODE_EXEC, linux/fs.h): nobody's OPEN */
	if (flags & 0x20)
		return 0;
#ifdef FMODE_OPENED
	if (!(mode & FMODE_OPENED))
		return 0;
#endif
	io_file_begin(ctx, IO_SLOT_CLOSE, IO_CLOSE, IO_VIA_CLOSE, file, 0, 0, -1, -1, 1);
	return 0;
}

int io_fput_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CLOSE);

	if (s)
		io_fs_end(ctx, s, 0, IO_SEQ_FS);
	return 0;
}
#endif

/* ---- open: the caller's string at entry, the file at return ---- */

static __always_inline void io_open_begin(u16 via, s32 dirfd, u64 path, u32 flags)
{
	struct io_slot *s;

	if (!io_wanted())
		return;
	s = io_slot_begin(IO_SLOT_OPEN, IO_OPEN, via);
	if (!s)
		return;
	s->dirfd = dirfd;
	s->text = path;
	s->flags = flags;
}

#ifdef IO_HEADERS
/* The path of the directory that a relative name starts at: the working directory or dirfd. */
static __always_inline int io_start_dir(struct io_file *f, s32 dirfd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct inode *inode = 0;
	struct path path = {};

	if (dirfd == AT_FDCWD) {
		struct fs_struct *fs = 0;

		IO_GET(fs, task, fs);
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

	if (!s)
		return;
	s->active = 0;
	cfg = io_cfg.lookup(&zero);
	sc = io_scratch_get();
	if (!cfg || !sc)
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
		if (first && first != '/' && io_start_dir(&f, s->dirfd)) {
			io_file_name(&f);
			sc->event.dir = f.id;
		}
	}
	io_current(&sc->event.head);
	sc->event.head.via = s->via;
	sc->event.latency = bpf_ktime_get_ns() - s->ts;
	sc->pending = 1;
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
	io_open_begin(IO_VIA_OPEN, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), flags);
	return 0;
}
#endif

#ifdef IO_USE_DO_SYS_OPEN
/* do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode) */
int io_do_sys_open(struct pt_regs *ctx)
{
	io_open_begin(IO_VIA_OPEN, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx));
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

/* ---- asynchronous: the request's address joins submission and completion ---- */
#if defined(IO_USE_AIO_RW) || defined(IO_USE_AIO_COMPLETE) || defined(IO_USE_URING_REQ) || \
	defined(IO_USE_URING_DATA) || defined(IO_USE_URING_KIOCB)
#define IO_ASYNC

BPF_TABLE("hash", u64, struct io_slot, io_async, 16384);

/*
 * A request starts in this thread. io_uring may start one twice (first without
 * blocking, then in a worker): the first start counts.
 */
static __always_inline void io_async_begin(void *ctx, u16 op, u16 via, u64 req, struct file *file)
{
	struct io_config *cfg = io_wanted();
	struct io_slot fresh = {}, *s;
	struct io_file f = {};

	if (!cfg || !file || !io_file_read(&f, file, cfg))
		return;
	s = io_slot_begin(IO_SLOT_ASYNC, op, via);
	if (!s)
		return;
	s->async = req;
	if (io_async.lookup(&req))
		return;
	io_file_name(&f);
	fresh.ts = s->ts;
	fresh.op = op;
	fresh.via = via;
	fresh.size = IO_SIZE_LATER;
	fresh.offset = -1;
	fresh.fd = -1;
	fresh.dirfd = -1;
	fresh.status = IO_ST_ASYNC;
	fresh.tgid = bpf_get_current_pid_tgid() >> 32;
	fresh.tid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(&fresh.comm, sizeof(fresh.comm));
	io_slot_file(&fresh, &f);
	if (io_async.update(&req, &fresh) < 0)
		io_miss(IO_SEQ_FS, IO_MISS_FULL);
	if (f.walk)
		io_send_name(ctx, &f, 1);
}

/* The request ended, in whatever context: the event carries the submitter. */
static __always_inline void io_async_end(void *ctx, u64 req, s64 ret)
{
	struct io_slot *s = io_async.lookup(&req);
	struct io_fs e;

	if (!s)
		return;
	io_fs_fill(&e, s, ret);
	e.head.tgid = s->tgid;
	e.head.tid = s->tid;
	__builtin_memcpy(e.head.comm, s->comm, sizeof(e.head.comm));
	io_stamp(&e.head, IO_SEQ_FS, IO_REC_FS, s->via);
	e.latency = e.head.ts - s->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
	io_async.delete(&req);
}
#endif

#ifdef IO_USE_VERIFY_AREA
/*
 * rw_verify_area(int read_write, file, const loff_t *ppos, size_t count): the
 * one place that tells position and bytes of vectored, AIO and io_uring calls.
 */
int io_verify_area(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_CALL);
	u64 posp = PT_REGS_PARM3(ctx), count = PT_REGS_PARM4(ctx);

	if (s && s->size == IO_SIZE_LATER) {
		s->size = count;
		return 0;
	}
#ifdef IO_ASYNC
	s = io_slot_active(IO_SLOT_ASYNC);
	if (s) {
		u64 req = s->async;

		s = io_async.lookup(&req);
		if (!s || s->size != IO_SIZE_LATER)
			return 0;
		s->size = count;
		if (posp && !(s->op == IO_WRITE && (s->flags & O_APPEND))) {
			IO_READ_K(&s->offset, sizeof(s->offset), (void *)posp);
			s->status |= IO_ST_OFFSET;
		}
	}
#endif
	return 0;
}
#endif

#if defined(IO_USE_AIO_RW) || defined(IO_USE_AIO_COMPLETE)
/* aio_read(struct kiocb *req, …): arg 0 stays through .isra */
int io_aio_read(struct pt_regs *ctx)
{
	struct kiocb *req = (struct kiocb *)PT_REGS_PARM1(ctx);
	struct file *file = 0;

	IO_GET(file, req, ki_filp);
	io_async_begin(ctx, IO_READ, IO_VIA_READ_AIO, (u64)req, file);
	return 0;
}

int io_aio_write(struct pt_regs *ctx)
{
	struct kiocb *req = (struct kiocb *)PT_REGS_PARM1(ctx);
	struct file *file = 0;

	IO_GET(file, req, ki_filp);
	io_async_begin(ctx, IO_WRITE, IO_VIA_WRITE_AIO, (u64)req, file);
	return 0;
}

/* Refused before it was queued: no completion will come. -529 is EIOCBQUEUED. */
int io_aio_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_ASYNC);
	s64 ret = (s32)PT_REGS_RC(ctx);

	if (!s)
		return 0;
	s->active = 0;
	if (ret < 0 && ret != -529)
		io_async_end(ctx, s->async, ret);
	return 0;
}

/* aio_complete_rw(kiocb, res…) and, up to 4.17, aio_complete(kiocb, res, res2) */
int io_aio_complete(struct pt_regs *ctx)
{
	io_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

#if defined(IO_USE_URING_REQ) || defined(IO_USE_URING_DATA) || defined(IO_USE_URING_KIOCB)
/* io_read(struct io_kiocb *req, …): the request begins with its file, in every version */
int io_uring_read(struct pt_regs *ctx)
{
	struct file *file = 0;

	IO_READ_K(&file, sizeof(file), (void *)PT_REGS_PARM1(ctx));
	io_async_begin(ctx, IO_READ, IO_VIA_READ_IO_URING, PT_REGS_PARM1(ctx), file);
	return 0;
}

int io_uring_write(struct pt_regs *ctx)
{
	struct file *file = 0;

	IO_READ_K(&file, sizeof(file), (void *)PT_REGS_PARM1(ctx));
	io_async_begin(ctx, IO_WRITE, IO_VIA_WRITE_IO_URING, PT_REGS_PARM1(ctx), file);
	return 0;
}

int io_uring_ret(struct pt_regs *ctx)
{
	struct io_slot *s = io_slot_active(IO_SLOT_ASYNC);

	if (s)
		s->active = 0;
	return 0;
}
#endif

#ifdef IO_USE_URING_REQ
int io_uring_done(struct io_tp_io_uring_io_uring_complete *ctx)
{
	io_async_end(ctx, (u64)ctx->req, (s32)ctx->res);
	return 0;
}
#endif

#ifdef IO_USE_URING_DATA
/* Before 5.18 a completion carries user_data only: the submission tells whose it is. */
struct io_uring_key {
	u64 ctx;
	u64 user_data;
};
BPF_TABLE("lru_hash", struct io_uring_key, u64, io_uring_reqs, 16384);

int io_uring_submit(struct io_tp_io_uring_io_uring_submit_sqe *ctx)
{
	struct io_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 req = (u64)ctx->req;

	if (io_wanted())
		io_uring_reqs.update(&key, &req);
	return 0;
}

int io_uring_done(struct io_tp_io_uring_io_uring_complete *ctx)
{
	struct io_uring_key key = { .ctx = (u64)ctx->ctx, .user_data = ctx->user_data };
	u64 *req = io_uring_reqs.lookup(&key);

	if (req) {
		io_async_end(ctx, *req, (s32)ctx->res);
		io_uring_reqs.delete(&key);
	}
	return 0;
}
#endif

#ifdef IO_USE_URING_KIOCB
/* io_complete_rw(kiocb, res…) on 5.1–5.4: a request begins with its kiocb */
int io_uring_kiocb_done(struct pt_regs *ctx)
{
	io_async_end(ctx, PT_REGS_PARM1(ctx), (s64)PT_REGS_PARM2(ctx));
	return 0;
}
#endif

/* ---- names that changed above the files ---- */
#ifdef IO_USE_D_MOVE
/* d_move(dentry, target) and d_exchange: a moved directory changes every name below */
int io_d_move(struct pt_regs *ctx)
{
	struct dentry *d = (struct dentry *)PT_REGS_PARM1(ctx);
	struct inode *inode = 0;
	umode_t mode = 0;
	u64 key = io_slot_key(IO_N_SLOTS);
	struct io_slot mark = {};

	IO_READ_K(&inode, sizeof(inode), &d->d_inode);
	IO_GET(mode, inode, i_mode);
	if (S_ISDIR(mode))
		io_slots.update(&key, &mark);
	return 0;
}

int io_d_move_ret(struct pt_regs *ctx)
{
	u64 key = io_slot_key(IO_N_SLOTS);
	u32 zero = 0;
	u64 *epoch = io_epoch.lookup(&zero);

	if (io_slots.lookup(&key)) {
		io_slots.delete(&key);
		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
	return 0;
}
#endif

#if defined(IO_USE_SC_RENAME) || defined(IO_USE_SC_MOUNT)
/* A rename or a mount succeeded; which names it changed is not known here. */
int io_names_moved(struct io_sys_exit *ctx)
{
	u32 zero = 0;
	u64 *epoch = io_epoch.lookup(&zero);

	if (epoch && ctx->ret == 0)
		__sync_fetch_and_add(epoch, 1);
	return 0;
}
#endif
#endif /* IO_STREAM_fs */
