/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream layers: counts of the kernel to what was added, and that to rows, written and read back. */
#include "events/layers.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_read.h"
#include "trace/trace_counts.h"

static struct iot_count count_of(uint64_t n, const char *comm)
{
	struct iot_count count = { .count = n, .bytes = 100 * n, .errors = n / 2, .ns = 7 * n };

	memcpy(count.comm, comm, strlen(comm) + 1);
	return count;
}

static const struct iot_count_key reads = { .tgid = P,
					    .layer = IOT_COUNT_ASKED,
					    .op = IOT_COUNT_READ };

/* ---- what was added ---- */

static struct trace_counts *counts;
static unsigned n_told;
static struct {
	struct iot_count_key key;
	struct iot_count added;
	uint64_t ts;
} told[8];

static void keep(void *arg, const struct iot_count_key *key, const struct iot_count *added,
		 uint64_t ts)
{
	ck_assert_ptr_eq(arg, &n_told);
	ck_assert_uint_lt(n_told, ARRAY_SIZE(told));
	told[n_told].key = *key;
	told[n_told].added = *added;
	told[n_told++].ts = ts;
}

static void turn(uint64_t ts)
{
	n_told = 0;
	trace_counts_turn(counts, ts, false, keep, &n_told);
}

static void add(struct iot_count_key key, uint8_t share, uint64_t n, const char *comm)
{
	const struct iot_count now = count_of(n, comm);

	key.share = share;
	ck_assert(trace_counts_add(counts, &key, &now));
}

static void setup(void)
{
	counts = trace_counts_open();
	ck_assert_ptr_nonnull(counts);
}

static void teardown(void)
{
	trace_counts_close(counts);
}

START_TEST(shares_of_a_count_are_one)
{
	add(reads, 0, 4, "first");
	add(reads, 7, 6, "second");
	turn(5000);
	ck_assert_uint_eq(n_told, 1);
	ck_assert_uint_eq(told[0].ts, 5000);
	ck_assert_uint_eq(told[0].key.tgid, P);
	ck_assert_uint_eq(told[0].key.share, 0);
	ck_assert_uint_eq(told[0].added.count, 10);
	ck_assert_uint_eq(told[0].added.bytes, 1000);
	ck_assert_uint_eq(told[0].added.errors, 5);
	ck_assert_uint_eq(told[0].added.ns, 70);
	ck_assert_str_eq((char *)told[0].added.comm, "second");
}
END_TEST

START_TEST(what_was_told_is_not_told_again)
{
	add(reads, 0, 10, "prog");
	turn(1);
	add(reads, 0, 10, "prog");
	turn(2);
	ck_assert_uint_eq(n_told, 0);
	add(reads, 0, 10, "prog");
	add(reads, 1, 4, "prog");
	turn(3);
	ck_assert_uint_eq(n_told, 1);
	ck_assert_uint_eq(told[0].added.count, 4);
	ck_assert_uint_eq(told[0].added.bytes, 400);
	ck_assert_uint_eq(told[0].added.errors, 2);
}
END_TEST

/* A program adds to an entry one number after the other, and a look may come between them. */
static void add_half_done(uint64_t n, uint64_t more_bytes)
{
	struct iot_count now = count_of(n, "prog");

	now.bytes += more_bytes;
	ck_assert(trace_counts_add(counts, &reads, &now));
}

START_TEST(what_was_not_whole_when_looked_at_is_told_whole_later)
{
	add(reads, 0, 10, "prog");
	turn(1);
	add_half_done(10, 4096);
	turn(2);
	ck_assert_uint_eq(n_told, 0);
	add_half_done(11, 4096);
	turn(3);
	ck_assert_uint_eq(n_told, 1);
	ck_assert_uint_eq(told[0].added.count, 1);
	ck_assert_uint_eq(told[0].added.bytes, 100 + 4096);
}
END_TEST

START_TEST(the_last_look_leaves_nothing)
{
	add(reads, 0, 10, "prog");
	turn(1);
	add_half_done(10, 4096);
	n_told = 0;
	trace_counts_turn(counts, 2, true, keep, &n_told);
	ck_assert_uint_eq(n_told, 1);
	ck_assert_uint_eq(told[0].added.count, 0);
	ck_assert_uint_eq(told[0].added.bytes, 4096);
}
END_TEST

