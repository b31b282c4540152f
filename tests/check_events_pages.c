/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of streams cache and pagefault: which pages of which file, under the name
 * that others used it by, and what is no file or not asked for.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture_events.h"
#include "fixture_proc.h"
#include "fixture_record.h"
#include "ledger.h"
#include "mounts.h"

#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))

/* The file that the kernel found, unless a test says otherwise: 12 on 8:2 */
enum { INO = 12, DISK = DEV(8, 2) };

static uint64_t page;

static void setup(void)
{
	page = sysconf(_SC_PAGESIZE);
	feed_setup();
}

static void setup_kernel(void)
{
	page = sysconf(_SC_PAGESIZE);
	feed_setup_kernel();
}

/* Faults of a process that /proc does not know: nobody can tell whether they are of a file. */
static uint64_t unresolved(void)
{
	return ledger_lost(events_ledger(ev), IO_SEQ_PAGEFAULT, LOST_UNRESOLVED);
}

/* ---- cache ---- */

static const struct { uint16_t event; const char *word; } cache_events[] = {
	{ IO_CACHE_HIT, "HIT" },
	{ IO_CACHE_MISS, "MISS" },
	{ IO_CACHE_DIRTY, "DIRTY" },
	{ IO_CACHE_WRITEBACK_START, "WRITEBACK_START" },
	{ IO_CACHE_WRITEBACK_END, "WRITEBACK_END" },
	{ IO_CACHE_EVICT, "EVICT" },
	{ IO_CACHE_INVALIDATE, "INVALIDATE" },
	{ IO_CACHE_DROP, "DROP" },
	{ IO_CACHE_READAHEAD, "READAHEAD" },
};

START_TEST(event_is_a_row_of_its_pages)
{
	struct io_cache rec = record_cache(P, cache_events[_i].event);

	rec.head.tid = P + 1;
	rec.index = 3;
	rec.count = 4;
	rec.size = 40960;
	rec.cpu = 5;
	feed_cache(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_cache);
	ck_assert(seen[0].key == rec.head.ts);
	expect(0, "event_type", cache_events[_i].word);
	expect_number(0, "pid", P);
	expect_number(0, "tid", P + 1);
	expect(0, "command", "prog");
	expect_number(0, "inode", INO);
	expect(0, "index", "3");
	expect_number(0, "offset", 3 * page);
	expect(0, "count", "4");
	expect(0, "size", "10");
	expect(0, "cpu_id", "5");
	expect_number(0, "dev_id", DISK);
	expect(0, "device", "8:2");
	expect(0, "filename", "");
	expect_number(0, "mono_ns", rec.head.ts);
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_cache], 1);
}
END_TEST

START_TEST(every_event_has_a_word)
{
	ck_assert_int_eq(ARRAY_SIZE(cache_events) + 1, IO_N_CACHE_EVENTS - 1); /* and RECLAIM */
}
END_TEST

