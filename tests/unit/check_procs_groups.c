/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which control group a process is: from /proc, from its parent, from what moved it. */
#include "resolve/procs_groups.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_proc.h"
#include "fixture/fixture_procs.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define INTO_CGROUP 0x200000000ULL

static void setup(void)
{
	fixture_procs_setup();
	fixture_proc_text(P, "cgroup", "4:memory:/docker/" ID "\n0::/init.scope\n");
}

static bool moved(uint32_t pid, uint32_t hierarchy, const char *to)
{
	struct path *path = path_new(to, strlen(to), 0);
	bool news = procs_group_moved(procs, pid, hierarchy, path);

	path_put(path);
	return news;
}

static void is_in(uint32_t pid, const char *group)
{
	const char *now = procs_group(procs, pid);

	ck_assert_str_eq(now ? now : "(not known)", group);
}

static void forked(uint32_t child, uint64_t flags)
{
	procs_fork(procs, P, child, flags);
	procs_group_forked(procs, P, child, flags);
}

START_TEST(what_was_there_is_read)
{
	is_in(P, "/docker/" ID);
	is_in(GONE, "(not known)");
	is_in(0, "(not known)");
}
END_TEST

/* also one that has ended before anything else is known of it */
START_TEST(a_child_is_where_its_parent_is)
{
	forked(CHILD, 0);
	is_in(CHILD, "/docker/" ID);
	forked(OTHER, INTO_CGROUP);
	is_in(OTHER, "(not known)");
}
END_TEST

/* Of version 1 each hierarchy has an event. */
START_TEST(one_that_is_moved_is_there)
{
	forked(CHILD, 0);
	ck_assert(!moved(CHILD, 7, "/docker/" ID));
	ck_assert(moved(CHILD, 7, "/lxc.payload.a"));
	ck_assert(!moved(CHILD, 4, "/lxc.payload.a"));
	is_in(CHILD, "/lxc.payload.a");
	is_in(P, "/docker/" ID);
}
END_TEST

/* It leaves its container in the hierarchy that tells of it, and in no other. */
START_TEST(one_that_leaves_is_in_none)
{
	is_in(P, "/docker/" ID);
	ck_assert(moved(P, 9, "/user.slice"));
	is_in(P, "/docker/" ID);
	ck_assert(moved(P, 4, "/user.slice"));
	is_in(P, "/user.slice");
}
END_TEST

START_TEST(after_a_loss_it_is_read_again)
{
	ck_assert(moved(P, 4, "/lxc.payload.a"));
	is_in(P, "/lxc.payload.a");
	procs_lost(procs);
	is_in(P, "/docker/" ID);
	/* the path of a group could not be sent */
	fixture_proc_text(P, "cgroup", "0::/lxc.payload.b\n");
	ck_assert(procs_group_moved(procs, P, 0, NULL));
	is_in(P, "/lxc.payload.b");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("procs_groups");
	TCase *tcase = tcase_create("groups");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(tcase, setup, fixture_procs_teardown);
	tcase_add_test(tcase, what_was_there_is_read);
	tcase_add_test(tcase, a_child_is_where_its_parent_is);
	tcase_add_test(tcase, one_that_is_moved_is_there);
	tcase_add_test(tcase, one_that_leaves_is_in_none);
	tcase_add_test(tcase, after_a_loss_it_is_read_again);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
