/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened in an interval, added up; and the tables that are printed of it. */
#include "analysis/top/top.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/top/top_users.h"
#include "base/clock.h"
#include "base/log.h"
#include "events/events.h"

static struct top_model *model;
static struct top_containers *containers;

static void set_up(void)
{
	containers = top_containers_open("/no-proc", "");
	model = top_model_open(containers);
	ck_assert_ptr_ne(model, NULL);
}

static void tear_down(void)
{
	top_model_close(model);
	top_containers_close(containers);
}

static struct field *part_of(struct operation *op, enum operation_part part)
{
	return (struct field *)&op->parts[part];
}

static void set_text(struct operation *op, enum operation_part part, const char *text)
{
	*part_of(op, part) = (struct field){ .u = strtoull(text, NULL, 10),
					     .text = text,
					     .len = (uint32_t)strlen(text),
					     .known = text[0] != '\0' };
}

/* Of a few operations at a time. */
static struct operation make(enum stream_id stream, const char *event, const char *path)
{
	static struct field fields[4][N_OPERATION_PARTS];
	static unsigned n;
	struct operation op = { .stream = stream, .parts = fields[n++ % 4] };

	for (int i = 0; i < N_OPERATION_PARTS; i++)
		set_text(&op, (enum operation_part)i, "");
	set_text(&op, OP_EVENT, event);
	set_text(&op, OP_PID, "77");
	set_text(&op, OP_COMMAND, "dd");
	set_text(&op, stream == STREAM_ds ? OP_DEVICE : OP_PATH, path);
	return op;
}

static void feed(enum stream_id stream, const char *event, const char *path, int64_t result,
		 uint64_t ns)
{
	struct operation op = make(stream, event, path);

	part_of(&op, OP_RESULT)->known = stream != STREAM_ds;
	part_of(&op, OP_RESULT)->s = result;
	part_of(&op, OP_SIZE)->known = true;
	part_of(&op, OP_SIZE)->u = 4096;
	part_of(&op, OP_LATENCY)->known = ns != 0;
	part_of(&op, OP_LATENCY)->u = ns;
	top_model_feed(model, &op);
}

static bool is_named(const struct top_row *row, const char *name)
{
	/* of a file, behind the mount namespace */
	unsigned at = row->number > UINT16_MAX ? row->name_at : 0;

	return row->key_len - at == strlen(name) && !memcmp(row->key + at, name, strlen(name));
}

START_TEST(calls_of_a_file_are_added_up)
{
	const struct top_row *rows;

	feed(STREAM_fs, "READ", "/a", 100, 10);
	feed(STREAM_fs, "READ", "/a", 0, 30);
	feed(STREAM_fs, "WRITE", "/a", 7, 20);
	feed(STREAM_fs, "WRITE", "/a", -28, 0);
	feed(STREAM_fs, "DIO_READ", "/a", 100, 10); /* beside its READ */
	feed(STREAM_fs, "READ", "/b", 1000, 1);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_BYTES, &rows), 2);
	ck_assert(is_named(&rows[0], "/b"));
	ck_assert(is_named(&rows[1], "/a"));
	ck_assert_uint_eq(rows[1].ops, 4);
	ck_assert_uint_eq(rows[1].reads, 2);
	ck_assert_uint_eq(rows[1].read_bytes, 100);
	ck_assert_uint_eq(rows[1].writes, 2);
	ck_assert_uint_eq(rows[1].write_bytes, 7);
	ck_assert_uint_eq(rows[1].errors, 1);
	ck_assert_uint_eq(rows[1].timed, 3);
	ck_assert_uint_eq(rows[1].ns, 60);
	ck_assert_uint_eq(rows[1].max_ns, 30);
	top_model_rows(model, TOP_FILES, TOP_BY_ERRORS, &rows);
	ck_assert(is_named(&rows[0], "/a"));
	ck_assert_uint_eq(top_model_sums(model).ops, 5);
}
END_TEST

