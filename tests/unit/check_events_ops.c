/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream fs for calls on descriptors and mappings: whose file a call is
 * about, what it does to positions and mappings, and which calls leave no row.
 */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

/* ---- feeding ---- */

/* Between two descriptors; offsets of -1: their positions. */
static void feed_transfer(uint16_t op, int fd, int64_t offset, int fd2, int64_t offset2,
			  int64_t ret)
{
	struct iot_more rec = record_more(P, op, fd, ret);

	rec.fs.size = 1000;
	rec.fs.offset = offset;
	rec.fd2 = fd2;
	rec.offset2 = offset2;
	feed_more(&rec);
}

static void feed_not_a_file(int fd)
{
	feed_call(P, IOT_NEWFD, -1, fd, 0);
}

/* Where the next read or write starts. */
static void expect_position(int fd, uint16_t op, const char *offset)
{
	unsigned row = n_seen;

	feed_call(P, op, fd, 1, 1);
	feed_end();
	expect(row, "offset", offset);
}

/* ---- descriptors ---- */

START_TEST(call_on_a_followed_descriptor_has_its_file)
{
	struct iot_more rec;
	struct stat st;

	fixture_file_stat("a", &st);
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IOT_FALLOCATE, 3, 0);
	rec.fs.offset = 0;
	rec.fs.size = 4096;
	feed_more(&rec);
	rec = record_more(P, IOT_TRUNCATE, 3, 0);
	rec.fs.size = 10;
	feed_more(&rec);
	rec = record_more(P, IOT_SYNC, 3, 0);
	feed_more(&rec);
	feed_end();
	expect_operation(1, "FALLOCATE", fixture_file("a"));
	expect(1, "fd", "3");
	expect(1, "offset", "0");
	expect(1, "size", "4096");
	expect(1, "path_status", "f");
	expect_number(1, "inode", st.st_ino);
	expect_operation(2, "TRUNCATE", fixture_file("a"));
	expect(2, "size", "10");
	expect(2, "offset", "");
	expect(2, "flags", "");
	expect_operation(3, "SYNC", fixture_file("a"));
	expect(3, "fd", "3");
}
END_TEST

START_TEST(call_on_a_descriptor_that_is_none_is_a_row)
{
	struct iot_more rec = record_more(P, IOT_GETATTR, 99, -9);

	feed_more(&rec);
	feed_end();
	expect_operation(0, "GETATTR", "");
	expect(0, "fd", "99");
	expect(0, "path_status", "n");
	expect(0, "return_value", "-9");
}
END_TEST

