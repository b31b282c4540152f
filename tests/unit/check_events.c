/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to rows: those of ds, exec and lost, each to its exact line; what must
 * not become a row; and any bytes at all, which may become nonsense but never a
 * crash. Stream fs has suites of its own.
 */
#include "events/events.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "row/fs_ops.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"
#include "row/format.h"

static struct iot_text text;

/* ---- ds ---- */

START_TEST(request_is_a_row_of_its_submitter)
{
	struct iot_ds rec = record_ds(P, "WFS");

	rec.sector = 2048;
	rec.nr_sector = 8;
	rec.dev = 8 << 20;
	rec.issue_ns = 1500000;
	rec.queue_ns = 250000;
	rec.flags = IOT_DS_OWNER | IOT_DS_ISSUED | IOT_DS_QUEUED;
	rec.id = 9;
	rec.cpu = 1;
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "operation", "write");
	expect(0, "flags", "fua|sync");
	expect_number(0, "pid", P);
	expect(0, "ppid", "77");
	expect(0, "sector", "2048");
	expect(0, "size", "4096");
	expect(0, "latency_ms", "1.500000");
	expect(0, "queue_time_ms", "0.250000");
	expect(0, "dev", "8:0");
	expect(0, "error", "");
	expect(0, "request_id", "9");
}
END_TEST

/* What is left of it is a row, without the time that nobody knows. */
START_TEST(request_that_ended_unseen_has_no_latency)
{
	struct iot_rq rq = {
		.insert_ts = 1000,
		.issue_ts = 251000,
		.id = 9,
		.tgid = P,
		.tid = P,
		.sectors = 8,
		.comm = "prog",
		.dev = 8 << 20,
		.sector = 2048,
		.at = 2056,
		.rwbs = "WS",
	};

	events_request_unseen(ev, &rq);
	feed_end();
	expect(0, "operation", "write");
	expect_number(0, "pid", P);
	expect(0, "command", "prog");
	expect(0, "sector", "2056");
	expect(0, "size", "4096");
	expect(0, "latency_ms", "");
	expect(0, "queue_time_ms", "0.250000");
	expect(0, "request_id", "9");
}
END_TEST

/* The error is an errno up to 5.15 and a status of the block layer since. */
START_TEST(failed_request_is_one_to_a_filter_in_both_forms)
{
	static const struct filter failures = { .errors = true };
	struct iot_ds rec = record_ds(P, "R");
	static const int errors[] = { 0, -5, 10 };

	feed_anew(&(struct feed_options){ .filter = &failures });
	for (int i = 0; i < ARRAY_SIZE(errors); i++) {
		rec.error = errors[i];
		feed(&rec, sizeof(rec));
	}
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(0, "error", "EIO");
	expect(1, "error", "EIO");
}
END_TEST

START_TEST(what_was_not_seen_of_a_request_is_empty)
{
	struct iot_ds rec = record_ds(0, "FF");

	rec.issue_ns = 5;
	rec.queue_ns = 5;
	rec.sector = UINT64_MAX;
	rec.error = -5;
	memset(rec.head.comm, 0, sizeof(rec.head.comm));
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "operation", "flush");
	expect(0, "latency_ms", "");
	expect(0, "queue_time_ms", "");
	expect(0, "sector", "");
	expect(0, "pid", "0");
	expect(0, "ppid", "");
	expect(0, "error", "EIO");
}
END_TEST

/* ---- exec ---- */

