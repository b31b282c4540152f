/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags to names: in every table each bit, all bits, none, bits that have no
 * name, and names of several bits. Values are written out once more here, so a
 * slip in the tables does not agree with itself.
 */
#include "row/flags.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture/fixture_flags.h"
#include "row/records.h"

/* ---- open ---- */

#if defined(__aarch64__) || defined(__arm__)
enum { DIRECTORY = 14, NOFOLLOW = 15, DIRECT = 16, LARGEFILE = 17 };
#else
enum { DIRECT = 14, LARGEFILE = 15, DIRECTORY = 16, NOFOLLOW = 17 };
#endif

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__)
START_TEST(open_flags_have_their_names)
{
	static const char *const bits[32] = {
		[6] = "O_CREAT",
		[7] = "O_EXCL",
		[8] = "O_NOCTTY",
		[9] = "O_TRUNC",
		[10] = "O_APPEND",
		[11] = "O_NONBLOCK",
		[12] = "O_DSYNC",
		[13] = "FASYNC",
		[DIRECT] = "O_DIRECT",
		[LARGEFILE] = "O_LARGEFILE",
		[DIRECTORY] = "O_DIRECTORY",
		[NOFOLLOW] = "O_NOFOLLOW",
		[18] = "O_NOATIME",
		[19] = "O_CLOEXEC",
		[21] = "O_PATH",
	};
	static const struct sample samples[] = {
		{ 0, "O_RDONLY" },
		{ 1, "O_WRONLY" },
		{ 2, "O_RDWR" },
		{ 3, "O_ACCMODE" },
		{ 0x20, "O_RDONLY|0x20" },
		{ 0x241 | 1 << LARGEFILE, "O_WRONLY|O_CREAT|O_TRUNC|O_LARGEFILE" },
		{ 0x101000, "O_RDONLY|O_SYNC" },
		{ 0x100000, "O_RDONLY|0x100000" },
		{ 0x400002 | 1 << DIRECTORY, "O_RDWR|O_TMPFILE" },
		{ 0x400002, "O_RDWR|0x400000" },
		{ 0x80000000, "O_RDONLY|0x80000000" },
		{ 0xfffffffe, "O_RDWR|O_CREAT|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|O_SYNC|"
			      "FASYNC|O_DIRECT|O_LARGEFILE|O_TMPFILE|O_NOFOLLOW|O_NOATIME|"
			      "O_CLOEXEC|O_PATH|0xff80003c" },
		{ 0xffffffff, "O_ACCMODE|O_CREAT|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|"
			      "O_SYNC|FASYNC|O_DIRECT|O_LARGEFILE|O_TMPFILE|O_NOFOLLOW|O_NOATIME|"
			      "O_CLOEXEC|O_PATH|0xff80003c" },
	};

	check_bits(&flags_open, bits, "O_RDONLY|", "0x%x");
	check_samples(&flags_open, samples, N_OF(samples));
}
END_TEST
#endif

/* ---- mmap ---- */

START_TEST(mmap_prot_has_its_names)
{
	static const char *const bits[32] = {
		[0] = "PROT_READ", [1] = "PROT_WRITE",      [2] = "PROT_EXEC",
		[3] = "PROT_SEM",  [24] = "PROT_GROWSDOWN", [25] = "PROT_GROWSUP",
	};
	static const struct sample samples[] = {
		{ 0, "PROT_NONE" },
		{ 3, "PROT_READ|PROT_WRITE" },
		{ 0x300000f, "PROT_READ|PROT_WRITE|PROT_EXEC|PROT_SEM|PROT_GROWSDOWN|"
			     "PROT_GROWSUP" },
		{ 0x11, "PROT_READ|0x10" },
		{ 0x30, "UNKNOWN_PROT(48)" },
		{ 0xffffffff, "PROT_READ|PROT_WRITE|PROT_EXEC|PROT_SEM|PROT_GROWSDOWN|PROT_GROWSUP|"
			      "0xfcfffff0" },
	};

	check_bits(&flags_mmap_prot, bits, "", "UNKNOWN_PROT(%u)");
	check_samples(&flags_mmap_prot, samples, N_OF(samples));
}
END_TEST

/* Where values are the generic ones; 0x40 is x86's alone. */
#ifndef __powerpc__
#if defined(__x86_64__) || defined(__i386__)
#define NAME_32BIT "MAP_32BIT"
#define BAR_32BIT "MAP_32BIT|"
#define REST "68"
#else
#define NAME_32BIT NULL
#define BAR_32BIT ""
#define REST "6c"
#endif

