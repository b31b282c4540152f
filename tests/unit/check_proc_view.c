/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a process looks from, in our namespace and in others, and what its strings mean there. */
#include "resolve/proc_view.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fixture/fixture_proc.h"

enum { P = 5000001 };

static struct own_view own;
static struct proc_view view;
static char top[PATH_MAX]; /* of the fixture's files */

static void setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "name");
	snprintf(top, sizeof(top), "%s", fixture_file("a"));
	*strrchr(top, '/') = '\0';
	own_view_read(&own, PROC);
	view = (struct proc_view){ .tgid = P };
}

static void teardown(void)
{
	proc_view_close(&view);
	fixture_proc_close();
}

static const char *below_top(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%.4000s/%.90s", top, name);
	return path;
}

static void relink(const char *name, const char *target)
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%.4000s/proc/%d/%s", top, P, name);
	unlink(link);
	ck_assert_int_eq(symlink(target, link), 0);
}

static void leave_our_namespace(void)
{
	ck_assert_int_eq(unlink(fixture_file("proc/5000001/ns/mnt")), 0);
	fixture_proc_text(P, "ns/mnt", "");
}

static void refresh(void)
{
	view.read_at = 0;
	proc_view_refresh(&view, PROC, &own);
}

/* ---- namespace and root ---- */

START_TEST(our_own_view_is_that_of_this_process)
{
	struct stat st;

	ck_assert_int_eq(stat("/", &st), 0);
	ck_assert_uint_eq(own.mntns, procfs_mntns(PROC, getpid()));
	ck_assert_uint_ne(own.mntns, 0);
	ck_assert_uint_eq(own.root_ino, st.st_ino);
	ck_assert_uint_eq(own.root_dev, fixture_dev(&st));
}
END_TEST

START_TEST(process_beside_us_sees_what_we_see)
{
	refresh();
	ck_assert_uint_eq(view.mntns, own.mntns);
	ck_assert(!view.foreign && !view.other_root && !view.root);
}
END_TEST

START_TEST(changed_root_in_our_namespace_has_a_path)
{
	relink("root", top);
	refresh();
	ck_assert(!view.foreign && !view.other_root);
	ck_assert_str_eq(view.root->raw, top);
	ck_assert_uint_eq(view.root->flags, PATH_FULL | PATH_PROC);
	relink("root", "/");
	refresh();
	ck_assert(!view.root);
}
END_TEST

START_TEST(another_namespace_may_have_our_root)
{
	leave_our_namespace();
	refresh();
	ck_assert_uint_ne(view.mntns, own.mntns);
	ck_assert(view.foreign && !view.other_root && !view.root);
}
END_TEST

START_TEST(another_root_there_has_no_path_here)
{
	leave_our_namespace();
	relink("root", top);
	refresh();
	ck_assert(view.foreign && view.other_root && !view.root);
	ck_assert_uint_eq(view.other_root_in, view.mntns);
}
END_TEST

START_TEST(where_ours_is_not_known_nobody_is_foreign)
{
	own.mntns = 0;
	leave_our_namespace();
	refresh();
	ck_assert(!view.foreign);
}
END_TEST

START_TEST(what_was_known_of_an_ended_process_stays)
{
	relink("root", top);
	refresh();
	fixture_process_gone(P);
	refresh();
	ck_assert_uint_eq(view.mntns, own.mntns);
	ck_assert_str_eq(view.root->raw, top);
}
END_TEST

/* Tried until both readings lie within 10 ms: a busy machine may come between. */
START_TEST(it_is_not_read_again_at_once)
{
	uint64_t began;
	bool changed;

	do {
		relink("root", "/");
		refresh();
		began = view.read_at;
		relink("root", top);
		proc_view_refresh(&view, PROC, &own);
		changed = view.root != NULL;
	} while (mono_ns() - began >= 10000000);
	ck_assert(!changed);
	view.read_at -= 10000000;
	proc_view_refresh(&view, PROC, &own);
	ck_assert(view.root != NULL);
}
END_TEST

START_TEST(child_begins_with_the_view_of_its_parent)
{
	struct proc_view *child;

	relink("root", top);
	fixture_cwd(P, "/usr");
	refresh();
	proc_view_read_cwd(&view, PROC);
	child = proc_view_new(&view);
	ck_assert(child != NULL);
	ck_assert_uint_eq(child->mntns, view.mntns);
	proc_view_close(&view); /* each has references of its own */
	ck_assert_str_eq(child->root->raw, top);
	ck_assert_str_eq(child->cwd->raw, "/usr");
	ck_assert_uint_eq(child->cwd_ino, view.cwd_ino);
	ck_assert_uint_eq(child->cwd_dev, view.cwd_dev);
	proc_view_put(child);
}
END_TEST