START_TEST(fork_exec_and_exit_are_rows)
{
	static const char args[] = "ls\0-l\0a b\0\0x,y";
	struct iot_task rec;

	feed_task(IOT_FORK, P, CHILD, 0);
	feed_text(21, IOT_TEXT_STRING, "/bin/ls", 7);
	feed_text(22, IOT_TEXT_ARGS, args, sizeof(args));
	rec = record_task(CHILD, IOT_EXEC, 0);
	rec.name = 21;
	rec.args = 22;
	feed(&rec, sizeof(rec));
	feed_task(IOT_EXIT, CHILD, 9, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect(0, "event_type", "FORK");
	expect_number(0, "pid", CHILD);
	expect_number(0, "ppid", P);
	expect_number(0, "return_value", CHILD);
	expect(1, "event_type", "EXEC");
	expect(1, "filename", "/bin/ls");
	expect(1, "cmdline", "ls -l 'a b' '' x,y");
	expect_number(1, "ppid", P);
	expect(1, "return_value", "0");
	expect(2, "event_type", "EXIT");
	expect(2, "return_value", ""); /* the status was not seen */
}
END_TEST

START_TEST(failed_exec_is_a_row_and_closes_nothing)
{
	feed_open_file(P, "a", 3, O_RDONLY | O_CLOEXEC);
	feed_task(IOT_EXEC, P, -2, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(1, "return_value", "-2");
	expect(1, "filename", "");
}
END_TEST

START_TEST(longest_arguments_are_joined)
{
	static char args[IOT_TEXT_SLOTS];
	struct iot_task rec;

	for (size_t i = 0; i + 1 < sizeof(args); i++)
		args[i] = _i == 0 ? 'x' : _i == 1 ? (i % 2 ? '\0' : ' ') : '\0';
	feed_text(22, IOT_TEXT_ARGS, args, sizeof(args));
	rec = record_task(P, IOT_EXEC, 0);
	rec.args = 22;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_ge(strlen(seen_field(0, "cmdline")), 4096);
}
END_TEST

/* ---- what is not to be trusted ---- */

START_TEST(records_without_sense_are_counted)
{
	struct iot_fs fs = record_fs(P, IOT_READ, 3, 1);
	struct iot_more more = record_more(P, IOT_FSYNC, 3, 1);
	struct iot_task task = record_task(P, 99, 0);

	feed(&fs, 0);
	feed(&fs, 39);
	feed(&fs, sizeof(fs) - 1);
	fs.op = 0;
	feed(&fs, sizeof(fs));
	fs.op = IOT_N_OPS;
	feed(&fs, sizeof(fs));
	fs.head.type = 0;
	feed(&fs, sizeof(fs));
	fs.op = IOT_MMAP; /* of the larger record */
	feed(&fs, sizeof(fs));
	fs.head.type = IOT_N_RECS;
	feed(&fs, sizeof(fs));
	fs.head.type = 255;
	feed(&fs, sizeof(fs));
	feed(&task, sizeof(task));
	feed_more(&more);
	more.fs.op = 0;
	feed_more(&more);
	more.fs.op = IOT_DIO_READ; /* of the reader's own making */
	feed_more(&more);
	more.fs.op = UINT16_MAX;
	feed_more(&more);
	more.fs.op = IOT_SYNC;
	feed(&more, sizeof(more) - 1);
	feed_end();
	ck_assert_uint_eq(events_totals(ev)->bad, 15);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(texts_longer_than_their_record_are_counted)
{
	record_text(&text, 7, IOT_TEXT_STRING, "abc", 3);
	text.len = 4;
	feed(&text, IOT_TEXT_HEAD + 3);
	text.len = UINT32_MAX;
	feed(&text, sizeof(text));
	text.len = IOT_TEXT_SLOTS + 1;
	feed(&text, sizeof(text));
	record_text(&text, 7, IOT_TEXT_WALK, "abc", 3); /* without an end */
	feed(&text, IOT_TEXT_HEAD + 3);
	ck_assert_uint_eq(events_totals(ev)->bad, 4);
	record_text(&text, 7, IOT_TEXT_STRING, "", 0);
	feed(&text, IOT_TEXT_HEAD);
	ck_assert_uint_eq(events_totals(ev)->bad, 4);
}
END_TEST

START_TEST(padding_behind_a_record_is_harmless)
{
	static struct {
		struct iot_fs fs;
		char padding[4];
	} rec;

	rec.fs = record_fs(P, IOT_FSYNC, 99, -9);
	feed(&rec, sizeof(rec.fs) + 4);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_uint_eq(events_totals(ev)->bad, 0);
}
END_TEST

START_TEST(records_are_counted_by_who_sent_them)
{
	struct iot_fs rec = record_fs(P, IOT_FSYNC, 99, -9);

	rec.head.via = 5;
	feed_fs(&rec);
	rec.head.via = UINT16_MAX;
	feed_fs(&rec);
	ck_assert_uint_eq(events_totals(ev)->via[5], 1);
}
END_TEST

START_TEST(unwanted_streams_have_no_rows_but_are_followed)
{
	feed_anew(&(struct feed_options){ .only = "exec" });
	feed_call(P, IOT_FSYNC, 99, -9, 0);
	feed_task(IOT_FORK, P, CHILD, 0);
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_exec);
	ck_assert_uint_eq(procs_ppid(ev->procs, CHILD), P);
}
END_TEST

START_TEST(late_row_is_counted)
{
	struct iot_fs rec = record_fs(P, IOT_FSYNC, 99, -9), late = rec;

	feed_fs(&rec);
	feed_end();
	late.latency = 1000000;
	feed_fs(&late);
	ck_assert_uint_eq(n_seen, 2);
	ck_assert_uint_eq(events_totals(ev)->late[STREAM_fs], 1);
}
END_TEST

START_TEST(gap_is_a_lost_row_between_the_others)
{
	struct iot_fs rec = record_fs(P, IOT_FSYNC, 99, -9);

	rec.head.seq = 1;
	feed_fs(&rec);
	rec.head.seq = 5;
	rec.head.ts++;
	feed_fs(&rec);
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IOT_SEQ_fs, LOST_RING), 3);
	for (unsigned i = 0; i < 3; i++)
		if (seen[i].stream == STREAM_lost) {
			expect(i, "stream", "fs");
			expect(i, "count", "3");
			expect(i, "cpu", "0");
			expect_number(i, "mono_ns", rec.head.ts);
		}
}
END_TEST

