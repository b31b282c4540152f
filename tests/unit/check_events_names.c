/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream fs for calls on names: which file a string means, from where,
 * with what flags, on which file system, and how two of them are one field.
 */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"
#include "trace/ledger.h"

/* ---- feeding ---- */

static struct iot_more path_call(uint32_t tgid, uint16_t op, const char *path, int64_t ret)
{
	uint64_t name = feed_string(path);
	struct iot_more rec = record_more(tgid, op, -1, ret);

	rec.fs.name = name;
	rec.fs.dirfd = AT_FDCWD;
	rec.fs.status = IOT_ST_PATH;
	return rec;
}

static void feed_path(uint16_t op, const char *path, int64_t ret)
{
	struct iot_more rec = path_call(P, op, path, ret);

	feed_more(&rec);
}

static struct iot_more two_paths(uint32_t tgid, uint16_t op, const char *first, const char *second)
{
	uint64_t name2 = feed_string(second);
	struct iot_more rec = path_call(tgid, op, first, 0);

	rec.name2 = name2;
	rec.fd2 = AT_FDCWD;
	return rec;
}

/* ---- names of attributes, devices ---- */

START_TEST(an_attribute_is_a_word_among_flags)
{
	uint64_t name = feed_string("user.a,b");
	struct iot_more rec = path_call(P, IOT_SETXATTR, "/no/such", -2);

	rec.name2 = name;
	rec.fs.flags = 1;
	feed_more(&rec);
	rec = record_more(P, IOT_GETXATTR, 5, -9);
	rec.name2 = feed_string("user.c");
	feed_more(&rec);
	/* it could not be read */
	rec = record_more(P, IOT_REMOVEXATTR, 5, -9);
	rec.status2 = IOT_ST_NO_TEXT;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect_operation(0, "SETXATTR", "/no/such");
	expect(0, "flags", "XATTR_CREATE|user.a,b");
	expect(0, "address", "");
	expect(1, "flags", "user.c");
	expect(2, "flags", "");
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

static const struct {
	uint32_t mode;
	uint64_t device; /* as a program gives it */
	const char *flags;
} nodes[] = {
	{ S_IFBLK | 0600, 0x801, "S_IFBLK|S_IRUSR|S_IWUSR|8:1" },
	{ S_IFCHR, 0, "S_IFCHR|0:0" },
	{ S_IFBLK, 0xfffffffff, "S_IFBLK|4095:1048575" },
	{ S_IFREG, 0x801, "S_IFREG" },
	{ S_IFIFO, 0x801, "S_IFIFO" },
};

START_TEST(a_node_has_its_device)
{
	struct iot_more rec = path_call(P, IOT_MKNOD, "/no/such", -2);

	rec.fs.flags = nodes[_i].mode;
	rec.address = nodes[_i].device;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "MKNOD", "/no/such");
	expect(0, "flags", nodes[_i].flags);
	expect(0, "address", "");
}
END_TEST

/* ---- one path ---- */

START_TEST(call_on_a_path_is_a_row_of_the_path_it_was_given)
{
	struct iot_more rec = path_call(P, IOT_UNLINK, "/no/such", -2);

	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_operation(0, "UNLINK", "/no/such");
	expect(0, "size", "0");
	expect(0, "flags", "");
	expect(0, "offset", "");
	expect(0, "fd", "");
	expect(0, "inode", "");
	expect(0, "device", "");
	expect(0, "address", "");
	expect(0, "mmap_prot", "");
	expect(0, "mmap_flags", "");
	expect(0, "return_value", "-2");
	expect(0, "latency_ns", "700");
	expect(0, "path_status", "f");
	expect_number(0, "mono_ns", rec.start);
	ck_assert(seen[0].key == rec.start);
}
END_TEST

START_TEST(relative_name_starts_at_the_working_directory)
{
	feed_path(IOT_UNLINK, "sub/./x", 0);
	feed_path(IOT_UNLINK, "share/../x", 0);
	feed_end();
	expect_operation(0, "UNLINK", "/usr/sub/x");
	expect(0, "path_status", "fm");
	expect_operation(1, "UNLINK", "/usr/x");
}
END_TEST

