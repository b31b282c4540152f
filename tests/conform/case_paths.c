/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of operations on names: what is particular to each of them. How paths
 * are given is in case_ways.c, what they say of a file in case_attributes.c.
 */
#include "conform/case_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct file f, g, dir;

static long exchange(const char *from, const char *to, unsigned flags, const char *shown)
{
	long rc = syscall(SYS_renameat2, AT_FDCWD, at(from), AT_FDCWD, at(to), flags);

	expect_two("RENAME", at(from), at(to), shown, rc);
	return rc;
}

static void renames(void)
{
	make_file("a", 1);
	make_file("b", 2);
	make_dir(at("d"), NULL);
	make_dir(at("e"), NULL);
	make_file("d/x", 1);
	make_file("e/y", 1);
	move(at("a"), at("a")); /* nothing to do, and no failure */
	move(at("a"), at("b"));
	exchange("b", "d", RENAME_EXCHANGE, "RENAME_EXCHANGE");
	exchange("b", "d", RENAME_EXCHANGE, "RENAME_EXCHANGE");
	exchange("b", "d", RENAME_NOREPLACE, "RENAME_NOREPLACE");
	exchange("b", "d", RENAME_NOREPLACE | RENAME_EXCHANGE, "RENAME_NOREPLACE|RENAME_EXCHANGE");
	exchange("b", "c", 0x100, "0x100");
	/* a directory that is not empty, a file in the way, below itself */
	exchange("d", "e", 0, NULL);
	exchange("d", "b", 0, NULL);
	exchange("d", "d/z", 0, NULL);
	move(at("d"), at("n"));
	expect_path("GETATTR", at("n/x"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("n/x"), buf, 0));
	remove_file(at("n/x"));
	/* names end with a slash where they were given so; rows do not say it */
	expect_two("RENAME", at("n"), at("m"), NULL, rename(at("n/"), at("m/")));
}

/* Names that open files have after a rename: of the one that moved, and of the other. */
static void renames_of_open_files(void)
{
	open_file(&f, "a", O_RDWR | O_CREAT);
	open_file(&g, "b", O_RDWR | O_CREAT);
	settle();
	exchange("a", "b", RENAME_EXCHANGE, "RENAME_EXCHANGE");
	now_called(&f, "b", "f");
	now_called(&g, "a", "f");
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	expect("WRITE", &g, 6, 0, write(g.fd, buf, 6));
	/* "a" takes the place of "b", which has no name from then on */
	exchange("a", "b", 0, NULL);
	now_called(&g, "b", "f");
	now_called(&f, "b", "fd");
	expect("WRITE", &f, 7, 5, write(f.fd, buf, 7));
	expect("WRITE", &g, 8, 6, write(g.fd, buf, 8));
	close_file(&f);
	close_file(&g);
}

/* A device with the number 0 is left where the file was. */
static void whiteouts(void)
{
	struct stat st;

	make_file("a", 1);
	make_file("b", 2);
	exchange("a", "b", RENAME_WHITEOUT | RENAME_EXCHANGE, "RENAME_EXCHANGE|RENAME_WHITEOUT");
	exchange("a", "b", RENAME_WHITEOUT | RENAME_NOREPLACE, "RENAME_NOREPLACE|RENAME_WHITEOUT");
	if (exchange("a", "b", RENAME_WHITEOUT, "RENAME_WHITEOUT")) {
		skip("this file system, or this user, makes no whiteouts");
		return;
	}
	expect_path("GETATTR", at("a"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("a"), &st, NOFOLLOW));
	must(S_ISCHR(st.st_mode) && !st.st_rdev, "whiteout");
	/* it is a name like others */
	exchange("b", "a", RENAME_NOREPLACE, "RENAME_NOREPLACE");
	exchange("b", "c", RENAME_WHITEOUT | RENAME_NOREPLACE, "RENAME_NOREPLACE|RENAME_WHITEOUT");
	move(at("c"), at("b"));
	remove_file(at("a"));
	remove_file(at("b"));
}

