/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers without fs: reads, writes and syncs are counted where every system call of the machine begins
 * and ends. The beginning leaves the clock and nothing else; at the end the caller's registers still say
 * which call it was and of what descriptor, and only then it is looked at what that is. Another thread that
 * closes the descriptor meanwhile is not seen.
 */
#ifdef IOT_USE_CALLS_RAW

#define IOT_COUNTED_READS(CALL) CALL(read) CALL(pread64) CALL(readv) CALL(preadv) CALL(preadv2)
#define IOT_COUNTED_WRITES(CALL) CALL(write) CALL(pwrite64) CALL(writev) CALL(pwritev) CALL(pwritev2)
#define IOT_COUNTED_SYNCS(CALL) CALL(fsync) CALL(fdatasync)

#define NONE -1
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#define IOT_CALL_NUMBERS(call, word, x86_64, i386, arm64, arm) IOT_NATIVE_##call = arm64, IOT_COMPAT_##call = arm,
#else
#define IOT_CALL_NUMBERS(call, word, x86_64, i386, arm64, arm) IOT_NATIVE_##call = x86_64, IOT_COMPAT_##call = i386,
#endif
enum { IOT_CALLS(IOT_CALL_NUMBERS) };
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

/* args: the caller's registers, the number of the call */
int iot_counted_enter(struct iot_raw *ctx)
{
	u32 number = ctx->args[1], tid, at;
	u64 *begun, word;

	/* a number of the other kind is found out at the end, where the registers are read */
	if (!iot_counted_kind(number, 0) && !iot_counted_kind(number, 1))
		return 0;
	tid = bpf_get_current_pid_tgid();
	at = IOT_BEGUN_PLACE(tid);
	begun = iot_begun.lookup(&at);
	if (!begun)
		return 0;
	word = IOT_BEGUN_WORD(tid, bpf_ktime_get_ns());
	if (*begun && !iot_begun_by(*begun, tid) && word - *begun < IOT_BEGUN_OLD) {
		if (iot_wanted())
			iot_miss(IOT_SEQ_layers, IOT_MISS_FULL);
		return 0;
	}
	*begun = word;
	return 0;
}

struct iot_counted {
	s32 fd;
	u8 kind;
};

static __always_inline void iot_counted_read(struct iot_counted *c, u64 regs)
{
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
	u64 first = 0, pstate = 0;
	s32 number = -1;

	IOT_LOAD(first, regs + offsetof(struct pt_regs, orig_x0));
	IOT_LOAD(number, regs + offsetof(struct pt_regs, syscallno));
	IOT_LOAD(pstate, regs + offsetof(struct pt_regs, pstate));
	c->kind = iot_counted_kind(number, (pstate & IOT_PSTATE_32) != 0);
	c->fd = first;
#else
	/* di, orig_ax, ip, cs */
	u64 words[4] = {};

	IOT_LOAD(words, regs + offsetof(struct pt_regs, di));
	c->fd = words[0];
	if ((u16)words[3] == IOT_USER32_CS) {
		c->kind = iot_counted_kind(words[1], 1);
		IOT_LOAD(words[0], regs + offsetof(struct pt_regs, bx));
		c->fd = words[0];
		return;
	}
	c->kind = iot_counted_kind(words[1], 0);
#endif
}

/* args: the caller's registers, what the call returns */
int iot_counted_exit(struct iot_raw *ctx)
{
	u64 id = bpf_get_current_pid_tgid(), *begun, word, now, comm[2];
	struct iot_counted c = {};
	struct iot_config *cfg;
	struct iot_inode moved = {};
	struct iot_file f = {};
	struct iot_own own;
	u32 at = IOT_BEGUN_PLACE((u32)id);
	s64 ret = ctx->args[1];
	struct file *file;

	begun = iot_begun.lookup(&at);
	if (!begun || !iot_begun_by(*begun, id))
		return 0;
	word = *begun;
	*begun = 0;
	cfg = iot_wanted();
	if (!cfg || !(cfg->count & IOT_COUNTS_NO_FS))
		return 0;
	iot_counted_read(&c, ctx->args[0]);
	if (!c.kind)
		return 0;
	now = IOT_BEGUN_WORD((u32)id, bpf_ktime_get_ns());
	iot_own_read(&own);
	file = iot_own_file(&own, c.fd);
	if (!file || !iot_file_read(&f, file, cfg))
		return 0;
	iot_comm_read(comm);
	moved.ino = f.ino;
	moved.dev = f.dev;
	iot_count_kind_on(id >> 32, comm, 1, c.kind, &moved, ret, (now - word) >> IOT_BEGUN_TAG);
	return 0;
}
#endif
