/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of calls that ask about files, or say something of them, and move no bytes: access, readlink,
 * statfs, mknod, extended attributes, watches.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_getxattrat 464
#define SYS_listxattrat 465
#define SYS_removexattrat 466
#endif
enum { EACCESS = 0x200 };

static struct file f, dir;
static struct file bad = { .fd = 999, .status = "n" };

static void sized(const char *op, const char *path, uint64_t size, const char *flags, long rc)
{
	static struct file file = { .fd = -1, .status = "f" };

	snprintf(file.path, sizeof(file.path), "%s", path);
	expect_fd(op, &file, size, NO_OFFSET, flags, rc);
}

/* The same, of a call that comes to the file: in tier a its inode is known, elsewhere the row has none that is wrong. */
static void found(const char *op, const char *path, ino_t ino, uint64_t size, const char *flags,
		  long rc)
{
	static struct file file = { .fd = -1, .status = "f" };

	snprintf(file.path, sizeof(file.path), "%s", path);
	file.ino = tier == TIER_A ? ino : 0;
	expect_fd(op, &file, size, NO_OFFSET, flags, rc);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	expect_path("GETATTR", path, NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW));
	return st.st_ino;
}

/* A call that this kernel does not know has no events: no row. */
static bool is_known(long rc)
{
	return rc != -1 || errno != ENOSYS;
}

/* ---- ACCESS ---- */

static void accessing(void)
{
	make_file("file", 0);
	make_symlink("file", at("link"));
#ifdef SYS_access
	expect_path("ACCESS", at("file"), "F_OK", syscall(SYS_access, at("file"), F_OK));
	expect_path("ACCESS", at("file"), "R_OK|W_OK|X_OK", syscall(SYS_access, at("file"), 7));
	expect_path("ACCESS", at("none"), "R_OK", syscall(SYS_access, at("none"), R_OK));
	expect_path("ACCESS", at("file"), "W_OK", syscall(SYS_access, at("link"), W_OK));
#endif
	expect_path("ACCESS", at("file"), "R_OK",
		    syscall(SYS_faccessat, AT_FDCWD, at("file"), R_OK));
	enter(at(""), NULL);
	expect_path("ACCESS", at("file"), "F_OK", syscall(SYS_faccessat, AT_FDCWD, "file", F_OK));
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	expect_path("ACCESS", at("file"), "W_OK", syscall(SYS_faccessat, dir.fd, "link", W_OK));
	close_file(&dir);
}

static void accessing_with_flags(void)
{
	long rc;

	make_file("file", 0);
	make_symlink("file", at("link"));
	rc = syscall(SYS_faccessat2, AT_FDCWD, at("link"), F_OK, EACCESS);
	if (!is_known(rc)) {
		skip("no faccessat2");
		return;
	}
	expect_path("ACCESS", at("file"), "F_OK|AT_EACCESS", rc);
	expect_path("ACCESS", at("link"), "R_OK|AT_SYMLINK_NOFOLLOW",
		    syscall(SYS_faccessat2, AT_FDCWD, at("link"), R_OK, AT_SYMLINK_NOFOLLOW));
	open_file(&f, "file", O_RDONLY);
	expect_fd("ACCESS", &f, 0, NO_OFFSET, "W_OK|AT_EACCESS|AT_EMPTY_PATH",
		  syscall(SYS_faccessat2, f.fd, "", W_OK, AT_EMPTY_PATH | EACCESS));
	close_file(&f);
}

/* ---- READLINK ---- */

