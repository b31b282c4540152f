/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams ds and bio: devices that have no requests (dm, md, zram). A bio that is queued for one completes as
 * itself, and what becomes of it below are other bios: an event of the remapping tells of which it is a part. So
 * these have its owner, whichever thread submits them, and their requests its id.
 */
#ifdef IOT_BLOCK

/* Disks that issue requests: their bios are followed as parts of these, and complete with them. */
BPF_TABLE("hash", u32, u8, iot_request_disks, 1024);

/* The last bio that a thread queued for a disk: its parts may begin anywhere in it */
struct iot_queued_by {
	u32 tid;
	u32 dev;
};
struct iot_queued {
	u64 sector;
	u64 id;
	u64 sectors;
};
BPF_TABLE("lru_hash", struct iot_queued_by, struct iot_queued, iot_last_queued, 4096);

static __always_inline void iot_has_requests(u32 dev)
{
	u8 one = 1;

	if (!iot_request_disks.lookup(&dev))
		iot_request_disks.update(&dev, &one);
}

/* The bio under way, for a device without requests, of which what begins here is a part */
static __always_inline struct iot_rq *iot_above_at(struct iot_rq_key *at)
{
	struct iot_queued_by by = { .tid = bpf_get_current_pid_tgid(), .dev = at->dev };
	struct iot_queued *last = iot_last_queued.lookup(&by);
	struct iot_rq_key start = *at;
	struct iot_rq *bio;
	u64 id;

	/* a flush that the device was asked for with data goes before these */
	if (last && (at->sector == IOT_NO_SECTOR || at->sector - last->sector < last->sectors)) {
		start.sector = last->sector;
		bio = iot_bios.lookup(&start);
		if (bio && bio->id == last->id)
			return bio;
	}
	bio = iot_bios.lookup(at);
	if (!bio || !bio->id)
		return 0;
	/* a part that was split off has an entry of its own for as long as the whole has one */
	id = bio->id;
	start.sector = bio->sector;
	bio = iot_bios.lookup(&start);
	return bio && bio->id == id ? bio : 0;
}

/* A part of a bio begins at the key's sector, and may go on later, in another thread. */
static __always_inline void iot_above_split(struct iot_rq_key *key)
{
	struct iot_rq *bio = iot_above_at(key), copy = {};

	if (!bio || bio->sector == key->sector)
		return;
	__builtin_memcpy(&copy, bio, sizeof(copy));
	iot_bios.update(key, &copy);
}

/* A bio of so many sectors, for a device below, is a part of this one. */
static __always_inline void iot_part_of(struct iot_rq *part, struct iot_rq *whole, u32 sectors)
{
	if (!whole->issue_ts)
		whole->issue_ts = bpf_ktime_get_ns();
	part->tgid = whole->tgid;
	part->tid = whole->tid;
	part->above = whole->id;
	part->above_dev = part->dev = whole->dev;
	part->sector = whole->sector;
	__builtin_memcpy(part->comm, whole->comm, sizeof(part->comm));
	__builtin_memcpy(&part->owner, &whole->owner, sizeof(part->owner));
	part->owner.found |= IOT_OWNER_ABOVE;
	part->owner.sectors = sectors;
}

/*
 * A bio goes on to another device, under the sector that it has there. That of a partition is remapped to its
 * disk afterwards: until then the entry has the partition's number.
 */