START_TEST(reclaim_is_of_no_file)
{
	struct io_cache rec = record_cache(P, IO_CACHE_RECLAIM);

	rec.ino = 0;
	rec.dev = 0;
	rec.flags = 0;
	rec.index = 7;
	rec.count = 32;
	feed_cache(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "event_type", "RECLAIM");
	expect(0, "inode", "");
	expect(0, "index", "");
	expect(0, "offset", "");
	expect(0, "size", "");
	expect(0, "count", "32");
	expect(0, "dev_id", "");
	expect(0, "device", "");
	expect(0, "filename", "");
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

START_TEST(pages_beyond_32_bits_are_counted)
{
	struct io_cache rec = record_cache(P, IO_CACHE_INVALIDATE);

	rec.index = (1ULL << 32) + 5;
	rec.count = 1ULL << 33;
	feed_cache(&rec);
	rec.head.ts++;
	rec.head.seq++;
	rec.index = 0;
	feed_cache(&rec);
	feed_end();
	expect(0, "index", "4294967301");
	expect_number(0, "offset", ((1ULL << 32) + 5) * page);
	expect(0, "count", "8589934592");
	expect(1, "index", "0");
	expect(1, "offset", "0");
}
END_TEST

static const struct { uint64_t bytes; const char *units; } file_sizes[] = {
	{ 0, "0" },
	{ 1, "0" },
	{ 4095, "0" },
	{ 4096, "1" },
	{ 8191, "1" },
	{ (1ULL << 44) + 4095, "4294967296" },
	{ UINT64_MAX - 1, "4503599627370495" },
	{ IO_CACHE_NO_SIZE, "" },
};

START_TEST(size_is_in_whole_units_of_4_kib)
{
	struct io_cache rec = record_cache(P, IO_CACHE_MISS);

	rec.size = file_sizes[_i].bytes;
	feed_cache(&rec);
	feed_end();
	expect(0, "size", file_sizes[_i].units);
}
END_TEST

START_TEST(events_of_no_known_number_are_bad)
{
	struct io_cache rec = record_cache(P, 0);

	feed_cache(&rec);
	rec.event = IO_N_CACHE_EVENTS;
	feed_cache(&rec);
	rec.event = UINT16_MAX;
	feed_cache(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(bad(), 3);
}
END_TEST

START_TEST(records_that_are_too_short_are_bad)
{
	struct io_cache rec = record_cache(P, IO_CACHE_HIT);
	struct io_fault fault = record_fault(P, 0);

	fault.flags = IO_FAULT_FILE;
	feed(&rec, sizeof(rec) - 1);
	feed(&rec, sizeof(rec.head));
	feed(&fault, sizeof(fault) - 1);
	feed(&fault, sizeof(fault.head));
	ck_assert_uint_eq(bad(), 4);
	feed(&rec, sizeof(rec));
	feed(&fault, sizeof(fault));
	feed_end();
	ck_assert_uint_eq(bad(), 4);
	ck_assert_uint_eq(n_seen, 2);
}
END_TEST

START_TEST(pages_are_rows_only_if_asked_for)
{
	struct io_cache rec = record_cache(P, IO_CACHE_HIT);
	struct io_fault fault = record_fault(P, 0);

	feed_anew(&(struct feed_options){ .only = "fs" });
	fault.flags = IO_FAULT_FILE;
	feed_cache(&rec);
	rec.flags = 0;
	rec.dev = 1; /* of no mount */
	feed_cache(&rec);
	feed_fault(&fault);
	feed_call(P, IO_FSYNC, 99, -9, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_fs);
	ck_assert_uint_eq(out_of_scope(), 0);
	ck_assert_uint_eq(bad(), 0);
}
END_TEST

/* Lost rows tell what was left out; nothing is to be sent again for it. */
START_TEST(sample_is_told_of_in_a_lost_row)
{
	ledger_missed(events_ledger(ev), IO_SEQ_CACHE, LOST_SAMPLED, 2, 900, record_later());
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_lost);
	expect(0, "stream", "cache");
	expect(0, "reason", "sampled");
	expect(0, "count", "900");
	expect(0, "cpu", "2");
	ck_assert(!events_names_missing(ev));
}
END_TEST

START_TEST(gaps_are_losses_of_their_stream)
{
	struct io_cache rec = record_cache(P, IO_CACHE_HIT);
	struct io_fault fault = record_fault(P, 0);

	rec.head.seq = 4;
	fault.flags = IO_FAULT_FILE;
	fault.head.seq = 3;
	feed_cache(&rec);
	feed_fault(&fault);
	feed_end();
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IO_SEQ_CACHE, LOST_RING), 3);
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IO_SEQ_PAGEFAULT, LOST_RING), 2);
	ck_assert_uint_eq(n_seen, 4);
	expect(0, "stream", "cache");
	expect(1, "stream", "pagefault");
}
END_TEST

/* ---- names ---- */

/* The name that a row of this file has now. */
static void expect_name_of(uint64_t ino, uint32_t dev, const char *name)
{
	struct io_cache rec = record_cache(P, IO_CACHE_HIT);

	rec.ino = ino;
	rec.dev = dev;
	feed_cache(&rec);
	feed_end();
	ck_assert_int_eq(seen[n_seen - 1].stream, STREAM_cache);
	expect(n_seen - 1, "filename", name);
}

static void expect_name(const char *name)
{
	expect_name_of(INO, DISK, name);
}

/* The same of a file of the fixture. */
static void expect_name_of_file(const char *file, const char *name)
{
	struct stat st;

	fixture_file_stat(file, &st);
	expect_name_of(st.st_ino, fixture_dev(&st), name);
}

/* The kernel's file, called so at the root: name is the id that it is sent under. */
static void kernel_file(struct io_fs *rec, uint64_t id, const char *name)
{
	feed_text(id, IO_TEXT_WALK, name, strlen(name) + 1);
	rec->status = IO_ST_FILE;
	rec->name = id;
	rec->ino = INO;
	rec->dev = DISK;
}

static void feed_read(const char *name)
{
	struct io_fs rec = record_fs(P, IO_READ, -1, 1);

	kernel_file(&rec, 20, name);
	feed_fs(&rec);
}

static struct io_more moved(uint16_t op, const char *from, const char *to, int64_t ret)
{
	struct io_more rec = record_more(P, op, -1, ret);

	kernel_file(&rec.fs, 21, from);
	feed_text(22, IO_TEXT_WALK, to, strlen(to) + 1);
	rec.fs.status |= IO_ST_PATH;
	rec.name2 = 22;
	rec.status2 = IO_ST_FILE;
	return rec;
}