START_TEST(relative_name_starts_at_a_followed_descriptor)
{
	struct iot_more rec;

	feed_open(P, "/etc", 5, O_RDONLY | O_DIRECTORY);
	rec = path_call(P, IOT_UNLINK, "x", 0);
	rec.fs.dirfd = 5;
	feed_more(&rec);
	feed_end();
	expect_operation(1, "UNLINK", "/etc/x");
	expect(1, "fd", "");
}
END_TEST

START_TEST(relative_name_starts_at_the_directory_that_the_kernel_names)
{
	struct iot_more rec;

	feed_text(50, IOT_TEXT_WALK, "b\0a", 4);
	rec = path_call(P, IOT_UNLINK, "x", 0);
	rec.fs.dir = 50;
	feed_more(&rec);
	rec = path_call(P, IOT_UNLINK, "x", 0);
	rec.fs.dir = 51;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "UNLINK", "/a/b/x");
	expect(0, "path_status", "f");
	expect_operation(1, "UNLINK", "x");
	expect(1, "path_status", "r");
	ck_assert(events_names_missing(ev));
}
END_TEST

START_TEST(absolute_name_starts_at_the_root_that_the_kernel_names)
{
	static const char *const given[] = { "/x", "///x", "/", "//", "" };
	static const char *const meant[] = { "/jail/x", "/jail/x", "/jail", "/jail", "" };
	struct iot_more rec;

	feed_text(50, IOT_TEXT_WALK, "jail", 5);
	for (unsigned i = 0; i < 5; i++) {
		rec = path_call(P, IOT_UNLINK, given[i], 0);
		rec.fs.dir = 50;
		feed_more(&rec);
	}
	rec = path_call(P, IOT_UNLINK, "/", 0);
	rec.fs.dir = 51;
	feed_more(&rec);
	feed_end();
	for (unsigned i = 0; i < 5; i++)
		expect(i, "filename", meant[i]);
	expect(0, "path_status", "f");
	expect(2, "path_status", "f");
	expect(5, "path_status", "n");
}
END_TEST

START_TEST(relative_name_of_a_process_that_is_gone_is_the_rest)
{
	struct iot_more rec = path_call(GONE, IOT_UNLINK, "a/b", 0);

	feed_more(&rec);
	feed_end();
	expect_operation(0, "UNLINK", "a/b");
	expect(0, "path_status", "r");
}
END_TEST

START_TEST(path_that_could_not_be_read_is_no_name)
{
	struct iot_more rec = record_more(P, IOT_UNLINK, -1, -14);

	rec.fs.status = IOT_ST_PATH | IOT_ST_NO_TEXT;
	rec.fs.dirfd = AT_FDCWD;
	feed_more(&rec);
	feed_path(IOT_UNLINK, "", -2);
	feed_end();
	expect_operation(0, "UNLINK", "");
	expect(0, "path_status", "n");
	expect_operation(1, "UNLINK", "");
	expect(1, "path_status", "n");
}
END_TEST

START_TEST(empty_path_may_mean_where_relative_ones_start)
{
	struct iot_more rec = path_call(P, IOT_GETATTR, "", 0);

	rec.fs.status |= IOT_ST_SELF;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "GETATTR", "/usr");
}
END_TEST

START_TEST(path_that_was_cut_is_marked)
{
	struct iot_text text;
	struct iot_more rec;

	record_text(&text, 90, IOT_TEXT_STRING, "/a/b", 4);
	text.flags = IOT_TEXT_CUT;
	feed(&text, IOT_TEXT_HEAD + 4);
	rec = record_more(P, IOT_UNLINK, -1, -36);
	rec.fs.status = IOT_ST_PATH;
	rec.fs.name = 90;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "UNLINK", "/a/b");
	expect(0, "path_status", "ft");
}
END_TEST

START_TEST(file_that_the_kernel_found_has_its_name_and_number)
{
	struct iot_more rec = path_call(P, IOT_GETATTR, "link", 0);

	feed_kernel_file(&rec, IOT_ST_PATH);
	feed_more(&rec);
	rec = path_call(P, IOT_UNLINK, "link", 0);
	feed_kernel_file(&rec, IOT_ST_PATH | IOT_ST_DELETED);
	feed_more(&rec);
	feed_end();
	for (unsigned i = 0; i < 2; i++) {
		expect(i, "filename", "/a/bb/c");
		expect(i, "inode", "12");
		expect(i, "device", "8:2");
		expect(i, "mntns", "4026531840");
		expect(i, "offset", "");
	}
	expect(0, "path_status", "o");
	expect(1, "path_status", "do");
}
END_TEST

