/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of operations on names: what is particular to each of them. How paths
 * are given is in conform_ways.c.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_statx
#ifdef __x86_64__
#define SYS_statx 332
#else
#define SYS_statx 291
#endif
#endif
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif
#ifndef RENAME_NOREPLACE
enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2, RENAME_WHITEOUT = 4 };
#endif

#define NOFOLLOW AT_SYMLINK_NOFOLLOW
#define TIMES "ATTR_ATIME|ATTR_MTIME"

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

/* Kernel functions see what a symbolic link led to, system calls the path that was given. */
static const char *found(const char *given, const char *real)
{
	return at(tier == TIER_A ? real : given);
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
	expect_two("LINK", found("s", "a"), at("to_a"), NULL,
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

/* ---- sizes ---- */

static void truncates(void)
{
	make_file("file", 10);
	expect_path("TRUNCATE", at("file"), NULL, truncate(at("file"), 0));
	open_file(&f, "file", O_RDWR | O_TRUNC);
	set_size(&f, 0x180000001);
	set_size(&f, 3);
	expect("READ", &f, 10, 0, read(f.fd, buf, 10));
	expect_fd("TRUNCATE", &f, (uint64_t)-5, NO_OFFSET, NULL, ftruncate(f.fd, -5));
	close_file(&f);
	open_file(&f, "file", O_RDONLY);
	expect_fd("TRUNCATE", &f, 7, NO_OFFSET, NULL, ftruncate(f.fd, 7));
	close_file(&f);
	expect_fd("TRUNCATE", &(struct file){ .fd = 999, .status = "n" }, 9, NO_OFFSET, NULL,
		  ftruncate(999, 9));
	expect_path("TRUNCATE", at(""), NULL, truncate(at(""), 0));
}

/* ---- attributes ---- */

static void ask_fd(struct file *file)
{
	expect_fd("GETATTR", file, 0, NO_OFFSET, NULL, syscall(SYS_fstat, file->fd, buf));
	expect_fd("GETATTR", file, 0, NO_OFFSET, NULL,
		  syscall(SYS_newfstatat, file->fd, "", buf, AT_EMPTY_PATH));
	expect_fd("GETATTR", file, 0, NO_OFFSET, "STATX_TYPE|STATX_SIZE",
		  syscall(SYS_statx, file->fd, "", AT_EMPTY_PATH, 0x201, buf));
}

static void attributes_of_descriptors(void)
{
	static struct file none = { .fd = 999, .status = "n" };
	int pipes[2];

	make_file("file", 7);
	open_file(&f, "file", O_RDONLY);
	ask_fd(&f);
	open_file(&g, "file", O_RDONLY | O_PATH);
	ask_fd(&g);
	close_file(&g);
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	ask_fd(&dir);
	/* a path beside AT_EMPTY_PATH is a path */
	expect_path("GETATTR", at("file"), NULL,
		    syscall(SYS_newfstatat, dir.fd, "file", buf, AT_EMPTY_PATH));
	close_file(&dir);
	settle();
	remove_file(at("file"));
	now_called(&f, "file", "fd");
	ask_fd(&f);
	close_file(&f);
	ask_fd(&none);
	/* "" where no descriptor is given is the working directory */
	enter(at(""), NULL);
	expect_path("GETATTR", at(""), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, "", buf, AT_EMPTY_PATH));
	/* no file: no row */
	must(!pipe(pipes) && !syscall(SYS_fstat, pipes[0], buf), "fstat of a pipe");
	must(!close(pipes[0]) && !close(pipes[1]), "close");
}

static void statx_masks(void)
{
	static const struct {
		unsigned mask;
		const char *names;
	} masks[] = {
		{ 0, NULL },
		{ 0x2, "STATX_MODE" },
		{ 0x7ff, "STATX_BASIC_STATS" },
		{ 0xfff, "STATX_ALL" },
		{ 0x800, "STATX_BTIME" },
		{ 0x1100, "STATX_INO|STATX_MNT_ID" },
		{ 0x80000000, "0x80000000" },
	};

	make_file("file", 0);
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		expect_path("GETATTR", at("file"), masks[i].names,
			    syscall(SYS_statx, AT_FDCWD, at("file"), 0, masks[i].mask, buf));
}

static void set_attributes(void)
{
	static struct file none = { .fd = 999, .status = "n" };
	struct file *files[] = { &f, &none };

	make_file("file", 0);
	open_file(&f, "file", O_RDWR);
	for (int i = 0; i < 2; i++) {
		int fd = files[i]->fd;

		expect_fd("SETATTR", files[i], 0, NO_OFFSET, "ATTR_MODE", fchmod(fd, 0640));
		expect_fd("SETATTR", files[i], 0, NO_OFFSET, "ATTR_UID|ATTR_GID", fchown(fd, 0, 0));
		expect_fd("SETATTR", files[i], 0, NO_OFFSET, "ATTR_UID", fchown(fd, 0, -1));
		expect_fd("SETATTR", files[i], 0, NO_OFFSET, "ATTR_GID", fchown(fd, -1, 0));
		expect_fd("SETATTR", files[i], 0, NO_OFFSET, NULL, fchown(fd, -1, -1));
		expect_fd("SETATTR", files[i], 0, NO_OFFSET, TIMES,
			  syscall(SYS_utimensat, fd, NULL, NULL, 0));
	}
	expect_fd("SETATTR", &f, 0, NO_OFFSET, "ATTR_GID",
		  syscall(SYS_fchownat, f.fd, "", -1, 0, AT_EMPTY_PATH));
	close_file(&f);
}

/* A time that is now, or any other, is set as well; one that is left out is not. */
static void set_times(void)
{
	static const struct {
		long access, change;
		const char *names;
	} list[] = {
		{ UTIME_NOW, UTIME_NOW, TIMES },
		{ UTIME_NOW, 7, TIMES },
		{ 7, UTIME_NOW, TIMES },
		{ 0, 999999999, TIMES },
		{ UTIME_OMIT, 7, "ATTR_MTIME" },
		{ UTIME_OMIT, UTIME_NOW, "ATTR_MTIME" },
		{ 7, UTIME_OMIT, "ATTR_ATIME" },
		{ UTIME_NOW, UTIME_OMIT, "ATTR_ATIME" },
		{ UTIME_OMIT, UTIME_OMIT, NULL },
		/* not a time: refused */
		{ 1000000000, 0, TIMES },
		{ UTIME_OMIT, 1000000000, "ATTR_MTIME" },
	};

	make_file("file", 0);
	open_file(&f, "file", O_RDONLY);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct timespec times[2] = { { 1, list[i].access }, { 2, list[i].change } };

		expect_path("SETATTR", at("file"), list[i].names,
			    syscall(SYS_utimensat, AT_FDCWD, at("file"), times, 0));
		expect_fd("SETATTR", &f, 0, NO_OFFSET, list[i].names,
			  syscall(SYS_utimensat, f.fd, NULL, times, 0));
	}
	expect_path("SETATTR", at("file"), TIMES,
		    syscall(SYS_utimensat, AT_FDCWD, at("file"), 8, 0));
	close_file(&f);
}

