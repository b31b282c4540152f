/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the file that carries a host home: which files go in, the ustar format,
 * and unpacking one that may come from anybody. Knows nothing of what the files
 * say.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "compat/layout_host.h"
#include "compat/root.h"

#define BLOCK 512
#define MAX_UNPACKED (512ull << 20) /* a whole 7.2 takes 12 MB */
#define MAX_FILES 20000

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], pad[12];
};

_Static_assert(sizeof(struct tar_header) == BLOCK, "a tar header fills a block");

static unsigned tar_checksum(const struct tar_header *header)
{
	const unsigned char *byte = (const unsigned char *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= offsetof(struct tar_header, checksum) &&
				       i < offsetof(struct tar_header, type) ?
			       ' ' :
			       byte[i];
	return sum;
}

static int put(gzFile out, const void *data, size_t size)
{
	return !size || gzwrite(out, data, (unsigned int)size) == (int)size ? 0 : -EIO;
}

static int put_file(gzFile out, const char *name, const char *data, size_t size)
{
	static const char zeros[BLOCK];
	struct tar_header header = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
	int err;

	if (strlen(name) >= sizeof(header.name) || size >= MAX_UNPACKED)
		return -E2BIG;
	strcpy(header.name, name);
	strcpy(header.mode, "0000644");
	strcpy(header.uid, "0000000");
	strcpy(header.gid, "0000000");
	snprintf(header.size, sizeof(header.size), "%011zo", size);
	strcpy(header.mtime, "00000000000");
	snprintf(header.checksum, sizeof(header.checksum), "%06o", tar_checksum(&header));
	header.checksum[7] = ' ';
	err = put(out, &header, BLOCK);
	if (!err)
		err = put(out, data, size);
	return err ? err : put(out, zeros, -size % BLOCK);
}

/* Text that grows. */
struct text {
	char *data;
	size_t used, room;
	bool failed;
};

static void append(struct text *text, const char *data, size_t size)
{
	if (text->used + size > text->room) {
		size_t room = 2 * (text->used + size) + 65536;
		char *more = realloc(text->data, room);

		if (!more) {
			text->failed = true;
			return;
		}
		text->data = more;
		text->room = room;
	}
	memcpy(text->data + text->used, data, size);
	text->used += size;
}

static int put_text(gzFile out, const char *name, struct text *text)
{
	int err = text->failed ? -ENOMEM : 0;

	if (!err && text->used)
		err = put_file(out, name, text->data, text->used);
	free(text->data);
	return err;
}

/* Text symbols with their addresses zeroed: where a kernel lies is nobody's business. */
static void symbol_line(void *arg, char *line)
{
	char *type = strchr(line, ' ');

	if (!type || !type[1] || !strchr("tTwW", type[1]))
		return;
	append(arg, "0000000000000000", 16);
	append(arg, type, strlen(type));
	append(arg, "\n", 1);
}

static void blacklist_line(void *arg, char *line)
{
	char *name = strchr(line, '\t');

	if (!name)
		return;
	append(arg, "0x0000000000000000-0x0000000000000000", 37);
	append(arg, name, strlen(name));
	append(arg, "\n", 1);
}

static int put_lines(gzFile out, const char *root, const char *name, root_line_fn *fn)
{
	struct text text = { .data = NULL };

	root_each_line(root, name, fn, &text);
	return put_text(out, name, &text);
}

/* root/path under the given name, when it can be read. */
static int put_copy(gzFile out, const char *root, const char *path, const char *name)
{
	size_t size;
	char *data = root_read(root, path, &size);
	int err = 0;

	if (data)
		err = put_file(out, name, data, size);
	free(data);
	return err;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* All formats of a category behind one another; saved hosts have them so already. */
static int put_category(gzFile out, const char *tracefs, const char *category)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct text text = { .data = NULL };
	struct dirent **events;
	size_t size;
	int n;

	snprintf(name, sizeof(name), "sys/kernel/tracing/events/%.80s/formats", category);
	snprintf(path, sizeof(path), "events/%.255s/formats", category);
	if (root_exists(tracefs, "%s", path))
		return put_copy(out, tracefs, path, name);
	snprintf(path, sizeof(path), "%.3800s/events/%.255s", tracefs, category);
	n = scandir(path, &events, is_visible, by_name);
	for (int i = 0; i < n; i++) {
		char *format;

		snprintf(path, sizeof(path), "events/%.255s/%.255s/format", category,
			 events[i]->d_name);
		format = root_read(tracefs, path, &size);
		if (format) {
			append(&text, format, size);
			if (size && format[size - 1] != '\n')
				append(&text, "\n", 1);
		}
		free(format);
		free(events[i]);
	}
	if (n >= 0)
		free(events);
	return put_text(out, name, &text);
}

static int put_tracefs(gzFile out, const char *tracefs)
{
	static const char *const lists[] = { "available_events", "available_filter_functions" };
	char path[PATH_MAX], name[128];
	struct dirent **categories;
	int n, err = 0;

	if (!tracefs[0])
		return 0;
	for (unsigned i = 0; i < 2 && !err; i++) {
		snprintf(name, sizeof(name), "sys/kernel/tracing/%s", lists[i]);
		err = put_copy(out, tracefs, lists[i], name);
	}
	snprintf(path, sizeof(path), "%.4080s/events", tracefs);
	n = scandir(path, &categories, is_visible, by_name);
	for (int i = 0; i < n; i++) {
		if (!err && root_is_dir(tracefs, "events/%s", categories[i]->d_name))
			err = put_category(out, tracefs, categories[i]->d_name);
		free(categories[i]);
	}
	if (n >= 0)
		free(categories);
	return err;
}

static int put_word(gzFile out, const char *name, const char *word)
{
	char line[260];
	int len = snprintf(line, sizeof(line), "%s\n", word);

	return word[0] ? put_file(out, name, line, (size_t)len) : 0;
}

static int put_config(gzFile out, const struct host *host)
{
	char name[160];
	size_t size;
	char *text = host_config_text(host, &size);
	int err = 0;

	snprintf(name, sizeof(name), "boot/config-%s", host->release);
	if (text)
		err = put_file(out, name, text, size);
	free(text);
	return err;
}

/* What BTF says, in place of its megabytes. */
static int put_layout(gzFile out, const struct host *host)
{
	size_t size;
	char *text = layout_text(host, &size);
	int err = text ? put_file(out, LAYOUT_SAVED, text, size) : 0;

	free(text);
	return err;
}

static int put_host(gzFile out, const struct host *host)
{
	static const char *const copies[] = { "etc/os-release", "sys/kernel/notes",
					      "sys/kernel/security/lockdown",
					      "sys/kernel/debug/kprobes/enabled",
					      "sys/devices/system/cpu/possible" };
	static const char end[2 * BLOCK];
	int err = put_word(out, "proc/sys/kernel/osrelease", host->release);

	if (!err)
		err = put_word(out, "proc/sys/kernel/version", host->version);
	if (!err)
		err = put_word(out, "proc/sys/kernel/arch", host->machine);
	for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]) && !err; i++)
		err = put_copy(out, host->root, copies[i], copies[i]);
	if (!err && host->has_btf)
		err = put_file(out, "sys/kernel/btf/vmlinux", "", 0);
	if (!err)
		err = put_layout(out, host);
	if (!err)
		err = put_config(out, host);
	if (!err)
		err = put_lines(out, host->root, "proc/kallsyms", symbol_line);
	if (!err)
		err = put_lines(out, host->root, "sys/kernel/debug/kprobes/blacklist",
				blacklist_line);
	if (!err)
		err = put_tracefs(out, host->tracefs);
	return err ? err : put(out, end, sizeof(end));
}

