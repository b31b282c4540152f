/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of stream pagefault: faults of the file that the kernel tells, or else of the
 * mapping that the address is in.
 */
#include "events/events.h"

#include <check.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"
#include "trace/ledger.h"

/* ---- files of the kernel ---- */

START_TEST(fault_of_the_kernels_file_is_a_row)
{
	struct iot_fault rec;

	feed_text(7, IOT_TEXT_WALK, "c\0b", 4);
	rec = record_fault(P, 0x7f0012345678);
	rec.head.tid = P + 1;
	rec.flags = IOT_FAULT_FILE | IOT_FAULT_RESULT | IOT_FAULT_MAJOR | IOT_FAULT_WRITE |
		    IOT_FAULT_SHARED | IOT_FAULT_COUNTED;
	rec.pages = 3;
	rec.name = 7;
	rec.ino = INO;
	rec.dev = DISK;
	rec.index = (1ULL << 32) + 1;
	rec.latency = 12345;
	rec.mntns = 4026530000u; /* not that of /proc, which is not asked */
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
	expect(0, "mapping", "SHARED");
	expect(0, "pages", "3");
	expect(0, "mntns", "4026530000");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_pagefault], 1);
}
END_TEST

static const struct {
	uint32_t flags;
	const char *type, *severity, *latency;
} fault_kinds[] = {
	{ 0, "READ", "", "" },
	{ IOT_FAULT_WRITE, "WRITE", "", "" },
	{ IOT_FAULT_MAJOR, "READ", "", "" }, /* said, but not known */
	{ IOT_FAULT_RESULT, "READ", "MINOR", "9" },
	{ IOT_FAULT_RESULT | IOT_FAULT_MAJOR, "READ", "MAJOR", "9" },
	{ IOT_FAULT_RESULT | IOT_FAULT_WRITE, "WRITE", "MINOR", "9" },
	{ IOT_FAULT_RESULT | IOT_FAULT_MAJOR | IOT_FAULT_WRITE, "WRITE", "MAJOR", "9" },
};

START_TEST(fault_is_of_its_kind)
{
	struct iot_fault rec = record_fault(P, 0);

	rec.flags = IOT_FAULT_FILE | fault_kinds[_i].flags;
	rec.latency = 9;
	feed_fault(&rec);
	feed_end();
	expect(0, "fault_type", fault_kinds[_i].type);
	expect(0, "severity", fault_kinds[_i].severity);
	expect(0, "latency_ns", fault_kinds[_i].latency);
	expect(0, "mapping", "");
	expect(0, "pages", "");
	expect_number(0, "mono_ns", rec.head.ts - (rec.flags & IOT_FAULT_RESULT ? 9 : 0));
	expect(0, "address", "0x0");
	expect(0, "offset", "0");
}
END_TEST

START_TEST(faults_leave_in_the_order_of_their_start)
{
	struct iot_fault inner = record_fault(P, 1), outer = record_fault(P, 2);

	inner.flags = outer.flags = IOT_FAULT_FILE | IOT_FAULT_RESULT;
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
	struct iot_fault rec = record_fault(P, 0);

	rec.flags = IOT_FAULT_FILE;
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
	static struct iot_text text;
	struct iot_fault rec;

	record_text(&text, 7, IOT_TEXT_WALK, "c\0b", 4);
	text.flags = IOT_TEXT_CUT;
	feed(&text, IOT_TEXT_HEAD + 4);
	rec = record_fault(P, 0);
	rec.flags = IOT_FAULT_FILE;
	rec.name = 7;
	feed_fault(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "filename", "");
	ck_assert(!events_names_missing(ev));
}
END_TEST

/* ---- files of mappings ---- */

#define MAPPED 0x40000000ULL

/* Faults of a process that /proc does not know: nobody can tell whether they are of a file. */
static uint64_t unresolved(void)
{
	return ledger_lost(events_ledger(ev), IOT_SEQ_pagefault, LOST_UNRESOLVED);
}

/* Four pages of file a, from its second one on; rows of fs 0 and 1 have left. */
static void setup_mapping(void)
{
	struct iot_more rec;

	feed_setup();
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IOT_MMAP, 3, MAPPED);
	rec.fs.size = 4 * page;
	rec.fs.offset = page;
	rec.fs.flags = 1; /* MAP_SHARED */
	feed_more(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
}

