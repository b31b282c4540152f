/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and layers: what a request counts as. The programs ask at its completion; the recorder asks of
 * those that no program saw complete, with look-ups of its own in the same tables: iot_loops, iot_partitions and
 * iot_written are there before this is included.
 */
#ifndef IOT_COUNT_REQUEST_H
#define IOT_COUNT_REQUEST_H

#define IOT_SHARED static inline __attribute__((always_inline))

/* Of the letters behind a request's first: is it metadata, does somebody wait for it */
enum { IOT_LETTER_META = 1, IOT_LETTER_SYNC = 2 };

IOT_SHARED int iot_letters(const char *rwbs)
{
	int found = 0;

	/* behind the end stands what another event left there */
#pragma unroll
	for (int i = 1; i < IOT_RWBS - 1 && rwbs[i]; i++) {
		if (rwbs[i] == 'M')
			found |= IOT_LETTER_META;
		if (rwbs[i] == 'S')
			found |= IOT_LETTER_SYNC;
	}
	return found;
}

#ifdef IOT_STREAM_layers

#define IOT_JBD2 0x2f3264626aULL        /* "jbd2/" */
#define IOT_XFSAILD 0x2f646c6961736678ULL /* "xfsaild/" */

/* What is counted of a request, by the letters of its operation; 0: nothing */
IOT_SHARED u8 iot_count_direction(char first, char second, char third)
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
IOT_SHARED int iot_count_repeats(struct iot_owner *owner, u32 dev, u8 direction)
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

IOT_SHARED u8 iot_count_class(struct iot_owner *owner, const char *rwbs, u8 direction, u64 name)
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
IOT_SHARED u32 iot_count_part(u32 dev, u64 sector)
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
IOT_SHARED int iot_count_writer_of(struct iot_owner *owner, u32 *tgid, u64 *comm)
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

/*
 * The key of what is counted of a request, but for its share; comm: of the one that it is for. rwbs, dev and sector
 * are of its completion; rq NULL: it began unseen. Returns 0 where it is nobody's, or no read and no write.
 */
IOT_SHARED int iot_count_key_of(struct iot_count_key *key, u64 *comm, struct iot_rq *rq, const char *rwbs, u32 dev,
				u64 sector)
{
	struct iot_owner none = {}, *owner = rq ? &rq->owner : &none;

	key->layer = IOT_COUNT_REQUEST;
	key->op = iot_count_direction(rwbs[0], rwbs[1], rwbs[2]);
	if (rq) {
		key->tgid = rq->tgid;
		__builtin_memcpy(comm, rq->comm, sizeof(rq->comm));
	}
	key->class = iot_count_repeats(owner, dev, key->op) ? IOT_COUNT_LOOP :
							      iot_count_class(owner, rwbs, key->op, comm[0]);
	if (key->class == IOT_COUNT_LOG || key->class == IOT_COUNT_BLOCKS)
		key->dev = owner->pages == IOT_OWNER_DEVICE && owner->dev && !(owner->found & IOT_OWNER_CALL_FILE) ?
				   owner->dev :
				   iot_count_part(dev, sector);
	return key->op && (iot_count_writer_of(owner, &key->tgid, comm) || !(owner->found & IOT_OWNER_FOREIGN));
}
#endif
#endif
