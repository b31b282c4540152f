/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_given DIR: calls on names below DIR (absolute, without links, there and empty), given in every way.
 * Prints the rows of stream fs with --given: operation, filename, given, divided by tabs, of all calls
 * but those that prepare the next one, which have their names as rows show them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *top;

static const char *below(const char *name)
{
	static char texts[4][PATH_MAX];
	static unsigned next;
	char *text = texts[next++ % 4];

	snprintf(text, PATH_MAX, "%s%s%s", top, name[0] ? "/" : "", name);
	return text;
}

static void must(long rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "conform_given: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* given: NULL: the text that filename has */
static void expect(const char *operation, const char *filename, const char *given)
{
	printf("%s\t%s\t%s\n", operation, filename, given ? given : "");
}

static void expect_two(const char *operation, const char *first, const char *second,
		       const char *given)
{
	printf("%s\t%s -> %s\t%s\n", operation, first, second, given ? given : "");
}

/* wanted: the error that it fails with, or 0 */
static void open_and_close(int dirfd, const char *given, const char *filename, int wanted)
{
	int fd = openat(dirfd, given, O_RDONLY | O_CLOEXEC);

	must(wanted ? -(fd >= 0 || errno != wanted) : fd, given);
	expect("OPEN", filename, strcmp(given, filename) ? given : NULL);
	if (fd < 0)
		return;
	must(close(fd), given);
	expect("CLOSE", filename, NULL);
}

static void look_at(const char *given, const char *filename)
{
	struct stat st;

	must(syscall(SYS_newfstatat, AT_FDCWD, given, &st, 0), given);
	expect("GETATTR", filename, strcmp(given, filename) ? given : NULL);
}

/* A name as it was given, and an absolute one */
static const char *pair(const char *first, const char *second)
{
	static char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "%s -> %s", first, below(second));
	return text;
}

static void prepare(void)
{
	int fd;

	must(mkdir(below("d"), 0755), "mkdir");
	must(mkdir(below("d/real"), 0755), "mkdir");
	fd = open(below("d/real/f"), O_WRONLY | O_CREAT | O_EXCL, 0644);
	must(fd, "open");
	must(close(fd), "close");
	must(symlink("real", below("d/link")), "symlink");
	must(symlink("../d/real/f", below("d/to-f")), "symlink");
	expect("MKDIR", below("d/"), NULL);
	expect("MKDIR", below("d/real/"), NULL);
	expect("OPEN", below("d/real/f"), NULL);
	expect("CLOSE", below("d/real/f"), NULL);
	expect_two("SYMLINK", "real", below("d/link"), NULL);
	expect_two("SYMLINK", "../d/real/f", below("d/to-f"), NULL);
}

static void opens(void)
{
	char dots[PATH_MAX + 16];
	int dir;

	open_and_close(AT_FDCWD, below("d/real/f"), below("d/real/f"), 0);
	snprintf(dots, sizeof(dots), "%s/d/./..//d/real/f", top);
	open_and_close(AT_FDCWD, dots, below("d/real/f"), 0);
	open_and_close(AT_FDCWD, below("d/link/f"), below("d/real/f"), 0);
	open_and_close(AT_FDCWD, below("d/to-f"), below("d/real/f"), 0);
	must(chdir(below("d/link")), "chdir");
	expect("CHDIR", below("d/real/"), below("d/link"));
	open_and_close(AT_FDCWD, "f", below("d/real/f"), 0);
	open_and_close(AT_FDCWD, "../to-f", below("d/real/f"), 0);
	open_and_close(AT_FDCWD, "../none", below("d/none"), ENOENT);
	must(chdir(".."), "chdir");
	expect("CHDIR", below("d/"), "..");
	dir = open(below("d/real"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(dir, "open");
	expect("OPEN", below("d/real"), NULL);
	open_and_close(dir, "f", below("d/real/f"), 0);
	open_and_close(dir, "../link/../to-f", below("d/real/f"), 0);
	must(close(dir), "close");
	expect("CLOSE", below("d/real"), NULL);
}

static void others(void)
{
	char text[16];

	look_at(below("d/real/f"), below("d/real/f"));
	look_at("link/f", below("d/real/f"));
	look_at("./to-f", below("d/real/f"));
	must(access("link/../link/f", R_OK), "access");
	expect("ACCESS", below("d/real/f"), "link/../link/f");
	must(readlink("link", text, sizeof(text)), "readlink");
	expect("READLINK", below("d/link"), "link");
	must(truncate("link/f", 10), "truncate");
	expect("TRUNCATE", below("d/real/f"), "link/f");
	must(chmod("link/f", 0600), "chmod");
	expect("SETATTR", below("d/real/f"), "link/f");
	must(mkdir("link/sub", 0755), "mkdir");
	expect("MKDIR", below("d/real/sub/"), "link/sub");
	must(rename("link/f", "real/sub/g"), "rename");
	expect_two("RENAME", below("d/real/f"), below("d/real/sub/g"), "link/f -> real/sub/g");
	must(rename(below("d/real/sub/g"), below("d/real/f")), "rename");
	expect_two("RENAME", below("d/real/sub/g"), below("d/real/f"), NULL);
	must(link("real/f", below("d/hard")), "link");
	expect_two("LINK", below("d/real/f"), below("d/hard"), pair("real/f", "d/hard"));
	must(-(rename("none", below("d/x")) != -1 || errno != ENOENT), "rename");
	expect_two("RENAME", below("d/none"), below("d/x"), pair("none", "d/x"));
	must(symlink("real", "./again"), "symlink");
	expect_two("SYMLINK", "real", below("d/again"), "real -> ./again");
	must(unlink("./hard"), "unlink");
	expect("UNLINK", below("d/hard"), "./hard");
	must(rmdir("link/sub"), "rmdir");
	expect("RMDIR", below("d/real/sub/"), "link/sub");
	must(-(unlink("a,\"b\"\n") != -1 || errno != ENOENT), "unlink");
	expect("UNLINK", below("d/a,\"b\"\\n"), "a,\"b\"\\n");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: conform_given DIR\n");
		return 2;
	}
	top = argv[1];
	prepare();
	opens();
	others();
	return fflush(stdout) ? 1 : 0;
}
