/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the directories that tests call a host. Fails the running test when the
 * file system does not cooperate.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "host_fixture.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "root.h"

const char *const saved_hosts[] = {
	"4.14", "4.18-el8", "4.18-el8.10", "4.19", "5.4", "5.10.44", "5.10", "5.14-el9.6", "6.1", "6.12", "6.18",
	"7.2", NULL,
};

char *fixture_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char name[PATH_MAX], real[PATH_MAX];

	snprintf(name, sizeof(name), "%.4000s/iotracer-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert(mkdtemp(name) != NULL);
	ck_assert(realpath(name, real) != NULL);
	return strdup(real);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void fixture_remove(char *dir)
{
	ck_assert_int_eq(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(dir);
}

static void make_path(const char *dir, const char *path, char *full)
{
	ck_assert(snprintf(full, PATH_MAX, "%s/%s", dir, path) < PATH_MAX);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
}

void fixture_write_bytes(const char *dir, const char *path, const void *data, size_t size)
{
	char full[PATH_MAX];
	FILE *file;

	make_path(dir, path, full);
	file = fopen(full, "w");
	ck_assert(file != NULL);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

void fixture_write(const char *dir, const char *path, const char *text)
{
	fixture_write_bytes(dir, path, text, strlen(text));
}

void fixture_link(const char *dir, const char *path, const char *target)
{
	char full[PATH_MAX];

	make_path(dir, path, full);
	ck_assert_int_eq(symlink(target, full), 0);
}

const char *fixture_saved(const char *name)
{
	const char *srcdir = getenv("srcdir");
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/tests/hosts/%s", srcdir ? srcdir : ".", name);
	return path;
}

/* nftw has no argument for its callback. */
static const char *copy_to;
static size_t copy_skip;

static int copy_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char name[PATH_MAX], *text;
	size_t size;

	(void)st;
	(void)at;
	if (type != FTW_F)
		return 0;
	text = root_read("", path, &size);
	ck_assert(text != NULL);
	snprintf(name, sizeof(name), "headers/include%.4000s", path + copy_skip);
	fixture_write_bytes(copy_to, name, text, size);
	free(text);
	return 0;
}

void fixture_headers(const char *dir, const char *name)
{
	char path[PATH_MAX], real[PATH_MAX], release[128], text[256];

	root_read_line(fixture_saved(name), "proc/sys/kernel/osrelease", release, sizeof(release));
	snprintf(text, sizeof(text), "#define UTS_RELEASE \"%s\"\n", release);
	fixture_write(dir, "headers/include/generated/utsrelease.h", text);
	fixture_write(dir, "headers/include/linux/kconfig.h", "");
	snprintf(path, sizeof(path), "%.4080s/include", fixture_saved(name));
	if (!realpath(path, real))
		return;
	copy_to = dir;
	copy_skip = strlen(real);
	ck_assert_int_eq(nftw(real, copy_one, 16, FTW_PHYS), 0);
}

struct host *fixture_open_with(const char *root, const char *headers)
{
	struct host_options options = { .root = root, .headers = headers };
	struct host *host = host_open(&options);

	ck_assert(host != NULL);
	return host;
}

struct host *fixture_open(const char *root)
{
	return fixture_open_with(root, NULL);
}
