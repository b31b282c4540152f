/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which recordings an image for more streams serves: those that get the same rows from it. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/host/host.h"
#include "fixture/host_fixture.h"
#include "image/image_cache.h"
#include "image/image_share.h"
#include "image/plan_text.h"
#include "image/source.h"
#include "plan/plan.h"
#include "row/schema.h"

static char *dir;
static struct host *host;
static struct plan wide, plan;
static struct compile_options options;

/* By layouts of headers, without kprobes */
static void setup(void)
{
	char path[PATH_MAX];
	const struct host_options facts = { .root = fixture_saved("6.12"),
					    .headers = path,
					    .no_kprobes = true };

	dir = fixture_make();
	fixture_headers(dir, "6.12");
	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	host = host_open(&facts);
	ck_assert_ptr_ne(host, NULL);
	options = (struct compile_options){ .plan = &plan };
}

static void teardown(void)
{
	host_close(host);
	fixture_remove(dir);
}

static uint32_t all_but(uint32_t without)
{
	uint32_t streams_set = 0;

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (!schema_has(i, OFF_BY_DEFAULT))
			streams_set |= STREAM_BIT(i);
	return streams_set & ~without;
}

static bool serves(uint32_t more, uint32_t asked)
{
	const struct plan_request a = { .streams = more }, b = { .streams = asked };

	ck_assert_int_eq(plan_make(&wide, host, &a), 0);
	ck_assert_int_eq(plan_make(&plan, host, &b), 0);
	return share_covers(&wide, &plan, &options);
}

START_TEST(one_of_all_streams_serves_those_that_find_files)
{
	static const enum stream_id served[] = { STREAM_fs, STREAM_cache, STREAM_nw,
						 STREAM_pagefault, STREAM_iouring };

	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++)
		ck_assert_msg(serves(all_but(0), STREAM_BIT(served[i])), "%s",
			      streams[served[i]].name);
	ck_assert(serves(all_but(0), all_but(0)));
	ck_assert(serves(all_but(0), all_but(STREAM_BIT(STREAM_exec))));
}
END_TEST

START_TEST(fewer_streams_never_serve_more)
{
	ck_assert(!serves(STREAM_BIT(STREAM_fs), all_but(0)));
	ck_assert(!serves(STREAM_BIT(STREAM_fs), STREAM_BIT(STREAM_fs) | STREAM_BIT(STREAM_exec)));
	ck_assert(!serves(all_but(STREAM_BIT(STREAM_nw)), all_but(0)));
}
END_TEST

START_TEST(programs_that_find_no_files_are_others)
{
	ck_assert(!serves(all_but(0), STREAM_BIT(STREAM_exec)));
	ck_assert(serves(STREAM_BIT(STREAM_exec) | STREAM_BIT(STREAM_nw_drop),
			 STREAM_BIT(STREAM_exec)));
}
END_TEST

START_TEST(counts_and_switches_change_the_programs_of_others)
{
	uint32_t fs = STREAM_BIT(STREAM_fs), exec = STREAM_BIT(STREAM_exec);

	ck_assert(!serves(fs | STREAM_BIT(STREAM_layers), fs));
	ck_assert(!serves(exec | STREAM_BIT(STREAM_sched), exec));
}
END_TEST

START_TEST(requests_of_devices_know_the_calls_of_fs)
{
	uint32_t fs = STREAM_BIT(STREAM_fs), ds = STREAM_BIT(STREAM_ds);

	ck_assert(!serves(all_but(0), ds));
	ck_assert(serves(all_but(0), ds | fs));
	ck_assert(serves(all_but(fs), ds));
}
END_TEST

START_TEST(with_all_file_systems_sockets_are_files_where_nw_is_not)
{
	uint32_t fs = STREAM_BIT(STREAM_fs), nw = STREAM_BIT(STREAM_nw);

	options.all_fs = true;
	ck_assert(!serves(fs | nw, fs));
	ck_assert(serves(fs | nw | STREAM_BIT(STREAM_exec), fs | nw));
	ck_assert(serves(fs | STREAM_BIT(STREAM_exec), fs));
}
END_TEST

START_TEST(a_name_is_looked_at_twice_where_tasks_are_followed)
{
	uint32_t fs = STREAM_BIT(STREAM_fs), connections = STREAM_BIT(STREAM_nw_conn);

	ck_assert(serves(fs | connections, connections));
	options.by_name = true;
	ck_assert(!serves(fs | connections, connections));
	ck_assert(serves(fs | connections, fs));
}
END_TEST

/* A candidate that the self-test found silent is passed over in the request alone. */
START_TEST(another_candidate_is_another_program)
{
	const struct plan_request more = { .streams = all_but(0) };
	struct plan_request asked = { .streams = STREAM_BIT(STREAM_fs) };
	const struct plan_choice *read;

	ck_assert_int_eq(plan_make(&wide, host, &more), 0);
	read = plan_find(&wide, CAP_FS_READ);
	ck_assert_ptr_ne(read->chosen, NULL);
	for (unsigned i = 0; i < wide.n_choices && !asked.n_silent; i++)
		if (wide.choices[i].chosen && plan_has_next(&wide, i, &more) &&
		    wide.choices[i].capability->stream == STREAM_fs)
			asked.silent[asked.n_silent++] = wide.choices[i].chosen;
	if (!asked.n_silent)
		asked.silent[asked.n_silent++] = read->chosen;
	ck_assert_int_eq(plan_make(&plan, host, &asked), 0);
	/* what it has instead is not in the image, or it has less than that */
	for (unsigned i = 0; i < plan.n_choices; i++)
		if (plan.choices[i].chosen && plan.choices[i].chosen != wide.choices[i].chosen)
			ck_assert(!share_covers(&wide, &plan, &options));
	wide.choices[read - wide.choices].chosen = NULL;
	asked.n_silent = 0;
	ck_assert_int_eq(plan_make(&plan, host, &asked), 0);
	ck_assert(!share_covers(&wide, &plan, &options));
}
END_TEST

