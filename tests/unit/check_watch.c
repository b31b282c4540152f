/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations as lines: what each stream's columns become, for people and as JSON; and that who
 * records never waits for who reads.
 */
#include "analysis/watch/watch.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/common/operation_line.h"
#include "analysis/common/row_queue.h"
#include "base/log.h"
#include "read/split.h"

static struct operations *operations;
static char line[OPERATION_LINE_MAX];
static char row[ROW_QUEUE_ROW_MAX + SPLIT_PAD];

static void set_up(void)
{
	operations = operations_open(ALL_OPERATION_PARTS);
	ck_assert_ptr_ne(operations, NULL);
}

static void tear_down(void)
{
	operations_close(operations);
}

/* A row in which these columns have values: "name=value|name=value". Returns its length. */
static size_t make_row(enum stream_id stream, const char *values)
{
	const struct stream *s = &streams[stream];
	char *p = row;

	for (unsigned i = 0; i < s->n_columns; i++) {
		size_t len = strlen(s->columns[i].name);

		for (const char *at = values; at; at = strchr(at, '|')) {
			at += *at == '|';
			if (!strncmp(at, s->columns[i].name, len) && at[len] == '=')
				p += sprintf(p, "%.*s", (int)strcspn(at + len + 1, "|"),
					     at + len + 1);
		}
		*p++ = i + 1 < s->n_columns ? ',' : '\n';
	}
	return (size_t)(p - row);
}

static const char *text(enum stream_id stream, const char *values)
{
	struct operation op;

	ck_assert(operations_read(operations, stream, row, make_row(stream, values), &op));
	line[operation_line_text(line, &op, 0, false)] = '\0';
	return line;
}

static json_t *json(enum stream_id stream, const char *values)
{
	struct operation op;
	json_t *object;

	ck_assert(operations_read(operations, stream, row, make_row(stream, values), &op));
	line[operation_line_json(line, &op)] = '\0';
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
	object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(object != NULL, "%s", line);
	return object;
}

#define TIME_AND_TASK "timestamp=2026-11-23 16:44:02.410515|pid=15374|tid=15375|command=sh|"

START_TEST(columns_stand_below_their_titles)
{
	const char *at;

	text(STREAM_fs, TIME_AND_TASK "operation=WRITE|size=4096|offset=8192|latency_ns=20749|"
				      "return_value=4096|filename=/tmp/a b");
	ck_assert_str_eq(line,
			 "16:44:02.410515 fs         WRITE           15374   15375 sh"
			 "                   4096         8192        20.7 4096       /tmp/a b\n");
	at = strstr(operation_line_header, "PATH");
	ck_assert_str_eq(line + (at - operation_line_header), "/tmp/a b\n");
	at = strstr(operation_line_header, "COMM");
	ck_assert_int_eq(strncmp(line + (at - operation_line_header), "sh ", 3), 0);
	at = strstr(operation_line_header, "RET");
	ck_assert_int_eq(strncmp(line + (at - operation_line_header), "4096 ", 5), 0);
}
END_TEST

START_TEST(what_is_not_known_is_a_dash)
{
	text(STREAM_fs, "timestamp=2026-11-23 16:44:02.410515|operation=CLOSE");
	ck_assert_str_eq(line, "16:44:02.410515 fs         CLOSE               -       -"
			       "                         -            -           - -\n");
}
END_TEST

START_TEST(a_failure_is_named)
{
	ck_assert_ptr_ne(strstr(text(STREAM_fs, TIME_AND_TASK "operation=OPEN|return_value=-2"),
				" ENOENT\n"),
			 NULL);
	ck_assert_ptr_ne(strstr(text(STREAM_ds, TIME_AND_TASK "operation=read|error=EIO|dev=8:0"),
				" EIO        8:0\n"),
			 NULL);
	/* a number of exec that is no failure */
	ck_assert_ptr_ne(strstr(text(STREAM_exec, TIME_AND_TASK "event_type=FORK|return_value=77"),
				" 77\n"),
			 NULL);
}
END_TEST