START_TEST(each_view_has_its_own_rows)
{
	const struct top_row *rows;
	struct operation op = make(STREAM_nw, "send", "");

	feed(STREAM_fs, "OPEN", "/a", 3, 10);
	feed(STREAM_fs, "CLOSE", "", 0, 10); /* without a name */
	feed(STREAM_ds, "write", "8:0", 0, 5);
	set_text(&op, OP_DETAIL, "TCP");
	set_text(&op, OP_FROM, "10.0.0.1");
	set_text(&op, OP_TO, "10.0.0.2");
	*part_of(&op, OP_RESULT) = (struct field){ .s = 55, .known = true, .text = "55", .len = 2 };
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 1);
	ck_assert_uint_eq(top_model_rows(model, TOP_DEVICES, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "8:0"));
	ck_assert_uint_eq(rows[0].write_bytes, 4096);
	ck_assert_uint_eq(top_model_rows(model, TOP_CONNECTIONS, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "TCP 10.0.0.1 -> 10.0.0.2"));
	ck_assert_uint_eq(rows[0].write_bytes, 55);
	ck_assert_uint_eq(top_model_rows(model, TOP_PROCESSES, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "77 dd"));
	ck_assert_uint_eq(rows[0].ops, 4);
	ck_assert_uint_eq(top_model_rows(model, TOP_LAYERS, TOP_BY_OPS, &rows), 3);
	ck_assert(is_named(&rows[0], "fs"));
}
END_TEST

static struct operation of_ring(const char *event, const char *opcode, int64_t result)
{
	struct operation op = make(STREAM_iouring, event, "/a");

	set_text(&op, OP_RING, "0x1");
	set_text(&op, OP_DETAIL, opcode);
	*part_of(&op,
		 OP_RESULT) = (struct field){ .s = result, .known = true, .text = "1", .len = 1 };
	return op;
}

/* Of a process that exec told of, of one that nobody knows, and of a request for another one. */
START_TEST(operations_are_of_containers)
{
	const struct top_row *rows;
	struct operation op = make(STREAM_exec, "FORK", "");

	set_text(&op, OP_CONTAINER, "web");
	top_model_feed(model, &op);
	feed(STREAM_fs, "WRITE", "/a", 5, 10);
	op = make(STREAM_ds, "write", "8:0");
	set_text(&op, OP_PID, "8");
	set_text(&op, OP_OWNER_PID, "77");
	top_model_feed(model, &op);
	op = make(STREAM_fs, "WRITE", "/b");
	set_text(&op, OP_PID, "9");
	top_model_feed(model, &op);
	op = make(STREAM_exec, "EXEC", "");
	set_text(&op, OP_PID, "10");
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_rows(model, TOP_CONTAINERS, TOP_BY_OPS, &rows), 3);
	ck_assert(is_named(&rows[0], "web"));
	ck_assert_uint_eq(rows[0].ops, 3);
	ck_assert(is_named(&rows[1], "(host)"));
	ck_assert(is_named(&rows[2], "(not known)"));
	/* it was moved, and another one has its number */
	op = make(STREAM_exec, "GROUP", "");
	set_text(&op, OP_CONTAINER, "db");
	top_model_feed(model, &op);
	feed(STREAM_fs, "WRITE", "/a", 5, 10);
	ck_assert_uint_eq(top_model_rows(model, TOP_CONTAINERS, TOP_BY_OPS, &rows), 4);
	ck_assert(is_named(&rows[1], "db"));
	ck_assert_uint_eq(rows[1].ops, 2);
}
END_TEST

START_TEST(requests_of_a_ring_count_when_they_complete)
{
	struct operation submit = of_ring("SUBMIT", "READV", 0);
	struct operation read = of_ring("COMPLETE", "READV", 512);
	struct operation send = of_ring("COMPLETE", "SENDMSG", 77);
	const struct top_row *rows;

	top_model_feed(model, &submit);
	top_model_feed(model, &read);
	top_model_feed(model, &send);
	ck_assert_uint_eq(top_model_rows(model, TOP_RINGS, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "0x1 77 dd"));
	ck_assert_uint_eq(rows[0].ops, 2);
	ck_assert_uint_eq(rows[0].read_bytes, 512);
	ck_assert_uint_eq(rows[0].write_bytes, 77);
}
END_TEST