#define MAP_NAMES                                                                                  \
	"MAP_FIXED|MAP_ANONYMOUS|" BAR_32BIT "MAP_GROWSDOWN|MAP_DENYWRITE|MAP_EXECUTABLE|"         \
	"MAP_LOCKED|MAP_NORESERVE|MAP_POPULATE|MAP_NONBLOCK|MAP_STACK|MAP_HUGETLB|MAP_SYNC|"       \
	"MAP_FIXED_NOREPLACE"

START_TEST(mmap_flags_have_their_names)
{
	static const char *const bits[32] = {
		[0] = "MAP_SHARED",    [1] = "MAP_PRIVATE",          [3] = "MAP_DROPPABLE",
		[4] = "MAP_FIXED",     [5] = "MAP_ANONYMOUS",        [6] = NAME_32BIT,
		[8] = "MAP_GROWSDOWN", [11] = "MAP_DENYWRITE",       [12] = "MAP_EXECUTABLE",
		[13] = "MAP_LOCKED",   [14] = "MAP_NORESERVE",       [15] = "MAP_POPULATE",
		[16] = "MAP_NONBLOCK", [17] = "MAP_STACK",           [18] = "MAP_HUGETLB",
		[19] = "MAP_SYNC",     [20] = "MAP_FIXED_NOREPLACE", [26] = "MAP_UNINITIALIZED",
	};
	static const struct sample samples[] = {
		{ 0, "NO_MAP" },
		{ 0x2, "MAP_PRIVATE" },
		{ 0x3, "MAP_SHARED_VALIDATE" },
		{ 0x80003, "MAP_SHARED_VALIDATE|MAP_SYNC" },
		{ 0x812, "MAP_PRIVATE|MAP_FIXED|MAP_DENYWRITE" },
		{ 0x5, "UNKNOWN_MAP(5)" }, /* a type that none is, not two bits */
		{ 0xb, "UNKNOWN_MAP(11)" },
		{ 0x25, "MAP_ANONYMOUS|0x5" },
		{ 0x200002, "MAP_PRIVATE|0x200000" },
		{ 0x1ffff1, "MAP_SHARED|" MAP_NAMES "|0x" REST "0" },
		{ 0xffffffff, MAP_NAMES "|0xffe00" REST "f" },
		{ 0xfffbffff, "MAP_FIXED|MAP_ANONYMOUS|" BAR_32BIT "MAP_GROWSDOWN|MAP_DENYWRITE|"
			      "MAP_EXECUTABLE|MAP_LOCKED|MAP_NORESERVE|MAP_POPULATE|MAP_NONBLOCK|"
			      "MAP_STACK|MAP_SYNC|MAP_FIXED_NOREPLACE|MAP_UNINITIALIZED|"
			      "0xfbe00" REST "f" },
	};

	check_bits(&flags_mmap_map, bits, "", "UNKNOWN_MAP(%u)");
	check_samples(&flags_mmap_map, samples, N_OF(samples));
}
END_TEST
#endif

START_TEST(huge_pages_have_their_size)
{
	static const char *const sizes[64] = {
		[14] = "16KB", [16] = "64KB", [19] = "512KB", [20] = "1MB",   [21] = "2MB",
		[23] = "8MB",  [24] = "16MB", [25] = "32MB",  [28] = "256MB", [29] = "512MB",
		[30] = "1GB",  [31] = "2GB",  [34] = "16GB",
	};
	char expected[64];

	for (uint32_t log2 = 1; log2 < 64; log2++) {
		if (sizes[log2])
			snprintf(expected, sizeof(expected), "MAP_PRIVATE|MAP_HUGETLB|MAP_HUGE_%s",
				 sizes[log2]);
		else
			snprintf(expected, sizeof(expected), "MAP_PRIVATE|MAP_HUGETLB|0x%x",
				 log2 << 26);
		ck_assert_str_eq(text_of(&flags_mmap_map, 0x40002 | log2 << 26), expected);
	}
}
END_TEST

/* Not a size without MAP_HUGETLB. */
START_TEST(size_of_ordinary_pages_is_not_named)
{
	static const struct sample samples[] = {
		{ 21U << 26 | 0x2, "MAP_PRIVATE|MAP_UNINITIALIZED|0x50000000" },
		{ 30U << 26 | 0x2, "MAP_PRIVATE|0x78000000" },
	};

	check_samples(&flags_mmap_map, samples, N_OF(samples));
}
END_TEST

