/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doctor prints and returns for saved and made-up hosts: the table, the
 * JSON, the self-test column, collecting.
 */
#include "plan/doctor.h"

#include <check.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/root.h"
#include "fixture/host_fixture.h"

static char *dir;
static char *printed;

static void setup(void)
{
	dir = fixture_make();
	setenv("TMPDIR", dir, 1);
	printed = NULL;
}

static void teardown(void)
{
	free(printed);
	fixture_remove(dir);
}

/* Runs doctor with stdout in a file; its text is in printed. */
static int run(const struct doctor_options *options)
{
	char path[PATH_MAX];
	int out, status;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%.2000s/stdout", dir);
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	file = freopen(path, "w", stdout);
	ck_assert(file != NULL);
	status = doctor_run(options);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	free(printed);
	printed = root_read("", path, &size);
	ck_assert(printed != NULL);
	return status;
}

static void says(const char *text)
{
	ck_assert_msg(strstr(printed, text) != NULL, "\"%s\" is not in:\n%s", text, printed);
}

static void says_not(const char *text)
{
	ck_assert_msg(strstr(printed, text) == NULL, "\"%s\" is in:\n%s", text, printed);
}

static json_t *run_json(struct doctor_options *options, int expected)
{
	json_error_t error;
	json_t *json;

	options->json = true;
	ck_assert_int_eq(run(options), expected);
	json = json_loads(printed, 0, &error);
	ck_assert_msg(json != NULL, "%s in:\n%s", error.text, printed);
	return json;
}

START_TEST(a_saved_host_is_shown_as_a_table)
{
	struct doctor_options options = { .host.root = fixture_saved("5.4") };

	ck_assert_int_eq(run(&options), 0);
	says("kernel       5.4.59 x86_64\n");
	says("tiers        c ");
	says("tracefs      /sys/kernel/tracing\n");
	says("headers      no kernel headers for 5.4.59: install the package that provides");
	says("layouts      no kernel headers for 5.4.59: install the package that provides");
	says("fs        READ             c  read(2), pread64(2) [1]\n");
	says("\n[1] 32-bit programs and calls that seccomp refuses are invisible to system-call tracepoints\n");
	/* said once, however many it holds for */
	ck_assert(!strstr(strstr(printed, "32-bit programs and calls") + 1,
			  "32-bit programs and calls"));
	says("off, no rows of io_uring reads: URING_REQ: ");
	/* off unless asked for, but this is what it would be */
	says("nw_drop   PACKET_DROP      c  skb:kfree_skb (only with --drops) [");
	says("something can be traced\n");
	says_not(dir);
}
END_TEST

/* No io_uring before 5.1: one line, though two streams would have rows of it */
START_TEST(what_the_kernel_does_not_have_is_one_line)
{
	struct doctor_options options = { .host.root = fixture_saved(_i ? "4.18-el8" : "4.14") };
	const char *line;

	ck_assert_int_eq(run(&options), 0);
	says("iouring                    -  off: this kernel has no io_uring (5.1 and later can have it)\n");
	line = strstr(printed, "this kernel has no io_uring");
	ck_assert(strstr(line + 1, "this kernel has no io_uring") == NULL);
	says_not("fs        READ io_uring");
	says_not("no tracepoint io_uring");
	options.host.root = fixture_saved("5.4");
	ck_assert_int_eq(run(&options), 0);
	says_not("this kernel has no io_uring");
	says("iouring   ENTER            c  io_uring_enter(2) [");
}
END_TEST

START_TEST(headers_by_hand_raise_the_tier)
{
	char path[PATH_MAX];
	struct doctor_options options = { .host.headers = path };

	fixture_headers(dir, "5.4");
	snprintf(path, sizeof(path), "%.2000s/headers", dir);
	options.host.root = fixture_saved("5.4");
	ck_assert_int_eq(run(&options), 0);
	says("tiers        a b c ");
	says("fs        READ             a  vfs_read()\n");
	options.host.no_kprobes = true;
	ck_assert_int_eq(run(&options), 0);
	says("tiers        b c ");
	says("fs        READ             b  read(2), pread64(2) [1]\n");
	options.host.layout = LAYOUT_NONE;
	ck_assert_int_eq(run(&options), 0);
	says("tiers        c ");
}
END_TEST

START_TEST(details_show_what_was_passed_over)
{
	struct doctor_options options = { .host.root = fixture_saved("5.4") };

	ck_assert_int_eq(run(&options), 0);
	says_not("\n-  ");
	log_set_level(LOG_VERBOSE);
	ck_assert_int_eq(run(&options), 0);
	log_set_level(LOG_NORMAL);
	says("not VFS_READ: needs kernel headers or BTF\n");
	says("fact         PROBE_READ_KERNEL: no (since 5.5");
	says("\n-  ");
}
END_TEST

START_TEST(nothing_to_trace_is_status_1)
{
	struct doctor_options options = { .host.root = dir };
	json_t *json;

	fixture_write(dir, "proc/sys/kernel/osrelease", "4.14.0\n");
	ck_assert_int_eq(run(&options), 1);
	says("nothing can be traced\n");
	says("the saved host has no tracefs");
	says("tiers        none\n");
	json = run_json(&options, 1);
	ck_assert(json_is_false(json_object_get(json, "can_trace")));
	json_decref(json);
	options.host.root = "/nonexistent";
	ck_assert_int_eq(run(&options), 1);
}
END_TEST