START_TEST(call_on_what_is_no_file_is_out_of_scope)
{
	struct iot_more rec = record_more(P, IOT_GETATTR, 6, 0);

	feed_not_a_file(6);
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

START_TEST(directory_that_is_read_has_the_flags_it_was_opened_with)
{
	struct iot_more rec;

	feed_open(P, "/etc", 5, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rec = record_more(P, IOT_READDIR, 5, 480);
	feed_more(&rec);
	rec = record_more(P, IOT_READDIR, 99, -9);
	feed_more(&rec);
	feed_end();
	expect_operation(1, "READDIR", "/etc/");
	expect(1, "flags", "O_RDONLY|O_DIRECTORY");
	expect(1, "size", "0");
	expect(1, "offset", ""); /* a cookie of the file system: not to be counted */
	expect(1, "return_value", "480");
	expect_operation(2, "READDIR", "");
	expect(2, "flags", "");
}
END_TEST

START_TEST(directory_of_the_kernel_has_its_flags_and_position)
{
	struct iot_more rec = record_more(P, IOT_READDIR, 5, 480);

	feed_kernel_file(&rec, 0);
	rec.fs.flags = O_DIRECTORY;
	rec.fs.offset = 77;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "READDIR", "/a/bb/c/");
	expect(0, "flags", "O_RDONLY|O_DIRECTORY");
	expect(0, "offset", "77");
	expect(0, "inode", "12");
}
END_TEST

START_TEST(calls_without_a_file_have_no_name)
{
	static const uint16_t ops[] = { IOT_SYNC, IOT_VMSPLICE, IOT_TEE };
	static const char *const names[] = { "SYNC", "VMSPLICE", "TEE" };
	struct iot_more rec = record_more(P, ops[_i], _i ? 6 : -1, 0);

	feed_anew(&(struct feed_options){ .extra_ops = true });
	feed_not_a_file(6);
	rec.fs.size = _i ? 8192 : 0;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_operation(0, names[_i], "");
	expect(0, "path_status", "n");
	expect(0, "fd", _i ? "6" : "");
	expect(0, "size", _i ? "8192" : "0");
	expect(0, "offset", "");
}
END_TEST

START_TEST(extra_operations_are_rows_only_if_asked_for)
{
	static const uint16_t ops[] = { IOT_TEE, IOT_FADVISE, IOT_READAHEAD };

	for (unsigned extra = 0; extra < 2; extra++) {
		feed_anew(&(struct feed_options){ .extra_ops = extra });
		for (unsigned i = 0; i < 3; i++) {
			struct iot_more rec = record_more(P, ops[i], 99, -9);

			feed_more(&rec);
		}
		feed_call(P, IOT_FSYNC, 99, -9, 0); /* others come as before */
		feed_end();
		ck_assert_uint_eq(n_seen, extra ? 5 : 1);
		ck_assert_uint_eq(events_totals(ev)->rows[STREAM_fs], extra ? 4 : 1);
		ck_assert_uint_eq(out_of_scope(), 0);
	}
}
END_TEST

/* ---- transfers ---- */

static void open_both(void)
{
	feed_open_file(P, "a", 3, O_RDWR);
	feed_open_file(P, "b", 4, O_RDWR);
}

START_TEST(sendfile_moves_both_positions)
{
	char both[8192];

	open_both();
	feed_transfer(IOT_SENDFILE, 3, -1, 4, -1, 100);
	feed_end();
	snprintf(both, sizeof(both), "%s -> %s", fixture_file("a"), fixture_file("b"));
	expect_operation(2, "SENDFILE", both);
	expect(2, "fd", "3");
	expect(2, "size", "1000");
	expect(2, "offset", "0");
	expect(2, "return_value", "100");
	expect(2, "flags", "");
	expect_position(3, IOT_READ, "100");
	expect_position(4, IOT_WRITE, "100");
}
END_TEST

START_TEST(sendfile_to_a_socket_has_one_name)
{
	open_both();
	feed_not_a_file(6);
	feed_transfer(IOT_SENDFILE, 3, -1, 6, -1, 100);
	feed_end();
	expect_operation(2, "SENDFILE", fixture_file("a"));
	expect(2, "address", "");
}
END_TEST

START_TEST(sendfile_from_an_offset_moves_the_target_only)
{
	open_both();
	feed_transfer(IOT_SENDFILE, 3, 50, 4, -1, 100);
	feed_end();
	expect(2, "offset", "50");
	expect_position(3, IOT_READ, "0");
	expect_position(4, IOT_WRITE, "100");
}
END_TEST

START_TEST(failed_transfer_moves_nothing)
{
	open_both();
	feed_transfer(IOT_SENDFILE, 3, -1, 4, -1, -5);
	feed_transfer(IOT_COPY_FILE_RANGE, 3, -1, 4, -1, -18);
	feed_end();
	ck_assert_uint_eq(n_seen, 4);
	expect(2, "offset", "0");
	expect(2, "return_value", "-5");
	expect(3, "return_value", "-18");
	expect_position(3, IOT_READ, "0");
	expect_position(4, IOT_WRITE, "0");
}
END_TEST

START_TEST(splice_to_a_pipe_is_of_the_file)
{
	open_both();
	feed_not_a_file(6);
	feed_transfer(IOT_SPLICE, 3, -1, 6, -1, 100);
	feed_transfer(IOT_SPLICE, 3, 0, 6, -1, 100);
	feed_end();
	expect_operation(2, "SPLICE", fixture_file("a"));
	expect(2, "offset", "0");
	expect(2, "fd", "3");
	expect(2, "flags", "NO_FLAGS");
	expect(3, "offset", "0");
	expect_position(3, IOT_READ, "100");
}
END_TEST

START_TEST(splice_from_a_pipe_is_of_the_other_file)
{
	open_both();
	feed_not_a_file(6);
	feed_transfer(IOT_SPLICE, 6, -1, 4, -1, 100);
	feed_transfer(IOT_SPLICE, 6, -1, 4, 70, 100);
	feed_transfer(IOT_SPLICE, 6, -1, 4, -1, 100);
	feed_end();
	for (unsigned i = 2; i < 5; i++) {
		expect_operation(i, "SPLICE", fixture_file("b"));
		expect(i, "fd", "4");
		expect(i, "flags", "TO_FILE");
	}
	expect(2, "offset", "0");
	expect(3, "offset", "70");
	expect(4, "offset", "100");
	expect_position(4, IOT_WRITE, "200");
	expect_position(3, IOT_READ, "0");
}
END_TEST

START_TEST(splice_between_pipes_is_out_of_scope)
{
	feed_not_a_file(6);
	feed_not_a_file(7);
	feed_transfer(IOT_SPLICE, 6, -1, 7, -1, 100);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

START_TEST(copy_moves_both_positions)
{
	char both[8400];

	open_both();
	feed_transfer(IOT_COPY_FILE_RANGE, 3, -1, 4, -1, 100);
	feed_transfer(IOT_COPY_FILE_RANGE, 3, 5, 4, 500, 100);
	feed_end();
	ck_assert_uint_eq(n_seen, 4);
	snprintf(both, sizeof(both), "%s -> %s", fixture_file("a"), fixture_file("b"));
	expect_operation(2, "COPY_FILE_RANGE", both);
	expect(2, "offset", "0");
	expect(2, "fd", "3");
	expect(2, "size", "1000");
	expect(2, "path_status", "f");
	expect(3, "offset", "5");
	expect_position(3, IOT_READ, "100");
	expect_position(4, IOT_WRITE, "100");
}
END_TEST

START_TEST(copy_of_the_kernels_files_has_both_names)
{
	struct iot_more rec = record_more(P, IOT_COPY_FILE_RANGE, 3, 100);

	feed_anew(&(struct feed_options){ .extra_ops = true, .kernel = true });
	feed_kernel_file(&rec, 0);
	feed_text(8, IOT_TEXT_WALK, "out", 4);
	rec.name2 = 8;
	rec.status2 = IOT_ST_FILE;
	rec.fs.offset = 9;
	rec.ino2 = 77;
	feed_more(&rec);
	rec.ino2 = 0;
	rec.name2 = 0;
	rec.status2 = 0;
	rec.fs.head.seq++;
	feed_more(&rec);
	feed_end();
	expect_operation(0, "COPY_FILE_RANGE", "/a/bb/c -> /out");
	expect(0, "offset", "9");
	expect(0, "inode", "12");
	expect(0, "address", "77");
	expect(0, "path_status", "o");
	expect_operation(1, "COPY_FILE_RANGE", "/a/bb/c -> ");
	expect(1, "address", "");
	expect(1, "path_status", "r");
}
END_TEST

/* ---- direct reads and writes ---- */

START_TEST(direct_read_or_write_is_a_second_row)
{
	feed_open_file(P, "a", 3, O_RDWR | O_DIRECT);
	feed_call(P, IOT_READ, 3, 512, 4096);
	feed_call(P, IOT_WRITE, 3, -22, 4096);
	feed_call(P, IOT_FSYNC, 3, 0, 0);
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 7);
	expect(1, "operation", "READ");
	expect(2, "operation", "DIO_READ");
	expect(3, "operation", "WRITE");
	expect(4, "operation", "DIO_WRITE");
	expect(5, "operation", "FSYNC");
	for (unsigned i = 0; i < streams[STREAM_fs].n_columns; i++) {
		const char *column = streams[STREAM_fs].columns[i].name;

		if (strcmp(column, "operation")) {
			expect(2, column, seen_field(1, column));
			expect(4, column, seen_field(3, column));
		}
	}
	expect(2, "offset", "0");
	expect(3, "offset", "512");
	expect(3, "flags", "O_RDWR|O_DIRECT");
}
END_TEST

START_TEST(direct_read_of_the_kernels_file_is_a_second_row)
{
	struct iot_more more = record_more(P, IOT_SYNC, 3, 0);
	struct iot_fs rec;

	feed_kernel_file(&more, IOT_ST_OFFSET);
	rec = more.fs;
	rec.head.type = IOT_REC_FS;
	rec.op = IOT_READ;
	rec.offset = 0;
	rec.flags = O_DIRECT;
	feed_fs(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect_operation(0, "READ", "/a/bb/c");
	expect_operation(1, "DIO_READ", "/a/bb/c");
}
END_TEST

/* ---- mappings ---- */

enum { PAGE = 4096, MAPPED = 0x40000000, SHARED = 0x01, FIXED = 0x10, ANONYMOUS = 0x20 };

/* Of four pages, from the file's second one on. */
static void feed_mmap(uint32_t tgid, int fd, int64_t at, uint32_t flags)
{
	struct iot_more rec = record_more(tgid, IOT_MMAP, fd, at);

	rec.fs.size = 4 * PAGE;
	rec.fs.offset = PAGE;
	rec.fs.flags = flags;
	rec.prot = 1;
	feed_more(&rec);
}

static struct iot_more memory_call(uint32_t tgid, uint16_t op, uint64_t address, uint64_t size,
				   int64_t ret)
{
	struct iot_more rec = record_more(tgid, op, -1, ret);

	rec.address = address;
	rec.fs.size = size;
	return rec;
}

static void feed_memory(uint32_t tgid, uint16_t op, uint64_t address, uint64_t size)
{
	struct iot_more rec = memory_call(tgid, op, address, size, 0);

	feed_more(&rec);
}

/* File a on descriptor 3, mapped at MAPPED: rows 0 and 1. */
static void setup_mapping(void)
{
	feed_setup();
	feed_open_file(P, "a", 3, O_RDWR);
	feed_mmap(P, 3, MAPPED, SHARED);
}

/* Rows of what was fed after the setup: n of them. */
static void expect_more(unsigned n)
{
	feed_end();
	ck_assert_msg(n_seen == 2 + n, "%u rows, not %u", n_seen - 2, n);
}

START_TEST(mapping_of_a_file_is_a_row)
{
	struct stat st;

	fixture_file_stat("a", &st);
	feed_mmap(P, 3, -12, SHARED | FIXED);
	expect_more(1);
	expect_operation(1, "MMAP", fixture_file("a"));
	expect(1, "size", "16384");
	expect(1, "offset", "4096");
	expect(1, "fd", "3");
	expect(1, "flags", "");
	expect(1, "mmap_prot", "PROT_READ");
	expect(1, "mmap_flags", "MAP_SHARED");
	expect(1, "address", "0x40000000");
	expect(1, "return_value", "1073741824");
	expect_number(1, "inode", st.st_ino);
	expect_operation(2, "MMAP", fixture_file("a"));
	expect(2, "mmap_flags", "MAP_SHARED|MAP_FIXED");
	expect(2, "address", "");
	expect(2, "return_value", "-12");
}
END_TEST

START_TEST(memory_of_no_file_leaves_no_row)
{
	feed_mmap(P, -1, MAPPED + 16 * PAGE, ANONYMOUS);
	feed_memory(P, IOT_MSYNC, MAPPED + 16 * PAGE, PAGE);
	feed_memory(P, IOT_MADVISE, MAPPED + 16 * PAGE, PAGE);
	feed_memory(P, IOT_MREMAP, MAPPED + 16 * PAGE, PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED + 16 * PAGE, PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED + 4 * PAGE, PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED - PAGE, PAGE);
	expect_more(0);
	ck_assert_uint_eq(out_of_scope(), 6);
}
END_TEST

START_TEST(munmap_has_the_file_until_it_is_gone)
{
	struct iot_more rec = memory_call(P, IOT_MUNMAP, MAPPED, PAGE, -22);
	struct stat st;

	fixture_file_stat("a", &st);
	feed_more(&rec);
	feed_memory(P, IOT_MUNMAP, MAPPED, 2 * PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED, 2 * PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED - 8 * PAGE, 16 * PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED, 16 * PAGE);
	expect_more(3);
	for (unsigned i = 2; i < 5; i++) {
		expect_operation(i, "MUNMAP", fixture_file("a"));
		expect_number(i, "inode", st.st_ino);
		expect(i, "offset", "");
		expect(i, "fd", "");
		expect(i, "flags", "");
		expect(i, "mmap_prot", "");
	}
	expect(2, "return_value", "-22");
	expect(3, "address", "0x40000000");
	expect(3, "size", "8192");
	expect(4, "address", "0x3fff8000");
	expect(4, "size", "65536");
}
END_TEST

START_TEST(msync_has_the_offset_in_the_file)
{
	struct iot_more rec = memory_call(P, IOT_MSYNC, MAPPED + 2 * PAGE, PAGE, 0);

	rec.fs.flags = 4;
	feed_more(&rec);
	feed_memory(P, IOT_MSYNC, MAPPED - PAGE, 2 * PAGE);
	expect_more(2);
	expect_operation(2, "MSYNC", fixture_file("a"));
	expect(2, "offset", "12288");
	expect(2, "flags", "MS_SYNC");
	expect(2, "size", "4096");
	expect(2, "address", "0x40002000");
	expect(3, "offset", "4096"); /* where the mapping starts */
	expect(3, "flags", "NO_FLAGS");
}
END_TEST

START_TEST(madvise_has_its_advice)
{
	struct iot_more rec = memory_call(P, IOT_MADVISE, MAPPED, 0, 0);

	rec.fs.flags = 4;
	feed_more(&rec);
	expect_more(1);
	expect_operation(2, "MADVISE", fixture_file("a"));
	expect(2, "flags", "MADV_DONTNEED");
	expect(2, "offset", "4096");
	expect(2, "size", "0");
}
END_TEST

START_TEST(mapping_is_followed_where_it_moves)
{
	struct iot_more rec = memory_call(P, IOT_MREMAP, MAPPED, 8 * PAGE, -12);

	rec.old_size = 4 * PAGE;
	feed_more(&rec);
	rec = memory_call(P, IOT_MREMAP, MAPPED + 2 * PAGE, 4 * PAGE, 2 * (int64_t)MAPPED);
	rec.old_size = 2 * PAGE;
	rec.fs.flags = 1;
	feed_more(&rec);
	feed_memory(P, IOT_MSYNC, 2 * (uint64_t)MAPPED + 3 * PAGE, PAGE);
	feed_memory(P, IOT_MSYNC, MAPPED + 2 * PAGE, PAGE);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	expect_more(4);
	expect_operation(2, "MREMAP", fixture_file("a"));
	expect(2, "address", "0x40000000");
	expect(2, "flags", "NO_FLAGS");
	expect(2, "size", "32768");
	expect_operation(3, "MREMAP", fixture_file("a"));
	expect(3, "address", "0x40002000 -> 0x80000000");
	expect(3, "flags", "MREMAP_MAYMOVE");
	expect(3, "offset", "");
	expect(4, "offset", "24576");
	expect(5, "address", "0x40000000");
}
END_TEST

/* MREMAP_DONTUNMAP leaves the old one; so does an old length of 0. */
START_TEST(moved_mapping_may_stay_as_well)
{
	struct iot_more rec = memory_call(P, IOT_MREMAP, MAPPED, 4 * PAGE, 2 * (int64_t)MAPPED);

	rec.old_size = _i ? 4 * PAGE : 0;
	rec.fs.flags = _i ? 5 : 1;
	feed_more(&rec);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	feed_memory(P, IOT_MSYNC, 2 * (uint64_t)MAPPED, PAGE);
	expect_more(3);
	expect(2, "flags", _i ? "MREMAP_MAYMOVE|MREMAP_DONTUNMAP" : "MREMAP_MAYMOVE");
	expect(3, "offset", "4096");
	expect(4, "offset", "4096");
}
END_TEST

/* _i: what takes the place: memory of no file, what is no file of ours, nothing (it failed). */
START_TEST(what_is_mapped_over_a_file_replaces_it)
{
	feed_not_a_file(6);
	feed_mmap(P, _i == 1 ? 6 : -1, _i == 2 ? -12 : MAPPED,
		  (_i == 1 ? SHARED : ANONYMOUS) | FIXED);
	feed_memory(P, IOT_MUNMAP, MAPPED, 4 * PAGE);
	expect_more(_i == 2 ? 1 : 0);
}
END_TEST

START_TEST(other_file_over_a_file_is_the_one)
{
	struct iot_more rec;

	feed_open_file(P, "b", 4, O_RDWR);
	rec = record_more(P, IOT_MMAP, 4, MAPPED);
	rec.fs.size = 1; /* rounded to a page */
	rec.fs.offset = 0;
	rec.fs.flags = SHARED | FIXED;
	feed_more(&rec);
	feed_memory(P, IOT_MSYNC, MAPPED, 4 * PAGE);
	feed_memory(P, IOT_MSYNC, MAPPED + PAGE, PAGE);
	expect_more(4);
	expect_operation(4, "MSYNC", fixture_file("b"));
	expect(4, "offset", "0");
	expect_operation(5, "MSYNC", fixture_file("a"));
	expect(5, "offset", "8192");
}
END_TEST

START_TEST(mappings_go_with_their_process_and_program)
{
	feed_task(IOT_FORK, P, CHILD, 0);
	feed_memory(CHILD, IOT_MUNMAP, MAPPED, PAGE);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	feed_task(IOT_EXEC, P, -2, 0);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	feed_task(IOT_EXEC, P, 0, 0);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	expect_more(6);
	expect_operation(2, "MUNMAP", fixture_file("a"));
	expect_number(2, "pid", CHILD);
	expect_operation(3, "MSYNC", fixture_file("a"));
	expect_number(3, "pid", P);
	expect_operation(4, "MSYNC", fixture_file("a"));
	ck_assert_int_eq(seen[5].stream, STREAM_exec);
}
END_TEST

START_TEST(mapping_stays_when_its_descriptor_is_closed)
{
	feed_call(P, IOT_CLOSE, 3, 0, 0);
	feed_memory(P, IOT_MSYNC, MAPPED, PAGE);
	expect_more(2);
	expect_operation(3, "MSYNC", fixture_file("a"));
}
END_TEST

START_TEST(mmap_of_a_bad_descriptor_is_a_row)
{
	feed_mmap(P, 99, -9, SHARED);
	expect_more(1);
	expect_operation(2, "MMAP", "");
	expect(2, "path_status", "n");
	expect(2, "fd", "99");
}
END_TEST

START_TEST(mappings_are_forgotten_after_a_loss)
{
	struct iot_more rec = memory_call(P, IOT_MSYNC, MAPPED, PAGE, 0);

	rec.fs.head.seq += 2;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	ck_assert(seen[2].stream == STREAM_lost || seen[1].stream == STREAM_lost);
	ck_assert_uint_eq(out_of_scope(), 1);
}
END_TEST

/* What /proc tells of was mapped after a call that had ended by then: not what that took away. */
START_TEST(mapping_from_proc_is_not_what_an_older_call_removed)
{
	struct iot_more rec;
	char line[4300];

	snprintf(line, sizeof(line), "40000000-40004000 r--s 00001000 08:02 12 %s\n",
		 fixture_file("a"));
	fixture_proc_text(P, "maps", line);
	rec = memory_call(P, IOT_MUNMAP, MAPPED, PAGE, 0);
	rec.start = RECORD_STALE;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	feed_anew(&(struct feed_options){ .kernel = true });
	feed_memory(P, IOT_MSYNC, MAPPED + PAGE, PAGE);
	feed_memory(P, IOT_MUNMAP, MAPPED, PAGE);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect_operation(0, "MSYNC", fixture_file("a"));
	expect(0, "offset", "8192");
	expect_operation(1, "MUNMAP", fixture_file("a"));
}
END_TEST

START_TEST(mapping_of_the_kernels_file_keeps_its_name)
{
	struct iot_more rec = record_more(P, IOT_MMAP, 3, MAPPED);

	feed_kernel_file(&rec, IOT_ST_DELETED);
	rec.fs.size = PAGE;
	rec.fs.offset = 0;
	rec.fs.flags = SHARED;
	feed_more(&rec);
	feed_memory(P, IOT_MUNMAP, MAPPED, PAGE);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect_operation(0, "MMAP", "/a/bb/c");
	expect(0, "offset", "0");
	expect(0, "path_status", "do");
	expect_operation(1, "MUNMAP", "/a/bb/c");
	expect(1, "inode", "12");
	expect(1, "device", "8:2");
	expect(1, "path_status", "do");
}
END_TEST

static TCase *descriptors_case(void)
{
	TCase *tcase = tcase_create("descriptors");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, call_on_a_followed_descriptor_has_its_file);
	tcase_add_test(tcase, call_on_a_descriptor_that_is_none_is_a_row);
	tcase_add_test(tcase, call_on_what_is_no_file_is_out_of_scope);
	tcase_add_test(tcase, directory_that_is_read_has_the_flags_it_was_opened_with);
	tcase_add_test(tcase, directory_of_the_kernel_has_its_flags_and_position);
	tcase_add_loop_test(tcase, calls_without_a_file_have_no_name, 0, 3);
	tcase_add_test(tcase, extra_operations_are_rows_only_if_asked_for);
	tcase_add_test(tcase, sendfile_moves_both_positions);
	tcase_add_test(tcase, sendfile_to_a_socket_has_one_name);
	tcase_add_test(tcase, sendfile_from_an_offset_moves_the_target_only);
	tcase_add_test(tcase, failed_transfer_moves_nothing);
	tcase_add_test(tcase, splice_to_a_pipe_is_of_the_file);
	tcase_add_test(tcase, splice_from_a_pipe_is_of_the_other_file);
	tcase_add_test(tcase, splice_between_pipes_is_out_of_scope);
	tcase_add_test(tcase, copy_moves_both_positions);
	tcase_add_test(tcase, copy_of_the_kernels_files_has_both_names);
	tcase_add_test(tcase, direct_read_or_write_is_a_second_row);
	return tcase;
}

static TCase *mappings_case(void)
{
	TCase *tcase = tcase_create("mappings");

	tcase_add_checked_fixture(tcase, setup_mapping, feed_teardown);
	tcase_add_test(tcase, mapping_of_a_file_is_a_row);
	tcase_add_test(tcase, memory_of_no_file_leaves_no_row);
	tcase_add_test(tcase, munmap_has_the_file_until_it_is_gone);
	tcase_add_test(tcase, msync_has_the_offset_in_the_file);
	tcase_add_test(tcase, madvise_has_its_advice);
	tcase_add_test(tcase, mapping_is_followed_where_it_moves);
	tcase_add_loop_test(tcase, moved_mapping_may_stay_as_well, 0, 2);
	tcase_add_loop_test(tcase, what_is_mapped_over_a_file_replaces_it, 0, 3);
	tcase_add_test(tcase, other_file_over_a_file_is_the_one);
	tcase_add_test(tcase, mappings_go_with_their_process_and_program);
	tcase_add_test(tcase, mapping_stays_when_its_descriptor_is_closed);
	tcase_add_test(tcase, mmap_of_a_bad_descriptor_is_a_row);
	tcase_add_test(tcase, mappings_are_forgotten_after_a_loss);
	return tcase;
}

static TCase *kernel_case(void)
{
	TCase *tcase = tcase_create("files of the kernel");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, direct_read_of_the_kernels_file_is_a_second_row);
	tcase_add_test(tcase, mapping_from_proc_is_not_what_an_older_call_removed);
	tcase_add_test(tcase, mapping_of_the_kernels_file_keeps_its_name);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of descriptors and mappings");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, descriptors_case());
	suite_add_tcase(suite, mappings_case());
	suite_add_tcase(suite, kernel_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