/* ---- other operations on mappings ---- */

START_TEST(msync_flags_have_their_names)
{
	static const char *const bits[32] = { "MS_ASYNC", "MS_INVALIDATE", "MS_SYNC" };
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 7, "MS_ASYNC|MS_INVALIDATE|MS_SYNC" },
		{ 0xc, "MS_SYNC|0x8" },
		{ 0xffffffff, "MS_ASYNC|MS_INVALIDATE|MS_SYNC|0xfffffff8" },
	};

	check_bits(&flags_msync, bits, "", "0x%x");
	check_samples(&flags_msync, samples, N_OF(samples));
}
END_TEST

START_TEST(mremap_flags_have_their_names)
{
	static const char *const bits[32] = { "MREMAP_MAYMOVE", "MREMAP_FIXED",
					      "MREMAP_DONTUNMAP" };
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 3, "MREMAP_MAYMOVE|MREMAP_FIXED" },
		{ 7, "MREMAP_MAYMOVE|MREMAP_FIXED|MREMAP_DONTUNMAP" },
		{ 0xffffffff, "MREMAP_MAYMOVE|MREMAP_FIXED|MREMAP_DONTUNMAP|0xfffffff8" },
	};

	check_bits(&flags_mremap, bits, "", "0x%x");
	check_samples(&flags_mremap, samples, N_OF(samples));
}
END_TEST

START_TEST(madvise_has_one_name)
{
	static const char *const values[128] = {
		[0] = "MADV_NORMAL",          [1] = "MADV_RANDOM",
		[2] = "MADV_SEQUENTIAL",      [3] = "MADV_WILLNEED",
		[4] = "MADV_DONTNEED",        [8] = "MADV_FREE",
		[9] = "MADV_REMOVE",          [10] = "MADV_DONTFORK",
		[11] = "MADV_DOFORK",         [12] = "MADV_MERGEABLE",
		[13] = "MADV_UNMERGEABLE",    [14] = "MADV_HUGEPAGE",
		[15] = "MADV_NOHUGEPAGE",     [16] = "MADV_DONTDUMP",
		[17] = "MADV_DODUMP",         [18] = "MADV_WIPEONFORK",
		[19] = "MADV_KEEPONFORK",     [20] = "MADV_COLD",
		[21] = "MADV_PAGEOUT",        [22] = "MADV_POPULATE_READ",
		[23] = "MADV_POPULATE_WRITE", [24] = "MADV_DONTNEED_LOCKED",
		[25] = "MADV_COLLAPSE",       [100] = "MADV_HWPOISON",
		[101] = "MADV_SOFT_OFFLINE",  [102] = "MADV_GUARD_INSTALL",
		[103] = "MADV_GUARD_REMOVE",
	};
	static const struct sample samples[] = {
		{ 0x104, "UNKNOWN_BEHAVIOR(260)" },
		{ 0xffffffff, "UNKNOWN_BEHAVIOR(-1)" },
	};

	check_values(&flags_madvise, values, N_OF(values), "UNKNOWN_BEHAVIOR(%u)");
	check_samples(&flags_madvise, samples, N_OF(samples));
}
END_TEST

/* ---- data ---- */

START_TEST(fallocate_flags_have_their_names)
{
	static const char *const bits[32] = { "FALLOC_FL_KEEP_SIZE",     "FALLOC_FL_PUNCH_HOLE",
					      "FALLOC_FL_NO_HIDE_STALE", "FALLOC_FL_COLLAPSE_RANGE",
					      "FALLOC_FL_ZERO_RANGE",    "FALLOC_FL_INSERT_RANGE",
					      "FALLOC_FL_UNSHARE_RANGE", "FALLOC_FL_WRITE_ZEROES" };
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 3, "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE" },
		{ 0x101, "FALLOC_FL_KEEP_SIZE|0x100" },
		{ 0xffffffff, "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE|FALLOC_FL_NO_HIDE_STALE|"
			      "FALLOC_FL_COLLAPSE_RANGE|FALLOC_FL_ZERO_RANGE|"
			      "FALLOC_FL_INSERT_RANGE|FALLOC_FL_UNSHARE_RANGE|"
			      "FALLOC_FL_WRITE_ZEROES|0xffffff00" },
	};

	check_bits(&flags_fallocate, bits, "", "0x%x");
	check_samples(&flags_fallocate, samples, N_OF(samples));
}
END_TEST

