/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of what is asked and said of a file by its name or descriptor: its size, its
 * attributes, and the inodes that rows have.
 */
#include "conform/case_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct file f, g, dir;

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
	expect_path("GETATTR", at("d/file"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("s"), buf, 0));
	expect_path("GETATTR", at("s"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("s"), buf, NOFOLLOW));
	expect_path("GETATTR", at("dangling"), NULL,
		    syscall(SYS_newfstatat, AT_FDCWD, at("dangling"), buf, 0));
	expect_path("SETATTR", at("d/file"), "ATTR_MODE", chmod(at("s"), 0600));
	expect_path("TRUNCATE", at("d/file"), NULL, truncate(at("s"), 0));
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

const struct conform_case attribute_cases[] = {
	{ "truncates", truncates },
	{ "attributes_of_descriptors", attributes_of_descriptors },
	{ "statx_masks", statx_masks },
	{ "set_attributes", set_attributes },
	{ "set_times", set_times },
	{ "through_links", through_links },
	{ "inodes", inodes },
	{ "two_inodes", two_inodes },
	{ 0 },
};
