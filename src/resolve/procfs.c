/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "resolve/mounts.h"

static const char *proc_root = "/proc";
static bool all_fs;

void procfs_set_root(const char *proc)
{
	proc_root = proc;
}

void procfs_all_fs(bool all)
{
	all_fs = all;
	mounts_all_fs(all);
}

enum scope procfs_scope_of(const char *path)
{
	static const char *const roots[] = { "/proc/", "/sys/", "/dev/pts/" };
	uint32_t dev;
	enum scope there = mounts_scope(path, &dev);

	if (there != SCOPE_UNKNOWN)
		return there == SCOPE_OUT ? SCOPE_OUT : SCOPE_UNKNOWN;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]) && !all_fs; i++)
		if (!strncmp(path, roots[i], strlen(roots[i])))
			return SCOPE_OUT;
	return SCOPE_UNKNOWN;
}

/* linux/magic.h */
#define OVERLAYFS 0x794c7630u

static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/* fdinfo: of a descriptor that leads to it, or NULL; tgid: whose mounts it is on. */
static void fill_identity(struct procfs_file *file, const struct stat *st, const struct statfs *fs,
			  uint32_t tgid, const char *fdinfo)
{
	bool kind = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode);
	struct mounts_file on = {
		.dev = kernel_dev(st->st_dev),
		.magic = fs->f_type,
		.tgid = tgid,
		.fdinfo = fdinfo,
	};

	file->ino = st->st_ino;
	file->dev = on.dev;
	file->layered = (uint32_t)fs->f_type == OVERLAYFS;
	file->scope = kind && mounts_wants(&on) ? SCOPE_IN : SCOPE_OUT;
}

/* A file may be called like that, mark and all. */
static bool really_called(const char *link, const char *name)
{
	struct stat behind, named;

	return !stat(link, &behind) && !lstat(name, &named) && behind.st_ino == named.st_ino &&
	       behind.st_dev == named.st_dev;
}

/* Where the mark begins that the kernel puts behind the name of an unlinked file, or NULL. */
static char *deleted_mark(char *path, size_t len)
{
	static const char mark[] = " (deleted)";
	char *at = path + len - (sizeof(mark) - 1);

	return len >= sizeof(mark) && !strcmp(at, mark) ? at : NULL;
}

/* readlink with an end; the mark of an unlinked file is taken off and noted. */
static bool read_link(const char *link, struct procfs_file *file)
{
	ssize_t n = readlink(link, file->path, sizeof(file->path) - 1);
	char *mark;

	file->path[n > 0 ? n : 0] = '\0';
	/* the file is there, but its path is longer than the kernel tells */
	if (n < 0 && errno == ENAMETOOLONG)
		return true;
	if (n <= 0)
		return false;
	mark = deleted_mark(file->path, n);
	if (mark && !really_called(link, file->path)) {
		*mark = '\0';
		file->deleted = true;
	}
	if (file->path[0] != '/')
		file->path[0] = '\0'; /* pipe:[1], socket:[2], anon_inode:… */
	return true;
}

/* The number behind "key:\t" in the text of a proc file, read in the given base. */
static bool text_number(const char *text, const char *key, int base, uint64_t *value)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	*value = strtoull(at + strlen(key), NULL, base);
	return true;
}