static void feed_moved(uint16_t op, const char *from, const char *to, int64_t ret)
{
	struct io_more rec = moved(op, from, to, ret);

	feed_more(&rec);
}

START_TEST(file_is_named_by_who_opened_it)
{
	expect_name_of_file("a", "");
	feed_open_file(P, "a", 3, O_RDONLY);
	expect_name_of_file("a", fixture_file("a"));
	expect_name_of_file("b", "");
}
END_TEST

START_TEST(failed_open_names_nothing)
{
	feed_open(P, fixture_file("a"), -13, O_RDONLY);
	expect_name_of_file("a", "");
}
END_TEST

START_TEST(file_is_named_by_who_read_it)
{
	feed_read("a,b");
	expect_name("/a,b");
	expect_name_of(INO + 1, DISK, "");
}
END_TEST

START_TEST(same_number_on_another_device_is_another_file)
{
	struct io_fs rec;

	feed_read("a");
	expect_name_of(INO, DISK + 1, "");
	rec = record_fs(P, IO_READ, -1, 1);
	kernel_file(&rec, 23, "other");
	rec.dev = DISK + 1;
	feed_fs(&rec);
	expect_name_of(INO, DISK + 1, "/other");
	expect_name("/a");
}
END_TEST

START_TEST(last_name_is_the_one)
{
	feed_read("a");
	feed_read("b"); /* another link, say */
	expect_name("/b");
}
END_TEST

START_TEST(rename_is_a_new_name)
{
	feed_read("old");
	feed_moved(IO_RENAME, "old", "failed", -18);
	expect_name("/old");
	feed_moved(IO_RENAME, "old", "new", 0);
	expect_name("/new");
}
END_TEST

START_TEST(rename_names_what_nobody_opened)
{
	feed_moved(IO_RENAME, "old", "new", 0);
	expect_name("/new");
}
END_TEST

START_TEST(rename_that_exchanges_names_both)
{
	struct io_more rec = moved(IO_RENAME, "one", "two", 0);

	rec.fs.flags = 2; /* RENAME_EXCHANGE */
	rec.ino2 = INO + 1;
	feed_more(&rec);
	expect_name("/two");
	expect_name_of(INO + 1, DISK, "/one");
	rec = moved(IO_RENAME, "one", "two", 0);
	rec.ino2 = INO + 2; /* was replaced: has no name any more */
	feed_more(&rec);
	expect_name_of(INO + 2, DISK, "");
}
END_TEST

START_TEST(two_names_are_no_name)
{
	feed_anew(&(struct feed_options){ .kernel = true, .extra_ops = true });
	feed_moved(IO_LINK, "a", "b", 0);
	expect_name("");
	feed_moved(IO_COPY_FILE_RANGE, "a", "b", 1);
	expect_name("");
}
END_TEST

START_TEST(name_without_a_beginning_is_no_name)
{
	static struct io_text text;
	struct io_fs rec = record_fs(P, IO_READ, -1, 1);

	kernel_file(&rec, 20, "x");
	record_text(&text, 20, IO_TEXT_WALK, "c\0b", 4);
	text.flags = IO_TEXT_CUT;
	feed(&text, IO_TEXT_HEAD + 4);
	feed_fs(&rec);
	expect_name("");
}
END_TEST

START_TEST(file_without_a_number_gets_no_name)
{
	struct io_fs rec = record_fs(P, IO_READ, -1, 1);

	kernel_file(&rec, 20, "x");
	rec.ino = 0;
	feed_fs(&rec);
	rec = record_fs(P, IO_READ, -1, 1);
	kernel_file(&rec, 20, "x");
	rec.dev = 0;
	feed_fs(&rec);
	expect_name_of(0, DISK, "");
	expect_name_of(INO, 0, "");
}
END_TEST

START_TEST(offered_name_counts_until_the_file_is_used)
{
	ck_assert(events_wants_names(ev));
	events_offer_name(ev, INO, DISK, "/a,b", 4);
	expect_name("/a,b");
	feed_read("used");
	expect_name("/used");
	events_offer_name(ev, INO, DISK, "/late", 5);
	expect_name("/used");
	events_offer_name(ev, 0, DISK, "/none", 5);
	feed_anew(&(struct feed_options){ .kernel = true, .only = "fs" });
	ck_assert(!events_wants_names(ev));
	events_offer_name(ev, INO, DISK, "/nobody", 7);
}
END_TEST

START_TEST(names_are_known_without_rows_of_fs)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	feed_read("old");
	expect_name("/old");
	feed_moved(IO_RENAME, "old", "new", 0);
	expect_name("/new");
	ck_assert_uint_eq(n_seen, 2);
}
END_TEST