static void reading_links(void)
{
	ino_t ino;

	make_file("file", 0);
	make_symlink("file", at("link"));
	ino = inode_of(at("link"));
#ifdef SYS_readlink
	found("READLINK", at("link"), ino, 100, NULL, syscall(SYS_readlink, at("link"), buf, 100));
	sized("READLINK", at("file"), 7, NULL, syscall(SYS_readlink, at("file"), buf, 7));
#endif
	found("READLINK", at("link"), ino, 2, NULL,
	      syscall(SYS_readlinkat, AT_FDCWD, at("link"), buf, 2));
	sized("READLINK", at("none"), 9, NULL,
	      syscall(SYS_readlinkat, AT_FDCWD, at("none"), buf, 9));
	/* no file system that is traced: no row */
	must(syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", buf, 4096) > 0, "readlinkat");
	/* the link is open itself; its name is empty */
	open_at(&f, AT_FDCWD, at("link"), NULL, O_PATH | O_NOFOLLOW);
	expect_fd("READLINK", &f, 50, NO_OFFSET, NULL, syscall(SYS_readlinkat, f.fd, "", buf, 50));
	close_file(&f);
}

/* ---- STATFS ---- */

static void file_systems(void)
{
	struct statfs st;

	make_file("file", 0);
	make_symlink("file", at("link"));
	expect_path("STATFS", at("file"), NULL, syscall(SYS_statfs, at("file"), &st));
	expect_path("STATFS", at("file"), NULL, syscall(SYS_statfs, at("link"), &st));
	expect_path("STATFS", at("none"), NULL, syscall(SYS_statfs, at("none"), &st));
	open_file(&f, "file", O_RDONLY);
	expect_fd("STATFS", &f, 0, NO_OFFSET, NULL, syscall(SYS_fstatfs, f.fd, &st));
	close_file(&f);
	expect_fd("STATFS", &bad, 0, NO_OFFSET, NULL, syscall(SYS_fstatfs, 999, &st));
	must(!syscall(SYS_statfs, "/proc", &st), "statfs");
}

/* ---- MKNOD ---- */

static void making_nodes(void)
{
	char fifo[128] = "S_IFIFO|", file[128] = "S_IFREG|";

	strcat(fifo, mode_names(0640));
	strcat(file, mode_names(0600));
#ifdef SYS_mknod
	expect_path("MKNOD", at("fifo"), fifo, syscall(SYS_mknod, at("fifo"), S_IFIFO | 0640, 0));
#endif
	expect_path("MKNOD", at("file"), file,
		    syscall(SYS_mknodat, AT_FDCWD, at("file"), S_IFREG | 0600, 0));
	/* it is there already */
	expect_path("MKNOD", at("file"), file,
		    syscall(SYS_mknodat, AT_FDCWD, at("file"), S_IFREG | 0600, 0));
	expect_path("MKNOD", at("none/null"), "S_IFCHR|1:3",
		    syscall(SYS_mknodat, AT_FDCWD, at("none/null"), S_IFCHR, makedev(1, 3)));
	expect_path("MKNOD", at("none/disk"), "S_IFBLK|4095:1048575",
		    syscall(SYS_mknodat, AT_FDCWD, at("none/disk"), S_IFBLK,
			    makedev(4095, 1048575)));
	open_file(&f, "file", O_RDWR);
	close_file(&f);
}

/* ---- attributes that are extended ---- */

/* Where the file system has none, the row has the error. */
static void attributes_of_names(void)
{
	ino_t ino;

	make_file("file", 0);
	make_symlink("file", at("link"));
	ino = inode_of(at("file"));
	found("SETXATTR", at("file"), ino, 5, "user.a",
	      syscall(SYS_setxattr, at("file"), "user.a", "value", 5, 0));
	found("SETXATTR", at("file"), ino, 3, "XATTR_CREATE|user.a",
	      syscall(SYS_setxattr, at("file"), "user.a", "new", 3, XATTR_CREATE));
	sized("GETXATTR", at("file"), 100, "user.a",
	      syscall(SYS_getxattr, at("file"), "user.a", buf, 100));
	sized("GETXATTR", at("file"), 0, "user.none",
	      syscall(SYS_getxattr, at("file"), "user.none", NULL, 0));
	found("LISTXATTR", at("file"), ino, 1000, NULL,
	      syscall(SYS_listxattr, at("file"), buf, 1000));
	found("REMOVEXATTR", at("file"), ino, 0, "user.a",
	      syscall(SYS_removexattr, at("file"), "user.a"));
	expect_path("REMOVEXATTR", at("none"), "user.a",
		    syscall(SYS_removexattr, at("none"), "user.a"));
	/* what would divide fields, and words of them */
	sized("GETXATTR", at("file"), 0, "user.a,\"b|c\\n",
	      syscall(SYS_getxattr, at("file"), "user.a,\"b|c\n", NULL, 0));
	sized("SETXATTR", at("none"), 1, "XATTR_CREATE|user.\"",
	      syscall(SYS_setxattr, at("none"), "user.\"", "x", 1, XATTR_CREATE));
	/* of the link itself */
	ino = inode_of(at("link"));
	found("SETXATTR", at("link"), ino, 1, "XATTR_REPLACE|trusted.a",
	      syscall(SYS_lsetxattr, at("link"), "trusted.a", "x", 1, XATTR_REPLACE));
	sized("GETXATTR", at("link"), 10, "trusted.a",
	      syscall(SYS_lgetxattr, at("link"), "trusted.a", buf, 10));
	found("LISTXATTR", at("link"), ino, 10, NULL, syscall(SYS_llistxattr, at("link"), buf, 10));
	expect_path("REMOVEXATTR", at("link"), "trusted.a",
		    syscall(SYS_lremovexattr, at("link"), "trusted.a"));
}

static void attributes_behind_links(void)
{
	long rc;

	make_file("file", 0);
	make_symlink("file", at("link"));
	/* a name that leads somewhere is followed to its end when the call did, too */
	rc = syscall(SYS_listxattr, at("link"), buf, 100);
	sized("LISTXATTR", rc < 0 ? at("link") : at("file"), 100, NULL, rc);
}

static void attributes_of_open_files(void)
{
	struct file *files[] = { &f, &bad };

	open_file(&f, "file", O_RDWR | O_CREAT);
	for (int i = 0; i < 2; i++) {
		int fd = files[i]->fd;

		expect_fd("SETXATTR", files[i], 2, NO_OFFSET, "user.b",
			  syscall(SYS_fsetxattr, fd, "user.b", "ab", 2, 0));
		expect_fd("GETXATTR", files[i], 2, NO_OFFSET, "user.b",
			  syscall(SYS_fgetxattr, fd, "user.b", buf, 2));
		expect_fd("LISTXATTR", files[i], 77, NO_OFFSET, NULL,
			  syscall(SYS_flistxattr, fd, buf, 77));
		expect_fd("REMOVEXATTR", files[i], 0, NO_OFFSET, "user.b",
			  syscall(SYS_fremovexattr, fd, "user.b"));
	}
	close_file(&f);
}

static void attributes_at(void)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = { (uintptr_t)buf, 4, 0 };

	long rc;

	make_file("file", 0);
	make_symlink("file", at("link"));
	enter(at(""), NULL);
	rc = syscall(SYS_setxattrat, AT_FDCWD, "file", 0, "user.c", &args, sizeof(args));
	if (!is_known(rc)) {
		skip("no setxattrat");
		return;
	}
	/* what the structure says is not read */
	expect_path("SETXATTR", at("file"), "user.c", rc);
	expect_path("GETXATTR", at("link"), "trusted.c",
		    syscall(SYS_getxattrat, AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, "trusted.c",
			    &args, sizeof(args)));
	sized("LISTXATTR", at("link"), 60, NULL,
	      syscall(SYS_listxattrat, AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, buf, 60));
	open_file(&f, "file", O_RDWR);
	expect_fd("REMOVEXATTR", &f, 0, NO_OFFSET, "user.c",
		  syscall(SYS_removexattrat, f.fd, "", AT_EMPTY_PATH, "user.c"));
	close_file(&f);
}