static const struct {
	const char *path, *field;
} slashes[] = {
	{ "/a", "/a/" },        { "/a/", "/a/" }, { "/", "/" }, { "/a,\"b\"", "/a,\"b\"/" },
	{ "/\xff", "/\\xff/" }, { "", "" },
};

/* _i: of a text. Four operations are on directories, others are not even when the text ends so. */
START_TEST(names_of_directories_end_in_a_slash)
{
	feed_path(IOT_MKDIR, slashes[_i].path, -2);
	feed_path(IOT_RMDIR, slashes[_i].path, -2);
	feed_path(IOT_CHDIR, slashes[_i].path, -2);
	feed_path(IOT_UNLINK, slashes[_i].path, -2);
	feed_end();
	expect_operation(0, "MKDIR", slashes[_i].field);
	expect_operation(1, "RMDIR", slashes[_i].field);
	expect_operation(2, "CHDIR", slashes[_i].field);
	if (_i == 0)
		expect_operation(3, "UNLINK", "/a");
	if (_i == 1)
		expect_operation(3, "UNLINK", "/a");
}
END_TEST

/* What flags say of a call, by operation. */
static const struct {
	uint16_t op;
	uint32_t flags;
	const char *name, *text;
} flagged[] = {
	{ IOT_MKDIR, 0, "MKDIR", "MODE(0o0)" },
	{ IOT_MKDIR, 0750, "MKDIR", "S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IXGRP" },
	{ IOT_SETATTR, 0, "SETATTR", "" },
	{ IOT_SETATTR, 1, "SETATTR", "ATTR_MODE" },
	{ IOT_SETATTR, 6, "SETATTR", "ATTR_UID|ATTR_GID" },
	{ IOT_SETATTR, 0x30, "SETATTR", "ATTR_ATIME|ATTR_MTIME" },
	{ IOT_GETATTR, 0, "GETATTR", "" },
	{ IOT_GETATTR, 0x201, "GETATTR", "STATX_TYPE|STATX_SIZE" },
	{ IOT_TRUNCATE, 0, "TRUNCATE", "" },
	{ IOT_RMDIR, 0, "RMDIR", "" },
	{ IOT_FALLOCATE, 0, "FALLOCATE", "NO_FLAGS" },
	{ IOT_FALLOCATE, 3, "FALLOCATE", "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE" },
	{ IOT_SPLICE, 0, "SPLICE", "NO_FLAGS" },
	{ IOT_SPLICE, 1, "SPLICE", "SPLICE_F_MOVE" },
	{ IOT_VMSPLICE, 8, "VMSPLICE", "SPLICE_F_GIFT" },
	{ IOT_TEE, 2, "TEE", "SPLICE_F_NONBLOCK" },
	{ IOT_SYNC_FILE_RANGE, 0, "SYNC_FILE_RANGE", "NO_FLAGS" },
	{ IOT_SYNC_FILE_RANGE, 2, "SYNC_FILE_RANGE", "SYNC_FILE_RANGE_WRITE" },
	{ IOT_FADVISE, 4, "FADVISE", "POSIX_FADV_DONTNEED" },
	{ IOT_READAHEAD, 0, "READAHEAD", "" },
	{ IOT_COPY_FILE_RANGE, 0, "COPY_FILE_RANGE", "" },
	{ IOT_SENDFILE, 0, "SENDFILE", "" },
	{ IOT_RENAME, 1, "RENAME", "RENAME_NOREPLACE" },
	{ IOT_SYNC, 0, "SYNC", "" },
};

START_TEST(flags_are_those_of_the_call)
{
	struct iot_more rec = path_call(P, flagged[_i].op, "/x", 0);

	feed_anew(&(struct feed_options){ .extra_ops = true });
	rec.fs.flags = flagged[_i].flags;
	if (flagged[_i].op >= IOT_FALLOCATE)
		rec.fs.status = 0;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "operation", flagged[_i].name);
	expect(0, "flags", flagged[_i].text);
}
END_TEST

START_TEST(size_is_the_one_asked_for)
{
	struct iot_more rec = path_call(P, IOT_TRUNCATE, "/x", 0);

	rec.fs.size = 1ULL << 40;
	feed_more(&rec);
	feed_end();
	expect(0, "size", "1099511627776");
	expect(0, "offset", "");
}
END_TEST

