/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers: requests of devices. What is only known where file systems are, whether a hurried
 * write is one of a journal, is left to the reader, with the device that decides it.
 */
#if defined(IOT_USE_BLOCK) || defined(IOT_USE_BLOCK_RAW)
#ifdef IOT_STREAM_layers

#define IOT_JBD2 0x2f3264626aULL        /* "jbd2/" */
#define IOT_XFSAILD 0x2f646c6961736678ULL /* "xfsaild/" */

/* What is counted of a request, by the letters of its operation; 0: nothing */
static __always_inline u8 iot_count_direction(char first, char second, char third)
{
	if (first == 'F') {
		first = second;
		second = third;
	}
	if (first == 'R')
		return IOT_COUNT_READ;
	/* WZ: zeroes; ZA: append to a zone */
	return (first == 'W' && second != 'Z') || (first == 'Z' && second == 'A') ? IOT_COUNT_WRITE : 0;
}

/* As ds has the cause "loop": what a loop device does with its file, or with pages of a file on it */
static __always_inline int iot_count_repeats(struct iot_owner *owner, u32 dev, u8 direction)
{
	struct iot_inode key = { .ino = owner->ino, .dev = owner->dev };
	int file = owner->pages == IOT_OWNER_FILE, kernel = (owner->found & IOT_OWNER_KERNEL) != 0;
	u32 *disk;

	if (!(kernel && (file || (owner->found & IOT_OWNER_CALL_FILE))) && !(file && direction == IOT_COUNT_WRITE))
		return 0;
	if (iot_loops.lookup(&key))
		return 1;
	if (!file || owner->dev == dev)
		return 0;
	key.ino = 0;
	disk = iot_loops.lookup(&key);
	if (!disk || *disk)
		return disk && *disk == dev;
	/* any disk, but no loop device */
	key.dev = dev;
	return !iot_loops.lookup(&key);
}

static __always_inline u8 iot_count_class(struct iot_owner *owner, const char *rwbs, u8 direction, u64 name)
{
	int letters = iot_letters(rwbs), meta = letters & IOT_LETTER_META;

	if ((name & 0xffffffffffULL) == IOT_JBD2 || (owner->found & IOT_OWNER_COMMIT))
		return IOT_COUNT_JOURNAL;
	if (owner->pages == IOT_OWNER_SWAP)
		return IOT_COUNT_SWAP;
	if (!meta && (owner->pages == IOT_OWNER_FILE || owner->pages == IOT_OWNER_MEMORY))
		return IOT_COUNT_DATA;
	if (!meta && owner->pages != IOT_OWNER_DEVICE && owner->pages != IOT_OWNER_META)
		return IOT_COUNT_OTHER;
	if (direction == IOT_COUNT_WRITE && (letters & IOT_LETTER_SYNC) && name != IOT_XFSAILD)
		return IOT_COUNT_LOG;
	return meta ? IOT_COUNT_METADATA : IOT_COUNT_BLOCKS;
}

/* The partition in which a request begins, where it matters which it is */
static __always_inline u32 iot_count_part(u32 dev, u64 sector)
{
	u32 zero = 0, part = dev;
	struct iot_partitions *ranges = iot_partitions.lookup(&zero);

	if (!ranges)
		return dev;
#pragma unroll
	for (int i = 0; i < IOT_PARTITIONS; i++)
		if (ranges->list[i].disk == dev && sector - ranges->list[i].first < ranges->list[i].sectors)
			part = ranges->list[i].dev;
	return part;
}

/* The one whose bytes a thread of the kernel carries. Returns 0 where nobody is known to be. */
static __always_inline int iot_count_writer_of(struct iot_owner *owner, u32 *tgid, u64 *comm)
{
	struct iot_inode key = { .ino = owner->ino, .dev = owner->dev };
	struct iot_written *w;

	if (owner->found & IOT_OWNER_COMMIT) {
		*tgid = owner->commit.tgid;
		comm[0] = owner->commit.comm[0];
		comm[1] = owner->commit.comm[1];
		return 1;
	}
	if (owner->pages != IOT_OWNER_FILE || !(owner->found & (IOT_OWNER_KERNEL | IOT_OWNER_FOREIGN)))
		return 0;
	w = iot_written.lookup(&key);
	if (!w)
		return 0;
	*tgid = w->tgid;
	comm[0] = w->comm[0];
	comm[1] = w->comm[1];
	return 1;
}

/* rq: of which bytes have completed, or all; NULL: it began unseen. True: no record is wanted. */
static __always_inline int iot_count_request(struct iot_rq *rq, const char *rwbs, u32 dev, u64 sector, u32 bytes,
					     s32 error)
{
	struct iot_owner *owner, none = {};
	struct iot_count_key key = { .layer = IOT_COUNT_REQUEST };
	u64 comm[2] = {}, ns = 0;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->count)
		return 0;
	key.op = iot_count_direction(rwbs[0], rwbs[1], rwbs[2]);
	owner = rq ? &rq->owner : &none;
	if (rq) {
		key.tgid = rq->tgid;
		__builtin_memcpy(comm, rq->comm, sizeof(comm));
		if (rq->issue_ts)
			ns = bpf_ktime_get_ns() - rq->issue_ts;
	}
	key.class = iot_count_repeats(owner, dev, key.op) ? IOT_COUNT_LOOP :
							    iot_count_class(owner, rwbs, key.op, comm[0]);
	if (key.class == IOT_COUNT_LOG || key.class == IOT_COUNT_BLOCKS)
		key.dev = owner->pages == IOT_OWNER_DEVICE && owner->dev && !(owner->found & IOT_OWNER_CALL_FILE) ?
				  owner->dev :
				  iot_count_part(dev, sector);
	key.share = bpf_get_smp_processor_id() & (IOT_COUNT_SHARES - 1);
	if (key.op && (iot_count_writer_of(owner, &key.tgid, comm) || !(owner->found & IOT_OWNER_FOREIGN)))
		iot_count(&key, comm, error ? -1 : (s64)bytes, ns);
	return cfg->count & IOT_COUNTS_NO_DS;
}

/* One that was not seen to end: its time is not known */
static __always_inline int iot_count_unseen(struct iot_rq *rq)
{
	u64 issued = rq->issue_ts;
	int counted;

	rq->issue_ts = 0;
	counted = iot_count_request(rq, rq->rwbs, rq->dev, rq->sector, rq->sectors << 9, 0);
	rq->issue_ts = issued;
	return counted;
}
#else
static __always_inline int iot_count_unseen(struct iot_rq *rq)
{
	return 0;
}

static __always_inline int iot_count_request(struct iot_rq *rq, const char *rwbs, u32 dev, u64 sector, u32 bytes,
					     s32 error)
{
	return 0;
}
#endif
#endif
