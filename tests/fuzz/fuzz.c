/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What targets have in common. Owns the directory of an input. */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/sys/untar.h"

const struct fuzz_target fuzz_targets[] = {
#define TARGET(name, reads) { #name, fuzz_##name },
#include "fuzz/targets.def"
#undef TARGET
	{ 0 },
};

void fuzz_broken(const char *claim, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, claim);
	abort();
}

bool fuzz_turn(size_t size, size_t n, size_t i)
{
	return !getenv("FUZZ_TARGET") || size % n == i;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static void write_all(int fd, const void *data, size_t size)
{
	FUZZ_CLAIM(write(fd, data, size) == (ssize_t)size);
}

int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CLAIM(fd >= 0);
	write_all(fd, data, size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* ---- a directory ---- */

static char place[200], dir[210];

static void remove_place(void)
{
	untar_remove(place);
}

/* In one of this process, so that what readers write beside it goes with it. */
static void make_dir(void)
{
	const char *base = getenv("FUZZ_DIR");

	if (!place[0])
		atexit(remove_place);
	else
		remove_place();
	snprintf(place, sizeof(place), "%.100s/iotracer-fuzz-%d", base ? base : "/dev/shm",
		 getpid());
	snprintf(dir, sizeof(dir), "%s/in", place);
	FUZZ_CLAIM(!mkdir(place, 0700) && !mkdir(dir, 0700));
}

static bool name_ok(const char *name)
{
	return name[0] && name[0] != '/' && !strstr(name, "..") && strlen(name) < 200;
}

/* "NAME" or "NAME -> TARGET", with the bytes of the file. */
static void add_file(char *name, const uint8_t *data, size_t size)
{
	char path[PATH_MAX], *arrow = strstr(name, " -> ");
	int fd;

	if (arrow)
		*arrow = '\0';
	if (!name_ok(name))
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	if (arrow && arrow[4] != '/' && !strstr(arrow + 4, ".."))
		(void)!symlink(arrow + 4, path);
	fd = arrow ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	write_all(fd, data, size);
	close(fd);
}

/* The first byte behind a file: of the next line with a '@', or the end. */
static const uint8_t *file_end(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *next;

	if (at == end || *at == '@')
		return at;
	while ((next = memmem(at, (size_t)(end - at), "\n@", 2)) == at)
		return next + 1;
	return next ? next + 1 : end;
}

const char *fuzz_tree(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *lf;

	make_dir();
	while (data < end && *data == '@' && (lf = memchr(data, '\n', (size_t)(end - data)))) {
		const uint8_t *next = file_end(lf + 1, end);
		char *name = fuzz_text(data + 1, (size_t)(lf - data) - 1);

		add_file(name, lf + 1, (size_t)(next - lf) - 1);
		free(name);
		data = next;
	}
	return dir;
}