START_TEST(a_line_is_cut_to_the_terminal)
{
	struct operation op;
	size_t n = make_row(STREAM_fs, TIME_AND_TASK "operation=OPEN|filename=/\xc3\xa4\xc3\xa4"
						     "xyz");

	ck_assert(operations_read(operations, STREAM_fs, row, n, &op));
	n = (size_t)(strstr(operation_line_header, "PATH") - operation_line_header) + 3;
	n = operation_line_text(line, &op, (unsigned)n, false);
	line[n] = '\0';
	ck_assert_str_eq(strrchr(line, '/'), "/\xc3\xa4\xc3\xa4\n");
	n = operation_line_text(line, &op, 20, true);
	line[n] = '\0';
	ck_assert_str_eq(line, "16:44:02.410515 fs\n"); /* no failure, no colour */
}
END_TEST

START_TEST(units_are_bytes)
{
	json_t *o = json(STREAM_ds, TIME_AND_TASK "operation=read|sector=8|size=4096|"
						  "latency_ms=1.250000|dev=254:0");

	ck_assert_int_eq(json_integer_value(json_object_get(o, "offset")), 4096);
	ck_assert_int_eq(json_integer_value(json_object_get(o, "latency_ns")), 1250000);
	ck_assert_str_eq(json_string_value(json_object_get(o, "device")), "254:0");
	json_decref(o);
	o = json(STREAM_pagefault, TIME_AND_TASK "fault_type=READ|severity=MAJOR|offset=3");
	ck_assert_int_eq(json_integer_value(json_object_get(o, "offset")),
			 3 * sysconf(_SC_PAGESIZE));
	ck_assert_str_eq(json_string_value(json_object_get(o, "detail")), "MAJOR");
	json_decref(o);
}
END_TEST

START_TEST(connections_show_both_ends)
{
	text(STREAM_nw, TIME_AND_TASK "direction=send|protocol=TCP|size=100|return_value=100|"
				      "source_addr=10.0.0.1|source_port=80|dest_addr=::1|"
				      "dest_port=4711");
	ck_assert_ptr_ne(strstr(line, " 100        TCP 10.0.0.1:80 -> [::1]:4711\n"), NULL);
	text(STREAM_nw_conn, TIME_AND_TASK "event_type=LISTEN|local_addr=0.0.0.0|local_port=80");
	ck_assert_ptr_ne(strstr(line, " 0.0.0.0:80\n"), NULL);
}
END_TEST

START_TEST(losses_are_lines)
{
	json_t *o;

	text(STREAM_lost, "timestamp=2026-11-23 16:44:02.410515|stream=fs|reason=ring|count=17");
	ck_assert_int_eq(strncmp(line, "16:44:02.410515 lost       ring ", 32), 0);
	ck_assert_ptr_ne(strstr(line, " 17 "), NULL);
	ck_assert_ptr_ne(strstr(line, " fs\n"), NULL);
	o = json(STREAM_lost, "timestamp=2026-11-23 16:44:02.410515|stream=fs|reason=ring|"
			      "count=17");
	ck_assert_int_eq(json_integer_value(json_object_get(o, "count")), 17);
	ck_assert_str_eq(json_string_value(json_object_get(o, "stream")), "fs");
	json_decref(o);
}
END_TEST

START_TEST(json_holds_any_name)
{
	json_t *o = json(STREAM_fs, TIME_AND_TASK "operation=OPEN|path_status=e|"
						  "filename=\"/a\"\"b,\\n<script>\t\\xff\"");

	ck_assert_str_eq(json_string_value(json_object_get(o, "path")), "/a\"b,\\n<script>\t\\xff");
	ck_assert_str_eq(json_string_value(json_object_get(o, "time")),
			 "2026-11-23 16:44:02.410515");
	ck_assert(json_is_null(json_object_get(o, "size")));
	json_decref(o);
}
END_TEST

START_TEST(every_stream_has_an_event)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		struct operation op;
		char values[4096] = "";
		size_t n = 0;

		for (unsigned c = 0; c < streams[i].n_columns; c++)
			n += (size_t)sprintf(values + n, "%s=%s|", streams[i].columns[c].name,
					     streams[i].columns[c].kind == PARSE_TEXT ? "x" : "");
		ck_assert(operations_read(operations, (enum stream_id)i, row,
					  make_row((enum stream_id)i, values), &op));
		ck_assert_msg(op.parts[OP_EVENT].known, "%s", streams[i].name);
	}
}
END_TEST

