/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how a line is read, and which of its two names is believed. */
#include "resolve/procfs_maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Links read for one process: 20 ms at most. Later ones are judged by their text alone. */
#define MAX_LINKS 4096

/* One reading of maps: what is left of the buffer, and the file that the last line was about. */
struct maps_reader {
	const struct procfs *proc;
	uint32_t tgid;
	procfs_mapping_fn *fn;
	void *arg;
	char *text;
	size_t len;
	size_t size;
	uint32_t n_links;
	bool resolved;     /* file holds the file of the line before */
	uint64_t line_ino; /* as that line said, for the lines after it */
	uint32_t line_dev;
	char line_path[4200];
	struct procfs_file file;
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

/* By the text of the line, where its link cannot be read. */
static void name_by_text(struct procfs_mapping *mapping, char *path)
{
	struct stat named;
	char *mark;

	unescape(path);
	mark = path_deleted_mark(path);
	/* A file may be called so. No device to compare: Btrfs has one here and another there. */
	if (mark && (lstat(path, &named) || named.st_ino != mapping->ino)) {
		*mark = '\0';
		mapping->deleted = true;
	}
	mapping->path = path[0] == '/' ? path : "";
}

/*
 * The file as its descriptors show it, too: the text of a line has the device
 * and inode of a lower file on overlays, and a name that is not exact. The
 * parts of one file lie side by side, so it is read once for them.
 */
static bool read_link_of(struct maps_reader *reader, const struct procfs_mapping *mapping,
			 const char *path)
{
	char link[300];

	if (reader->resolved && mapping->ino == reader->line_ino &&
	    mapping->dev == reader->line_dev && !strcmp(path, reader->line_path))
		return true;
	snprintf(link, sizeof(link), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, reader->proc->root,
		 reader->tgid, mapping->start, mapping->end);
	reader->resolved = reader->n_links++ < MAX_LINKS &&
			   procfs_link(reader->proc, link, reader->tgid, &reader->file);
	reader->line_ino = mapping->ino;
	reader->line_dev = mapping->dev;
	snprintf(reader->line_path, sizeof(reader->line_path), "%s", path);
	return reader->resolved;
}

static void emit_mapping(struct maps_reader *reader, struct procfs_mapping *mapping, char *path)
{
	const struct procfs_file *file = &reader->file;
	bool resolved = read_link_of(reader, mapping, path);

	if (resolved) {
		mapping->ino = file->ino;
		mapping->dev = file->dev;
		mapping->scope = file->scope;
		mapping->deleted = file->deleted;
		mapping->path = file->path;
	}
	if (!mapping->path || !mapping->path[0])
		name_by_text(mapping, path);
	if (!resolved)
		mapping->scope = mapping->path[0] ?
					 mounts_scope_of_name(reader->proc->mounts, mapping->path) :
					 SCOPE_OUT;
	reader->fn(reader->arg, mapping);
}

static void read_mapping(struct maps_reader *reader, char *line)
{
	struct procfs_mapping mapping = { .scope = SCOPE_UNKNOWN };
	unsigned int major, minor;
	char rights[5]; /* "rw-s": the last one says whether it is shared */
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &mapping.start, &mapping.end, rights, &mapping.offset, &major, &minor,
		   &mapping.ino, &at) < 7)
		return;
	mapping.shared = strchr(rights, 's') != NULL;
	line += at + strspn(line + at, " ");
	mapping.dev = major << 20 | minor;
	if (mapping.ino && mapping.start < mapping.end && !is_memory(line))
		emit_mapping(reader, &mapping, line);
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

bool procfs_each_mapping(const struct procfs *proc, uint32_t tgid, procfs_mapping_fn *fn, void *arg)
{
	/* nothing is mapped for a first thread that has ended before the others */
	const uint32_t living = procfs_living(proc, tgid);
	struct maps_reader reader = {
		.proc = proc, .tgid = living, .fn = fn, .arg = arg, .size = 65536
	};
	char name[300];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%u/maps", proc->root, living);
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