static json_t *capability(json_t *json, const char *stream, const char *operation)
{
	json_t *list = json_object_get(json, "capabilities");

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *one = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(one, "stream"));

		if (name && !strcmp(name, stream) &&
		    !strcmp(json_string_value(json_object_get(one, "operation")), operation))
			return one;
	}
	ck_abort_msg("no %s %s", stream, operation);
	return NULL;
}

START_TEST(json_says_the_same_with_stable_names)
{
	static const char *const host_members[] = { "live",
						    "release",
						    "version",
						    "machine",
						    "build_id",
						    "tiers",
						    "bpf",
						    "headers",
						    "kprobes",
						    "tracefs",
						    "syscall_tracepoints",
						    "lockdown",
						    "btf",
						    "perf_event_paranoid",
						    "unprivileged_bpf_disabled",
						    "io_uring_disabled",
						    "memlock",
						    "facts" };
	static const char *const members[] = { "stream",     "operation", "path",      "doc",
					       "wanted",     "on",        "tier",      "chosen",
					       "limits",     "why",       "self_test", "probes",
					       "passed_over" };
	struct doctor_options options = { .host.root = fixture_saved("6.12") };
	json_t *json = run_json(&options, 0), *host = json_object_get(json, "host"), *read;

	for (unsigned i = 0; i < sizeof(host_members) / sizeof(host_members[0]); i++)
		ck_assert_msg(json_object_get(host, host_members[i]) != NULL, "%s",
			      host_members[i]);
	read = capability(json, "fs", "READ");
	for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		ck_assert_msg(json_object_get(read, members[i]) != NULL, "%s", members[i]);
	ck_assert(json_is_true(json_object_get(json, "can_trace")));
	ck_assert_str_eq(json_string_value(json_object_get(host, "release")),
			 "6.12.107+deb13-amd64");
	ck_assert_str_eq(json_string_value(json_object_get(read, "tier")), "c");
	ck_assert(json_is_true(json_object_get(read, "on")));
	ck_assert_uint_gt(json_array_size(json_object_get(read, "probes")), 0);
	ck_assert_uint_gt(json_array_size(json_object_get(read, "passed_over")), 0);
	json_decref(json);
}
END_TEST

START_TEST(text_of_strangers_becomes_valid_json)
{
	struct doctor_options options = { .host.root = dir };
	json_t *json;

	fixture_write(dir, "proc/sys/kernel/osrelease", "5.0\xff\xfe\"\\\n");
	json = run_json(&options, 1);
	ck_assert_str_eq(json_string_value(
				 json_object_get(json_object_get(json, "host"), "release")),
			 "5.0??\"\\");
	json_decref(json);
}
END_TEST

START_TEST(a_collected_host_is_shown_the_same)
{
	char file[PATH_MAX], *before;
	struct doctor_options options = { .host.root = fixture_saved("6.1"), .collect = file };

	snprintf(file, sizeof(file), "%.2000s/host.tar.gz", dir);
	ck_assert_int_eq(run(&options), 0);
	ck_assert_str_eq(printed, "");
	options.collect = NULL;
	ck_assert_int_eq(run(&options), 0);
	before = strdup(printed);
	options.host.root = file;
	ck_assert_int_eq(run(&options), 0);
	ck_assert_str_eq(printed, before);
	free(before);
	options.collect = "/nonexistent/file";
	ck_assert_int_eq(run(&options), 1);
}
END_TEST

static int tests_started, tests_ended;

static void *start(struct plan *plan)
{
	ck_assert_uint_gt(plan->n_choices, 0);
	tests_started++;
	return &tests_started;
}

static const char *verdict(void *test, const struct plan_choice *choice)
{
	ck_assert(choice->chosen != NULL);
	return test ? "fires" : "not tried";
}

static void end(void *test)
{
	ck_assert(test == &tests_started);
	tests_ended++;
}

START_TEST(a_saved_host_is_never_tested)
{
	struct doctor_options options = {
		.host.root = fixture_saved("5.10"),
		.test_start = start,
		.test_verdict = verdict,
		.test_end = end,
	};
	json_t *json;

	ck_assert_int_eq(run(&options), 0);
	ck_assert_int_eq(tests_started, 0);
	ck_assert_int_eq(tests_ended, 0);
	says("self-test");
	says("fs        READ             c  not tried  read(2)");
	json = run_json(&options, 0);
	ck_assert_str_eq(json_string_value(
				 json_object_get(capability(json, "fs", "READ"), "self_test")),
			 "not tried");
	json_decref(json);
}
END_TEST

START_TEST(the_running_host_is_tested_once)
{
	struct doctor_options options = {
		.test_start = start,
		.test_verdict = verdict,
		.test_end = end,
	};
	int status = run(&options);

	ck_assert(status == 0 || status == 1);
	ck_assert_int_eq(tests_started, 1);
	ck_assert_int_eq(tests_ended, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doctor");
	TCase *tcase = tcase_create("doctor");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_saved_host_is_shown_as_a_table);
	tcase_add_loop_test(tcase, what_the_kernel_does_not_have_is_one_line, 0, 2);
	tcase_add_test(tcase, headers_by_hand_raise_the_tier);
	tcase_add_test(tcase, details_show_what_was_passed_over);
	tcase_add_test(tcase, nothing_to_trace_is_status_1);
	tcase_add_test(tcase, json_says_the_same_with_stable_names);
	tcase_add_test(tcase, text_of_strangers_becomes_valid_json);
	tcase_add_test(tcase, a_collected_host_is_shown_the_same);
	tcase_add_test(tcase, a_saved_host_is_never_tested);
	tcase_add_test(tcase, the_running_host_is_tested_once);
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
