/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of losses: exact by number, per class and CPU, and told once. */
#include "trace/ledger.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_losses.h"
#include "row/schema.h"

enum { CPUS = 4 };

static struct ledger *ledger;

static void setup(void)
{
	n_told = 0;
	ledger = ledger_open(CPUS, hear_loss, told);
	ck_assert(ledger != NULL);
}

static void teardown(void)
{
	ledger_close(ledger);
}

static void arrive(unsigned class, int cpu, uint32_t seq)
{
	struct iot_head head = { .ts = 1000 + seq, .seq = seq, .class = class };

	ledger_record(ledger, &head, cpu);
}

static uint64_t lost(unsigned class)
{
	return ledger_lost(ledger, class, LOST_RING);
}

START_TEST(unbroken_numbers_lose_nothing)
{
	for (uint32_t i = 1; i <= 1000; i++)
		arrive(IOT_SEQ_fs, 1, i);
	ck_assert_uint_eq(n_told, 0);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
}
END_TEST

START_TEST(gap_is_a_loss_placed_at_the_record_after_it)
{
	arrive(IOT_SEQ_fs, 2, 1);
	arrive(IOT_SEQ_fs, 2, 5);
	arrive(IOT_SEQ_fs, 2, 6);
	ck_assert_uint_eq(n_told, 1);
	expect_told(0, IOT_SEQ_fs, LOST_RING, 2, 3, 1005);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 3);
}
END_TEST

START_TEST(first_records_may_be_the_lost_ones)
{
	arrive(IOT_SEQ_ds, 0, 11);
	expect_told(0, IOT_SEQ_ds, LOST_RING, 0, 10, 1011);
}
END_TEST

START_TEST(cpus_and_classes_count_apart)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		arrive(IOT_SEQ_fs, cpu, 1);
		arrive(IOT_SEQ_ds, cpu, 1);
		arrive(IOT_SEQ_STATE, cpu, 1);
	}
	arrive(IOT_SEQ_STATE, 3, 3);
	ck_assert_uint_eq(n_told, 1);
	expect_told(0, IOT_SEQ_STATE, LOST_RING, 3, 1, 1003);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
	ck_assert_uint_eq(lost(IOT_SEQ_STATE), 1);
}
END_TEST

/* Brings the account of (FS, 0) to a number without a hundred million records. */
static void jump_to(uint32_t seq)
{
	arrive(IOT_SEQ_fs, 0, 0x7fffffff);
	arrive(IOT_SEQ_fs, 0, seq);
}

START_TEST(numbers_run_over_32_bits)
{
	uint64_t before;

	jump_to(0xfffffffe);
	before = lost(IOT_SEQ_fs);
	arrive(IOT_SEQ_fs, 0, 0xffffffff);
	arrive(IOT_SEQ_fs, 0, 0);
	arrive(IOT_SEQ_fs, 0, 1);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), before);
	arrive(IOT_SEQ_fs, 0, 4);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), before + 2);
}
END_TEST

START_TEST(gap_over_32_bits_is_counted)
{
	uint64_t before;

	jump_to(0xfffffff0);
	before = lost(IOT_SEQ_fs);
	arrive(IOT_SEQ_fs, 0, 0x10);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), before + 31);
}
END_TEST

START_TEST(overtaken_record_is_no_loss)
{
	arrive(IOT_SEQ_fs, 0, 1);
	arrive(IOT_SEQ_fs, 0, 3);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 1);
	arrive(IOT_SEQ_fs, 0, 2);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
	arrive(IOT_SEQ_fs, 0, 4);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
	ledger_settle(ledger, IOT_SEQ_fs, 0, 4, 9);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
}
END_TEST

START_TEST(settling_counts_what_never_arrived)
{
	arrive(IOT_SEQ_fs, 0, 1);
	arrive(IOT_SEQ_fs, 0, 4);
	ledger_settle(ledger, IOT_SEQ_fs, 0, 10, 77);
	expect_told(1, IOT_SEQ_fs, LOST_RING, 0, 6, 77);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 8);
	ledger_settle(ledger, IOT_SEQ_fs, 0, 10, 78); /* once is enough */
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 8);
	ck_assert_uint_eq(n_told, 2);
}
END_TEST