int saved_write(const struct host *host, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	gzFile out;
	int err;

	if (fd < 0) {
		err = -errno;
		log_error("save host to %s: %s", path, strerror(-err));
		return err;
	}
	out = gzdopen(fd, "wb9");
	if (!out) {
		close(fd);
		err = -ENOMEM;
	} else {
		err = put_host(out, host);
		if (gzclose(out) != Z_OK && !err)
			err = -EIO;
	}
	if (err) {
		log_error("save host to %s: %s", path, strerror(-err));
		unlink(path);
	}
	return err;
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

static int copy_out(gzFile in, int fd, unsigned long long size)
{
	char block[16 * BLOCK];

	while (size) {
		unsigned long long part = size < sizeof(block) ? size : sizeof(block);
		unsigned long long padded = (part + BLOCK - 1) / BLOCK * BLOCK;

		if (gzread(in, block, (unsigned int)padded) != (int)padded)
			return -EBADMSG;
		if (fd >= 0 && write(fd, block, part) != (ssize_t)part)
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
static int unpack_member(gzFile in, const char *dir, unsigned long long *total)
{
	struct tar_header header;
	char name[260], octal[13] = "", sum[9] = "";
	unsigned long long size;
	int n = gzread(in, &header, BLOCK), err;

	if (n != BLOCK)
		return -EBADMSG;
	if (!header.name[0])
		return 1;
	memcpy(octal, header.size, sizeof(header.size));
	memcpy(sum, header.checksum, sizeof(header.checksum));
	size = strtoull(octal, NULL, 8);
	*total += size;
	if (strtoul(sum, NULL, 8) != tar_checksum(&header) || memcmp(header.magic, "ustar", 5))
		return -EBADMSG;
	if (size > MAX_UNPACKED || *total > MAX_UNPACKED)
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
	default: /* links, devices, fifos */
		return -EPERM;
	}
}

static int unpack(gzFile in, const char *dir)
{
	unsigned long long total = 0;
	int err = 0;

	for (unsigned i = 0; !err; i++)
		err = i < MAX_FILES ? unpack_member(in, dir, &total) : -EFBIG;
	return err > 0 ? 0 : err;
}

static const char *unpack_error(int err)
{
	switch (err) {
	case -EBADMSG:
		return "not an archive, or damaged";
	case -EPERM:
		return "contains links, devices or names outside of it";
	case -EFBIG:
		return "too large for a saved host";
	default:
		return strerror(-err);
	}
}

int saved_unpack(const char *path, char *dir)
{
	const char *tmp = getenv("TMPDIR");
	gzFile in = gzopen(path, "rb");
	int err;

	dir[0] = '\0';
	if (!in) {
		err = errno ? -errno : -ENOMEM;
		log_error("saved host %s: %s", path, strerror(-err));
		return err;
	}
	snprintf(dir, PATH_MAX, "%.4000s/iotracer-host-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		err = -errno;
		dir[0] = '\0';
	} else {
		err = unpack(in, dir);
	}
	gzclose(in);
	if (!err)
		return 0;
	log_error("saved host %s: %s", path, unpack_error(err));
	if (dir[0])
		saved_remove(dir);
	dir[0] = '\0';
	return err;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

void saved_remove(const char *dir)
{
	if (nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		log_warn("remove %s: %s", dir, strerror(errno));
}
