/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of names below mounts: that cover something, that move, that are in no tree. */
#include "conform/case_paths.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file f, g;

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
	expect_two("MOUNT", at("src"), at("dst"), "MS_BIND", 0);
	expect_path("MKDIR", at("dst/d"), mode_names(0700), 0);
	expect_two("RENAME", at("dst/d"), at("dst/e"), NULL, 0);
	expect_path("CHDIR", at("dst/e"), NULL, 0);
	expect_path("MKDIR", at("dst/e/rel"), mode_names(0700), 0);
	expect_path("UNLINK", at("dst/f"), NULL, 0);
	expect_path("RMDIR", at("dst/e/rel"), NULL, 0);
}

/* linux/mount.h; the number is that of every machine */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
enum { TREE_CLONE = 1 };

/* A mount that is on no other one: a copy of src, or (the child alone sees it) what was unmounted lazily. */
static int detached(const void *copy)
{
	int fd;

	if (copy)
		return (int)syscall(SYS_open_tree, AT_FDCWD, at("src"), TREE_CLONE | O_CLOEXEC);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(at("src"), at("dst"), NULL, MS_BIND, NULL))
		return -1;
	fd = (int)syscall(SYS_open_tree, AT_FDCWD, at("dst"), O_CLOEXEC);
	return fd < 0 || umount2(at("dst"), MNT_DETACH) ? -1 : fd;
}

static void work_on_detached(void *arg)
{
	int fd = detached(arg), x;

	if (fd < 0)
		_exit(1);
	x = openat(fd, "x", O_RDWR | O_CREAT, 0644);
	if (x < 0 || write(x, buf, 5) != 5 || openat(fd, "none", O_RDONLY) >= 0)
		_exit(1);
	settle();
	if (close(x) || mkdirat(fd, "d", 0700) || renameat(fd, "x", fd, "d/y") ||
	    unlinkat(fd, "d/y", 0) || fchdir(fd) || rmdir("d") || close(fd))
		_exit(1);
	stay_to_be_seen();
}

static void expect_root_closed(void)
{
	expect_row(&(struct row){ .op = "CLOSE",
				  .file = &(struct file){ .fd = -1, .status = "n" },
				  .offset = NO_OFFSET,
				  .flags = "*",
				  .any_fd = true });
}

/* Names on it begin at its root, which is nowhere. */
static void expect_detached(pid_t pid, int fd, bool copied)
{
	expect_as(pid, 0);
	if (!copied) {
		expect_two("MOUNT", at("src"), at("dst"), "MS_BIND", 0);
		expect_path("UMOUNT", at("dst"), "MNT_DETACH", 0);
	}
	snprintf(f.path, sizeof(f.path), "x");
	snprintf(f.flags, sizeof(f.flags), "O_RDWR");
	f.status = "r";
	f.ino = 0;
	expect_row(&(struct row){ .op = "OPEN",
				  .file = &f,
				  .offset = NO_OFFSET,
				  .flags = "O_RDWR|O_CREAT",
				  .rc = fd,
				  .any_fd = true });
	expect_row(&(struct row){
		.op = "WRITE", .file = &f, .size = 5, .flags = f.flags, .rc = 5, .any_fd = true });
	errno = ENOENT;
	expect_open_failed("none", "r", O_RDONLY);
	expect_row(&(struct row){
		.op = "CLOSE", .file = &f, .offset = NO_OFFSET, .flags = f.flags, .any_fd = true });
	expect_named("MKDIR", "d", "r", mode_names(0700), 0);
	name_two(&g, "x", "d/y");
	g.fd = -1;
	g.status = "r";
	expect_fd("RENAME", &g, 0, NO_OFFSET, NULL, 0);
	expect_named("UNLINK", "d/y", "r", NULL, 0);
	expect_row(&(struct row){ .op = "CHDIR",
				  .file = &(struct file){ .fd = -1, .status = "n" },
				  .offset = NO_OFFSET,
				  .any_fd = true });
	expect_named("RMDIR", "d", "r", NULL, 0);
	expect_root_closed();
}

static bool no_open_tree(void)
{
	bool missing = geteuid() != 0 ||
		       (syscall(SYS_open_tree, -1, "", ~0) < 0 && errno == ENOSYS);

	if (missing)
		skip("open_tree is not there, or needs root");
	return missing;
}

static void mounts_that_are_nowhere(void)
{
	/* the number that comes after that of a mount; it is no file */
	int fd = open("/dev/null", O_RDONLY), next = dup(fd);

	if (no_open_tree())
		return;
	close(fd);
	close(next);
	make_dir(at("src"), NULL);
	make_dir(at("dst"), NULL);
	expect_detached(in_child(work_on_detached, work_on_detached), next, true);
	expect_detached(in_child(work_on_detached, NULL), next, false);
}

enum { COPIES = 200 };

static const char *nth_directory(char name[16], int i)
{
	snprintf(name, 16, "d%d", i);
	return name;
}

/* Each copy is in a namespace of its own, and one of these may lie right behind that of the child. */
static void work_in_copies(void *arg)
{
	int fds[COPIES];
	char name[16];

	(void)arg;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		_exit(1);
	for (int i = 0; i < COPIES; i++) {
		fds[i] = detached(work_in_copies);
		if (fds[i] < 0 || mkdirat(fds[i], nth_directory(name, i), 0700))
			_exit(1);
	}
	settle();
	for (int i = 0; i < COPIES; i++)
		close(fds[i]);
	stay_to_be_seen();
}

