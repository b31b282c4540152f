/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of the kernel to records in order, filled by a small program that sends
 * what it is given, a ring per CPU; ends with 77 when this process may not load
 * it.
 */
#include "base/clock.h"
#include "trace/drain.h"

#include <check.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"

enum { SKIP = 77 };

static int map_fd = -1, prog_fd = -1;
static struct drain *drain;
static struct {
	uint64_t ts;
	uint64_t mark;
	int cpu;
	size_t len;
} got[100000];
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

/* clang-format off */
#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
/* clang-format on */
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
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
	};

	return bpf_prog_load_fd(BPF_PROG_TYPE_SCHED_CLS, NULL, insns,
				sizeof(insns) / sizeof(insns[0]), 0, NULL, 0);
}

static bool rings_possible(void)
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
		.test = { .prog_fd = prog_fd,
			  .data_in = (uintptr_t)packet,
			  .data_size_in = sizeof(packet),
			  .repeat = repeat },
	};

	run_on(cpu);
	ck_assert_int_ge(sys_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr)), 0);
}

static void setup(void)
{
	n_got = 0;
	drain = drain_open(map_fd, 1);
	ck_assert(drain != NULL);
}

static void teardown(void)
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

START_TEST(youngest_records_wait_until_the_end)
{
	send_some(0, mono_ns() - 1000000000, 1, 1);
	send_some(0, mono_ns() + 3600000000000, 2, 1);
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
	uint64_t start = mono_ns();

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	drain_wait(drain, ends[0], 20000);
	ck_assert_uint_lt(mono_ns() - start, 10000000000ULL);
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

static TCase *rings_case(void)
{
	TCase *tcase = tcase_create("rings");

	tcase_add_checked_fixture(tcase, setup, teardown);
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
	Suite *suite = suite_create("drain_rings");
	SRunner *runner;
	int n_failed;

	if (!rings_possible()) {
		printf("drain_rings: skipped: needs root, bpf(2) and perf_event_open(2)\n");
		return SKIP;
	}
	suite_add_tcase(suite, rings_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