START_TEST(opened_names_are_known_without_rows_of_fs)
{
	feed_anew(&(struct feed_options){ .only = "cache" });
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_call(P, IO_CLOSE, 3, 0, 0);
	expect_name_of_file("a", fixture_file("a"));
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

START_TEST(operations_that_are_no_rows_name_files_all_the_same)
{
	struct io_more rec = record_more(P, IO_FADVISE, 3, 0);

	kernel_file(&rec.fs, 20, "a");
	feed_more(&rec);
	expect_name("/a");
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

START_TEST(name_outlives_who_used_it)
{
	feed_open_file(P, "a", 3, O_RDONLY);
	feed_task(IO_EXIT, P, 0, IO_TASK_STATUS);
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

START_TEST(name_outlives_the_text_it_came_by)
{
	feed_read("first");
	feed_text(20, IO_TEXT_WALK, "second", 7); /* the number is given anew */
	for (uint64_t id = 1000; id < 3000; id++)
		feed_text(id, IO_TEXT_WALK, "x", 2);
	expect_name("/first");
}
END_TEST

START_TEST(more_files_than_there_is_room_for_keep_the_latest)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	for (unsigned i = 0; i < 5000; i++) {
		struct io_fs rec = record_fs(P, IO_READ, -1, 1);
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		kernel_file(&rec, 20, name);
		rec.ino = 100 + i;
		feed_fs(&rec);
	}
	expect_name_of(100 + 4999, DISK, "/4999");
}
END_TEST

/* What a mapping or a descriptor was called when it was made may be long ago. */
START_TEST(mapping_does_not_bring_an_old_name_back)
{
	struct io_more rec = record_more(P, IO_MMAP, 3, 0x40000000);

	kernel_file(&rec.fs, 20, "old");
	rec.fs.size = page;
	rec.fs.offset = 0;
	feed_more(&rec);
	expect_name("/old");
	feed_moved(IO_RENAME, "old", "new", 0);
	rec = record_more(P, IO_MUNMAP, -1, 0);
	rec.address = 0x40000000;
	rec.fs.size = page;
	feed_more(&rec);
	expect_name("/new");
}
END_TEST

START_TEST(descriptor_does_not_bring_an_old_name_back)
{
	struct io_more rec;
	struct stat st;

	fixture_file_stat("a", &st);
	feed_open_file(P, "a", 3, O_RDWR);
	rec = moved(IO_RENAME, "a", "new", 0);
	rec.fs.ino = st.st_ino;
	rec.fs.dev = fixture_dev(&st);
	feed_more(&rec);
	feed_call(P, IO_WRITE, 3, 1, 1);
	expect_name_of_file("a", "/new");
	feed_call(P, IO_CLOSE, 3, 0, 0);
	expect_name_of_file("a", "/new");
	feed_open_file(P, "a", 3, O_RDWR); /* somebody else gave it back */
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

/* Opened before we came: the descriptor is all there is. */
START_TEST(descriptor_names_what_nobody_named)
{
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDWR);
	feed_call(P, IO_WRITE, 3, 1, 1);
	expect_name_of_file("a", fixture_file("a"));
}
END_TEST

/* ---- scope ---- */

static void setup_mounts(void)
{
	setup_kernel();
	fixture_mounts_open("27 1 8:2 / / rw - ext4 /dev/sda2 rw\n"
			    "28 27 0:30 / /dev/shm rw - tmpfs tmpfs rw\n"
			    "22 27 0:21 / /proc rw - proc proc rw\n");
}

static void teardown_mounts(void)
{
	static const struct fs_types none;

	mounts_filter(&none);
	fixture_mounts_close();
	feed_teardown();
}

/* device: that of the row; NULL: there is none, and that is counted */
static const struct {
	uint16_t flags;
	uint64_t ino;
	uint32_t dev;
	const char *device;
} scopes[] = {
	{ 0, INO, DEV(8, 2), "8:2" },
	{ 0, INO, DEV(0, 30), "0:30" },
	{ 0, INO, DEV(0, 21), NULL },
	{ 0, INO, DEV(0, 99), NULL },       /* a device of the kernel's own */
	{ 0, INO, DEV(259, 7), "259:7" },   /* mounted where we do not see it */
	{ 0, DEV(8, 2), DEV(8, 2), "8:2" }, /* a file may have any number */
	/* the kernel looked */
	{ IO_CACHE_KNOWN, INO, DEV(0, 21), "0:21" },
	{ IO_CACHE_KNOWN, INO, DEV(0, 99), "0:99" },
	{ IO_CACHE_KNOWN | IO_CACHE_DISK, 0, DEV(8, 2), "8:2" },
	/* what is written to */
	{ IO_CACHE_DISK, INO, DEV(8, 2), "8:2" },
	{ IO_CACHE_DISK, 0, DEV(8, 2), NULL },
	{ IO_CACHE_DISK, DEV(8, 2), DEV(8, 2), NULL },
	{ IO_CACHE_DISK, DEV(8, 16), DEV(8, 16), NULL },
	{ IO_CACHE_DISK, INO, DEV(8, 16), "" },
	{ IO_CACHE_DISK, INO, DEV(0, 99), "" },
	{ IO_CACHE_DISK, INO, 0, "" },
	{ IO_CACHE_DISK, INO, DEV(0, 21), NULL },
};

START_TEST(pages_are_rows_where_files_are)
{
	struct io_cache rec = record_cache(P, IO_CACHE_DIRTY);

	rec.flags = scopes[_i].flags;
	rec.ino = scopes[_i].ino;
	rec.dev = scopes[_i].dev;
	feed_cache(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, scopes[_i].device != NULL);
	ck_assert_uint_eq(out_of_scope(), !scopes[_i].device);
	if (!scopes[_i].device)
		return;
	expect(0, "device", scopes[_i].device);
	if (scopes[_i].device[0])
		expect_number(0, "dev_id", rec.dev);
	else
		expect(0, "dev_id", "");
}
END_TEST

/* The disk of a file system stands for the file system only when it is mounted as such. */
START_TEST(pages_of_a_disk_have_names_where_it_is_mounted)
{
	struct io_cache rec = record_cache(P, IO_CACHE_DIRTY);

	feed_read("a");
	feed_end();
	rec.flags = IO_CACHE_DISK;
	feed_cache(&rec);
	rec.dev = DEV(8, 16);
	rec.head.ts++;
	feed_cache(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect(1, "filename", "/a");
	expect(2, "filename", "");
	expect_number(2, "inode", INO);
}
END_TEST

static unsigned rows_of(uint32_t dev)
{
	struct io_cache rec = record_cache(P, IO_CACHE_MISS);
	unsigned before;

	feed_end();
	before = n_seen;
	rec.flags = 0;
	rec.dev = dev;
	feed_cache(&rec);
	feed_end();
	return n_seen - before;
}

START_TEST(scope_follows_what_is_asked_for)
{
	struct fs_types types = { 0 };

	ck_assert_uint_eq(rows_of(DEV(0, 21)), 0);
	feed_anew(&(struct feed_options){ .kernel = true, .all_fs = true });
	ck_assert_uint_eq(rows_of(DEV(0, 21)), 1);
	ck_assert_uint_eq(rows_of(DEV(0, 99)), 0);
	ck_assert_uint_eq(rows_of(DEV(0, 30)), 1);
	fs_types_add(&types, "tmpfs", IO_FS_EXCLUDE);
	mounts_filter(&types);
	ck_assert_uint_eq(rows_of(DEV(0, 30)), 0);
	ck_assert_uint_eq(rows_of(DEV(8, 2)), 1);
}
END_TEST

START_TEST(scope_follows_what_is_mounted)
{
	ck_assert_uint_eq(rows_of(DEV(0, 30)), 1);
	fixture_mounts_close();
	fixture_mounts_open("28 27 0:30 / /proc rw - proc proc rw\n");
	ck_assert_uint_eq(rows_of(DEV(0, 30)), 0);
	ck_assert_uint_eq(rows_of(DEV(8, 2)), 1); /* not known any more */
}
END_TEST

/* ---- page faults ---- */

START_TEST(fault_of_the_kernels_file_is_a_row)
{
	struct io_fault rec;

	feed_text(7, IO_TEXT_WALK, "c\0b", 4);
	rec = record_fault(P, 0x7f0012345678);
	rec.head.tid = P + 1;
	rec.flags = IO_FAULT_FILE | IO_FAULT_RESULT | IO_FAULT_MAJOR | IO_FAULT_WRITE;
	rec.name = 7;
	rec.ino = INO;
	rec.dev = DISK;
	rec.index = (1ULL << 32) + 1;
	rec.latency = 12345;
	feed_fault(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_pagefault);
	ck_assert(seen[0].key == rec.head.ts - 12345);
	expect_number(0, "mono_ns", rec.head.ts - 12345);
	expect_number(0, "pid", P);
	expect_number(0, "tid", P + 1);
	expect(0, "command", "prog");
	expect(0, "fault_type", "WRITE");
	expect(0, "severity", "MAJOR");
	expect_number(0, "inode", INO);
	expect(0, "offset", "4294967297");
	expect(0, "address", "0x7f0012345678");
	expect_number(0, "dev_id", DISK);
	expect(0, "device", "8:2");
	expect(0, "filename", "/b/c");
	expect(0, "latency_ns", "12345");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_pagefault], 1);
}
END_TEST

static const struct { uint32_t flags; const char *type, *severity, *latency; } fault_kinds[] = {
	{ 0, "READ", "", "" },
	{ IO_FAULT_WRITE, "WRITE", "", "" },
	{ IO_FAULT_MAJOR, "READ", "", "" }, /* said, but not known */
	{ IO_FAULT_RESULT, "READ", "MINOR", "9" },
	{ IO_FAULT_RESULT | IO_FAULT_MAJOR, "READ", "MAJOR", "9" },
	{ IO_FAULT_RESULT | IO_FAULT_WRITE, "WRITE", "MINOR", "9" },
	{ IO_FAULT_RESULT | IO_FAULT_MAJOR | IO_FAULT_WRITE, "WRITE", "MAJOR", "9" },
};

START_TEST(fault_is_of_its_kind)
{
	struct io_fault rec = record_fault(P, 0);

	rec.flags = IO_FAULT_FILE | fault_kinds[_i].flags;
	rec.latency = 9;
	feed_fault(&rec);
	feed_end();
	expect(0, "fault_type", fault_kinds[_i].type);
	expect(0, "severity", fault_kinds[_i].severity);
	expect(0, "latency_ns", fault_kinds[_i].latency);
	expect_number(0, "mono_ns", rec.head.ts - (rec.flags & IO_FAULT_RESULT ? 9 : 0));
	expect(0, "address", "0x0");
	expect(0, "offset", "0");
}
END_TEST

START_TEST(faults_leave_in_the_order_of_their_start)
{
	struct io_fault inner = record_fault(P, 1), outer = record_fault(P, 2);

	inner.flags = outer.flags = IO_FAULT_FILE | IO_FAULT_RESULT;
	inner.latency = 10;
	outer.latency = outer.head.ts - inner.head.ts + 1000;
	feed_fault(&inner);
	feed_fault(&outer);
	feed_end();
	expect(0, "address", "0x2");
	expect(1, "address", "0x1");
}
END_TEST

START_TEST(fault_without_a_name_asks_for_it_again)
{
	struct io_fault rec = record_fault(P, 0);

	rec.flags = IO_FAULT_FILE;
	rec.ino = INO;
	rec.dev = DISK;
	feed_fault(&rec);
	ck_assert(!events_names_missing(ev)); /* it has none */
	rec.name = 7;
	rec.head.ts++;
	rec.head.seq++;
	feed_fault(&rec);
	ck_assert(events_names_missing(ev));
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(1, "filename", "");
	expect_number(1, "inode", INO);
}
END_TEST

/* There is no path_status that could say so. */
START_TEST(name_without_a_beginning_is_not_shown)
{
	static struct io_text text;
	struct io_fault rec;

	record_text(&text, 7, IO_TEXT_WALK, "c\0b", 4);
	text.flags = IO_TEXT_CUT;
	feed(&text, IO_TEXT_HEAD + 4);
	rec = record_fault(P, 0);
	rec.flags = IO_FAULT_FILE;
	rec.name = 7;
	feed_fault(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "filename", "");
	ck_assert(!events_names_missing(ev));
}
END_TEST

START_TEST(fault_names_the_file_of_its_pages)
{
	struct io_fault rec = record_fault(P, 0);

	feed_anew(&(struct feed_options){ .kernel = true, .only = "cache" });
	feed_text(7, IO_TEXT_WALK, "c\0b", 4);
	rec.head.seq = 1;
	rec.flags = IO_FAULT_FILE;
	rec.name = 7;
	rec.ino = INO;
	rec.dev = DISK;
	feed_fault(&rec);
	expect_name("/b/c");
	ck_assert_uint_eq(n_seen, 1);
}
END_TEST

/* ---- page faults by address ---- */

#define MAPPED 0x40000000ULL

/* Four pages of file a, from its second one on; rows of fs 0 and 1 have left. */
static void setup_mapping(void)
{
	struct io_more rec;

	setup();
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IO_MMAP, 3, MAPPED);
	rec.fs.size = 4 * page;
	rec.fs.offset = page;
	rec.fs.flags = 1; /* MAP_SHARED */
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
}

