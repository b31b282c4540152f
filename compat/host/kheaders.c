/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the unpacked copy of the kernel's own headers: that it is whole, of this
 * kernel and nobody else's to write, and that copies of other kernels go away.
 */
#include "compat/host/kheaders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat/host/headers.h"
#include "compat/sys/root.h"
#include "compat/sys/untar.h"

#define ARCHIVE "sys/kernel/kheaders.tar.xz"
#define SUFFIX "-kheaders"
#define TEMP_PREFIX ".new-kheaders-"
#define NO_XZ "xz is not installed in /usr/bin or /bin"

/* 6.12 has 8 MB in the archive (less without comments), and 61 MB in 13,600 files unpacked. */
enum { MAX_ARCHIVE = 64 << 20, EXPANDS = 20, STALE_SECONDS = 3600, NAME_SIZE = 80 };
static const struct untar_rules rules = {
	.max_bytes = 512ull << 20,
	.max_files = 50000,
	.skips_links = true, /* one of them, for device trees */
};

/* ---- programs ---- */

/* Runs it with what it says thrown away; in and out may be -1. Returns a pid or -errno. */
static pid_t start(const char *const argv[], int in, int out)
{
	/* programs of the system and nobody's settings: root's environment may come from a user */
	char *no_environment[] = { NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	for (int fd = 0; fd < 3 && !err; fd++)
		err = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (in >= 0 && !err)
		err = posix_spawn_file_actions_adddup2(&actions, in, 0);
	if (out >= 0 && !err)
		err = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!err)
		err = posix_spawn(&pid, argv[0], &actions, NULL, (char **)argv, no_environment);
	posix_spawn_file_actions_destroy(&actions);
	return err ? -err : pid;
}

/* Whether it ended well. */
static bool finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool modprobe(const char *option)
{
	const char *const argv[] = { "/sbin/modprobe", "-q", option, "kheaders", NULL };
	pid_t pid = start(argv, -1, -1);

	return pid > 0 && finish(pid);
}

/* ---- the archive ---- */

/* Opens it; -ENOENT when there is none. */
static int open_archive(const struct host *host, off_t *size)
{
	struct stat st;
	int fd = root_open(host->root, ARCHIVE);

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		close(fd);
		return -EINVAL;
	}
	*size = st.st_size;
	return fd;
}

static const char *unpack_from(int archive, const char *dir)
{
	const char *const argv[] = { access("/usr/bin/xz", X_OK) ? "/bin/xz" : "/usr/bin/xz", "-dc",
				     "--memlimit-decompress=256MiB", NULL };
	int ends[2], err;
	bool whole;
	gzFile in;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return strerror(errno);
	pid = start(argv, archive, ends[1]);
	close(ends[1]);
	in = pid > 0 ? gzdopen(ends[0], "r") : NULL; /* what is not gzip passes through */
	if (!in) {
		close(ends[0]);
		return pid == -ENOENT ? NO_XZ : pid < 0 ? strerror(-pid) : "no memory";
	}
	err = untar(in, dir, &rules);
	whole = !err;
	gzclose(in);
	if (!finish(pid) && !err)
		whole = false;
	if (err && err != -EBADMSG)
		return untar_error(err);
	return whole ? NULL : "the archive is damaged";
}

/* ---- the copy ---- */

/* By the build id; a kernel without one is known by what uname says. */
static void name_of(const struct host *host, char name[NAME_SIZE])
{
	if (host->build_id[0])
		snprintf(name, NAME_SIZE, "%s" SUFFIX, host->build_id);
	else
		snprintf(name, NAME_SIZE, "%.60s" SUFFIX, host->release);
}

static bool is_private(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

static bool is_stale(const char *cache, const char *name, const char *ours)
{
	char path[PATH_MAX];
	struct stat st;

	if (ends_with(name, SUFFIX))
		return strcmp(name, ours) != 0;
	return !strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX)) &&
	       snprintf(path, sizeof(path), "%s/%s", cache, name) < PATH_MAX && !lstat(path, &st) &&
	       st.st_mtime + STALE_SECONDS < time(NULL);
}

