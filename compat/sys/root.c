/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the one rule about paths of a host: everything is looked up below its
 * root, links included. Knows nothing of what the files mean.
 */
#include "compat/sys/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/*
 * As many as the kernel follows (MAXSYMLINKS, include/linux/namei.h); and as much text as is
 * unpacked: a small gzip file can be of any length.
 */
#define MAX_LINKS 40
#define MAX_FILE (256u << 20)
#define LINE_CHUNK 65536
#define LINE_MAX_LEN 1024

/* Puts target before what is left to walk. */
static int push_link(char *todo, const char *target)
{
	char rest[PATH_MAX];

	strcpy(rest, todo);
	if (snprintf(todo, PATH_MAX, "%s/%s", target, rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

/* One component further: out grows, shrinks, or follows a link through todo. */
static int walk_component(char *out, size_t root_len, const char *name, char *todo, int *links)
{
	char target[PATH_MAX];
	size_t len = strlen(out);
	struct stat st;
	ssize_t n;

	if (!strcmp(name, "..")) {
		/* above the root is the root */
		char *slash = strrchr(out + root_len, '/');

		if (slash)
			*slash = '\0';
		return 0;
	}
	if (len + 1 + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	out[len] = '/';
	strcpy(out + len + 1, name);
	if (lstat(out, &st))
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return 0;
	n = readlink(out, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (++*links > MAX_LINKS)
		return -ELOOP;
	/* the kernel's "/" of an absolute target is our root */
	out[target[0] == '/' ? root_len : len] = '\0';
	return push_link(todo, target);
}

int root_resolve(const char *root, const char *path, char *out)
{
	char todo[PATH_MAX], name[NAME_MAX + 1];
	size_t root_len = strlen(root);
	int links = 0;

	if (root_len >= PATH_MAX || strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(out, root);
	strcpy(todo, path);
	for (;;) {
		size_t skip = strspn(todo, "/");
		size_t len = strcspn(todo + skip, "/");
		int err;

		if (!len)
			break;
		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, todo + skip, len);
		name[len] = '\0';
		memmove(todo, todo + skip + len, strlen(todo + skip + len) + 1);
		if (!strcmp(name, "."))
			continue;
		err = walk_component(out, root_len, name, todo, &links);
		if (err)
			return err;
	}
	if (!out[0])
		strcpy(out, "/");
	return 0;
}

static bool stat_below(const char *root, struct stat *st, const char *fmt, va_list ap)
{
	char path[PATH_MAX], real[PATH_MAX];

	if ((size_t)vsnprintf(path, sizeof(path), fmt, ap) >= sizeof(path))
		return false;
	return !root_resolve(root, path, real) && !stat(real, st);
}

bool root_exists(const char *root, const char *fmt, ...)
{
	struct stat st;
	va_list ap;
	bool found;

	va_start(ap, fmt);
	found = stat_below(root, &st, fmt, ap);
	va_end(ap);
	return found;
}

bool root_is_dir(const char *root, const char *fmt, ...)
{
	struct stat st;
	va_list ap;
	bool found;

	va_start(ap, fmt);
	found = stat_below(root, &st, fmt, ap) && S_ISDIR(st.st_mode);
	va_end(ap);
	return found;
}

/* O_NONBLOCK: a fifo in a saved host must not hang us, and is then refused. */
int root_open(const char *root, const char *path)
{
	char real[PATH_MAX];
	struct stat st;
	int err, fd;

	err = root_resolve(root, path, real);
	if (err)
		return err;
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static char *read_all(gzFile in, size_t *size)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room);

	while (text) {
		int n = gzread(in, text + used, (unsigned int)(room - used - 1));
		char *more;

		if (n < 0 || used + (size_t)n > MAX_FILE) {
			free(text);
			errno = EIO;
			return NULL;
		}
		used += (size_t)n;
		if (!n)
			break;
		/* there was less than asked for, and there may be more */
		if (room - used - 1)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	if (!text) {
		errno = ENOMEM;
		return NULL;
	}
	text[used] = '\0';
	*size = used;
	return text;
}

char *root_read(const char *root, const char *path, size_t *size)
{
	int fd = root_open(root, path);
	char *text;
	gzFile in;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	in = gzdopen(fd, "r"); /* plain text passes through */
	if (!in) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	text = read_all(in, size);
	gzclose(in);
	return text;
}

int root_read_line(const char *root, const char *path, char *out, size_t size)
{
	int fd = root_open(root, path);
	ssize_t n;

	out[0] = '\0';
	if (fd < 0)
		return fd;
	n = read(fd, out, size - 1);
	close(fd);
	if (n < 0)
		return -EIO;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/* Hands out the complete lines of buf, returns how much of it they were. */
static size_t give_lines(char *buf, size_t len, root_line_fn *fn, void *arg, long *lines)
{
	size_t done = 0;
	char *end;

	while ((end = memchr(buf + done, '\n', len - done))) {
		char *line = buf + done;

		*end = '\0';
		done = (size_t)(end - buf) + 1;
		if (end - line >= LINE_MAX_LEN)
			continue;
		fn(arg, line);
		++*lines;
	}
	return done;
}

long root_each_line(const char *root, const char *path, root_line_fn *fn, void *arg)
{
	int fd = root_open(root, path);
	size_t used = 0;
	long lines = 0;
	char *buf;
	ssize_t n;

	if (fd < 0)
		return fd;
	buf = malloc(LINE_CHUNK);
	if (!buf) {
		close(fd);
		return -ENOMEM;
	}
	while ((n = read(fd, buf + used, LINE_CHUNK - used)) > 0) {
		size_t done;

		used += (size_t)n;
		done = give_lines(buf, used, fn, arg, &lines);
		used -= done;
		memmove(buf, buf + done, used);
		if (used == LINE_CHUNK) /* no line is that long: start again behind it */
			used = 0;
	}
	if (n < 0)
		lines = -errno;
	close(fd);
	free(buf);
	return lines;
}