static void feed_address(uint32_t tgid, uint64_t address)
{
	struct io_fault rec = record_fault(tgid, address);

	feed_fault(&rec);
	feed_end();
}

START_TEST(address_leads_to_its_file)
{
	struct io_fault rec = record_fault(P, MAPPED + 2 * page + 123);
	char address[32];
	struct stat st;

	fixture_file_stat("a", &st);
	rec.flags = IO_FAULT_WRITE;
	feed_fault(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	ck_assert_int_eq(seen[2].stream, STREAM_pagefault);
	expect(2, "fault_type", "WRITE");
	expect(2, "severity", "");
	expect(2, "latency_ns", "");
	expect_number(2, "inode", st.st_ino);
	expect_number(2, "dev_id", fixture_dev(&st));
	expect(2, "offset", "3");
	expect(2, "filename", fixture_file("a"));
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)rec.address);
	expect(2, "address", address);
	expect_number(2, "mono_ns", rec.head.ts);
}
END_TEST

START_TEST(mapping_ends_at_its_last_byte)
{
	feed_address(P, MAPPED);
	feed_address(P, MAPPED + 4 * page - 1);
	ck_assert_uint_eq(n_seen, 4);
	expect(2, "offset", "1");
	expect(3, "offset", "4");
	ck_assert_uint_eq(out_of_scope(), 0);
	feed_address(P, MAPPED - 1);
	feed_address(P, MAPPED + 4 * page);
	feed_address(P, 0);
	feed_address(P, UINT64_MAX);
	ck_assert_uint_eq(n_seen, 8);
	for (size_t i = 4; i < n_seen; i++)
		expect(i, "reason", "unresolved");
	ck_assert_uint_eq(unresolved(), 4);
}
END_TEST

