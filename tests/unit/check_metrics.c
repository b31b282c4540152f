/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of a recording: what each row adds, where a time is counted on both sides of each bound, that a file
 * never has more series than it may and loses no count for it, and that labels are what the format allows.
 */
#include "analysis/metrics/metrics_summary.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/metrics/metrics_print.h"
#include "fixture/fixture_verify.h"

static struct metrics_model model;
static char *text;
static size_t text_len;

static void print(void)
{
	FILE *out;

	free(text);
	out = open_memstream(&text, &text_len);
	metrics_print(out, &model, &(struct metrics_tracer){ .up = true });
	fclose(out);
}

static void close_all(void)
{
	metrics_free(&model);
	memset(&model, 0, sizeof(model));
	free(text);
	text = NULL;
}

/* The value of a series, by its whole name; -1 without one, -2 where it is printed twice. */
static double value_of(const char *name)
{
	double value = -1;

	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text || at[-1] == '\n') && at[strlen(name)] == ' ')
			value = value == -1 ? atof(at + strlen(name)) : -2;
	return value;
}

static unsigned n_series(void)
{
	unsigned n = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		n += *line != '#';
	return n;
}

static struct field text_field(const char *value)
{
	return (struct field){ .text = value, .len = (uint32_t)strlen(value), .known = true };
}

static void feed(enum stream_id stream, const char *event, const char *detail, const char *system,
		 uint64_t ns, int64_t result)
{
	struct field parts[N_OPERATION_PARTS] = { { .u = 0 } };
	const struct operation op = { stream, parts };

	for (int i = 0; i < N_OPERATION_PARTS; i++)
		parts[i].text = "";
	parts[OP_EVENT] = text_field(event);
	parts[OP_DETAIL] = text_field(detail);
	parts[OP_PATH] = text_field("/data/file");
	parts[OP_LATENCY].u = ns;
	parts[OP_LATENCY].known = true;
	parts[OP_RESULT].s = result;
	parts[OP_RESULT].known = true;
	parts[OP_SIZE].u = 512;
	parts[OP_COUNT].u = 1000;
	parts[OP_ERRORS].u = 3;
	metrics_feed(&model, &op, system);
}

#define FS_READ "{layer=\"fs\",operation=\"READ\",system=\"PostgreSQL\""

START_TEST(a_row_adds_what_it_did)
{
	feed(STREAM_fs, "READ", "", "PostgreSQL", 1000, 4096);
	feed(STREAM_fs, "READ", "", "PostgreSQL", 2000, 100);
	feed(STREAM_fs, "READ", "", "PostgreSQL", 3000, -5);
	feed(STREAM_fs, "FSYNC", "", "PostgreSQL", 3000, 0);
	print();
	ck_assert_double_eq(value_of("iotracer_operations_total" FS_READ "}"), 3);
	ck_assert_double_eq(value_of("iotracer_errors_total" FS_READ "}"), 1);
	ck_assert_double_eq(value_of("iotracer_bytes_total" FS_READ "}"), 4196);
	ck_assert_double_eq_tol(value_of("iotracer_duration_seconds_sum" FS_READ "}"), 6e-6, 1e-12);
	ck_assert_double_eq(value_of("iotracer_duration_seconds_count" FS_READ "}"), 3);
	/* a sync moves nothing */
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"fs\",operation=\"FSYNC\",system=\"PostgreSQL\"}"),
		-1);
	ck_assert_double_eq(value_of("iotracer_lost_events_total{stream=\"fs\",reason=\"ring\"}"),
			    0);
	close_all();
}
END_TEST

START_TEST(a_time_is_counted_up_to_its_bound)
{
	char name[200];

	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		feed(STREAM_fs, "READ", "", "PostgreSQL", metrics_bounds[i], 1);
		feed(STREAM_fs, "READ", "", "PostgreSQL", metrics_bounds[i] + 1, 1);
	}
	print();
	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		snprintf(name, sizeof(name),
			 "iotracer_duration_seconds_bucket" FS_READ ",le=\"%g\"}",
			 (double)metrics_bounds[i] / 1e9);
		ck_assert_double_eq(value_of(name), 2 * i + 1);
	}
	ck_assert_double_eq(value_of("iotracer_duration_seconds_bucket" FS_READ ",le=\"+Inf\"}"),
			    2 * METRICS_BUCKETS);
	close_all();
}
END_TEST

