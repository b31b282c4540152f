/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings to records: bytes as a kernel writes them and as none should, through
 * the ring functions; and real rings, filled by a small program that sends
 * what it is given, when privileged (else the suite ends with 77 after the
 * others have passed).
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "drain.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys.h"

enum { SKIP = 77, RING = 4096, SAMPLE_HEADER = 12 };

/* ---- bytes ---- */

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
	struct { uint64_t ts; size_t len; } sent[256];
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

/* ---- real rings ---- */

static int map_fd = -1, prog_fd = -1;
static struct drain *drain;
static struct { uint64_t ts; uint64_t mark; int cpu; size_t len; } got[100000];
static unsigned n_got;

static void collect(void *arg, const void *rec, size_t len, int cpu)
{
	ck_assert_ptr_eq(arg, got);
	ck_assert(((uintptr_t)rec & 7) == 0);
	if (n_got < sizeof(got) / sizeof(got[0])) {
		got[n_got].ts = ((const uint64_t *)rec)[0];
		got[n_got].mark = ((const uint64_t *)rec)[1];
		got[n_got].cpu = cpu;
		got[n_got].len = len;
	}
	n_got++;
}

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define BPF_MAP_FD_LOAD 1

/* Sends the first 64 bytes of its packet to the ring of the CPU that runs it. */
static int sender_load(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, -64),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 64),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_load_bytes),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_MAP_FD_LOAD, 0, map_fd),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU | BPF_MOV | BPF_K, 3, 0, 0, -1), /* BPF_F_CURRENT_CPU */
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 4, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, -64),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 5, 0, 0, 64),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_perf_event_output),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf_prog_load_fd(BPF_PROG_TYPE_SCHED_CLS, NULL, insns,
				sizeof(insns) / sizeof(insns[0]), 0, NULL, 0);
}

static bool real_possible(void)
{
	int possible = cpus_possible();

	if (geteuid() || possible <= 0)
		return false;
	memlock_raise();
	map_fd = bpf_map_create_fd(BPF_MAP_TYPE_PERF_EVENT_ARRAY, NULL, 4, 4, possible, 0);
	if (map_fd < 0)
		return false;
	prog_fd = sender_load();
	return prog_fd >= 0;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* mark stands behind the time, repeat times the same */
static void send_some(int cpu, uint64_t ts, uint64_t mark, unsigned repeat)
{
	uint64_t packet[8] = { ts, mark };
	union bpf_attr attr = {
		.test = { .prog_fd = prog_fd, .data_in = (uintptr_t)packet,
			  .data_size_in = sizeof(packet), .repeat = repeat },
	};

	run_on(cpu);
	ck_assert_int_ge(sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr)), 0);
}

static void setup_real(void)
{
	n_got = 0;
	drain = drain_open(map_fd, 1);
	ck_assert(drain != NULL);
}

static void teardown_real(void)
{
	drain_close(drain);
}

START_TEST(rings_are_merged_by_time)
{
	int other = sysconf(_SC_NPROCESSORS_ONLN) > 1;

	for (uint64_t i = 0; i < 20; i++)
		send_some(i % 2 ? other : 0, 1000 + (i ^ 3), i, 1);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(n_got, 20);
	/* within a CPU the order of sending stays, even where times go back */
	for (unsigned i = 1; i < n_got; i++) {
		ck_assert_uint_eq(got[i].len, 68);
		ck_assert_uint_ge(got[i].ts + 3, got[i - 1].ts);
	}
	ck_assert_uint_eq(drain_totals(drain)->records, 20);
	ck_assert_uint_eq(drain_totals(drain)->bad, 0);
}
END_TEST

START_TEST(increasing_times_come_out_sorted)
{
	int other = sysconf(_SC_NPROCESSORS_ONLN) > 1;

	for (uint64_t i = 0; i < 15; i++)
		send_some(0, 1000 + i * 3, i, 1);
	for (uint64_t i = 0; i < 15; i++)
		send_some(other, 5000 + i * 2, i, 1);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(n_got, 30);
	for (unsigned i = 1; i < n_got; i++)
		ck_assert_uint_ge(got[i].ts, got[i - 1].ts);
	ck_assert_uint_eq(drain_totals(drain)->late, 0);
	ck_assert_int_eq(got[0].cpu, 0);
	ck_assert_int_eq(got[29].cpu, other);
}
END_TEST

START_TEST(record_older_than_one_handed_on_is_late)
{
	send_some(0, 5000, 1, 1);
	drain_run(drain, true, collect, got);
	send_some(0, 4000, 2, 1);
	send_some(0, 6000, 3, 1);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(n_got, 3);
	ck_assert_uint_eq(drain_totals(drain)->late, 1);
}
END_TEST

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