START_TEST(splice_flags_have_their_names)
{
	static const char *const bits[32] = { "SPLICE_F_MOVE", "SPLICE_F_NONBLOCK", "SPLICE_F_MORE",
					      "SPLICE_F_GIFT", [31] = "TO_FILE" };
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 5, "SPLICE_F_MOVE|SPLICE_F_MORE" },
		{ 0xf, "SPLICE_F_MOVE|SPLICE_F_NONBLOCK|SPLICE_F_MORE|SPLICE_F_GIFT" },
		{ 0xffffffff, "SPLICE_F_MOVE|SPLICE_F_NONBLOCK|SPLICE_F_MORE|SPLICE_F_GIFT|"
			      "TO_FILE|0x7ffffff0" },
	};

	check_bits(&flags_splice, bits, "", "0x%x");
	check_samples(&flags_splice, samples, N_OF(samples));
}
END_TEST

START_TEST(sync_range_flags_have_their_names)
{
	static const char *const bits[32] = {
		"SYNC_FILE_RANGE_WAIT_BEFORE",
		"SYNC_FILE_RANGE_WRITE",
		"SYNC_FILE_RANGE_WAIT_AFTER",
	};
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 7, "SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|"
		     "SYNC_FILE_RANGE_WAIT_AFTER" },
		{ 0xffffffff, "SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|"
			      "SYNC_FILE_RANGE_WAIT_AFTER|0xfffffff8" },
	};

	check_bits(&flags_sync_range, bits, "", "0x%x");
	check_samples(&flags_sync_range, samples, N_OF(samples));
}
END_TEST

START_TEST(fadvise_has_one_name)
{
	static const char *const values[128] = { "POSIX_FADV_NORMAL",
						 "POSIX_FADV_RANDOM",
						 "POSIX_FADV_SEQUENTIAL",
						 "POSIX_FADV_WILLNEED",
#ifdef __s390x__
						 [6] =
#endif
							 "POSIX_FADV_DONTNEED",
						 "POSIX_FADV_NOREUSE" };
	static const struct sample samples[] = {
		{ 0x80000000, "0x80000000" },
		{ 0xffffffff, "0xffffffff" },
	};

	check_values(&flags_fadvise, values, N_OF(values), "0x%x");
	check_samples(&flags_fadvise, samples, N_OF(samples));
}
END_TEST

/* ---- block requests: the numbers are those of record.h, from one list with the names ---- */

START_TEST(request_flags_have_their_names)
{
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 1, "REQ_FAILFAST_DEV" },
		{ 1u << IOT_REQ_SYNC, "REQ_SYNC" },
		{ 1u << IOT_REQ_FUA | 1u << IOT_REQ_SYNC, "REQ_SYNC|REQ_FUA" },
		{ 1u << IOT_REQ_NOUNMAP, "REQ_NOUNMAP" },
		{ 1u << IOT_N_REQ_FLAGS, "0x1000000" },
	};

	ck_assert_int_eq(IOT_N_REQ_FLAGS, 24);
	check_samples(&flags_req, samples, N_OF(samples));
}
END_TEST

START_TEST(request_operations_have_one_name)
{
	static const struct sample samples[] = {
		{ IOT_REQ_OP_READ, "REQ_OP_READ" },
		{ IOT_REQ_OP_WRITE_ZEROES, "REQ_OP_WRITE_ZEROES" },
		{ IOT_REQ_OP_ZONE_RESET_ALL, "REQ_OP_ZONE_RESET_ALL" },
		{ IOT_REQ_OP_DRV_OUT, "REQ_OP_DRV_OUT" },
		{ IOT_REQ_OP_END, "REQ_OP(275)" },
		{ IOT_REQ_OP_FIRST, "REQ_OP(256)" },
		{ 36, "REQ_OP(36)" },
	};

	check_samples(&flags_req_op, samples, N_OF(samples));
}
END_TEST

/* ---- names and attributes ---- */

