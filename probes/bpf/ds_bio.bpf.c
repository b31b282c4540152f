/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and bio: bios, from who queues them to the request that they become. Completion runs in whatever
 * task was interrupted: a row names who submitted, taken here.
 */
#ifdef IOT_BLOCK

/*
 * A read or write of a file that is open for direct I/O, where neither the pages tell (4.14) nor what the thread
 * does, since it has read a block of the file system meanwhile. A read of less than a page may be such a block.
 */
static __always_inline void iot_owner_by_flags(struct iot_owner *owner, char op, u32 sectors)
{
#if defined(IOT_HEADERS) && !defined(IOT_USE_BIO_PAGES)
	if (owner->pages || !(owner->found & IOT_OWNER_CALL_FILE) || !(owner->flags & O_DIRECT))
		return;
	if (op == 'R' ? owner->op == IOT_READ && !(sectors & 7) : owner->op == IOT_WRITE)
		owner->pages = IOT_OWNER_MEMORY;
#endif
}

/* Whose a bio is that nobody remapped; 0: that is nobody whom we follow. */
static __always_inline int iot_bio_owned(struct iot_rq *bio, struct iot_tp_block_block_bio_queue *ctx)
{
	char op = iot_rq_op(ctx->rwbs[0], ctx->rwbs[1]);

	if (!iot_wanted()) {
		if (!iot_may_carry(op) && (op == 'R' || !iot_commits_here()))
			return 0;
		bio->owner.found = IOT_OWNER_FOREIGN;
	}
	iot_rq_owner(bio);
	iot_owner_doing(&bio->owner, iot_owner_call(&bio->owner), op, ctx->nr_sector, ctx->dev);
	iot_owner_by_flags(&bio->owner, op, ctx->nr_sector);
	iot_owner_commit(&bio->owner, ctx->rwbs, ctx->nr_sector);
	bio->owner.sectors = ctx->nr_sector;
	return 1;
}

int iot_bio_queue(struct iot_tp_block_block_bio_queue *ctx)
{
	u32 disk = iot_whole_disk(ctx->dev), has_requests = iot_request_disks.lookup(&disk) != 0;
	struct iot_rq_key key = {};
	struct iot_rq bio = {};

	iot_above_none();
	iot_rq_key(&key, disk, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	if (!iot_bio_is_part(&bio, &key)) {
		if (has_requests)
			iot_part_asked(&key, ctx->nr_sector);
		if (!iot_bio_owned(&bio, ctx))
			return 0;
	}
	if (!has_requests) {
		/* or the compiler keeps the letters' address, through which nothing may be read directly */
		asm volatile("" : "+r"(ctx));
		IOT_READ_K(bio.rwbs, sizeof(ctx->rwbs), ctx->rwbs);
		iot_above_begin(&bio, &key, ctx->nr_sector);
	}
	iot_bios.update(&key, &bio);
	return 0;
}

#ifdef IOT_REQUESTS
/* Merged into a request, whose first bio names the submitter; the file may be another one. */
int iot_bio_backmerge(struct iot_tp_block_block_bio_backmerge *ctx)
{
	struct iot_rq_key key = {};

	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
#ifdef IOT_USE_BIO_PAGES
	iot_bios.delete(&key);
#else
	struct iot_rq *bio = iot_bios.lookup(&key);

	if (bio)
		bio->owner.found |= IOT_OWNER_MERGED;
#endif
	return 0;
}

/* Merged in front: the request now starts at the bio's sector. */
int iot_bio_frontmerge(struct iot_tp_block_block_bio_frontmerge *ctx)
{
	struct iot_rq_key key = {}, old = {};

	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	old.dev = key.dev;
	old.sector = ctx->sector + ctx->nr_sector;
#ifndef IOT_USE_BLOCK_RAW
	struct iot_rq *rq = iot_rqs.lookup(&old), copy = {};

	if (rq) {
		__builtin_memcpy(&copy, rq, sizeof(copy));
		iot_rqs.delete(&old);
		iot_rqs.update(&key, &copy);
	}
#endif
	iot_bios.delete(&old);
	return 0;
}
#endif

/* The rest of a bio that was too large goes on under its own sector. */
int iot_bio_split(struct iot_tp_block_block_split *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *bio, copy = {};

	key.dev = iot_whole_disk(ctx->dev);
	key.sector = ctx->sector;
	bio = iot_bios.lookup(&key);
	if (!bio || bio->id) {
		key.sector = ctx->new_sector;
		iot_above_split(&key);
		return 0;
	}
	__builtin_memcpy(&copy, bio, sizeof(copy));
	bio->owner.sectors = ctx->new_sector - ctx->sector;
	copy.owner.sectors -= bio->owner.sectors;
	key.sector = ctx->new_sector;
	iot_bios.update(&key, &copy);
	return 0;
}

#ifdef IOT_REQUESTS
#ifdef IOT_USE_BIO_PAGES
static __always_inline void iot_owner_bios(struct iot_owner *owner, struct iot_rq_key *first, u32 sectors)
{
}
#else
#define IOT_MERGED_BIOS 8

/*
 * The bios that were merged behind the first one, which about is of: about whom most of the request is,
 * and how many they are; one more where some of it is of bios that nothing is known of.
 */
static __always_inline void iot_owner_bios(struct iot_owner *owner, struct iot_rq_key *first, u32 sectors)
{
	u64 end = first->sector + sectors, seen = owner->ino;
	u32 run = owner->sectors, most = run, dev = owner->dev, left = 1;
	struct iot_rq_key key = *first;
	u16 owners = 1;

	if (owner->owners || !sectors || first->sector == IOT_NO_SECTOR)
		return;
	key.sector += run;
	IOT_REPEAT
	for (u64 i = 0; i < IOT_MERGED_BIOS; i++) {
		struct iot_rq *bio = left && key.sector < end ? iot_bios.lookup(&key) : 0;

		IOT_COUNTED(i);
		if (!bio || !bio->owner.sectors) {
			left = 0;
			IOT_LAST;
		} else {
			u32 n = bio->owner.sectors;

			if (bio->owner.ino != seen || bio->owner.dev != dev) {
				owners += 1;
				seen = bio->owner.ino;
				dev = bio->owner.dev;
				run = 0;
			}
			run += n;
			if (run > most) {
				u32 whole = owner->sectors;

				most = run;
				__builtin_memcpy(owner, &bio->owner, sizeof(*owner));
				owner->sectors = whole;
			}
			iot_bios.delete(&key);
			key.sector += n;
		}
	}
	owner->owners = key.sector < end ? owners + 1 : owners;
}
#endif
#endif
#endif
