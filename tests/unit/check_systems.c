/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of storage systems: what matches, what a file may hold, and what is said of one that may not. */
#include "analysis/amp/systems.h"

#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_verify.h"

static struct systems systems;

static int read_text(const char *text, size_t len)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, len, "r");
	int err;

	ck_assert(in != NULL);
	systems_free(&systems);
	said_begin();
	err = systems_parse(&systems, in, "my.conf");
	said_end();
	fclose(in);
	return err;
}

static void installed(void)
{
	const char *src = getenv("srcdir");
	char path[400];

	fixture_verify_setup();
	snprintf(path, sizeof(path), "%s/data/systems.conf", src ? src : ".");
	ck_assert_int_eq(systems_read(&systems, path), 0);
}

static void teardown(void)
{
	systems_free(&systems);
	fixture_verify_teardown();
}

static void expect(const char *comm, const char *program, const char *system)
{
	const char *found = systems_find(&systems, comm, program);

	ck_assert_msg(found == system || (found && system && !strcmp(found, system)), "%s %s is %s",
		      comm ? comm : "-", program ? program : "-", found ? found : "none");
}

START_TEST(systems_are_known_by_thread_or_program)
{
	expect("minio", NULL, "MinIO");
	expect(NULL, "/opt/minio/bin/minio", "MinIO");
	expect("ceph-osd", NULL, "Ceph");
	expect("bstore_kv_sync", "/usr/bin/ceph-osd", "Ceph");
	expect("postgres", NULL, "PostgreSQL");
	expect("changed title", "/usr/lib/postgresql/15/bin/postgres", "PostgreSQL");
	expect("etcd", NULL, "etcd");
	expect("glusterfsd", NULL, "GlusterFS");
}
END_TEST

START_TEST(cat_of_post_is_not_postgresql)
{
	expect("cat", "/usr/bin/cat", NULL);
	expect("post", "/home/a/post.txt", NULL);
	expect("etcdctl", "/usr/bin/etcdctl", NULL);
	expect("postgres_export", "/usr/bin/postgres_exporter", NULL);
	expect(NULL, NULL, NULL);
	expect("", "", NULL);
}
END_TEST

START_TEST(names_that_the_kernel_cut_match)
{
	expect("clickhouse-serv", NULL, "ClickHouse");
	expect("qemu-storage-da", NULL, "QEMU");
}
END_TEST

START_TEST(first_match_wins)
{
	static const char text[] = "# mine\n\nMine etcd* # comment\nTheirs etcd other\r\n";

	ck_assert_int_eq(read_text(text, sizeof(text) - 1), 0);
	expect("etcd", NULL, "Mine");
	expect("other", NULL, "Theirs");
	expect("comment", NULL, NULL);
}
END_TEST

static const struct {
	const char *text;
	const char *why;
} wrong[] = {
	{ "A a\nB\n", "my.conf:2: a system needs a pattern" },
	{ "B # b\n", "my.conf:1: a system needs a pattern" },
	{ "\n\nB **\n", "my.conf:3: a pattern of '*' alone" },
	{ "B a*b*c*d*e*f*g*h\n", "my.conf:1: more than 6 '*'" },
	{ "B \x01\n", "my.conf:1: control character" },
	{ "012345678901234567890123456789012 b\n", "my.conf:1: name of a system longer" },
};

START_TEST(wrong_line_is_told_with_its_number_and_reason)
{
	ck_assert_int_eq(read_text(wrong[_i].text, strlen(wrong[_i].text)), -EINVAL);
	ck_assert_msg(strstr(said, wrong[_i].why) != NULL, "%s", said);
}
END_TEST

START_TEST(long_lines_and_nul_bytes_are_refused)
{
	static char text[4096];

	memset(text, 'a', sizeof(text));
	ck_assert_int_eq(read_text(text, sizeof(text)), -EINVAL);
	ck_assert_int_eq(read_text("A a\0b\n", 6), -EINVAL);
}
END_TEST

START_TEST(any_bytes_are_read_or_refused)
{
	static const char letters[] = "ab/*?[]\\!-# \t\n\r\xff\x01z";
	char text[300];

	srand(7);
	for (int turn = 0; turn < 1000; turn++) {
		size_t len = 1 + (size_t)rand() % (sizeof(text) - 1);
		int err;

		for (size_t i = 0; i < len; i++)
			text[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		err = read_text(text, len);
		ck_assert(err == 0 || err == -EINVAL);
		systems_find(&systems, "aaaaaaaaaaaaaab", "/a/b/aaaaaaaaaaaaaaaaaaaaab");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("systems");
	TCase *tc = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, installed, teardown);
	tcase_add_test(tc, systems_are_known_by_thread_or_program);
	tcase_add_test(tc, cat_of_post_is_not_postgresql);
	tcase_add_test(tc, names_that_the_kernel_cut_match);
	tcase_add_test(tc, first_match_wins);
	tcase_add_loop_test(tc, wrong_line_is_told_with_its_number_and_reason, 0,
			    (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(tc, long_lines_and_nul_bytes_are_refused);
	tcase_add_test(tc, any_bytes_are_read_or_refused);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
