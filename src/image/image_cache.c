/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled images on disk: a private directory with one ELF object per key,
 * named by the key's SHA-256. Instructions from here go to the kernel, so
 * owner and mode are checked on the open descriptor, never by name.
 */
#include "image/image_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sha256.h"
#include "image/image_read.h"
#include "image/image_write.h"

#define SUFFIX ".bpf.o"
#define TEMP_PREFIX ".new-"

enum { NAME_SIZE = 80, STALE_SECONDS = 3600 };

static bool is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 077) == 0;
}

int cache_open(const char *dir)
{
	struct stat st;
	int fd;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		log_detail("cannot create cache directory %s: %s", dir, strerror(errno));
		return -errno;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && is_private(&st))
		return fd;
	log_warn("cache %s not used: it must be a directory of this user with mode 0700", dir);
	if (fd >= 0)
		close(fd);
	return -EPERM;
}

static int entry_name(const struct image_key *key, char name[NAME_SIZE])
{
	struct sha256 *sum = sha256_new();
	char hex[SHA256_HEX_SIZE];
	const char *member, *value;
	int err;

	for (size_t i = 0; (value = image_key_get(key, i, &member)); i++) {
		if (!sum || strcmp(member, "libbcc") == 0)
			continue;
		sha256_update(sum, member, strlen(member) + 1);
		sha256_update(sum, value, strlen(value) + 1);
	}
	err = sha256_final(sum, hex);
	if (!err)
		snprintf(name, NAME_SIZE, "%s" SUFFIX, hex);
	return err;
}

/* -ENOENT for whatever is not a good image of this key; why it is not is a detail. */
static int read_entry(int fd, const char *name, const struct image_key *key, struct image *image)
{
	const char *why = "not a file that only this user can access";
	const char *member;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_private(&st)) {
		log_detail("cached image %s: %s", name, why);
		return -ENOENT;
	}
	if (image_read_why(image, fd, &why)) {
		log_detail("cached image %s: %s", name, why);
		return -ENOENT;
	}
	member = image_key_differs(&image->key, key);
	if (!member)
		return 0;
	log_detail("cached image %s: its key differs in %s", name, member);
	image_free(image);
	return -ENOENT;
}

static int open_entry(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int cache_get(int dir_fd, const struct image_key *key, struct image *image)
{
	char name[NAME_SIZE];
	int err = entry_name(key, name);
	int fd;

	if (err)
		return err;
	fd = open_entry(dir_fd, name);
	if (fd < 0)
		return -ENOENT;
	err = read_entry(fd, name, key, image);
	if (!err)
		futimens(fd, NULL); /* the newest entry is the one used last */
	close(fd);
	return err;
}

struct entry {
	char name[NAME_SIZE];
	struct timespec used;
	uint64_t bytes;
};

struct listing {
	struct entry *entries;
	size_t n, room;
};

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used;
	const struct timespec *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return x->tv_nsec < y->tv_nsec ? 1 : x->tv_nsec > y->tv_nsec ? -1 : 0;
}

static bool has_suffix(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) && strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0;
}

static void add_entry(struct listing *all, const char *name, const struct stat *st)
{
	if (all->n == all->room) {
		size_t room = all->room ? all->room * 2 : 64;
		struct entry *grown = realloc(all->entries, room * sizeof(*grown));

		if (!grown)
			return; /* another time */
		all->entries = grown;
		all->room = room;
	}
	/* list() took only names that fit */
	strcpy(all->entries[all->n].name, name);
	all->entries[all->n].used = st->st_mtim;
	all->entries[all->n++].bytes = (uint64_t)st->st_size;
}

/* Adds the images; removes what a killed writer left. */
static void list(int dir_fd, DIR *dir, struct listing *all)
{
	struct dirent *de;
	struct stat st;

	while ((de = readdir(dir))) {
		if (strlen(de->d_name) >= NAME_SIZE ||
		    fstatat(dir_fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (strncmp(de->d_name, TEMP_PREFIX, strlen(TEMP_PREFIX)) == 0) {
			if (st.st_mtime + STALE_SECONDS < time(NULL))
				unlinkat(dir_fd, de->d_name, 0);
		} else if (has_suffix(de->d_name)) {
			add_entry(all, de->d_name, &st);
		}
	}
}

/* Newest first; to be freed. */
static struct listing list_sorted(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct listing all = { 0 };

	if (dir) {
		list(dir_fd, dir, &all);
		closedir(dir);
	} else if (fd >= 0) {
		close(fd);
	}
	if (all.n)
		qsort(all.entries, all.n, sizeof(*all.entries), newest_first);
	return all;
}

void cache_prune(int dir_fd, uint64_t max_bytes)
{
	struct listing all = list_sorted(dir_fd);
	uint64_t bytes = 0;

	for (size_t i = 0; i < all.n; i++) {
		bytes += all.entries[i].bytes;
		if (bytes > max_bytes)
			unlinkat(dir_fd, all.entries[i].name, 0);
	}
	free(all.entries);
}

/* The key and the plan of an entry that is ours alone. */
static int peek(int dir_fd, const char *name, struct image *about)
{
	int fd = open_entry(dir_fd, name), err = -ENOENT;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && is_private(&st))
		err = image_peek(about, fd);
	if (fd >= 0)
		close(fd);
	return err;
}

/* The text comes last of what is compared. */
static bool differ_in_text(const struct image_key *a, const struct image_key *b)
{
	const char *member = image_key_differs(a, b);

	return member && !strcmp(member, "text");
}

int cache_find(int dir_fd, const struct image_key *key, cache_accept_fn *accept, void *arg,
	       struct image *image)
{
	struct listing all = list_sorted(dir_fd);
	struct image about;
	int err = -ENOENT;

	for (size_t i = 0; err && i < all.n; i++) {
		if (peek(dir_fd, all.entries[i].name, &about))
			continue;
		if (about.plan && differ_in_text(&about.key, key) &&
		    accept(arg, &about.key, about.plan))
			err = cache_get(dir_fd, &about.key, image);
		image_free(&about);
	}
	free(all.entries);
	return err;
}

static int write_entry(int dir_fd, const struct image *image, const char *temp, const char *name)
{
	int fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return -errno;
	err = image_write(image, fd);
	if (!err && fsync(fd))
		err = -errno;
	close(fd);
	if (!err && renameat(dir_fd, temp, dir_fd, name))
		err = -errno;
	if (err)
		unlinkat(dir_fd, temp, 0);
	return err;
}

int cache_put(int dir_fd, const struct image *image)
{
	char name[NAME_SIZE], temp[NAME_SIZE];
	int err = entry_name(&image->key, name);

	if (err)
		return err;
	/* of a killed process with the same number */
	snprintf(temp, sizeof(temp), TEMP_PREFIX "%d", (int)getpid());
	unlinkat(dir_fd, temp, 0);
	err = write_entry(dir_fd, image, temp, name);
	if (err)
		log_detail("cannot write cached image %s: %s", name, strerror(-err));
	else
		cache_prune(dir_fd, CACHE_MAX_BYTES);
	return err;
}
