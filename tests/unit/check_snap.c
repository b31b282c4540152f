/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that draws snapshots beside a trace: what it does by itself, and how it ends. */
#include "base/clock.h"
#include "snapshot/snap.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/sys/sys.h"
#include "fixture/fixture_snap.h"
#include "fixture/host_fixture.h"
#include "fixture/session.h"
#include "snapshot/snap_frame.h"
#include "snapshot/snap_report.h"
#include "snapshot/snap_thread.h"

#define S 1000000000ULL

static char *dir;
static char tree[4200];
static struct snap_job job;
static struct snap_told told;

enum { KEPT_MAX = 64 };

static struct heard {
	unsigned names;
	unsigned segments;
	unsigned kept[N_SNAP_KINDS];
	unsigned failed[N_SNAP_KINDS];
	struct snap_done last[N_SNAP_KINDS];
	uint64_t began[N_SNAP_KINDS][KEPT_MAX]; /* those that were kept; CLOCK_MONOTONIC */
} heard;

static void on_name(void *arg, uint64_t ino, uint32_t dev, const char *path, size_t len)
{
	struct heard *h = arg;

	ck_assert(ino && dev && len && path[0] == '/');
	h->names++;
}

static void on_segment(void *arg, const struct manifest_segment *segment)
{
	struct heard *h = arg;

	ck_assert_uint_eq(session_csv_rows(job.dir, segment->file,
					   streams[segment->stream].n_columns),
			  segment->rows);
	h->segments++;
}

static void on_done(void *arg, const struct snap_done *done)
{
	struct heard *h = arg;

	if (!done->err && h->kept[done->kind] < KEPT_MAX)
		h->began[done->kind][h->kept[done->kind]] = done->started_mono_ns;
	(done->err ? h->failed : h->kept)[done->kind]++;
	h->last[done->kind] = *done;
}

static const struct snap_sink sink = { .name = on_name,
				       .segment = on_segment,
				       .done = on_done,
				       .arg = &heard };

static void setup(void)
{
	dir = fixture_make();
	snprintf(tree, sizeof(tree), "%s/tree", dir);
	mkdir(tree, 0755);
	snap_job_open(&job, &told, dir);
	job.options.root = tree;
	memset(&heard, 0, sizeof(heard));
}

static void teardown(void)
{
	snap_job_close(&job);
	fixture_remove(dir);
}

static void make_files(unsigned n)
{
	char name[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "tree/%u/file-%u", i % 10, i);
		fixture_write(dir, name, "");
	}
}

static void take_for(struct snap *snap, double seconds)
{
	uint64_t end = mono_ns() + (uint64_t)(seconds * 1e9);

	while (mono_ns() < end) {
		struct timespec t = { .tv_nsec = 10000000 };

		snap_take(snap);
		nanosleep(&t, NULL);
	}
}

/*
 * A thread that runs when nobody else wants to does not run at all on a busy
 * machine. Where a test is not about that, it has its share of the CPU.
 */
static void hurry(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;

	ck_assert(tasks != NULL);
	while ((task = readdir(tasks)))
		if (atoi(task->d_name))
			sys_thread_normal(atoi(task->d_name));
	closedir(tasks);
}

/* Until that many were heard of, or for a minute; what comes of it is for the test to say. */
static void take_until(struct snap *snap, const unsigned *heard_of, unsigned n)
{
	for (uint64_t end = mono_ns() + 60 * S; *heard_of < n && mono_ns() < end;) {
		hurry();
		take_for(snap, 0.01);
	}
}

/* The shortest time from one that was kept to the next. */
static uint64_t shortest_gap(enum snap_kind kind)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 1; i < heard.kept[kind]; i++) {
		uint64_t gap = heard.began[kind][i] - heard.began[kind][i - 1];

		least = gap < least ? gap : least;
	}
	return least;
}