/* Calls that follow a symbolic link, and calls on the link itself. */
static void through_links(void)
{
	make_dir(at("d"), NULL);
	make_file("d/file", 1);
	make_symlink("d/file", at("s"));
	make_symlink("none", at("dangling"));
	expect_path("GETATTR", found("s", "d/file"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("s"), buf, 0));
	expect_path("GETATTR", at("s"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("s"), buf, NOFOLLOW));
	expect_path("GETATTR", at("dangling"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("dangling"), buf, 0));
	expect_path("SETATTR", found("s", "d/file"), "ATTR_MODE", chmod(at("s"), 0600));
	expect_path("TRUNCATE", found("s", "d/file"), NULL, truncate(at("s"), 0));
	expect_path("SETATTR", at("s"), "ATTR_UID", lchown(at("s"), 0, -1));
	remove_file(at("s"));
}

/* ---- what a file is ---- */

static uint64_t inode_of(const char *name)
{
	struct stat st;

	expect_path("GETATTR", at(name), NULL, syscall(SYS_newfstatat, AT_FDCWD, at(name), &st, 0));
	return st.st_ino;
}

static void expect_inode(const char *op, const char *name, uint64_t ino, const char *flags, long rc)
{
	static struct file file;

	file.fd = -1;
	file.status = "f";
	/* known where a function of the kernel was seen at work on the file */
	file.ino = tier == TIER_A ? ino : 0;
	snprintf(file.path, sizeof(file.path), "%s", name);
	expect_fd(op, &file, 0, NO_OFFSET, flags, rc);
}

/* The second inode: of what the new name is from now on (LINK), or was until now; 0: nothing. */
static void expect_inodes(const char *op, const char *from, const char *to, uint64_t ino,
			  uint64_t second, const char *flags, long rc)
{
	static struct file file;
	char text[32] = "";
	struct row row = {
		.op = op,
		.file = &file,
		.offset = NO_OFFSET,
		.flags = flags,
		.address = text,
		.rc = rc,
	};

	name_two(&file, from, to);
	file.fd = -1;
	file.status = "f";
	file.ino = tier == TIER_A ? ino : 0;
	if (tier == TIER_A && second)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)second);
	expect_row(&row);
}