/* ---- fuzz ---- */

static uint64_t fuzz_rows;

static void count_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	(void)arg;
	(void)key;
	ck_assert_int_lt(stream, N_STREAMS);
	ck_assert(len && len < ROW_MAX && row[len - 1] == '\n' && !memchr(row, '\n', len - 1));
	fuzz_rows++;
}

static uint64_t any(unsigned *seed)
{
	static const uint64_t edges[] = { 0,          1,         2,          3,
					  5,          64,        255,        4096,
					  65536,      1 << 20,   INT32_MAX,  1ULL << 31,
					  UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX };

	if (rand_r(seed) % 4)
		return edges[rand_r(seed) % 16];
	return (uint64_t)rand_r(seed) << 40 ^ (uint64_t)rand_r(seed) << 20 ^ rand_r(seed);
}

union record {
	struct iot_head head;
	struct iot_fs fs;
	struct iot_text text;
	struct iot_task task;
	struct iot_ds ds;
	struct iot_more more;
	struct iot_cache cache;
	struct iot_fault fault;
	struct iot_net net;
	struct iot_conn conn;
	struct iot_poll poll;
	struct iot_opt opt;
	struct iot_drop drop;
	struct iot_ring ring;
	char bytes[2 * sizeof(struct iot_text)];
};

