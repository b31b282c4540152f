/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers stand here, not the macros of the headers at hand: a build on an old
 * system must name what a newer kernel does. The open flags are the exception,
 * because each architecture has its own and none of these came after Linux
 * 3.11. They are the kernel's: O_LARGEFILE of the C library is 0 on 64 bits.
 */
#include "row/flags.h"

#include <asm/fcntl.h>
#include <stdio.h>

#include "row/flags_private.h"
#include "row/format.h"
#include "row/records.h"

/* clang-format off */
/* A wider name stands before the bits it holds, here and below. */
static const struct flag_name open_names[] = {
	FIELD(O_ACCMODE, O_RDONLY, "O_RDONLY"),
	FIELD(O_ACCMODE, O_WRONLY, "O_WRONLY"),
	FIELD(O_ACCMODE, O_RDWR, "O_RDWR"),
	FIELD(O_ACCMODE, O_ACCMODE, "O_ACCMODE"),
	BITS(O_CREAT, "O_CREAT"),
	BITS(O_EXCL, "O_EXCL"),
	BITS(O_NOCTTY, "O_NOCTTY"),
	BITS(O_TRUNC, "O_TRUNC"),
	BITS(O_APPEND, "O_APPEND"),
	BITS(O_NONBLOCK, "O_NONBLOCK"),
	BITS(O_SYNC, "O_SYNC"),
	BITS(O_DSYNC, "O_DSYNC"),
	BITS(FASYNC, "FASYNC"),
	BITS(O_DIRECT, "O_DIRECT"),
	BITS(O_LARGEFILE, "O_LARGEFILE"),
	BITS(O_TMPFILE, "O_TMPFILE"),
	BITS(O_DIRECTORY, "O_DIRECTORY"),
	BITS(O_NOFOLLOW, "O_NOFOLLOW"),
	BITS(O_NOATIME, "O_NOATIME"),
	BITS(O_CLOEXEC, "O_CLOEXEC"),
	BITS(O_PATH, "O_PATH"),
	END
};
const struct flag_set flags_open = { .names = open_names };

static const struct flag_name mmap_prot_names[] = {
	VALUE(0, "PROT_NONE"),
	BITS(0x1, "PROT_READ"),
	BITS(0x2, "PROT_WRITE"),
	BITS(0x4, "PROT_EXEC"),
	BITS(0x8, "PROT_SEM"),
	BITS(0x1000000, "PROT_GROWSDOWN"),
	BITS(0x2000000, "PROT_GROWSUP"),
	END
};
const struct flag_set flags_mmap_prot = { .names = mmap_prot_names, .unknown = "UNKNOWN_PROT(%u)" };

#ifdef __powerpc__
enum { M_LOCKED = 0x80, M_NORESERVE = 0x40 };
#else
enum { M_LOCKED = 0x2000, M_NORESERVE = 0x4000 };
#endif

/* Six bits on top are the logarithm of a page size when, and only when, MAP_HUGETLB is there. */
#define M_TYPE 0xf
#define M_HUGETLB 0x40000
#define HUGE(log2, name) FIELD(0xfc000000 | M_HUGETLB, (uint32_t)(log2) << 26 | M_HUGETLB, name)