START_TEST(page_of_a_mapping_beyond_32_bits)
{
	struct io_more rec = record_more(P, IO_MMAP, 3, MAPPED);

	rec.fs.size = page;
	rec.fs.offset = (int64_t)((1ULL << 33) * page);
	feed_more(&rec);
	feed_end();
	feed_address(P, MAPPED + 1);
	expect(n_seen - 1, "offset", "8589934592");
}
END_TEST

START_TEST(mapping_known_by_its_last_part_has_no_name)
{
	static struct io_text text;
	struct io_more rec;

	record_text(&text, 7, IO_TEXT_WALK, "c\0b", 4);
	text.flags = IO_TEXT_CUT;
	feed(&text, IO_TEXT_HEAD + 4);
	rec = record_more(P, IO_MMAP, 3, MAPPED);
	rec.fs.size = page;
	rec.fs.offset = 0;
	rec.fs.status = IO_ST_FILE;
	rec.fs.name = 7;
	rec.fs.ino = INO;
	rec.fs.dev = DISK;
	feed_more(&rec);
	feed_end();
	feed_address(P, MAPPED);
	ck_assert_uint_eq(n_seen, 4);
	expect(3, "filename", "");
	expect_number(3, "inode", INO);
}
END_TEST

START_TEST(mapping_that_is_gone_has_no_faults)
{
	struct io_more rec = record_more(P, IO_MUNMAP, -1, 0);

	rec.address = MAPPED;
	rec.fs.size = page;
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	feed_address(P, MAPPED);
	ck_assert_uint_eq(n_seen, 4);
	ck_assert_uint_eq(unresolved(), 1);
	feed_address(P, MAPPED + page);
	ck_assert_uint_eq(n_seen, 5);
	expect(4, "offset", "2");
}
END_TEST

