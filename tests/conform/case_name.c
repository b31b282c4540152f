/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of names: odd bytes in them, and files whose name changes, goes, or
 * depends on who looks. Tiers a and b tell the name at the time of the
 * operation; tier c keeps the one of the open call.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file f, g;

static void odd_bytes(void)
{
	static const char *const names[] = {
		"with,comma",
		"with\"quote",
		"line\nbreak",
		"back\\slash",
		"both,\"\n,\\",
		"tab\there",
		"not\xff\xfeutf8",
		"cut\xc3",
		"caf\xc3\xa9 \xe2\x82\xac",
		" blank ",
		"bell\a\x7f",
		"'single'",
		"not gone (deleted)",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		open_file(&f, names[i], O_RDWR | O_CREAT);
		expect("WRITE", &f, i + 1, 0, write(f.fd, buf, i + 1));
		if (i % 2 == 0)
			settle();
		close_file(&f);
	}
	must(open(at("none,\n"), O_RDONLY) < 0, "open");
	expect_open_failed(at("none,\n"), "f", O_RDONLY);
}

static void renamed(void)
{
	open_file(&f, "old", O_RDWR | O_CREAT);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	settle();
	move(at("old"), at("new"));
	now_called(&f, "new", "f");
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	close_file(&f);
	open_file(&f, "new", O_RDONLY);
	expect("READ", &f, 64, 0, read(f.fd, buf, 64));
	close_file(&f);
}

static void unlinked(void)
{
	open_file(&f, "file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	settle();
	remove_file(at("file"));
	now_called(&f, "file", "fd");
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	/* another file of this name is another file */
	open_file(&g, "file", O_RDWR | O_CREAT);
	expect("WRITE", &g, 7, 0, write(g.fd, buf, 7));
	close_file(&g);
	close_file(&f);
}

static void directory_renamed(void)
{
	make_dir(at("d"), NULL);
	make_dir(at("d/sub"), NULL);
	open_file(&f, "d/sub/file", O_RDWR | O_CREAT);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	enter(at("d/sub"), NULL);
	settle();
	move(at("d"), at("e"));
	now_called(&f, "e/sub/file", "f");
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	close_file(&f);
	open_file(&f, "e/sub/file", O_RDONLY);
	close_file(&f);
	/* the working directory moved with it */
	open_at(&f, AT_FDCWD, "file", at("e/sub/file"), O_RDONLY);
	settle();
	close_file(&f);
}

static void hard_links(void)
{
	open_file(&f, "one", O_RDWR | O_CREAT);
	expect_two("LINK", at("one"), at("two"), NULL, link(at("one"), at("two")));
	open_file(&g, "two", O_RDWR);
	expect("WRITE", &f, 5, 0, write(f.fd, buf, 5));
	expect("READ", &g, 9, 0, read(g.fd, buf, 9));
	expect("WRITE", &f, 6, 5, write(f.fd, buf, 6));
	settle();
	close_file(&f);
	close_file(&g);
}

/* A mount over it hides a file from its path; the mounted one has the path now. */
static void mount_in_own_namespace(void *arg)
{
	int *fds = arg;
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(at("src"), at("dst"), NULL, MS_BIND, NULL))
		_exit(1);
	settle();
	fd = open(at("dst/f"), O_RDWR);
	settle();
	if (fd != fds[0] || write(fd, buf, 8) != 8 || close(fd))
		_exit(1);
	stay_to_be_seen();
}

static bool may_mount(void)
{
	if (geteuid() == 0)
		return true;
	skip("mounting needs root");
	return false;
}

static void mounted(void)
{
	pid_t pid;
	int fd;

	if (!may_mount())
		return;
	make_dir(at("src"), NULL);
	make_dir(at("dst"), NULL);
	open_file(&f, "src/f", O_RDWR | O_CREAT);
	fd = f.fd;
	close_file(&f);
	pid = in_child(mount_in_own_namespace, &fd);
	expect_as(pid, 0);
	expect_two("MOUNT", at("src"), at("dst"), "MS_BIND", 0);
	expect_open(&f, at("dst/f"), O_RDWR, fd);
	expect("WRITE", &f, 8, 0, 8);
	expect("CLOSE", &f, 0, NO_OFFSET, 0);
	expect_as(0, 0);
	/* here nothing was mounted */
	open_file(&f, "dst/f", O_RDWR | O_CREAT | O_EXCL);
	close_file(&f);
}

static void change_root(void *arg)
{
	int fd;

	(void)arg;
	if (chroot(at("root")) || chdir("/sub"))
		_exit(1);
	fd = open("/sub/f", O_RDWR);
	settle();
	if (write(fd, buf, 5) != 5 || close(fd))
		_exit(1);
	fd = open("f", O_RDWR);
	if (write(fd, buf, 6) != 6 || close(fd))
		_exit(1);
	if (open("/none", O_RDONLY) >= 0)
		_exit(1);
	settle();
}

static void other_root(void)
{
	pid_t pid;
	int fd;

	if (!may_mount())
		return;
	make_dir(at("root"), NULL);
	make_dir(at("root/sub"), NULL);
	open_file(&f, "root/sub/f", O_RDWR | O_CREAT);
	fd = f.fd;
	close_file(&f);
	pid = in_child(change_root, NULL);
	expect_as(pid, 0);
	expect_path("CHROOT", at("root"), NULL, 0);
	expect_path("CHDIR", at("root/sub"), NULL, 0);
	for (int size = 5; size <= 6; size++) {
		expect_open(&f, at("root/sub/f"), O_RDWR, fd);
		expect("WRITE", &f, size, 0, size);
		expect("CLOSE", &f, 0, NO_OFFSET, 0);
	}
	errno = ENOENT;
	expect_open_failed(at("root/none"), "f", O_RDONLY);
}

const struct conform_case name_cases[] = {
	{ "odd_bytes", odd_bytes },   { "renamed", renamed },
	{ "unlinked", unlinked },     { "directory_renamed", directory_renamed },
	{ "hard_links", hard_links }, { "mounted", mounted },
	{ "other_root", other_root }, { 0 },
};