static size_t plausible_more(struct iot_more *rec, uint32_t tgid, unsigned *seed)
{
	static const uint16_t status[] = { 0,
					   IOT_ST_PATH,
					   IOT_ST_FILE,
					   IOT_ST_PATH | IOT_ST_FILE,
					   IOT_ST_PATH | IOT_ST_SELF,
					   IOT_ST_NO_TEXT };
	uint16_t op;

	do
		op = rand_r(seed) % IOT_N_OPS;
	while (!(fs_ops[op].traits & FS_MORE));
	*rec = record_more(tgid, op, rand_r(seed) % 20 - 1, rand_r(seed) % 20);
	rec->fs.status = status[rand_r(seed) % 6];
	rec->status2 = rand_r(seed) % 3 ? 0 : IOT_ST_FILE;
	rec->fs.name = rand_r(seed) % 64;
	rec->fs.dir = rand_r(seed) % 4 ? 0 : rand_r(seed) % 64;
	rec->fs.dirfd = rand_r(seed) % 3 ? AT_FDCWD : rand_r(seed) % 20;
	rec->fs.ino = rand_r(seed) % 8;
	rec->fs.dev = rand_r(seed) % 3;
	rec->ino2 = rand_r(seed) % 8;
	rec->fs.flags = any(seed);
	rec->fs.size = rand_r(seed) % 3 ? any(seed) % 65536 : any(seed);
	rec->fs.offset = rand_r(seed) % 3 ? -1 : (int64_t)any(seed);
	if ((fs_ops[op].traits & FS_MEMORY) && rand_r(seed) % 2)
		rec->fs.ret = any(seed) % 64 * 4096;
	rec->name2 = rand_r(seed) % 64;
	rec->dir2 = rand_r(seed) % 4 ? 0 : rand_r(seed) % 64;
	rec->address = rand_r(seed) % 3 ? any(seed) % 64 * 4096 : any(seed);
	rec->old_size = rand_r(seed) % 2 ? any(seed) % 65536 : any(seed);
	rec->fd2 = rand_r(seed) % 3 ? AT_FDCWD : rand_r(seed) % 20;
	rec->prot = any(seed);
	return sizeof(*rec);
}

static struct iot_ends plausible_ends(unsigned *seed)
{
	static const uint16_t families[] = { 0, 1, 2, 10 };
	struct iot_ends ends = {
		.family = families[rand_r(seed) % 4],
		.type = rand_r(seed) % 4,
		.known = rand_r(seed) % 8,
		.local_port = rand_r(seed) % 3,
		.remote_port = rand_r(seed) % 3,
	};

	ends.local[rand_r(seed) % 16] = rand_r(seed);
	ends.remote[rand_r(seed) % 16] = rand_r(seed);
	return ends;
}

static size_t plausible_net(union record *rec, uint32_t tgid, unsigned *seed)
{
	int fd = rand_r(seed) % 20 - 1;

	switch (rand_r(seed) % 8) {
	case 0:
		rec->poll = record_poll(tgid, 1 + rand_r(seed) % (IOT_N_POLL_EVENTS - 1), fd);
		rec->poll.timeout = any(seed);
		rec->poll.mask = any(seed);
		rec->poll.op = any(seed);
		return sizeof(rec->poll);
	case 1:
		rec->opt = record_opt(tgid, IOT_OPT_SET + rand_r(seed) % 2, rand_r(seed) % 42,
				      rand_r(seed) % 80);
		rec->opt.known = rand_r(seed) % (IOT_OPT_BYTES + 1);
		for (int i = 0; i < IOT_OPT_BYTES; i++)
			rec->opt.value[i] = rand_r(seed);
		return sizeof(rec->opt);
	case 2:
		rec->drop = record_drop(tgid, IOT_DROP_RETRANSMIT + rand_r(seed) % 2);
		rec->drop.ends = plausible_ends(seed);
		rec->drop.state = any(seed);
		return sizeof(rec->drop);
	case 3:
		rec->ring = record_ring(tgid, 1 + rand_r(seed) % (IOT_N_RING_EVENTS - 1));
		rec->ring.fd = fd;
		rec->ring.ino = rand_r(seed) % 8;
		rec->ring.dev = rand_r(seed) % 3;
		rec->ring.opcode = any(seed);
		rec->ring.sqe_flags = any(seed);
		rec->ring.latency = any(seed);
		rec->ring.known = rand_r(seed) % 16;
		return sizeof(rec->ring);
	case 4:
	case 5:
		rec->net = record_net(tgid, IOT_NET_SEND + rand_r(seed) % 2, fd, any(seed));
		rec->net.ends = plausible_ends(seed);
		rec->net.msg_flags = any(seed);
		return sizeof(rec->net);
	}
	rec->conn = record_conn(tgid, 1 + rand_r(seed) % (IOT_N_CONN_EVENTS - 1), fd,
				rand_r(seed) % 3 ? 0 : -115);
	rec->conn.ends = plausible_ends(seed);
	rec->conn.name = rand_r(seed) % 64;
	rec->conn.flags = rand_r(seed) % 8;
	rec->conn.backlog = rand_r(seed) % 3 ? rand_r(seed) % 20 : (int32_t)any(seed);
	return sizeof(rec->conn);
}