START_TEST(latencies_of_a_kind_have_percentiles)
{
	const struct top_row *rows;

	for (unsigned i = 1; i <= 100; i++)
		feed(STREAM_fs, "READ", i & 1 ? "/a" : "/b", 1, i * 1000);
	feed(STREAM_fs, "OPEN", "/a", 1, 0); /* not known */
	ck_assert_uint_eq(top_model_rows(model, TOP_LATENCY, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "fs READ"));
	ck_assert_uint_eq(latencies_percentile(rows[0].latencies, 1000), 100000);
	ck_assert_uint_ge(latencies_percentile(rows[0].latencies, 500), 50000);
	ck_assert_uint_le(latencies_percentile(rows[0].latencies, 500), 51600);
	top_model_reset(model);
	feed(STREAM_fs, "READ", "/a", 1, 7);
	top_model_rows(model, TOP_LATENCY, TOP_BY_OPS, &rows);
	ck_assert_uint_eq(rows[0].latencies->n, 1);
}
END_TEST

/* Its requests below count for the process, and as operations. */
START_TEST(a_bio_counts_for_its_device_alone)
{
	struct operation op = make(STREAM_bio, "write", "");
	const struct top_row *rows;

	set_text(&op, OP_DEVICE, "253:0");
	set_text(&op, OP_PID, "7");
	*part_of(&op, OP_SIZE) = (struct field){ .u = 4096, .known = true };
	*part_of(&op, OP_LATENCY) = (struct field){ .u = 5, .known = true };
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_sums(model).ops, 0);
	ck_assert_uint_eq(top_model_rows(model, TOP_PROCESSES, TOP_BY_OPS, &rows), 0);
	ck_assert_uint_eq(top_model_rows(model, TOP_DEVICES, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "253:0"));
	ck_assert_uint_eq(rows[0].write_bytes, 4096);
}
END_TEST

static void feed_from(const char *mntns)
{
	struct operation op = make(STREAM_fs, "READ", "/a");

	set_text(&op, OP_MNTNS, mntns);
	top_model_feed(model, &op);
}

static struct table_value name_in_files(void)
{
	struct top_round round = { .view = TOP_FILES, .sums = top_model_sums(model) };
	struct table_value values[TABLE_MAX_COLUMNS];
	const struct table_column *columns;

	round.n = top_model_rows(model, TOP_FILES, TOP_BY_OPS, &round.rows);
	top_values(&round, &round.rows[0], values);
	return values[top_columns(TOP_FILES, &columns) - 1];
}

START_TEST(a_path_of_two_mount_namespaces_is_two_files)
{
	const struct top_row *rows;

	feed_from("4026531841");
	feed_from("4026531841");
	ck_assert_str_eq(name_in_files().text, "/a");
	feed_from("4026532208");
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 2);
	ck_assert_int_eq(memcmp(name_in_files().text, "4026531841 /a", 13), 0);
	ck_assert_uint_eq(name_in_files().len, 13);
}
END_TEST

static void feed_by(const char *pid, const char *tid, const char *comm, const char *path,
		    int64_t result)
{
	struct operation op = make(STREAM_fs, "WRITE", path);

	set_text(&op, OP_PID, pid);
	set_text(&op, OP_TID, tid);
	set_text(&op, OP_COMMAND, comm);
	*part_of(&op, OP_RESULT) = (struct field){ .s = result, .known = true };
	top_model_feed(model, &op);
}

