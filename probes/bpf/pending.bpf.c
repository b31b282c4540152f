/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of what has begun and not yet returned. It is an array, in which
 * kind and thread say where to look: a look-up in a hash table costs 120
 * instructions, and an operation needs two or three. An entry whose place is taken
 * goes to the next of four; a thread has it only as long as its operation takes.
 */
#if defined(IOT_STREAM_nw_conn) || defined(IOT_STREAM_nw_epoll) || defined(IOT_STREAM_nw_sockopt) || \
	defined(IOT_USE_SC_SEND)
#define IOT_SOCK_CALLS
#endif
#if defined(IOT_STREAM_iouring) && \
	(defined(IOT_USE_RING_ENTER) || defined(IOT_USE_RING_CREATE) || defined(IOT_USE_RING_SETUP) || \
	 defined(IOT_USE_RING_REGISTER) || defined(IOT_USE_RING_REGISTER_CALL))
#define IOT_RING_CALLS
#endif
#if defined(IOT_FILE_TEXTS) || defined(IOT_USE_HANDLE_MM_FAULT) || defined(IOT_SOCK_CALLS) || \
	defined(IOT_USE_SOCK_FUNCTIONS) || defined(IOT_RING_CALLS) || defined(IOT_USE_SC_EXECVE)
#define IOT_PENDING

/* The first so many kinds are all that these programs begin. */
#if defined(IOT_USE_HANDLE_MM_FAULT) || defined(IOT_SOCK_CALLS) || defined(IOT_USE_SOCK_FUNCTIONS) || \
	defined(IOT_RING_CALLS)
#define IOT_KINDS_HERE IOT_N_KINDS
#else
#define IOT_KINDS_HERE IOT_KIND_FAULT
#endif

BPF_ARRAY(iot_pending, union iot_pending, IOT_PENDING_SIZE);

static __always_inline struct iot_pending_head *iot_pending_at(u64 key, u32 way)
{
	u32 at = ((u32)key + (u32)(key >> 32) * 4099 + way * 5003) & (IOT_PENDING_SIZE - 1);

	return (struct iot_pending_head *)iot_pending.lookup(&at);
}

/* A free entry becomes this task's. Of two that want the same, neither may get it: 4.14 has no compare and exchange. */
static __always_inline int iot_pending_claim(struct iot_pending_head *p, u64 key)
{
	if (!p || p->taken)
		return 0;
	__sync_fetch_and_add(&p->taken, 1);
	if (*(volatile u64 *)&p->taken != 1) {
		__sync_fetch_and_add(&p->taken, -1);
		return 0;
	}
	p->key = key;
	return 1;
}

/* The entry with this key, or (take) a free one that gets it; NULL when there is none. */
static __always_inline void *iot_pending_seek(u64 key, int take)
{
	struct iot_pending_head *p = 0;
	u32 found = 0;

#pragma unroll
	for (int way = 0; way < IOT_PENDING_WAYS; way++) {
		if (!found) {
			p = iot_pending_at(key, way);
			found = take ? iot_pending_claim(p, key) : p && p->key == key;
		}
	}
	return found ? p : 0;
}

static __always_inline void *iot_pending_of(u32 kind, u32 tid)
{
	return iot_pending_seek(IOT_PENDING_KEY(kind, tid), 0);
}

/* What the current thread has begun and not ended, or NULL. */
static __always_inline void *iot_pending_active(u32 kind)
{
	return iot_pending_of(kind, bpf_get_current_pid_tgid());
}

/* The current thread begins something, whose fields the caller fills, ts among them; NULL when all places are taken. */
static __always_inline void *iot_pending_begin(u32 kind, u16 class, u16 op, u16 via)
{
	u64 key = IOT_PENDING_KEY(kind, (u32)bpf_get_current_pid_tgid());
	/* mostly the first place is free */
	struct iot_pending_head *p = iot_pending_at(key, 0);

	if (!iot_pending_claim(p, key)) {
		p = iot_pending_seek(key, 0);
		if (p)
			iot_miss(p->class & (IOT_N_SEQ - 1), IOT_MISS_RETURN);
		else
			p = iot_pending_seek(key, 1);
	}
	if (!p) {
		iot_miss(class, IOT_MISS_FULL);
		return 0;
	}
	p->class = class;
	p->op = op;
	p->via = via;
	return p;
}

/* What the entry held must have been read: from now on it may be another thread's. */
static __always_inline void iot_pending_end(void *entry)
{
	struct iot_pending_head *p = entry;

	p->key = 0;
	__sync_fetch_and_add(&p->taken, -1);
}

/* Nothing is left of a thread, which is gone or not there yet. */
static __always_inline void iot_pending_forget(u32 tid)
{
	/* place by place: after each the verifier knows no more than before it, and follows the next one once */
	IOT_REPEAT
	for (u64 i = 0; i < IOT_KINDS_HERE * IOT_PENDING_WAYS; i++) {
		struct iot_pending_head *p;
		u64 key;

		IOT_COUNTED(i);
		key = IOT_PENDING_KEY(i / IOT_PENDING_WAYS, tid);
		p = iot_pending_at(key, i % IOT_PENDING_WAYS);
		if (p && p->key == key)
			iot_pending_end(p);
	}
}

#endif /* IOT_PENDING */