/* A record that looks right, of a few processes and descriptors. */
static size_t plausible(union record *rec, unsigned *seed)
{
	static const uint16_t ops[] = { IOT_READ,    IOT_WRITE,       IOT_OPEN,  IOT_CLOSE,
					IOT_FSYNC,   IOT_FDATASYNC,   IOT_LSEEK, IOT_DUP,
					IOT_CLOEXEC, IOT_CLOSE_RANGE, IOT_CHDIR, IOT_MOVED,
					IOT_NEWFD };
	static char bytes[IOT_TEXT_SLOTS];
	uint32_t tgid = P + rand_r(seed) % 8;
	size_t len = rand_r(seed) % (rand_r(seed) % 50 ? 40 : IOT_TEXT_SLOTS);

	switch (rand_r(seed) % 14) {
	case 0:
		for (size_t i = 0; i < len; i++)
			bytes[i] = rand_r(seed) % 4 ? "/..a,\"\n\xff"[rand_r(seed) % 9] : 0;
		return record_text(&rec->text, rand_r(seed) % 64, 1 + rand_r(seed) % 3, bytes, len);
	case 1:
		rec->task = record_task(tgid, 1 + rand_r(seed) % 3, P + rand_r(seed) % 8);
		rec->task.clone_flags = any(seed);
		rec->task.name = rand_r(seed) % 64;
		rec->task.args = rand_r(seed) % 64;
		return sizeof(rec->task);
	case 2:
		rec->ds = record_ds(tgid, "FWFSMU");
		rec->ds.flags = any(seed);
		return sizeof(rec->ds);
	case 3:
	case 4:
		return plausible_more(&rec->more, tgid, seed);
	case 5:
		rec->cache = record_cache(tgid, 1 + rand_r(seed) % (IOT_N_CACHE_EVENTS - 1));
		rec->cache.ino = any(seed) % 8;
		rec->cache.dev = any(seed) % (rand_r(seed) % 2 ? 3 : UINT32_MAX);
		rec->cache.index = any(seed);
		rec->cache.size = any(seed);
		rec->cache.flags = rand_r(seed) % 4;
		return sizeof(rec->cache);
	case 6:
		rec->fault = record_fault(tgid,
					  rand_r(seed) % 2 ? any(seed) % 64 * 4096 : any(seed));
		rec->fault.name = rand_r(seed) % 64;
		rec->fault.ino = any(seed) % 8;
		rec->fault.dev = rand_r(seed) % 3;
		rec->fault.index = any(seed);
		rec->fault.latency = any(seed);
		rec->fault.flags = rand_r(seed) % 16;
		return sizeof(rec->fault);
	case 7:
	case 8:
		return plausible_net(rec, tgid, seed);
	}
	rec->fs = record_fs(tgid, ops[rand_r(seed) % 13], rand_r(seed) % 20, rand_r(seed) % 20);
	rec->fs.dirfd = rand_r(seed) % 3 ? AT_FDCWD : rand_r(seed) % 20;
	rec->fs.name = rand_r(seed) % 64;
	rec->fs.dir = rand_r(seed) % 4 ? 0 : rand_r(seed) % 64;
	rec->fs.ino = rand_r(seed) % 8;
	rec->fs.dev = rand_r(seed) % 3;
	rec->fs.flags = any(seed);
	rec->fs.status = rand_r(seed) % 128;
	rec->fs.size = any(seed);
	return sizeof(rec->fs);
}

