/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How system calls of struct iot_call begin (on a descriptor or two, a path or two, or
 * neither), one program for each; fs_ops_end.bpf.c has their end. A name is the caller's
 * string, and, with headers, the directory that a relative one starts at; what
 * the kernel found there is filled in by fs_named.bpf.c. 32-bit programs never
 * come here.
 */
#ifdef IOT_FILE_TEXTS
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif
#define IOT_AT_REMOVEDIR 0x200
#define IOT_AT_EMPTY_PATH 0x1000
#define IOT_AT_LINK (0x100 | 0x400) /* AT_SYMLINK_NOFOLLOW, of linkat AT_SYMLINK_FOLLOW */

#ifdef IOT_HEADERS
/*
 * In place of the directory that a name starts at, where the name's page was not there when the call
 * began: the call reads it, and then it is.
 */
#define IOT_DIR_LATER (~0ULL)

/* Takes a file as what the call is about; its name is sent at last (by tail call: does not return). */
static __always_inline void iot_call_file(void *ctx, struct iot_call *c, struct iot_file *f,
					 struct iot_own *own, int kprobe)
{
	iot_file_name(f);
	c->more.fs.name = f->id;
	c->more.fs.ino = f->ino;
	c->more.fs.dev = f->dev;
	c->more.fs.ofd = f->ofd;
	c->more.fs.status |= f->status;
	c->more.fs.mntns = iot_mntns(own, c->key);
	if (f->walk)
		iot_send_name(ctx, f, kprobe);
}
#endif

#if defined(IOT_PROGRAM_iot_sc_on_fd) || defined(IOT_PROGRAM_iot_sc_path) || defined(IOT_PROGRAM_iot_sc_bare) || \
	defined(IOT_PROGRAM_iot_sc_moves)
#define IOT_MMAP_FIXED 0x10
#define IOT_MMAP_ANONYMOUS 0x20

static __always_inline struct iot_config *iot_config(void)
{
	u32 zero = 0;

	return iot_cfg.lookup(&zero);
}
#endif

/* A call on one descriptor, of whatever shape */
#if defined(IOT_PROGRAM_iot_sc_on_fd) || defined(IOT_PROGRAM_iot_sc_path)
BPF_TABLE("prog", u32, u32, iot_to_fd_sc, 1);
#endif

#ifdef IOT_PROGRAM_iot_sc_on_fd
int iot_sc_on_fd(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_fd_sc.call(ctx, 0);
	return 0;
}
#endif

#if defined(IOT_PROGRAM_iot_sc_on_fd) || defined(IOT_PROGRAM_iot_sc_path)
/*
 * mmap: memory without a file is sent only where it may replace a mapping (MAP_FIXED), since the
 * reader follows those of files.
 */
static __always_inline int iot_fd_begin(void *ctx, struct iot_sys_enter *call, int kprobe)
{
	struct iot_config *cfg = iot_config();
	struct iot_call_row *row = iot_row_of(call);
	struct iot_call *c;
	s32 fd = IOT_SYS_ARG(call, 0), mapped = IOT_SYS_ARG(call, 4);
	u32 flags = IOT_SYS_ARG(call, 3);
	int anonymous = 0;
#ifdef IOT_HEADERS
	struct iot_file f = {};
	struct iot_own own = {}; /* also where file is 0: the verifier of 4.14 may not see that it is */
	struct file *file = 0;
#endif

	if (!cfg || !row)
		return 0;
	if (row->begin == IOT_BEGIN_MMAP) {
		anonymous = flags & IOT_MMAP_ANONYMOUS;
		if (anonymous && !(flags & IOT_MMAP_FIXED))
			return 0;
		fd = anonymous ? -1 : mapped;
	}
#ifdef IOT_HEADERS
	if (!anonymous) {
		iot_own_read(&own);
		file = iot_own_file(&own, fd);
	}
	if (file && !iot_file_read(&f, file, cfg))
		return 0;
#endif
	c = iot_call_begin(cfg, row->op, row->via, row->call);
	if (!c)
		return 0;
	iot_call_take(call, row, c, -1, -1);
	c->more.fs.fd = fd;
	c->text = 0; /* an empty name, or none: the descriptor itself */
	if (row->rules & IOT_RULE_AT_SHOWN)
		c->more.fs.flags |= flags;
	if (anonymous)
		c->more.fs.offset = -1;
#ifdef IOT_HEADERS
	if (!file)
		return 0;
	if (row->op == IOT_READDIR) {
		c->more.fs.flags = f.flags;
		IOT_LOAD(c->more.fs.offset, (u64)file + offsetof(struct file, f_pos));
	}
	iot_call_file(ctx, c, &f, &own, kprobe);
#endif
	return 0;
}

int iot_fd_sc(struct iot_sys_enter *ctx)
{
	return iot_fd_begin(ctx, ctx, IOT_SYS_KPROBE);
}

