/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ring to records: bytes as a kernel writes them and as none should,
 * through the ring functions. Real rings are check_drain_rings.c's.
 */
#include "trace/drain.h"

#include <check.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4096 };

static _Alignas(8) char data[65536 * 2];
static struct drain_ring ring;
static struct drain_totals totals;
static uint64_t record[DRAIN_RECORD_MAX / 8];

static void ring_make(uint64_t size, uint64_t start)
{
	memset(data, 0xaa, sizeof(data));
	ring = (struct drain_ring){ .data = data, .size = size, .head = start, .tail = start };
	memset(&totals, 0, sizeof(totals));
}

static void setup(void)
{
	ring_make(RING, 0);
}

static void put_raw(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[ring.head++ & (ring.size - 1)] = ((const char *)bytes)[i];
}

static void put_header(uint32_t type, uint16_t size)
{
	struct perf_event_header header = { .type = type, .size = size };

	put_raw(&header, sizeof(header));
}

/* A sample as the kernel sends it: size and padding make a multiple of 8. */
static void put_sample(uint64_t ts, size_t len)
{
	uint32_t size = (len + 4 + 7) / 8 * 8 - 4;

	put_header(PERF_RECORD_SAMPLE, 8 + 4 + size);
	put_raw(&size, 4);
	put_raw(&ts, 8);
	for (size_t i = 8; i < size; i++) {
		char byte = i < len ? (char)(ts + i) : 0;

		put_raw(&byte, 1);
	}
}

static void put_lost(uint64_t n)
{
	uint64_t id = 7;

	put_header(PERF_RECORD_LOST, 24);
	put_raw(&id, 8);
	put_raw(&n, 8);
}

static void expect_sample(uint64_t ts, size_t len)
{
	size_t wrong = 0;

	ck_assert(drain_ring_peek(&ring, &totals));
	ck_assert_uint_eq(ring.ts, ts);
	ck_assert_uint_ge(ring.len, len);
	ck_assert_uint_lt(ring.len, len + 8);
	memset(record, 0x55, sizeof(record));
	drain_ring_take(&ring, record);
	ck_assert_uint_eq(record[0], ts);
	for (size_t i = 8; i < len; i++)
		wrong += ((char *)record)[i] != (char)(ts + i);
	ck_assert_uint_eq(wrong, 0);
}

static void expect_empty(void)
{
	ck_assert(!drain_ring_peek(&ring, &totals));
	ck_assert_uint_eq(ring.tail, ring.head);
}

START_TEST(empty_ring_has_nothing)
{
	expect_empty();
	ck_assert_uint_eq(totals.bad, 0);
}
END_TEST

START_TEST(records_come_in_the_order_they_were_sent)
{
	put_sample(1000, 40);
	put_sample(2000, 128);
	put_sample(3000, 8);
	expect_sample(1000, 40);
	expect_sample(2000, 128);
	expect_sample(3000, 8);
	expect_empty();
	ck_assert_uint_eq(totals.bad, 0);
}
END_TEST

START_TEST(padded_record_keeps_its_padding)
{
	put_sample(1, 128);
	ck_assert(drain_ring_peek(&ring, &totals));
	ck_assert_uint_eq(ring.len, 132);
}
END_TEST

START_TEST(peeking_twice_changes_nothing)
{
	put_sample(1000, 40);
	put_lost(5);
	ck_assert(drain_ring_peek(&ring, &totals));
	ck_assert(drain_ring_peek(&ring, &totals));
	ck_assert_uint_eq(ring.tail, 0);
	expect_sample(1000, 40);
	expect_empty();
	ck_assert_uint_eq(totals.kernel_lost, 5);
}
END_TEST

/* _i: where it starts, in steps of 8, far beyond 32 bits */
START_TEST(record_may_wrap_at_any_place)
{
	ring_make(RING, (1ULL << 40) + RING - _i * 8);
	put_sample(77, 100);
	put_lost(3);
	put_sample(78, 100);
	expect_sample(77, 100);
	expect_sample(78, 100);
	expect_empty();
	ck_assert_uint_eq(totals.kernel_lost, 3);
	ck_assert_uint_eq(totals.bad, 0);
}
END_TEST

START_TEST(lost_records_add_up)
{
	put_lost(3);
	put_sample(1, 40);
	put_lost(1ULL << 33);
	expect_sample(1, 40);
	expect_empty();
	ck_assert_uint_eq(totals.kernel_lost, 3 + (1ULL << 33));
	ck_assert_uint_eq(totals.bad, 0);
}
END_TEST

START_TEST(short_lost_record_is_stepped_over)
{
	put_header(PERF_RECORD_LOST, 8);
	put_sample(1, 40);
	expect_sample(1, 40);
	ck_assert_uint_eq(totals.kernel_lost, 0);
}
END_TEST

START_TEST(unknown_type_is_stepped_over)
{
	uint64_t zero = 0;

	put_header(4711, 16);
	put_raw(&zero, 8);
	put_header(PERF_RECORD_THROTTLE, 16);
	put_raw(&zero, 8);
	put_sample(1, 40);
	expect_sample(1, 40);
	expect_empty();
}
END_TEST