static void two_inodes(void)
{
	uint64_t a, b, c;

	make_file("a", 1);
	make_file("b", 1);
	make_file("c", 1);
	a = inode_of("a");
	b = inode_of("b");
	c = inode_of("c");
	expect_inodes("LINK", at("a"), at("l"), a, a, NULL, link(at("a"), at("l")));
	expect_inodes("RENAME", at("a"), at("new"), a, 0, NULL, rename(at("a"), at("new")));
	expect_inodes("RENAME", at("new"), at("b"), a, b, NULL, rename(at("new"), at("b")));
	expect_inodes("RENAME", at("b"), at("c"), a, c, "RENAME_EXCHANGE",
		      syscall(SYS_renameat2, AT_FDCWD, at("b"), AT_FDCWD, at("c"),
			      RENAME_EXCHANGE));
}

static void inodes(void)
{
	uint64_t file, folder;
	char two[8192];

	make_file("file", 1);
	make_dir(at("d"), NULL);
	file = inode_of("file");
	folder = inode_of("d");
	expect_inode("GETATTR", at("file"), file, NULL,
		     syscall(SYS_newfstatat, AT_FDCWD, at("file"), buf, 0));
	expect_inode("SETATTR", at("file"), file, "ATTR_MODE", chmod(at("file"), 0600));
	expect_inode("TRUNCATE", at("file"), file, NULL, truncate(at("file"), 0));
	expect_inodes("LINK", at("file"), at("link"), file, file, NULL,
		      link(at("file"), at("link")));
	expect_inodes("RENAME", at("file"), at("d/moved"), file, 0, NULL,
		      rename(at("file"), at("d/moved")));
	expect_inode("UNLINK", at("link"), file, NULL, unlink(at("link")));
	expect_inode("UNLINK", at("d/moved"), file, NULL, unlink(at("d/moved")));
	snprintf(two, sizeof(two), "%s/", at("d"));
	expect_inode("CHDIR", two, folder, NULL, chdir(at("d")));
	expect_inode("RMDIR", two, folder, NULL, rmdir(at("d")));
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
	expect_path("CHDIR", at("root/sub"), NULL, 0);
	expect_path("MKDIR", at("root/abs"), mode_names(0700), 0);
	expect_path("MKDIR", at("root/sub/rel"), mode_names(0700), 0);
	expect_two("RENAME", at("root/abs"), at("root/sub/moved"), NULL, 0);
	expect_path("RMDIR", at("root/sub/rel"), NULL, 0);
}

/* Where a mount covers a directory, names are below the mount; it is seen by the child alone. */
static void work_below_mount(void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(at("src"), at("dst"), NULL, MS_BIND, NULL) || mkdir(at("dst/d"), 0700) ||
	    rename(at("dst/d"), at("dst/e")) || chdir(at("dst/e")) || mkdir("rel", 0700) ||
	    unlink("../f") || rmdir(at("dst/e/rel")))
		_exit(1);
	stay_to_be_seen();
}

static void below_mount(void)
{
	if (geteuid() != 0) {
		skip("mounting needs root");
		return;
	}
	make_dir(at("src"), NULL);
	make_dir(at("dst"), NULL);
	make_file("src/f", 1);
	expect_as(in_child(work_below_mount, NULL), 0);
	expect_path("MKDIR", at("dst/d"), mode_names(0700), 0);
	expect_two("RENAME", at("dst/d"), at("dst/e"), NULL, 0);
	expect_path("CHDIR", at("dst/e"), NULL, 0);
	expect_path("MKDIR", at("dst/e/rel"), mode_names(0700), 0);
	expect_path("UNLINK", at("dst/f"), NULL, 0);
	expect_path("RMDIR", at("dst/e/rel"), NULL, 0);
}

/* A name may be that of anything; what is done through a descriptor of a pipe leaves no row. */
static void other_kinds(void)
{
	int fd;

	must(!mkfifo(at("pipe"), 0644), "mkfifo");
	expect_path("GETATTR", at("pipe"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("pipe"), buf, 0));
	expect_path("SETATTR", at("pipe"), "ATTR_MODE", chmod(at("pipe"), 0600));
	fd = open(at("pipe"), O_RDWR);
	/* what it is can be found out while it is there */
	settle();
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
	{ "truncates", truncates },
	{ "attributes_of_descriptors", attributes_of_descriptors },
	{ "statx_masks", statx_masks },
	{ "set_attributes", set_attributes },
	{ "set_times", set_times },
	{ "through_links", through_links },
	{ "inodes", inodes },
	{ "two_inodes", two_inodes },
	{ "in_new_root", in_new_root },
	{ "below_mount", below_mount },
	{ "other_kinds", other_kinds },
	{ "pseudo_names", pseudo_names },
	{ "moving_start", moving_start },
	{ 0 },
};