/* Sets a few bytes or members to anything. */
static void mutate(char *rec, size_t len, unsigned *seed)
{
	for (unsigned n = rand_r(seed) % 6; n; n--) {
		size_t at = rand_r(seed) % len & ~7UL;
		uint64_t value = any(seed);

		if (at + 8 <= len && (at >= 16 || rand_r(seed) % 8 == 0))
			memcpy(rec + at, &value, rand_r(seed) % 2 ? 8 : 4);
		else
			rec[rand_r(seed) % len] = rand_r(seed);
	}
}

/* _i: seed. 25,000 records each, a third of them mutated, some cut. */
START_TEST(any_record_is_survived)
{
	static union record rec;
	struct events_options options = { .plan = &fed_plan,
					  .resolve = &fixture_resolve,
					  .names = 32,
					  .n_cpus = 4,
					  .extra_ops = _i % 2 == 0,
					  .row = count_row };
	unsigned seed = 1000 + _i;

	events_close(ev);
	fed_plan.choices[0].chosen = _i % 3 ? fed_plan.choices[0].chosen : NULL;
	for (int i = 0; i < N_STREAMS; i++)
		options.wanted[i] = true;
	fixture_mount_rules(&fixture_resolve.mounts, _i % 2, &fixture_resolve.mounts.types);
	ev = events_open(&options);
	fixture_fd(P + 1, 3, fixture_file("a"), 0, O_RDWR);
	for (int i = 0; i < 25000; i++) {
		size_t len = plausible(&rec, &seed);

		if (rand_r(&seed) % 3 == 0)
			mutate(rec.bytes, len, &seed);
		if (rand_r(&seed) % 20 == 0)
			len = rand_r(&seed) % (len + 1);
		events_record(ev, &rec, len, rand_r(&seed) % 5 - 1);
		if (rand_r(&seed) % 1000 == 0)
			events_flush(ev, record_later());
	}
	feed_end();
	ck_assert_uint_gt(fuzz_rows, 1000);
}
END_TEST

static TCase *others_case(void)
{
	TCase *tcase = tcase_create("others");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, request_is_a_row_of_its_submitter);
	tcase_add_test(tcase, request_that_ended_unseen_has_no_latency);
	tcase_add_test(tcase, failed_request_is_one_to_a_filter_in_both_forms);
	tcase_add_test(tcase, what_was_not_seen_of_a_request_is_empty);
	tcase_add_test(tcase, fork_exec_and_exit_are_rows);
	tcase_add_test(tcase, failed_exec_is_a_row_and_closes_nothing);
	tcase_add_loop_test(tcase, longest_arguments_are_joined, 0, 3);
	tcase_add_test(tcase, records_without_sense_are_counted);
	tcase_add_test(tcase, texts_longer_than_their_record_are_counted);
	tcase_add_test(tcase, padding_behind_a_record_is_harmless);
	tcase_add_test(tcase, records_are_counted_by_who_sent_them);
	tcase_add_test(tcase, unwanted_streams_have_no_rows_but_are_followed);
	tcase_add_test(tcase, late_row_is_counted);
	tcase_add_test(tcase, gap_is_a_lost_row_between_the_others);
	return tcase;
}

static TCase *fuzz_case(void)
{
	TCase *tcase = tcase_create("fuzz");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, any_record_is_survived, 0, 8);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, others_case());
	suite_add_tcase(suite, fuzz_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