static const struct flag_name mmap_map_names[] = {
	VALUE(0, "NO_MAP"),
	FIELD(M_TYPE, 0x1, "MAP_SHARED"),
	FIELD(M_TYPE, 0x2, "MAP_PRIVATE"),
	FIELD(M_TYPE, 0x3, "MAP_SHARED_VALIDATE"),
	FIELD(M_TYPE, 0x8, "MAP_DROPPABLE"),
	BITS(0x10, "MAP_FIXED"),
	BITS(0x20, "MAP_ANONYMOUS"),
#if defined(__x86_64__) || defined(__i386__)
	BITS(0x40, "MAP_32BIT"),
#endif
	BITS(0x100, "MAP_GROWSDOWN"),
	BITS(0x800, "MAP_DENYWRITE"),
	BITS(0x1000, "MAP_EXECUTABLE"),
	BITS(M_LOCKED, "MAP_LOCKED"),
	BITS(M_NORESERVE, "MAP_NORESERVE"),
	BITS(0x8000, "MAP_POPULATE"),
	BITS(0x10000, "MAP_NONBLOCK"),
	BITS(0x20000, "MAP_STACK"),
	BITS(M_HUGETLB, "MAP_HUGETLB"),
	BITS(0x80000, "MAP_SYNC"),
	BITS(0x100000, "MAP_FIXED_NOREPLACE"),
	FIELD(0x4000000 | M_HUGETLB, 0x4000000, "MAP_UNINITIALIZED"),
	HUGE(14, "MAP_HUGE_16KB"),
	HUGE(16, "MAP_HUGE_64KB"),
	HUGE(19, "MAP_HUGE_512KB"),
	HUGE(20, "MAP_HUGE_1MB"),
	HUGE(21, "MAP_HUGE_2MB"),
	HUGE(23, "MAP_HUGE_8MB"),
	HUGE(24, "MAP_HUGE_16MB"),
	HUGE(25, "MAP_HUGE_32MB"),
	HUGE(28, "MAP_HUGE_256MB"),
	HUGE(29, "MAP_HUGE_512MB"),
	HUGE(30, "MAP_HUGE_1GB"),
	HUGE(31, "MAP_HUGE_2GB"),
	HUGE(34, "MAP_HUGE_16GB"),
	END
};
const struct flag_set flags_mmap_map = { .names = mmap_map_names, .unknown = "UNKNOWN_MAP(%u)" };

static const struct flag_name fallocate_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "FALLOC_FL_KEEP_SIZE"),
	BITS(0x2, "FALLOC_FL_PUNCH_HOLE"),
	BITS(0x4, "FALLOC_FL_NO_HIDE_STALE"),
	BITS(0x8, "FALLOC_FL_COLLAPSE_RANGE"),
	BITS(0x10, "FALLOC_FL_ZERO_RANGE"),
	BITS(0x20, "FALLOC_FL_INSERT_RANGE"),
	BITS(0x40, "FALLOC_FL_UNSHARE_RANGE"),
	BITS(0x80, "FALLOC_FL_WRITE_ZEROES"),
	END
};
const struct flag_set flags_fallocate = { .names = fallocate_names };

static const struct flag_name msync_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "MS_ASYNC"),
	BITS(0x2, "MS_INVALIDATE"),
	BITS(0x4, "MS_SYNC"),
	END
};
const struct flag_set flags_msync = { .names = msync_names };

static const struct flag_name mremap_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "MREMAP_MAYMOVE"),
	BITS(0x2, "MREMAP_FIXED"),
	BITS(0x4, "MREMAP_DONTUNMAP"),
	END
};
const struct flag_set flags_mremap = { .names = mremap_names };

static const struct flag_name splice_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "SPLICE_F_MOVE"),
	BITS(0x2, "SPLICE_F_NONBLOCK"),
	BITS(0x4, "SPLICE_F_MORE"),
	BITS(0x8, "SPLICE_F_GIFT"),
	BITS(IOT_SPLICE_TO_FILE, "TO_FILE"),
	END
};
const struct flag_set flags_splice = { .names = splice_names };

static const struct flag_name rename_names[] = {
	BITS(0x1, "RENAME_NOREPLACE"),
	BITS(0x2, "RENAME_EXCHANGE"),
	BITS(0x4, "RENAME_WHITEOUT"),
	END
};
const struct flag_set flags_rename = { .names = rename_names };

static const struct flag_name madvise_names[] = {
	VALUE(0, "MADV_NORMAL"),
	VALUE(1, "MADV_RANDOM"),
	VALUE(2, "MADV_SEQUENTIAL"),
	VALUE(3, "MADV_WILLNEED"),
	VALUE(4, "MADV_DONTNEED"),
	VALUE(8, "MADV_FREE"),
	VALUE(9, "MADV_REMOVE"),
	VALUE(10, "MADV_DONTFORK"),
	VALUE(11, "MADV_DOFORK"),
	VALUE(12, "MADV_MERGEABLE"),
	VALUE(13, "MADV_UNMERGEABLE"),
	VALUE(14, "MADV_HUGEPAGE"),
	VALUE(15, "MADV_NOHUGEPAGE"),
	VALUE(16, "MADV_DONTDUMP"),
	VALUE(17, "MADV_DODUMP"),
	VALUE(18, "MADV_WIPEONFORK"),
	VALUE(19, "MADV_KEEPONFORK"),
	VALUE(20, "MADV_COLD"),
	VALUE(21, "MADV_PAGEOUT"),
	VALUE(22, "MADV_POPULATE_READ"),
	VALUE(23, "MADV_POPULATE_WRITE"),
	VALUE(24, "MADV_DONTNEED_LOCKED"),
	VALUE(25, "MADV_COLLAPSE"),
	VALUE(100, "MADV_HWPOISON"),
	VALUE(101, "MADV_SOFT_OFFLINE"),
	VALUE(102, "MADV_GUARD_INSTALL"),
	VALUE(103, "MADV_GUARD_REMOVE"),
	END
};
const struct flag_set flags_madvise = { .names = madvise_names, .unknown = "UNKNOWN_BEHAVIOR(%d)" };

