/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to rows: fed by hand, each to its exact line; what must not become a
 * row; and any bytes at all, which may become nonsense but never a crash.
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

#include "fixture_csv.h"
#include "fixture_proc.h"
#include "fixture_record.h"
#include "rows.h"

enum { P = 5000001, CHILD = 5000002, GONE = 5000099 };

static struct events *ev;
static struct plan plan;
static struct { enum stream_id stream; uint64_t key; struct csv_row csv; } rows[256];
static unsigned n_rows;
static struct io_text text;

static void on_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	ck_assert_ptr_eq(arg, rows);
	ck_assert_uint_lt(n_rows, 256);
	rows[n_rows].stream = stream;
	rows[n_rows].key = key;
	csv_parse(&rows[n_rows].csv, row, len);
	ck_assert_int_eq(rows[n_rows].csv.n, (int)streams[stream].n_columns);
	n_rows++;
}

/* follow: CLOSE comes from system calls, so descriptors are followed here */
static void open_events(bool follow, bool all_fs, const char *only)
{
	static const struct capability close_cap = { .stream = "fs",
						     .operation = "CLOSE",
						     .path = "" };
	static const struct candidate calls = { .name = "SC_CLOSE" }, fput = { .name = "FPUT" };
	struct events_options options = { .plan = &plan,
					  .all_fs = all_fs,
					  .names = 256,
					  .n_cpus = 4,
					  .row = on_row,
					  .arg = rows };

	plan.n_choices = 1;
	plan.choices[0] = (struct plan_choice){ .capability = &close_cap,
						.chosen = follow ? &calls : &fput };
	for (int i = 0; i < N_STREAMS; i++)
		options.wanted[i] = !only || !strcmp(only, streams[i].name);
	record_restart();
	ev = events_open(&options);
	ck_assert(ev != NULL);
}

static void setup(void)
{
	setenv("TZ", "UTC0", 1);
	fixture_proc_open();
	fixture_process(P, 77, "prog");
	fixture_cwd(P, "/usr");
	n_rows = 0;
	open_events(true, false, NULL);
}

static void setup_kernel(void)
{
	setup();
	events_close(ev);
	open_events(false, false, NULL);
}

static void teardown(void)
{
	events_close(ev);
	ev = NULL;
	for (unsigned i = 0; i < n_rows && i < 256; i++)
		csv_free(&rows[i].csv);
	fixture_proc_close();
}

/* ---- feeding ---- */

static void feed(const void *rec, size_t len)
{
	events_record(ev, rec, len, 0);
}

static void feed_fs(const struct io_fs *rec)
{
	struct io_fs copy = *rec;

	feed(&copy, sizeof(copy));
}

static void feed_task(uint16_t event, uint32_t tgid, int64_t ret, uint64_t flags)
{
	struct io_task rec = record_task(tgid, event, ret);

	rec.flags = flags;
	feed(&rec, sizeof(rec));
}

static void name(uint64_t id, uint16_t kind, const char *bytes, size_t len)
{
	feed(&text, record_text(&text, id, kind, bytes, len));
}

static void open_call(uint32_t tgid, const char *path, int fd, uint32_t flags)
{
	struct io_fs rec;

	name(1000, IO_TEXT_STRING, path, strlen(path));
	rec = record_fs(tgid, IO_OPEN, -1, fd);
	rec.name = 1000;
	rec.dirfd = AT_FDCWD;
	rec.flags = flags;
	rec.latency = 700;
	feed_fs(&rec);
}

static void call(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint64_t size)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);

	rec.size = size;
	rec.latency = 700;
	feed_fs(&rec);
}

static void flush(void)
{
	events_flush(ev, UINT64_MAX);
}

/* ---- looking ---- */

static const char *field(unsigned row, const char *column)
{
	ck_assert_uint_lt(row, n_rows);
	for (unsigned i = 0; i < streams[rows[row].stream].n_columns; i++)
		if (!strcmp(streams[rows[row].stream].columns[i].name, column))
			return rows[row].csv.field[i];
	ck_abort_msg("no column %s", column);
	return NULL;
}

static void expect(unsigned row, const char *column, const char *value)
{
	ck_assert_msg(!strcmp(field(row, column), value), "row %u: %s is '%s', not '%s'", row,
		      column, field(row, column), value);
}

static void expect_number(unsigned row, const char *column, uint64_t value)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
	expect(row, column, number);
}

static void expect_operation(unsigned row, const char *operation, const char *path)
{
	expect(row, "operation", operation);
	expect(row, "filename", path);
}