/* ---- two paths ---- */

START_TEST(two_paths_are_one_field)
{
	struct iot_more rec = two_paths(P, IOT_RENAME, "/a", "b,");

	rec.fs.flags = 2;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_operation(0, "RENAME", "/a -> /usr/b,");
	expect(0, "flags", "RENAME_EXCHANGE");
	expect(0, "path_status", "fm");
}
END_TEST

START_TEST(each_path_starts_at_its_own_directory)
{
	struct iot_more rec;

	feed_text(50, IOT_TEXT_WALK, "one", 4);
	feed_text(51, IOT_TEXT_WALK, "two", 4);
	rec = two_paths(P, IOT_LINK, "a", "b");
	rec.fs.dir = 50;
	rec.dir2 = 51;
	feed_more(&rec);
	feed_open(P, "/etc", 5, O_RDONLY | O_DIRECTORY);
	rec = two_paths(P, IOT_LINK, "a", "b");
	rec.fd2 = 5;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "LINK", "/one/a -> /two/b");
	expect(0, "path_status", "f");
	expect_operation(2, "LINK", "/usr/a -> /etc/b");
}
END_TEST

START_TEST(pair_with_an_unknown_path_is_known_in_part)
{
	struct iot_more rec = two_paths(GONE, IOT_RENAME, "/a", "b");

	feed_more(&rec);
	rec = path_call(P, IOT_RENAME, "/a", -14);
	rec.status2 = IOT_ST_NO_TEXT;
	feed_more(&rec);
	rec = record_more(P, IOT_RENAME, -1, -14);
	rec.fs.status = IOT_ST_PATH | IOT_ST_NO_TEXT;
	feed_more(&rec);
	rec = two_paths(P, IOT_RENAME, "", "");
	feed_more(&rec);
	feed_end();
	expect_operation(0, "RENAME", "/a -> b");
	expect(0, "path_status", "r");
	expect_operation(1, "RENAME", "/a -> ");
	expect(1, "path_status", "r");
	expect_operation(2, "RENAME", "");
	expect(2, "path_status", "n");
	expect_operation(3, "RENAME", " -> ");
	expect(3, "path_status", "r");
}
END_TEST

START_TEST(both_paths_may_be_the_kernels)
{
	struct iot_more rec = two_paths(P, IOT_RENAME, "x", "y");

	feed_kernel_file(&rec, IOT_ST_PATH);
	feed_text(8, IOT_TEXT_WALK, "new\0a", 6);
	rec.name2 = 8;
	rec.status2 = IOT_ST_FILE;
	feed_more(&rec);
	rec = two_paths(P, IOT_LINK, "x", "/y"); /* failed before the second was looked up */
	feed_kernel_file(&rec, IOT_ST_PATH);
	rec.fs.ret = -17;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "RENAME", "/a/bb/c -> /a/new");
	expect(0, "inode", "12");
	expect(0, "path_status", "o");
	expect_operation(1, "LINK", "/a/bb/c -> /y");
	expect(1, "return_value", "-17");
}
END_TEST

START_TEST(target_of_a_symbolic_link_is_as_given)
{
	struct iot_more rec = two_paths(P, IOT_SYMLINK, "../no/./where", "link");

	feed_more(&rec);
	feed_end();
	expect_operation(0, "SYMLINK", "../no/./where -> /usr/link");
	expect(0, "path_status", "fm");
}
END_TEST

/* ---- directories ---- */

START_TEST(chdir_changes_where_relative_names_start)
{
	feed_path(IOT_CHDIR, "/etc", 0);
	feed_path(IOT_UNLINK, "x", -2);
	feed_path(IOT_CHDIR, "/no/such", -2);
	feed_path(IOT_UNLINK, "x", -2);
	feed_path(IOT_CHDIR, "..", 0);
	feed_path(IOT_UNLINK, "x", -2);
	feed_end();
	expect_operation(0, "CHDIR", "/etc/");
	expect(1, "filename", "/etc/x");
	expect_operation(2, "CHDIR", "/no/such/");
	expect(3, "filename", "/etc/x");
	expect_operation(4, "CHDIR", "/");
	expect(5, "filename", "/x");
}
END_TEST