START_TEST(child_has_the_mappings_of_its_parent)
{
	feed_address(CHILD, MAPPED);
	ck_assert_uint_eq(n_seen, 3);
	ck_assert_uint_eq(unresolved(), 1);
	feed_task(IO_FORK, P, CHILD, 0);
	feed_address(CHILD, MAPPED);
	ck_assert_uint_eq(n_seen, 5);
	ck_assert_int_eq(seen[4].stream, STREAM_pagefault);
	expect_number(4, "pid", CHILD);
	expect(4, "filename", fixture_file("a"));
}
END_TEST

START_TEST(fault_of_a_process_that_is_gone_is_lost)
{
	feed_address(GONE, MAPPED);
	ck_assert_uint_eq(n_seen, 3);
	expect(2, "reason", "unresolved");
	ck_assert_uint_eq(unresolved(), 1);
	ck_assert_uint_eq(out_of_scope(), 0);
}
END_TEST

START_TEST(mappings_are_followed_without_rows_of_fs)
{
	struct io_more rec;

	feed_anew(&(struct feed_options){ .only = "pagefault" });
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IO_MMAP, 3, MAPPED);
	rec.fs.size = page;
	rec.fs.offset = 0;
	feed_more(&rec);
	feed_address(P, MAPPED);
	ck_assert_uint_eq(n_seen, 3);
	expect(2, "filename", fixture_file("a"));
	expect(2, "offset", "0");
}
END_TEST

