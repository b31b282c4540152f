/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and layers: for whom a journal commits.
 *
 * jbd2 (ext4, OCFS2): who begins a handle changes something in the transaction of that moment; what
 * the journal's thread writes, from when nobody can join the transaction any more to the end of its
 * commit, is of those who did.
 *
 * XFS: who reserves room in the log changes something in the checkpoint that is open. Its log is
 * written by whatever thread fills a buffer or waits for one, mostly a worker.
 */

#if defined(IOT_USE_JOURNALS) || defined(IOT_USE_JOURNALS_RAW) || defined(IOT_USE_XFS_LOG) || defined(IOT_USE_XFS_PUSH)

struct iot_transaction {
	u64 since; /* when it was first joined: numbers come again when a file system is made anew */
	u32 most;  /* handles of the process that is named */
	u32 pad;
	struct iot_commit commit;
};

struct iot_member {
	u64 since;
	u64 tgid;
};

struct iot_committing {
	struct iot_commit commit;
	u32 left; /* sectors of XFS' log that will be written at least; 0: of jbd2, all that its thread writes */
	u32 once; /* of jbd2, the next bio alone */
};

/* By device and number; handles of each process in them; and what each journal's thread commits */
BPF_TABLE("lru_hash", u64, struct iot_transaction, iot_transactions, 1024);
BPF_TABLE("lru_hash", struct iot_member, u32, iot_joined, 8192);
BPF_TABLE("lru_hash", u32, struct iot_committing, iot_commits, 1024);

#define IOT_TRANSACTION(dev, number) ((u64)(u32)(dev) << 32 | (u32)(number))

static __always_inline int iot_handle_begin(u64 key)
{
	struct iot_transaction *t, fresh = {};
	struct iot_member member = {};
	u32 *handles, one = 1;

	/* a thread of the kernel has its own for what others wrote */
	if (!iot_wanted() || iot_is_kernel_thread())
		return 0;
	t = iot_transactions.lookup(&key);
	if (!t) {
		fresh.since = bpf_ktime_get_ns();
		iot_transactions.insert(&key, &fresh);
		t = iot_transactions.lookup(&key);
		if (!t)
			return 0;
	}
	member.since = t->since;
	member.tgid = bpf_get_current_pid_tgid() >> 32;
	handles = iot_joined.lookup(&member);
	if (handles) {
		/* threads that come together count as one */
		one = *handles + 1;
		*handles = one;
	} else if (iot_joined.insert(&member, &one) == 0) {
		__sync_fetch_and_add(&t->commit.owners, 1);
	}
	if (one <= t->most)
		return 0;
	t->most = one;
	if (t->commit.tgid == (u32)member.tgid)
		return 0;
	t->commit.tgid = member.tgid;
	bpf_get_current_comm(&t->commit.comm, sizeof(t->commit.comm));
	return 0;
}

/* The current thread writes what t's processes changed. */
static __always_inline void iot_commit_for(struct iot_transaction *t, u32 left)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_committing now = { .left = left };

	__builtin_memcpy(&now.commit, &t->commit, sizeof(now.commit));
	iot_commits.update(&tid, &now);
}

static __always_inline void iot_commit_over(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	iot_commits.delete(&tid);
}

#if defined(IOT_USE_JOURNALS) || defined(IOT_USE_JOURNALS_RAW)
/* By device: the transaction that was joined last */
BPF_TABLE("lru_hash", u32, u32, iot_last_joined, 256);

static __always_inline int iot_joins(u32 dev, u32 number)
{
	u32 *last = iot_last_joined.lookup(&dev);

	if (!last)
		iot_last_joined.update(&dev, &number);
	else if (*last != number)
		*last = number;
	return iot_handle_begin(IOT_TRANSACTION(dev, number));
}

#ifdef IOT_USE_JOURNALS_RAW
/* args: the device, the number of the transaction, … */
int iot_raw_handle_start(struct iot_raw *ctx)
{
	return iot_joins(ctx->args[0], ctx->args[1]);
}
#else
int iot_handle_start(struct iot_tp_jbd2_jbd2_handle_start *ctx)
{
	return iot_joins(ctx->dev, ctx->tid);
}
#endif

/*
 * The first block of the journal is about to be written by the current thread. Before the first commit to a journal that
 * was empty (jbd2_journal_commit_transaction, 4.14 to 7.3) that is for those whose transaction is to be committed.
 */
int iot_journal_begins(struct iot_tp_jbd2_jbd2_write_superblock *ctx)
{
	u32 tid = bpf_get_current_pid_tgid(), dev = ctx->dev, *last = iot_last_joined.lookup(&dev);
	struct iot_committing next = { .once = 1 };
	struct iot_transaction *t;
	u64 key;

	if (!last || iot_commits.lookup(&tid))
		return 0;
	key = IOT_TRANSACTION(dev, *last);
	t = iot_transactions.lookup(&key);
	if (!t)
		return 0;
	__builtin_memcpy(&next.commit, &t->commit, sizeof(next.commit));
	iot_commits.update(&tid, &next);
	return 0;
}