static const struct {
	enum iot_seq_class class;
	enum lost_reason reason;
	const char *then;
} chdir_losses[] = {
	{ IOT_SEQ_fs, LOST_RING, "/usr/x" },       { IOT_SEQ_fs, LOST_TABLE_FULL, "/usr/x" },
	{ IOT_SEQ_fs, LOST_NO_RETURN, "/usr/x" },  { IOT_SEQ_STATE, LOST_SCRATCH, "/usr/x" },
	{ IOT_SEQ_exec, LOST_SKIPPED, "/usr/x" },  { IOT_SEQ_fs, LOST_UNRESOLVED, "/etc/x" },
	{ IOT_SEQ_fs, LOST_DISK_FULL, "/etc/x" },  { IOT_SEQ_cache, LOST_SAMPLED, "/etc/x" },
	{ IOT_SEQ_nw, LOST_TABLE_FULL, "/etc/x" },
};

/* Whatever it was that did not arrive, it may have been a chdir: /proc is asked anew. */
START_TEST(loss_that_may_be_a_chdir_makes_the_directory_unknown)
{
	feed_path(IOT_CHDIR, "/etc", 0); /* and back, which /proc tells */
	feed_path(IOT_UNLINK, "x", -2);
	ledger_missed(events_ledger(ev), chdir_losses[_i].class, chdir_losses[_i].reason, -1, 1,
		      record_later());
	feed_path(IOT_UNLINK, "x", -2);
	feed_end();
	expect(1, "filename", "/etc/x");
	expect(n_seen - 1 - (seen[n_seen - 1].stream == STREAM_lost), "filename",
	       chdir_losses[_i].then);
}
END_TEST

START_TEST(fchdir_changes_where_relative_names_start)
{
	struct iot_more rec;

	feed_open(P, "/etc", 5, O_RDONLY | O_DIRECTORY);
	rec = record_more(P, IOT_CHDIR, 5, 0);
	feed_more(&rec);
	feed_path(IOT_UNLINK, "x", -2);
	rec = record_more(P, IOT_CHDIR, 99, -9);
	feed_more(&rec);
	feed_path(IOT_UNLINK, "x", -2);
	feed_end();
	expect_operation(1, "CHDIR", "/etc/");
	expect(1, "fd", "5");
	expect(2, "filename", "/etc/x");
	expect_operation(3, "CHDIR", "");
	expect(4, "filename", "/etc/x");
}
END_TEST

START_TEST(chdir_to_a_name_that_was_not_read_leads_nowhere)
{
	struct iot_more rec = record_more(P, IOT_CHDIR, -1, 0);

	procs_mntns(ev->procs, P);
	rec.fs.status = IOT_ST_PATH | IOT_ST_NO_TEXT;
	feed_more(&rec);
	feed_path(IOT_UNLINK, "x", -2);
	feed_end();
	expect_operation(0, "CHDIR", "");
	expect(0, "path_status", "n");
	expect_operation(1, "UNLINK", "x");
	expect(1, "path_status", "r");
}
END_TEST

