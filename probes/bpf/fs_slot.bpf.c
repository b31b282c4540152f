/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program knows at entry waits in the thread's slot for the return; the
 * slot is found, not allocated, from the second operation on.
 */
#ifdef IOT_STREAM_fs
#define IOT_SLOTS

enum { IOT_SLOT_CALL, IOT_SLOT_OPEN, IOT_SLOT_CLOSE, IOT_SLOT_ASYNC, IOT_N_SLOTS };

/* Requested bytes not known yet: rw_verify_area tells. */
#define IOT_SIZE_LATER (~0ULL)

struct iot_slot {
	u64 ts;
	u64 size;
	u64 asked;   /* bytes of an array of iovec, for when nothing tells the size later */
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
	u16 append;  /* RWF_APPEND: as O_APPEND, for this call */
	u16 filters; /* IOT_FILTER_END of the config */
	char comm[16];
};
BPF_TABLE("hash", u64, struct iot_slot, iot_slots, 16384);

static __always_inline u64 iot_slot_key(u32 kind)
{
	return (u64)kind << 32 | (u32)bpf_get_current_pid_tgid();
}

/* The thread's slot, made on first use and marked active; NULL when the table is full. */
static __always_inline struct iot_slot *iot_slot_begin(struct iot_config *cfg, u32 kind, u16 op, u16 via)
{
	u64 key = iot_slot_key(kind);
	struct iot_slot *s = iot_slots.lookup(&key);

	if (!iot_fs_any(cfg, op)) {
		if (s)
			s->active = 0;
		return 0;
	}
	if (!s) {
		struct iot_slot fresh = {};

		if (iot_slots.update(&key, &fresh) < 0) {
			iot_miss(IOT_SEQ_fs, IOT_MISS_FULL);
			return 0;
		}
		s = iot_slots.lookup(&key);
		if (!s)
			return 0;
	}
	if (s->active)
		iot_miss(IOT_SEQ_fs, IOT_MISS_RETURN);
	s->op = op;
	s->via = via;
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
	s->active = 1;
	s->ts = bpf_ktime_get_ns();
	return s;
}

static __always_inline struct iot_slot *iot_slot_active(u32 kind)
{
	u64 key = iot_slot_key(kind);
	struct iot_slot *s = iot_slots.lookup(&key);

	return s && s->active ? s : 0;
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
	e->op = s->op;
	e->status = s->status;
}

/* Sends the operation of an ended slot in the current task's name. */
static __always_inline void iot_fs_end(void *ctx, struct iot_slot *s, s64 ret, u32 class)
{
	struct iot_fs e;
	int row = iot_slot_verdict(s, ret);

	s->active = 0;
	if (row < 0)
		return;
	iot_fs_fill(&e, s, ret);
	iot_current(&e.head);
	iot_stamp_row(&e.head, class, IOT_REC_FS, s->via, row);
	e.latency = e.head.ts - s->ts;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

#endif /* IOT_STREAM_fs */