START_TEST(a_file_has_those_who_use_it)
{
	static struct top_file file = { .chosen = true, .len = 2, .path = "/a" };
	const struct top_row *rows;

	feed_by("10", "10", "db", "/a", 100);
	feed_by("10", "11", "worker", "/a", 1000);
	feed_by("10", "12", "worker", "/a", 20);
	feed_by("20", "20", "cp", "/a", 500);
	feed_by("20", "20", "cp", "/b", 5000);
	file.threads = false;
	ck_assert_uint_eq(top_model_users(model, &file, TOP_BY_BYTES, &rows), 2);
	ck_assert(is_named(&rows[0], "10 db"));
	ck_assert_uint_eq(rows[0].write_bytes, 1120);
	ck_assert_uint_eq(rows[0].ops, 3);
	ck_assert(is_named(&rows[1], "20 cp"));
	ck_assert_uint_eq(rows[1].write_bytes, 500);
	/* also when the files are in another order, and a second time */
	top_model_rows(model, TOP_FILES, TOP_BY_BYTES, &rows);
	file.threads = true;
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(top_model_users(model, &file, TOP_BY_BYTES, &rows), 4);
		ck_assert(is_named(&rows[0], "10/11 worker"));
		ck_assert(is_named(&rows[1], "20 cp"));
		ck_assert(is_named(&rows[2], "10 db"));
		ck_assert(is_named(&rows[3], "10/12 worker"));
	}
	file.path[1] = 'c';
	ck_assert_uint_eq(top_model_users(model, &file, TOP_BY_BYTES, &rows), 0);
	file.path[1] = 'a';
	top_model_reset(model);
	ck_assert_uint_eq(top_model_users(model, &file, TOP_BY_BYTES, &rows), 0);
}
END_TEST

/* ---- devices ---- */

/* Two seconds apart, as /proc/diskstats has them */
static void read_disks(struct top_disks *disks, const char *root, const char *text)
{
	char path[300];
	FILE *out;

	snprintf(path, sizeof(path), "%s/proc/diskstats", root);
	out = fopen(path, "w");
	fputs(text, out);
	fclose(out);
	top_disks_read(disks, root);
}

START_TEST(devices_have_the_figures_of_iostat)
{
	static struct top_disks before, after;
	static struct top_disk_use uses[TOP_MAX_DISKS];
	char root[] = "/tmp/iotracer-top-XXXXXX", command[600];
	struct table_value values[TABLE_MAX_COLUMNS];
	struct top_round round = { .view = TOP_DEVICES, .ns = 2 * NS_PER_S };
	const uint64_t wanted[] = {
		50500000, 100000000, 404000000, 1600000000, 250000, 0, 5000000
	};
	const struct top_row *rows;

	ck_assert(mkdtemp(root) != NULL);
	snprintf(command, sizeof(command), "mkdir -p %s/proc %s/sys/block/vda %s/sys/block/vdb",
		 root, root, root);
	ck_assert_int_eq(system(command), 0);
	read_disks(&before, root,
		   " 254 0 vda 100 1 800 4294967290 200 2 1600 40 0 1000 60 10 0 80 5 3 1\n"
		   " 254 1 vda1 100 1 800 30 200 2 1600 40 0 1000 60\n"
		   " 254 16 vdb 7 0 0 0 0 0 0 0 0 0 0\n"
		   "   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	read_disks(&after, root,
		   " 254 0 vda 201 1 2416 24 400 2 8000 240 0 1100 560 20 0 160 35 9 7\n"
		   " 254 1 vda1 201 1 2416 60 400 2 8000 240 0 1100 560\n"
		   " 254 16 vdb 7 0 0 0 0 0 0 0 0 0 0\n"
		   "   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	after.ns = before.ns + 2 * NS_PER_S;
	feed(STREAM_ds, "write", "254:0", 0, 5);
	feed(STREAM_ds, "write", "254:16", 0, 7);
	top_model_add_disks(model, uses, top_disks_use(&before, &after, root, uses));
	/* no partition, nor what did nothing, unless it was traced */
	round.n = top_model_rows(model, TOP_DEVICES, TOP_BY_BYTES, &rows);
	ck_assert_uint_eq(round.n, 2);
	top_values(&round, &rows[0], values);
	for (unsigned i = 0; i < 7; i++)
		if (i != 5)
			ck_assert_uint_eq(values[i].u, wanted[i]);
	/* 30 ms of 101 reads, the counter having begun again, 200 of 200 writes, 30 of 10 discards */
	ck_assert_uint_eq(values[5].u, 260 * 1000000ull / 311);
	ck_assert_uint_eq(values[8].u, 5);
	top_values(&round, &rows[1], values);
	ck_assert(values[0].known && values[0].u == 0 && values[6].u == 0);
	ck_assert(!values[5].known);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(losses_are_no_operations)
{
	struct operation op = make(STREAM_lost, "ring", "");

	*part_of(&op, OP_SIZE) = (struct field){ .u = 17, .known = true, .text = "17", .len = 2 };
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_sums(model).lost, 17);
	ck_assert_uint_eq(top_model_sums(model).ops, 0);
}
END_TEST

START_TEST(an_interval_begins_with_nothing)
{
	const struct top_row *rows;

	feed(STREAM_fs, "READ", "/a", 100, 10);
	top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows);
	top_model_reset(model);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 0);
	ck_assert_uint_eq(top_model_sums(model).ops, 0);
	feed(STREAM_fs, "READ", "/a", 100, 10);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 1);
	ck_assert_uint_eq(rows[0].ops, 1);
}
END_TEST