void kheaders_clean(const struct host *host, const char *cache)
{
	DIR *dir = cache && is_private(cache) ? opendir(cache) : NULL;
	struct dirent *entry;
	char path[PATH_MAX], ours[NAME_SIZE];

	name_of(host, ours);
	while (dir && (entry = readdir(dir)))
		if (is_stale(cache, entry->d_name, ours) &&
		    snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name) < PATH_MAX)
			untar_remove(path);
	if (dir)
		closedir(dir);
}

static const char *check_room(const char *cache, off_t size)
{
	struct statvfs fs;

	if (size <= 0 || size > MAX_ARCHIVE)
		return "the archive is empty or larger than any kernel's headers";
	if (statvfs(cache, &fs))
		return strerror(errno);
	if ((unsigned long long)fs.f_bavail * fs.f_frsize < (unsigned long long)size * EXPANDS)
		return "no space to unpack them";
	return NULL;
}

/* Takes the tree if it is of this kernel; it must say so itself. */
static bool take(struct host *host, const char *dir, char why[HOST_WHY_SIZE])
{
	char before[HOST_WHY_SIZE];

	memcpy(before, host->headers_why, sizeof(before));
	if (!root_exists(dir, "include/generated/utsrelease.h"))
		host_set_why(
			why,
			"they do not name their kernel (include/generated/utsrelease.h is missing)");
	else if (headers_take(host, dir))
		return true;
	else
		host_set_why(why, "%s", host->headers_why);
	memcpy(host->headers_why, before, sizeof(before));
	return false;
}

static bool unpack(struct host *host, const char *cache, const char *kept, int archive, off_t size,
		   char why[HOST_WHY_SIZE])
{
	char temp[PATH_MAX];
	const char *wrong = check_room(cache, size);
	bool taken;

	if (!wrong &&
	    (snprintf(temp, sizeof(temp), "%s/" TEMP_PREFIX "XXXXXX", cache) >= PATH_MAX ||
	     !mkdtemp(temp)))
		wrong = strerror(errno);
	if (wrong) {
		host_set_why(why, "%s", wrong);
		return false;
	}
	wrong = unpack_from(archive, temp);
	if (wrong)
		host_set_why(why, "%s", wrong);
	taken = !wrong && take(host, temp, why);
	/* somebody else may have been faster: then theirs is as good */
	if (taken && rename(temp, kept) && !is_private(kept)) {
		host_set_why(why, "%s: %s", kept, strerror(errno));
		taken = false;
	}
	untar_remove(temp);
	if (!taken)
		host->headers[0] = host->headers_source[0] = '\0';
	return taken && headers_take(host, kept);
}

/* The archive may be in a module, which is not needed any longer when it has been read. */
static int find_archive(struct host *host, off_t *size, bool *loaded)
{
	const char *config = host_config(host, "IKHEADERS");
	int fd = open_archive(host, size);

	*loaded = false;
	if (fd != -ENOENT || !host->live || (config && config[0] == 'n'))
		return fd;
	*loaded = modprobe("--");
	return *loaded ? open_archive(host, size) : fd;
}

bool kheaders_find(struct host *host, const char *cache, char why[HOST_WHY_SIZE])
{
	char name[NAME_SIZE], kept[PATH_MAX];
	bool loaded, taken = false;
	off_t size;
	int fd;

	why[0] = '\0';
	name_of(host, name);
	if (cache && snprintf(kept, sizeof(kept), "%s/%s", cache, name) < PATH_MAX &&
	    is_private(cache) && is_private(kept) && take(host, kept, why))
		return true;
	fd = find_archive(host, &size, &loaded);
	if (fd < 0)
		return false;
	if (!cache)
		host_set_why(why, "there is no image cache to unpack them into");
	else if ((mkdir(cache, 0700) && errno != EEXIST) || !is_private(cache))
		host_set_why(why, "%s must be a directory of this user with mode 0700", cache);
	else {
		untar_remove(kept); /* not good, or it would have been taken */
		taken = unpack(host, cache, kept, fd, size, why);
	}
	close(fd);
	if (loaded)
		modprobe("-r");
	return taken;
}