START_TEST(counters_of_the_kernel_have_no_buckets)
{
	feed(STREAM_layers, "WRITE", "VFS", "others", 5000, 0);
	print();
	ck_assert_double_eq(
		value_of(
			"iotracer_operations_total{layer=\"VFS\",operation=\"WRITE\",system=\"others\"}"),
		1000);
	ck_assert_double_eq(
		value_of(
			"iotracer_errors_total{layer=\"VFS\",operation=\"WRITE\",system=\"others\"}"),
		3);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"VFS\",operation=\"WRITE\",system=\"others\"}"),
		512);
	ck_assert_double_eq(
		value_of(
			"iotracer_duration_seconds_bucket{layer=\"VFS\",operation=\"WRITE\",system=\"others\",le=\"+Inf\"}"),
		1000);
	ck_assert_ptr_null(strstr(text, "le=\"1e-05\""));
	close_all();
}
END_TEST

START_TEST(of_a_ring_requests_count_when_they_complete)
{
	feed(STREAM_iouring, "SUBMIT", "READV", "others", 5000, 0);
	feed(STREAM_iouring, "COMPLETE", "READV", "others", 5000, 77);
	feed(STREAM_sched, "S", "", "others", 5000, 0);
	print();
	ck_assert_double_eq(
		value_of(
			"iotracer_operations_total{layer=\"iouring\",operation=\"READV\",system=\"others\"}"),
		1);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"iouring\",operation=\"READV\",system=\"others\"}"),
		77);
	ck_assert_ptr_null(strstr(text, "layer=\"sched\""));
	close_all();
}
END_TEST

/* Sum of all series of operations of a layer. */
static uint64_t sum_of(const char *layer)
{
	char begin[100];
	uint64_t sum = 0;

	snprintf(begin, sizeof(begin), "iotracer_operations_total{layer=\"%s\"", layer);
	for (const char *at = text; (at = strstr(at, begin)); at++)
		sum += strtoull(strchr(at, '}') + 1, NULL, 10);
	return sum;
}

START_TEST(there_are_never_more_series_than_that)
{
	static char systems[400][16], words[200][16];
	unsigned before;

	for (unsigned i = 0; i < 400; i++)
		sprintf(systems[i], "system%u", i);
	for (unsigned i = 0; i < 200; i++)
		sprintf(words[i], "WORD%u", i);
	for (unsigned s = 0; s < 400; s++)
		for (unsigned o = 0; o < 200; o++)
			for (int stream = 0; stream < N_EVENT_STREAMS; stream++)
				feed((enum stream_id)stream,
				     stream == STREAM_iouring ? "COMPLETE" : words[o],
				     stream == STREAM_layers ? "VFS" : words[o], systems[s], 1000,
				     1);
	print();
	before = n_series();
	ck_assert_uint_le(before, METRICS_MAX_LINES);
	ck_assert_uint_gt(before, METRICS_MAX_LINES / 2);
	ck_assert(!model.no_memory);
	ck_assert_uint_eq(sum_of("fs"), 400 * 200);
	ck_assert_uint_eq(sum_of("ds"), 400 * 200);
	ck_assert_uint_eq(sum_of("exec"), 400 * 200);
	ck_assert_double_gt(
		value_of(
			"iotracer_operations_total{layer=\"fs\",operation=\"other\",system=\"other\"}"),
		0);
	ck_assert_double_eq(
		value_of(
			"iotracer_operations_total{layer=\"fs\",operation=\"WORD0\",system=\"system0\"}"),
		1);
	/* who has one keeps it, and the names stay the same */
	feed(STREAM_fs, "WORD0", "", "system0", 1000, 1);
	feed(STREAM_fs, "WORD777", "", "system777", 1000, 1);
	print();
	ck_assert_uint_eq(n_series(), before);
	ck_assert_double_eq(
		value_of(
			"iotracer_operations_total{layer=\"fs\",operation=\"WORD0\",system=\"system0\"}"),
		2);
	close_all();
}
END_TEST

START_TEST(a_system_of_two_rules_is_one)
{
	char first[] = "MinIO", second[] = "MinIO";

	feed(STREAM_fs, "READ", "", first, 1000, 1);
	feed(STREAM_fs, "READ", "", second, 1000, 1);
	print();
	ck_assert_double_eq(
		value_of(
			"iotracer_operations_total{layer=\"fs\",operation=\"READ\",system=\"MinIO\"}"),
		2);
	close_all();
}
END_TEST

START_TEST(labels_are_escaped)
{
	feed(STREAM_fs, "READ", "", "a\"b\\c\nd", 1000, 1);
	print();
	ck_assert_ptr_nonnull(strstr(text, "system=\"a\\\"b\\\\c\\nd\"} 1\n"));
	close_all();
}
END_TEST