static bool read_small(const char *name, char *out, size_t size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

uint32_t procfs_ppid(uint32_t tgid)
{
	char name[300], text[1024], *at;

	snprintf(name, sizeof(name), "%s/%u/stat", proc_root, tgid);
	if (!read_small(name, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')'); /* the name may hold blanks and brackets */
	if (!at || strlen(at) < 5)
		return 0;
	return strtoul(at + 4, NULL, 10);
}

bool procfs_directory(uint32_t tgid, const char *which, struct procfs_file *file)
{
	char name[300];
	struct stat st;

	*file = (struct procfs_file){ .pos = -1 };
	snprintf(name, sizeof(name), "%s/%u/%s", proc_root, tgid, which);
	if (!read_link(name, file) || !file->path[0] || stat(name, &st))
		return false;
	file->ino = st.st_ino;
	file->dev = kernel_dev(st.st_dev);
	return true;
}

uint32_t procfs_mntns(uint32_t tgid)
{
	char name[300];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/ns/mnt", proc_root, tgid);
	return stat(name, &st) ? 0 : st.st_ino;
}

static void read_fdinfo(uint32_t tgid, int fd, struct procfs_file *file)
{
	char name[300], text[2048];
	uint64_t value;

	snprintf(name, sizeof(name), "%s/%u/fdinfo/%d", proc_root, tgid, fd);
	if (!read_small(name, text, sizeof(text)))
		return;
	if (text_number(text, "pos:\t", 10, &value))
		file->pos = value;
	if (text_number(text, "flags:\t", 8, &value)) {
		file->cloexec = value & O_CLOEXEC;
		file->flags = value & ~(uint64_t)O_CLOEXEC;
	}
}

/* The file that a link below /proc leads to; fdinfo: as for fill_identity. */
static bool read_behind(uint32_t tgid, const char *link, const char *fdinfo,
			struct procfs_file *file)
{
	struct stat st;
	struct statfs fs;

	*file = (struct procfs_file){ .pos = -1 };
	if (stat(link, &st) || statfs(link, &fs) || !read_link(link, file))
		return false;
	fill_identity(file, &st, &fs, tgid, fdinfo);
	return true;
}

bool procfs_fd(uint32_t tgid, int fd, bool with_info, struct procfs_file *file)
{
	char name[300], info[300];

	snprintf(name, sizeof(name), "%s/%u/fd/%d", proc_root, tgid, fd);
	snprintf(info, sizeof(info), "%s/%u/fdinfo/%d", proc_root, tgid, fd);
	if (!read_behind(tgid, name, info, file))
		return false;
	if (with_info)
		read_fdinfo(tgid, fd, file);
	return true;
}

bool procfs_has_fd(uint32_t tgid, int fd)
{
	char name[300];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/fd/%d", proc_root, tgid, fd);
	return !lstat(name, &st);
}

bool procfs_each_fd(uint32_t tgid, void (*fn)(void *arg, int fd), void *arg)
{
	char name[300];
	struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "%s/%u/fd", proc_root, tgid);
	dir = opendir(name);
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			fn(arg, atoi(entry->d_name));
	closedir(dir);
	return true;
}

/* Links read for one process: 20 ms at most. What comes after is taken by its text alone. */
#define MAX_LOOKS 4096

/* One reading of maps: what is left of the buffer, and the file that the last line was about. */
struct maps_reader {
	uint32_t tgid;
	void (*fn)(void *arg, const struct procfs_mapping *mapping);
	void *arg;
	char *text;
	size_t len;
	size_t size;
	uint32_t n_looks;
	bool looked;       /* behind holds the file of the line before */
	uint64_t line_ino; /* as that line said, for the lines after it */
	uint32_t line_dev;
	char line_path[4200];
	struct procfs_file behind;
};

/* Names under which the kernel keeps memory that is no file of anybody. */
static bool is_memory(const char *path)
{
	return !strcmp(path, "/dev/zero (deleted)") || !strncmp(path, "/SYSV", strlen("/SYSV"));
}

/* A line break in a name stands there as \012; a backslash stands for itself. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		bool escape = !strncmp(path, "\\012", 4);

		*to++ = escape ? '\n' : *path;
		path += escape ? 3 : 0;
	}
	*to = '\0';
}

/* What the text of a line tells, where the link beside it does not. */
static void name_by_text(struct procfs_mapping *mapping, char *path)
{
	struct stat named;
	char *mark;

	unescape(path);
	mark = deleted_mark(path, strlen(path));
	/* A file may be called so. No device to compare: Btrfs has one here and another there. */
	if (mark && (lstat(path, &named) || named.st_ino != mapping->ino)) {
		*mark = '\0';
		mapping->deleted = true;
	}
	mapping->path = path[0] == '/' ? path : "";
}

/*
 * The file as descriptors of it tell, too: the text of a line has the device
 * and inode of a lower file on overlays, and a name that is not exact. The
 * parts of one file lie side by side, so it is looked at once for them.
 */
static bool look_behind(struct maps_reader *reader, const struct procfs_mapping *mapping,
			const char *path)
{
	char link[300];

	if (reader->looked && mapping->ino == reader->line_ino &&
	    mapping->dev == reader->line_dev && !strcmp(path, reader->line_path))
		return true;
	snprintf(link, sizeof(link), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, proc_root,
		 reader->tgid, mapping->start, mapping->end);
	reader->looked = reader->n_looks++ < MAX_LOOKS &&
			 read_behind(reader->tgid, link, NULL, &reader->behind);
	reader->line_ino = mapping->ino;
	reader->line_dev = mapping->dev;
	snprintf(reader->line_path, sizeof(reader->line_path), "%s", path);
	return reader->looked;
}

static void tell_mapping(struct maps_reader *reader, struct procfs_mapping *mapping, char *path)
{
	const struct procfs_file *behind = &reader->behind;
	bool looked = look_behind(reader, mapping, path);

	if (looked) {
		mapping->ino = behind->ino;
		mapping->dev = behind->dev;
		mapping->scope = behind->scope;
		mapping->deleted = behind->deleted;
		mapping->path = behind->path;
	}
	if (!mapping->path || !mapping->path[0])
		name_by_text(mapping, path);
	if (!looked)
		mapping->scope = mapping->path[0] ? procfs_scope_of(mapping->path) : SCOPE_OUT;
	reader->fn(reader->arg, mapping);
}

static void read_mapping(struct maps_reader *reader, char *line)
{
	struct procfs_mapping mapping = { .scope = SCOPE_UNKNOWN };
	unsigned int major, minor;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &mapping.start, &mapping.end, &mapping.offset, &major, &minor, &mapping.ino,
		   &at) < 6)
		return;
	line += at + strspn(line + at, " ");
	mapping.dev = major << 20 | minor;
	if (mapping.ino && mapping.start < mapping.end && !is_memory(line))
		tell_mapping(reader, &mapping, line);
}

