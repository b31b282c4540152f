/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream ds: what a request is about. Where the kernel's structures are known, the pages of its bios
 * tell whose data it carries, whoever submits it; and the submitter's call tells of requests whose
 * pages are a program's own memory.
 */
#ifdef IOT_BLOCK

/* The operation of fs that the current thread is in, with its file as far as that is known; since when */
static __always_inline u64 iot_owner_call(struct iot_owner *owner)
{
	owner->fd = -1;
#ifdef IOT_FILE_TEXTS
	struct iot_slot *s = iot_pending_active(IOT_KIND_RW);
	struct iot_fs *fs = 0;
	u64 since = 0;

	if (s) {
		fs = &s->fs;
		since = s->ts;
	} else {
		struct iot_call *c = iot_pending_active(IOT_KIND_CALL);

		if (c) {
			fs = &c->more.fs;
			since = c->ts;
		}
	}
	if (fs) {
		owner->op = fs->op;
		owner->fd = fs->fd;
		if (fs->status & IOT_ST_FILE) {
			owner->ino = fs->ino;
			owner->dev = fs->dev;
			owner->flags = fs->flags;
			owner->found |= IOT_OWNER_CALL_FILE;
		}
		return since;
	}
#ifdef IOT_ASYNC
	s = iot_pending_active(IOT_KIND_ASYNC);
	if (s) {
		u64 id = s->async;
		struct iot_request *r = iot_async.lookup(&id);

		owner->op = s->op;
		since = s->ts;
		if (r) {
			owner->ino = r->ino;
			owner->dev = r->dev;
			owner->flags = r->flags;
			owner->found |= IOT_OWNER_CALL_FILE;
		}
	}
#endif
	return since;
#else
	return 0;
#endif
}

#ifdef IOT_USE_BIO_PAGES

/* Bios of a request that are looked at; each is of one file. */
#define IOT_OWNER_BIOS 4

#ifdef IOT_HAS_COMPOUND_INFO
#define iot_compound compound_info
#else
#define iot_compound compound_head
#endif
/* Where that is no address, its bits are those that the head's address has in common with every page behind it. */

/*
 * The verifier follows each way through a program: eight bios with two branches each would be a million.
 * So these are told apart by calculation; the barrier keeps the compiler from making branches of it.
 */
#define IOT_OPAQUE(x) asm volatile("" : "+r"(x))

/* all ones when x is not 0 */
static __always_inline u64 iot_mask(u64 x)
{
	IOT_OPAQUE(x);
	x = (x | -x) >> 63;
	IOT_OPAQUE(x);
	return -x;
}

static __always_inline u64 iot_choose(u64 mask, u64 yes, u64 no)
{
	return no ^ ((no ^ yes) & mask);
}

/* What a bio and the first page that it moves say; all 0 of no bio */
struct iot_moved {
	u64 bio;
	u64 page;    /* 0: it moves none */
	u64 flags;   /* PG_* */
	u64 mapping; /* the same for all anonymous memory */
	u64 size;    /* of the bio, bytes */
};

/* Gives the next one of its request. What is not there reads as 0. */
static __always_inline u64 iot_moved_read(struct iot_moved *m, u64 bio)
{
	u64 head = 0, vec = 0, page = 0, next = 0, flags = 0, mapping = 0, tail;
	u32 size = 0, idx = 0;

	/* one by one: the stack has no room for more at a time */
	IOT_LOAD(next, bio + offsetof(struct bio, bi_next));
	IOT_LOAD(vec, bio + offsetof(struct bio, bi_io_vec));
	IOT_LOAD(size, bio + offsetof(struct bio, bi_iter) + offsetof(struct bvec_iter, bi_size));
	IOT_LOAD(idx, bio + offsetof(struct bio, bi_iter) + offsetof(struct bvec_iter, bi_idx));
	IOT_LOAD(page, vec + idx * sizeof(struct bio_vec) + offsetof(struct bio_vec, bv_page));
	IOT_LOAD(head, page + offsetof(struct page, iot_compound));
	/* inside a compound page: its head tells */
	tail = -(head & 1);
#ifdef IOT_HAS_COMPOUND_INFO
	page = iot_choose(tail, iot_choose(iot_mask((head >> 32) ^ 0xffffffff), head - 1, page & head), page);
#else
	page = iot_choose(tail, head - 1, page);
#endif
	IOT_LOAD(flags, page + offsetof(struct page, flags));
	IOT_LOAD(mapping, page + offsetof(struct page, mapping));
	m->bio = bio;
	m->page = page;
	m->flags = flags;
	m->mapping = iot_choose(iot_mask(mapping & 3), mapping & 3, mapping);
	m->size = size;
	return next;
}