START_TEST(settling_a_cpu_that_was_silent)
{
	ledger_settle(ledger, IOT_SEQ_ds, 3, 12, 1);
	expect_told(0, IOT_SEQ_ds, LOST_RING, 3, 12, 1);
	ledger_settle(ledger, IOT_SEQ_ds, 2, 0, 1);
	ck_assert_uint_eq(n_told, 1);
}
END_TEST

/* Attempts = received + lost, whatever is dropped on the way. */
START_TEST(random_drops_add_up)
{
	uint32_t seq[CPUS] = { 0 };
	uint64_t dropped = 0;
	unsigned seed = 21;

	for (int i = 0; i < 100000; i++) {
		int cpu = rand_r(&seed) % CPUS;

		seq[cpu]++;
		if (rand_r(&seed) % 10)
			arrive(IOT_SEQ_exec, cpu, seq[cpu]);
		else
			dropped++;
		n_told = 0;
	}
	for (int cpu = 0; cpu < CPUS; cpu++)
		ledger_settle(ledger, IOT_SEQ_exec, cpu, seq[cpu], 1);
	ck_assert_uint_eq(lost(IOT_SEQ_exec), dropped);
}
END_TEST

START_TEST(growth_of_a_total_is_told)
{
	ledger_missed(ledger, IOT_SEQ_fs, LOST_NO_RETURN, 1, 0, 1);
	ck_assert_uint_eq(n_told, 0);
	ledger_missed(ledger, IOT_SEQ_fs, LOST_NO_RETURN, 1, 5, 2);
	ledger_missed(ledger, IOT_SEQ_fs, LOST_NO_RETURN, 1, 5, 3);
	ledger_missed(ledger, IOT_SEQ_fs, LOST_NO_RETURN, 1, 7, 4);
	ck_assert_uint_eq(n_told, 2);
	expect_told(0, IOT_SEQ_fs, LOST_NO_RETURN, 1, 5, 2);
	expect_told(1, IOT_SEQ_fs, LOST_NO_RETURN, 1, 2, 4);
	ck_assert_uint_eq(ledger_lost(ledger, IOT_SEQ_fs, LOST_NO_RETURN), 7);
	ck_assert_uint_eq(lost(IOT_SEQ_fs), 0);
}
END_TEST

START_TEST(totals_of_cpus_and_of_none_are_apart)
{
	for (int cpu = -1; cpu < CPUS; cpu++)
		for (int reason = LOST_NO_ENTRY; reason < N_LOST_REASONS; reason++)
			ledger_missed(ledger, IOT_SEQ_STATE, reason, cpu, 3, 1);
	for (int reason = LOST_NO_ENTRY; reason < N_LOST_REASONS; reason++)
		ck_assert_uint_eq(ledger_lost(ledger, IOT_SEQ_STATE, reason), 3 * (CPUS + 1));
}
END_TEST

START_TEST(total_that_cannot_be_read_for_once_is_not_counted_again)
{
	ledger_missed(ledger, IOT_SEQ_fs, LOST_PROBE, -1, 100, 1);
	ledger_missed(ledger, IOT_SEQ_fs, LOST_PROBE, -1, 0, 2);
	ledger_missed(ledger, IOT_SEQ_fs, LOST_PROBE, -1, 101, 3);
	ck_assert_uint_eq(ledger_lost(ledger, IOT_SEQ_fs, LOST_PROBE), 101);
}
END_TEST

