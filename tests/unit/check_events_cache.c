/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream cache: which pages of which file, and which pages are of no file
 * or not asked for. Records that cannot be are those of stream pagefault, too.
 */
#include "events/events.h"

#include <check.h>
#include <stdlib.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"
#include "resolve/mounts.h"
#include "trace/ledger.h"

/* ---- rows ---- */

static const struct {
	uint16_t event;
	const char *word;
} cache_events[] = {
	{ IOT_CACHE_HIT, "HIT" },
	{ IOT_CACHE_MISS, "MISS" },
	{ IOT_CACHE_DIRTY, "DIRTY" },
	{ IOT_CACHE_WRITEBACK_START, "WRITEBACK_START" },
	{ IOT_CACHE_WRITEBACK_END, "WRITEBACK_END" },
	{ IOT_CACHE_EVICT, "EVICT" },
	{ IOT_CACHE_INVALIDATE, "INVALIDATE" },
	{ IOT_CACHE_DROP, "DROP" },
	{ IOT_CACHE_READAHEAD, "READAHEAD" },
};

START_TEST(event_is_a_row_of_its_pages)
{
	struct iot_cache rec = record_cache(P, cache_events[_i].event);

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
	ck_assert_int_eq(ARRAY_SIZE(cache_events) + 1, IOT_N_CACHE_EVENTS - 1); /* and RECLAIM */
}
END_TEST

START_TEST(reclaim_is_of_no_file)
{
	struct iot_cache rec = record_cache(P, IOT_CACHE_RECLAIM);

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
	struct iot_cache rec = record_cache(P, IOT_CACHE_INVALIDATE);

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

static const struct {
	uint64_t bytes;
	const char *units;
} file_sizes[] = {
	{ 0, "0" },
	{ 1, "0" },
	{ 4095, "0" },
	{ 4096, "1" },
	{ 8191, "1" },
	{ (1ULL << 44) + 4095, "4294967296" },
	{ UINT64_MAX - 1, "4503599627370495" },
	{ IOT_CACHE_NO_SIZE, "" },
};

START_TEST(size_is_in_whole_units_of_4_kib)
{
	struct iot_cache rec = record_cache(P, IOT_CACHE_MISS);

	rec.size = file_sizes[_i].bytes;
	feed_cache(&rec);
	feed_end();
	expect(0, "size", file_sizes[_i].units);
}
END_TEST

START_TEST(events_of_no_known_number_are_bad)
{
	struct iot_cache rec = record_cache(P, 0);

	feed_cache(&rec);
	rec.event = IOT_N_CACHE_EVENTS;
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
	struct iot_cache rec = record_cache(P, IOT_CACHE_HIT);
	struct iot_fault fault = record_fault(P, 0);

	fault.flags = IOT_FAULT_FILE;
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
	struct iot_cache rec = record_cache(P, IOT_CACHE_HIT);
	struct iot_fault fault = record_fault(P, 0);

	feed_anew(&(struct feed_options){ .only = "fs" });
	fault.flags = IOT_FAULT_FILE;
	feed_cache(&rec);
	rec.flags = 0;
	rec.dev = 1; /* of no mount */
	feed_cache(&rec);
	feed_fault(&fault);
	feed_call(P, IOT_FSYNC, 99, -9, 0);
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
	ledger_missed(events_ledger(ev), IOT_SEQ_cache, LOST_SAMPLED, 2, 900, record_later());
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
	struct iot_cache rec = record_cache(P, IOT_CACHE_HIT);
	struct iot_fault fault = record_fault(P, 0);

	rec.head.seq = 4;
	fault.flags = IOT_FAULT_FILE;
	fault.head.seq = 3;
	feed_cache(&rec);
	feed_fault(&fault);
	feed_end();
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IOT_SEQ_cache, LOST_RING), 3);
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IOT_SEQ_pagefault, LOST_RING), 2);
	ck_assert_uint_eq(n_seen, 4);
	expect(0, "stream", "cache");
	expect(1, "stream", "pagefault");
}
END_TEST

/* ---- scope ---- */

static void setup_mounts(void)
{
	feed_setup_kernel();
	fixture_mounts_open("27 1 8:2 / / rw - ext4 /dev/sda2 rw\n"
			    "28 27 0:30 / /dev/shm rw - tmpfs tmpfs rw\n"
			    "22 27 0:21 / /proc rw - proc proc rw\n");
}

static void teardown_mounts(void)
{
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
	{ IOT_CACHE_KNOWN, INO, DEV(0, 21), "0:21" },
	{ IOT_CACHE_KNOWN, INO, DEV(0, 99), "0:99" },
	{ IOT_CACHE_KNOWN | IOT_CACHE_DISK, 0, DEV(8, 2), "8:2" },
	/* what is written to */
	{ IOT_CACHE_DISK, INO, DEV(8, 2), "8:2" },
	{ IOT_CACHE_DISK, 0, DEV(8, 2), NULL },
	{ IOT_CACHE_DISK, DEV(8, 2), DEV(8, 2), NULL },
	{ IOT_CACHE_DISK, DEV(8, 16), DEV(8, 16), NULL },
	{ IOT_CACHE_DISK, INO, DEV(8, 16), "" },
	{ IOT_CACHE_DISK, INO, DEV(0, 99), "" },
	{ IOT_CACHE_DISK, INO, 0, "" },
	{ IOT_CACHE_DISK, INO, DEV(0, 21), NULL },
};

START_TEST(pages_are_rows_where_files_are)
{
	struct iot_cache rec = record_cache(P, IOT_CACHE_DIRTY);

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
	struct iot_cache rec = record_cache(P, IOT_CACHE_DIRTY);

	feed_read("a");
	feed_end();
	rec.flags = IOT_CACHE_DISK;
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
	struct iot_cache rec = record_cache(P, IOT_CACHE_MISS);
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
	fs_types_add(&types, "tmpfs", IOT_FS_EXCLUDE);
	fixture_mount_rules(&fixture_resolve.mounts, true, &types);
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

static TCase *cache_case(void)
{
	TCase *tcase = tcase_create("cache");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
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

int main(void)
{
	Suite *suite = suite_create("events of the page cache");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, cache_case());
	suite_add_tcase(suite, scope_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