/*
 * Whose the page is: IOT_OWNER_FILE with its inode and device, IOT_OWNER_DEVICE with which one (which may lie
 * above the one that the request is for), or another of IOT_OWNER_PAGES. A page of
 * the cache is locked while it is read and marked while it is written; without that mark it is
 * somebody's mapped memory, from which or to which a direct call moves data. What is no page of a cache
 * has anything in place of the mapping: an inode points back at its own.
 */
static __always_inline u16 iot_moved_about(struct iot_moved *m, int write, u64 *ino, u32 *dev, u64 *at)
{
	u64 mapping = m->mapping, host = 0, own = 0, sb;
	u64 mark = m->flags & (write ? 1UL << PG_writeback : 1UL << PG_locked);
	struct iot_inode_head {
		u16 mode;
	} h = {};
	unsigned long number = 0;

	if ((mapping & 3) == 1)
		return mark ? IOT_OWNER_SWAP : IOT_OWNER_MEMORY;
	if (!mapping || (mapping & 3))
		return IOT_OWNER_MEMORY;
	IOT_LOAD(host, mapping + offsetof(struct address_space, host));
	if (!host)
		return IOT_OWNER_MEMORY;
	IOT_LOAD(own, host + offsetof(struct inode, i_mapping));
	if (own != mapping)
		return IOT_OWNER_MEMORY;
	IOT_LOAD(h.mode, host + offsetof(struct inode, i_mode));
	if (!S_ISREG(h.mode)) {
		if (!S_ISBLK(h.mode))
			return IOT_OWNER_META;
#ifdef IOT_HAS_INODE_RDEV
		IOT_LOAD(*dev, host + offsetof(struct inode, i_rdev));
#endif
		return IOT_OWNER_DEVICE;
	}
	if (!mark)
		return IOT_OWNER_MEMORY;
	IOT_LOAD(number, host + offsetof(struct inode, i_ino));
	IOT_LOAD(sb, host + offsetof(struct inode, i_sb));
	IOT_LOAD(*dev, sb + offsetof(struct super_block, s_dev));
	*ino = number;
	*at = host;
	return IOT_OWNER_FILE;
}

/*
 * Where a bio has nothing private it may be a part of what begins with the struct kiocb, a cache line before
 * it: short reads of iomap from 7.2 on (iomap_dio_simple) and of a block device. Anything else
 * may be there, too, so that only a request of io_uring in flight is believed.
 */
#define IOT_BIO_FRONT 64
static __always_inline void iot_owner_inside(struct iot_owner *owner, u64 bio)
{
#ifdef IOT_RING_REQUESTS
	u64 iocb = 0;

	IOT_LOAD(iocb, bio - IOT_BIO_FRONT);
	if (iocb && !(iocb & 7))
		owner->req = iot_ring_request_at(iocb);
#endif
}

/*
 * A direct request that the file system keeps for the caller's own (iomap_dio and blkdev_dio, both of
 * which begin with the struct kiocb of the call): the request of io_uring that it is of, and its file,
 * where that is one that is open for it.
 */