/* ---- WATCH ---- */

static void watching(void)
{
	int fd = inotify_init1(IN_CLOEXEC);

	must(fd >= 0, "inotify_init1");
	make_file("file", 0);
	make_symlink("file", at("link"));
	expect_path("WATCH", at("file"), "IN_MODIFY", inotify_add_watch(fd, at("file"), IN_MODIFY));
	expect_path("WATCH", at("file"), "IN_CREATE|IN_DELETE|IN_ONESHOT",
		    inotify_add_watch(fd, at("link"), IN_CREATE | IN_DELETE | IN_ONESHOT));
	expect_path("WATCH", at("link"), "IN_ATTRIB|IN_DONT_FOLLOW",
		    inotify_add_watch(fd, at("link"), IN_ATTRIB | IN_DONT_FOLLOW));
	expect_path("WATCH", at("none"), "IN_MOVED_TO",
		    inotify_add_watch(fd, at("none"), IN_MOVED_TO));
	must(!close(fd), "close");
}

static void marking(void)
{
	int fd = (int)syscall(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY);

	if (fd < 0) {
		skip("no fanotify");
		return;
	}
	make_file("file", 0);
	enter(at(""), NULL);
	expect_path("WATCH", at("file"), "FAN_MODIFY|FAN_CLOSE_WRITE",
		    fanotify_mark(fd, FAN_MARK_ADD, FAN_MODIFY | FAN_CLOSE_WRITE, AT_FDCWD,
				  "file"));
	expect_path("WATCH", at("file"), "FAN_MARK_REMOVE|FAN_MODIFY",
		    fanotify_mark(fd, FAN_MARK_REMOVE, FAN_MODIFY, AT_FDCWD, at("file")));
	open_at(&dir, AT_FDCWD, at(""), NULL, O_RDONLY | O_DIRECTORY);
	expect_path("WATCH", at("file"), "FAN_MARK_IGNORE|FAN_OPEN|FAN_ONDIR",
		    fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_IGNORED_MASK, FAN_OPEN | FAN_ONDIR,
				  dir.fd, "file"));
	close_file(&dir);
	must(!close(fd), "close");
}

const struct conform_case metadata_cases[] = {
	{ "accessing", accessing },
	{ "accessing_with_flags", accessing_with_flags },
	{ "reading_links", reading_links },
	{ "file_systems", file_systems },
	{ "making_nodes", making_nodes },
	{ "attributes_of_names", attributes_of_names },
	{ "attributes_behind_links", attributes_behind_links },
	{ "attributes_of_open_files", attributes_of_open_files },
	{ "attributes_at", attributes_at },
	{ "watching", watching },
	{ "marking", marking },
	{ 0 },
};