START_TEST(rename_flags_have_their_names)
{
	static const char *const bits[32] = { "RENAME_NOREPLACE", "RENAME_EXCHANGE",
					      "RENAME_WHITEOUT" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 7, "RENAME_NOREPLACE|RENAME_EXCHANGE|RENAME_WHITEOUT" },
		{ 9, "RENAME_NOREPLACE|0x8" },
		{ 0xffffffff, "RENAME_NOREPLACE|RENAME_EXCHANGE|RENAME_WHITEOUT|0xfffffff8" },
	};

	check_bits(&flags_rename, bits, "", "0x%x");
	check_samples(&flags_rename, samples, N_OF(samples));
}
END_TEST

#define PERMISSIONS "S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IWGRP|S_IXGRP|S_IROTH|S_IWOTH|S_IXOTH"

START_TEST(mode_bits_have_their_names)
{
	static const char *const bits[32] = { "S_IXOTH", "S_IWOTH", "S_IROTH", "S_IXGRP",
					      "S_IWGRP", "S_IRGRP", "S_IXUSR", "S_IWUSR",
					      "S_IRUSR", "S_ISVTX", "S_ISGID", "S_ISUID",
					      "S_IFIFO", "S_IFCHR", "S_IFDIR", "S_IFREG" };
	static const struct sample samples[] = {
		{ 0, "MODE(0o0)" },
		{ 0755, "S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IXGRP|S_IROTH|S_IXOTH" },
		{ 0777, PERMISSIONS },
		{ 07777, "S_ISUID|S_ISGID|S_ISVTX|" PERMISSIONS },
		{ 060600, "S_IFBLK|S_IRUSR|S_IWUSR" },
		{ 0120777, "S_IFLNK|" PERMISSIONS },
		{ 0140000, "S_IFSOCK" },
		{ 030400, "S_IRUSR|0x3000" }, /* a type that none is */
		{ 0200400, "S_IRUSR|0x10000" },
		{ 0600000, "MODE(0o600000)" },
		{ 0xffffffff, "S_ISUID|S_ISGID|S_ISVTX|" PERMISSIONS "|0xfffff000" },
	};

	check_bits(&flags_mode, bits, "", "MODE(0o%o)");
	check_samples(&flags_mode, samples, N_OF(samples));
}
END_TEST

START_TEST(statx_mask_has_its_names)
{
	static const char *const bits[32] = {
		"STATX_TYPE",         "STATX_MODE",           "STATX_NLINK",         "STATX_UID",
		"STATX_GID",          "STATX_ATIME",          "STATX_MTIME",         "STATX_CTIME",
		"STATX_INO",          "STATX_SIZE",           "STATX_BLOCKS",        "STATX_BTIME",
		"STATX_MNT_ID",       "STATX_DIOALIGN",       "STATX_MNT_ID_UNIQUE", "STATX_SUBVOL",
		"STATX_WRITE_ATOMIC", "STATX_DIO_READ_ALIGN",
	};
	static const struct sample samples[] = {
		{ 0, "" },
		{ 0x7ff, "STATX_BASIC_STATS" },
		{ 0xfff, "STATX_ALL" },
		{ 0x17ff, "STATX_BASIC_STATS|STATX_MNT_ID" },
		{ 0x1fff, "STATX_ALL|STATX_MNT_ID" },
		{ 0x7fe, "STATX_MODE|STATX_NLINK|STATX_UID|STATX_GID|STATX_ATIME|STATX_MTIME|"
			 "STATX_CTIME|STATX_INO|STATX_SIZE|STATX_BLOCKS" },
		{ 0xffffffff, "STATX_ALL|STATX_MNT_ID|STATX_DIOALIGN|STATX_MNT_ID_UNIQUE|"
			      "STATX_SUBVOL|STATX_WRITE_ATOMIC|STATX_DIO_READ_ALIGN|0xfffc0000" },
	};

	check_bits(&flags_statx, bits, "", "0x%x");
	check_samples(&flags_statx, samples, N_OF(samples));
}
END_TEST