START_TEST(more_names_than_fit_are_one_row)
{
	const struct top_row *rows;
	uint64_t ops = 0;
	unsigned n;
	char name[32];

	for (unsigned i = 0; i < 30011; i++) {
		sprintf(name, "/file%u", i);
		feed(STREAM_fs, "READ", name, 1, 1);
	}
	for (int again = 0; again < 2; again++) {
		n = top_model_rows(model, TOP_FILES, TOP_BY_BYTES, &rows);
		ck_assert_uint_lt(n, 10000);
		ck_assert(is_named(&rows[0], "(others)"));
		ops = 0;
		for (unsigned i = 0; i < n; i++)
			ops += rows[i].ops;
		ck_assert_uint_eq(ops, 30011);
	}
}
END_TEST

/* ---- tables ---- */

static char printed[65536];
static unsigned detach_ms;  /* how long the recorder needs for its end */
static uint64_t stopped_ns; /* when it began with that */

static void run_top(struct top_options options, unsigned n_rows, unsigned ms)
{
	struct field values[N_OPERATION_PARTS] = { { .known = false } };
	struct operation op = { STREAM_fs, values };
	struct top *top;
	uint64_t until = mono_ns() + ms * (NS_PER_S / 1000);

	set_text(&op, OP_EVENT, "READ");
	set_text(&op, OP_PATH, "/x");
	set_text(&op, OP_PID, "1");
	*part_of(&op, OP_RESULT) = (struct field){ .s = 1024, .known = true };
	*part_of(&op, OP_LATENCY) = (struct field){ .u = 1000, .known = true };
	options.out = tmpfile();
	top = top_open(&options);
	ck_assert_ptr_ne(top, NULL);
	for (unsigned i = 0; i < n_rows; i++)
		top_wants(top)->fn(top_wants(top)->arg, STREAM_fs, values);
	while (top_tick(top) == TOP_GOING && mono_ns() < until)
		usleep(5000);
	top_stopping(top);
	stopped_ns = mono_ns();
	until = stopped_ns + detach_ms * (NS_PER_S / 1000);
	while (mono_ns() < until)
		usleep(5000);
	top_end(top, false);
	ck_assert_int_eq(top_close(top), 0);
	rewind(options.out);
	printed[fread(printed, 1, sizeof(printed) - 1, options.out)] = '\0';
	fclose(options.out);
}

static unsigned n_rounds(void)
{
	unsigned n = 0;

	for (const char *at = printed; (at = strstr(at, "own CPU: ")); at++)
		n++;
	return n;
}

START_TEST(so_many_rounds_are_printed)
{
	run_top((struct top_options){ .interval_ns = NS_PER_S / 20, .rounds = 3 }, 0, 20000);
	ck_assert_uint_eq(n_rounds(), 3);
	ck_assert_ptr_ne(strstr(printed, "\n\n"), NULL);
}
END_TEST