START_TEST(a_broken_row_is_refused)
{
	struct operation op;

	strcpy(row, "no,row,of,fs\n");
	ck_assert(!operations_read(operations, STREAM_fs, row, strlen(row), &op));
	strcpy(row, "without an end");
	ck_assert(!operations_read(operations, STREAM_fs, row, strlen(row), &op));
}
END_TEST

/* ---- the queue ---- */

START_TEST(rows_come_out_by_their_time)
{
	struct row_queue *queue = row_queue_open(2);
	struct row_block *block;
	struct row_view view;
	unsigned at = 0;
	bool ended;

	row_queue_push(queue, STREAM_fs, "b\n", 2, 20);
	row_queue_push(queue, STREAM_fs, "d\n", 2, 40);
	row_queue_push(queue, STREAM_ds, "a\n", 2, 10);
	row_queue_push(queue, STREAM_ds, "c\n", 2, 20);
	row_queue_tick(queue);
	block = row_queue_take(queue, 0, &ended);
	for (const char *wanted = "abcd"; *wanted; wanted++) {
		ck_assert(row_block_next(block, &at, &view));
		ck_assert_int_eq(view.row[0], *wanted);
		ck_assert_int_eq(view.stream, strchr("ac", *wanted) ? STREAM_ds : STREAM_fs);
	}
	ck_assert(!row_block_next(block, &at, &view));
	row_queue_give_back(queue, block);
	ck_assert_ptr_eq(row_queue_take(queue, 1, &ended), NULL);
	ck_assert(!ended);
	row_queue_end(queue);
	ck_assert_ptr_eq(row_queue_take(queue, 1000, &ended), NULL);
	ck_assert(ended);
	row_queue_close(queue);
}
END_TEST

static unsigned take_all(struct row_queue *queue, uint64_t *dropped)
{
	struct row_block *block;
	struct row_view view;
	unsigned n = 0, at;
	bool ended;

	while ((block = row_queue_take(queue, 0, &ended))) {
		*dropped += row_block_dropped(block);
		for (at = 0; row_block_next(block, &at, &view);)
			n++;
		row_queue_give_back(queue, block);
	}
	return n;
}

START_TEST(what_finds_no_room_is_counted)
{
	struct row_queue *queue = row_queue_open(2);
	uint64_t dropped = 0;
	unsigned n;

	for (unsigned i = 0; i < 100003; i++)
		row_queue_push(queue, STREAM_fs, "x\n", 2, i);
	n = take_all(queue, &dropped);
	ck_assert_uint_gt(n, 1000);
	ck_assert_uint_lt(n, 100003);
	for (unsigned i = 0; i < 5; i++)
		row_queue_push(queue, STREAM_fs, "x\n", 2, i);
	row_queue_end(queue);
	n += take_all(queue, &dropped);
	ck_assert_uint_eq(n + dropped, 100008);
	row_queue_close(queue);
}
END_TEST

START_TEST(the_last_drops_are_told_when_all_blocks_wait)
{
	struct row_queue *queue = row_queue_open(1);
	uint64_t dropped = 0;
	unsigned n;

	for (unsigned i = 0; i < 10007; i++)
		row_queue_push(queue, STREAM_fs, "x\n", 2, i);
	row_queue_end(queue);
	n = take_all(queue, &dropped);
	ck_assert_uint_eq(n + dropped, 10007);
	ck_assert_uint_gt(dropped, 0);
	row_queue_close(queue);
}
END_TEST

/* ---- the thread ---- */

static unsigned count_lines(int fd, unsigned long *dropped)
{
	FILE *in = fdopen(fd, "r");
	unsigned n = 0;

	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "{\"dropped\":%lu}", dropped) != 1)
			n++;
	fclose(in);
	return n;
}