static __always_inline void iot_owner_direct(struct iot_owner *owner, u64 bio)
{
	u64 dio = 0, iocb = 0, file = 0, inode = 0, mapping = 0, host = 0, sb = 0;
	unsigned long number = 0;
	u32 flags = 0;
	u16 mode = 0;

	IOT_LOAD(dio, bio + offsetof(struct bio, bi_private));
	if (!dio)
		iot_owner_inside(owner, bio);
	if (!dio || (dio & 7))
		return;
	IOT_LOAD(iocb, dio);
	if (!iocb || (iocb & 7))
		return;
#ifdef IOT_RING_REQUESTS
	owner->req = iot_ring_request_at(iocb);
	if (owner->found & IOT_OWNER_CALL_FILE)
		return;
#endif
	IOT_LOAD(file, iocb + offsetof(struct kiocb, ki_filp));
	if (!file || (file & 7))
		return;
	IOT_LOAD(inode, file + offsetof(struct file, f_inode));
	if (!inode || (inode & 7))
		return;
	IOT_LOAD(mapping, inode + offsetof(struct inode, i_mapping));
	if (!mapping || (mapping & 7))
		return;
	IOT_LOAD(host, mapping + offsetof(struct address_space, host));
	IOT_LOAD(flags, file + offsetof(struct file, f_flags));
	IOT_LOAD(mode, inode + offsetof(struct inode, i_mode));
	/* a loop device opens its file as it likes */
	if (host != inode || !((flags & O_DIRECT) || (owner->found & IOT_OWNER_KERNEL)) || !S_ISREG(mode))
		return;
	IOT_LOAD(number, inode + offsetof(struct inode, i_ino));
	IOT_LOAD(sb, inode + offsetof(struct inode, i_sb));
	IOT_LOAD(owner->dev, sb + offsetof(struct super_block, s_dev));
	owner->ino = number;
	owner->flags = flags;
	owner->found |= IOT_OWNER_CALL_FILE;
}

/* The control group that write-back of an inode is charged to; up to 5.4 the id is a union, in its first bytes */
static __always_inline u64 iot_charged(u64 inode)
{
	u64 id = 0;
#ifdef IOT_HAS_INODE_WB
	u64 at = 0;

	IOT_LOAD(at, inode + offsetof(struct inode, i_wb));
	IOT_LOAD(at, at + offsetof(struct bdi_writeback, blkcg_css));
	IOT_LOAD(at, at + offsetof(struct cgroup_subsys_state, cgroup));
	IOT_LOAD(at, at + offsetof(struct cgroup, kn));
	IOT_LOAD(id, at + offsetof(struct kernfs_node, id));
#endif
	return id;
}

/* What the pages tell, of which best is about the most */
static __always_inline void iot_owner_moved(struct iot_owner *owner, struct iot_moved *best, int write)
{
	u64 ino = 0, inode = 0;
	u32 dev = 0;
	u16 pages = best->page ? iot_moved_about(best, write, &ino, &dev, &inode) : IOT_OWNER_NO_PAGES;

	/* a device's own memory, as of what it encrypts: whose data it is was told above */
	if ((owner->found & IOT_OWNER_ABOVE) && owner->pages && pages == IOT_OWNER_MEMORY)
		return;
	owner->pages = pages;
	if (owner->pages == IOT_OWNER_FILE) {
		/* data that has to be there before what tells of it */
		if (owner->found & IOT_OWNER_COMMIT) {
			owner->found &= ~IOT_OWNER_COMMIT;
			owner->req = 0;
			owner->flags = 0;
		}
		owner->ino = ino;
		owner->dev = dev;
		if (owner->found & IOT_OWNER_KERNEL)
			owner->cgroup = iot_charged(inode);
	}
	if (owner->pages == IOT_OWNER_DEVICE && !(owner->found & (IOT_OWNER_CALL_FILE | IOT_OWNER_COMMIT)))
		owner->dev = dev;
	if (owner->found & IOT_OWNER_COMMIT)
		return;
#ifndef IOT_RING_REQUESTS
	if (owner->found & IOT_OWNER_CALL_FILE)
		return;
#endif
	/* a block of a file system is moved directly where that is on a loop device */
	if (owner->pages == IOT_OWNER_MEMORY || (owner->pages == IOT_OWNER_DEVICE && (owner->found & IOT_OWNER_KERNEL)))
		iot_owner_direct(owner, best->bio);
}