static void links(void)
{
	char link_name[64];
	long rc;

	make_file("a", 1);
	make_symlink("a", at("s"));
	/* link(2) does not follow; AT_SYMLINK_FOLLOW does */
	expect_two("LINK", at("s"), at("to_s"), NULL,
		   syscall(SYS_linkat, AT_FDCWD, at("s"), AT_FDCWD, at("to_s"), 0));
	expect_two("LINK", at("a"), at("to_a"), NULL,
		   syscall(SYS_linkat, AT_FDCWD, at("s"), AT_FDCWD, at("to_a"), AT_SYMLINK_FOLLOW));
	expect_two("LINK", at(""), at("to_dir"), NULL, link(at(""), at("to_dir")));
	expect_two("LINK", at("a"), at("x"), NULL,
		   syscall(SYS_linkat, AT_FDCWD, at("a"), AT_FDCWD, at("x"), 0x8000));
	open_file(&f, "a", O_RDONLY);
	settle();
	rc = syscall(SYS_linkat, f.fd, "", AT_FDCWD, at("by_fd"), AT_EMPTY_PATH);
	name_two(&g, f.path, at("by_fd"));
	g.fd = f.fd;
	g.status = "f";
	expect_fd("LINK", &g, 0, NO_OFFSET, NULL, rc);
	/* the way to name a file without privilege */
	snprintf(link_name, sizeof(link_name), "/proc/self/fd/%d", f.fd);
	rc = syscall(SYS_linkat, AT_FDCWD, link_name, AT_FDCWD, at("by_proc"), AT_SYMLINK_FOLLOW);
	expect_two("LINK", tier == TIER_A ? at("a") : link_name, at("by_proc"), NULL, rc);
	close_file(&f);
}

static void symlinks(void)
{
	make_symlink("target with blanks -> and an arrow", at("a"));
	make_symlink("line\nbreak", at("b"));
	make_symlink("back\\slash", at("c"));
	make_symlink("back\\slash", at("with\abell"));
	make_symlink("target,\"", at("not\xffutf8"));
	expect_two("SYMLINK", "again", at("a"), NULL, symlink("again", at("a")));
	expect_two("SYMLINK", "x", at("none/x"), NULL, symlink("x", at("none/x")));
}

/* ---- directories ---- */

static void directories(void)
{
	static const mode_t modes[] = { 0777, 01777, 07777, 0400, 0111 };
	char name[] = "0";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++, name[0]++)
		expect_path("MKDIR", at(name), mode_names(modes[i]), mkdir(at(name), modes[i]));
	expect_path("MKDIR", at("slash"), mode_names(0755), mkdir(at("slash/"), 0755));
	expect_path("MKDIR", at("slash"), mode_names(0755), mkdir(at("slash//"), 0755));
	make_file("slash/file", 0);
	expect_path("RMDIR", at("slash"), NULL, rmdir(at("slash/")));
	expect_path("RMDIR", at("slash/file"), NULL, rmdir(at("slash/file")));
	expect_path("UNLINK", at("slash"), NULL, unlink(at("slash")));
	expect_path("UNLINK", at("slash/file"), NULL, unlink(at("slash/file/")));
	remove_file(at("slash/file"));
	expect_path("RMDIR", at("slash"), NULL, rmdir(at("slash/")));
	expect_path("UNLINK", at("0"), NULL, syscall(SYS_unlinkat, AT_FDCWD, at("0"), 0x1000));
	expect_path("RMDIR", at("0"), NULL, rmdir(at("0/.")));
	enter(at("0"), NULL);
	expect_path("RMDIR", at("0"), NULL, rmdir(at("0")));
}

static void working_directory(void)
{
	make_dir(at("d"), NULL);
	make_dir(at("d/e"), NULL);
	make_file("file", 0);
	enter(at("d/"), at("d"));
	enter("./e/", at("d/e"));
	enter("..", at("d"));
	expect_path("CHDIR", at("file"), NULL, chdir("../file"));
	open_at(&dir, AT_FDCWD, "e", at("d/e"), O_RDONLY | O_DIRECTORY);
	open_file(&f, "file", O_RDONLY);
	expect_directory("CHDIR", &dir, NO_OFFSET, NULL, fchdir(dir.fd));
	make_dir("made", at("d/e/made"));
	/* not a directory: the name is the file's all the same */
	expect_directory("CHDIR", &f, NO_OFFSET, NULL, fchdir(f.fd));
	make_dir("here", at("d/e/here"));
	expect_fd("CHDIR", &(struct file){ .fd = 999, .status = "n" }, 0, NO_OFFSET, NULL,
		  fchdir(999));
	close_file(&f);
	close_file(&dir);
}