static const struct events_totals *totals(void)
{
	return events_totals(ev);
}

/* ---- fs from system calls ---- */

START_TEST(open_write_close_are_three_rows)
{
	struct stat st;

	fixture_file_stat("a", &st);
	procs_mntns(events_procs(ev), P);
	fixture_fd(P, 3, fixture_file("a"), 0, O_WRONLY);
	open_call(P, fixture_file("a"), 3, O_WRONLY | O_CREAT | O_TRUNC);
	call(P, IO_WRITE, 3, 4096, 4096);
	call(P, IO_CLOSE, 3, 0, 0);
	flush();
	ck_assert_uint_eq(n_rows, 3);
	expect_operation(0, "OPEN", fixture_file("a"));
	expect(0, "flags", "O_WRONLY|O_CREAT|O_TRUNC");
	expect(0, "return_value", "3");
	expect(0, "path_status", "f");
	expect(0, "command", "prog");
	expect(0, "latency_ns", "700");
	expect_number(0, "inode", st.st_ino);
	expect_operation(1, "WRITE", fixture_file("a"));
	expect(1, "size", "4096");
	expect(1, "offset", "0");
	expect(1, "flags", "O_WRONLY");
	expect(1, "fd", "3");
	expect_operation(2, "CLOSE", fixture_file("a"));
	expect(2, "offset", "");
	ck_assert_uint_eq(totals()->rows[STREAM_fs], 3);
	ck_assert_uint_eq(totals()->bad, 0);
}
END_TEST

START_TEST(time_of_a_row_is_its_start)
{
	struct io_fs rec = record_fs(P, IO_FSYNC, 9, -9);

	rec.latency = 1234;
	feed_fs(&rec);
	flush();
	expect_number(0, "mono_ns", rec.head.ts - 1234);
	ck_assert(rows[0].key == rec.head.ts - 1234);
}
END_TEST

START_TEST(rows_of_calls_that_overlap_leave_in_the_order_of_their_start)
{
	struct io_fs inner = record_fs(P, IO_READ, 9, -9), outer = record_fs(P, IO_FSYNC, 9, -9);

	inner.latency = 10;
	outer.latency = outer.head.ts - inner.head.ts + 1000;
	feed_fs(&inner);
	feed_fs(&outer);
	flush();
	expect(0, "operation", "FSYNC");
	expect(1, "operation", "READ");
}
END_TEST

START_TEST(failed_open_is_a_row_with_the_path_it_was_given)
{
	open_call(P, "no/such, file", -2, O_RDONLY);
	flush();
	expect_operation(0, "OPEN", "/usr/no/such, file");
	expect(0, "return_value", "-2");
	expect(0, "fd", "");
	expect(0, "inode", "");
	expect(0, "path_status", "fm");
}
END_TEST

START_TEST(call_on_a_bad_descriptor_is_a_row)
{
	call(P, IO_READ, 99, -9, 512);
	call(P, IO_CLOSE, 99, -9, 0);
	flush();
	ck_assert_uint_eq(n_rows, 2);
	expect_operation(0, "READ", "");
	expect(0, "path_status", "n");
	expect(0, "offset", "");
	expect(0, "flags", "");
	expect(0, "return_value", "-9");
	expect_operation(1, "CLOSE", "");
}
END_TEST

START_TEST(sockets_and_pseudo_files_are_out_of_scope)
{
	struct io_fs rec = record_fs(P, IO_NEWFD, -1, 5);

	feed_fs(&rec);
	call(P, IO_READ, 5, 10, 10);
	open_call(P, "/proc/version", -13, O_RDONLY);
	flush();
	ck_assert_uint_eq(n_rows, 0);
	ck_assert_uint_eq(totals()->out_of_scope, 2);
	events_close(ev);
	open_events(true, true, NULL);
	open_call(P, "/proc/version", -13, O_RDONLY);
	flush();
	ck_assert_uint_eq(n_rows, 1);
}
END_TEST

START_TEST(offset_of_pread_is_its_own)
{
	struct io_fs rec;

	procs_mntns(events_procs(ev), P);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	open_call(P, fixture_file("a"), 3, O_RDONLY);
	rec = record_fs(P, IO_READ, 3, 100);
	rec.size = 100;
	rec.offset = 0;
	rec.status = IO_ST_OFFSET;
	feed_fs(&rec);
	rec.head.ts = record_later();
	rec.offset = 1LL << 40;
	feed_fs(&rec);
	call(P, IO_READ, 3, 100, 100);
	flush();
	expect(1, "offset", "0");
	expect(2, "offset", "1099511627776");
	expect(3, "offset", "0");
}
END_TEST

