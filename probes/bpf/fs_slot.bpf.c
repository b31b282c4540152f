/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program of fs knows at entry of an operation on a descriptor waits for its return. */
#ifdef IOT_STREAM_fs

/* Requested bytes not known yet: rw_verify_area tells. */
#define IOT_SIZE_LATER (~0ULL)

/* A slot for an operation that begins; NULL when it is not asked for, or all places are taken. */
static __always_inline struct iot_slot *iot_slot_begin(struct iot_config *cfg, u32 kind, u16 op, u16 via, u16 call)
{
	struct iot_slot *s;

	if (!iot_fs_any(cfg, op)) {
		s = iot_pending_active(kind);
		if (s)
			iot_pending_end(s);
		return 0;
	}
	s = iot_pending_begin(kind, IOT_SEQ_fs, op, via);
	if (!s)
		return 0;
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
	iot_pending_end(s);
	if (row < 0)
		return;
	iot_current(&e.head);
	iot_stamp_row(&e.head, class, IOT_REC_FS, via, row);
	e.latency = e.head.ts - begun;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

#endif /* IOT_STREAM_fs */
