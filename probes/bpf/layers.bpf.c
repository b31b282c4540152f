/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers: calls and requests are counted where their records are made, by the same
 * programs. With it alone no record is sent, and no name is looked for: what a count needs is
 * whether the file is one of ours, and, of a write, whose bytes a flusher thread will carry later.
 */
#ifdef IOT_STREAM_layers

/* Reads, writes and syncs have programs (layers_calls.bpf.c) that count and do nothing else. */
#if defined(IOT_USE_CALLS_RAW) || defined(IOT_USE_CALLS_TRAMPOLINE)
#define IOT_COUNTED_ALONE 1
#endif

BPF_ARRAY(iot_counts, struct iot_count, IOT_COUNTS);
BPF_ARRAY(iot_counts_used, struct iot_counts_used, 1);

/* Who wrote to a file last: a flusher thread that submits its pages does so for that one */
BPF_TABLE("lru_hash", struct iot_inode, struct iot_written, iot_written, 16384);
/* How often that was changed; and, of each CPU, what was found there last, while it was not: one word, so that none is half written */
BPF_ARRAY(iot_written_changes, u64, 1);
BPF_TABLE("percpu_array", u32, u64, iot_written_last, 1);
/* From user space: the files of loop devices, and (inode 0) these themselves, with the disk below; 0: any */
BPF_TABLE("hash", struct iot_inode, u32, iot_loops, 1024);
BPF_ARRAY(iot_partitions, struct iot_partitions, 1);

/* A free entry becomes this key's. Of two that want it, neither may get it, as with those that are pending. */
static __always_inline int iot_count_claim(struct iot_count *c, u64 who, u64 what, u32 at)
{
	u32 zero = 0;
	struct iot_counts_used *used = iot_counts_used.lookup(&zero);
	u64 *bits, bit = 1ULL << (at & 63);

	if (!used || c->taken)
		return 0;
	__sync_fetch_and_add(&c->taken, 1);
	if (*(volatile u64 *)&c->taken != 1) {
		__sync_fetch_and_add(&c->taken, -1);
		return 0;
	}
	/* of an entry that was somebody's before the bit is there */
	bits = &used->bits[(at >> 6) & (IOT_COUNTS / 64 - 1)];
	if (!(*bits & bit))
		__sync_fetch_and_add(bits, bit);
	c->who = who;
	*(volatile u64 *)&c->what = what;
	return 1;
}

/* The entry with this key, or (take) a free one that gets it; NULL when there is none. */
static __always_inline struct iot_count *iot_count_seek(u64 who, u64 what, int take)
{
	u32 first = (u32)(who >> 32) * 40503 + (u32)who * 31 + (u32)what * 9973, found = 0;
	struct iot_count *c = 0;

#pragma unroll
	for (int way = 0; way < IOT_COUNT_WAYS; way++) {
		if (!found) {
			u32 at = (first + way * 5003) & (IOT_COUNTS - 1);

			c = iot_counts.lookup(&at);
			if (c)
				found = take ? iot_count_claim(c, who, what, at) :
					       c->who == who && c->what == what;
		}
	}
	return found ? c : 0;
}

/* ret: bytes, or a negative errno. A process that has become another program goes on under its new name. */
static __always_inline void iot_count(struct iot_count_key *key, u64 *comm, s64 ret, u64 ns)
{
	u64 who = IOT_COUNT_WHO(key), what = IOT_COUNT_WHAT(key);
	struct iot_count *c = iot_count_seek(who, what, 0);

	/* two CPUs that come together make two entries of one key, which the reader adds up */
	if (!c)
		c = iot_count_seek(who, what, 1);
	if (!c) {
		iot_miss(IOT_SEQ_layers, IOT_MISS_FULL);
		return;
	}
	if (ret > 0)
		__sync_fetch_and_add(&c->bytes, ret);
	else if (ret < 0)
		__sync_fetch_and_add(&c->errors, 1);
	__sync_fetch_and_add(&c->ns, ns);
	/* the last: the reader may look between them, and waits for this one */
	__sync_fetch_and_add(&c->count, 1);
	if (c->comm[0] != comm[0] || c->comm[1] != comm[1]) {
		c->comm[0] = comm[0];
		c->comm[1] = comm[1];
	}
}