#define S_TYPE 0170000

/* Mode 0 is known: an empty cell would say that it is not. */
static const struct flag_name mode_names[] = {
	VALUE(0, "MODE(0o0)"),
	FIELD(S_TYPE, 0140000, "S_IFSOCK"),
	FIELD(S_TYPE, 0120000, "S_IFLNK"),
	FIELD(S_TYPE, 0100000, "S_IFREG"),
	FIELD(S_TYPE, 060000, "S_IFBLK"),
	FIELD(S_TYPE, 040000, "S_IFDIR"),
	FIELD(S_TYPE, 020000, "S_IFCHR"),
	FIELD(S_TYPE, 010000, "S_IFIFO"),
	BITS(04000, "S_ISUID"),
	BITS(02000, "S_ISGID"),
	BITS(01000, "S_ISVTX"),
	BITS(0400, "S_IRUSR"),
	BITS(0200, "S_IWUSR"),
	BITS(0100, "S_IXUSR"),
	BITS(040, "S_IRGRP"),
	BITS(020, "S_IWGRP"),
	BITS(010, "S_IXGRP"),
	BITS(04, "S_IROTH"),
	BITS(02, "S_IWOTH"),
	BITS(01, "S_IXOTH"),
	END
};
const struct flag_set flags_mode = { .names = mode_names, .unknown = "MODE(0o%o)" };

static const struct flag_name statx_names[] = {
	BITS(0xfff, "STATX_ALL"),
	BITS(0x7ff, "STATX_BASIC_STATS"),
	BITS(0x1, "STATX_TYPE"),
	BITS(0x2, "STATX_MODE"),
	BITS(0x4, "STATX_NLINK"),
	BITS(0x8, "STATX_UID"),
	BITS(0x10, "STATX_GID"),
	BITS(0x20, "STATX_ATIME"),
	BITS(0x40, "STATX_MTIME"),
	BITS(0x80, "STATX_CTIME"),
	BITS(0x100, "STATX_INO"),
	BITS(0x200, "STATX_SIZE"),
	BITS(0x400, "STATX_BLOCKS"),
	BITS(0x800, "STATX_BTIME"),
	BITS(0x1000, "STATX_MNT_ID"),
	BITS(0x2000, "STATX_DIOALIGN"),
	BITS(0x4000, "STATX_MNT_ID_UNIQUE"),
	BITS(0x8000, "STATX_SUBVOL"),
	BITS(0x10000, "STATX_WRITE_ATOMIC"),
	BITS(0x20000, "STATX_DIO_READ_ALIGN"),
	END
};
const struct flag_set flags_statx = { .names = statx_names };

/* Bit 10 stays a number: ATTR_ATTR_FLAG in 4.14, nothing in 5.4 to 6.12, ATTR_CTIME_SET in 7.2. */
static const struct flag_name attr_names[] = {
	BITS(1 << 0, "ATTR_MODE"),
	BITS(1 << 1, "ATTR_UID"),
	BITS(1 << 2, "ATTR_GID"),
	BITS(1 << 3, "ATTR_SIZE"),
	BITS(1 << 4, "ATTR_ATIME"),
	BITS(1 << 5, "ATTR_MTIME"),
	BITS(1 << 6, "ATTR_CTIME"),
	BITS(1 << 7, "ATTR_ATIME_SET"),
	BITS(1 << 8, "ATTR_MTIME_SET"),
	BITS(1 << 9, "ATTR_FORCE"),
	BITS(1 << 11, "ATTR_KILL_SUID"),
	BITS(1 << 12, "ATTR_KILL_SGID"),
	BITS(1 << 13, "ATTR_FILE"),
	BITS(1 << 14, "ATTR_KILL_PRIV"),
	BITS(1 << 15, "ATTR_OPEN"),
	BITS(1 << 16, "ATTR_TIMES_SET"),
	BITS(1 << 17, "ATTR_TOUCH"),
	BITS(1 << 18, "ATTR_DELEG"),
	END
};
const struct flag_set flags_attr = { .names = attr_names };