/* Takes the lines that are there; makes room for the rest of a long one. */
static bool read_lines(struct maps_reader *reader)
{
	char *line = reader->text, *end;

	while ((end = memchr(line, '\n', reader->text + reader->len - line))) {
		*end = '\0';
		read_mapping(reader, line);
		line = end + 1;
	}
	reader->len -= line - reader->text;
	memmove(reader->text, line, reader->len);
	if (reader->len < reader->size)
		return true;
	/* no longer than the kernel's own buffer for the line, which it has already */
	line = realloc(reader->text, reader->size * 2);
	if (!line)
		return false;
	reader->text = line;
	reader->size *= 2;
	return true;
}

bool procfs_each_mapping(uint32_t tgid, void (*fn)(void *arg, const struct procfs_mapping *mapping),
			 void *arg)
{
	struct maps_reader reader = { .tgid = tgid, .fn = fn, .arg = arg, .size = 65536 };
	char name[300];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%u/maps", proc_root, tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	reader.text = malloc(reader.size);
	do {
		n = reader.text ? read(fd, reader.text + reader.len, reader.size - reader.len) : -1;
		reader.len += n > 0 ? n : 0;
	} while (n > 0 && read_lines(&reader));
	close(fd);
	free(reader.text);
	return n == 0;
}

/* O_PATH opens nothing of the file: no device, no lease, no access time. */
static bool look_at(uint32_t tgid, const char *name, struct procfs_file *file)
{
	int fd = open(name, O_PATH | O_CLOEXEC);
	char link[64], info[64];
	struct stat st;
	struct statfs fs;
	bool ok;

	*file = (struct procfs_file){ .pos = -1 };
	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(info, sizeof(info), "/proc/self/fdinfo/%d", fd);
	ok = !fstat(fd, &st) && !fstatfs(fd, &fs) && read_link(link, file);
	if (ok)
		fill_identity(file, &st, &fs, tgid, info);
	close(fd);
	return ok;
}

bool procfs_path(uint32_t tgid, bool foreign, const char *path, struct procfs_file *file)
{
	bool ok;

	if (!foreign)
		return look_at(tgid, path, file);
	ok = procfs_in_root(tgid, path, file);
	file->path[0] = '\0'; /* as seen from here, not from there */
	return ok;
}

bool procfs_in_root(uint32_t tgid, const char *path, struct procfs_file *file)
{
	char name[9000];

	snprintf(name, sizeof(name), "%s/%u/root%s", proc_root, tgid, path);
	return look_at(tgid, name, file);
}