/* The same of a bio that is no part of a request */
static __always_inline void iot_owner_bio(struct iot_owner *owner, u64 bio, int write)
{
	struct iot_moved moved = {};

	iot_moved_read(&moved, bio);
	iot_owner_moved(owner, &moved, write);
}

/*
 * The bios of a request that is issued: about whom most of its bytes are, and how many they are.
 * Neighbours on the disk are merged whoever they are of.
 */
static __always_inline void iot_owner_pages(struct iot_owner *owner, u64 request, int write)
{
	struct iot_moved now = {}, best = {};
	u64 bio = 0, owners = 1, run, most;

	IOT_LOAD(bio, request + offsetof(struct request, bio));
	if (!bio)
		return;
	bio = iot_moved_read(&best, bio);
	now = best;
	run = most = best.size;
	IOT_REPEAT
	for (u64 i = 1; i < IOT_OWNER_BIOS; i++) {
		u64 seen = now.mapping, there = iot_mask(bio), other, more;

		IOT_COUNTED(i);
#ifdef IOT_HAS_LOOPS
		if (!bio)
			break;
#endif
		bio = iot_moved_read(&now, bio);
		/* behind the last one nothing changes */
		other = iot_mask(now.mapping ^ seen) & there;
		now.mapping = iot_choose(there, now.mapping, seen);
		owners += other & 1;
		run = (run & ~other) + (now.size & there);
		more = iot_mask((most - run) >> 63);
		most = iot_choose(more, run, most);
		best.bio = iot_choose(more, now.bio, best.bio);
		best.page = iot_choose(more, now.page, best.page);
		best.flags = iot_choose(more, now.flags, best.flags);
		best.mapping = iot_choose(more, now.mapping, best.mapping);
		/* one after another: the stack has no room for all */
		asm volatile("" ::: "memory");
	}
	/* more than were looked at: the last one tells whether another file began */
	if (bio) {
		run = now.mapping;
		IOT_LOAD(bio, request + offsetof(struct request, biotail));
		iot_moved_read(&now, bio);
		owners += iot_mask(now.mapping ^ run) & 1;
	}
	owner->owners = owners;
	iot_owner_moved(owner, &best, write);
}

#else
static __always_inline void iot_owner_pages(struct iot_owner *owner, u64 request, int write)
{
}

static __always_inline void iot_owner_bio(struct iot_owner *owner, u64 bio, int write)
{
}
#endif

static __always_inline int iot_is_kernel_thread(void)
{
#ifdef IOT_HEADERS
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned int flags = 0;

	IOT_GET(flags, task, flags);
	return (flags & PF_KTHREAD) != 0;
#else
	return 0;
#endif
}

/*
 * A thread that is not traced itself writes what one that is may have left in the cache. Of these the
 * reader knows whose the files are.
 */
static __always_inline int iot_may_carry(char op)
{
	struct iot_config *cfg = iot_on(bpf_get_current_pid_tgid() >> 32);

	if (!cfg || op == 'R' || op == 'D')
		return 0;
#ifdef IOT_USE_BIO_PAGES
	return iot_is_kernel_thread();
#else
	return 1;
#endif
}

static __always_inline int iot_carries(struct iot_owner *owner)
{
	return !(owner->found & IOT_OWNER_FOREIGN) || (owner->found & IOT_OWNER_COMMIT) ||
	       (owner->pages == IOT_OWNER_FILE && owner->ino);
}
#endif