START_TEST(chdir_is_followed_though_its_rows_are_not_wanted)
{
	struct iot_more rec;

	feed_anew(&(struct feed_options){ .only = "exec" });
	rec = path_call(P, IOT_CHDIR, "/etc", 0);
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

/* ---- scope ---- */

static void setup_mounts(void)
{
	feed_setup();
	fixture_mounts_open("27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			    "22 27 0:21 / /proc rw - proc proc rw\n");
}

static void teardown_mounts(void)
{
	fixture_mounts_close();
	feed_teardown();
}

START_TEST(name_lies_on_its_mount)
{
	struct iot_more rec;

	feed_path(IOT_UNLINK, "/x", -2);
	feed_path(IOT_UNLINK, "/proc/x", -1);
	rec = two_paths(P, IOT_SYMLINK, "/proc/1", "/link"); /* wherever it leads */
	feed_more(&rec);
	rec = two_paths(P, IOT_SYMLINK, "/x", "/proc/link");
	feed_more(&rec);
	rec = two_paths(P, IOT_LINK, "/proc/x", "/y"); /* of two names one is enough */
	feed_more(&rec);
	rec = two_paths(P, IOT_RENAME, "/proc/x", "/proc/y");
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect_operation(0, "UNLINK", "/x");
	expect(0, "device", "8:1");
	expect_operation(1, "SYMLINK", "/proc/1 -> /link");
	expect(1, "device", "8:1");
	expect_operation(2, "LINK", "/proc/x -> /y");
	expect(2, "device", "8:1");
	ck_assert_uint_eq(out_of_scope(), 3);
	feed_anew(&(struct feed_options){ .all_fs = true });
	feed_path(IOT_UNLINK, "/proc/x", -1);
	feed_end();
	ck_assert_uint_eq(n_seen, 4);
	expect(3, "device", "0:21");
}
END_TEST

START_TEST(name_that_may_lead_elsewhere_is_on_no_certain_device)
{
	feed_path(IOT_UNLINK, "/gone/../x", -2);
	feed_path(IOT_UNLINK, "/proc/gone/../x", -2);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_operation(0, "UNLINK", "/gone/../x");
	expect(0, "path_status", "r");
	expect(0, "device", "");
}
END_TEST

START_TEST(names_on_pseudo_file_systems_are_out_of_scope)
{
	struct iot_more rec = path_call(P, IOT_UNLINK, "/any", 0);

	rec.fs.status |= IOT_ST_PSEUDO;
	feed_more(&rec);
	rec = path_call(P, IOT_GETATTR, "/any", 0);
	feed_kernel_file(&rec, IOT_ST_PATH | IOT_ST_PSEUDO);
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 2);
}
END_TEST

static TCase *names_case(void)
{
	TCase *tcase = tcase_create("names");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, an_attribute_is_a_word_among_flags);
	tcase_add_loop_test(tcase, a_node_has_its_device, 0, ARRAY_SIZE(nodes));
	tcase_add_test(tcase, call_on_a_path_is_a_row_of_the_path_it_was_given);
	tcase_add_test(tcase, relative_name_starts_at_the_working_directory);
	tcase_add_test(tcase, relative_name_starts_at_a_followed_descriptor);
	tcase_add_test(tcase, relative_name_starts_at_the_directory_that_the_kernel_names);
	tcase_add_test(tcase, absolute_name_starts_at_the_root_that_the_kernel_names);
	tcase_add_test(tcase, relative_name_of_a_process_that_is_gone_is_the_rest);
	tcase_add_test(tcase, path_that_could_not_be_read_is_no_name);
	tcase_add_test(tcase, empty_path_may_mean_where_relative_ones_start);
	tcase_add_test(tcase, path_that_was_cut_is_marked);
	tcase_add_test(tcase, file_that_the_kernel_found_has_its_name_and_number);
	tcase_add_loop_test(tcase, names_of_directories_end_in_a_slash, 0, ARRAY_SIZE(slashes));
	tcase_add_loop_test(tcase, flags_are_those_of_the_call, 0, ARRAY_SIZE(flagged));
	tcase_add_test(tcase, size_is_the_one_asked_for);
	tcase_add_test(tcase, two_paths_are_one_field);
	tcase_add_test(tcase, each_path_starts_at_its_own_directory);
	tcase_add_test(tcase, pair_with_an_unknown_path_is_known_in_part);
	tcase_add_test(tcase, both_paths_may_be_the_kernels);
	tcase_add_test(tcase, target_of_a_symbolic_link_is_as_given);
	tcase_add_test(tcase, chdir_changes_where_relative_names_start);
	tcase_add_loop_test(tcase, loss_that_may_be_a_chdir_makes_the_directory_unknown, 0,
			    ARRAY_SIZE(chdir_losses));
	tcase_add_test(tcase, fchdir_changes_where_relative_names_start);
	tcase_add_test(tcase, chdir_to_a_name_that_was_not_read_leads_nowhere);
	tcase_add_test(tcase, chdir_is_followed_though_its_rows_are_not_wanted);
	tcase_add_test(tcase, names_on_pseudo_file_systems_are_out_of_scope);
	return tcase;
}

static TCase *mounts_case(void)
{
	TCase *tcase = tcase_create("mounts");

	tcase_add_checked_fixture(tcase, setup_mounts, teardown_mounts);
	tcase_add_test(tcase, name_lies_on_its_mount);
	tcase_add_test(tcase, name_that_may_lead_elsewhere_is_on_no_certain_device);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of names");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, names_case());
	suite_add_tcase(suite, mounts_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