/* An operation on a file has ended, by whomever it was begun; moved: what it counts as */
static __always_inline void iot_count_moved(u32 tgid, u64 *comm, int asked, u8 moved, s64 ret, u64 ns)
{
	struct iot_count_key key = {
		.tgid = tgid,
		.layer = asked ? IOT_COUNT_ASKED : IOT_COUNT_OWN,
		.op = moved,
		/* threads of a process seldom meet in one entry */
		.share = bpf_get_smp_processor_id() & (IOT_COUNT_SHARES - 1),
	};

	iot_count(&key, comm, moved == IOT_COUNT_SYNC && ret > 0 ? 0 : ret, ns);
}

static __always_inline u8 iot_count_kind(u16 op)
{
	switch (op) {
	case IOT_READ:
		return IOT_COUNT_READ;
	case IOT_WRITE:
		return IOT_COUNT_WRITE;
	case IOT_FSYNC:
	case IOT_FDATASYNC:
		return IOT_COUNT_SYNC;
	}
	return 0;
}

/*
 * The table takes 200 to 300 instructions to look into, and mostly a process writes on. An entry goes
 * where others come, which is a change, too.
 */
static __always_inline void iot_count_writer(u32 tgid, u64 *comm, struct iot_inode *file)
{
	struct iot_written *w, fresh = { .tgid = tgid };
	u32 zero = 0;
	u64 *changes = iot_written_changes.lookup(&zero), *last = iot_written_last.lookup(&zero), word;

	if (!changes || !last)
		return;
	word = (file->ino * 0x9e3779b97f4a7c15ULL + ((u64)file->dev << 32 | tgid)) * 0x9e3779b97f4a7c15ULL + *changes;
	if (*last == word)
		return;
	w = iot_written.lookup(file);
	if (!w || w->tgid != tgid) {
		fresh.comm[0] = comm[0];
		fresh.comm[1] = comm[1];
		iot_written.update(file, &fresh);
		/* what was found before is looked for again, on every CPU, and this, too */
		__sync_fetch_and_add(changes, 1);
	} else {
		*last = word;
	}
}

/* An operation of the current task, or another's (tgid, comm), on a file of ours */
static __always_inline void iot_count_kind_on(u32 tgid, u64 *comm, int calls, u8 kind, struct iot_inode *file,
					      s64 ret, u64 ns)
{
	iot_count_moved(tgid, comm, calls, kind, ret, ns);
	if (kind == IOT_COUNT_WRITE && ret > 0)
		iot_count_writer(tgid, comm, file);
}

static __always_inline void iot_count_file(u32 tgid, u64 *comm, struct iot_fs *fs, s64 ret, u64 ns)
{
	struct iot_inode file = { .ino = fs->ino, .dev = fs->dev };

	iot_count_kind_on(tgid, comm, fs->call != IOT_NO_CALL, iot_count_kind(fs->op), &file, ret, ns);
}

/* Such an operation leaves no record. */
static __always_inline int iot_counts_only(u32 count, u16 op)
{
	return (count & IOT_COUNTS_NO_FS) && iot_count_kind(op);
}

/* layers_calls.bpf.c counts it, and no other program has anything to do with it. */
static __always_inline int iot_counted_elsewhere(u32 count, u16 op)
{
#ifdef IOT_COUNTED_ALONE
	return iot_counts_only(count, op);
#else
	return 0;
#endif
}
#else
static __always_inline int iot_counts_only(u32 count, u16 op)
{
	return 0;
}

static __always_inline int iot_counted_elsewhere(u32 count, u16 op)
{
	return 0;
}
#endif