/* What a sample leaves out never had a number: it is told, and no gap. */
START_TEST(sample_is_told_apart_from_losses)
{
	arrive(IOT_SEQ_cache, 1, 1);
	ledger_missed(ledger, IOT_SEQ_cache, LOST_SAMPLED, 1, 700, 5);
	arrive(IOT_SEQ_cache, 1, 2);
	ledger_missed(ledger, IOT_SEQ_cache, LOST_SAMPLED, 1, 1000, 6);
	ledger_missed(ledger, IOT_SEQ_cache, LOST_SAMPLED, 2, 10, 6);
	ledger_settle(ledger, IOT_SEQ_cache, 1, 2, 7);
	ck_assert_uint_eq(n_told, 3);
	expect_told(0, IOT_SEQ_cache, LOST_SAMPLED, 1, 700, 5);
	expect_told(1, IOT_SEQ_cache, LOST_SAMPLED, 1, 300, 6);
	expect_told(2, IOT_SEQ_cache, LOST_SAMPLED, 2, 10, 6);
	ck_assert_uint_eq(ledger_lost(ledger, IOT_SEQ_cache, LOST_SAMPLED), 1010);
	ck_assert_uint_eq(lost(IOT_SEQ_cache), 0);
	ck_assert_uint_eq(ledger_lost(ledger, IOT_SEQ_pagefault, LOST_SAMPLED), 0);
}
END_TEST

START_TEST(records_of_no_class_or_cpu_are_ignored)
{
	arrive(IOT_N_SEQ, 0, 5);
	arrive(255, 0, 5);
	arrive(IOT_SEQ_fs, -1, 5);
	arrive(IOT_SEQ_fs, CPUS, 5);
	ck_assert_uint_eq(n_told, 0);
}
END_TEST

START_TEST(names_are_those_of_the_contract)
{
	static const char *const reasons[] = {
		"ring",         "no-entry",   "no-return", "table-full", "scratch",   "skipped",
		"probe-missed", "unresolved", "sampled",   "budget",     "disk-full", "disk-error"
	};

	for (int i = 0; i < N_LOST_REASONS; i++)
		ck_assert_str_eq(ledger_reason_name(i), reasons[i]);
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_fs), "fs");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_ds), "ds");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_exec), "exec");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_lost), "lost");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_cache), "cache");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_pagefault), "pagefault");
	ck_assert_str_eq(ledger_class_name(IOT_SEQ_STATE), "state");
}
END_TEST

START_TEST(every_reason_is_in_the_schema)
{
	const struct stream *s = &streams[STREAM_lost];
	unsigned c = 0;

	while (c < s->n_columns && strcmp(s->columns[c].name, "reason"))
		c++;
	ck_assert_uint_lt(c, s->n_columns);
	for (int i = 0; i < N_LOST_REASONS; i++)
		ck_assert_msg(strstr(s->columns[c].doc, ledger_reason_name(i)) != NULL, "%s",
			      ledger_reason_name(i));
}
END_TEST

static Suite *ledger_suite(void)
{
	Suite *suite = suite_create("ledger");
	TCase *tcase = tcase_create("ledger");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, unbroken_numbers_lose_nothing);
	tcase_add_test(tcase, gap_is_a_loss_placed_at_the_record_after_it);
	tcase_add_test(tcase, first_records_may_be_the_lost_ones);
	tcase_add_test(tcase, cpus_and_classes_count_apart);
	tcase_add_test(tcase, numbers_run_over_32_bits);
	tcase_add_test(tcase, gap_over_32_bits_is_counted);
	tcase_add_test(tcase, overtaken_record_is_no_loss);
	tcase_add_test(tcase, settling_counts_what_never_arrived);
	tcase_add_test(tcase, settling_a_cpu_that_was_silent);
	tcase_add_test(tcase, random_drops_add_up);
	tcase_add_test(tcase, growth_of_a_total_is_told);
	tcase_add_test(tcase, totals_of_cpus_and_of_none_are_apart);
	tcase_add_test(tcase, total_that_cannot_be_read_for_once_is_not_counted_again);
	tcase_add_test(tcase, sample_is_told_apart_from_losses);
	tcase_add_test(tcase, records_of_no_class_or_cpu_are_ignored);
	tcase_add_test(tcase, names_are_those_of_the_contract);
	tcase_add_test(tcase, every_reason_is_in_the_schema);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(ledger_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