START_TEST(paths_of_descriptors_are_told_by_their_text)
{
	char name[64];

	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/self/fd/3"), 3);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/thread-self/fd/12"), 12);
	ck_assert_int_eq(proc_view_fd_of(&view, "/dev/fd/0"), 0);
	ck_assert_int_eq(proc_view_fd_of(&view, "/dev/stderr"), 2);
	snprintf(name, sizeof(name), "/proc/%u/fd/4", view.tgid);
	ck_assert_int_eq(proc_view_fd_of(&view, name), 4);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/self/fd"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/self/fd/"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/self/fd/3/x"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/self/fdinfo/3"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/selfish/fd/3"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/dev/fd/-1"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/dev/stderr/x"), -1);
	ck_assert_int_eq(proc_view_fd_of(&view, "/proc/1/fd/3"), -1);
}
END_TEST

START_TEST(own_directory_of_proc_is_the_process_s)
{
	struct procfs_file file, there;

	fixture_fd(P, 3, fixture_file("a"), 0, O_RDONLY);
	ck_assert(procfs_fd(PROC, P, 3, false, &there));
	ck_assert(proc_view_file(&view, PROC, "/proc/self/fd/3", &file));
	ck_assert_str_eq(file.path, fixture_file("a"));
	ck_assert_uint_eq(file.ino, there.ino);
	ck_assert(!proc_view_file(&view, PROC, "/dev/fd/9", &file));
	ck_assert(proc_view_is_own("/proc/self/exe"));
	ck_assert(!proc_view_is_own("/proc/1/exe"));
}
END_TEST

/* ---- the working directory ---- */

START_TEST(working_directory_follows_its_name)
{
	uint64_t ino;

	fixture_file("old/file");
	fixture_cwd(P, below_top("old"));
	proc_view_read_cwd(&view, PROC);
	ino = view.cwd_ino;
	ck_assert_str_eq(proc_view_cwd(&view, PROC, 0)->raw, below_top("old"));
	ck_assert_int_eq(rename(below_top("old"), below_top("new")), 0);
	fixture_cwd(P, below_top("new"));
	ck_assert_str_eq(proc_view_cwd(&view, PROC, 1)->raw, below_top("new"));
	ck_assert_uint_eq(view.cwd_ino, ino);
}
END_TEST

/* A chdir that comes later in the records must not show already. */
START_TEST(another_directory_is_not_taken_for_a_new_name)
{
	fixture_cwd(P, top);
	proc_view_read_cwd(&view, PROC);
	fixture_cwd(P, "/usr");
	ck_assert_str_eq(proc_view_cwd(&view, PROC, 1)->raw, top);
}
END_TEST

START_TEST(forgotten_directory_is_not_read_by_itself)
{
	fixture_cwd(P, "/usr");
	proc_view_read_cwd(&view, PROC);
	proc_view_forget_cwd(&view);
	ck_assert(!proc_view_cwd(&view, PROC, 1));
	ck_assert_uint_eq(view.cwd_ino, 0);
	proc_view_read_cwd(&view, PROC);
	ck_assert_str_eq(view.cwd->raw, "/usr");
}
END_TEST

START_TEST(directory_that_cannot_be_read_changes_nothing)
{
	fixture_cwd(P, "/usr");
	proc_view_read_cwd(&view, PROC);
	fixture_cwd(P, "/no/such/directory (deleted)");
	proc_view_read_cwd(&view, PROC);
	ck_assert_str_eq(view.cwd->raw, "/usr");
}
END_TEST

/* ---- files and paths ---- */

static void expect_file(const char *path, const char *name)
{
	struct procfs_file file;
	struct stat st;

	fixture_file_stat(name, &st);
	ck_assert(proc_view_file(&view, PROC, path, &file));
	ck_assert_uint_eq(file.ino, st.st_ino);
}

START_TEST(file_is_found_as_the_process_would)
{
	struct procfs_file file;

	expect_file(fixture_file("a"), "a");
	ck_assert(!proc_view_file(&view, PROC, "/a", &file));
	leave_our_namespace();
	relink("root", top);
	refresh();
	expect_file("/a", "a");
	ck_assert(!proc_view_file(&view, PROC, fixture_file("a"), &file));
}
END_TEST

START_TEST(file_below_a_changed_root_is_looked_for_there)
{
	relink("root", top);
	refresh();
	fixture_file("b");
	expect_file(below_top("b"), "b"); /* rows have paths from our root */
	/* the root that /proc has, whatever is at its name by now */
	relink("root", "/usr");
	ck_assert(!proc_view_file(&view, PROC, below_top("b"), &(struct procfs_file){ .ino = 0 }));
}
END_TEST