START_TEST(each_is_drawn_at_the_start_and_processes_at_the_end)
{
	struct snap *snap;

	make_files(100);
	job.names = true;
	snap = snap_start(&job, &sink);
	ck_assert(snap != NULL);
	take_until(snap, &heard.kept[SNAP_FS], 1);
	ck_assert_uint_eq(heard.kept[SNAP_SYSTEM], 1);
	ck_assert_uint_eq(heard.kept[SNAP_PROCESS], 1);
	ck_assert_uint_eq(heard.kept[SNAP_FS], 1);
	ck_assert_uint_eq(heard.last[SNAP_FS].rows, 111);
	ck_assert_uint_eq(heard.names, 100);
	snap_stop(snap);
	ck_assert_uint_eq(heard.kept[SNAP_PROCESS], 2);
	ck_assert_uint_eq(heard.segments, 3);
	ck_assert_uint_eq(heard.failed[SNAP_FS], 0);
	ck_assert(session_exists(job.dir, "process_snap.csv") &&
		  session_exists(job.dir, "filesystem_snap.csv.gz"));
	ck_assert(session_exists(job.dir, "system_spec/device_spec.txt"));
}
END_TEST

START_TEST(a_trace_that_ends_at_once_has_them_as_well)
{
	make_files(50);
	snap_stop(snap_start(&job, &sink));
	ck_assert_uint_eq(heard.kept[SNAP_SYSTEM], 1);
	ck_assert_uint_eq(heard.kept[SNAP_PROCESS], 2);
	ck_assert_uint_eq(heard.kept[SNAP_FS], 1);
}
END_TEST

START_TEST(they_are_drawn_again_in_their_intervals)
{
	uint64_t began = mono_ns(), took;
	struct snap *snap;

	job.options.fs_interval_s = 1;
	job.options.process_interval_s = 2;
	snap = snap_start(&job, &sink);
	take_until(snap, &heard.kept[SNAP_PROCESS], 3);
	take_until(snap, &heard.kept[SNAP_FS], 4);
	/* never before it is due; other work may delay any, and some are not late */
	for (unsigned n = 4;
	     n < 30 && (shortest_gap(SNAP_FS) >= 2 * S || shortest_gap(SNAP_PROCESS) >= 4 * S); n++)
		take_until(snap, &heard.kept[SNAP_PROCESS], n);
	for (unsigned i = 0; i < heard.kept[SNAP_FS]; i++)
		ck_assert_uint_ge(heard.began[SNAP_FS][i], began + i * S);
	for (unsigned i = 0; i < heard.kept[SNAP_PROCESS]; i++)
		ck_assert_uint_ge(heard.began[SNAP_PROCESS][i], began + i * 2 * S);
	ck_assert_uint_lt(shortest_gap(SNAP_FS), 2 * S);
	ck_assert_uint_lt(shortest_gap(SNAP_PROCESS), 4 * S);
	snap_stop(snap);
	took = mono_ns() - began;
	ck_assert_uint_ge(heard.kept[SNAP_FS], 4);
	ck_assert_uint_le(heard.kept[SNAP_FS], took / S + 1);
	ck_assert_uint_ge(heard.kept[SNAP_PROCESS], 3);
	ck_assert_uint_le(heard.kept[SNAP_PROCESS], took / (2 * S) + 2); /* and the end */
	ck_assert_uint_eq(heard.kept[SNAP_SYSTEM], 1);
}
END_TEST

START_TEST(the_second_comes_after_one_interval)
{
	uint64_t fs = UINT64_MAX, process = UINT64_MAX;

	job.options.fs_interval_s = 2;
	job.options.process_interval_s = 2;
	/* other work may delay either, but not each time */
	for (int i = 0; i < 10 && (fs >= 4 * S || process >= 4 * S); i++) {
		uint64_t began = mono_ns();
		struct snap *snap = snap_start(&job, &sink);

		memset(&heard, 0, sizeof(heard));
		take_until(snap, &heard.kept[SNAP_FS], 2);
		take_until(snap, &heard.kept[SNAP_PROCESS], 2);
		ck_assert_uint_ge(heard.began[SNAP_FS][1], began + 2 * S);
		ck_assert_uint_ge(heard.began[SNAP_PROCESS][1], began + 2 * S);
		fs = MIN(fs, heard.began[SNAP_FS][1] - heard.began[SNAP_FS][0]);
		process = MIN(process, heard.began[SNAP_PROCESS][1] - heard.began[SNAP_PROCESS][0]);
		snap_stop(snap);
	}
	ck_assert_uint_lt(fs, 4 * S);
	ck_assert_uint_lt(process, 4 * S);
}
END_TEST