static void many_copies(void)
{
	char name[16];

	if (no_open_tree())
		return;
	make_dir(at("src"), NULL);
	expect_as(in_child(work_in_copies, NULL), 0);
	for (int i = 0; i < COPIES; i++)
		expect_named("MKDIR", nth_directory(name, i), "r", mode_names(0700), 0);
	for (int i = 0; i < COPIES; i++)
		expect_root_closed();
}

/* With another one open, whose descriptor is closed by the time that it is asked for. */
static void work_while_mount_moves(void *arg)
{
	int x, y;

	(void)arg;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(at("src"), at("dst"), NULL, MS_BIND, NULL) ||
	    mount(at("dst"), at("dst"), NULL, MS_PRIVATE, NULL))
		_exit(1);
	x = open(at("dst/x"), O_RDWR);
	y = open(at("dst/y"), O_RDWR);
	if (x < 0 || y < 0)
		_exit(1);
	settle();
	if (mount(at("dst"), at("to"), NULL, MS_MOVE, NULL) || write(x, buf, 5) != 5)
		_exit(1);
	settle();
	if (close(x) || write(y, buf, 6) != 6 || close(y))
		_exit(1);
	stay_to_be_seen();
}

/* A file on dst before the mount moved to another place */
static void named_below(struct file *file, const char *name, int fd)
{
	file->fd = fd;
	file->status = "f";
	snprintf(file->path, sizeof(file->path), "%s", at(name));
	snprintf(file->flags, sizeof(file->flags), "O_RDWR");
}

static void moved_mount(void)
{
	int fd = open("/dev/null", O_RDONLY), next = dup(fd);

	close(fd);
	close(next);
	if (geteuid() != 0) {
		skip("mounting needs root");
		return;
	}
	make_dir(at("src"), NULL);
	make_dir(at("dst"), NULL);
	make_dir(at("to"), NULL);
	make_file("src/x", 1);
	make_file("src/y", 1);
	settle();
	expect_as(in_child(work_while_mount_moves, NULL), 0);
	expect_two("MOUNT", at("src"), at("dst"), "MS_BIND", 0);
	expect_two("MOUNT", at("dst"), at("dst"), "MS_PRIVATE", 0);
	named_below(&f, "dst/x", fd);
	expect_row(&(struct row){
		.op = "OPEN", .file = &f, .offset = NO_OFFSET, .flags = "O_RDWR", .rc = fd });
	named_below(&f, "dst/y", next);
	expect_row(&(struct row){
		.op = "OPEN", .file = &f, .offset = NO_OFFSET, .flags = "O_RDWR", .rc = next });
	expect_two("MOUNT", at("dst"), at("to"), "MS_MOVE", 0);
	named_below(&f, "to/x", fd);
	expect("WRITE", &f, 5, 0, 5);
	expect("CLOSE", &f, 0, NO_OFFSET, 0);
	named_below(&f, "to/y", next);
	if (tier == TIER_C) {
		/* the name that it had before leads nowhere by now */
		named_below(&f, "dst/y", next);
		f.status = "r";
	}
	expect("WRITE", &f, 6, 0, 6);
	expect("CLOSE", &f, 0, NO_OFFSET, 0);
}

#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
enum { MOVE_TO_LINKS = 0x10 };

/* Calls that fail leave their rows, too; a mount that is made is unmounted by one who follows a link to it. */
static void work_with_mounts(void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("iotracer", at("link"), "tmpfs", MS_NOSUID | MS_NODEV | MS_MGC_VAL, NULL) ||
	    mount(NULL, at("dst"), NULL, MS_REMOUNT | MS_RDONLY, NULL) ||
	    !mount("none", at("none"), "tmpfs", 0, NULL) || umount2(at("link"), 0) ||
	    !umount2(at("dst"), UMOUNT_NOFOLLOW | MNT_FORCE) || !chroot(at("none")))
		_exit(1);
	stay_to_be_seen();
}

static void mounts_themselves(void)
{
	if (geteuid() != 0) {
		skip("mounting needs root");
		return;
	}
	make_dir(at("dst"), NULL);
	make_symlink("dst", at("link"));
	expect_as(in_child(work_with_mounts, NULL), 0);
	expect_two("MOUNT", "iotracer", at("dst"), "MS_NOSUID|MS_NODEV", 0);
	expect_two("MOUNT", "", at("dst"), "MS_RDONLY|MS_REMOUNT", 0);
	errno = ENOENT;
	expect_two("MOUNT", "none", at("none"), "NO_FLAGS", -1);
	expect_path("UMOUNT", at("dst"), "NO_FLAGS", 0);
	errno = EINVAL;
	expect_path("UMOUNT", at("dst"), "MNT_FORCE|UMOUNT_NOFOLLOW", -1);
	errno = ENOENT;
	expect_path("CHROOT", at("none"), NULL, -1);
}

static void moving(void)
{
	long rc;

	make_dir(at("src"), NULL);
	make_dir(at("dst"), NULL);
	rc = syscall(SYS_move_mount, AT_FDCWD, at("src"), AT_FDCWD, at("dst"), MOVE_TO_LINKS);
	if (rc == -1 && errno == ENOSYS)
		skip("no move_mount");
	else /* it is no mount: EINVAL */
		expect_two("MOUNT", at("src"), at("dst"), "MOVE_MOUNT_T_SYMLINKS", rc);
}

const struct conform_case mount_cases[] = {
	{ "below_mount", below_mount },
	{ "moved_mount", moved_mount },
	{ "mounts_that_are_nowhere", mounts_that_are_nowhere },
	{ "many_copies", many_copies },
	{ "mounts_themselves", mounts_themselves },
	{ "moving", moving },
	{ 0 },
};
