/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program of fs knows at entry of an operation on a descriptor waits for its return. */
#ifdef IOT_FILE_TEXTS

/* iot_slot.append, what the call says of it: RWF_APPEND and RWF_NOAPPEND */
enum { IOT_APPENDS = 0x10, IOT_APPENDS_NOT = 0x20 };

/* Requested bytes not known yet: rw_verify_area tells. */
#define IOT_SIZE_LATER (~0ULL)

/* Counted, whatever the filters of rows say */
static __always_inline int iot_slot_counts(struct iot_config *cfg, u16 op)
{
#ifdef IOT_STREAM_layers
	return cfg->count && iot_count_kind(op);
#else
	return 0;
#endif
}

/* A slot for an operation that begins; NULL when it is not asked for, or all places are taken. */
static __always_inline struct iot_slot *iot_slot_begin(struct iot_config *cfg, u32 kind, u16 op, u16 via, u16 call)
{
	struct iot_slot *s;

	if (!iot_fs_any(cfg, op) && !iot_slot_counts(cfg, op)) {
		s = iot_pending_active(kind);
		if (s)
			iot_pending_end(s);
		return 0;
	}
	s = iot_pending_begin(kind, IOT_SEQ_fs, op, via);
	if (!s)
		return 0;
	s->fs.call = call;
	s->fs.ofd = 0;
	s->fs.name = 0;
	s->fs.dir = 0;
	s->fs.ino = 0;
	s->fs.dev = 0;
	s->fs.flags = 0;
	s->fs.mntns = 0;
	s->fs.status = 0;
	s->fs.size = 0;
	s->asked = 0;
	s->fs.offset = -1;
	s->posp = 0;
	s->fs.op = op;
	s->fs.pad = 0;
	s->append = 0;
	s->filters = iot_kept_filters(cfg);
	s->fs.fd = -1;
	s->fs.dirfd = -1;
	s->ts = bpf_ktime_get_ns();
	return s;
}

/* What becomes of it at its end: as iot_fs_verdict() */
static __always_inline int iot_slot_verdict(struct iot_slot *s, s64 ret)
{
	return IOT_KEPT_FILTERS(s->filters) ? iot_fs_verdict(s->op, ret, bpf_ktime_get_ns() - s->ts) : 1;
}

/* What the return tells */
static __always_inline void iot_slot_returned(struct iot_slot *s, s64 ret)
{
	if (s->fs.size == IOT_SIZE_LATER)
		s->fs.size = s->asked;
	s->fs.ret = ret;
}

/* Sends the operation of a slot in the current task's name, which ends it. */
static __always_inline void iot_slot_send(void *ctx, struct iot_slot *s, s64 ret, u32 class, int row)
{
	iot_slot_returned(s, ret);
	if (row)
		iot_stack_send(ctx, s->op, s->ts);
	iot_current(&s->fs.head);
	iot_stamp_row(&s->fs.head, class, IOT_REC_FS, s->via, row);
	s->fs.latency = s->fs.head.ts - s->ts;
	iot_events.perf_submit(ctx, &s->fs, sizeof(s->fs));
	iot_pending_end(s);
}

/* Counts the operation of a slot; true: that is all that is wanted of it. */
static __always_inline int iot_slot_count(struct iot_slot *s, s64 ret)
{
#ifdef IOT_STREAM_layers
	u32 count = IOT_KEPT_COUNT(s->filters);
	u64 comm[2];

	if (!count || !iot_count_kind(s->op))
		return 0;
	if ((s->fs.status & IOT_ST_FILE) && iot_shown()) {
		iot_comm_read(comm);
		iot_count_file(bpf_get_current_pid_tgid() >> 32, comm, &s->fs, ret, bpf_ktime_get_ns() - s->ts);
	}
	return count & IOT_COUNTS_NO_FS;
#else
	return 0;
#endif
}

/* The same if it is asked for, of an operation that stream layers does not count. */
static __always_inline void iot_fs_end_uncounted(void *ctx, struct iot_slot *s, s64 ret, u32 class)
{
	int row = iot_slot_verdict(s, ret);

	if (row < 0)
		iot_pending_end(s);
	else
		iot_slot_send(ctx, s, ret, class, row);
}

static __always_inline void iot_fs_end(void *ctx, struct iot_slot *s, s64 ret, u32 class)
{
	if (iot_slot_count(s, ret))
		iot_pending_end(s);
	else
		iot_fs_end_uncounted(ctx, s, ret, class);
}

#endif /* IOT_FILE_TEXTS */