START_TEST(nobody_waits_for_a_reader)
{
	size_t len = make_row(STREAM_fs, TIME_AND_TASK "operation=OPEN|filename=/x");
	unsigned long dropped = 0;
	struct watch_totals totals;
	struct watch *watch;
	unsigned n;
	int ends[2], child;

	ck_assert_int_eq(pipe(ends), 0);
	watch = watch_open(&(struct watch_options){ .fd = ends[1], .json = true });
	ck_assert_ptr_ne(watch, NULL);
	for (unsigned i = 0; i < 400009; i++) /* returns although nobody reads */
		watch_row(watch, STREAM_fs, row, len, i);
	ck_assert(watch_tick(watch));
	child = fork();
	if (!child) {
		close(ends[1]);
		n = count_lines(ends[0], &dropped);
		_exit(n > 100 && dropped > 100 && n + dropped == 400009 ? 0 : 1);
	}
	close(ends[0]);
	watch_end(watch, false);
	totals = watch_totals(watch);
	watch_close(watch);
	close(ends[1]);
	ck_assert_int_eq(waitpid(child, &child, 0) > 0 && child == 0, 1);
	ck_assert_uint_eq(totals.rows, 400009);
	ck_assert_uint_gt(totals.lines, 100);
	ck_assert_uint_lt(totals.lines, 400009);
	ck_assert_int_eq(totals.err, 0);
}
END_TEST

START_TEST(a_stuck_reader_does_not_keep_an_interrupted_one)
{
	size_t len = make_row(STREAM_fs, TIME_AND_TASK "operation=OPEN|filename=/x");
	struct watch *watch;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	watch = watch_open(&(struct watch_options){ .fd = ends[1] });
	for (unsigned i = 0; i < 10007; i++)
		watch_row(watch, STREAM_fs, row, len, i);
	watch_end(watch, true);
	ck_assert_uint_lt(watch_totals(watch).lines, 10007);
	watch_close(watch);
}
END_TEST

START_TEST(a_closed_pipe_is_noticed)
{
	size_t len = make_row(STREAM_fs, TIME_AND_TASK "operation=OPEN|filename=/x");
	struct watch *watch;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	watch = watch_open(&(struct watch_options){ .fd = ends[1] });
	close(ends[0]);
	watch_row(watch, STREAM_fs, row, len, 1);
	while (watch_tick(watch))
		usleep(1000);
	watch_end(watch, false);
	ck_assert_int_eq(watch_totals(watch).err, EPIPE);
	ck_assert_uint_eq(watch_totals(watch).lines, 0);
	watch_close(watch);
}
END_TEST

START_TEST(one_that_never_began_writes_nothing)
{
	struct watch *watch;
	int ends[2];
	char c;

	ck_assert_int_eq(pipe(ends), 0);
	watch = watch_open(&(struct watch_options){ .fd = ends[1] });
	watch_close(watch);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watch");
	TCase *lines = tcase_create("lines"), *queue = tcase_create("queue");
	SRunner *runner;
	int failed;

	log_set_level(LOG_QUIET);
	tcase_add_checked_fixture(lines, set_up, tear_down);
	tcase_add_test(lines, columns_stand_below_their_titles);
	tcase_add_test(lines, what_is_not_known_is_a_dash);
	tcase_add_test(lines, a_failure_is_named);
	tcase_add_test(lines, a_line_is_cut_to_the_terminal);
	tcase_add_test(lines, units_are_bytes);
	tcase_add_test(lines, connections_show_both_ends);
	tcase_add_test(lines, losses_are_lines);
	tcase_add_test(lines, json_holds_any_name);
	tcase_add_test(lines, every_stream_has_an_event);
	tcase_add_test(lines, a_broken_row_is_refused);
	suite_add_tcase(suite, lines);
	tcase_add_test(queue, rows_come_out_by_their_time);
	tcase_add_test(queue, what_finds_no_room_is_counted);
	tcase_add_test(queue, the_last_drops_are_told_when_all_blocks_wait);
	tcase_add_test(queue, nobody_waits_for_a_reader);
	tcase_add_test(queue, a_stuck_reader_does_not_keep_an_interrupted_one);
	tcase_add_test(queue, a_closed_pipe_is_noticed);
	tcase_add_test(queue, one_that_never_began_writes_nothing);
	suite_add_tcase(suite, queue);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
