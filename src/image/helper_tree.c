/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel tree as libbcc wants it: one complete tree, named by
 * BCC_KERNEL_SOURCE. Debian and SUSE split theirs in two, which are merged here
 * by links: a directory that both have becomes a directory, everything else a
 * link, and the generated half wins.
 */
#include "image/helper_tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "image/helper_say.h"

/* libbcc 0.5 knows no BCC_KERNEL_SOURCE; its generation is told by the arity. */
#ifndef HELPER_MOUNT_MODULES
#define HELPER_MOUNT_MODULES (BCC_CREATE_ARITY == 4)
#endif

enum { MAX_DEPTH = 8 };

static int fail(const char *what)
{
	int err = errno ? errno : EINVAL;

	helper_say(what, strerror(err));
	return -err;
}

static int join(char out[PATH_MAX], const char *dir, const char *name)
{
	if (snprintf(out, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return fail(dir);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int add_tree(const char *to, const char *from, const char *other, int depth);

/*
 * Entry name of from, where other may have the same: merged only if both are
 * directories, and then both are walked, the second finding what the first left.
 */
static int add_entry(const char *to, const char *from, const char *other, const char *name,
		     int depth)
{
	char target[PATH_MAX], source[PATH_MAX], twin[PATH_MAX];

	if (join(target, to, name) || join(source, from, name) || join(twin, other, name))
		return -ENAMETOOLONG;
	if (depth < MAX_DEPTH && is_dir(source) && is_dir(twin)) {
		if (mkdir(target, 0700) && errno != EEXIST)
			return fail(target);
		return add_tree(target, source, twin, depth + 1);
	}
	if (symlink(source, target) && errno != EEXIST)
		return fail(target);
	return 0;
}

static int add_tree(const char *to, const char *from, const char *other, int depth)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return fail(from);
	while (!err && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		err = add_entry(to, from, other, entry->d_name, depth);
	}
	closedir(dir);
	return err;
}

/* Only what the compiler is pointed to; a whole tree would be thousands of links. */
static int merge(const char *tree, const char *build, const char *source)
{
	static const char *const parts[] = { "include", "arch" };
	int err = mkdir(tree, 0700) ? fail(tree) : 0;

	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++) {
		char to[PATH_MAX], from[PATH_MAX], other[PATH_MAX];

		if (join(to, tree, parts[i]) || join(from, build, parts[i]) ||
		    join(other, source, parts[i]))
			return -ENAMETOOLONG;
		if (mkdir(to, 0700))
			return fail(to);
		err = add_tree(to, from, other, 0);
		if (!err)
			err = add_tree(to, other, from, 0);
	}
	return err;
}

/* /lib/modules/RELEASE/build leads to tree, for this process alone. */
static int mount_modules(const char *tree, const char *work)
{
	char modules[PATH_MAX], release[PATH_MAX], build[PATH_MAX];
	struct utsname uts;

	if (uname(&uts) || join(modules, work, "modules") || join(release, modules, uts.release) ||
	    join(build, release, "build"))
		return fail("uname");
	if (mkdir(modules, 0700) || mkdir(release, 0700) || symlink(tree, build))
		return fail(build);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(modules, "/lib/modules", NULL, MS_BIND, NULL))
		return fail("cannot mount over /lib/modules for libbcc");
	return 0;
}

static bool is_native(const char *tree)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct utsname uts;

	if (uname(&uts))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/build", uts.release);
	return realpath(path, real) && strcmp(real, tree) == 0;
}

int helper_tree(const char *build, const char *source, const char *work)
{
	char tree[PATH_MAX];
	int err = 0;

	if (!source || strcmp(source, build) == 0) {
		if (!realpath(build, tree))
			return fail(build);
	} else {
		err = join(tree, work, "tree");
		if (!err)
			err = merge(tree, build, source);
	}
	if (!err && setenv("BCC_KERNEL_SOURCE", tree, 1))
		err = fail("setenv");
	if (!err && HELPER_MOUNT_MODULES && !is_native(tree))
		err = mount_modules(tree, work);
	return err;
}