#ifdef IOT_USE_MMAP_FUNCTION
#define NONE -1
#define IOT_MMAP_NUMBER(call, word, numbers, ...) IOT_NUMBER_OF_##call = IOT_NR_NATIVE numbers,
enum { IOT_FS_CALLS(IOT_MMAP_NUMBER, IOT_MMAP_NUMBER) };
#undef NONE

/* Where it is a function of the architecture without events (arm64 before 4.19); those of 32-bit programs is another. */
int iot_mmap_begin(struct pt_regs *ctx)
{
	struct iot_sys_enter call = { .number = IOT_NUMBER_OF_mmap };

	call.args[0] = PT_REGS_PARM1(ctx);
	call.args[1] = PT_REGS_PARM2(ctx);
	call.args[2] = PT_REGS_PARM3(ctx);
	call.args[3] = PT_REGS_PARM4(ctx);
	call.args[4] = PT_REGS_PARM5(ctx);
	call.args[5] = PT_REGS_PARM6(ctx);
	return iot_tracked() ? iot_fd_begin(ctx, &call, 1) : 0;
}
#endif
#endif

#ifdef IOT_PROGRAM_iot_sc_moves
BPF_TABLE("prog", u32, u32, iot_to_moves_sc, 1);

int iot_sc_moves(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_moves_sc.call(ctx, 0);
	return 0;
}

/* linux/fs.h: from where to where, and how much of it (0: to the end) */
#define IOT_FICLONE 0x40049409
#define IOT_FICLONERANGE 0x4020940d
#define IOT_FIDEDUPERANGE 0xc0189436
struct iot_clone {
	struct {
		s64 fd, offset, length, to;
	} from; /* struct file_clone_range */
	s32 to;
};

/* Of several targets of one FIDEDUPERANGE the first. 0: another command of ioctl. */
static __always_inline int iot_clone_asked(struct iot_clone *clone, s32 fd, u32 command, u64 arg)
{
	struct {
		s64 offset, length, counts, fd, to;
	} dedupe = { .fd = -1 };

	clone->to = fd;
	if (command == IOT_FICLONE) {
		clone->from.fd = (s32)arg;
	} else if (command == IOT_FICLONERANGE) {
		if (IOT_READ_U(&clone->from, sizeof(clone->from), (void *)arg) < 0)
			clone->from.fd = -1;
	} else if (command == IOT_FIDEDUPERANGE) {
		IOT_READ_U(&dedupe, sizeof(dedupe), (void *)arg);
		clone->from.fd = fd;
		clone->from.offset = dedupe.offset;
		clone->from.length = dedupe.length;
		clone->from.to = dedupe.to;
		clone->to = dedupe.fd;
	} else {
		return 0;
	}
	return 1;
}

/* On two descriptors: the second counts when the first is no file. */
int iot_moves_sc(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_config();
	struct iot_call_row *row = iot_row_of(ctx);
	struct iot_call *c;
	s32 first = IOT_SYS_ARG(ctx, 0), second = IOT_SYS_ARG(ctx, 1), third = IOT_SYS_ARG(ctx, 2), fd = first, fd2 = third;
	u64 fourth = IOT_SYS_ARG(ctx, 3), size = IOT_SYS_ARG(ctx, 4);
	int swapped = 0, cloned;
	struct iot_clone clone = {};
#ifdef IOT_HEADERS
	struct iot_file f = {};
	struct iot_own own;
	struct file *file;
#endif

	if (!cfg || !row)
		return 0;
	cloned = row->begin == IOT_BEGIN_CLONE;
	if (cloned) {
		if (!iot_clone_asked(&clone, first, second, IOT_SYS_ARG(ctx, 2)))
			return 0;
		fd = clone.from.fd;
		fd2 = clone.to;
	}
	if (row->begin == IOT_BEGIN_SENDFILE) {
		fd2 = first;
		fd = second;
		size = fourth;
	}
#ifdef IOT_USE_SC_SEND
	if (row->begin != IOT_BEGIN_COPY && !cloned)
		iot_net_moves(fd, fd2, size, row->begin == IOT_BEGIN_SENDFILE ? IOT_NET_SENDFILE : IOT_NET_SPLICE);
#endif
#ifdef IOT_HEADERS
	iot_own_read(&own);
	file = iot_own_file(&own, fd);
	if (file && !iot_file_read(&f, file, cfg)) {
		if (row->begin != IOT_BEGIN_SPLICE)
			return 0;
		/* from a pipe: the file is the other one */
		fd = fd2;
		fd2 = first;
		swapped = 1;
		file = iot_own_file(&own, fd);
		if (!file || !iot_file_read(&f, file, cfg))
			return 0;
	}
#endif
	c = iot_call_begin(cfg, row->op, row->via, row->call);
	if (!c)
		return 0;
	c->more.offset2 = -1;
	iot_call_take(ctx, row, c, -1, -1);
	c->more.fs.fd = fd;
	c->more.fd2 = fd2;
	if (swapped) {
		c->offp = c->offp2;
		c->offp2 = 0;
		c->more.fs.flags |= IOT_SPLICE_TO_FILE;
	}
	if (cloned) {
		c->more.fs.size = clone.from.length;
		c->more.fs.offset = clone.from.offset;
		c->more.offset2 = clone.from.to;
	}
#ifdef IOT_HEADERS
	if (!file)
		return 0;
	/* without an offset of its own, the call uses the file's position */
	if (!c->offp && !cloned)
		IOT_LOAD(c->more.fs.offset, (u64)file + offsetof(struct file, f_pos));
	iot_call_file(ctx, c, &f, &own, IOT_SYS_KPROBE);
#endif
	return 0;
}
#endif

