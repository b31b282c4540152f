/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns whose file is believed. Anybody may put one into /tmp, or a link in its place. */
#include "code/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/search.h"
#include "resolve/procfs.h"

/* As many as PERF_MAP_BYTES have with 64 bytes in a line */
enum { MAX_CODES = 1 << 20 };

/* ---- text ---- */

static int by_start(const void *a, const void *b)
{
	const struct perf_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* of code in the place of older code, the later line counts */
	return x->name < y->name ? -1 : 1;
}

/* "7f00 40 name": two hexadecimal numbers and what is left of the line */
static bool parse_line(char *line, struct perf_code *code, const char *text)
{
	char *end;

	code->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	line = end + 1;
	code->size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || !code->size ||
	    code->start + code->size < code->start)
		return false;
	code->name = (uint32_t)(end + 1 - text);
	return true;
}

static bool make_room(struct perf_map *map)
{
	uint32_t room = map->room ? map->room * 2 : 1024;
	void *list;

	if (map->n < map->room)
		return true;
	list = realloc(map->list, room * sizeof(*map->list));
	if (!list)
		return false;
	map->list = list;
	map->room = room;
	return true;
}

/* Names stay where they are in the text, each ended where its line did. */
bool perf_map_parse(struct perf_map *map, char *text, size_t len)
{
	char *line = text, *end;

	*map = (struct perf_map){ .text = text };
	text[len] = '\0';
	for (; line < text + len && map->n < MAX_CODES; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + len - line));
		if (!end)
			end = text + len;
		*end = '\0';
		if (!make_room(map)) {
			perf_map_free(map);
			return false;
		}
		map->n += parse_line(line, &map->list[map->n], text);
	}
	if (map->n)
		qsort(map->list, map->n, sizeof(*map->list), by_start);
	return true;
}

static bool begins_before(const void *list, uint64_t i, uint64_t key)
{
	return ((const struct perf_code *)list)[i].start <= key;
}

/* Of pieces one within the other, the one that begins last is looked at, and no further one. */
const char *perf_map_name(const struct perf_map *map, uint64_t address, uint64_t *offset)
{
	uint64_t after = search_first(map->list, 0, map->n, begins_before, address);
	const struct perf_code *code = after ? &map->list[after - 1] : NULL;

	if (!code || address - code->start >= code->size)
		return NULL;
	*offset = address - code->start;
	return map->text + code->name;
}

void perf_map_free(struct perf_map *map)
{
	free(map->list);
	free(map->text);
	*map = (struct perf_map){ 0 };
}

/* ---- file ---- */

/* Its number as it knows it, by which the file is called; 0: it is gone. */
static uint32_t own_number(const struct procfs *proc, uint32_t tgid)
{
	char name[300], text[8192], *line;
	uint32_t number = 0;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%u/status", proc->root, tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* from 4.1 on, among the first lines; the last number is that of the innermost namespace */
	line = strstr(text, "\nNSpid:");
	if (!line)
		return tgid;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	line = strrchr(line, '\t');
	if (line)
		number = (uint32_t)strtoul(line, NULL, 10);
	return number;
}

/* Through no link, and of the process's own user or root: what anybody else says of its code is not believed. */
static int open_file(const struct procfs *proc, uint32_t tgid)
{
	uint32_t number = own_number(proc, tgid);
	struct stat process, file;
	char name[300];
	int tmp, fd;

	snprintf(name, sizeof(name), "%s/%u", proc->root, tgid);
	if (!number || stat(name, &process))
		return -ESRCH;
	/* a container has a /tmp of its own; step by step, so that no link of it leads elsewhere */
	snprintf(name, sizeof(name), "%s/%u/root", proc->root, tgid);
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	tmp = openat(fd, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(fd);
	if (tmp < 0)
		return -errno;
	snprintf(name, sizeof(name), "perf-%u.map", number);
	/* O_NONBLOCK: of a FIFO nobody waits for the other end */
	fd = openat(tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(tmp);
	if (fd < 0)
		return -errno;
	/* /proc/PID is of the user that the process runs as, or of root, where it must not be dumped: proc(5) */
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) &&
	    (file.st_uid == process.st_uid || !file.st_uid) && file.st_size <= PERF_MAP_BYTES)
		return fd;
	close(fd);
	return -EPERM;
}

int perf_map_read(struct perf_map *map, const struct procfs *proc, uint32_t tgid)
{
	int fd = open_file(proc, tgid);
	size_t len = 0;
	struct stat st;
	char *text;
	ssize_t n;

	*map = (struct perf_map){ 0 };
	if (fd < 0)
		return fd;
	/* as much as there is now: its program may append to it */
	text = fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
	while (text && len < (size_t)st.st_size &&
	       (n = read(fd, text + len, (size_t)st.st_size - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (!text || !perf_map_parse(map, text, len))
		return -ENOMEM;
	return 0;
}
