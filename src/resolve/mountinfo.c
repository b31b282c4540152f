/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the escapes of the text and the order of its fields. */
#include "resolve/mountinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/schema/pseudo_fs.def"

#define READ_AT_ONCE 16384

bool mountinfo_is_pseudo(const char *type)
{
#define NAME(magic, name) name,
	static const char *const names[] = { IOT_PSEUDO_FS(NAME) };
#undef NAME

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], type))
			return true;
	return false;
}

/* Network and cluster file systems, those that a program serves, and what mounts them when it is looked at. */
static bool is_waiting(const char *type)
{
	static const char *const names[] = {
		"nfs",   "nfs4",   "cifs",     "smb3",  "smbfs",  "ceph", "9p",
		"afs",   "fuse",   "fuseblk",  "coda",  "gfs2",   "gpfs", "lustre",
		"ocfs2", "beegfs", "orangefs", "panfs", "autofs",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], type))
			return true;
	return false;
}

/* ---- the text ---- */

static bool is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' &&
	       p[2] <= '7';
}

void mountinfo_undo_escapes(char *path)
{
	char *out = path;

	for (; *path; path++) {
		if (*path == '\\' && is_octal(path + 1)) {
			*out++ = (path[1] - '0') << 6 | (path[2] - '0') << 3 | (path[3] - '0');
			path += 3;
		} else {
			*out++ = *path;
		}
	}
	*out = '\0';
}

/* A line of mountinfo, which is taken apart. */
static bool parse_mount(char *line, struct mount_point *m)
{
	unsigned major_nr, minor_nr;
	int root = 0, at = 0;
	char *end, *type;

	*m = (struct mount_point){ 0 };
	if (sscanf(line, "%u %*u %u:%u %n%*s %n", &m->id, &major_nr, &minor_nr, &root, &at) != 3 ||
	    !at)
		return false;
	end = strchr(line + at, ' ');
	type = end ? strstr(end, " - ") : NULL;
	if (!type)
		return false;
	type += 3;
	*end = '\0';
	line[at - 1] = '\0';
	mountinfo_undo_escapes(line + root);
	mountinfo_undo_escapes(line + at);
	m->root = line + root;
	m->path = line + at;
	m->dev = major_nr << 20 | minor_nr;
	/* behind a full stop stands what only the file system's own program knows */
	snprintf(m->type, sizeof(m->type), "%.*s", (int)strcspn(type, " ."), type);
	m->options = strchr(type, ' ');
	m->options = m->options ? strchr(m->options + 1, ' ') : NULL;
	m->options = m->options ? m->options + 1 : "";
	m->pseudo = mountinfo_is_pseudo(m->type);
	m->waits = is_waiting(m->type);
	return true;
}

static int by_path(const void *a, const void *b)
{
	const struct mount_point *one = a, *other = b;
	int order = strcmp(one->path, other->path);

	/* of one text: the line that comes later is the later mount */
	return order ? order : (one->path > other->path) - (one->path < other->path);
}

void mountinfo_free(struct mountinfo *t)
{
	free(t->text);
	free(t->points);
	*t = (struct mountinfo){ 0 };
}

int mountinfo_make(struct mountinfo *t, char *text)
{
	size_t room = 1;
	char *line;

	*t = (struct mountinfo){ .text = text };
	for (const char *p = text; *p; p++)
		room += *p == '\n';
	t->points = calloc(room, sizeof(*t->points));
	if (!t->points) {
		mountinfo_free(t);
		return -ENOMEM;
	}
	while ((line = strsep(&text, "\n")))
		t->n += parse_mount(line, &t->points[t->n]);
	for (size_t i = 0; i < t->n; i++)
		t->n_waits += t->points[i].waits;
	qsort(t->points, t->n, sizeof(*t->points), by_path);
	return 0;
}

/* All of an open file, ended by NUL; NULL (errno is set) when it cannot be read. */
static char *read_all(int fd)
{
	size_t size = 0, n = 0;
	char *text = NULL, *more = NULL;
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	do {
		if (size - n < READ_AT_ONCE) {
			size += size + 2 * READ_AT_ONCE;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		got = read(fd, text + n, size - n - 1);
		if (got > 0)
			n += got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (!more || got < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

int mountinfo_read(struct mountinfo *t, int fd)
{
	char *text = read_all(fd);

	*t = (struct mountinfo){ 0 };
	return text ? mountinfo_make(t, text) : -errno;
}

/* ---- looking up ---- */

/* path[0..len) against a mount point */
static int compare_start(const char *path, size_t len, const char *point)
{
	int order = strncmp(path, point, len);

	return order ? order : -(point[len] != '\0');
}

/* The last mount at exactly this path. */
static const struct mount_point *mount_at(const struct mountinfo *t, const char *path, size_t len)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_start(path, len, t->points[middle].path) >= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || compare_start(path, len, t->points[low - 1].path))
		return NULL;
	return &t->points[low - 1];
}

const struct mount_point *mountinfo_of_path(const struct mountinfo *t, const char *path)
{
	size_t len = strlen(path);

	while (len && path[0] == '/') {
		const struct mount_point *m = mount_at(t, path, len);

		if (m || len == 1)
			return m;
		while (len > 1 && path[--len] != '/')
			;
	}
	return NULL;
}

const struct mount_point *mountinfo_of_dev(const struct mountinfo *t, uint32_t dev)
{
	for (size_t i = t->n; i > 0; i--)
		if (t->points[i - 1].dev == dev)
			return &t->points[i - 1];
	return NULL;
}

const struct mount_point *mountinfo_of_id(const struct mountinfo *t, uint32_t id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->points[i].id == id)
			return &t->points[i];
	return NULL;
}

bool mountinfo_waits(const struct mountinfo *t, const char *path)
{
	for (size_t i = 0; t->n_waits && i < t->n; i++) {
		size_t len = t->points[i].waits ? strlen(t->points[i].path) : 0;

		len -= len == 1; /* "/" */
		if (t->points[i].waits && !strncmp(path, t->points[i].path, len) &&
		    (!path[len] || path[len] == '/'))
			return true;
	}
	return false;
}