#ifdef IOT_PROGRAM_iot_sc_bare
BPF_TABLE("prog", u32, u32, iot_to_bare_sc, 1);

int iot_sc_bare(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_bare_sc.call(ctx, 0);
	return 0;
}

/* On what has no file of ours: pipes, memory, everything */
int iot_bare_sc(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_config();
	struct iot_call_row *row = iot_row_of(ctx);
	struct iot_call *c;

	if (!cfg || !row)
		return 0;
	c = iot_call_begin(cfg, row->op, row->via, row->call);
	if (!c)
		return 0;
	c->more.fs.fd = iot_call_take(ctx, row, c, -1, -1);
#ifdef IOT_USE_SC_VMSPLICE
	if (row->begin == IOT_BEGIN_VMSPLICE)
		c->more.fs.size = iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
#endif
	return 0;
}
#endif

#ifdef IOT_PROGRAM_iot_sc_path
BPF_TABLE("prog", u32, u32, iot_to_path_sc, 1);

int iot_sc_path(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_path_sc.call(ctx, 0);
	return 0;
}

/* On a name or two. NULL, or an empty one where AT_EMPTY_PATH allows it, is the descriptor itself. */
int iot_path_sc(struct iot_sys_enter *ctx)
{
	struct iot_config *cfg = iot_config();
	struct iot_call_row *row = iot_row_of(ctx);
	struct iot_call *c;
	u16 op, via, status = IOT_ST_PATH;
	s32 dirfd;
	u32 at;
	char first = 1;
#ifdef IOT_HEADERS
	struct iot_file f = {};
	struct iot_own own;
#endif

	if (!cfg || !row)
		return 0;
	op = row->op;
	via = row->via;
	at = iot_call_at(ctx, row);
	if (at & IOT_AT_LINK)
		status |= IOT_ST_AT_LINK;
	if (row->begin == IOT_BEGIN_AT) {
		u64 text = IOT_SYS_ARG(ctx, 1);

		if (text && (at & IOT_AT_EMPTY_PATH))
			IOT_READ_U(&first, 1, (void *)text);
		/* "" from the working directory is that directory, not a descriptor */
		if (!first && (s32)IOT_SYS_ARG(ctx, 0) == AT_FDCWD)
			status |= IOT_ST_SELF;
		else if (!text || !first)
			iot_to_fd_sc.call(ctx, 0);
	} else if (at & IOT_AT_REMOVEDIR && row->rules & IOT_RULE_REMOVEDIR) {
		op = IOT_RMDIR;
		via = IOT_VIA_FS_RMDIR;
	} else if (row->rules & IOT_RULE_SELF || (at & IOT_AT_EMPTY_PATH && row->rules & IOT_RULE_EMPTY)) {
		status |= IOT_ST_SELF;
	}
	c = iot_call_begin(cfg, op, via, row->call);
	if (!c)
		return 0;
	dirfd = iot_call_take(ctx, row, c, AT_FDCWD, AT_FDCWD);
	if (row->rules & IOT_RULE_AT_SHOWN)
		c->more.fs.flags |= at;
	c->more.fs.dirfd = dirfd;
	c->more.fs.status = status;
	if (!c->text2)
		c->more.fd2 = -1;
	first = 0;
	if (status & IOT_ST_SELF && dirfd >= 0 && !IOT_READ_U(&first, 1, (void *)c->text) && !first)
		c->more.fs.fd = dirfd;
#ifdef IOT_HEADERS
	iot_own_read(&own);
	c->more.fs.mntns = iot_mntns(&own, c->key);
	/* the target of a symbolic link starts nowhere, nor does what is mounted */
	if (op == IOT_SYMLINK || op == IOT_MOUNT)
		return 0;
	if (IOT_READ_U(&first, 1, (void *)c->text) < 0) {
		c->more.fs.dir = IOT_DIR_LATER;
		return 0;
	}
	if (!iot_start_dir(&f, &own, dirfd, first == '/'))
		return 0;
	iot_file_name(&f);
	c->more.fs.dir = f.id;
	if (f.walk)
		iot_send_name(ctx, &f, IOT_SYS_KPROBE);
#endif
	return 0;
}
#endif

#endif /* IOT_FILE_TEXTS */
