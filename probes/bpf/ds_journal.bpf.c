/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and layers: for whom a journal of jbd2 (ext4, OCFS2) commits. Who begins a handle changes
 * something in the transaction of that moment; what the journal's thread writes, from when nobody
 * can join the transaction any more to the end of its commit, is of those who did.
 */
#if defined(IOT_USE_JOURNALS) || defined(IOT_USE_JOURNALS_RAW)

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

/* By device and number; handles of each process in them; and what each journal's thread commits */
BPF_TABLE("lru_hash", u64, struct iot_transaction, iot_transactions, 1024);
BPF_TABLE("lru_hash", struct iot_member, u32, iot_joined, 8192);
BPF_TABLE("hash", u32, struct iot_commit, iot_commits, 1024);

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

#ifdef IOT_USE_JOURNALS_RAW
/* args: the device, the number of the transaction, … */
int iot_raw_handle_start(struct iot_raw *ctx)
{
	return iot_handle_begin(IOT_TRANSACTION(ctx->args[0], ctx->args[1]));
}
#else
int iot_handle_start(struct iot_tp_jbd2_jbd2_handle_start *ctx)
{
	return iot_handle_begin(IOT_TRANSACTION(ctx->dev, ctx->tid));
}
#endif

int iot_commit_begin(struct iot_tp_jbd2_jbd2_commit_flushing *ctx)
{
	u64 key = IOT_TRANSACTION(ctx->dev, ctx->transaction);
	struct iot_transaction *t = iot_transactions.lookup(&key);
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_commit commit;

	if (!t)
		return 0;
	__builtin_memcpy(&commit, &t->commit, sizeof(commit));
	iot_commits.update(&tid, &commit);
	iot_transactions.delete(&key);
	return 0;
}

int iot_commit_end(struct iot_tp_jbd2_jbd2_end_commit *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();

	iot_commits.delete(&tid);
	return 0;
}

static __always_inline void iot_about_commit(struct iot_about *about)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_commit *commit = iot_commits.lookup(&tid);

	if (!commit || about->pages == IOT_ABOUT_FILE)
		return;
	__builtin_memcpy(&about->commit, commit, sizeof(*commit));
	about->found |= IOT_ABOUT_COMMIT;
}
#else
static __always_inline void iot_about_commit(struct iot_about *about)
{
}
#endif
