/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds, without the kernel's structures: its events tell what the current thread submits requests
 * for: which file it is flushing, reads into the cache or moves directly.
 */
#if defined(IOT_USE_BLOCK) || defined(IOT_USE_BLOCK_RAW)
#define IOT_REQUESTS
#endif
#if defined(IOT_REQUESTS) || defined(IOT_USE_BIOS) || defined(IOT_USE_BIOS_RAW)
#define IOT_BLOCK
#endif
#ifdef IOT_BLOCK

#ifdef IOT_USE_FLUSHED_FILES
enum { IOT_DOES_FLUSH = 1, IOT_DOES_READ, IOT_DOES_DIRECT };

struct iot_doing {
	u64 ts;
	u64 ino;
	u32 dev;
	u32 left; /* READ: pages that are in the cache and not asked for yet */
	u32 what;
	u32 before_left; /* of the file that was added before: to find its blocks others are read */
	u64 before_ino;
	u32 before_dev;
	u32 write; /* DIRECT: the data goes to the disk */
};
BPF_TABLE("lru_hash", u32, struct iot_doing, iot_doings, 8192);

int iot_flush_begin(struct iot_tp_writeback_writeback_single_inode_start *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_doing now = { .what = IOT_DOES_FLUSH };
	char name[12];

	if (!iot_on(bpf_get_current_pid_tgid() >> 32))
		return 0;
	IOT_READ_K(name, sizeof(name), ctx->name);
	now.dev = iot_bdi_dev(name);
	now.ino = ctx->ino;
	iot_doings.update(&tid, &now);
	return 0;
}

int iot_flush_end(struct iot_tp_writeback_writeback_single_inode *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();

	iot_doings.delete(&tid);
	return 0;
}

/* Pages of a file get into the cache: those that have to be read will be, by this thread. */
static __always_inline void iot_doing_read(u64 ino, u32 dev, u32 pages)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_doing *before = iot_doings.lookup(&tid), now = { .what = IOT_DOES_READ };

	if (before && before->what == IOT_DOES_FLUSH)
		return;
	now.ts = bpf_ktime_get_ns();
	now.ino = ino;
	now.dev = dev;
	now.left = pages;
	if (!before) {
		iot_doings.update(&tid, &now);
		return;
	}
	if (before->what == IOT_DOES_READ) {
		if (before->ino == ino && before->dev == dev) {
			now.left += before->left;
			now.before_ino = before->before_ino;
			now.before_dev = before->before_dev;
			now.before_left = before->before_left;
		} else {
			now.before_ino = before->ino;
			now.before_dev = before->dev;
			now.before_left = before->left;
		}
	}
	__builtin_memcpy(before, &now, sizeof(now));
}

static __always_inline int iot_doing_direct(u64 ino, u32 dev, int write)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct iot_doing now = { .what = IOT_DOES_DIRECT };

	if (!iot_wanted())
		return 0;
	now.ts = bpf_ktime_get_ns();
	now.ino = ino;
	now.dev = dev;
	now.write = write;
	iot_doings.update(&tid, &now);
	return 0;
}

#define IOT_IOCB_WRITE (1 << 18) /* include/linux/fs.h, IOCB_WRITE, seen in 6.12 to 7.3 */

#ifdef IOT_TP_iomap_iomap_dio_rw_begin
int iot_direct_iomap(struct iot_tp_iomap_iomap_dio_rw_begin *ctx)
{
	return iot_doing_direct(ctx->ino, ctx->dev, (ctx->ki_flags & IOT_IOCB_WRITE) != 0);
}
#endif

#ifdef IOT_TP_ext4_ext4_direct_IO_enter
int iot_direct_ext4(struct iot_tp_ext4_ext4_direct_IO_enter *ctx)
{
	return iot_doing_direct(ctx->ino, ctx->dev, ctx->rw & 1);
}
#endif

#ifdef IOT_TP_xfs_xfs_file_direct_read
int iot_direct_xfs_read(struct iot_tp_xfs_xfs_file_direct_read *ctx)
{
	return iot_doing_direct(ctx->ino, ctx->dev, 0);
}
#endif

#ifdef IOT_TP_xfs_xfs_file_direct_write
int iot_direct_xfs_write(struct iot_tp_xfs_xfs_file_direct_write *ctx)
{
	return iot_doing_direct(ctx->ino, ctx->dev, 1);
}
#endif

/* since: when the call began that the thread is in; what it did before that is over. */
static __always_inline void iot_owner_doing(struct iot_owner *owner, u64 since, char op, u32 sectors, u32 disk)
{
	u32 tid = bpf_get_current_pid_tgid(), pages = (sectors + 7) >> 3;
	struct iot_doing *d = iot_doings.lookup(&tid);

	if (!d || (d->what != IOT_DOES_FLUSH && d->ts < since))
		return;
	if (d->what == IOT_DOES_FLUSH ? op == 'R' : d->what == IOT_DOES_READ && (op != 'R' || !d->left))
		return;
	/* a block of the file system, which is less than a page, may be in a page that was there before */
	if (d->what != IOT_DOES_FLUSH && op == 'R' && (sectors & 7))
		return;
	if (d->what == IOT_DOES_DIRECT && d->write != (op != 'R'))
		return;
	owner->ino = d->ino;
	owner->dev = d->dev;
	owner->found = (owner->found & (IOT_OWNER_FOREIGN | IOT_OWNER_KERNEL)) | IOT_OWNER_EVENT;
	if (d->what == IOT_DOES_DIRECT) {
		owner->pages = IOT_OWNER_MEMORY;
		owner->found |= IOT_OWNER_CALL_FILE;
	} else if (d->ino == 0 || d->ino == disk) {
		/* the inode of a block device has the number of the device, none up to 5.10 */
		owner->pages = IOT_OWNER_DEVICE;
		owner->ino = 0;
	} else {
		owner->pages = IOT_OWNER_FILE;
	}
	if (d->what != IOT_DOES_READ)
		return;
	d->left = d->left > pages ? d->left - pages : 0;
	if (!d->left) {
		d->ino = d->before_ino;
		d->dev = d->before_dev;
		d->left = d->before_left;
		d->before_left = 0;
	}
}
#else
static __always_inline void iot_owner_doing(struct iot_owner *owner, u64 since, char op, u32 sectors, u32 disk)
{
}
#endif
#endif