START_TEST(close_of_a_duplicate_is_no_row)
{
	procs_mntns(events_procs(ev), P);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	open_call(P, fixture_file("a"), 3, O_RDONLY);
	call(P, IO_DUP, 3, 4, 0);
	call(P, IO_CLOSE, 3, 0, 0);
	call(P, IO_CLOSE, 4, 0, 0);
	flush();
	ck_assert_uint_eq(n_rows, 2);
	expect(1, "operation", "CLOSE");
	expect(1, "fd", "4");
	ck_assert_uint_eq(totals()->not_last, 1);
}
END_TEST

START_TEST(exit_closes_what_is_open_without_a_latency)
{
	procs_mntns(events_procs(ev), P);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	open_call(P, fixture_file("a"), 3, O_RDONLY);
	feed_task(IO_EXIT, P, 256, IO_TASK_STATUS);
	flush();
	ck_assert_uint_eq(n_rows, 3);
	expect_operation(1, "CLOSE", fixture_file("a"));
	expect(1, "latency_ns", "");
	expect(1, "return_value", "0");
	expect(1, "fd", "3");
	expect_number(1, "pid", P);
	ck_assert_int_eq(rows[2].stream, STREAM_exec);
	expect(2, "event_type", "EXIT");
	expect(2, "return_value", "256");
}
END_TEST

START_TEST(chdir_is_followed_through_its_text)
{
	struct io_fs rec;

	procs_mntns(events_procs(ev), P);
	name(5, IO_TEXT_STRING, "/etc", 4);
	rec = record_fs(P, IO_CHDIR, -1, 0);
	rec.name = 5;
	feed_fs(&rec);
	open_call(P, "x", -2, O_RDONLY);
	flush();
	ck_assert_uint_eq(n_rows, 1);
	expect(0, "filename", "/etc/x");
}
END_TEST

START_TEST(process_that_is_gone_still_has_rows)
{
	open_call(GONE, "rel/path", 3, O_RDONLY);
	call(GONE, IO_READ, 3, 10, 10);
	call(GONE, IO_CLOSE, 3, 0, 0);
	flush();
	ck_assert_uint_eq(n_rows, 3);
	expect(0, "filename", "rel/path");
	expect(0, "path_status", "r");
	expect(2, "operation", "CLOSE");
}
END_TEST

START_TEST(names_with_anything_in_them_stay_one_field)
{
	open_call(P, "/a,\"b\"\n\xff", -2, O_RDONLY);
	flush();
	expect(0, "filename", "/a,\"b\"\\n\\xff");
	expect(0, "path_status", "fe");
}
END_TEST

START_TEST(vectored_call_asked_for_at_least_what_it_moved)
{
	call(P, IO_WRITE, 99, 5000, 4096);
	flush();
	expect(0, "size", "5000");
}
END_TEST

/* ---- fs from the kernel's files ---- */

static struct io_fs kernel_rec(uint16_t op, int64_t ret)
{
	struct io_fs rec = record_fs(P, op, -1, ret);

	rec.status = IO_ST_FILE | IO_ST_OFFSET;
	rec.name = 7;
	rec.ino = 12;
	rec.dev = 8 << 20 | 2;
	rec.flags = O_RDWR;
	rec.offset = 0;
	rec.size = 4096;
	rec.latency = 5;
	rec.mntns = 4026531840u;
	return rec;
}

START_TEST(rows_of_the_kernels_file_carry_its_walked_name)
{
	struct io_fs rec;

	name(7, IO_TEXT_WALK, "c\0bb\0a", 7);
	rec = kernel_rec(IO_READ, 4096);
	feed_fs(&rec);
	flush();
	expect_operation(0, "READ", "/a/bb/c");
	expect(0, "inode", "12");
	expect(0, "device", "8:2");
	expect(0, "offset", "0");
	expect(0, "fd", "");
	expect(0, "mntns", "4026531840");
	expect(0, "path_status", "f");
}
END_TEST

