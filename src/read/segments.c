/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names of segments, the listing of a stream's directory, and what may be opened there. */
#include "read/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"
#include "base/log.h"
#include "base/packing.h"
#include "row/schema.h"
#include "write/spool.h"

/* ---- names ---- */

static bool has_ending(const char *text)
{
	return packing_plain_length(text) == strlen(".csv") &&
	       !strncmp(text, ".csv", strlen(".csv"));
}

/* "<stream>_20261120_235959_123_0001.csv" */
static bool is_numbered(const char *rest, struct segment_name *name)
{
	unsigned long long number;
	int when = 0, n = 0;

	/* bounded: the time fits in name->when, and 19 digits in 64 bits */
	if (sscanf(rest, "%*8[0-9]_%*6[0-9]_%*3[0-9]%n_%19llu%n", &when, &number, &n) != 1 ||
	    !has_ending(rest + n))
		return false;
	name->number = number;
	memcpy(name->when, rest, (size_t)when);
	return true;
}

/* "<stream>_part0001_20261120_235959_123.csv", the last part "…_123_complete_parts3.csv" */
static bool is_part(const char *rest, struct segment_name *name)
{
	int from = 0, n = 0, more = 0;

	if (sscanf(rest, "part%9u_%n%*8[0-9]_%*6[0-9]_%*3[0-9]%n", &name->part, &from, &n) != 1 ||
	    !n || !name->part)
		return false;
	memcpy(name->when, rest + from, (size_t)(n - from));
	if (sscanf(rest + n, "_complete_parts%9u%n", &name->n_parts, &more) != 1)
		more = 0;
	return has_ending(rest + n + more);
}

bool segment_name_parse(const char *file, struct segment_name *name)
{
	const char *slash = strchr(file, '/');
	size_t len = slash ? (size_t)(slash - file) : 0;

	memset(name, 0, sizeof(*name));
	if (!slash || strncmp(slash + 1, file, len) || slash[1 + len] != '_')
		return false;
	return is_numbered(slash + len + 2, name) || is_part(slash + len + 2, name);
}

bool segment_is_below(const char *file)
{
	return file[0] != '/' && file[0] != '.' && !strstr(file, "/.") &&
	       strlen(file) < SEGMENT_NAME_MAX;
}

int segment_stream(const char *file)
{
	char name[64];
	const char *slash = strchr(file, '/');

	if (!slash || (size_t)(slash - file) >= sizeof(name))
		return -1;
	memcpy(name, file, (size_t)(slash - file));
	name[slash - file] = '\0';
	return schema_find(name);
}

/* ---- files ---- */

const char *segment_why(int err)
{
	switch (-err) {
	case ENOENT:
		return "missing";
	case ELOOP:
		return "a symbolic link, not a file";
	case ENOTDIR:
		return "not in a folder of its own: a link is in its place";
	case EMLINK:
		return "has a second name (a hard link)";
	case EINVAL:
		return "not a regular file";
	default:
		return strerror(-err);
	}
}

int segment_open(int dir_fd, const char *file)
{
	int fd = below_open(dir_fd, file, O_RDONLY | O_NONBLOCK);

	return fd < 0 ? fd : file_only_regular(fd);
}

static bool cut_ending(char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	if (len <= n || strcmp(name + len - n, ending))
		return false;
	name[len - n] = '\0';
	return true;
}

/* Or the file that a repair makes of them. */
static bool is_waiting(int stream, const char *name)
{
	char path[SPOOL_PATH_SIZE];

	for (unsigned i = 0; i <= SPOOL_FILES && stream < N_EVENT_STREAMS; i++) {
		spool_path((enum stream_id)stream, i, path);
		if (!strcmp(strchr(path, '/') + 1, name))
			return true;
	}
	return false;
}

/* ".fs_x.csv.gz.part" is of fs/fs_x.csv, as is what has that name already. */
void segment_file_of(struct segment_file *file, int stream, const char *name)
{
	char plain[SEGMENT_NAME_MAX];
	bool part;

	memset(file, 0, sizeof(*file));
	file->stream = stream;
	if (is_waiting(stream, name))
		file->kind = SEGMENT_WAITING;
	if (snprintf(file->path, sizeof(file->path), "%s/%s", streams[stream].name, name) >=
	    (int)sizeof(file->path))
		return;
	snprintf(plain, sizeof(plain), "%.60s/%.190s", streams[stream].name,
		 name[0] == '.' ? name + 1 : name);
	part = name[0] == '.' && cut_ending(plain, ".part");
	if ((name[0] == '.') != part || !segment_name_parse(plain, &file->name))
		return;
	file->kind = !part             ? SEGMENT_CLOSED :
		     packing_of(plain) ? SEGMENT_PART_PACKED :
					 SEGMENT_PART;
	if (part)
		plain[packing_plain_length(plain)] = '\0';
	memcpy(file->final, plain, sizeof(plain));
}

/* Numbers count up; parts of snapshots by the time of their snapshot. */
static int by_number(const void *a, const void *b)
{
	const struct segment_file *x = a, *y = b;
	int order;

	if (x->name.number != y->name.number)
		return x->name.number < y->name.number ? -1 : 1;
	order = x->name.number ? 0 : strcmp(x->name.when, y->name.when);
	if (!order && x->name.part != y->name.part)
		return x->name.part < y->name.part ? -1 : 1;
	/*
	 * a part, whose name begins with a dot, before its closed file, and that before a
	 * packed one
	 */
	return order ? order : strcmp(x->path, y->path);
}

static bool add_file(struct segment_file **files, unsigned *n, const struct segment_file *file)
{
	/* room grows in steps of a power of two */
	if ((*n & (*n - 1)) == 0) {
		struct segment_file *more = realloc(*files, (*n ? 2 * *n : 1) * sizeof(*more));

		if (!more)
			return false;
		*files = more;
	}
	(*files)[(*n)++] = *file;
	return true;
}

struct segment_file *segment_files(int dir_fd, int stream, unsigned *n)
{
	int fd = openat(dir_fd, streams[stream].name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct segment_file *files = NULL;
	struct dirent *entry;

	*n = 0;
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		struct segment_file file;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		segment_file_of(&file, stream, entry->d_name);
		if (!add_file(&files, n, &file))
			log_error("%s: out of memory", streams[stream].name);
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(files, *n, sizeof(*files), by_number);
	return files;
}

int segments_check(const char *dir, const struct segment_file *files, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct packing_words *packing = &packings[packing_of(files[i].path)];

		if (files[i].kind != SEGMENT_CLOSED || packing->is_built_in)
			continue;
		log_error("%s/%s: this iotracer was built without lib%s: build it with that, or "
			  "unpack the segments first (zstd -d --rm)",
			  dir, files[i].path, packing->name);
		return -ENOTSUP;
	}
	return 0;
}