START_TEST(an_interval_of_0_is_one_and_an_end)
{
	struct snap *snap;

	job.options.fs_interval_s = 0;
	job.options.process_interval_s = 0;
	snap = snap_start(&job, &sink);
	take_until(snap, &heard.kept[SNAP_FS], 1);
	take_for(snap, 2.5);
	ck_assert_uint_eq(heard.kept[SNAP_PROCESS], 1);
	snap_stop(snap);
	ck_assert_uint_eq(heard.kept[SNAP_FS], 1);
	ck_assert_uint_eq(heard.kept[SNAP_PROCESS], 2);
}
END_TEST

START_TEST(nothing_is_drawn_when_nothing_can_be_kept)
{
	uint64_t cancelled;
	struct snap *snap;

	job.options.fs_interval_s = 1;
	job.options.process_interval_s = 1;
	snap = snap_start(&job, &sink);
	take_until(snap, &heard.kept[SNAP_FS], 1);
	snap_cancel(snap);
	cancelled = mono_ns();
	take_for(snap, 2.5);
	snap_stop(snap);
	ck_assert_uint_ge(heard.kept[SNAP_PROCESS], 1);
	for (unsigned i = 0; i < heard.kept[SNAP_FS]; i++)
		ck_assert_uint_lt(heard.began[SNAP_FS][i], cancelled);
	for (unsigned i = 0; i < heard.kept[SNAP_PROCESS]; i++)
		ck_assert_uint_lt(heard.began[SNAP_PROCESS][i], cancelled);
	/* what was under way was given up, and nothing more was tried */
	ck_assert_uint_le(heard.failed[SNAP_FS] + heard.failed[SNAP_PROCESS], 1);
	ck_assert_uint_eq(heard.kept[SNAP_SYSTEM], 1);
	ck_assert_uint_eq(session_count(job.dir, "process", "", false), heard.kept[SNAP_PROCESS]);
}
END_TEST

/* Nobody takes messages while it walks: it waits, and is not lost when it is over. */
START_TEST(a_slow_receiver_loses_nothing_that_counts)
{
	struct timespec wait = { .tv_sec = 1 };
	struct snap *snap;

	make_files(9000);
	job.names = true;
	snap = snap_start(&job, &sink);
	nanosleep(&wait, NULL);
	ck_assert_uint_eq(heard.names, 0);
	take_until(snap, &heard.kept[SNAP_FS], 1);
	ck_assert_uint_eq(heard.names, 9000);
	snap_stop(snap);
	ck_assert_uint_eq(heard.last[SNAP_FS].rows, 9011);
}
END_TEST

START_TEST(a_long_walk_does_not_hold_up_the_end)
{
	uint64_t began;
	struct snap *snap;

	/* the first one may go on for a while; 30,000 names that nobody takes hold it */
	make_files(9000);
	job.names = true;
	job.options.fs_interval_s = 1;
	snap = snap_start(&job, &sink);
	take_for(snap, 0.05);
	began = mono_ns();
	snap_stop(snap);
	ck_assert_uint_lt(mono_ns() - began, 6 * S);
	ck_assert_uint_eq(heard.kept[SNAP_FS] + heard.failed[SNAP_FS], 1);
	ck_assert_uint_eq(session_count(job.dir, "", ".part", true), 0);
	ck_assert_uint_eq(session_count(job.dir, "filesystem_snapshot", "", true), 0);
}
END_TEST

/* Whether a thread of ours has this policy: field 41 of its stat (proc(5)) */
static bool has_thread_of(int policy)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	bool found = false;

	ck_assert(tasks != NULL);
	while (!found && (task = readdir(tasks))) {
		char path[300], line[512];
		FILE *in;
		char *at;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
		in = fopen(path, "r");
		if (!in)
			continue;
		at = fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
		for (int i = 2; at && i < 41; i++)
			at = strchr(at + 1, ' ');
		found = at && atoi(at + 1) == policy;
		fclose(in);
	}
	closedir(tasks);
	return found;
}