static const struct {
	const char *base;
	const char *text;
	const char *path;
} strings[] = {
	{ "/base", "a", "/base/a" }, { "/base", "./a/./b", "/base/a/b" }, { "/base", "/a", "/a" },
	{ NULL, "/a//b/", "/a/b" },  { "/base", "../a", "/a" }, /* nothing is there: by text */
	{ "/base", "./../a", "/a" },
};

static char *meaning(const char *base_text, const char *string)
{
	static char out[PATH_MAX];
	struct path *base = base_text ? path_new(base_text, strlen(base_text), PATH_FULL) : NULL;
	struct path *text = path_new(string, strlen(string), 0);
	struct links *links = links_open();
	struct path *path = proc_view_path(&view, PROC, links, &(struct links_from){ .base = base },
					   text->raw, 0);

	links_close(links);

	ck_assert(path != NULL);
	snprintf(out, sizeof(out), "%s", path->raw);
	path_put(path);
	path_put(text);
	path_put(base);
	return out;
}

START_TEST(string_means_a_path)
{
	ck_assert_str_eq(meaning(strings[_i].base, strings[_i].text), strings[_i].path);
}
END_TEST

START_TEST(two_dots_leave_what_a_link_leads_to)
{
	fixture_file("real/sub/file");
	ck_assert_int_eq(symlink(below_top("real/sub"), below_top("link")), 0);
	ck_assert_str_eq(meaning(top, "link/../x"), below_top("real/x"));
	ck_assert_str_eq(meaning(top, "link/.."), below_top("real"));
	ck_assert_str_eq(meaning(top, "link/x"), below_top("link/x"));
	ck_assert_str_eq(meaning(top, "link/..x"), below_top("link/..x"));
	ck_assert_str_eq(meaning(NULL, below_top("link/../x")), below_top("real/x"));
}
END_TEST

/* What a name that is gone led to nobody knows: the text is not given as certain. */
START_TEST(two_dots_behind_what_is_gone_are_not_resolved)
{
	static const char *const texts[] = { "no/such/../a", "./no/..", "/no/../a", "../no/../a" };
	struct path *base = path_new("/base", 5, PATH_FULL);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct path *path = proc_view_dots(&view, PROC, base, texts[i], 0);

		ck_assert_str_eq(path->raw, texts[i]);
		ck_assert_uint_eq(path->flags & (PATH_FULL | PATH_REST), PATH_REST);
		path_put(path);
	}
	path_put(base);
}
END_TEST

START_TEST(absolute_string_begins_at_the_root_of_the_process)
{
	relink("root", top);
	refresh();
	ck_assert_str_eq(meaning("/base", "/x/y"), below_top("x/y"));
	ck_assert_str_eq(meaning("/base", "//x"), below_top("x"));
	ck_assert_str_eq(meaning("/base", "/"), top);
	ck_assert_str_eq(meaning("/base", "x"), "/base/x");
}
END_TEST

static TCase *new_case(const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("proc_view");
	TCase *root = new_case("root"), *cwd = new_case("cwd"), *paths = new_case("paths");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_test(root, our_own_view_is_that_of_this_process);
	tcase_add_test(root, process_beside_us_sees_what_we_see);
	tcase_add_test(root, changed_root_in_our_namespace_has_a_path);
	tcase_add_test(root, another_namespace_may_have_our_root);
	tcase_add_test(root, another_root_there_has_no_path_here);
	tcase_add_test(root, where_ours_is_not_known_nobody_is_foreign);
	tcase_add_test(root, what_was_known_of_an_ended_process_stays);
	tcase_add_test(root, it_is_not_read_again_at_once);
	tcase_add_test(root, child_begins_with_the_view_of_its_parent);
	tcase_add_test(root, paths_of_descriptors_are_told_by_their_text);
	tcase_add_test(root, own_directory_of_proc_is_the_process_s);
	suite_add_tcase(suite, root);
	tcase_add_test(cwd, working_directory_follows_its_name);
	tcase_add_test(cwd, another_directory_is_not_taken_for_a_new_name);
	tcase_add_test(cwd, forgotten_directory_is_not_read_by_itself);
	tcase_add_test(cwd, directory_that_cannot_be_read_changes_nothing);
	suite_add_tcase(suite, cwd);
	tcase_add_test(paths, file_is_found_as_the_process_would);
	tcase_add_test(paths, file_below_a_changed_root_is_looked_for_there);
	tcase_add_loop_test(paths, string_means_a_path, 0, sizeof(strings) / sizeof(strings[0]));
	tcase_add_test(paths, two_dots_leave_what_a_link_leads_to);
	tcase_add_test(paths, two_dots_behind_what_is_gone_are_not_resolved);
	tcase_add_test(paths, absolute_string_begins_at_the_root_of_the_process);
	suite_add_tcase(suite, paths);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