START_TEST(other_facts_are_other_programs)
{
	ck_assert(serves(all_but(0), STREAM_BIT(STREAM_fs)));
	wide.headers = !wide.headers;
	ck_assert(!share_covers(&wide, &plan, &options));
	wide.headers = plan.headers;
	wide.syscall_functions = !wide.syscall_functions;
	ck_assert(!share_covers(&wide, &plan, &options));
	wide.syscall_functions = plan.syscall_functions;
	ck_assert(share_covers(&wide, &plan, &options));
	wide.given = true;
	ck_assert(!share_covers(&wide, &plan, &options));
}
END_TEST

/* ---- from the cache ---- */

static char cache_dir[PATH_MAX];

static int open_cache(void)
{
	int fd;

	snprintf(cache_dir, sizeof(cache_dir), "%.4000s/cache", dir);
	fd = cache_open(cache_dir);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* An image with one program, as if compiled from the text of this plan. */
static void put_image(int cache, const struct plan *made, const char *more_text)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct image image = { .n_progs = 1 };
	char *text = source_make(made), *whole;

	ck_assert_ptr_ne(text, NULL);
	whole = malloc(strlen(text) + strlen(more_text) + 1);
	strcat(strcpy(whole, text), more_text);
	image.progs = calloc(1, sizeof(*image.progs));
	image.progs[0].insns = malloc(sizeof(insns));
	memcpy(image.progs[0].insns, insns, sizeof(insns));
	image.progs[0].n_insns = 2;
	strcpy(image.progs[0].name, "iot_x_tp");
	ck_assert_int_eq(compile_key(&image.key, host, whole, &options), 0);
	image.plan = plan_to_text(made);
	ck_assert_int_eq(cache_put(cache, &image), 0);
	image_free(&image);
	free(whole);
	free(text);
}

static int find(int cache)
{
	struct image_key key;
	struct image image;
	char *text = source_make(&plan);
	int err;

	ck_assert_int_eq(compile_key(&key, host, text, &options), 0);
	err = share_find(cache, &key, &options, &image);
	if (!err)
		image_free(&image);
	free(text);
	return err;
}

START_TEST(a_cached_image_for_more_is_found)
{
	int cache = open_cache();

	ck_assert(serves(all_but(0), STREAM_BIT(STREAM_fs)));
	ck_assert_int_eq(find(cache), -ENOENT);
	put_image(cache, &wide, "");
	ck_assert_int_eq(find(cache), 0);
	ck_assert(!serves(all_but(0), STREAM_BIT(STREAM_exec)));
	ck_assert_int_eq(find(cache), -ENOENT);
	close(cache);
}
END_TEST

/* Its plan is ours, what it was compiled from is not. */
START_TEST(one_of_another_build_is_not)
{
	int cache = open_cache();

	ck_assert(serves(all_but(0), STREAM_BIT(STREAM_fs)));
	put_image(cache, &wide, "/* as it was yesterday */\n");
	ck_assert_int_eq(find(cache), -ENOENT);
	put_image(cache, &wide, "");
	ck_assert_int_eq(find(cache), 0);
	close(cache);
}
END_TEST

START_TEST(nor_one_of_another_kernel)
{
	int cache = open_cache();
	char release[sizeof(host->release)];

	ck_assert(serves(all_but(0), STREAM_BIT(STREAM_fs)));
	strcpy(release, host->release);
	strcpy(host->release, "6.12.1");
	put_image(cache, &wide, "");
	strcpy(host->release, release);
	ck_assert_int_eq(find(cache), -ENOENT);
	close(cache);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("image_share");
	TCase *rules = tcase_create("rules"), *cached = tcase_create("cached");
	SRunner *runner = srunner_create(s);
	int n_failed;

	tcase_add_checked_fixture(rules, setup, teardown);
	tcase_add_checked_fixture(cached, setup, teardown);
	tcase_set_timeout(rules, 60);
	tcase_set_timeout(cached, 60);
	tcase_add_test(rules, one_of_all_streams_serves_those_that_find_files);
	tcase_add_test(rules, fewer_streams_never_serve_more);
	tcase_add_test(rules, programs_that_find_no_files_are_others);
	tcase_add_test(rules, counts_and_switches_change_the_programs_of_others);
	tcase_add_test(rules, requests_of_devices_know_the_calls_of_fs);
	tcase_add_test(rules, with_all_file_systems_sockets_are_files_where_nw_is_not);
	tcase_add_test(rules, a_name_is_looked_at_twice_where_tasks_are_followed);
	tcase_add_test(rules, another_candidate_is_another_program);
	tcase_add_test(rules, other_facts_are_other_programs);
	tcase_add_test(cached, a_cached_image_for_more_is_found);
	tcase_add_test(cached, one_of_another_build_is_not);
	tcase_add_test(cached, nor_one_of_another_kernel);
	suite_add_tcase(s, rules);
	suite_add_tcase(s, cached);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