static TCase *cache_case(void)
{
	TCase *tcase = tcase_create("cache");

	tcase_add_checked_fixture(tcase, setup_kernel, feed_teardown);
	tcase_add_loop_test(tcase, event_is_a_row_of_its_pages, 0, ARRAY_SIZE(cache_events));
	tcase_add_test(tcase, every_event_has_a_word);
	tcase_add_test(tcase, reclaim_is_of_no_file);
	tcase_add_test(tcase, pages_beyond_32_bits_are_counted);
	tcase_add_loop_test(tcase, size_is_in_whole_units_of_4_kib, 0, ARRAY_SIZE(file_sizes));
	tcase_add_test(tcase, events_of_no_known_number_are_bad);
	tcase_add_test(tcase, records_that_are_too_short_are_bad);
	tcase_add_test(tcase, pages_are_rows_only_if_asked_for);
	tcase_add_test(tcase, sample_is_told_of_in_a_lost_row);
	tcase_add_test(tcase, gaps_are_losses_of_their_stream);
	return tcase;
}

static TCase *names_case(void)
{
	TCase *tcase = tcase_create("names of the kernel");

	tcase_add_checked_fixture(tcase, setup_kernel, feed_teardown);
	tcase_add_test(tcase, file_is_named_by_who_read_it);
	tcase_add_test(tcase, same_number_on_another_device_is_another_file);
	tcase_add_test(tcase, last_name_is_the_one);
	tcase_add_test(tcase, rename_is_a_new_name);
	tcase_add_test(tcase, rename_names_what_nobody_opened);
	tcase_add_test(tcase, rename_that_exchanges_names_both);
	tcase_add_test(tcase, two_names_are_no_name);
	tcase_add_test(tcase, name_without_a_beginning_is_no_name);
	tcase_add_test(tcase, file_without_a_number_gets_no_name);
	tcase_add_test(tcase, offered_name_counts_until_the_file_is_used);
	tcase_add_test(tcase, names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, operations_that_are_no_rows_name_files_all_the_same);
	tcase_add_test(tcase, name_outlives_the_text_it_came_by);
	tcase_add_test(tcase, more_files_than_there_is_room_for_keep_the_latest);
	tcase_add_test(tcase, mapping_does_not_bring_an_old_name_back);
	return tcase;
}

static TCase *followed_case(void)
{
	TCase *tcase = tcase_create("names of descriptors");

	tcase_add_checked_fixture(tcase, setup, feed_teardown);
	tcase_add_test(tcase, file_is_named_by_who_opened_it);
	tcase_add_test(tcase, failed_open_names_nothing);
	tcase_add_test(tcase, opened_names_are_known_without_rows_of_fs);
	tcase_add_test(tcase, name_outlives_who_used_it);
	tcase_add_test(tcase, descriptor_does_not_bring_an_old_name_back);
	tcase_add_test(tcase, descriptor_names_what_nobody_named);
	return tcase;
}

static TCase *scope_case(void)
{
	TCase *tcase = tcase_create("scope");

	tcase_add_checked_fixture(tcase, setup_mounts, teardown_mounts);
	tcase_add_loop_test(tcase, pages_are_rows_where_files_are, 0, ARRAY_SIZE(scopes));
	tcase_add_test(tcase, pages_of_a_disk_have_names_where_it_is_mounted);
	tcase_add_test(tcase, scope_follows_what_is_asked_for);
	tcase_add_test(tcase, scope_follows_what_is_mounted);
	return tcase;
}

static TCase *faults_case(void)
{
	TCase *tcase = tcase_create("page faults");

	tcase_add_checked_fixture(tcase, setup_kernel, feed_teardown);
	tcase_add_test(tcase, fault_of_the_kernels_file_is_a_row);
	tcase_add_loop_test(tcase, fault_is_of_its_kind, 0, ARRAY_SIZE(fault_kinds));
	tcase_add_test(tcase, faults_leave_in_the_order_of_their_start);
	tcase_add_test(tcase, fault_without_a_name_asks_for_it_again);
	tcase_add_test(tcase, name_without_a_beginning_is_not_shown);
	tcase_add_test(tcase, fault_names_the_file_of_its_pages);
	return tcase;
}

static TCase *addresses_case(void)
{
	TCase *tcase = tcase_create("page faults by address");

	tcase_add_checked_fixture(tcase, setup_mapping, feed_teardown);
	tcase_add_test(tcase, address_leads_to_its_file);
	tcase_add_test(tcase, mapping_ends_at_its_last_byte);
	tcase_add_test(tcase, page_of_a_mapping_beyond_32_bits);
	tcase_add_test(tcase, mapping_known_by_its_last_part_has_no_name);
	tcase_add_test(tcase, mapping_that_is_gone_has_no_faults);
	tcase_add_test(tcase, child_has_the_mappings_of_its_parent);
	tcase_add_test(tcase, fault_of_a_process_that_is_gone_is_lost);
	tcase_add_test(tcase, mappings_are_followed_without_rows_of_fs);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of pages");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, cache_case());
	suite_add_tcase(suite, names_case());
	suite_add_tcase(suite, followed_case());
	suite_add_tcase(suite, scope_case());
	suite_add_tcase(suite, faults_case());
	suite_add_tcase(suite, addresses_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