START_TEST(the_rest_of_an_interval_is_printed)
{
	run_top((struct top_options){ .interval_ns = 3600 * NS_PER_S }, 100, 50);
	ck_assert_uint_eq(n_rounds(), 1);
	ck_assert_ptr_ne(strstr(printed, "files: 1  "), NULL);
	ck_assert_ptr_ne(strstr(printed, "lost: 0  "), NULL);
	ck_assert_ptr_ne(strstr(printed, "  1.00us  1.00us  /x\n"), NULL);
}
END_TEST

START_TEST(csv_has_exact_sums_and_one_header)
{
	char expected[128];

	run_top((struct top_options){ .interval_ns = NS_PER_S / 20,
				      .rounds = 3,
				      .format = TABLE_CSV },
		100, 20000);
	ck_assert_int_eq(strncmp(printed, "time,interval_ns,lost,own_cpu,operations,", 41), 0);
	ck_assert_ptr_eq(strstr(printed + 1, "time,"), NULL);
	sprintf(expected, ",100,100,%d,0,0,0,1000,,,,1000,,/x\n", 100 * 1024);
	ck_assert_ptr_ne(strstr(printed, expected), NULL);
}
END_TEST

START_TEST(json_is_an_object_for_each_interval)
{
	unsigned n = 0;
	json_t *round;
	const char *at = printed;

	run_top((struct top_options){ .interval_ns = NS_PER_S / 20,
				      .rounds = 3,
				      .format = TABLE_JSON },
		100, 20000);
	for (json_error_t error; *at; at += error.position, n++) {
		round = json_loads(at, JSON_DISABLE_EOF_CHECK, &error);
		ck_assert_msg(round != NULL, "%s", error.text);
		ck_assert(json_is_array(json_object_get(round, "files")));
		if (!n)
			ck_assert_int_eq(json_integer_value(json_object_get(
						 json_array_get(json_object_get(round, "files"), 0),
						 "read_bytes")),
					 100 * 1024);
		json_decref(round);
		while (at[error.position] == '\n')
			error.position++;
	}
	ck_assert_uint_eq(n, 3);
}
END_TEST

/* Intervals that were shown come to no more than the time that was traced. */
START_TEST(detaching_is_no_interval)
{
	uint64_t began = mono_ns(), shown_ns = 0;
	const char *at = printed;

	detach_ms = 400;
	run_top((struct top_options){ .interval_ns = NS_PER_S / 20, .format = TABLE_JSON }, 100,
		30);
	detach_ms = 0;
	for (json_error_t error; *at; at += error.position) {
		json_t *round = json_loads(at, JSON_DISABLE_EOF_CHECK, &error);

		ck_assert_msg(round != NULL, "%s", error.text);
		shown_ns += (uint64_t)json_integer_value(json_object_get(round, "interval_ns"));
		json_decref(round);
		while (at[error.position] == '\n')
			error.position++;
	}
	ck_assert_uint_gt(shown_ns, 0);
	ck_assert_uint_le(shown_ns, stopped_ns - began);
}
END_TEST

/* ---- a display ---- */

struct display {
	unsigned begun, shown, ended, turns;
	enum top_view last;
};

static bool display_begin(void *arg)
{
	((struct display *)arg)->begun++;
	return true;
}

static void display_show(void *arg, const struct top_round *round)
{
	struct display *d = arg;

	d->shown++;
	d->last = round->view;
}

/* Another view with the tenth look at the keys, frozen with the twentieth, the end with the last. */
static enum top_wish display_turn(void *arg, struct top_choice *choice)
{
	struct display *d = arg;

	d->turns++;
	if (d->turns == 10)
		choice->view = TOP_LATENCY;
	choice->frozen = d->turns >= 20;
	return d->turns == 40 ? TOP_QUIT : d->turns == 10 ? TOP_DRAW : TOP_NOTHING;
}

static void display_end(void *arg)
{
	((struct display *)arg)->ended++;
}

