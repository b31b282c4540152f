/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows filters leave, and what the kernel's programs are told of them. */
#include "plan/filter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "row/format.h"
#include "row/fs_ops.h"

static struct filter filter;

static void setup(void)
{
	memset(&filter, 0, sizeof(filter));
}

static bool keeps(enum stream_id stream, const char *operation, bool failed, uint64_t latency)
{
	return filter_row(&filter, &(struct filter_row){ .stream = stream,
							 .operation = operation,
							 .failed = failed,
							 .latency = latency });
}

START_TEST(an_empty_filter_keeps_everything)
{
	ck_assert(!filter_is_on(&filter));
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		ck_assert(filter_has_stream(&filter, i));
	ck_assert(keeps(STREAM_fs, "READ", false, FORMAT_UNKNOWN));
}
END_TEST

START_TEST(operations_are_those_of_all_streams_in_any_case)
{
	static const char *const known[] = {
		"READ",   "open",           "Connect",        "EPOLL_WAIT", "HIT",
		"MAJOR",  "FORK",           "flush",          "SEND",       "SET",
		"SUBMIT", "TCP_RETRANSMIT", "COPY_FILE_RANGE"
	};
	static const char *const unknown[] = { "", " ", "REA", "READ WRITE", "nonsense", "fs" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_msg(filter_add_operation(&filter, known[i]), "%s", known[i]);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert_msg(!filter_add_operation(&filter, unknown[i]), "%s", unknown[i]);
}
END_TEST

START_TEST(a_group_stands_for_its_operations)
{
	ck_assert(filter_add_operation(&filter, "@Xattr") && filter_add_operation(&filter, "open"));
	ck_assert_uint_eq(filter.n_operations, 5);
	ck_assert(keeps(STREAM_fs, "LISTXATTR", false, 1) && keeps(STREAM_fs, "OPEN", false, 1));
	ck_assert(!keeps(STREAM_fs, "LOCK", false, 1) && !keeps(STREAM_fs, "GETATTR", false, 1));
	ck_assert(!filter_has_stream(&filter, STREAM_ds));
	ck_assert(!filter_add_operation(&filter, "@") && !filter_add_operation(&filter, "@xatt") &&
		  !filter_add_operation(&filter, "xattr"));
}
END_TEST

/* All of them together are no more than a filter may have. */
START_TEST(every_word_of_every_group_is_an_operation)
{
	for (const struct fs_group *group = fs_groups; group->word; group++) {
		setup();
		ck_assert_msg(filter_add_operation(&filter, group->word), "%s", group->word);
		for (unsigned i = 0; i < filter.n_operations; i++)
			ck_assert(strstr(group->operations, filter.operations[i]));
	}
	setup();
	for (const struct fs_group *group = fs_groups; group->word; group++)
		ck_assert_msg(filter_add_operation(&filter, group->word), "%s", group->word);
}
END_TEST

START_TEST(an_operation_leaves_the_streams_that_have_it)
{
	filter_add_operation(&filter, "READ");
	ck_assert(filter_has_stream(&filter, STREAM_fs) && filter_has_stream(&filter, STREAM_ds));
	ck_assert(filter_has_stream(&filter, STREAM_lost));
	ck_assert(!filter_has_stream(&filter, STREAM_exec) &&
		  !filter_has_stream(&filter, STREAM_nw));
	ck_assert(keeps(STREAM_fs, "READ", false, 1) && keeps(STREAM_ds, "read", false, 1));
	ck_assert(!keeps(STREAM_fs, "DIO_READ", false, 1) &&
		  !keeps(STREAM_fs, "READDIR", false, 1));
	ck_assert(keeps(STREAM_lost, "", false, 1));
}
END_TEST

START_TEST(errors_leave_streams_with_a_result_and_exec)
{
	filter.errors = true;
	ck_assert(filter_has_stream(&filter, STREAM_nw_conn) &&
		  filter_has_stream(&filter, STREAM_exec));
	ck_assert(!filter_has_stream(&filter, STREAM_cache) &&
		  !filter_has_stream(&filter, STREAM_pagefault));
	ck_assert(keeps(STREAM_fs, "OPEN", true, 1) && !keeps(STREAM_fs, "OPEN", false, 1));
	ck_assert(keeps(STREAM_exec, "EXIT", false, FORMAT_UNKNOWN));
}
END_TEST

START_TEST(rows_that_are_shown_one_by_one_are_chosen_one_by_one)
{
	filter.errors = filter.alone = true;
	ck_assert(filter_has_stream(&filter, STREAM_exec));
	ck_assert(keeps(STREAM_exec, "EXEC", true, FORMAT_UNKNOWN) &&
		  !keeps(STREAM_exec, "EXEC", false, FORMAT_UNKNOWN));
	filter.errors = false;
	filter.min_latency = 1000;
	ck_assert(!keeps(STREAM_exec, "EXEC", false, FORMAT_UNKNOWN));
	filter.min_latency = 0;
	filter.globs[filter.n_globs++] = "/srv/*";
	ck_assert(keeps(STREAM_exec, "EXEC", false, FORMAT_UNKNOWN));
}
END_TEST

START_TEST(a_latency_that_is_not_known_is_not_long)
{
	filter.min_latency = 1000;
	ck_assert(!filter_has_stream(&filter, STREAM_cache) &&
		  filter_has_stream(&filter, STREAM_pagefault));
	ck_assert(keeps(STREAM_fs, "OPEN", false, 1000));
	ck_assert(!keeps(STREAM_fs, "OPEN", false, 999) &&
		  !keeps(STREAM_fs, "CLOSE", false, FORMAT_UNKNOWN));
}
END_TEST

START_TEST(filters_are_combined)
{
	filter_add_operation(&filter, "OPEN");
	filter.errors = true;
	filter.min_latency = 1000;
	ck_assert(keeps(STREAM_fs, "OPEN", true, 2000));
	ck_assert(!keeps(STREAM_fs, "OPEN", true, 10) && !keeps(STREAM_fs, "OPEN", false, 2000) &&
		  !keeps(STREAM_fs, "READ", true, 2000));
}
END_TEST

static const struct glob {
	const char *glob, *path;
	bool matches;
} globs[] = {
	{ "/var/log/*", "/var/log/a/b.log", true },
	{ "/var/log/*", "/var/log", false },
	{ "/var/log", "/var/log", true },
	{ "/var/log/", "/var/log/a/b", true },
	{ "/var/log", "/var/logs", false },
	{ "/", "/etc/passwd", true },
	{ "*.db", "/srv/x.db", true },
	{ "*.db", "/srv/x.db/journal", false },
	{ "x.db", "/srv/x.db", true },
	{ "x.db", "/srv/yx.db", false },
	{ "/srv/?.db", "/srv/x.db", true },
	{ "*/data/[ab]", "/srv/data/b", true },
	{ "x", "x", true },
};

START_TEST(patterns_are_those_of_find)
{
	const struct glob *g = &globs[_i];

	ck_assert_msg(filter_glob(g->glob, g->path) == g->matches, "%s %s", g->glob, g->path);
}
END_TEST

START_TEST(of_two_names_one_is_enough)
{
	struct path *pair = path_new("/a/old -> /b/new", 16, PATH_FULL),
		    *other = path_new("/c -> /d", 8, PATH_FULL);
	struct path *one = path_new("/a/old", 6, PATH_FULL);
	struct filter_row row = { .stream = STREAM_fs, .operation = "RENAME", .two_paths = true };

	filter.globs[filter.n_globs++] = "/b";
	filter.globs[filter.n_globs++] = "ol?";
	row.path = pair;
	ck_assert(filter_row(&filter, &row) && filter_row(&filter, &row));
	ck_assert_uint_eq(pair->matched, PATH_MATCHES);
	row.path = other;
	ck_assert(!filter_row(&filter, &row));
	ck_assert_uint_eq(other->matched, PATH_DIFFERS);
	row.two_paths = false;
	row.path = one;
	ck_assert(filter_row(&filter, &row));
	row.path = NULL;
	ck_assert(!filter_row(&filter, &row));
	ck_assert(filter_has_stream(&filter, STREAM_ds) &&
		  filter_has_stream(&filter, STREAM_iouring));
	path_put(pair);
	path_put(other);
	path_put(one);
}
END_TEST

/* Streams and probes as plan_has_stream and plan_needs see them */
static const struct capability close_cap = { .stream = STREAM_fs, .operation = "CLOSE" },
			       cache_cap = { .stream = STREAM_cache, .operation = "HIT" };
static const struct candidate by_calls = { .name = "SC_CLOSE", .uses = USES_DESCRIPTORS },
			      by_functions = { .name = "FPUT" };

static struct iot_config config_of(bool calls, bool cache)
{
	static struct plan plan;
	struct iot_config cfg = { .on = 1 };

	memset(&plan, 0, sizeof(plan));
	plan.n_choices = 1 + cache;
	plan.choices[0] = (struct plan_choice){ .capability = &close_cap,
						.wanted = true,
						.chosen = calls ? &by_calls : &by_functions };
	plan.choices[1] = (struct plan_choice){ .capability = &cache_cap,
						.wanted = true,
						.chosen = &by_functions };
	filter_config(&filter, &plan, &cfg);
	return cfg;
}

#define BIT(op) (1ULL << (op))

START_TEST(without_such_filters_the_kernel_sends_everything)
{
	filter.globs[filter.n_globs++] = "/b";
	ck_assert_uint_eq(config_of(false, false).filters, 0);
}
END_TEST

START_TEST(with_kprobes_only_what_is_asked_for_is_sent)
{
	struct iot_config cfg;

	filter_add_operation(&filter, "FSYNC");
	filter_add_operation(&filter, "DIO_READ");
	filter.errors = true;
	filter.min_latency = 5;
	cfg = config_of(false, false);
	ck_assert_uint_eq(cfg.filters, IOT_FILTER_ROWS);
	ck_assert_uint_eq(cfg.errors, 1);
	ck_assert_uint_eq(cfg.min_latency, 5);
	ck_assert(cfg.fs_rows == (BIT(IOT_FSYNC) | BIT(IOT_DIO_READ) | BIT(IOT_READ)));
	ck_assert(cfg.fs_state == 0);
}
END_TEST

START_TEST(what_moves_descriptors_is_sent_where_they_are_followed)
{
	struct iot_config cfg;

	filter_add_operation(&filter, "FSYNC");
	cfg = config_of(true, false);
	ck_assert(cfg.fs_rows == BIT(IOT_FSYNC));
	ck_assert(cfg.fs_state & BIT(IOT_READ));
	ck_assert(cfg.fs_state & BIT(IOT_CHDIR));
	ck_assert(!(cfg.fs_state & BIT(IOT_GETATTR)));
}
END_TEST

START_TEST(mappings_are_followed_where_their_calls_are_rows)
{
	filter_add_operation(&filter, "MSYNC");
	ck_assert(config_of(false, false).fs_state ==
		  (BIT(IOT_MMAP) | BIT(IOT_MUNMAP) | BIT(IOT_MREMAP)));
}
END_TEST

START_TEST(streams_that_know_inodes_need_every_name)
{
	filter.errors = true;
	ck_assert(config_of(false, true).fs_state == ~0ULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("filter");
	TCase *tcase = tcase_create("filter");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, an_empty_filter_keeps_everything);
	tcase_add_test(tcase, operations_are_those_of_all_streams_in_any_case);
	tcase_add_test(tcase, a_group_stands_for_its_operations);
	tcase_add_test(tcase, every_word_of_every_group_is_an_operation);
	tcase_add_test(tcase, an_operation_leaves_the_streams_that_have_it);
	tcase_add_test(tcase, errors_leave_streams_with_a_result_and_exec);
	tcase_add_test(tcase, rows_that_are_shown_one_by_one_are_chosen_one_by_one);
	tcase_add_test(tcase, a_latency_that_is_not_known_is_not_long);
	tcase_add_test(tcase, filters_are_combined);
	tcase_add_loop_test(tcase, patterns_are_those_of_find, 0, sizeof(globs) / sizeof(globs[0]));
	tcase_add_test(tcase, of_two_names_one_is_enough);
	tcase_add_test(tcase, without_such_filters_the_kernel_sends_everything);
	tcase_add_test(tcase, with_kprobes_only_what_is_asked_for_is_sent);
	tcase_add_test(tcase, what_moves_descriptors_is_sent_where_they_are_followed);
	tcase_add_test(tcase, mappings_are_followed_where_their_calls_are_rows);
	tcase_add_test(tcase, streams_that_know_inodes_need_every_name);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
