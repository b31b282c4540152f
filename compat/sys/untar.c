/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is refused: names that lead out, links, and more bytes than allowed. */
#include "compat/sys/untar.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a tar header fills a block");

unsigned tar_checksum(const struct tar_header *header)
{
	const unsigned char *byte = (const unsigned char *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= offsetof(struct tar_header, checksum) &&
				       i < offsetof(struct tar_header, type) ?
			       ' ' :
			       byte[i];
	return sum;
}

/* No member may lead out of the directory it is unpacked into. */
static bool is_safe(const char *name)
{
	const char *at = name;

	if (!*name || *name == '/')
		return false;
	while (at) {
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return false;
		at = strchr(at, '/');
		at += at != NULL;
	}
	return true;
}

/* Makes the directories above path, all of them below dir. */
static int make_parents(const char *dir, char *path)
{
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0700);
		*slash = '/';
		if (failed && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* fd below 0: passes over it. A member fills whole blocks. */
static int copy_out(gzFile in, int fd, unsigned long long size)
{
	char block[16 * TAR_BLOCK];

	while (size) {
		unsigned long long part = size < sizeof(block) ? size : sizeof(block);
		unsigned long long padded = (part + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;

		if (gzread(in, block, (unsigned int)padded) != (int)padded)
			return -EBADMSG;
		if (fd >= 0 && write_all(fd, block, part))
			return -errno;
		size -= part;
	}
	return 0;
}

static int unpack_file(gzFile in, const char *dir, const char *name, unsigned long long size)
{
	char path[PATH_MAX];
	int fd, err;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = make_parents(dir, path);
	if (err)
		return err;
	/* a name that comes twice is refused */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = copy_out(in, fd, size);
	close(fd);
	return err;
}

static int member_name(const struct tar_header *header, char *name, size_t size)
{
	const char *at = name;

	if (header->prefix[0])
		snprintf(name, size, "%.155s/%.100s", header->prefix, header->name);
	else
		snprintf(name, size, "%.100s", header->name);
	while (!strncmp(at, "./", 2))
		at += 2;
	memmove(name, at, strlen(at) + 1);
	return !*name || is_safe(name) ? 0 : -EPERM;
}

/* One member. Returns 1 at the end of the archive. */
static int unpack_member(gzFile in, const char *dir, const struct untar_rules *rules,
			 unsigned long long *total)
{
	struct tar_header header;
	char name[260], octal[13] = "", sum[9] = "";
	unsigned long long size;
	int n = gzread(in, &header, TAR_BLOCK), err;

	if (n != TAR_BLOCK)
		return -EBADMSG;
	if (!header.name[0])
		return 1;
	memcpy(octal, header.size, sizeof(header.size));
	memcpy(sum, header.checksum, sizeof(header.checksum));
	size = strtoull(octal, NULL, 8);
	*total += size;
	if (strtoul(sum, NULL, 8) != tar_checksum(&header) || memcmp(header.magic, "ustar", 5))
		return -EBADMSG;
	if (size > rules->max_bytes || *total > rules->max_bytes)
		return -EFBIG;
	err = member_name(&header, name, sizeof(name));
	if (err)
		return err;
	switch (header.type) {
	case '5': /* directory: made when a file needs it */
	case 'x':
	case 'g': /* times and the like */
		return copy_out(in, -1, size);
	case '0':
	case '\0':
		return *name ? unpack_file(in, dir, name, size) : -EPERM;
	case '1':
	case '2':
		return rules->skips_links ? 0 : -EPERM;
	default: /* devices, fifos, names that are too long */
		return -EPERM;
	}
}

/*
 * The sums of gzip stand at the end: what was unpacked is good when they are. A file that ends
 * before them is damaged as well. What is not gzip has none.
 */
static int read_rest(gzFile in, const struct untar_rules *rules)
{
	char rest[16 * TAR_BLOCK];
	unsigned long long total = 0;
	int n, code;

	while ((n = gzread(in, rest, sizeof(rest))) > 0) {
		total += (unsigned)n;
		if (total > rules->max_bytes)
			return -EFBIG;
	}
	gzerror(in, &code);
	return n < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR ? -EBADMSG : 0;
}

int untar(gzFile in, const char *dir, const struct untar_rules *rules)
{
	unsigned long long total = 0;
	int err = 0;

	for (unsigned i = 0; !err; i++)
		err = i < rules->max_files ? unpack_member(in, dir, rules, &total) : -EFBIG;
	return err > 0 ? read_rest(in, rules) : err;
}

const char *untar_error(int err)
{
	switch (err) {
	case -EBADMSG:
		return "not an archive, or damaged";
	case -EPERM:
		return "contains links, devices or names outside of it";
	case -EFBIG:
		return "too large";
	default:
		return strerror(-err);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

void untar_remove(const char *dir)
{
	if (nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		log_warn("remove %s: %s", dir, strerror(errno));
}