/* _i: how many bytes more than it has the sample claims */
START_TEST(sample_longer_than_its_record_is_bad)
{
	uint32_t size = 20 + 1 + _i * 1000003u;
	uint64_t rest[3] = { 0 };

	put_header(PERF_RECORD_SAMPLE, 32);
	put_raw(&size, 4);
	put_raw(rest, 20);
	put_sample(2, 40);
	expect_sample(2, 40);
	expect_empty();
	ck_assert_uint_eq(totals.bad, 1);
}
END_TEST

/* _i: bytes of payload, too few for a time */
START_TEST(sample_without_a_time_is_bad)
{
	uint32_t size = _i;
	uint64_t rest[2] = { 0 };

	put_header(PERF_RECORD_SAMPLE, 24);
	put_raw(&size, 4);
	put_raw(rest, 12);
	put_header(PERF_RECORD_SAMPLE, 8);
	put_sample(2, 40);
	expect_sample(2, 40);
	ck_assert_uint_eq(totals.bad, 2);
}
END_TEST

START_TEST(longest_record_is_taken_and_a_longer_one_is_bad)
{
	ring_make(65536, 32768);
	put_sample(1, DRAIN_RECORD_MAX - 4); /* 4 more than a multiple of 8, as all sizes are */
	put_sample(2, DRAIN_RECORD_MAX + 4);
	put_sample(3, 40);
	expect_sample(1, DRAIN_RECORD_MAX - 4);
	expect_sample(3, 40);
	expect_empty();
	ck_assert_uint_eq(totals.bad, 1);
}
END_TEST

/* _i: sizes that lead nowhere or beyond the head */
START_TEST(impossible_record_size_empties_the_ring)
{
	static const uint16_t sizes[] = { 0, 1, 7, 4096, 65535, 400 };

	put_header(PERF_RECORD_SAMPLE, sizes[_i]);
	put_sample(1, 40);
	expect_empty();
	ck_assert_uint_eq(totals.bad, 1);
	/* what is sent later is read again */
	put_sample(2, 40);
	expect_sample(2, 40);
}
END_TEST

START_TEST(head_inside_a_header_is_bad)
{
	put_sample(1, 40);
	put_raw("abcd", 4);
	expect_sample(1, 40);
	expect_empty();
	ck_assert_uint_eq(totals.bad, 1);
}
END_TEST

/* A 4 KiB ring, many turns of it, against the list of what was sent. */
START_TEST(small_ring_turns_for_ever)
{
	struct {
		uint64_t ts;
		size_t len;
	} sent[256];
	unsigned first = 0, n = 0, seed = 1;
	uint64_t lost = 0;

	for (uint64_t ts = 1; ts < 50000; ts++) {
		size_t len = 8 + rand_r(&seed) % 300;

		while (n && (ring.head - ring.tail + len + 48 > RING || rand_r(&seed) % 3 == 0)) {
			expect_sample(sent[first % 256].ts, sent[first % 256].len);
			first++;
			n--;
		}
		if (rand_r(&seed) % 50 == 0) {
			put_lost(ts);
			lost += ts;
		}
		put_sample(ts, len);
		sent[(first + n) % 256].ts = ts;
		sent[(first + n++) % 256].len = len;
	}
	for (; n; n--, first++)
		expect_sample(sent[first % 256].ts, sent[first % 256].len);
	expect_empty();
	ck_assert_uint_eq(totals.kernel_lost, lost);
	ck_assert_uint_eq(totals.bad, 0);
}
END_TEST

/* Whatever the bytes, it ends, stays inside and hands on nothing too long. */
START_TEST(random_bytes_are_survived)
{
	unsigned seed = 7;

	for (int round = 0; round < 20000; round++) {
		ring_make(1024, (uint64_t)rand_r(&seed));
		ring.head += rand_r(&seed) % 1025;
		for (int i = 0; i < 1024; i++)
			data[i] = (char)(rand_r(&seed) % 3 ? rand_r(&seed) % 16 : rand_r(&seed));
		while (drain_ring_peek(&ring, &totals)) {
			ck_assert_uint_le(ring.len, DRAIN_RECORD_MAX);
			drain_ring_take(&ring, record);
		}
		ck_assert_uint_eq(ring.tail, ring.head);
	}
}
END_TEST

static TCase *bytes_case(void)
{
	TCase *tcase = tcase_create("bytes");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, empty_ring_has_nothing);
	tcase_add_test(tcase, records_come_in_the_order_they_were_sent);
	tcase_add_test(tcase, padded_record_keeps_its_padding);
	tcase_add_test(tcase, peeking_twice_changes_nothing);
	tcase_add_loop_test(tcase, record_may_wrap_at_any_place, 0, 32);
	tcase_add_test(tcase, lost_records_add_up);
	tcase_add_test(tcase, short_lost_record_is_stepped_over);
	tcase_add_test(tcase, unknown_type_is_stepped_over);
	tcase_add_loop_test(tcase, sample_longer_than_its_record_is_bad, 0, 5);
	tcase_add_loop_test(tcase, sample_without_a_time_is_bad, 0, 8);
	tcase_add_test(tcase, longest_record_is_taken_and_a_longer_one_is_bad);
	tcase_add_loop_test(tcase, impossible_record_size_empties_the_ring, 0, 6);
	tcase_add_test(tcase, head_inside_a_header_is_bad);
	tcase_add_test(tcase, small_ring_turns_for_ever);
	tcase_add_test(tcase, random_bytes_are_survived);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("drain");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, bytes_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
