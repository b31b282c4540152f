/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers without fs: reads, writes and syncs are counted where they begin and end, by programs that do
 * nothing else. The beginning leaves the clock; only at the end it is looked at what the file is.
 */
#ifdef IOT_COUNTED_ALONE

/*
 * When the call of a thread began: nanoseconds, and below them what the place does not say of the thread's
 * id, which is one word that is there or not. 0: it is in no such call. Ids go up to 1 << 22.
 */
#define IOT_BEGUN_BITS 16
#define IOT_BEGUN_TAG 6
BPF_ARRAY(iot_begun, u64, 1 << IOT_BEGUN_BITS);

#define IOT_BEGUN_PLACE(tid) ((tid) & ((1 << IOT_BEGUN_BITS) - 1))
#define IOT_BEGUN_WORD(tid, ns) \
	((u64)(ns) << IOT_BEGUN_TAG | (((tid) >> IOT_BEGUN_BITS) & ((1 << IOT_BEGUN_TAG) - 1)))
/* A place that is another's is waited for as long as that (a thread that was killed does not give it back). */
#define IOT_BEGUN_OLD (10000000000ULL << IOT_BEGUN_TAG)

static __always_inline int iot_begun_by(u64 word, u32 tid)
{
	return word && !((word ^ IOT_BEGUN_WORD(tid, 0)) & ((1 << IOT_BEGUN_TAG) - 1));
}

static __always_inline void iot_begun_now(void)
{
	u32 tid = bpf_get_current_pid_tgid(), at = IOT_BEGUN_PLACE(tid);
	u64 *begun = iot_begun.lookup(&at), word;

	if (!begun)
		return;
	word = IOT_BEGUN_WORD(tid, bpf_ktime_get_ns());
	if (*begun && !iot_begun_by(*begun, tid) && word - *begun < IOT_BEGUN_OLD) {
		if (iot_wanted())
			iot_miss(IOT_SEQ_layers, IOT_MISS_FULL);
		return;
	}
	*begun = word;
}

/* The call of the current thread has ended: the word of its beginning, 0 when that was not seen. */
static __always_inline u64 iot_begun_take(void)
{
	u32 tid = bpf_get_current_pid_tgid(), at = IOT_BEGUN_PLACE(tid);
	u64 *begun = iot_begun.lookup(&at), word;

	if (!begun || !iot_begun_by(*begun, tid))
		return 0;
	word = *begun;
	*begun = 0;
	return word;
}

/* The config when the current task's calls are counted, else NULL. */
static __always_inline struct iot_config *iot_counting(void)
{
	struct iot_config *cfg = iot_wanted();

	return cfg && (cfg->count & IOT_COUNTS_NO_FS) ? cfg : 0;
}

/* word: of the beginning; now: nanoseconds */
static __always_inline void iot_begun_count(u64 word, u64 now, u8 kind, struct iot_file *f, s64 ret)
{
	u64 id = bpf_get_current_pid_tgid(), comm[2];
	struct iot_inode moved = { .ino = f->ino, .dev = f->dev };

	iot_comm_read(comm);
	iot_count_kind_on(id >> 32, comm, 1, kind, &moved, ret, (IOT_BEGUN_WORD((u32)id, now) - word) >> IOT_BEGUN_TAG);
}

/* The same of a call on a descriptor: another thread that closes it meanwhile is not seen. */
static __always_inline void iot_begun_count_fd(struct iot_config *cfg, u64 word, u8 kind, s32 fd, s64 ret)
{
	u64 now = bpf_ktime_get_ns();
	struct file *file = iot_fd_file(fd);
	struct iot_file f = {};

	if (file && iot_file_read(&f, file, cfg))
		iot_begun_count(word, now, kind, &f, ret);
}

#ifdef IOT_USE_CALLS_TRAMPOLINE
/*
 * What a function gets, and what it returns behind that. The verifier knows the types of these pointers:
 * plain instructions may load from there, and what these lead to, which is 0 when it cannot be read.
 */
struct iot_function {
	u64 args[5];
};
#define IOT_TYPED(dst, from) ((dst) = *(volatile __typeof__(dst) *)(from))

/* As iot_file_read(), of what a count needs. */
static __always_inline int iot_typed_file(struct iot_file *f, u64 file, struct iot_config *cfg)
{
	u64 inode = 0, sb = 0, type = 0, magic = 0;
	unsigned long ino = 0;
	int rule;

	IOT_TYPED(inode, file + offsetof(struct file, f_inode));
	IOT_TYPED(f->mode, inode + offsetof(struct inode, i_mode));
	if (!iot_mode_counts(f->mode))
		return 0;
	IOT_TYPED(sb, inode + offsetof(struct inode, i_sb));
	IOT_TYPED(ino, inode + offsetof(struct inode, i_ino));
	f->ino = ino;
	IOT_TYPED(f->dev, sb + offsetof(struct super_block, s_dev));
	if (cfg->fs_types) {
		IOT_TYPED(type, sb + offsetof(struct super_block, s_type));
		rule = iot_fs_rule(type, cfg);
		if (rule >= 0)
			return rule;
	}
	if (cfg->all_fs)
		return 1;
	IOT_TYPED(magic, sb + offsetof(struct super_block, s_magic));
	return !iot_pseudo_fs(magic);
}

