/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an image lacks is found before anything is loaded, and named: no root
 * is needed to see it.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/plan_text.h"
#include "trace/trace.h"
#include "trace/trace_idle.h"
#include "trace/trace_sweep.h"

static struct trace trace;
static struct host host;
static struct plan plan;
static const struct trace_options options = { .image = "some.image" };

static void add_map(const char *name)
{
	strcpy(trace.image.maps[trace.image.n_maps++].name, name);
}

static void add_prog(const char *name)
{
	strcpy(trace.image.progs[trace.image.n_progs++].name, name);
}

/* A plan of two probes, and an image that has their programs and the maps that all need. */
static void setup(void)
{
	static const char *const maps[] = { "iot_events", "iot_cfg",   "iot_seq",
					    "iot_missed", "iot_tasks", "iot_comms" };

	memset(&trace, 0, sizeof(trace));
	memset(&plan, 0, sizeof(plan));
	plan.host = &host;
	plan.n_choices = 1;
	plan.choices[0] = (struct plan_choice){ .capability = &capabilities[0],
						.wanted = true,
						.chosen = capabilities[0].candidates,
						.n_probes = 2,
						.probes = { 0, 1 } };
	plan.n_probes = 2;
	plan.probes[0] = (struct plan_probe){ .kind = PROBE_KPROBE,
					      .target = "vfs_read",
					      .program = "iot_one" };
	plan.probes[1] = (struct plan_probe){
		.kind = PROBE_KPROBE, .target = "vfs_write", .program = "iot_two", .optional = true
	};
	trace.image.maps = calloc(8, sizeof(*trace.image.maps));
	trace.image.progs = calloc(8, sizeof(*trace.image.progs));
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		add_map(maps[i]);
	strcpy(trace.image.key.tool, PACKAGE_VERSION);
}

/* What trace_open() says on stderr; it must refuse. */
static const char *refusal(void)
{
	static char said[1024];
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO), err;
	size_t n;

	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	err = trace_open(&trace, &plan, &options);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(said, 1, sizeof(said) - 1, file);
	said[n] = '\0';
	fclose(file);
	image_free(&trace.image);
	ck_assert_int_eq(err, -EINVAL);
	return said;
}

START_TEST(a_missing_program_is_named)
{
	add_prog("iot_two");
	ck_assert_str_eq(refusal(),
			 "iotracer: some.image has no program iot_one, which is for vfs_read\n");
}
END_TEST

/* The plan has it because the kernel does. */
START_TEST(that_of_an_optional_probe_too)
{
	add_prog("iot_one");
	ck_assert_str_eq(refusal(),
			 "iotracer: some.image has no program iot_two, which is for vfs_write\n");
}
END_TEST

START_TEST(a_missing_map_is_named)
{
	add_prog("iot_one");
	add_prog("iot_two");
	strcpy(trace.image.maps[2].name, "iot_other");
	ck_assert_str_eq(refusal(), "iotracer: some.image has no map iot_seq\n");
}
END_TEST

START_TEST(an_image_of_another_version_is_refused)
{
	add_prog("iot_one");
	add_prog("iot_two");
	strcpy(trace.image.key.tool, "0.0.0");
	ck_assert_str_eq(
		refusal(),
		"iotracer: some.image was built by iotracer 0.0.0, this is " PACKAGE_VERSION
		": rebuild it\n");
}
END_TEST

/* A disk 8:16 below a directory of its own, with these files */
static bool idle_when(const char *iostats, const char *inflight)
{
	char dir[] = "/tmp/check_trace-XXXXXX", path[128];
	static const char *const parts[] = { "8:16", "8:16/queue" };
	const char *const files[][2] = { { "8:16/queue/iostats", iostats },
					 { "8:16/inflight", inflight } };
	bool idle;

	ck_assert(mkdtemp(dir) != NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	for (int i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", dir, files[i][0]);
		f = fopen(path, "w");
		ck_assert(f != NULL);
		fputs(files[i][1], f);
		fclose(f);
	}
	idle = trace_disk_is_idle(dir, 8u << 20 | 16);
	for (int i = 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i][0]);
		unlink(path);
	}
	for (int i = 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", dir, parts[i]);
		rmdir(path);
	}
	rmdir(dir);
	return idle;
}

START_TEST(a_disk_without_requests_is_idle)
{
	ck_assert(idle_when("1\n", "       0        0\n"));
	ck_assert(!idle_when("1\n", "       1        0\n"));
	ck_assert(!idle_when("1\n", "       0       12\n"));
}
END_TEST

START_TEST(what_cannot_be_told_is_not_idle)
{
	ck_assert(!idle_when("0\n", "       0        0\n")); /* nothing is counted */
	ck_assert(!idle_when("1\n", ""));
	ck_assert(!trace_disk_is_idle("/no/such/place", 8u << 20));
}
END_TEST

START_TEST(issued_before_its_disk_was_idle_is_completed)
{
	struct iot_rq rq = { .dev = 5, .issue_ts = 99 };

	memset(&trace, 0, sizeof(trace));
	trace.n_idle = 2;
	trace.idle[0] = (struct trace_idle){ .dev = 4, .at_ns = 1000 };
	trace.idle[1] = (struct trace_idle){ .dev = 5, .at_ns = 100 };
	ck_assert(trace_has_completed(&trace, &rq));
	rq.issue_ts = 101;
	ck_assert(!trace_has_completed(&trace, &rq));
	rq.dev = 4;
	ck_assert(trace_has_completed(&trace, &rq));
	rq.at = UINT64_MAX; /* a flush, which the disk does not count */
	ck_assert(!trace_has_completed(&trace, &rq));
	rq = (struct iot_rq){ .dev = 6 };
	ck_assert(!trace_has_completed(&trace, &rq));
}
END_TEST

/* Its parent may not have asked yet: a zombie has ended as well. */
START_TEST(a_process_that_is_gone_has_ended)
{
	pid_t child = fork();
	siginfo_t info;

	if (!child)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
	ck_assert(trace_has_ended(child));
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(trace_has_ended(child));
	ck_assert(!trace_has_ended(getpid()));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tcase = tcase_create("images");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, a_missing_program_is_named);
	tcase_add_test(tcase, that_of_an_optional_probe_too);
	tcase_add_test(tcase, a_missing_map_is_named);
	tcase_add_test(tcase, an_image_of_another_version_is_refused);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("completions");
	tcase_add_test(tcase, a_disk_without_requests_is_idle);
	tcase_add_test(tcase, what_cannot_be_told_is_not_idle);
	tcase_add_test(tcase, issued_before_its_disk_was_idle_is_completed);
	tcase_add_test(tcase, a_process_that_is_gone_has_ended);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