START_TEST(a_display_is_asked_and_ended)
{
	static const struct top_display ops = { display_begin, display_show, display_turn,
						display_end };
	struct display d = { 0 };

	run_top((struct top_options){ .interval_ns = NS_PER_S / 20,
				      .display = &ops,
				      .display_arg = &d },
		100, 20000);
	ck_assert_uint_eq(d.begun, 1);
	ck_assert_uint_eq(d.ended, 1);
	ck_assert_uint_eq(d.turns, 40);
	ck_assert_int_eq(d.last, TOP_LATENCY);
	ck_assert_uint_ge(d.shown, 2);
	ck_assert_uint_le(d.shown, 25);
	ck_assert_str_eq(printed, "");
}
END_TEST

/* It takes half of the time to show, and the other intervals are longer for it. */
static void slow_show(void *arg, const struct top_round *round)
{
	uint64_t *ops = arg;

	*ops += round->sums.ops;
	usleep(120000);
}

static enum top_wish no_wish(void *arg, struct top_choice *choice)
{
	(void)arg;
	(void)choice;
	return TOP_NOTHING;
}

static void no_end(void *arg)
{
	(void)arg;
}

static bool do_begin(void *arg)
{
	(void)arg;
	return true;
}

START_TEST(nothing_is_left_out_of_a_slow_display)
{
	static const struct top_display ops = { do_begin, slow_show, no_wish, no_end };
	struct field values[N_OPERATION_PARTS] = { { .known = false } };
	struct operation op = { STREAM_fs, values };
	uint64_t shown = 0;
	struct top *top = top_open(&(struct top_options){
		.interval_ns = NS_PER_S / 100, .display = &ops, .display_arg = &shown });

	set_text(&op, OP_EVENT, "READ");
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned j = 0; j < 50; j++)
			top_wants(top)->fn(top_wants(top)->arg, STREAM_fs, values);
		usleep(5000);
		top_tick(top);
	}
	top_stopping(top);
	top_end(top, false);
	ck_assert_int_eq(top_close(top), 0);
	ck_assert_uint_eq(shown, 5000);
}
END_TEST

START_TEST(one_that_never_began_prints_nothing)
{
	FILE *out = tmpfile();
	struct top *top = top_open(&(struct top_options){ .out = out, .interval_ns = NS_PER_S });

	ck_assert_int_eq(top_close(top), 0);
	ck_assert_int_eq(ftell(out), 0);
	fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top");
	TCase *sums = tcase_create("sums"), *tables = tcase_create("tables");
	SRunner *runner;
	int failed;

	log_set_level(LOG_QUIET);
	tcase_add_checked_fixture(sums, set_up, tear_down);
	tcase_add_test(sums, calls_of_a_file_are_added_up);
	tcase_add_test(sums, each_view_has_its_own_rows);
	tcase_add_test(sums, operations_are_of_containers);
	tcase_add_test(sums, requests_of_a_ring_count_when_they_complete);
	tcase_add_test(sums, latencies_of_a_kind_have_percentiles);
	tcase_add_test(sums, a_bio_counts_for_its_device_alone);
	tcase_add_test(sums, a_path_of_two_mount_namespaces_is_two_files);
	tcase_add_test(sums, losses_are_no_operations);
	tcase_add_test(sums, a_file_has_those_who_use_it);
	tcase_add_test(sums, devices_have_the_figures_of_iostat);
	tcase_add_test(sums, an_interval_begins_with_nothing);
	tcase_add_test(sums, more_names_than_fit_are_one_row);
	suite_add_tcase(suite, sums);
	tcase_add_test(tables, so_many_rounds_are_printed);
	tcase_add_test(tables, the_rest_of_an_interval_is_printed);
	tcase_add_test(tables, csv_has_exact_sums_and_one_header);
	tcase_add_test(tables, json_is_an_object_for_each_interval);
	tcase_add_test(tables, detaching_is_no_interval);
	tcase_add_test(tables, a_display_is_asked_and_ended);
	tcase_add_test(tables, nothing_is_left_out_of_a_slow_display);
	tcase_add_test(tables, one_that_never_began_prints_nothing);
	suite_add_tcase(suite, tables);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