/* args: file, buffer, length, position. Up to 5.9 the kernel's own reads come here, too, with a buffer that is not in user space. */
int iot_typed_enter(struct iot_function *ctx)
{
	if ((s64)ctx->args[1] >= 0)
		iot_begun_now();
	return 0;
}

static __always_inline int iot_typed_exit(struct iot_function *ctx, u8 kind)
{
	struct iot_config *cfg;
	struct iot_file f = {};
	u64 word;

	if ((s64)ctx->args[1] < 0)
		return 0;
	word = iot_begun_take();
	cfg = word ? iot_counting() : 0;
	if (cfg && iot_typed_file(&f, ctx->args[0], cfg))
		iot_begun_count(word, bpf_ktime_get_ns(), kind, &f, ctx->args[4]);
	return 0;
}

int iot_typed_read(struct iot_function *ctx)
{
	return iot_typed_exit(ctx, IOT_COUNT_READ);
}

int iot_typed_write(struct iot_function *ctx)
{
	return iot_typed_exit(ctx, IOT_COUNT_WRITE);
}

/* args: the caller's registers */
int iot_called_enter(struct iot_function *ctx)
{
	iot_begun_now();
	return 0;
}

/* first: where among them the first argument is */
static __always_inline int iot_called_exit(struct iot_function *ctx, u8 kind, u32 first)
{
	u64 word = iot_begun_take(), fd = 0;
	struct iot_config *cfg = word ? iot_counting() : 0;

	if (!cfg)
		return 0;
	IOT_TYPED(fd, ctx->args[0] + first);
	iot_begun_count_fd(cfg, word, kind, fd, ctx->args[1]);
	return 0;
}

int iot_called_read(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_READ, IOT_FIRST);
}

int iot_called_write(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_WRITE, IOT_FIRST);
}

int iot_called_sync(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_SYNC, IOT_FIRST);
}

int iot_called32_read(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_READ, IOT_FIRST32);
}

int iot_called32_write(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_WRITE, IOT_FIRST32);
}

int iot_called32_sync(struct iot_function *ctx)
{
	return iot_called_exit(ctx, IOT_COUNT_SYNC, IOT_FIRST32);
}
#endif

#ifdef IOT_USE_CALLS_RAW
/*
 * Where functions do not call programs: every system call of the machine does, at its beginning and at its
 * end, where the caller's registers still say which one it was and of what descriptor.
 */
#define IOT_COUNTED_READS(CALL) CALL(read) CALL(pread64) CALL(readv) CALL(preadv) CALL(preadv2)
#define IOT_COUNTED_WRITES(CALL) CALL(write) CALL(pwrite64) CALL(writev) CALL(pwritev) CALL(pwritev2)
#define IOT_COUNTED_SYNCS(CALL) CALL(fsync) CALL(fdatasync)

#define NONE -1
#define IOT_CALL_NUMBERS(call, word, numbers, ...) \
	IOT_NATIVE_##call = IOT_NR_NATIVE numbers, IOT_COMPAT_##call = IOT_NR_COMPAT numbers,
enum { IOT_FS_CALLS(IOT_CALL_NUMBERS, IOT_CALL_NUMBERS) };
#undef NONE

#define IOT_NATIVE_CASE(call) case IOT_NATIVE_##call:
#define IOT_COMPAT_CASE(call) case IOT_COMPAT_##call:

/* Which kind of operation a call is by its number; compat: of a 32-bit program. 0: it is not counted. */
static __always_inline u8 iot_counted_kind(u32 number, int compat)
{
	if (compat) {
		switch (number) {
		IOT_COUNTED_READS(IOT_COMPAT_CASE)
			return IOT_COUNT_READ;
		IOT_COUNTED_WRITES(IOT_COMPAT_CASE)
			return IOT_COUNT_WRITE;
		IOT_COUNTED_SYNCS(IOT_COMPAT_CASE)
			return IOT_COUNT_SYNC;
		}
		return 0;
	}
	switch (number) {
	IOT_COUNTED_READS(IOT_NATIVE_CASE)
		return IOT_COUNT_READ;
	IOT_COUNTED_WRITES(IOT_NATIVE_CASE)
		return IOT_COUNT_WRITE;
	IOT_COUNTED_SYNCS(IOT_NATIVE_CASE)
		return IOT_COUNT_SYNC;
	}
	return 0;
}

/* args: the caller's registers, the number of the call */
int iot_counted_enter(struct iot_raw *ctx)
{
	u32 number = ctx->args[1];

	/* a number of the other kind is found out at the end, where the registers are read */
	if (iot_counted_kind(number, 0) || iot_counted_kind(number, 1))
		iot_begun_now();
	return 0;
}

/* args: the caller's registers, what the call returns */
int iot_counted_exit(struct iot_raw *ctx)
{
	u64 word = iot_begun_take();
	struct iot_config *cfg = word ? iot_counting() : 0;
	struct iot_counted c = {};

	if (!cfg)
		return 0;
	iot_counted_read(&c, ctx->args[0]);
	if (c.kind)
		iot_begun_count_fd(cfg, word, c.kind, c.fd, ctx->args[1]);
	return 0;
}
#endif
#endif