int iot_commit_begin(struct iot_tp_jbd2_jbd2_commit_flushing *ctx)
{
	u64 key = IOT_TRANSACTION(ctx->dev, ctx->transaction);
	struct iot_transaction *t = iot_transactions.lookup(&key);

	if (!t)
		return 0;
	iot_commit_for(t, 0);
	iot_transactions.delete(&key);
	return 0;
}

int iot_commit_end(struct iot_tp_jbd2_jbd2_end_commit *ctx)
{
	iot_commit_over();
	return 0;
}
#endif

#if defined(IOT_USE_XFS_LOG) || defined(IOT_USE_XFS_PUSH)
/* Two take the place of a number: the checkpoint that is open, and the one whose buffers are being written */
enum { IOT_XFS_OPEN, IOT_XFS_CLOSING };

/*
 * The current thread is about to write a buffer of the log, of so many sectors at least. The last one of
 * a checkpoint has the record that ends it. What changed meanwhile is of the next one.
 */
static __always_inline void iot_xfs_write(u64 log, u32 sectors, int last)
{
	u64 closing = log | IOT_XFS_CLOSING, key = closing;
	struct iot_transaction *t = iot_transactions.lookup(&key), copy;

	if (!t) {
		key = log | IOT_XFS_OPEN;
		t = iot_transactions.lookup(&key);
	}
	if (!t) {
		iot_commit_over();
		return;
	}
	iot_commit_for(t, sectors);
	if (key != closing && !last) {
		__builtin_memcpy(&copy, t, sizeof(copy));
		iot_transactions.update(&closing, &copy);
	}
	if (key != closing || last)
		iot_transactions.delete(&key);
}
#endif

#ifdef IOT_USE_XFS_LOG
int iot_xfs_reserve(struct iot_tp_xfs_xfs_log_reserve *ctx)
{
	return iot_handle_begin(IOT_TRANSACTION(ctx->dev, IOT_XFS_OPEN));
}

#define IOT_ICLOG_FUA (1 << 1) /* XLOG_ICL_NEED_FUA, fs/xfs/xfs_log_priv.h, 5.14 to 7.3: the commit record is in it */

int iot_xfs_sync(struct iot_tp_xfs_xlog_iclog_sync *ctx)
{
	iot_xfs_write(IOT_TRANSACTION(ctx->dev, 0), ctx->offset / 512 + 1, (ctx->flags & IOT_ICLOG_FUA) != 0);
	return 0;
}
#endif

#ifdef IOT_USE_XFS_PUSH
/*
 * Without these events a log is known by the address of its struct xlog, which is the same for all functions,
 * and 8 bytes and more apart from any other. A push writes what is full, and leaves the record that ends the
 * checkpoint to who waits for it.
 */
BPF_TABLE("lru_hash", u32, u8, iot_xfs_pushes, 256); /* 1: it has not written anything yet */

#define IOT_UNTIL_RETURN (~0U)

/* (log, …): waits for room */
int iot_xfs_room(struct pt_regs *ctx)
{
	return iot_handle_begin(PT_REGS_PARM1(ctx) | IOT_XFS_OPEN);
}

int iot_xfs_push(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	u8 one = 1;

	iot_xfs_pushes.update(&tid, &one);
	return 0;
}

int iot_xfs_push_ret(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();

	iot_xfs_pushes.delete(&tid);
	return 0;
}

/* (log, buffer) */
int iot_xfs_buffer(struct pt_regs *ctx)
{
	u64 log = PT_REGS_PARM1(ctx), closing = log | IOT_XFS_CLOSING, open = log | IOT_XFS_OPEN;
	u32 tid = bpf_get_current_pid_tgid();
	u8 *first = iot_xfs_pushes.lookup(&tid);

	/* the buffer that ends the checkpoint before was written with others in it */
	if (first && *first && iot_transactions.lookup(&open))
		iot_transactions.delete(&closing);
	iot_xfs_write(log, IOT_UNTIL_RETURN, !first);
	if (first)
		*first = 0;
	return 0;
}

int iot_xfs_buffer_ret(struct pt_regs *ctx)
{
	iot_commit_over();
	return 0;
}
#endif

/* Whether the current thread, traced or not, writes what those who are have changed */
static __always_inline int iot_commits_here(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	return iot_commits.lookup(&tid) != 0;
}

static __always_inline void iot_owner_commit(struct iot_owner *owner, const char *rwbs, u32 sectors)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_committing *now = iot_commits.lookup(&tid);

	if (!now || owner->pages == IOT_OWNER_FILE)
		return;
	/* XFS says both of its log, in all versions */
	if (now->left && (!sectors || iot_letters(rwbs) != (IOT_LETTER_META | IOT_LETTER_SYNC)))
		return;
	__builtin_memcpy(&owner->commit, &now->commit, sizeof(now->commit));
	owner->found |= IOT_OWNER_COMMIT;
	if (!now->left && !now->once)
		return;
	/* the log ends, and goes on where it begins: then a buffer is written in two parts */
	if (!now->once && sectors < now->left)
		now->left -= sectors;
	else
		iot_commits.delete(&tid);
}
#else
static __always_inline int iot_commits_here(void)
{
	return 0;
}

static __always_inline void iot_owner_commit(struct iot_owner *owner, const char *rwbs, u32 sectors)
{
}
#endif
