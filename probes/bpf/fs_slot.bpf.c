/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program knows at entry waits in a slot for the return. Slots are an
 * array, in which a thread's number says where to look: a look-up in a hash
 * table costs 120 instructions, and an operation needs two or three. A thread
 * whose place is taken goes to the next of four; it has its slot only as long
 * as its operation takes.
 */
#ifdef IOT_STREAM_fs
#define IOT_SLOTS

/* A task may have one of each at a time. MOVE: a directory is being renamed. */
enum { IOT_SLOT_CALL, IOT_SLOT_OPEN, IOT_SLOT_CLOSE, IOT_SLOT_ASYNC, IOT_SLOT_MOVE, IOT_N_SLOTS };
enum { IOT_SLOT_WAYS = 4 };

/* Requested bytes not known yet: rw_verify_area tells. */
#define IOT_SIZE_LATER (~0ULL)

BPF_ARRAY(iot_slots, struct iot_slot, IOT_SLOTS_SIZE);

static __always_inline u64 iot_slot_key(u32 kind, u32 tid)
{
	return (u64)(kind + 1) << 32 | tid;
}

static __always_inline struct iot_slot *iot_slot_at(u64 key, u32 way)
{
	u32 at = ((u32)key + (u32)(key >> 32) * 4099 + way * 5003) & (IOT_SLOTS_SIZE - 1);

	return iot_slots.lookup(&at);
}

/* The slot of a task's operation that is under way, or NULL. */
static __always_inline struct iot_slot *iot_slot_find(u64 key)
{
	struct iot_slot *s = 0;
	u32 found = 0;

#pragma unroll
	for (int way = 0; way < IOT_SLOT_WAYS; way++) {
		if (!found) {
			s = iot_slot_at(key, way);
			found = s && s->key == key;
		}
	}
	return found ? s : 0;
}

static __always_inline struct iot_slot *iot_slot_active(u32 kind)
{
	return iot_slot_find(iot_slot_key(kind, bpf_get_current_pid_tgid()));
}

/* What it held must have been read. */
static __always_inline void iot_slot_end(struct iot_slot *s)
{
	s->key = 0;
	__sync_fetch_and_add(&s->taken, -1);
}

/* A free slot becomes this task's. Of two that want the same, neither may get it: 4.14 has no compare and exchange. */
static __always_inline int iot_slot_claim(struct iot_slot *s, u64 key)
{
	if (!s || s->taken)
		return 0;
	__sync_fetch_and_add(&s->taken, 1);
	if (*(volatile u64 *)&s->taken != 1) {
		__sync_fetch_and_add(&s->taken, -1);
		return 0;
	}
	s->key = key;
	return 1;
}

static __always_inline struct iot_slot *iot_slot_take(u64 key)
{
	struct iot_slot *s = 0;
	u32 got = 0;

#pragma unroll
	for (int way = 0; way < IOT_SLOT_WAYS; way++) {
		if (!got) {
			s = iot_slot_at(key, way);
			got = iot_slot_claim(s, key);
		}
	}
	return got ? s : 0;
}

/* A slot for an operation that begins; NULL when it is not asked for, or all places are taken. */
static __always_inline struct iot_slot *iot_slot_begin(struct iot_config *cfg, u32 kind, u16 op, u16 via, u16 call)
{
	u64 key = iot_slot_key(kind, bpf_get_current_pid_tgid());
	struct iot_slot *s;

	if (!iot_fs_any(cfg, op)) {
		s = iot_slot_find(key);
		if (s)
			iot_slot_end(s);
		return 0;
	}
	/* mostly the first place is free */
	s = iot_slot_at(key, 0);
	if (!iot_slot_claim(s, key)) {
		s = iot_slot_find(key);
		if (s)
			iot_miss(IOT_SEQ_fs, IOT_MISS_RETURN);
		else
			s = iot_slot_take(key);
	}
	if (!s) {
		iot_miss(IOT_SEQ_fs, IOT_MISS_FULL);
		return 0;
	}
	s->op = op;
	s->via = via;
	s->call = call;
	s->ofd = 0;
	s->name = 0;
	s->ino = 0;
	s->dev = 0;
	s->flags = 0;
	s->mntns = 0;
	s->status = 0;
	s->size = 0;
	s->asked = 0;
	s->offset = -1;
	s->posp = 0;
	s->append = 0;
	s->filters = cfg->filters & IOT_FILTER_END;
	s->fd = -1;
	s->dirfd = -1;
	s->ts = bpf_ktime_get_ns();
	return s;
}

/* What becomes of it at its end: as iot_fs_verdict() */
static __always_inline int iot_slot_verdict(struct iot_slot *s, s64 ret)
{
	return s->filters ? iot_fs_verdict(s->op, ret, bpf_ktime_get_ns() - s->ts) : 1;
}

static __always_inline void iot_fs_fill(struct iot_fs *e, struct iot_slot *s, s64 ret)
{
	e->name = s->name;
	e->dir = 0;
	e->ino = s->ino;
	e->size = s->size == IOT_SIZE_LATER ? s->asked : s->size;
	e->offset = s->offset;
	e->ret = ret;
	e->dev = s->dev;
	e->fd = s->fd;
	e->flags = s->flags;
	e->mntns = s->mntns;
	e->dirfd = s->dirfd;
	e->ofd = s->ofd;
	e->op = s->op;
	e->status = s->status;
	e->call = s->call;
	e->pad = 0;
}

/* Sends the operation of an ended slot in the current task's name. */
static __always_inline void iot_fs_end(void *ctx, struct iot_slot *s, s64 ret, u32 class)
{
	struct iot_fs e;
	int row = iot_slot_verdict(s, ret);
	u64 begun = s->ts;
	u16 via = s->via;

	if (row >= 0)
		iot_fs_fill(&e, s, ret);
	iot_slot_end(s);
	if (row < 0)
		return;
	iot_current(&e.head);
	iot_stamp_row(&e.head, class, IOT_REC_FS, via, row);
	e.latency = e.head.ts - begun;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

#endif /* IOT_STREAM_fs */
