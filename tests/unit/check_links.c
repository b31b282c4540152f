/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where names lead: through links that are there, that calls made, and that are gone. */
#include "resolve/links.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

static char top[] = "/tmp/links.XXXXXX", dir[sizeof(top)];
static struct links *links;
static struct links_from from;

static const char *below(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

static void make_link(const char *target, const char *name)
{
	ck_assert_int_eq(symlink(target, below(name)), 0);
}

static void setup(void)
{
	memcpy(dir, top, sizeof(dir));
	ck_assert(mkdtemp(dir) != NULL);
	ck_assert_int_eq(mkdir(below("real"), 0700), 0);
	ck_assert_int_eq(mkdir(below("real/sub"), 0700), 0);
	make_link("real", "link");
	make_link(below("link/sub"), "far");
	make_link("far", "twice");
	make_link("loop", "loop");
	/* the clock of files goes by ticks */
	usleep(20000);
	links = links_open();
	from = (struct links_from){ .below = "", .ts = mono_ns() };
}

static void teardown(void)
{
	char command[PATH_MAX];

	path_put((struct path *)from.base);
	path_put((struct path *)from.root);
	links_close(links);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static struct path *named(const char *name)
{
	return path_new(name, strlen(name), PATH_FULL);
}

/* Whether a text leads there, and that is certain; a name that does not begin with a slash is below the directory. */
static void leads(const char *text, unsigned how, const char *to, uint32_t flags)
{
	struct path *path = links_path(links, &from, text, how);

	ck_assert_msg(path != NULL, "%s", text);
	ck_assert_str_eq(path->raw, *to == '/' ? to : below(to));
	ck_assert_msg((path->flags & (PATH_FULL | PATH_REST)) == flags, "%s", text);
	path_put(path);
}

static const struct {
	const char *text;
	unsigned how;
	const char *to;
} there[] = {
	{ "real/x", 0, "real/x" },
	{ "link/x", 0, "real/x" },
	{ "link", 0, "link" },
	{ "link", LINKS_LAST, "real" },
	{ "link/", LINKS_LAST, "real" },
	{ "link/.", 0, "real" },
	{ "./link//sub/./x", 0, "real/sub/x" },
	{ "far/x", 0, "real/sub/x" },
	{ "twice/x", 0, "real/sub/x" },
	{ "twice/../x", 0, "real/x" },
	{ "far/../../link/x", 0, "real/x" },
	{ "real/sub/", LINKS_LAST, "real/sub" },
	/* what is not known to be a link is not looked at */
	{ "link", LINKS_LAST | LINKS_KNOWN, "link" },
};

START_TEST(names_lead_through_links)
{
	const char *text = there[_i].text;

	leads(below(text), there[_i].how, there[_i].to, PATH_FULL);
	/* and when all is known */
	leads(below(text), there[_i].how, there[_i].to, PATH_FULL);
	from.base = named(dir);
	leads(text, there[_i].how, there[_i].to, PATH_FULL);
}
END_TEST

START_TEST(what_a_call_found_and_is_gone_is_not_certain)
{
	leads(below("none/x"), 0, "none/x", PATH_REST);
	leads(below("real/none"), LINKS_LAST, "real/none", PATH_REST);
	leads(below("real/none"), 0, "real/none", PATH_FULL);
}
END_TEST

START_TEST(what_a_call_did_not_find_is_as_it_was_given)
{
	leads(below("none/x"), LINKS_FAILED, "none/x", PATH_FULL);
	leads(below("link/none/x"), LINKS_FAILED, "real/none/x", PATH_FULL);
	/* it is there now */
	ck_assert_int_eq(symlink("real", below("none")), 0);
	usleep(20000);
	from.ts = mono_ns();
	leads(below("none/x"), 0, "real/x", PATH_FULL);
}
END_TEST

START_TEST(a_link_that_was_made_since_says_nothing)
{
	from.ts = mono_ns() - NS_PER_S;
	leads(below("link/x"), 0, "link/x", PATH_REST);
}
END_TEST

START_TEST(two_dots_behind_what_is_gone_lead_nowhere)
{
	ck_assert(links_path(links, &from, below("loop/x"), LINKS_FAILED) == NULL);
	ck_assert(links_path(links, &from, below("none/../x"), LINKS_FAILED) == NULL);
}
END_TEST

START_TEST(what_was_asked_is_asked_again_a_second_later)
{
	leads(below("link/x"), 0, "real/x", PATH_FULL);
	ck_assert_int_eq(unlink(below("link")), 0);
	ck_assert_int_eq(mkdir(below("link"), 0700), 0);
	leads(below("link/x"), 0, "real/x", PATH_FULL);
	from.ts += 2 * NS_PER_S;
	leads(below("link/x"), 0, "link/x", PATH_FULL);
}
END_TEST

/* The name was taken away between the call and the question. */
START_TEST(what_is_gone_is_what_it_was)
{
	leads(below("link/x"), 0, "real/x", PATH_FULL);
	ck_assert_int_eq(unlink(below("link")), 0);
	from.ts += 2 * NS_PER_S;
	leads(below("link/x"), 0, "real/x", PATH_FULL);
}
END_TEST

static void made(const char *name, const char *target)
{
	struct path *path = named(below(name)), *to = target ? named(target) : NULL;

	links_made(links, 0, path, to, from.ts);
	path_put(path);
	path_put(to);
}

static void removed(const char *name)
{
	struct path *path = named(below(name));

	links_removed(links, 0, path);
	path_put(path);
}

/* stays: as links_renamed() has it; 2: exchanged */
static void renamed(const char *name, const char *to, int stays)
{
	struct path *path = named(below(name)), *second = named(below(to));

	if (stays == 2)
		links_exchanged(links, 0, path, second);
	else
		links_renamed(links, 0, path, second, stays);
	path_put(path);
	path_put(second);
}

START_TEST(what_calls_made_is_known)
{
	made("new", NULL);
	made("new/to", "../real");
	leads(below("new/to/x"), 0, "real/x", PATH_FULL);
	leads(below("new/to"), LINKS_LAST | LINKS_KNOWN, "real", PATH_FULL);
	removed("new/to");
	leads(below("new/to/x"), 0, "new/to/x", PATH_REST);
	made("new/to", NULL);
	leads(below("new/to/x"), 0, "new/to/x", PATH_FULL);
	links_forget(links);
	leads(below("new/to/x"), 0, "new/to/x", PATH_REST);
}
END_TEST

START_TEST(names_below_a_directory_move_with_it)
{
	made("old", NULL);
	made("old/to", below("real"));
	made("other", NULL);
	made("other/sub", NULL);
	leads(below("old/to/x"), 0, "real/x", PATH_FULL);
	leads(below("other/sub/x"), 0, "other/sub/x", PATH_FULL);
	renamed("old", "new", 0);
	leads(below("new/to/x"), 0, "real/x", PATH_FULL);
	leads(below("old/to/x"), 0, "old/to/x", PATH_REST);
	renamed("new", "other", 2);
	leads(below("other/to/x"), 0, "real/x", PATH_FULL);
	leads(below("new/sub/x"), 0, "new/sub/x", PATH_FULL);
	leads(below("new/to/x"), 0, "new/to/x", PATH_REST);
	renamed("other/to", "new/again", 1);
	leads(below("other/to/x"), 0, "real/x", PATH_FULL);
	leads(below("new/again/x"), 0, "real/x", PATH_FULL);
	removed("new");
	leads(below("new/again/x"), 0, "new/again/x", PATH_REST);
}
END_TEST

/* Each process has other files there, and we have ours. */
START_TEST(nothing_is_looked_at_in_proc)
{
	make_link("/proc/self", "self");
	usleep(20000);
	from.ts = mono_ns();
	leads("/proc/self/cwd/x", LINKS_LAST, "/proc/self/cwd/x", PATH_FULL);
	leads(below("self/fd/3"), LINKS_LAST, "/proc/self/fd/3", PATH_FULL);
	ck_assert(links_path(links, &from, "/proc/self/../x", 0) == NULL);
}
END_TEST

START_TEST(links_stay_below_the_root_of_the_process)
{
	make_link("/sub", "real/abs");
	make_link("../../../..", "real/up");
	usleep(20000);
	from.ts = mono_ns();
	from.root = named(below("real"));
	from.base = named(below("real"));
	leads("abs/x", 0, "real/sub/x", PATH_FULL);
	leads("up/x", 0, "real/x", PATH_FULL);
	leads("../../x", 0, "real/x", PATH_FULL);
}
END_TEST

static char elsewhere[sizeof(top) + 8];

/* First where a process was that has ended, then another one of the namespace. */
static bool look(struct links_from *at)
{
	static unsigned turn;

	at->below = turn++ % 2 ? elsewhere : "/none";
	return true;
}

static bool look_nowhere(struct links_from *at)
{
	(void)at;
	return false;
}

START_TEST(another_namespace_has_its_names)
{
	make_link("/sub", "real/abs");
	usleep(20000);
	snprintf(elsewhere, sizeof(elsewhere), "%s/real", dir);
	from = (struct links_from){ .look = look, .mntns = 7, .ts = mono_ns() };
	leads("/abs/x", 0, "/sub/x", PATH_FULL);
	from = (struct links_from){ .look = look_nowhere, .mntns = 8, .ts = from.ts };
	leads("/abs/x", 0, "/abs/x", PATH_FULL);
	from.look = NULL;
	leads("/abs/x", 0, "/abs/x", PATH_FULL);
}
END_TEST

/* Of many files that a call found, not all can be asked for in time: these names are not certain. */
START_TEST(asking_for_files_has_a_bound)
{
	char name[64];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "none%d", i);
		leads(below(name), LINKS_LAST, name, PATH_REST);
	}
	leads(below("link"), LINKS_LAST, "link", PATH_REST);
	leads(below("link/x"), 0, "real/x", PATH_FULL);
	from.ts += NS_PER_S / 10;
	leads(below("link"), LINKS_LAST, "real", PATH_FULL);
}
END_TEST