START_TEST(unlinked_and_cut_names_are_marked)
{
	struct io_fs rec;

	name(7, IO_TEXT_WALK, "c\0b", 4);
	rec = kernel_rec(IO_READ, 1);
	rec.status |= IO_ST_DELETED;
	feed_fs(&rec);
	record_text(&text, 7, IO_TEXT_WALK, "c\0b", 4);
	text.flags = IO_TEXT_CUT;
	feed(&text, IO_TEXT_HEAD + 4);
	rec = kernel_rec(IO_READ, 1);
	feed_fs(&rec);
	flush();
	expect(0, "path_status", "fd");
	expect(1, "path_status", "rt");
}
END_TEST

START_TEST(unknown_name_is_empty_and_asked_for_again_once)
{
	struct io_fs rec = kernel_rec(IO_READ, 1);

	ck_assert(!events_names_missing(ev));
	feed_fs(&rec);
	flush();
	expect_operation(0, "READ", "");
	expect(0, "path_status", "n");
	expect(0, "inode", "12");
	ck_assert(events_names_missing(ev));
	ck_assert(!events_names_missing(ev));
	ck_assert_uint_eq(events_names(ev)->unknown, 1);
}
END_TEST

START_TEST(close_by_the_kernel_has_no_offset)
{
	struct io_fs rec = kernel_rec(IO_CLOSE, 0);

	feed_fs(&rec);
	flush();
	expect(0, "operation", "CLOSE");
	expect(0, "offset", "");
}
END_TEST

START_TEST(offset_that_the_kernel_does_not_say_is_empty)
{
	struct io_fs rec = kernel_rec(IO_READ, 1);

	rec.status = IO_ST_FILE;
	feed_fs(&rec);
	flush();
	expect(0, "offset", "");
}
END_TEST

START_TEST(lost_names_are_asked_for_again)
{
	struct io_text rec;

	record_text(&rec, 7, IO_TEXT_STRING, "x", 1);
	rec.head.seq += 3;
	feed(&rec, IO_TEXT_HEAD + 1);
	ck_assert(events_names_missing(ev));
	flush();
	ck_assert_int_eq(rows[0].stream, STREAM_lost);
	expect(0, "stream", "state");
	expect(0, "reason", "ring");
}
END_TEST

/* ---- ds ---- */

START_TEST(request_is_a_row_of_its_submitter)
{
	struct io_ds rec = record_ds(P, "WFS");

	rec.sector = 2048;
	rec.nr_sector = 8;
	rec.dev = 8 << 20;
	rec.issue_ns = 1500000;
	rec.queue_ns = 250000;
	rec.flags = IO_DS_OWNER | IO_DS_ISSUED | IO_DS_QUEUED;
	rec.id = 9;
	rec.cpu = 1;
	feed(&rec, sizeof(rec));
	flush();
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

START_TEST(what_was_not_seen_of_a_request_is_empty)
{
	struct io_ds rec = record_ds(0, "FF");

	rec.issue_ns = 5;
	rec.queue_ns = 5;
	rec.sector = UINT64_MAX;
	rec.error = -5;
	memset(rec.head.comm, 0, sizeof(rec.head.comm));
	feed(&rec, sizeof(rec));
	flush();
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
	struct io_task rec;

	feed_task(IO_FORK, P, CHILD, 0);
	name(21, IO_TEXT_STRING, "/bin/ls", 7);
	name(22, IO_TEXT_ARGS, args, sizeof(args));
	rec = record_task(CHILD, IO_EXEC, 0);
	rec.name = 21;
	rec.args = 22;
	feed(&rec, sizeof(rec));
	feed_task(IO_EXIT, CHILD, 9, 0);
	flush();
	ck_assert_uint_eq(n_rows, 3);
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
	procs_mntns(events_procs(ev), P);
	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY | O_CLOEXEC);
	open_call(P, fixture_file("a"), 3, O_RDONLY | O_CLOEXEC);
	feed_task(IO_EXEC, P, -2, 0);
	flush();
	ck_assert_uint_eq(n_rows, 2);
	expect(1, "return_value", "-2");
	expect(1, "filename", "");
}
END_TEST

START_TEST(longest_arguments_are_joined)
{
	static char args[IO_TEXT_SLOTS];
	struct io_task rec;

	for (size_t i = 0; i + 1 < sizeof(args); i++)
		args[i] = _i == 0 ? 'x' : _i == 1 ? (i % 2 ? '\0' : ' ') : '\0';
	name(22, IO_TEXT_ARGS, args, sizeof(args));
	rec = record_task(P, IO_EXEC, 0);
	rec.args = 22;
	feed(&rec, sizeof(rec));
	flush();
	ck_assert_uint_ge(strlen(field(0, "cmdline")), 4096);
}
END_TEST