START_TEST(what_differs_in_any_part_of_the_key_is_another_count)
{
	struct iot_count_key other[] = { reads, reads, reads, reads, reads, reads };

	other[1].tgid++;
	other[2].layer = IOT_COUNT_OWN;
	other[3].op = IOT_COUNT_WRITE;
	other[4].class = IOT_COUNT_SWAP;
	other[5].dev = DISK;
	for (int i = 0; i < ARRAY_SIZE(other); i++)
		add(other[i], 0, i + 1, "prog");
	turn(1);
	ck_assert_uint_eq(n_told, ARRAY_SIZE(other));
}
END_TEST

static void sum_up(void *arg, const struct iot_count_key *key, const struct iot_count *added,
		   uint64_t ts)
{
	uint64_t *sum = arg;

	(void)ts;
	ck_assert_uint_eq(added->count, key->tgid);
	sum[0]++;
	sum[1] += added->count;
}

START_TEST(thousands_of_processes_are_told_once_each)
{
	uint64_t sum[2] = { 0, 0 }, again[2] = { 0, 0 };
	struct iot_count_key key = reads;

	for (int look = 0; look < 2; look++) {
		for (key.tgid = 1; key.tgid <= 5000; key.tgid++)
			add(key, 0, key.tgid, "prog");
		trace_counts_turn(counts, 1, false, sum_up, look ? again : sum);
	}
	ck_assert_uint_eq(sum[0], 5000);
	ck_assert_uint_eq(sum[1], 5000 * 5001 / 2);
	ck_assert_uint_eq(again[0], 0);
}
END_TEST

START_TEST(without_counts_nothing_is_read)
{
	trace_counts_read(NULL, NULL, 1, true, keep, NULL);
	trace_counts_close(NULL);
}
END_TEST

/* ---- to rows ---- */

static void counted(const struct iot_count_key *key, uint64_t n)
{
	const struct iot_count added = count_of(n, "prog");

	events_counted(ev, key, &added, 123000);
}

static void turn_ends(void)
{
	events_counts_end(ev);
	feed_end();
}

static void feed_count(const struct iot_count_key *key, uint64_t n)
{
	counted(key, n);
	turn_ends();
}

START_TEST(calls_are_rows)
{
	feed_count(&reads, 10);
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_layers);
	row_number("pid", P);
	row("command", "prog");
	row("layer", "SYSCALL");
	row("operation", "READ");
	row("class", "");
	row("count", "10");
	row("bytes", "1000");
	row("errors", "5");
	row("latency_ns", "70");
	row("mono_ns", "123000");
}
END_TEST

START_TEST(copy_reads_and_writes)
{
	struct iot_count_key copy = reads;

	copy.op = IOT_COUNT_COPY;
	feed_count(&copy, 3);
	ck_assert_uint_eq(n_seen, 2);
	expect(0, "operation", "READ");
	expect(1, "operation", "WRITE");
}
END_TEST

/* What the kernel tells apart and rows do not: XFS' log and other metadata of a disk with something else, two partitions */
START_TEST(counts_of_the_same_words_are_one_row)
{
	struct iot_count_key keys[] = {
		{ .tgid = P,
		  .layer = IOT_COUNT_REQUEST,
		  .op = IOT_COUNT_WRITE,
		  .class = IOT_COUNT_BLOCKS,
		  .dev = DEV(77, 0) },
		{ .tgid = P,
		  .layer = IOT_COUNT_REQUEST,
		  .op = IOT_COUNT_WRITE,
		  .class = IOT_COUNT_LOG,
		  .dev = DEV(77, 0) },
		{ .tgid = P,
		  .layer = IOT_COUNT_REQUEST,
		  .op = IOT_COUNT_READ,
		  .class = IOT_COUNT_DATA },
		reads,
		{ .tgid = P,
		  .layer = IOT_COUNT_REQUEST,
		  .op = IOT_COUNT_WRITE,
		  .class = IOT_COUNT_DATA },
		{ .tgid = P + 1,
		  .layer = IOT_COUNT_REQUEST,
		  .op = IOT_COUNT_WRITE,
		  .class = IOT_COUNT_DATA },
		{ .tgid = P, .layer = IOT_COUNT_ASKED, .op = IOT_COUNT_COPY },
	};

	for (int i = 0; i < ARRAY_SIZE(keys); i++)
		counted(&keys[i], 1 << i);
	turn_ends();
	ck_assert_uint_eq(n_seen, 5);
	expect(0, "class", "data");
	expect(0, "operation", "READ");
	expect(0, "count", "4");
	expect(1, "operation", "WRITE");
	expect(1, "count", "19");
	expect(1, "bytes", "1900");
	expect(1, "latency_ns", "133");
	expect(2, "layer", "SYSCALL");
	expect(2, "operation", "READ");
	expect(2, "count", "72");
	expect(3, "operation", "WRITE");
	expect(3, "count", "64");
	expect(4, "count", "32");
}
END_TEST

