/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups are found by what people have of them, and list the processes below. */
#include "resolve/cgroup.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fixture/session.h"

static char root[256];
static struct cgroup group;
static unsigned sum, n;

static void put_group(const char *name, const char *procs)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/cgroup.procs", name);
	session_write(root, path, procs);
}

static void setup(void)
{
	session_scratch(root, sizeof(root));
	put_group("memory", "1\n");
	put_group("memory/docker", "");
	put_group("memory/docker/abc", "10\n11\n");
	put_group("memory/docker/abc/below", "12\n");
	put_group("system.slice", "20\n");
	sum = n = 0;
}

static void teardown(void)
{
	session_remove(root);
}

static void add(void *arg, uint32_t pid)
{
	ck_assert_ptr_eq(arg, &group);
	sum += pid;
	n++;
}

START_TEST(groups_are_found_in_every_hierarchy)
{
	char path[512];

	ck_assert(cgroup_find(&group, root, "docker/abc"));
	snprintf(path, sizeof(path), "%s/memory/docker/abc", root);
	ck_assert_str_eq(group.path, path);
	ck_assert(!group.unified);
	ck_assert(cgroup_find(&group, root, "/docker/abc"));
	ck_assert_str_eq(group.path, path);
	ck_assert(cgroup_find(&group, root, path));
	ck_assert_str_eq(group.path, path);
	ck_assert(cgroup_find(&group, root, "system.slice"));
}
END_TEST

START_TEST(what_is_no_group_is_not_found)
{
	ck_assert(!cgroup_find(&group, root, ""));
	ck_assert(!cgroup_find(&group, root, "no-such"));
	ck_assert(!cgroup_find(&group, root, "/usr"));
}
END_TEST

START_TEST(processes_of_groups_below_are_its_own)
{
	ck_assert(cgroup_find(&group, root, "docker/abc"));
	cgroup_each(&group, add, &group);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(sum, 33);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cgroup");
	TCase *tcase = tcase_create("cgroup");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, groups_are_found_in_every_hierarchy);
	tcase_add_test(tcase, what_is_no_group_is_not_found);
	tcase_add_test(tcase, processes_of_groups_below_are_its_own);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