/* ---- what is not to be trusted ---- */

START_TEST(records_without_sense_are_counted)
{
	struct io_fs fs = record_fs(P, IO_READ, 3, 1);
	struct io_task task = record_task(P, 99, 0);

	feed(&fs, 0);
	feed(&fs, 39);
	feed(&fs, sizeof(fs) - 1);
	fs.op = 0;
	feed(&fs, sizeof(fs));
	fs.op = IO_N_OPS;
	feed(&fs, sizeof(fs));
	fs.head.type = 0;
	feed(&fs, sizeof(fs));
	fs.head.type = IO_REC_TASK + 1;
	feed(&fs, sizeof(fs));
	fs.head.type = 255;
	feed(&fs, sizeof(fs));
	feed(&task, sizeof(task));
	flush();
	ck_assert_uint_eq(totals()->bad, 9);
	ck_assert_uint_eq(n_rows, 0);
}
END_TEST

START_TEST(texts_longer_than_their_record_are_counted)
{
	record_text(&text, 7, IO_TEXT_STRING, "abc", 3);
	text.len = 4;
	feed(&text, IO_TEXT_HEAD + 3);
	text.len = UINT32_MAX;
	feed(&text, sizeof(text));
	text.len = IO_TEXT_SLOTS + 1;
	feed(&text, sizeof(text));
	record_text(&text, 7, IO_TEXT_WALK, "abc", 3); /* without an end */
	feed(&text, IO_TEXT_HEAD + 3);
	ck_assert_uint_eq(totals()->bad, 4);
	record_text(&text, 7, IO_TEXT_STRING, "", 0);
	feed(&text, IO_TEXT_HEAD);
	ck_assert_uint_eq(totals()->bad, 4);
}
END_TEST

START_TEST(padding_behind_a_record_is_harmless)
{
	static struct { struct io_fs fs; char padding[4]; } rec;

	rec.fs = record_fs(P, IO_FSYNC, 99, -9);
	feed(&rec, sizeof(rec.fs) + 4);
	flush();
	ck_assert_uint_eq(n_rows, 1);
	ck_assert_uint_eq(totals()->bad, 0);
}
END_TEST

START_TEST(records_are_counted_by_who_sent_them)
{
	struct io_fs rec = record_fs(P, IO_FSYNC, 99, -9);

	rec.head.via = 5;
	feed_fs(&rec);
	rec.head.via = UINT16_MAX;
	feed_fs(&rec);
	ck_assert_uint_eq(totals()->via[5], 1);
}
END_TEST

START_TEST(unwanted_streams_have_no_rows_but_are_followed)
{
	events_close(ev);
	open_events(true, false, "exec");
	call(P, IO_FSYNC, 99, -9, 0);
	feed_task(IO_FORK, P, CHILD, 0);
	flush();
	ck_assert_uint_eq(n_rows, 1);
	ck_assert_int_eq(rows[0].stream, STREAM_exec);
	ck_assert_uint_eq(procs_ppid(events_procs(ev), CHILD), P);
}
END_TEST

START_TEST(late_row_is_counted)
{
	struct io_fs rec = record_fs(P, IO_FSYNC, 99, -9), late = rec;

	feed_fs(&rec);
	flush();
	late.latency = 1000000;
	feed_fs(&late);
	ck_assert_uint_eq(n_rows, 2);
	ck_assert_uint_eq(totals()->late[STREAM_fs], 1);
}
END_TEST