/* Only where what reaches file systems is seen, it is told. */
START_TEST(what_the_kernel_does_itself_is_no_call)
{
	struct iot_count_key own = reads;

	own.layer = IOT_COUNT_OWN;
	feed_count(&own, 3);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

static const struct {
	uint8_t class;
	const char *word;
} classes[] = {
	{ IOT_COUNT_DATA, "data" },
	{ IOT_COUNT_METADATA, "metadata" },
	{ IOT_COUNT_JOURNAL, "journal" },
	{ IOT_COUNT_SWAP, "swap" },
	{ IOT_COUNT_OTHER, "other" },
	{ IOT_COUNT_LOOP, "loop" },
	{ 0, "other" },
	{ 200, "other" },
	/* a device that nothing is mounted from */
	{ IOT_COUNT_BLOCKS, "data" },
	{ IOT_COUNT_LOG, "data" },
};

START_TEST(requests_have_a_class)
{
	const struct iot_count_key key = { .tgid = 0,
					   .dev = DEV(77, 0),
					   .layer = IOT_COUNT_REQUEST,
					   .op = IOT_COUNT_WRITE,
					   .class = classes[_i].class };

	feed_count(&key, 1);
	ck_assert_uint_eq(n_seen, 1);
	row("layer", "BLOCK");
	row("operation", "WRITE");
	row("class", classes[_i].word);
	row("pid", "");
}
END_TEST

START_TEST(what_makes_no_sense_is_no_row)
{
	struct iot_count_key key = reads;

	key.op = 0;
	feed_count(&key, 1);
	key.op = 99;
	feed_count(&key, 1);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(row_is_read_back)
{
	struct layers_row row = {
		.when = when,
		.pid = UINT32_MAX,
		.layer = "BLOCK",
		.operation = "WRITE",
		.class = "journal",
		.added = { .count = BIG, .bytes = BIG, .errors = 0, .ns = BIG },
	};

	memcpy(row.comm, hostile_comm, sizeof(hostile_comm));
	CHECK_ROW(layers, &row, TIMES, N(pid, UINT32_MAX), T(command, SHOWN_COMM),
		  T(layer, "BLOCK"), T(operation, "WRITE"), T(class, "journal"), N(count, BIG),
		  N(bytes, BIG), N(errors, 0), N(latency_ns, BIG));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layers");
	TCase *sums = tcase_create("sums"), *fed = tcase_create("fed"),
	      *back = tcase_create("read back");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(sums, setup, teardown);
	tcase_add_test(sums, shares_of_a_count_are_one);
	tcase_add_test(sums, what_was_told_is_not_told_again);
	tcase_add_test(sums, what_was_not_whole_when_looked_at_is_told_whole_later);
	tcase_add_test(sums, the_last_look_leaves_nothing);
	tcase_add_test(sums, what_differs_in_any_part_of_the_key_is_another_count);
	tcase_add_test(sums, thousands_of_processes_are_told_once_each);
	tcase_add_test(sums, without_counts_nothing_is_read);
	suite_add_tcase(suite, sums);
	tcase_add_checked_fixture(fed, feed_setup_kernel, feed_teardown);
	tcase_add_test(fed, calls_are_rows);
	tcase_add_test(fed, copy_reads_and_writes);
	tcase_add_test(fed, counts_of_the_same_words_are_one_row);
	tcase_add_test(fed, what_the_kernel_does_itself_is_no_call);
	tcase_add_loop_test(fed, requests_have_a_class, 0, ARRAY_SIZE(classes));
	tcase_add_test(fed, what_makes_no_sense_is_no_row);
	suite_add_tcase(suite, fed);
	tcase_add_checked_fixture(back, fixture_read_setup, fixture_read_teardown);
	tcase_add_test(back, row_is_read_back);
	suite_add_tcase(suite, back);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