START_TEST(the_table_has_a_bound)
{
	char name[64];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		made(name, i % 2 ? "real" : NULL);
	}
	leads(below("many99999/x"), 0, "real/x", PATH_FULL);
	leads(below("many99998/x"), 0, "many99998/x", PATH_FULL);
}
END_TEST

START_TEST(what_may_wait_for_a_server_is_not_asked)
{
	struct mountinfo mounts;
	char *text;

	ck_assert_int_gt(asprintf(&text,
				  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				  "21 20 0:50 / %s/real rw - nfs4 server:/x rw\n"
				  "22 21 8:2 / %s/real/sub rw - ext4 /dev/sda2 rw\n"
				  "23 20 0:51 / %s/home rw - fuse.sshfs host:/ rw\n",
				  dir, dir, dir),
			 0);
	ck_assert_int_eq(mountinfo_make(&mounts, text), 0);
	from.base = named(dir);
	from.mounts = &mounts;
	leads("beside/x", 0, "beside/x", PATH_REST); /* which is gone */
	ck_assert_int_eq(mkdir(below("beside"), 0700), 0);
	leads("beside/x", 0, "beside/x", PATH_FULL);
	leads("real/x", 0, "real/x", PATH_REST);
	leads("link/x", 0, "real/x", PATH_REST);
	leads("real/sub/x", 0, "real/sub/x", PATH_REST);
	leads("home/x", LINKS_FAILED, "home/x", PATH_REST);
	leads("realm/x", LINKS_FAILED, "realm/x", PATH_FULL);
	mountinfo_free(&mounts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("links");
	TCase *tcase = tcase_create("links");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, names_lead_through_links, 0, sizeof(there) / sizeof(there[0]));
	tcase_add_test(tcase, what_a_call_found_and_is_gone_is_not_certain);
	tcase_add_test(tcase, what_a_call_did_not_find_is_as_it_was_given);
	tcase_add_test(tcase, a_link_that_was_made_since_says_nothing);
	tcase_add_test(tcase, two_dots_behind_what_is_gone_lead_nowhere);
	tcase_add_test(tcase, what_was_asked_is_asked_again_a_second_later);
	tcase_add_test(tcase, what_is_gone_is_what_it_was);
	tcase_add_test(tcase, what_calls_made_is_known);
	tcase_add_test(tcase, names_below_a_directory_move_with_it);
	tcase_add_test(tcase, nothing_is_looked_at_in_proc);
	tcase_add_test(tcase, links_stay_below_the_root_of_the_process);
	tcase_add_test(tcase, another_namespace_has_its_names);
	tcase_add_test(tcase, asking_for_files_has_a_bound);
	tcase_add_test(tcase, the_table_has_a_bound);
	tcase_add_test(tcase, what_may_wait_for_a_server_is_not_asked);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