int iot_bio_remap(struct iot_tp_block_block_bio_remap *ctx)
{
	struct iot_rq_key from = {}, to = {};
	u32 disk = iot_whole_disk(ctx->dev);
	struct iot_rq *bio, part = {};

	iot_rq_key(&from, ctx->old_dev, ctx->old_sector, ctx->nr_sector, ctx->rwbs[0]);
	if (iot_whole_disk(ctx->old_dev) == disk) {
		bio = iot_bios.lookup(&from);
		if (!bio || bio->issuer != (u32)bpf_get_current_pid_tgid())
			return 0;
		__builtin_memcpy(&part, bio, sizeof(part));
		iot_bios.delete(&from);
	} else {
		bio = iot_above_at(&from);
		if (!bio)
			return 0;
		iot_part_of(&part, bio, ctx->nr_sector);
		part.issuer = bpf_get_current_pid_tgid();
		disk = ctx->dev;
	}
	iot_rq_key(&to, disk, ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	iot_bios.update(&to, &part);
	return 0;
}

/* Whether the bio that is being queued was remapped before, perhaps by another thread: then bio has its owner. */
static __always_inline int iot_bio_is_part(struct iot_rq *bio, struct iot_rq_key *key)
{
	struct iot_rq *part = iot_bios.lookup(key), *whole;
	struct iot_rq_key above = {};

	if (!part || !part->above || !part->dev)
		return 0;
	above.sector = part->sector;
	above.dev = part->dev;
	whole = iot_bios.lookup(&above);
	if (!whole || whole->id != part->above)
		return 0;
	bio->tgid = part->tgid;
	bio->tid = part->tid;
	bio->above = part->above;
	bio->above_dev = part->above_dev;
	__builtin_memcpy(bio->comm, part->comm, sizeof(bio->comm));
	__builtin_memcpy(&bio->owner, &part->owner, sizeof(bio->owner));
	return 1;
}

/* How a bio completes, left by the program that reads the event's record to the raw one that comes next on this CPU */
struct iot_bio_end {
	u32 was_here;
	s32 error;
};

#ifdef IOT_USE_BIOS_RAW
/* Likewise of what is being queued; and all that are under way, by the address of the bio. */
BPF_TABLE("percpu_array", u32, struct iot_rq, iot_queueing, 1);
BPF_TABLE("percpu_array", u32, struct iot_bio_end, iot_bio_ending, 1);
BPF_TABLE("lru_hash", u64, struct iot_rq, iot_above, 8192);
#endif

/* What was_here says of what is being queued: the bio is one for a device without requests; or it may be a part */
enum { IOT_QUEUEING_WHOLE = 1, IOT_QUEUEING_PART };

#if defined(IOT_USE_BIOS_RAW) && defined(IOT_USE_BIO_PAGES)
#define IOT_FIND_PARTS
/*
 * Where nothing tells of a remapping, as of dm-crypt's before 5.18: clones of a bio have its list of pages, by
 * whose address it is found. Only when some bio was queued for a device without requests not long ago.
 */
BPF_TABLE("lru_hash", u64, struct iot_queued, iot_page_lists, 8192);
BPF_TABLE("array", u32, u64, iot_above_last, 1);

#define IOT_ABOVE_NS 10000000000ULL
#endif

static __always_inline void iot_part_asked(struct iot_rq_key *key, u32 sectors)
{
#ifdef IOT_FIND_PARTS
	u32 zero = 0;
	u64 *last = iot_above_last.lookup(&zero);
	struct iot_rq *slot = iot_queueing.lookup(&zero);

	if (!last || !*last || !slot || !sectors || bpf_ktime_get_ns() - *last > IOT_ABOVE_NS)
		return;
	slot->was_here = IOT_QUEUEING_PART;
	slot->dev = key->dev;
	slot->sector = key->sector;
	slot->sectors = sectors;
#endif
}

/* What was left there and not taken is of another event. */
static __always_inline void iot_above_none(void)
{
#ifdef IOT_USE_BIOS_RAW
	u32 zero = 0;
	struct iot_rq *slot = iot_queueing.lookup(&zero);

	if (slot)
		slot->was_here = 0;
#endif
}

/* The bio is for a device that is not known to have requests. */
static __always_inline void iot_above_begin(struct iot_rq *bio, struct iot_rq_key *key, u32 sectors)
{
	struct iot_queued_by by = { .tid = bpf_get_current_pid_tgid(), .dev = key->dev };
	struct iot_queued last = { .sector = key->sector, .sectors = sectors };
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	u64 *count = iot_rq_count.lookup(&zero);

	if (!count || !cfg)
		return;
	bio->id = *count * cfg->n_cpus + bpf_get_smp_processor_id() + 1;
	*count += 1;
	bio->insert_ts = bpf_ktime_get_ns();
	bio->dev = key->dev;
	bio->sector = key->sector;
	bio->at = key->sector == IOT_NO_SECTOR ? ~0ULL : key->sector;
	bio->sectors = sectors;
	last.id = bio->id;
	iot_last_queued.update(&by, &last);
#ifdef IOT_USE_BIOS_RAW
	bio->was_here = IOT_QUEUEING_WHOLE;
	iot_queueing.update(&zero, bio);
	bio->was_here = 0;
#endif
}

#ifdef IOT_STREAM_bio
/* key: of its entry among the bios, which goes; it knows when the first part of it went on. */
static __always_inline void iot_above_send(void *ctx, struct iot_rq *bio, s32 error)
{
	struct iot_rq_key key = { .sector = bio->sector, .dev = bio->dev };
	struct iot_rq *queued = iot_bios.lookup(&key);
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_ds e = {};

	if (!cfg || !cfg->on || !iot_carries(&bio->owner))
		return;
	iot_ds_of(&e, bio);
	e.error = error;
	e.cpu = bpf_get_smp_processor_id();
	iot_stamp(&e.head, IOT_SEQ_bio, IOT_REC_BIO, IOT_VIA_BIO_BIO);
	e.flags = IOT_DS_OWNER | IOT_DS_ISSUED;
	e.issue_ns = e.head.ts - bio->insert_ts;
	if (queued && queued->id == bio->id && queued->issue_ts) {
		e.flags |= IOT_DS_QUEUED;
		e.queue_ns = queued->issue_ts - bio->insert_ts;
	}
	iot_events.perf_submit(ctx, &e, sizeof(e));
}
#else
static __always_inline void iot_above_send(void *ctx, struct iot_rq *bio, s32 error)
{
}
#endif

static __always_inline void iot_above_end(void *ctx, struct iot_rq *bio, s32 error)
{
	struct iot_rq_key key = { .sector = bio->sector, .dev = bio->dev };
	struct iot_rq *queued = iot_bios.lookup(&key);

	iot_above_send(ctx, bio, error);
	if (queued && queued->id == bio->id)
		iot_bios.delete(&key);
}

#ifdef IOT_USE_BIOS_RAW
#ifdef IOT_FIND_PARTS
static __always_inline void iot_above_pages(u64 address, struct iot_rq *bio)
{
	struct iot_queued whole = { .sector = bio->sector, .id = bio->id, .sectors = bio->dev };
	u32 zero = 0;
	u64 *last = iot_above_last.lookup(&zero), pages = 0;

	IOT_LOAD(pages, address + offsetof(struct bio, bi_io_vec));
	if (!pages || !last || !bio->sectors)
		return;
	*last = bio->insert_ts;
	iot_page_lists.update(&pages, &whole);
}

/* drivers/md/dm-crypt.c, 4.14 to 5.17: struct dm_crypt_io begins with the device and the bio that it was given */
#define IOT_CRYPT_BIO 8

static __always_inline void iot_part_pages(u64 address, struct iot_rq *slot)
{
	struct iot_rq_key key = {}, below = { .sector = slot->sector, .dev = slot->dev };
	u64 private = 0, base = 0, pages = 0;
	struct iot_queued *at;
	struct iot_rq *whole, part = {};

	IOT_LOAD(private, address + offsetof(struct bio, bi_private));
	if (!private || (private & 7))
		return;
	IOT_LOAD(base, private + IOT_CRYPT_BIO);
	if (!base || (base & 7))
		return;
	IOT_LOAD(pages, base + offsetof(struct bio, bi_io_vec));
	at = iot_page_lists.lookup(&pages);
	if (!at)
		return;
	key.sector = at->sector;
	key.dev = at->sectors;
	whole = iot_bios.lookup(&key);
	if (!whole || whole->id != at->id)
		return;
	iot_part_of(&part, whole, slot->sectors);
	part.dev = 0;
	iot_bios.update(&below, &part);
}
#else
static __always_inline void iot_above_pages(u64 address, struct iot_rq *bio)
{
}

static __always_inline void iot_part_pages(u64 address, struct iot_rq *slot)
{
}
#endif

static __always_inline int iot_raw_queued(u64 address)
{
	u32 zero = 0, was_here;
	struct iot_rq *slot = iot_queueing.lookup(&zero), *queued, bio = {};
	struct iot_rq_key key = {};

	if (!slot || !slot->was_here)
		return 0;
	was_here = slot->was_here;
	slot->was_here = 0;
	if (was_here == IOT_QUEUEING_PART) {
		iot_part_pages(address, slot);
		return 0;
	}
	iot_owner_bio(&slot->owner, address, slot->rwbs[0] != 'R');
	iot_above_pages(address, slot);
	key.sector = slot->sector;
	key.dev = slot->dev;
	queued = iot_bios.lookup(&key);
	if (queued && queued->id == slot->id)
		__builtin_memcpy(&queued->owner, &slot->owner, sizeof(queued->owner));
	__builtin_memcpy(&bio, slot, sizeof(bio));
	iot_above.update(&address, &bio);
	return 0;
}

/* (bio) since 5.11 (e8a676d61c07), in el9; before (queue, bio): as of iot_raw_issue() */
int iot_raw_bio_queue(struct iot_raw *ctx)
{
	return iot_raw_queued(ctx->args[0]);
}

int iot_raw_bio_queue_q(struct iot_raw *ctx)
{
	return iot_raw_queued(ctx->args[1]);
}

int iot_bio_complete(struct iot_tp_block_block_bio_complete *ctx)
{
	struct iot_bio_end end = { .was_here = 1, .error = ctx->error };
	u32 zero = 0;

	iot_bio_ending.update(&zero, &end);
	return 0;
}

/* (queue, bio), up to 5.7 with the error behind */
int iot_raw_bio_complete(struct iot_raw *ctx)
{
	u64 address = ctx->args[1];
	struct iot_rq *bio = iot_above.lookup(&address);
	u32 zero = 0;
	struct iot_bio_end *end = iot_bio_ending.lookup(&zero);
	s32 error = end && end->was_here ? end->error : 0;

	if (end)
		end->was_here = 0;
	if (!bio)
		return 0;
	iot_above_end(ctx, bio, error);
	iot_above.delete(&address);
	return 0;
}
#elif defined(IOT_USE_BIOS)
/* Known by where it begins, or where the last of what was split off does */
int iot_bio_complete(struct iot_tp_block_block_bio_complete *ctx)
{
	struct iot_rq_key key = {};
	struct iot_rq *bio, copy = {};

	iot_rq_key(&key, iot_whole_disk(ctx->dev), ctx->sector, ctx->nr_sector, ctx->rwbs[0]);
	bio = iot_above_at(&key);
	if (!bio)
		return 0;
	__builtin_memcpy(&copy, bio, sizeof(copy));
	iot_above_end(ctx, &copy, ctx->error);
	return 0;
}
#endif
#endif