static void odd_names(void)
{
	static const char *const names[] = {
		"with,comma",         "with\"quote", "line\nbreak", "back\\slash", "tab\there",
		"not\xff\xfeutf8",    "a -> b",      " blank ",     "bell\a\x7f",  "-> ",
		"not gone (deleted)",
	};
	size_t n = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n; i++) {
		make_dir(at(names[i]), NULL);
		expect_path("GETATTR", at(names[i]), NULL,
			    syscall(SYS_newfstatat, AT_FDCWD, at(names[i]), buf, 0));
		enter(at(names[i]), NULL);
	}
	for (size_t i = 0; i + 1 < n; i++) {
		move(at(names[i]), at("between"));
		move(at("between"), at(names[i]));
		expect_two("RENAME", at(names[i]), at(names[i + 1]), NULL,
			   rename(at(names[i]), at(names[i + 1])));
		expect_path("RMDIR", at(names[i + 1]), NULL, rmdir(at(names[i + 1])));
		make_dir(at(names[i + 1]), NULL);
	}
}

/* ---- other views of the tree ---- */

static void work_in_new_root(void *arg)
{
	(void)arg;
	if (chroot(at("root")) || chdir("/sub") || mkdir("/abs", 0700) || mkdir("rel", 0700) ||
	    rename("/abs", "/sub/moved") || rmdir("../sub/rel"))
		_exit(1);
	settle();
}

static void in_new_root(void)
{
	if (geteuid() != 0) {
		skip("chroot needs root");
		return;
	}
	make_dir(at("root"), NULL);
	make_dir(at("root/sub"), NULL);
	expect_as(in_child(work_in_new_root, NULL), 0);
	expect_path("CHROOT", at("root"), NULL, 0);
	expect_path("CHDIR", at("root/sub"), NULL, 0);
	expect_path("MKDIR", at("root/abs"), mode_names(0700), 0);
	expect_path("MKDIR", at("root/sub/rel"), mode_names(0700), 0);
	expect_two("RENAME", at("root/abs"), at("root/sub/moved"), NULL, 0);
	expect_path("RMDIR", at("root/sub/rel"), NULL, 0);
}

/* A name may be that of anything; what is done through a descriptor of a pipe leaves no row. */
static void other_kinds(void)
{
	char mode[128];
	int fd;

	snprintf(mode, sizeof(mode), "S_IFIFO|%s", mode_names(0644));
	expect_path("MKNOD", at("pipe"), mode, mkfifo(at("pipe"), 0644));
	expect_path("GETATTR", at("pipe"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("pipe"), buf, 0));
	expect_path("SETATTR", at("pipe"), "ATTR_MODE", chmod(at("pipe"), 0600));
	fd = open(at("pipe"), O_RDWR);
	/* what it is, and that it is no link, can be found out while it is there */
	settle_names();
	must(fd >= 0 && !syscall(SYS_fstat, fd, buf) && !fchmod(fd, 0644), "pipe");
	must(write(fd, buf, 10) == 10 && read(fd, buf, 10) == 10 && !close(fd), "pipe");
	move(at("pipe"), at("moved"));
	remove_file(at("moved"));
}

/* No file system of files: no row, whether the call succeeds or not. */
static void pseudo_names(void)
{
	must(syscall(SYS_newfstatat, AT_FDCWD, "/proc/none", buf, 0) < 0, "/proc/none");
	must(mkdir("/sys/none/below", 0755) < 0, "/sys/none");
	must(rename("/proc/none", "/proc/never") < 0, "/proc/none");
	must(!chdir("/proc/self") && !syscall(SYS_newfstatat, AT_FDCWD, "stat", buf, 0),
	     "/proc/self");
	settle();
	must(unlink("none") < 0 && chdir("none") < 0, "none");
	enter(at(""), NULL);
	make_dir("here", at("here"));
}

/* ".." leaves what a link leads to, not the directory that has the link. */
static void dots_behind_links(void)
{
	make_dir(at("real"), NULL);
	make_dir(at("real/sub"), NULL);
	make_file("real/x", 1);
	make_symlink("real/sub", at("link"));
	enter(at(""), NULL);
	expect_path("GETATTR", at("real/x"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("link/../x"), buf, 0));
	expect_path("GETATTR", at("real/x"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, "link/../x", buf, 0));
	expect_path("GETATTR", at("real/none"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, "link/../none", buf, 0));
	expect_path("MKDIR", at("real/new"), mode_names(0700), mkdir("./link/../new/", 0700));
	expect_two("RENAME", at("real/x"), at("real/sub/y"), NULL,
		   rename(at("link/../x"), "link/../sub/y"));
	expect_path("RMDIR", at("real/new"), NULL, rmdir("real/../link/../new"));
}

