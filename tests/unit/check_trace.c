/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an image lacks is found before anything is loaded, and named: no root
 * is needed to see it.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/plan_text.h"
#include "trace/trace.h"

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
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