START_TEST(youngest_records_wait_until_the_end)
{
	send_some(0, now_ns() - 1000000000, 1, 1);
	send_some(0, now_ns() + 3600000000000, 2, 1);
	drain_run(drain, false, collect, got);
	ck_assert_uint_eq(n_got, 1);
	drain_run(drain, false, collect, got);
	ck_assert_uint_eq(n_got, 1);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(n_got, 2);
	ck_assert_uint_eq(got[1].mark, 2);
}
END_TEST

/* 4 KiB hold 51 records of 80 bytes, less what the kernel keeps free */
START_TEST(overflow_of_a_page_is_counted_and_the_rest_is_read)
{
	send_some(0, 1000, 1, 1000);
	drain_run(drain, true, collect, got);
	ck_assert_uint_gt(n_got, 40);
	ck_assert_uint_lt(n_got, 52);
	/* a kernel tells of it with the next record that fits; some never do */
	send_some(0, 2000, 2, 1);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(got[n_got - 1].mark, 2);
	if (drain_totals(drain)->kernel_lost)
		ck_assert_uint_eq(drain_totals(drain)->kernel_lost + n_got, 1001);
	ck_assert_uint_eq(drain_totals(drain)->bad, 0);
}
END_TEST

START_TEST(many_turns_of_a_page_lose_nothing)
{
	for (unsigned i = 0; i < 500; i++) {
		send_some(i & (sysconf(_SC_NPROCESSORS_ONLN) > 1), 1000 + i, i, 40);
		drain_run(drain, true, collect, got);
	}
	ck_assert_uint_eq(n_got, 20000);
	for (unsigned i = 0; i < n_got; i += 40) {
		ck_assert_uint_eq(got[i].mark, i / 40);
		ck_assert_uint_eq(got[i + 39].mark, i / 40);
	}
	ck_assert_uint_eq(drain_totals(drain)->kernel_lost, 0);
}
END_TEST

START_TEST(watermark_wakes_and_single_records_do_not)
{
	send_some(0, 1000, 1, 1);
	drain_wait(drain, -1, 0);
	ck_assert_uint_eq(drain_totals(drain)->wakeups, 0);
	send_some(0, 1000, 1, 40);
	drain_wait(drain, -1, 1000);
	ck_assert_uint_eq(drain_totals(drain)->wakeups, 1);
}
END_TEST

START_TEST(extra_descriptor_wakes_without_being_counted)
{
	int ends[2];
	uint64_t start = now_ns();

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	drain_wait(drain, ends[0], 20000);
	ck_assert_uint_lt(now_ns() - start, 10000000000ULL);
	ck_assert_uint_eq(drain_totals(drain)->wakeups, 0);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

START_TEST(looking_for_cpus_keeps_what_waits)
{
	send_some(0, 1000, 1, 3);
	drain_check_cpus(drain);
	drain_run(drain, true, collect, got);
	ck_assert_uint_eq(n_got, 3);
}
END_TEST

START_TEST(pages_that_are_no_power_of_two_are_refused)
{
	ck_assert(drain_open(map_fd, 3) == NULL);
}
END_TEST

START_TEST(map_that_is_none_is_refused)
{
	int fd = open("/dev/null", O_RDONLY);

	ck_assert(drain_open(fd, 1) == NULL);
	close(fd);
}
END_TEST

START_TEST(closing_gives_back_every_descriptor)
{
	int before = dup(0), after;

	close(before);
	for (int i = 0; i < 3; i++)
		drain_close(drain_open(map_fd, 2));
	after = dup(0);
	close(after);
	ck_assert_int_eq(before, after);
	drain_close(NULL);
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

static TCase *real_case(void)
{
	TCase *tcase = tcase_create("real");

	tcase_add_checked_fixture(tcase, setup_real, teardown_real);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, rings_are_merged_by_time);
	tcase_add_test(tcase, increasing_times_come_out_sorted);
	tcase_add_test(tcase, record_older_than_one_handed_on_is_late);
	tcase_add_test(tcase, youngest_records_wait_until_the_end);
	tcase_add_test(tcase, overflow_of_a_page_is_counted_and_the_rest_is_read);
	tcase_add_test(tcase, many_turns_of_a_page_lose_nothing);
	tcase_add_test(tcase, watermark_wakes_and_single_records_do_not);
	tcase_add_test(tcase, extra_descriptor_wakes_without_being_counted);
	tcase_add_test(tcase, looking_for_cpus_keeps_what_waits);
	tcase_add_test(tcase, pages_that_are_no_power_of_two_are_refused);
	tcase_add_test(tcase, map_that_is_none_is_refused);
	tcase_add_test(tcase, closing_gives_back_every_descriptor);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("drain");
	bool real = real_possible();
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, bytes_case());
	if (real)
		suite_add_tcase(suite, real_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (!real)
		printf("drain: real rings skipped: they need root, bpf(2) and perf_event_open(2)\n");
	return n_failed ? EXIT_FAILURE : real ? EXIT_SUCCESS : SKIP;
}