START_TEST(gap_is_a_lost_row_between_the_others)
{
	struct io_fs rec = record_fs(P, IO_FSYNC, 99, -9);

	rec.head.seq = 1;
	feed_fs(&rec);
	rec.head.seq = 5;
	rec.head.ts++;
	feed_fs(&rec);
	flush();
	ck_assert_uint_eq(n_rows, 3);
	ck_assert_uint_eq(ledger_lost(events_ledger(ev), IO_SEQ_FS, LOST_RING), 3);
	for (unsigned i = 0; i < 3; i++)
		if (rows[i].stream == STREAM_lost) {
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
	struct io_head head;
	struct io_fs fs;
	struct io_text text;
	struct io_task task;
	struct io_ds ds;
	char bytes[2 * sizeof(struct io_text)];
};

/* A record that looks right, of a few processes and descriptors. */
static size_t plausible(union record *rec, unsigned *seed)
{
	static const uint16_t ops[] = { IO_READ,    IO_WRITE,       IO_OPEN,  IO_CLOSE,
					IO_FSYNC,   IO_FDATASYNC,   IO_LSEEK, IO_DUP,
					IO_CLOEXEC, IO_CLOSE_RANGE, IO_CHDIR, IO_FCHDIR,
					IO_MOVED,   IO_NEWFD };
	static char bytes[IO_TEXT_SLOTS];
	uint32_t tgid = P + rand_r(seed) % 8;
	size_t len = rand_r(seed) % (rand_r(seed) % 50 ? 40 : IO_TEXT_SLOTS);

	switch (rand_r(seed) % 8) {
	case 0:
		for (size_t i = 0; i < len; i++)
			bytes[i] = rand_r(seed) % 4 ? "/..a,\"\n\xff"[rand_r(seed) % 9] : 0;
		return record_text(&rec->text, rand_r(seed) % 64, 1 + rand_r(seed) % 3, bytes, len);
	case 1:
		rec->task = record_task(tgid, 1 + rand_r(seed) % 3, P + rand_r(seed) % 8);
		rec->task.flags = any(seed);
		rec->task.name = rand_r(seed) % 64;
		rec->task.args = rand_r(seed) % 64;
		return sizeof(rec->task);
	case 2:
		rec->ds = record_ds(tgid, "FWFSMU");
		rec->ds.flags = any(seed);
		return sizeof(rec->ds);
	}
	rec->fs = record_fs(tgid, ops[rand_r(seed) % 14], rand_r(seed) % 20, rand_r(seed) % 20);
	rec->fs.dirfd = rand_r(seed) % 3 ? AT_FDCWD : rand_r(seed) % 20;
	rec->fs.name = rand_r(seed) % 64;
	rec->fs.dir = rand_r(seed) % 4 ? 0 : rand_r(seed) % 64;
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
	struct events_options options = { .plan = &plan, .all_fs = _i % 2, .names = 32, .n_cpus = 4,
					  .row = count_row };
	unsigned seed = 1000 + _i;

	events_close(ev);
	plan.choices[0].chosen = _i % 3 ? plan.choices[0].chosen : NULL;
	for (int i = 0; i < N_STREAMS; i++)
		options.wanted[i] = true;
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
	flush();
	ck_assert_uint_gt(fuzz_rows, 1000);
}
END_TEST

static TCase *calls_case(void)
{
	TCase *tcase = tcase_create("system calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, open_write_close_are_three_rows);
	tcase_add_test(tcase, time_of_a_row_is_its_start);
	tcase_add_test(tcase, rows_of_calls_that_overlap_leave_in_the_order_of_their_start);
	tcase_add_test(tcase, failed_open_is_a_row_with_the_path_it_was_given);
	tcase_add_test(tcase, call_on_a_bad_descriptor_is_a_row);
	tcase_add_test(tcase, sockets_and_pseudo_files_are_out_of_scope);
	tcase_add_test(tcase, offset_of_pread_is_its_own);
	tcase_add_test(tcase, close_of_a_duplicate_is_no_row);
	tcase_add_test(tcase, exit_closes_what_is_open_without_a_latency);
	tcase_add_test(tcase, chdir_is_followed_through_its_text);
	tcase_add_test(tcase, process_that_is_gone_still_has_rows);
	tcase_add_test(tcase, names_with_anything_in_them_stay_one_field);
	tcase_add_test(tcase, vectored_call_asked_for_at_least_what_it_moved);
	return tcase;
}

static TCase *kernel_case(void)
{
	TCase *tcase = tcase_create("files of the kernel");

	tcase_add_checked_fixture(tcase, setup_kernel, teardown);
	tcase_add_test(tcase, rows_of_the_kernels_file_carry_its_walked_name);
	tcase_add_test(tcase, unlinked_and_cut_names_are_marked);
	tcase_add_test(tcase, unknown_name_is_empty_and_asked_for_again_once);
	tcase_add_test(tcase, close_by_the_kernel_has_no_offset);
	tcase_add_test(tcase, offset_that_the_kernel_does_not_say_is_empty);
	tcase_add_test(tcase, lost_names_are_asked_for_again);
	return tcase;
}

static TCase *others_case(void)
{
	TCase *tcase = tcase_create("others");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, request_is_a_row_of_its_submitter);
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

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, any_record_is_survived, 0, 8);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("events");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, calls_case());
	suite_add_tcase(suite, kernel_case());
	suite_add_tcase(suite, others_case());
	suite_add_tcase(suite, fuzz_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