static const struct flag_name sync_range_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "SYNC_FILE_RANGE_WAIT_BEFORE"),
	BITS(0x2, "SYNC_FILE_RANGE_WRITE"),
	BITS(0x4, "SYNC_FILE_RANGE_WAIT_AFTER"),
	END
};
const struct flag_set flags_sync_range = { .names = sync_range_names };

#ifdef __s390x__
enum { FADV_DONTNEED = 6, FADV_NOREUSE = 7 };
#else
enum { FADV_DONTNEED = 4, FADV_NOREUSE = 5 };
#endif

static const struct flag_name fadvise_names[] = {
	VALUE(0, "POSIX_FADV_NORMAL"),
	VALUE(1, "POSIX_FADV_RANDOM"),
	VALUE(2, "POSIX_FADV_SEQUENTIAL"),
	VALUE(3, "POSIX_FADV_WILLNEED"),
	VALUE(FADV_DONTNEED, "POSIX_FADV_DONTNEED"),
	VALUE(FADV_NOREUSE, "POSIX_FADV_NOREUSE"),
	END
};
const struct flag_set flags_fadvise = { .names = fadvise_names };

static const struct flag_name req_names[] = {
	VALUE(0, "NO_FLAGS"),
#define REQ_NAME(name) BITS(1u << IOT_REQ_##name, "REQ_" #name),
	IOT_REQ_FLAGS(REQ_NAME)
	END
};
const struct flag_set flags_req = { .names = req_names };

static const struct flag_name req_op_names[] = {
#define REQ_OP_NAME(name) VALUE(IOT_REQ_OP_##name, "REQ_OP_" #name),
	IOT_REQ_OPS(REQ_OP_NAME)
	END
};
const struct flag_set flags_req_op = { .names = req_op_names, .unknown = "REQ_OP(%u)" };
/* TASK_* as include/linux/sched.h reports them (TASK_REPORT, 4.14 to 7.3) */
static const struct flag_name task_state_names[] = {
	VALUE(0, "R"),
	VALUE(0x01, "S"),
	VALUE(0x02, "D"),
	VALUE(0x04, "T"),
	VALUE(0x08, "t"),
	VALUE(0x10, "X"),
	VALUE(0x20, "Z"),
	VALUE(0x40, "P"),
	VALUE(0x80, "I"),
	VALUE(0x100, "R+"),
	VALUE(IOT_RUN_WAKING, "W"),
	END
};
const struct flag_set flags_task_state = { .names = task_state_names };
/* clang-format on */

/* Of bits that a wider name took, none is left. */
static bool fits(const struct flag_name *name, uint32_t value, uint32_t rest)
{
	return (value & name->mask) == name->bits && (!name->bits || rest & name->bits);
}

static char *decode(char *p, const struct flag_set *set, uint32_t value)
{
	const char *start = p;
	uint32_t rest = value;

	for (const struct flag_name *name = set->names; name->name; name++) {
		if (!fits(name, value, rest))
			continue;
		if (p != start)
			*p++ = '|';
		p = put_word(p, name->name);
		rest &= ~name->bits;
	}
	if (!rest)
		return p;
	if (p == start)
		return p + sprintf(p, set->unknown ? set->unknown : "0x%x", value);
	return p + sprintf(p, "|0x%x", rest);
}

/* Programs use a handful of values, so each is decoded about once. */
char *put_flags(char *p, struct flags flags)
{
	static struct {
		const struct flag_set *set;
		uint32_t value;
		uint32_t len;
		char text[FORMAT_FIELD_MAX - 16];
	} cache[32];
	uint32_t set_bits = (uintptr_t)flags.set % 4096;
	uint32_t slot = (flags.value ^ set_bits) * 2654435769U >> 27;

	if (!flags.set)
		return p;
	if (cache[slot].set != flags.set || cache[slot].value != flags.value) {
		cache[slot].set = flags.set;
		cache[slot].value = flags.value;
		cache[slot].len = decode(cache[slot].text, flags.set, flags.value) -
				  cache[slot].text;
	}
	return put_bytes(p, cache[slot].text, cache[slot].len);
}
