/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left out to keep to --budget: rows by the whole file, request or thread, chosen by a hash of
 * what identifies it. Whatever is kept of one in 2^(n+1) is kept of one in 2^n, too. What is left out
 * is counted, and what stream layers counts of it, is counted all the same: without that stream there is
 * no budget, and none of this.
 */
#ifdef IOT_STREAM_layers

/* hash: of what the row is of. True: it is left out. */
static __always_inline int iot_thin(struct iot_config *cfg, u32 class, u32 hash)
{
	u32 mask = cfg->thin[class];

	if (!mask || (mask != IOT_THIN_ALL && !(hash & mask)))
		return 0;
	iot_miss(class, IOT_MISS_BUDGET);
	return 1;
}

/* The same with a look-up of the config */
static __always_inline int iot_thinned(u32 class, u32 hash)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	return cfg && iot_thin(cfg, class, hash);
}

static __always_inline u32 iot_thin_hash(struct iot_config *cfg, u64 id, u64 id2)
{
	u64 hash = (id ^ cfg->ofd_keys[0]) * 0x9e3779b97f4a7c15ULL + id2 * 0xc2b2ae3d27d4eb4fULL;

	hash ^= hash >> 32;
	return (hash * 0x9e3779b97f4a7c15ULL) >> 32;
}

static __always_inline int iot_thin_file(struct iot_config *cfg, u32 class, u64 ino, u32 dev)
{
	return cfg->thin[class] && iot_thin(cfg, class, iot_thin_hash(cfg, ino, dev));
}

/*
 * Calls of fs that are followed though they are no rows, because names and mappings of what is kept
 * depend on them
 */
#define IOT_THIN_FOLLOWED \
	(1ULL << IOT_MMAP | 1ULL << IOT_MUNMAP | 1ULL << IOT_MREMAP | 1ULL << IOT_CHDIR | 1ULL << IOT_UNLINK | \
	 1ULL << IOT_RENAME | 1ULL << IOT_MKDIR | 1ULL << IOT_RMDIR | 1ULL << IOT_LINK | 1ULL << IOT_SYMLINK | \
	 1ULL << IOT_MKNOD | 1ULL << IOT_MOUNT | 1ULL << IOT_UMOUNT | 1ULL << IOT_CHROOT)
#else
static __always_inline int iot_thin(struct iot_config *cfg, u32 class, u32 hash)
{
	return 0;
}

static __always_inline int iot_thinned(u32 class, u32 hash)
{
	return 0;
}

static __always_inline int iot_thin_file(struct iot_config *cfg, u32 class, u64 ino, u32 dev)
{
	return 0;
}
#endif