START_TEST(losses_have_their_reason)
{
	feed(STREAM_lost, "ring", "fs", NULL, 0, 0);
	feed(STREAM_lost, "ring", "fs", NULL, 0, 0);
	feed(STREAM_lost, "sampled", "cache", NULL, 0, 0);
	print();
	ck_assert_double_eq(value_of("iotracer_lost_events_total{stream=\"fs\",reason=\"ring\"}"),
			    1024);
	ck_assert_double_eq(
		value_of("iotracer_lost_events_total{stream=\"cache\",reason=\"sampled\"}"), 512);
	close_all();
}
END_TEST

static void tell(void *live, enum stream_id stream, const char *const *values)
{
	char row[4096];
	size_t len = text_row(row, stream, values);

	ck_assert(metrics_summary.row(live, stream, row, len));
}

static void read_file(const char *name)
{
	FILE *in = fopen(name, "re");

	ck_assert_ptr_nonnull(in);
	free(text);
	text = calloc(1, 1 << 20);
	text_len = fread(text, 1, (1 << 20) - 1, in);
	fclose(in);
}

#define EXEC(event, pid, parent, path)                                                             \
	tell(live, STREAM_exec,                                                                    \
	     (const char *const[]){ "event_type", event, "pid", pid, "ppid", parent, "filename",   \
				    path, "mono_ns", "5", NULL })
#define CALL(pid, comm)                                                                            \
	tell(live, STREAM_fs,                                                                      \
	     (const char *const[]){ "operation", "WRITE", "pid", pid, "command", comm, "filename", \
				    "/d/f", "latency_ns", "5000", "return_value", "10", "mono_ns", \
				    "6", NULL })

START_TEST(whose_a_row_is)
{
	char place[] = "/tmp/check_metrics.XXXXXX", name[100];
	void *live;
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(place));
	snprintf(name, sizeof(name), "%s/iotracer.prom", place);
	live = metrics_summary.open(&(struct summary_room){ .metrics = name });
	ck_assert_ptr_nonnull(live);
	read_file(name); /* there is one at once, which everybody may read */
	ck_assert_double_eq(value_of("iotracer_up"), 1);
	ck_assert(!stat(name, &st) && (st.st_mode & 0777) == 0644);
	EXEC("EXEC", "10", "1", "/usr/lib/postgresql/15/bin/postgres");
	EXEC("FORK", "11", "10", "");
	CALL("11", "worker"); /* by its program */
	CALL("12", "worker");
	CALL("12", "postgres"); /* and from now on by another thread's name */
	CALL("12", "worker");
	tell(live, STREAM_ds,
	     (const char *const[]){ "operation", "write", "pid", "99", "command", "kworker/0:1",
				    "size", "4096", "latency_ms", "1.000000", "mono_ns", "9000000",
				    "dev", "8:0", "owner_pid", "10", "owner_command", "postgres",
				    NULL });
	tell(live, STREAM_ds,
	     (const char *const[]){ "operation", "write", "pid", "99", "command", "kworker/0:1",
				    "size", "4096", "latency_ms", "1.000000", "mono_ns", "9500000",
				    "dev", "8:0", NULL });
	ck_assert_int_eq(metrics_summary.publish(live, true), 0);
	read_file(name);
	ck_assert_double_eq(value_of("iotracer_up"), 0);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"fs\",operation=\"WRITE\",system=\"PostgreSQL\"}"),
		30);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"fs\",operation=\"WRITE\",system=\"others\"}"),
		10);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"ds\",operation=\"write\",system=\"PostgreSQL\"}"),
		4096);
	ck_assert_double_eq(
		value_of(
			"iotracer_bytes_total{layer=\"ds\",operation=\"write\",system=\"kernel\"}"),
		4096);
	/* 1 ms each, which overlap by half */
	ck_assert_ptr_nonnull(strstr(text, "iotracer_device_busy_seconds_total{device=\""));
	ck_assert_ptr_nonnull(strstr(text, "\"} 0.001500000\n"));
	/* what cannot be written is tried again */
	unlink(name);
	rmdir(place);
	ck_assert_int_lt(metrics_summary.publish(live, false), 0);
	metrics_summary.close(live);
	ck_assert_ptr_null(metrics_summary.open(&(struct summary_room){ .metrics = name }));
	free(text);
	text = NULL;
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metrics");
	TCase *tc = tcase_create("metrics");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, a_row_adds_what_it_did);
	tcase_add_test(tc, a_time_is_counted_up_to_its_bound);
	tcase_add_test(tc, counters_of_the_kernel_have_no_buckets);
	tcase_add_test(tc, of_a_ring_requests_count_when_they_complete);
	tcase_add_test(tc, there_are_never_more_series_than_that);
	tcase_add_test(tc, a_system_of_two_rules_is_one);
	tcase_add_test(tc, labels_are_escaped);
	tcase_add_test(tc, losses_have_their_reason);
	tcase_add_test(tc, whose_a_row_is);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