START_TEST(attributes_have_their_names)
{
	static const char *const bits[32] = { "ATTR_MODE",
					      "ATTR_UID",
					      "ATTR_GID",
					      "ATTR_SIZE",
					      "ATTR_ATIME",
					      "ATTR_MTIME",
					      "ATTR_CTIME",
					      "ATTR_ATIME_SET",
					      "ATTR_MTIME_SET",
					      "ATTR_FORCE",
					      NULL,
					      "ATTR_KILL_SUID",
					      "ATTR_KILL_SGID",
					      "ATTR_FILE",
					      "ATTR_KILL_PRIV",
					      "ATTR_OPEN",
					      "ATTR_TIMES_SET",
					      "ATTR_TOUCH",
					      "ATTR_DELEG" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 6, "ATTR_UID|ATTR_GID" },
		{ 0x30, "ATTR_ATIME|ATTR_MTIME" },
		{ 0x401, "ATTR_MODE|0x400" },
		{ 0xffffffff, "ATTR_MODE|ATTR_UID|ATTR_GID|ATTR_SIZE|ATTR_ATIME|ATTR_MTIME|"
			      "ATTR_CTIME|ATTR_ATIME_SET|ATTR_MTIME_SET|ATTR_FORCE|ATTR_KILL_SUID|"
			      "ATTR_KILL_SGID|ATTR_FILE|ATTR_KILL_PRIV|ATTR_OPEN|ATTR_TIMES_SET|"
			      "ATTR_TOUCH|ATTR_DELEG|0xfff80400" },
	};

	check_bits(&flags_attr, bits, "", "0x%x");
	check_samples(&flags_attr, samples, N_OF(samples));
}
END_TEST

/* ---- every table ---- */

static const struct flag_set *const sets[] = { &flags_open,       &flags_mmap_prot, &flags_mmap_map,
					       &flags_fallocate,  &flags_msync,     &flags_mremap,
					       &flags_splice,     &flags_rename,    &flags_madvise,
					       &flags_mode,       &flags_statx,     &flags_attr,
					       &flags_sync_range, &flags_fadvise,   &flags_req,
					       &flags_req_op };

START_TEST(no_set_is_an_empty_cell)
{
	ck_assert_str_eq(text_of(NULL, 0), "");
	ck_assert_str_eq(text_of(NULL, 1), "");
}
END_TEST

/* What one set said of a value is not what another says. */
START_TEST(sets_do_not_mix)
{
	for (int turn = 0; turn < 2; turn++) {
		ck_assert_str_eq(text_of(&flags_msync, 1), "MS_ASYNC");
		ck_assert_str_eq(text_of(&flags_mremap, 1), "MREMAP_MAYMOVE");
		ck_assert_str_eq(text_of(&flags_splice, 1), "SPLICE_F_MOVE");
		ck_assert_str_eq(text_of(&flags_rename, 1), "RENAME_NOREPLACE");
		ck_assert_str_eq(text_of(&flags_fadvise, 1), "POSIX_FADV_RANDOM");
	}
}
END_TEST

START_TEST(any_value_is_one_field)
{
	check_any_value(sets[_i]);
}
END_TEST

static TCase *mappings_case(void)
{
	TCase *tcase = tcase_create("mappings");

	tcase_add_test(tcase, mmap_prot_has_its_names);
#ifndef __powerpc__
	tcase_add_test(tcase, mmap_flags_have_their_names);
#endif
	tcase_add_test(tcase, huge_pages_have_their_size);
	tcase_add_test(tcase, size_of_ordinary_pages_is_not_named);
	tcase_add_test(tcase, msync_flags_have_their_names);
	tcase_add_test(tcase, mremap_flags_have_their_names);
	tcase_add_test(tcase, madvise_has_one_name);
	return tcase;
}

static TCase *files_case(void)
{
	TCase *tcase = tcase_create("files");

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__)
	tcase_add_test(tcase, open_flags_have_their_names);
#endif
	tcase_add_test(tcase, fallocate_flags_have_their_names);
	tcase_add_test(tcase, splice_flags_have_their_names);
	tcase_add_test(tcase, sync_range_flags_have_their_names);
	tcase_add_test(tcase, fadvise_has_one_name);
	tcase_add_test(tcase, rename_flags_have_their_names);
	tcase_add_test(tcase, request_flags_have_their_names);
	tcase_add_test(tcase, request_operations_have_one_name);
	tcase_add_test(tcase, mode_bits_have_their_names);
	tcase_add_test(tcase, statx_mask_has_its_names);
	tcase_add_test(tcase, attributes_have_their_names);
	return tcase;
}

static TCase *any_case(void)
{
	TCase *tcase = tcase_create("any");

	tcase_add_test(tcase, no_set_is_an_empty_cell);
	tcase_add_test(tcase, sets_do_not_mix);
	tcase_add_loop_test(tcase, any_value_is_one_field, 0, N_OF(sets));
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("flags");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, mappings_case());
	suite_add_tcase(suite, files_case());
	suite_add_tcase(suite, any_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