static void feed_address(uint32_t tgid, uint64_t address)
{
	struct iot_fault rec = record_fault(tgid, address);

	feed_fault(&rec);
	feed_end();
}

START_TEST(address_leads_to_its_file)
{
	struct iot_fault rec = record_fault(P, MAPPED + 2 * page + 123);
	char address[32];
	struct stat st;

	fixture_file_stat("a", &st);
	rec.flags = IOT_FAULT_WRITE;
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
	struct iot_more rec = record_more(P, IOT_MMAP, 3, MAPPED);

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
	static struct iot_text text;
	struct iot_more rec;

	record_text(&text, 7, IOT_TEXT_WALK, "c\0b", 4);
	text.flags = IOT_TEXT_CUT;
	feed(&text, IOT_TEXT_HEAD + 4);
	rec = record_more(P, IOT_MMAP, 3, MAPPED);
	rec.fs.size = page;
	rec.fs.offset = 0;
	rec.fs.status = IOT_ST_FILE;
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
	struct iot_more rec = record_more(P, IOT_MUNMAP, -1, 0);

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
	feed_task(IOT_FORK, P, CHILD, 0);
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

#ifdef __x86_64__
static void feed_fetch(uint32_t tgid, uint64_t address)
{
	struct iot_fault rec = record_fault(tgid, address);

	rec.flags = IOT_FAULT_FETCH;
	feed_fault(&rec);
	feed_end();
}

/* The files that it was made of tell what no call and no /proc does: here, of this very program. */
START_TEST(faults_after_an_exec_of_a_process_that_is_gone_are_told_apart)
{
	uint64_t base = getauxval(AT_BASE);
	char self[4096] = "";
	struct iot_task rec;
	unsigned before;

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	feed_anew(&(struct feed_options){ .all_fs = true });
	rec = record_task(GONE, IOT_EXEC, 0);
	rec.name = feed_string(self);
	feed(&rec, sizeof(rec));
	feed_end();
	before = n_seen;
	if (base)
		feed_fetch(GONE, base + ((const Elf64_Ehdr *)base)->e_entry);
	else
		feed_fetch(GONE, getauxval(AT_ENTRY));
	feed_address(GONE, getauxval(AT_PHDR));
	ck_assert_uint_eq(n_seen, before + 2);
	expect(n_seen - 1, "filename", self);
	feed_address(GONE, 0x7fff00000000);
	ck_assert_uint_eq(n_seen, before + 2);
	ck_assert_uint_eq(unresolved(), 0);
	ck_assert_uint_eq(events_totals(ev)->faults, 3);
}
END_TEST
#endif

START_TEST(mappings_are_followed_without_rows_of_fs)
{
	struct iot_more rec;

	feed_anew(&(struct feed_options){ .only = "pagefault" });
	feed_open_file(P, "a", 3, O_RDWR);
	rec = record_more(P, IOT_MMAP, 3, MAPPED);
	rec.fs.size = page;
	rec.fs.offset = 0;
	feed_more(&rec);
	feed_address(P, MAPPED);
	ck_assert_uint_eq(n_seen, 3);
	expect(2, "filename", fixture_file("a"));
	expect(2, "offset", "0");
}
END_TEST

static TCase *faults_case(void)
{
	TCase *tcase = tcase_create("page faults");

	tcase_add_checked_fixture(tcase, feed_setup_kernel, feed_teardown);
	tcase_add_test(tcase, fault_of_the_kernels_file_is_a_row);
	tcase_add_loop_test(tcase, fault_is_of_its_kind, 0, ARRAY_SIZE(fault_kinds));
	tcase_add_test(tcase, faults_leave_in_the_order_of_their_start);
	tcase_add_test(tcase, fault_without_a_name_asks_for_it_again);
	tcase_add_test(tcase, name_without_a_beginning_is_not_shown);
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
#ifdef __x86_64__
	tcase_add_test(tcase, faults_after_an_exec_of_a_process_that_is_gone_are_told_apart);
#endif
	tcase_add_test(tcase, mappings_are_followed_without_rows_of_fs);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events of page faults");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, faults_case());
	suite_add_tcase(suite, addresses_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
