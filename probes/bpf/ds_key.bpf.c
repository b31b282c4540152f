/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and bio: how what waits or is under way is known, and who submits it. The block tracepoints carry
 * no pointer, so it is known by device and first sector while it waits.
 */
#ifdef IOT_BLOCK

struct iot_rq_key {
	u64 sector;
	u64 dev;
};

#ifndef IOT_USE_BLOCK_RAW
/* Least recent first: before 5.9 nothing tells of a request that was merged away, and its entry stays */
BPF_TABLE("lru_hash", struct iot_rq_key, struct iot_rq, iot_rqs, 16384);
#endif
/* Who queued a bio; ended by issue or merge, least recent first when they pile up */
BPF_TABLE("lru_hash", struct iot_rq_key, struct iot_rq, iot_bios, 16384);
/* partition -> whole disk, from user space: from 5.12 on a bio carries its partition */
BPF_TABLE("hash", u32, u32, iot_parts, 1024);
BPF_TABLE("percpu_array", u32, u64, iot_rq_count, 1);

/* Flushes and commands have no sector (0 at issue, -1 at completion). */
#define IOT_NO_SECTOR (1ULL << 63)

/* op: first letter of rwbs. An empty flush has the sector that its bio happened to have, an operation on a zone its own. */
static __always_inline void iot_rq_key(struct iot_rq_key *key, u32 dev, u64 sector, u32 nr, char op)
{
	key->dev = dev;
	key->sector = sector == ~0ULL || (nr == 0 && (sector == 0 || op == 'F')) ? IOT_NO_SECTOR : sector;
}

/* An F before the letter of another operation is a preflush. */
static __always_inline char iot_rq_op(char first, char second)
{
	return first == 'F' && second == 'W' ? 'W' : first;
}

static __always_inline u32 iot_whole_disk(u32 dev)
{
	u32 *disk = iot_parts.lookup(&dev);

	return disk ? *disk : dev;
}

static __always_inline void iot_rq_owner(struct iot_rq *rq)
{
	u64 id = bpf_get_current_pid_tgid();

	rq->tgid = id >> 32;
	rq->tid = id;
	bpf_get_current_comm(&rq->comm, sizeof(rq->comm));
	rq->owner.found |= iot_is_kernel_thread() ? IOT_OWNER_KERNEL : 0;
#ifdef IOT_HAS_CGROUP_ID
	rq->owner.cgroup = iot_cgroup_id();
#endif
}

/* Of requests that others submit nobody knows whether they are to be rows. */
static __always_inline void iot_rq_unseen(struct iot_rq *rq, u32 reason)
{
	if (!(rq->owner.found & IOT_OWNER_FOREIGN))
		iot_miss(IOT_SEQ_ds, reason);
}

/* Its completion was not seen. */
static __always_inline void iot_rq_missed(struct iot_rq *rq)
{
	iot_rq_unseen(rq, IOT_MISS_RETURN);
}
#endif
