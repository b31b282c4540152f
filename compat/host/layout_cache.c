/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the names of these files and their first and last lines. Does not know what a layout
 * holds.
 */
#include "compat/host/layout_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sha256.h"
#include "compat/host/layout_source.h"

enum { NAME_SIZE = 160, FIRST_SIZE = 256, MAX_SIZE = 65536 };

static const char last_word[] = "end of layout ";

/* A file of another kernel, source or table begins otherwise. */
static int first_line(const struct host *host, enum layout_source source, char line[FIRST_SIZE])
{
	struct sha256 *sum = sha256_new();
	char hex[SHA256_HEX_SIZE];
	int err;

	for (unsigned i = 0; sum && i < LAYOUT_N_MEMBERS; i++)
		sha256_update(sum, layout_member_name(i), strlen(layout_member_name(i)) + 1);
	err = sha256_final(sum, hex);
	if (!err)
		snprintf(line, FIRST_SIZE, "# layout %s %s %s %s\n", PACKAGE_VERSION,
			 layout_source_name(source), host->build_id, hex);
	return err;
}

static void name_of(const struct host *host, enum layout_source source, const char *end,
		    char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%s-%s.layout%s", host->build_id, layout_source_name(source),
		 end);
}

/* Anybody else who could write here could put numbers into BPF programs. */
static int open_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	return -1;
}

static char *read_text(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL;
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 077) && st.st_size > 0 && st.st_size < MAX_SIZE)
		text = malloc((size_t)st.st_size + 1);
	if (text)
		n = read(fd, text, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	if (n <= 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* The last line has the sum of all before it: a digit that changed is no other offset. */
static int last_line(const char *text, size_t size, char line[FIRST_SIZE])
{
	char hex[SHA256_HEX_SIZE];
	int err = sha256_text(text, size, hex);

	if (!err)
		snprintf(line, FIRST_SIZE, "%s%s\n", last_word, hex);
	return err;
}

/* The text between the first line and the last; NULL where it is damaged. */
static const char *body_of(char *text, const char *first)
{
	char *last = text, *at, expected[FIRST_SIZE];

	for (at = text; (at = strstr(at, last_word)); at++)
		last = at;
	if (last == text || last_line(text, (size_t)(last - text), expected) ||
	    strcmp(last, expected) != 0)
		return NULL;
	*last = '\0';
	return text + strlen(first);
}

struct layout *layout_cache_get(const struct host *host, const char *dir, enum layout_source source)
{
	char name[NAME_SIZE], first[FIRST_SIZE], *text = NULL;
	struct layout *layout = NULL;
	const char *body = NULL;
	unsigned line;
	int fd;

	if (!dir || !host->build_id[0] || first_line(host, source, first))
		return NULL;
	fd = open_dir(dir);
	if (fd < 0)
		return NULL;
	name_of(host, source, "", name);
	text = read_text(fd, name);
	close(fd);
	/* of another version of this program: no news */
	if (text && !strncmp(text, first, strlen(first)))
		body = body_of(text, first);
	else
		name[0] = '\0';
	if (body)
		layout = calloc(1, sizeof(*layout));
	if (layout && layout_read(layout, body, &line)) {
		free(layout);
		layout = NULL;
	}
	if (name[0] && !layout)
		log_warn("%s/%s is damaged: rebuilding it", dir, name);
	free(text);
	return layout;
}

/* All but the last line, to be freed; NULL without memory. */
static char *make_text(const char *first, const struct layout *layout, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	fputs(first, out);
	layout_write(layout, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int write_text(int fd, const char *first, const struct layout *layout)
{
	size_t size;
	char *text = make_text(first, layout, &size), last[FIRST_SIZE];
	FILE *out = text && !last_line(text, size, last) ? fdopen(fd, "w") : NULL;
	int err;

	if (!out) {
		close(fd);
		free(text);
		return -ENOMEM;
	}
	fputs(text, out);
	fputs(last, out);
	free(text);
	err = fflush(out) || fsync(fd) ? -EIO : 0;
	return fclose(out) ? -EIO : err;
}

void layout_cache_put(const struct host *host, const char *dir, enum layout_source source,
		      const struct layout *layout)
{
	char name[NAME_SIZE], part[NAME_SIZE], first[FIRST_SIZE];
	int dir_fd, fd, err;

	if (!dir || !host->build_id[0] || first_line(host, source, first) ||
	    (mkdir(dir, 0700) && errno != EEXIST))
		return;
	dir_fd = open_dir(dir);
	if (dir_fd < 0)
		return;
	name_of(host, source, "", name);
	name_of(host, source, ".part", part);
	unlinkat(dir_fd, part, 0);
	fd = openat(dir_fd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : write_text(fd, first, layout);
	if (!err && renameat(dir_fd, part, dir_fd, name))
		err = -errno;
	if (err) {
		log_detail("cannot keep layout %s in %s: %s", name, dir, strerror(-err));
		unlinkat(dir_fd, part, 0);
	}
	close(dir_fd);
}
