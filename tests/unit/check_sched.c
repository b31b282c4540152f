/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream sched: records to rows, and rows written and read back. */
#include "events/sched.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_read.h"
#include "fixture/fixture_record.h"

/* ---- from the ring ---- */

static struct iot_run run_of(uint32_t tgid, uint32_t state)
{
	struct iot_run rec = {
		.head = record_fs(tgid, IOT_READ, -1, 0).head,
		.run = 500,
		.sleep = 40000,
		.delay = 3000,
		.waker_comm = "waker",
		.waker = 77,
		.cpu = 3,
		.state = state,
		.priority = 120,
		.known = IOT_RUN_TIME | IOT_RUN_SLEEP | IOT_RUN_DELAY,
	};

	rec.head.type = IOT_REC_RUN;
	rec.head.class = IOT_SEQ_sched;
	return rec;
}

START_TEST(stay_on_a_cpu_is_a_row)
{
	struct iot_run rec = run_of(P, 1);

	rec.head.tid = P + 1;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_sched);
	ck_assert(seen[0].key == rec.head.ts - 500);
	row_number("mono_ns", rec.head.ts - 500);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "prog");
	row("cpu", "3");
	row("priority", "120");
	row("run_ns", "500");
	row("state", "S");
	row("sleep_ns", "40000");
	row("delay_ns", "3000");
	row("waker_tid", "77");
	row("waker_command", "waker");
	ck_assert_uint_eq(events_totals(ev)->rows[STREAM_sched], 1);
}
END_TEST

/* It ran already when tracing began: only that it left is known, and when. */
START_TEST(stay_without_a_beginning_is_told_at_its_end)
{
	struct iot_run rec = run_of(P, 0x100);

	rec.known = 0;
	rec.run = rec.sleep = rec.delay = rec.waker = 0;
	memset(rec.waker_comm, 0, sizeof(rec.waker_comm));
	feed(&rec, sizeof(rec));
	feed_end();
	row_number("mono_ns", rec.head.ts);
	row("state", "R+");
	row("run_ns", "");
	row("sleep_ns", "");
	row("delay_ns", "");
	row("waker_tid", "");
	row("waker_command", "");
}
END_TEST

START_TEST(record_that_is_cut_is_none)
{
	struct iot_run rec = run_of(P, 1);

	feed(&rec, sizeof(rec) - 1);
	feed_end();
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(events_totals(ev)->bad, 1);
}
END_TEST

/* ---- to a file and back ---- */

static const struct {
	uint32_t value;
	const char *text;
} states[] = {
	{ 0, "R" },    { 1, "S" },      { 2, "D" },     { 4, "T" },
	{ 8, "t" },    { 0x10, "X" },   { 0x20, "Z" },  { 0x40, "P" },
	{ 0x80, "I" }, { 0x100, "R+" }, { 0x200, "W" }, { 0x400, "0x400" },
};

START_TEST(row_is_read_back)
{
	struct iot_run rec = {
		.head = { .tgid = UINT32_MAX, .tid = 1 },
		.cpu = UINT32_MAX,
		.priority = UINT16_MAX,
		.waker = UINT32_MAX,
	};
	struct sched_row row = {
		.rec = &rec,
		.start = when,
		.state = { &flags_task_state, states[_i].value },
		.run = BIG - 1,
		.sleep = 0,
		.delay = BIG - 1,
	};

	memcpy(rec.head.comm, hostile_comm, sizeof(hostile_comm));
	memcpy(rec.waker_comm, hostile_comm, sizeof(hostile_comm));
	CHECK_ROW(sched, &row, TIMES, N(pid, UINT32_MAX), N(tid, 1), T(command, SHOWN_COMM),
		  N(cpu, UINT32_MAX), N(priority, UINT16_MAX), N(run_ns, BIG - 1),
		  T(state, states[_i].text), N(sleep_ns, 0), N(delay_ns, BIG - 1),
		  N(waker_tid, UINT32_MAX), T(waker_command, SHOWN_COMM));
}
END_TEST

START_TEST(unknown_values_are_read_back_as_such)
{
	struct iot_run rec = { 0 };
	struct sched_row row = {
		.rec = &rec,
		.start = when,
		.run = FORMAT_UNKNOWN,
		.sleep = FORMAT_UNKNOWN,
		.delay = FORMAT_UNKNOWN,
	};

	CHECK_ROW(sched, &row, TIMES, N(pid, 0), N(tid, 0), NO(command), N(cpu, 0), N(priority, 0),
		  NO(run_ns), NO(state), NO(sleep_ns), NO(delay_ns), NO(waker_tid),
		  NO(waker_command));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sched");
	TCase *fed = tcase_create("fed"), *back = tcase_create("read back");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(fed, feed_setup_kernel, feed_teardown);
	tcase_add_test(fed, stay_on_a_cpu_is_a_row);
	tcase_add_test(fed, stay_without_a_beginning_is_told_at_its_end);
	tcase_add_test(fed, record_that_is_cut_is_none);
	suite_add_tcase(suite, fed);
	tcase_add_checked_fixture(back, fixture_read_setup, fixture_read_teardown);
	tcase_add_loop_test(back, row_is_read_back, 0, ARRAY_SIZE(states));
	tcase_add_test(back, unknown_values_are_read_back_as_such);
	suite_add_tcase(suite, back);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
