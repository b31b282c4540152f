/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the file that carries a host home: which files go in, and how
 * it is written and unpacked. Knows nothing of what the files say.
 */
#include "compat/host/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/output_file.h"
#include "compat/host/layout_host.h"
#include "compat/sys/root.h"
#include "compat/sys/untar.h"

enum { BLOCK = TAR_BLOCK };

/* a whole 7.2 takes 12 MB */
static const struct untar_rules rules = { .max_bytes = 512ull << 20, .max_files = 20000 };

static int put(gzFile out, const void *data, size_t size)
{
	errno = 0;
	if (!size || gzwrite(out, data, (unsigned int)size) == (int)size)
		return 0;
	return errno ? -errno : -EIO;
}

static int put_file(gzFile out, const char *name, const char *data, size_t size)
{
	static const char zeros[BLOCK];
	struct tar_header header = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
	int err;

	if (strlen(name) >= sizeof(header.name) || size >= rules.max_bytes)
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
	static const char *const copies[] = { "etc/os-release",
					      "sys/kernel/notes",
					      "sys/kernel/security/lockdown",
					      "sys/kernel/debug/kprobes/enabled",
					      "proc/sys/kernel/ftrace_enabled",
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

static int write_gz(const struct host *host, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	gzFile out = copy < 0 ? NULL : gzdopen(copy, "wb9");
	int err;

	if (!out) {
		err = copy < 0 ? -errno : -ENOMEM;
		if (copy >= 0)
			close(copy);
		return err;
	}
	err = put_host(out, host);
	errno = 0;
	if (gzclose(out) != Z_OK && !err)
		err = errno ? -errno : -EIO;
	return err ? err : fsync(fd) ? -errno : 0;
}

int saved_write(const struct host *host, const char *path)
{
	struct output_file file;
	int err = output_file_open_regular(&file, path);

	if (err)
		return err;
	err = write_gz(host, fileno(file.out));
	if (err)
		log_error("save host to %s: %s", path, strerror(-err));
	return output_file_close(&file, err);
}

/* ---- unpacked ---- */

/* The watcher's life: it hears when the other end is closed, by us or by our end. */
__attribute__((noreturn)) static void watch(const char *dir, int ends[2])
{
	char byte;

	/* not of our group: what ends the program at the terminal is not for it */
	setsid();
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		if (fd != ends[0])
			close(fd);
	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	untar_remove(dir);
	_exit(0);
}

/* Without one (no process to be had) the directory goes at the regular end alone. */
static void start_watcher(struct saved_dir *saved)
{
	int ends[2];

	saved->watcher = -1;
	if (pipe2(ends, O_CLOEXEC))
		return;
	saved->watcher = fork();
	if (!saved->watcher)
		watch(saved->path, ends);
	close(ends[0]);
	if (saved->watcher < 0)
		close(ends[1]);
	else
		saved->watched = ends[1];
}

void saved_remove(struct saved_dir *saved)
{
	if (!saved->path[0])
		return;
	if (saved->watcher > 0) {
		close(saved->watched);
		while (waitpid(saved->watcher, NULL, 0) < 0 && errno == EINTR)
			;
	} else {
		untar_remove(saved->path);
	}
	saved->path[0] = '\0';
}

int saved_unpack(const char *path, struct saved_dir *saved)
{
	const char *tmp = getenv("TMPDIR");
	int fd = file_open_regular(path), err;
	gzFile in;

	saved->path[0] = '\0';
	in = fd < 0 ? NULL : gzdopen(fd, "rb");
	if (!in) {
		err = fd < 0 ? fd : -ENOMEM;
		if (fd >= 0)
			close(fd);
		log_error("saved host %s: %s", path, strerror(-err));
		return err;
	}
	snprintf(saved->path, sizeof(saved->path), "%.4000s/iotracer-host-XXXXXX",
		 tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(saved->path)) {
		err = -errno;
		saved->path[0] = '\0';
	} else {
		start_watcher(saved);
		err = untar(in, saved->path, &rules);
	}
	gzclose(in);
	if (!err)
		return 0;
	log_error("saved host %s: %s", path, untar_error(err));
	saved_remove(saved);
	return err;
}