START_TEST(it_takes_the_least_of_a_cpu)
{
	enum { BATCH = 3 }; /* SCHED_BATCH */
	struct snap *snap = snap_start(&job, &sink);

	/* it sets that itself, when it has begun */
	for (uint64_t end = mono_ns() + 60 * S; !has_thread_of(BATCH) && mono_ns() < end;)
		take_for(snap, 0.01);
	take_for(snap, 0.5);
	ck_assert(has_thread_of(BATCH));
	snap_stop(snap);
}
END_TEST

START_TEST(a_directory_that_is_gone_is_a_failure_that_is_told)
{
	struct snap *snap;

	make_files(10);
	ck_assert_int_eq(rmdir(job.dir), 0);
	snap = snap_start(&job, &sink);
	take_until(snap, &heard.failed[SNAP_FS], 1);
	snap_stop(snap);
	ck_assert_uint_eq(heard.failed[SNAP_FS], 1);
	ck_assert_int_eq(heard.last[SNAP_FS].err, -ENOENT);
	ck_assert_str_eq(heard.last[SNAP_FS].why, "No such file or directory");
	ck_assert_uint_ge(heard.failed[SNAP_PROCESS], 1);
	ck_assert_uint_eq(heard.failed[SNAP_SYSTEM], 1);
	ck_assert_uint_eq(heard.segments, 0);
}
END_TEST

/* ---- the account ---- */

START_TEST(the_account_has_what_became_of_each)
{
	struct snap_report report = { .options = snap_defaults };
	struct snap_done done = {
		.kind = SNAP_FS, .rows = 7, .parts = 2, .unreadable = 3, .newest_bytes = 100
	};
	json_t *json, *fs;

	report.options.root = "/srv/\xff";
	snap_report_add(&report, &done);
	done.err = -ENOSPC;
	strcpy(done.why, "No space \xff");
	snap_report_add(&report, &done);
	done = (struct snap_done){ .kind = SNAP_PROCESS, .rows = 5, .newest_bytes = 11 };
	snap_report_add(&report, &done);
	ck_assert_uint_eq(snap_report_bytes(&report), 111);
	json = snap_report_json(&report);
	fs = json_object_get(json, "fs");
	ck_assert_int_eq(session_int(fs, "kept"), 1);
	ck_assert_int_eq(session_int(fs, "failed"), 1);
	ck_assert_int_eq(session_int(fs, "depth"), 3);
	ck_assert_int_eq(session_int(json_object_get(fs, "last"), "rows"), 7);
	ck_assert_int_eq(session_int(json_object_get(fs, "last"), "unreadable"), 3);
	ck_assert_str_eq(json_string_value(json_object_get(fs, "last_failure")), "No space ?");
	ck_assert_str_eq(json_string_value(json_object_get(fs, "root")), "/srv/?");
	ck_assert_int_eq(session_int(json_object_get(json, "system"), "kept"), 0);
	json_decref(json);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snap");
	TCase *thread = tcase_create("thread"), *account = tcase_create("account");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(thread, setup, teardown);
	tcase_set_timeout(thread, 120);
	tcase_add_test(thread, each_is_drawn_at_the_start_and_processes_at_the_end);
	tcase_add_test(thread, a_trace_that_ends_at_once_has_them_as_well);
	tcase_add_test(thread, they_are_drawn_again_in_their_intervals);
	tcase_add_test(thread, the_second_comes_after_one_interval);
	tcase_add_test(thread, an_interval_of_0_is_one_and_an_end);
	tcase_add_test(thread, nothing_is_drawn_when_nothing_can_be_kept);
	tcase_add_test(thread, a_slow_receiver_loses_nothing_that_counts);
	tcase_add_test(thread, a_long_walk_does_not_hold_up_the_end);
	tcase_add_test(thread, it_takes_the_least_of_a_cpu);
	tcase_add_test(thread, a_directory_that_is_gone_is_a_failure_that_is_told);
	suite_add_tcase(suite, thread);
	tcase_add_test(account, the_account_has_what_became_of_each);
	suite_add_tcase(suite, account);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