/* A file has one name, whichever way it was named. */
static void through_directories(void)
{
	char last[4096];

	make_dir(at("real"), NULL);
	make_dir(at("real/sub"), NULL);
	make_file("real/x", 1);
	make_symlink("real", at("link"));
	make_symlink(at("link/sub"), at("twice"));
	enter(at(""), NULL);
	expect_path("GETATTR", at("real/x"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, "link/x", buf, 0));
	expect_path("SETATTR", at("real/x"), "ATTR_MODE", chmod(at("link/x"), 0600));
	expect_path("MKDIR", at("real/sub/new"), mode_names(0700), mkdir(at("twice/new"), 0700));
	expect_path("RMDIR", at("real/sub/new"), NULL, rmdir("link/sub/new"));
	expect_two("LINK", at("real/x"), at("real/sub/y"), NULL, link("link/x", at("twice/y")));
	expect_two("RENAME", at("real/sub/y"), at("real/y"), NULL, rename("twice/y", "link/y"));
	expect_path("UNLINK", at("real/y"), NULL, unlink(at("link/y")));
	/* what a call gave and did not find has the directory that it would be in */
	expect_path("UNLINK", at("real/sub/none"), NULL, unlink("twice/none"));
	snprintf(last, sizeof(last), "%s", at("link"));
	expect_path("GETATTR", last, NULL, syscall(SYS_newfstatat, AT_FDCWD, last, buf, NOFOLLOW));
	remove_file(at("link"));
	make_symlink("none", at("link"));
	expect_path("GETATTR", at("none/x"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, "link/x", buf, 0));
}

/* Pages of a shared mapping are not mapped in a child before it touches them: the call itself has to read the name. */
static char *shared_names;
enum { NAMES_APART = 1 << 16 };

static char *shared_name(int which)
{
	return shared_names + which * NAMES_APART;
}

static void work_with_names_not_mapped(void *arg)
{
	(void)arg;
	if (mkdir(shared_name(0), 0700) || mkdir(shared_name(1), 0700) ||
	    rename(shared_name(2), shared_name(3)) || rmdir(shared_name(4)) ||
	    chdir(shared_name(5)))
		_exit(1);
	settle();
}

static void names_not_mapped(void)
{
	const char *const names[] = {
		at("abs"), "rel", at("abs/"), "moved", at("moved"), at("rel")
	};
	const size_t n = sizeof(names) / sizeof(names[0]);

	shared_names = mmap(NULL, n * NAMES_APART, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared_names == MAP_FAILED) {
		skip("no memory");
		return;
	}
	enter(at(""), NULL);
	for (size_t i = 0; i < n; i++)
		strcpy(shared_name((int)i), names[i]);
	expect_as(in_child(work_with_names_not_mapped, NULL), 0);
	expect_path("MKDIR", at("abs"), mode_names(0700), 0);
	expect_path("MKDIR", at("rel"), mode_names(0700), 0);
	expect_two("RENAME", at("abs"), at("moved"), NULL, 0);
	expect_path("RMDIR", at("moved"), NULL, 0);
	expect_path("CHDIR", at("rel"), NULL, 0);
}

/* The directory that names start at moves while it is used. */
static void moving_start(void)
{
	make_dir(at("d"), NULL);
	make_dir(at("d/sub"), NULL);
	enter(at("d/sub"), NULL);
	make_dir("one", at("d/sub/one"));
	settle();
	move(at("d"), at("e"));
	settle();
	make_dir("two", at("e/sub/two"));
	settle();
	make_dir("../three", at("e/three"));
	settle();
	move(at("e"), at("d"));
}

const struct conform_case path_cases[] = {
	{ "renames", renames },
	{ "renames_of_open_files", renames_of_open_files },
	{ "whiteouts", whiteouts },
	{ "links_made", links },
	{ "symlinks", symlinks },
	{ "directories", directories },
	{ "working_directory", working_directory },
	{ "odd_names", odd_names },
	{ "in_new_root", in_new_root },
	{ "other_kinds", other_kinds },
	{ "pseudo_names", pseudo_names },
	{ "dots_behind_links", dots_behind_links },
	{ "through_directories", through_directories },
	{ "names_not_mapped", names_not_mapped },
	{ "moving_start", moving_start },
	{ 0 },
};
